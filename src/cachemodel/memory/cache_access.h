/* SPDX-License-Identifier: MIT */
/**
 * The access functions of a cache, compiled once for each replacement policy. A
 * policy's file defines the functions below and includes this file:
 *
 *    cm_line *cm_policy_hit(struct cm_cache *, uint64_t set, cm_line *lines,
 *                            unsigned ways, unsigned way, enum cm_stream)
 *       a hit of the stream on lines[way]; returns where the line is now.
 *    unsigned cm_policy_victim(struct cm_cache *, uint64_t set, cm_line *lines, unsigned ways)
 *       the way to fill: an empty one if there is one.
 *    cm_line *cm_policy_fill(struct cm_cache *, uint64_t set, cm_line *lines,
 *                             unsigned ways, unsigned way)
 *       lines[way] was filled by its stream; returns where the line is now.
 *
 *    unsigned cm_policy_find(const struct cm_cache *, uint64_t set, const cm_line *lines,
 *                            unsigned ways, uint64_t block)
 *       the way that holds a block, or ways; by default cm_find_way of the lines.
 *    bool cm_policy_is_settled(const struct cm_cache *, uint64_t set, const cm_line *lines,
 *                              uint64_t block)
 *       whether the block is present and a hit on it does not change the state; by default false.
 *
 * and CM_POLICY_FOLDS_FILL, CM_POLICY_FOLDS_HIT: whether a hit right after a fill,
 * or after a hit, of the same block changes nothing, "right after" being the next
 * access to the set. CM_POLICY_BYPASSES, if it is defined as true: cm_policy_victim may
 * also return `ways`, which means a bypass: nothing is filled. The result
 * is CM_POLICY_FUNCTIONS for its struct cm_replacement.
 */
#include "memory/cache_internal.h"

#ifndef cm_policy_find
#define cm_policy_find(cache, set, lines, ways, block) cm_find_way(lines, ways, block)
#endif
#ifndef cm_policy_is_settled
#define cm_policy_is_settled(cache, set, lines, block) ((void)(set), false)
#endif
#ifndef CM_POLICY_BYPASSES
#define CM_POLICY_BYPASSES false
#endif

static inline __attribute__((always_inline)) void
cm_policy_look_up_ways(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access,
                       unsigned ways)
{
   const uint64_t set = cm_cache_set(cache, block);
   cm_line *lines = cache->lines + set * ways;

   const unsigned hit = cm_policy_find(cache, set, lines, ways, block);
   if (hit < ways) {
      cm_line *line = cm_policy_hit(cache, set, lines, ways, hit, stream);
      if (access != CM_READ)
         *line = cm_line_make(block, stream, true);
      cache->folded_block = CM_POLICY_FOLDS_HIT ? block : CM_NO_BLOCK;
      cache->folded_line = line;
      return;
   }

   const unsigned way = cm_policy_victim(cache, set, lines, ways);
   if (CM_POLICY_BYPASSES && way == ways) {
      cm_cache_bypass(cache, block, stream, access);
      cache->folded_block = CM_NO_BLOCK;
      return;
   }
   cm_cache_count(cache, stream, CM_CACHE_EVENT_MISSES, 1);
   const cm_line victim = lines[way];
   if (victim != CM_LINE_EMPTY)
      cm_cache_evict(cache, victim);
   if (access == CM_READ || (access == CM_WRITE && (cache->fetched >> stream & 1)))
      cm_cache_fetch(cache, block, stream);
   lines[way] = cm_line_make(block, stream, access != CM_READ);
   cm_line *line = cm_policy_fill(cache, set, lines, ways, way);
   cache->folded_block = CM_POLICY_FOLDS_FILL ? block : CM_NO_BLOCK;
   cache->folded_line = line;
}

/* The usual numbers of ways as constants, for the compiler to unroll; 16 on request, for last-level
 * caches, which serve one block at a time. */
static inline __attribute__((always_inline)) void
cm_policy_look_up(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access,
                  bool unroll_16)
{
   if (cache->ways == 4)
      cm_policy_look_up_ways(cache, block, stream, access, 4);
   else if (cache->ways == 8)
      cm_policy_look_up_ways(cache, block, stream, access, 8);
   else if (unroll_16 && cache->ways == 16)
      cm_policy_look_up_ways(cache, block, stream, access, 16);
   else
      cm_policy_look_up_ways(cache, block, stream, access, cache->ways);
}

static void
cm_policy_access(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_policy_look_up(cache, block, stream, access, true);
}

/** Lines that stay in the caches of the CPU that simulates; those of larger caches are fetched before they are looked
 * at, so many entries ahead that memory has the time. */
#define CM_POLICY_NEAR_LINES (1 << 15)
#define CM_POLICY_LOOK_AHEAD 8

