/* SPDX-License-Identifier: MIT */
/* The thesis' figures 2-1, 2-3 and 2-5 texel by texel; its equations bit by bit over random
 * levels; and no two texels of a texture share a byte. */
#include <stdlib.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "texture/placement.h"

static struct cm_config
placed(enum cm_placement_kind placement, uint32_t first, uint32_t second)
{
   return (struct cm_config){.texture = {.placement = placement,
                                         .row_alignment = 64,
                                         .first_level_tile = first,
                                         .second_level_tile = second}};
}

/* ---- figures ------------------------------------------------------------- */

static void
assert_texels(const struct cm_config *config, uint32_t width, uint32_t height, const uint32_t *expected)
{
   struct cm_texture_layout layout;
   const struct cm_resource_description resource = describe_texture(width, height, 1, 4);
   cm_texture_layout_init(&layout, &resource, config);
   for (uint32_t i = 0; i < width * height; i++)
      assert_int_equal(cm_texture_offset(&layout, 0, 0, i % width, i / width), (uint64_t)expected[i] << 2);
   assert_int_equal(layout.bytes, width * height * 4);
}

/* Figure 2-1: tiles of 4x4, one after another. */
TEST(4d_figure)
{
   static const uint32_t texels[] = {
      0,  1,  2,  3,  16, 17, 18, 19, /* */
      4,  5,  6,  7,  20, 21, 22, 23, /* */
      8,  9,  10, 11, 24, 25, 26, 27, /* */
      12, 13, 14, 15, 28, 29, 30, 31, /* */
      32, 33, 34, 35, 48, 49, 50, 51, /* */
      36, 37, 38, 39, 52, 53, 54, 55, /* */
      40, 41, 42, 43, 56, 57, 58, 59, /* */
      44, 45, 46, 47, 60, 61, 62, 63,
   };
   const struct cm_config config = placed(CM_PLACEMENT_4D, 4, 0);
   assert_texels(&config, 8, 8, texels);
   /* The texture of Figures 3-10 and 3-25: tiles of 2x2. */
   static const uint32_t small_tiles[] = {
      0,  1,  4,  5,  8,  9,  12, 13, /* */
      2,  3,  6,  7,  10, 11, 14, 15, /* */
      16, 17, 20, 21, 24, 25, 28, 29, /* */
      18, 19, 22, 23, 26, 27, 30, 31,
   };
   const struct cm_config small = placed(CM_PLACEMENT_4D, 2, 0);
   assert_texels(&small, 8, 4, small_tiles);
}

/* Figure 2-3: tiles of 4x4 in tiles of 8x8. The texture is two of those wide and high. */
TEST(6d_figure)
{
   static const uint32_t first_rows[8][4] = {
      {0, 16, 64, 80},   {4, 20, 68, 84},    {8, 24, 72, 88},    {12, 28, 76, 92},
      {32, 48, 96, 112}, {36, 52, 100, 116}, {40, 56, 104, 120}, {44, 60, 108, 124},
   };
   uint32_t texels[256];
   for (uint32_t row = 0; row < 16; row++) {
      for (uint32_t column = 0; column < 16; column++)
         texels[row * 16 + column] = first_rows[row % 8][column / 4] + column % 4 + row / 8 * 128;
   }
   const struct cm_config config = placed(CM_PLACEMENT_6D, 4, 8);
   assert_texels(&config, 16, 16, texels);
}

/* Figure 2-5, and the two other cases of Figure 2-6. */
TEST(rz_figure)
{
   static const uint32_t square[] = {
      0,  1,  4,  5,  16, 17, 20, 21, /* */
      2,  3,  6,  7,  18, 19, 22, 23, /* */
      8,  9,  12, 13, 24, 25, 28, 29, /* */
      10, 11, 14, 15, 26, 27, 30, 31, /* */
      32, 33, 36, 37, 48, 49, 52, 53, /* */
      34, 35, 38, 39, 50, 51, 54, 55, /* */
      40, 41, 44, 45, 56, 57, 60, 61, /* */
      42, 43, 46, 47, 58, 59, 62, 63,
   };
   static const uint32_t wide[] = {
      0, 1, 4, 5, 8,  9,  12, 13, /* */
      2, 3, 6, 7, 10, 11, 14, 15,
   };
   static const uint32_t tall[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
   const struct cm_config config = placed(CM_PLACEMENT_RZ, 0, 0);
   assert_texels(&config, 8, 8, square);
   assert_texels(&config, 8, 2, wide);
   assert_texels(&config, 2, 8, tall);
   assert_texels(&config, 16, 1, tall);
   assert_texels(&config, 1, 16, tall);
}

/* A page is 32x32 texels of 4 bytes, 64x32 of 2. */
TEST(morton_pages)
{
   const struct cm_config config = placed(CM_PLACEMENT_MORTON_4K, 0, 0);
   struct cm_texture_layout layout;
   struct cm_resource_description resource = describe_texture(100, 70, 1, 4);
   cm_texture_layout_init(&layout, &resource, &config);
   assert_int_equal(layout.bytes, 4 * 3 * 4096);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 31, 31), 4092);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 32, 0), 4096);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 0, 32), 4 * 4096);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 99, 69), 11 * 4096 + 4 * (5 + 2 * (16 + 1)));
   resource = describe_texture(128, 32, 1, 2);
   cm_texture_layout_init(&layout, &resource, &config);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 32, 0), 2048);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 64, 0), 4096);
}

