/* SPDX-License-Identifier: MIT */
#include "texture/unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A footprint's blocks, each once; the caches log the rest. */
static void
log_group(const struct cm_texture_path *path, uint32_t resource, unsigned count)
{
   cm_access_stream_append(path->hierarchy->requests,
                           cm_group_make(0, 0, CM_STREAM_TEXTURE, count, resource));
}

/* A lookup of a block. */
static inline cm_entry
lookup_entry(const struct cm_texture_path *path, uint64_t block)
{
   return cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_TEXTURE_CACHE, 0, CM_STREAM_TEXTURE,
                        block << (path->block_shift - CM_ENTRY_ADDRESS_SHIFT));
}

static void
log_grid(const struct cm_texture_path *path, uint32_t resource, const struct cm_read_grid *grid)
{
   struct cm_access_stream *stream = path->hierarchy->requests;
   uint32_t mask = grid->readers[0] | grid->readers[1] | grid->readers[2] | grid->readers[3];
   cm_access_stream_reserve(stream, 1 + 2 * CM_GRID_ROWS);
   cm_entry *const group = stream->entries + stream->count, *next = group + 1;
   for (; mask; mask &= mask - 1)
      *next++ = lookup_entry(path, cm_grid_block(grid, (unsigned)__builtin_ctz(mask)));
   *group = cm_group_make(0, 0, CM_STREAM_TEXTURE, (uint32_t)(next - group) - 1, resource);
   stream->count += (uint32_t)(next - group);
}

static void
log_list(const struct cm_texture_path *path, uint32_t resource, const struct cm_texture_reads *reads)
{
   uint64_t firsts[CM_MAX_FOOTPRINT_BLOCKS];
   const unsigned count = cm_distinct_blocks(reads->blocks, reads->count, firsts);
   log_group(path, resource, count);
   for (unsigned b = 0; b < count; b++)
      cm_access_stream_append(path->hierarchy->requests, lookup_entry(path, firsts[b]));
}

static void
log_reads(const struct cm_texture_path *path, uint32_t resource, const struct cm_texture_reads *reads)
{
   if (path->nuca)
      log_group(path, resource, 0); /* the NUCA logs its requests */
   else if (reads->is_grid)
      log_grid(path, resource, &reads->grid);
   else
      log_list(path, resource, reads);
}

static void
read_list(const struct cm_texture_path *path, struct cm_cache *cache, const uint64_t *blocks, unsigned count)
{
   if (cache) {
      cm_cache_read_sequence(cache, blocks, count, CM_STREAM_TEXTURE);
      return;
   }
   for (unsigned b = 0; b < count; b++)
      cm_dram_access(&path->hierarchy->dram, blocks[b] << path->block_shift, CM_STREAM_TEXTURE, false, 1,
                     1u << path->block_shift);
}

/* From the processor's cache, or memory. A grid's reads one by one where their order matters to the cache; if
 * the path is_direct, cm_cache_queue_grid has refused it. */
static void
read_grid(const struct cm_texture_path *path, struct cm_cache *cache, const struct cm_read_grid *grid)
{
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   if (path->is_direct || !cache || !cm_cache_read_grid(cache, grid, CM_STREAM_TEXTURE))
      read_list(path, cache, blocks, cm_grid_list(grid, false, blocks));
}

void
cm_texture_read_blocks(struct cm_texture_path *path, const struct cm_texture_unit *unit,
                       const struct cm_texture_reads *reads, uint32_t processor)
{
   struct cm_cache *cache = cm_texture_path_cache(path, processor);
   assert(!path->is_direct || (cache && !path->nuca && !path->hierarchy->requests));
   if (path->hierarchy->requests)
      log_reads(path, unit->binding->resource, reads);
   if (path->nuca && reads->is_grid)
      cm_nuca_read_grid(path->nuca, processor, &reads->grid);
   else if (path->nuca)
      cm_nuca_read(path->nuca, processor, reads->blocks, reads->count);
   else if (reads->is_grid)
      read_grid(path, cache, &reads->grid);
   else
      read_list(path, cache, reads->blocks, reads->count);
}

