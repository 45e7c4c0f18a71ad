/* SPDX-License-Identifier: MIT */
#include "texture/unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "texture/filtered_reads.h"
#include "util/minmax.h"

/* What a footprint reads, in order. */
struct reads {
   unsigned count;
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
};

static bool
contains(const struct reads *reads, uint64_t block)
{
   unsigned b = 0;
   while (b < reads->count && reads->blocks[b] != block)
      b++;
   return b < reads->count;
}

/* Each of the blocks once, row by row of their grid. */
static unsigned
blocks_by_rows(const struct reads *reads, const struct cm_block_grid *grid, uint64_t *blocks)
{
   unsigned count = 0;
   for (unsigned row = 0; row < grid->rows; row++) {
      for (unsigned column = 0; column < grid->columns; column++) {
         const uint64_t block = cm_grid_block(grid, column, row);
         if (contains(reads, block))
            blocks[count++] = block;
      }
   }
   return count;
}

/* Entries have been written after the last one of the stream of requests. */
static inline void
append_lookups(const struct cm_texture_path *path, struct cm_access_stream *stream, uint32_t entries)
{
   struct cm_shared_side *shared = &path->hierarchy->shared;
   if (path->own_requests)
      cm_request_log_settle(path->own_requests);
   else if (stream == &shared->reported)
      shared->reported_lookups += shared->reported_lookups == stream->count ? entries : 0;
   stream->count += entries;
}

/* For who has asked for requests: a lookup of each block, row by row of the grid, or, without one, by the order of first
 * reads. The caches append what these cause; a NUCA appends its requests itself. */
static void
report(const struct cm_texture_path *path, uint32_t resource, const struct reads *reads,
       const struct cm_block_grid *grid)
{
   struct cm_access_stream *stream = cm_texture_path_requests(path);
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   unsigned count = 0;
   if (!path->nuca)
      count =
         grid ? blocks_by_rows(reads, grid, blocks) : cm_distinct_blocks(reads->blocks, reads->count, blocks);
   cm_access_stream_reserve(stream, 1 + count);
   if (__builtin_expect(stream->capacity - stream->count <= 1 + count, false))
      return; /* out of memory */
   cm_entry *next = stream->entries + stream->count;
   *next++ = cm_group_make(0, 0, CM_STREAM_TEXTURE, count, resource);
   for (unsigned b = 0; b < count; b++)
      *next++ = cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_TEXTURE_CACHE, 0, CM_STREAM_TEXTURE,
                              blocks[b] << (path->block_shift - CM_ENTRY_ADDRESS_SHIFT));
   append_lookups(path, stream, 1 + count);
}

/* Of an image of one block. */
static void
map_one_block(const struct cm_block_grid *grid, struct reads *reads)
{
   for (reads->count = 0; reads->count < grid->reads; reads->count++)
      reads->blocks[reads->count] = grid->block;
}

/* The blocks of a footprint of texels; counts it for the cache design. */
static void
map_image(struct cm_texture_path *path, struct cm_texture_unit *unit, const struct cm_footprint *footprint,
          const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid, struct reads *reads)
{
   const struct cm_texture_image *image = cm_texture_unit_image(unit, footprint, path->block_shift);
   if (grid && cm_texture_unit_kind(path, unit, footprint)->is_one_block) {
      map_one_block(grid, reads);
      return;
   }
   reads->count = grid ? cm_footprint_blocks_of_grid(image, footprint, bounds, grid, reads->blocks)
                       : cm_footprint_blocks(image, unit->binding, footprint, reads->blocks);
   if (path->access.design != CM_TEXTURE_DESIGN_NONE)
      cm_texture_access_footprint(&path->access, image, unit->binding, footprint, grid, reads->blocks);
   if (path->by_texel)
      reads->count = cm_footprint_texels(image, unit->binding, footprint, reads->blocks);
}

