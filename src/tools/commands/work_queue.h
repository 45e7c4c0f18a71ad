/* SPDX-License-Identifier: MIT */
/** A stream of items and its consumers, each of which takes all of them in order. Threads share the work: a consumer is
 * at work on one of them at a time, and the one that has got least far comes first. */
#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

/** Limits of the items that wait for a consumer after the oldest one, which is being consumed: number, and bytes, for each
 * consumer, or each further thread if there are more of these, and at most of all. What is made meanwhile, one item by each
 * thread, may go beyond. What one consumer takes soon anyway needs little: memory that is used again is in the caches of the
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
   /** All have taken an item. */
   void (*release)(void *item);
   /** The next item and how large it is, on any thread, but one at a time; NULL: there are no more. May be NULL itself:
    * then items come from work_queue_add. */
   void *(*produce)(void *context, unsigned long *bytes);
   /** Completes an item that was produced, several at the same time; then *bytes is how large it is. False: the items end before
    * this one. NULL: nothing is left to complete. */
   bool (*complete)(void *context, void *item, unsigned long *bytes);

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
   unsigned cut;                    /* items from this number on are not taken; UINT_MAX: there are none */
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
