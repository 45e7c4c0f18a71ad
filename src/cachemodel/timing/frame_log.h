/* SPDX-License-Identifier: MIT */
/** What passes from the consumer to a thread of the timing and back: logs, the frame or the part of one that they are of, and what
 * its timing has found. */
#ifndef CM_TIMING_FRAME_LOG_H
#define CM_TIMING_FRAME_LOG_H

#include <pthread.h>

#include "timing/log.h"
#include "util/array.h"

struct cm_cycle_attribution;
struct cm_report;

/** The most counters of a pipeline. */
#define CM_PIPELINE_COUNTERS 160

/** A log, and its subject. */
struct cm_work {
   struct cm_log log; /**< first: a pointer to it is one to the work */
   struct cm_work *next;
   size_t bytes; /**< that its lists had allocated when it was submitted, or given back */
   enum cm_log_kind kind;
   uint32_t pass;   /**< passes count up from 1 */
   uint32_t tile;   /**< CM_NO_ITEM: none */
   bool begins;     /**< the first log of its kind in the pass */
   bool ends;       /**< no other log continues it */
   uint32_t checks; /**< tiles whose signatures are compared before a tile is fetched */
   /* A tile's, which the stages of the tile-based pipeline set. Cycles are CM_UNKNOWN while not known. */
   uint64_t number;     /**< tiles count up */
   uint64_t fetch_done; /**< the Tile Fetcher has requested its last primitive */
   uint64_t dispatch_begin, dispatch_end, blend_begin; /**< of its quads */
   uint64_t fetch_begin;                               /**< the Tile Fetcher starts on it */
   uint64_t hidden_end;                                /**< its hidden surfaces are removed */
   uint64_t loaded;                                    /**< its Color Buffer is free and loaded */
   uint64_t z_end;                                     /**< its last quad has left the Early Z-Test */
   uint64_t shade_begin;                               /**< the Rasterizer starts on it */
   uint64_t shaded;                                    /**< its last quad is blended */
   uint64_t flush_begin, flushed;
   bool is_shaded; /**< the Rasterizer has passed on all its quads; of a pass' geometry: all is processed */
   uint64_t last_quad; /**< the number of the first shaded quad after it */
   /* Of shader cores. */
   struct cm_work *next_of_core; /**< the next tile of the same one */
   uint64_t tiles_before;        /**< of all passes before */
   uint32_t num_ready;           /**< primitives whose vertices are shaded, which the first ones are */
};

/** A frame: its logs until a pipeline takes them, and then what that has found. */
struct cm_frame_log {
   struct cm_frame_log *next;    /**< the frame after it */
   pthread_cond_t filled;        /**< it has another log, or has ended: its thread waits for it */
   struct cm_report *report;     /**< to a timeline that keeps the frame; NULL: none does */
   struct cm_work *first, *last; /**< logs that wait, the oldest first */
   bool has_ended;               /**< no log follows */
   bool is_busy;                 /**< its thread has a log, or is to begin */
   bool is_cut;                  /**< logs that were to come never do: nothing of it is found */
   bool is_timed;                /**< its thread is done with it: what follows is set */

   /* The consumer's. */
   uint32_t passes_before; /**< of all frames and parts before it */
   uint32_t first_pass;    /**< of the frame */
   uint32_t num_entries;   /**< of its logs */
   bool goes_on;           /**< the frame has another part */

   /* Set by its thread. */
   bool has_failed; /**< its cycles are not known */
   uint64_t cycles;
   uint64_t values[CM_PIPELINE_COUNTERS]; /**< of its counters; gpu.time is 0 */
   struct cm_array ends;                  /**< struct cm_timed_end, where cycles are attributed */
   uint32_t num_ends;
   uint32_t last_pass;                       /**< of its logs */
   struct cm_cycle_attribution *attribution; /**< NULL: cycles are not attributed */
};

#endif
