/* SPDX-License-Identifier: MIT */
/** Arrays that grow by an element at a time. */
#ifndef CM_ARRAY_H
#define CM_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** Makes room behind `count` elements of so many bytes for another one. An array grows at the powers of two, so that
 * nobody keeps its capacity, and begins as NULL. array: the address of the pointer to the elements. False when
 * out of memory; then nothing has changed. */
static inline bool
cm_array_grow(void *array, size_t count, size_t element_bytes)
{
   if (count & (count - 1))
      return true;
   void *larger = realloc(*(void **)array, (count ? count * 2 : 1) * element_bytes);
   if (larger)
      *(void **)array = larger;
   return larger != NULL;
}

#endif
