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
#include "gpu/tiled/elimination.h"
#include "gpu/tiled/stages.h"
#include "tiling/parameter_buffer.h"
#include "util/minmax.h"

/* ---- binning ---------------------------------------------------------------- */

/* The smallest rectangle of tiles that has a primitive's. */
static struct cm_rectangle
box_of(const struct cm_pass *pass, const struct cm_primitive *primitive)
{
   const uint32_t *tiles = pass->primitive_tiles + primitive->first_tile;
   struct cm_rectangle box = {UINT32_MAX, UINT32_MAX, 0, 0};
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      const uint32_t x = tiles[i] % pass->tiles_x, y = tiles[i] / pass->tiles_x;
      box = (struct cm_rectangle){cm_min(box.x0, x), cm_min(box.y0, y), cm_max(box.x1, x + 1),
                                  cm_max(box.y1, y + 1)};
   }
   assert(box.x0 < box.x1 && box.y0 < box.y1);
   return box;
}

static bool
bin_boxes(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   uint64_t count = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_rectangle box = box_of(pass, &pass->primitives[p]);
      count += (box.x1 - box.x0) * (box.y1 - box.y0);
   }
   if (!cm_array_reserve(&tiling->boxed_primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&tiling->boxed_tiles, count, sizeof(uint32_t)))
      return false;
   struct cm_primitive *primitives = tiling->boxed_primitives.data;
   uint32_t *tiles = tiling->boxed_tiles.data;
   uint64_t next = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_rectangle box = box_of(pass, &pass->primitives[p]);
      primitives[p] = pass->primitives[p];
      primitives[p].first_tile = next;
      primitives[p].num_tiles = (box.x1 - box.x0) * (box.y1 - box.y0);
      for (uint32_t y = box.y0; y < box.y1; y++) {
         for (uint32_t x = box.x0; x < box.x1; x++)
            tiles[next++] = y * pass->tiles_x + x;
      }
   }
   assert(next == count);
   tiling->binned = (struct cm_binned){primitives, tiles, count};
   return true;
}

/* The tiles that primitives are binned into: those of the event stream, which they overlap exactly, or all of the smallest
 * rectangle that has these. False when out of memory. */
static bool
bin(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   tiling->binned = (struct cm_binned){pass->primitives, pass->primitive_tiles, pass->num_primitive_tiles};
   return tiling->gpu->config.parameter_buffer.overlap == CM_PB_OVERLAP_EXACT || bin_boxes(tiling);
}

/* ---- the Polygon List Builder ------------------------------------------------- */

/* Where each primitive's attributes begin, how large a PMD has to be, blocks of all attributes. */
static bool
place_attributes(struct cm_tiling_stage *tiling, bool *wide, uint64_t *num_blocks)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   if (!cm_array_reserve(&tiling->first_block, pass->num_primitives, sizeof(uint32_t)))
      return false;
   uint32_t *first_block = tiling->first_block.data;
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
sort_by_tile(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&tiling->tile_begin, (size_t)num_tiles + 1, sizeof(uint64_t)) ||
       !cm_array_reserve(&tiling->tile_primitives, tiling->binned.num_tiles, sizeof(uint32_t)))
      return false;
   uint64_t *begin = tiling->tile_begin.data;
   uint32_t *primitives = tiling->tile_primitives.data;

   for (uint32_t t = 0; t <= num_tiles; t++)
      begin[t] = 0;
   for (uint64_t i = 0; i < tiling->binned.num_tiles; i++)
      begin[tiling->binned.tiles[i]]++;
   uint64_t sum = 0;
   for (uint32_t t = 0; t <= num_tiles; t++) {
      sum += begin[t];
      begin[t] = sum;
   }
   /* Filled from the last primitive to the first, begin[t] comes down to the
    * beginning of the tile's part. */
   for (uint32_t p = pass->num_primitives; p-- > 0;) {
      const struct cm_primitive *primitive = &tiling->binned.primitives[p];
      for (uint32_t i = 0; i < primitive->num_tiles; i++)
         primitives[--begin[tiling->binned.tiles[primitive->first_tile + i]]] = p;
   }
   return true;
}

/* The arrays that a pass' primitives fill in as they are written. */
static bool
reserve_for_writing(struct cm_tiling_stage *tiling, uint64_t num_blocks)
{
   const struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   if (!cm_array_reserve(&tiling->pmd_offsets, num_tiles, sizeof(uint64_t)) ||
       !cm_array_reserve(&tiling->opt_numbers, num_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&tiling->last_tiles, num_blocks, sizeof(uint32_t)) ||
       (gpu->attribute_cache &&
        !cm_array_reserve(&tiling->tile_opt_numbers, tiling->binned.num_tiles, sizeof(uint32_t))))
      return false;
   memset(tiling->last_tiles.data, 0, num_blocks * sizeof(uint32_t));
   return true;
}

