/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "support/test.h"
#include "tiling/parameter_buffer.h"
#include "tiling/tile_order.h"

static const enum cm_pb_layout layouts[] = {CM_PB_LAYOUT_BASELINE, CM_PB_LAYOUT_INTERLEAVED};

/* ---- TCOR III-C7 -------------------------------------------------------- */

/* The frame of TCOR's example: nine tiles in scanline order, three primitives
 * binned in this order, each tile overlapped by exactly one. The text fixes
 * the tiles 0 to 4: pink's first tile is 3, yellow is read in tile 2 and never
 * again, blue in tile 4 and before. The last four tiles are ours. */
enum { YELLOW, BLUE, PINK, NUM_PRIMITIVES };
static const struct {
   uint32_t num_tiles, tiles[4], opt_numbers[4];
} example[NUM_PRIMITIVES] = {
   [YELLOW] = {1, {2}, {CM_PB_NEVER}},
   [BLUE] = {4, {0, 1, 4, 5}, {1, 4, 5, CM_PB_NEVER}},
   [PINK] = {4, {3, 6, 7, 8}, {6, 7, 8, CM_PB_NEVER}},
};
static const struct cm_pmd example_pmds[9] = {
   {3, 3, 1}, {3, 3, 4}, {0, 3, CM_PB_NEVER}, /* blue, blue, yellow */
   {6, 3, 6}, {3, 3, 5}, {3, 3, CM_PB_NEVER}, /* pink, blue, blue */
   {6, 3, 7}, {6, 3, 8}, {6, 3, CM_PB_NEVER}, /* pink, pink, pink */
};
static const uint32_t example_position[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static void
bin_example(struct cm_pb_lists *lists, uint32_t first[NUM_PRIMITIVES])
{
   for (unsigned p = 0; p < NUM_PRIMITIVES; p++) {
      uint32_t opt_numbers[4], last;
      assert_true(cm_pb_lists_append(lists, p * 3, 3, example[p].tiles, example[p].num_tiles, NULL,
                                     opt_numbers, &first[p], &last));
      assert_memory_equal(opt_numbers, example[p].opt_numbers, example[p].num_tiles * 4);
      assert_int_equal(first[p], example[p].tiles[0]);
      assert_int_equal(last, example[p].tiles[example[p].num_tiles - 1]);
   }
}

TEST(tcor_example)
{
   for (unsigned l = 0; l < 2; l++) {
      struct cm_pb_lists *lists = cm_pb_lists_create(layouts[l], false, 9, example_position, true);
      uint32_t first[NUM_PRIMITIVES];
      bin_example(lists, first);
      assert_int_equal(first[PINK], 3); /* "the pink primitive has a OPT Number of 3" */
      for (uint32_t tile = 0; tile < 9; tile++) {
         assert_int_equal(cm_pb_lists_length(lists, tile), 1);
         const struct cm_pmd pmd = cm_pmd_decode(cm_pb_lists_pmd(lists, tile, 0), false);
         assert_int_equal(pmd.primitive, example_pmds[tile].primitive);
         assert_int_equal(pmd.num_attributes, example_pmds[tile].num_attributes);
         assert_int_equal(pmd.opt_number, example_pmds[tile].opt_number);
      }
      cm_pb_lists_destroy(lists);
   }
}

/* The two lines of the example's Attribute Cache, driven by the numbers that
 * the lists deliver, do what the text says. */
TEST(tcor_example_in_a_cache_of_two)
{
   struct cm_pb_lists *lists = cm_pb_lists_create(CM_PB_LAYOUT_INTERLEAVED, false, 9, example_position, true);
   uint32_t first[NUM_PRIMITIVES];
   bin_example(lists, first);

   /* Writes: yellow and blue find free lines, pink is bypassed because its OPT
    * number is greater than both. */
   assert_true(first[PINK] > first[YELLOW] && first[PINK] > first[BLUE]);
   struct {
      uint32_t primitive, opt_number;
   } lines[2] = {{YELLOW * 3, first[YELLOW]}, {BLUE * 3, first[BLUE]}};

   uint32_t missed_tiles = 0;
   for (uint32_t tile = 0; tile < 9; tile++) {
      const struct cm_pmd pmd = cm_pmd_decode(cm_pb_lists_pmd(lists, tile, 0), false);
      unsigned line = lines[0].primitive == pmd.primitive ? 0 : 1;
      if (lines[line].primitive != pmd.primitive) {
         missed_tiles |= 1u << tile;
         line = lines[0].opt_number > lines[1].opt_number ? 0 : 1;
         if (tile == 3) /* "our technique evicts the yellow primitive" */
            assert_int_equal(lines[line].primitive, YELLOW * 3);
      }
      lines[line].primitive = pmd.primitive;
      lines[line].opt_number = pmd.opt_number;
   }
   assert_int_equal(missed_tiles, 1u << 3); /* pink, which was bypassed; nothing else */
   cm_pb_lists_destroy(lists);
}

/* ---- the layouts -------------------------------------------------------- */

static uint64_t
append_one(struct cm_pb_lists *lists, uint32_t tile)
{
   uint64_t offset;
   assert_true(cm_pb_lists_append(lists, 0, 1, &tile, 1, &offset, NULL, NULL, NULL));
   return offset;
}

/* TCOR Figure 3: sixteen PMDs per block, the next tile's list 64 blocks later. */
TEST(baseline_addresses)
{
   struct cm_pb_lists *lists = cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, false, 9, example_position, false);
   for (uint32_t n = 0; n < 1024; n++) {
      for (uint32_t tile = 0; tile < 9; tile++)
         assert_int_equal(append_one(lists, tile), tile * 4096 + n * 4);
   }
   cm_pb_lists_destroy(lists);
}

