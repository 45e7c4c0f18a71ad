/* SPDX-License-Identifier: MIT */
/** What every test includes: cmocka, and a random generator that gives the same numbers everywhere. */
#ifndef TEST_H
#define TEST_H

#include "support/run_tests.h"

static inline uint32_t
random_next(uint64_t *state)
{
   *state = *state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(*state >> 33);
}

/** A number from 0 to n - 1. */
static inline uint32_t
random_below(uint64_t *state, uint32_t n)
{
   return random_next(state) % n;
}

/** How many of so many random rounds are run: a quarter, and at least one; with TBRSIM_TEST_ROUNDS=all (`make test-rounds`)
 * all of them. The first ones are the same. */
static inline uint32_t
test_rounds(uint32_t all)
{
   return getenv("TBRSIM_TEST_ROUNDS") ? all : (all + 3) / 4;
}

#endif
