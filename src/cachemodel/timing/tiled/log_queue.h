/* SPDX-License-Identifier: MIT */
/**
 * The queue of logs from the consumer, which simulates the caches, to a thread that runs the timing model: that takes
 * as long again, and has no effect on the caches. Logs are processed one after another in the order in which they were
 * put, so no cycle depends on the threads.
 */
#ifndef CM_TILED_LOG_QUEUE_H
#define CM_TILED_LOG_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cm_work;

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
   uint32_t count;               /**< that wait, or are being taken; the end of a frame is one, too */
   bool frame_ends, stops;
};

/** Starts the thread. False where that fails. */
bool cm_log_queue_init(struct cm_log_queue *queue, void (*take)(void *context, struct cm_work *work),
                       void *context);
/** Ends the thread after the logs in the queue, and frees the spare logs with destroy. */
void cm_log_queue_finish(struct cm_log_queue *queue, void (*destroy)(struct cm_work *work));

/** Puts a log; waits while the queue is full. */
void cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work);
/** Waits until all logs are processed. */
void cm_log_queue_drain(struct cm_log_queue *queue);
/** The same, and then for the end of the frame. */
void cm_log_queue_end_frame(struct cm_log_queue *queue);

/** A spare log; NULL: there is none. */
struct cm_work *cm_log_queue_take_spare(struct cm_log_queue *queue);
void cm_log_queue_give_spare(struct cm_log_queue *queue, struct cm_work *work);

#endif
