/* SPDX-License-Identifier: MIT */
/** A text that grows at its end. */
#ifndef CM_TEXT_H
#define CM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/** Starts as all zeros; data is to be freed. Not terminated. */
struct cm_text {
   char *data;
   size_t length, capacity;
   bool out_of_memory; /**< something is missing in it; stays set */
};

/** Room for n bytes at the end; NULL when out of memory. */
static inline char *
cm_text_room(struct cm_text *text, size_t n)
{
   if (!cm_array_make_room(&text->data, &text->capacity, text->length, n, 1)) {
      text->out_of_memory = true;
      return NULL;
   }
   return text->data + text->length;
}

static inline void
cm_text_add_bytes(struct cm_text *text, const char *bytes, size_t n)
{
   char *room = cm_text_room(text, n);
   if (room && n) {
      memcpy(room, bytes, n);
      text->length += n;
   }
}

static inline void
cm_text_add(struct cm_text *text, const char *string)
{
   cm_text_add_bytes(text, string, strlen(string));
}

static inline void
cm_text_add_character(struct cm_text *text, char character)
{
   cm_text_add_bytes(text, &character, 1);
}

static inline void
cm_text_add_number(struct cm_text *text, uint64_t number)
{
   char digits[20];
   size_t n = sizeof digits;
   do {
      digits[--n] = (char)('0' + number % 10);
      number /= 10;
   } while (number);
   cm_text_add_bytes(text, digits + n, sizeof digits - n);
}

#endif