/* TCOR Figure 6: a section is one block of each tile. */
TEST(interleaved_addresses)
{
   struct cm_pb_lists *lists =
      cm_pb_lists_create(CM_PB_LAYOUT_INTERLEAVED, false, 9, example_position, false);
   for (uint32_t n = 0; n < 5000; n++) {
      for (uint32_t tile = 0; tile < 9; tile++) {
         const uint64_t offset = append_one(lists, tile);
         assert_int_equal(offset, n / 16 * 9 * 64 + tile * 64 + n % 16 * 4);
         assert_int_equal(offset / 64 % 9, tile); /* TCOR III-D1: the tile from the block */
      }
   }
   cm_pb_lists_destroy(lists);
}

TEST(wide_addresses)
{
   for (unsigned l = 0; l < 2; l++) {
      struct cm_pb_lists *lists = cm_pb_lists_create(layouts[l], true, 9, example_position, false);
      for (uint32_t n = 0; n < 512; n++) {
         for (uint32_t tile = 0; tile < 9; tile++)
            assert_int_equal(append_one(lists, tile), layouts[l] == CM_PB_LAYOUT_BASELINE
                                                         ? tile * 4096 + n * 8
                                                         : n / 8 * 9 * 64 + tile * 64 + n % 8 * 8);
      }
      cm_pb_lists_destroy(lists);
   }
}

/* The lists lie in the order of the traversal, not of the rows. */
TEST(lists_lie_in_traversal_order)
{
   static const uint32_t position[4] = {2, 0, 3, 1};
   for (unsigned l = 0; l < 2; l++) {
      struct cm_pb_lists *lists = cm_pb_lists_create(layouts[l], false, 4, position, false);
      const uint64_t stride = layouts[l] == CM_PB_LAYOUT_BASELINE ? 4096 : 64;
      for (uint32_t tile = 0; tile < 4; tile++)
         assert_int_equal(append_one(lists, tile), position[tile] * stride);
      cm_pb_lists_destroy(lists);
   }
}

/* Beyond its 64 blocks a list continues in runs of 64 blocks after the regular
 * area, in the order in which the lists overflow. */
