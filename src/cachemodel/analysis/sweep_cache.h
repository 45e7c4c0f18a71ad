/* SPDX-License-Identifier: MIT */
/** A cache of a sweep that is simulated access by access (memory/cache.h), and counts stream by stream and frame by frame. */
#ifndef CM_SWEEP_CACHE_H
#define CM_SWEEP_CACHE_H

#include "analysis/sweep.h"

struct cm_sweep_cache;

/** NULL when out of memory. */
struct cm_sweep_cache *
cm_sweep_cache_create(const struct cm_sweep_point *point, const struct cm_sweep_options *options);
void cm_sweep_cache_destroy(struct cm_sweep_cache *cache);

/** cm_sweep_learn, cm_sweep_run and, but for the bound, cm_sweep_result of a unit that is a cache. */
void cm_sweep_cache_learn(struct cm_sweep_cache *cache, const struct cm_access_runs *part);
void cm_sweep_cache_run(struct cm_sweep_cache *cache, const struct cm_access_runs *part);
bool cm_sweep_cache_result(const struct cm_sweep_cache *cache, struct cm_sweep_result *result);

#endif
