/* SPDX-License-Identifier: MIT */
/**
 * A last-level cache under one policy over a stream of accesses, frame by frame: what GSPC (Gaur et al.,
 * "Efficient Management of Last-level Caches in Graphics Processors for 3D Scene Rendering Workloads",
 * MICRO 2013) does offline with "the LLC load/store access trace" (section 2). What arrives at a
 * non-inclusive cache does not depend on its policy, so that one stream serves any number of these, each in a
 * thread of its own if need be.
 *
 * It counts what a cache of this configuration counts in the hierarchy whose accesses these are, to the last
 * miss. opt and optpt keep a copy of the stream (12 bytes a run, 4 an access) until they know its next uses:
 * a frame where each frame begins cold, else all of it.
 */
#ifndef CM_LLC_H
#define CM_LLC_H

#include "analysis/access_runs.h"
#include "analysis/stream_profile.h"
#include "config/config.h"
#include "memory/counters.h"

/** What gspztc, gspztc-tse and gspc act on: what a policy loses because it learns too late, or because what it learns
 * changes. A first run over the accesses counts the events of the samples, which do not depend on the other sets. */
enum cm_llc_oracle {
   CM_LLC_LEARNS,      /**< what their samples have counted so far, as in the paper */
   CM_LLC_KNOWS_NEXT,  /**< what their samples count in the part of the stream that begins (cm_llc_run) */
   CM_LLC_KNOWS_FRAME, /**< what they count in the frame */
};

/** How it is simulated and counted. */
struct cm_llc_options {
   /** Each frame begins with an empty cache that has learnt nothing, as the paper's 52 frames do, and has no
    * next uses beyond its end. Else the cache keeps what it has. */
   bool cold_frames;
   uint32_t warm_up; /**< frames at the beginning that are simulated and not counted */
   enum cm_llc_oracle oracle;
   bool profiles; /**< cm_llc_result.profile is wanted */
};

/** What was counted of the frames that count. */
struct cm_llc_result {
   /** Reads and writes, hits, misses … by stream, as cm_cache_counter has them. */
   uint64_t counters[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   struct cm_stream_profile_counts profile; /**< all 0 where it was not wanted */
   const uint64_t *misses; /**< misses and bypasses of each of the frames; valid until cm_llc_destroy */
   uint32_t frames;
};

struct cm_llc;

/** config must be valid (cm_cache_config_validate). NULL when out of memory. */
struct cm_llc *cm_llc_create(const struct cm_cache_config *config, const struct cm_llc_options *options);
void cm_llc_destroy(struct cm_llc *llc);

/** The next part of the stream, of the cache's blocks, with the marks of frames' ends and of its own.
 * Accesses after the last frame's end are not counted. */
void cm_llc_run(struct cm_llc *llc, const struct cm_access_runs *part);

/** After the last part. NULL; or what went wrong, and the result is none. */
const char *cm_llc_result(const struct cm_llc *llc, struct cm_llc_result *result);

#endif
