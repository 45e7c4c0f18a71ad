/* SPDX-License-Identifier: MIT */
#include "events/event_stream.h"
#include "util/array.h"

const char *const cm_resource_use_names[CM_NUM_USES] = {
   "vertices", "indices", "constants", "texture", "color", "depth_stencil", "feedback", "other",
};

bool
cm_tile_events_grow(struct cm_tile_events *events, size_t n)
{
   return cm_array_make_room(&events->words, &events->capacity, events->num_words, n, sizeof *events->words);
}
