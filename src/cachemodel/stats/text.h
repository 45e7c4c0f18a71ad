/* SPDX-License-Identifier: MIT */
/** Text that is appended to the bytes of a writer. */
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

#define CM_TEXT_MAX_DIGITS 20

/* Writes a number that ends at `end` in the text. Returns its beginning. */
static inline size_t
cm_text_digits(char *digits, size_t end, uint64_t number)
{
   do {
      digits[--end] = (char)('0' + number % 10);
      number /= 10;
   } while (number);
   return end;
}

static inline void
cm_text_add_number(struct cm_byte_writer *text, uint64_t number)
{
   char digits[CM_TEXT_MAX_DIGITS];
   const size_t first = cm_text_digits(digits, sizeof digits, number);
   cm_put_bytes(text, digits + first, sizeof digits - first);
}

/* A comma, and a number: tables have many of them. */
static inline void
cm_text_add_value(struct cm_byte_writer *text, uint64_t number)
{
   char digits[1 + CM_TEXT_MAX_DIGITS];
   const size_t first = cm_text_digits(digits, sizeof digits, number) - 1;
   digits[first] = ',';
   cm_put_bytes(text, digits + first, sizeof digits - first);
}

#endif
