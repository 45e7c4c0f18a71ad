/* SPDX-License-Identifier: MIT */
#include "util/array.h"

#include <assert.h>
#include <stdint.h>

/* Elements of an array that has grown to at least so many; 0: there cannot be so many. */
static size_t
larger_capacity(size_t count, size_t element_bytes)
{
   const size_t most = PTRDIFF_MAX / element_bytes;
   const size_t capacity = count + count / 2 + 64;
   return count > most ? 0 : capacity < most ? capacity : most;
}

bool
cm_array_enlarge(void *array, size_t *capacity, size_t count, size_t more, size_t element_bytes)
{
   assert(more > *capacity || count > *capacity - more);
   const size_t larger = more > SIZE_MAX / 2 - count ? 0 : larger_capacity(count + more, element_bytes);
   void *data = larger ? realloc(*(void **)array, larger * element_bytes) : NULL;
   if (!data)
      return false;
   *(void **)array = data;
   *capacity = larger;
   return true;
}

bool
cm_array_reserve(struct cm_array *array, size_t count, size_t element_bytes)
{
   if (array->data && count * element_bytes <= array->bytes)
      return true;
   free(array->data);
   *array = (struct cm_array){0};
   return cm_array_extend(array, count, element_bytes);
}

bool
cm_array_extend(struct cm_array *array, size_t count, size_t element_bytes)
{
   assert(!array->data == !array->bytes);
   if (array->data && count * element_bytes <= array->bytes)
      return true;
   const size_t capacity = larger_capacity(count, element_bytes);
   void *data = capacity ? realloc(array->data, capacity * element_bytes) : NULL;
   if (!data)
      return false;
   array->data = data;
   array->bytes = capacity * element_bytes;
   return true;
}

void
cm_free_arrays(struct cm_array *const *arrays)
{
   for (; *arrays; arrays++)
      free((*arrays)->data);
}
