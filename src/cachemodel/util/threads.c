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

/* A task of a worker that the thread knows, or of one that it does not. */
static struct cm_worker *
find_task(struct cm_threads *threads, unsigned thread, bool known)
{
   for (unsigned w = 0; w < threads->num_workers; w++) {
      struct cm_worker *worker = threads->workers[w];
      if ((worker->thread == thread) == known && !worker->is_busy && worker->take(worker->context))
         return worker;
   }
   return NULL;
}

/* With the lock: does a task, if there is one. Adds its time. */
static bool
do_task(struct cm_threads *threads, unsigned thread, uint64_t *nanoseconds)
{
   struct cm_worker *worker = find_task(threads, thread, true);
   if (!worker)
      worker = find_task(threads, thread, false);
   if (!worker)
      return false;
   worker->is_busy = true;
   worker->thread = thread;
   cm_threads_unlock(threads);
   const uint64_t begin = cm_thread_nanoseconds();
   worker->work(worker->context);
   const uint64_t time = cm_thread_nanoseconds() - begin;
   cm_threads_lock(threads);
   worker->nanoseconds += time;
   *nanoseconds += time;
   worker->is_busy = false;
   cm_threads_notify(threads);
   return true;
}

static void
sleep_until_changed(struct cm_threads *threads)
{
   threads->sleeping++;
   pthread_cond_wait(&threads->changed, &threads->lock);
   threads->sleeping--;
}

static void *
run(void *data)
{
   struct cm_threads *threads = data;
   uint64_t nanoseconds = 0;
   cm_threads_lock(threads);
   const unsigned thread = OWNER + ++threads->numbered;
   while (!threads->stops) {
      if (!do_task(threads, thread, &nanoseconds))
         sleep_until_changed(threads);
   }
   cm_threads_unlock(threads);
   return NULL;
}

void
cm_threads_init(struct cm_threads *threads)
{
   memset(threads, 0, sizeof *threads);
   pthread_mutex_init(&threads->lock, NULL);
   pthread_cond_init(&threads->changed, NULL);
}

void
cm_threads_add(struct cm_threads *threads, struct cm_worker *worker)
{
   assert(threads->num_workers < CM_MAX_WORKERS && !threads->count);
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
   pthread_cond_broadcast(&threads->changed);
   cm_threads_unlock(threads);
   while (threads->count)
      pthread_join(threads->list[--threads->count], NULL);
   pthread_cond_destroy(&threads->changed);
   pthread_mutex_destroy(&threads->lock);
}

bool
cm_threads_visit(struct cm_threads *threads, unsigned guest, bool waits)
{
   uint64_t nanoseconds = 0;
   cm_threads_lock(threads);
   const bool done = do_task(threads, OWNER + CM_MAX_THREADS + 1 + guest, &nanoseconds);
   threads->guest_waits |= !done && waits && threads->wake;
   cm_threads_unlock(threads);
   return done;
}

bool
cm_threads_work(struct cm_threads *threads)
{
   cm_threads_lock(threads);
   const bool done = do_task(threads, OWNER, &threads->owner_nanoseconds);
   cm_threads_unlock(threads);
   return done;
}

void
cm_threads_help(struct cm_threads *threads, bool (*is_done)(void *context), void *context)
{
   while (!is_done(context)) {
      if (!do_task(threads, OWNER, &threads->owner_nanoseconds))
         sleep_until_changed(threads);
   }
}
