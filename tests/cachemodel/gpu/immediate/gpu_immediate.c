/* SPDX-License-Identifier: MIT */
/* The immediate-mode GPU on passes that are worked out by hand. Images are 6d: a block of 64 bytes is 4x4 pixels of 4
 * bytes, and block (x, y) of the first 32x32 pixels is number 8 * y + x. */
#include <stdio.h>
#include <string.h>

#include "analysis/stream_profile.h"
#include "gpu/immediate/immediate.h"
#include "memory/future.h"
#include "support/arrivals.h"
#include "support/full_pass.h"
#include "support/test.h"

enum { COLOR = 1, DEPTH, TEXTURE, WINDOW, SAMPLES, STENCIL, BUFFER };

static struct cm_gpu *
immediate_gpu(const char *const *settings)
{
   struct cm_config *config = test_config_of("imr-8m", settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   struct cm_resource_description image = describe_texture(64, 64, 1, 4);
   for (uint32_t id = COLOR; id <= STENCIL; id++) {
      image.id = id;
      image.is_displayable = id == WINDOW;
      image.samples = id == SAMPLES ? 4 : 1;
      image.block_bytes = id == STENCIL ? 1 : 4;
      cm_gpu_define_resource(gpu, &image);
   }
   define_buffer(gpu, BUFFER, 4096);
   return gpu;
}

static struct pass_builder *
immediate_pass(uint32_t color, uint32_t tile_size)
{
   struct pass_builder *pass = pass_new(0, 64, 64, tile_size);
   pass->pass.kind = CM_PASS_FULL;
   if (color)
      pass_color(pass, color, 4);
   return pass;
}

static void
add_depth(struct pass_builder *pass)
{
   pass->pass.depth = (struct cm_attachment){.resource = DEPTH, .pixel_bytes = 4};
}

static struct cm_draw *
add_draw(struct pass_builder *pass, struct cm_fragment_tests tests)
{
   struct cm_draw *draw = pass_draw(pass);
   draw->tests = tests;
   draw->num_textures = 1;
   draw->textures[0].resource = TEXTURE;
   return draw;
}

/* A primitive of the draw added last, on these tiles. */
static void
add_primitive(struct pass_builder *pass, uint32_t first_tile, uint32_t num_tiles)
{
   uint32_t tiles[64];
   for (uint32_t t = 0; t < num_tiles; t++)
      tiles[t] = first_tile + t;
   pass_primitive(pass, 1, tiles, num_tiles);
}

/* The four quads of a block of a tile, all fragments of which have these masks; the block's column and row. */
static void
add_block(struct pass_builder *pass, uint32_t tile, uint32_t word, uint32_t primitive, uint32_t column,
          uint32_t row, uint8_t live, uint8_t written)
{
   struct cm_quad quads[4];
   for (uint8_t q = 0; q < 4; q++)
      quads[q] = (struct cm_quad){.primitive = primitive,
                                  .x = (uint8_t)(column * 2 + q % 2),
                                  .y = (uint8_t)(row * 2 + q / 2),
                                  .covered = 15,
                                  .live = live & 15,
                                  .visible = live & 15,
                                  .written = written & 15};
   const uint32_t words[2] = {word | 4 << 8, pass->primitives[primitive].draw};
   pass_words(pass, tile, words, 2);
   pass_words(pass, tile, quads, 4 * CM_QUAD_WORDS);
}

/* The first quad of the group added last reads texel (x, 0). */
static void
add_read(struct pass_builder *pass, uint32_t tile, int16_t x)
{
   pass_footprints(pass, tile, 0, &(struct cm_footprint){.live = 1, .texel[0].x = x}, 1);
}

/* ---- what arrives at a unit, in letters -------------------------------- */

struct letters {
   char text[256];
   size_t count;
   uint64_t base; /* address 0 of blocks */
};

/* A stream's letter, small for reads, then the block's number from the resource's first one, if it is known. */
static void
write_letter(void *context, const struct cm_unit_arrival *arrival)
{
   struct letters *letters = context;
   static const char names[CM_STREAM_COUNT] = {
      [CM_STREAM_VERTEX] = 'V',  [CM_STREAM_TEXTURE] = 'T', [CM_STREAM_COLOR] = 'C',
      [CM_STREAM_DEPTH] = 'Z',   [CM_STREAM_STENCIL] = 'S', [CM_STREAM_HIZ] = 'H',
      [CM_STREAM_DISPLAY] = 'D',
   };
   const enum cm_access access = arrival->access;
   const char name = names[arrival->stream] ? names[arrival->stream] : '?';
   assert_int_equal(arrival->bytes, 64);
   assert_true(letters->count + 8 < sizeof letters->text);
   if (letters->base)
      letters->count += (size_t)sprintf(letters->text + letters->count, "%d ",
                                        (int)((arrival->address - letters->base) / 64));
   else
      letters->count +=
         (size_t)sprintf(letters->text + letters->count, "%c%s", access == CM_READ ? name + 32 : name,
                         access == CM_WRITE_BLOCK ? "!" : "");
}

#define ALL_IN_LLC                                                                        \
   "streams.vertex=llc", "streams.texture=llc", "streams.color=llc", "streams.depth=llc", \
      "streams.stencil=llc", "streams.hiz=llc", "streams.display=llc"

static struct cm_gpu *
spelling_gpu(struct test_arrivals *arrivals)
{
   struct cm_gpu *gpu = immediate_gpu((const char *const[]){ALL_IN_LLC, NULL});
   test_read_arrivals(gpu, CM_UNIT_LLC, arrivals);
   return gpu;
}

/* ---- the tests --------------------------------------------------------- */

/* Two primitives on two tiles of 8x8 pixels: the second tile's events of the first primitive come before the
 * first tile's of the second one, whatever the order of tiles. Blocks of tile 0 are 0, 1, 8, 9; of tile 1 2, 3, 10, 11.
 */
TEST(primitives_in_order)
{
   struct letters letters = {.base = 4096};
   struct test_arrivals arrivals = {.access = write_letter, .context = &letters};
   struct cm_gpu *gpu = immediate_gpu((const char *const[]){"tile.order=scanline", NULL});
   test_read_arrivals(gpu, CM_UNIT_COLOR_CACHE, &arrivals);
   struct pass_builder *pass = immediate_pass(COLOR, 8);
   add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
   add_primitive(pass, 1, 1);
   add_primitive(pass, 0, 2);
   add_block(pass, 0, CM_EVENT_SHADE, 1, 1, 1, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 1, 0, 0, 15, 15); /* not in the order of places */
   add_block(pass, 1, CM_EVENT_SHADE, 0, 0, 1, 15, 15);
   add_block(pass, 1, CM_EVENT_SHADE, 1, 1, 0, 15, 15);
   pass_run_and_free(pass, gpu);
   assert_string_equal(letters.text, "10 0 9 3 ");
   expect_counters(gpu, {"gpu.passes", 1}, {"gpu.draws", 1}, {"tiling_engine.primitives", 0},
                   {"tiling_engine.tiles", 0}, {"rasterizer.primitives", 2}, {"rasterizer.quads", 16},
                   {"rasterizer.failed_quads", 0}, {"fragment_stage.quads", 16},
                   {"fragment_stage.fragments", 64}, {"color_cache.color.writes", 4},
                   {"color_cache.color.fills", 0}, {"llc.color.writes", 4}, {"dram.total.reads", 0});
   cm_gpu_destroy(gpu);
}

/* Tests before the program, after it, and after it where a fragment was dropped before. */
TEST(early_and_late)
{
   struct letters letters = {.count = 0};
   struct test_arrivals arrivals = {.access = write_letter, .context = &letters};
   struct cm_gpu *gpu = spelling_gpu(&arrivals);
   struct pass_builder *pass = immediate_pass(COLOR, 32);
   add_depth(pass);
   pass->pass.stencil = (struct cm_attachment){.resource = STENCIL, .pixel_bytes = 1};
   const struct cm_fragment_tests early = {
      .depth_test = true, .depth_write = true, .stencil_test = true, .color_write = 1, .color_read = 1};
   struct cm_fragment_tests late = early;
   late.late = true;
   late.stencil_write = true;
   late.color_read = 0;
   add_draw(pass, early);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 7);
   add_read(pass, 0, 0);
   add_draw(pass, late);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 1, 1, 0, 15, 15);
   add_read(pass, 0, 4);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 2, 2, 0, 7, 3);
   add_read(pass, 0, 8);
   struct cm_fragment_tests fetching = late;
   fetching.color_fetch = 1;
   fetching.depth_fetch = true;
   add_draw(pass, fetching);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 3, 3, 0, 15, 0);
   add_read(pass, 0, 12);
   pass_run_and_free(pass, gpu);
   /* Depth of the first block is overwritten whole, its colour in part; HiZ is told each time. A block of stencil is 4
    * blocks of pixels: written in part. What is fetched comes before the program, also where nothing is written. */
   assert_string_equal(letters.text, "szZ!tcCH"
                                     "tszSZ!C!H"
                                     "sztSZCH"
                                     "zctszS");
   cm_gpu_destroy(gpu);
}

