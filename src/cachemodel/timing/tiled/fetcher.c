/* SPDX-License-Identifier: MIT */
/* The Tile Fetcher (TCOR II-C) and Hidden Surface Removal (DTM-NUCA II-C).
 *
 * The Tile Fetcher reads a PMD per cycle, and the primitive's attributes through the same cache's port or, where
 * attributes have their own cache, through that one's. Requests may complete out of order; a primitive goes
 * into the output queue when it is complete and all before it have entered, at most one per cycle. Entries of hierarchical
 * lists that are not of the tile take the port for the cycles that are logged. */
#include "timing/tiled/tiled.h"

void
cm_fetcher_timing_init(struct cm_tiled_timing *timing)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const struct cm_config *config = timing->base.config;
   const uint32_t limit = config->primitive_buffer.lines && timing->pipeline->tile_queue
                             ? config->primitive_buffer.output_queue
                             : timing->pipeline->tile_queue;
   fetcher->attribute_port =
      config->streams[CM_STREAM_PB_LIST] == config->streams[CM_STREAM_PB_ATTRIBUTE] ? 0 : 1;
   fetcher->begin = CM_UNKNOWN;
   cm_flight_init(&fetcher->requests, timing->pipeline->fetch_queue, &timing->base.pool);
   cm_queue_init(&fetcher->tiles, limit, &timing->base.pool);
}

static uint32_t
latency(const struct cm_config *config, enum cm_stream stream)
{
   return config->streams[stream] == CM_UNIT_DRAM ? 0 : config->caches[config->streams[stream]].latency;
}

/* ---- the output queue ---------------------------------------------------- */

/* The oldest primitive that was requested, attributes included, and is not in the output queue, or NULL. */
static struct cm_logged_fetched *
oldest(struct cm_fetcher_timing *fetcher)
{
   if (fetcher->requests.queue.popped + fetcher->pmd_requested == fetcher->requests.queue.entered)
      return NULL;
   while (fetcher->out_work->kind != CM_LOG_TILE ||
          fetcher->out_next == fetcher->out_work->log.fetched.count) {
      fetcher->out_work = fetcher->out_work->next;
      fetcher->out_next = 0;
   }
   return &fetcher->out_work->log.fetched.items[fetcher->out_next];
}

/* Pushes it to the output queue; false where it is not known when there is room. */
static bool
put_out(struct cm_tiled_timing *timing, struct cm_logged_fetched *primitive)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   if (!cm_queue_room_known(&fetcher->tiles))
      return false;
   assert(primitive && primitive->ready == CM_UNKNOWN);
   struct cm_dependency *data = cm_flight_oldest(&fetcher->requests);
   const uint64_t complete =
      cm_later(cm_dependency_resolve(&timing->memory.base, data), fetcher->out_time + 1);
   const uint64_t room = cm_queue_room(&fetcher->tiles);
   fetcher->out_reason = room > complete ? CM_STAGE_BLOCKED : CM_STAGE_MEMORY;
   primitive->ready = fetcher->out_time = cm_later(complete, room);
   cm_flight_pop(&fetcher->requests, primitive->ready);
   cm_queue_push(&fetcher->tiles);
   fetcher->primitives++;
   fetcher->out_next++;
   return true;
}

bool
cm_fetcher_timing_can_pass_on(struct cm_tiled_timing *timing, const struct cm_work *work, uint32_t n,
                              uint64_t *clock)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const struct cm_logged_fetched *wanted = &work->log.fetched.items[n];
   if (wanted->ready != CM_UNKNOWN) {
      *clock = cm_later(*clock, wanted->ready);
      return true;
   }
   const struct cm_logged_fetched *primitive = oldest(fetcher);
   if (!primitive || !cm_queue_room_known(&fetcher->tiles))
      return false;
   *clock = cm_later(*clock, cm_flight_oldest(&fetcher->requests)->time);
   return primitive == wanted;
}

void
cm_fetcher_timing_pass_on(struct cm_tiled_timing *timing, struct cm_work *work, uint32_t n)
{
   if (work->log.fetched.items[n].ready == CM_UNKNOWN)
      put_out(timing, oldest(&timing->fetcher));
}

bool
cm_fetcher_timing_end_pass(struct cm_tiled_timing *timing)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   for (struct cm_logged_fetched *primitive; (primitive = oldest(fetcher));) {
      if (!put_out(timing, primitive))
         return false;
   }
   if (fetcher->begin != CM_UNKNOWN)
      fetcher->cycles += fetcher->out_time - fetcher->begin;
   fetcher->begin = CM_UNKNOWN;
   fetcher->clock = cm_later(fetcher->clock, fetcher->out_time);
   return true;
}

/* ---- requests ------------------------------------------------------------ */

