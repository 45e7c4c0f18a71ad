/* SPDX-License-Identifier: MIT */
/** Random numbers that are the same on every machine and in every run. */
#ifndef TEST_TILING_RANDOM_H
#define TEST_TILING_RANDOM_H

#include <stdint.h>

struct random {
   uint64_t state;
};

static inline uint32_t
random_below(struct random *random, uint32_t limit)
{
   /* A linear congruential generator's high bits, scaled. */
   random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
   return (uint32_t)((random->state >> 32) * limit >> 32);
}

#endif
