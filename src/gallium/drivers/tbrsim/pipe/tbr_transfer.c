/* SPDX-License-Identifier: MIT */
/** The CPU's access to resources. */
#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/box.h"
#include "util/u_inlines.h"
#include "pass/tbr_batch.h"
#include "pass/tbr_hazards.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "tile/tbr_renderer.h"
#include "state/tbr_resource.h"

struct tbr_transfer {
   struct pipe_transfer base;
   struct tbr_storage *storage; /**< what is mapped, though the resource may get other memory meanwhile */
   /** For a multisampled resource: a single-sampled image of the box, and its mapping. */
   struct pipe_resource *pixels;
   struct pipe_transfer *pixels_transfer;
};

static bool
covers_everything(const struct pipe_resource *resource, const struct pipe_box *box)
{
   return resource->last_level == 0 && util_texrange_covers_whole_level(resource, 0, box->x, box->y, box->z,
                                                                        box->width, box->height, box->depth);
}

static bool
is_busy(struct tbr_context *context, const struct tbr_resource *resource, bool for_write)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   return !tbr_renderer_done(screen->renderer, p_atomic_read(&resource->last_write)) ||
          (for_write && !tbr_renderer_done(screen->renderer, p_atomic_read(&resource->last_read)));
}

/** Makes the memory ready for the access. False if it would have to wait but must not. */
static bool
prepare(struct tbr_context *context, struct tbr_resource *resource, unsigned usage,
        const struct pipe_box *box)
{
   const bool write = usage & PIPE_MAP_WRITE;

   if (usage & PIPE_MAP_UNSYNCHRONIZED)
      return true;
   if ((usage & PIPE_MAP_DISCARD_RANGE) && !(usage & PIPE_MAP_READ) &&
       covers_everything(&resource->base, box))
      usage |= PIPE_MAP_DISCARD_WHOLE_RESOURCE;
   if ((usage & PIPE_MAP_DISCARD_WHOLE_RESOURCE) && tbr_resource_orphan(context, resource))
      return true;
   if ((usage & PIPE_MAP_DONTBLOCK) && is_busy(context, resource, write))
      return false;

   if (write)
      tbr_resource_prepare_write(context, resource, CM_END_WRITE);
   else /* the parameters of an indirect draw are the draw's to read */
      tbr_resource_wait(context, resource, false, context->indirect.buffer ? CM_END_DRAW : CM_END_READ);
   tbr_resource_refresh_front(context, resource);
   return true;
}

/** Between a box of a multisampled resource and the image of its pixels. */
static void
blit_pixels(struct pipe_context *base, const struct tbr_transfer *transfer, bool to_samples)
{
   const struct pipe_box *box = &transfer->base.box;
   struct pipe_blit_info info = {
      .src.resource = to_samples ? transfer->pixels : transfer->base.resource,
      .dst.resource = to_samples ? transfer->base.resource : transfer->pixels,
      .mask = util_format_get_mask(transfer->pixels->format),
      .filter = PIPE_TEX_FILTER_NEAREST,
   };
   info.src.format = info.dst.format = transfer->pixels->format;
   info.src.box = info.dst.box = *box;
   struct pipe_box *pixels = to_samples ? &info.src.box : &info.dst.box;
   pixels->x = pixels->y = pixels->z = 0;
   base->blit(base, &info);
}

/** Samples are not the CPU's to see: it maps the pixels that they are averaged to. */
static void *
map_samples(struct pipe_context *base, struct tbr_resource *resource, unsigned usage,
            const struct pipe_box *box, struct pipe_transfer **out_transfer)
{
   assert(resource->base.nr_samples > 1 && !resource->base.last_level);
   const struct pipe_resource template = {
      .target = box->depth > 1 ? PIPE_TEXTURE_2D_ARRAY : PIPE_TEXTURE_2D,
      .format = resource->base.format,
      .width0 = box->width,
      .height0 = box->height,
      .depth0 = 1,
      .array_size = box->depth,
      .bind = util_format_is_depth_or_stencil(resource->base.format) ? PIPE_BIND_DEPTH_STENCIL
                                                                     : PIPE_BIND_RENDER_TARGET,
   };
   struct pipe_box pixels_box;
   u_box_3d(0, 0, 0, box->width, box->height, box->depth, &pixels_box);
   struct tbr_transfer *transfer = slab_zalloc(&tbr_context(base)->transfer_pool);
   if (!transfer)
      return NULL;
   transfer->pixels = base->screen->resource_create(base->screen, &template);
   pipe_resource_reference(&transfer->base.resource, &resource->base);
   transfer->base.usage = usage;
   transfer->base.box = *box;
   if (transfer->pixels && !(usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE)))
      blit_pixels(base, transfer, false);
   void *memory = transfer->pixels
                     ? base->texture_map(base, transfer->pixels, 0, usage & (PIPE_MAP_READ | PIPE_MAP_WRITE),
                                         &pixels_box, &transfer->pixels_transfer)
                     : NULL;
   if (!memory) {
      pipe_resource_reference(&transfer->pixels, NULL);
      pipe_resource_reference(&transfer->base.resource, NULL);
      slab_free(&tbr_context(base)->transfer_pool, transfer);
      return NULL;
   }
   transfer->base.stride = transfer->pixels_transfer->stride;
   transfer->base.layer_stride = transfer->pixels_transfer->layer_stride;
   *out_transfer = &transfer->base;
   return memory;
}

