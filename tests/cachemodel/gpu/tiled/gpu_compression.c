/* SPDX-License-Identifier: MIT */
/* Compressed framebuffers, counted by hand. Memory is accessed in bursts of 64 bytes; a superblock of 16 x 16 pixels of 4 bytes
 * has 1024, a block of 4 x 4 has 64, so that its size in the events is in bytes. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})
static struct cm_gpu *
make_gpu(const char *const *changes)
{
   return test_gpu_with(test_compression_settings, changes);
}

/* A pass that stores one tile of 32 x 32 pixels of image 1, whose 64 blocks have these sizes. */
static struct pass_builder *
storing_pass(const uint8_t sizes[64])
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   pass_color(pass, 1, 4);
   pass->touched[0] = true;
   memcpy(pass_content(pass, 0, 0, 2, 2), sizes, 64);
   return pass;
}

/* All blocks of one size. */
static struct cm_gpu *
store_all_in(struct cm_gpu *gpu, uint8_t size)
{
   uint8_t sizes[64];
   define_texture(gpu, 1, 32, 32, 1);
   memset(sizes, size, sizeof sizes);
   pass_run_and_free(storing_pass(sizes), gpu);
   return gpu;
}

static struct cm_gpu *
store_all(uint8_t size, const char *const *changes)
{
   return store_all_in(make_gpu(changes), size);
}

/* With caches of headers. */
static struct cm_gpu *
store_all_with_caches(uint8_t size, const char *const *changes)
{
   struct cm_config *config = test_compression_config(changes);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   return store_all_in(gpu, size);
}

/* Headers of a row of superblocks are written together: 32 bytes, a burst; 32 rows of two blocks without compression. */
TEST(one_color)
{
   struct cm_gpu *gpu = store_all(0, SETTINGS("tile.size=32"));
   expect_counters(gpu, {"framebuffer_compression.color.solid_superblocks", 4},
                   {"framebuffer_compression.color.header_bytes", 128},
                   {"framebuffer_compression.color.body_bytes", 0},
                   {"framebuffer_compression.color.raw_bytes", 4096}, {"dram.color.writes", 2},
                   {"dram.color.write_bytes", 128}, {"dram.color.reads", 0});
   cm_gpu_destroy(gpu);
   /* In the body, the colour is 4 bytes, and so a burst. */
   gpu = store_all(0, SETTINGS("framebuffer_compression.solid_colors=in-body"));
   expect_counters(gpu, {"framebuffer_compression.color.compressed_superblocks", 4},
                   {"framebuffer_compression.color.body_bytes", 4 * 64},
                   {"dram.color.write_bytes", 128 + 4 * 64});
   cm_gpu_destroy(gpu);
}

TEST(cannot_be_compressed)
{
   struct cm_gpu *gpu = store_all(64, SETTINGS("tile.size=32"));
   expect_counters(gpu, {"framebuffer_compression.color.raw_superblocks", 4},
                   {"framebuffer_compression.color.body_bytes", 4096},
                   {"dram.color.write_bytes", 4096 + 128});
   cm_gpu_destroy(gpu);
   /* 16 blocks of 61 bytes are 976, and in bursts 1024: nothing is gained. Of 60 they are 960. */
   gpu = store_all(61, SETTINGS("tile.size=32"));
   expect_counters(gpu, {"framebuffer_compression.color.raw_superblocks", 4},
                   {"framebuffer_compression.color.body_bytes", 4096});
   cm_gpu_destroy(gpu);
   gpu = store_all(60, SETTINGS("tile.size=32"));
   expect_counters(gpu, {"framebuffer_compression.color.compressed_superblocks", 4},
                   {"framebuffer_compression.color.body_bytes", 4 * 960});
   cm_gpu_destroy(gpu);
}

/* One superblock of each kind, stored and then loaded. That of which one block has 10 bytes has 4 more for the colour of all its
 * others; that of which all have 20 has 320, five bursts. Bursts of 16 are 1 + 20 of them, and 32-byte headers need two. */
