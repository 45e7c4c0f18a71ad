/* SPDX-License-Identifier: MIT */
/**
 * Surfaces, clears, copies and blits. On the simulated GPU these are draws (or a
 * clear at a pass's begin); the CPU does only what cannot be drawn.
 */
#include <string.h>

#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_surface.h"
#include "geometry/tbr_binning.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "pass/tbr_hazards.h"
#include "pass/tbr_pixel_local.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_resource.h"

/* ---- surfaces --------------------------------------------------------- */

static struct pipe_surface *
create_surface(struct pipe_context *base, struct pipe_resource *texture, const struct pipe_surface *template)
{
   struct pipe_surface *surface = CALLOC_STRUCT(pipe_surface);
   if (!surface)
      return NULL;

   pipe_reference_init(&surface->reference, 1);
   pipe_resource_reference(&surface->texture, texture);
   surface->context = base;
   surface->format = template->format;
   surface->nr_samples = template->nr_samples;
   surface->u = template->u;
   surface->width = u_minify(texture->width0, template->u.tex.level);
   surface->height = u_minify(texture->height0, template->u.tex.level);
   return surface;
}

static void
get_sample_position(struct pipe_context *base, unsigned samples, unsigned sample, float position[2])
{
   const bool multisampled = samples == TBR_MAX_SAMPLES && sample < samples;
   for (unsigned c = 0; c < 2; c++)
      position[c] = multisampled ? tbr_sample_positions[sample][c] : 0.5f;
}

static void
surface_destroy(struct pipe_context *base, struct pipe_surface *surface)
{
   pipe_resource_reference(&surface->texture, NULL);
   FREE(surface);
}

/* ---- the blitter ------------------------------------------------------ */

/** State that every operation of the blitter changes. */
static void
save_state(struct tbr_context *context)
{
   struct blitter_context *blitter = context->blitter;

   util_blitter_save_vertex_buffers(blitter, context->vertex_buffers, context->num_vertex_buffers);
   util_blitter_save_vertex_elements(blitter, (void *)context->vertex_elements);
   util_blitter_save_vertex_shader(blitter, context->vertex_shader);
   util_blitter_save_tessctrl_shader(blitter, context->control_shader);
   util_blitter_save_tesseval_shader(blitter, context->evaluation_shader);
   util_blitter_save_geometry_shader(blitter, context->geometry_shader);
   util_blitter_save_so_targets(blitter, context->num_stream_output, context->stream_output,
                                MESA_PRIM_UNKNOWN);
   util_blitter_save_rasterizer(blitter, (void *)context->rasterizer);
   util_blitter_save_viewport(blitter, &context->viewports[0]);
   util_blitter_save_scissor(blitter, &context->scissors[0]);
   util_blitter_save_fragment_shader(blitter, context->fragment_shader);
   util_blitter_save_blend(blitter, (void *)context->blend);
   util_blitter_save_depth_stencil_alpha(blitter, (void *)context->depth_stencil);
   util_blitter_save_stencil_ref(blitter, &context->stencil_reference);
   util_blitter_save_sample_mask(blitter, context->sample_mask, context->min_samples);
   util_blitter_save_render_condition(blitter, context->render_condition_query,
                                      context->render_condition_condition, context->render_condition_mode);
}

/** The same for operations on another framebuffer than the bound one; end_copy follows them. */
static void
save_state_and_framebuffer(struct tbr_context *context)
{
   assert(context->copy == TBR_COPY_NONE);
   context->copy = TBR_COPY_BEGINS;
   save_state(context);
   util_blitter_save_framebuffer(context->blitter, &context->framebuffer);
}

/** The same for operations that pass a colour to their shader as a constant. */
static void
save_constants(struct tbr_context *context)
{
   util_blitter_save_fragment_constant_buffer_slot(context->blitter,
                                                   context->constants[PIPE_SHADER_FRAGMENT]);
}

/** The same for operations that also sample. */
static void
save_all_state(struct tbr_context *context)
{
   save_state_and_framebuffer(context);
   util_blitter_save_fragment_sampler_states(context->blitter, context->num_samplers[PIPE_SHADER_FRAGMENT],
                                             (void **)context->samplers[PIPE_SHADER_FRAGMENT]);
   util_blitter_save_fragment_sampler_views(context->blitter,
                                            context->num_sampler_views[PIPE_SHADER_FRAGMENT],
                                            context->sampler_views[PIPE_SHADER_FRAGMENT]);
}

