/* SPDX-License-Identifier: MIT */
/* What the Tiling Engine (TCOR II-B, II-C) writes and reads. The Polygon List Builder
 * writes the Parameter Buffer, primitive by primitive: a PMD for each tile it covers, then
 * its attributes. The Tile Fetcher reads a tile's list, PMD by PMD, and after each
 * PMD the primitive's attributes. Accesses only: the bytes that a renderer writes and decodes
 * are its own, in the same layout (tiling/parameter_buffer.h). levels.c has what differs where
 * lists are hierarchical. */
#include <assert.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/elimination.h"
#include "gpu/tiled/tiling_internal.h"
#include "tiling/parameter_buffer.h"
#include "util/minmax.h"

/* ---- binning ---------------------------------------------------------------- */

struct cm_tile_box
cm_tiling_box(const struct cm_pass *pass, const struct cm_primitive *primitive)
{
   const uint32_t *tiles = pass->primitive_tiles + primitive->first_tile;
   struct cm_tile_box box = {UINT32_MAX, UINT32_MAX, 0, 0};
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      const uint32_t x = tiles[i] % pass->tiles_x, y = tiles[i] / pass->tiles_x;
      box = (struct cm_tile_box){cm_min(box.x0, x), cm_min(box.y0, y), cm_max(box.x1, x), cm_max(box.y1, y)};
   }
   assert(box.x0 <= box.x1 && box.y0 <= box.y1);
   return box;
}

static uint32_t
tiles_of_box(struct cm_tile_box box)
{
   return (box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1);
}

static bool
bin_boxes(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   uint64_t count = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++)
      count += tiles_of_box(cm_tiling_box(pass, &pass->primitives[p]));
   if (!cm_array_reserve(&tiling->boxed_primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&tiling->boxed_tiles, count, sizeof(uint32_t)))
      return false;
   struct cm_primitive *primitives = tiling->boxed_primitives.data;
   uint32_t *tiles = tiling->boxed_tiles.data;
   uint64_t next = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_tile_box box = cm_tiling_box(pass, &pass->primitives[p]);
      primitives[p] = pass->primitives[p];
      primitives[p].first_tile = next;
      primitives[p].num_tiles = tiles_of_box(box);
      for (uint32_t y = box.y0; y <= box.y1; y++) {
         for (uint32_t x = box.x0; x <= box.x1; x++)
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
   *wide = cm_pb_needs_wide(tiling->num_lists, block, most);
   return true;
}

bool
cm_tiling_sort(const struct cm_binned *binned, uint32_t num_primitives, uint32_t num_lists,
               struct cm_array *list_begin, struct cm_array *list_primitives)
{
   if (!cm_array_reserve(list_begin, (size_t)num_lists + 1, sizeof(uint64_t)) ||
       !cm_array_reserve(list_primitives, binned->num_tiles, sizeof(uint32_t)))
      return false;
   uint64_t *begin = list_begin->data;
   uint32_t *primitives = list_primitives->data;

   for (uint32_t t = 0; t <= num_lists; t++)
      begin[t] = 0;
   for (uint64_t i = 0; i < binned->num_tiles; i++)
      begin[binned->tiles[i]]++;
   uint64_t sum = 0;
   for (uint32_t t = 0; t <= num_lists; t++) {
      sum += begin[t];
      begin[t] = sum;
   }
   /* Filled from the last primitive to the first, begin[t] comes down to the
    * beginning of the list's part. */
   for (uint32_t p = num_primitives; p-- > 0;) {
      const struct cm_primitive *primitive = &binned->primitives[p];
      for (uint32_t i = 0; i < primitive->num_tiles; i++)
         primitives[--begin[binned->tiles[primitive->first_tile + i]]] = p;
   }
   return true;
}

/* The lists that the primitives are written into: flat ones are those of their tiles. */
static bool
choose_lists(struct cm_tiling_stage *tiling)
{
   const struct cm_pass *pass = tiling->gpu->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   tiling->levels.count = 0;
   tiling->listed = tiling->binned;
   tiling->num_lists = num_tiles;
   tiling->positions = tiling->gpu->positions;
   return cm_tiling_sort(&tiling->binned, pass->num_primitives, num_tiles, &tiling->tile_begin,
                         &tiling->tile_primitives) &&
          (!tiling->gpu->config.parameter_buffer.levels || cm_tiling_choose_levels(tiling));
}

/* The arrays that a pass' primitives fill in as they are written. */
static bool
reserve_for_writing(struct cm_tiling_stage *tiling, uint64_t num_blocks)
{
   const struct cm_gpu *gpu = tiling->gpu;
   if (!cm_array_reserve(&tiling->pmd_offsets, tiling->num_lists, sizeof(uint64_t)) ||
       !cm_array_reserve(&tiling->opt_numbers, tiling->num_lists, sizeof(uint32_t)) ||
       !cm_array_reserve(&tiling->last_tiles, num_blocks, sizeof(uint32_t)) ||
       (gpu->attribute_cache &&
        !cm_array_reserve(&tiling->tile_opt_numbers, tiling->binned.num_tiles, sizeof(uint32_t))))
      return false;
   memset(tiling->last_tiles.data, 0, num_blocks * sizeof(uint32_t));
   return true;
}