TEST(mixed)
{
   static const char *const bursts[] = {"64", "16"};
   static const uint64_t bodies[] = {64 + 1024 + 320, 16 + 1024 + 320}, headers[] = {128, 64};
   for (unsigned n = 0; n < 2; n++) {
      char setting[64];
      snprintf(setting, sizeof setting, "framebuffer_compression.burst=%s", bursts[n]);
      struct cm_gpu *gpu = make_gpu(SETTINGS(setting));
      uint8_t sizes[64] = {0};
      define_texture(gpu, 1, 32, 32, 1);
      sizes[16 + 5] = 10;
      memset(sizes + 32, 64, 16);
      memset(sizes + 48, 20, 16);
      struct pass_builder *pass = storing_pass(sizes);
      pass_run(pass, gpu);
      expect_counters(gpu, {"framebuffer_compression.color.solid_superblocks", 1},
                      {"framebuffer_compression.color.compressed_superblocks", 2},
                      {"framebuffer_compression.color.raw_superblocks", 1},
                      {"framebuffer_compression.color.body_bytes", bodies[n]},
                      {"dram.color.write_bytes", bodies[n] + headers[n]}, {"dram.color.reads", 0});
      pass->pass.color[0].load = true;
      pass_run(pass, gpu);
      expect_counters(gpu, {"dram.color.read_bytes", bodies[n] + headers[n]},
                      {"dram.color.write_bytes", 2 * (bodies[n] + headers[n])},
                      {"framebuffer_compression.color.raw_bytes", 3 * 4096},
                      {"framebuffer_compression.color.header_bytes", 3 * headers[n]});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* Nothing is known of what is stored: as without compression, until something is. Then it is raw. */
TEST(nothing_known)
{
   struct cm_gpu *gpu = make_gpu(SETTINGS("tile.size=32"));
   uint8_t sizes[64] = {0};
   define_texture(gpu, 1, 32, 32, 1);
   struct pass_builder *pass = storing_pass(sizes), *unknown = pass_new(0, 32, 32, 32);
   pass_color(unknown, 1, 4);
   unknown->touched[0] = true;
   pass_run(unknown, gpu);
   expect_counters(gpu, {"dram.color.write_bytes", 4096}, {"framebuffer_compression.color.raw_bytes", 0});
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.write_bytes", 4096 + 128});
   pass_run(unknown, gpu);
   expect_counters(gpu, {"dram.color.write_bytes", 4096 + 128 + 4096 + 128},
                   {"framebuffer_compression.color.raw_superblocks", 4});
   pass_free(pass);
   pass_free(unknown);
   cm_gpu_destroy(gpu);
}

/* What is not compressed: off, too many bytes per pixel, samples, storage. */
TEST(not_compressible)
{
   static const char *const off[] = {"framebuffer_compression.color=off",
                                     "framebuffer_compression.most_pixel_bytes=2",
                                     "framebuffer_compression.mode=none", "tile.size=32", "tile.size=32"};
   for (unsigned n = 0; n < sizeof off / sizeof *off; n++) {
      struct cm_gpu *gpu = make_gpu(SETTINGS(off[n]));
      uint8_t sizes[64] = {0};
      struct cm_resource_description image = describe_texture(32, 32, 1, 4);
      image.samples = n == 3 ? 4 : 1;
      image.uses = n == 4 ? CM_USE_OTHER : 0;
      cm_gpu_define_resource(gpu, &image);
      pass_run_and_free(storing_pass(sizes), gpu);
      expect_counters(gpu, {"dram.color.write_bytes", n == 3 ? 4 * 4096 : 4096});
      cm_gpu_destroy(gpu);
   }
}

/* Superblocks of 32 x 8 pixels that tiles of 16 x 16 halve: the second tile reads what the first one stored. All blocks of
 * the first half have 16 bytes, 128 in all; those of the second are not known, 512: with them 640. Then the second has 16, too. */
TEST(in_part)
{
   struct cm_gpu *gpu = make_gpu(SETTINGS("tile.size=16", "framebuffer_compression.superblock_width=32",
                                          "framebuffer_compression.superblock_height=8"));
   define_texture(gpu, 1, 32, 16, 1);
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass_color(pass, 1, 4);
   for (uint32_t tile = 0; tile < 2; tile++) {
      pass->touched[tile] = true;
      memset(pass_content(pass, tile, 0, 1, 1), 16, 16);
   }
   pass_run(pass, gpu);
   expect_counters(gpu, {"framebuffer_compression.color.partial_superblocks", 4},
                   /* Of two superblocks each. */
                   {"dram.color.read_bytes", 2 * (64 + 1024) + 2 * (64 + 640)},
                   {"dram.color.write_bytes", 2 * (64 + 640) + 2 * (64 + 256)});
   pass_free(pass);
   cm_gpu_destroy(gpu);

   /* Half of a superblock at the border of the image, 20 x 12 pixels, is all of it: 5 blocks in a row, 3 rows. */
   gpu = make_gpu(SETTINGS("tile.size=32"));
   define_texture(gpu, 1, 20, 12, 1);
   pass = pass_new(0, 20, 12, 32);
   pass_color(pass, 1, 4);
   pass->touched[0] = true;
   memset(pass_content(pass, 0, 0, 2, 1), 64, 32);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"framebuffer_compression.color.partial_superblocks", 0},
                   {"framebuffer_compression.color.body_bytes", 15 * 64},
                   {"dram.color.write_bytes", 15 * 64 + 64});
   cm_gpu_destroy(gpu);
}

