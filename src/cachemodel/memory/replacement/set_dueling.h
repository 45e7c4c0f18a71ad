/* SPDX-License-Identifier: MIT */
/**
 * Set dueling between two policies of insertion (Qureshi et al., "Adaptive Insertion
 * Policies for High Performance Caching", ISCA 2007, III): some sets always follow the
 * first one, some the second one, and the others whichever has missed less in those.
 *
 * The sets are divided into 32 groups of neighbours, or as many groups of the smallest
 * size as there are ("complement select"): for contender 0, group g's set whose number
 * within the group is g (modulo the group's size) samples the first policy, the one whose
 * number is ~g the second one. Contender c's samples are those whose numbers are g ^ c and
 * ~(g ^ c): as many contenders as a group has pairs of sets sample in sets of their own.
 */
#ifndef CM_REPLACEMENT_SET_DUELING_H
#define CM_REPLACEMENT_SET_DUELING_H

#include <stdbool.h>
#include <stdint.h>

#include "util/minmax.h"

#define DUEL_GROUPS 32
/** A counter of 10 bits counts up on misses in samples of the first policy and down on those in samples
 * of the second one; in its upper half, the other sets follow the second one. */
#define DUEL_SELECTOR_MAX 1023
#define DUEL_SELECTOR_START 511

/** log2 of the sets of a group that has at least min_sets (a power of two), if the cache has as many. */
static inline uint32_t
duel_group_shift(uint32_t sets, uint32_t min_sets)
{
   uint32_t group_sets = sets / DUEL_GROUPS;
   if (group_sets < min_sets)
      group_sets = cm_min(sets, min_sets);
   return (uint32_t)__builtin_ctz(group_sets);
}

/** Whether the insertion of a contender's block after a miss follows the second policy; the miss
 * counts where the set is one of the contender's samples. */
static inline bool
duel_miss(uint16_t *selector, uint32_t group_shift, uint64_t set, uint32_t contender)
{
   const uint64_t mask = (1ull << group_shift) - 1;
   const uint64_t number = (set ^ set >> group_shift ^ contender) & mask;
   if (number == 0) {
      *selector = (uint16_t)(*selector + (*selector < DUEL_SELECTOR_MAX));
      return false;
   }
   if (number == mask) {
      *selector = (uint16_t)(*selector - (*selector > 0));
      return true;
   }
   return *selector > DUEL_SELECTOR_MAX / 2;
}

#endif
