/* SPDX-License-Identifier: MIT */
#include "tiling/tile_order.h"

#include <assert.h>
#include <stddef.h>

/* How a curve goes through a square: which quadrant comes n-th (bit 0: the
 * right half, bit 1: the half with the greater y), and how the curve goes
 * through that quadrant. */
struct curve {
   uint8_t quadrant[4];
   uint8_t inner[4];
};

enum {
   CURVE_Z,
   /* The four orientations of Hilbert's curve, named by the corners (x, y) at
    * which they enter and leave the square. */
   CURVE_HILBERT_00_10,
   CURVE_HILBERT_00_01,
   CURVE_HILBERT_11_10,
   CURVE_HILBERT_11_01,
};

static const struct curve curves[] = {
   [CURVE_Z] = {{0, 1, 2, 3}, {CURVE_Z, CURVE_Z, CURVE_Z, CURVE_Z}},
   [CURVE_HILBERT_00_10] =
      {
         {0, 2, 3, 1},
         {CURVE_HILBERT_00_01, CURVE_HILBERT_00_10, CURVE_HILBERT_00_10, CURVE_HILBERT_11_10},
      },
   [CURVE_HILBERT_00_01] =
      {
         {0, 1, 3, 2},
         {CURVE_HILBERT_00_10, CURVE_HILBERT_00_01, CURVE_HILBERT_00_01, CURVE_HILBERT_11_01},
      },
   [CURVE_HILBERT_11_10] =
      {
         {3, 2, 0, 1},
         {CURVE_HILBERT_11_01, CURVE_HILBERT_11_10, CURVE_HILBERT_11_10, CURVE_HILBERT_00_10},
      },
   [CURVE_HILBERT_11_01] =
      {
         {3, 1, 0, 2},
         {CURVE_HILBERT_11_10, CURVE_HILBERT_11_01, CURVE_HILBERT_11_01, CURVE_HILBERT_00_01},
      },
};

struct walk {
   uint32_t tiles_x, tiles_y;
   uint32_t *next; /* where the next tile's number goes */
};

/* Squares that are outside as a whole are skipped, so that a frame of one
 * row does not cost the square of its width. */
static void
walk_square(struct walk *walk, unsigned curve, uint32_t x, uint32_t y, uint32_t size)
{
   if (x >= walk->tiles_x || y >= walk->tiles_y)
      return;
   if (size == 1) {
      *walk->next++ = y * walk->tiles_x + x;
      return;
   }
   const uint32_t half = size / 2;
   for (unsigned n = 0; n < 4; n++) {
      const unsigned quadrant = curves[curve].quadrant[n];
      walk_square(walk, curves[curve].inner[n], x + (quadrant & 1) * half, y + (quadrant >> 1) * half, half);
   }
}

static void
reverse(uint32_t *traversal, size_t num_tiles)
{
   for (size_t n = 0; n < num_tiles / 2; n++) {
      const uint32_t tile = traversal[n];
      traversal[n] = traversal[num_tiles - 1 - n];
      traversal[num_tiles - 1 - n] = tile;
   }
}

void
cm_tile_order_build(enum cm_tile_order order, uint32_t tiles_x, uint32_t tiles_y, bool reversed,
                    uint32_t *traversal)
{
   assert(tiles_x <= 1u << 24 && tiles_y <= 1u << 24);
   const size_t num_tiles = (size_t)tiles_x * tiles_y;

   if (order == CM_TILE_ORDER_SCANLINE) {
      for (size_t n = 0; n < num_tiles; n++)
         traversal[n] = n;
   } else {
      struct walk walk = {tiles_x, tiles_y, traversal};
      uint32_t size = 1;
      while (size < tiles_x || size < tiles_y)
         size *= 2;
      walk_square(&walk, order == CM_TILE_ORDER_Z ? CURVE_Z : CURVE_HILBERT_00_10, 0, 0, size);
   }
   if (reversed)
      reverse(traversal, num_tiles);
}

void
cm_tile_order_positions(const uint32_t *traversal, uint32_t num_tiles, uint32_t *position)
{
   for (uint32_t n = 0; n < num_tiles; n++)
      position[traversal[n]] = n;
}
