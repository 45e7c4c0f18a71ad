/* SPDX-License-Identifier: MIT */
/**
 * Simulates caches of many sizes, numbers of ways and policies on one stream of accesses: the miss curves of
 * TCOR (Figures 1, 11, 12 and 13), and what GSPC (Gaur et al., "Efficient Management of Last-level Caches in Graphics
 * Processors for 3D Scene Rendering Workloads", MICRO 2013) does offline with "the LLC load/store access trace"
 * (section 2). What arrives at a non-inclusive cache does not depend on its policy, so that one stream serves any
 * number of caches. Each counts what a cache of its configuration counts in the hierarchy whose accesses these are.
 *
 * The caches are simulated in units, which do not share anything: all LRU caches of one number of sets are one unit
 * (analysis/lru_stack.h), and all optimal ones of a policy (analysis/opt_stack.h); any other cache is one
 * (analysis/sweep_cache.h), and so are all caches if streams are distinguished. Different threads may run different
 * units; each unit takes all parts of the stream in order.
 */
#ifndef CM_SWEEP_H
#define CM_SWEEP_H

#include "analysis/access_runs.h"
#include "analysis/stream_profile.h"
#include "config/config.h"
#include "memory/counters.h"

/** What gspztc, gspztc-tse and gspc act on. It shows what a policy loses because it learns too late, or because what it learns
 * changes. A first run over the accesses counts the events of the samples, which do not depend on the other sets. */
enum cm_oracle {
   CM_ORACLE_NONE,  /**< what their samples have counted so far, as in the paper */
   CM_ORACLE_NEXT,  /**< what their samples count in the part of the stream that begins */
   CM_ORACLE_FRAME, /**< what they count in the frame */
   /** Of gspc: each block's own future. Its prediction is near where its next run of accesses hits in an optimal cache of the
    * same size and ways, else distant. */
   CM_ORACLE_BLOCK,
   CM_ORACLE_COUNT
};

/** A cache. */
struct cm_sweep_point {
   struct cm_cache_config
      config;             /**< valid (cm_cache_config_validate), with at most CM_SWEEP_MAX_WAYS ways */
   enum cm_oracle oracle; /**< of the policies that sample (cm_policy_samples) */
};
#define CM_SWEEP_MAX_WAYS (1u << 18)
/** Points of one sweep. */
#define CM_SWEEP_MAX_POINTS 65000

/** How the caches are simulated and counted. */
struct cm_sweep_options {
   bool by_stream; /**< the second half of cm_sweep_result is wanted; no cache shares a unit */
   bool profiles;  /**< by_stream: and its profile */
   /** The stream's parts reset the caches, each block in them is written before all reads, and so there is a lower bound. */
   bool bounded;
   /** by_stream: each frame begins with an empty cache that has learnt nothing, as the paper's 52 frames do, and has no
    * next uses beyond its end. Else the cache keeps what it has. */
   bool cold_frames;
   uint32_t warm_up; /**< frames at the beginning that are simulated and not counted */
};

/** Of the frames that count. */
struct cm_sweep_result {
   uint32_t sets;
   uint64_t reads, writes, hits; /**< reads + writes = hits + misses + bypasses */
   struct cm_sweep_counts counts;
   /** The fewest misses and bypasses that any cache of this capacity can have (TCOR V-A): over the
    * parts TP + max(0, TP - CP), with TP the blocks that are written and read in a part, and CP those that the
    * cache has room for. Not where the sweep is unbounded, nor for policy perfect, which never misses. */
   bool is_bounded;
   uint64_t lower_bound;

   /* by_stream. Accesses after the last frame's end are a frame, too. */
   uint64_t counters[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT]; /**< as cm_cache_counter has them */
   struct cm_stream_profile_counts profile;                  /**< all 0 where it was not wanted */
   const uint64_t *frame_misses; /**< misses and bypasses of each frame; valid until cm_sweep_destroy */
   uint32_t frames;
};

struct cm_sweep;

/** Empty caches. The points are copied; no two are the same. NULL when out of memory. */
struct cm_sweep *cm_sweep_create(const struct cm_sweep_point *points, uint32_t num_points,
                                 const struct cm_sweep_options *options);
void cm_sweep_destroy(struct cm_sweep *sweep);

/** When a unit gets the parts of the stream. */
enum cm_sweep_turn {
   CM_SWEEP_AT_ONCE,
   CM_SWEEP_WITH_NEXT_USES, /**< once they have next uses: those without the stream that bypasses it (cm_sweep_uncached) */
   CM_SWEEP_AFTER_FRAME, /**< once their frame has ended: each to cm_sweep_learn, and then each to cm_sweep_run */
   CM_SWEEP_AFTER_NEXT_USES, /**< the same, once they have next uses */
};

uint32_t cm_sweep_units(const struct cm_sweep *sweep);
enum cm_sweep_turn cm_sweep_turn(const struct cm_sweep *sweep, uint32_t unit);
/** 1 + the stream that bypasses a unit; 0: none. */
uint32_t cm_sweep_uncached(const struct cm_sweep *sweep, uint32_t unit);

/** Counts what all caches have in common; once for each part, in order. Not while it is called in another
 * thread. False when out of memory. */
bool cm_sweep_count(struct cm_sweep *sweep, const struct cm_access_runs *part);
/** A part of the frame that a unit will get. */
void cm_sweep_learn(struct cm_sweep *sweep, uint32_t unit, const struct cm_access_runs *part);
/** The next part for a unit. */
void cm_sweep_run(struct cm_sweep *sweep, uint32_t unit, const struct cm_access_runs *part);

/** What a point has counted, after the last part. False when out of memory at some time: there is no result. */
bool cm_sweep_result(const struct cm_sweep *sweep, uint32_t point, struct cm_sweep_result *result);

#endif