/* ---- equations ------------------------------------------------------------ */

static unsigned
bits_of(uint32_t size)
{
   unsigned bits = 0;
   while (1u << bits < size)
      bits++;
   return bits;
}

/* Figure 2-6: bits of u and v in turn, then those left. */
static uint64_t
interleave(uint32_t u, uint32_t v, unsigned u_bits, unsigned v_bits)
{
   uint64_t number = 0;
   unsigned place = 0;
   for (unsigned bit = 0; bit < u_bits || bit < v_bits; bit++) {
      if (bit < u_bits)
         number |= (uint64_t)(u >> bit & 1) << place++;
      if (bit < v_bits)
         number |= (uint64_t)(v >> bit & 1) << place++;
   }
   return number;
}

/* The number of a texel in its level; Figures 2-2 and 2-4 with divisions. */
static uint64_t
texel_number(const struct cm_config *config, uint32_t texel_bytes, uint32_t width, uint32_t height,
             uint32_t u, uint32_t v)
{
   const uint32_t first = config->texture.first_level_tile, second = config->texture.second_level_tile;
   switch (config->texture.placement) {
   case CM_PLACEMENT_4D: {
      const uint64_t tile = (uint64_t)(v / first) * ((width + first - 1) / first) + u / first;
      return tile * first * first + v % first * first + u % first;
   }
   case CM_PLACEMENT_6D: {
      const uint64_t outer = (uint64_t)(v / second) * ((width + second - 1) / second) + u / second;
      const uint32_t inner = v % second / first * (second / first) + u % second / first;
      return outer * second * second + (uint64_t)inner * first * first + v % first * first + u % first;
   }
   case CM_PLACEMENT_RZ: return interleave(u, v, bits_of(width), bits_of(height));
   default: {
      uint32_t page_width = 1, page_height = 1;
      while (page_width * page_height * 2 * texel_bytes <= 4096)
         *(page_width > page_height ? &page_height : &page_width) *= 2;
      if (1u << bits_of(width) < page_width)
         page_width = 1u << bits_of(width);
      if (1u << bits_of(height) < page_height)
         page_height = 1u << bits_of(height);
      const uint64_t page =
         (uint64_t)(v / page_height) * ((width + page_width - 1) / page_width) + u / page_width;
      return page * page_width * page_height +
             interleave(u % page_width, v % page_height, bits_of(page_width), bits_of(page_height));
   }
   }
}

static struct cm_config
random_placement(uint64_t *state)
{
   const enum cm_placement_kind kind = (enum cm_placement_kind)(1 + random_below(state, 4));
   const uint32_t first = 2u << random_below(state, 4);
   return placed(kind, kind <= CM_PLACEMENT_6D ? first : 0,
                 kind == CM_PLACEMENT_6D ? first * 2 << random_below(state, 3) : 0);
}

static struct cm_resource_description
random_texture(uint64_t *state)
{
   static const uint8_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
   struct cm_resource_description resource =
      describe_texture(1 + random_below(state, 1u << random_below(state, 9)),
                       1 + random_below(state, 1u << random_below(state, 9)), 1,
                       sizes[random_below(state, 8)]);
   if (random_below(state, 3) == 0) { /* powers of two */
      resource.width = 1u << random_below(state, 9);
      resource.height = 1u << random_below(state, 9);
   }
   const uint32_t side = resource.width > resource.height ? resource.width : resource.height;
   resource.levels = (uint8_t)(1 + random_below(state, bits_of(side + 1)));
   if (random_below(state, 4) == 0) { /* compressed */
      resource.block_width = (uint8_t)(4 + random_below(state, 3));
      resource.block_height = 4;
      resource.block_bytes = 8;
   }
   if (random_below(state, 3) == 0)
      resource.layers = 2;
   else if (random_below(state, 3) == 0)
      resource.depth = 3;
   else if (random_below(state, 3) == 0)
      resource.samples = 4;
   return resource;
}

