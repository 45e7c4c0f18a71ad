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

/* An entry of a block that is passed on. */
static inline cm_entry
passed_entry(const struct cm_cache *filter, uint64_t block, enum cm_stream stream)
{
   return cm_entry_access(filter->next_entry, CM_READ, stream, block << filter->block_shift);
}

/* Without branches: which reads are passed on is hard to predict. */
static inline __attribute__((always_inline)) void
look_up(struct cm_cache *filter, uint64_t block, enum cm_stream stream)
{
   cm_line *line = filter->lines + cm_cache_set(filter, block);
   struct cm_access_stream *passed = filter->outgoing;
   const bool passes = !is_last(line, block);
   *line = cm_line_make(block, stream, false);
   passed->entries[passed->count] = passed_entry(filter, block, stream);
   passed->count += passes;
   if (__builtin_expect(passed->count == passed->capacity, false))
      cm_access_stream_make_room(passed);
   filter->changes += passes;
   filter->counts[stream][CM_CACHE_EVENT_MISSES] += passes;
   filter->folded_block = block;
}

#define CM_POLICY_WAYS(cache) 1u
#define cm_policy_look_up(cache, block, stream, access, unroll_16) look_up(cache, block, stream)
#define cm_policy_is_settled(cache, set, lines, block) is_last(lines, block)
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#define cm_policy_look_up_blocks look_up_blocks
#include "memory/policy_reads.h"

/* Adds the blocks of a grid to what is passed on, in the order of their first reads; `next` has room for them. Returns the
 * end. */
static inline __attribute__((always_inline)) cm_entry *
pass_blocks(struct cm_cache *filter, const struct cm_read_grid *grid, uint32_t blocks, enum cm_stream stream,
            cm_entry *next)
{
   const cm_entry entry = passed_entry(filter, 0, stream);
   const cm_line line = cm_line_make(0, stream, false);
   const unsigned shift = filter->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   for (unsigned r = 0; blocks; r++) {
      uint32_t mask = grid->readers[r] & blocks;
      blocks &= ~mask;
      while (mask) {
         const uint64_t block = cm_grid_block(grid, cm_take_bit(&mask));
         cm_line *set = filter->lines + cm_cache_set(filter, block);
         assert(!is_last(set, block));
         *set = line | block << 8;
         *next++ = entry | block << shift;
      }
   }
   return next;
}

/* Blocks that are known not to be settled, and all in different sets: each is passed on. */
static __attribute__((noinline)) void
look_up_blocks(struct cm_cache *filter, const struct cm_read_grid *grid, uint32_t blocks,
               enum cm_stream stream)
{
   struct cm_access_stream *passed = filter->outgoing;
   cm_entry entries[2 * CM_GRID_ROWS];
   /* Without memory for more it has no room even now. */
   cm_access_stream_reserve(passed, 2 * CM_GRID_ROWS);
   const bool fits = passed->capacity - passed->count > 2 * CM_GRID_ROWS;
   cm_entry *begin = fits ? passed->entries + passed->count : entries;
   const uint32_t count = (uint32_t)(pass_blocks(filter, grid, blocks, stream, begin) - begin);
   if (fits)
      passed->count += count;
   filter->changes += count;
   filter->counts[stream][CM_CACHE_EVENT_MISSES] += count;
   filter->folded_block = CM_NO_BLOCK;
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

static const struct cm_replacement filtering = {
   .access = read_one,
   .read_sequence = read_sequence,
   CM_POLICY_GRID_FUNCTIONS,
};

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
      .replacement = &filtering,
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
   filter->changes++;
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
