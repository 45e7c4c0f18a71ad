/* SPDX-License-Identifier: MIT */
#include "gpu/immediate/render_surface.h"

#include <assert.h>

#include "util/minmax.h"

void
cm_render_surface_bind(struct cm_render_surface *surface, struct cm_gpu *gpu,
                       const struct cm_attachment *attachment, enum cm_stream stream)
{
   *surface = (struct cm_render_surface){.attachment = attachment, .stream = stream};
   surface->writes_parts = gpu->config.immediate.pixel_writes == CM_PIXEL_WRITES_PARTIAL;
   struct cm_resource *resource = cm_address_space_use(&gpu->space, attachment->resource);
   if (!resource || !resource->layout || !attachment->pixel_bytes)
      return;
   surface->resource = resource;
   surface->layout = resource->layout;
   surface->level = &resource->layout->levels[attachment->level % resource->layout->num_levels];
   surface->block_shift = gpu->hierarchy.entry[stream].block_shift;
}

void
cm_render_surface_select(struct cm_render_surface *surface, uint32_t layer)
{
   if (!surface->resource)
      return;
   surface->has_layer = layer <= surface->attachment->more_layers;
   if (!surface->has_layer)
      return;
   const struct cm_texture_layout *layout = surface->layout;
   const uint32_t images = layout->layers > 1 ? layout->layers : surface->level->slices;
   const uint32_t image = (surface->attachment->layer + layer) % images;
   surface->address = surface->resource->address + cm_texture_slice_offset(layout, surface->level, image);
   surface->has_shape =
      cm_texture_block_shape(layout, surface->level, surface->address, surface->block_shift, &surface->shape);
}

/* The pixels of columns x0 … x1 - 1 and rows y0 … y1 - 1 of a block. */
static inline uint32_t
mask_of(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
   assert(x0 <= x1 && x1 <= CM_PIXEL_BLOCK && y0 <= y1 && y1 <= CM_PIXEL_BLOCK);
   const uint32_t row = (1u << x1) - (1u << x0);
   const uint32_t rows = ((1u << 4 * y1) - (1u << 4 * y0)) & 0x1111;
   return row * rows;
}

static inline void
access_memory_block(const struct cm_render_surface *surface, struct cm_hierarchy *hierarchy, uint64_t address,
                    unsigned access, bool whole)
{
   assert(surface->resource && access);
   const bool keeps_part = surface->writes_parts || access & CM_SURFACE_KEEP_PART;
   struct cm_cleared_blocks *cleared = surface->resource->cleared;
   if (access & CM_SURFACE_READ)
      cm_cleared_blocks_access(cleared, hierarchy, address, surface->stream, CM_READ);
   if (access & CM_SURFACE_WRITE)
      cm_cleared_blocks_access(cleared, hierarchy, address, surface->stream,
                               whole && !keeps_part ? CM_WRITE_BLOCK : CM_WRITE);
}

/* Whether the mask has all pixels of the block of memory of pixel (px, py). */
static inline bool
covers_memory_block(const struct cm_render_surface *surface, uint32_t x, uint32_t y, uint32_t mask,
                    uint32_t px, uint32_t py)
{
   const uint32_t width = 1u << surface->shape.column_shift, height = 1u << surface->shape.row_shift;
   const uint32_t x0 = px & ~(width - 1), x1 = cm_min(x0 + width, surface->level->columns);
   const uint32_t y0 = py & ~(height - 1), y1 = cm_min(y0 + height, surface->level->rows);
   if (x0 < x || y0 < y || x1 > x + CM_PIXEL_BLOCK || y1 > y + CM_PIXEL_BLOCK)
      return false;
   const uint32_t all = mask_of(x0 - x, y0 - y, x1 - x, y1 - y);
   return (mask & all) == all;
}