TEST(baseline_overflow)
{
   static const uint32_t position[3] = {2, 1, 0};
   static const uint32_t both[2] = {0, 1};
   for (unsigned wide = 0; wide < 2; wide++) {
      const uint32_t run = wide ? 512 : 1024, bytes = cm_pmd_bytes(wide);
      struct cm_pb_lists *lists = cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, wide, 3, position, true);
      uint64_t offsets[2];
      for (uint32_t n = 0; n < run; n++) {
         assert_true(cm_pb_lists_append(lists, n, 1, both, 2, offsets, NULL, NULL, NULL));
         assert_int_equal(offsets[0], 2 * 4096 + n * bytes);
         assert_int_equal(offsets[1], 1 * 4096 + n * bytes);
      }
      /* Both overflow with one primitive: the first in the traversal goes first. */
      assert_true(cm_pb_lists_append(lists, run, 1, both, 2, offsets, NULL, NULL, NULL));
      assert_int_equal(offsets[0], 4 * 4096);
      assert_int_equal(offsets[1], 3 * 4096);
      /* Tile 1 alone overflows again, three times. */
      for (uint32_t n = run + 1; n <= 4 * run; n++) {
         const uint32_t tile = 1;
         static const uint32_t places[] = {1, 3, 5, 6, 7};
         assert_true(cm_pb_lists_append(lists, n, 1, &tile, 1, offsets, NULL, NULL, NULL));
         assert_int_equal(offsets[0], places[n / run] * 4096 + n % run * bytes);
      }
      /* And so they read back, in order. */
      for (uint32_t n = 0; n <= 4 * run; n++)
         assert_int_equal(cm_pmd_decode(cm_pb_lists_pmd(lists, 1, n), wide).primitive, n);
      assert_int_equal(cm_pb_lists_offset(lists, 1, run), 3 * 4096);
      assert_int_equal(cm_pb_lists_offset(lists, 1, 4 * run - 1), 7 * 4096 - bytes);
      assert_int_equal(cm_pb_lists_offset(lists, 0, run), 4 * 4096);
      cm_pb_lists_destroy(lists);
   }
}

/* ---- random primitives against a search --------------------------------- */

struct pass {
   uint32_t tiles_x, tiles_y, num_tiles;
   uint32_t *traversal, *position;
};

static void
pass_init(struct pass *pass, uint32_t tiles_x, uint32_t tiles_y, enum cm_tile_order order, bool reversed)
{
   pass->tiles_x = tiles_x;
   pass->tiles_y = tiles_y;
   pass->num_tiles = tiles_x * tiles_y;
   pass->traversal = malloc(pass->num_tiles * 4);
   pass->position = malloc(pass->num_tiles * 4);
   cm_tile_order_build(order, tiles_x, tiles_y, reversed, pass->traversal);
   cm_tile_order_positions(pass->traversal, pass->num_tiles, pass->position);
}

static void
pass_finish(struct pass *pass)
{
   free(pass->traversal);
   free(pass->position);
}

struct primitive {
   uint32_t id, num_attributes;
   uint32_t num_tiles, *tiles;
   bool *covers; /* by tile */
};

/* A rectangle of tiles with holes, in row-major or in shuffled order. */
static struct primitive
random_primitive(uint64_t *random, const struct pass *pass, uint32_t id, bool wide)
{
   struct primitive primitive = {
      .id = id,
      .num_attributes = 1 + random_below(random, wide ? 256 : 16),
      .tiles = malloc(pass->num_tiles * 4),
      .covers = calloc(pass->num_tiles, 1),
   };
   const bool large = random_below(random, 4) == 0;
   const uint32_t x0 = random_below(random, pass->tiles_x), y0 = random_below(random, pass->tiles_y);
   const uint32_t width = 1 + random_below(random, large ? pass->tiles_x : 3);
   const uint32_t height = 1 + random_below(random, large ? pass->tiles_y : 3);
   for (uint32_t y = y0; y < y0 + height && y < pass->tiles_y; y++) {
      for (uint32_t x = x0; x < x0 + width && x < pass->tiles_x; x++) {
         if (primitive.num_tiles && random_below(random, 4) == 0)
            continue;
         primitive.tiles[primitive.num_tiles++] = y * pass->tiles_x + x;
         primitive.covers[y * pass->tiles_x + x] = true;
      }
   }
   if (random_below(random, 2)) {
      for (uint32_t i = primitive.num_tiles; i > 1; i--) {
         const uint32_t j = random_below(random, i), tile = primitive.tiles[j];
         primitive.tiles[j] = primitive.tiles[i - 1];
         primitive.tiles[i - 1] = tile;
      }
   }
   return primitive;
}

