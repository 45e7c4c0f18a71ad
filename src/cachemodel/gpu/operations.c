/* SPDX-License-Identifier: MIT */
#include "gpu/operations.h"

#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"

uint64_t
cm_operations_instructions(const struct cm_gpu *gpu, const struct cm_draw *draw,
                           enum cm_preraster_stage stage, uint64_t invocations)
{
   static const enum cm_shader_stage stages[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = CM_SHADER_VERTEX,
      [CM_PRERASTER_CONTROL] = CM_SHADER_TESS_CONTROL,
      [CM_PRERASTER_EVALUATION] = CM_SHADER_TESS_EVALUATION,
      [CM_PRERASTER_GEOMETRY] = CM_SHADER_GEOMETRY,
   };
   const struct cm_shader *shaders[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = &draw->vertex_shader,
      [CM_PRERASTER_CONTROL] = &draw->control_shader,
      [CM_PRERASTER_EVALUATION] = &draw->evaluation_shader,
      [CM_PRERASTER_GEOMETRY] = &draw->geometry_shader,
   };
   const struct cm_shader_code *code =
      draw->num_regions[stage] ? cm_gpu_executed_code(gpu, stages[stage], shaders[stage]->id) : NULL;
   if (!code)
      return invocations * shaders[stage]->instructions;
   const uint64_t *runs = gpu->pass->region_runs + draw->first_region_run;
   for (unsigned before = 0; before < stage; before++)
      runs += draw->num_regions[before];
   return cm_code_mean_operations(code, CM_PIPE_ISSUE, runs, draw->num_regions[stage], invocations);
}

void
cm_operations_vertices(struct cm_gpu *gpu, const struct cm_draw *draw, uint64_t vertices)
{
   const uint64_t invocations[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = vertices,
      [CM_PRERASTER_CONTROL] = draw->control_invocations,
      [CM_PRERASTER_EVALUATION] = draw->evaluation_invocations,
      [CM_PRERASTER_GEOMETRY] = draw->geometry_invocations,
   };
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++)
      gpu->operations[CM_OPERATION_VERTEX_INSTRUCTIONS] +=
         cm_operations_instructions(gpu, draw, (enum cm_preraster_stage)stage, invocations[stage]);
}

/* The quads of an event. */
static const struct cm_quad *
quads_of(const uint32_t *event)
{
   return (const struct cm_quad *)(event + 2);
}

static bool
has_quads(uint32_t word)
{
   return cm_event_type(word) == CM_EVENT_SHADE || cm_event_type(word) == CM_EVENT_UNSHADED;
}

/* Quads of an event with fragments that run, and with fragments that are written. */
struct quad_counts {
   uint32_t live, written;
};

static struct quad_counts
count_quads(const uint32_t *event)
{
   const struct cm_quad *quads = quads_of(event);
   struct quad_counts counts = {0};
   for (uint32_t q = 0, count = cm_event_count(*event); q < count; q++) {
      counts.live += quads[q].live != 0;
      counts.written += quads[q].written != 0;
   }
   return counts;
}

static uint64_t
count_attributes(const struct cm_pass *pass, const uint32_t *event)
{
   const struct cm_quad *quads = quads_of(event);
   uint64_t attributes = 0;
   for (uint32_t q = 0, count = cm_event_count(*event); q < count; q++) {
      const uint32_t primitive = quads[q].primitive;
      attributes += primitive < pass->num_primitives ? pass->primitives[primitive].num_attributes : 1;
   }
   return attributes;
}

/* Quads are rasterised and tested. Those whose shader runs once per sample are rasterised once. */
static void
rasterise(const struct cm_pass *pass, const uint32_t *event, struct quad_counts counts, bool with_attributes,
          bool writes_depth, uint64_t *operations)
{
   assert(event[1] < pass->num_draws);
   const struct cm_fragment_tests *tests = &pass->draws[event[1]].tests;
   const uint32_t count = cm_event_count(*event);
   if (cm_event_continues(*event))
      return;
   operations[CM_OPERATION_RASTER_QUADS] += count;
   if (with_attributes)
      operations[CM_OPERATION_QUAD_ATTRIBUTES] += count_attributes(pass, event);
   if (!tests->depth_test)
      return;
   operations[CM_OPERATION_DEPTH_QUADS] += count;
   if (writes_depth && tests->depth_write)
      operations[CM_OPERATION_DEPTH_WRITES] += counts.live;
}

