/* SPDX-License-Identifier: MIT */
/**
 * The queue of logs from the consumer, which simulates the caches, to the threads that run the timing: which takes longer than the
 * caches, and does not affect them. A frame is one thread's, which takes its logs in the order in which they were submitted, and
 * waits if the next one is not there yet; a part of a long frame is like a frame. Threads take frames in their order, each the oldest that none has, be it complete or
 * still being written. A frame begins with nothing of others (docs/timing.md), and the consumer takes back what was found frame
 * by frame, in order: so no cycle depends on the threads.
 *
 * The consumer waits while the logs that wait take more than cm_log_queue.most_bytes. That ends: the oldest frame that has logs is
 * some thread's, or a thread is about to take it.
 */
#ifndef CM_TIMING_LOG_QUEUE_H
#define CM_TIMING_LOG_QUEUE_H

#include <pthread.h>

#include "timing/frame_log.h"
#include "util/threads.h"

struct cm_log_queue;

/** A thread of the timing. */
struct cm_timing_thread {
   struct cm_log_queue *queue;
   void *pipeline; /**< that it times frames with */
   pthread_t thread;
   uint64_t nanoseconds; /**< processor time of the frames that are timed */
};

struct cm_log_queue {
   /** Called by a thread with its pipeline and a frame: takes all of its logs. */
   void (*time)(void *pipeline, struct cm_frame_log *frame);
   /** Called by a thread when a frame is timed; NULL: nothing is. Set before the first log. */
   void (*timed)(void *context);
   void *timed_context;
   struct cm_timing_thread threads[CM_MAX_THREADS];
   unsigned num_threads; /**< that run */
   size_t most_bytes;    /**< of logs that wait */

   pthread_mutex_t lock;
   pthread_cond_t ready;   /**< a frame that no thread has has a log, or has ended */
   pthread_cond_t drained; /**< logs were taken, or a frame is timed: the consumer waits for it */
   struct cm_frame_log *oldest, *newest; /**< frames that are not taken back; the newest one is written */
   struct cm_frame_log *untaken;         /**< the oldest that no thread has; NULL: all are taken */
   struct cm_frame_log *spare_frames;    /**< for reuse */
   struct cm_work *spare;                /**< the same */
   struct cm_quad_log *spare_quads;
   struct cm_entry_buffer *spare_buffers;
   size_t bytes, count; /**< of logs that wait */
   size_t spare_bytes;
   bool stops;
};

/** Without threads. most_bytes: of logs that wait. */
void cm_log_queue_init(struct cm_log_queue *queue, void (*time)(void *pipeline, struct cm_frame_log *frame),
                       size_t most_bytes);
/** Starts another thread, of CM_MAX_THREADS at most, that times frames with a pipeline of its own. False where that fails. */
bool cm_log_queue_add_thread(struct cm_log_queue *queue, void *pipeline);
/** Ends the threads as soon as they have done the log they have. */
void cm_log_queue_stop(struct cm_log_queue *queue);
/** Frees frames and logs, which the pipelines have given back. */
void cm_log_queue_finish(struct cm_log_queue *queue);

/* ---- the consumer -------------------------------------------------------- */

/** A frame, or another part of it, begins: the logs from now on are its. passes_before: of all before it; first_pass: of the frame.
 * False when out of memory. */
bool cm_log_queue_begin_frame(struct cm_log_queue *queue, uint32_t passes_before, uint32_t first_pass);
/** It, before its first log, is reported. Waits until a thread has begun with it. */
void cm_log_queue_report(struct cm_log_queue *queue, struct cm_report *report);
/** An empty log to write; NULL when out of memory. */
struct cm_work *cm_log_queue_begin(struct cm_log_queue *queue);
/** A list for the quads of a tile, which shading workers may ask for, too; it becomes the quad_log of a log or is released. NULL when
 * out of memory. */
struct cm_quad_log *cm_log_queue_new_quads(struct cm_log_queue *queue);
void cm_log_queue_release_quads(struct cm_log_queue *queue, struct cm_quad_log *quads);
/** Submits a log; waits while too much waits. */
void cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work);
/** Waits until all logs of the frame so far are processed. */
void cm_log_queue_drain(struct cm_log_queue *queue);
/** It has all its logs. goes_on: another part of the frame follows. */
void cm_log_queue_end_frame(struct cm_log_queue *queue, bool goes_on);
/** Takes back the oldest one that has ended. waits: until it is timed. NULL: none has ended, or it is not timed. */
struct cm_frame_log *cm_log_queue_take_back(struct cm_log_queue *queue, bool waits);
/** One that was taken back is not needed any more; NULL is fine. */
void cm_log_queue_release(struct cm_log_queue *queue, struct cm_frame_log *frame);

/* ---- a thread ------------------------------------------------------------ */

/** The next log of its frame, for which it waits; it is done with the one before. NULL: there is none. */
struct cm_work *cm_log_queue_next(struct cm_log_queue *queue, struct cm_frame_log *frame);

/** Merges a log (cm_log_merge), if it has a quad_log. False when out of memory. */
bool cm_log_queue_merge(struct cm_log_queue *queue, struct cm_work *work);

/** Returns a log that was not submitted, or is processed, for reuse. */
void cm_log_queue_give_back(struct cm_log_queue *queue, struct cm_work *work);

#endif
