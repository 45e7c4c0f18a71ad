/* SPDX-License-Identifier: MIT */
/* Writes the log of what the consumer does, item by item, and hands it to the threads of the timing. calls.c calls most of
 * these functions: at once, or where the shared side finds the call. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "events/quads.h"
#include "timing/recorder_internal.h"
#include "util/array.h"
#include "util/minmax.h"

/* ---- reading the access stream --------------------------------------------- */

/* Whether it reads the first cache of vertices or of indices. */
static inline bool
is_vertex_read(const struct cm_timing *timing, cm_entry entry)
{
   const enum cm_stream stream = cm_entry_stream(entry);
   return timing->vertex_streams >> stream & 1 && cm_entry_unit(entry) == timing->config->streams[stream];
}

static inline bool
is_writing(const struct cm_timing *timing)
{
   return timing && timing->log && !timing->out_of_memory;
}

/* Kinds of logged entries other than accesses. */
#define LOGGED_KINDS                                                                              \
   (1u << CM_ENTRY_DRAM_READ | 1u << CM_ENTRY_DRAM_WRITE | 1u << CM_ENTRY_UNIT_ACCESS |           \
    1u << CM_ENTRY_FILL | 1u << CM_ENTRY_GROUP | 1u << CM_ENTRY_LOOKUP | 1u << CM_ENTRY_REQUEST | \
    1u << CM_ENTRY_MESSAGE)

/* lookups: how many of the first ones can be taken as they are. */
static inline void
read_entries(struct cm_timing *timing, const cm_entry *entries, uint32_t count, uint32_t lookups)
{
   struct cm_log *log = timing->log;
   timing->out_of_memory = !cm_array_make_room(&log->entries.items, &log->entries.capacity,
                                               log->entries.count, count, sizeof *entries);
   if (timing->out_of_memory)
      return;
   const uint32_t units = timing->units;
   cm_entry *const first = log->entries.items, *next = first + log->entries.count;
   const cm_entry whole = (cm_entry)(CM_ENTRY_WRITE_BLOCK - CM_ENTRY_WRITE) << CM_ENTRY_KIND_SHIFT;
   if (lookups)
      memcpy(next, entries, lookups * sizeof *entries);
   next += lookups;
   for (uint32_t i = lookups; i < count; i++) {
      const cm_entry entry = entries[i];
      const enum cm_entry_kind kind = cm_entry_kind(entry);
      if (kind > CM_ENTRY_LAST_ACCESS) {
         *next = entry;
         next += LOGGED_KINDS >> kind & 1;
         continue;
      }
      if (kind == CM_ENTRY_READ)
         timing->vertex_reads += is_vertex_read(timing, entry);
      *next = kind == CM_ENTRY_WRITE_BLOCK ? entry - whole : entry;
      next += units >> cm_entry_unit(entry) & 1;
   }
   log->entries.count = (uint32_t)(next - first);
}

/* struct cm_access_reader's. */
static void
read_stream(void *context, const cm_entry *entries, uint32_t count)
{
   struct cm_timing *timing = context;
   if (is_writing(timing))
      read_entries(timing, entries, count, timing->hierarchy->shared.reported_lookups);
}

/* Whether all accesses of a stream are looked at: in the tile-based pipeline those that go to the L2 at once, in mode imr all.
 * Lookups of textures, and of storage in load/store caches, are logged as such. */
static bool
is_watched(const struct cm_config *config, enum cm_stream stream)
{
   const enum cm_unit unit = config->streams[stream];
   if (config->mode != CM_MODE_IMR)
      return unit == CM_UNIT_L2;
   return unit != CM_UNIT_DRAM && stream != CM_STREAM_TEXTURE && unit != CM_UNIT_LOAD_STORE_CACHE;
}