/** The blitter has restored the framebuffer. */
static void
end_copy(struct tbr_context *context)
{
   assert(context->copy != TBR_COPY_NONE);
   context->copy = TBR_COPY_NONE;
   tbr_batch_resume(context);
}

/* ---- clears ----------------------------------------------------------- */

/** Clears buffers of the bound framebuffer's batch (PIPE_CLEAR_*) with a draw, of so many instances; each is a layer. */
static void
clear_instances(struct tbr_context *context, unsigned num_instances, unsigned buffers,
                const union pipe_color_union *color, double depth, unsigned stencil)
{
   save_state(context);
   save_constants(context);
   util_blitter_clear(context->blitter, context->framebuffer.width, context->framebuffer.height,
                      num_instances, buffers, color, depth, stencil,
                      util_framebuffer_get_num_samples(&context->framebuffer) > 1);
}

/** The same of all layers. Of views, each draw is one for each. */
static void
clear_by_drawing(struct tbr_context *context, unsigned buffers, const union pipe_color_union *color,
                 double depth, unsigned stencil)
{
   clear_instances(context,
                   context->framebuffer.viewmask ? 1 : util_framebuffer_get_num_layers(&context->framebuffer),
                   buffers, color, depth, stencil);
}

/** A rectangle of the blitter's, of the part that is cleared instead of all. */
static void
draw_part(struct blitter_context *blitter, void *vertex_elements, blitter_get_vs_func get_vertex_shader,
          int x1, int y1, int x2, int y2, float depth, unsigned num_instances, enum blitter_attrib_type type,
          const union blitter_attrib *attributes)
{
   const struct pipe_scissor_state *part = &tbr_context(blitter->pipe)->clear_part;
   util_blitter_draw_rectangle(blitter, vertex_elements, get_vertex_shader, part->minx, part->miny,
                               part->maxx, part->maxy, depth, num_instances, type, attributes);
}

static void
begin_part(struct tbr_context *context, const struct pipe_scissor_state *part)
{
   context->clear_part = *part;
   context->blitter->draw_rectangle = draw_part;
}

static void
end_part(struct tbr_context *context)
{
   context->blitter->draw_rectangle = util_blitter_draw_rectangle;
}

void
tbr_clear_layers(struct tbr_context *context, unsigned buffers, const struct pipe_scissor_state *part,
                 unsigned first, unsigned count, const union pipe_color_union *color, double depth,
                 unsigned stencil)
{
   assert(!context->framebuffer.viewmask && !context->pixel_local);
   if (!tbr_render_condition_passes(context))
      return;
   begin_part(context, part);
   for (unsigned layer = first; layer < first + count; layer++) {
      tbr_draw_select_view(context, layer, 0);
      clear_instances(context, 1, buffers, color, depth, stencil);
   }
   tbr_draw_select_view(context, 0, 0);
   end_part(context);
}

static void
reset_pixel_local(struct tbr_context *context)
{
   const uint32_t drawn = tbr_pixel_local_reset(context);
   if (drawn)
      clear_by_drawing(context, drawn, &(union pipe_color_union){}, 0, 0);
}

static void
enable_pixel_local_storage(struct pipe_context *base, bool enable)
{
   struct tbr_context *context = tbr_context(base);
   context->pixel_local = enable;
   if (enable)
      reset_pixel_local(context);
   else
      tbr_pixel_local_lose(context);
}

static void
clear(struct pipe_context *base, unsigned buffers, const struct pipe_scissor_state *scissor,
      const union pipe_color_union *color, double depth, unsigned stencil)
{
   struct tbr_context *context = tbr_context(base);

   if (!tbr_render_condition_passes(context))
      return;
   if (scissor) {
      assert(!context->pixel_local);
      begin_part(context, scissor);
      clear_by_drawing(context, buffers, color, depth, stencil);
      end_part(context);
      return;
   }
   const unsigned drawn = tbr_batch_clear(context, buffers, color, depth, stencil);
   if (context->pixel_local && buffers & PIPE_CLEAR_COLOR0)
      reset_pixel_local(context);
   if (drawn)
      clear_by_drawing(context, drawn, color, depth, stencil);
}

static bool
is_renderable(struct pipe_context *base, const struct pipe_resource *resource, enum pipe_format format)
{
   const unsigned bind =
      util_format_is_depth_or_stencil(format) ? PIPE_BIND_DEPTH_STENCIL : PIPE_BIND_RENDER_TARGET;
   return base->screen->is_format_supported(base->screen, format, resource->target, resource->nr_samples,
                                            resource->nr_storage_samples, bind);
}