static void *
map(struct pipe_context *base, struct pipe_resource *base_resource, unsigned level, unsigned usage,
    const struct pipe_box *box, struct pipe_transfer **out_transfer)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_resource *resource = tbr_resource(base_resource);

   assert(level <= base_resource->last_level && box->width >= 0 && box->height >= 0 && box->depth >= 0);
   if (base_resource->nr_samples > 1)
      return map_samples(base, resource, usage, box, out_transfer);
   if (!prepare(context, resource, usage, box))
      return NULL;
   if (usage & PIPE_MAP_READ)
      tbr_resource_announce_read(context, resource);
   struct tbr_transfer *transfer = slab_zalloc(&context->transfer_pool);
   if (!transfer)
      return NULL;

   pipe_resource_reference(&transfer->base.resource, base_resource);
   tbr_resource_hold(resource, &transfer->storage);
   transfer->base.level = level;
   transfer->base.usage = usage;
   transfer->base.box = *box;
   transfer->base.stride = resource->row_stride[level];
   transfer->base.layer_stride = resource->layer_stride[level];
   *out_transfer = &transfer->base;
   if (usage & PIPE_MAP_WRITE) {
      p_atomic_inc(&resource->writes);
      resource->undefined = false;
   }

   uint8_t *address = tbr_storage_address(transfer->storage, resource, level, box->z);
   if (base_resource->target == PIPE_BUFFER)
      return address + box->x;
   const enum pipe_format format = base_resource->format;
   return address + (size_t)(box->y / util_format_get_blockheight(format)) * resource->row_stride[level] +
          (size_t)(box->x / util_format_get_blockwidth(format)) * util_format_get_blocksize(format);
}

static void
unmap(struct pipe_context *base, struct pipe_transfer *base_transfer)
{
   struct tbr_transfer *transfer = (struct tbr_transfer *)base_transfer;
   assert(!transfer->pixels == !!transfer->storage);
   if (transfer->pixels) {
      base->texture_unmap(base, transfer->pixels_transfer);
      if (transfer->base.usage & PIPE_MAP_WRITE)
         blit_pixels(base, transfer, true);
      pipe_resource_reference(&transfer->pixels, NULL);
   }
   const struct tbr_resource *resource = tbr_resource(transfer->base.resource);
   if (resource->decoded && (transfer->base.usage & PIPE_MAP_WRITE))
      tbr_decode(resource, transfer->storage, transfer->base.level, &transfer->base.box);
   tbr_storage_reference(&transfer->storage, NULL);
   pipe_resource_reference(&transfer->base.resource, NULL);
   slab_free(&tbr_context(base)->transfer_pool, transfer);
}

static void
invalidate_resource(struct pipe_context *base, struct pipe_resource *resource)
{
   struct tbr_context *context = tbr_context(base);
   if (resource->target == PIPE_BUFFER)
      tbr_resource_orphan(context, tbr_resource(resource));
   else
      tbr_batch_invalidate(context, tbr_resource(resource));
}

void
tbr_transfer_init_screen(struct tbr_screen *screen)
{
   slab_create_parent(&screen->transfer_pool, sizeof(struct tbr_transfer), 16);
}

void
tbr_transfer_init_context(struct tbr_context *context)
{
   struct pipe_context *base = &context->base;
   base->buffer_map = map;
   base->buffer_unmap = unmap;
   base->texture_map = map;
   base->texture_unmap = unmap;
   base->transfer_flush_region = u_default_transfer_flush_region;
   base->buffer_subdata = u_default_buffer_subdata;
   base->texture_subdata = u_default_texture_subdata;
   base->clear_buffer = u_default_clear_buffer;
   base->invalidate_resource = invalidate_resource;
}
