/* SPDX-License-Identifier: MIT */
#include "events/event_stream.h"
#include "util/array.h"

bool
cm_tile_events_grow(struct cm_tile_events *events, size_t n)
{
   return cm_array_make_room(&events->words, &events->capacity, events->num_words, n, sizeof *events->words);
}
