/* SPDX-License-Identifier: MIT */
/**
 * Threads that share the work of one simulation. The work is divided among workers. A worker does its tasks one after
 * another, on any thread, but on one at a time: what only it uses needs no lock. Which thread does what depends on time;
 * results must not.
 *
 * The thread that owns the work is one of the threads: where it would wait, it does tasks (cm_threads_wait).
 */
#ifndef CM_THREADS_H
#define CM_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** Most threads of a simulation, and most workers. */
#define CM_MAX_THREADS 64
#define CM_MAX_WORKERS (CM_MAX_THREADS + 2)

struct cm_worker {
   /** Whether there is a task that can be done now. Called with the lock. */
   bool (*is_ready)(void *context);
   /** Claims that task, so that the next one is another; called with the lock if it is ready. NULL: not needed. */
   void (*claim)(void *context);
   /** Does it, without the lock. */
   void (*run)(void *context);
   /** Notes, with the lock, that it is done. */
   void (*end)(void *context);
   void *context;
   uint64_t nanoseconds; /**< processor time of its tasks */
   bool is_busy;         /**< a thread does one */
   unsigned thread;      /**< that has done the last one: the owner is 1, its threads follow; 0: none has */
};

struct cm_threads {
   pthread_mutex_t lock; /**< of everything that workers tell each other */
   pthread_cond_t ready; /**< there is a task: threads wait for it */
   pthread_cond_t done;  /**< one is done: the owner waits for it */
   pthread_t list[CM_MAX_THREADS];
   unsigned count; /**< without the owner */
   struct cm_worker *workers[CM_MAX_WORKERS];
   unsigned num_workers;
   unsigned numbered;          /**< threads that have a number: those of list, as they begin */
   unsigned sleeping;          /**< threads that wait for `ready` */
   bool owner_sleeps;          /**< the owner waits for `done` */
   bool stops;                 /**< no task is begun any more, but by the owner */
   uint64_t owner_nanoseconds; /**< processor time of tasks that the owner has done */
};

/** Processor time of the calling thread. */
uint64_t cm_thread_nanoseconds(void);

/** Starts a thread that takes no signals: those of the application are not for it, and a file that may grow no further
 * (SIGXFSZ) is an error in it, not the end of the process. name: at most 15 characters. Returns 0, or an error number. */
int cm_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *data);

/** Without threads or workers. */
void cm_threads_init(struct cm_threads *threads);

/** Adds a worker. Earlier ones are preferred, but a thread prefers those whose last task it has done: what they use is
 * in the caches of its processor. Before cm_threads_start. */
void cm_threads_add(struct cm_threads *threads, struct cm_worker *worker);

/** Starts threads in addition to the owner; fewer if the system has no more. */
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

/** With the lock, by the owner, after a change that may have given a worker a task: does tasks, and waits if there is none,
 * until is_done is true, which is called with the lock. Then other threads do what is left. */
void cm_threads_wait(struct cm_threads *threads, bool (*is_done)(const void *context), const void *context);

#endif
