/* SPDX-License-Identifier: MIT */
#include "gpu/compute/compute.h"

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/compute/storage.h"
#include "util/minmax.h"

void
cm_compute_read_indirect(struct cm_gpu *gpu, const struct cm_indirect *indirect)
{
   if (!indirect->buffer)
      return;
   const struct cm_resource *buffer = cm_address_space_use(&gpu->space, indirect->buffer);
   if (!buffer || (uint64_t)indirect->offset + indirect->bytes > buffer->bytes)
      return;
   cm_gpu_attribute_resource(gpu, indirect->buffer);
   cm_hierarchy_access_range(&gpu->hierarchy, 0, buffer->address + indirect->offset, indirect->bytes,
                             CM_STREAM_INDEX, false);
}

void
cm_compute_begin(struct cm_compute_stage *compute, struct cm_resource *const *textures)
{
   struct cm_gpu *gpu = compute->gpu;
   const struct cm_draw *draw = &gpu->pass->draws[0];
   cm_gpu_attribute_draw(gpu, 0);
   gpu->pipeline[CM_PIPELINE_DRAWS]++;
   cm_compute_read_indirect(gpu, &draw->indirect);
   compute->has_shader = 0;
   const struct cm_shader *shader = &gpu->pass->dispatch.shader;
   compute->code = cm_gpu_executed_code(gpu, CM_SHADER_COMPUTE, shader->id);
   compute->instructions =
      compute->code ? cm_code_quad_operations(compute->code, CM_PIPE_ISSUE, NULL) : shader->instructions;
   compute->more = 0;
   for (uint32_t unit = 0; unit < draw->num_textures; unit++)
      cm_gpu_bind_texture(&compute->units[unit], &draw->textures[unit], textures[unit]);
}

/* For timing: the invocations that ran have come to a barrier, or their end. */
static void
end_run(struct cm_compute_stage *compute)
{
   if (compute->running)
      cm_timing_run(compute->gpu->timing, cm_event_count(compute->running),
                    compute->running & CM_INVOKE_RESUMES, compute->more);
   compute->running = 0;
   compute->more = 0;
}

static void
begin_group(struct cm_compute_stage *compute, uint32_t number)
{
   struct cm_gpu *gpu = compute->gpu;
   const struct cm_shader *shader = &gpu->pass->dispatch.shader;
   compute->processor = number % gpu->config.fragment_stage.processors;
   gpu->pipeline[CM_PIPELINE_WORK_GROUPS]++;
   if (!(compute->has_shader >> compute->processor & 1)) {
      gpu->pipeline[CM_PIPELINE_PROGRAM_SWITCHES]++;
      cm_gpu_fetch_shader(gpu, gpu->pass->draws, CM_SHADER_COMPUTE, shader, compute->processor);
      compute->has_shader |= 1ull << compute->processor;
   }
   cm_timing_work_group(gpu->timing, compute->processor, (uint32_t)compute->instructions);
}

static void
read_textures(struct cm_compute_stage *compute, const uint32_t *event)
{
   struct cm_gpu *gpu = compute->gpu;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t number = cm_event_unit(*event);
   struct cm_texture_unit *unit =
      number < gpu->pass->draws[0].num_textures ? &compute->units[number] : &compute->no_unit;
   struct cm_cache *cache = cm_texture_path_cache(&gpu->texture, compute->processor);
   struct cm_texel_bounds bounds[4];
   if (gpu->attribution && gpu->attribution->is_by_resource)
      cm_gpu_attribute_texture(gpu, unit->binding ? unit->binding->resource : 0);
   for (uint32_t i = 0; i < cm_event_count(*event); i++) {
      if (i % 4 == 0)
         cm_footprints_bounds(&footprints[i], cm_min(cm_event_count(*event) - i, 4), bounds);
      cm_texture_unit_read(&gpu->texture, unit, &footprints[i], &bounds[i % 4], compute->processor, cache);
   }
   gpu->pipeline[CM_PIPELINE_FOOTPRINTS] += cm_event_count(*event);
}

/* An instruction of up to CM_INVOCATIONS invocations, sub-group by sub-group. */
static void
access_storage(struct cm_compute_stage *compute, const uint32_t *event)
{
   struct cm_gpu *gpu = compute->gpu;
   const uint32_t lanes = gpu->config.load_store.lanes ? gpu->config.load_store.lanes : CM_INVOCATIONS;
   if (!gpu->pass->draws[0].storage)
      return;
   for (uint32_t quad = 0; quad < CM_INVOCATIONS / 4; quad += lanes / 4)
      cm_storage_access(compute->storage, gpu->pass->draws[0].storage - 1, event, quad, quad + lanes / 4, 15,
                        compute->processor);
}

static void
invoke(struct cm_compute_stage *compute, uint32_t word)
{
   struct cm_gpu *gpu = compute->gpu;
   const uint32_t invocations = cm_event_count(word);
   compute->running = word;
   if (word & CM_INVOKE_RESUMES)
      return;
   gpu->pipeline[CM_PIPELINE_INVOCATIONS] += invocations;
   if (cm_config_counts_operations(&gpu->config))
      gpu->operations[CM_OPERATION_QUAD_INSTRUCTIONS] += compute->instructions * ((invocations + 3) / 4);
}

/* Some of them ran more than region 0. */
static void
run_regions(struct cm_compute_stage *compute, const uint32_t *regions)
{
   if (!compute->code || !compute->running)
      return;
   const uint64_t ran = cm_code_quad_operations(compute->code, CM_PIPE_ISSUE, regions);
   const uint64_t more = cm_quad_fragments(cm_regions_quads(*regions)) * (ran - compute->instructions);
   compute->more += more;
   if (cm_config_counts_operations(&compute->gpu->config))
      compute->gpu->operations[CM_OPERATION_QUAD_INSTRUCTIONS] += more;
}

void
cm_compute_tile(struct cm_compute_stage *compute, uint32_t tile)
{
   struct cm_gpu *gpu = compute->gpu;
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   cm_timing_begin(gpu->timing, CM_LOG_GROUPS, tile);
   cm_gpu_attribute_draw(gpu, 0);
   gpu->pipeline[CM_PIPELINE_TILES]++;
   compute->running = 0;
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *word = events->words; word < end; word = cm_event_next(word)) {
      if (!cm_event_is_of_run(*word))
         end_run(compute);
      switch (cm_event_type(*word)) {
      case CM_EVENT_GROUP: begin_group(compute, word[1]); break;
      case CM_EVENT_INVOKE: invoke(compute, *word); break;
      case CM_EVENT_BARRIER:
         gpu->pipeline[CM_PIPELINE_BARRIERS]++;
         cm_timing_barrier(gpu->timing);
         break;
      case CM_EVENT_FOOTPRINTS: read_textures(compute, word); break;
      case CM_EVENT_BUFFER:
      case CM_EVENT_IMAGE: access_storage(compute, word); break;
      case CM_EVENT_REGIONS: run_regions(compute, word); break;
      default: break;
      }
   }
   end_run(compute);
   cm_timing_end(gpu->timing);
}
