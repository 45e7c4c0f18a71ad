/* SPDX-License-Identifier: MIT */
#include "model/tbr_process.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/log.h"
#include "util/simple_mtx.h"
#include "util/u_process.h"
#include "results/process_results.h"

static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
static struct cm_process_results *results;

void
tbr_process_at_fork(bool *registered, void (*child)(void))
{
   if (!*registered)
      *registered = pthread_atfork(NULL, NULL, child) == 0;
}

const char *
tbr_process_directory(void)
{
   const char *directory = getenv("TBRSIM_OUT");
   return directory && *directory ? directory : NULL;
}

static void
reset_after_fork(void)
{
   simple_mtx_init(&mutex, mtx_plain);
   if (results)
      cm_process_results_leave_to_parent(results);
   results = NULL;
}

struct cm_process_results *
tbr_process_results(void)
{
   static bool registered;

   simple_mtx_lock(&mutex);
   tbr_process_at_fork(&registered, reset_after_fork);
   if (!results)
      results =
         cm_process_results_create(tbr_process_directory(), getenv("TBRSIM_RUN"), util_get_process_name());
   if (!results)
      mesa_loge("out of memory for the process' results");
   struct cm_process_results *found = results;
   simple_mtx_unlock(&mutex);
   return found;
}

void
tbr_process_finish(void)
{
   simple_mtx_lock(&mutex);
   if (results)
      cm_process_results_destroy(results);
   results = NULL;
   simple_mtx_unlock(&mutex);
}
