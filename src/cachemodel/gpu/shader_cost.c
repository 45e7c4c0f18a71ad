/* SPDX-License-Identifier: MIT */
#include "gpu/shader_cost.h"

#include <assert.h>
#include <pthread.h>

#include "gpu/gpu_internal.h"
#include "util/message.h"
#include "util/minmax.h"

/* Components of 16 bits that an attribute of four floats has. */
#define ATTRIBUTE_COMPONENTS 8

static const char *const isa_names[] = {
#define ISA_NAME(id, name, description) [CM_ISA_##id] = name,
   CM_ISAS(ISA_NAME)};
static_assert(CM_ISA_COUNT == 5,
              "as many as the key shader.isa has names, in the same order (config/config_schema.c)");

bool
cm_gpu_needs_costs(const struct cm_gpu *gpu)
{
   return gpu->timing && gpu->config.core == CM_CORE_PIPES;
}

void
cm_costed_shaders_finish(struct cm_gpu *gpu)
{
   struct cm_costed_shaders *shaders = &gpu->costed;
   if (shaders->without_code)
      cm_message(CM_MESSAGE_INFO,
                 "%u of %u shaders have no code for %s: they count with that of the renderer",
                 shaders->without_code, shaders->seen.count, isa_names[gpu->config.shader.isa]);
   cm_id_table_finish(&shaders->seen);
}

/* The code of a shader for the GPU's instruction set; NULL: there is none. */
static const struct cm_shader_code *
find_code(const struct cm_gpu *gpu, enum cm_shader_stage stage, uint32_t shader, enum cm_code_part part)
{
   return cm_shader_codes_find(&gpu->codes, stage, shader, (enum cm_isa)gpu->config.shader.isa, part);
}

/* Shading workers ask for costs, too. */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

/* Counts a shader, once. */
static void
count_shader(struct cm_gpu *gpu, enum cm_shader_stage stage, uint32_t shader, bool has_code)
{
   struct cm_costed_shaders *shaders = &gpu->costed;
   if (gpu->config.shader.isa == CM_ISA_NIR)
      return;
   pthread_mutex_lock(&counting);
   const uint32_t before = shaders->seen.count;
   cm_id_table_add(&shaders->seen, (uint64_t)stage << 32 | shader);
   shaders->without_code += shaders->seen.count > before && !has_code;
   pthread_mutex_unlock(&counting);
}

/* The code of a shader that is not in parts. */
static const struct cm_shader_code *
find_whole(struct cm_gpu *gpu, enum cm_shader_stage stage, uint32_t shader)
{
   const struct cm_shader_code *code = find_code(gpu, stage, shader, CM_CODE_WHOLE);
   count_shader(gpu, stage, shader, code);
   return code;
}

/* ---- fragments --------------------------------------------------------------- */

static uint32_t
saturated(uint64_t operations)
{
   return (uint32_t)cm_min64(operations, UINT32_MAX);
}

struct cm_shader_cost
cm_fragment_cost(struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t attributes, const uint32_t *runs)
{
   const uint32_t shader = draw->fragment_shader.id;
   const struct cm_shader_code *code = find_whole(gpu, CM_SHADER_FRAGMENT, shader);
   struct cm_shader_cost cost = {.threads_shared = 1};
   if (code && code->isa != CM_ISA_NIR) {
      for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
         cost.operations[p] = saturated(cm_code_quad_operations(code, (enum cm_pipe)p, runs));
      cost.threads_shared = cm_max(1, code->threads_shared);
      return cost;
   }
   const struct cm_shader_code *executed = cm_gpu_executed_code(gpu, CM_SHADER_FRAGMENT, shader);
   cost.operations[CM_PIPE_ISSUE] = executed
                                       ? saturated(cm_code_quad_operations(executed, CM_PIPE_ISSUE, runs))
                                       : draw->fragment_shader.instructions;
   cost.operations[CM_PIPE_FMA] = cost.operations[CM_PIPE_ISSUE];
   /* All of a primitive's attributes but its position. */
   cost.operations[CM_PIPE_VARYING] = attributes > 1 ? (attributes - 1) * ATTRIBUTE_COMPONENTS : 0;
   return cost;
}

