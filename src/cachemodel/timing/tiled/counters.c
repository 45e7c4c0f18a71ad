/* SPDX-License-Identifier: MIT */
#include "timing/tiled/counters.h"

#include "timing/tiled/tiled.h"

const struct cm_queue *
cm_tiled_timing_queue(const struct cm_tiled_timing *timing, enum cm_timing_queue queue)
{
   const struct cm_queue *const queues[CM_TIMING_QUEUE_COUNT] = {
      [CM_TIMING_QUEUE_VERTEX_INPUT] = &timing->geometry.input,
      [CM_TIMING_QUEUE_VERTEX_OUTPUT] = &timing->geometry.output,
      [CM_TIMING_QUEUE_TRIANGLE] = &timing->geometry.triangles,
      [CM_TIMING_QUEUE_TILE_FETCH] = &timing->fetcher.requests,
      [CM_TIMING_QUEUE_TILE] = &timing->fetcher.tiles,
      [CM_TIMING_QUEUE_EARLY_Z] = &timing->raster.z_queue,
      [CM_TIMING_QUEUE_EARLY_Z_FLIGHT] = &timing->raster.z_flight,
      [CM_TIMING_QUEUE_FRAGMENT] = &timing->raster.fragments,
      [CM_TIMING_QUEUE_COLOR] = &timing->raster.colors,
   };
   return queues[queue];
}

void
cm_tiled_timing_collect(struct cm_tiled_timing *timing)
{
   uint64_t *values = timing->values;
   values[CM_TIMING_EVENT_CYCLES] = timing->cycles;
   values[CM_TIMING_EVENT_TIME] = timing->cycles * 1000 / timing->config->clock_mhz;
   values[CM_TIMING_EVENT_TILE_FETCHER_PRIMITIVES] = timing->fetcher.primitives;
   values[CM_TIMING_EVENT_TILE_FETCHER_CYCLES] = timing->fetcher.cycles;
   uint64_t texture_waits = 0;
   for (uint32_t i = 0; i < timing->memory.num_texture; i++)
      texture_waits += timing->memory.texture[i].waits;
   values[CM_TIMING_EVENT_TEXTURE_MSHR_CYCLES] = texture_waits;
   values[CM_TIMING_EVENT_L2_MSHR_CYCLES] = timing->memory.l2.waits;
   values[CM_TIMING_EVENT_L2_BANK_CYCLES] = timing->memory.l2_banks.waits;
   values[CM_TIMING_EVENT_MESH_CYCLES] = timing->memory.link_cycles;

   struct cm_stage fragment = {0};
   for (uint32_t p = 0; p < timing->config->fragment_stage.processors; p++)
      cm_stage_add(&fragment, &timing->raster.processors[p]);
   const struct cm_stage *const stages[CM_TIMING_STAGE_COUNT] = {
      [CM_TIMING_STAGE_VERTEX_FETCH] = &timing->geometry.fetch,
      [CM_TIMING_STAGE_VERTEX_PROCESSORS] = &timing->geometry.processors,
      [CM_TIMING_STAGE_PRIMITIVE_ASSEMBLY] = &timing->geometry.assembly,
      [CM_TIMING_STAGE_POLYGON_LIST_BUILDER] = &timing->geometry.builder,
      [CM_TIMING_STAGE_TILE_FETCHER] = &timing->fetcher.stage,
      [CM_TIMING_STAGE_HIDDEN_SURFACE_REMOVAL] = &timing->hidden.stage,
      [CM_TIMING_STAGE_RASTERIZER] = &timing->raster.rasterizer,
      [CM_TIMING_STAGE_EARLY_Z] = &timing->raster.early_z,
      [CM_TIMING_STAGE_FRAGMENT_PROCESSORS] = &fragment,
      [CM_TIMING_STAGE_BLENDING_UNIT] = &timing->raster.blend,
      [CM_TIMING_STAGE_TILE_BUFFERS] = &timing->transfer.stage,
   };
   const struct cm_queue *queues[CM_TIMING_QUEUE_COUNT];
   for (unsigned q = 0; q < CM_TIMING_QUEUE_COUNT; q++)
      queues[q] = cm_tiled_timing_queue(timing, q);
   cm_pipeline_collect(values + CM_TIMING_EVENT_COUNT, stages, CM_TIMING_STAGE_COUNT, queues,
                       CM_TIMING_QUEUE_COUNT, &timing->memory.base);
}

bool
cm_tiled_timing_list_counters(struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_TIMING_EVENTS(CM_COUNTER_TEXT)};
   static const struct cm_counter_text stages[] = {CM_TIMING_STAGES(CM_PART_TEXT)};
   static const struct cm_counter_text queues[] = {CM_TIMING_QUEUES(CM_PART_TEXT)};
   static const struct cm_pipeline_texts texts = {
      events, stages, queues, CM_TIMING_EVENT_COUNT, CM_TIMING_STAGE_COUNT, CM_TIMING_QUEUE_COUNT,
   };
   return cm_pipeline_list_counters(&texts, table);
}
