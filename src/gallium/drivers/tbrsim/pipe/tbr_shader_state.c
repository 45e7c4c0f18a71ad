/* SPDX-License-Identifier: MIT */
/** Shaders as state objects: created, bound, deleted. */
#include <assert.h>

#include "config/config.h"
#include "draw/draw_context.h"
#include "nir.h"
#include "util/log.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "shader/tbr_gpu_shaders.h"
#include "geometry/tbr_binning.h"
#include "geometry/tbr_vertex_accesses.h"
#include "pipe/tbr_functions.h"
#include "shader/tbr_nir.h"
#include "shader/tbr_nir_addresses.h"
#include "shader/tbr_nir_log.h"
#include "shader/tbr_nir_numbers.h"
#include "shader/tbr_shader.h"
#include "state/tbr_context.h"
#include "state/tbr_debug.h"

/* ---- fragment shaders ------------------------------------------------- */

static void *
create_fs_state(struct pipe_context *pipe, const struct pipe_shader_state *state)
{
   return tbr_fragment_shader_create(tbr_context(pipe), state);
}

static void
bind_fs_state(struct pipe_context *pipe, void *shader)
{
   struct tbr_context *context = tbr_context(pipe);
   if (context->fragment_shader == shader)
      return;
   tbr_binning_flush(context);
   /* draw lays its vertices out for the fragment shader. */
   draw_bind_fragment_shader(context->draw, shader ? ((struct tbr_fragment_shader *)shader)->draw : NULL);
   context->fragment_shader = shader;
   context->dirty |= TBR_DIRTY_FRAGMENT_SHADER;
}

static void
delete_fs_state(struct pipe_context *pipe, void *state)
{
   struct tbr_fragment_shader *shader = state;
   assert(shader->draw);
   draw_delete_fragment_shader(tbr_context(pipe)->draw, shader->draw);
   shader->draw = NULL;
   tbr_fragment_shader_reference(&shader, NULL);
}

/* ---- vertex, tessellation and geometry shaders: draw's ----------------- */

/** Makes a shader log what it accesses, if it accesses anything. False when out of memory. */
static bool
log_accesses(struct tbr_context *context, nir_shader *nir, struct tbr_drawn_shader *shader)
{
   if (!tbr_nir_has_accesses(nir))
      return true;
   if (tbr_vertex_accesses_prepare(context))
      shader->logged = tbr_nir_log_accesses(nir, &shader->num_logged);
   if (!shader->logged)
      mesa_loge("a shader was lost: out of memory");
   return shader->logged != NULL;
}

/** What the events of a draw need of its stages. */
static void
describe_stage(struct tbr_drawn_shader *shader, const struct shader_info *info)
{
   switch (info->stage) {
   case MESA_SHADER_TESS_CTRL: shader->invocations = info->tess.tcs_vertices_out; break;
   case MESA_SHADER_TESS_EVAL:
      shader->vertices_per_primitive = info->tess.point_mode                                   ? 1
                                       : info->tess._primitive_mode == TESS_PRIMITIVE_ISOLINES ? 2
                                                                                               : 3;
      break;
   case MESA_SHADER_GEOMETRY:
      shader->invocations = info->gs.invocations;
      shader->vertices_per_primitive = mesa_vertices_per_prim(u_reduced_prim(info->gs.output_primitive));
      assert(shader->vertices_per_primitive >= 1 && shader->vertices_per_primitive <= 3);
      break;
   default: assert(info->stage == MESA_SHADER_VERTEX); break;
   }
}

/** Has the shader do what draw and gallivm need of it. False when out of memory. */
static bool
lower_drawn(struct tbr_context *context, nir_shader *nir, struct tbr_drawn_shader *shader)
{
   const struct tbr_screen *screen = tbr_screen(context->base.screen);
   /* gallivm takes numbers of vertices that a geometry shader computes for constants. */
   if (nir->info.stage == MESA_SHADER_GEOMETRY) {
      NIR_PASS_V(nir, nir_lower_indirect_derefs, nir_var_shader_in, UINT32_MAX);
      NIR_PASS_V(nir, nir_lower_bool_to_int32);
   }
   tbr_nir_bound_numbers(nir);
   tbr_nir_lower_subgroups(nir);
   tbr_nir_bound_buffers(nir);
   tbr_nir_limit_loops(nir, screen->config->shader.loop_limit);
   tbr_nir_bound_offsets(nir);
   tbr_nir_split_numbers(nir);
   tbr_nir_take_active_numbers(nir);
   tbr_nir_widen_functions(nir);
   if (screen->model && !log_accesses(context, nir, shader))
      return false;
   if (shader->by_address)
      tbr_nir_translate_addresses(nir);
   return true;
}

/** Gives the shader to draw. False when out of memory. */
static bool
create_in_draw(struct draw_context *draw, struct tbr_drawn_shader *shader,
               const struct pipe_shader_state *state)
{
   switch (shader->stage) {
   case MESA_SHADER_VERTEX: return (shader->draw.vertex = draw_create_vertex_shader(draw, state));
   case MESA_SHADER_TESS_CTRL: return (shader->draw.control = draw_create_tess_ctrl_shader(draw, state));
   case MESA_SHADER_TESS_EVAL: return (shader->draw.evaluation = draw_create_tess_eval_shader(draw, state));
   default: return (shader->draw.geometry = draw_create_geometry_shader(draw, state));
   }
}

