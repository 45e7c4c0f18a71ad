/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "timing/log.h"
#include "timing/pieces.h"
#include "util/array.h"

void
cm_log_clear(struct cm_log *log)
{
#define CLEAR(type, list) log->list.count = 0;
   CM_LOG_LISTS(CLEAR)
#undef CLEAR
   memset(log->marks, 0, sizeof log->marks);
}

void
cm_log_finish(struct cm_log *log)
{
#define FREE(type, list) free(log->list.items);
   CM_LOG_LISTS(FREE)
#undef FREE
}

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

/* Kinds of entries that are logged, besides accesses. */
#define LOGGED_KINDS                                                                    \
   (1u << CM_ENTRY_DRAM_READ | 1u << CM_ENTRY_DRAM_WRITE | 1u << CM_ENTRY_UNIT_ACCESS | \
    1u << CM_ENTRY_GROUP | 1u << CM_ENTRY_LOOKUP | 1u << CM_ENTRY_REQUEST | 1u << CM_ENTRY_MESSAGE)

static inline void
read_entries(struct cm_timing *timing, const cm_entry *entries, uint32_t count)
{
   struct cm_log *log = timing->log;
   timing->out_of_memory = !cm_array_make_room(&log->entries.items, &log->entries.capacity,
                                               log->entries.count, count, sizeof *entries);
   if (timing->out_of_memory)
      return;
   const uint32_t units = timing->units;
   cm_entry *const first = log->entries.items, *next = first + log->entries.count;
   const cm_entry whole = (cm_entry)(CM_ENTRY_WRITE_BLOCK - CM_ENTRY_WRITE) << CM_ENTRY_KIND_SHIFT;
   for (uint32_t i = 0; i < count; i++) {
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

void
cm_log_read(void *context, const cm_entry *entries, uint32_t count)
{
   struct cm_timing *timing = context;
   if (is_writing(timing))
      read_entries(timing, entries, count);
}

/* ---- writing ------------------------------------------------------------- */

/* Room for an item of the log that is being written; false: there is no log, or out of memory. */
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

uint32_t
cm_timing_position(struct cm_timing *timing)
{
   if (!is_writing(timing))
      return 0;
   struct cm_shared_side *shared = &timing->hierarchy->shared;
   if (shared->num_readers > 1) {
      cm_access_stream_drain(&shared->reported);
   } else if (shared->reported.count) {
      /* The same, for the only reader; most items have a few entries. */
      read_entries(timing, shared->reported.entries, shared->reported.count);
      shared->reported.count = 0;
   }
   return timing->log->entries.count;
}

/* The entries since the last item's belong to this one. Where they end. */
static uint32_t
take_tokens(struct cm_timing *timing)
{
   return timing->logged_end = cm_timing_position(timing);
}

void
cm_timing_mark(struct cm_timing *timing, enum cm_log_mark mark)
{
   if (is_writing(timing))
      timing->log->marks[mark] = take_tokens(timing);
}

void
cm_timing_surface(struct cm_timing *timing, uint32_t resource)
{
   struct cm_logged_surface *item = timing && timing->logs_surfaces ? ADD(timing, surfaces) : NULL;
   if (item)
      *item = (struct cm_logged_surface){.begin = cm_timing_position(timing), .resource = resource};
}

void
cm_timing_group(struct cm_timing *timing, enum cm_stream stream, uint32_t accesses)
{
   if (timing)
      cm_access_stream_append(&timing->hierarchy->shared.reported,
                              cm_entry_make(CM_ENTRY_GROUP, 0, 0, stream, accesses));
}

/* ---- vertices ------------------------------------------------------------ */

void
cm_timing_draw(struct cm_timing *timing, const struct cm_draw *draw)
{
   struct cm_logged_draw *item = ADD(timing, draws);
   if (item)
      *item = (struct cm_logged_draw){
         .instructions = draw->vertex_shader.instructions,
         .stages = {[CM_PRERASTER_CONTROL] = {.invocations = draw->control_invocations,
                                              .instructions = draw->control_shader.instructions},
                    [CM_PRERASTER_EVALUATION] = {.invocations = draw->evaluation_invocations,
                                                 .instructions = draw->evaluation_shader.instructions},
                    [CM_PRERASTER_GEOMETRY] = {.invocations = draw->geometry_invocations,
                                               .instructions = draw->geometry_shader.instructions}},
         .has_stages = draw->patches || draw->geometry_invocations,
         .begin = timing->logged_end,
      };
}

void
cm_timing_shaders_fetched(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->program_end = take_tokens(timing);
}

void
cm_timing_vertex_fetched(struct cm_timing *timing)
{
   if (!is_writing(timing))
      return;
   timing->fetched_end = cm_timing_position(timing);
   timing->is_vertex_fetched = true;
}

void
cm_timing_vertex(struct cm_timing *timing, bool reused)
{
   struct cm_logged_vertex *item = ADD(timing, vertices);
   if (!item)
      return;
   item->tokens_end = take_tokens(timing);
   item->accesses_begin = timing->is_vertex_fetched ? timing->fetched_end : item->tokens_end;
   timing->is_vertex_fetched = false;
   item->accesses = timing->vertex_reads & INT32_MAX;
   item->reused = reused;
   timing->vertex_reads = 0;
   LAST(timing, draws)->num_vertices++;
}

void
cm_timing_invocation(struct cm_timing *timing, enum cm_preraster_stage stage, uint32_t number)
{
   struct cm_logged_invocation *item = ADD(timing, accessing);
   if (!item)
      return;
   struct cm_logged_draw *draw = LAST(timing, draws);
   const uint32_t begin = timing->logged_end;
   *item = (struct cm_logged_invocation){.number = number, .begin = begin, .end = take_tokens(timing)};
   if (!draw->stages[stage].num_accessing++)
      draw->stages[stage].first_accessing = timing->log->accessing.count - 1;
}

void
cm_timing_stages_end(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->stages_end = take_tokens(timing);
}

void
cm_timing_draw_end(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, draws)->tokens_end = timing->log->marks[CM_LOG_VERTICES] = take_tokens(timing);
}

/* ---- the tile-based pipeline --------------------------------------------- */

void
cm_timing_binned(struct cm_timing *timing, const struct cm_primitive *primitive)
{
   struct cm_logged_binned *item = ADD(timing, binned);
   if (!item)
      return;
   *item = (struct cm_logged_binned){
      .tokens_end = take_tokens(timing),
      .draw = primitive->draw,
      .num_tiles = primitive->num_tiles,
      .num_attributes = primitive->num_attributes,
   };
   if (primitive->draw < timing->log->draws.count)
      timing->log->draws.items[primitive->draw].num_primitives++;
}

void
cm_timing_fetched(struct cm_timing *timing, uint32_t index, const struct cm_primitive *primitive)
{
   struct cm_logged_fetched *item = ADD(timing, fetched);
   if (item)
      *item = (struct cm_logged_fetched){
         .tokens_end = take_tokens(timing),
         .index = index,
         .draw = primitive->draw,
         .attributes = primitive->num_attributes,
         .ready = CM_UNKNOWN,
      };
}

/* Adds the quads of the tile's events to the primitives that they belong to. */
static void
count_quads(struct cm_timing *timing, const struct cm_tile_events *events)
{
   const uint32_t *word = events->words, *end = word + events->num_words;
   for (; word < end; word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      if ((type != CM_EVENT_SHADE && type != CM_EVENT_UNSHADED) || cm_event_continues(*word))
         continue;
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         if (quads[q].covered && quads[q].primitive < timing->num_covered)
            timing->covered[quads[q].primitive]++;
      }
   }
}