/* Also what caches pass on, and accesses to memory. The tile-based pipeline also counts reads of vertices and indices. */
bool
cm_timing_read_accesses(struct cm_timing *timing)
{
   const struct cm_config *config = timing->config;
   const bool has_tiles = config->mode != CM_MODE_IMR;
   timing->logs_surfaces = has_tiles && config->attribution.texture;
   timing->vertex_streams = has_tiles ? 1u << CM_STREAM_VERTEX | 1u << CM_STREAM_INDEX : 0;
   struct cm_access_reader reader = {
      .read = read_stream,
      .context = timing,
      .streams = timing->vertex_streams,
      .requests = true,
   };
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && config->caches[unit].next != CM_UNIT_DRAM)
         timing->units |= 1u << config->caches[unit].next;
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (!is_watched(config, (enum cm_stream)stream))
         continue;
      reader.streams |= 1u << stream;
      timing->units |= 1u << config->streams[stream];
   }
   return cm_hierarchy_add_reader(timing->hierarchy, &reader);
}

/* ---- writing ------------------------------------------------------------- */

/* Reserves space for an item of the log that is being written; false: there is no log, or out of memory. */
static bool
make_room(struct cm_timing *timing, void *items, size_t *capacity, size_t count, size_t item_bytes)
{
   if (!is_writing(timing))
      return false;
   timing->out_of_memory = !cm_array_make_room(items, capacity, count, 1, item_bytes);
   return !timing->out_of_memory;
}

/* The next item of a list; NULL: there is no log, or out of memory. */
#define ADD(timing, list)                                                                \
   (timing && timing->log &&                                                             \
          make_room((timing), &(timing)->log->list.items, &(timing)->log->list.capacity, \
                    (timing)->log->list.count, sizeof *(timing)->log->list.items)        \
       ? &(timing)->log->list.items[(timing)->log->list.count++]                         \
       : NULL)

/* There is one. */
#define LAST(timing, list) (&(timing)->log->list.items[(timing)->log->list.count - 1])

/* How many entries the pass' log has: all accesses so far. There is a log. */
static inline __attribute__((always_inline)) uint32_t
position(struct cm_timing *timing)
{
   struct cm_shared_side *shared = &timing->hierarchy->shared;
   if (shared->num_readers > 1) {
      cm_access_stream_drain(&shared->reported);
   } else if (shared->reported.count) {
      /* The same, for the only reader; most items have a few entries. */
      read_entries(timing, shared->reported.entries, shared->reported.count, shared->reported_lookups);
      shared->reported.count = shared->reported_lookups = 0;
   }
   return timing->first_entry + timing->log->entries.count;
}

/* The same of what may be followed by more lookups of textures: those that are all that is reported need not be read yet. */
static inline __attribute__((always_inline)) uint32_t
position_of_lookups(struct cm_timing *timing)
{
   const struct cm_shared_side *shared = &timing->hierarchy->shared;
   if (shared->num_readers > 1 || shared->reported_lookups < shared->reported.count)
      return position(timing);
   return timing->first_entry + timing->log->entries.count + shared->reported_lookups;
}

/* The entries since the last item's belong to this one. Where they end. */
static uint32_t
take_tokens(struct cm_timing *timing)
{
   return timing->logged_end = is_writing(timing) ? position(timing) : 0;
}

/* ---- logs ---------------------------------------------------------------- */

static void
begin_log(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile, bool begins)
{
   struct cm_work *work = cm_log_queue_begin(&timing->logs);
   timing->out_of_memory = !work;
   if (!work)
      return;
   work->kind = timing->last_kind = kind;
   work->pass = timing->num_passes;
   work->tile = kind == CM_LOG_TILE || kind == CM_LOG_GROUPS ? tile : CM_NO_ITEM;
   work->begins = begins;
   work->checks = kind == CM_LOG_TILE ? timing->checks : 0;
   timing->checks -= work->checks;
   timing->log = &work->log;
}

/* Reads all entries so far. */
static void
catch_up(struct cm_timing *timing)
{
   struct cm_shared_side *shared = &timing->hierarchy->shared;
   if (timing->calls)
      cm_access_stream_drain(&shared->reported); /* what it makes a call in the midst of follows */
   else
      cm_shared_side_run(shared);
}

void
cm_record_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   if (timing->out_of_memory)
      return;
   assert(!timing->log);
   catch_up(timing); /* which belongs to no log */
   if (kind == CM_LOG_GEOMETRY || kind == CM_LOG_PASS || kind == CM_LOG_DISPATCH) {
      cm_timing_divide(timing);
      timing->num_passes++;
   }
   if (timing->out_of_memory)
      return;
   begin_log(timing, kind, tile, kind != CM_LOG_TILE || timing->last_kind != CM_LOG_TILE);
   timing->logged_end = timing->first_entry = timing->first_draw = timing->first_accessing = 0;
   timing->vertex_reads = 0;
}

