/* SPDX-License-Identifier: MIT */
#include "pass/tbr_pixel_local.h"

#include "util/u_inlines.h"
#include "util/u_math.h"
#include "pass/tbr_batch.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "shader/tbr_shader.h"

#define FIRST_PLANE (TBR_COLOR0 + 1)
#define ALL_PLANES (BITFIELD_MASK(TBR_PIXEL_LOCAL_WORDS) << FIRST_PLANE)

static struct pipe_surface *
create_plane(struct tbr_context *context, unsigned width, unsigned height, unsigned layers)
{
   struct pipe_screen *screen = context->base.screen;
   const struct pipe_resource template = {
      .target = layers > 1 ? PIPE_TEXTURE_2D_ARRAY : PIPE_TEXTURE_2D,
      .format = PIPE_FORMAT_R32_UINT,
      .width0 = width,
      .height0 = height,
      .depth0 = 1,
      .array_size = layers,
      .bind = PIPE_BIND_RENDER_TARGET,
   };
   struct pipe_resource *resource = screen->resource_create(screen, &template);
   if (!resource)
      return NULL;
   tbr_resource(resource)->undefined = true;
   context->base.label_resource(&context->base, resource, "pixel local storage");
   const struct pipe_surface whole = {.format = template.format, .u.tex.last_layer = layers - 1};
   struct pipe_surface *surface = context->base.create_surface(&context->base, resource, &whole);
   pipe_resource_reference(&resource, NULL);
   return surface;
}

/** A plane of the framebuffer's size; NULL when out of memory. */
static struct pipe_surface *
get_plane(struct tbr_context *context, const struct tbr_pass *pass, unsigned word)
{
   struct pipe_surface **plane = &context->pixel_local_planes[word];
   const unsigned layers = pass->tiles_y / pass->layer_tiles_y;
   if (*plane && ((*plane)->width != pass->width || (*plane)->height != pass->height ||
                  (*plane)->u.tex.last_layer + 1u != layers))
      pipe_surface_reference(plane, NULL);
   if (!*plane)
      *plane = create_plane(context, pass->width, pass->height, layers);
   return *plane;
}

static void
start_with_zeros(struct tbr_attachment *attachment)
{
   attachment->load = false;
   attachment->clear = true;
   memset(&attachment->clear_value, 0, sizeof attachment->clear_value);
}

bool
tbr_pixel_local_attach(struct tbr_context *context, struct tbr_batch *batch)
{
   const struct tbr_fragment_shader *shader = context->fragment_shader;
   const uint32_t used =
      shader->pixel_local ? (shader->color_outputs << TBR_COLOR0 | shader->fetched) & ALL_PLANES : 0;
   const uint32_t missing = used & ~batch->pixel_local;
   if (!missing)
      return true;
   assert(batch == context->batch && !batch->pixel_local_lost);
   /* Only colour buffer 0 may be attached. */
   assert(!(missing & batch->pass.attached));
   if (!util_dynarray_ensure_cap(&batch->storages,
                                 batch->storages.size + TBR_PIXEL_LOCAL_WORDS * sizeof(struct tbr_storage *)))
      return false;
   /* Memory of attachments does not count. */
   const uint64_t referenced_bytes = batch->referenced_bytes;
   u_foreach_bit (i, missing) {
      struct pipe_surface *plane = get_plane(context, &batch->pass, i - FIRST_PLANE);
      if (!plane)
         return false;
      tbr_batch_attach(context, batch, plane, i);
      if (!batch->pass.attachment[i].load)
         start_with_zeros(&batch->pass.attachment[i]);
      batch->pixel_local |= 1u << i;
   }
   batch->referenced_bytes = referenced_bytes;
   context->dirty |= TBR_DIRTY_FRAMEBUFFER;
   return true;
}

void
tbr_pixel_local_lose(struct tbr_context *context)
{
   for (unsigned i = 0; i < TBR_PIXEL_LOCAL_WORDS; i++) {
      if (context->pixel_local_planes[i])
         tbr_resource(context->pixel_local_planes[i]->texture)->undefined = true;
   }
   if (context->batch)
      context->batch->pixel_local_lost = context->batch->pixel_local != 0;
   context->dirty |= TBR_DIRTY_FRAMEBUFFER;
}

uint32_t
tbr_pixel_local_reset(struct tbr_context *context)
{
   tbr_pixel_local_lose(context);
   if (!context->batch || !context->batch->pixel_local)
      return 0;
   /* A batch that is to end ends before the storage is there again. */
   struct tbr_batch *batch = tbr_batch_get(context);
   if (!batch)
      return 0;
   batch->pixel_local_lost = false;
   const uint32_t used = batch->pixel_local & (batch->read | batch->written);
   u_foreach_bit (i, batch->pixel_local & ~used)
      start_with_zeros(&batch->pass.attachment[i]);
   return used;
}

void
tbr_pixel_local_end_batch(struct tbr_context *context, struct tbr_batch *batch)
{
   u_foreach_bit (i, batch->pixel_local) {
      struct tbr_attachment *plane = &batch->pass.attachment[i];
      plane->store = context->pixel_local && !batch->pixel_local_lost && batch->written >> i & 1;
      /* The next batch loads all tiles. */
      if (plane->store && plane->clear)
         batch->cleared |= 1u << i;
   }
}

void
tbr_pixel_local_destroy(struct tbr_context *context)
{
   for (unsigned i = 0; i < TBR_PIXEL_LOCAL_WORDS; i++)
      pipe_surface_reference(&context->pixel_local_planes[i], NULL);
}