uint32_t
cm_texture_samples(const struct cm_gpu *gpu, const struct cm_texture_binding *binding,
                   const struct cm_resource *resource)
{
   const uint32_t narrow = gpu->config.shader_core.texel_bytes;
   if (!resource || !narrow)
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

/* The mean of a draw's invocations. */
static struct cm_shader_cost
mean_cost(struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_preraster_stage stage,
          const struct cm_shader *shader, const struct cm_shader_code *code)
{
   static const enum cm_shader_stage stages[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = CM_SHADER_VERTEX,
      [CM_PRERASTER_CONTROL] = CM_SHADER_TESS_CONTROL,
      [CM_PRERASTER_EVALUATION] = CM_SHADER_TESS_EVALUATION,
      [CM_PRERASTER_GEOMETRY] = CM_SHADER_GEOMETRY,
   };
   struct cm_shader_cost cost = {.threads_shared = 1};
   const uint64_t *runs = gpu->pass->region_runs + draw->first_region_run;
   for (unsigned s = 0; s < stage; s++)
      runs += draw->num_regions[s];
   if (code && code->isa != CM_ISA_NIR) {
      for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
         cost.operations[p] =
            saturated(cm_code_mean_operations(code, (enum cm_pipe)p, runs, draw->num_regions[stage], 1));
      cost.threads_shared = cm_max(1, code->threads_shared);
      return cost;
   }
   code = cm_gpu_executed_code(gpu, stages[stage], shader->id);
   cost.operations[CM_PIPE_ISSUE] =
      code ? saturated(cm_code_mean_operations(code, CM_PIPE_ISSUE, runs, draw->num_regions[stage], 1))
           : shader->instructions;
   cost.operations[CM_PIPE_FMA] = cost.operations[CM_PIPE_ISSUE];
   cost.operations[CM_PIPE_LOAD_STORE] = stage == CM_PRERASTER_VERTEX ? draw->num_elements : 0;
   return cost;
}

/* Shaders of vertices may have code in two parts, position and varyings, or as a whole, or both. */
struct vertex_codes {
   const struct cm_shader_code *whole, *position, *varyings;
};

static struct vertex_codes
find_vertex_codes(struct cm_gpu *gpu, uint32_t shader)
{
   struct vertex_codes codes = {
      .whole = find_code(gpu, CM_SHADER_VERTEX, shader, CM_CODE_WHOLE),
      .position = find_code(gpu, CM_SHADER_VERTEX, shader, CM_CODE_POSITION),
      .varyings = find_code(gpu, CM_SHADER_VERTEX, shader, CM_CODE_VARYINGS),
   };
   if (gpu->config.shader.isa == CM_ISA_V3D && !codes.whole)
      codes.whole = codes.varyings; /* struct cm_shader_code says so */
   count_shader(gpu, CM_SHADER_VERTEX, shader, codes.whole || codes.position);
   return codes;
}

/* Of a vertex that is shaded as a whole: where there is no other code, both parts. */
static struct cm_shader_cost
whole_cost(struct cm_gpu *gpu, const struct cm_draw *draw, const struct vertex_codes *codes)
{
   const struct cm_shader *shader = &draw->vertex_shader;
   const bool has_parts = codes->position && !codes->whole;
   struct cm_shader_cost cost =
      mean_cost(gpu, draw, CM_PRERASTER_VERTEX, shader, has_parts ? codes->position : codes->whole);
   if (!has_parts || !codes->varyings)
      return cost;
   const struct cm_shader_cost rest = mean_cost(gpu, draw, CM_PRERASTER_VERTEX, shader, codes->varyings);
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      cost.operations[p] = saturated((uint64_t)cost.operations[p] + rest.operations[p]);
   cost.threads_shared = cm_max(cost.threads_shared, rest.threads_shared);
   return cost;
}

struct cm_shader_cost
cm_tile_vertex_cost(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct vertex_codes codes = find_vertex_codes(gpu, draw->vertex_shader.id);
   return whole_cost(gpu, draw, &codes);
}

/* Where vertices are shaded in parts, or tiles shade them once more, a shader without parts is all of the position. */
static void
log_vertex_costs(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_shader *shader = &draw->vertex_shader;
   const struct vertex_codes codes = find_vertex_codes(gpu, shader->id);
   const enum cm_core_vertices vertices = gpu->config.shader_core.vertices;
   struct cm_shader_cost rest = {.threads_shared = 1};
   const bool is_split = codes.position && vertices != CM_CORE_VERTICES_WHOLE;
   const struct cm_shader_cost cost = is_split
                                         ? mean_cost(gpu, draw, CM_PRERASTER_VERTEX, shader, codes.position)
                                         : whole_cost(gpu, draw, &codes);
   if (is_split && codes.varyings && vertices == CM_CORE_VERTICES_POSITIONS_FIRST)
      rest = mean_cost(gpu, draw, CM_PRERASTER_VERTEX, shader, codes.varyings);
   cm_timing_draw_cost(gpu->timing, CM_PRERASTER_VERTEX, CM_CODE_WHOLE, &cost);
   cm_timing_draw_cost(gpu->timing, CM_PRERASTER_VERTEX, CM_CODE_VARYINGS, &rest);
}

void
cm_log_draw_costs(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct {
      enum cm_preraster_stage stage;
      enum cm_shader_stage is;
      const struct cm_shader *shader;
   } stages[] = {
      {CM_PRERASTER_CONTROL, CM_SHADER_TESS_CONTROL, &draw->control_shader},
      {CM_PRERASTER_EVALUATION, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader},
      {CM_PRERASTER_GEOMETRY, CM_SHADER_GEOMETRY, &draw->geometry_shader},
   };
   log_vertex_costs(gpu, draw);
   for (unsigned s = 0; s < sizeof stages / sizeof stages[0] && (draw->patches || draw->geometry_invocations);
        s++) {
      const struct cm_shader *shader = stages[s].shader;
      const struct cm_shader_code *code = shader->id ? find_whole(gpu, stages[s].is, shader->id) : NULL;
      const struct cm_shader_cost cost = mean_cost(gpu, draw, stages[s].stage, shader, code);
      cm_timing_draw_cost(gpu->timing, stages[s].stage, CM_CODE_WHOLE, &cost);
   }
}
