/* SPDX-License-Identifier: MIT */
/* A superblock that a tile stores in part is read before; one whose other pixels are outside the image is stored whole. Within a tile,
 * the headers of a row of superblocks are read, and written, together. */
#include "gpu/tiled/compressed_tile.h"

#include <assert.h>
#include <string.h>

#include "gpu/gpu_internal.h"
#include "timing/timing.h"
#include "util/minmax.h"

/* A part of an image. */
struct transfer {
   struct cm_gpu *gpu;
   struct cm_compressed_image *image;
   struct cm_rectangle part;
   enum cm_stream stream;
   const struct cm_stored_surface *content;
   uint64_t end; /* of what has been read of bodies */
};

/* ---- accesses ---------------------------------------------------------------- */

static void
count(const struct transfer *transfer, enum cm_compression_event event, uint64_t number)
{
   cm_compression_count(transfer->gpu->compression, transfer->stream, event, number);
}

/* Accesses whole blocks of the stream's first unit, or bursts of memory. Returns how many bytes. */
static uint64_t
access_whole(const struct transfer *transfer, uint64_t begin, uint64_t end, bool write)
{
   struct cm_hierarchy *hierarchy = &transfer->gpu->hierarchy;
   const enum cm_stream stream = transfer->stream;
   const uint32_t burst = transfer->image->surface.config->burst;
   const uint64_t unit =
      hierarchy->entry[stream].cache ? 1ull << hierarchy->entry[stream].block_shift : burst;
   begin = begin / unit * unit;
   end = (end + unit - 1) / unit * unit;
   if (begin >= end)
      return 0;
   if (hierarchy->entry[stream].cache)
      cm_hierarchy_access_range(hierarchy, 0, begin, end - begin, stream, write);
   else
      cm_dram_access(&hierarchy->dram, begin, stream, write, (end - begin) / burst, burst);
   return end - begin;
}

/* Through the cache of headers, or to where the stream begins. */
static void
access_headers(const struct transfer *transfer, uint64_t begin, uint64_t end, bool write)
{
   struct cm_hierarchy *hierarchy = &transfer->gpu->hierarchy;
   struct cm_cache *cache = hierarchy->caches[CM_UNIT_HEADER_CACHE];
   if (!cache) {
      if (write && hierarchy->entry[transfer->stream].cache) {
         /* Of a block, only these bytes. */
         const uint32_t shift = hierarchy->entry[transfer->stream].block_shift;
         cm_hierarchy_access_range(hierarchy, 0, begin, end - begin, transfer->stream, true);
         count(transfer, CM_COMPRESSION_EVENT_HEADER_BYTES,
               (((end - 1) >> shift) - (begin >> shift) + 1) << shift);
      } else {
         count(transfer, CM_COMPRESSION_EVENT_HEADER_BYTES, access_whole(transfer, begin, end, write));
      }
      return;
   }
   const uint64_t block = 1ull << cache->block_shift;
   for (uint64_t at = begin; at < end; at = (at / block + 1) * block) {
      const uint64_t bytes = cm_min64(end, (at / block + 1) * block) - at;
      const enum cm_access access = !write ? CM_READ : bytes == block ? CM_WRITE_BLOCK : CM_WRITE;
      if (cache->attribution)
         cm_cache_attribute_access(cache, at, transfer->stream, access);
      cm_cache_access_bytes(cache, at, bytes, transfer->stream, access);
   }
}

static void
read_body(struct transfer *transfer, const struct cm_superblock *superblock, struct cm_superblock_part part)
{
   uint32_t block = 0;
   uint64_t begin = superblock->body, end = superblock->body;
   while (cm_superblock_next(superblock, &transfer->image->surface, part, &block, &begin, &end)) {
      /* Bursts may be smaller than the first unit's blocks. */
      const uint64_t from = cm_max64(begin, transfer->end);
      const uint64_t moved = access_whole(transfer, from, end, false);
      const struct cm_hierarchy *hierarchy = &transfer->gpu->hierarchy;
      const uint32_t shift = hierarchy->entry[transfer->stream].block_shift;
      transfer->end = hierarchy->entry[transfer->stream].cache ? (((end - 1) >> shift) + 1) << shift : end;
      count(transfer, CM_COMPRESSION_EVENT_BODY_BYTES, moved);
   }
}