/* A primitive's PMDs: appended to the lists, written; their OPT numbers are kept for the Tile
 * Fetcher. The traversal positions of the first and the last tile; of hierarchical lists, on which nothing depends that reads
 * them (config check), of the lists. */
static bool
write_pmds(struct cm_tiling_stage *tiling, uint32_t p, uint32_t *first, uint32_t *last)
{
   struct cm_gpu *gpu = tiling->gpu;
   assert(p < gpu->pass->num_primitives);
   const struct cm_primitive *primitive = &tiling->listed.primitives[p];
   const uint32_t *lists = tiling->listed.tiles + primitive->first_tile;
   const uint64_t *begin = tiling->tile_begin.data;
   uint64_t *offsets = tiling->pmd_offsets.data;
   uint32_t *opt_numbers = gpu->attribute_cache ? tiling->opt_numbers.data : NULL;
   uint32_t *tile_opt_numbers = tiling->tile_opt_numbers.data;

   if (!cm_pb_lists_append(tiling->lists, ((const uint32_t *)tiling->first_block.data)[p],
                           primitive->num_attributes, lists, primitive->num_tiles, offsets, opt_numbers,
                           first, last))
      return false;
   for (uint32_t i = 0; i < primitive->num_tiles; i++) {
      assert(lists[i] < tiling->num_lists);
      cm_gpu_attribute_tile(gpu, tiling->levels.count ? CM_NOT_ATTRIBUTED : lists[i]);
      gpu->pipeline[CM_PIPELINE_PMDS]++;
      if (opt_numbers)
         tile_opt_numbers[begin[lists[i]] + cm_pb_lists_length(tiling->lists, lists[i]) - 1] = opt_numbers[i];
      cm_hierarchy_access_range(&gpu->hierarchy, 0, CM_PB_LISTS_ADDRESS + tiling->buffer + offsets[i],
                                tiling->pmd_bytes, CM_STREAM_PB_LIST, true);
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

/* Attributes in a cache of blocks: each of them is in a block of its own, which it may not fill (TCOR II-B). */
static void
access_blocks(struct cm_tiling_stage *tiling, uint64_t first_block, uint32_t count, bool write)
{
   struct cm_gpu *gpu = tiling->gpu;
   const uint32_t bytes = gpu->config.parameter_buffer.attribute_bytes;
   const uint64_t address = CM_PB_ATTRIBUTES_ADDRESS + tiling->buffer + first_block * CM_PB_BLOCK_BYTES;
   if (!bytes || bytes == CM_PB_BLOCK_BYTES) {
      cm_hierarchy_access_range(&gpu->hierarchy, 0, address, (uint64_t)count * CM_PB_BLOCK_BYTES,
                                CM_STREAM_PB_ATTRIBUTE, write);
      return;
   }
   for (uint32_t a = 0; a < count; a++)
      cm_hierarchy_access_range(&gpu->hierarchy, 0, address + (uint64_t)a * CM_PB_BLOCK_BYTES, bytes,
                                CM_STREAM_PB_ATTRIBUTE, write);
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
      access_blocks(tiling, whole ? p : first_block, whole ? 1 : primitive.num_attributes, write);
   else if (write)
      cm_attribute_cache_write(gpu->attribute_cache, &primitive, tile);
   else
      cm_attribute_cache_read(gpu->attribute_cache, &primitive, tile);
}

/* Whether units may ask until when blocks are read: where passes do not overlap. */
static bool
has_lives(const struct cm_tiling_stage *tiling)
{
   return tiling->gpu->config.parameter_buffer.written == CM_PB_BEFORE_TILES;
}

bool
cm_tiling_write(struct cm_tiling_stage *tiling, uint32_t first_primitive, uint32_t end)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   assert(end <= pass->num_primitives);
   const uint32_t *first_block = tiling->first_block.data;
   uint32_t *last_tiles = tiling->last_tiles.data;

   for (uint32_t p = first_primitive; p < end; p++) {
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
      cm_timing_binned(gpu->timing, &tiling->listed.primitives[p]);
      gpu->pipeline[CM_PIPELINE_PRIMITIVES]++;
   }
   return true;
}

bool
cm_tiling_begin(struct cm_tiling_stage *tiling)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_pass *pass = gpu->pass;
   bool wide;
   uint64_t num_blocks;
   cm_pb_lists_destroy(tiling->lists);
   tiling->lists = NULL;
   if (!bin(tiling) || !choose_lists(tiling) || !place_attributes(tiling, &wide, &num_blocks) ||
       !reserve_for_writing(tiling, num_blocks) ||
       (has_vertex_outputs(tiling) &&
        !cm_vertex_outputs_begin(&tiling->outputs, gpu, tiling->geometry->shaded.data, tiling->buffer)))
      return false;
   tiling->pmd_bytes = cm_pmd_bytes(wide);
   if (has_lives(tiling))
      cm_hierarchy_parameter_buffer_begin(&gpu->hierarchy, gpu->config.parameter_buffer.layout,
                                          tiling->buffer, pass->tiles_x * pass->tiles_y,
                                          tiling->last_tiles.data, has_blocks(tiling) ? num_blocks : 0);
   if (gpu->attribute_cache)
      cm_attribute_cache_begin_pass(gpu->attribute_cache, tiling->buffer);
   tiling->lists = cm_pb_lists_create(gpu->config.parameter_buffer.layout, wide, tiling->num_lists,
                                      tiling->positions, false);
   return tiling->lists;
}