static inline __attribute__((always_inline)) uint32_t
cm_policy_take_ways(struct cm_cache *cache, const cm_entry *entries, uint32_t count, unsigned ways)
{
   const unsigned shift = cache->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   const uint32_t ahead = cache->sets > CM_POLICY_NEAR_LINES / ways ? CM_POLICY_LOOK_AHEAD : count;
   uint32_t i = 0;
   for (; i < count; i++) {
      const unsigned access = cm_entry_access_to(entries[i], entries[0]);
      if (access > CM_ENTRY_LAST_ACCESS)
         break;
      const uint64_t block = cm_entry_value(entries[i]) >> shift;
      const enum cm_stream stream = cm_entry_stream(entries[i]);
      if (i + ahead < count)
         __builtin_prefetch(cache->lines +
                            cm_cache_set(cache, cm_entry_value(entries[i + ahead]) >> shift) * ways);
      cache->accesses[stream][access != CM_READ]++;
      if (block != cache->folded_block)
         cm_policy_look_up_ways(cache, block, stream, (enum cm_access)access, ways);
      else if (access != CM_READ)
         *cache->folded_line = cm_line_make(block, stream, true);
   }
   return i;
}

/* The accesses at the front of a batch that are to this cache. */
static uint32_t
cm_policy_take(struct cm_cache *cache, const cm_entry *entries, uint32_t count)
{
   if (cache->ways == 4)
      return cm_policy_take_ways(cache, entries, count, 4);
   if (cache->ways == 8)
      return cm_policy_take_ways(cache, entries, count, 8);
   if (cache->ways == 16)
      return cm_policy_take_ways(cache, entries, count, 16);
   return cm_policy_take_ways(cache, entries, count, cache->ways);
}

static void
cm_policy_insert(struct cm_cache *cache, uint64_t block, enum cm_stream stream)
{
   const uint64_t set = cm_cache_set(cache, block);
   cm_line *lines = cache->lines + set * cache->ways;
   const unsigned way = cm_policy_victim(cache, set, lines, cache->ways);
   if (CM_POLICY_BYPASSES && way == cache->ways)
      return;
   if (lines[way] != CM_LINE_EMPTY)
      cm_cache_evict(cache, lines[way]);
   lines[way] = cm_line_make(block, stream, false);
   cm_policy_fill(cache, set, lines, cache->ways, way);
   cache->folded_block = CM_NO_BLOCK;
}

/* A block that was the last one accessed is folded: a hit on it changes nothing, if the policy says so. */
static inline __attribute__((always_inline)) void
cm_policy_read_sequence_ways(struct cm_cache *cache, const uint64_t *blocks, unsigned count,
                             enum cm_stream stream, unsigned ways)
{
   for (unsigned i = 0; i < count; i++) {
      if (blocks[i] != cache->folded_block)
         cm_policy_look_up_ways(cache, blocks[i], stream, CM_READ, ways);
   }
}

static void
cm_policy_read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   cache->accesses[stream][0] += count;
   if (cache->ways == 4)
      cm_policy_read_sequence_ways(cache, blocks, count, stream, 4);
   else if (cache->ways == 8)
      cm_policy_read_sequence_ways(cache, blocks, count, stream, 8);
   else
      cm_policy_read_sequence_ways(cache, blocks, count, stream, cache->ways);
}

static inline __attribute__((always_inline)) bool
cm_policy_block_is_settled(const struct cm_cache *cache, uint64_t block, bool is_hashed)
{
   const uint64_t set = is_hashed ? cm_set_hash(&cache->index, block) : cm_set_bits(&cache->index, block);
   return cm_policy_is_settled(cache, set, cache->lines + set * cache->ways, block);
}

static inline __attribute__((always_inline)) bool
cm_policy_blocks_are_settled(const struct cm_cache *cache, const struct cm_block_grid *grid, bool is_hashed)
{
   uint64_t block = grid->block;
   for (uint32_t rows = grid->rows; rows; rows--, block += grid->row) {
      if (!cm_policy_block_is_settled(cache, block, is_hashed) ||
          (grid->columns > 1 && !cm_policy_block_is_settled(cache, block + grid->column, is_hashed)))
         return false;
   }
   return true;
}

static __attribute__((noinline)) bool
cm_policy_hashed_grid_is_settled(const struct cm_cache *cache, const struct cm_block_grid *grid)
{
   return cm_policy_blocks_are_settled(cache, grid, true);
}

static bool
cm_policy_grid_is_settled(const struct cm_cache *cache, const struct cm_block_grid *grid)
{
   return cache->index.is_hashed ? cm_policy_hashed_grid_is_settled(cache, grid)
                                 : cm_policy_blocks_are_settled(cache, grid, false);
}

/** The access functions as members of a struct cm_replacement; those of a policy that reads
 * sequences, and takes batches, in a way of its own. */
#define CM_POLICY_FUNCTIONS \
   CM_POLICY_OTHER_FUNCTIONS(cm_policy_take), .read_sequence = cm_policy_read_sequence
#define CM_POLICY_OTHER_FUNCTIONS(take_batch)                                                    \
   .access = cm_policy_access, .take = take_batch, .grid_is_settled = cm_policy_grid_is_settled, \
   .folds = CM_POLICY_FOLDS_FILL && CM_POLICY_FOLDS_HIT && !CM_POLICY_BYPASSES, .insert = cm_policy_insert