/* A primitive's PMDs: appended to the lists, written; their OPT numbers are kept for the Tile
 * Fetcher. The traversal positions of the first and the last tile. */
static bool
write_pmds(struct cm_tiling_stage *tiling, uint32_t p, uint32_t *first, uint32_t *last)
{
   struct cm_gpu *gpu = tiling->gpu;
   assert(p < gpu->pass->num_primitives);
   const struct cm_primitive *primitive = &tiling->binned.primitives[p];
   const uint32_t *tiles = tiling->binned.tiles + primitive->first_tile;
   const uint64_t *begin = tiling->tile_begin.data;
   uint64_t *offsets = tiling->pmd_offsets.data;
   uint32_t *opt_numbers = gpu->attribute_cache ? tiling->opt_numbers.data : NULL;
   uint32_t *tile_opt_numbers = tiling->tile_opt_numbers.data;

   if (!cm_pb_lists_append(tiling->lists, ((const uint32_t *)tiling->first_block.data)[p],
                           primitive->num_attributes, tiles, primitive->num_tiles, offsets, opt_numbers,
                           first, last))
      return false;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      assert(tiles[i] < gpu->pass->tiles_x * gpu->pass->tiles_y);
      cm_gpu_attribute_tile(gpu, tiles[i]);
      gpu->pipeline[CM_PIPELINE_PMDS]++;
      if (opt_numbers)
         tile_opt_numbers[begin[tiles[i]] + cm_pb_lists_length(tiling->lists, tiles[i]) - 1] = opt_numbers[i];
      cm_hierarchy_access_range(&gpu->hierarchy, 0, CM_PB_LISTS_ADDRESS + offsets[i], tiling->pmd_bytes,
                                CM_STREAM_PB_LIST, true);
   }
   return true;
}

static bool
has_vertex_outputs(const struct cm_tiling_stage *tiling)
{
   return tiling->gpu->config.parameter_buffer.attributes != CM_PB_ATTRIBUTES_PRIMITIVES;
}

/* Whether tiles shade the vertices of their primitives: there is nothing but lists. */
static bool
shades_by_tile(const struct cm_tiling_stage *tiling)
{
   return cm_config_shades_by_tile(&tiling->gpu->config);
}

/* Whether there are attributes by primitive. */
static bool
has_blocks(const struct cm_tiling_stage *tiling)
{
   return !has_vertex_outputs(tiling) && !shades_by_tile(tiling);
}

/* tile: the position of the next one that reads the primitive (CM_PB_NEVER: none). */
static void
access_attributes(struct cm_tiling_stage *tiling, uint32_t p, uint32_t tile, bool write)
{
   struct cm_gpu *gpu = tiling->gpu;
   if (has_vertex_outputs(tiling)) {
      assert(!gpu->attribute_cache);
      if (write)
         cm_vertex_outputs_write(&tiling->outputs, p);
      else
         cm_vertex_outputs_read(&tiling->outputs, p);
      return;
   }
   const uint32_t first_block = ((const uint32_t *)tiling->first_block.data)[p];
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
write_primitives(struct cm_tiling_stage *tiling)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   const uint32_t *first_block = tiling->first_block.data;
   uint32_t *last_tiles = tiling->last_tiles.data;

   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const uint32_t attributes = pass->primitives[p].num_attributes;
      uint32_t first, last;
      cm_gpu_attribute_draw(gpu, pass->primitives[p].draw);
      if (tiling->elimination->skips)
         cm_elimination_sign(tiling->elimination, &tiling->binned.primitives[p], tiling->binned.tiles);
      if (!write_pmds(tiling, p, &first, &last))
         return false;
      cm_gpu_attribute_tile(gpu, CM_NOT_ATTRIBUTED);
      for (uint32_t a = 0; a < attributes; a++)
         last_tiles[first_block[p] + a] = last;
      if (has_blocks(tiling))
         cm_hierarchy_parameter_buffer_primitive(&gpu->hierarchy, first_block[p], attributes, last);
      if (!shades_by_tile(tiling)) {
         access_attributes(tiling, p, first, true);
         gpu->pipeline[CM_PIPELINE_ATTRIBUTES] += attributes;
      }
      cm_timing_binned(gpu->timing, &tiling->binned.primitives[p]);
      gpu->pipeline[CM_PIPELINE_PRIMITIVES]++;
   }
   return true;
}