/* The same of a buffer, which has no layout: its texels lie one after another. */
static void
map_buffer(struct cm_texture_path *path, const struct cm_texture_unit *unit,
           const struct cm_footprint *footprint, struct reads *reads)
{
   const struct cm_texture_binding *binding = unit->binding;
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

/* Reads them through the processor's cache. grid: NULL, or theirs. */
static void
read_cache(struct cm_texture_path *path, struct cm_cache *cache, const struct reads *reads,
           const struct cm_block_grid *grid)
{
   if (path->is_direct || !grid || !cm_cache_read_grid(cache, grid, CM_STREAM_TEXTURE))
      cm_cache_read_sequence(cache, reads->blocks, reads->count, CM_STREAM_TEXTURE);
}

/* cm_texture_unit_read block by block. grid: of the footprint's blocks; NULL: they have none. */
static void
read_blocks(struct cm_texture_path *path, struct cm_texture_unit *unit, const struct cm_footprint *footprint,
            const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid, uint32_t processor,
            struct cm_cache *cache)
{
   struct reads reads;
   assert(!path->is_direct || (cache && !path->nuca && !cm_texture_path_requests(path)));
   if (!unit->binding)
      return;
   if (unit->layout)
      map_image(path, unit, footprint, bounds, grid, &reads);
   else
      map_buffer(path, unit, footprint, &reads);
   if (cm_texture_path_requests(path))
      report(path, unit->binding->resource, &reads, footprint->live == 15 ? grid : NULL);
   if (path->listed) {
      cm_nuca_list(path->nuca, path->listed, processor, reads.blocks, reads.count);
   } else if (path->nuca) {
      cm_nuca_read(path->nuca, processor, reads.blocks, reads.count);
   } else if (!cache) {
      for (unsigned b = 0; b < reads.count; b++)
         cm_dram_access(&path->hierarchy->dram, reads.blocks[b] << path->block_shift, CM_STREAM_TEXTURE,
                        false, 1, 1u << path->block_shift);
   } else if (path->access.miss == CM_TEXTURE_MISS_ACCESS) {
      const uint64_t *misses = &cache->counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES], before = *misses;
      read_cache(path, cache, &reads, grid);
      if (*misses > before)
         cm_texture_access_missed(&path->access,
                                  unit->layout ? cm_texture_unit_image(unit, footprint, path->block_shift)
                                               : NULL,
                                  unit->binding, footprint, *misses - before);
   } else {
      read_cache(path, cache, &reads, grid);
   }
}

/* cm_footprint_cells of any kind. */
static inline void
find_cells(const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
           const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid, cm_grid_cells cells[4])
{
   if (!kind->is_one_block) {
      cm_footprint_cells(kind->image, footprint, bounds, grid, cells);
      return;
   }
   for (unsigned f = 0; f < 4; f++)
      cells[f] = footprint->live >> f & 1;
}

/* Reads a grid that is not settled: where it is spread, each of its blocks only once. Not inlined, so that what has the grid in
 * registers need not store it. */
static __attribute__((noinline)) void
read_unsettled(struct cm_texture_path *path, struct cm_texture_unit *unit,
               const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
               const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid, struct cm_cache *cache)
{
   if (path->has_filters && cm_footprint_kind_has_shapes(kind))
      unit->unsettled_reads = CM_UNSETTLED_READS;
   if (grid->rows > kind->spread_rows && !cm_cache_spreads(cache, grid)) {
      read_blocks(path, unit, footprint, bounds, grid, 0, cache);
      return;
   }
   cm_grid_cells cells[4];
   find_cells(kind, footprint, bounds, grid, cells);
   cm_cache_read_spread_grid(cache, grid, cells, 4, CM_STREAM_TEXTURE);
}

/* The lookup of a block number 0. */
static const cm_entry no_lookup = (cm_entry)CM_UNIT_TEXTURE_CACHE << CM_ENTRY_UNIT_SHIFT |
                                  (cm_entry)CM_STREAM_TEXTURE << CM_ENTRY_STREAM_SHIFT |
                                  (cm_entry)CM_ENTRY_LOOKUP << CM_ENTRY_KIND_SHIFT;

