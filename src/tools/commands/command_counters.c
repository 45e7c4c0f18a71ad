/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>

#include "options.h"
#include "gpu/counters.h"
#include "output/output.h"
#include "tools.h"

static const char description[] =
   "Lists the counters of a configuration: name, unit of measure, description. They are the\n"
   "columns of frames.csv and the names in stats.json. With words, lists only those whose name\n"
   "or description has all of them, in upper or lower case: tbrsim counters l2 misses.\n";

/* The table's counters become those with all words. */
static void
keep(struct cm_counter_table *table, const struct operands *words)
{
   uint32_t kept = 0;
   for (uint32_t c = 0; c < table->count; c++) {
      if (operands_are_in(words, table->counters[c].name, table->counters[c].description))
         table->counters[kept++] = table->counters[c];
   }
   if (!kept)
      fail(STATUS_FAILED, "the configuration has no counter with '%s'%s in name or description",
           words->list[0], words->count > 1 ? " and the other words" : "");
   table->count = kept;
}

static json_t *
counters_json(const struct cm_counter_table *table)
{
   json_t *rows = json_array();
   for (uint32_t c = 0; c < table->count; c++)
      json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "name", table->counters[c].name, "measure",
                                            table->counters[c].measure, "description",
                                            table->counters[c].description));
   return rows;
}

static void
print_table(const struct cm_counter_table *table)
{
   for (uint32_t c = 0; c < table->count; c++)
      printf("%-44s %-12s %s\n", table->counters[c].name, table->counters[c].measure,
             table->counters[c].description);
}

int
command_counters(int argc, char **argv)
{
   struct options options;
   enum output_format format = OUTPUT_TABLE;
   options_start(&options);
   const struct command_line line = {
      .usage = "tbrsim counters [OPTIONS] [WORD...]",
      .description = description,
      .operands = OPERANDS_ANY,
      .operand = "word",
      .groups = {CONFIG_OPTIONS(&options.configurations, CM_CONFIG_DEFAULT), FORMAT_OPTIONS(&format)},
   };
   const struct operands words = command_line_parse(&line, argc, argv);
   options_finish(&options);

   struct cm_counter_table *table = cm_gpu_counter_table_create(options.gpu);
   if (!table)
      fail(STATUS_FAILED, "out of memory");
   if (words.count)
      keep(table, &words);
   if (format == OUTPUT_CSV)
      output_csv(counters_json(table), stdout);
   else if (format == OUTPUT_JSON)
      output_json(counters_json(table), 1, stdout);
   else
      print_table(table);
   cm_counter_table_destroy(table);
   return STATUS_OK;
}