static uint32_t
search_next(const struct pass *pass, const struct primitive *primitive, uint32_t position)
{
   for (uint32_t n = position + 1; n < pass->num_tiles; n++) {
      if (primitive->covers[pass->traversal[n]])
         return n;
   }
   return CM_PB_NEVER;
}

static int
compare_offsets(const void *a, const void *b)
{
   const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
   return x < y ? -1 : x > y;
}

/* Reads every list back: for each tile the primitives that cover it, in program
 * order, with the next tile that a search finds, at addresses of their own. */
static void
check_lists(const struct cm_pb_lists *lists, const struct pass *pass, bool wide,
            const struct primitive *primitives, uint32_t num_primitives, uint64_t num_pmds)
{
   uint64_t *offsets = malloc(num_pmds * sizeof(*offsets)), num_offsets = 0;
   for (uint32_t tile = 0; tile < pass->num_tiles; tile++) {
      uint32_t n = 0;
      for (uint32_t p = 0; p < num_primitives; p++) {
         if (!primitives[p].covers[tile])
            continue;
         assert_true(n < cm_pb_lists_length(lists, tile));
         const struct cm_pmd pmd = cm_pmd_decode(cm_pb_lists_pmd(lists, tile, n), wide);
         assert_int_equal(pmd.primitive, primitives[p].id);
         assert_int_equal(pmd.num_attributes, primitives[p].num_attributes);
         assert_int_equal(pmd.opt_number, search_next(pass, &primitives[p], pass->position[tile]));
         const uint64_t offset = cm_pb_lists_offset(lists, tile, n++);
         assert_int_equal(offset % cm_pmd_bytes(wide), 0);
         offsets[num_offsets++] = offset;
      }
      assert_int_equal(n, cm_pb_lists_length(lists, tile));
   }
   assert_int_equal(num_offsets, num_pmds);
   qsort(offsets, num_offsets, sizeof(*offsets), compare_offsets);
   for (uint64_t n = 1; n < num_offsets; n++)
      assert_true(offsets[n - 1] < offsets[n]);
   free(offsets);
}

/* with: a renderer's lists; without: a consumer's, which must agree. */
static void
check_random_pass(uint64_t *random, struct cm_pb_lists *with, struct cm_pb_lists *without,
                  const struct pass *pass, bool wide, uint32_t num_primitives)
{
   struct primitive *primitives = malloc(num_primitives * sizeof(*primitives));
   uint64_t *offsets[2], num_pmds = 0;
   uint32_t *opt_numbers[2], first[2], last[2];
   for (unsigned w = 0; w < 2; w++) {
      offsets[w] = malloc(pass->num_tiles * sizeof(**offsets));
      opt_numbers[w] = malloc(pass->num_tiles * sizeof(**opt_numbers));
   }
   for (uint32_t p = 0; p < num_primitives; p++) {
      primitives[p] = random_primitive(random, pass, wide ? p << 20 | p : p * 16, wide);
      const struct primitive *primitive = &primitives[p];
      for (unsigned w = 0; w < 2; w++)
         assert_true(cm_pb_lists_append(w ? without : with, primitive->id, primitive->num_attributes,
                                        primitive->tiles, primitive->num_tiles, offsets[w], opt_numbers[w],
                                        &first[w], &last[w]));
      uint32_t lowest = UINT32_MAX, highest = 0;
      for (uint32_t i = 0; i < primitive->num_tiles; i++) {
         const uint32_t tile = primitive->tiles[i], position = pass->position[tile];
         lowest = position < lowest ? position : lowest;
         highest = position > highest ? position : highest;
         assert_int_equal(opt_numbers[0][i], search_next(pass, primitive, position));
         assert_int_equal(offsets[0][i], cm_pb_lists_offset(with, tile, cm_pb_lists_length(with, tile) - 1));
      }
      assert_int_equal(first[0], lowest);
      assert_int_equal(last[0], highest);
      assert_int_equal(first[1], lowest);
      assert_int_equal(last[1], highest);
      assert_memory_equal(offsets[0], offsets[1], primitive->num_tiles * sizeof(**offsets));
      assert_memory_equal(opt_numbers[0], opt_numbers[1], primitive->num_tiles * 4);
      num_pmds += primitive->num_tiles;
   }
   check_lists(with, pass, wide, primitives, num_primitives, num_pmds);
   for (uint32_t p = 0; p < num_primitives; p++) {
      free(primitives[p].tiles);
      free(primitives[p].covers);
   }
   free(primitives);
   for (unsigned w = 0; w < 2; w++) {
      free(offsets[w]);
      free(opt_numbers[w]);
   }
}

