/* SPDX-License-Identifier: MIT */
/** The texels of a quad at once: in which blocks they lie. */
#ifndef CM_TEXTURE_QUAD_H
#define CM_TEXTURE_QUAD_H

#include <string.h>

#include "texture/placement.h"
#include "texture/texel_order.h"

#define CM_TEXEL(n, f) -((n) >> (f) & 1), -((n) >> (f) & 1)
#define CM_TEXELS(n) {CM_TEXEL(n, 0), CM_TEXEL(n, 1), CM_TEXEL(n, 2), CM_TEXEL(n, 3)}
/** By the mask of live fragments: all bits of their texels. */
static const cm_texels cm_live_texels[16] = {CM_TEXELS(0),  CM_TEXELS(1),  CM_TEXELS(2),  CM_TEXELS(3),
                                             CM_TEXELS(4),  CM_TEXELS(5),  CM_TEXELS(6),  CM_TEXELS(7),
                                             CM_TEXELS(8),  CM_TEXELS(9),  CM_TEXELS(10), CM_TEXELS(11),
                                             CM_TEXELS(12), CM_TEXELS(13), CM_TEXELS(14), CM_TEXELS(15)};

/* Of a fragment: one more if its texels are in two columns of blocks, or in two rows; three if both. */
#define CM_READS(n) (n), (n) + 1, (n) + 1, (n) + 3
#define CM_READS_2(n) CM_READS(n), CM_READS((n) + 1), CM_READS((n) + 1), CM_READS((n) + 3)
#define CM_READS_3(n) CM_READS_2(n), CM_READS_2((n) + 1), CM_READS_2((n) + 1), CM_READS_2((n) + 3)
/** Reads of blocks that a quad's footprint has beyond one of each live fragment. Bit 2 f: columns of fragment f are in
 * two blocks, bit 2 f + 1: its rows are. */
static const uint8_t cm_more_reads[256] = {CM_READS_3(0), CM_READS_3(1), CM_READS_3(1), CM_READS_3(3)};

typedef char cm_texel_bytes __attribute__((vector_size(16)));
typedef short cm_texel_shorts __attribute__((vector_size(16)));

/** Whether any element of a mask is set. */
static inline bool
cm_any_texel(cm_texels mask)
{
#ifdef __SSE2__
   return __builtin_ia32_pmovmskb128((cm_texel_bytes)mask) != 0;
#else
   typedef uint64_t halves __attribute__((vector_size(16)));
   const halves two = (halves)mask;
   return (two[0] | two[1]) != 0;
#endif
}

/** A bit for each element of a mask: x and y in turn. */
static inline unsigned
cm_texel_bits(cm_texels mask)
{
#ifdef __SSE2__
   const cm_texel_bytes packed = __builtin_ia32_packsswb128((cm_texel_shorts)mask, (cm_texel_shorts){0});
   return (unsigned)__builtin_ia32_pmovmskb128(packed);
#else
   unsigned bits = 0;
   for (unsigned i = 0; i < 8; i++)
      bits |= (unsigned)(mask[i] != 0) << i;
   return bits;
#endif
}

/** The first texels of a footprint's fragments. */
static inline cm_texels
cm_first_texels(const struct cm_footprint *footprint)
{
   cm_texels first;
   _Static_assert(sizeof footprint->texel == sizeof first, "a texel is x, y of 16 bits");
   memcpy(&first, footprint->texel, sizeof first);
   return first;
}

/** Reads of blocks of a footprint. beyond: bits of coordinates that differ between blocks, if it is linear; else 0. A
 * fragment's texels are in two blocks if the first one is the last of its block. */
static inline uint32_t
cm_count_reads(cm_texels first, cm_texels beyond, unsigned live)
{
   return cm_quad_fragments(live) +
          cm_more_reads[cm_texel_bits(((first | beyond) == -1) & cm_live_texels[live])];
}

/* A loop over elements is what compilers make one instruction of. */
static inline cm_texels
cm_least_texels(cm_texels a, cm_texels b)
{
   cm_texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] < b[i] ? a[i] : b[i];
   return result;
}

static inline cm_texels
cm_greatest_texels(cm_texels a, cm_texels b)
{
   cm_texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] > b[i] ? a[i] : b[i];
   return result;
}

