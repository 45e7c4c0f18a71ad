/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "options.h"
#include "gpu/counters.h"
#include "tools.h"

static const char help[] = "usage: tbrsim counters [OPTIONS]\n"
                           "\n"
                           "Lists the counters of a configuration: name, unit of measure, description. They\n"
                           "are the columns of frames.csv and the names in stats.json.\n"
                           "\n" COMMON_OPTIONS_HELP "\n"
                           "  --help                   this text";

static const struct option long_options[] = {
   COMMON_LONG_OPTIONS,
   {NULL, 0, NULL, 0},
};

int
command_counters(int argc, char **argv)
{
   struct options options;
   struct operands operands = {0};
   options_start(&options);
   options_next_anywhere(&options, &operands, argc, argv, long_options, help);
   if (operands.count)
      fail(STATUS_USAGE, "'%s': tbrsim counters takes no arguments", operands.list[0]);
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