/* Lookups of some cells of a grid, row by row. Returns where the next entry goes; one may be written beyond. */
static inline cm_entry *
look_up_by_rows(const struct cm_block_grid *grid, cm_grid_cells cells, unsigned shift, cm_entry *next)
{
   const bool has_columns = grid->columns > 1;
   uint64_t block = grid->block;
   for (; cells; cells >>= 2, block += grid->row) {
      *next = no_lookup | block << shift;
      next += cells & 1;
      if (!has_columns)
         continue;
      *next = no_lookup | (block + grid->column) << shift;
      next += cells >> 1 & 1;
   }
   return next;
}

/* report of the cells of a grid that a footprint reads, by fragment: row by row where all four are live, else by the order of
 * first reads. */
static inline void
report_cells(struct cm_texture_path *path, uint32_t resource, const struct cm_block_grid *grid,
             const cm_grid_cells cells[4], bool all_live)
{
   struct cm_access_stream *stream = cm_texture_path_requests(path);
   const unsigned shift = path->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   cm_entry *const group = stream->entries + stream->count, *next = group + 1;
   cm_grid_cells seen = 0;
   if (all_live)
      next = look_up_by_rows(grid, cells[0] | cells[1] | cells[2] | cells[3], shift, next);
   for (unsigned f = 0; f < 4 && !all_live; seen |= cells[f++]) {
      for (cm_grid_cells added = cells[f] & ~seen; added; added &= added - 1)
         *next++ = no_lookup | cm_grid_cell_block(grid, (unsigned)__builtin_ctz(added)) << shift;
   }
   *group = cm_group_make(0, 0, CM_STREAM_TEXTURE, (uint32_t)(next - group - 1), resource);
   append_lookups(path, stream, (uint32_t)(next - group));
}

/* Reports and reads a grid in the processor's cache, fragment by fragment. There is room in the stream. */
static __attribute__((noinline)) void
read_cells(struct cm_texture_path *path, struct cm_texture_unit *unit, const struct cm_footprint_kind *kind,
           const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
           const struct cm_block_grid *grid, bool is_settled, struct cm_cache *cache)
{
   cm_grid_cells cells[4];
   find_cells(kind, footprint, bounds, grid, cells);
   report_cells(path, unit->binding->resource, grid, cells, footprint->live == 15);
   if (is_settled) {
      cache->accesses[CM_STREAM_TEXTURE][0] += grid->reads;
   } else if (cm_cache_spreads(cache, grid)) {
      cm_cache_read_spread_grid(cache, grid, cells, 4, CM_STREAM_TEXTURE);
   } else {
      struct reads reads;
      map_image(path, unit, footprint, bounds, grid, &reads);
      cm_cache_read_sequence(cache, reads.blocks, reads.count, CM_STREAM_TEXTURE);
   }
}

/* Lookups of a column of blocks of one row of texels each, of which four live fragments read some. Returns where the next entry
 * goes; one may be written beyond. */
static inline __attribute__((always_inline)) cm_entry *
look_up_column(const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
               const struct cm_block_grid *grid, unsigned shift, cm_entry *next)
{
   const uint32_t top = bounds->least >> 16, of_fragment = footprint->linear ? 3 : 1;
   uint64_t block = grid->block;
   uint32_t rows = 0;
   for (unsigned f = 0; f < 4; f++)
      rows |= of_fragment << ((uint32_t)footprint->texel[f].y - top);
   for (; rows; rows >>= 1, block += grid->row) {
      *next = no_lookup | block << shift;
      next += rows & 1;
   }
   return next;
}

