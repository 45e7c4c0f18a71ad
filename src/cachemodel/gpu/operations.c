/* SPDX-License-Identifier: MIT */
#include "gpu/operations.h"

#include <assert.h>

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

/* Quads run their shader and output their colours. */
static void
shade(const struct cm_pass *pass, const uint32_t *event, struct quad_counts counts, uint64_t *operations)
{
   const struct cm_draw *draw = &pass->draws[event[1]];
   const uint32_t writes = (uint32_t)__builtin_popcount(draw->tests.color_write);
   const uint32_t reads = (uint32_t)__builtin_popcount(draw->tests.color_read);
   const uint32_t fetches = (uint32_t)__builtin_popcount(draw->tests.color_fetch);
   operations[CM_OPERATION_QUAD_INSTRUCTIONS] += (uint64_t)counts.live * draw->fragment_shader.instructions;
   operations[CM_OPERATION_COLOR_WRITES] += counts.written * writes;
   operations[CM_OPERATION_COLOR_READS] += counts.live * fetches + counts.written * reads;
}

/* In a deferred GPU, quads are rasterised and tested before hidden surface removal, and those that it leaves rasterised with
 * their attributes. */
void
cm_operations_tile(struct cm_gpu *gpu, const struct cm_tile_events *recorded,
                   const struct cm_tile_events *shaded, uint64_t *operations)
{
   const bool deferred = gpu->config.mode == CM_MODE_TBDR;
   const uint32_t *end = recorded->words + recorded->num_words;
   for (const uint32_t *event = recorded->words; deferred && event < end; event = cm_event_next(event)) {
      if (!has_quads(*event))
         continue;
      cm_gpu_attribute_draw(gpu, event[1]);
      rasterise(gpu->pass, event, count_quads(event), false, true, operations);
   }
   end = shaded->words + shaded->num_words;
   for (const uint32_t *event = shaded->words; event < end; event = cm_event_next(event)) {
      if (!has_quads(*event))
         continue;
      const struct quad_counts counts = count_quads(event);
      cm_gpu_attribute_draw(gpu, event[1]);
      rasterise(gpu->pass, event, counts, true, !deferred, operations);
      if (cm_event_type(*event) == CM_EVENT_SHADE)
         shade(gpu->pass, event, counts, operations);
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
