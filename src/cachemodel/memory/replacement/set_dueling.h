/* SPDX-License-Identifier: MIT */
/**
 * Set dueling between two policies of insertion (Qureshi et al., "Adaptive Insertion
 * Policies for High Performance Caching", ISCA 2007, III): some sets always follow the
 * first one, some the second one, and the others whichever has fewer misses in those.
 *
 * Groups of neighbours: there are as many as sets that sample a policy (DUEL_LEADER_SETS), or
 * as many of the smallest size as fit. For contender 0, group g's set whose number within the
 * group is g samples the first policy, the one whose number is ~g the second one ("complement select").
 * Contender c's samples are those whose numbers are g ^ c and ~(g ^ c): as many contenders as a group has pairs of
 * sets sample in sets of their own. That paper has as many groups as each has sets. Where a group has more,
 * g has fewer bits than a set's number: with zeros above them (CM_LEADERS_GROUPS) all samples of the first policy
 * are in the lower half of their groups and all of the second one in the upper, so that a policy's samples may have
 * more accesses than the other's, and with them more misses; with the bits repeated (CM_LEADERS_COMPLEMENT), they are spread equally.
 *
 * Hash: the sets are in the order of a hash of their indices, without gaps; contender c has those from
 * 2 * leaders * c on, first the first policy's, then the second one's.
 */
#ifndef CM_REPLACEMENT_SET_DUELING_H
#define CM_REPLACEMENT_SET_DUELING_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "util/minmax.h"

/** Sets that sample each of the two policies, where there are as many groups; in "bank" in all banks together. The bits of a
 * selector. Both as Qureshi et al. and Jaleel et al., ISCA 2010, have them. */
#define DUEL_LEADER_SETS 32
#define DUEL_SELECTOR_BITS 10

#define DUEL_MAX_CONTENDERS 4
#define DUEL_MAX_BANKS 16

struct duel {
   bool hashed;
   uint32_t set_bits; /**< hashed: log2 of the sets */
   uint32_t leaders;  /**< hashed: samples of each policy */
   /* Groups of neighbours, among a bank's sets where each has a duel of its own. */
   uint32_t bank_shift, bank_mask; /**< 0: one duel for all */
   uint32_t group_shift;           /**< log2 of a group's sets */
   uint64_t repeat;                /**< g times this is g, or its bits repeated */
   /** Counts up on misses in samples of the first policy and down on those in samples of the second one; in its
    * upper half, the other sets follow the second one. It starts at the end of the lower half. */
   uint16_t selectors[DUEL_MAX_CONTENDERS][DUEL_MAX_BANKS];
   uint16_t selector_max;
};

/** All groups have at least min_group_sets (a power of two), if the cache has as many. */
static inline void
duel_start(struct duel *duel, const struct cm_cache_config *config, uint32_t sets, uint32_t min_group_sets,
           uint32_t contenders)
{
   const enum cm_leaders choice = config->rrip.leaders;
   const uint32_t banks = choice == CM_LEADERS_BANK ? cm_cache_config_banks(config) : 1;
   const uint32_t leaders = DUEL_LEADER_SETS / banks;
   *duel = (struct duel){
      .hashed = choice == CM_LEADERS_HASH,
      .set_bits = (uint32_t)__builtin_ctz(sets),
      .leaders = cm_min(leaders, cm_max(sets / min_group_sets, 1)),
      .bank_shift = (uint32_t)__builtin_ctz(banks),
      .bank_mask = banks - 1,
      .repeat = 1,
      .selector_max = (1u << DUEL_SELECTOR_BITS) - 1,
   };
   sets /= banks;
   uint32_t group_sets = sets / leaders;
   if (group_sets < min_group_sets)
      group_sets = cm_min(sets, min_group_sets);
   duel->group_shift = (uint32_t)__builtin_ctz(group_sets);
   const uint32_t group_bits = (uint32_t)__builtin_ctz(sets) - duel->group_shift;
   for (uint32_t bit = group_bits; choice != CM_LEADERS_GROUPS && group_bits && bit < duel->group_shift;
        bit += group_bits)
      duel->repeat |= 1ull << bit;
   for (uint32_t contender = 0; contender < contenders; contender++) {
      for (uint32_t bank = 0; bank < banks; bank++)
         duel->selectors[contender][bank] = duel->selector_max / 2;
   }
}

/** A number for each set index, all of them different: multiplications by odd numbers and shifted exclusive ors,
 * modulo the sets, can be undone. */
static inline uint64_t
duel_hash(const struct duel *duel, uint64_t set)
{
   const uint64_t mask = (1ull << duel->set_bits) - 1;
   const uint32_t shift = duel->set_bits / 2 + 1;
   uint64_t hash = set * 0x9e3779b1u & mask;
   hash ^= hash >> shift;
   hash = hash * 0x85ebca6bu & mask;
   hash ^= hash >> shift;
   return hash * 0xc2b2ae35u & mask;
}

enum duel_side { DUEL_FIRST, DUEL_SECOND, DUEL_FOLLOWER };

/** Which policy a set samples for a contender. */
static inline enum duel_side
duel_side(const struct duel *duel, uint64_t set, uint32_t contender)
{
   if (duel->hashed) {
      const uint64_t number = duel_hash(duel, set) - 2ull * duel->leaders * contender;
      return number < duel->leaders          ? DUEL_FIRST
             : number < 2ull * duel->leaders ? DUEL_SECOND
                                             : DUEL_FOLLOWER;
   }
   const uint64_t in_bank = set >> duel->bank_shift, mask = (1ull << duel->group_shift) - 1;
   const uint64_t number = (in_bank ^ (in_bank >> duel->group_shift) * duel->repeat ^ contender) & mask;
   return number == 0 ? DUEL_FIRST : number == mask ? DUEL_SECOND : DUEL_FOLLOWER;
}

/** Whether the insertion of a contender's block after a miss follows the second policy; the miss
 * counts where the set is one of the contender's samples. */
static inline bool
duel_miss(struct duel *duel, uint64_t set, uint32_t contender)
{
   uint16_t *selector = &duel->selectors[contender][set & duel->bank_mask];
   switch (duel_side(duel, set, contender)) {
   case DUEL_FIRST: *selector = (uint16_t)(*selector + (*selector < duel->selector_max)); return false;
   case DUEL_SECOND: *selector = (uint16_t)(*selector - (*selector > 0)); return true;
   default: return *selector > duel->selector_max / 2;
   }
}

#endif