bool
cm_tiling_build_lists(struct cm_tiling_stage *tiling)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   bool wide;
   uint64_t num_blocks;
   cm_pb_lists_destroy(tiling->lists);
   tiling->lists = NULL;
   if (!bin(tiling) || !place_attributes(tiling, &wide, &num_blocks) || !sort_by_tile(tiling) ||
       !reserve_for_writing(tiling, num_blocks) ||
       (has_vertex_outputs(tiling) &&
        !cm_vertex_outputs_begin(&tiling->outputs, gpu, tiling->geometry->shaded.data)))
      return false;
   tiling->pmd_bytes = cm_pmd_bytes(wide);
   cm_hierarchy_parameter_buffer_begin(&gpu->hierarchy, gpu->config.parameter_buffer.layout,
                                       pass->tiles_x * pass->tiles_y, tiling->last_tiles.data,
                                       has_blocks(tiling) ? num_blocks : 0);
   tiling->lists = cm_pb_lists_create(gpu->config.parameter_buffer.layout, wide,
                                      pass->tiles_x * pass->tiles_y, gpu->positions, false);
   return tiling->lists && write_primitives(tiling);
}

/* ---- the Tile Fetcher --------------------------------------------------------- */

bool
cm_tiling_is_fetched(const struct cm_tiling_stage *tiling, uint32_t tile)
{
   const struct cm_gpu *gpu = tiling->gpu;
   return gpu->pass->touched[tile] || (gpu->config.parameter_buffer.overlap != CM_PB_OVERLAP_EXACT &&
                                       cm_pb_lists_length(tiling->lists, tile) != 0);
}

void
cm_tiling_fetch_tile(struct cm_tiling_stage *tiling, uint32_t tile)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   const uint64_t *begin = tiling->tile_begin.data;
   const uint32_t *primitives = (const uint32_t *)tiling->tile_primitives.data + begin[tile];
   const uint32_t count = cm_pb_lists_length(tiling->lists, tile);

   const uint32_t *opt_numbers = tiling->tile_opt_numbers.data;
   struct cm_timing *timing = gpu->timing;

   if (shades_by_tile(tiling))
      cm_geometry_tile(tiling->geometry, gpu->positions[tile] % gpu->config.fragment_stage.processors);
   for (uint32_t n = 0; n < count; n++) {
      assert(primitives[n] < pass->num_primitives);
      const uint32_t p = primitives[n];
      const uint32_t attributes = pass->primitives[p].num_attributes;
      cm_gpu_attribute_draw(gpu, pass->primitives[p].draw);
      cm_timing_group(timing, CM_STREAM_PB_LIST, 1);
      cm_hierarchy_access_range(&gpu->hierarchy, 0,
                                CM_PB_LISTS_ADDRESS + cm_pb_lists_offset(tiling->lists, tile, n),
                                tiling->pmd_bytes, CM_STREAM_PB_LIST, false);
      if (shades_by_tile(tiling)) {
         cm_timing_fetched(timing, p, &pass->primitives[p]);
         cm_geometry_tile_primitive(tiling->geometry, p);
         continue;
      }
      cm_timing_group(timing, CM_STREAM_PB_ATTRIBUTE, attributes);
      access_attributes(tiling, p, gpu->attribute_cache ? opt_numbers[begin[tile] + n] : CM_PB_NEVER, false);
      cm_timing_fetched(timing, p, &pass->primitives[p]);
   }
}

void
cm_tiling_tile_done(struct cm_tiling_stage *tiling, uint32_t tile)
{
   struct cm_gpu *gpu = tiling->gpu;
   cm_hierarchy_parameter_buffer_tile_done(&gpu->hierarchy, gpu->positions[tile]);
}

void
cm_tiling_end(struct cm_tiling_stage *tiling)
{
   struct cm_gpu *gpu = tiling->gpu;
   const enum cm_pass_end pass_end = gpu->config.parameter_buffer.pass_end;
   if (pass_end != CM_PASS_END_KEEP)
      cm_hierarchy_empty_tile_caches(&gpu->hierarchy, pass_end == CM_PASS_END_WRITE_BACK);
   if (gpu->attribute_cache)
      cm_attribute_cache_end_pass(gpu->attribute_cache, pass_end == CM_PASS_END_WRITE_BACK);
   cm_hierarchy_parameter_buffer_end(&gpu->hierarchy);
}

void
cm_tiling_finish(struct cm_tiling_stage *tiling)
{
   CM_FREE_ARRAYS(&tiling->boxed_primitives, &tiling->boxed_tiles, &tiling->first_block, &tiling->tile_begin,
                  &tiling->tile_primitives, &tiling->pmd_offsets, &tiling->last_tiles, &tiling->opt_numbers,
                  &tiling->tile_opt_numbers);
   cm_vertex_outputs_finish(&tiling->outputs);
   cm_pb_lists_destroy(tiling->lists);
}
