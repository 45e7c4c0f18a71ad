/* SPDX-License-Identifier: MIT */
#include "geometry/tbr_draw_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_dual_blend.h"
#include "util/u_math.h"
#include "util/u_viewport.h"
#include "pass/tbr_batch.h"
#include "pass/tbr_hazards.h"
#include "pass/tbr_pass_contents.h"
#include "state/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "tile/tbr_tile_content.h"
#include "state/tbr_screen.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"

/* ---- depth, stencil, blending ------------------------------------------- */

static struct tbr_stencil
make_stencil(const struct pipe_stencil_state *stencil, uint8_t reference)
{
   return (struct tbr_stencil){
      .func = stencil->func,
      .fail_op = stencil->fail_op,
      .zfail_op = stencil->zfail_op,
      .zpass_op = stencil->zpass_op,
      .valuemask = stencil->valuemask,
      .writemask = stencil->writemask,
      .reference = reference,
   };
}

static void
update_depth_stencil(const struct tbr_context *context, const struct tbr_batch *batch,
                     struct tbr_draw_state *state)
{
   const struct pipe_depth_stencil_alpha_state *bound = context->depth_stencil;
   state->depth_test = bound->depth_enabled && batch->pass.depth.memory;
   state->depth_write = state->depth_test && bound->depth_writemask;
   state->depth_func = bound->depth_func;
   state->stencil_test = bound->stencil[0].enabled && batch->pass.stencil.memory;
   state->stencil[0] = make_stencil(&bound->stencil[0], context->stencil_reference.ref_value[0]);
   state->stencil[1] = bound->stencil[1].enabled
                          ? make_stencil(&bound->stencil[1], context->stencil_reference.ref_value[1])
                          : state->stencil[0];
}

/** Pixel local storage is written as it is, and by no shader but those that have it. */
static void
update_pixel_local_blend(const struct tbr_context *context, const struct tbr_batch *batch,
                         struct tbr_draw_state *state)
{
   const bool writes = context->pixel_local && context->fragment_shader->pixel_local;
   u_foreach_bit (i, batch->pixel_local >> TBR_COLOR0) {
      /* With different blending of the colour buffers it is the driver that clears. */
      if (writes || !context->blend->independent_blend_enable)
         state->blend.rt[i] = (struct pipe_rt_blend_state){.colormask = writes ? PIPE_MASK_RGBA : 0};
   }
}

/** Whether a buffer, which is the first one unless there are subpasses, is blended with the shader's second colour. */
static bool
is_dual_source(const struct tbr_context *context, const struct tbr_batch *batch,
               const struct tbr_draw_state *state)
{
   const unsigned count = context->partial_colors ? batch->pass.num_color : 1;
   for (unsigned i = 0; i < count; i++) {
      if (state->blend.rt[i].blend_enable && util_blend_state_is_dual(&state->blend, i))
         return true;
   }
   return false;
}

static void
update_blend(const struct tbr_context *context, const struct tbr_batch *batch, struct tbr_draw_state *state)
{
   state->blend = *context->blend;
   for (unsigned i = 1; i < batch->pass.num_color && !state->blend.independent_blend_enable; i++)
      state->blend.rt[i] = state->blend.rt[0];
   update_pixel_local_blend(context, batch, state);
   state->dual_source = is_dual_source(context, batch, state);
   memcpy(state->blend_color, context->blend_color.color, sizeof state->blend_color);
   state->sample_mask = context->sample_mask;
}

/** What multisampling does beyond single samples. */
static void
update_samples(const struct tbr_context *context, const struct tbr_batch *batch, struct tbr_draw_state *state)
{
   const struct tbr_fragment_shader *shader = context->fragment_shader;
   const struct tbr_pass *pass = &batch->pass;
   const bool integer =
      pass->num_color && pass->color[0].memory && util_format_is_pure_integer(pass->color[0].format);

   state->multisample = pass->samples > 1 && context->rasterizer->multisample;
   state->per_sample = (state->multisample && (shader->per_sample || context->min_samples > 1)) ||
                       (pass->samples > 1 && state->fetched);
   /* In Vulkan of one sample as well; in OpenGL Mesa does not set them then. */
   state->alpha_to_coverage = context->blend->alpha_to_coverage && !integer;
   state->alpha_to_one = context->blend->alpha_to_one && !integer;
   state->centroid = state->multisample && !state->per_sample && shader->any_centroid_input;
   state->reads_sample_mask = state->multisample && shader->reads_sample_mask;
   state->post_depth_coverage = shader->post_depth_coverage;
   state->writes_sample_mask = state->multisample && shader->writes_sample_mask;
}

