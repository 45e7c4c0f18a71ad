/* SPDX-License-Identifier: MIT */
#include "commands/work_queue.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "tools.h"

/* One that takes part. */
struct work_consumer {
   unsigned number;
   unsigned next; /* number of the item it takes next */
   bool busy;
};

/* In functions that are static here the lock is held. */

static struct work_item *
item_of(struct work_queue *queue, unsigned number)
{
   assert(number >= queue->first && number < queue->end);
   return &queue->items[number % WORK_QUEUE_ITEMS];
}

static void
push(struct work_queue *queue, void *data, unsigned long bytes)
{
   const bool is_complete = !queue->complete;
   bytes = is_complete ? bytes : 0;
   queue->items[queue->end++ % WORK_QUEUE_ITEMS] =
      (struct work_item){data, bytes, queue->num_members, is_complete ? WORK_COMPLETE : WORK_PRODUCED};
   queue->incomplete += !is_complete;
   queue->bytes += bytes;
}

/* Whether no one takes an item any more, or works on it. */
static bool
is_over(const struct work_queue *queue, unsigned number)
{
   const struct work_item *item = &queue->items[number % WORK_QUEUE_ITEMS];
   return item->state != WORK_IN_COMPLETION && (!item->users || number >= queue->cut);
}

static void
release(struct work_queue *queue)
{
   while (queue->first < queue->end && is_over(queue, queue->first)) {
      const struct work_item *item = item_of(queue, queue->first);
      queue->first++;
      queue->incomplete -= item->state != WORK_COMPLETE;
      queue->bytes -= item->bytes;
      queue->release(item->data);
   }
   pthread_cond_broadcast(&queue->changed);
}

/* Whether those that wait, besides the oldest item, are not too large. */
static bool
has_room_for_bytes(const struct work_queue *queue)
{
   const unsigned completing = queue->complete ? queue->helpers : 0;
   const unsigned long wanted =
      (queue->num_members > completing ? queue->num_members : completing) * WORK_QUEUE_CONSUMER_BYTES;
   const unsigned long limit = wanted < WORK_QUEUE_BYTES ? wanted : WORK_QUEUE_BYTES;
   /* Of the oldest item, which is being consumed, or will be next. */
   const unsigned long first =
      queue->first == queue->end ? 0 : queue->items[queue->first % WORK_QUEUE_ITEMS].bytes;
   return queue->bytes - first < limit;
}

/* One item for each thread to complete is enough. */
static bool
has_room(const struct work_queue *queue)
{
   return queue->end - queue->first < WORK_QUEUE_ITEMS && queue->incomplete <= queue->helpers &&
          has_room_for_bytes(queue);
}

/* Of the consumers with a waiting item, the one that has got least far takes it. False where there is none. */
static bool
consume(struct work_queue *queue)
{
   struct work_consumer *found = NULL;
   for (unsigned c = 0; c < queue->num_members; c++) {
      struct work_consumer *consumer = &queue->consumers[c];
      if (!consumer->busy && consumer->next < queue->end && consumer->next < queue->cut &&
          item_of(queue, consumer->next)->state == WORK_COMPLETE && (!found || consumer->next < found->next))
         found = consumer;
   }
   if (!found)
      return false;
   struct work_item *item = item_of(queue, found->next);
   assert(item->users);
   found->busy = true;
   pthread_mutex_unlock(&queue->lock);
   queue->consume(queue->context, found->number, item->data);
   pthread_mutex_lock(&queue->lock);
   found->busy = false;
   found->next++;
   item->users--;
   release(queue);
   return true;
}

/* Completes the oldest item of which that is wanted. False where there is none. */
static bool
complete(struct work_queue *queue)
{
   unsigned number = queue->first;
   while (number < queue->end && item_of(queue, number)->state != WORK_PRODUCED)
      number++;
   if (number == queue->end || number >= queue->cut || (number != queue->first && !has_room_for_bytes(queue)))
      return false;
   struct work_item *item = item_of(queue, number);
   unsigned long bytes = 0;
   item->state = WORK_IN_COMPLETION;
   pthread_mutex_unlock(&queue->lock);
   const bool ok = queue->complete(queue->context, item->data, number, &bytes);
   pthread_mutex_lock(&queue->lock);
   assert(item->state == WORK_IN_COMPLETION && item->users == queue->num_members);
   item->state = WORK_COMPLETE;
   item->bytes = bytes;
   queue->bytes += bytes;
   queue->incomplete--;
   if (!ok) {
      queue->cut = number < queue->cut ? number : queue->cut;
      queue->ended = true;
   }
   release(queue);
   return true;
}

static bool
produce(struct work_queue *queue)
{
   if (!queue->produce || queue->producing || queue->ended || !has_room(queue))
      return false;
   unsigned long bytes = 0;
   queue->producing = true;
   pthread_mutex_unlock(&queue->lock);
   void *data = queue->produce(queue->context, &bytes);
   pthread_mutex_lock(&queue->lock);
   queue->producing = false;
   queue->ended |= !data;
   if (data)
      push(queue, data, bytes);
   release(queue);
   return true;
}

static void
work_or_wait(struct work_queue *queue)
{
   if (!consume(queue) && !complete(queue) && !produce(queue))
      pthread_cond_wait(&queue->changed, &queue->lock);
}

static void *
thread_main(void *data)
{
   struct work_queue *queue = data;
   pthread_mutex_lock(&queue->lock);
   while (!queue->ended || queue->first < queue->end)
      work_or_wait(queue);
   pthread_mutex_unlock(&queue->lock);
   return NULL;
}

void
work_queue_start(struct work_queue *queue, unsigned threads)
{
   queue->cut = UINT_MAX;
   queue->helpers = threads;
   pthread_mutex_init(&queue->lock, NULL);
   pthread_cond_init(&queue->changed, NULL);
   queue->consumers = allocate(queue->num_consumers * sizeof(*queue->consumers));
   for (unsigned c = 0; c < queue->num_consumers; c++) {
      if (queue->takes_part(queue->context, c))
         queue->consumers[queue->num_members++].number = c;
   }
   queue->threads = allocate(threads * sizeof(*queue->threads));
   while (queue->num_threads < threads &&
          !pthread_create(&queue->threads[queue->num_threads], NULL, thread_main, queue))
      queue->num_threads++;
}

void
work_queue_add(struct work_queue *queue, void *item, unsigned long bytes)
{
   assert(!queue->produce && !queue->complete);
   pthread_mutex_lock(&queue->lock);
   while (!has_room(queue))
      work_or_wait(queue);
   push(queue, item, bytes);
   release(queue);
   pthread_mutex_unlock(&queue->lock);
}

void
work_queue_drain(struct work_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   while (queue->first < queue->end)
      work_or_wait(queue);
   pthread_mutex_unlock(&queue->lock);
}

void
work_queue_finish(struct work_queue *queue)
{
   pthread_mutex_lock(&queue->lock);
   queue->ended |= !queue->produce;
   pthread_cond_broadcast(&queue->changed);
   pthread_mutex_unlock(&queue->lock);
   thread_main(queue);
   while (queue->num_threads)
      pthread_join(queue->threads[--queue->num_threads], NULL);
   free(queue->threads);
   free(queue->consumers);
   pthread_cond_destroy(&queue->changed);
   pthread_mutex_destroy(&queue->lock);
}
