/* SPDX-License-Identifier: MIT */
#include "pass/tbr_pass_events.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "util/bitscan.h"
#include "util/macros.h"
#include "events/tile_content.h"
#include "tile/tbr_pass.h"

static_assert(offsetof(struct tbr_pass_events, tiles) ==
                 offsetof(struct tbr_pass_events, arrays[TBR_DRAW_EVENT_ARRAYS]),
              "those of the draws come first");

void
tbr_pass_events_fini(struct tbr_pass_events *events)
{
   for (unsigned i = 0; i < ARRAY_SIZE(events->arrays); i++)
      util_dynarray_fini(&events->arrays[i]);
   util_dynarray_foreach (&events->contents, struct cm_tile_content, content)
      cm_tile_content_finish(content);
   util_dynarray_fini(&events->contents);
}

void
tbr_pass_events_drop_draws(struct tbr_pass_events *events)
{
   for (unsigned i = 0; i < TBR_DRAW_EVENT_ARRAYS; i++)
      util_dynarray_clear(&events->arrays[i]);
}

void
tbr_pass_events_reset(struct tbr_pass_events *events)
{
   tbr_pass_events_drop_draws(events);
   memset(&events->pass, 0, sizeof events->pass);
}

bool
tbr_pass_events_set_tiles(struct tbr_pass_events *events, uint32_t num_tiles)
{
   if (!util_dynarray_resize(&events->touched, bool, num_tiles) ||
       !util_dynarray_resize(&events->tiles, struct cm_tile_events, num_tiles))
      return false;
   memset(events->touched.data, 0, events->touched.size);
   memset(events->tiles.data, 0, events->tiles.size);
   return true;
}

struct cm_attachment *
tbr_pass_events_attachment(struct tbr_pass_events *events, enum tbr_attachment_number i)
{
   struct cm_pass *pass = &events->pass;
   return i == TBR_DEPTH ? &pass->depth : i == TBR_STENCIL ? &pass->stencil : &pass->color[i - TBR_COLOR0];
}

bool
tbr_pass_events_number_primitives(struct tbr_pass_events *events, const uint32_t *first_blocks,
                                  uint32_t num_blocks)
{
   if (!util_dynarray_resize(&events->primitive_numbers, uint32_t, num_blocks))
      return num_blocks == 0;
   uint32_t *numbers = events->primitive_numbers.data;
   const uint32_t count = util_dynarray_num_elements(&events->primitives, struct cm_primitive);
   for (uint32_t i = 0; i < count; i++) {
      assert(first_blocks[i] < num_blocks);
      numbers[first_blocks[i]] = i;
   }
   return true;
}

void
tbr_pass_events_complete(struct tbr_pass_events *events, const struct tbr_pass *pass)
{
   struct cm_pass *described = &events->pass;
   described->kind = pass->keep_hidden ? CM_PASS_FULL : pass->deferred ? CM_PASS_TBDR : CM_PASS_TBR;
   described->width = pass->width;
   described->height = pass->height;
   described->tile_size = pass->tile_size;
   described->tiles_x = pass->tiles_x;
   described->tiles_y = pass->tiles_y;
   described->layer_tiles_y = pass->layer_tiles_y;
   u_foreach_bit (i, pass->attached) {
      struct cm_attachment *event = tbr_pass_events_attachment(events, i);
      event->load = pass->attachment[i].load;
      event->store = pass->attachment[i].store;
      event->clear = pass->attachment[i].clear;
   }
/** A member of the pass and how many it has. */
#define COMPLETE(member)                    \
   described->member = events->member.data; \
   described->num_##member = events->member.size / sizeof *described->member
   COMPLETE(draws);
   COMPLETE(storages);
   COMPLETE(addressed);
   COMPLETE(descriptors);
   COMPLETE(vertices);
   COMPLETE(feedback);
   COMPLETE(vertex_bindings);
   COMPLETE(vertex_accesses);
   COMPLETE(region_runs);
   COMPLETE(primitives);
   COMPLETE(primitive_tiles);
#undef COMPLETE
   described->tiles = events->tiles.data;
   described->touched = events->touched.data;
}
