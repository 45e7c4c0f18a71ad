/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pthread_setname_np */
#include "util/threads.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <time.h>

int
cm_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *data)
{
   sigset_t all, before;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &before);
   const int code = pthread_create(thread, NULL, run, data);
   pthread_sigmask(SIG_SETMASK, &before, NULL);
   if (code == 0)
      pthread_setname_np(*thread, name);
   return code;
}

uint64_t
cm_thread_nanoseconds(void)
{
   struct timespec time;
   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
   return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Number of the owner. */
#define OWNER 1

/* A worker with a task, whose last one the thread has done if there is such a worker; NULL: there is no task. */
static struct cm_worker *
find_task(const struct cm_threads *threads, unsigned thread)
{
   struct cm_worker *other = NULL;
   for (unsigned w = 0; w < threads->num_workers; w++) {
      struct cm_worker *worker = threads->workers[w];
      if ((worker->thread == thread || !other) && !worker->is_busy && worker->is_ready(worker->context)) {
         if (worker->thread == thread)
            return worker;
         other = worker;
      }
   }
   return other;
}

/* Wakes a thread if there is a task. One that begins a task wakes the next one, and one that is done with a task looks for
 * another itself: no thread sleeps while there is something to do. */
static void
wake(struct cm_threads *threads)
{
   if (threads->sleeping && find_task(threads, OWNER))
      pthread_cond_signal(&threads->ready);
}

/* With the lock: does a task, if there is one. Adds its time. */
static bool
do_task(struct cm_threads *threads, unsigned thread, uint64_t *nanoseconds)
{
   struct cm_worker *worker = find_task(threads, thread);
   if (!worker)
      return false;
   worker->is_busy = true;
   worker->thread = thread;
   if (worker->claim)
      worker->claim(worker->context);
   wake(threads);
   cm_threads_unlock(threads);
   const uint64_t begin = cm_thread_nanoseconds();
   worker->run(worker->context);
   const uint64_t time = cm_thread_nanoseconds() - begin;
   cm_threads_lock(threads);
   assert(worker->is_busy && worker->thread == thread);
   worker->end(worker->context);
   worker->is_busy = false;
   worker->nanoseconds += time;
   *nanoseconds += time;
   if (threads->owner_sleeps)
      pthread_cond_signal(&threads->done);
   return true;
}

static void *
run(void *data)
{
   struct cm_threads *threads = data;
   uint64_t nanoseconds = 0;
   cm_threads_lock(threads);
   const unsigned thread = OWNER + ++threads->numbered;
   while (!threads->stops) {
      if (do_task(threads, thread, &nanoseconds))
         continue;
      threads->sleeping++;
      pthread_cond_wait(&threads->ready, &threads->lock);
      threads->sleeping--;
   }
   cm_threads_unlock(threads);
   return NULL;
}

void
cm_threads_init(struct cm_threads *threads)
{
   memset(threads, 0, sizeof *threads);
   pthread_mutex_init(&threads->lock, NULL);
   pthread_cond_init(&threads->ready, NULL);
   pthread_cond_init(&threads->done, NULL);
}

void
cm_threads_add(struct cm_threads *threads, struct cm_worker *worker)
{
   assert(threads->num_workers < CM_MAX_WORKERS && !threads->count && worker->is_ready && worker->end);
   threads->workers[threads->num_workers++] = worker;
}

void
cm_threads_start(struct cm_threads *threads, unsigned count)
{
   while (threads->count < count && threads->count < CM_MAX_THREADS &&
          cm_thread_start(&threads->list[threads->count], "tbrsim:model", run, threads) == 0)
      threads->count++;
}

void
cm_threads_finish(struct cm_threads *threads)
{
   cm_threads_lock(threads);
   threads->stops = true;
   pthread_cond_broadcast(&threads->ready);
   cm_threads_unlock(threads);
   while (threads->count)
      pthread_join(threads->list[--threads->count], NULL);
   assert(!threads->sleeping && !find_task(threads, OWNER));
   pthread_cond_destroy(&threads->ready);
   pthread_cond_destroy(&threads->done);
   pthread_mutex_destroy(&threads->lock);
}

void
cm_threads_wait(struct cm_threads *threads, bool (*is_done)(const void *context), const void *context)
{
   assert(!threads->owner_sleeps && !threads->stops);
   while (!is_done(context)) {
      if (do_task(threads, OWNER, &threads->owner_nanoseconds))
         continue;
      threads->owner_sleeps = true;
      pthread_cond_wait(&threads->done, &threads->lock);
      threads->owner_sleeps = false;
   }
   wake(threads);
}