static void
free_drawn_shader(struct tbr_drawn_shader *shader)
{
   FREE(shader->logged);
   tbr_gpu_shader_destroy(shader->gpu);
   FREE(shader->regions);
   FREE(shader);
}

/** For all stages: the NIR says which it is of. */
static void *
create_drawn_shader(struct pipe_context *pipe, const struct pipe_shader_state *state)
{
   static const char *const stages[] = {
      [MESA_SHADER_VERTEX] = "vertex",
      [MESA_SHADER_TESS_CTRL] = "control",
      [MESA_SHADER_TESS_EVAL] = "evaluation",
      [MESA_SHADER_GEOMETRY] = "geometry",
   };
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_drawn_shader *shader = CALLOC_STRUCT(tbr_drawn_shader);
   if (!shader)
      return NULL;
   nir_shader *nir = tbr_take_nir(context, state);
   assert(nir->info.stage < ARRAY_SIZE(stages));
   shader->stage = nir->info.stage;
   shader->name = tbr_names_of_shader(tbr_screen(pipe->screen), nir);
   shader->stream_output = state->stream_output;
   shader->id = tbr_next_shader_id();
   shader->num_instructions = tbr_nir_count_instructions(nir);
   shader->gpu = tbr_gpu_shader_create(tbr_screen(pipe->screen), nir);
   shader->regions = tbr_count_regions(tbr_screen(pipe->screen), nir, shader->gpu);
   shader->buffers_used = BITFIELD_MASK(MIN2(nir->info.num_ssbos, TBR_MAX_DRAWN_STORAGE_BUFFERS));
   shader->images_used = BITFIELD_MASK(MIN2(nir->info.num_images, TBR_MAX_IMAGES));
   shader->writes_memory = nir->info.writes_memory;
   shader->by_address = tbr_nir_uses_addresses(nir);
   if ((shader->regions && !tbr_vertex_accesses_prepare(context)) || !lower_drawn(context, nir, shader)) {
      free_drawn_shader(shader);
      return NULL;
   }
   shader->reads_textures = tbr_nir_reads_textures(nir);
   describe_stage(shader, &nir->info);
   tbr_debug_nir(stages[shader->stage], shader->id, nir);
   tbr_debug_shader(stages[shader->stage], shader->id, shader->num_instructions);

   struct pipe_shader_state nir_state = *state;
   nir_state.type = PIPE_SHADER_IR_NIR;
   nir_state.ir.nir = nir;
   if (!create_in_draw(context->draw, shader, &nir_state)) {
      free_drawn_shader(shader);
      return NULL;
   }
   return shader;
}

static void
bind_vs_state(struct pipe_context *pipe, void *state)
{
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_drawn_shader *shader = state;
   if (context->vertex_shader == shader)
      return;
   draw_bind_vertex_shader(context->draw, shader ? shader->draw.vertex : NULL);
   context->vertex_shader = shader;
   context->dirty |= TBR_DIRTY_VERTEX_SHADER;
}

static void
bind_tcs_state(struct pipe_context *pipe, void *state)
{
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_drawn_shader *shader = state;
   if (context->control_shader == shader)
      return;
   draw_bind_tess_ctrl_shader(context->draw, shader ? shader->draw.control : NULL);
   context->control_shader = shader;
   context->dirty |= TBR_DIRTY_TESSELLATION;
}

static void
bind_tes_state(struct pipe_context *pipe, void *state)
{
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_drawn_shader *shader = state;
   if (context->evaluation_shader == shader)
      return;
   draw_bind_tess_eval_shader(context->draw, shader ? shader->draw.evaluation : NULL);
   context->evaluation_shader = shader;
   context->dirty |= TBR_DIRTY_TESSELLATION;
}

static void
bind_gs_state(struct pipe_context *pipe, void *state)
{
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_drawn_shader *shader = state;
   if (context->geometry_shader == shader)
      return;
   draw_bind_geometry_shader(context->draw, shader ? shader->draw.geometry : NULL);
   context->geometry_shader = shader;
   context->dirty |= TBR_DIRTY_GEOMETRY_SHADER;
}

static void
delete_drawn_shader(struct pipe_context *pipe, void *state)
{
   struct draw_context *draw = tbr_context(pipe)->draw;
   struct tbr_drawn_shader *shader = state;
   switch (shader->stage) {
   case MESA_SHADER_VERTEX: draw_delete_vertex_shader(draw, shader->draw.vertex); break;
   case MESA_SHADER_TESS_CTRL: draw_delete_tess_ctrl_shader(draw, shader->draw.control); break;
   case MESA_SHADER_TESS_EVAL: draw_delete_tess_eval_shader(draw, shader->draw.evaluation); break;
   default: draw_delete_geometry_shader(draw, shader->draw.geometry); break;
   }
   free_drawn_shader(shader);
}

void
tbr_shader_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;
   base->create_fs_state = create_fs_state;
   base->bind_fs_state = bind_fs_state;
   base->delete_fs_state = delete_fs_state;
   base->create_vs_state = base->create_tcs_state = base->create_tes_state = base->create_gs_state =
      create_drawn_shader;
   base->bind_vs_state = bind_vs_state;
   base->bind_tcs_state = bind_tcs_state;
   base->bind_tes_state = bind_tes_state;
   base->bind_gs_state = bind_gs_state;
   base->delete_vs_state = base->delete_tcs_state = base->delete_tes_state = base->delete_gs_state =
      delete_drawn_shader;
}
