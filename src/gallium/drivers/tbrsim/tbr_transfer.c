/* SPDX-License-Identifier: MIT */
/** The CPU's access to resources. */
#include "util/format/u_format.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "tbr_batch.h"
#include "tbr_context.h"
#include "tbr_resource.h"

static bool
covers_everything(const struct pipe_resource *resource, const struct pipe_box *box)
{
   const unsigned layers = resource->target == PIPE_TEXTURE_3D ? resource->depth0 : resource->array_size;
   return resource->last_level == 0 && box->x == 0 && box->y == 0 && box->z == 0 &&
          (unsigned)box->width == resource->width0 &&
          (resource->target == PIPE_BUFFER ||
           ((unsigned)box->height == resource->height0 && (unsigned)box->depth == MAX2(layers, 1)));
}

static bool
is_busy(struct tbr_context *context, const struct tbr_resource *resource, bool for_write)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   return !tbr_screen_done(screen, p_atomic_read(&resource->last_write)) ||
          (for_write && !tbr_screen_done(screen, p_atomic_read(&resource->last_read)));
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
      tbr_resource_prepare_write(context, resource);
   else
      tbr_resource_wait(context, resource, false);
   tbr_resource_refresh_front(context, resource);
   return true;
}

static void *
map(struct pipe_context *base, struct pipe_resource *base_resource, unsigned level, unsigned usage,
    const struct pipe_box *box, struct pipe_transfer **out_transfer)
{
   struct tbr_context *context = tbr_context(base);
   struct tbr_resource *resource = tbr_resource(base_resource);

   if (!prepare(context, resource, usage, box))
      return NULL;
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
   if (usage & PIPE_MAP_WRITE)
      p_atomic_inc(&resource->writes);

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
