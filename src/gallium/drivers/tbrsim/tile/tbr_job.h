/* SPDX-License-Identifier: MIT */
/**
 * A job: a batch (pass/tbr_batch.h) as the renderer has it, from its submission until nobody uses it any more. The batch
 * fills it in and submits it; from then on all but the tiles' progress is constant.
 *
 * The life of a tile: a worker takes it (next_tile), renders it and appends its events to tile_events; tile_done says so.
 * The model reads the events in the order of the traversal, waiting for tiles that are not done, after it the recorder,
 * and whichever of them is last releases them (struct tbr_pass_source): their memory holds the events of later tiles.
 */
#ifndef TBR_JOB_H
#define TBR_JOB_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/macros.h"
#include "model/tbr_model.h"
#include "tile/tbr_pass.h"

struct tbr_context;
struct tbr_renderer;

/** What queries count of the fragments. */
struct tbr_fragment_sink {
   unsigned users; /**< queries, the context while it counts, and batches: counted in the context's thread */
   uint64_t fragments;  /**< read only after the last batch is done */
   uint64_t last_batch; /**< sequence number of the last batch that adds to it */
};

/** When a batch was rendered, by the host's clock, for timer queries. */
struct tbr_batch_time {
   unsigned users;      /**< the batch and queries: counted in the context's thread */
   uint64_t begin, end; /**< read once the batch is done */
};

/** Changed by the renderer, with its lock held; to IDLE by the batch. */
enum tbr_job_state {
   TBR_JOB_IDLE,     /**< the batch is not submitted */
   TBR_JOB_QUEUED,   /**< its tiles are rendered, or will be */
   TBR_JOB_RENDERED, /**< in memory; the model may still read its events */
   TBR_JOB_RETIRED,  /**< unused: its context recycles it */
};

struct tbr_job {
   struct tbr_job *next; /**< in the renderer's queue, then in tbr_context.retired_jobs */
   struct tbr_renderer *renderer;
   struct tbr_context *context; /**< whose batch it is */
   uint64_t sequence;           /**< the batch's number */
   const struct tbr_pass *pass;
   struct tbr_pass_source source;      /**< of the model; the traversal is the renderer's, too */
   const bool *touched;                /**< by tile: others are neither loaded nor stored */
   bool in_order;                      /**< its shaders store to memory: one worker renders it */
   bool recorded;                      /**< the model gets its events, by its source */
   uint32_t num_blocks;                /**< attribute blocks of its primitives */
   uint64_t orphaned_bytes;            /**< memory that only the batch references */
   struct tbr_fragment_sink **sinks;   /**< by the number of an occlusion counter; [0] unused */
   struct tbr_batch_time *time;        /**< NULL: nobody asks for it */
   struct cm_tile_events *tile_events; /**< by tile */
   uint8_t *tile_done;                 /**< by index in the traversal, 0 at first */

   /* What the renderer has done of it. */
   enum tbr_job_state state;
   bool claimed;       /**< a worker renders it */
   uint32_t next_tile; /**< traversal position of the next tile to render */
   uint32_t tiles_done;
   int32_t users; /**< renderer and model; retired at 0 */
};

/** Changes a job's state, which must be `from`. */
static inline void
tbr_job_set_state(struct tbr_job *job, ASSERTED enum tbr_job_state from, enum tbr_job_state to)
{
   assert(job->state == from);
   job->state = to;
}

#endif
