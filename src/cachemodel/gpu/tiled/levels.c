/* SPDX-License-Identifier: MIT */
/* Hierarchical lists (docs/parameter-buffer.md). The Polygon List Builder writes a primitive into the lists of bins of one level.
 * The Tile Fetcher reads, for each tile, the lists of all bins that contain it, merged in draw order, and drops the entries of
 * primitives that were not binned into the tile. */
#include <assert.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/tiling_internal.h"
#include "tiling/parameter_buffer.h"
#include "util/minmax.h"

/** parameter_buffer.level_lists where there is no such key: lists of 2x2 bins. */
#define USUAL_LEVEL_LISTS 4

/* ---- the Polygon List Builder ------------------------------------------------- */

static bool
reserve(struct cm_tiling_stage *tiling)
{
   const uint32_t num_primitives = tiling->gpu->pass->num_primitives;
   return cm_array_reserve(&tiling->listed_primitives, num_primitives, sizeof(struct cm_primitive)) &&
          cm_array_reserve(&tiling->listed_lists, tiling->binned.num_tiles, sizeof(uint32_t)) &&
          cm_array_reserve(&tiling->primitive_levels, num_primitives, sizeof(uint8_t)) &&
          cm_array_reserve(&tiling->list_seen, tiling->num_lists, sizeof(uint32_t)) &&
          cm_array_reserve(&tiling->list_positions, tiling->num_lists, sizeof(uint32_t));
}

/* Lists a primitive, whose lists' numbers go from lists on. Returns how many there are. */
static uint32_t
list_primitive(struct cm_tiling_stage *tiling, uint32_t p, uint32_t most, uint32_t *lists)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   const struct cm_primitive *primitive = &tiling->binned.primitives[p];
   const uint32_t *tiles = tiling->binned.tiles + primitive->first_tile;
   const uint32_t number =
      cm_tile_levels_find(&tiling->levels, cm_tiling_box(pass, &pass->primitives[p]), most);
   uint32_t *seen = tiling->list_seen.data;
   uint32_t count = 0;
   ((uint8_t *)tiling->primitive_levels.data)[p] = (uint8_t)number;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      const uint32_t list =
         cm_tile_levels_list(&tiling->levels, number, tiles[i] % pass->tiles_x, tiles[i] / pass->tiles_x);
      if (seen[list] == p + 1)
         continue;
      seen[list] = p + 1;
      lists[count++] = list;
   }
   return count;
}

bool
cm_tiling_choose_levels(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   const uint32_t most = tiling->gpu->config.parameter_buffer.level_lists;
   cm_tile_levels_init(&tiling->levels, tiling->gpu->config.parameter_buffer.levels, pass->tiles_x,
                       pass->layer_tiles_y);
   tiling->num_lists = tiling->levels.layer_lists * (pass->tiles_y / pass->layer_tiles_y);
   if (!reserve(tiling))
      return false;
   struct cm_primitive *primitives = tiling->listed_primitives.data;
   uint32_t *lists = tiling->listed_lists.data, *positions = tiling->list_positions.data;
   uint64_t next = 0;
   memset(tiling->list_seen.data, 0, tiling->num_lists * sizeof(uint32_t));
   for (uint32_t l = 0; l < tiling->num_lists; l++)
      positions[l] = l;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      primitives[p] = pass->primitives[p];
      primitives[p].first_tile = next;
      primitives[p].num_tiles = list_primitive(tiling, p, most ? most : USUAL_LEVEL_LISTS, lists + next);
      next += primitives[p].num_tiles;
   }
   tiling->listed = (struct cm_binned){primitives, lists, next};
   tiling->positions = positions;
   return cm_tiling_sort(&tiling->listed, pass->num_primitives, tiling->num_lists, &tiling->list_begin,
                         &tiling->list_primitives);
}

/* ---- the Tile Fetcher --------------------------------------------------------- */

/* Where it is in a list. */
struct cursor {
   uint32_t list;
   uint32_t next, count;       /* entries */
   const uint32_t *primitives; /* of the list */
};

