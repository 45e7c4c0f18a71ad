/* SPDX-License-Identifier: MIT */
/** State objects and bound state, all but shaders. What draw needs is passed on. */
#include <assert.h>
#include <string.h>

#include "draw/draw_context.h"
#include "util/u_framebuffer.h"
#include "util/u_helpers.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_upload_mgr.h"
#include "pass/tbr_batch.h"
#include "geometry/tbr_binning.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "state/tbr_resource.h"

/** Primitives that draw has queued belong to the old state. */
static void
change(struct tbr_context *context, uint32_t dirty)
{
   draw_flush(context->draw);
   context->dirty |= dirty;
}

static void
delete_state(struct pipe_context *base, void *state)
{
   FREE(state);
}

/* ---- blending, depth, stencil ----------------------------------------- */

static void *
create_blend_state(struct pipe_context *base, const struct pipe_blend_state *state)
{
   return mem_dup(state, sizeof *state);
}

static void
bind_blend_state(struct pipe_context *base, void *state)
{
   struct tbr_context *context = tbr_context(base);
   if (context->blend == state)
      return;
   change(context, TBR_DIRTY_BLEND);
   context->blend = state;
}

static void
set_blend_color(struct pipe_context *base, const struct pipe_blend_color *color)
{
   struct tbr_context *context = tbr_context(base);
   change(context, TBR_DIRTY_BLEND_COLOR);
   context->blend_color = *color;
}

static void *
create_depth_stencil_alpha_state(struct pipe_context *base,
                                 const struct pipe_depth_stencil_alpha_state *state)
{
   return mem_dup(state, sizeof *state);
}

static void
bind_depth_stencil_alpha_state(struct pipe_context *base, void *state)
{
   struct tbr_context *context = tbr_context(base);
   if (context->depth_stencil == state)
      return;
   change(context, TBR_DIRTY_DEPTH_STENCIL);
   context->depth_stencil = state;
}

static void
set_stencil_ref(struct pipe_context *base, const struct pipe_stencil_ref reference)
{
   struct tbr_context *context = tbr_context(base);
   change(context, TBR_DIRTY_STENCIL_REFERENCE);
   context->stencil_reference = reference;
}

static void
set_sample_mask(struct pipe_context *base, unsigned mask)
{
   struct tbr_context *context = tbr_context(base);
   if (context->sample_mask == mask)
      return;
   change(context, TBR_DIRTY_SAMPLE_MASK);
   context->sample_mask = mask;
}

static void
set_min_samples(struct pipe_context *base, unsigned min_samples)
{
   struct tbr_context *context = tbr_context(base);
   if (context->min_samples == min_samples)
      return;
   change(context, TBR_DIRTY_SAMPLE_MASK);
   context->min_samples = min_samples;
}

/* ---- rasterizer ------------------------------------------------------- */

/** `state` comes first: the blitter takes a pointer to it for the whole. */
struct rasterizer {
   struct pipe_rasterizer_state state;
   struct pipe_rasterizer_state draw_state; /**< draw's part of the work */
};

static void *
create_rasterizer_state(struct pipe_context *base, const struct pipe_rasterizer_state *state)
{
   struct rasterizer *rasterizer = MALLOC_STRUCT(rasterizer);
   if (!rasterizer)
      return NULL;
   rasterizer->state = *state;
   rasterizer->draw_state = *state;

   /* Primitive assembly and the raster pipeline do these for filled polygons. Of
    * unfilled ones draw makes points and lines, which no longer know the slope and
    * the facing of their polygon. */
   rasterizer->draw_state.offset_tri = 0;
   if (state->fill_front == PIPE_POLYGON_MODE_FILL && state->fill_back == PIPE_POLYGON_MODE_FILL) {
      rasterizer->draw_state.light_twoside = 0;
      rasterizer->draw_state.offset_point = 0;
      rasterizer->draw_state.offset_line = 0;
   }
   return rasterizer;
}

