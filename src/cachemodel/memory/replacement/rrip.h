/* SPDX-License-Identifier: MIT */
/**
 * Re-reference interval prediction (Jaleel et al., "High Performance Cache Replacement
 * Using Re-reference Interval Prediction", ISCA 2010): a small number for each block
 * says how far away its next use is expected: 0 is near, the largest one distant, the
 * one below that long. A hit sets it to 0 ("hit priority"). The victim of a full set is
 * the lowest way that is distant; where there is none, all count up until there is one.
 * The policies differ in the prediction that a block comes in with.
 *
 * State: a byte for each way. What the sets share begins with a struct rrip.
 */
#ifndef CM_REPLACEMENT_RRIP_H
#define CM_REPLACEMENT_RRIP_H

#include <string.h>

#include "memory/replacement/ways.h"

struct rrip {
   uint8_t distant;            /**< the largest prediction */
   uint8_t bimodal_insertions; /**< blocks that have come in bimodally, modulo their period */
};

/** Of so many blocks that come in bimodally, the last one comes in as long. */
#define RRIP_BIMODAL_PERIOD 32

#define RRIP_ONES 0x0101010101010101ull
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a word's lowest byte is its first");

/* The victim among 8 ways a word, one or two words: bit by bit from the highest on, those are left that have
 * it, if any has. */
static inline __attribute__((always_inline)) unsigned
rrip_victim_in_words(uint8_t *predictions, unsigned words, uint8_t distant)
{
   uint64_t values[2], left[2] = {RRIP_ONES, RRIP_ONES};
   memcpy(values, predictions, 8 * words);
   for (int bit = distant > 3 ? 3 : 1; bit >= 0; bit--) {
      uint64_t have[2], any = 0;
      for (unsigned w = 0; w < words; w++)
         any |= have[w] = values[w] >> bit & left[w];
      for (unsigned w = 0; w < words; w++)
         left[w] = any ? have[w] : left[w];
   }
   const unsigned word = words == 2 && !left[0], shift = (unsigned)__builtin_ctzll(left[word]);
   const uint64_t steps = distant - (values[word] >> shift & 0xff);
   for (unsigned w = 0; w < words; w++)
      values[w] += steps * RRIP_ONES;
   memcpy(predictions, values, 8 * words);
   return 8 * word + shift / 8;
}

static inline __attribute__((always_inline)) unsigned
rrip_victim(uint8_t *predictions, const cm_line *lines, unsigned ways, uint8_t distant)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   if (empty < ways)
      return empty;
   if (ways == 8 || ways == 16)
      return rrip_victim_in_words(predictions, ways / 8, distant);
   unsigned victim = 0;
   for (unsigned way = 1; way < ways; way++)
      victim = predictions[way] > predictions[victim] ? way : victim;
   const uint8_t steps = (uint8_t)(distant - predictions[victim]);
   for (unsigned way = 0; way < ways; way++)
      predictions[way] = (uint8_t)(predictions[way] + steps);
   return victim;
}

static inline bool
rrip_is_near(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   const unsigned way = cm_find_way(lines, cache->ways, block);
   return way < cache->ways && cache->state[set * cache->state_bytes + way] == 0;
}

static inline __attribute__((always_inline)) cm_line *
rrip_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
         enum cm_stream stream)
{
   (void)stream;
   cache->state[set * ways + way] = 0;
   return lines + way;
}

static inline uint8_t
rrip_insert_long(const struct rrip *rrip)
{
   return (uint8_t)(rrip->distant - 1);
}

/** Deterministic where the paper has a probability. */
static inline uint8_t
rrip_insert_bimodal(struct rrip *rrip)
{
   rrip->bimodal_insertions = (uint8_t)((rrip->bimodal_insertions + 1) % RRIP_BIMODAL_PERIOD);
   return (uint8_t)(rrip->distant - (rrip->bimodal_insertions == 0));
}

#endif
