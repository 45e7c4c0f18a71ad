/* SPDX-License-Identifier: MIT */
/**
 * The position of texels in a slice of a level, in texels from its beginning. The number is the
 * sum of one of the column and one of the row, in every order but rows: footprints need
 * two of each and no more.
 *
 * CM_ORDER_TILES: square tiles of 2^inner_shift texels per side, row after row in a tile; these
 * row after row in tiles of 2^outer_shift per side; and those in rows of row_texels texels.
 *
 * CM_ORDER_MORTON: squares of 2^inner_shift per side, in which the bits of column and row
 * alternate; squares one after another from left to right, their rows row_texels apart.
 */
#ifndef CM_TEXEL_ORDER_H
#define CM_TEXEL_ORDER_H

#include "texture/placement.h"

/** The column or row of a footprint's texel, which may lie one past either edge. Anything farther
 * out is not part of the event stream; it must not leave the texture either. */
static inline uint32_t
cm_footprint_coordinate(int32_t coordinate, uint32_t size, bool repeat)
{
   if ((uint32_t)coordinate < size)
      return (uint32_t)coordinate;
   const bool below = coordinate < 0;
   return below == repeat ? size - 1 : 0;
}

/** A zero after each of the lower 16 bits. */
static inline uint64_t
cm_spread_bits(uint32_t bits)
{
   bits = (bits | bits << 8) & 0x00ff00ff;
   bits = (bits | bits << 4) & 0x0f0f0f0f;
   bits = (bits | bits << 2) & 0x33333333;
   return (bits | bits << 1) & 0x55555555;
}

/** The number of a column and row of up to 16 bits each: their bits in turn, the column's first. */
static inline uint32_t
cm_z_order(uint32_t column, uint32_t row)
{
   return (uint32_t)(cm_spread_bits(column) | cm_spread_bits(row) << 1);
}

/** The column's part of a texel's number. */
static inline __attribute__((always_inline)) uint64_t
cm_column_texel(const struct cm_texture_level *level, enum cm_texel_order order, uint32_t column)
{
   const unsigned inner = level->inner_shift, outer = level->outer_shift;
   const uint32_t within = column & ((1u << inner) - 1);
   if (order == CM_ORDER_MORTON)
      return cm_spread_bits(within) + ((uint64_t)(column >> inner) << 2 * inner);
   const uint32_t tile = column >> inner & ((1u << (outer - inner)) - 1);
   return within + ((uint64_t)tile << 2 * inner) + ((uint64_t)(column >> outer) << 2 * outer);
}

/** The row's part of it. */
static inline __attribute__((always_inline)) uint64_t
cm_row_texel(const struct cm_texture_level *level, enum cm_texel_order order, uint32_t row)
{
   const unsigned inner = level->inner_shift, outer = level->outer_shift;
   const uint32_t within = row & ((1u << inner) - 1);
   if (order == CM_ORDER_MORTON)
      return (cm_spread_bits(within) << 1) + (row >> inner) * level->row_texels;
   const uint32_t tile = row >> inner & ((1u << (outer - inner)) - 1);
   return ((uint64_t)within << inner) + ((uint64_t)tile << (outer + inner)) +
          (row >> outer) * level->row_texels;
}

#endif
