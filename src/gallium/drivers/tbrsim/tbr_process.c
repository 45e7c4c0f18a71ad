/* SPDX-License-Identifier: MIT */
#include "tbr_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/simple_mtx.h"
#include "util/u_process.h"
#include "stats/process_results.h"

bool
tbr_process_is_new(int *process)
{
   const int now = (int)getpid();
   const bool is_new = *process != now;
   *process = now;
   return is_new;
}

const char *
tbr_process_directory(void)
{
   const char *directory = getenv("TBRSIM_OUT");
   return directory && *directory ? directory : NULL;
}

struct cm_process_results *
tbr_process_results(void)
{
   static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
   static struct cm_process_results *results;
   static int process;

   simple_mtx_lock(&mutex);
   /* The parent's are its own. */
   if (tbr_process_is_new(&process))
      results = NULL;
   if (!results)
      results =
         cm_process_results_create(tbr_process_directory(), getenv("TBRSIM_RUN"), util_get_process_name());
   if (!results)
      fprintf(stderr, "tbrsim: out of memory for the process' results\n");
   struct cm_process_results *found = results;
   simple_mtx_unlock(&mutex);
   return found;
}
