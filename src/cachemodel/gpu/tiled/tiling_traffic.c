/* SPDX-License-Identifier: MIT */
/* What the Tiling Engine (TCOR II-B, II-C) writes and reads. The Polygon List Builder
 * writes the Parameter Buffer, primitive by primitive: a PMD for each tile it covers, then
 * its attributes. The Tile Fetcher reads a tile's list, PMD by PMD, and after each
 * PMD the primitive's attributes. Accesses only: the bytes that a renderer writes and decodes
 * are its own, in the same layout (tiling/parameter_buffer.h). */
#include <assert.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "tiling/parameter_buffer.h"
#include "util/minmax.h"

/* Where each primitive's attributes begin, how large a PMD has to be, blocks of all attributes. */
static bool
place_attributes(struct cm_gpu *gpu, bool *wide, uint64_t *num_blocks)
{
   const struct cm_pass *pass = gpu->pass;
   if (!cm_array_reserve(&gpu->first_block, pass->num_primitives, sizeof(uint32_t)))
      return false;
   uint32_t *first_block = gpu->first_block.data;
   uint64_t block = 0;
   uint32_t most = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const uint32_t attributes = pass->primitives[p].num_attributes;
      first_block[p] = (uint32_t)block;
      block += attributes;
      most = cm_max(most, attributes);
   }
   *num_blocks = block;
   *wide = cm_pb_needs_wide((uint64_t)pass->tiles_x * pass->tiles_y, block, most);
   return true;
}

/* Sorts the primitives by tile; a stable counting sort keeps draw order. */
static bool
sort_by_tile(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&gpu->tile_begin, (size_t)num_tiles + 1, sizeof(uint64_t)) ||
       !cm_array_reserve(&gpu->tile_primitives, gpu->binned.num_tiles, sizeof(uint32_t)))
      return false;
   uint64_t *begin = gpu->tile_begin.data;
   uint32_t *primitives = gpu->tile_primitives.data;

   for (uint32_t t = 0; t <= num_tiles; t++)
      begin[t] = 0;
   for (uint64_t i = 0; i < gpu->binned.num_tiles; i++)
      begin[gpu->binned.tiles[i]]++;
   uint64_t sum = 0;
   for (uint32_t t = 0; t <= num_tiles; t++) {
      sum += begin[t];
      begin[t] = sum;
   }
   /* Filled from the last primitive to the first, begin[t] comes down to the
    * beginning of the tile's part. */
   for (uint32_t p = pass->num_primitives; p-- > 0;) {
      const struct cm_primitive *primitive = &gpu->binned.primitives[p];
      for (uint32_t i = 0; i < primitive->num_tiles; i++)
         primitives[--begin[gpu->binned.tiles[primitive->first_tile + i]]] = p;
   }
   return true;
}

/* The arrays that a pass' primitives fill in as they are written. */
static bool
reserve_for_writing(struct cm_gpu *gpu, uint64_t num_blocks)
{
   const struct cm_pass *pass = gpu->pass;
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&gpu->pmd_offsets, num_tiles, sizeof(uint64_t)) ||
       !cm_array_reserve(&gpu->opt_numbers, num_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&gpu->last_tiles, num_blocks, sizeof(uint32_t)) ||
       (gpu->attribute_cache &&
        !cm_array_reserve(&gpu->tile_opt_numbers, gpu->binned.num_tiles, sizeof(uint32_t))))
      return false;
   memset(gpu->last_tiles.data, 0, num_blocks * sizeof(uint32_t));
   return true;
}

/* A primitive's PMDs: appended to the lists, written; their OPT numbers are kept for the Tile
 * Fetcher. The traversal positions of the first and the last tile. */
static bool
write_pmds(struct cm_gpu *gpu, uint32_t p, uint32_t *first, uint32_t *last)
{
   assert(p < gpu->pass->num_primitives);
   const struct cm_primitive *primitive = &gpu->binned.primitives[p];
   const uint32_t *tiles = gpu->binned.tiles + primitive->first_tile;
   const uint64_t *begin = gpu->tile_begin.data;
   uint64_t *offsets = gpu->pmd_offsets.data;
   uint32_t *opt_numbers = gpu->attribute_cache ? gpu->opt_numbers.data : NULL;
   uint32_t *tile_opt_numbers = gpu->tile_opt_numbers.data;

   if (!cm_pb_lists_append(gpu->lists, ((const uint32_t *)gpu->first_block.data)[p],
                           primitive->num_attributes, tiles, primitive->num_tiles, offsets, opt_numbers,
                           first, last))
      return false;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      assert(tiles[i] < gpu->pass->tiles_x * gpu->pass->tiles_y);
      cm_gpu_attribute_tile(gpu, tiles[i]);
      gpu->pipeline[CM_PIPELINE_PMDS]++;
      if (opt_numbers)
         tile_opt_numbers[begin[tiles[i]] + cm_pb_lists_length(gpu->lists, tiles[i]) - 1] = opt_numbers[i];
      cm_hierarchy_access_range(&gpu->hierarchy, 0, CM_PB_LISTS_ADDRESS + offsets[i], gpu->pmd_bytes,
                                CM_STREAM_PB_LIST, true);
   }
   return true;
}

