/* SPDX-License-Identifier: MIT */
/* Signature-based hit prediction by memory region (Wu et al., "SHiP: Signature-based Hit
 * Predictor for High Performance Caching", MICRO 2011), as GSPC 5.1 describes it: address
 * bits 27 to 14 number a region of 16 KiB, for each of which a counter of 3 bits counts
 * up on a hit and down when a block leaves that was never hit. A block comes in as
 * distant where its region's counter is 0, else as long; the rest is re-reference
 * interval prediction of 2 bits. Each bank has counters of its own. State: after the predictions, a byte for each way says
 * whether the block was hit. */
#include <string.h>

#include "memory/replacement/rrip.h"

#define REGION_SHIFT 14
#define NUM_REGIONS (1u << 14)
#define COUNTER_MAX 7
/* The papers leave it open: a region is trusted until a block has left in vain. */
#define COUNTER_START 1
#define DISTANT 3

static inline uint8_t *
counter_of(const struct cm_cache *cache, uint64_t set, uint64_t block)
{
   const uint64_t region = block >> (REGION_SHIFT - cache->block_shift);
   return cache->bank_state + (set & cache->bank_mask) * NUM_REGIONS + region % NUM_REGIONS;
}

static void
start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   (void)config;
   memset(cache->bank_state, COUNTER_START, (size_t)(cache->bank_mask + 1) * NUM_REGIONS);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   (void)stream;
   uint8_t *predictions = cache->state + set * 2 * ways;
   uint8_t *counter = counter_of(cache, set, lines[way] >> 8);
   *counter = (uint8_t)(*counter + (*counter < COUNTER_MAX));
   predictions[way] = 0;
   predictions[ways + way] = true;
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   uint8_t *predictions = cache->state + set * 2 * ways;
   const unsigned way = rrip_victim(predictions, lines, ways, DISTANT);
   if (lines[way] != CM_LINE_EMPTY && !predictions[ways + way]) {
      uint8_t *counter = counter_of(cache, set, lines[way] >> 8);
      *counter = (uint8_t)(*counter - (*counter > 0));
   }
   return way;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   uint8_t *predictions = cache->state + set * 2 * ways;
   predictions[way] = *counter_of(cache, set, lines[way] >> 8) ? DISTANT - 1 : DISTANT;
   predictions[ways + way] = false;
   return lines + way;
}

static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   /* A near block was hit. */
   return rrip_is_near(cache, set, lines, block) && *counter_of(cache, set, block) == COUNTER_MAX;
}

/* Each hit counts. */
#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false
#include "memory/cache_access.h"

static uint32_t
state_bytes(uint32_t ways)
{
   return 2 * ways;
}

const struct cm_replacement cm_replacement_ship_mem = {
   CM_POLICY_FUNCTIONS,       .remove = cm_ways_remove, .state_bytes = state_bytes,
   .bank_bytes = NUM_REGIONS, .start = start,
};
