/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "events/event_stream.h"

bool
cm_tile_events_grow(struct cm_tile_events *events, size_t n)
{
   size_t capacity = events->capacity ? events->capacity : 256;
   while (capacity - events->num_words < n) {
      if (capacity > SIZE_MAX / sizeof *events->words / 2)
         return false;
      capacity *= 2;
   }
   uint32_t *words = realloc(events->words, capacity * sizeof *words);
   if (!words)
      return false;
   events->words = words;
   events->capacity = capacity;
   return true;
}
