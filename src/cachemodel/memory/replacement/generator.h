/* SPDX-License-Identifier: MIT */
/** Random ways: xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled"), with the same seed in each cache, advanced once per eviction:
 * results are reproducible. */
#ifndef CM_REPLACEMENT_GENERATOR_H
#define CM_REPLACEMENT_GENERATOR_H

#include <assert.h>
#include <stdint.h>

struct generator {
   uint64_t state;
};

static inline void
generator_start(struct generator *generator)
{
   generator->state = 0x9e3779b97f4a7c15ull;
}

/** A number from 0 to n - 1. */
static inline uint32_t
generator_below(struct generator *generator, uint32_t n)
{
   assert(generator->state && n);
   uint64_t state = generator->state;
   state ^= state >> 12;
   state ^= state << 25;
   state ^= state >> 27;
   generator->state = state;
   const uint64_t high = state * 0x2545f4914f6cdd1dull >> 32;
   return (uint32_t)(high * n >> 32);
}

#endif