TEST(equations)
{
   uint64_t state = 1;
   for (unsigned n = 0; n < 20000; n++) {
      const struct cm_config config = random_placement(&state);
      const struct cm_resource_description resource = random_texture(&state);
      struct cm_texture_layout layout;
      cm_texture_layout_init(&layout, &resource, &config);
      const uint32_t l = random_below(&state, resource.levels);
      const struct cm_texture_level *level = &layout.levels[l];
      for (unsigned texel = 0; texel < 20; texel++) {
         const uint32_t u = random_below(&state, level->columns), v = random_below(&state, level->rows);
         const uint64_t number = texel_number(&config, layout.texel_bytes, level->columns, level->rows, u, v);
         const uint64_t expected = level->offset + number * layout.texel_bytes;
         if (cm_texture_offset(&layout, l, 0, u, v) != expected)
            fail_msg("placement %d, level of %u x %u, texel (%u, %u)", config.texture.placement,
                     level->columns, level->rows, u, v);
      }
   }
}

/* ---- a bijection ----------------------------------------------------------- */

/* The texture's bytes that texels have. */
static uint64_t
mark_texels(const struct cm_texture_layout *layout, unsigned char *bytes)
{
   uint64_t marked = 0;
   for (uint32_t l = 0; l < layout->num_levels; l++) {
      const struct cm_texture_level *level = &layout->levels[l];
      const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
      for (uint64_t i = 0; i < (uint64_t)images * level->rows * level->columns; i++) {
         const uint32_t column = (uint32_t)(i % level->columns);
         const uint32_t row = (uint32_t)(i / level->columns % level->rows);
         const uint32_t image = (uint32_t)(i / level->columns / level->rows);
         const uint64_t offset = cm_texture_offset(layout, l, image, column, row);
         assert_true(offset + layout->texel_bytes <= layout->bytes);
         for (uint32_t b = 0; b < layout->texel_bytes; b++) {
            assert_int_equal(bytes[offset + b], 0);
            bytes[offset + b] = 1;
         }
         marked += layout->texel_bytes;
      }
   }
   return marked;
}

TEST(bijection)
{
   uint64_t state = 2;
   for (unsigned n = 0; n < 3000; n++) {
      struct cm_config config = random_placement(&state);
      struct cm_resource_description resource = random_texture(&state);
      if (resource.width * resource.height > 1u << 14)
         resource.height = 1 + resource.height / 16;
      /* Sides of powers of two, no smaller than tiles: nothing is padding. */
      const bool whole_tiles = n % 5 == 0;
      if (whole_tiles)
         resource = describe_texture(128u << random_below(&state, 2), 128u << random_below(&state, 2), 1,
                                     (uint8_t)(1u << random_below(&state, 5)));
      if (whole_tiles && config.texture.second_level_tile > 128)
         config.texture.second_level_tile = 128;
      if (n % 20 == 1)
         config = placed(CM_PLACEMENT_LINEAR, 0, 0);
      struct cm_texture_layout layout;
      cm_texture_layout_init(&layout, &resource, &config);
      unsigned char *bytes = calloc(layout.bytes, 1);
      const uint64_t marked = mark_texels(&layout, bytes);
      free(bytes);

      if (whole_tiles)
         assert_int_equal(marked, layout.bytes);
   }
}

/* Layers of 4 GiB: offsets have more than 32 bits. */
TEST(large)
{
   const uint32_t size = 16384;
   for (unsigned p = 0; p <= CM_PLACEMENT_MORTON_4K; p++) {
      const struct cm_config config = placed((enum cm_placement_kind)p, 4, 32);
      struct cm_resource_description resource = describe_texture(size, size, 1, 16);
      resource.layers = 6;
      struct cm_texture_layout layout;
      cm_texture_layout_init(&layout, &resource, &config);
      assert_true(layout.layer_bytes == 1ull << 32);
      assert_true(layout.bytes == 6ull << 32);
      assert_true(cm_texture_offset(&layout, 0, 5, size - 1, size - 1) == layout.bytes - 16);
      assert_true(cm_texture_offset(&layout, 0, 3, 0, 0) == 3ull << 32);
   }
}