void
cm_texture_read_texels(struct cm_texture_path *path, struct cm_texture_unit *unit,
                       const struct cm_footprint *footprint, uint32_t processor)
{
   struct cm_texture_reads reads;
   const struct cm_texture_image *image = cm_texture_unit_image(unit, footprint, path->block_shift);
   cm_texture_unit_map(unit, image, footprint, path, &reads); /* for the counters of the cache's design */
   reads.is_grid = false;
   reads.count = cm_footprint_texels(image, unit->binding, footprint, reads.blocks);
   cm_texture_read_blocks(path, unit, &reads, processor);
}

/* A buffer has no layout: its texels lie one after another. */
static void
map_buffer(struct cm_texture_path *path, const struct cm_texture_unit *unit,
           const struct cm_footprint *footprint, struct cm_texture_reads *reads)
{
   const struct cm_texture_binding *binding = unit->binding;
   reads->is_grid = false;
   reads->count = 0;
   for (unsigned f = 0; f < 4; f++) {
      const uint64_t element =
         (uint64_t)(uint16_t)footprint->texel[f].y * 32768 + (uint16_t)footprint->texel[f].x;
      const uint64_t offset = binding->buffer_offset + element * binding->texel_bytes;
      const uint64_t begin = unit->address + offset;
      if (!(footprint->live & 1u << f) || offset + binding->texel_bytes > unit->bytes)
         continue;
      if (path->access.design != CM_TEXTURE_DESIGN_NONE)
         cm_texture_access_element(&path->access, element, begin, binding->texel_bytes);
      const uint64_t last = (begin + binding->texel_bytes - 1) >> path->block_shift;
      for (uint64_t block = begin >> path->block_shift;
           block <= last && reads->count < CM_MAX_FOOTPRINT_BLOCKS; block++)
         reads->blocks[reads->count++] = block;
   }
}

/* Straight from the cache: shaders before the rasterizer read one element at a time, and many. */
static void
read_elements(const struct cm_texture_path *path, const struct cm_texture_unit *unit,
              const struct cm_footprint *footprint, struct cm_cache *cache)
{
   const struct cm_texture_binding *binding = unit->binding;
   cm_cache_finish_reads(cache);
   for (unsigned live = footprint->live & 15; live; live &= live - 1) {
      const unsigned f = (unsigned)__builtin_ctz(live);
      const uint64_t element =
         (uint64_t)(uint16_t)footprint->texel[f].y * 32768 + (uint16_t)footprint->texel[f].x;
      const uint64_t offset = binding->buffer_offset + element * binding->texel_bytes;
      if (offset + binding->texel_bytes > unit->bytes)
         continue;
      const uint64_t begin = unit->address + offset,
                     last = (begin + binding->texel_bytes - 1) >> path->block_shift;
      for (uint64_t block = begin >> path->block_shift; block <= last; block++)
         cm_cache_access(cache, block << path->block_shift, CM_STREAM_TEXTURE, CM_READ);
   }
}

void
cm_texture_unit_read_buffer(struct cm_texture_path *path, const struct cm_texture_unit *unit,
                            const struct cm_footprint *footprint, uint32_t processor)
{
   struct cm_texture_reads reads;
   if (!unit->binding)
      return;
   if (path->is_direct && path->access.design == CM_TEXTURE_DESIGN_NONE) {
      read_elements(path, unit, footprint, cm_texture_path_cache(path, processor));
      return;
   }
   map_buffer(path, unit, footprint, &reads);
   cm_texture_read_blocks(path, unit, &reads, processor);
}

/* ---- areas ----------------------------------------------------------------- */