/* Every order, direction, layout and width, fresh lists and reused ones. */
TEST(random_primitives)
{
   static const struct {
      uint32_t x, y, primitives;
   } sizes[] = {{1, 1, 3000}, {3, 2, 4000}, {30, 17, 150}, {17, 9, 400}, {64, 64, 20}, {5, 16, 700}};
   uint64_t random = 2;
   const uint32_t position_of_one = 0;
   for (unsigned l = 0; l < 2; l++) {
      struct cm_pb_lists *with = cm_pb_lists_create(layouts[l], false, 1, &position_of_one, true);
      struct cm_pb_lists *without = cm_pb_lists_create(layouts[l], false, 1, &position_of_one, false);
      for (unsigned variant = 0; variant < 6 * 3 * 2 * 2; variant++) {
         const unsigned size = variant % 6;
         const bool reversed = variant / 6 % 2, wide = variant / 12 % 2;
         struct pass pass;
         pass_init(&pass, sizes[size].x, sizes[size].y, (enum cm_tile_order)(variant / 24), reversed);
         assert_true(cm_pb_lists_reset(with, wide, pass.num_tiles, pass.position));
         assert_true(cm_pb_lists_reset(without, wide, pass.num_tiles, pass.position));
         check_random_pass(&random, with, without, &pass, wide, sizes[size].primitives);
         pass_finish(&pass);
      }
      cm_pb_lists_destroy(with);
      cm_pb_lists_destroy(without);
   }
}

/* More tiles than one word of the sorting bitmap's summary covers. */
TEST(many_tiles)
{
   uint64_t random = 3;
   struct pass pass;
   pass_init(&pass, 120, 68, CM_TILE_ORDER_HILBERT, true);
   assert_true(cm_pb_needs_wide(pass.num_tiles, 1, 1));
   for (unsigned l = 0; l < 2; l++) {
      struct cm_pb_lists *with = cm_pb_lists_create(layouts[l], true, pass.num_tiles, pass.position, true);
      struct cm_pb_lists *without =
         cm_pb_lists_create(layouts[l], true, pass.num_tiles, pass.position, false);
      check_random_pass(&random, with, without, &pass, true, 40);
      cm_pb_lists_destroy(with);
      cm_pb_lists_destroy(without);
   }
   pass_finish(&pass);
}

/* ---- limits ------------------------------------------------------------- */

/* With 4,096 tiles the last tile's position fills the field and is still not
 * confused with "never". */
TEST(exactly_4096_tiles)
{
   assert_false(cm_pb_needs_wide(4096, 1, 1));
   for (unsigned reversed = 0; reversed < 2; reversed++) {
      struct pass pass;
      pass_init(&pass, 64, 64, CM_TILE_ORDER_Z, reversed);
      struct cm_pb_lists *lists =
         cm_pb_lists_create(CM_PB_LAYOUT_INTERLEAVED, false, 4096, pass.position, true);
      const uint32_t ends[2] = {pass.traversal[4095], pass.traversal[0]};
      uint32_t opt_numbers[2], first, last;
      assert_true(cm_pb_lists_append(lists, 65535, 16, ends, 2, NULL, opt_numbers, &first, &last));
      assert_int_equal(opt_numbers[0], CM_PB_NEVER);
      assert_int_equal(opt_numbers[1], 4095);
      assert_int_equal(first, 0);
      assert_int_equal(last, 4095);
      assert_int_equal(cm_pmd_decode(cm_pb_lists_pmd(lists, ends[0], 0), false).opt_number, CM_PB_NEVER);
      assert_int_equal(cm_pmd_decode(cm_pb_lists_pmd(lists, ends[1], 0), false).opt_number, 4095);

      assert_true(cm_pb_lists_append(lists, 65535, 16, pass.traversal, 4096, NULL, NULL, NULL, NULL));
      for (uint32_t n = 0; n < 4096; n++) {
         const uint32_t tile = pass.traversal[n];
         const struct cm_pmd pmd =
            cm_pmd_decode(cm_pb_lists_pmd(lists, tile, cm_pb_lists_length(lists, tile) - 1), false);
         assert_int_equal(pmd.opt_number, n < 4095 ? n + 1 : CM_PB_NEVER);
         assert_int_equal(pmd.primitive, 65535);
         assert_int_equal(pmd.num_attributes, 16);
      }
      cm_pb_lists_destroy(lists);
      pass_finish(&pass);
   }
}

