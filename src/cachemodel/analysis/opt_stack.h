/* SPDX-License-Identifier: MIT */
/**
 * Optimal caches (policies opt and optpt) of one number of sets and several numbers of
 * ways in one pass over the accesses, by the priority stack of Mattson et al.,
 * "Evaluation Techniques for Storage Hierarchies", 1970: of the blocks that will be used
 * again, what a cache holds, each one with more ways holds, too. The stack of a set is
 * divided into groups, one between each number of ways and the next; of a group it has
 * to be known only which block's next use is farthest, so a group is a heap.
 *
 * A block that will not be used again keeps its way until another block needs one, the
 * lowest such way first, as memory/replacement/opt.c has it: no miss depends on that, but
 * write-backs do. So the ways of each cache are kept, too.
 *
 * An access costs a lookup and, for each of the caches in which it misses, a logarithm of
 * the ways. Memory: that of the largest cache, and 8 bytes for each line of all of them.
 */
#ifndef CM_OPT_STACK_H
#define CM_OPT_STACK_H

#include "analysis/access_runs.h"
#include "config/config.h"

struct cm_opt_stack;

/** Empty caches of this many sets (a power of two) and of ways[0] < … < ways[num_ways - 1] ways. bypasses:
 * optpt instead of opt. NULL when out of memory. */
struct cm_opt_stack *cm_opt_stack_create(uint32_t sets, enum cm_index index, const uint32_t *ways,
                                         uint32_t num_ways, bool bypasses);
void cm_opt_stack_destroy(struct cm_opt_stack *stack);

/** The next part of the accesses; it must have next uses. */
void cm_opt_stack_run(struct cm_opt_stack *stack, const struct cm_access_runs *part);

/** What the cache of ways[number] ways has counted. */
struct cm_sweep_counts cm_opt_stack_counts(const struct cm_opt_stack *stack, uint32_t number);

#endif