static void
bind_rasterizer_state(struct pipe_context *base, void *state)
{
   struct tbr_context *context = tbr_context(base);
   struct rasterizer *rasterizer = state;

   /* First: draw binds states of its own while it flushes. */
   tbr_binning_flush(context);
   draw_set_rasterizer_state(context->draw, rasterizer ? &rasterizer->draw_state : NULL, rasterizer);
   context->rasterizer = rasterizer ? &rasterizer->state : NULL;
   context->dirty |= TBR_DIRTY_RASTERIZER;
}

static void
set_polygon_stipple(struct pipe_context *base, const struct pipe_poly_stipple *stipple)
{
   struct tbr_context *context = tbr_context(base);
   change(context, TBR_DIRTY_POLYGON_STIPPLE);
   context->polygon_stipple = *stipple;
}

static void
set_clip_state(struct pipe_context *base, const struct pipe_clip_state *clip)
{
   struct tbr_context *context = tbr_context(base);
   context->clip = *clip;
   context->dirty |= TBR_DIRTY_CLIP;
   draw_set_clip_state(context->draw, clip);
}

static void
set_viewport_states(struct pipe_context *base, unsigned start, unsigned count,
                    const struct pipe_viewport_state *viewports)
{
   struct tbr_context *context = tbr_context(base);
   assert(start + count <= PIPE_MAX_VIEWPORTS);
   draw_set_viewport_states(context->draw, start, count, viewports);
   memcpy(&context->viewports[start], viewports, count * sizeof *viewports);
   context->dirty |= TBR_DIRTY_VIEWPORT;
}

static void
set_scissor_states(struct pipe_context *base, unsigned start, unsigned count,
                   const struct pipe_scissor_state *scissors)
{
   struct tbr_context *context = tbr_context(base);
   assert(start + count <= PIPE_MAX_VIEWPORTS);
   change(context, TBR_DIRTY_SCISSOR);
   memcpy(&context->scissors[start], scissors, count * sizeof *scissors);
}

/* ---- framebuffer ------------------------------------------------------ */

static void
set_framebuffer_state(struct pipe_context *base, const struct pipe_framebuffer_state *framebuffer)
{
   struct tbr_context *context = tbr_context(base);
   if (util_framebuffer_state_equal(&context->framebuffer, framebuffer))
      return;

   if (context->copy == TBR_COPY_BEGINS) {
      tbr_batch_set_aside(context);
      context->copy = TBR_COPY_DRAWS;
   } else {
      tbr_batch_flush(context, context->copy ? CM_END_COPY : CM_END_FRAMEBUFFER);
   }
   assert(!context->batch);
   util_copy_framebuffer_state(&context->framebuffer, framebuffer);
   draw_set_zs_format(context->draw, framebuffer->zsbuf ? framebuffer->zsbuf->format : PIPE_FORMAT_NONE);
   context->dirty |= TBR_DIRTY_FRAMEBUFFER;
}

/* ---- textures --------------------------------------------------------- */

static uint32_t
texture_dirty(enum pipe_shader_type stage)
{
   return stage == PIPE_SHADER_FRAGMENT ? TBR_DIRTY_FRAGMENT_TEXTURES : TBR_DIRTY_VERTEX_TEXTURES;
}

static void *
create_sampler_state(struct pipe_context *base, const struct pipe_sampler_state *state)
{
   struct pipe_sampler_state *copy = mem_dup(state, sizeof *state);
   /* Nothing is filtered. `draw` would, and cannot where texels are integers. */
   if (copy && copy->min_img_filter == PIPE_TEX_FILTER_NEAREST &&
       copy->mag_img_filter == PIPE_TEX_FILTER_NEAREST)
      copy->max_anisotropy = 0;
   return copy;
}

