/* SPDX-License-Identifier: MIT */
#include "pipe/tbr_hit_rate_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "pass/tbr_counter_query.h"
#include "state/tbr_screen.h"

static const char *const events[TBR_RATE_COUNTERS] = {
   [TBR_RATE_HITS] = "hits", [TBR_RATE_READS] = "reads", [TBR_RATE_WRITES] = "writes"};

/* ---- what there is ------------------------------------------------------ */

/** The rate whose hits a counter counts. False: it counts something else. */
static bool
find_counters(const struct tbr_screen *screen, unsigned hits, struct tbr_hit_rate *rate)
{
   const char *name = screen->counters->counters[hits].name;
   const char *event = strrchr(name, '.');
   if (!event || strcmp(event + 1, events[TBR_RATE_HITS]))
      return false;
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++) {
      char other[sizeof screen->counters->counters[0].name];
      snprintf(other, sizeof other, "%.*s.%s", (int)(event - name), name, events[c]);
      const int found = cm_counter_table_find(screen->counters, other);
      if (found < 0)
         return false;
      rate->counters[c] = (unsigned)found;
   }
   rate->unit = screen->counters->counters[hits].unit;
   return true;
}

bool
tbr_hit_rates_init_screen(struct tbr_screen *screen)
{
   const struct cm_counter_table *table = screen->counters;
   screen->hit_rates = CALLOC(table->count, sizeof *screen->hit_rates);
   if (!screen->hit_rates)
      return false;
   for (uint32_t c = 0; c < table->count; c++) {
      struct tbr_hit_rate *rate = &screen->hit_rates[screen->num_hit_rates];
      if (!find_counters(screen, c, rate))
         continue;
      const char *name = table->counters[c].name;
      if (asprintf(&rate->name, "%.*s.hit_percent", (int)(strrchr(name, '.') - name), name) < 0) {
         rate->name = NULL;
         return false;
      }
      screen->num_hit_rates++;
   }
   return true;
}

void
tbr_hit_rates_destroy_screen(struct tbr_screen *screen)
{
   for (unsigned r = 0; r < screen->num_hit_rates; r++)
      free(screen->hit_rates[r].name);
   FREE(screen->hit_rates);
}

const struct tbr_hit_rate *
tbr_hit_rate_of(const struct tbr_screen *screen, unsigned type)
{
   if (!screen->counters || type < PIPE_QUERY_DRIVER_SPECIFIC + screen->counters->count)
      return NULL;
   const unsigned rate = type - PIPE_QUERY_DRIVER_SPECIFIC - screen->counters->count;
   return rate < screen->num_hit_rates ? &screen->hit_rates[rate] : NULL;
}

/* ---- queries ------------------------------------------------------------- */

bool
tbr_hit_rate_query_create(struct tbr_context *context, struct tbr_query *query)
{
   struct pipe_context *base = &context->base;
   const struct tbr_hit_rate *rate = tbr_hit_rate_of(tbr_screen(base->screen), query->type);
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++) {
      const unsigned type = PIPE_QUERY_DRIVER_SPECIFIC + rate->counters[c];
      query->counted[c] = tbr_query(base->create_query(base, type, 0));
      if (!query->counted[c]) {
         tbr_hit_rate_query_destroy(context, query);
         return false;
      }
   }
   return true;
}

void
tbr_hit_rate_query_destroy(struct tbr_context *context, struct tbr_query *query)
{
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++) {
      if (query->counted[c])
         context->base.destroy_query(&context->base, (struct pipe_query *)query->counted[c]);
      query->counted[c] = NULL;
   }
}

bool
tbr_hit_rate_query_begin(struct tbr_context *context, struct tbr_query *query)
{
   bool ok = true;
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++)
      ok &= tbr_counter_query_begin(context, query->counted[c]);
   return ok;
}

void
tbr_hit_rate_query_end(struct tbr_context *context, struct tbr_query *query)
{
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++)
      tbr_counter_query_end(context, query->counted[c]);
}

float
tbr_hit_rate_query_result(struct tbr_context *context, struct tbr_query *query)
{
   uint64_t counts[TBR_RATE_COUNTERS];
   for (unsigned c = 0; c < TBR_RATE_COUNTERS; c++)
      counts[c] = tbr_counter_query_result(context, query->counted[c]);
   const uint64_t accesses = counts[TBR_RATE_READS] + counts[TBR_RATE_WRITES];
   return accesses ? (float)(100.0 * (double)counts[TBR_RATE_HITS] / (double)accesses) : 0;
}