/* Two blocks of one region and one of another. HiZ hides the second block, then all. */
TEST(hierarchical_depth)
{
   struct letters letters = {.count = 0};
   struct test_arrivals arrivals = {.access = write_letter, .context = &letters};
   struct cm_gpu *gpu = spelling_gpu(&arrivals);
   struct pass_builder *pass = immediate_pass(COLOR, 16);
   add_depth(pass);
   const struct cm_fragment_tests tests = {.depth_test = true,
                                           .depth_write = true,
                                           .hierarchical = true,
                                           .color_write = 1};
   add_draw(pass, tests);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 1, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 2, 0, 15, 15);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_UNSHADED | CM_UNSHADED_HIDDEN, 1, 1, 0, 0, 0);
   add_block(pass, 0, CM_EVENT_UNSHADED, 1, 0, 0, 0, 0);
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_UNSHADED | CM_UNSHADED_HIDDEN, 2, 0, 0, 0, 0);
   add_block(pass, 0, CM_EVENT_UNSHADED | CM_UNSHADED_HIDDEN, 2, 3, 1, 0, 0);
   pass_run_and_free(pass, gpu);
   assert_string_equal(letters.text, "hzZ!C!zZ!C!H" /* a test and an update a region */
                                     "hzZ!C!H"
                                     "hz" /* one block is looked at, and fails */
                                     "hh");
   expect_counters(gpu, {"rasterizer.quads", 28}, {"rasterizer.failed_quads", 4},
                   {"rasterizer.hidden_quads", 12}, {"rasterizer.hiz_tests", 5},
                   {"rasterizer.hidden_regions", 2}, {"fragment_stage.quads", 12});
   cm_gpu_destroy(gpu);
}

