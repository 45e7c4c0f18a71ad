/* SPDX-License-Identifier: MIT */
/** The caches that --policy, --ways, --size and --uncached name, all combinations of them. */
#ifndef CACHE_POINTS_H
#define CACHE_POINTS_H

#include "analysis/sweep.h"
#include "options.h"

struct cache_points {
   struct cm_sweep_point *list;
   const char **settings; /**< by point: what --policy has after the name and a colon; NULL: nothing */
   unsigned count;
};

/** What --policy has after the name of a policy that learns from samples, by enum cm_oracle. */
extern const char *const oracle_names[CM_ORACLE_COUNT];

/** base: the cache that the points differ from, and what they have where a list is not given. uncached: each also with a
 * stream that bypasses it; NULL: none. Exits if there can be no such cache. */
struct cache_points cache_points_make(const struct cache_selection *caches,
                                      const struct cm_cache_config *base, const char *uncached);

/** --block; by default 64. */
uint32_t cache_points_block(const char *value);
/** The bits of the streams in a list, each once. */
uint32_t cache_points_streams(const char *names);

/** For help: the policies, a line each. */
void cache_points_print_policies(FILE *file);

#endif
