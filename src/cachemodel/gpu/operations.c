/* SPDX-License-Identifier: MIT */
#include "gpu/operations.h"

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"

void
cm_operations_vertices(struct cm_gpu *gpu, const struct cm_draw *draw, uint64_t vertices)
{
   gpu->operations[CM_OPERATION_VERTEX_INSTRUCTIONS] +=
      vertices * draw->vertex_shader.instructions +
      draw->control_invocations * draw->control_shader.instructions +
      draw->evaluation_invocations * draw->evaluation_shader.instructions +
      draw->geometry_invocations * draw->geometry_shader.instructions;
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

static uint64_t
count_attributes(const struct cm_gpu *gpu, const uint32_t *event)
{
   uint64_t attributes = 0;
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      const uint32_t primitive = quads_of(event)[q].primitive;
      attributes +=
         primitive < gpu->pass->num_primitives ? gpu->pass->primitives[primitive].num_attributes : 1;
   }
   return attributes;
}

/* Quads are rasterised and tested. Those whose shader runs once a sample are rasterised once. */
static void
rasterise(struct cm_gpu *gpu, const struct cm_tile_events *events, bool with_attributes, bool writes_depth,
          uint64_t *operations)
{
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *event = events->words; event < end; event = cm_event_next(event)) {
      if (!has_quads(*event) || cm_event_continues(*event))
         continue;
      const struct cm_fragment_tests *tests = &gpu->pass->draws[event[1]].tests;
      const uint32_t count = cm_event_count(*event);
      cm_gpu_attribute_draw(gpu, event[1]);
      operations[CM_OPERATION_RASTER_QUADS] += count;
      if (with_attributes)
         operations[CM_OPERATION_QUAD_ATTRIBUTES] += count_attributes(gpu, event);
      if (!tests->depth_test)
         continue;
      operations[CM_OPERATION_DEPTH_QUADS] += count;
      for (uint32_t q = 0; writes_depth && tests->depth_write && q < count; q++)
         operations[CM_OPERATION_DEPTH_WRITES] += quads_of(event)[q].live != 0;
   }
}

/* Quads run their shader and output their colours. */
static void
shade(struct cm_gpu *gpu, const struct cm_tile_events *events, uint64_t *operations)
{
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *event = events->words; event < end; event = cm_event_next(event)) {
      if (cm_event_type(*event) != CM_EVENT_SHADE)
         continue;
      const struct cm_draw *draw = &gpu->pass->draws[event[1]];
      cm_gpu_attribute_draw(gpu, event[1]);
      const unsigned writes = (unsigned)__builtin_popcount(draw->tests.color_write);
      const unsigned reads = (unsigned)__builtin_popcount(draw->tests.color_read);
      const unsigned fetches = (unsigned)__builtin_popcount(draw->tests.color_fetch);
      for (uint32_t q = 0; q < cm_event_count(*event); q++) {
         const struct cm_quad *quad = &quads_of(event)[q];
         if (quad->live) {
            operations[CM_OPERATION_QUAD_INSTRUCTIONS] += draw->fragment_shader.instructions;
            operations[CM_OPERATION_COLOR_READS] += fetches;
         }
         if (!quad->written)
            continue;
         operations[CM_OPERATION_COLOR_WRITES] += writes;
         operations[CM_OPERATION_COLOR_READS] += reads;
      }
   }
}

void
cm_operations_tile(struct cm_gpu *gpu, const struct cm_tile_events *recorded,
                   const struct cm_tile_events *shaded, uint64_t *operations)
{
   const bool deferred = gpu->config.mode == CM_MODE_TBDR;
   if (deferred)
      rasterise(gpu, recorded, false, true, operations);
   rasterise(gpu, shaded, true, !deferred, operations);
   shade(gpu, shaded, operations);
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
