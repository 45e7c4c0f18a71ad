/* SPDX-License-Identifier: MIT */
/* Signature-based hit prediction by memory region (Wu et al., "SHiP: Signature-based Hit
 * Predictor for High Performance Caching", MICRO 2011), as GSPC 5.1 describes it: address
 * bits 27 to 14 number a region of 16 KiB, for each of which a counter of 3 bits counts
 * up on a hit and down at the eviction of a block that was never hit. A block is inserted
 * as distant where its region's counter is 0, else as long; the rest is re-reference
 * interval prediction of 2 bits. Each bank has its own counters. State: with each
 * prediction a bit: whether the block was hit. */
#include "memory/replacement/regions.h"
#include "memory/replacement/rrip.h"

#define DISTANT 3

static inline uint8_t *
counter_of(const struct cm_cache *cache, uint64_t set, uint64_t block)
{
   return region_counter(cache->bank_state + (set & cache->bank_mask) * NUM_REGIONS, block,
                         cache->block_shift);
}

static void
start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   rrip_start_empty(cache, config);
   regions_start(cache->bank_state, cache->bank_mask + 1);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   uint8_t *state = rrip_of_set(cache, set, ways);
   region_was_hit(counter_of(cache, set, lines[way] >> 8));
   rrip_set_way(state, ways, way, 0, true);
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   uint8_t *state = rrip_of_set(cache, set, ways);
   const unsigned way = rrip_victim(state, ways, DISTANT);
   if (lines[way] != CM_LINE_EMPTY && !rrip_more_of(state, ways, way))
      region_was_not_hit(counter_of(cache, set, lines[way] >> 8));
   return way;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   uint8_t *state = rrip_of_set(cache, set, ways);
   const uint8_t prediction = *counter_of(cache, set, lines[way] >> 8) ? DISTANT - 1 : DISTANT;
   rrip_set_way(state, ways, way, prediction, false);
   rrip_set_tag(state, ways, way, lines[way] >> 8);
   return lines + way;
}

/* Each hit counts. */
#define cm_policy_find rrip_find
#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_ship_mem = {
   CM_POLICY_FUNCTIONS, RRIP_MEMBERS, .bank_bytes = NUM_REGIONS, .distant = DISTANT, .start = start,
};