/* A primitive of more quads than are run together, whose parts would not end with regions by themselves. */
TEST(parts)
{
   struct cm_gpu *gpu = immediate_gpu((const char *const[]){NULL});
   struct pass_builder *pass = pass_new(0, 256, 256, 32);
   uint32_t tiles[64];
   pass->pass.kind = CM_PASS_FULL;
   for (uint32_t id = 20; id < 22; id++)
      define_texture(gpu, id, 256, 256, 1);
   pass_color(pass, 20, 4);
   pass->pass.depth = (struct cm_attachment){.resource = 21, .pixel_bytes = 4};
   add_draw(pass, (struct cm_fragment_tests){
                     .depth_test = true, .depth_write = true, .hierarchical = true, .color_write = 1});
   for (uint32_t t = 0; t < 64; t++)
      tiles[t] = t;
   pass_primitive(pass, 1, tiles, 64);
   for (uint32_t b = 1; b < 64 * 64; b++)
      add_block(pass, b / 64, CM_EVENT_SHADE, 0, b % 8, b / 8 % 8, 15, 15);
   pass_run_and_free(pass, gpu);
   static_assert(CM_PRIMITIVE_RUN_QUADS % 16 == 0 && 2 * CM_PRIMITIVE_RUN_QUADS < 4 * 64 * 64,
                 "several parts");
   expect_counters(gpu, {"rasterizer.primitives", 1}, {"rasterizer.quads", 4 * (64 * 64 - 1)},
                   {"rasterizer.hiz_tests", 32 * 32}, {"hiz_cache.hiz.reads", 32 * 32},
                   {"hiz_cache.hiz.writes", 32 * 32}, {"color_cache.color.writes", 64 * 64 - 1});
   cm_gpu_destroy(gpu);
}

/* Stencil in the pixels of depth is accessed there, with it, and leaves a part of each pixel as it was. Draws
 * without a program write depth all the same. */
TEST(shared_stencil)
{
   struct letters letters = {.count = 0};
   struct test_arrivals arrivals = {.access = write_letter, .context = &letters};
   struct cm_gpu *gpu = spelling_gpu(&arrivals);
   struct pass_builder *pass = immediate_pass(0, 32);
   add_depth(pass);
   pass->pass.stencil = (struct cm_attachment){.resource = DEPTH};
   add_draw(pass, (struct cm_fragment_tests){.depth_test = true, .depth_write = true, .stencil_test = true});
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_UNSHADED, 0, 0, 0, 15, 15);
   add_draw(pass, (struct cm_fragment_tests){.stencil_test = true, .stencil_write = true});
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_UNSHADED, 1, 0, 0, 0, 0);
   pass_run_and_free(pass, gpu);
   assert_string_equal(letters.text, "zZH"
                                     "zZ");
   cm_gpu_destroy(gpu);
}