/* Two superblocks of 8 x 8 of the same group are solid; one of 32 x 8 with two groups has two colours, 8 bytes. */
TEST(colors_of_groups)
{
   struct cm_gpu *gpu = store_all(0, SETTINGS("framebuffer_compression.superblock_width=8",
                                              "framebuffer_compression.superblock_height=8"));
   expect_counters(gpu, {"framebuffer_compression.color.solid_superblocks", 16},
                   {"framebuffer_compression.color.body_bytes", 0});
   cm_gpu_destroy(gpu);
   gpu = store_all(0, SETTINGS("framebuffer_compression.superblock_width=32",
                               "framebuffer_compression.superblock_height=8"));
   expect_counters(gpu, {"framebuffer_compression.color.compressed_superblocks", 4},
                   {"framebuffer_compression.color.body_bytes", 4 * 64});
   cm_gpu_destroy(gpu);
}

/* ---- textures ------------------------------------------------------------------ */

/* A pass without attachments whose quads each read a texel of image 1, one after another. */
static void
read_texels(struct cm_gpu *gpu, const int16_t (*texels)[2], uint32_t count)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   for (uint32_t t = 0; t < count; t++) {
      struct cm_footprint footprint = {.live = 1, .texel = {{texels[t][0], texels[t][1]}}};
      pass_shade(pass, 0, 0, 1, 1);
      pass_footprints(pass, 0, 0, &footprint, 1);
   }
   pass_run_and_free(pass, gpu);
}

#define ONE_UNIT "fragment_stage.processors=1", "caches.texture_cache.instances=1"
#define READ(gpu, ...)                                   \
   read_texels((gpu), (const int16_t[][2]){__VA_ARGS__}, \
               sizeof((const int16_t[][2]){__VA_ARGS__}) / sizeof(int16_t[2]))

/* A block of a texture cache is a row of 16 pixels, a quarter of each of four blocks, which are 80 of 320 bytes: two
 * blocks of the L2, and the header. The next row needs the same; a texel of the first one is there. The fifth row of pixels
 * is bytes 80 to 159. */