static bool
writes_any_color(const struct tbr_batch *batch, const struct tbr_draw_state *state, uint32_t outputs)
{
   for (unsigned i = 0; i < batch->pass.num_color; i++) {
      if (batch->pass.color[i].memory && (outputs & BITFIELD_BIT(i)) && state->blend.rt[i].colormask)
         return true;
   }
   return false;
}

/** Colour buffers whose content may matter after a draw that is to replace it. With pixel local storage, which a shader
 * writes instead of the colour buffer, and with subpasses these are the ones that draws have written. */
static uint32_t
live_colors(const struct tbr_batch *batch)
{
   const uint32_t attached = batch->pass.attached >> TBR_COLOR0;
   if (batch->pixel_local_lost)
      return attached & ~(batch->pixel_local >> TBR_COLOR0);
   const bool partial = batch->pixel_local || batch->context->partial_colors;
   return partial ? attached & (batch->written >> TBR_COLOR0) : attached;
}

static bool
replaces_all_colors(const struct tbr_batch *batch, const struct tbr_draw_state *state, uint32_t outputs)
{
   if (state->blend.logicop_enable || state->blend.advanced_blend_func || state->blend.alpha_to_coverage ||
       !(state->sample_mask & 1))
      return false;
   u_foreach_bit (i, live_colors(batch) | (outputs & batch->pass.attached >> TBR_COLOR0)) {
      const struct tbr_attachment *color = &batch->pass.color[i];
      if (!(outputs & BITFIELD_BIT(i)) || state->blend.rt[i].blend_enable ||
          !util_format_colormask_full(util_format_description(color->format), state->blend.rt[i].colormask))
         return false;
   }
   return true;
}

/* ---- rasterizer --------------------------------------------------------- */

/** Takes what is outside the viewport from the scissor: there draw leaves points and
 * lines as they are. Polygons it has clipped, so that they lose nothing. */
static void
limit_to_viewport(const struct pipe_viewport_state *viewport, struct tbr_draw_state *state)
{
   const float half_width = fabsf(viewport->scale[0]), half_height = fabsf(viewport->scale[1]);
   const float left = roundf(viewport->translate[0] - half_width);
   const float top = roundf(viewport->translate[1] - half_height);
   const float right = roundf(viewport->translate[0] + half_width);
   const float bottom = roundf(viewport->translate[1] + half_height);
   state->scissor_x0 = (uint16_t)CLAMP(left, state->scissor_x0, state->scissor_x1);
   state->scissor_y0 = (uint16_t)CLAMP(top, state->scissor_y0, state->scissor_y1);
   state->scissor_x1 = (uint16_t)CLAMP(right, state->scissor_x0, state->scissor_x1);
   state->scissor_y1 = (uint16_t)CLAMP(bottom, state->scissor_y0, state->scissor_y1);
}

void
tbr_draw_state_set_viewport(const struct tbr_context *context, const struct tbr_batch *batch, unsigned index,
                            struct tbr_draw_state *state)
{
   const struct pipe_rasterizer_state *rasterizer = context->rasterizer;
   const struct pipe_viewport_state *viewport = &context->viewports[index];

   assert(index < PIPE_MAX_VIEWPORTS);
   state->depth_near = 0.0f;
   state->depth_far = 1.0f;
   if (rasterizer->depth_clamp)
      util_viewport_zmin_zmax(viewport, rasterizer->clip_halfz, &state->depth_near, &state->depth_far);

