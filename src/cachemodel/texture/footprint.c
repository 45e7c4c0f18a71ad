/* SPDX-License-Identifier: MIT */
/* The blocks of footprints. */
#include <string.h>

#include "texture/placement.h"
#include "texture/quad.h"
#include "texture/texel_order.h"

/* The blocks of one fragment's texels, wherever these lie; once: each only where it is read first. */
static unsigned
fragment_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding, int32_t x,
                int32_t y, unsigned extent, bool once, uint64_t *blocks)
{
   const struct cm_texture_layout *layout = image->layout;
   const struct cm_texture_level *level = image->level;
   const bool compressed = layout->block_width > 1 || layout->block_height > 1;
   unsigned count = 0;
   for (unsigned i = 0; i < extent * extent; i++) {
      const int32_t dx = (int32_t)(i % extent), dy = (int32_t)(i / extent);
      uint32_t column = cm_footprint_coordinate(x + dx, level->width, binding->repeat_s);
      uint32_t row = cm_footprint_coordinate(y + dy, level->height, binding->repeat_t);
      if (compressed) {
         column /= layout->block_width;
         row /= layout->block_height;
      }
      const uint64_t begin = image->address + layout->placement->texel_offset(layout, level, column, row);
      const uint64_t last = (begin + layout->sample_bytes - 1) >> image->block_shift;
      for (uint64_t block = begin >> image->block_shift; block <= last; block++) {
         unsigned known = 0;
         while (known < count && (!once || blocks[known] != block))
            known++;
         if (known == count)
            blocks[count++] = block;
      }
   }
   return count;
}

static unsigned
all_fragments_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                     const struct cm_footprint *footprint, bool once, uint64_t *blocks)
{
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (footprint->live & 1u << f)
         count += fragment_blocks(image, binding, footprint->texel[f].x, footprint->texel[f].y,
                                  footprint->linear ? 2 : 1, once, blocks + count);
   }
   return count;
}

/* Whether the squares of a Morton order stand one below the other. */
static bool
is_column_of_squares(const struct cm_texture_layout *layout, const struct cm_texture_level *level)
{
   return layout->placement->order == CM_ORDER_MORTON && level->columns <= 1u << level->inner_shift &&
          level->row_texels == 1ull << 2 * level->inner_shift;
}

/* Of the lowest bits of a texel's number, how many are the column's; in orders other than
 * rows. The others are the row's. */
static unsigned
column_bits_of_block(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                     unsigned bits)
{
   const unsigned inner = level->inner_shift, outer = level->outer_shift;
   if (layout->placement->order == CM_ORDER_MORTON) {
      if (bits <= 2 * inner)
         return (bits + 1) / 2;
      return is_column_of_squares(layout, level) ? inner : bits - inner;
   }
   unsigned count = bits < inner ? bits : inner;
   if (bits > 2 * inner)
      count += bits - 2 * inner < outer - inner ? bits - 2 * inner : outer - inner;
   if (bits > 2 * outer)
      count += bits - 2 * outer;
   return count;
}

bool
cm_texture_block_shape(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                       uint64_t address, unsigned block_shift, struct cm_block_shape *shape)
{
   const uint64_t within_block = (1ull << block_shift) - 1;
   if (layout->texel_shift > block_shift || address & within_block)
      return false;
   const unsigned bits = block_shift - layout->texel_shift;
   if (layout->placement->order == CM_ORDER_ROWS) {
      *shape = (struct cm_block_shape){.column_shift = (uint8_t)bits};
      return (level->row_bytes & within_block) == 0;
   }
   const unsigned column_shift = column_bits_of_block(layout, level, bits);
   *shape = (struct cm_block_shape){(uint8_t)column_shift, (uint8_t)(bits - column_shift)};
   /* Where there is a row of tiles below the first, it has to begin with a block. */
   return is_column_of_squares(layout, level) || level->rows <= 1u << level->outer_shift ||
          (level->row_texels << layout->texel_shift & within_block) == 0;
}

