/* SPDX-License-Identifier: MIT */
/** Text behind the bytes of a writer. */
#ifndef CM_TEXT_H
#define CM_TEXT_H

#include "util/byte_stream.h"

static inline void
cm_text_add(struct cm_byte_writer *text, const char *string)
{
   cm_put_bytes(text, string, strlen(string));
}

static inline void
cm_text_add_character(struct cm_byte_writer *text, char character)
{
   cm_put_bytes(text, &character, 1);
}

static inline void
cm_text_add_number(struct cm_byte_writer *text, uint64_t number)
{
   char digits[20];
   size_t n = sizeof digits;
   do {
      digits[--n] = (char)('0' + number % 10);
      number /= 10;
   } while (number);
   cm_put_bytes(text, digits + n, sizeof digits - n);
}

#endif