static void
clear_render_target(struct pipe_context *base, struct pipe_surface *surface,
                    const union pipe_color_union *color, unsigned x, unsigned y, unsigned width,
                    unsigned height, bool render_condition_enabled)
{
   struct tbr_context *context = tbr_context(base);

   if (render_condition_enabled && !tbr_render_condition_passes(context))
      return;
   if (!is_renderable(base, surface->texture, surface->format)) {
      util_clear_render_target(base, surface, color, x, y, width, height);
      return;
   }
   save_state_and_framebuffer(context);
   util_blitter_clear_render_target(context->blitter, surface, color, x, y, width, height);
   end_copy(context);
}

static void
clear_depth_stencil(struct pipe_context *base, struct pipe_surface *surface, unsigned buffers, double depth,
                    unsigned stencil, unsigned x, unsigned y, unsigned width, unsigned height,
                    bool render_condition_enabled)
{
   struct tbr_context *context = tbr_context(base);

   if (render_condition_enabled && !tbr_render_condition_passes(context))
      return;
   save_state_and_framebuffer(context);
   util_blitter_clear_depth_stencil(context->blitter, surface, buffers, depth, stencil, x, y, width, height);
   end_copy(context);
}

static void
clear_texture(struct pipe_context *base, struct pipe_resource *resource, unsigned level,
              const struct pipe_box *box, const void *data)
{
   if (is_renderable(base, resource, resource->format))
      u_default_clear_texture(base, resource, level, box, data);
   else
      util_clear_texture_sw(base, resource, level, box, data);
}

/* ---- copies and blits ------------------------------------------------- */

/** Whether a draw copies the bits as they are. */
static bool
can_copy_by_drawing(const struct tbr_context *context, const struct pipe_resource *destination,
                    unsigned destination_level, const struct pipe_resource *source, unsigned source_level)
{
   if (destination->target == PIPE_BUFFER || source->target == PIPE_BUFFER ||
       destination->format != source->format)
      return false;
   /* Tiles of a level are read while others are written. */
   if (destination == source && destination_level == source_level)
      return false;
   /* A draw writes one of the two signed values for -1. */
   if (util_format_is_snorm(source->format))
      return false;
   return util_blitter_is_copy_supported(context->blitter, destination, source);
}

/** Copies all samples of a box, on the CPU. */
static void
copy_samples(struct tbr_context *context, struct tbr_resource *destination, unsigned destination_level,
             unsigned x, unsigned y, unsigned z, struct tbr_resource *source, unsigned source_level,
             const struct pipe_box *box)
{
   const size_t pixel_bytes = util_format_get_blocksize(source->base.format);
   tbr_resource_prepare_write(context, destination, CM_END_COPY);
   tbr_resource_wait(context, source, false, CM_END_COPY);
   tbr_resource_announce_read(context, source);
   for (unsigned sample = 0; sample < source->base.nr_samples; sample++) {
      for (int layer = 0; layer < box->depth; layer++) {
         const uint8_t *from = tbr_storage_address(source->storage, source, source_level, box->z + layer) +
                               sample * source->sample_stride + box->x * pixel_bytes;
         uint8_t *to = tbr_storage_address(destination->storage, destination, destination_level, z + layer) +
                       sample * destination->sample_stride + x * pixel_bytes;
         for (int row = 0; row < box->height; row++)
            memmove(to + (size_t)(y + row) * destination->row_stride[destination_level],
                    from + (size_t)(box->y + row) * source->row_stride[source_level],
                    box->width * pixel_bytes);
      }
   }
   p_atomic_inc(&destination->writes);
   destination->undefined = false;
}

static void
resource_copy_region(struct pipe_context *base, struct pipe_resource *destination, unsigned destination_level,
                     unsigned x, unsigned y, unsigned z, struct pipe_resource *source, unsigned source_level,
                     const struct pipe_box *box)
{
   struct tbr_context *context = tbr_context(base);

   if (!can_copy_by_drawing(context, destination, destination_level, source, source_level)) {
      if (source->nr_samples > 1 && source->nr_samples == destination->nr_samples &&
          util_format_get_blocksize(source->format) == util_format_get_blocksize(destination->format)) {
         copy_samples(context, tbr_resource(destination), destination_level, x, y, z, tbr_resource(source),
                      source_level, box);
         return;
      }
      util_resource_copy_region(base, destination, destination_level, x, y, z, source, source_level, box);
      return;
   }
   save_all_state(context);
   util_blitter_copy_texture(context->blitter, destination, destination_level, x, y, z, source, source_level,
                             box);
   end_copy(context);
}

