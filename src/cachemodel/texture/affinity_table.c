/* SPDX-License-Identifier: MIT */
#include "texture/affinity_table.h"

#include <stdlib.h>
#include <string.h>

bool
cm_affinity_table_init(struct cm_affinity_table *table, const struct cm_affinity_config *config,
                       uint32_t processors)
{
   *table = (struct cm_affinity_table){
      .processors = processors,
      .buckets = config->buckets,
      .page_shift = (uint32_t)__builtin_ctz(config->page_blocks),
      .bucket_mask = (config->buckets & (config->buckets - 1)) == 0 ? config->buckets - 1 : 0,
      .saturated = (1u << config->counter_bits) - 1,
      .reset = config->epoch_reset,
      .threshold_percent = config->threshold_percent,
   };
   table->owners = malloc(table->buckets);
   table->counters = calloc(table->buckets, processors);
   if (!table->owners || !table->counters) {
      cm_affinity_table_finish(table);
      return false;
   }
   memset(table->owners, CM_NO_OWNER, table->buckets);
   return true;
}

void
cm_affinity_table_finish(struct cm_affinity_table *table)
{
   free(table->owners);
   free(table->counters);
   table->owners = table->counters = NULL;
}

bool
cm_affinity_saturate(struct cm_affinity_table *table, uint32_t bucket, uint32_t processor)
{
   uint8_t *counters = table->counters + (size_t)bucket * table->processors;
   const uint32_t owner = table->owners[bucket];
   const uint32_t counter = counters[processor];
   const bool enough =
      owner == CM_NO_OWNER || 100 * counter > (100 + table->threshold_percent) * counters[owner];
   for (uint32_t p = 0; p < table->processors; p++)
      counters[p] >>= 1;
   if (owner == processor || !enough)
      return false;
   table->owners[bucket] = (uint8_t)processor;
   return true;
}

/* The processor with the highest counter, the lowest of several; none where all are 0. */
static uint8_t
most_accesses(const uint8_t *counters, uint32_t processors)
{
   uint32_t best = 0;
   for (uint32_t p = 1; p < processors; p++) {
      if (counters[p] > counters[best])
         best = p;
   }
   return counters[best] ? (uint8_t)best : CM_NO_OWNER;
}

uint32_t
cm_affinity_end_epoch(struct cm_affinity_table *table, enum cm_epoch_owner what)
{
   uint32_t changes = 0;
   for (uint32_t bucket = 0; bucket < table->buckets && what != CM_EPOCH_OWNER_KEEP; bucket++) {
      uint8_t owner = CM_NO_OWNER;
      if (what == CM_EPOCH_OWNER_RECOMPUTE) {
         owner = most_accesses(table->counters + (size_t)bucket * table->processors, table->processors);
         if (owner == CM_NO_OWNER)
            owner = table->owners[bucket];
      }
      changes += owner != table->owners[bucket];
      table->owners[bucket] = owner;
   }
   cm_affinity_reset(table);
   return changes;
}

void
cm_affinity_reset(struct cm_affinity_table *table)
{
   for (size_t c = 0; c < (size_t)table->buckets * table->processors; c++)
      table->counters[c] = table->reset == CM_EPOCH_RESET_HALVE ? table->counters[c] >> 1 : 0;
}