/* The first entry from cursor->next on that is not of a primitive before p. The next one is the likeliest. */
static uint32_t
find(const struct cursor *cursor, uint32_t p)
{
   uint32_t begin = cursor->next, step = 1;
   while (begin < cursor->count && step <= cursor->count - begin &&
          cursor->primitives[begin + step - 1] < p) {
      begin += step;
      step *= 2;
   }
   uint32_t end = cm_min(cursor->count, begin + step - 1);
   while (begin < end) {
      const uint32_t middle = begin + (end - begin) / 2;
      if (cursor->primitives[middle] < p)
         begin = middle + 1;
      else
         end = middle;
   }
   return begin;
}

/* Reads the entries of primitives before p, which are not the tile's: those of one block with one access. */
static void
drop(struct cm_tiling_stage *tiling, struct cursor *cursor, uint32_t p)
{
   struct cm_gpu *gpu = tiling->gpu;
   const uint32_t of_block = CM_PB_BLOCK_BYTES / tiling->pmd_bytes;
   const uint32_t rate = cm_max(1, gpu->config.pipeline.list_entries);
   const uint32_t first = cursor->next, end = find(cursor, p);
   uint32_t cycles = 0;
   if (first == end)
      return;
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_timing_group(gpu->timing, CM_STREAM_PB_LIST, (end - 1) / of_block - first / of_block + 1);
   for (uint32_t n = first; n < end;) {
      const uint32_t count = cm_min(end - n, of_block - n % of_block);
      cm_hierarchy_access_range(&gpu->hierarchy, 0,
                                CM_PB_LISTS_ADDRESS + tiling->buffer +
                                   cm_pb_lists_offset(tiling->lists, cursor->list, n),
                                (uint64_t)count * tiling->pmd_bytes, CM_STREAM_PB_LIST, false);
      cycles += (count + rate - 1) / rate;
      n += count;
   }
   cm_timing_dropped(gpu->timing, cycles);
   gpu->pipeline[CM_PIPELINE_ENTRIES_READ] += end - first;
   gpu->pipeline[CM_PIPELINE_ENTRIES_DROPPED] += end - first;
   cursor->next = end;
}

static void
drop_before(struct cm_tiling_stage *tiling, struct cursor *cursors, uint32_t p)
{
   for (uint32_t l = 0; l < tiling->levels.count; l++)
      drop(tiling, &cursors[l], p);
}

/* A primitive of the tile, whose entry is a list's next one. */
static void
read_primitive(struct cm_tiling_stage *tiling, struct cursor *cursor, uint32_t p)
{
   assert(cursor->next < cursor->count && cursor->primitives[cursor->next] == p);
   cm_tiling_read(tiling, p, cursor->list, cursor->next++, CM_PB_NEVER);
   tiling->gpu->pipeline[CM_PIPELINE_ENTRIES_READ]++;
}

void
cm_tiling_fetch_levels(struct cm_tiling_stage *tiling, uint32_t tile)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   const uint64_t *begin = tiling->tile_begin.data, *list_begin = tiling->list_begin.data;
   const uint32_t *primitives = tiling->tile_primitives.data, *listed = tiling->list_primitives.data;
   const uint8_t *levels = tiling->primitive_levels.data;
   struct cursor cursors[CM_MOST_TILE_LEVELS];

   for (uint32_t l = 0; l < tiling->levels.count; l++) {
      const uint32_t list =
         cm_tile_levels_list(&tiling->levels, l, tile % pass->tiles_x, tile / pass->tiles_x);
      cursors[l] = (struct cursor){
         .list = list,
         .count = cm_pb_lists_length(tiling->lists, list),
         .primitives = listed + list_begin[list],
      };
      assert(cursors[l].count == list_begin[list + 1] - list_begin[list]);
   }
   for (uint64_t i = begin[tile]; i < begin[tile + 1]; i++) {
      assert(primitives[i] < pass->num_primitives);
      drop_before(tiling, cursors, primitives[i]);
      read_primitive(tiling, &cursors[levels[primitives[i]]], primitives[i]);
   }
   drop_before(tiling, cursors, pass->num_primitives);
   for (uint32_t l = 0; l < tiling->levels.count; l++)
      assert(cursors[l].next == cursors[l].count);
}
