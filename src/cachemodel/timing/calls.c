/* SPDX-License-Identifier: MIT */
#include "timing/calls.h"

#include <string.h>

#include "events/quads.h"
#include "timing/recorder_internal.h"

/* ---- marks --------------------------------------------------------------- */

void
cm_timing_defer_with(struct cm_access_stream *stream, enum cm_timing_call call, uint64_t value,
                     const void *arguments, size_t bytes)
{
   const unsigned words = (unsigned)((bytes + sizeof(cm_entry) - 1) / sizeof(cm_entry));
   assert(words);
   cm_access_stream_reserve(stream, words + 1);
   if (stream->capacity - stream->count <= words + 1)
      return; /* out of memory */
   cm_entry *const entry = stream->entries + stream->count;
   entry[0] = cm_timing_call_make(call, value, words);
   entry[words] = 0;
   memcpy(entry + 1, arguments, bytes);
   stream->count += words + 1;
}

#define COVERED_BITS 12

void
cm_timing_defer_covered(const struct cm_config *config, struct cm_access_stream *stream,
                        const struct cm_tile_events *events)
{
   const uint32_t *word = events->words, *end = word + events->num_words;
   uint32_t primitive = 0, covered = 0;
   if (config->mode != CM_MODE_TBDR)
      return;
   for (; word < end; word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      if ((type != CM_EVENT_SHADE && type != CM_EVENT_UNSHADED) || cm_event_continues(*word))
         continue;
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         const bool is_other = quads[q].primitive != primitive || covered >> COVERED_BITS;
         if (is_other && covered)
            cm_timing_defer(stream, CM_CALL_COVERED, (uint64_t)primitive << COVERED_BITS | (covered - 1));
         covered = (is_other ? 0 : covered) + (quads[q].covered != 0);
         primitive = quads[q].primitive;
      }
   }
   if (covered)
      cm_timing_defer(stream, CM_CALL_COVERED, (uint64_t)primitive << COVERED_BITS | (covered - 1));
}

/* ---- making them ----------------------------------------------------------- */

struct block_call {
   uint32_t instructions, footprints;
};

static void
record_block(struct cm_timing *timing, uint64_t value, const cm_entry *words)
{
   struct block_call call;
   memcpy(&call, words, sizeof call);
   const struct cm_logged_block block = {
      .instructions = call.instructions,
      .footprints = call.footprints,
      .processor = (uint16_t)(value >> 1),
      .goes_on = value & 1,
   };
   cm_record_block(timing, &block);
}

struct run_call {
   uint64_t more;
   uint32_t invocations;
   uint32_t resumes;
};

static void
call_with(struct cm_timing *timing, enum cm_timing_call call, uint64_t value, const cm_entry *words)
{
   struct cm_logged_draw draw;
   struct cm_logged_binned binned;
   struct cm_logged_fetched fetched;
   struct cm_logged_kind kind;
   struct cm_shader_cost cost;
   struct run_call run;
   switch (call) {
   case CM_CALL_DRAW:
      memcpy(&draw, words, sizeof draw);
      cm_record_draw(timing, &draw);
      break;
   case CM_CALL_KIND:
      memcpy(&kind, words, sizeof kind);
      cm_record_kind(timing, &kind);
      break;
   case CM_CALL_COST:
      memcpy(&cost, words, sizeof cost);
      cm_record_cost(timing, &cost);
      break;
   case CM_CALL_DRAW_COST:
      memcpy(&cost, words, sizeof cost);
      cm_record_draw_cost(timing, (enum cm_preraster_stage)(value >> 32), (enum cm_code_part)(uint32_t)value,
                          &cost);
      break;
   case CM_CALL_RUN:
      memcpy(&run, words, sizeof run);
      cm_record_run(timing, run.invocations, run.resumes, run.more);
      break;
   case CM_CALL_BINNED:
      memcpy(&binned, words, sizeof binned);
      cm_record_binned(timing, &binned);
      break;
   case CM_CALL_FETCHED:
      memcpy(&fetched, words, sizeof fetched);
      cm_record_fetched(timing, &fetched);
      break;
   case CM_CALL_SIGN: cm_record_sign(timing, (uint32_t)value, (uint32_t)words[0]); break;
   case CM_CALL_BLOCK: record_block(timing, value, words); break;
   case CM_CALL_WORK_GROUP: cm_record_work_group(timing, (uint32_t)value, (uint32_t)words[0]); break;
   default: assert(!"a call with arguments");
   }
}

