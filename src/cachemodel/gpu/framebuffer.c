/* SPDX-License-Identifier: MIT */
/* The tile buffers' traffic: a touched tile is loaded before and flushed after it
 * is rendered, row by row of the attachment's memory, block by block. */
#include "gpu/gpu_internal.h"

/* Calls act for each attachment that exists, in a fixed order. */
static void
for_each_attachment(struct cm_gpu *gpu,
                    void (*act)(struct cm_gpu *gpu, const struct cm_attachment *attachment,
                                enum cm_stream stream, uint32_t tile, bool store),
                    uint32_t tile, bool store)
{
   const struct cm_pass *pass = gpu->pass;
   for (uint32_t c = 0; c < pass->num_color && c < CM_MAX_COLOR_ATTACHMENTS; c++)
      act(gpu, &pass->color[c], CM_STREAM_COLOR, tile, store);
   act(gpu, &pass->depth, CM_STREAM_DEPTH, tile, store);
   act(gpu, &pass->stencil, CM_STREAM_STENCIL, tile, store);
}

static void
bind_attachment(struct cm_gpu *gpu, const struct cm_attachment *attachment, enum cm_stream stream,
                uint32_t tile, bool store)
{
   (void)stream;
   (void)tile;
   (void)store;
   cm_address_space_use(&gpu->space, attachment->resource);
}

void
cm_framebuffer_bind(struct cm_gpu *gpu)
{
   for_each_attachment(gpu, bind_attachment, 0, false);
}

/* A row of pixels that lies in one piece. */
static bool
is_linear(const struct cm_texture_layout *layout)
{
   return layout->placement == cm_placements[CM_PLACEMENT_LINEAR];
}

static void
transfer_tile(struct cm_gpu *gpu, const struct cm_attachment *attachment, enum cm_stream stream,
              uint32_t tile, bool store)
{
   const struct cm_pass *pass = gpu->pass;
   /* A stencil buffer that shares the depth buffer's memory moves with it. */
   if (!(store ? attachment->store : attachment->load) || !attachment->pixel_bytes)
      return;
   const struct cm_resource *resource = cm_address_space_use(&gpu->space, attachment->resource);
   if (!resource || !resource->layout)
      return;
   const struct cm_texture_layout *layout = resource->layout;
   const struct cm_texture_level *level = &layout->levels[attachment->level % layout->num_levels];
   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   const uint32_t x0 = tile % pass->tiles_x * pass->tile_size;
   const uint32_t y0 = tile / pass->tiles_x * pass->tile_size;
   uint32_t x1 = x0 + pass->tile_size, y1 = y0 + pass->tile_size;
   x1 = x1 < pass->width ? x1 : pass->width;
   y1 = y1 < pass->height ? y1 : pass->height;
   x1 = x1 < level->columns ? x1 : level->columns;
   y1 = y1 < level->rows ? y1 : level->rows;
   if (x0 >= x1 || y0 >= y1)
      return;

   const uint32_t piece = is_linear(layout) ? x1 - x0 : 1;
   const uint32_t shift = gpu->hierarchy.entry[stream].block_shift;
   uint64_t previous = UINT64_MAX;
   for (uint32_t y = y0; y < y1; y++) {
      for (uint32_t x = x0; x < x1; x += piece) {
         uint64_t address =
            resource->address + cm_texture_offset(layout, attachment->level % layout->num_levels,
                                                  attachment->layer % images, x, y);
         const uint64_t end = address + (uint64_t)piece * layout->texel_bytes;
         /* The tile buffers put together what lies in one block. */
         if (address >> shift == previous)
            address = (previous + 1) << shift;
         if (address >= end)
            continue;
         cm_hierarchy_access_range(&gpu->hierarchy, 0, address, end - address, stream, store);
         previous = (end - 1) >> shift;
      }
   }
}

void
cm_framebuffer_tile(struct cm_gpu *gpu, uint32_t tile, bool store)
{
   for_each_attachment(gpu, transfer_tile, tile, store);
}

/* What was flushed past a cache is stale there: the next texture read of it is a
 * miss, as on a GPU that invalidates its read-only caches between passes. */
static void
invalidate_attachment(struct cm_gpu *gpu, const struct cm_attachment *attachment, enum cm_stream stream,
                      uint32_t tile, bool store)
{
   (void)tile;
   (void)store;
   struct cm_resource *resource = cm_address_space_use(&gpu->space, attachment->resource);
   if (!resource || !resource->sampled || !attachment->store)
      return;
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, stream, resource->address,
                             resource->address + resource->bytes);
   resource->sampled = false;
}

void
cm_framebuffer_end(struct cm_gpu *gpu)
{
   for_each_attachment(gpu, invalidate_attachment, 0, true);
}