static void
bind_sampler_states(struct pipe_context *base, enum pipe_shader_type stage, unsigned start, unsigned count,
                    void **samplers)
{
   struct tbr_context *context = tbr_context(base);
   const struct pipe_sampler_state **bound = context->samplers[stage];

   assert(start + count <= PIPE_MAX_SAMPLERS);
   change(context, texture_dirty(stage));
   for (unsigned i = 0; i < count; i++)
      bound[start + i] = samplers ? samplers[i] : NULL;

   unsigned last = MAX2(context->num_samplers[stage], start + count);
   while (last > 0 && !bound[last - 1])
      last--;
   context->num_samplers[stage] = last;
   if (tbr_is_drawn_stage(stage))
      draw_set_samplers(context->draw, stage, (struct pipe_sampler_state **)bound, last);
}

struct tbr_sampler_view {
   struct pipe_sampler_view base;
   struct pipe_sampler_view
      drawn; /**< what draw samples: texture and format are of what is sampled in the memory */
};

static struct pipe_sampler_view *
create_sampler_view(struct pipe_context *base, struct pipe_resource *texture,
                    const struct pipe_sampler_view *template)
{
   struct tbr_sampler_view *view = CALLOC_STRUCT(tbr_sampler_view);
   if (!view)
      return NULL;
   view->base = *template;
   pipe_reference_init(&view->base.reference, 1);
   view->base.texture = NULL;
   pipe_resource_reference(&view->base.texture, texture);
   view->base.context = base;
   view->drawn = view->base;
   view->drawn.texture = (struct pipe_resource *)&tbr_sampled_resource(&view->base)->base;
   view->drawn.format = tbr_sampled_format(&view->base);
   return &view->base;
}

static void
sampler_view_destroy(struct pipe_context *base, struct pipe_sampler_view *view)
{
   pipe_resource_reference(&view->texture, NULL);
   FREE(view);
}

static void
set_sampler_views(struct pipe_context *base, enum pipe_shader_type stage, unsigned start, unsigned count,
                  unsigned num_unbound, bool take_ownership, struct pipe_sampler_view **views)
{
   struct tbr_context *context = tbr_context(base);
   struct pipe_sampler_view **bound = context->sampler_views[stage];

   assert(start + count + num_unbound <= PIPE_MAX_SHADER_SAMPLER_VIEWS);
   change(context, texture_dirty(stage));
   for (unsigned i = 0; i < count; i++) {
      struct pipe_sampler_view *view = views ? views[i] : NULL;
      if (take_ownership) {
         pipe_sampler_view_reference(&bound[start + i], NULL);
         bound[start + i] = view;
      } else {
         pipe_sampler_view_reference(&bound[start + i], view);
      }
   }
   for (unsigned i = 0; i < num_unbound; i++)
      pipe_sampler_view_reference(&bound[start + count + i], NULL);

   unsigned last = MAX2(context->num_sampler_views[stage], start + count);
   while (last > 0 && !bound[last - 1])
      last--;
   context->num_sampler_views[stage] = last;
   if (!tbr_is_drawn_stage(stage))
      return;
   struct pipe_sampler_view *drawn[PIPE_MAX_SHADER_SAMPLER_VIEWS];
   for (unsigned i = 0; i < last; i++)
      drawn[i] = bound[i] ? &((struct tbr_sampler_view *)bound[i])->drawn : NULL;
   draw_set_sampler_views(context->draw, stage, drawn, last);
}

/* ---- constants -------------------------------------------------------- */

