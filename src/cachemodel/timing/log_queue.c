/* SPDX-License-Identifier: MIT */
#include "timing/log_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "timing/attribution.h"

/* ---- the threads --------------------------------------------------------- */

/* The oldest log of a frame that waits; NULL: none does. The lock is held. */
static struct cm_work *
pop(struct cm_log_queue *queue, struct cm_frame_log *frame)
{
   struct cm_work *work = frame->first;
   if (!work)
      return NULL;
   frame->first = work->next;
   if (!frame->first)
      frame->last = NULL;
   work->next = NULL;
   assert(queue->count && queue->bytes >= work->bytes);
   queue->bytes -= work->bytes;
   queue->count--;
   if (queue->bytes <= queue->most_bytes / 2)
      pthread_cond_broadcast(&queue->drained);
   return work;
}

struct cm_work *
cm_log_queue_next(struct cm_log_queue *queue, struct cm_frame_log *frame)
{
   pthread_mutex_lock(&queue->lock);
   frame->is_busy = false;
   if (!frame->first)
      pthread_cond_broadcast(&queue->drained);
   while (!frame->first && !frame->has_ended && !queue->stops)
      pthread_cond_wait(&frame->filled, &queue->lock);
   frame->is_cut |= queue->stops && (frame->first || !frame->has_ended);
   struct cm_work *work = frame->is_cut ? NULL : pop(queue, frame);
   frame->is_busy = work;
   pthread_mutex_unlock(&queue->lock);
   return work;
}

/* Whether there is something to do for it. */
static bool
is_ready(const struct cm_frame_log *frame)
{
   return frame->first || frame->has_ended || frame->report;
}

/* With the lock: the oldest frame that no thread has, once it is ready. NULL: the threads end. */
static struct cm_frame_log *
take_frame(struct cm_log_queue *queue)
{
   while (!queue->stops && !(queue->untaken && is_ready(queue->untaken)))
      pthread_cond_wait(&queue->ready, &queue->lock);
   struct cm_frame_log *frame = queue->stops ? NULL : queue->untaken;
   if (frame)
      queue->untaken = frame->next;
   return frame;
}

static void *
run(void *data)
{
   struct cm_timing_thread *thread = data;
   struct cm_log_queue *queue = thread->queue;
   struct cm_frame_log *frame;
   pthread_mutex_lock(&queue->lock);
   while ((frame = take_frame(queue))) {
      pthread_mutex_unlock(&queue->lock);
      queue->time(thread->pipeline, frame);
      pthread_mutex_lock(&queue->lock);
      assert(!frame->first || frame->is_cut);
      thread->nanoseconds = cm_thread_nanoseconds();
      frame->is_timed = true;
      pthread_cond_broadcast(&queue->drained);
      if (queue->timed && !frame->is_cut) {
         pthread_mutex_unlock(&queue->lock);
         queue->timed(queue->timed_context);
         pthread_mutex_lock(&queue->lock);
      }
   }
   pthread_mutex_unlock(&queue->lock);
   return NULL;
}

void
cm_log_queue_init(struct cm_log_queue *queue, void (*time)(void *pipeline, struct cm_frame_log *frame),
                  size_t most_bytes)
{
   *queue = (struct cm_log_queue){.time = time, .most_bytes = most_bytes};
   pthread_mutex_init(&queue->lock, NULL);
   pthread_cond_init(&queue->ready, NULL);
   pthread_cond_init(&queue->drained, NULL);
}

bool
cm_log_queue_add_thread(struct cm_log_queue *queue, void *pipeline)
{
   assert(queue->num_threads < CM_MAX_THREADS);
   struct cm_timing_thread *thread = &queue->threads[queue->num_threads];
   thread->queue = queue;
   thread->pipeline = pipeline;
   if (cm_thread_start(&thread->thread, "tbrsim:timing", run, thread) != 0)
      return false;
   queue->num_threads++;
   return true;
}

void
cm_log_queue_stop(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   queue->stops = true;
   pthread_cond_broadcast(&queue->ready);
   for (struct cm_frame_log *frame = queue->oldest; frame; frame = frame->next)
      pthread_cond_signal(&frame->filled);
   pthread_mutex_unlock(&queue->lock);
   for (unsigned t = 0; t < queue->num_threads; t++)
      pthread_join(queue->threads[t].thread, NULL);
   queue->num_threads = 0;
}

static void
free_logs(struct cm_work *first)
{
   for (struct cm_work *work = first, *next; work; work = next) {
      next = work->next;
      cm_log_finish(&work->log);
      free(work);
   }
}

static void
free_frames(struct cm_frame_log *first)
{
   for (struct cm_frame_log *frame = first, *next; frame; frame = next) {
      next = frame->next;
      free_logs(frame->first);
      pthread_cond_destroy(&frame->filled);
      cm_cycle_attribution_destroy(frame->attribution);
      free(frame->ends.data);
      free(frame);
   }
}