/* A whole block is written without being read; a part of one is not, nor what is blended. */
TEST(blocks_of_colour)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   struct pass_builder *pass = immediate_pass(COLOR, 32);
   add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 1, 0, 15, 14);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 2, 0, 15, 0); /* discarded */
   add_draw(pass, (struct cm_fragment_tests){.color_write = 1, .color_read = 1});
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 1, 3, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 1, 0, 0, 15, 15);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"color_cache.color.writes", 4}, {"color_cache.color.reads", 2},
                   {"color_cache.color.misses", 3}, {"color_cache.color.fills", 2},
                   {"color_cache.color.writebacks", 3}, {"color_cache.color.invalidations", 3},
                   {"llc.color.reads", 2}, {"llc.color.writes", 3}, {"dram.color.reads", 2});
   cm_gpu_destroy(gpu);
}

/* The blocks of the test before, where a write is never one of a whole block: each that misses is read, and its write-back hits in
 * the LLC. A block that has its clear value from a bit is written whole all the same. */
TEST(blocks_of_colour_in_parts)
{
   for (unsigned cleared = 0; cleared < 2; cleared++) {
      struct cm_gpu *gpu = immediate_gpu(
         (const char *const[]){"immediate.pixel_writes=partial", "immediate.clears=fast", NULL});
      struct pass_builder *pass = immediate_pass(COLOR, 32);
      pass->pass.color[0].clear = cleared;
      pass->touched[0] = true; /* 8x8 blocks */
      add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
      add_primitive(pass, 0, 1);
      add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
      add_block(pass, 0, CM_EVENT_SHADE, 0, 1, 0, 15, 14);
      add_block(pass, 0, CM_EVENT_SHADE, 0, 2, 0, 15, 15);
      add_primitive(pass, 0, 1);
      add_block(pass, 0, CM_EVENT_SHADE, 1, 2, 0, 15, 15); /* hits */
      pass_run_and_free(pass, gpu);
      expect_counters(gpu, {"color_cache.color.writes", 4}, {"color_cache.color.reads", 0},
                      {"color_cache.color.misses", 3}, {"color_cache.color.fills", cleared ? 0 : 3},
                      {"llc.color.reads", cleared ? 0 : 3}, {"llc.color.writes", 3},
                      {"llc.color.hits", cleared ? 0 : 3}, {"dram.color.reads", cleared ? 0 : 3});
      cm_gpu_destroy(gpu);
   }
}

/* Of 62x62 pixels, the last block of a row of blocks has 2 columns, the last one of all 2x2 pixels, which are one
 * quad: what lies beyond the edge belongs to no pixel, and need not be read. */
TEST(edges)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   const uint32_t odd = BUFFER + 1;
   define_texture(gpu, odd, 62, 62, 1);
   struct pass_builder *pass = pass_new(0, 62, 62, 32);
   pass->pass.kind = CM_PASS_FULL;
   pass_color(pass, odd, 4);
   add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
   add_primitive(pass, 1, 3);
   static const struct {
      uint32_t tile;
      uint8_t x, y;
   } places[] = {{1, 14, 0}, {1, 14, 1}, {2, 0, 14}, {2, 1, 14}, {3, 14, 14}, {1, 14, 2}};
   for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
      const struct cm_quad quad = {
         .x = places[i].x, .y = places[i].y, .covered = 15, .live = 15, .visible = 15, .written = 15};
      pass_quads(pass, places[i].tile, 0, 0, &quad, 1);
   }
   pass_run_and_free(pass, gpu);
   /* The block of the last quad has another one, which is not written. */
   expect_counters(gpu, {"color_cache.color.writes", 4}, {"color_cache.color.fills", 1});
   cm_gpu_destroy(gpu);
}