/* tile: the position of the next one that reads the primitive (CM_PB_NEVER: none). */
static void
access_attributes(struct cm_gpu *gpu, uint32_t p, uint32_t tile, bool write)
{
   const uint32_t first_block = ((const uint32_t *)gpu->first_block.data)[p];
   const struct cm_tiled_primitive primitive = {
      .id = gpu->config.primitive_buffer.ids == CM_PRIMITIVE_IDS_BLOCKS ? first_block : p,
      .first_block = first_block,
      .num_attributes = gpu->pass->primitives[p].num_attributes,
   };
   const bool whole = gpu->config.parameter_buffer.whole_primitives;
   if (!gpu->attribute_cache)
      cm_hierarchy_access_range(&gpu->hierarchy, 0,
                                CM_PB_ATTRIBUTES_ADDRESS +
                                   (uint64_t)(whole ? p : first_block) * CM_PB_BLOCK_BYTES,
                                (uint64_t)(whole ? 1 : primitive.num_attributes) * CM_PB_BLOCK_BYTES,
                                CM_STREAM_PB_ATTRIBUTE, write);
   else if (write)
      cm_attribute_cache_write(gpu->attribute_cache, &primitive, tile);
   else
      cm_attribute_cache_read(gpu->attribute_cache, &primitive, tile);
}

static bool
write_primitives(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   const uint32_t *first_block = gpu->first_block.data;
   uint32_t *last_tiles = gpu->last_tiles.data;

   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const uint32_t attributes = pass->primitives[p].num_attributes;
      uint32_t first, last;
      cm_gpu_attribute_draw(gpu, pass->primitives[p].draw);
      if (!write_pmds(gpu, p, &first, &last))
         return false;
      cm_gpu_attribute_tile(gpu, CM_NOT_ATTRIBUTED);
      for (uint32_t a = 0; a < attributes; a++)
         last_tiles[first_block[p] + a] = last;
      cm_hierarchy_parameter_buffer_primitive(&gpu->hierarchy, first_block[p], attributes, last);
      access_attributes(gpu, p, first, true);
      cm_timing_binned(gpu->timing, &gpu->binned.primitives[p]);
      gpu->pipeline[CM_PIPELINE_ATTRIBUTES] += attributes;
      gpu->pipeline[CM_PIPELINE_PRIMITIVES]++;
   }
   return true;
}

bool
cm_tiling_build_lists(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   bool wide;
   uint64_t num_blocks;
   cm_pb_lists_destroy(gpu->lists);
   gpu->lists = NULL;
   if (!cm_tiling_bin(gpu) || !place_attributes(gpu, &wide, &num_blocks) || !sort_by_tile(gpu) ||
       !reserve_for_writing(gpu, num_blocks))
      return false;
   gpu->pmd_bytes = cm_pmd_bytes(wide);
   cm_hierarchy_parameter_buffer_begin(&gpu->hierarchy, gpu->config.parameter_buffer.layout,
                                       pass->tiles_x * pass->tiles_y, gpu->last_tiles.data, num_blocks);
   gpu->lists = cm_pb_lists_create(gpu->config.parameter_buffer.layout, wide, pass->tiles_x * pass->tiles_y,
                                   gpu->position.data, false);
   return gpu->lists && write_primitives(gpu);
}

bool
cm_tiling_is_fetched(const struct cm_gpu *gpu, uint32_t tile)
{
   return gpu->pass->touched[tile] || (gpu->config.parameter_buffer.overlap != CM_PB_OVERLAP_EXACT &&
                                       cm_pb_lists_length(gpu->lists, tile) != 0);
}

void
cm_tiling_fetch_tile(struct cm_gpu *gpu, uint32_t tile)
{
   const struct cm_pass *pass = gpu->pass;
   const uint64_t *begin = gpu->tile_begin.data;
   const uint32_t *primitives = (const uint32_t *)gpu->tile_primitives.data + begin[tile];
   const uint32_t count = cm_pb_lists_length(gpu->lists, tile);

   const uint32_t *opt_numbers = gpu->tile_opt_numbers.data;
   struct cm_timing *timing = gpu->timing;

   for (uint32_t n = 0; n < count; n++) {
      assert(primitives[n] < pass->num_primitives);
      const uint32_t p = primitives[n];
      const uint32_t attributes = pass->primitives[p].num_attributes;
      cm_gpu_attribute_draw(gpu, pass->primitives[p].draw);
      cm_timing_group(timing, CM_STREAM_PB_LIST, 1);
      cm_hierarchy_access_range(&gpu->hierarchy, 0,
                                CM_PB_LISTS_ADDRESS + cm_pb_lists_offset(gpu->lists, tile, n), gpu->pmd_bytes,
                                CM_STREAM_PB_LIST, false);
      cm_timing_group(timing, CM_STREAM_PB_ATTRIBUTE, attributes);
      access_attributes(gpu, p, gpu->attribute_cache ? opt_numbers[begin[tile] + n] : CM_PB_NEVER, false);
      cm_timing_fetched(timing, p, &pass->primitives[p]);
   }
}

void
cm_tiling_tile_done(struct cm_gpu *gpu, uint32_t tile)
{
   cm_hierarchy_parameter_buffer_tile_done(&gpu->hierarchy, ((const uint32_t *)gpu->position.data)[tile]);
}

void
cm_tiling_end(struct cm_gpu *gpu)
{
   const enum cm_pass_end pass_end = gpu->config.parameter_buffer.pass_end;
   if (pass_end != CM_PASS_END_KEEP)
      cm_hierarchy_empty_tile_caches(&gpu->hierarchy, pass_end == CM_PASS_END_WRITE_BACK);
   if (gpu->attribute_cache)
      cm_attribute_cache_end_pass(gpu->attribute_cache, pass_end == CM_PASS_END_WRITE_BACK);
   cm_hierarchy_parameter_buffer_end(&gpu->hierarchy);
}