static inline void
access_rectangles(const struct cm_render_surface *surface, struct cm_hierarchy *hierarchy, uint32_t x,
                  uint32_t y, uint32_t mask, unsigned access)
{
   const uint32_t width = cm_min(1u << surface->shape.column_shift, CM_PIXEL_BLOCK);
   const uint32_t height = cm_min(1u << surface->shape.row_shift, CM_PIXEL_BLOCK);
   for (uint32_t row = 0; row < CM_PIXEL_BLOCK; row += height) {
      for (uint32_t column = 0; column < CM_PIXEL_BLOCK; column += width) {
         if (!(mask & mask_of(column, row, column + width, row + height)))
            continue;
         const uint64_t offset =
            surface->layout->placement->texel_offset(surface->layout, surface->level, x + column, y + row);
         const bool whole =
            (access & CM_SURFACE_WRITE) && covers_memory_block(surface, x, y, mask, x + column, y + row);
         access_memory_block(surface, hierarchy, surface->address + offset, access, whole);
      }
   }
}

/* Where the pixels of a mask lie. */
struct pixels {
   uint64_t begin[CM_PIXEL_BLOCK * CM_PIXEL_BLOCK];
   uint32_t bytes, count;
};

/* Bytes of a block of memory that one of the pixels has. */
static uint64_t
bytes_within(const struct pixels *pixels, uint32_t p, uint64_t block, uint32_t shift)
{
   assert(p < pixels->count);
   const uint64_t first = block << shift, end = (block + 1) << shift;
   const uint64_t pixel = pixels->begin[p], pixel_end = pixel + pixels->bytes;
   const uint64_t from = cm_max64(pixel, first), to = cm_min64(pixel_end, end);
   return from < to ? to - from : 0;
}

/* Accesses a block of memory at the first pixel that has bytes in it. */
static void
access_block_at_first(const struct cm_render_surface *surface, struct cm_hierarchy *hierarchy,
                      const struct pixels *pixels, uint32_t p, uint64_t block, unsigned access)
{
   const uint32_t shift = surface->block_shift;
   uint64_t bytes = 0;
   for (uint32_t other = 0; other < pixels->count; other++) {
      const uint64_t its = bytes_within(pixels, other, block, shift);
      if (its && other < p)
         return;
      bytes += its;
   }
   access_memory_block(surface, hierarchy, block << shift, access, bytes == 1ull << shift);
}

/* Where blocks are no rectangles, or pixels straddle them. */
static __attribute__((noinline)) void
access_pixels(const struct cm_render_surface *surface, struct cm_hierarchy *hierarchy, uint32_t x, uint32_t y,
              uint32_t mask, unsigned access)
{
   const struct cm_texture_layout *layout = surface->layout;
   const uint32_t shift = surface->block_shift;
   struct pixels pixels = {.bytes = layout->texel_bytes};
   for (; mask; mask &= mask - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctz(mask);
      pixels.begin[pixels.count++] =
         surface->address + layout->placement->texel_offset(layout, surface->level, x + bit % CM_PIXEL_BLOCK,
                                                            y + bit / CM_PIXEL_BLOCK);
   }
   for (uint32_t p = 0; p < pixels.count; p++) {
      const uint64_t last = (pixels.begin[p] + pixels.bytes - 1) >> shift;
      for (uint64_t block = pixels.begin[p] >> shift; block <= last; block++)
         access_block_at_first(surface, hierarchy, &pixels, p, block, access);
   }
}

void
cm_render_surface_access(struct cm_render_surface *surface, struct cm_hierarchy *hierarchy, uint32_t x,
                         uint32_t y, uint32_t mask, unsigned access)
{
   assert(x % CM_PIXEL_BLOCK == 0 && y % CM_PIXEL_BLOCK == 0);
   if (!surface->has_layer)
      return;
   const uint32_t columns = surface->level->columns, rows = surface->level->rows;
   if (x >= columns || y >= rows)
      return;
   if (columns - x < CM_PIXEL_BLOCK || rows - y < CM_PIXEL_BLOCK)
      mask &= mask_of(0, 0, cm_min(columns - x, CM_PIXEL_BLOCK), cm_min(rows - y, CM_PIXEL_BLOCK));
   if (!mask)
      return;
   surface->written |= (access & CM_SURFACE_WRITE) != 0;
   if (surface->has_shape)
      access_rectangles(surface, hierarchy, x, y, mask, access);
   else
      access_pixels(surface, hierarchy, x, y, mask, access);
}