TEST(texels)
{
   struct cm_gpu *gpu = store_all(20, SETTINGS(ONE_UNIT));
   READ(gpu, {3, 0});
   expect_counters(gpu, {"texture_cache.texture.misses", 1}, {"texture_cache.texture.fills", 1},
                   {"l2.texture.reads", 3}, {"l2.texture.misses", 3}, {"dram.texture.read_bytes", 192},
                   {"framebuffer_compression.texture.raw_bytes", 64},
                   {"framebuffer_compression.texture.header_bytes", 64},
                   {"framebuffer_compression.texture.body_bytes", 128},
                   {"framebuffer_compression.texture.compressed_superblocks", 1});
   READ(gpu, {4, 1}, {7, 0});
   expect_counters(gpu, {"texture_cache.texture.misses", 2}, {"l2.texture.reads", 6},
                   {"l2.texture.misses", 3});
   READ(gpu, {0, 4});
   expect_counters(gpu, {"l2.texture.reads", 9}, {"l2.texture.misses", 4});
   cm_gpu_destroy(gpu);
   /* All of the body: five blocks. */
   gpu = store_all(20, SETTINGS(ONE_UNIT, "framebuffer_compression.reads=superblocks"));
   READ(gpu, {3, 0});
   expect_counters(gpu, {"l2.texture.reads", 6}, {"framebuffer_compression.texture.body_bytes", 320});
   cm_gpu_destroy(gpu);
   /* Of one colour: the header. */
   gpu = store_all(0, SETTINGS(ONE_UNIT));
   READ(gpu, {3, 0}, {3, 1});
   expect_counters(gpu, {"l2.texture.reads", 2}, {"dram.texture.reads", 1},
                   {"framebuffer_compression.texture.solid_superblocks", 2});
   cm_gpu_destroy(gpu);
   /* Squares of 4 x 4 pixels in a texture cache, as blocks are: the one at (4, 4) is bytes 100 to 119 of its body. */
   gpu = store_all(20, SETTINGS(ONE_UNIT, "texture.placement=morton-4k"));
   READ(gpu, {5, 6});
   expect_counters(gpu, {"l2.texture.reads", 2}, {"framebuffer_compression.texture.body_bytes", 64});
   cm_gpu_destroy(gpu);
}

/* Headers of four superblocks are in one block of the cache: 16 misses of two superblocks in a row, in each of two rows. */
TEST(headers_along_a_row)
{
   struct cm_gpu *gpu = store_all_with_caches(20, SETTINGS(ONE_UNIT));
   READ(gpu, {0, 0}, {16, 0}, {0, 1}, {16, 1}, {0, 16}, {16, 16});
   expect_counters(gpu, {"texture_header_cache.texture.reads", 6}, {"texture_header_cache.texture.misses", 1},
                   {"framebuffer_compression.texture.header_bytes", 64}, {"l2.texture.reads", 1 + 6 * 2},
                   /* Two writes of 32 bytes of the same block, which is written when the pass ends. */
                   {"header_cache.color.writes", 2}, {"header_cache.color.writebacks", 1},
                   {"framebuffer_compression.color.header_bytes", 64},
                   {"dram.color.write_bytes", 64 + 4 * 320});
   cm_gpu_destroy(gpu);
}

/* An image that was read before it was first stored, alone and between others. */
TEST(read_before_it_is_stored)
{
   for (unsigned others = 0; others < 2; others++) {
      struct cm_gpu *gpu = make_gpu(SETTINGS(ONE_UNIT));
      uint8_t sizes[64];
      memset(sizes, 20, sizeof sizes);
      const uint32_t ids[] = {2, 1, 3}; /* in the order of addresses */
      for (unsigned i = 0; i < 3; i++)
         define_texture(gpu, ids[i], 32, 32, 1);
      for (unsigned i = 0; i < 3; i += 2) {
         struct pass_builder *pass = storing_pass(sizes);
         pass->pass.color[0].resource = ids[i];
         if (others)
            pass_run(pass, gpu);
         pass_free(pass);
      }
      READ(gpu, {3, 0});
      expect_counters(gpu, {"framebuffer_compression.texture.raw_bytes", 0}, {"l2.texture.reads", 1});
      pass_run_and_free(storing_pass(sizes), gpu);
      READ(gpu, {3, 0});
      expect_counters(gpu, {"framebuffer_compression.texture.raw_bytes", 64},
                      {"framebuffer_compression.texture.body_bytes", 128});
      cm_gpu_destroy(gpu);
   }
}