static bool
is_power_of_two(uint32_t number)
{
   return (number & (number - 1)) == 0;
}

void
cm_texture_image_init(struct cm_texture_image *image, const struct cm_texture_layout *layout,
                      uint64_t address, const struct cm_texture_binding *binding,
                      const struct cm_footprint *footprint, unsigned block_shift)
{
   const bool multisampled = layout->samples > 1;
   uint32_t level_number = (uint32_t)binding->first_level + (multisampled ? 0 : footprint->level);
   if (level_number >= layout->num_levels)
      level_number = layout->num_levels - 1;
   const struct cm_texture_level *level = &layout->levels[level_number];

   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   uint32_t layer = binding->first_layer + footprint->layer;
   if (layer >= images)
      layer = images - 1;
   uint32_t sample = multisampled ? footprint->level : 0;
   if (sample >= layout->samples)
      sample = layout->samples - 1;
   *image = (struct cm_texture_image){
      .layout = layout,
      .level = level,
      .address =
         address + cm_texture_slice_offset(layout, level, layer) + (uint64_t)sample * layout->sample_bytes,
      .block_shift = block_shift,
   };
   if (!is_power_of_two(layout->block_width) || !is_power_of_two(layout->block_height) ||
       !cm_texture_block_shape(layout, level, image->address, block_shift, &image->shape))
      return;
   image->compression = (struct cm_block_shape){(uint8_t)__builtin_ctz(layout->block_width),
                                                (uint8_t)__builtin_ctz(layout->block_height)};
   image->shape.column_shift += image->compression.column_shift;
   image->shape.row_shift += image->compression.row_shift;
   const int16_t column = (int16_t)(UINT32_MAX << image->shape.column_shift),
                 row = (int16_t)(UINT32_MAX << image->shape.row_shift);
   const int16_t x = (int16_t)(level->width - 1), y = (int16_t)(level->height - 1);
   image->beyond = (cm_texels){column, row, column, row, column, row, column, row};
   image->last = (cm_texels){x, y, x, y, x, y, x, y};
   image->texel_shift = block_shift - layout->texel_shift;
   image->first_block = image->address >> block_shift;
   image->row_blocks = level->row_bytes >> block_shift;
   image->has_rows_of_blocks = layout->placement->order == CM_ORDER_ROWS;
   image->has_tiles_of_blocks = !image->has_rows_of_blocks;
}

/* Writes each of two columns' blocks in two rows once. */
static inline __attribute__((always_inline)) unsigned
different_blocks(uint64_t row, uint64_t other_row, uint64_t column, uint64_t other_column, uint64_t *blocks)
{
   unsigned count = 0;
   blocks[count++] = row + column;
   if (other_column != column)
      blocks[count++] = row + other_column;
   if (other_row != row) {
      blocks[count++] = other_row + column;
      if (other_column != column)
         blocks[count++] = other_row + other_column;
   }
   return count;
}

/* The blocks of a footprint in an image that has_tiles_of_blocks. */
static inline __attribute__((always_inline)) unsigned
tile_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
            const struct cm_footprint *footprint, uint64_t *blocks, enum cm_texel_order order)
{
   const struct cm_texture_level *level = image->level;
   const int32_t more = footprint->linear ? 1 : 0;
   const uint32_t shift = image->texel_shift;
   const struct cm_block_shape compressed = image->compression;
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live & 1u << f))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t column = cm_footprint_coordinate(x, level->width, binding->repeat_s);
      const uint32_t other_column = cm_footprint_coordinate(x + more, level->width, binding->repeat_s);
      const uint32_t row = cm_footprint_coordinate(y, level->height, binding->repeat_t);
      const uint32_t other_row = cm_footprint_coordinate(y + more, level->height, binding->repeat_t);
      count += different_blocks(
         image->first_block + (cm_row_texel(level, order, row >> compressed.row_shift) >> shift),
         image->first_block + (cm_row_texel(level, order, other_row >> compressed.row_shift) >> shift),
         cm_column_texel(level, order, column >> compressed.column_shift) >> shift,
         cm_column_texel(level, order, other_column >> compressed.column_shift) >> shift, blocks + count);
   }
   return count;
}

