/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "timing/tiled/log_queue.h"
#include "timing/tiled/tiled.h"
#include "util/threads.h"

/* The most logs in the queue: a tile's has its tokens and quads, up to some 100 KiB. */
#define MOST_LOGS 64

/* Waits for a log or the end of a frame, which comes after all its logs: *work is NULL then. False where the thread has
 * to end. The lock is held. */
static bool
next_work(struct cm_log_queue *queue, struct cm_work **work)
{
   while (!queue->first && !queue->frame_ends && !queue->stops)
      pthread_cond_wait(&queue->filled, &queue->lock);
   *work = queue->first;
   if (!*work) {
      const bool frame_ends = queue->frame_ends;
      queue->frame_ends = false;
      return frame_ends;
   }
   queue->first = (*work)->next;
   if (!queue->first)
      queue->last = NULL;
   (*work)->next = NULL;
   return true;
}

static void *
work_off(void *data)
{
   struct cm_log_queue *queue = data;
   pthread_mutex_lock(&queue->lock);
   for (struct cm_work *work; next_work(queue, &work);) {
      pthread_mutex_unlock(&queue->lock);
      queue->take(queue->context, work);
      pthread_mutex_lock(&queue->lock);
      queue->count--;
      if (!queue->count || queue->count == MOST_LOGS / 2)
         pthread_cond_broadcast(&queue->drained);
   }
   pthread_mutex_unlock(&queue->lock);
   return NULL;
}

bool
cm_log_queue_init(struct cm_log_queue *queue, void (*take)(void *context, struct cm_work *work),
                  void *context)
{
   memset(queue, 0, sizeof *queue);
   queue->take = take;
   queue->context = context;
   pthread_mutex_init(&queue->lock, NULL);
   pthread_cond_init(&queue->filled, NULL);
   pthread_cond_init(&queue->drained, NULL);
   queue->is_running = cm_thread_start(&queue->thread, "tbrsim:timing", work_off, queue) == 0;
   return queue->is_running;
}

void
cm_log_queue_finish(struct cm_log_queue *queue, void (*destroy)(struct cm_work *work))
{
   if (!queue->take)
      return;
   if (queue->is_running) {
      pthread_mutex_lock(&queue->lock);
      queue->stops = true;
      pthread_cond_signal(&queue->filled);
      pthread_mutex_unlock(&queue->lock);
      pthread_join(queue->thread, NULL);
   }
   for (struct cm_work *work = queue->spare, *next; work; work = next) {
      next = work->next;
      destroy(work);
   }
   pthread_mutex_destroy(&queue->lock);
   pthread_cond_destroy(&queue->filled);
   pthread_cond_destroy(&queue->drained);
}

void
cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work)
{
   work->next = NULL;
   pthread_mutex_lock(&queue->lock);
   if (queue->count >= MOST_LOGS) {
      while (queue->count > MOST_LOGS / 2)
         pthread_cond_wait(&queue->drained, &queue->lock);
   }
   if (queue->last)
      queue->last->next = work;
   else
      queue->first = work;
   queue->last = work;
   queue->count++;
   pthread_cond_signal(&queue->filled);
   pthread_mutex_unlock(&queue->lock);
}

void
cm_log_queue_drain(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   while (queue->count)
      pthread_cond_wait(&queue->drained, &queue->lock);
   pthread_mutex_unlock(&queue->lock);
}

void
cm_log_queue_end_frame(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   queue->frame_ends = true;
   queue->count++;
   pthread_cond_signal(&queue->filled);
   pthread_mutex_unlock(&queue->lock);
   cm_log_queue_drain(queue);
}

struct cm_work *
cm_log_queue_take_spare(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_work *work = queue->spare;
   if (work)
      queue->spare = work->next;
   pthread_mutex_unlock(&queue->lock);
   return work;
}

void
cm_log_queue_give_spare(struct cm_log_queue *queue, struct cm_work *work)
{
   pthread_mutex_lock(&queue->lock);
   work->next = queue->spare;
   queue->spare = work;
   pthread_mutex_unlock(&queue->lock);
}
