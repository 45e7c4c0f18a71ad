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

const uint32_t *
cm_event_next_rare(const uint32_t *event)
{
   switch (cm_event_type(*event)) {
   case CM_EVENT_BUFFER: return event + 1 + cm_event_count(*event) * CM_BUFFER_ACCESS_WORDS;
   case CM_EVENT_IMAGE: return event + 1 + cm_event_count(*event) * CM_FOOTPRINT_WORDS;
   case CM_EVENT_GROUP:
   case CM_EVENT_INVOKE: return event + 2;
   default: return event + 1;
   }
}

bool
cm_pass_has_vertex_storage(const struct cm_pass *pass)
{
   for (uint32_t b = 0; b < pass->num_vertex_bindings; b++) {
      if (pass->vertex_bindings[b].is_storage)
         return true;
   }
   return false;
}
