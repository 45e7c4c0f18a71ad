/* SPDX-License-Identifier: MIT */
/* Sizes of blocks: an encoder reaches them, a decoder gets the pixels back from what it writes; bounds, ratios. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/pixel_block_encoder.h"
#include "support/test.h"

/* Formats of framebuffers, and what has other widths. */
static const struct cm_pixel_layout layouts[] = {
   {1, 1, {8}, false},              /* R8, S8 */
   {2, 2, {8, 8}, false},           /* R8G8 */
   {2, 3, {5, 6, 5}, true},         /* R5G6B5 */
   {2, 4, {4, 4, 4, 4}, true},      /* R4G4B4A4 */
   {2, 1, {16}, false},             /* Z16 */
   {4, 4, {8, 8, 8, 8}, true},      /* R8G8B8A8 */
   {4, 4, {10, 10, 10, 2}, true},   /* R10G10B10A2 */
   {4, 3, {11, 11, 10}, true},      /* R11G11B10 */
   {4, 2, {24, 8}, false},          /* Z24S8 */
   {4, 2, {8, 24}, false},          /* S8Z24 */
   {4, 1, {32}, false},             /* Z32F */
   {8, 4, {16, 16, 16, 16}, true},  /* R16G16B16A16 */
   {8, 3, {32, 8, 24}, false},      /* Z32F S8X24 */
   {16, 4, {32, 32, 32, 32}, true}, /* R32G32B32A32 */
};
#define NUM_LAYOUTS (sizeof layouts / sizeof *layouts)
#define RGBA8 (&layouts[5])
#define Z24S8 (&layouts[8])

/* What blocks hold: a value of a channel at x, y. */
enum filling { RANDOM, SMOOTH, FLAT, PHOTO, PLANE, EDGE, FILLINGS };

struct parameters {
   uint64_t *random;
   int64_t base, dx, dy;
};

static int64_t
value_at(enum filling filling, const struct parameters *p, unsigned bits, unsigned x, unsigned y)
{
   const int64_t plane = p->base + p->dx * (int)x + p->dy * (int)y;
   switch (filling) {
   case RANDOM: return (int64_t)random_next(p->random) << 1 ^ random_next(p->random);
   case SMOOTH: return plane + (int64_t)(x * y) / 3;
   case FLAT: return p->base;
   case PHOTO: return plane + random_below(p->random, 1u << bits / 3);
   case EDGE: return x + 2 * y > 5 ? p->base : p->dx;
   default: return plane;
   }
}

static void
fill(const struct cm_pixel_layout *layout, enum filling filling, uint64_t *random, uint8_t *pixels)
{
   struct parameters parameters[4];
   for (unsigned c = 0; c < layout->num_channels; c++)
      parameters[c] = (struct parameters){random, random_next(random), (int)random_below(random, 9) - 4,
                                          (int)random_below(random, 9) - 4};
   for (unsigned p = 0; p < 16; p++) {
      int64_t channels[4];
      for (unsigned c = 0; c < layout->num_channels; c++)
         channels[c] = value_at(filling, &parameters[c], layout->bits[c], p % 4, p / 4);
      join_pixel(layout, channels, pixels + p * layout->bytes);
   }
}

/* Returns the size, exact. */
static unsigned
round_trip(const struct cm_pixel_layout *layout, const uint8_t *pixels, const uint8_t *group_first)
{
   uint8_t bytes[CM_MAX_BLOCK_BYTES] = {0}, decoded[CM_MAX_BLOCK_BYTES];
   const unsigned size = encode_block(layout, pixels, group_first, bytes);
   /* The decoder sees only what the size says. */
   const size_t used = (size * layout->bytes + 3) / 4;
   for (size_t i = used; i < sizeof bytes; i++)
      bytes[i] = 0xa5;
   decode_block(layout, bytes, size, group_first, decoded);
   assert_memory_equal(decoded, pixels, 16u * layout->bytes);
   return size;
}

/* A group's blocks, one after another, each row by row. */
typedef uint8_t group_blocks[CM_GROUP_BLOCKS][CM_MAX_BLOCK_BYTES];

/* The sizes of all of its blocks are those of what is written. */
static void
check_group(const struct cm_pixel_layout *layout, group_blocks blocks)
{
   const size_t bytes = layout->bytes;
   uint8_t image[CM_GROUP_BLOCKS * CM_MAX_BLOCK_BYTES], sizes[CM_GROUP_BLOCKS];
   for (unsigned y = 0; y < CM_GROUP_SIZE; y++) {
      for (unsigned x = 0; x < CM_GROUP_SIZE; x++)
         memcpy(image + (y * CM_GROUP_SIZE + x) * bytes,
                &blocks[y / 4 * 4 + x / 4][(y % 4 * 4 + x % 4) * bytes], bytes);
   }
   cm_group_sizes(layout, image, CM_GROUP_SIZE * bytes, CM_GROUP_SIZE, CM_GROUP_SIZE, sizes);
   for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++)
      assert_int_equal(sizes[b], cm_stored_size(round_trip(layout, blocks[b], blocks[0])));
}

TEST(pixels_come_back)
{
   uint64_t random = 42;
   group_blocks blocks;
   for (unsigned l = 0; l < NUM_LAYOUTS; l++) {
      assert_true(cm_pixel_layout_is_valid(&layouts[l]));
      for (uint32_t round = 0; round < test_rounds(320); round++) {
         for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++)
            fill(&layouts[l], (b + round) % FILLINGS, &random, blocks[b]);
         /* Flat blocks with the group's first pixel, and groups that are alike. */
         for (unsigned b = 1; b < CM_GROUP_BLOCKS; b++) {
            if (!random_below(&random, round % 4 ? 8 : 1))
               memcpy(blocks[b], blocks[0], sizeof blocks[b]);
         }
         check_group(&layouts[l], blocks);
      }
   }
}

