/* SPDX-License-Identifier: MIT */
/**
 * The way of a pass' log from the consumer, which simulates the caches, to a thread that runs its timing meanwhile, part by
 * part: a part ends between two draws, so that all that it says of a draw, its vertices and its primitives is complete. Parts
 * are taken in the order in which they were put, and the thread waits where the next one is not there yet: no cycle depends on
 * the threads.
 */
#ifndef CM_IMMEDIATE_PARTS_H
#define CM_IMMEDIATE_PARTS_H

#include <pthread.h>

#include "timing/log.h"

struct cm_immediate_part {
   struct cm_log
      log; /**< first: a pointer to it is one to this. Positions are counted from its first entry */
   struct cm_immediate_part *next;
   bool begins; /**< it is the first part of a pass */
   bool ends;   /**< it is the last one */
};

struct cm_immediate_parts {
   /** Called by the thread, with context, when a pass is there. It takes its parts, the first and all up to the last. */
   void (*run)(void *context);
   void *context;

   pthread_t thread;
   bool is_running;
   pthread_mutex_t lock;
   pthread_cond_t filled, drained;
   struct cm_immediate_part *first, *last; /**< that wait, the oldest first */
   struct cm_immediate_part *spare;        /**< free, for reuse */
   size_t entries, waiting;                /**< entries of those that wait, and how many these are */
   bool is_busy, stops;
};

/** Starts the thread. False where that fails. */
bool cm_immediate_parts_init(struct cm_immediate_parts *parts, void (*run)(void *context), void *context);
/** Ends the thread after the parts that wait, and frees all. */
void cm_immediate_parts_finish(struct cm_immediate_parts *parts);

/** The consumer's: an empty part to write; NULL when out of memory. */
struct cm_immediate_part *cm_immediate_parts_begin(struct cm_immediate_parts *parts);
/** Puts a part; waits while there are many that wait, or many entries of them. */
void cm_immediate_parts_put(struct cm_immediate_parts *parts, struct cm_immediate_part *part);
/** Returns one that is not put, or that was taken. */
void cm_immediate_parts_give_back(struct cm_immediate_parts *parts, struct cm_immediate_part *part);
/** Waits until all passes are done whose last part was put. */
void cm_immediate_parts_drain(struct cm_immediate_parts *parts);

/** The thread's: the next part, for which it waits. NULL: there will be none, as the consumer has ended in a pass. */
struct cm_immediate_part *cm_immediate_parts_take(struct cm_immediate_parts *parts);

/** Appends a part to the log of a pass. False when out of memory; the log is as before then. */
bool cm_immediate_parts_append(struct cm_log *log, const struct cm_immediate_part *part);

#endif