static void
set_constant_buffer(struct pipe_context *base, enum pipe_shader_type stage, uint index, bool take_ownership,
                    const struct pipe_constant_buffer *buffer)
{
   struct tbr_context *context = tbr_context(base);
   struct pipe_constant_buffer *bound = &context->constants[stage][index];

   assert(index < TBR_MAX_CONSTANT_BUFFERS);
   change(context, stage == PIPE_SHADER_FRAGMENT ? TBR_DIRTY_FRAGMENT_CONSTANTS : TBR_DIRTY_VERTEX_CONSTANTS);
   util_copy_constant_buffer(bound, buffer, take_ownership);
   if (stage == PIPE_SHADER_FRAGMENT) {
      context->fragment_buffers &= ~BITFIELD_BIT(index);
      context->fragment_buffers |= (bound->buffer && !bound->user_buffer) << index;
   }
   if (bound->user_buffer) {
      u_upload_data(base->const_uploader, 0, bound->buffer_size, 64, bound->user_buffer,
                    &bound->buffer_offset, &bound->buffer);
      bound->user_buffer = NULL;
   }
   struct tbr_storage **held = &context->held.constants[stage][index];
   if (bound->buffer)
      tbr_resource_hold(tbr_resource(bound->buffer), held);
   else
      tbr_storage_reference(held, NULL);
   if (tbr_is_drawn_stage(stage)) {
      context->mapped_constants[stage] &= ~BITFIELD_BIT(index);
      context->mapped_constants[stage] |= (bound->buffer != NULL) << index;
      tbr_context_map_constants(context, stage, index);
   }
}

/* ---- vertices --------------------------------------------------------- */

static void *
create_vertex_elements_state(struct pipe_context *base, unsigned count,
                             const struct pipe_vertex_element *elements)
{
   struct tbr_vertex_elements *state = CALLOC_STRUCT(tbr_vertex_elements);
   if (!state)
      return NULL;
   assert(count <= ARRAY_SIZE(state->elements));
   state->count = count;
   memcpy(state->elements, elements, count * sizeof *elements);
   return state;
}

static void
bind_vertex_elements_state(struct pipe_context *base, void *state)
{
   struct tbr_context *context = tbr_context(base);
   context->vertex_elements = state;
   context->dirty |= TBR_DIRTY_VERTEX_ELEMENTS;
   if (context->vertex_elements)
      draw_set_vertex_elements(context->draw, context->vertex_elements->count,
                               context->vertex_elements->elements);
}

static void
set_vertex_buffers(struct pipe_context *base, unsigned count, const struct pipe_vertex_buffer *buffers)
{
   struct tbr_context *context = tbr_context(base);
   assert(count <= PIPE_MAX_ATTRIBS);
   change(context, TBR_DIRTY_VERTEX_BUFFERS);
   util_set_vertex_buffers_count(context->vertex_buffers, &context->num_vertex_buffers, buffers, count, true);
   draw_set_vertex_buffers(context->draw, count, buffers);
   for (unsigned i = count; i < PIPE_MAX_ATTRIBS && context->held.vertices[i]; i++)
      tbr_storage_reference(&context->held.vertices[i], NULL);
}

static void
set_patch_vertices(struct pipe_context *base, uint8_t patch_vertices)
{
   tbr_context(base)->patch_vertices = patch_vertices;
}

static void
set_tess_state(struct pipe_context *base, const float default_outer_level[4],
               const float default_inner_level[2])
{
   draw_set_tess_state(tbr_context(base)->draw, default_outer_level, default_inner_level);
}

/* ---- stream output ---------------------------------------------------- */

static struct pipe_stream_output_target *
create_stream_output_target(struct pipe_context *base, struct pipe_resource *buffer, unsigned offset,
                            unsigned size)
{
   struct draw_so_target *target = CALLOC_STRUCT(draw_so_target);
   if (!target)
      return NULL;
   pipe_reference_init(&target->target.reference, 1);
   target->target.context = base;
   target->target.buffer_offset = offset;
   target->target.buffer_size = size;
   pipe_resource_reference(&target->target.buffer, buffer);
   return &target->target;
}

static void
stream_output_target_destroy(struct pipe_context *base, struct pipe_stream_output_target *target)
{
   pipe_resource_reference(&target->buffer, NULL);
   FREE(target);
}

