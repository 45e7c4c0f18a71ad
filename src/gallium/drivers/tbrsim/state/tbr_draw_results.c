/* SPDX-License-Identifier: MIT */
#include "state/tbr_draw_results.h"

#include <assert.h>
#include <stdlib.h>

#include "util/log.h"
#include "util/simple_mtx.h"
#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "events/event_stream.h"
#include "gpu/attribution.h"
#include "stats/call_results.h"
#include "state/tbr_screen.h"

#define VARIABLE "TBRSIM_DRAW_RESULTS"

struct tbr_draw_results {
   struct cm_call_results *calls;
   simple_mtx_t mutex;
   uint64_t **values;   /**< by counter, each by call; NULL: not read yet */
   bool *is_attributed; /**< by counter */
   bool *has_failed;    /**< by counter: that it cannot be read was reported */
   bool *is_asked;      /**< by call: a query was of it */
   bool is_any_asked;
   /* What has been reported (atomic). */
   uint32_t said_no_number, said_unknown;
};

bool
tbr_draw_results_are_wanted(void)
{
   const char *directory = getenv(VARIABLE);
   return directory && *directory;
}

static bool
create_columns(struct tbr_draw_results *results, const struct tbr_screen *screen)
{
   const uint32_t count = screen->counters->count;
   results->values = CALLOC(count, sizeof *results->values);
   results->is_attributed = CALLOC(count, sizeof *results->is_attributed);
   results->has_failed = CALLOC(count, sizeof *results->has_failed);
   return results->values && results->is_attributed && results->has_failed &&
          cm_attributed_counters(screen->config, screen->counters, CM_ORIGIN_DRAW, results->is_attributed);
}

bool
tbr_draw_results_init_screen(struct tbr_screen *screen)
{
   char error[1024];
   if (!tbr_draw_results_are_wanted() || !screen->counters)
      return true;
   struct tbr_draw_results *results = CALLOC_STRUCT(tbr_draw_results);
   if (!results)
      return false;
   simple_mtx_init(&results->mutex, mtx_plain);
   screen->draw_results = results;
   if (!create_columns(results, screen)) {
      mesa_loge(VARIABLE ": out of memory");
      return false;
   }
   results->calls = cm_call_results_open(getenv(VARIABLE), error, sizeof error);
   if (results->calls)
      results->is_asked = CALLOC(cm_call_results_count(results->calls), sizeof *results->is_asked);
   if (!results->is_asked)
      mesa_loge(VARIABLE ": %s", results->calls ? "out of memory" : error);
   return results->is_asked;
}

void
tbr_draw_results_finish(struct tbr_screen *screen)
{
   const struct tbr_draw_results *results = screen->draw_results;
   uint32_t left_out = 0, first = 0;
   if (!results || !results->is_any_asked)
      return;
   for (uint32_t c = cm_call_results_count(results->calls); c--;) {
      if (results->is_asked[c])
         continue;
      first = cm_call_results_number(results->calls, c);
      left_out++;
   }
   if (left_out)
      mesa_logi(VARIABLE ": %u calls have drawn that no query was of (mipmaps, copies, what glBegin began), "
                         "first call %u; what they have caused is in no result",
                left_out, first);
}

void
tbr_draw_results_destroy_screen(struct tbr_screen *screen)
{
   struct tbr_draw_results *results = screen->draw_results;
   if (!results)
      return;
   for (uint32_t c = 0; results->values && c < screen->counters->count; c++)
      FREE(results->values[c]);
   FREE(results->values);
   FREE(results->is_attributed);
   FREE(results->has_failed);
   FREE(results->is_asked);
   cm_call_results_close(results->calls);
   simple_mtx_destroy(&results->mutex);
   FREE(results);
   screen->draw_results = NULL;
}

void
tbr_draw_results_check(struct tbr_screen *screen, const struct cm_pass *pass)
{
   struct tbr_draw_results *results = screen->draw_results;
   if (!results)
      return;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const uint32_t call = pass->draws[d].call;
      if (!call && p_atomic_xchg(&results->said_no_number, 1) == 0)
         mesa_loge(VARIABLE ": a draw has no call number; they come from glretrace --markers");
      if (call && cm_call_results_find(results->calls, call) < 0 &&
          p_atomic_xchg(&results->said_unknown, 1) == 0)
         mesa_loge(VARIABLE ": %s has no draw of call %u: it is of another trace, or of other frames",
                   getenv(VARIABLE), call);
   }
}

/** A counter's values by call; NULL with a message when there are none. */
static const uint64_t *
read_values(struct tbr_draw_results *results, const struct cm_counter *counter, unsigned number)
{
   char error[1024];
   if (results->values[number] || results->has_failed[number])
      return results->values[number];
   uint64_t *values = MALLOC(cm_call_results_count(results->calls) * sizeof *values);
   if (!results->is_attributed[number])
      mesa_loge(VARIABLE ": %s is not attributed to draws; each gets 0", counter->name);
   else if (!values)
      mesa_loge(VARIABLE ": %s: out of memory; each draw gets 0", counter->name);
   else if (!cm_call_results_read(results->calls, counter->name, values, error, sizeof error))
      mesa_loge(VARIABLE ": %s; each draw gets 0", error);
   else
      results->values[number] = values;
   results->has_failed[number] = !results->values[number];
   if (results->has_failed[number])
      FREE(values);
   return results->values[number];
}

uint64_t
tbr_draw_results_value(struct tbr_screen *screen, unsigned counter, uint32_t call)
{
   struct tbr_draw_results *results = screen->draw_results;
   assert(counter < screen->counters->count);
   simple_mtx_lock(&results->mutex);
   const uint64_t *values = read_values(results, &screen->counters->counters[counter], counter);
   const int64_t index = cm_call_results_find(results->calls, call);
   const uint64_t value = values && index >= 0 ? values[index] : 0;
   results->is_any_asked = true;
   if (index >= 0)
      results->is_asked[index] = true;
   simple_mtx_unlock(&results->mutex);
   return value;
}
