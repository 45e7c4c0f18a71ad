/* SPDX-License-Identifier: MIT */
/**
 * A cache of many ways: what struct cm_cache does (memory/cache.h), at a logarithm of the
 * ways an access instead of a scan of all of them. For the policies that neither know the
 * future (analysis/opt_stack.h) nor have one list for all ways (analysis/lru_stack.h).
 */
#ifndef CM_WIDE_CACHE_H
#define CM_WIDE_CACHE_H

#include "analysis/access_runs.h"
#include "config/config.h"

struct cm_wide_cache;

/** Whether there is such a cache for a policy. */
bool cm_wide_cache_takes(enum cm_policy policy);

/** An empty cache; its size, ways, block, policy and index count. NULL when out of memory. */
struct cm_wide_cache *cm_wide_cache_create(const struct cm_cache_config *config);
void cm_wide_cache_destroy(struct cm_wide_cache *cache);

/** The next part of the accesses. Where a part resets the caches, lines become invalid; the policy keeps its
 * state. */
void cm_wide_cache_run(struct cm_wide_cache *cache, const struct cm_access_runs *part);

struct cm_sweep_counts cm_wide_cache_counts(const struct cm_wide_cache *cache);

#endif
