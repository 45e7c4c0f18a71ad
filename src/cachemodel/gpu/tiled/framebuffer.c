/* SPDX-License-Identifier: MIT */
/* The tile buffers' traffic: a touched tile is loaded before and flushed after it
 * is rendered, row by row of the attachment's memory (of tiled placements: of its blocks), block by block. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/tiled/compressed_tile.h"
#include "gpu/tiled/elimination.h"
#include "gpu/tiled/stages.h"
#include "util/minmax.h"

enum cm_stream
cm_framebuffer_color_stream(const struct cm_gpu *gpu, const struct cm_resource *resource)
{
   return resource && resource->description.is_displayable &&
                cm_config_has_stream(&gpu->config, CM_STREAM_DISPLAY)
             ? CM_STREAM_DISPLAY
             : CM_STREAM_COLOR;
}

/* The stream of what a color attachment, or the target of a resolve, names. */
static enum cm_stream
color_stream(struct cm_gpu *gpu, uint32_t id)
{
   return cm_framebuffer_color_stream(gpu, cm_address_space_use(&gpu->space, id));
}

static void
bind(struct cm_framebuffer_stage *framebuffer, const struct cm_attachment *attachment, enum cm_stream stream)
{
   const uint32_t a = framebuffer->num_attachments++;
   framebuffer->attachments[a] = attachment;
   framebuffer->streams[a] = stream;
   cm_address_space_use(&framebuffer->gpu->space, attachment->resource);
}

void
cm_framebuffer_bind(struct cm_framebuffer_stage *framebuffer)
{
   struct cm_gpu *gpu = framebuffer->gpu;
   const struct cm_pass *pass = gpu->pass;
   if (gpu->compression)
      cm_compression_begin_pass(gpu->compression);
   framebuffer->num_color = cm_min(pass->num_color, CM_MAX_COLOR_ATTACHMENTS);
   framebuffer->num_attachments = 0;
   for (uint32_t c = 0; c < framebuffer->num_color; c++)
      bind(framebuffer, &pass->color[c], color_stream(gpu, pass->color[c].resource));
   bind(framebuffer, &pass->depth, CM_STREAM_DEPTH);
   bind(framebuffer, &pass->stencil, CM_STREAM_STENCIL);
   for (uint32_t c = 0; c < framebuffer->num_color; c++)
      cm_address_space_use(&gpu->space, pass->resolve[c].resource);
}

/* Accesses a block of a resource that may have had fast clears; one that is cleared whole has its bit set instead, if
 * it has one. */
static void
transfer_block(struct cm_gpu *gpu, const struct cm_resource *resource, uint64_t address, bool whole,
               enum cm_stream stream, enum cm_transfer transfer)
{
   assert(transfer != CM_TRANSFER_CLEAR || resource);
   if (transfer == CM_TRANSFER_ELIMINATED) {
      gpu->elimination[CM_ELIMINATION_ELIMINATED_BLOCKS]++;
      return;
   }
   if (transfer == CM_TRANSFER_CLEAR && whole && resource->cleared) {
      cm_cleared_blocks_add(resource->cleared, address);
      return;
   }
   cm_cleared_blocks_access(resource->cleared, &gpu->hierarchy, address, stream,
                            transfer == CM_TRANSFER_LOAD ? CM_READ
                            : whole                      ? CM_WRITE_BLOCK
                                                         : CM_WRITE);
}

/* Moves pixels whose blocks are rectangles: each block once, from left to right. One that
 * has pixels outside the part, other than the level's padding, is written in part. */
static void
transfer_blocks(struct cm_gpu *gpu, const struct cm_resource *resource, const struct cm_texture_level *level,
                uint64_t address, struct cm_rectangle part, struct cm_block_shape shape,
                enum cm_stream stream, enum cm_transfer transfer)
{
   const struct cm_texture_layout *layout = resource->layout;
   const uint32_t width = 1u << shape.column_shift, height = 1u << shape.row_shift;
   for (uint32_t y = part.y0 & ~(height - 1); y < part.y1; y += height) {
      for (uint32_t x = part.x0 & ~(width - 1); x < part.x1; x += width) {
         const bool whole = x >= part.x0 && y >= part.y0 && cm_min(x + width, level->columns) <= part.x1 &&
                            cm_min(y + height, level->rows) <= part.y1;
         const uint32_t first_x = cm_max(x, part.x0), first_y = cm_max(y, part.y0);
         transfer_block(gpu, resource,
                        address + layout->placement->texel_offset(layout, level, first_x, first_y), whole,
                        stream, transfer);
      }
   }
}

