/* SPDX-License-Identifier: MIT */
#include "commands/draw_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/attribution.h"
#include "gpu/counters.h"
#include "output/progress.h"
#include "tools.h"
#include "util/near.h"

static _Noreturn void
fail_unknown(const struct cm_counter_table *table, const char *name)
{
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   cm_near_start(&near, name, strlen(name));
   for (uint32_t c = 0; c < table->count; c++)
      cm_near_offer(&near, table->counters[c].name);
   fail(STATUS_USAGE, "--pdrawcalls: the configuration has no counter '%s'%s; tbrsim counters lists them",
        name, cm_near_text(&near, hint, sizeof hint));
}

void
draw_metrics_check(const struct options *options, const char *counters)
{
   struct cm_counter_table *table = cm_gpu_counter_table_create(options->gpu);
   bool *is_attributed = allocate(table ? table->count * sizeof *is_attributed : 1);
   if (!table || !cm_attributed_counters(options->gpu, table, CM_ORIGIN_DRAW, is_attributed))
      fail(STATUS_FAILED, "out of memory");
   char *list = text("%s", counters), *rest = list;
   for (char *name; (name = strsep(&rest, ","));) {
      name += strspn(name, " ");
      const int counter = cm_counter_table_find(table, name);
      if (counter < 0)
         fail_unknown(table, name);
      if (!is_attributed[counter])
         fail(STATUS_USAGE, "--pdrawcalls: %s is not attributed to draws (docs/attribution.md)", name);
   }
   free(list);
   free(is_attributed);
   cm_counter_table_destroy(table);
}

bool
draw_metrics_print(const struct options *options, const struct trace *trace, const char *counters)
{
   struct replayer replayer;
   struct options again = *options;
   again.record = again.run = again.out = again.timeline = NULL;
   again.settings = text("%s\nattribution.draw=off", options->settings ? options->settings : "");
   char *log = text("%s/pdrawcalls.log", options->out);
   const struct replay_metrics metrics = {.results = options->out, .counters = counters};

   fflush(stdout);
   replayer_start(&replayer, trace, "tbrsim", &again, options->frames, NULL, &metrics, log);
   while (process_running(&replayer.process)) {
      progress_show("printing draws", 0, 0);
      nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
   }
   replayer_finish(&replayer);
   progress_end();
   free(log);
   free(again.settings);
   return !replayer.complained;
}
