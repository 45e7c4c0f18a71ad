/* SPDX-License-Identifier: MIT */
#include "timing/attribution.h"

#include <assert.h>
#include <stdlib.h>

struct cm_cycle_attribution *
cm_cycle_attribution_create(uint32_t parts, uint32_t columns)
{
   struct cm_cycle_attribution *attribution = calloc(1, sizeof *attribution);
   if (!attribution)
      return NULL;
   attribution->parts = parts;
   attribution->end = &attribution->first;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      attribution->tables[part] =
         (struct cm_attribution_table){.part = (enum cm_origin_part)part, .num_columns = columns};
   return attribution;
}

static void
free_stages(struct cm_cycle_attribution *attribution)
{
   for (struct cm_attributed_stage *stage = attribution->first, *next; stage; stage = next) {
      next = stage->next;
      free(stage);
   }
   attribution->first = NULL;
   attribution->end = &attribution->first;
}

void
cm_cycle_attribution_destroy(struct cm_cycle_attribution *attribution)
{
   if (!attribution)
      return;
   free_stages(attribution);
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      cm_attribution_table_finish(&attribution->tables[part]);
   free(attribution);
}

bool
cm_cycle_attribution_add(struct cm_cycle_attribution *attribution, struct cm_stage *stage, uint32_t column)
{
   struct cm_attributed_stage *attributed = malloc(sizeof *attributed);
   if (!attributed)
      return false;
   *attributed = (struct cm_attributed_stage){.stage = stage, .attribution = attribution, .column = column};
   memset(attributed->rows, 0xff, sizeof attributed->rows);
   memcpy(attributed->counted, stage->cycles, sizeof attributed->counted);
   stage->attributed = *attribution->end = attributed;
   attribution->end = &attributed->next;
   return true;
}

static void
add_to_table(struct cm_attributed_stage *attributed, unsigned part, const uint64_t *grown)
{
   struct cm_cycle_attribution *attribution = attributed->attribution;
   struct cm_attribution_table *table = &attribution->tables[part];
   uint32_t *row = &attributed->rows[part];
   if (*row == CM_NO_ROW) {
      *row = cm_attribution_table_add(table, cm_attribution_table_key(table, &attributed->origin));
      if (*row == CM_NO_ROW) {
         attribution->out_of_memory = true;
         return;
      }
   }
   uint64_t *values = cm_attribution_table_row(table, *row) + attributed->column;
   for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++)
      values[state] += grown[state];
}

/* Adds the cycles since the last time to the rows of the origin. */
static void
add_up(struct cm_attributed_stage *attributed)
{
   uint64_t grown[CM_STAGE_STATE_COUNT], any = 0;
   for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++) {
      grown[state] = attributed->stage->cycles[state] - attributed->counted[state];
      attributed->counted[state] = attributed->stage->cycles[state];
      any |= grown[state];
   }
   if (!any)
      return;
   assert(attributed->origin.parts[CM_ORIGIN_PASS]);
   for (uint32_t parts = attributed->attribution->parts; parts; parts &= parts - 1)
      add_to_table(attributed, (unsigned)__builtin_ctz(parts), grown);
}

void
cm_cycle_attribution_add_up(struct cm_cycle_attribution *attribution)
{
   for (struct cm_attributed_stage *stage = attribution->first; stage; stage = stage->next)
      add_up(stage);
}

void
cm_cycle_attribution_remove_stages(struct cm_cycle_attribution *attribution)
{
   cm_cycle_attribution_add_up(attribution);
   free_stages(attribution);
}

void
cm_cycle_attribution_clear(struct cm_cycle_attribution *attribution)
{
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      cm_attribution_table_clear(&attribution->tables[part]);
   for (struct cm_attributed_stage *stage = attribution->first; stage; stage = stage->next)
      memset(stage->rows, 0xff, sizeof stage->rows);
}

void
cm_cycle_attribution_serve(struct cm_attributed_stage *attributed, const struct cm_origin *origin)
{
   const uint32_t parts = attributed->attribution->parts | 1u << CM_ORIGIN_PASS;
   uint32_t changed = 0;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      changed |= (uint32_t)(attributed->origin.parts[part] != origin->parts[part]) << part;
   if (!(changed & parts))
      return;
   add_up(attributed);
   attributed->origin = *origin;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (changed & (1u << part | 1u << CM_ORIGIN_PASS))
         attributed->rows[part] = CM_NO_ROW;
   }
}