/* 64x64 pixels are 256 blocks of 64 bytes, and 4 blocks of HiZ. Only tiles that are touched are cleared. */
TEST(clears)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   struct pass_builder *pass = immediate_pass(COLOR, 16);
   add_depth(pass);
   pass->pass.color[0].clear = pass->pass.depth.clear = true;
   for (unsigned t = 0; t < 16; t++)
      pass->touched[t] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"color_cache.color.writes", 256}, {"depth_cache.depth.writes", 256},
                   {"hiz_cache.hiz.writes", 4}, {"llc.total.reads", 0}, {"llc.color.writes", 256},
                   {"llc.depth.writes", 256}, {"llc.hiz.writes", 4}, {"dram.total.reads", 0});
   /* Two tiles of 16x16 pixels are 32 blocks; HiZ of both is a part of one block. */
   memset(pass->touched, 0, sizeof pass->touched);
   pass->touched[0] = pass->touched[5] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"color_cache.color.writes", 256 + 32}, {"depth_cache.depth.writes", 256 + 32},
                   {"hiz_cache.hiz.writes", 4 + 2}, {"hiz_cache.hiz.fills", 1});
   /* Depth is cleared next to the stencil that it shares pixels with. */
   pass->pass.num_color = 0;
   pass->pass.stencil = (struct cm_attachment){.resource = DEPTH, .load = true};
   pass_run(pass, gpu);
   expect_counters(gpu, {"depth_cache.depth.reads", 32}, {"depth_cache.depth.writes", 256 + 32 + 32},
                   {"stencil_cache.total.writes", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* A pass that clears colour and depth of 64x64 pixels, 256 blocks each, 4 blocks of HiZ, and draws a block of 4x4
 * pixels and a part of one. */
static struct pass_builder *
clearing_pass(uint32_t color)
{
   struct pass_builder *pass = immediate_pass(color, 16);
   add_depth(pass);
   pass->pass.color[0].clear = pass->pass.depth.clear = true;
   for (unsigned t = 0; t < 16; t++)
      pass->touched[t] = true;
   add_draw(pass, (struct cm_fragment_tests){.depth_test = true,
                                             .depth_write = true,
                                             .hierarchical = true,
                                             .color_write = 1,
                                             .color_read = 1});
   add_primitive(pass, 0, 1);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 1, 0, 7, 7);
   return pass;
}

/* A fast clear accesses nothing; nor does a read of what it has cleared; a write fetches nothing. The texture unit and
 * the display get what is left in memory. */
TEST(fast_clears)
{
   static const char *const fast[] = {"immediate.clears=fast", NULL};
   for (unsigned shown = 0; shown < 2; shown++) {
      struct cm_gpu *gpu = immediate_gpu(fast);
      pass_run_and_free(clearing_pass(shown ? WINDOW : TEXTURE), gpu);
      expect_counters(gpu, {"depth_cache.depth.reads", 0}, {"depth_cache.depth.writes", 2},
                      {"depth_cache.depth.fills", 0}, {"hiz_cache.hiz.reads", 0}, {"hiz_cache.hiz.writes", 1},
                      {"hiz_cache.hiz.fills", 0},
                      {shown ? "color_cache.display.reads" : "color_cache.color.reads", 0},
                      {shown ? "color_cache.display.writes" : "color_cache.color.writes", shown ? 256 : 2},
                      {"llc.total.reads", 0}, {"llc.depth.writes", 2}, {"llc.hiz.writes", 1},
                      {shown ? "llc.display.writes" : "llc.color.writes", shown ? 256 : 2},
                      {"fast_clear.blocks", 256 + 256 + 4}, {"fast_clear.reads", 2 + 1 + 2},
                      {"fast_clear.written", 2 + 1 + 2}, {"fast_clear.eliminated", shown ? 254 : 0});
      /* A later pass: it may sample colour, and has the depth of the first one. */
      struct pass_builder *pass = immediate_pass(COLOR, 16);
      add_depth(pass);
      add_draw(pass, (struct cm_fragment_tests){.depth_test = true, .color_write = 1});
      add_primitive(pass, 0, 1);
      add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
      add_block(pass, 0, CM_EVENT_SHADE, 0, 2, 0, 15, 15);
      pass_run(pass, gpu);
      expect_counters(gpu, {"depth_cache.depth.reads", 1}, /* the other block is still cleared */
                      {"color_cache.color.writes", shown ? 2 : 2 + 254 + 2},
                      {"llc.color.writes", shown ? 2 : 2 + 254 + 2}, {"llc.depth.reads", 1},
                      {"fast_clear.reads", 5 + 1}, {"fast_clear.eliminated", 254});
      pass_run(pass, gpu); /* nothing is left */
      expect_counters(gpu, {"fast_clear.eliminated", 254});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* The render caches keep the attachments for the next pass, until it samples them. */
TEST(kept_caches)
{
   static const char *const kept[] = {"immediate.render_caches=kept", NULL};
   for (unsigned keeps = 0; keeps < 2; keeps++) {
      struct cm_gpu *gpu = immediate_gpu(keeps ? kept : NULL);
      for (unsigned p = 0; p < 3; p++) {
         const bool samples = p == 2;
         struct pass_builder *pass = immediate_pass(samples ? COLOR : TEXTURE, 32);
         add_depth(pass);
         struct cm_draw *draw = add_draw(pass, (struct cm_fragment_tests){.depth_test = true,
                                                                          .depth_write = true,
                                                                          .color_write = 1,
                                                                          .color_read = 1});
         draw->num_textures = samples;
         add_primitive(pass, 0, 1);
         add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
         if (samples)
            add_read(pass, 0, 0);
         pass_run_and_free(pass, gpu);
      }
      expect_counters(gpu, {"depth_cache.depth.misses", keeps ? 1 : 3},
                      {"depth_cache.depth.writebacks", keeps ? 0 : 3},
                      {"hiz_cache.hiz.misses", keeps ? 1 : 3}, {"color_cache.color.misses", keeps ? 2 : 3},
                      {"color_cache.color.writebacks", keeps ? 1 : 3}, /* before the third pass */
                      {"llc.texture.hits", 1}, {"dram.texture.reads", 0});
      cm_gpu_destroy(gpu);
   }
   /* A window is displayed at the end of any pass. */
   struct cm_gpu *gpu = immediate_gpu(kept);
   pass_run_and_free(clearing_pass(WINDOW), gpu);
   expect_counters(gpu, {"color_cache.display.writebacks", 256});
   cm_gpu_destroy(gpu);
}

static void
profile_access(void *context, const struct cm_unit_arrival *arrival)
{
   cm_stream_profile_access(context, arrival->address, arrival->stream, arrival->access);
}

/* Samples 8x8 pixels, renders them, and samples them again. */
static void
render_and_sample(struct cm_gpu *gpu)
{
   for (unsigned p = 0; p < 3; p++) {
      const bool samples = p != 1;
      struct pass_builder *pass = immediate_pass(samples ? COLOR : TEXTURE, 32);
      struct cm_draw *draw = add_draw(pass, (struct cm_fragment_tests){.color_write = samples ? 0 : 1});
      draw->num_textures = samples;
      add_primitive(pass, 0, 1);
      for (uint32_t block = 0; block < 4; block++) {
         add_block(pass, 0, CM_EVENT_SHADE, 0, block % 2, block / 2, 15, 15);
         if (samples)
            pass_footprints(pass, 0, 0,
                            &(struct cm_footprint){.live = 1,
                                                   .texel[0].x = (int16_t)(block % 2 * 4),
                                                   .texel[0].y = (int16_t)(block / 2 * 4)},
                            1);
      }
      pass_run_and_free(pass, gpu);
   }
}

static void
expect_rendered(struct cm_gpu *gpu)
{
   expect_counters(gpu, {"texture_cache.texture.reads", 8}, {"texture_cache.texture.misses", 8},
                   {"texture_cache.texture.invalidations", 4}, {"texture_cache_l3.texture.invalidations", 4},
                   {"llc.texture.misses", 4}, /* of the first pass */
                   {"llc.texture.hits", 4}, {"llc.color.hits", 4}, {"dram.texture.reads", 4},
                   {"dram.color.writes", 0});
}

/* One pass renders 8x8 pixels, the next one samples them: at the same addresses, in the LLC, where they are render
 * targets until then. What texture caches had of them before is old. */
TEST(render_to_texture)
{
   struct cm_config *config = test_config_of("imr-8m", NULL);
   struct cm_dram dram = {0};
   struct cm_cache llc;
   assert_true(cm_cache_init(&llc, &config->caches[CM_UNIT_LLC], NULL, &dram));
   struct cm_stream_profile *profile = cm_stream_profile_create(&config->caches[CM_UNIT_LLC], &llc);
   cm_config_destroy(config);
   struct test_arrivals arrivals = {.access = profile_access, .context = profile};
   struct cm_gpu *gpu = immediate_gpu(NULL);
   test_read_arrivals(gpu, CM_UNIT_LLC, &arrivals);
   render_and_sample(gpu);
   expect_rendered(gpu);
   const struct cm_stream_profile_counts *counts = cm_stream_profile_counts(profile);
   assert_int_equal(counts->produced, 4);
   assert_int_equal(counts->consumed, 4);
   assert_int_equal(counts->inter_stream_hits, 4);
   cm_gpu_destroy(gpu);
   cm_stream_profile_destroy(profile);
   cm_cache_finish(&llc);
}

/* The same where shading workers render: the GPU knows what they have written. */
TEST(render_to_texture_on_threads)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   assert_true(cm_gpu_shades_on_threads(gpu, 3) && cm_gpu_set_threads(gpu, 3));
   render_and_sample(gpu);
   expect_rendered(gpu);
   cm_gpu_destroy(gpu);
}

/* A window's colours are of the stream display, its depth is depth. They pass by the LLC if they are told to, and
 * are in the render target cache all the same. */
TEST(display)
{
   static const char *const uncached[] = {"llc.uncached_display=true", NULL};
   for (unsigned u = 0; u < 2; u++) {
      struct cm_gpu *gpu = immediate_gpu(u ? uncached : NULL);
      struct pass_builder *pass = immediate_pass(WINDOW, 32);
      add_depth(pass);
      add_draw(pass, (struct cm_fragment_tests){.depth_test = true, .color_write = 1, .color_read = 1});
      for (unsigned p = 0; p < 2; p++) {
         add_primitive(pass, 0, 1);
         add_block(pass, 0, CM_EVENT_SHADE, p, 0, 0, 15, 15);
      }
      pass_run_and_free(pass, gpu);
      expect_counters(gpu, {"color_cache.display.reads", 2}, {"color_cache.display.hits", 3},
                      {"color_cache.color.reads", 0}, {"llc.display.reads", 1}, {"llc.display.writes", 1},
                      {"llc.display.bypasses", u ? 2 : 0}, {"llc.display.misses", u ? 0 : 1},
                      {"llc.display.hits", u ? 0 : 1}, {"llc.color.reads", 0}, {"llc.depth.reads", 1},
                      {"llc.depth.bypasses", 0}, {"dram.display.reads", 1}, {"dram.display.writes", u});
      cm_gpu_destroy(gpu);
   }
}

/* In a tile-based mode there is a stream of what is displayed where the configuration has it. */
TEST(display_of_tiles)
{
   static const char *const with_display[] = {"streams.display=l2", NULL};
   for (unsigned has_it = 0; has_it < 2; has_it++) {
      struct cm_gpu *gpu = test_gpu(has_it ? with_display : NULL);
      struct cm_resource_description window = describe_texture(64, 64, 1, 4);
      window.is_displayable = true;
      cm_gpu_define_resource(gpu, &window);
      struct pass_builder *pass = pass_new(0, 64, 64, 32);
      pass_color(pass, 1, 4);
      pass->touched[0] = true;
      pass_run_and_free(pass, gpu);
      expect_counters(gpu, {has_it ? "l2.display.writes" : "dram.color.writes", 64},
                      {has_it ? "dram.color.writes" : "dram.total.writes", has_it ? 0 : 64});
      assert_int_equal(cm_counter_table_find(cm_gpu_counters(gpu), "dram.display.writes") >= 0, has_it);
      cm_gpu_destroy(gpu);
   }
}

/* A block of 4x4 pixels of 4 samples of 4 bytes is 4 blocks of memory. The resolve reads all samples of 64x64 pixels,
 * 1024 blocks, and writes the 256 of the target. */
TEST(samples)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   struct pass_builder *pass = immediate_pass(SAMPLES, 32);
   pass->pass.resolve[0] = (struct cm_resolve){.resource = WINDOW, .x1 = 64, .y1 = 64};
   add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
   add_primitive(pass, 0, 4);
   add_block(pass, 0, CM_EVENT_SHADE, 0, 0, 0, 15, 15);
   add_block(pass, 0, CM_EVENT_SHADE | 1 << CM_SHADE_SAMPLE_SHIFT, 0, 1, 0, 3, 1);
   add_block(pass, 0, CM_EVENT_SHADE | CM_SHADE_CONTINUES | 2 << CM_SHADE_SAMPLE_SHIFT, 0, 1, 0, 15, 14);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"fragment_stage.quads", 12}, {"fragment_stage.fragments", 16 + 8 + 16},
                   {"color_cache.color.writes", 8}, {"color_cache.color.reads", 1024},
                   {"color_cache.display.writes", 256}, {"llc.color.reads", 1024 - 8},
                   {"llc.display.reads", 0}, {"llc.display.writes", 256});
   cm_gpu_destroy(gpu);
}

