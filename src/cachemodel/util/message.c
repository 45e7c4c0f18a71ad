/* SPDX-License-Identifier: MIT */
#include "util/message.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_MESSAGE_BYTES 8192 /* two paths, and some words */

static cm_message_handler *message_handler;

void
cm_set_message_handler(cm_message_handler *handler)
{
   message_handler = handler;
}

void
cm_message(enum cm_message_kind kind, const char *format, ...)
{
   char text[MAX_MESSAGE_BYTES];
   va_list arguments;
   if (!message_handler)
      return;
   va_start(arguments, format);
   vsnprintf(text, sizeof text, format, arguments);
   va_end(arguments);
   message_handler(kind, text);
}