/* ---- the Tile Fetcher --------------------------------------------------------- */

bool
cm_tiling_is_fetched(const struct cm_tiling_stage *tiling, uint32_t tile)
{
   const struct cm_gpu *gpu = tiling->gpu;
   const uint64_t *begin = tiling->tile_begin.data;
   return gpu->pass->touched[tile] ||
          (gpu->config.parameter_buffer.overlap != CM_PB_OVERLAP_EXACT && begin[tile] != begin[tile + 1]);
}

void
cm_tiling_read(struct cm_tiling_stage *tiling, uint32_t p, uint32_t list, uint32_t n, uint32_t next)
{
   struct cm_gpu *gpu = tiling->gpu;
   const struct cm_primitive *primitive = &gpu->pass->primitives[p];
   cm_gpu_attribute_draw(gpu, primitive->draw);
   cm_timing_group(gpu->timing, CM_STREAM_PB_LIST, 1);
   cm_hierarchy_access_range(&gpu->hierarchy, 0,
                             CM_PB_LISTS_ADDRESS + tiling->buffer +
                                cm_pb_lists_offset(tiling->lists, list, n),
                             tiling->pmd_bytes, CM_STREAM_PB_LIST, false);
   if (shades_by_tile(tiling)) {
      cm_timing_fetched(gpu->timing, p, primitive);
      cm_geometry_tile_primitive(tiling->geometry, p);
      return;
   }
   cm_timing_group(gpu->timing, CM_STREAM_PB_ATTRIBUTE, primitive->num_attributes);
   access_attributes(tiling, p, next, false);
   cm_timing_fetched(gpu->timing, p, primitive);
}

static void
fetch_list(struct cm_tiling_stage *tiling, uint32_t tile)
{
   const uint64_t *begin = tiling->tile_begin.data;
   const uint32_t *primitives = (const uint32_t *)tiling->tile_primitives.data + begin[tile];
   const uint32_t count = cm_pb_lists_length(tiling->lists, tile);
   const uint32_t *opt_numbers = tiling->tile_opt_numbers.data;
   for (uint32_t n = 0; n < count; n++) {
      assert(primitives[n] < tiling->gpu->pass->num_primitives);
      cm_tiling_read(tiling, primitives[n], tile, n,
                     tiling->gpu->attribute_cache ? opt_numbers[begin[tile] + n] : CM_PB_NEVER);
   }
}

void
cm_tiling_fetch_tile(struct cm_tiling_stage *tiling, uint32_t tile)
{
   const struct cm_gpu *gpu = tiling->gpu;
   if (shades_by_tile(tiling))
      cm_geometry_tile(tiling->geometry, gpu->positions[tile] % gpu->config.fragment_stage.processors);
   if (tiling->levels.count)
      cm_tiling_fetch_levels(tiling, tile);
   else
      fetch_list(tiling, tile);
}

void
cm_tiling_tile_done(struct cm_tiling_stage *tiling, uint32_t tile)
{
   struct cm_gpu *gpu = tiling->gpu;
   if (has_lives(tiling))
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
   if (has_lives(tiling))
      cm_hierarchy_parameter_buffer_end(&gpu->hierarchy);
   /* Passes that overlap have stages of their own, each with its buffer. */
   if (gpu->config.parameter_buffer.buffers == 2 && has_lives(tiling))
      tiling->buffer ^= CM_PB_SECOND_BUFFER;
}

void
cm_tiling_finish(struct cm_tiling_stage *tiling)
{
   CM_FREE_ARRAYS(&tiling->boxed_primitives, &tiling->boxed_tiles, &tiling->first_block, &tiling->tile_begin,
                  &tiling->tile_primitives, &tiling->pmd_offsets, &tiling->last_tiles, &tiling->opt_numbers,
                  &tiling->tile_opt_numbers, &tiling->listed_primitives, &tiling->listed_lists,
                  &tiling->primitive_levels, &tiling->list_seen, &tiling->list_positions, &tiling->list_begin,
                  &tiling->list_primitives);
   cm_vertex_outputs_finish(&tiling->outputs);
   cm_pb_lists_destroy(tiling->lists);
}