/* cm_shared_side.called. */
static void
make_call(void *context, cm_entry entry, const cm_entry *words)
{
   struct cm_timing *timing = context;
   const enum cm_timing_call call = (enum cm_timing_call)cm_entry_stream(entry);
   const uint64_t value = cm_entry_value(entry);
   switch (call) {
   case CM_CALL_QUAD: cm_record_quad(timing, (uint32_t)value); break;
   case CM_CALL_VERTEX: cm_record_vertex(timing, value); break;
   case CM_CALL_BEGIN: cm_record_begin(timing, (enum cm_log_kind)(value >> 32), (uint32_t)value); break;
   case CM_CALL_END: cm_record_end(timing); break;
   case CM_CALL_MARK: cm_record_mark(timing, (enum cm_log_mark)value); break;
   case CM_CALL_SHADERS_FETCHED: cm_record_shaders_fetched(timing); break;
   case CM_CALL_VERTEX_FETCHED: cm_record_vertex_fetched(timing); break;
   case CM_CALL_INVOCATION:
      cm_record_invocation(timing, (enum cm_preraster_stage)(value >> 32), (uint32_t)value);
      break;
   case CM_CALL_STAGES_END: cm_record_stages_end(timing); break;
   case CM_CALL_DRAW_END: cm_record_draw_end(timing); break;
   case CM_CALL_CHECK: cm_record_check(timing, (uint32_t)value); break;
   case CM_CALL_CHECKS_END: cm_record_checks_end(timing); break;
   case CM_CALL_TILE_VERTEX: cm_record_tile_vertex(timing, (uint32_t)value); break;
   case CM_CALL_DROPPED: cm_record_dropped(timing, (uint32_t)value); break;
   case CM_CALL_TILE_FETCHED: cm_record_tile_fetched(timing, NULL); break;
   case CM_CALL_COVERED:
      cm_record_covered(timing, (uint32_t)(value >> COVERED_BITS),
                        (uint32_t)(value & ((1u << COVERED_BITS) - 1)) + 1);
      break;
   case CM_CALL_PRIMITIVE: cm_record_primitive(timing, (uint32_t)value); break;
   case CM_CALL_REGION: cm_record_region(timing, (uint32_t)value); break;
   case CM_CALL_BLOCK_PART_END: cm_record_block_part_end(timing, (enum cm_block_part)value); break;
   case CM_CALL_REGION_END: cm_record_region_end(timing); break;
   case CM_CALL_SUBMIT_LOG: cm_record_submit_log(timing); break;
   case CM_CALL_BARRIER: cm_record_barrier(timing); break;
   default: call_with(timing, call, value, words);
   }
}

void
cm_timing_defer_calls(struct cm_timing *timing)
{
   struct cm_shared_side *shared = &timing->hierarchy->shared;
   assert(!timing->num_passes && !timing->calls && cm_timing_can_defer(timing));
   timing->calls = shared->reports;
   shared->called = make_call;
   shared->called_context = timing;
}

bool
cm_timing_can_defer(const struct cm_timing *timing)
{
   return !timing->timeline && !cm_config_attributes(timing->config) &&
          timing->hierarchy->shared.num_readers == 1;
}

/* ---- the calls: made at once, or left to the shared side -------------------- */

#define CALL(timing, now, call, value)                  \
   do {                                                 \
      if ((timing)->calls)                              \
         cm_timing_defer((timing)->calls, call, value); \
      else                                              \
         now;                                           \
   } while (0)

#define CALL_WITH(timing, now, call, value, arguments)                                        \
   do {                                                                                       \
      if ((timing)->calls)                                                                    \
         cm_timing_defer_with((timing)->calls, call, value, &(arguments), sizeof(arguments)); \
      else                                                                                    \
         now;                                                                                 \
   } while (0)

void
cm_timing_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   if (!timing)
      return;
   timing->num_costs = 0;
   CALL(timing, cm_record_begin(timing, kind, tile), CM_CALL_BEGIN, (uint64_t)kind << 32 | tile);
}

void
cm_timing_end(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_end(timing), CM_CALL_END, 0);
}

