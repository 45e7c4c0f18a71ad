/* SPDX-License-Identifier: MIT */
/* Each core reads the lists of its tiles, a primitive per cycle, with its attributes; a limited number are in flight, or wait
 * for the rasterizer. Entries of hierarchical lists that are not of the tile take the cycles that are logged. */
#include "timing/cores/cores.h"

static uint32_t
latency(const struct cm_config *config, enum cm_stream stream)
{
   return config->streams[stream] == CM_UNIT_DRAM ? 0 : config->caches[config->streams[stream]].latency;
}

/* The last primitive that was read, if not all of its vertices are fetched; else NULL. */
static const struct cm_logged_fetched *
without_vertices(const struct cm_core *core)
{
   if (!core->list_next)
      return NULL;
   const struct cm_logged_fetched *last = &core->list->log.fetched.items[core->list_next - 1];
   return core->list_vertex < last->vertices_end ? last : NULL;
}

/* Whether there is room for the next vertex or primitive, or nothing is left. */
static bool
has_room(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   const struct cm_logged_fetched *last = without_vertices(core);
   if (last)
      return cm_core_vertices_can_collect(timing, core, last->draw);
   return core->list_next == core->list->log.fetched.count || cm_queue_room_known(&core->primitives.queue);
}

bool
cm_core_list_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock)
{
   const struct cm_work *work = core->list;
   *clock = core->list_clock;
   if (!work || !cm_cores_pass_may_begin(timing, work))
      return false;
   *clock = cm_later(*clock, timing->pass_begin);
   return has_room(timing, core) || core->tile_vertices.is_open;
}

/* Drops the entries before the next primitive, or the tile's last ones: their blocks are awaited in `wait`. False: there are
 * none. */
static bool
drop(struct cm_cores_timing *timing, struct cm_core *core, struct cm_dependency *wait)
{
   const struct cm_log *log = &core->list->log;
   const struct cm_logged_dropped *dropped = log->dropped.items + core->list_dropped;
   const struct cm_logged_dropped *end = log->dropped.items + log->dropped.count;
   if (dropped == end || dropped->before != core->list_next)
      return false;
   cm_dependency_begin(wait, 0);
   cm_work_serve(core->list, &timing->fetchers, CM_NO_ITEM);
   for (; dropped < end && dropped->before == core->list_next; dropped++) {
      core->list_clock = cm_stage_work(&timing->fetchers, CM_STAGE_STARVED,
                                       cm_later(core->list_clock, timing->pass_begin), dropped->cycles);
      const uint64_t found = core->list_clock + latency(timing->base.config, CM_STREAM_PB_LIST);
      cm_dependency_until(wait, found);
      cm_tiled_memory_misses(&timing->memory, cm_log_token(log, core->list_token) + 1,
                             cm_log_token(log, dropped->tokens_end), found, &timing->memory.list, wait);
      core->list_token = dropped->tokens_end;
      core->list_dropped++;
   }
   return true;
}

/* A primitive's entry of the list, and its attributes, where it has any. */
static void
request(struct cm_cores_timing *timing, struct cm_core *core, const struct cm_logged_fetched *primitive)
{
   const struct cm_config *config = timing->base.config;
   struct cm_dependency before;
   const bool has_dropped = drop(timing, core, &before);
   const cm_entry *tokens = core->list->log.entries.items, *end = tokens + primitive->tokens_end;
   const cm_entry *token = tokens + core->list_token, *attributes = cm_group_end(token, end);
   cm_work_serve(core->list, &timing->fetchers, primitive->draw);
   cm_stage_account(&timing->fetchers, CM_STAGE_STARVED, timing->pass_begin);
   cm_stage_account(&timing->fetchers, CM_STAGE_BLOCKED, cm_queue_room(&core->primitives.queue));
   const uint64_t begin =
      cm_stage_work(&timing->fetchers, CM_STAGE_STARVED, cm_later(core->list_clock, timing->pass_begin), 1);
   struct cm_dependency *wait = cm_flight_push(&core->primitives, begin);
   if (has_dropped)
      *wait = before;
   const uint64_t listed = begin + latency(config, CM_STREAM_PB_LIST);
   const bool has_attributes = !cm_config_shades_by_tile(config);
   const uint64_t found = has_attributes ? begin + latency(config, CM_STREAM_PB_ATTRIBUTE) : listed;
   cm_dependency_until(wait, cm_later(listed, found));
   cm_tiled_memory_misses(&timing->memory, token + 1, attributes, listed, &timing->memory.list, wait);
   if (attributes < end)
      cm_tiled_memory_misses(&timing->memory, attributes + 1, end, found, &timing->memory.attribute, wait);
   core->list_token = primitive->tokens_end;
   core->list_clock = begin;
   core->list_next++;
}

/* Reads the next primitive, or fetches the next vertex. */
static void
read_next(struct cm_cores_timing *timing, struct cm_core *core)
{
   const struct cm_logged_fetched *last = without_vertices(core);
   timing->fetchers.until = core->list_until;
   if (last)
      cm_core_vertices_fetch(timing, core, last);
   else
      request(timing, core, &core->list->log.fetched.items[core->list_next]);
   core->list_until = timing->fetchers.until;
}

/* Compares what tiles up to this one have been made of with what they were. */
static void
check_signatures(struct cm_cores_timing *timing, struct cm_core *core)
{
   const uint64_t cycles =
      (uint64_t)core->list->checks * timing->base.config->rendering_elimination.check_cycles;
   if (!cycles)
      return;
   timing->fetchers.until = core->list_until;
   cm_work_serve(core->list, &timing->fetchers, CM_NO_ITEM);
   core->list_clock = core->list_until =
      cm_stage_work(&timing->fetchers, CM_STAGE_STARVED, core->list_clock, cycles);
}

void
cm_core_list_step(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_work *work = core->list;
   if (work->fetch_begin == CM_UNKNOWN) {
      core->list_clock = cm_later(core->list_clock, timing->pass_begin);
      check_signatures(timing, core);
      work->fetch_begin = core->list_clock;
      core->list_token = work->log.marks[CM_LOG_LOADED];
   }
   if (!has_room(timing, core)) {
      cm_core_vertices_close(core);
      return;
   }
   if (core->list_next < work->log.fetched.count || without_vertices(core)) {
      read_next(timing, core);
      return;
   }
   struct cm_dependency nobody;
   timing->fetchers.until = core->list_until;
   drop(timing, core, &nobody);
   core->list_until = timing->fetchers.until;
   cm_core_vertices_close(core);
   work->fetch_done = core->list_clock;
   core->list = work->next_of_core;
   core->list_next = core->list_dropped = core->list_vertex = 0;
}