void
cm_log_queue_finish(struct cm_log_queue *queue)
{
   assert(!queue->num_threads);
   free_frames(queue->oldest);
   free_frames(queue->spare_frames);
   free_logs(queue->spare);
   for (struct cm_quad_log *quads = queue->spare_quads, *next; quads; quads = next) {
      next = quads->next;
      cm_quad_log_destroy(quads);
   }
   for (struct cm_entry_buffer *buffer = queue->spare_buffers, *next; buffer; buffer = next) {
      next = buffer->next;
      free(buffer);
   }
   pthread_mutex_destroy(&queue->lock);
   pthread_cond_destroy(&queue->ready);
   pthread_cond_destroy(&queue->drained);
}

/* ---- the consumer: logs -------------------------------------------------- */

struct cm_work *
cm_log_queue_begin(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_work *work = queue->spare;
   if (work) {
      queue->spare = work->next;
      queue->spare_bytes -= work->bytes;
   }
   pthread_mutex_unlock(&queue->lock);
   if (!work && !(work = calloc(1, sizeof *work)))
      return NULL;
   work->next = NULL;
   cm_log_clear(&work->log);
   return work;
}

struct cm_quad_log *
cm_log_queue_new_quads(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_quad_log *quads = queue->spare_quads;
   if (quads) {
      queue->spare_quads = quads->next;
      queue->spare_bytes -= cm_quad_log_bytes(quads);
   }
   pthread_mutex_unlock(&queue->lock);
   if (!quads)
      return calloc(1, sizeof *quads);
   quads->num_requests = quads->num_quads = quads->num_kinds = quads->num_costs = 0;
   quads->out_of_memory = false;
   return quads;
}

/* The lists of all logs, those that wait and those for reuse, take no more than logs that wait may. The lock is held. */
static bool
keeps(const struct cm_log_queue *queue, size_t bytes)
{
   return queue->bytes + queue->spare_bytes + bytes <= queue->most_bytes;
}

void
cm_log_queue_release_quads(struct cm_log_queue *queue, struct cm_quad_log *quads)
{
   if (!quads)
      return;
   const size_t bytes = cm_quad_log_bytes(quads);
   pthread_mutex_lock(&queue->lock);
   const bool is_kept = keeps(queue, bytes);
   if (is_kept) {
      quads->next = queue->spare_quads;
      queue->spare_quads = quads;
      queue->spare_bytes += bytes;
   }
   pthread_mutex_unlock(&queue->lock);
   if (!is_kept)
      cm_quad_log_destroy(quads);
}

void
cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work)
{
   struct cm_frame_log *frame = queue->newest;
   assert(!work->next);
   if (queue->num_threads > 1) /* it may wait for long */
      cm_log_fit(&work->log);
   work->bytes = sizeof *work + cm_log_bytes(&work->log);
   pthread_mutex_lock(&queue->lock);
   assert(!frame->has_ended && !queue->stops);
   if (queue->bytes > queue->most_bytes) {
      while (queue->bytes > queue->most_bytes / 2)
         pthread_cond_wait(&queue->drained, &queue->lock);
   }
   if (frame->last)
      frame->last->next = work;
   else
      frame->first = work;
   frame->last = work;
   frame->num_entries += cm_log_num_entries(&work->log);
   queue->bytes += work->bytes;
   queue->count++;
   pthread_cond_signal(queue->untaken ? &queue->ready : &frame->filled);
   pthread_mutex_unlock(&queue->lock);
}

static size_t
buffer_bytes(const struct cm_entry_buffer *buffer)
{
   return sizeof *buffer + buffer->capacity * sizeof *buffer->entries;
}

/* One of those that threads read logs in: as many as logs that pipelines have taken. */
static struct cm_entry_buffer *
take_buffer(struct cm_log_queue *queue, size_t capacity)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_entry_buffer *buffer = queue->spare_buffers;
   if (buffer) {
      queue->spare_buffers = buffer->next;
      queue->spare_bytes -= buffer_bytes(buffer);
   }
   pthread_mutex_unlock(&queue->lock);
   if (buffer && buffer->capacity >= capacity)
      return buffer;
   free(buffer);
   capacity += capacity / 2;
   buffer = malloc(sizeof *buffer + capacity * sizeof *buffer->entries);
   if (buffer)
      buffer->capacity = capacity;
   return buffer;
}

bool
cm_log_queue_merge(struct cm_log_queue *queue, struct cm_work *work)
{
   if (!work->log.quad_log)
      return true;
   struct cm_entry_buffer *buffer = take_buffer(queue, cm_log_num_entries(&work->log));
   if (buffer && cm_log_merge(&work->log, buffer))
      return true;
   free(buffer);
   return false;
}