/** Whether tiles would be read while others of the same image are written. */
static bool
reads_what_it_writes(const struct pipe_blit_info *info)
{
   return info->src.resource == info->dst.resource && info->src.level == info->dst.level &&
          info->src.box.z < info->dst.box.z + info->dst.box.depth &&
          info->dst.box.z < info->src.box.z + info->src.box.depth;
}

/** Replaces a blit's source by a copy of it. False when out of memory. */
static bool
copy_source(struct pipe_context *base, struct pipe_blit_info *info)
{
   struct pipe_box box = info->src.box;
   if (box.width < 0)
      box.x += box.width;
   if (box.height < 0)
      box.y += box.height;
   box.width = abs(box.width);
   box.height = abs(box.height);

   struct pipe_resource template = {
      .target = box.depth > 1 ? PIPE_TEXTURE_2D_ARRAY : PIPE_TEXTURE_2D,
      .format = info->src.resource->format,
      .width0 = box.width,
      .height0 = box.height,
      .depth0 = 1,
      .array_size = box.depth,
      .nr_samples = info->src.resource->nr_samples,
      .nr_storage_samples = info->src.resource->nr_storage_samples,
      .bind = info->src.resource->bind &
              (PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET | PIPE_BIND_DEPTH_STENCIL),
   };
   struct pipe_resource *copy = base->screen->resource_create(base->screen, &template);
   if (!copy)
      return false;
   base->resource_copy_region(base, copy, 0, 0, 0, 0, info->src.resource, info->src.level, &box);
   info->src.resource = copy;
   info->src.level = 0;
   info->src.box.x -= box.x;
   info->src.box.y -= box.y;
   info->src.box.z = 0;
   return true;
}

static void
blit(struct pipe_context *base, const struct pipe_blit_info *info)
{
   struct tbr_context *context = tbr_context(base);

   if (info->render_condition_enable && !tbr_render_condition_passes(context))
      return;
   if (tbr_batch_resolve(context, info))
      return;
   if (util_try_blit_via_copy_region(base, info, context->render_condition_query != NULL))
      return;
   if (!util_blitter_is_blit_supported(context->blitter, info)) {
      mesa_loge("a blit from %s to %s is not supported and was left out",
                util_format_short_name(info->src.format), util_format_short_name(info->dst.format));
      return;
   }
   struct pipe_blit_info moved = *info;
   if (reads_what_it_writes(info) && !copy_source(base, &moved)) {
      mesa_loge("out of memory for a blit within an image, which was left out");
      return;
   }
   save_all_state(context);
   util_blitter_blit(context->blitter, &moved, NULL);
   end_copy(context);
   if (moved.src.resource != info->src.resource)
      pipe_resource_reference(&moved.src.resource, NULL);
}

static void
flush_resource(struct pipe_context *base, struct pipe_resource *resource)
{
   struct tbr_context *context = tbr_context(base);
   /* The flush that shows it follows. */
   if (tbr_resource(resource)->display_target)
      context->swaps = true;
   else if (context->batch && p_atomic_read(&tbr_resource(resource)->last_write) == context->batch->sequence)
      tbr_batch_flush(context, CM_END_SHARED);
}

/** What has been drawn is there to be sampled. Fetches from the framebuffer need nothing: they always see all
 * that was drawn before them. */
static void
texture_barrier(struct pipe_context *base, unsigned flags)
{
   if (flags & PIPE_TEXTURE_BARRIER_SAMPLER)
      tbr_batch_flush(tbr_context(base), CM_END_BARRIER);
}

void
tbr_surface_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;
   base->get_sample_position = get_sample_position;
   base->create_surface = create_surface;
   base->surface_destroy = surface_destroy;
   base->clear = clear;
   base->enable_pixel_local_storage = enable_pixel_local_storage;
   base->clear_render_target = clear_render_target;
   base->clear_depth_stencil = clear_depth_stencil;
   base->clear_texture = clear_texture;
   base->resource_copy_region = resource_copy_region;
   base->blit = blit;
   base->flush_resource = flush_resource;
   base->texture_barrier = texture_barrier;
}
