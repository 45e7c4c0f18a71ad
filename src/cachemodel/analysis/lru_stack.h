/* SPDX-License-Identifier: MIT */
/**
 * LRU caches of one number of sets and several numbers of ways in one pass over the
 * accesses (Mattson et al., "Evaluation Techniques for Storage Hierarchies", 1970): what
 * a cache holds, each one with more ways holds, too. So a set is one list in the order of
 * last uses, in which each number of ways is a stack depth; a block that falls beyond that
 * depth is evicted from the caches of so many ways.
 *
 * An access costs a lookup, and a step for each of the caches in which it misses. Memory:
 * that of the largest cache.
 */
#ifndef CM_LRU_STACK_H
#define CM_LRU_STACK_H

#include "analysis/access_runs.h"
#include "config/config.h"

struct cm_lru_stack;

/** Empty caches of this many sets (a power of two) and of ways[0] < … < ways[num_ways - 1] ways. NULL when
 * out of memory. */
struct cm_lru_stack *
cm_lru_stack_create(uint32_t sets, enum cm_index index, const uint32_t *ways, uint32_t num_ways);
void cm_lru_stack_destroy(struct cm_lru_stack *stack);

/** The next part of the accesses. */
void cm_lru_stack_run(struct cm_lru_stack *stack, const struct cm_access_runs *part);

/** What the cache of ways[number] ways has counted. */
struct cm_sweep_counts cm_lru_stack_counts(const struct cm_lru_stack *stack, uint32_t number);

#endif
