/* SPDX-License-Identifier: MIT */
/**
 * What caches of many sizes, numbers of ways and policies would do with one stream of
 * accesses (Figures 1, 11, 12 and 13 of TCOR).
 *
 * The caches are simulated in units, which do not share anything: all LRU caches of one
 * number of sets are one unit (analysis/lru_stack.h), and all optimal ones of a policy
 * (analysis/opt_stack.h); of the other policies each cache is one. A thread may run one
 * unit while another runs another; each unit takes all parts of the stream in order.
 */
#ifndef CM_SWEEP_H
#define CM_SWEEP_H

#include "analysis/access_runs.h"
#include "config/config.h"

/** A cache: valid in the sense of cm_cache_config_validate, with at most CM_SWEEP_MAX_WAYS ways. */
struct cm_sweep_point {
   enum cm_policy policy;
   uint32_t size; /**< bytes */
   uint32_t ways;
};
#define CM_SWEEP_MAX_WAYS (1u << 18)
/** Points of one sweep. */
#define CM_SWEEP_MAX_POINTS 65000

struct cm_sweep;

/** Caches of blocks of so many bytes, all empty. bounded: the stream's parts reset the caches, each block in them is
 * written before all reads, and so there is a lower bound (cm_sweep_result). The points are copied; no two are
 * the same. NULL when out of memory. */
struct cm_sweep *cm_sweep_create(const struct cm_sweep_point *points, uint32_t num_points, uint32_t block,
                                 enum cm_index index, bool bounded);
void cm_sweep_destroy(struct cm_sweep *sweep);

uint32_t cm_sweep_units(const struct cm_sweep *sweep);
/** Whether the parts that a unit is given must have next uses. */
bool cm_sweep_needs_future(const struct cm_sweep *sweep, uint32_t unit);

/** Counts what all caches have in common; once for each part, in order. Not while it is called in another
 * thread. False when out of memory. */
bool cm_sweep_count(struct cm_sweep *sweep, const struct cm_access_runs *part);
/** The next part for a unit. */
void cm_sweep_run(struct cm_sweep *sweep, uint32_t unit, const struct cm_access_runs *part);

/** What a point has counted: reads + writes = hits + misses + bypasses. */
struct cm_sweep_result {
   uint32_t sets;
   uint64_t reads, writes, hits;
   struct cm_sweep_counts counts;
   /** The fewest misses and bypasses that any cache of this capacity can have (TCOR V-A): over the
    * parts TP + max(0, TP - CP), with TP the blocks that are written and read in a part, and CP those that the
    * cache has room for. Not where the sweep is unbounded, nor for policy perfect, which never misses. */
   bool is_bounded;
   uint64_t lower_bound;
};
struct cm_sweep_result cm_sweep_result(const struct cm_sweep *sweep, uint32_t point);

#endif
