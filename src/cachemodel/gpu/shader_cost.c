/* SPDX-License-Identifier: MIT */
#include "gpu/shader_cost.h"

#include "gpu/gpu_internal.h"
#include "util/minmax.h"

/* Components of 16 bits that an attribute of four floats has. */
#define ATTRIBUTE_COMPONENTS 8

bool
cm_gpu_needs_costs(const struct cm_gpu *gpu)
{
   return gpu->timing && gpu->config.core == CM_CORE_PIPES;
}

/* ---- fragments --------------------------------------------------------------- */

struct cm_shader_cost
cm_fragment_cost(const struct cm_draw *draw, uint32_t attributes)
{
   const uint32_t instructions = draw->fragment_shader.instructions;
   return (struct cm_shader_cost){
      .operations =
         {
            [CM_PIPE_ISSUE] = instructions,
            [CM_PIPE_FMA] = instructions,
            /* All of a primitive's attributes but its position. */
            [CM_PIPE_VARYING] = attributes > 1 ? (attributes - 1) * ATTRIBUTE_COMPONENTS : 0,
         },
      .threads_shared = 1,
   };
}

uint32_t
cm_texture_samples(const struct cm_gpu *gpu, const struct cm_texture_binding *binding)
{
   const uint32_t narrow = gpu->config.shader_core.texel_bytes;
   const struct cm_resource *resource =
      binding && narrow ? cm_address_space_use((struct cm_address_space *)&gpu->space, binding->resource)
                        : NULL;
   if (!resource)
      return 1;
   const struct cm_resource_description *texture = &resource->description;
   const uint32_t bytes = texture->is_buffer ? binding->texel_bytes : texture->block_bytes;
   /* Compressed texels are narrow. */
   const bool is_compressed = !texture->is_buffer && texture->block_width > 1;
   return is_compressed ? 1 : cm_max(1, (bytes + narrow - 1) / narrow);
}

uint32_t
cm_tile_pixels(const struct cm_draw *draw, const struct cm_quad *quad)
{
   return quad->written ? 4 * (uint32_t)__builtin_popcount(draw->tests.color_write) : 0;
}

/* ---- shaders before the rasterizer --------------------------------------------- */

void
cm_log_draw_costs(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_shader *shaders[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = &draw->vertex_shader,
      [CM_PRERASTER_CONTROL] = &draw->control_shader,
      [CM_PRERASTER_EVALUATION] = &draw->evaluation_shader,
      [CM_PRERASTER_GEOMETRY] = &draw->geometry_shader,
   };
   struct cm_shader_cost cost = {.threads_shared = 1};
   cm_timing_draw_cost(gpu->timing, CM_PRERASTER_VERTEX, CM_CODE_VARYINGS, &cost);
   for (enum cm_preraster_stage stage = CM_PRERASTER_VERTEX; stage < CM_PRERASTER_STAGES; stage++) {
      cost.operations[CM_PIPE_ISSUE] = cost.operations[CM_PIPE_FMA] = shaders[stage]->instructions;
      cost.operations[CM_PIPE_LOAD_STORE] = stage == CM_PRERASTER_VERTEX ? draw->num_elements : 0;
      cm_timing_draw_cost(gpu->timing, stage, CM_CODE_WHOLE, &cost);
   }
}