void
cm_timing_mark(struct cm_timing *timing, enum cm_log_mark mark)
{
   if (timing)
      CALL(timing, cm_record_mark(timing, mark), CM_CALL_MARK, mark);
}

uint32_t
cm_timing_cost(struct cm_timing *timing, const struct cm_shader_cost *cost)
{
   if (!timing || !timing->calls)
      return timing ? cm_record_cost(timing, cost) : 0;
   cm_timing_defer_with(timing->calls, CM_CALL_COST, 0, cost, sizeof *cost);
   return timing->num_costs++;
}

void
cm_timing_draw_cost(struct cm_timing *timing, enum cm_preraster_stage stage, enum cm_code_part part,
                    const struct cm_shader_cost *cost)
{
   if (!timing)
      return;
   timing->num_costs++;
   CALL_WITH(timing, cm_record_draw_cost(timing, stage, part, cost), CM_CALL_DRAW_COST,
             (uint64_t)stage << 32 | part, *cost);
}

void
cm_timing_draw(struct cm_timing *timing, const struct cm_draw *draw,
               const uint32_t instructions[CM_PRERASTER_STAGES])
{
   if (!timing)
      return;
   const struct cm_logged_draw item = {
      .instructions = instructions[CM_PRERASTER_VERTEX],
      .stages = {[CM_PRERASTER_CONTROL] = {.invocations = draw->control_invocations,
                                           .instructions = instructions[CM_PRERASTER_CONTROL]},
                 [CM_PRERASTER_EVALUATION] = {.invocations = draw->evaluation_invocations,
                                              .instructions = instructions[CM_PRERASTER_EVALUATION]},
                 [CM_PRERASTER_GEOMETRY] = {.invocations = draw->geometry_invocations,
                                            .instructions = instructions[CM_PRERASTER_GEOMETRY]}},
      .has_stages = draw->patches || draw->geometry_invocations,
   };
   CALL_WITH(timing, cm_record_draw(timing, &item), CM_CALL_DRAW, 0, item);
}

void
cm_timing_shaders_fetched(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_shaders_fetched(timing), CM_CALL_SHADERS_FETCHED, 0);
}

void
cm_timing_vertex_fetched(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_vertex_fetched(timing), CM_CALL_VERTEX_FETCHED, 0);
}

void
cm_timing_vertex(struct cm_timing *timing, bool reused)
{
   if (timing)
      CALL(timing, cm_record_vertex(timing, reused), CM_CALL_VERTEX, reused);
}

void
cm_timing_invocation(struct cm_timing *timing, enum cm_preraster_stage stage, uint32_t number)
{
   if (timing)
      CALL(timing, cm_record_invocation(timing, stage, number), CM_CALL_INVOCATION,
           (uint64_t)stage << 32 | number);
}

void
cm_timing_stages_end(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_stages_end(timing), CM_CALL_STAGES_END, 0);
}

void
cm_timing_draw_end(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_draw_end(timing), CM_CALL_DRAW_END, 0);
}

void
cm_timing_binned(struct cm_timing *timing, const struct cm_primitive *primitive)
{
   if (!timing)
      return;
   const struct cm_logged_binned item = {
      .draw = primitive->draw,
      .num_tiles = primitive->num_tiles,
      .num_attributes = primitive->num_attributes,
   };
   CALL_WITH(timing, cm_record_binned(timing, &item), CM_CALL_BINNED, 0, item);
}

void
cm_timing_sign(struct cm_timing *timing, uint32_t blocks, uint32_t tiles)
{
   const cm_entry word = tiles;
   if (timing)
      CALL_WITH(timing, cm_record_sign(timing, blocks, tiles), CM_CALL_SIGN, blocks, word);
}

void
cm_timing_check(struct cm_timing *timing, uint32_t tile)
{
   if (timing)
      CALL(timing, cm_record_check(timing, tile), CM_CALL_CHECK, tile);
}

void
cm_timing_checks_end(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_checks_end(timing), CM_CALL_CHECKS_END, 0);
}

void
cm_timing_fetched(struct cm_timing *timing, uint32_t index, const struct cm_primitive *primitive)
{
   if (!timing)
      return;
   const struct cm_logged_fetched item = {
      .index = index,
      .draw = primitive->draw,
      .attributes = primitive->num_attributes,
      .ready = CM_UNKNOWN,
   };
   CALL_WITH(timing, cm_record_fetched(timing, &item), CM_CALL_FETCHED, 0, item);
}