/* Moves consecutive bytes, block by block. */
static void
transfer_bytes(struct cm_gpu *gpu, const struct cm_resource *resource, uint64_t address, uint64_t bytes,
               enum cm_stream stream, enum cm_transfer transfer)
{
   const uint32_t shift = gpu->hierarchy.entry[stream].block_shift;
   if (!resource->cleared && transfer != CM_TRANSFER_ELIMINATED) {
      cm_hierarchy_access_range(&gpu->hierarchy, 0, address, bytes, stream, transfer != CM_TRANSFER_LOAD);
      return;
   }
   for (uint64_t block = address >> shift; block << shift < address + bytes; block++) {
      const bool whole = block << shift >= address && (block + 1) << shift <= address + bytes;
      transfer_block(gpu, resource, block << shift, whole, stream, transfer);
   }
}

void
cm_framebuffer_transfer(struct cm_gpu *gpu, uint32_t id, uint32_t level_number, uint32_t layer,
                        struct cm_rectangle part, enum cm_stream stream, enum cm_transfer transfer,
                        const struct cm_stored_surface *content)
{
   struct cm_resource *resource = cm_address_space_use(&gpu->space, id);
   if (!resource || !resource->layout)
      return;
   const struct cm_texture_layout *layout = resource->layout;
   cm_gpu_attribute_resource(gpu, id);
   cm_timing_surface(gpu->timing, id);
   level_number %= layout->num_levels;
   const struct cm_texture_level *level = &layout->levels[level_number];
   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   part.x1 = cm_min(part.x1, level->columns);
   part.y1 = cm_min(part.y1, level->rows);
   if (part.x0 >= part.x1 || part.y0 >= part.y1)
      return;
   if (gpu->compression && transfer <= CM_TRANSFER_STORE &&
       cm_compressed_tile_transfer(gpu, resource, level_number, layer % images, part, stream,
                                   transfer == CM_TRANSFER_STORE, content))
      return;

   /* A row of pixels is contiguous. */
   const bool is_linear = layout->placement == cm_placements[CM_PLACEMENT_LINEAR];
   const uint32_t piece = is_linear ? part.x1 - part.x0 : 1;
   const uint32_t shift = gpu->hierarchy.entry[stream].block_shift;
   const uint64_t slice = resource->address + cm_texture_slice_offset(layout, level, layer % images);
   struct cm_block_shape shape;
   if (!is_linear && cm_texture_block_shape(layout, level, slice, shift, &shape)) {
      transfer_blocks(gpu, resource, level, slice, part, shape, stream, transfer);
      return;
   }
   const uint64_t first = slice + layout->placement->texel_offset(layout, level, part.x0, part.y0);
   uint64_t previous = UINT64_MAX;
   for (uint32_t y = part.y0; y < part.y1; y++) {
      for (uint32_t x = part.x0; x < part.x1; x += piece) {
         uint64_t address = is_linear ? first + (uint64_t)(y - part.y0) * level->row_bytes
                                      : slice + layout->placement->texel_offset(layout, level, x, y);
         const uint64_t end = address + (uint64_t)piece * layout->texel_bytes;
         /* The tile buffers merge the accesses to one block. */
         if (address >> shift == previous)
            address = (previous + 1) << shift;
         if (address >= end)
            continue;
         transfer_bytes(gpu, resource, address, end - address, stream, transfer);
         previous = (end - 1) >> shift;
      }
   }
}

/* A tile's pixels of its layer, without those outside the framebuffer. */
static struct cm_rectangle
tile_pixels(const struct cm_pass *pass, uint32_t tile)
{
   assert(tile < pass->tiles_x * pass->tiles_y && pass->layer_tiles_y);
   const uint32_t x0 = tile % pass->tiles_x * pass->tile_size;
   const uint32_t y0 = tile / pass->tiles_x % pass->layer_tiles_y * pass->tile_size;
   return (struct cm_rectangle){x0, y0, cm_min(x0 + pass->tile_size, pass->width),
                                cm_min(y0 + pass->tile_size, pass->height)};
}

uint32_t
cm_framebuffer_resolved_layers(const struct cm_pass *pass, uint32_t color)
{
   assert(color < CM_MAX_COLOR_ATTACHMENTS);
   const struct cm_attachment *attachment = &pass->color[color];
   return pass->resolve[color].resource == attachment->resource ? attachment->more_layers + 1u : 1;
}