/* Of the place that is the superblock's, nothing else is kept. */
static void
write_body(const struct transfer *transfer, const struct cm_superblock *superblock)
{
   if (superblock->bytes)
      count(transfer, CM_COMPRESSION_EVENT_BODY_BYTES,
            access_whole(transfer, superblock->body, superblock->body + superblock->bytes, true));
}

/* ---- superblocks ------------------------------------------------------------- */

#define GROUP_SIDE (CM_GROUP_SIZE / CM_BLOCK_SIZE)

/* What is known of blocks x to end - 1 of a row of the image's blocks, which are of one group. */
static void
get_sizes(const struct transfer *transfer, uint32_t x, uint32_t end, uint32_t y, uint8_t *sizes)
{
   const struct cm_stored_surface *content = transfer->content;
   const uint32_t column = x - transfer->part.x0 / CM_BLOCK_SIZE, row = y - transfer->part.y0 / CM_BLOCK_SIZE;
   if (!content || column / GROUP_SIDE >= content->columns || row / GROUP_SIDE >= content->rows) {
      memset(sizes, CM_RAW_SIZE, end - x);
      return;
   }
   const uint8_t *group =
      content->sizes +
      ((size_t)(row / GROUP_SIDE) * content->columns + column / GROUP_SIDE) * CM_GROUP_BLOCKS;
   memcpy(sizes, group + row % GROUP_SIDE * GROUP_SIDE + column % GROUP_SIDE, end - x);
}

static struct cm_superblock_part
part_of(const struct transfer *transfer, uint32_t column, uint32_t row)
{
   const struct cm_rectangle part = transfer->part;
   return cm_superblock_part_of(&transfer->image->surface, column, row, part.x0, part.y0, part.x1, part.y1);
}

/* The blocks of a superblock that are stored have new sizes. */
static void
change(const struct transfer *transfer, uint32_t column, uint32_t row)
{
   struct cm_compressed_surface *surface = &transfer->image->surface;
   const struct cm_superblock_part part = part_of(transfer, column, row);
   const uint32_t first_x = column * surface->config->superblock_width / CM_BLOCK_SIZE,
                  first_y = row * surface->config->superblock_height / CM_BLOCK_SIZE;
   for (uint32_t y = first_y + part.y0; y < first_y + part.y1; y++) {
      uint8_t *row = surface->sizes + (size_t)y * surface->blocks_x;
      for (uint32_t x = first_x + part.x0, end; x < first_x + part.x1; x = end) {
         /* Where sizes are known, groups of the tile's are the image's. */
         end = cm_min(first_x + part.x1, x / GROUP_SIDE * GROUP_SIDE + GROUP_SIDE);
         get_sizes(transfer, x, end, y, row + x);
      }
   }
}

static bool
is_whole(const struct transfer *transfer, uint32_t column, uint32_t row)
{
   const struct cm_compressed_surface *surface = &transfer->image->surface;
   const struct cm_rectangle part = transfer->part;
   const uint32_t width = surface->config->superblock_width, height = surface->config->superblock_height;
   return column * width >= part.x0 && row * height >= part.y0 &&
          cm_min((column + 1) * width, surface->columns) <= part.x1 &&
          cm_min((row + 1) * height, surface->rows) <= part.y1;
}

static void
load(struct transfer *transfer, uint32_t column, uint32_t row, struct cm_superblock_part part)
{
   struct cm_superblock superblock;
   cm_superblock_init(&superblock, &transfer->image->surface, transfer->image->surface.sizes, column, row);
   read_body(transfer, &superblock, part);
}

