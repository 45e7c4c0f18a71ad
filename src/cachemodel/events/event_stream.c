/* SPDX-License-Identifier: MIT */
#include "events/event_stream.h"

#include <assert.h>

#include "util/array.h"

const char *const cm_resource_use_names[CM_NUM_USES] = {
   "vertices", "indices", "constants", "texture", "color", "depth_stencil", "feedback", "other",
};

const char *const cm_end_reason_names[CM_END_REASONS] = {
   [CM_END_UNKNOWN] = "unknown", [CM_END_FRAMEBUFFER] = "framebuffer",
   [CM_END_FRAME] = "frame",     [CM_END_FLUSH] = "flush",
   [CM_END_FINISH] = "finish",   [CM_END_FENCE] = "fence",
   [CM_END_QUERY] = "query",     [CM_END_READ] = "read",
   [CM_END_WRITE] = "write",     [CM_END_COPY] = "copy",
   [CM_END_RESOLVE] = "resolve", [CM_END_BARRIER] = "barrier",
   [CM_END_DRAW] = "draw",       [CM_END_COMPUTE] = "compute",
   [CM_END_MEMORY] = "memory",   [CM_END_SHARED] = "shared",
   [CM_END_CONTEXT] = "context",
};

bool
cm_tile_events_grow(struct cm_tile_events *events, size_t n)
{
   assert(events->num_words <= events->capacity);
   return cm_array_make_room(&events->words, &events->capacity, events->num_words, n, sizeof *events->words);
}

const uint32_t *
cm_event_next_slow(const uint32_t *event)
{
   switch (cm_event_type(*event)) {
   case CM_EVENT_BUFFER: return event + 1 + cm_event_count(*event) * CM_BUFFER_ACCESS_WORDS;
   case CM_EVENT_IMAGE: return event + 1 + cm_event_count(*event) * CM_FOOTPRINT_WORDS;
   case CM_EVENT_GROUP:
   case CM_EVENT_INVOKE: return event + 2;
   case CM_EVENT_REGIONS: return event + 1 + cm_regions_words(*event);
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

const struct cm_attachment *
cm_pass_attachment(const struct cm_pass *pass, unsigned slot)
{
   assert(slot < CM_SLOTS);
   return slot == CM_SLOT_DEPTH     ? &pass->depth
          : slot == CM_SLOT_STENCIL ? &pass->stencil
                                    : &pass->color[slot];
}
