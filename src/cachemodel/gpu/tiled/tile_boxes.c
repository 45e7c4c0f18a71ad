/* SPDX-License-Identifier: MIT */
/* The tiles that primitives are binned into: those of the event stream, which they overlap exactly, or all of the
 * smallest rectangle that has these. */
#include <assert.h>

#include "gpu/gpu_internal.h"
#include "util/minmax.h"

struct tile_box {
   uint32_t x0, y0, x1, y1; /* x1, y1 inclusive */
};

static struct tile_box
box_of(const struct cm_pass *pass, const struct cm_primitive *primitive)
{
   const uint32_t *tiles = pass->primitive_tiles + primitive->first_tile;
   struct tile_box box = {UINT32_MAX, UINT32_MAX, 0, 0};
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      const uint32_t x = tiles[i] % pass->tiles_x, y = tiles[i] / pass->tiles_x;
      box = (struct tile_box){cm_min(box.x0, x), cm_min(box.y0, y), cm_max(box.x1, x), cm_max(box.y1, y)};
   }
   return box;
}

static uint32_t
box_tiles(struct tile_box box)
{
   assert(box.x0 <= box.x1 && box.y0 <= box.y1);
   return (box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1);
}

static bool
bin_boxes(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   uint64_t count = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++)
      count += box_tiles(box_of(pass, &pass->primitives[p]));
   if (!cm_array_reserve(&gpu->boxed_primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&gpu->boxed_tiles, count, sizeof(uint32_t)))
      return false;
   struct cm_primitive *primitives = gpu->boxed_primitives.data;
   uint32_t *tiles = gpu->boxed_tiles.data;
   uint64_t next = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct tile_box box = box_of(pass, &pass->primitives[p]);
      primitives[p] = pass->primitives[p];
      primitives[p].first_tile = next;
      primitives[p].num_tiles = box_tiles(box);
      for (uint32_t y = box.y0; y <= box.y1; y++) {
         for (uint32_t x = box.x0; x <= box.x1; x++)
            tiles[next++] = y * pass->tiles_x + x;
      }
   }
   assert(next == count);
   gpu->binned = (struct cm_binned){primitives, tiles, count};
   return true;
}

bool
cm_tiling_bin(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   gpu->binned = (struct cm_binned){pass->primitives, pass->primitive_tiles, pass->num_primitive_tiles};
   return gpu->config.parameter_buffer.overlap == CM_PB_OVERLAP_EXACT || bin_boxes(gpu);
}
