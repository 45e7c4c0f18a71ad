/* SPDX-License-Identifier: MIT */
#include "memory/filter.h"

#include <stdlib.h>
#include <string.h>

#include "memory/cache_internal.h"

static inline bool
is_last(const cm_line *line, uint64_t block)
{
   return *line >> 8 == block;
}

/* Without branches: which reads are passed on is hard to predict. */
static inline __attribute__((always_inline)) void
look_up(struct cm_cache *filter, uint64_t block, enum cm_stream stream)
{
   cm_line *line = filter->lines + cm_cache_set(filter, block);
   struct cm_access_stream *passed = filter->outgoing;
   const bool passes = !is_last(line, block);
   *line = cm_line_make(block, stream, false);
   passed->entries[passed->count] =
      cm_entry_access(filter->next_entry, CM_READ, stream, block << filter->block_shift);
   passed->count += passes;
   if (__builtin_expect(passed->count == passed->capacity, false))
      cm_access_stream_make_room(passed);
   filter->counts[stream][CM_CACHE_EVENT_MISSES] += passes;
   filter->folded_block = block;
}

static bool
grid_is_settled(const struct cm_cache *filter, const struct cm_block_grid *grid)
{
   for (unsigned row = 0; row < grid->rows; row++) {
      for (unsigned column = 0; column < grid->columns; column++) {
         const uint64_t block = cm_grid_block(grid, column, row);
         if (!is_last(filter->lines + cm_cache_set(filter, block), block))
            return false;
      }
   }
   return true;
}

static void
read_one(struct cm_cache *filter, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   assert(access == CM_READ);
   look_up(filter, block, stream);
}

static void
read_sequence(struct cm_cache *filter, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   filter->accesses[stream][0] += count;
   for (unsigned i = 0; i < count; i++)
      look_up(filter, blocks[i], stream);
}

/* Looks up each block of a spread grid where its cell is read first. There is room for all in the stream. Returns where the next
 * entry goes. has_columns: the grid has two, a constant. Members are read before the loop: for all that the compiler knows, what
 * is stored in it changes them. */
static inline __attribute__((always_inline)) cm_entry *
look_up_cells(const struct cm_cache *filter, const struct cm_block_grid *grid, const cm_grid_cells *cells,
              unsigned count, enum cm_stream stream, cm_entry *next, bool has_columns)
{
   const uint32_t shift = cm_filter_shift(filter);
   const struct cm_filter_block first =
      cm_filter_behind(cm_filter_origin(filter, stream), cm_filter_distance(shift, grid->block), 1);
   const struct cm_filter_block row = cm_filter_distance(shift, grid->row),
                                column = cm_filter_distance(shift, grid->column);
   const uint64_t mask = filter->index.mask;
   cm_line *const lines = filter->lines;
   cm_grid_cells seen = 0;
   for (unsigned i = 0; i < count; i++) {
      const cm_grid_cells read = cells[i];
      for (cm_grid_cells added = read & ~seen; added; added &= added - 1) {
         const unsigned cell = (unsigned)__builtin_ctz(added);
         struct cm_filter_block block = cm_filter_behind(first, row, cell >> 1);
         if (has_columns)
            block = cm_filter_behind(block, column, cell & 1);
         next = cm_filter_look_up(lines, mask, block, next);
      }
      seen |= read;
   }
   return next;
}

/* The same where there may be no room: memory is short. */
static __attribute__((noinline)) void
look_up_cells_one_by_one(struct cm_cache *filter, const struct cm_block_grid *grid,
                         const cm_grid_cells *cells, unsigned count, enum cm_stream stream)
{
   cm_grid_cells seen = 0;
   for (unsigned i = 0; i < count; seen |= cells[i++]) {
      for (cm_grid_cells added = cells[i] & ~seen; added; added &= added - 1)
         look_up(filter, cm_grid_cell_block(grid, (unsigned)__builtin_ctz(added)), stream);
   }
}

static void
read_spread_grid(struct cm_cache *filter, const struct cm_block_grid *grid, const cm_grid_cells *cells,
                 unsigned count, enum cm_stream stream)
{
   struct cm_access_stream *passed = filter->outgoing;
   filter->accesses[stream][0] += grid->reads;
   filter->folded_block = CM_NO_BLOCK;
   cm_access_stream_reserve(passed, 2 * CM_GRID_ROWS);
   if (__builtin_expect(passed->capacity - passed->count <= 2 * CM_GRID_ROWS, false)) { /* out of memory */
      look_up_cells_one_by_one(filter, grid, cells, count, stream);
      return;
   }
   cm_entry *const first = passed->entries + passed->count;
   cm_entry *const next = grid->columns > 1 ? look_up_cells(filter, grid, cells, count, stream, first, true)
                                            : look_up_cells(filter, grid, cells, count, stream, first, false);
   passed->count += (uint32_t)(next - first);
   filter->counts[stream][CM_CACHE_EVENT_MISSES] += (uint64_t)(next - first);
}

static const struct cm_replacement filtering = {
   .access = read_one,
   .read_sequence = read_sequence,
   .grid_is_settled = grid_is_settled,
   .read_spread_grid = read_spread_grid,
   .first_is_settled = true,
   .folds = true,
};

/* In front of a cache in which any read may change something: all are passed on. */
static void
pass_one(struct cm_cache *filter, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   assert(access == CM_READ);
   filter->counts[stream][CM_CACHE_EVENT_MISSES]++;
   cm_access_stream_append(filter->outgoing, cm_entry_access(filter->next_entry, CM_READ, stream,
                                                             block << filter->block_shift));
}

static const struct cm_replacement passing = {.access = pass_one};

bool
cm_filter_suits(const struct cm_cache *cache)
{
   return cache->replacement->folds;
}

bool
cm_filter_init(struct cm_cache *filter, struct cm_cache *cache, struct cm_access_stream *passed,
               cm_entry entry)
{
   *filter = (struct cm_cache){
      .replacement = cm_filter_suits(cache) ? &filtering : &passing,
      .unit = cache->unit,
      .block_shift = cache->block_shift,
      .index = cache->index,
      .sets = cache->sets,
      .ways = 1,
      .next = cache,
      .next_entry = entry,
      .outgoing = passed,
      .lines = aligned_alloc(64, ((size_t)cache->sets * sizeof(cm_line) + 63) / 64 * 64),
   };
   if (!filter->lines)
      return false;
   cm_filter_forget(filter);
   return true;
}

void
cm_filter_finish(struct cm_cache *filter)
{
   free(filter->lines);
   filter->lines = NULL;
}

void
cm_filter_forget(struct cm_cache *filter)
{
   memset(filter->lines, 0xff, filter->sets * sizeof(cm_line));
   filter->folded_block = CM_NO_BLOCK;
}

void
cm_filter_add_counts(struct cm_cache *filter)
{
   struct cm_cache *cache = filter->next;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      uint64_t *passed = &filter->counts[stream][CM_CACHE_EVENT_MISSES];
      cache->accesses[stream][0] += filter->accesses[stream][0] - *passed;
      filter->accesses[stream][0] = *passed = 0;
   }
}
