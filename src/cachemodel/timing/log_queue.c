/* SPDX-License-Identifier: MIT */
#include "timing/log_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "util/threads.h"

/* The consumer waits while more entries than that wait, some MiB with their items, or more logs, which small ones would be. */
#define MAX_ENTRIES (1u << 18)
#define MAX_LOGS 256

/* ---- the thread ---------------------------------------------------------- */

static bool
is_half_empty(const struct cm_log_queue *queue)
{
   return queue->entries <= MAX_ENTRIES / 2 && queue->count <= MAX_LOGS / 2;
}

/* The oldest log that waits; NULL: none does. The lock is held. */
static struct cm_work *
pop(struct cm_log_queue *queue)
{
   struct cm_work *work = queue->first;
   if (!work)
      return NULL;
   queue->first = work->next;
   if (!queue->first)
      queue->last = NULL;
   work->next = NULL;
   assert(queue->count && queue->entries >= work->log.entries.count);
   queue->entries -= work->log.entries.count;
   queue->count--;
   if (is_half_empty(queue))
      pthread_cond_broadcast(&queue->drained);
   return work;
}

static void *
work_off(void *data)
{
   struct cm_log_queue *queue = data;
   pthread_mutex_lock(&queue->lock);
   for (;;) {
      while (!queue->first && !queue->frame_ends && !queue->stops)
         pthread_cond_wait(&queue->filled, &queue->lock);
      if (!queue->first && !queue->frame_ends)
         break;
      queue->is_busy = true;
      struct cm_work *work = pop(queue);
      if (!work)
         queue->frame_ends = false; /* after all its logs */
      pthread_mutex_unlock(&queue->lock);
      queue->take(queue->context, work);
      pthread_mutex_lock(&queue->lock);
      queue->is_busy = false;
      if (!queue->first)
         pthread_cond_broadcast(&queue->drained);
   }
   pthread_mutex_unlock(&queue->lock);
   return NULL;
}

struct cm_work *
cm_log_queue_next(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   assert(queue->is_busy);
   while (!queue->first && !queue->stops)
      pthread_cond_wait(&queue->filled, &queue->lock);
   struct cm_work *work = pop(queue);
   pthread_mutex_unlock(&queue->lock);
   return work;
}

bool
cm_log_queue_init(struct cm_log_queue *queue, void (*take)(void *context, struct cm_work *work),
                  void *context)
{
   *queue = (struct cm_log_queue){.take = take, .context = context};
   pthread_mutex_init(&queue->lock, NULL);
   pthread_cond_init(&queue->filled, NULL);
   pthread_cond_init(&queue->drained, NULL);
   queue->is_running = cm_thread_start(&queue->thread, "tbrsim:timing", work_off, queue) == 0;
   return queue->is_running;
}

void
cm_log_queue_stop(struct cm_log_queue *queue)
{
   if (!queue->is_running)
      return;
   pthread_mutex_lock(&queue->lock);
   queue->stops = true;
   pthread_cond_signal(&queue->filled);
   pthread_mutex_unlock(&queue->lock);
   pthread_join(queue->thread, NULL);
   queue->is_running = false;
}

void
cm_log_queue_finish(struct cm_log_queue *queue)
{
   if (!queue->take)
      return;
   assert(!queue->is_running && !queue->first);
   for (struct cm_work *work = queue->spare, *next; work; work = next) {
      next = work->next;
      cm_log_finish(&work->log);
      free(work);
   }
   pthread_mutex_destroy(&queue->lock);
   pthread_cond_destroy(&queue->filled);
   pthread_cond_destroy(&queue->drained);
}

/* ---- the consumer -------------------------------------------------------- */

struct cm_work *
cm_log_queue_begin(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   struct cm_work *work = queue->spare;
   if (work)
      queue->spare = work->next;
   pthread_mutex_unlock(&queue->lock);
   if (!work && !(work = calloc(1, sizeof *work)))
      return NULL;
   work->next = NULL;
   cm_log_clear(&work->log);
   return work;
}

void
cm_log_queue_put(struct cm_log_queue *queue, struct cm_work *work)
{
   assert(!work->next);
   pthread_mutex_lock(&queue->lock);
   assert(!queue->frame_ends && !queue->stops);
   if (queue->entries > MAX_ENTRIES || queue->count >= MAX_LOGS) {
      while (!is_half_empty(queue))
         pthread_cond_wait(&queue->drained, &queue->lock);
   }
   if (queue->last)
      queue->last->next = work;
   else
      queue->first = work;
   queue->last = work;
   queue->entries += work->log.entries.count;
   queue->count++;
   pthread_cond_signal(&queue->filled);
   pthread_mutex_unlock(&queue->lock);
}

void
cm_log_queue_give_back(struct cm_log_queue *queue, struct cm_work *work)
{
   pthread_mutex_lock(&queue->lock);
   work->next = queue->spare;
   queue->spare = work;
   pthread_mutex_unlock(&queue->lock);
}

/* The lock is held. */
static void
wait_until_drained(struct cm_log_queue *queue)
{
   while (queue->first || queue->is_busy || queue->frame_ends)
      pthread_cond_wait(&queue->drained, &queue->lock);
}

void
cm_log_queue_drain(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   wait_until_drained(queue);
   pthread_mutex_unlock(&queue->lock);
}

void
cm_log_queue_end_frame(struct cm_log_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   queue->frame_ends = true;
   pthread_cond_signal(&queue->filled);
   wait_until_drained(queue);
   pthread_mutex_unlock(&queue->lock);
}
