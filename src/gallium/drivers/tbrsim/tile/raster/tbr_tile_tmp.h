/* SPDX-License-Identifier: MIT */
/* A tile from first to last. */
#include "tile/tbr_tile.h"

static void
render_tile(struct tbr_tile_thread *thread, const struct tbr_pass *pass, uint32_t tile,
            struct cm_tile_events *events)
{
   assert(thread->pass == pass && tile < pass->tiles_x * pass->tiles_y);
   assert(!thread->queue.count && !thread->has_visible && !thread->num_primitives);
   thread->tile = tile;
   thread->tile_x = tile % pass->tiles_x * pass->tile_size;
   thread->tile_y = tile / pass->tiles_x % pass->layer_tiles_y * pass->tile_size;
   thread->layer = tile / pass->tiles_x / pass->layer_tiles_y;
   thread->width = MIN2(pass->width - thread->tile_x, pass->tile_size);
   thread->height = MIN2(pass->height - thread->tile_y, pass->tile_size);
   thread->texture.events = events;
   thread->flushed_words = 0;
   thread->texture.live = 0;
   thread->texture.generation++;
   thread->plan.draw = UINT32_MAX;

   thread->dump = tile == pass->dumped_tile ? pass->dump : NULL;

   load_tile(thread);
   if (unlikely(thread->dump))
      tbr_tile_dump_load(thread);
   fetch_primitives(thread);
   flush_visibility(thread);
   discard_primitives(thread);
   flush_tile(thread);
   if (unlikely(thread->dump))
      tbr_tile_dump_store(thread);
}