void
cm_timing_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events)
{
   cm_timing_mark(timing, CM_LOG_FETCHED);
   if (!is_writing(timing) || timing->config->mode != CM_MODE_TBDR || !timing->log->fetched.count)
      return;
   const uint32_t primitives = LAST(timing, fetched)->index + 1;
   if (primitives > timing->num_covered) {
      const uint32_t more = primitives - timing->num_covered;
      if (!cm_array_make_room(&timing->covered, &timing->covered_capacity, timing->num_covered, more,
                              sizeof *timing->covered)) {
         timing->out_of_memory = true;
         return;
      }
      memset(timing->covered + timing->num_covered, 0, more * sizeof *timing->covered);
      timing->num_covered = primitives;
   }
   count_quads(timing, events);
   for (uint32_t p = 0; p < timing->log->fetched.count; p++) {
      uint32_t *covered = &timing->covered[timing->log->fetched.items[p].index];
      timing->log->fetched.items[p].quads = *covered;
      *covered = 0;
   }
}

void
cm_timing_quad(struct cm_timing *timing, const struct cm_logged_quad *quad)
{
   struct cm_logged_quad *item = ADD(timing, quads);
   if (!item)
      return;
   *item = *quad;
   item->tokens_end = take_tokens(timing);
}

/* ---- mode imr ------------------------------------------------------------ */

void
cm_timing_primitive(struct cm_timing *timing, uint32_t draw)
{
   struct cm_logged_primitive *item = ADD(timing, primitives);
   if (!item)
      return;
   *item = (struct cm_logged_primitive){.draw = draw};
   timing->draw = draw;
   timing->log->draws.items[draw - timing->first_draw].num_primitives++;
}

void
cm_timing_region(struct cm_timing *timing, uint32_t tile)
{
   struct cm_logged_region *item = ADD(timing, regions);
   if (!item)
      return;
   *item = (struct cm_logged_region){.begin = timing->logged_end, .draw = timing->draw, .tile = tile};
   item->hiz_end = take_tokens(timing);
   LAST(timing, primitives)->num_regions++;
}

void
cm_timing_block(struct cm_timing *timing, const struct cm_logged_block *block)
{
   struct cm_logged_block *item = ADD(timing, blocks);
   if (!item)
      return;
   *item = *block;
   item->end = take_tokens(timing);
   item->goes_on |= item->end > item->tests_end;
   LAST(timing, regions)->num_blocks++;
}

void
cm_timing_region_end(struct cm_timing *timing)
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
      cm_access_stream_append(&timing->hierarchy->shared.reported,
                              cm_group_make(operation, processor, CM_STREAM_STORAGE, count, resource));
}

void
cm_timing_storage_block(struct cm_timing *timing, uint64_t address)
{
   if (timing)
      cm_access_stream_append(&timing->hierarchy->shared.reported,
                              cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_LOAD_STORE_CACHE, 0, CM_STREAM_STORAGE,
                                            address >> CM_ENTRY_ADDRESS_SHIFT));
}

void
cm_timing_work_group(struct cm_timing *timing, uint32_t processor, uint32_t instructions)
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
cm_timing_run(struct cm_timing *timing, uint32_t invocations, bool resumes)
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
   group->invocations += resumes ? 0 : invocations;
   group->num_runs++;
}

void
cm_timing_barrier(struct cm_timing *timing)
{
   if (is_writing(timing))
      LAST(timing, groups)->phases++;
}
