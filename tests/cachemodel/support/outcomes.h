/* SPDX-License-Identifier: MIT */
/** What becomes of each access of a sequence in a cache. */
#ifndef OUTCOMES_H
#define OUTCOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/** A read of a block, or the invalidation of one. */
struct outcome_step {
   uint64_t block;
   bool invalidates;
};

/** One cache of blocks of 64 bytes over all steps, which it knows before where its policy has to. outcomes[i]
 * is 'h' for a hit, 'm' for a miss, 'b' for a bypass, '-' for an invalidation. */
void find_outcomes(enum cm_policy policy, uint32_t sets, uint32_t ways, const struct outcome_step *steps,
                   uint32_t count, char *outcomes);

/** How many of an outcome are among some. */
uint32_t count_outcomes(const char *outcomes, uint32_t count, char outcome);

#endif