   state->scissor_x0 = state->scissor_y0 = 0;
   state->scissor_x1 = batch->pass.width;
   state->scissor_y1 = batch->pass.height;
   if (rasterizer->scissor) {
      const struct pipe_scissor_state *scissor = &context->scissors[index];
      state->scissor_x0 = MIN2(scissor->minx, batch->pass.width);
      state->scissor_y0 = MIN2(scissor->miny, batch->pass.height);
      state->scissor_x1 = MIN2(scissor->maxx, batch->pass.width);
      state->scissor_y1 = MIN2(scissor->maxy, batch->pass.height);
   }
   if (rasterizer->point_line_tri_clip)
      limit_to_viewport(viewport, state);
}

static void
update_rasterizer(const struct tbr_context *context, const struct tbr_batch *batch,
                  struct tbr_draw_state *state)
{
   const struct pipe_rasterizer_state *rasterizer = context->rasterizer;

   state->half_pixel_center = rasterizer->half_pixel_center;
   state->bottom_edge_rule = rasterizer->bottom_edge_rule;
   state->offset_units = rasterizer->offset_units;
   state->offset_scale = rasterizer->offset_scale;
   state->offset_clamp = rasterizer->offset_clamp;
   state->offset_units_unscaled = rasterizer->offset_units_unscaled;
   tbr_draw_state_set_viewport(context, batch, 0, state);
}

/* ---- fragment shader, constants, textures ------------------------------ */

static bool
update_shader(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state)
{
   struct tbr_fragment_shader *shader = context->fragment_shader;
   struct tbr_fragment_variant_key key;

   state->shader_discards = shader->discards;
   state->shader_writes_depth = shader->writes_depth;
   state->shader_writes_stencil = shader->writes_stencil;
   state->early_tests = shader->early_tests;
   state->color_outputs = shader->color_outputs;
   state->writes_memory = shader->writes_memory;
   const bool changes_more = shader->discards || shader->writes_depth || shader->writes_stencil ||
                             shader->writes_memory || state->writes_sample_mask || state->alpha_to_coverage;
   state->opaque =
      !changes_more && !state->fetched && replaces_all_colors(batch, state, shader->color_outputs);

   state->num_inputs = shader->num_attributes;
   for (unsigned i = 0; i < shader->num_inputs; i++) {
      const struct tbr_shader_input *input = &shader->inputs[i];
      if (input->source != TBR_INPUT_ATTRIBUTE)
         continue;
      assert(input->attribute < state->num_inputs && state->num_inputs <= TBR_MAX_INPUTS);
      state->interpolation[input->attribute] =
         input->color && context->rasterizer->flatshade ? TBR_INTERPOLATE_CONSTANT : input->interpolation;
      state->input_components[input->attribute] = input->components;
   }

   state->shade = NULL;
   state->regions = shader->regions;
   if (!changes_more && !writes_any_color(batch, state, shader->color_outputs))
      return true;

   memset(&key, 0, sizeof key);
   key.num_color_buffers = MAX2(batch->pass.num_color, state->alpha_to_coverage);
   key.multisample = state->multisample;
   key.per_sample = state->per_sample;
   key.flatshade = shader->any_color_input && context->rasterizer->flatshade;
   key.dual_source = state->dual_source;
   state->shade = tbr_fragment_shader_compile(context, shader, &key);
   if (!state->shade)
      return false;
   state->shader_inputs = tbr_signature(&key, sizeof key, shader->name.hash);
   tbr_batch_hold_shader(batch, shader);
   return true;
}

/** Copies a constant buffer into the batch, followed by zeros up to `least` words. */
static bool
copy_constants(struct tbr_batch *batch, const struct pipe_constant_buffer *buffer, struct tbr_storage **held,
               unsigned least, struct tbr_constant_buffer *copy)
{
   size_t size = 0;
   assert(!buffer->user_buffer);
   if (buffer->buffer) {
      const size_t available = buffer->buffer->width0;
      tbr_resource_hold(tbr_resource(buffer->buffer), held);
      if (buffer->buffer_offset < available)
         size = MIN2(buffer->buffer_size, available - buffer->buffer_offset) & ~(size_t)3;
   }

   const size_t room = MAX2(size, least * sizeof(uint32_t));
   if (!room) {
      static const uint32_t nothing[4];
      *copy = (struct tbr_constant_buffer){nothing, 0};
      return true;
   }
   uint8_t *words = tbr_batch_allocate(batch, room);
   if (!words)
      return false;
   if (size)
      memcpy(words, (*held)->memory + buffer->buffer_offset, size);
   memset(words + size, 0, room - size);
   *copy = (struct tbr_constant_buffer){(const uint32_t *)words, size / sizeof(uint32_t)};
   return true;
}