/* What was read is stale when it is stored anew: pixels, bodies and headers. */
TEST(stored_anew)
{
   struct cm_gpu *gpu = store_all_with_caches(20, SETTINGS(ONE_UNIT));
   uint8_t sizes[64];
   memset(sizes, 16, sizeof sizes);
   READ(gpu, {0, 0});
   READ(gpu, {0, 0});
   expect_counters(gpu, {"l2.texture.misses", 3});
   pass_run_and_free(storing_pass(sizes), gpu);
   READ(gpu, {0, 0});
   /* Four blocks of 16 bytes. */
   expect_counters(gpu, {"texture_cache.texture.misses", 2}, {"texture_header_cache.texture.misses", 2},
                   {"l2.texture.reads", 5}, {"l2.texture.misses", 5}, {"dram.texture.read_bytes", 5 * 64});
   cm_gpu_destroy(gpu);
}

/* Shaders access it as an image: it is uncompressed from then on. */
TEST(storage)
{
   struct cm_gpu *gpu = store_all(0, SETTINGS(ONE_UNIT));
   uint8_t sizes[64] = {0};
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_storage storage = {.num_images = 1, .images = {{.resource = 1}}};
   READ(gpu, {0, 0}); /* the header of a superblock of one colour */
   pass->pass.num_storages = 1;
   pass->pass.storages = &storage;
   pass_run_and_free(pass, gpu);
   pass_run_and_free(storing_pass(sizes), gpu);
   READ(gpu, {0, 0});
   expect_counters(gpu, {"dram.color.write_bytes", 128 + 4096}, {"l2.texture.reads", 2},
                   {"framebuffer_compression.texture.raw_bytes", 64});
   cm_gpu_destroy(gpu);
}

/* ---- configurations -------------------------------------------------------------- */

TEST(refused)
{
   static const struct {
      const char *settings[3];
      const char *message;
   } cases[] = {
      {{"framebuffer_compression.superblock_width=24"},
       "framebuffer_compression.superblock_width: 24 is invalid"},
      {{"framebuffer_compression.superblock_width=64", "framebuffer_compression.superblock_height=64"},
       "framebuffer_compression.superblock_height: 64 x 64 pixels, expected at most 1024"},
      {{"tile.size=8"}, "framebuffer_compression.mode: blocks, but tiles are smaller"},
      {{"streams.texture=dram", "caches.texture_header_cache.size=0"},
       "framebuffer_compression.mode: blocks, but streams.texture begins"},
      {{"streams.color=l2"}, "caches.header_cache.next: dram, but streams.color begins at l2"},
      {{"streams.color=header_cache"}, "streams.color: header_cache has headers only"},
      {{"caches.texture_header_cache.next=tile_cache"}, "caches.texture_header_cache.next: tile_cache"},
      {{"caches.header_cache.size=0"}, NULL},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
      struct cm_config *config = test_compression_config(NULL);
      char error[512] = "";
      for (const char *const *setting = cases[c].settings; *setting; setting++)
         assert_true(cm_config_set(config, *setting, error, sizeof error));
      assert_int_equal(cm_config_validate(config, error, sizeof error), !cases[c].message);
      if (cases[c].message)
         assert_non_null(strstr(error, cases[c].message));
      cm_config_destroy(config);
   }
}