/* The Vertex Stage runs draw by draw, before the primitives of each; draws without any have their turn. */
TEST(vertices)
{
   struct letters letters = {.count = 0};
   struct test_arrivals arrivals = {.access = write_letter, .context = &letters};
   struct cm_gpu *gpu = spelling_gpu(&arrivals);
   struct pass_builder *pass = immediate_pass(COLOR, 32);
   for (unsigned d = 0; d < 4; d++) {
      struct cm_draw *draw = add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
      draw->num_elements = 1;
      draw->elements[0] = (struct cm_vertex_element){.buffer = BUFFER, .stride = 16, .bytes = 16};
      draw->num_vertices = 1 + d;
      if (d % 2 == 0) {
         add_primitive(pass, 0, 1);
         add_block(pass, 0, CM_EVENT_SHADE, d / 2, d, 0, 15, 15);
      }
   }
   pass_run_and_free(pass, gpu);
   assert_string_equal(letters.text, "vC!vvvvvC!vvvv");
   cm_gpu_destroy(gpu);
}

/* Clusters take blocks by their place in the attachment: block (x, y) of 4x4 pixels is number x + 2 y of the first
 * 2x2, so that it is of cluster x + 2 y; each takes up the program once per draw. */
TEST(clusters)
{
   struct cm_gpu *gpu = immediate_gpu(NULL);
   struct pass_builder *pass = immediate_pass(COLOR, 8);
   struct cm_draw *draw = add_draw(pass, (struct cm_fragment_tests){.color_write = 1});
   draw->fragment_shader = (struct cm_shader){.id = 1, .instructions = 8};
   add_primitive(pass, 0, 2);
   for (uint32_t n = 0; n < 3;
        n++) { /* blocks 0, 1 of tile 0, block 0 of tile 1: columns 0, 1 and 2: number 4 */
      add_block(pass, n / 2, CM_EVENT_SHADE, 0, n % 2, 0, 15, 15);
      add_read(pass, n / 2, 0);
   }
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"fragment_stage.program_switches", 3}, {"fragment_stage.footprints", 3},
                   {"instruction_cache.shader.reads", 3}, {"texture_cache.0.texture.reads", 1},
                   {"texture_cache.1.texture.reads", 1}, {"texture_cache.4.texture.reads", 1},
                   {"texture_cache_l2.4.texture.reads", 1}, {"texture_cache_l2.texture.misses", 3},
                   {"texture_cache_l3.texture.reads", 3}, {"texture_cache_l3.texture.misses", 1});
   cm_gpu_destroy(gpu);
}

