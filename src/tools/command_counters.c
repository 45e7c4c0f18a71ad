/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "options.h"
#include "gpu/counters.h"
#include "tools.h"

static const char description[] =
   "Lists the counters of a configuration: name, unit of measure, description. They are the\n"
   "columns of frames.csv and the names in stats.json.\n";

int
command_counters(int argc, char **argv)
{
   struct options options;
   options_start(&options);
   const struct command_line line = {
      .usage = "tbrsim counters [OPTIONS]",
      .description = description,
      .groups = {CONFIG_OPTIONS(&options.configurations, CM_CONFIG_DEFAULT)},
   };
   command_line_parse(&line, argc, argv);
   options_finish(&options);

   struct cm_counter_table *table = cm_gpu_counter_table_create(options.gpu);
   if (!table)
      fail(STATUS_FAILED, "out of memory");
   for (uint32_t c = 0; c < table->count; c++)
      printf("%-44s %-12s %s\n", table->counters[c].name, table->counters[c].measure,
             table->counters[c].description);
   cm_counter_table_destroy(table);
   return STATUS_OK;
}
