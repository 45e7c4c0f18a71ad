/* SPDX-License-Identifier: MIT */
/* Addresses of small textures, worked out by hand. */
#include "support/pass_builder.h"
#include "support/test.h"
#include "texture/placement.h"

static struct cm_config config = {.texture = {.placement = CM_PLACEMENT_LINEAR, .row_alignment = 64}};

TEST(mip_chain)
{
   /* 20 x 6 RGBA8: rows of 80 bytes, padded to 128; 10 x 3: 40 -> 64; 5 x 1: 20 -> 64;
    * 2 x 1: 64; 1 x 1: 64. */
   const struct cm_resource_description resource = describe_texture(20, 6, 5, 4);
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &resource, &config);
   static const uint64_t offsets[] = {0, 6 * 128, 6 * 128 + 3 * 64, 6 * 128 + 4 * 64, 6 * 128 + 5 * 64};
   for (unsigned i = 0; i < 5; i++)
      assert_int_equal(layout.levels[i].offset, offsets[i]);
   assert_int_equal(layout.bytes, 6 * 128 + 6 * 64);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 19, 5), 5 * 128 + 76);
   assert_int_equal(cm_texture_offset(&layout, 1, 0, 9, 2), 768 + 128 + 36);
   assert_int_equal(cm_texture_offset(&layout, 4, 0, 0, 0), 768 + 320);
}

TEST(tight_rows)
{
   struct cm_config tight = config;
   tight.texture.row_alignment = 1;
   const struct cm_resource_description resource = describe_texture(5, 3, 2, 3);
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &resource, &tight);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 4, 2), 2 * 15 + 12);
   assert_int_equal(layout.levels[1].offset, 64); /* 45 bytes, and levels begin a block */
   assert_int_equal(layout.bytes, 128);
}

TEST(compressed)
{
   struct cm_resource_description resource = describe_texture(18, 10, 2, 8);
   resource.block_width = resource.block_height = 4;
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &resource, &config);
   /* 5 x 3 blocks of 8 bytes, then 9 x 5 texels in 3 x 2 blocks. */
   assert_int_equal(layout.levels[0].columns, 5);
   assert_int_equal(layout.levels[0].rows, 3);
   assert_int_equal(layout.levels[1].offset, 192);
   assert_int_equal(cm_texture_offset(&layout, 1, 0, 2, 1), 192 + 64 + 16);
   assert_int_equal(layout.bytes, 320);
}

TEST(layers_and_slices)
{
   struct cm_resource_description cube = describe_texture(16, 16, 2, 4);
   cube.layers = 6;
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &cube, &config);
   const uint64_t face = 16 * 64 + 8 * 64;
   assert_int_equal(layout.layer_bytes, face);
   assert_int_equal(layout.bytes, 6 * face);
   assert_int_equal(cm_texture_offset(&layout, 1, 5, 1, 2), 5 * face + 16 * 64 + 2 * 64 + 4);

   struct cm_resource_description volume = describe_texture(16, 4, 2, 4);
   volume.depth = 8;
   cm_texture_layout_init(&layout, &volume, &config);
   assert_int_equal(layout.levels[1].offset, 8 * 4 * 64);
   assert_int_equal(layout.levels[1].slices, 4);
   assert_int_equal(cm_texture_offset(&layout, 0, 7, 3, 1), 7 * 4 * 64 + 64 + 12);
   assert_int_equal(cm_texture_offset(&layout, 1, 3, 0, 1), 8 * 4 * 64 + 3 * 2 * 64 + 64);
}

TEST(samples)
{
   struct cm_resource_description resource = describe_texture(8, 2, 1, 4);
   resource.samples = 4;
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &resource, &config);
   assert_int_equal(cm_texture_offset(&layout, 0, 0, 3, 1), 128 + 3 * 16);
}