/* Puts what is logged into the queue. */
static void
submit(struct cm_timing *timing, bool ends)
{
   struct cm_work *work = cm_timing_take_written(timing);
   assert(timing->logged_end <= timing->first_entry + work->log.entries.count);
   work->ends = ends;
   cm_log_queue_put(&timing->logs, work);
   if (ends && timing->is_kept)
      cm_log_queue_drain(&timing->logs);
}

/* A part of so many entries is worth the way to the other thread. */
#define PART_ENTRIES 16384

void
cm_record_submit_log(struct cm_timing *timing)
{
   if (!is_writing(timing) || timing->is_kept || timing->log->entries.count < PART_ENTRIES)
      return;
   assert(timing->last_kind == CM_LOG_PASS);
   catch_up(timing);
   /* All entries are some item's. */
   if (position(timing) != timing->logged_end || timing->out_of_memory)
      return;
   timing->first_entry += timing->log->entries.count;
   timing->first_draw += timing->log->draws.count;
   timing->first_accessing += timing->log->accessing.count;
   submit(timing, false);
   begin_log(timing, CM_LOG_PASS, 0, false);
}

void
cm_record_end(struct cm_timing *timing)
{
   if (!timing->log)
      return;
   catch_up(timing);
   if (timing->out_of_memory)
      cm_log_queue_give_back(&timing->logs, cm_timing_take_written(timing));
   else
      submit(timing, true);
}

void
cm_timing_give_up(struct cm_timing *timing)
{
   timing->out_of_memory = true;
}

/* ---- items ----------------------------------------------------------------- */

/* Quads that were counted become those of the tile's primitives. */
static void
end_covered(struct cm_timing *timing)
{
   for (uint32_t p = 0; p < timing->log->fetched.count; p++) {
      uint32_t *covered = &timing->covered[timing->log->fetched.items[p].index];
      timing->log->fetched.items[p].quads = *covered;
      *covered = 0;
   }
}

void
cm_record_mark(struct cm_timing *timing, enum cm_log_mark mark)
{
   if (!is_writing(timing))
      return;
   timing->log->marks[mark] = take_tokens(timing);
   if (mark == CM_LOG_SHADED && timing->has_covered && is_writing(timing)) {
      end_covered(timing);
      timing->has_covered = false;
   }
}

void
cm_timing_surface(struct cm_timing *timing, uint32_t resource)
{
   struct cm_logged_surface *item = timing && timing->logs_surfaces ? ADD(timing, surfaces) : NULL;
   if (item)
      *item = (struct cm_logged_surface){.begin = position(timing), .resource = resource};
}

void
cm_timing_group(struct cm_timing *timing, enum cm_stream stream, uint32_t accesses)
{
   if (timing)
      cm_access_stream_append(timing->hierarchy->shared.reports,
                              cm_entry_make(CM_ENTRY_GROUP, 0, 0, stream, accesses));
}

/* ---- shader cores ---------------------------------------------------------- */

uint32_t
cm_record_cost(struct cm_timing *timing, const struct cm_shader_cost *cost)
{
   struct cm_shader_cost *item = ADD(timing, costs);
   if (!item)
      return 0;
   *item = *cost;
   return timing->log->costs.count - 1;
}

void
cm_record_draw_cost(struct cm_timing *timing, enum cm_preraster_stage stage, enum cm_code_part part,
                    const struct cm_shader_cost *cost)
{
   if (!is_writing(timing))
      return;
   const uint32_t number = cm_record_cost(timing, cost);
   if (!is_writing(timing))
      return;
   struct cm_logged_draw *draw = LAST(timing, draws);
   if (part == CM_CODE_VARYINGS)
      draw->varyings_cost = number;
   else
      draw->costs[stage] = number;
}

/* ---- vertices ------------------------------------------------------------ */

