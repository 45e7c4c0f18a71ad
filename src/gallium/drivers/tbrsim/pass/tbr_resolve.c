/* SPDX-License-Identifier: MIT */
/** Resolves at the tiles' end: of what a blit asks for, and of single-sampled images
 * that are drawn to with several samples, which never leave the tile buffers. */
#include "pass/tbr_batch.h"

#include "draw/draw_context.h"
#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/u_math.h"
#include "pass/tbr_hazards.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"

static int
find_color(const struct tbr_batch *batch, const struct pipe_resource *texture, unsigned level, int layer)
{
   u_foreach_bit (i, batch->pass.attached >> TBR_COLOR0) {
      const struct pipe_surface *surface = batch->surfaces[TBR_COLOR0 + i];
      if (surface->texture == texture && surface->u.tex.level == level &&
          surface->u.tex.first_layer == (unsigned)layer && surface->u.tex.last_layer == (unsigned)layer)
         return i;
   }
   return -1;
}

/** Whether the blit moves pixels without scaling, filtering or masking them, from
 * samples to pixels. Upside down is fine. */
static bool
is_plain_resolve(const struct pipe_blit_info *blit)
{
   const enum pipe_format from = blit->src.format, to = blit->dst.format;
   return blit->src.resource->nr_samples > 1 && blit->dst.resource->nr_samples <= 1 &&
          blit->mask == PIPE_MASK_RGBA && !blit->scissor_enable && !blit->alpha_blend &&
          !blit->swizzle_enable && !blit->window_rectangle_include && !blit->num_window_rectangles &&
          blit->src.box.depth == 1 && blit->dst.box.depth == 1 && blit->src.box.width > 0 &&
          blit->src.box.width == blit->dst.box.width &&
          abs(blit->src.box.height) == abs(blit->dst.box.height) &&
          util_format_is_pure_integer(from) == util_format_is_pure_integer(to) &&
          (!util_format_is_pure_integer(from) || from == to) &&
          util_format_get_blocksize(from) == util_format_get_blocksize(blit->src.resource->format) &&
          util_format_get_blocksize(to) == util_format_get_blocksize(blit->dst.resource->format);
}

/** A box of possibly negative height. */
static int
first_row(const struct pipe_box *box)
{
   return box->height < 0 ? box->y + box->height : box->y;
}

static bool
is_inside(const struct pipe_box *box, unsigned width, unsigned height)
{
   const int first = first_row(box);
   return box->x >= 0 && first >= 0 && (unsigned)(box->x + box->width) <= width &&
          (unsigned)(first + abs(box->height)) <= height;
}

bool
tbr_batch_resolve(struct tbr_context *context, const struct pipe_blit_info *blit)
{
   struct tbr_resource *target = tbr_resource(blit->dst.resource);
   if (!context->batch || !is_plain_resolve(blit))
      return false;
   tbr_resource_refresh_front(context, target);
   struct tbr_batch *batch = context->batch;
   const unsigned level = blit->dst.level;
   const int i = batch ? find_color(batch, blit->src.resource, blit->src.level, blit->src.box.z) : -1;
   if (i < 0 || batch->pass.resolve[i].memory || batch->pass.layer_tiles_y != batch->pass.tiles_y ||
       tbr_batch_holds(batch, p_atomic_read(&target->storage)) ||
       !is_inside(&blit->src.box, batch->pass.width, batch->pass.height) ||
       !is_inside(&blit->dst.box, u_minify(blit->dst.resource->width0, level),
                  u_minify(blit->dst.resource->height0, level)))
      return false;

   const struct tbr_storage *storage = tbr_batch_hold_storage(batch, target);
   if (!storage)
      return false;
   draw_flush(context->draw);
   assert(context->batch == batch && batch->state == TBR_BATCH_RECORDING);
   assert(batch->pass.samples > 1 && batch->surfaces[TBR_COLOR0 + i]);
   const unsigned rows = abs(blit->src.box.height);
   const bool flip = (blit->src.box.height < 0) != (blit->dst.box.height < 0);
   const unsigned x0 = blit->src.box.x, y0 = first_row(&blit->src.box);
   const unsigned target_x = blit->dst.box.x, target_y = first_row(&blit->dst.box);
   const ptrdiff_t stride = target->row_stride[level];
   uint8_t *memory = tbr_storage_address(storage, target, level, blit->dst.box.z) +
                     (flip ? target_y + rows - 1 : target_y) * stride +
                     target_x * util_format_get_blocksize(blit->dst.format);
   batch->pass.resolve[i] = (struct tbr_resolve){
      .memory = memory,
      .stride = flip ? -stride : stride,
      .from = blit->src.format,
      .to = blit->dst.format,
      .x0 = x0,
      .y0 = y0,
      .x1 = x0 + blit->src.box.width,
      .y1 = y0 + rows,
   };
   p_atomic_set(&target->last_write, batch->sequence);
   target->undefined = false;
   pipe_resource_reference(&batch->resolved[i], blit->dst.resource);
   batch->events.pass.resolve[i] = (struct cm_resolve){
      .resource = tbr_resource_announce(context, target),
      .level = level,
      .layer = blit->dst.box.z,
      .x0 = x0,
      .y0 = y0,
      .x1 = x0 + blit->src.box.width,
      .y1 = y0 + rows,
      .target_x = target_x,
      .target_y = target_y,
      .flip_y = flip,
   };
   batch->read |= PIPE_CLEAR_COLOR0 << i;
   batch->closed = true;
   return true;
}

/** Tiles that are only resolved take part in the pass, too. */
void
tbr_batch_touch_resolved(struct tbr_batch *batch, const struct tbr_resolve *resolve)
{
   const struct tbr_pass *pass = &batch->pass;
   if (!resolve->memory)
      return;
   bool *touched = batch->events.touched.data;
   assert(resolve->x0 < resolve->x1 && resolve->x1 <= pass->width);
   assert(resolve->y0 < resolve->y1 && resolve->y1 <= pass->height);
   for (uint32_t y = resolve->y0 / pass->tile_size; y * pass->tile_size < resolve->y1; y++) {
      for (uint32_t x = resolve->x0 / pass->tile_size; x * pass->tile_size < resolve->x1; x++)
         touched[y * pass->tiles_x + x] = true;
   }
}

void
tbr_batch_resolve_single_sampled(struct tbr_batch *batch)
{
   struct tbr_pass *pass = &batch->pass;
   for (unsigned i = 0; i < pass->num_color; i++) {
      struct tbr_attachment *color = &pass->color[i];
      if (!color->memory || !color->store || color->samples == pass->samples)
         continue;
      assert(pass->samples > 1 && color->layers);
      color->store = false;
      pass->resolve[i] = (struct tbr_resolve){
         .memory = color->memory,
         .stride = color->stride,
         .more_layers = color->layers - 1,
         .layer_stride = color->layer_stride,
         .from = color->format,
         .to = color->format,
         .x1 = pass->width,
         .y1 = pass->height,
      };
      const struct cm_attachment *event = &batch->events.pass.color[i];
      batch->events.pass.resolve[i] = (struct cm_resolve){
         .resource = event->resource,
         .level = event->level,
         .layer = event->layer,
         .x1 = pass->width,
         .y1 = pass->height,
      };
   }
}