/** The least and the greatest x and y of a quad's texels, four times. */
static inline __attribute__((always_inline)) void
cm_texel_range(cm_texels quad, cm_texels *least, cm_texels *greatest)
{
   const cm_texels half = __builtin_shufflevector(quad, quad, 4, 5, 6, 7, 0, 1, 2, 3);
   const cm_texels low = cm_least_texels(quad, half), high = cm_greatest_texels(quad, half);
   *least = cm_least_texels(low, __builtin_shufflevector(low, low, 2, 3, 0, 1, 6, 7, 4, 5));
   *greatest = cm_greatest_texels(high, __builtin_shufflevector(high, high, 2, 3, 0, 1, 6, 7, 4, 5));
}

/** Where a block of an image in tiles begins among those that columns or rows make. */
static inline uint64_t
cm_column_block(const struct cm_texture_image *image, enum cm_texel_order order, uint32_t column)
{
   const uint32_t first = column << image->shape.column_shift >> image->compression.column_shift;
   return cm_column_texel(image->level, order, first) >> image->texel_shift;
}

static inline uint64_t
cm_row_block(const struct cm_texture_image *image, enum cm_texel_order order, uint32_t row)
{
   const uint32_t first = row << image->shape.row_shift >> image->compression.row_shift;
   return cm_row_texel(image->level, order, first) >> image->texel_shift;
}

static inline void
cm_place_tiles(const struct cm_texture_image *image, enum cm_texel_order order,
               const struct cm_block_box *box, struct cm_read_grid *grid)
{
   const uint64_t column = cm_column_block(image, order, box->left),
                  row = cm_row_block(image, order, box->top);
   grid->block = image->first_block + column + row;
   grid->column = box->right == box->left ? 0 : cm_column_block(image, order, box->right) - column;
   grid->row = box->bottom == box->top ? 0 : cm_row_block(image, order, box->bottom) - row;
}

/** In which columns and rows of blocks the texels of a footprint lie, and where these are: block, column and row of the
 * grid. False where it has no grid (cm_footprint_grid). */
static inline __attribute__((always_inline)) bool
cm_footprint_box(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                 struct cm_block_box *box, struct cm_read_grid *grid)
{
   const unsigned live = footprint->live & 15;
   if (!live || !(image->has_rows_of_blocks || image->has_tiles_of_blocks))
      return false;
   /* A texel that is not live is that of one that is. */
   typedef int32_t pairs __attribute__((vector_size(16)));
   int32_t one;
   memcpy(&one, &footprint->texel[__builtin_ctz(live)], sizeof one);
   const cm_texels is_live = cm_live_texels[live], others = (cm_texels)(pairs){one, one, one, one};
   const cm_texels quad = (cm_first_texels(footprint) & is_live) | (others & ~is_live);

   cm_texels low, high;
   cm_texel_range(quad, &low, &high);
   high += (int16_t)(footprint->linear ? 1 : 0);
   /* The greatest texel, if a damaged recording has it, is followed by the least. */
   if (cm_any_texel(((low | high) < 0) | (high > image->last)))
      return false;
   box->first = low & image->beyond;
   box->last = cm_least_texels(high | ~image->beyond, image->last);
   const uint32_t left = (uint16_t)low[0] >> image->shape.column_shift,
                  right = (uint16_t)high[0] >> image->shape.column_shift,
                  top = (uint16_t)low[1] >> image->shape.row_shift,
                  bottom = (uint16_t)high[1] >> image->shape.row_shift;
   box->left = left;
   box->top = top;
   box->right = right;
   box->bottom = bottom;
   if (right - left > 1)
      return false;
   if (image->has_rows_of_blocks) {
      grid->block = image->first_block + left + top * image->row_blocks;
      grid->column = 1;
      grid->row = image->row_blocks;
      return bottom - top < CM_GRID_ROWS;
   }
   if (image->layout->placement->order == CM_ORDER_MORTON)
      cm_place_tiles(image, CM_ORDER_MORTON, box, grid);
   else
      cm_place_tiles(image, CM_ORDER_TILES, box, grid);
   return bottom - top <= 1;
}

/** All blocks of a box, as bits of its grid. */
static inline uint32_t
cm_box_mask(const struct cm_block_box *box)
{
   const unsigned rows = box->bottom - box->top + 1;
   return (box->right == box->left ? 0x55555555 : UINT32_MAX) & (UINT32_MAX >> (32 - 2 * rows));
}

#endif