void
cm_record_draw(struct cm_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_logged_draw *item = ADD(timing, draws);
   if (!item)
      return;
   *item = *draw;
   item->begin = timing->logged_end;
}

void
cm_record_shaders_fetched(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->program_end = take_tokens(timing);
}

void
cm_record_vertex_fetched(struct cm_timing *timing)
{
   if (!is_writing(timing))
      return;
   timing->fetched_end = position(timing);
   timing->is_vertex_fetched = true;
}

static bool
add_vertex(struct cm_timing *timing, bool reused)
{
   struct cm_logged_vertex *item = ADD(timing, vertices);
   if (!item)
      return false;
   item->tokens_end = take_tokens(timing);
   item->accesses_begin = timing->is_vertex_fetched ? timing->fetched_end : item->tokens_end;
   timing->is_vertex_fetched = false;
   item->accesses = timing->vertex_reads & INT32_MAX;
   item->reused = reused;
   timing->vertex_reads = 0;
   return true;
}

void
cm_record_vertex(struct cm_timing *timing, bool reused)
{
   if (add_vertex(timing, reused))
      LAST(timing, draws)->num_vertices++;
}

void
cm_record_invocation(struct cm_timing *timing, enum cm_preraster_stage stage, uint32_t number)
{
   struct cm_logged_invocation *item = ADD(timing, accessing);
   if (!item)
      return;
   struct cm_logged_draw *draw = LAST(timing, draws);
   const uint32_t begin = timing->logged_end;
   *item = (struct cm_logged_invocation){.number = number, .begin = begin, .end = take_tokens(timing)};
   if (!draw->stages[stage].num_accessing++)
      draw->stages[stage].first_accessing = timing->first_accessing + timing->log->accessing.count - 1;
}

void
cm_record_stages_end(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->stages_end = take_tokens(timing);
}

void
cm_record_draw_end(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->tokens_end = timing->log->marks[CM_LOG_VERTICES] = take_tokens(timing);
}

/* ---- the tile-based pipeline --------------------------------------------- */

void
cm_record_binned(struct cm_timing *timing, const struct cm_logged_binned *binned)
{
   struct cm_logged_binned *item = ADD(timing, binned);
   if (!item)
      return;
   *item = *binned;
   item->tokens_end = take_tokens(timing);
   item->signed_blocks = timing->signed_blocks;
   item->signed_tiles = timing->signed_tiles;
   if (binned->draw < timing->log->draws.count)
      timing->log->draws.items[binned->draw].num_primitives++;
}

void
cm_record_sign(struct cm_timing *timing, uint32_t blocks, uint32_t tiles)
{
   timing->signed_blocks = blocks;
   timing->signed_tiles = tiles;
}

void
cm_record_check(struct cm_timing *timing, uint32_t tile)
{
   timing->checks++;
   timing->checked = tile;
}

void
cm_record_checks_end(struct cm_timing *timing)
{
   if (!timing->checks)
      return;
   cm_record_begin(timing, CM_LOG_TILE, timing->checked);
   cm_record_end(timing);
}

void
cm_record_fetched(struct cm_timing *timing, const struct cm_logged_fetched *fetched)
{
   struct cm_logged_fetched *item = ADD(timing, fetched);
   if (!item)
      return;
   *item = *fetched;
   item->tokens_end = take_tokens(timing);
   item->vertices_end = timing->log->vertices.count;
}

void
cm_record_tile_vertex(struct cm_timing *timing, uint32_t cost)
{
   if (!add_vertex(timing, false))
      return;
   LAST(timing, fetched)->vertices_end++;
   LAST(timing, fetched)->vertex_cost = cost;
}

void
cm_record_dropped(struct cm_timing *timing, uint32_t cycles)
{
   struct cm_logged_dropped *item = ADD(timing, dropped);
   if (item)
      *item = (struct cm_logged_dropped){
         .tokens_end = take_tokens(timing),
         .before = timing->log->fetched.count,
         .cycles = cycles,
      };
}

/* Events are prefetched this many words ahead: they are in the cache of the core that decoded them. */
#define WORDS_AHEAD 256

