/* SPDX-License-Identifier: MIT */
#include "timing/counter_list.h"

#include <stdio.h>

static bool
add_counter(struct cm_counter_table *table, int event, const char *name, const char *name_end,
            const char *measure, const char *what, const char *description)
{
   struct cm_counter *counter = cm_counter_table_append(table, event, measure);
   if (!counter)
      return false;
   snprintf(counter->name, sizeof counter->name, "%s%s", name, name_end);
   snprintf(counter->description, sizeof counter->description, "%s%s", what, description);
   return true;
}

bool
cm_pipeline_list_counters(const struct cm_pipeline_texts *texts, struct cm_counter_table *table)
{
   static const struct cm_counter_text states[] = {
#define STATE_TEXT(id, name, description) {"." name "_cycles", NULL, ": " description},
      CM_STAGE_STATES(STATE_TEXT)};
   static const struct cm_counter_text dram[] = {
#define DRAM_TEXT(name, measure, description) {"dram_system." #name, measure, description},
      CM_DRAM_SYSTEM_COUNTERS(DRAM_TEXT)};
   int event = 0;
   bool fine = true;
   for (int e = 0; e < texts->num_events; e++)
      fine = fine && add_counter(table, event++, texts->events[e].name, "", texts->events[e].measure, "",
                                 texts->events[e].description);
   for (int s = 0; s < texts->num_stages; s++) {
      for (int state = 0; state < CM_STAGE_STATE_COUNT; state++)
         fine = fine && add_counter(table, event++, texts->stages[s].name, states[state].name, "cycles",
                                    texts->stages[s].description, states[state].description);
   }
   for (int q = 0; q < texts->num_queues; q++) {
      char name[48];
      snprintf(name, sizeof name, "queue.%s", texts->queues[q].name);
      fine = fine &&
             add_counter(table, event++, name, ".items", "items", texts->queues[q].description,
                         ": number of items") &&
             add_counter(table, event++, name, ".cycles", "cycles", texts->queues[q].description,
                         ": sum of their cycles in the queue");
   }
   for (unsigned d = 0; d < sizeof dram / sizeof dram[0]; d++)
      fine = fine && add_counter(table, event++, dram[d].name, "", dram[d].measure,
                                 "the DRAM system: ", dram[d].description);
   return fine;
}

void
cm_pipeline_collect(uint64_t *values, const struct cm_stage *const *stages, unsigned num_stages,
                    const struct cm_queue *const *queues, unsigned num_queues, const struct cm_memory *memory)
{
   for (unsigned s = 0; s < num_stages; s++) {
      for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++)
         *values++ = stages[s]->cycles[state];
   }
   for (unsigned q = 0; q < num_queues; q++) {
      *values++ = queues[q]->popped;
      *values++ = queues[q]->waiting;
   }
   cm_memory_collect(memory, values);
}