void
tbr_draw_state_check_constants(struct tbr_context *context)
{
   u_foreach_bit (i, context->fragment_buffers) {
      const struct tbr_resource *resource = tbr_resource(context->constants[PIPE_SHADER_FRAGMENT][i].buffer);
      const bool persistent = resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT;
      if (persistent || resource->writes != context->fragment_writes[i])
         context->dirty |= TBR_DIRTY_FRAGMENT_CONSTANTS;
   }
}

static bool
update_constants(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state)
{
   u_foreach_bit (i, context->fragment_buffers)
      context->fragment_writes[i] = tbr_resource(context->constants[PIPE_SHADER_FRAGMENT][i].buffer)->writes;
   const unsigned pushed = context->fragment_shader->num_pushed_constants * 4;
   for (unsigned i = 0; i < TBR_MAX_CONSTANT_BUFFERS; i++) {
      if (!copy_constants(batch, &context->constants[PIPE_SHADER_FRAGMENT][i],
                          &context->held.constants[PIPE_SHADER_FRAGMENT][i], i == 0 ? pushed : 0,
                          &state->resources.constants[i]))
         return false;
   }
   return true;
}

/** A length of the resource in texels of the view, whose blocks may be smaller
 * where it shows a compressed texture's blocks as texels. */
static uint32_t
view_length(uint32_t length, unsigned resource_block, unsigned view_block)
{
   return resource_block == view_block ? length : DIV_ROUND_UP(length, resource_block) * view_block;
}

static void
describe_levels(const struct pipe_sampler_view *view, const struct tbr_resource *resource,
                const struct tbr_storage *storage, struct tbr_texture_binding *binding)
{
   const struct util_format_description *shown = util_format_description(binding->format);
   const struct util_format_description *stored = util_format_description(resource->base.format);
   const unsigned first = MIN2(view->u.tex.first_level, resource->base.last_level);
   const unsigned last = CLAMP(view->u.tex.last_level, first, resource->base.last_level);
   const unsigned layer = view->target == PIPE_TEXTURE_3D ? 0 : view->u.tex.first_layer;
   const unsigned end = MIN2(view->u.tex.last_layer + 1u, resource->base.array_size);

   assert(last < TBR_MAX_LEVELS && (view->target == PIPE_TEXTURE_3D || end > layer));
   binding->num_levels = last - first + 1;
   binding->num_layers = view->target == PIPE_TEXTURE_3D ? 1 : end - layer;
   binding->num_samples = resource->base.nr_samples;
   binding->sample_stride = resource->sample_stride;
   for (unsigned i = 0; i < binding->num_levels; i++) {
      const uint32_t width = u_minify(resource->base.width0, first + i);
      const uint32_t height = u_minify(resource->base.height0, first + i);
      binding->levels[i] = (struct tbr_texture_level){
         .texels = tbr_storage_address(storage, resource, first + i, layer),
         .row_stride = resource->row_stride[first + i],
         .layer_stride = resource->layer_stride[first + i],
         .width = view_length(width, stored->block.width, shown->block.width),
         .height = view_length(height, stored->block.height, shown->block.height),
         .depth = u_minify(resource->base.depth0, first + i),
      };
   }
}

static void
describe_buffer(const struct pipe_sampler_view *view, const struct tbr_resource *resource,
                const struct tbr_storage *storage, struct tbr_texture_binding *binding)
{
   const unsigned texel = util_format_get_blocksize(view->format);
   const unsigned offset = MIN2(view->u.buf.offset, resource->base.width0);
   const unsigned size = MIN2(view->u.buf.size, resource->base.width0 - offset);
   binding->num_levels = binding->num_layers = 1;
   binding->buffer_elements = MIN2(size / texel, TBR_MAX_BUFFER_TEXELS);
   binding->levels[0] = (struct tbr_texture_level){
      .texels = storage->memory + offset,
      .row_stride = size,
      .layer_stride = size,
      .width = binding->buffer_elements,
      .height = 1,
      .depth = 1,
   };
}

