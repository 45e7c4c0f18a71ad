/* SPDX-License-Identifier: MIT */
/** A stream of items and its consumers, each of which takes all of them in order. Threads share the work: a consumer is
 * at work on one of them at a time, and the one that has got least far comes first. Items may have to be completed before they are
 * taken, which threads do side by side. */
#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

/** Limits of the items that wait for a consumer after the oldest one, which is being consumed: number, and bytes, for each
 * consumer, or each thread that completes items if there are more of these, and at most of all. What is made meanwhile, one item by
 * each thread, may go beyond. What one consumer takes soon anyway needs little: memory that is used again is in the caches of the
 * host. */
#define WORK_QUEUE_ITEMS 64
#define WORK_QUEUE_CONSUMER_BYTES (8ul << 20)
#define WORK_QUEUE_BYTES (256ul << 20)

/** To be filled in up to lock, with zeros from there on, for each stream. */
struct work_queue {
   void *context; /**< what the functions get */
   unsigned num_consumers;
   /** Whether a consumer takes items of this stream. */
   bool (*takes_part)(const void *context, unsigned consumer);
   /** A consumer takes an item. */
   void (*consume)(void *context, unsigned consumer, void *item);
   /** All have taken an item, or no one will. */
   void (*release)(void *item);
   /** The next item and, unless it is to be completed, how large it is; on any thread, but one at a time. NULL: there are no more.
    * May be NULL itself: then items come from work_queue_add. */
   void *(*produce)(void *context, unsigned long *bytes);
   /** Completes an item, the number-th that was produced, and says how large it is; several at the same time. False: it cannot be
    * completed, and the items end before it. May be NULL: then items are complete as they are. */
   bool (*complete)(void *context, void *item, unsigned number, unsigned long *bytes);

   pthread_mutex_t lock;
   pthread_cond_t changed;
   struct work_item {
      void *data;
      unsigned long bytes;
      unsigned users; /* consumers that have not taken it yet */
      enum { WORK_PRODUCED, WORK_IN_COMPLETION, WORK_COMPLETE } state;
   } items[WORK_QUEUE_ITEMS];       /* a ring: item n is at n % WORK_QUEUE_ITEMS */
   unsigned first, end;             /* items there are */
   unsigned incomplete;             /* how many of them are not complete */
   unsigned cut;                    /* the first item that could not be completed; UINT_MAX: all could */
   unsigned long bytes;             /* of all that are complete */
   struct work_consumer *consumers; /* those that take part */
   unsigned num_members;
   bool producing, ended; /* a thread is in `produce`; no more items come */
   pthread_t *threads;
   unsigned num_threads, helpers; /* those that run; that were asked for */
};

/** Starts the work, on so many threads in addition to the calling one; fewer if the system has no more. */
void work_queue_start(struct work_queue *queue, unsigned threads);

/** Adds an item; works on others while there is no room for it. */
void work_queue_add(struct work_queue *queue, void *item, unsigned long bytes);

/** Works until all consumers have taken all items that were added. */
void work_queue_drain(struct work_queue *queue);

/** Works until all consumers have taken all items, of which no more are added, and ends the threads. */
void work_queue_finish(struct work_queue *queue);

#endif