void
cm_framebuffer_resolve(struct cm_gpu *gpu, const struct cm_resolve *resolve, uint32_t layer,
                       struct cm_rectangle pixels, enum cm_transfer transfer,
                       const struct cm_stored_surface *content)
{
   const uint32_t x0 = cm_max(pixels.x0, resolve->x0), y0 = cm_max(pixels.y0, resolve->y0);
   const uint32_t x1 = cm_min(pixels.x1, resolve->x1), y1 = cm_min(pixels.y1, resolve->y1);
   if (!resolve->resource || x0 >= x1 || y0 >= y1)
      return;
   const uint32_t first_row = resolve->flip_y ? resolve->y1 - y1 : y0 - resolve->y0;
   const struct cm_rectangle part = {
      .x0 = resolve->target_x + x0 - resolve->x0,
      .y0 = resolve->target_y + first_row,
      .x1 = resolve->target_x + x1 - resolve->x0,
      .y1 = resolve->target_y + first_row + (y1 - y0),
   };
   cm_framebuffer_transfer(gpu, resolve->resource, resolve->level, resolve->layer + layer, part,
                           color_stream(gpu, resolve->resource), transfer, content);
}

/* What happens when a tile stores an image. */
static enum cm_transfer
store_of(const struct cm_framebuffer_stage *framebuffer, uint32_t tile, uint32_t slot)
{
   return framebuffer->elimination->compared && cm_elimination_of_store(framebuffer->elimination, tile, slot)
             ? CM_TRANSFER_ELIMINATED
             : CM_TRANSFER_STORE;
}

/* What the events say of an image that a tile stores (struct cm_stored_surface). NULL: nothing. */
static const struct cm_stored_surface *
find_content(const struct cm_gpu *gpu, uint32_t tile, unsigned slot, struct cm_stored_surface *surface)
{
   size_t offset = 0;
   if (!gpu->compression || !gpu->pass->contents)
      return NULL;
   while (cm_tile_content_next(&gpu->pass->contents[tile], &offset, surface)) {
      if (surface->slot == slot)
         return surface;
   }
   return NULL;
}

/* The number of an attachment (CM_SLOT_DEPTH …). */
static unsigned
slot_of(const struct cm_framebuffer_stage *framebuffer, uint32_t attachment)
{
   return attachment < framebuffer->num_color ? attachment
                                              : CM_SLOT_DEPTH + (attachment - framebuffer->num_color);
}

void
cm_framebuffer_tile(struct cm_framebuffer_stage *framebuffer, uint32_t tile, bool store)
{
   struct cm_gpu *gpu = framebuffer->gpu;
   const struct cm_pass *pass = gpu->pass;
   const struct cm_rectangle pixels = tile_pixels(pass, tile);
   const uint32_t layer = tile / pass->tiles_x / pass->layer_tiles_y;
   struct cm_stored_surface surface;
   for (uint32_t a = 0; a < framebuffer->num_attachments; a++) {
      const struct cm_attachment *attachment = framebuffer->attachments[a];
      /* A stencil buffer that shares the depth buffer's memory moves with it. */
      if ((store ? attachment->store : attachment->load) && attachment->pixel_bytes &&
          layer <= attachment->more_layers)
         cm_framebuffer_transfer(gpu, attachment->resource, attachment->level, attachment->layer + layer,
                                 pixels, framebuffer->streams[a],
                                 store ? store_of(framebuffer, tile, a) : CM_TRANSFER_LOAD,
                                 store ? find_content(gpu, tile, slot_of(framebuffer, a), &surface) : NULL);
   }
   for (uint32_t c = 0; store && c < framebuffer->num_color; c++) {
      if (pass->resolve[c].resource && layer < cm_framebuffer_resolved_layers(pass, c))
         cm_framebuffer_resolve(gpu, &pass->resolve[c], layer, pixels,
                                store_of(framebuffer, tile, CM_CONTENT_RESOLVE + c),
                                find_content(gpu, tile, CM_CONTENT_RESOLVE + c, &surface));
   }
}

/* What was flushed past a cache is stale there: the next texture read of it is a
 * miss, as on a GPU that invalidates its read-only caches between passes. */
static void
invalidate_resource(struct cm_gpu *gpu, uint32_t id, enum cm_stream stream)
{
   struct cm_resource *resource = cm_address_space_use(&gpu->space, id);
   if (resource && resource->sampled)
      cm_gpu_written_past(gpu, resource, stream);
}

void
cm_framebuffer_end(struct cm_framebuffer_stage *framebuffer)
{
   struct cm_gpu *gpu = framebuffer->gpu;
   if (gpu->compression)
      cm_compression_end_pass(gpu->compression);
   for (uint32_t a = 0; a < framebuffer->num_attachments; a++) {
      if (framebuffer->attachments[a]->store)
         invalidate_resource(gpu, framebuffer->attachments[a]->resource, framebuffer->streams[a]);
   }
   for (uint32_t c = 0; c < framebuffer->num_color; c++) {
      const uint32_t target = gpu->pass->resolve[c].resource;
      invalidate_resource(gpu, target, color_stream(gpu, target));
   }
}