void
tbr_draw_state_describe_texture(const struct pipe_sampler_view *view,
                                const struct pipe_sampler_state *sampler, const struct tbr_storage *storage,
                                unsigned unit, struct tbr_texture_binding *binding)
{
   static const struct pipe_sampler_state default_sampler;
   const struct tbr_resource *resource = tbr_sampled_resource(view);
   memset(binding, 0, sizeof *binding);
   binding->unit = unit;
   binding->target = view->target;
   binding->format = tbr_sampled_format(view);
   binding->swizzle[0] = view->swizzle_r;
   binding->swizzle[1] = view->swizzle_g;
   binding->swizzle[2] = view->swizzle_b;
   binding->swizzle[3] = view->swizzle_a;
   binding->sampler = sampler ? *sampler : default_sampler;
   if (view->target == PIPE_BUFFER)
      describe_buffer(view, resource, storage, binding);
   else
      describe_levels(view, resource, storage, binding);
   tbr_texture_binding_prepare(binding);
}

static struct tbr_texture_binding *
make_binding(struct tbr_context *context, struct tbr_batch *batch, unsigned unit)
{
   struct pipe_sampler_view *view = context->sampler_views[PIPE_SHADER_FRAGMENT][unit];
   const struct pipe_sampler_state *sampler = context->samplers[PIPE_SHADER_FRAGMENT][unit];
   struct tbr_texture_binding *binding = tbr_batch_allocate(batch, sizeof *binding);
   if (!binding)
      return NULL;

   if (!view || !view->texture) {
      memset(binding, 0, sizeof *binding);
      tbr_texture_binding_init_empty(binding);
      binding->inputs = 1;
      return binding;
   }
   struct tbr_resource *resource = tbr_resource(view->texture);
   const struct tbr_storage *storage = tbr_batch_reads(batch, resource);
   if (!storage)
      return NULL;
   tbr_draw_state_describe_texture(view, sampler, storage, unit, binding);
   if (tbr_screen(context->base.screen)->wants_contents)
      binding->inputs = tbr_texture_inputs(view);
   tbr_resource_announce(context, resource);
   return binding;
}

static bool
update_textures(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state)
{
   const uint32_t used = context->fragment_shader->textures_used;
   for (unsigned unit = 0; unit < TBR_MAX_TEXTURES; unit++) {
      state->resources.textures[unit] = context->empty_texture;
      if (!(used & BITFIELD_BIT(unit)))
         continue;
      state->resources.textures[unit] = make_binding(context, batch, unit);
      if (!state->resources.textures[unit])
         return false;
   }
   return true;
}

/** Memory that the batch's fragment shaders load from, or also store to. NULL when out of memory. */
static const struct tbr_storage *
use_storage(struct tbr_context *context, struct tbr_batch *batch, struct pipe_resource *base, bool writes)
{
   struct tbr_resource *resource = tbr_resource(base);
   const struct tbr_storage *storage = tbr_batch_reads(batch, resource);
   tbr_resource_announce(context, resource);
   if (!storage || !writes)
      return storage;
   p_atomic_set(&resource->last_write, batch->sequence);
   p_atomic_inc(&resource->writes);
   if (resource->address_number)
      tbr_addresses_note_store(tbr_screen(context->base.screen), batch->sequence);
   resource->undefined = false;
   batch->stores = true;
   return storage;
}

