/* SPDX-License-Identifier: MIT */
/**
 * Re-reference interval prediction (Jaleel et al., "High Performance Cache Replacement
 * Using Re-reference Interval Prediction", ISCA 2010): a small number for each block
 * predicts how far away its next use is: 0 is near, the largest one distant, the
 * one below that long. A hit sets it to 0 ("hit priority"). The victim of a full set is
 * the lowest way that is distant; where there is none, all count up until there is one.
 * The policies differ in the prediction at insertion.
 *
 * State of a set: a byte for each way with its prediction, or RRIP_EMPTY where it has no block. A policy may
 * have up to three bits more for each block. A second row of bytes follows. Sets of 8 or 16 ways have these bits next to the
 * prediction, and in the second row a tag for each way, 8 bits of its block's number, mixed: words of them are compared, not
 * ways one by one, and a set's state is within half a cache line of the host. Other sets have the extra bits
 * as the second row. The shared state begins with a struct rrip.
 */
#ifndef CM_REPLACEMENT_RRIP_H
#define CM_REPLACEMENT_RRIP_H

#include <string.h>

#include "memory/cache_internal.h"
#include "memory/replacement/prediction.h"

/** Instead of a prediction: the way has no block. */
#define RRIP_EMPTY 0x80
/** The bits of a prediction; a policy's further bits are above. */
#define RRIP_PREDICTION 0x0f
#define RRIP_MORE_SHIFT 4

/** Of a set: both rows. */
#define RRIP_WAY_BYTES 2

#define RRIP_ONES 0x0101010101010101ull
#define RRIP_HIGHS (RRIP_EMPTY * RRIP_ONES)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a word's lowest byte is its first");

/* ---- state -------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool
rrip_has_tags(unsigned ways)
{
   return ways == 8 || ways == 16;
}

static inline __attribute__((always_inline)) uint8_t *
rrip_of_set(const struct cm_cache *cache, uint64_t set, unsigned ways)
{
   return cache->state + set * RRIP_WAY_BYTES * ways;
}

/** A policy's further bits, of a way of a set's state. */
static inline __attribute__((always_inline)) uint8_t
rrip_more_of(const uint8_t *state, unsigned ways, unsigned way)
{
   return rrip_has_tags(ways) ? state[way] >> RRIP_MORE_SHIFT : state[ways + way];
}

/** Sets them, and the prediction. */
static inline __attribute__((always_inline)) void
rrip_set_way(uint8_t *state, unsigned ways, unsigned way, uint8_t prediction, uint8_t more)
{
   state[way] = prediction;
   if (rrip_has_tags(ways))
      state[way] = (uint8_t)(prediction | more << RRIP_MORE_SHIFT);
   else
      state[ways + way] = more;
}

static inline __attribute__((always_inline)) uint8_t
rrip_tag(uint64_t block)
{
   return (uint8_t)(block * 0x9e3779b97f4a7c15ull >> 56);
}

/** Before the first access. */
static inline void
rrip_start_empty(struct cm_cache *cache, const struct cm_cache_config *config)
{
   for (uint32_t set = 0; set < cache->sets; set++)
      memset(cache->state + set * cache->state_bytes, RRIP_EMPTY, cache->ways);
}

static inline void
rrip_empty_way(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   lines[way] = CM_LINE_EMPTY;
   cache->state[set * cache->state_bytes + way] = RRIP_EMPTY;
}

/** What all of these policies have. */
#define RRIP_MEMBERS .remove = rrip_empty_way, .way_bytes = RRIP_WAY_BYTES, .empty = RRIP_EMPTY

/** A block was inserted into a way. */
static inline __attribute__((always_inline)) void
rrip_set_tag(uint8_t *state, unsigned ways, unsigned way, uint64_t block)
{
   if (rrip_has_tags(ways))
      state[ways + way] = rrip_tag(block);
}

/* ---- look-up ------------------------------------------------------------ */

/** The highest bits of a word's bytes, as bits 0 to 7. */
static inline __attribute__((always_inline)) unsigned
rrip_high_bits(uint64_t word)
{
   return (unsigned)((word & RRIP_HIGHS) * 0x0002040810204081ull >> 56);
}

/** The bytes that are 0, as bits 0 to 7. */
static inline __attribute__((always_inline)) unsigned
rrip_zero_bytes(uint64_t word)
{
   return rrip_high_bits(~(((word & ~RRIP_HIGHS) + ~RRIP_HIGHS) | word));
}