/* Differences of every number of bits, in each pixel: all widths and reductions. */
TEST(every_width)
{
   group_blocks blocks;
   for (unsigned l = 0; l < NUM_LAYOUTS; l++) {
      const struct cm_pixel_layout *layout = &layouts[l];
      for (unsigned bit = 0; bit < 8u * layout->bytes; bit++) {
         memset(blocks, 0, sizeof blocks);
         for (unsigned p = 0; p < 16; p++) {
            blocks[p][p * layout->bytes + bit / 8] = (uint8_t)(1 << bit % 8);
            blocks[p][(p * 7 + 3) % 16 * layout->bytes] ^= 1;
         }
         check_group(layout, blocks);
      }
   }
}

TEST(bounds)
{
   uint64_t random = 7;
   uint8_t pixels[CM_MAX_BLOCK_BYTES], first[CM_MAX_PIXEL_BYTES];
   for (unsigned l = 0; l < NUM_LAYOUTS; l++) {
      const struct cm_pixel_layout *layout = &layouts[l];
      fill(layout, FLAT, &random, pixels);
      memcpy(first, pixels, layout->bytes);
      assert_int_equal(round_trip(layout, pixels, first), 0);
      first[0] ^= 1;
      assert_int_equal(round_trip(layout, pixels, first), CM_FLAT_SIZE);
      /* Noise of all bits cannot be compressed. */
      unsigned raw = 0;
      for (unsigned round = 0; round < 100; round++) {
         fill(layout, RANDOM, &random, pixels);
         raw += round_trip(layout, pixels, first) == CM_RAW_SIZE;
      }
      assert_true(raw >= (layout->num_channels > 1 || layout->bits[0] > 8 ? 95 : 60));
   }
}

/* A plane of depth, in Z24S8: the first pixel, two heads, differences of 5 bits in the first row or column. By hand: slopes 10
 * and 3 are 5 bits and 3 as zigzag (20, 6); both are second differences but for the first in each direction, which are in
 * quad 0. 32 bits, (2 + 5 + 8) + 3 * 5 bits of depth, 2 + 4 of stencil: 68 bits of 8 a part are 9. */
TEST(a_plane_of_depth)
{
   uint8_t pixels[64];
   for (unsigned p = 0; p < 16; p++) {
      const uint32_t depth = 0x345678 + 10 * (p % 4) + 3 * (p / 4);
      const int64_t channels[2] = {depth, 17};
      join_pixel(Z24S8, channels, pixels + p * 4);
   }
   assert_int_equal(round_trip(Z24S8, pixels, pixels), 9);
}

/* Pixels outside of the image count as the nearest inside. */
TEST(borders)
{
   uint64_t random = 3;
   uint8_t whole[16 * 16 * 4], part[16 * 16 * 4], sizes[2][CM_GROUP_BLOCKS];
   for (unsigned round = 0; round < 50; round++) {
      const unsigned width = 1 + random_below(&random, 16), height = 1 + random_below(&random, 16);
      memset(part, 0xee, sizeof part);
      for (unsigned y = 0; y < 16; y++) {
         for (unsigned x = 0; x < 16; x++) {
            uint8_t *pixel = whole + (y * 16 + x) * 4;
            const uint32_t value = x * 3 + y * 5 + random_below(&random, 4) * 0x010101u;
            memcpy(pixel, &value, 4);
            if (x >= width)
               memcpy(pixel, pixel - 4, 4);
            if (y >= height)
               memcpy(pixel, pixel - 16 * 4, 4);
            if (x < width && y < height)
               memcpy(part + y * width * 4 + x * 4, pixel, 4);
         }
      }
      cm_group_sizes(RGBA8, whole, 64, 16, 16, sizes[0]);
      cm_group_sizes(RGBA8, part, width * 4, width, height, sizes[1]);
      assert_memory_equal(sizes[0], sizes[1], CM_GROUP_BLOCKS);
   }
}

static double
ratio_of(const uint8_t *pixels, unsigned width, unsigned height)
{
   uint64_t parts = 0, blocks = 0;
   for (unsigned y = 0; y < height; y += CM_GROUP_SIZE) {
      for (unsigned x = 0; x < width; x += CM_GROUP_SIZE) {
         uint8_t sizes[CM_GROUP_BLOCKS];
         const unsigned columns = width - x < 16 ? width - x : 16, rows = height - y < 16 ? height - y : 16;
         cm_group_sizes(RGBA8, pixels + (y * (size_t)width + x) * 4, width * 4u, columns, rows, sizes);
         for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++, blocks++)
            parts += sizes[b];
      }
   }
   return (double)parts / (double)(blocks * CM_RAW_SIZE);
}

/* Rendered scenes in one picture. Arm says of AFBC that it saves up to 50 % of the bandwidth. */
TEST(a_picture)
{
   png_image png = {.version = PNG_IMAGE_VERSION};
   assert_true(png_image_begin_read_from_file(&png, getenv("TBRSIM_PICTURE")));
   png.format = PNG_FORMAT_RGBA;
   uint8_t *pixels = malloc(PNG_IMAGE_SIZE(png));
   assert_non_null(pixels);
   assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
   const double ratio = ratio_of(pixels, png.width, png.height);
   printf("%u x %u pixels: %.1f %% of the bytes are left\n", png.width, png.height, 100 * ratio);
   assert_true(ratio > 0.3 && ratio < 0.5);
   free(pixels);
}