static bool
update_storage(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state)
{
   const struct tbr_fragment_shader *shader = context->fragment_shader;
   state->resources.storage = NULL;
   if (!tbr_fragment_shader_uses_storage(shader))
      return true;
   if (shader->by_address && !tbr_batch_use_addresses(batch, shader->writes_memory))
      return false;
   struct tbr_bound_storage *bound = tbr_batch_allocate(batch, sizeof *bound);
   if (!bound)
      return false;
   memset(bound, 0, sizeof *bound);
   bound->addresses = shader->by_address ? batch->addresses : NULL;
   state->resources.storage = bound;
   u_foreach_bit (i, shader->buffers_used) {
      const struct pipe_shader_buffer *buffer = &context->shader_buffers[PIPE_SHADER_FRAGMENT][i];
      if (!buffer->buffer)
         continue;
      const bool writes = shader->writes_memory && context->writable_buffers[PIPE_SHADER_FRAGMENT] >> i & 1;
      const struct tbr_storage *storage = use_storage(context, batch, buffer->buffer, writes);
      if (!storage)
         return false;
      tbr_describe_buffer(buffer, storage, &bound->buffers[i]);
   }
   u_foreach_bit (i, shader->images_used) {
      const struct pipe_image_view *image = &context->images[PIPE_SHADER_FRAGMENT][i];
      if (!image->resource)
         continue;
      const bool writes = shader->writes_memory && image->shader_access & PIPE_IMAGE_ACCESS_WRITE;
      const struct tbr_storage *storage = use_storage(context, batch, image->resource, writes);
      if (!storage)
         return false;
      tbr_describe_image(image, tbr_resource(image->resource), storage, &bound->images[i]);
   }
   return true;
}

static uint32_t
counter_of(const struct tbr_context *context, struct tbr_batch *batch,
           const struct tbr_fragment_counting *counting)
{
   return tbr_batch_fragment_counter(batch, context->queries_paused ? NULL : counting->part);
}

bool
tbr_draw_state_update(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state)
{
   uint32_t dirty = context->dirty;

   assert(batch == context->batch && !batch->closed);
   if (batch->pixel_local && dirty & TBR_DIRTY_FRAGMENT_SHADER)
      dirty |= TBR_DIRTY_BLEND;
   if (dirty & (TBR_DIRTY_DEPTH_STENCIL | TBR_DIRTY_STENCIL_REFERENCE | TBR_DIRTY_FRAMEBUFFER))
      update_depth_stencil(context, batch, state);
   if (dirty & (TBR_DIRTY_BLEND | TBR_DIRTY_BLEND_COLOR | TBR_DIRTY_SAMPLE_MASK | TBR_DIRTY_FRAMEBUFFER))
      update_blend(context, batch, state);
   if (dirty & (TBR_DIRTY_RASTERIZER | TBR_DIRTY_SCISSOR | TBR_DIRTY_VIEWPORT | TBR_DIRTY_FRAMEBUFFER))
      update_rasterizer(context, batch, state);
   if (dirty & (TBR_DIRTY_FRAGMENT_SHADER | TBR_DIRTY_BLEND | TBR_DIRTY_RASTERIZER | TBR_DIRTY_SAMPLE_MASK |
                TBR_DIRTY_FRAMEBUFFER)) {
      state->fetched = context->fragment_shader->fetched;
      update_samples(context, batch, state);
      if (!update_shader(context, batch, state))
         return false;
   }
   if (dirty & (TBR_DIRTY_FRAGMENT_CONSTANTS | TBR_DIRTY_FRAGMENT_SHADER | TBR_DIRTY_FRAMEBUFFER)) {
      if (!update_constants(context, batch, state))
         return false;
   }
   if (dirty & (TBR_DIRTY_FRAGMENT_TEXTURES | TBR_DIRTY_FRAGMENT_SHADER | TBR_DIRTY_FRAMEBUFFER)) {
      if (!update_textures(context, batch, state))
         return false;
   }
   if (dirty & (TBR_DIRTY_FRAGMENT_STORAGE | TBR_DIRTY_FRAGMENT_SHADER | TBR_DIRTY_FRAMEBUFFER)) {
      if (!update_storage(context, batch, state))
         return false;
   }
   if (dirty & (TBR_DIRTY_QUERY | TBR_DIRTY_FRAMEBUFFER)) {
      state->occlusion_counter = counter_of(context, batch, &context->samples);
      state->invocation_counter = counter_of(context, batch, &context->invocations);
   }
   return true;
}
