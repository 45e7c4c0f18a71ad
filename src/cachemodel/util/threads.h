/* SPDX-License-Identifier: MIT */
/**
 * Threads that share the work of one simulation. The work is divided among workers. A worker does its tasks one after
 * another, on any thread, but on one at a time: what only it uses needs no lock. Which thread does what depends on time;
 * results must not.
 *
 * The thread that owns the work is one of the threads: where it would wait, it does tasks (cm_threads_help). Threads of others
 * may do tasks between their own work: guests.
 */
#ifndef CM_THREADS_H
#define CM_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** Most threads of a simulation, and most workers. */
#define CM_MAX_THREADS 64
#define CM_MAX_WORKERS 72

struct cm_worker {
   /** Takes the next task, if there is one that can be done now. Called with the lock. */
   bool (*take)(void *context);
   /** Does it, without the lock. */
   void (*work)(void *context);
   void *context;
   uint64_t nanoseconds; /**< processor time of its tasks */
   bool is_busy;         /**< a thread does one */
   unsigned
      thread; /**< that has done the last one: the owner is 1, its threads follow, then guests; 0: none has */
};

struct cm_threads {
   pthread_mutex_t lock; /**< of everything that workers tell each other */
   pthread_cond_t changed;
   pthread_t list[CM_MAX_THREADS];
   unsigned count; /**< without the owner */
   struct cm_worker *workers[CM_MAX_WORKERS];
   unsigned num_workers;
   unsigned numbered;           /**< threads that have a number: those of list, as they begin */
   unsigned sleeping;           /**< threads that wait for a task */
   bool guest_waits;            /**< a guest has found no task, and waits for one */
   void (*wake)(void *context); /**< called when there may be one, with the lock */
   void *wake_context;
   bool stops;                 /**< no task is begun any more, but by the owner; guests are gone */
   uint64_t owner_nanoseconds; /**< processor time of tasks that the owner has done */
};

/** Processor time of the calling thread. */
uint64_t cm_thread_nanoseconds(void);

/** Starts a thread that takes no signals: those of the application are not for it, and a file that may grow no further
 * (SIGXFSZ) is an error in it, not the end of the process. name: at most 15 characters. Returns 0, or an error number. */
int cm_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *data);

/** Without threads or workers. */
void cm_threads_init(struct cm_threads *threads);

/** Adds a worker; those that come first are preferred, but a thread prefers those whose last task it has done: what they use is
 * in the caches of its processor. Before cm_threads_start. */
void cm_threads_add(struct cm_threads *threads, struct cm_worker *worker);

/** Starts threads beside the owner; fewer where the system has no more. */
void cm_threads_start(struct cm_threads *threads, unsigned count);

/** Ends them; no worker may have a task left. */
void cm_threads_finish(struct cm_threads *threads);

static inline void
cm_threads_lock(struct cm_threads *threads)
{
   pthread_mutex_lock(&threads->lock);
}

static inline void
cm_threads_unlock(struct cm_threads *threads)
{
   pthread_mutex_unlock(&threads->lock);
}

/** With the lock, after a change by which a worker may have got a task. (When one is done, threads look by themselves.) */
static inline void
cm_threads_notify(struct cm_threads *threads)
{
   if (threads->sleeping)
      pthread_cond_broadcast(&threads->changed);
   if (threads->guest_waits) {
      threads->guest_waits = false;
      threads->wake(threads->wake_context);
   }
}

/** Without the lock: a guest, which has that number among guests, does a task if there is one. Returns whether there was; if
 * not, and the guest waits then, threads->wake is called once there may be one. */
bool cm_threads_visit(struct cm_threads *threads, unsigned guest, bool waits);

/** Without the lock: the owner does a task if there is one. Returns whether there was. */
bool cm_threads_work(struct cm_threads *threads);

/** With the lock: does tasks, and waits where there is none, until is_done is true, which is called with the lock. */
void cm_threads_help(struct cm_threads *threads, bool (*is_done)(void *context), void *context);

#endif
