/* SPDX-License-Identifier: MIT */
#include "gpu/compressed_surface.h"

#include "util/minmax.h"

#define GROUP_COLUMNS (CM_GROUP_SIZE / CM_BLOCK_SIZE)

static uint32_t
divide_up(uint32_t value, uint32_t by)
{
   return (value + by - 1) / by;
}

static uint32_t
align_up(uint32_t value, uint32_t alignment)
{
   return divide_up(value, alignment) * alignment;
}

void
cm_compressed_surface_init(struct cm_compressed_surface *surface, const struct cm_compression_config *config,
                           uint32_t columns, uint32_t rows, uint32_t pixel_bytes)
{
   assert(columns && rows && pixel_bytes);
   const uint32_t width = config->superblock_width, height = config->superblock_height;
   *surface = (struct cm_compressed_surface){
      .config = config,
      .columns = columns,
      .rows = rows,
      .pixel_bytes = pixel_bytes,
      .column_shift = (uint8_t)__builtin_ctz(width / CM_BLOCK_SIZE),
      .row_shift = (uint8_t)__builtin_ctz(height / CM_BLOCK_SIZE),
      .superblocks_x = divide_up(columns, width),
      .superblocks_y = divide_up(rows, height),
      .blocks_x = align_up(columns, cm_max(width, CM_GROUP_SIZE)) / CM_BLOCK_SIZE,
      .place_bytes = align_up(width * height * pixel_bytes, cm_max(CM_BODY_ALIGNMENT, config->burst)),
   };
}

size_t
cm_compressed_surface_blocks(const struct cm_compressed_surface *surface)
{
   const uint32_t height = cm_max(surface->config->superblock_height, CM_GROUP_SIZE);
   return (size_t)surface->blocks_x * (align_up(surface->rows, height) / CM_BLOCK_SIZE);
}

uint64_t
cm_compressed_surface_header_bytes(const struct cm_compressed_surface *surface)
{
   return (uint64_t)surface->superblocks_x * surface->superblocks_y * surface->config->header_bytes;
}

uint64_t
cm_compressed_surface_body_bytes(const struct cm_compressed_surface *surface)
{
   return (uint64_t)surface->superblocks_x * surface->superblocks_y * surface->place_bytes;
}

/* ---- superblocks ------------------------------------------------------------- */

/* The group that a block is in, of those of its superblock, which has up to 64 / 16 of them in a row. */
static uint32_t
group_of(uint32_t x, uint32_t y)
{
   return y / GROUP_COLUMNS * 4 + x / GROUP_COLUMNS;
}

/* Blocks of a superblock, from its first one, that have pixels of the image. The others take nothing. */
static struct cm_superblock_part
inside(const struct cm_compressed_surface *surface, uint32_t column, uint32_t row)
{
   return cm_superblock_part_of(surface, column, row, 0, 0, surface->columns, surface->rows);
}

/* What blocks take in the body. Of size 0 are those whose pixels are all equal to the first one of their group, which the first
 * of these blocks of a group in a superblock has. Returns whether all are so. */
static bool
lay_out_blocks(struct cm_superblock *superblock, struct cm_superblock_part image, const uint8_t *sizes,
               uint32_t stride)
{
   uint32_t groups = 0; /* that have their pixel */
   uint32_t end = 0, used = 0;
   uint16_t *ends = superblock->ends;
   for (uint32_t y = 0; y << superblock->column_shift < superblock->num_blocks; y++, sizes += stride) {
      const uint32_t columns = y < image.y1 ? image.x1 : 0;
      for (uint32_t x = 0; x < columns; x++) {
         const uint32_t size = sizes[x], group = 1u << group_of(x, y);
         assert(size <= CM_RAW_SIZE);
         used |= size;
         end += size ? size : groups & group ? 0 : CM_PIXEL_SIZE;
         groups |= size ? 0 : group;
         *ends++ = (uint16_t)end;
      }
      for (uint32_t x = columns; x < superblock->columns; x++)
         *ends++ = (uint16_t)end;
   }
   return !used;
}

