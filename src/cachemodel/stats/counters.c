/* SPDX-License-Identifier: MIT */
#include "stats/counters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct cm_counter *
cm_counter_table_append(struct cm_counter_table *table, int event, const char *measure)
{
   assert(measure && event >= 0);
   if (!cm_array_grow(&table->counters, table->count, sizeof *table->counters))
      return NULL;
   struct cm_counter *counter = &table->counters[table->count++];
   *counter =
      (struct cm_counter){.measure = measure, .unit = -1, .instance = -1, .stream = -1, .event = event};
   return counter;
}

bool
cm_counter_table_append_texts(struct cm_counter_table *table, const struct cm_counter_text *texts, int count,
                              int first_event, const char *name_prefix, const char *description_prefix)
{
   for (int i = 0; i < count; i++) {
      struct cm_counter *counter = cm_counter_table_append(table, first_event + i, texts[i].measure);
      if (!counter)
         return false;
      snprintf(counter->name, sizeof counter->name, "%s%s", name_prefix, texts[i].name);
      snprintf(counter->description, sizeof counter->description, "%s%s", description_prefix,
               texts[i].description);
   }
   return true;
}

struct cm_counter_table *
cm_counter_table_create(const struct cm_config *config, const struct cm_counter_source *const *sources,
                        unsigned num_sources)
{
   assert(sources && num_sources);
   struct cm_counter_table *table = calloc(1, sizeof *table);
   for (unsigned s = 0; table && s < num_sources; s++) {
      const uint32_t first = table->count;
      if (!sources[s]->list(config, table)) {
         cm_counter_table_destroy(table);
         return NULL;
      }
      for (uint32_t i = first; i < table->count; i++)
         table->counters[i].source = sources[s];
   }
   return table;
}

void
cm_counter_table_destroy(struct cm_counter_table *table)
{
   if (!table)
      return;
   free(table->counters);
   free(table);
}

int
cm_counter_table_find(const struct cm_counter_table *table, const char *name)
{
   for (uint32_t i = 0; i < table->count; i++) {
      if (strcmp(table->counters[i].name, name) == 0)
         return (int)i;
   }
   return -1;
}
