/* SPDX-License-Identifier: MIT */
/**
 * GL_INTEL_performance_query: the model's counters once more, with descriptions. Its queries are of all
 * counters of a group at once; each is a query of tbr_counter_query.h.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "pipe/tbr_functions.h"

struct tbr_counter_set {
   /** struct gl_perf_query_object, a number and some flags: the frontend keeps it here. */
   uint64_t frontend[4];
   unsigned group;
   unsigned num_queries;
   struct pipe_query *queries[]; /**< by the counters' order in the group */
};

static struct tbr_counter_set *
tbr_counter_set(struct pipe_query *query)
{
   return (struct tbr_counter_set *)query;
}

static const struct tbr_counter_group *
group_of(const struct pipe_context *base, unsigned group)
{
   assert(group < tbr_screen(base->screen)->num_counter_groups);
   return &tbr_screen(base->screen)->counter_groups[group];
}

/** The number in the table of a group's counter. */
static unsigned
find_counter(const struct pipe_context *base, unsigned group, unsigned number)
{
   const struct cm_counter_table *table = tbr_screen(base->screen)->counters;
   unsigned counter = 0;
   while (table->counters[counter].unit != group_of(base, group)->unit || number--)
      counter++;
   assert(counter < table->count);
   return counter;
}

static unsigned
count_groups(struct pipe_context *base)
{
   return tbr_screen(base->screen)->num_counter_groups;
}

static void
get_group_info(struct pipe_context *base, unsigned group, const char **name, uint32_t *data_bytes,
               uint32_t *num_counters, uint32_t *num_active)
{
   *name = group_of(base, group)->name;
   *num_counters = group_of(base, group)->num_counters;
   *data_bytes = *num_counters * sizeof(uint64_t);
   *num_active = tbr_context(base)->num_counter_sets[group];
}

static void
get_counter_info(struct pipe_context *base, unsigned group, unsigned number, const char **name,
                 const char **description, uint32_t *offset, uint32_t *bytes, uint32_t *type,
                 uint32_t *data_type, uint64_t *largest)
{
   const struct tbr_screen *screen = tbr_screen(base->screen);
   const unsigned index = find_counter(base, group, number);
   const struct cm_counter *counter = &screen->counters->counters[index];
   const bool is_time = !strcmp(counter->measure, "cycles") || !strcmp(counter->measure, "ns");

   *name = counter->name;
   *description = screen->counter_texts[index];
   *offset = number * sizeof(uint64_t);
   *bytes = sizeof(uint64_t);
   *type = is_time ? PIPE_PERF_COUNTER_TYPE_DURATION_RAW : PIPE_PERF_COUNTER_TYPE_EVENT;
   *data_type = PIPE_PERF_COUNTER_DATA_TYPE_UINT64;
   *largest = 0;
}

static void
delete_set(struct pipe_context *base, struct pipe_query *handle)
{
   struct tbr_counter_set *set = tbr_counter_set(handle);
   for (unsigned i = 0; i < set->num_queries; i++)
      base->destroy_query(base, set->queries[i]);
   assert(tbr_context(base)->num_counter_sets[set->group]);
   tbr_context(base)->num_counter_sets[set->group]--;
   FREE(set);
}

static struct pipe_query *
create_set(struct pipe_context *base, unsigned group)
{
   const unsigned count = group_of(base, group)->num_counters;
   struct tbr_counter_set *set = CALLOC(1, sizeof *set + count * sizeof set->queries[0]);
   if (!set)
      return NULL;
   set->group = group;
   tbr_context(base)->num_counter_sets[group]++;
   for (; set->num_queries < count; set->num_queries++) {
      const unsigned counter = find_counter(base, group, set->num_queries);
      struct pipe_query *query = base->create_query(base, PIPE_QUERY_DRIVER_SPECIFIC + counter, 0);
      if (!query) {
         delete_set(base, (struct pipe_query *)set);
         return NULL;
      }
      set->queries[set->num_queries] = query;
   }
   return (struct pipe_query *)set;
}

static bool
begin_set(struct pipe_context *base, struct pipe_query *handle)
{
   const struct tbr_counter_set *set = tbr_counter_set(handle);
   bool ok = true;
   for (unsigned i = 0; i < set->num_queries; i++)
      ok &= base->begin_query(base, set->queries[i]);
   return ok;
}

static void
end_set(struct pipe_context *base, struct pipe_query *handle)
{
   const struct tbr_counter_set *set = tbr_counter_set(handle);
   for (unsigned i = 0; i < set->num_queries; i++)
      base->end_query(base, set->queries[i]);
}

static void
wait_for_set(struct pipe_context *base, struct pipe_query *handle)
{
}

static bool
is_set_ready(struct pipe_context *base, struct pipe_query *handle)
{
   return true;
}

static bool
get_set_data(struct pipe_context *base, struct pipe_query *handle, size_t room, uint32_t *data,
             uint32_t *bytes_written)
{
   const struct tbr_counter_set *set = tbr_counter_set(handle);
   const unsigned count = MIN2(set->num_queries, room / sizeof(uint64_t));
   for (unsigned i = 0; i < set->num_queries; i++) {
      union pipe_query_result result;
      base->get_query_result(base, set->queries[i], true, &result);
      if (i < count)
         memcpy(data + 2 * i, &result.u64, sizeof result.u64);
   }
   *bytes_written = count * sizeof(uint64_t);
   return true;
}

void
tbr_counter_set_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;
   if (!tbr_screen(base->screen)->counters)
      return;
   base->init_intel_perf_query_info = count_groups;
   base->get_intel_perf_query_info = get_group_info;
   base->get_intel_perf_query_counter_info = get_counter_info;
   base->new_intel_perf_query_obj = create_set;
   base->delete_intel_perf_query = delete_set;
   base->begin_intel_perf_query = begin_set;
   base->end_intel_perf_query = end_set;
   base->wait_intel_perf_query = wait_for_set;
   base->is_intel_perf_query_ready = is_set_ready;
   base->get_intel_perf_query_data = get_set_data;
}

bool
tbr_counter_set_init_screen(struct tbr_screen *screen)
{
   screen->counter_texts = CALLOC(screen->counters->count, sizeof *screen->counter_texts);
   if (!screen->counter_texts)
      return false;
   for (uint32_t i = 0; i < screen->counters->count; i++) {
      const struct cm_counter *counter = &screen->counters->counters[i];
      if (asprintf(&screen->counter_texts[i], "%s (%s)", counter->description, counter->measure) < 0) {
         screen->counter_texts[i] = NULL;
         return false;
      }
   }
   return true;
}

void
tbr_counter_set_destroy_screen(struct tbr_screen *screen)
{
   for (uint32_t i = 0; screen->counter_texts && i < screen->counters->count; i++)
      free(screen->counter_texts[i]);
   FREE(screen->counter_texts);
}