/* read_blocks of a grid in the processor's cache that is reported, but for the list of blocks where the cache does without. */
static inline __attribute__((always_inline)) void
read_reported_grid(struct cm_texture_path *path, struct cm_texture_unit *unit,
                   const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
                   const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid,
                   struct cm_cache *cache)
{
   struct cm_access_stream *stream = cm_texture_path_requests(path);
   const unsigned shift = path->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   uint32_t count = grid->columns * grid->rows;
   const bool is_settled = cm_cache_grid_is_settled(cache, grid);
   const bool is_column = grid->columns == 1 && !kind->image->shape.row_shift;
   cm_access_stream_reserve(stream, 2 + 2 * CM_GRID_ROWS);
   if (__builtin_expect(stream->capacity - stream->count <= 2 + 2 * CM_GRID_ROWS, false))
      return; /* out of memory */
   if (!is_settled || (count > 1 && footprint->live != 15) || (count > 2 && !is_column)) {
      read_cells(path, unit, kind, footprint, bounds, grid, is_settled, cache);
      return;
   }
   cm_entry *const group = stream->entries + stream->count;
   if (count > 2) {
      count = (uint32_t)(look_up_column(footprint, bounds, grid, shift, group + 1) - group - 1);
   } else {
      /* Of one block, or two side by side, each is read: the bounds are those of some fragments. */
      group[1] = no_lookup | grid->block << shift;
      group[2] = no_lookup | (grid->block + (grid->columns == 2 ? grid->column : grid->row)) << shift;
   }
   group[0] = cm_group_make(0, 0, CM_STREAM_TEXTURE, count, unit->binding->resource);
   append_lookups(path, stream, 1 + count);
   cache->accesses[CM_STREAM_TEXTURE][0] += grid->reads;
}

/* How many rows most grids have at most. */
#define USUAL_ROWS 6

/* The most rows, up to USUAL_ROWS, of a grid in an image that the caches spread, however many columns it has; 0: none. */
static uint32_t
find_spread_rows(const struct cm_texture_path *path, const struct cm_texture_image *image)
{
   struct cm_block_grid grid = {.column = 1,
                                .row = image->row_blocks,
                                .columns = 2,
                                .rows = cm_min(image->grid_rows, USUAL_ROWS)};
   if (!path->caches || !image->has_rows_of_blocks)
      return 0;
   while (grid.rows && !cm_cache_spreads(path->caches, &grid))
      grid.rows--;
   return grid.rows;
}

void
cm_texture_unit_take_kind(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                          struct cm_unit_image *image, const struct cm_footprint *footprint)
{
   assert(unit->layout && image == &unit->images[footprint->level & 1]);
   const struct cm_texture_image *its = cm_texture_unit_image(unit, footprint, path->block_shift);
   image->kind = cm_footprint_kind(its, footprint);
   image->kind.is_one_block = path->by_block && cm_texture_image_is_one_block(its);
   image->kind.spread_rows = find_spread_rows(path, &image->image);
   image->header = cm_footprint_header(footprint);
}

void
cm_texture_unit_read(struct cm_texture_path *path, struct cm_texture_unit *unit,
                     const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
                     uint32_t processor, struct cm_cache *cache)
{
   const struct cm_footprint_kind *kind = unit->layout ? cm_texture_unit_kind(path, unit, footprint) : NULL;
   struct cm_block_grid grid;
   const bool has_grid = kind && cm_footprint_grid(kind, footprint, bounds, &grid);
   if (has_grid && path->is_cached && cm_texture_path_requests(path))
      read_reported_grid(path, unit, kind, footprint, bounds, &grid, cache);
   else if (!has_grid || !path->is_direct)
      read_blocks(path, unit, footprint, bounds, has_grid ? &grid : NULL, processor, cache);
   else if (!cm_cache_read_grid(cache, &grid, CM_STREAM_TEXTURE))
      read_unsettled(path, unit, kind, footprint, bounds, &grid, cache);
}