void
cm_timing_tile_vertex(struct cm_timing *timing, uint32_t cost)
{
   if (timing)
      CALL(timing, cm_record_tile_vertex(timing, cost), CM_CALL_TILE_VERTEX, cost);
}

void
cm_timing_dropped(struct cm_timing *timing, uint32_t cycles)
{
   if (timing)
      CALL(timing, cm_record_dropped(timing, cycles), CM_CALL_DROPPED, cycles);
}

void
cm_timing_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events)
{
   if (timing)
      CALL(timing, cm_record_tile_fetched(timing, events), CM_CALL_TILE_FETCHED, 0);
}

void
cm_timing_kind(struct cm_timing *timing, const struct cm_logged_kind *kind)
{
   if (timing)
      CALL_WITH(timing, cm_record_kind(timing, kind), CM_CALL_KIND, 0, *kind);
}

void
cm_timing_quad(struct cm_timing *timing, uint32_t processor)
{
   if (timing)
      CALL(timing, cm_record_quad(timing, processor), CM_CALL_QUAD, processor);
}

void
cm_timing_work_group(struct cm_timing *timing, uint32_t processor, uint32_t instructions)
{
   const cm_entry word = instructions;
   if (timing)
      CALL_WITH(timing, cm_record_work_group(timing, processor, instructions), CM_CALL_WORK_GROUP, processor,
                word);
}

void
cm_timing_run(struct cm_timing *timing, uint32_t invocations, bool resumes, uint64_t more)
{
   const struct run_call run = {more, invocations, resumes};
   if (timing)
      CALL_WITH(timing, cm_record_run(timing, invocations, resumes, more), CM_CALL_RUN, 0, run);
}

void
cm_timing_barrier(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_barrier(timing), CM_CALL_BARRIER, 0);
}

void
cm_timing_submit_log(struct cm_timing *timing)
{
   if (timing)
      CALL(timing, cm_record_submit_log(timing), CM_CALL_SUBMIT_LOG, 0);
}

/* ---- mode imr, from whoever has its blocks ------------------------------------ */

/* The stream that gets a call; NULL: it is made at once. */
static inline struct cm_access_stream *
stream_of(const struct cm_timing *timing, struct cm_access_stream *calls)
{
   assert(!calls || timing->calls);
   return calls ? calls : timing->calls;
}

#define CALL_OF(timing, calls, now, call, value)                               \
   do {                                                                        \
      struct cm_access_stream *its = timing ? stream_of(timing, calls) : NULL; \
      if (its)                                                                 \
         cm_timing_defer(its, call, value);                                    \
      else if (timing)                                                         \
         now;                                                                  \
   } while (0)

void
cm_timing_primitive(struct cm_timing *timing, struct cm_access_stream *calls, uint32_t draw)
{
   CALL_OF(timing, calls, cm_record_primitive(timing, draw), CM_CALL_PRIMITIVE, draw);
}

void
cm_timing_region(struct cm_timing *timing, struct cm_access_stream *calls, uint32_t tile)
{
   CALL_OF(timing, calls, cm_record_region(timing, tile), CM_CALL_REGION, tile);
}

void
cm_timing_block_part_end(struct cm_timing *timing, struct cm_access_stream *calls, enum cm_block_part part)
{
   CALL_OF(timing, calls, cm_record_block_part_end(timing, part), CM_CALL_BLOCK_PART_END, part);
}

void
cm_timing_block(struct cm_timing *timing, struct cm_access_stream *calls, const struct cm_logged_block *block)
{
   const struct block_call call = {block->instructions, block->footprints};
   struct cm_access_stream *its = timing ? stream_of(timing, calls) : NULL;
   if (its)
      cm_timing_defer_with(its, CM_CALL_BLOCK, (uint64_t)block->processor << 1 | block->goes_on, &call,
                           sizeof call);
   else if (timing)
      cm_record_block(timing, block);
}

void
cm_timing_region_end(struct cm_timing *timing, struct cm_access_stream *calls)
{
   CALL_OF(timing, calls, cm_record_region_end(timing), CM_CALL_REGION_END, 0);
}
