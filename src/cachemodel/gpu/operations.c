/* SPDX-License-Identifier: MIT */
#include "gpu/operations.h"

#include <assert.h>

#include "events/quads.h"
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

/* What one walk through a tile's events counts. */
struct counting {
   struct cm_gpu *gpu;
   uint64_t *operations;
   bool rasterises, with_attributes, writes_depth, shades;
};

/* The draw of the last events, and what is counted of it, but not yet in the operations. A quad is rasterised once, and runs once
 * or, where its shader runs for each sample, several times. */
struct counted_draw {
   uint32_t number;                    /* CM_NOT_ATTRIBUTED: none */
   uint64_t quads;                     /* that are rasterised */
   uint64_t attributes;                /* of these */
   uint64_t live;                      /* how many of these have fragments that run */
   uint64_t shaded;                    /* runs of quads with such fragments */
   uint64_t written;                   /* runs of quads with fragments that are written */
   uint32_t primitive, num_attributes; /* of the last quad whose attributes are counted */
   const uint32_t *event;              /* its last shade event; NULL: none */
   const struct cm_shader_code *code;  /* its shader, as its quads run it; NULL: it has no control flow */
   uint64_t instructions;              /* of a quad that ran region 0 alone */
   const uint32_t *regions;            /* of its quads, the last ones; NULL: there were none */
   uint64_t ran;                       /* instructions of a quad that ran these */
};

/* Called at the draw's first shade event. */
static void
take_program(const struct cm_gpu *gpu, struct counted_draw *draw)
{
   const struct cm_shader *shader = &gpu->pass->draws[draw->number].fragment_shader;
   draw->code = cm_gpu_executed_code(gpu, CM_SHADER_FRAGMENT, shader->id);
   draw->instructions =
      draw->code ? cm_code_quad_operations(draw->code, CM_PIPE_ISSUE, NULL) : shader->instructions;
}

/* Quads of the last shade event ran more than region 0. */
static void
run_regions(struct counted_draw *draw, const uint32_t *regions, uint64_t *operations)
{
   const uint32_t mask = cm_regions_quads(*regions);
   uint64_t live = 0;
   if (!draw->event || !draw->code)
      return;
   if (!draw->regions || !cm_regions_are_alike(draw->regions, regions))
      draw->ran = cm_code_quad_operations(draw->code, CM_PIPE_ISSUE, regions);
   draw->regions = regions;
   for (uint32_t q = 0, count = cm_event_count(*draw->event); q < count && q < 4; q++)
      live += mask >> q & 1 && quads_of(draw->event)[q].live;
   operations[CM_OPERATION_QUAD_INSTRUCTIONS] += live * (draw->ran - draw->instructions);
}

/* Quads are rasterised and tested, run their shader and output their colours. */
static void
add_draw(const struct counting *counting, const struct counted_draw *draw)
{
   uint64_t *operations = counting->operations;
   if (draw->number == CM_NOT_ATTRIBUTED)
      return;
   const struct cm_fragment_tests *tests = &counting->gpu->pass->draws[draw->number].tests;
   operations[CM_OPERATION_RASTER_QUADS] += draw->quads;
   operations[CM_OPERATION_QUAD_ATTRIBUTES] += draw->attributes;
   if (tests->depth_test) {
      operations[CM_OPERATION_DEPTH_QUADS] += draw->quads;
      operations[CM_OPERATION_DEPTH_WRITES] += counting->writes_depth && tests->depth_write ? draw->live : 0;
   }
   operations[CM_OPERATION_QUAD_INSTRUCTIONS] += draw->shaded * draw->instructions;
   operations[CM_OPERATION_COLOR_WRITES] += draw->written * (uint32_t)__builtin_popcount(tests->color_write);
   operations[CM_OPERATION_COLOR_READS] += draw->shaded * (uint32_t)__builtin_popcount(tests->color_fetch) +
                                           draw->written * (uint32_t)__builtin_popcount(tests->color_read);
}

static void
count_attributes(const struct cm_pass *pass, const uint32_t *event, struct counted_draw *draw)
{
   const struct cm_quad *quads = quads_of(event);
   const uint32_t count = cm_event_count(*event);
   if (count == 4 && cm_quads_are_of_one(quads) && quads[0].primitive == draw->primitive) {
      draw->attributes += 4 * (uint64_t)draw->num_attributes; /* mostly */
      return;
   }
   for (uint32_t q = 0; q < count; q++) {
      const uint32_t primitive = quads[q].primitive;
      if (primitive != draw->primitive) {
         draw->primitive = primitive;
         draw->num_attributes =
            primitive < pass->num_primitives ? pass->primitives[primitive].num_attributes : 1;
      }
      draw->attributes += draw->num_attributes;
   }
}

/* An event of the draw that has quads. Those whose shader runs once per sample are rasterised once. */
static void
count_event(const struct counting *counting, const uint32_t *event, struct counted_draw *draw)
{
   const struct cm_quad *quads = quads_of(event);
   const uint32_t count = cm_event_count(*event);
   uint32_t live = 4, written = 4;
   if (count != 4 || CM_FOUR_QUADS(quads, live) != 15 || CM_FOUR_QUADS(quads, written) != 15) {
      live = written = 0;
      for (uint32_t q = 0; q < count; q++) {
         live += quads[q].live != 0;
         written += quads[q].written != 0;
      }
   }
   if (counting->rasterises && !cm_event_continues(*event)) {
      draw->quads += count;
      draw->live += live;
      if (counting->with_attributes)
         count_attributes(counting->gpu->pass, event, draw);
   }
   if (!counting->shades || cm_event_type(*event) != CM_EVENT_SHADE)
      return;
   if (!draw->event)
      take_program(counting->gpu, draw);
   draw->event = event;
   draw->shaded += live;
   draw->written += written;
}

static void
count_events(const struct counting *counting, const struct cm_tile_events *events)
{
   const uint32_t *end = events->words + events->num_words;
   struct counted_draw draw = {.number = CM_NOT_ATTRIBUTED};
   for (const uint32_t *event = events->words; event < end; event = cm_event_next(event)) {
      if (__builtin_expect(cm_event_type(*event) == CM_EVENT_REGIONS, false))
         run_regions(&draw, event, counting->operations);
      if (!has_quads(*event))
         continue;
      assert(event[1] < counting->gpu->pass->num_draws);
      if (event[1] != draw.number) {
         add_draw(counting, &draw);
         draw = (struct counted_draw){.number = event[1], .primitive = UINT32_MAX, .num_attributes = 1};
         cm_gpu_attribute_draw(counting->gpu, event[1]);
      }
      count_event(counting, event, &draw);
   }
   add_draw(counting, &draw);
}

/* Quads are rasterised and tested before hidden surface removal; in a deferred GPU those that it leaves are then rasterised with
 * their attributes, once more. */
void
cm_operations_tile(struct cm_gpu *gpu, const struct cm_tile_events *recorded,
                   const struct cm_tile_events *shaded, uint64_t *operations)
{
   const bool deferred = gpu->config.mode == CM_MODE_TBDR, killed = gpu->config.fragment_stage.pixel_kill;
   if (deferred || killed)
      count_events(&(struct counting){gpu, operations, .rasterises = true, .with_attributes = killed,
                                      .writes_depth = true},
                   recorded);
   count_events(&(struct counting){gpu, operations, .rasterises = !killed, .with_attributes = true,
                                   .writes_depth = !deferred, .shades = true},
                shaded);
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
