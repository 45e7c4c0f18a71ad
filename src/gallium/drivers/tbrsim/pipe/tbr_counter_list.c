/* SPDX-License-Identifier: MIT */
/** Which counters of the model, and hit rates, are driver queries. */
#include <assert.h>
#include <string.h>

#include "gpu/gpu.h"
#include "model/tbr_model.h"
#include "pipe/tbr_functions.h"
#include "pipe/tbr_hit_rate_query.h"
#include "state/tbr_screen.h"

static unsigned
group_of_unit(const struct tbr_screen *screen, int unit)
{
   unsigned group = 0;
   while (group < screen->num_counter_groups && screen->counter_groups[group].unit != unit)
      group++;
   return group;
}

static int
get_driver_query_info(struct pipe_screen *base, unsigned index, struct pipe_driver_query_info *info)
{
   const struct tbr_screen *screen = tbr_screen(base);
   const unsigned num_counters = screen->counters ? screen->counters->count : 0;

   if (!info)
      return num_counters + screen->num_hit_rates;
   if (index >= num_counters + screen->num_hit_rates)
      return 0;
   if (index >= num_counters) {
      const struct tbr_hit_rate *rate = &screen->hit_rates[index - num_counters];
      *info = (struct pipe_driver_query_info){
         .name = rate->name,
         .query_type = PIPE_QUERY_DRIVER_SPECIFIC + index,
         .type = PIPE_DRIVER_QUERY_TYPE_FLOAT,
         .result_type = PIPE_DRIVER_QUERY_RESULT_TYPE_AVERAGE,
         .group_id = group_of_unit(screen, rate->unit),
      };
      return 1;
   }

   const struct cm_counter *counter = &screen->counters->counters[index];
   *info = (struct pipe_driver_query_info){
      .name = counter->name,
      .query_type = PIPE_QUERY_DRIVER_SPECIFIC + index,
      .type = strcmp(counter->measure, "bytes") == 0 ? PIPE_DRIVER_QUERY_TYPE_BYTES
                                                     : PIPE_DRIVER_QUERY_TYPE_UINT64,
      .result_type = PIPE_DRIVER_QUERY_RESULT_TYPE_AVERAGE,
      .group_id = group_of_unit(screen, counter->unit),
   };
   assert(info->group_id < screen->num_counter_groups);
   return 1;
}

static int
get_driver_query_group_info(struct pipe_screen *base, unsigned index,
                            struct pipe_driver_query_group_info *info)
{
   const struct tbr_screen *screen = tbr_screen(base);

   if (!info)
      return screen->num_counter_groups;
   if (index >= screen->num_counter_groups)
      return 0;
   const struct tbr_counter_group *group = &screen->counter_groups[index];
   *info = (struct pipe_driver_query_group_info){
      .name = group->name,
      .max_active_queries = group->num_counters + group->num_hit_rates,
      .num_queries = group->num_counters + group->num_hit_rates,
   };
   return 1;
}

static void
add_to_group(struct tbr_screen *screen, const struct cm_counter *counter)
{
   const unsigned group = group_of_unit(screen, counter->unit);
   if (group == screen->num_counter_groups) {
      assert(group < ARRAY_SIZE(screen->counter_groups));
      screen->counter_groups[group].unit = counter->unit;
      screen->counter_groups[group].name = counter->unit < 0 ? "pipeline" : cm_unit_names[counter->unit];
      screen->num_counter_groups++;
   }
   screen->counter_groups[group].num_counters++;
}

bool
tbr_counter_list_init_screen(struct tbr_screen *screen)
{
   screen->base.get_driver_query_info = get_driver_query_info;
   screen->base.get_driver_query_group_info = get_driver_query_group_info;
   if (!screen->model || !tbr_model_counters(screen->model))
      return true;

   screen->counters = cm_gpu_counter_table_create(screen->config);
   if (!screen->counters)
      return false;
   for (uint32_t i = 0; i < screen->counters->count; i++)
      add_to_group(screen, &screen->counters->counters[i]);
   if (!tbr_hit_rates_init_screen(screen))
      return false;
   for (unsigned r = 0; r < screen->num_hit_rates; r++)
      screen->counter_groups[group_of_unit(screen, screen->hit_rates[r].unit)].num_hit_rates++;
   return tbr_counter_set_init_screen(screen);
}