/* Reads a footprint in the ordinary way, but for the blocks of its grid that are known to be settled. */
static void
read_unsettled(struct cm_texture_path *path, struct cm_texture_unit *unit,
               const struct cm_texture_image *image, const struct cm_footprint *footprint, uint32_t settled,
               struct cm_cache *cache)
{
   struct cm_texture_reads reads;
   cm_texture_unit_map(unit, image, footprint, path, &reads);
   if (reads.is_grid) {
      if (cache->replacement->read_unsettled(cache, &reads.grid, settled, CM_STREAM_TEXTURE))
         return;
      reads.count = cm_grid_list(&reads.grid, false, reads.blocks);
   }
   cm_cache_read_sequence(cache, reads.blocks, reads.count, CM_STREAM_TEXTURE);
   cache->settled_blocks = 0;
}

void
cm_texture_unit_follow(struct cm_texture_path *path, struct cm_texture_unit *unit,
                       const struct cm_footprint *footprint, uint32_t processor, struct cm_cache *cache)
{
   struct cm_block_box box;
   struct cm_read_grid grid;
   const struct cm_texture_image *image = NULL;
   if (unit->areas && unit->layout && cache->grid_misses < CM_MANY_GRID_MISSES &&
       cache->replacement->find_settled)
      image = cm_texture_unit_image(unit, footprint, path->block_shift);
   if (!image || !cm_footprint_box(image, footprint, &box, &grid)) {
      cm_texture_unit_read(path, unit, footprint, processor, cache);
      return;
   }
   struct cm_texture_area *area =
      cm_texture_unit_area(path, unit, footprint, cm_texture_path_instance(path, processor));
   const uint32_t mask = cm_box_mask(&box), settled = cache->replacement->find_settled(cache, &grid, mask);
   if (!(mask & ~settled)) {
      cm_area_add(area, cache->changes, image, footprint, &box);
      cache->accesses[CM_STREAM_TEXTURE][0] +=
         cm_count_reads(cm_first_texels(footprint), area->beyond, footprint->live & 15);
      cm_cache_expect_hits(cache);
      return;
   }
   read_unsettled(path, unit, image, footprint, settled, cache);
   if (!(mask & ~cache->settled_blocks))
      cm_area_add(area, cache->changes, image, footprint, &box);
}

/* ---- of a GPU ------------------------------------------------------------ */

bool
cm_texture_path_add_areas(struct cm_texture_path *path)
{
   const size_t count = (size_t)path->hierarchy->entry[CM_STREAM_TEXTURE].instances * CM_AREAS;
   path->areas = aligned_alloc(64, count * sizeof *path->areas);
   for (size_t a = 0; path->areas && a < count; a++)
      path->areas[a] = (struct cm_texture_area){.key = CM_NO_AREA};
   return path->areas;
}

bool
cm_texture_path_init(struct cm_texture_path *path, const struct cm_config *config,
                     struct cm_hierarchy *hierarchy)
{
   path->hierarchy = hierarchy;
   path->caches = hierarchy->entry[CM_STREAM_TEXTURE].cache;
   path->nuca = NULL;
   path->areas = NULL;
   path->block_shift = hierarchy->entry[CM_STREAM_TEXTURE].block_shift;
   path->by_texel =
      config->nuca.organisation != CM_NUCA_NONE && config->nuca.requests == CM_NUCA_REQUESTS_TEXEL;
   path->is_direct =
      config->timing == CM_TIMING_OFF && config->nuca.organisation == CM_NUCA_NONE && path->caches;
   if (!cm_texture_access_init(&path->access, config))
      return false;
   if (path->is_direct && path->access.design == CM_TEXTURE_DESIGN_NONE && !cm_texture_path_add_areas(path))
      return false;
   if (config->nuca.organisation == CM_NUCA_NONE)
      return true;
   path->nuca = cm_nuca_create(config, hierarchy);
   return path->nuca != NULL;
}

void
cm_texture_path_finish(struct cm_texture_path *path)
{
   cm_texture_access_finish(&path->access);
   free(path->areas);
   cm_nuca_destroy(path->nuca);
}