static void
give_back_buffer(struct cm_log_queue *queue, struct cm_entry_buffer *buffer)
{
   if (!buffer)
      return;
   pthread_mutex_lock(&queue->lock);
   const bool is_kept = keeps(queue, buffer_bytes(buffer));
   if (is_kept) {
      buffer->next = queue->spare_buffers;
      queue->spare_buffers = buffer;
      queue->spare_bytes += buffer_bytes(buffer);
   }
   pthread_mutex_unlock(&queue->lock);
   if (!is_kept)
      free(buffer);
}

void
cm_log_queue_give_back(struct cm_log_queue *queue, struct cm_work *work)
{
   give_back_buffer(queue, cm_log_separate(&work->log));
   cm_log_queue_release_quads(queue, work->log.quad_log);
   work->log.quad_log = NULL;
   const size_t bytes = sizeof *work + cm_log_bytes(&work->log);
   pthread_mutex_lock(&queue->lock);
   const bool is_kept = keeps(queue, bytes);
   if (is_kept) {
      work->bytes = bytes;
      work->next = queue->spare;
      queue->spare = work;
      queue->spare_bytes += bytes;
   }
   pthread_mutex_unlock(&queue->lock);
   if (!is_kept) {
      work->next = NULL;
      free_logs(work);
   }
}

void
cm_log_queue_drain(struct cm_log_queue *queue)
{
   const struct cm_frame_log *frame = queue->newest;
   pthread_mutex_lock(&queue->lock);
   while (frame->first || frame->is_busy)
      pthread_cond_wait(&queue->drained, &queue->lock);
   pthread_mutex_unlock(&queue->lock);
}

/* ---- the consumer: frames ------------------------------------------------ */

/* One that was used before keeps its memory. */
static struct cm_frame_log *
new_frame(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_frame_log *frame = queue->spare_frames;
   if (frame)
      queue->spare_frames = frame->next;
   pthread_mutex_unlock(&queue->lock);
   if (frame)
      return frame;
   frame = calloc(1, sizeof *frame);
   if (frame)
      pthread_cond_init(&frame->filled, NULL);
   return frame;
}

bool
cm_log_queue_begin_frame(struct cm_log_queue *queue, uint32_t passes_before, uint32_t first_pass)
{
   struct cm_frame_log *frame = new_frame(queue);
   assert(!queue->newest || queue->newest->has_ended);
   if (!frame)
      return false;
   frame->next = NULL;
   frame->has_ended = frame->is_busy = frame->is_cut = frame->is_timed = frame->has_failed = false;
   frame->passes_before = frame->last_pass = passes_before;
   frame->first_pass = first_pass;
   frame->num_entries = 0;
   frame->report = NULL;
   frame->num_ends = 0;
   assert(!frame->first && !frame->last);
   pthread_mutex_lock(&queue->lock);
   if (queue->newest)
      queue->newest->next = frame;
   else
      queue->oldest = frame;
   queue->newest = frame;
   if (!queue->untaken)
      queue->untaken = frame;
   pthread_mutex_unlock(&queue->lock);
   return true;
}

void
cm_log_queue_report(struct cm_log_queue *queue, struct cm_report *report)
{
   struct cm_frame_log *frame = queue->newest;
   pthread_mutex_lock(&queue->lock);
   assert(queue->untaken == frame && !is_ready(frame));
   frame->report = report;
   frame->is_busy = true;
   pthread_cond_signal(&queue->ready);
   while (frame->is_busy)
      pthread_cond_wait(&queue->drained, &queue->lock);
   pthread_mutex_unlock(&queue->lock);
}

void
cm_log_queue_end_frame(struct cm_log_queue *queue, bool goes_on)
{
   struct cm_frame_log *frame = queue->newest;
   pthread_mutex_lock(&queue->lock);
   frame->goes_on = goes_on;
   frame->has_ended = true;
   pthread_cond_signal(queue->untaken ? &queue->ready : &frame->filled);
   pthread_mutex_unlock(&queue->lock);
}

struct cm_frame_log *
cm_log_queue_take_back(struct cm_log_queue *queue, bool waits)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_frame_log *frame = queue->oldest;
   while (frame && frame->has_ended && waits && !frame->is_timed)
      pthread_cond_wait(&queue->drained, &queue->lock);
   if (!frame || !frame->has_ended || !frame->is_timed) {
      frame = NULL;
   } else {
      queue->oldest = frame->next;
      if (queue->newest == frame)
         queue->newest = NULL;
   }
   pthread_mutex_unlock(&queue->lock);
   return frame;
}

void
cm_log_queue_release(struct cm_log_queue *queue, struct cm_frame_log *frame)
{
   if (!frame)
      return;
   pthread_mutex_lock(&queue->lock);
   frame->next = queue->spare_frames;
   queue->spare_frames = frame;
   pthread_mutex_unlock(&queue->lock);
}