static void
set_stream_output_targets(struct pipe_context *base, unsigned count,
                          struct pipe_stream_output_target **targets, const unsigned *offsets,
                          enum mesa_prim output_prim)
{
   struct tbr_context *context = tbr_context(base);

   assert(count <= PIPE_MAX_SO_BUFFERS);
   change(context, TBR_DIRTY_GEOMETRY_SHADER);
   for (unsigned i = 0; i < MAX2(count, context->num_stream_output); i++) {
      pipe_so_target_reference(&context->stream_output[i], i < count ? targets[i] : NULL);
      struct draw_so_target *target = (struct draw_so_target *)context->stream_output[i];
      if (!target)
         continue;
      /* An offset of ~0 continues where the target was left. */
      if (offsets[i] != ~0u)
         target->internal_offset = offsets[i];
   }
   context->num_stream_output = count;
}

static uint32_t
stream_output_target_offset(struct pipe_stream_output_target *target)
{
   return ((struct draw_so_target *)target)->internal_offset;
}

/* ---- all of it -------------------------------------------------------- */

void
tbr_state_release(struct tbr_context *context)
{
   util_unreference_framebuffer_state(&context->framebuffer);
   tbr_context_release_storage(context, NULL);
   for (unsigned stage = 0; stage < PIPE_SHADER_TYPES; stage++) {
      for (unsigned i = 0; i < PIPE_MAX_SHADER_SAMPLER_VIEWS; i++)
         pipe_sampler_view_reference(&context->sampler_views[stage][i], NULL);
      for (unsigned i = 0; i < TBR_MAX_CONSTANT_BUFFERS; i++)
         pipe_resource_reference(&context->constants[stage][i].buffer, NULL);
   }
   for (unsigned i = 0; i < PIPE_MAX_ATTRIBS; i++)
      pipe_vertex_buffer_unreference(&context->vertex_buffers[i]);
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++)
      pipe_so_target_reference(&context->stream_output[i], NULL);
}

void
tbr_state_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;

   base->create_blend_state = create_blend_state;
   base->bind_blend_state = bind_blend_state;
   base->delete_blend_state = delete_state;
   base->set_blend_color = set_blend_color;
   base->create_depth_stencil_alpha_state = create_depth_stencil_alpha_state;
   base->bind_depth_stencil_alpha_state = bind_depth_stencil_alpha_state;
   base->delete_depth_stencil_alpha_state = delete_state;
   base->set_stencil_ref = set_stencil_ref;
   base->set_sample_mask = set_sample_mask;
   base->set_min_samples = set_min_samples;

   base->create_rasterizer_state = create_rasterizer_state;
   base->bind_rasterizer_state = bind_rasterizer_state;
   base->delete_rasterizer_state = delete_state;
   base->set_polygon_stipple = set_polygon_stipple;
   base->set_clip_state = set_clip_state;
   base->set_viewport_states = set_viewport_states;
   base->set_scissor_states = set_scissor_states;
   base->set_framebuffer_state = set_framebuffer_state;

   base->create_sampler_state = create_sampler_state;
   base->bind_sampler_states = bind_sampler_states;
   base->delete_sampler_state = delete_state;
   base->create_sampler_view = create_sampler_view;
   base->sampler_view_destroy = sampler_view_destroy;
   base->set_sampler_views = set_sampler_views;
   base->set_constant_buffer = set_constant_buffer;

   base->create_vertex_elements_state = create_vertex_elements_state;
   base->bind_vertex_elements_state = bind_vertex_elements_state;
   base->delete_vertex_elements_state = delete_state;
   base->set_vertex_buffers = set_vertex_buffers;
   base->set_patch_vertices = set_patch_vertices;
   base->set_tess_state = set_tess_state;

   base->create_stream_output_target = create_stream_output_target;
   base->stream_output_target_destroy = stream_output_target_destroy;
   base->set_stream_output_targets = set_stream_output_targets;
   base->stream_output_target_offset = stream_output_target_offset;

   context->sample_mask = ~0u;
}