/* The blocks of a footprint in an image that has_rows_of_blocks. */
static inline unsigned
row_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
           const struct cm_footprint *footprint, uint64_t *blocks)
{
   const uint32_t width = image->level->width, height = image->level->height;
   const int32_t more = footprint->linear ? 1 : 0; /* columns and rows beyond the first */
   const struct cm_block_shape shape = image->shape;
   const uint64_t first_block = image->first_block, row_blocks = image->row_blocks;
   unsigned count = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live & 1u << f))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t row = cm_footprint_coordinate(y, height, binding->repeat_t) >> shape.row_shift;
      const uint32_t other_row =
         cm_footprint_coordinate(y + more, height, binding->repeat_t) >> shape.row_shift;
      const uint32_t column = cm_footprint_coordinate(x, width, binding->repeat_s) >> shape.column_shift;
      const uint32_t other_column =
         cm_footprint_coordinate(x + more, width, binding->repeat_s) >> shape.column_shift;
      count += different_blocks(first_block + row * row_blocks, first_block + other_row * row_blocks, column,
                                other_column, blocks + count);
   }
   return count;
}

unsigned
cm_footprint_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                    const struct cm_footprint *footprint, uint64_t *blocks)
{
   if (image->has_rows_of_blocks)
      return row_blocks(image, binding, footprint, blocks);
   if (image->has_tiles_of_blocks) {
      return image->layout->placement->order == CM_ORDER_MORTON
                ? tile_blocks(image, binding, footprint, blocks, CM_ORDER_MORTON)
                : tile_blocks(image, binding, footprint, blocks, CM_ORDER_TILES);
   }
   return all_fragments_blocks(image, binding, footprint, true, blocks);
}

unsigned
cm_footprint_texels(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                    const struct cm_footprint *footprint, uint64_t *blocks)
{
   return all_fragments_blocks(image, binding, footprint, false, blocks);
}

unsigned
cm_distinct_blocks(const uint64_t *blocks, unsigned count, uint64_t *firsts)
{
   unsigned num_firsts = 0;
   for (unsigned b = 0; b < count; b++) {
      unsigned known = 0;
      while (known < num_firsts && firsts[known] != blocks[b])
         known++;
      if (known == num_firsts)
         firsts[num_firsts++] = blocks[b];
   }
   return num_firsts;
}

/* ---- a quad at once ------------------------------------------------------ */

/* The columns of a fragment's blocks as bits 0 and 1; second: the first texel of the second column. */
static inline uint32_t
column_bits(int32_t x, uint32_t more, int32_t second)
{
   return (1u + (x >= second)) | (1u + (x + (int32_t)more >= second));
}

/* The least and the greatest column and row of a quad's texels. */
struct bounds {
   int32_t left, right, top, bottom;
};

/* Those of the footprints' first texels; false where any texel is outside the image. */
static inline __attribute__((always_inline)) bool
find_bounds(const struct cm_texture_image *image, const struct cm_footprint *footprint, struct bounds *bounds)
{
   const int32_t more = footprint->linear ? 1 : 0;
   cm_texels low, high;
   cm_texel_range(cm_first_texels(footprint), &low, &high);
   *bounds = (struct bounds){low[0], high[0] + more, low[1], high[1] + more};
   return (bounds->left | bounds->top) >= 0 && bounds->right < (int32_t)image->level->width &&
          bounds->bottom < (int32_t)image->level->height;
}