static void
store(struct transfer *transfer, uint32_t column, uint32_t row)
{
   struct cm_superblock superblock;
   const struct cm_compression_config *config = transfer->image->surface.config;
   const struct cm_superblock_part all = {0, 0, config->superblock_width / CM_BLOCK_SIZE,
                                          config->superblock_height / CM_BLOCK_SIZE};
   if (!is_whole(transfer, column, row)) {
      count(transfer, CM_COMPRESSION_EVENT_PARTIAL, 1);
      load(transfer, column, row, all);
   }
   change(transfer, column, row);
   cm_superblock_init(&superblock, &transfer->image->surface, transfer->image->surface.sizes, column, row);
   count(transfer, CM_COMPRESSION_EVENT_SOLID + superblock.kind, 1);
   write_body(transfer, &superblock);
}

/* A row of superblocks, columns first to end - 1. */
static void
transfer_row(struct transfer *transfer, uint32_t first, uint32_t end, uint32_t row, bool is_store)
{
   const struct cm_compressed_surface *surface = &transfer->image->surface;
   const uint64_t number = (uint64_t)row * surface->superblocks_x;
   const uint32_t bytes = surface->config->header_bytes;
   const uint64_t headers = surface->headers + (number + first) * bytes,
                  headers_end = surface->headers + (number + end) * bytes;
   if (!is_store || !is_whole(transfer, first, row) || !is_whole(transfer, end - 1, row))
      access_headers(transfer, headers, headers_end, false);
   for (uint32_t column = first; column < end; column++) {
      if (is_store)
         store(transfer, column, row);
      else
         load(transfer, column, row, part_of(transfer, column, row));
   }
   if (is_store)
      access_headers(transfer, headers, headers_end, true);
}

/* Bytes of blocks that would be accessed uncompressed. */
static uint64_t
uncompressed_bytes(const struct transfer *transfer)
{
   const struct cm_compressed_image *image = transfer->image;
   const struct cm_rectangle part = transfer->part;
   const uint32_t shift = transfer->gpu->hierarchy.entry[transfer->stream].block_shift;
   struct cm_block_shape shape;
   if (!cm_texture_block_shape(image->layout, image->level, image->begin, shift, &shape))
      return (uint64_t)(part.x1 - part.x0) * (part.y1 - part.y0) * image->surface.pixel_bytes;
   const uint64_t columns = ((part.x1 - 1) >> shape.column_shift) - (part.x0 >> shape.column_shift) + 1;
   const uint64_t rows = ((part.y1 - 1) >> shape.row_shift) - (part.y0 >> shape.row_shift) + 1;
   return columns * rows << shift;
}

bool
cm_compressed_tile_transfer(struct cm_gpu *gpu, struct cm_resource *resource, uint32_t level, uint32_t layer,
                            struct cm_rectangle part, enum cm_stream stream, bool is_store,
                            const struct cm_stored_surface *content)
{
   assert(part.x0 < part.x1 && part.y0 < part.y1);
   struct cm_compressed_image *image = cm_compression_find(resource, level, layer);
   if (!image && is_store && content)
      image = cm_compression_add(gpu, resource, stream, level, layer);
   if (!image)
      return false;
   const bool is_aligned = part.x0 % CM_GROUP_SIZE == 0 && part.y0 % CM_GROUP_SIZE == 0;
   struct transfer transfer = {
      .gpu = gpu, .image = image, .part = part, .stream = stream, .content = is_aligned ? content : NULL};
   const struct cm_compression_config *config = image->surface.config;
   const uint32_t width = config->superblock_width, height = config->superblock_height;
   const uint32_t x0 = part.x0 / width, x1 = (part.x1 - 1) / width + 1, y0 = part.y0 / height,
                  y1 = (part.y1 - 1) / height + 1;
   if (is_store)
      cm_compression_change(gpu->compression, image);
   count(&transfer, CM_COMPRESSION_EVENT_RAW_BYTES, uncompressed_bytes(&transfer));
   if (config->superblock_cycles)
      cm_timing_group(gpu->timing, stream, (x1 - x0) * (y1 - y0));
   for (uint32_t row = y0; row < y1; row++)
      transfer_row(&transfer, x0, x1, row, is_store);
   return true;
}