/* cm_texture_unit_read_group of a buffer, or of nothing. */
static size_t
read_group_of_buffer(struct cm_texture_path *path, struct cm_texture_unit *unit,
                     const struct cm_footprint *footprints, size_t count, struct cm_cache *const caches[4])
{
   size_t read = 0;
   for (size_t i = 0; i < count; i++) {
      struct cm_cache *cache = caches[footprints[i].quad & 3];
      if (cache)
         read_blocks(path, unit, &footprints[i], NULL, NULL, 0, cache);
      read += cache != NULL;
   }
   return read;
}

/* Reads footprints of a group together, of a unit whose reads are passed on now and then. False, with nothing read, where they
 * cannot be. */
static inline bool
read_unsettled_group(struct cm_texture_path *path, struct cm_texture_unit *unit,
                     const struct cm_footprint *footprints, size_t count, struct cm_cache *const caches[4],
                     size_t *read)
{
   const struct cm_access_stream *passed = path->caches->outgoing;
   const uint32_t before = passed->count;
   if (!cm_filtered_read(path, unit, footprints, (uint32_t)count, caches, read))
      return false;
   unit->unsettled_reads = passed->count != before ? CM_UNSETTLED_READS : unit->unsettled_reads - 1;
   return true;
}

size_t
cm_texture_unit_read_group(struct cm_texture_path *path, struct cm_texture_unit *unit,
                           const struct cm_footprint *footprints, size_t count,
                           struct cm_cache *const caches[4])
{
   const uint64_t mask = path->caches->index.mask, ways = path->caches->ways;
   const struct cm_footprint *const end = footprints + count;
   struct cm_texel_bounds bounds[4];
   size_t read = 0;
   assert(cm_texture_path_is_plain(path));
   if (!unit->layout)
      return read_group_of_buffer(path, unit, footprints, count, caches);
   if (unit->unsettled_reads && read_unsettled_group(path, unit, footprints, count, caches, &read))
      return read;
   while (footprints < end) {
      const struct cm_footprint *const last = footprints + (end - footprints < 4 ? end - footprints : 4);
      const struct cm_texel_bounds *its_bounds = bounds;
      cm_footprints_bounds(footprints, (unsigned)(last - footprints), bounds);
      for (; footprints < last; footprints++, its_bounds++) {
         struct cm_cache *cache = caches[footprints->quad & 3];
         struct cm_block_grid grid;
         if (!cache)
            continue;
         read++;
         const struct cm_footprint_kind *kind = cm_texture_unit_kind(path, unit, footprints);
         if (!cm_footprint_grid(kind, footprints, its_bounds, &grid)) {
            read_blocks(path, unit, footprints, its_bounds, NULL, 0, cache);
         } else if (cm_grid_is_first(&grid, cache->lines, mask, ways)) {
            cache->accesses[CM_STREAM_TEXTURE][0] += grid.reads;
         } else {
            const struct cm_block_grid copy = grid;
            read_unsettled(path, unit, kind, footprints, its_bounds, &copy, cache);
         }
      }
   }
   return read;
}

/* ---- of a GPU ------------------------------------------------------------ */

bool
cm_texture_path_init(struct cm_texture_path *path, const struct cm_config *config,
                     struct cm_hierarchy *hierarchy)
{
   path->hierarchy = hierarchy;
   path->caches = hierarchy->entry[CM_STREAM_TEXTURE].cache;
   path->nuca = NULL;
   path->listed = NULL;
   path->block_shift = hierarchy->entry[CM_STREAM_TEXTURE].block_shift;
   path->by_texel =
      config->nuca.organisation != CM_NUCA_NONE && config->nuca.requests == CM_NUCA_REQUESTS_TEXEL;
   path->by_block = !path->by_texel && config->texture_access.design == CM_TEXTURE_DESIGN_NONE;
   path->is_cached = config->nuca.organisation == CM_NUCA_NONE &&
                     config->texture_access.design == CM_TEXTURE_DESIGN_NONE && path->caches;
   path->is_direct = config->timing == CM_TIMING_OFF && path->is_cached;
   if (!cm_texture_access_init(&path->access, config))
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
   cm_nuca_destroy(path->nuca);
}
