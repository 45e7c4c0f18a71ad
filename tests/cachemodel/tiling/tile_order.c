/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "support/test.h"
#include "tiling/tile_order.h"

static const enum cm_tile_order orders[] = {
   CM_TILE_ORDER_SCANLINE,
   CM_TILE_ORDER_Z,
   CM_TILE_ORDER_HILBERT,
};

static const struct {
   uint32_t x, y;
} sizes[] = {{1, 1}, {2, 2}, {3, 3},   {8, 8},    {30, 17},  {17, 30},   {62, 24},
             {1, 7}, {5, 1}, {64, 64}, {120, 68}, {2048, 1}, {1, 65536}, {129, 127}};

static uint32_t *
build(enum cm_tile_order order, uint32_t tiles_x, uint32_t tiles_y, bool reversed)
{
   uint32_t *traversal = malloc((size_t)tiles_x * tiles_y * sizeof(*traversal));
   assert_non_null(traversal);
   cm_tile_order_build(order, tiles_x, tiles_y, reversed, traversal);
   return traversal;
}

TEST(permutations)
{
   for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
      const uint32_t num_tiles = sizes[s].x * sizes[s].y;
      uint32_t *position = malloc(num_tiles * sizeof(*position));
      for (size_t o = 0; o < 3; o++) {
         uint32_t *forward = build(orders[o], sizes[s].x, sizes[s].y, false);
         uint32_t *backward = build(orders[o], sizes[s].x, sizes[s].y, true);
         memset(position, 0xff, num_tiles * sizeof(*position));
         for (uint32_t n = 0; n < num_tiles; n++)
            assert_true(forward[n] < num_tiles);
         cm_tile_order_positions(forward, num_tiles, position);
         for (uint32_t n = 0; n < num_tiles; n++) {
            assert_int_equal(position[forward[n]], n);
            assert_true(position[n] < num_tiles); /* so no tile was left out */
            assert_int_equal(backward[n], forward[num_tiles - 1 - n]);
         }
         free(forward);
         free(backward);
      }
      free(position);
   }
}

TEST(scanline)
{
   uint32_t *traversal = build(CM_TILE_ORDER_SCANLINE, 5, 3, false);
   for (uint32_t n = 0; n < 15; n++)
      assert_int_equal(traversal[n], n);
   free(traversal);
}

TEST(z_is_bit_interleaving)
{
   uint32_t *traversal = build(CM_TILE_ORDER_Z, 32, 32, false);
   for (uint32_t n = 0; n < 1024; n++) {
      uint32_t x = 0, y = 0;
      for (unsigned bit = 0; bit < 5; bit++) {
         x |= (n >> (2 * bit) & 1) << bit;
         y |= (n >> (2 * bit + 1) & 1) << bit;
      }
      assert_int_equal(traversal[n], y * 32 + x);
   }
   free(traversal);
}

TEST(hilbert_steps_to_neighbours)
{
   for (uint32_t size = 1; size <= 128; size *= 2) {
      uint32_t *traversal = build(CM_TILE_ORDER_HILBERT, size, size, false);
      assert_int_equal(traversal[0], 0);
      assert_int_equal(traversal[size * size - 1], size - 1);
      for (uint32_t n = 1; n < size * size; n++) {
         const int dx = (int)(traversal[n] % size) - (int)(traversal[n - 1] % size);
         const int dy = (int)(traversal[n] / size) - (int)(traversal[n - 1] / size);
         assert_int_equal(abs(dx) + abs(dy), 1);
      }
      free(traversal);
   }
}

TEST(hilbert_of_four_by_four)
{
   static const uint32_t expected[16] = {0, 1, 5, 4, 8, 12, 13, 9, 10, 14, 15, 11, 7, 6, 2, 3};
   uint32_t *traversal = build(CM_TILE_ORDER_HILBERT, 4, 4, false);
   assert_memory_equal(traversal, expected, sizeof(expected));
   free(traversal);
}

/* A rectangle keeps the order of the square around it. */
TEST(rectangles_are_squares_with_holes)
{
   for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
      uint32_t size = 1;
      while (size < sizes[s].x || size < sizes[s].y)
         size *= 2;
      if (size > 2048)
         continue;
      for (size_t o = 0; o < 3; o++) {
         uint32_t *rectangle = build(orders[o], sizes[s].x, sizes[s].y, false);
         uint32_t *square = build(orders[o], size, size, false);
         uint32_t next = 0;
         for (uint32_t n = 0; n < size * size; n++) {
            const uint32_t x = square[n] % size, y = square[n] / size;
            if (x < sizes[s].x && y < sizes[s].y)
               assert_int_equal(rectangle[next++], y * sizes[s].x + x);
         }
         assert_int_equal(next, sizes[s].x * sizes[s].y);
         free(rectangle);
         free(square);
      }
   }
}

TEST(boustrophedonic)
{
   for (uint32_t frame = 0; frame < 6; frame++) {
      assert_false(cm_traversal_reversed(CM_TRAVERSAL_FORWARD, frame));
      assert_int_equal(cm_traversal_reversed(CM_TRAVERSAL_BOUSTROPHEDONIC, frame), frame % 2);
   }
}