/* ---- policies that know the future ------------------------------------- */

static uint64_t
llc_misses(const char *const *settings)
{
   struct cm_config *config = test_config_of("imr-8m", settings);
   struct cm_futures *futures = cm_futures_create(config);
   uint64_t misses = 0;
   for (bool last = false; !last;) {
      char error[256];
      struct cm_gpu *gpu = cm_gpu_create_with_futures(config, futures, NULL, 0);
      assert_non_null(gpu);
      define_full_resources(gpu);
      for (uint64_t seed = 0; seed < 16; seed++) {
         struct full_model *model = full_model(seed);
         struct pass_builder *pass = full_pass(model, 32, seed);
         pass_run_and_free(pass, gpu);
         full_model_free(model);
      }
      last = cm_futures_is_last_pass(futures);
      misses = cm_gpu_total(gpu)[cm_counter_table_find(cm_gpu_counters(gpu), "llc.total.misses")];
      cm_gpu_destroy(gpu);
      if (!cm_futures_end_pass(futures, error, sizeof error))
         fail_msg("%s", error);
   }
   cm_futures_destroy(futures);
   cm_config_destroy(config);
   return misses;
}

TEST(optimum)
{
   static const char *const policies[] = {"llc.policy=lru", "llc.policy=nru", "llc.policy=drrip",
                                          "llc.policy=gspc"};
   const uint64_t optimum = llc_misses(
      (const char *const[]){"llc.policy=opt", "llc.size=262144", "llc.uncached_display=true", NULL});
   assert_true(optimum > 1000);
   for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++)
      assert_true(llc_misses((const char *const[]){policies[p], "llc.size=262144",
                                                   "llc.uncached_display=true", NULL}) > optimum);
}