/* Adds quads to the primitives that they belong to. */
static inline void
count_quads(struct cm_timing *timing, const struct cm_quad *quads, uint32_t count)
{
   if (count == 4 && cm_quads_are_of_one(quads) && CM_FOUR_QUADS(quads, covered) == 15 &&
       quads[0].primitive < timing->num_covered) {
      timing->covered[quads[0].primitive] += 4; /* mostly */
      return;
   }
   for (uint32_t q = 0; q < count;) {
      const uint32_t primitive = quads[q].primitive;
      uint32_t covered = 0;
      for (; q < count && quads[q].primitive == primitive; q++)
         covered += quads[q].covered != 0;
      if (primitive < timing->num_covered)
         timing->covered[primitive] += covered;
   }
}

/* Those of the tile's events; of a group that runs more than once, once. */
static void
count_covered(struct cm_timing *timing, const struct cm_tile_events *events)
{
   const uint32_t *word = events->words, *end = word + events->num_words;
   for (; word < end; word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      __builtin_prefetch(word + WORDS_AHEAD);
      if ((type == CM_EVENT_SHADE || type == CM_EVENT_UNSHADED) && !cm_event_continues(*word))
         count_quads(timing, (const struct cm_quad *)(word + 2), cm_event_count(*word));
   }
}

/* Makes room for counts of quads by primitive, up to the last one that is fetched. False: they are not counted. */
static bool
begin_covered(struct cm_timing *timing)
{
   if (!is_writing(timing) || timing->config->mode != CM_MODE_TBDR || !timing->log->fetched.count)
      return false;
   const uint32_t primitives = LAST(timing, fetched)->index + 1;
   if (primitives <= timing->num_covered)
      return true;
   const uint32_t more = primitives - timing->num_covered;
   timing->out_of_memory = !cm_array_make_room(&timing->covered, &timing->covered_capacity,
                                               timing->num_covered, more, sizeof *timing->covered);
   if (timing->out_of_memory)
      return false;
   memset(timing->covered + timing->num_covered, 0, more * sizeof *timing->covered);
   timing->num_covered = primitives;
   return true;
}

void
cm_record_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events)
{
   cm_record_mark(timing, CM_LOG_FETCHED);
   timing->has_covered = begin_covered(timing);
   if (!timing->has_covered || !events)
      return;
   count_covered(timing, events);
   end_covered(timing);
   timing->has_covered = false;
}

void
cm_record_covered(struct cm_timing *timing, uint32_t primitive, uint32_t quads)
{
   if (timing->has_covered && primitive < timing->num_covered)
      timing->covered[primitive] += quads;
}

void
cm_record_kind(struct cm_timing *timing, const struct cm_logged_kind *kind)
{
   struct cm_logged_kind *item = ADD(timing, kinds);
   if (!item)
      return;
   *item = *kind;
   /* There are no numbers for more, of which the log would take half a gigabyte. */
   timing->out_of_memory = timing->log->kinds.count > CM_MAX_LOGGED_KINDS;
}

void
cm_record_quad(struct cm_timing *timing, uint32_t processor)
{
   struct cm_logged_quad *item = ADD(timing, quads);
   if (!item)
      return;
   assert(timing->log->kinds.count);
   timing->logged_end = position_of_lookups(timing);
   *item = (struct cm_logged_quad){
      .tokens_end = timing->logged_end,
      .kind = timing->log->kinds.count - 1,
      .processor = (uint8_t)processor,
   };
}

struct cm_quad_log *
cm_timing_new_quads(struct cm_timing *timing)
{
   return cm_log_queue_new_quads(&timing->logs);
}

void
cm_timing_quads(struct cm_timing *timing, struct cm_quad_log *quads)
{
   if (!is_writing(timing)) {
      cm_log_queue_release_quads(&timing->logs, quads);
      return;
   }
   assert(!timing->first_entry && !timing->log->quad_log && !timing->log->quads.count);
   timing->log->quads_begin = position(timing);
   timing->log->quad_log = quads;
}

void
cm_timing_caused(struct cm_timing *timing, uint32_t requests)
{
   if (!is_writing(timing))
      return;
   const uint32_t end = timing->logged_end = position(timing);
   struct cm_access_run *run = ADD(timing, caused);
   if (run)
      *run = (struct cm_access_run){requests, end};
}

/* ---- mode imr ------------------------------------------------------------ */