bool
cm_fetcher_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   *clock = fetcher->clock;
   if (!fetcher->work || fetcher->work->kind != CM_LOG_TILE)
      return false;
   /* Its request needs an entry; the oldest entry becomes free when the output queue has room. */
   return fetcher->pmd_requested || fetcher->next == fetcher->work->log.fetched.count ||
          cm_queue_room_known(&fetcher->requests.queue) || cm_queue_room_known(&fetcher->tiles);
}

/* Drops the entries before the next primitive, or the tile's last ones, not before a cycle: their blocks are added to `wait`.
 * Returns when the port is free for what follows. */
static uint64_t
drop(struct cm_tiled_timing *timing, uint64_t cycle, struct cm_dependency *wait)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const struct cm_log *log = &fetcher->work->log;
   cm_dependency_begin(wait, 0);
   for (; fetcher->dropped < log->dropped.count; fetcher->dropped++) {
      const struct cm_logged_dropped *dropped = &log->dropped.items[fetcher->dropped];
      if (dropped->before != fetcher->next)
         break;
      for (uint32_t n = 0; n < dropped->cycles; n++)
         cycle = cm_calendar_take(&fetcher->ports[0], cycle) + 1;
      const uint64_t found = cycle + latency(timing->base.config, CM_STREAM_PB_LIST);
      cm_dependency_until(wait, found);
      cm_tiled_memory_misses(&timing->memory, cm_log_token(log, fetcher->token) + 1,
                             cm_log_token(log, dropped->tokens_end), found, &timing->memory.list, wait);
      fetcher->token = dropped->tokens_end;
   }
   return cycle;
}

void
cm_fetcher_timing_end_tile(struct cm_tiled_timing *timing)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   struct cm_dependency nobody;
   assert(fetcher->next == fetcher->work->log.fetched.count && !fetcher->pmd_requested);
   if (fetcher->dropped < fetcher->work->log.dropped.count) {
      cm_work_serve(fetcher->work, &fetcher->stage, CM_NO_ITEM);
      fetcher->list_begin = drop(timing, cm_later(fetcher->clock, fetcher->list_begin + 1), &nobody) - 1;
      cm_stage_account(&fetcher->stage, CM_STAGE_BUSY, fetcher->list_begin + 1);
      fetcher->clock = cm_later(fetcher->clock, fetcher->list_begin);
   }
   fetcher->work->fetch_done = cm_later(fetcher->attribute_end, fetcher->work->fetch_begin);
   fetcher->work = fetcher->work->next;
   fetcher->next = fetcher->dropped = fetcher->token = 0;
   if (fetcher->work && fetcher->work->kind == CM_LOG_TILE)
      fetcher->token = fetcher->work->log.marks[CM_LOG_LOADED];
}

static void
ask_for_pmd(struct cm_tiled_timing *timing, const struct cm_logged_fetched *primitive)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const struct cm_work *work = fetcher->work;
   if (!cm_queue_room_known(&fetcher->requests.queue))
      put_out(timing, oldest(fetcher));
   const uint64_t room = cm_later(cm_queue_room(&fetcher->requests.queue), fetcher->clock);
   cm_work_serve(work, &fetcher->stage, primitive->draw);
   cm_stage_account(&fetcher->stage, fetcher->out_reason, cm_queue_room(&fetcher->requests.queue));
   const uint64_t free = cm_later(room, fetcher->list_begin + 1);
   const uint64_t at = drop(timing, free, &fetcher->list);
   if (at > free) {
      cm_stage_account(&fetcher->stage, CM_STAGE_MEMORY, free);
      cm_stage_account(&fetcher->stage, CM_STAGE_BUSY, at);
   }
   const uint64_t begin = cm_calendar_take(&fetcher->ports[0], at);
   fetcher->list_begin = begin;
   if (fetcher->begin == CM_UNKNOWN)
      fetcher->begin = begin;
   cm_flight_push(&fetcher->requests, begin);

   const uint64_t found = begin + 1 + latency(timing->base.config, CM_STREAM_PB_LIST);
   const cm_entry *token = work->log.entries.items + fetcher->token;
   const cm_entry *end = cm_group_end(token, work->log.entries.items + primitive->tokens_end);
   cm_dependency_until(&fetcher->list, found);
   cm_tiled_memory_misses(&timing->memory, token + 1, end, found, &timing->memory.list, &fetcher->list);
   fetcher->token = (uint32_t)(end - work->log.entries.items);
   fetcher->pmd_requested = true;
   fetcher->clock = fetcher->list.num_tickets ? fetcher->list.time : begin;
}

