/* SPDX-License-Identifier: MIT */
/** Arrays that grow. */
#ifndef CM_ARRAY_H
#define CM_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** Makes room after `count` elements of so many bytes for another one. An array grows at the powers of two,
 * so that its capacity need not be stored, and begins as NULL. array: the address of the pointer to the
 * elements. False when out of memory; then nothing has changed. */
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

/** cm_array_make_room where there is not enough. */
bool cm_array_enlarge(void *array, size_t *capacity, size_t count, size_t more, size_t element_bytes);

/** The same for `more` elements after `count`, for an array whose capacity (in elements) is kept: at first NULL and 0. */
static inline bool
cm_array_make_room(void *array, size_t *capacity, size_t count, size_t more, size_t element_bytes)
{
   return (more <= *capacity && count <= *capacity - more) ||
          cm_array_enlarge(array, capacity, count, more, element_bytes);
}

/** An array of any type that keeps its memory from one use to the next. Begins as zeros; is to be freed. */
struct cm_array {
   void *data;
   size_t bytes; /**< allocated */
};

/** Makes an array at least this long; its content is lost. False when out of memory. */
bool cm_array_reserve(struct cm_array *array, size_t count, size_t element_bytes);
/** The same, but its content stays. */
bool cm_array_extend(struct cm_array *array, size_t count, size_t element_bytes);

/** Frees arrays, whose addresses are listed. */
#define CM_FREE_ARRAYS(...) cm_free_arrays((struct cm_array *const[]){__VA_ARGS__, NULL})
/** The same for a list that ends with NULL. */
void cm_free_arrays(struct cm_array *const *arrays);

#endif