void
cm_record_primitive(struct cm_timing *timing, uint32_t draw)
{
   struct cm_logged_primitive *item = ADD(timing, primitives);
   if (!item)
      return;
   *item = (struct cm_logged_primitive){.draw = draw};
   assert(draw >= timing->first_draw && draw - timing->first_draw < timing->log->draws.count);
   timing->draw = draw;
   timing->log->draws.items[draw - timing->first_draw].num_primitives++;
}

void
cm_record_region(struct cm_timing *timing, uint32_t tile)
{
   struct cm_logged_region *item = ADD(timing, regions);
   if (!item)
      return;
   *item = (struct cm_logged_region){.begin = timing->logged_end, .draw = timing->draw, .tile = tile};
   item->hiz_end = take_tokens(timing);
   LAST(timing, primitives)->num_regions++;
}

void
cm_record_block_part_end(struct cm_timing *timing, enum cm_block_part part)
{
   assert(part < CM_BLOCK_PARTS);
   if (is_writing(timing))
      timing->part_ends[part] = position(timing);
}

void
cm_record_block(struct cm_timing *timing, const struct cm_logged_block *block)
{
   struct cm_logged_block *item = ADD(timing, blocks);
   if (!item)
      return;
   *item = *block;
   item->tests_end = timing->part_ends[CM_BLOCK_TESTS];
   item->shade_end = timing->part_ends[CM_BLOCK_SHADERS];
   item->end = take_tokens(timing);
   assert(item->tests_end <= item->shade_end && item->shade_end <= item->end);
   item->goes_on |= item->end > item->tests_end;
   LAST(timing, regions)->num_blocks++;
}

void
cm_record_region_end(struct cm_timing *timing)
{
   if (!is_writing(timing))
      return;
   struct cm_logged_region *region = LAST(timing, regions);
   region->update_begin = timing->logged_end;
   region->end = take_tokens(timing);
}

/* ---- compute passes, storage ------------------------------------------------ */

void
cm_timing_storage(struct cm_timing *timing, enum cm_storage_operation operation, uint32_t processor,
                  uint32_t count, uint32_t resource)
{
   if (timing)
      cm_access_stream_append(timing->hierarchy->shared.reports,
                              cm_group_make(operation, processor, CM_STREAM_STORAGE, count, resource));
}

void
cm_timing_storage_block(struct cm_timing *timing, uint64_t address)
{
   if (timing)
      cm_access_stream_append(timing->hierarchy->shared.reports,
                              cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_LOAD_STORE_CACHE, 0, CM_STREAM_STORAGE,
                                            address >> CM_ENTRY_ADDRESS_SHIFT));
}

void
cm_record_work_group(struct cm_timing *timing, uint32_t processor, uint32_t instructions)
{
   struct cm_logged_group *item = ADD(timing, groups);
   if (!item)
      return;
   *item = (struct cm_logged_group){
      .begin = timing->logged_end,
      .instructions = instructions,
      .phases = 1,
      .processor = processor,
   };
   item->program_end = take_tokens(timing);
}

/* Footprints and instructions that access storage. */
static uint32_t
count_accesses(const struct cm_log *log, uint32_t begin, uint32_t end)
{
   uint32_t count = 0;
   for (uint32_t t = begin; t < end; t++)
      count += cm_entry_kind(log->entries.items[t]) == CM_ENTRY_GROUP;
   return count;
}

void
cm_record_run(struct cm_timing *timing, uint32_t invocations, bool resumes, uint64_t more)
{
   struct cm_logged_run *item = ADD(timing, runs);
   if (!item)
      return;
   const uint32_t begin = timing->logged_end;
   struct cm_logged_group *group = LAST(timing, groups);
   item->tokens_end = take_tokens(timing);
   item->phase = group->phases - 1;
   item->accesses = count_accesses(timing->log, begin, item->tokens_end);
   item->quads = (invocations + 3) / 4;
   item->more = (uint32_t)cm_min64(more, CM_MOST_LOGGED_INSTRUCTIONS);
   group->invocations += resumes ? 0 : invocations;
   group->num_runs++;
}

void
cm_record_barrier(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, groups)->phases++;
}