/** cm_find_way for a set's state: compares only lines whose tags match: the block's own and
 * rarely another. Tags of empty ways are stale. */
static inline __attribute__((always_inline)) unsigned
rrip_find_way(const uint8_t *state, const cm_line *lines, unsigned ways, uint64_t block)
{
   if (!rrip_has_tags(ways))
      return cm_find_way(lines, ways, block);
   const uint64_t tags = rrip_tag(block) * RRIP_ONES;
   /* The state says which line is next: by then it has arrived. */
   for (unsigned first = 0; first < ways; first += 8)
      __builtin_prefetch(lines + first, 1);
   unsigned same = 0;
   for (unsigned first = 0; first < ways; first += 8) {
      uint64_t word;
      memcpy(&word, state + ways + first, sizeof word);
      same |= rrip_zero_bytes(word ^ tags) << first;
   }
   for (; same; same &= same - 1) {
      const unsigned way = (unsigned)__builtin_ctz(same);
      if (lines[way] >> 8 == block)
         return way;
   }
   return ways;
}

/* ---- victims ------------------------------------------------------------ */

/* Those that are distant get their highest bits. Whether there are any. */
static inline __attribute__((always_inline)) bool
rrip_find_distant(const uint64_t values[2], unsigned words, uint8_t distant, uint64_t found[2])
{
   found[1] = 0;
   for (unsigned w = 0; w < words; w++)
      found[w] = (values[w] & RRIP_PREDICTION * RRIP_ONES) + (RRIP_EMPTY - (uint64_t)distant) * RRIP_ONES;
   return (found[0] | found[1]) & RRIP_HIGHS;
}

/* The victim among 8 ways per word, one or two words. */
static inline __attribute__((always_inline)) unsigned
rrip_victim_in_words(uint8_t *predictions, unsigned words, uint8_t distant)
{
   uint64_t values[2] = {0};
   memcpy(values, predictions, 8 * words);
   const unsigned empty = rrip_high_bits(values[0]) | rrip_high_bits(values[1]) << 8;
   if (__builtin_expect(empty != 0, 0))
      return (unsigned)__builtin_ctz(empty);
   uint64_t found[2];
   while (!rrip_find_distant(values, words, distant, found)) {
      values[0] += RRIP_ONES;
      values[1] += RRIP_ONES;
      memcpy(predictions, values, 8 * words);
   }
   return (unsigned)__builtin_ctz(rrip_high_bits(found[0]) | rrip_high_bits(found[1]) << 8);
}

/** The way to fill. */
static inline __attribute__((always_inline)) unsigned
rrip_victim(uint8_t *predictions, unsigned ways, uint8_t distant)
{
   if (ways == 8 || ways == 16)
      return rrip_victim_in_words(predictions, ways / 8, distant);
   unsigned victim = 0;
   for (unsigned way = 1; way < ways; way++)
      victim = predictions[way] > predictions[victim] ? way : victim;
   if (predictions[victim] == RRIP_EMPTY)
      return victim;
   const uint8_t steps = (uint8_t)(distant - predictions[victim]);
   for (unsigned way = 0; way < ways; way++)
      predictions[way] = (uint8_t)(predictions[way] + steps);
   return victim;
}

static inline bool
rrip_is_near(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   const unsigned way = cm_find_way(lines, cache->ways, block);
   return way < cache->ways && !(cache->state[set * cache->state_bytes + way] & RRIP_PREDICTION);
}

static inline __attribute__((always_inline)) unsigned
rrip_find(const struct cm_cache *cache, uint64_t set, const cm_line *lines, unsigned ways, uint64_t block)
{
   return rrip_find_way(rrip_of_set(cache, set, ways), lines, ways, block);
}

/** A hit of policies that have predictions alone. */
static inline __attribute__((always_inline)) cm_line *
rrip_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
         enum cm_stream stream)
{
   rrip_of_set(cache, set, ways)[way] = 0;
   return lines + way;
}

static inline __attribute__((always_inline)) cm_line *
rrip_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
          uint8_t prediction)
{
   uint8_t *predictions = rrip_of_set(cache, set, ways);
   predictions[way] = prediction;
   rrip_set_tag(predictions, ways, way, lines[way] >> 8);
   return lines + way;
}

#endif