/* The shader of a draw, as its quads run it. */
struct program {
   const uint32_t *event;             /* the last shade event; NULL: none */
   const struct cm_shader_code *code; /* NULL: it has no control flow */
   uint64_t instructions;             /* of a quad that ran region 0 alone */
   uint32_t writes, reads, fetches;   /* colours of a quad; fetches: by the shader */
};

static void
take_program(const struct cm_gpu *gpu, const uint32_t *event, struct program *program)
{
   const bool is_same = program->event && program->event[1] == event[1];
   program->event = event;
   if (is_same)
      return;
   const struct cm_draw *draw = &gpu->pass->draws[event[1]];
   const struct cm_shader *shader = &draw->fragment_shader;
   program->code = cm_gpu_executed_code(gpu, CM_SHADER_FRAGMENT, shader->id);
   program->instructions =
      program->code ? cm_code_quad_operations(program->code, CM_PIPE_ISSUE, NULL) : shader->instructions;
   program->writes = (uint32_t)__builtin_popcount(draw->tests.color_write);
   program->reads = (uint32_t)__builtin_popcount(draw->tests.color_read);
   program->fetches = (uint32_t)__builtin_popcount(draw->tests.color_fetch);
}

/* Quads of the last shade event ran more than region 0. */
static void
run_regions(const struct program *program, const uint32_t *regions, uint64_t *operations)
{
   if (!program->code)
      return;
   const uint64_t ran = cm_code_quad_operations(program->code, CM_PIPE_ISSUE, regions);
   for (uint32_t q = 0; q < cm_event_count(*program->event); q++) {
      if (cm_regions_quads(*regions) >> q & 1 && quads_of(program->event)[q].live)
         operations[CM_OPERATION_QUAD_INSTRUCTIONS] += ran - program->instructions;
   }
}

/* Quads run their shader and output their colours. */
static void
shade(const struct program *program, struct quad_counts counts, uint64_t *operations)
{
   operations[CM_OPERATION_QUAD_INSTRUCTIONS] += counts.live * program->instructions;
   operations[CM_OPERATION_COLOR_WRITES] += counts.written * program->writes;
   operations[CM_OPERATION_COLOR_READS] += counts.live * program->fetches + counts.written * program->reads;
}

/* Quads are rasterised and tested before hidden surface removal; in a deferred GPU those that it leaves are then rasterised with
 * their attributes, once more. */
void
cm_operations_tile(struct cm_gpu *gpu, const struct cm_tile_events *recorded,
                   const struct cm_tile_events *shaded, uint64_t *operations)
{
   const bool deferred = gpu->config.mode == CM_MODE_TBDR, killed = gpu->config.fragment_stage.pixel_kill;
   const uint32_t *end = recorded->words + recorded->num_words;
   for (const uint32_t *event = recorded->words; (deferred || killed) && event < end;
        event = cm_event_next(event)) {
      if (!has_quads(*event))
         continue;
      cm_gpu_attribute_draw(gpu, event[1]);
      rasterise(gpu->pass, event, count_quads(event), killed, true, operations);
   }
   end = shaded->words + shaded->num_words;
   struct program program = {0};
   for (const uint32_t *event = shaded->words; event < end; event = cm_event_next(event)) {
      if (__builtin_expect(cm_event_type(*event) == CM_EVENT_REGIONS, false))
         run_regions(&program, event, operations);
      if (!has_quads(*event))
         continue;
      const struct quad_counts counts = count_quads(event);
      cm_gpu_attribute_draw(gpu, event[1]);
      if (!killed)
         rasterise(gpu->pass, event, counts, true, !deferred, operations);
      if (cm_event_type(*event) != CM_EVENT_SHADE)
         continue;
      take_program(gpu, event, &program);
      shade(&program, counts, operations);
   }
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text texts[] = {CM_OPERATIONS(CM_COUNTER_TEXT)};
   return !cm_config_counts_operations(config) ||
          cm_counter_table_append_texts(table, texts, CM_OPERATION_COUNT, 0, "operations.", "");
}

static uint64_t
read_counter(const void *operations, const struct cm_counter *counter)
{
   return ((const uint64_t *)operations)[counter->event];
}

const struct cm_counter_source cm_operation_counters = {list, read_counter};