static void
ask_for_attributes(struct cm_tiled_timing *timing, const struct cm_logged_fetched *primitive)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const struct cm_work *work = fetcher->work;
   const uint64_t begin = cm_dependency_resolve(&timing->memory.base, &fetcher->list);
   /* An Attribute Cache looks up primitives, others look up attributes. */
   const uint32_t lookups = timing->base.config->primitive_buffer.lines ? 1 : primitive->attributes;
   uint64_t at = cm_later(begin, fetcher->attribute_end);
   cm_work_serve(work, &fetcher->stage, primitive->draw);
   cm_stage_account(&fetcher->stage, CM_STAGE_MEMORY, begin);
   for (uint32_t n = 0; n < lookups; n++)
      at = cm_calendar_take(&fetcher->ports[fetcher->attribute_port], at) + 1;
   cm_stage_account(&fetcher->stage, CM_STAGE_BUSY, at);
   fetcher->attribute_end = at;

   const uint64_t found = at + latency(timing->base.config, CM_STREAM_PB_ATTRIBUTE);
   struct cm_dependency *data = cm_flight_dependency(&fetcher->requests, fetcher->requests.queue.entered - 1);
   cm_dependency_begin(data, found);
   const cm_entry *token = work->log.entries.items + fetcher->token;
   const cm_entry *end = work->log.entries.items + primitive->tokens_end;
   cm_tiled_memory_misses(&timing->memory, token + 1, end, found, &timing->memory.attribute, data);
   fetcher->token = primitive->tokens_end;
   fetcher->pmd_requested = false;
   /* PMDs are read in order: the next one does not arrive before this one. */
   fetcher->list_begin =
      cm_later(fetcher->list_begin, begin - 1 - latency(timing->base.config, CM_STREAM_PB_LIST));
   fetcher->clock = fetcher->list_begin;
   fetcher->next++;
}

/* Compares what tiles up to this one have been made of with what they were. */
static void
check_signatures(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   const uint64_t cycles = (uint64_t)work->checks * timing->base.config->rendering_elimination.check_cycles;
   if (!cycles)
      return;
   cm_work_serve(work, &fetcher->stage, CM_NO_ITEM);
   fetcher->clock =
      cm_stage_work(&fetcher->stage, CM_STAGE_STARVED, cm_later(fetcher->clock, fetcher->list_begin), cycles);
}

static inline void
step(struct cm_tiled_timing *timing)
{
   struct cm_fetcher_timing *fetcher = &timing->fetcher;
   struct cm_work *work = fetcher->work;
   if (work->fetch_begin == CM_UNKNOWN) {
      check_signatures(timing, work);
      work->fetch_begin = cm_later(fetcher->clock, fetcher->list_begin);
      fetcher->token = work->log.marks[CM_LOG_LOADED];
   }
   if (fetcher->next == work->log.fetched.count)
      cm_fetcher_timing_end_tile(timing);
   else if (!fetcher->pmd_requested)
      ask_for_pmd(timing, &work->log.fetched.items[fetcher->next]);
   else
      ask_for_attributes(timing, &work->log.fetched.items[fetcher->next]);
}

CM_RUN_STAGE(fetcher, step)

/* ---- hidden surface removal ---------------------------------------------- */

bool
cm_hidden_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   struct cm_hidden_timing *hidden = &timing->hidden;
   *clock = hidden->stage.until;
   if (!cm_tiled_timing_is_deferred(timing)) {
      hidden->work = NULL;
      return false;
   }
   hidden->work = cm_work_tile(hidden->work);
   const struct cm_work *work = hidden->work;
   if (!work)
      return false;
   /* The one of the two Z-Buffers that has the tile before the last must be free. */
   if (!hidden->next && work->number >= 2 && hidden->z_free[work->number & 1] == CM_UNKNOWN)
      return false;
   if (hidden->next == work->log.fetched.count)
      return work->fetch_begin != CM_UNKNOWN;
   return cm_fetcher_timing_can_pass_on(timing, work, hidden->next, clock);
}

static inline void
remove_hidden(struct cm_tiled_timing *timing)
{
   struct cm_hidden_timing *hidden = &timing->hidden;
   struct cm_work *work = hidden->work;
   if (!hidden->next) {
      cm_work_serve(work, &hidden->stage, CM_NO_ITEM);
      cm_stage_account(&hidden->stage, CM_STAGE_BLOCKED, hidden->z_free[work->number & 1]);
      hidden->z_free[work->number & 1] = CM_UNKNOWN;
   }
   if (hidden->next == work->log.fetched.count) {
      work->hidden_end = cm_later(hidden->stage.until, work->fetch_begin);
      hidden->work = work->next;
      hidden->next = 0;
      return;
   }
   cm_fetcher_timing_pass_on(timing, work, hidden->next);
   const struct cm_logged_fetched *primitive = &work->log.fetched.items[hidden->next++];
   cm_work_serve(work, &hidden->stage, primitive->draw);
   cm_stage_account(&hidden->stage, CM_STAGE_STARVED, primitive->ready);
   cm_queue_pop(&timing->fetcher.tiles, primitive->ready, hidden->stage.until);
   cm_stage_go_on(&hidden->stage, 1 + primitive->quads);
}

CM_RUN_STAGE(hidden, remove_hidden)