static void
assert_append_overflows(struct cm_pb_lists *lists, uint32_t primitive, uint32_t num_attributes)
{
   const uint32_t tile = 4;
   errno = 0;
   assert_false(cm_pb_lists_append(lists, primitive, num_attributes, &tile, 1, NULL, NULL, NULL, NULL));
   assert_int_equal(errno, EOVERFLOW);
   assert_int_equal(cm_pb_lists_length(lists, tile), 0);
}

TEST(what_does_not_fit_is_refused)
{
   errno = 0;
   assert_null(cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, false, 4097, example_position, true));
   assert_int_equal(errno, EOVERFLOW);
   errno = 0;
   assert_null(cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, true, (1u << 24) + 1, example_position, true));
   assert_int_equal(errno, EOVERFLOW);

   struct cm_pb_lists *lists = cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, false, 9, example_position, true);
   assert_append_overflows(lists, 65536, 1);
   assert_append_overflows(lists, 0, 0);
   assert_append_overflows(lists, 0, 17);
   append_one(lists, 7);
   errno = 0;
   assert_false(cm_pb_lists_reset(lists, false, 4097, example_position));
   assert_int_equal(errno, EOVERFLOW);
   assert_int_equal(cm_pb_lists_length(lists, 7), 1); /* as it was */
   assert_true(cm_pb_lists_reset(lists, true, 9, example_position));
   assert_int_equal(cm_pb_lists_length(lists, 7), 0);
   assert_append_overflows(lists, 0, 0);
   assert_append_overflows(lists, 0, 257);
   cm_pb_lists_destroy(lists);
}

/* ---- memory -------------------------------------------------------------- */

static size_t
allocated_bytes(void)
{
   const struct mallinfo2 info = mallinfo2();
   return info.uordblks + info.hblkhd;
}

/* 33 MB of layout, but memory only for what is used; and passes like the ones
 * before take no more. */
TEST(memory)
{
   struct pass pass;
   pass_init(&pass, 120, 68, CM_TILE_ORDER_Z, false);
   const size_t before = allocated_bytes();
   struct cm_pb_lists *lists =
      cm_pb_lists_create(CM_PB_LAYOUT_BASELINE, true, pass.num_tiles, pass.position, true);
   for (uint32_t tile = 0; tile < pass.num_tiles; tile += 100)
      append_one(lists, tile);
   assert_true(allocated_bytes() - before < 1u << 20);

   size_t after_first = 0;
   for (unsigned round = 0; round < 20; round++) {
      assert_true(cm_pb_lists_reset(lists, true, pass.num_tiles, pass.position));
      for (uint32_t tile = 0; tile < pass.num_tiles; tile++)
         assert_int_equal(cm_pb_lists_length(lists, tile), 0);
      uint64_t random = 4;
      for (unsigned n = 0; n < 200000; n++)
         append_one(lists, random_below(&random, 100) ? random_below(&random, pass.num_tiles) : 0);
      if (round == 0)
         after_first = allocated_bytes();
      assert_int_equal(allocated_bytes(), after_first);
   }
   cm_pb_lists_destroy(lists);
   /* The C library counts small pieces that it keeps for later as allocated. */
   assert_true(allocated_bytes() < before + 4096);
   pass_finish(&pass);
}