static void
store_raw(struct cm_superblock *superblock, struct cm_superblock_part image, uint32_t raw_bytes)
{
   uint32_t end = 0;
   superblock->kind = CM_SUPERBLOCK_RAW;
   superblock->bytes = raw_bytes;
   for (uint32_t b = 0; b < superblock->num_blocks; b++) {
      end += (b & (superblock->columns - 1)) < image.x1 && b >> superblock->column_shift < image.y1
                ? CM_RAW_SIZE
                : 0;
      superblock->ends[b] = (uint16_t)end;
   }
}

void
cm_superblock_init(struct cm_superblock *superblock, const struct cm_compressed_surface *surface,
                   const uint8_t *sizes, uint32_t column, uint32_t row)
{
   const struct cm_compression_config *config = surface->config;
   const uint32_t columns = config->superblock_width / CM_BLOCK_SIZE,
                  rows = config->superblock_height / CM_BLOCK_SIZE;
   const uint64_t number = (uint64_t)row * surface->superblocks_x + column;
   const struct cm_superblock_part image = inside(surface, column, row);
   assert(column < surface->superblocks_x && row < surface->superblocks_y);
   superblock->header = surface->headers + number * config->header_bytes;
   superblock->body = surface->bodies + number * surface->place_bytes;
   superblock->columns = columns;
   superblock->column_shift = (uint32_t)__builtin_ctz(columns);
   superblock->num_blocks = columns * rows;
   const bool is_even =
      lay_out_blocks(superblock, image,
                     sizes + (size_t)row * rows * surface->blocks_x + (size_t)column * columns,
                     surface->blocks_x);
   const uint32_t raw_bytes = image.x1 * image.y1 * CM_BLOCK_SIZE * CM_BLOCK_SIZE * surface->pixel_bytes;
   const uint32_t size = superblock->ends[superblock->num_blocks - 1];
   /* A superblock of several groups has several first pixels, which may differ. */
   if (is_even && size == CM_PIXEL_SIZE && config->solid_colors == CM_SOLID_COLORS_IN_HEADER) {
      superblock->kind = CM_SUPERBLOCK_SOLID;
      superblock->bytes = 0;
      return;
   }
   superblock->kind = CM_SUPERBLOCK_COMPRESSED;
   superblock->bytes = divide_up(size * surface->pixel_bytes, CM_PIXEL_SIZE);
   if (align_up(superblock->bytes, config->burst) >= raw_bytes)
      store_raw(superblock, image, raw_bytes);
}

/* The first block from a number on that is in a part; num_blocks: none. */
static uint32_t
next_block(const struct cm_superblock *superblock, struct cm_superblock_part part, uint32_t block)
{
   uint32_t x = block & (superblock->columns - 1), y = block >> superblock->column_shift;
   if (y < part.y0 || x < part.x0) {
      x = part.x0;
      y = y < part.y0 ? part.y0 : y;
   } else if (x >= part.x1) {
      x = part.x0;
      y++;
   }
   return y < part.y1 && x < part.x1 ? cm_min((y << superblock->column_shift) + x, superblock->num_blocks)
                                     : superblock->num_blocks;
}

bool
cm_superblock_next(const struct cm_superblock *superblock, const struct cm_compressed_surface *surface,
                   struct cm_superblock_part part, uint32_t *block, uint64_t *begin, uint64_t *end)
{
   const bool is_whole = surface->config->reads == CM_BODY_READS_SUPERBLOCKS;
   const uint32_t last_block =
      is_whole ? superblock->num_blocks - 1 : ((part.y1 - 1) << superblock->column_shift) + part.x1 - 1;
   while (superblock->kind != CM_SUPERBLOCK_SOLID && *block < superblock->num_blocks) {
      const uint32_t b = is_whole ? *block : next_block(superblock, part, *block);
      if (b == superblock->num_blocks)
         return false;
      *block = b == last_block ? superblock->num_blocks : b + 1;
      uint64_t from, to;
      if (!cm_superblock_block(superblock, surface, b, &from, &to))
         continue;
      *begin = cm_max64(*end, from);
      if (*begin >= to)
         continue;
      *end = to;
      return true;
   }
   return false;
}
