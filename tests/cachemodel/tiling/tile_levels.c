/* SPDX-License-Identifier: MIT */
/* Levels of hierarchical lists: which there are, and which one a primitive is of. */
#include "support/test.h"
#include "tiling/tile_levels.h"

/* 1200x1920 pixels are 75x120 tiles of 16x16. With two levels these are of 512 and 1024 pixels, as Mesa's panfrost chooses them on a
 * Mali-G52; with eight all sizes from 16 to 2048. */
TEST(sizes)
{
   static const struct {
      uint32_t most, columns, rows, count, finest, lists;
   } cases[] = {
      {1, 75, 120, 1, 6, 2 * 2},
      {2, 75, 120, 2, 5, 3 * 4 + 2 * 2},
      {8, 75, 120, 8, 0, 75 * 120 + 38 * 60 + 19 * 30 + 10 * 15 + 5 * 8 + 3 * 4 + 2 * 2 + 1},
      {13, 75, 120, 8, 0, 75 * 120 + 38 * 60 + 19 * 30 + 10 * 15 + 5 * 8 + 3 * 4 + 2 * 2 + 1},
      {7, 75, 120, 7, 0, 75 * 120 + 38 * 60 + 19 * 30 + 10 * 15 + 5 * 8 + 3 * 4 + 2 * 2},
      {8, 4, 2, 4, 0, 8 + 2 + 1 + 1},
      {2, 4, 2, 2, 1, 2 + 1},
      {13, 1, 1, 2, 0, 1 + 1},
      {1, 1, 1, 1, 0, 1},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_tile_levels levels;
      cm_tile_levels_init(&levels, cases[i].most, cases[i].columns, cases[i].rows);
      assert_int_equal(levels.count, cases[i].count);
      assert_int_equal(levels.levels[0].shift, cases[i].finest);
      assert_int_equal(levels.layer_lists, cases[i].lists);
   }
}

TEST(boxes)
{
   static const struct {
      struct cm_tile_box box;
      uint32_t most, level;
   } cases[] = {
      {{3, 3, 3, 3}, 1, 0},                          /* a tile */
      {{3, 3, 4, 4}, 4, 0},    {{3, 3, 4, 4}, 3, 3}, /* 2x2 tiles, which meet in one bin of 8x8 */
      {{2, 2, 3, 3}, 1, 1},                          /* 2x2 tiles that are a bin of 2x2 */
      {{0, 5, 3, 5}, 4, 0},    {{0, 5, 4, 5}, 4, 1}, /* rows of four, and of five: three bins of 2x2 */
      {{0, 0, 15, 15}, 4, 3},                        /* all 16x16 */
      {{0, 0, 15, 15}, 1, 4},  {{0, 0, 15, 15}, 256, 0},
      {{0, 16, 15, 31}, 4, 3}, {{7, 22, 7, 22}, 1, 0}, /* in the second layer */
   };
   struct cm_tile_levels levels;
   cm_tile_levels_init(&levels, 13, 16, 16);
   assert_int_equal(levels.count, 6); /* up to 32x32, as half of 16 is less than 16 */
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
      assert_int_equal(cm_tile_levels_find(&levels, cases[i].box, cases[i].most), cases[i].level);
   /* The coarsest one, where there are too few. */
   cm_tile_levels_init(&levels, 1, 16, 16);
   assert_int_equal(cm_tile_levels_find(&levels, (struct cm_tile_box){0, 0, 15, 15}, 1), 0);
}

/* Each tile of a layer is in one list of each level; lists have other tiles in other layers. */
TEST(lists)
{
   struct cm_tile_levels levels;
   cm_tile_levels_init(&levels, 3, 5, 3); /* 15 + 3 * 2 + 2 lists */
   assert_int_equal(levels.count, 3);
   assert_int_equal(levels.layer_lists, 15 + 6 + 2);
   for (uint32_t y = 0; y < 3; y++) {
      for (uint32_t x = 0; x < 5; x++) {
         assert_int_equal(cm_tile_levels_list(&levels, 0, x, y), y * 5 + x);
         assert_int_equal(cm_tile_levels_list(&levels, 1, x, y), 15 + y / 2 * 3 + x / 2);
         assert_int_equal(cm_tile_levels_list(&levels, 2, x, y), 15 + 6 + x / 4);
         assert_int_equal(cm_tile_levels_list(&levels, 1, x, y + 6), 2 * 23 + 15 + y / 2 * 3 + x / 2);
      }
   }
}
