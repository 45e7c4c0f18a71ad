/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "support/check.h"

#include <EGL/egl.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_MESSAGES 40

static int broken;

static void
print(const char *format, va_list arguments)
{
   fprintf(stderr, "%s: ", program_invocation_short_name);
   vfprintf(stderr, format, arguments);
}

static _Noreturn void
print_and_exit(const char *format, va_list arguments)
{
   const EGLint error = eglGetError();
   print(format, arguments);
   if (error != EGL_SUCCESS)
      fprintf(stderr, " (EGL error 0x%x)", error);
   fputc('\n', stderr);
   exit(1);
}

void
stop(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   print_and_exit(format, arguments);
}

void
require(bool condition, const char *format, ...)
{
   va_list arguments;
   if (condition)
      return;
   va_start(arguments, format);
   print_and_exit(format, arguments);
}

bool
holds(bool condition, const char *format, ...)
{
   if (!condition && broken++ < MAX_MESSAGES) {
      va_list arguments;
      va_start(arguments, format);
      print(format, arguments);
      va_end(arguments);
      fputc('\n', stderr);
   }
   return condition;
}

int
check_status(void)
{
   if (broken > MAX_MESSAGES)
      fprintf(stderr, "… and %d more\n", broken - MAX_MESSAGES);
   return broken != 0;
}
