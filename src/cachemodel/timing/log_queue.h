/* SPDX-License-Identifier: MIT */
/**
 * The queue of logs from the consumer, which simulates the caches, to the thread that runs the timing: which takes as
 * long as the caches, and does not affect them. The thread takes the logs in the order in which they were submitted, and waits
 * if the next one is not there yet, so no cycle depends on the threads.
 */
#ifndef CM_TIMING_LOG_QUEUE_H
#define CM_TIMING_LOG_QUEUE_H

#include <pthread.h>

#include "timing/log.h"

/** A log, and its subject. */
struct cm_work {
   struct cm_log log; /**< first: a pointer to it is one to the work */
   struct cm_work *next;
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

struct cm_log_queue {
   /** Called by the thread, with context: for each log; when a frame ends, without one. */
   void (*take)(void *context, struct cm_work *work);
   void *context;

   pthread_t thread;
   bool is_running;
   pthread_mutex_t lock;
   pthread_cond_t filled, drained;
   struct cm_work *first, *last; /**< that wait, the oldest first */
   struct cm_work *spare;        /**< free, for reuse */
   size_t count, entries;        /**< how many wait, and entries of these */
   bool is_busy;                 /**< take is called */
   bool frame_ends, stops;
};

/** Starts the thread. False where that fails. */
bool cm_log_queue_init(struct cm_log_queue *queue, void (*take)(void *context, struct cm_work *work),
                       void *context);
/** Ends the thread after the logs in the queue. */
void cm_log_queue_stop(struct cm_log_queue *queue);
/** Frees the logs that were given back, after it has ended. */
void cm_log_queue_finish(struct cm_log_queue *queue);

/** The consumer's: an empty log to write; NULL when out of memory. */
struct cm_work *cm_log_queue_begin(struct cm_log_queue *queue);
/** Submits a log; waits while many logs, or many entries, are waiting. */
void cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work);
/** Waits until all logs are processed. */
void cm_log_queue_drain(struct cm_log_queue *queue);
/** The same, and then for the end of the frame. */
void cm_log_queue_end_frame(struct cm_log_queue *queue);

/** The thread's: the next log of those that it is taking, for which it waits. NULL: there will be none, as the consumer has
 * ended in a pass. */
struct cm_work *cm_log_queue_next(struct cm_log_queue *queue);

/** Returns a log that was not submitted, or is processed, for reuse. */
void cm_log_queue_give_back(struct cm_log_queue *queue, struct cm_work *work);

#endif