/* Which blocks of a grid each fragment of a footprint reads. left, top: column and row of its first block. */
static inline __attribute__((always_inline)) void
find_readers(const struct cm_texture_image *image, const struct cm_footprint *footprint, uint32_t left,
             uint32_t top, struct cm_read_grid *grid)
{
   const unsigned column_shift = image->shape.column_shift, row_shift = image->shape.row_shift;
   const int32_t more = footprint->linear ? 1 : 0;
   grid->accesses = 0;
   for (unsigned f = 0; f < 4; f++) {
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t first_row = 2 * (((uint32_t)y >> row_shift) - top),
                     second_row = 2 * (((uint32_t)(y + more) >> row_shift) - top);
      /* Bit 0 or 1 is the block's column, bit 0, 2, 4… its row. */
      const uint32_t columns =
         1u << (((uint32_t)x >> column_shift) - left) | 1u << (((uint32_t)(x + more) >> column_shift) - left);
      grid->readers[f] = columns * (1u << first_row | 1u << second_row);
      grid->accesses += (1 + (columns == 3)) << (second_row != first_row);
   }
}

/* cm_footprint_grid of an image that has_tiles_of_blocks: two columns and two rows at most. */
static inline __attribute__((always_inline)) bool
tile_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
          struct cm_read_grid *grid, enum cm_texel_order order)
{
   const unsigned column_shift = image->shape.column_shift, row_shift = image->shape.row_shift;
   struct bounds bounds;
   if (!find_bounds(image, footprint, &bounds))
      return false;
   const uint32_t left = (uint32_t)bounds.left >> column_shift,
                  right = (uint32_t)bounds.right >> column_shift;
   const uint32_t top = (uint32_t)bounds.top >> row_shift, bottom = (uint32_t)bounds.bottom >> row_shift;
   if (right - left > 1 || bottom - top > 1)
      return false;

   const uint64_t column = cm_column_block(image, order, left), row = cm_row_block(image, order, top);
   grid->block = image->first_block + column + row;
   grid->column = right == left ? 0 : cm_column_block(image, order, right) - column;
   grid->row = bottom == top ? 0 : cm_row_block(image, order, bottom) - row;
   if (right == left && bottom == top) {
      grid->accesses = 4;
      for (unsigned f = 0; f < 4; f++)
         grid->readers[f] = 1;
      return true;
   }
   find_readers(image, footprint, left, top, grid);
   return true;
}

/* Of the two orders of such images. Not inlined, for the registers that it takes. */
static __attribute__((noinline)) bool
ordered_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
             struct cm_read_grid *grid)
{
   return image->layout->placement->order == CM_ORDER_MORTON
             ? tile_grid(image, footprint, grid, CM_ORDER_MORTON)
             : tile_grid(image, footprint, grid, CM_ORDER_TILES);
}

bool
cm_footprint_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                  struct cm_read_grid *grid)
{
   const uint32_t more = footprint->linear ? 1 : 0; /* columns and rows beyond the first */
   if (footprint->live != 15)
      return false;
   if (!image->has_rows_of_blocks)
      return image->has_tiles_of_blocks && ordered_grid(image, footprint, grid);
   struct bounds bounds;
   if (!find_bounds(image, footprint, &bounds))
      return false;
   const uint32_t shift = image->shape.column_shift, row_shift = image->shape.row_shift;
   const int32_t left = bounds.left >> shift, right = bounds.right >> shift, top = bounds.top >> row_shift;
   if (right - left > 1 || (bounds.bottom >> row_shift) - top >= CM_GRID_ROWS)
      return false;

   grid->block = image->first_block + (uint32_t)left + (uint32_t)top * image->row_blocks;
   grid->column = 1;
   grid->row = image->row_blocks;
   if (row_shift) {
      find_readers(image, footprint, (uint32_t)left, (uint32_t)top, grid);
      return true;
   }
   grid->accesses = 4 << more;
   const uint32_t both_rows = 1 | more << 2; /* times the columns of one */
   for (unsigned f = 0; f < 4; f++) {
      uint32_t columns = 1;
      if (right != left) {
         columns = column_bits(footprint->texel[f].x, more, right << shift);
         grid->accesses += (columns == 3) << more;
      }
      grid->readers[f] = columns * both_rows << 2 * (footprint->texel[f].y - top);
   }
   return true;
}
