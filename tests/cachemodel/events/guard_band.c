/* SPDX-License-Identifier: MIT */
/* Passes as a GPU with a guard band has them: primitives and events by hand, and what a simulated GPU counts of them. */
#include <stdlib.h>
#include <string.h>

#include "events/guard_band.h"
#include "support/pass_builder.h"
#include "support/test.h"

/* A full pass of 2 x 1 tiles of 32 pixels with a draw that reads a texture. */
static struct pass_builder *
new_pass(void)
{
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   pass->pass.kind = CM_PASS_FULL;
   for (unsigned d = 0; d < 2; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader = (struct cm_shader){.id = 7 + d, .instructions = 20};
      draw->num_textures = 1;
      draw->textures[0].resource = 1;
   }
   return pass;
}

static void
add_primitive(struct pass_builder *pass, uint32_t draw, bool continues, uint32_t num_tiles, uint32_t first)
{
   const uint32_t tiles[2] = {first, first + 1};
   pass_primitive(pass, 2, tiles, num_tiles);
   struct cm_primitive *added = &pass->primitives[pass->pass.num_primitives - 1];
   added->draw = draw;
   added->reach_pixels = continues ? 1000 : 0;
   added->reach_percent = continues ? 30 : 0;
}

static struct cm_quad
quad(uint32_t primitive, uint8_t x, uint8_t y, uint8_t live)
{
   return (struct cm_quad){.primitive = primitive,
                           .x = x,
                           .y = y,
                           .live = live,
                           .covered = live,
                           .visible = live,
                           .written = live};
}

static struct cm_footprint
footprint(uint8_t number, uint8_t live, uint8_t level, int16_t x)
{
   return (struct cm_footprint){.quad = number,
                                .live = live,
                                .level = level,
                                .texel = {{x, 0}, {x, 1}, {x, 2}, {x, 3}}};
}

static void
add_unshaded(struct pass_builder *pass, struct cm_quad added, uint32_t flags)
{
   const uint32_t words[2] = {CM_EVENT_UNSHADED | 1 << 8 | flags, 0};
   pass_words(pass, 0, words, 2);
   pass_words(pass, 0, &added, CM_QUAD_WORDS);
}

/* What is left of the tile's words, one after another. */
static const uint32_t *words, *words_end;

static const uint32_t *
next_word(uint32_t word)
{
   assert_true(words < words_end);
   const uint32_t *event = words;
   assert_int_equal(*event, word);
   words = cm_event_next(words);
   return event;
}

static void
expect_quad(uint32_t word, uint32_t draw, struct cm_quad expected)
{
   const uint32_t *event = next_word(word);
   assert_int_equal(event[1], draw);
   assert_memory_equal(event + 2, &expected, sizeof expected);
}

static void
begin_tile(struct cm_guard_band *band, uint32_t tile)
{
   assert_true(cm_guard_band_tile(band, tile));
   words = band->pass.tiles[tile].words;
   words_end = words + band->pass.tiles[tile].num_words;
}

#define ONE(flags) (CM_EVENT_SHADE | 1 << 8 | (flags))

/* A pass without parts stays what it is, and so does one that is not full. */
TEST(as_it_was)
{
   struct cm_guard_band band = {.pixels = 1000};
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 0);
   assert_ptr_equal(cm_guard_band_begin(&band, &pass->pass), &pass->pass);
   cm_guard_band_end(&band);
   add_primitive(pass, 0, true, 1, 0);
   pass->pass.kind = CM_PASS_TBDR;
   assert_ptr_equal(cm_guard_band_begin(&band, &pass->pass), &pass->pass);
   cm_guard_band_finish(&band);
   pass_free(pass);
}

/* A guard band that is too small leaves no triangle whole: in pixels, or in percent of the viewport. */
TEST(sizes)
{
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 0);
   add_primitive(pass, 0, true, 1, 0);
   const struct cm_guard_band sizes[] = {{.pixels = 1000},
                                         {.pixels = 1000, .percent = 30},
                                         {.pixels = 999},
                                         {.pixels = 2000, .percent = 29}};
   for (unsigned n = 0; n < 4; n++) {
      struct cm_guard_band band = sizes[n];
      assert_int_equal(cm_guard_band_begin(&band, &pass->pass)->num_primitives, n < 2 ? 1 : 2);
      cm_guard_band_finish(&band);
   }
   pass_free(pass);
}

/* Parts have the tiles of all once, and primitives behind them other numbers. */
TEST(primitives)
{
   struct cm_guard_band band = {.pixels = 1000};
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 1);
   add_primitive(pass, 0, false, 1, 1);
   add_primitive(pass, 0, true, 1, 0);
   add_primitive(pass, 0, true, 2, 0);
   add_primitive(pass, 1, false, 2, 0);
   const struct cm_quad last = quad(4, 0, 0, 15);
   pass_quads(pass, 1, 1, 0, &last, 1);
   const struct cm_pass *whole = cm_guard_band_begin(&band, &pass->pass);
   assert_ptr_equal(whole, &band.pass);
   assert_int_equal(whole->num_primitives, 3);
   assert_int_equal(whole->num_primitive_tiles, 5);
   const uint32_t tiles[] = {1, 0, 1, 0, 1}, firsts[] = {0, 1, 3};
   assert_memory_equal(whole->primitive_tiles, tiles, sizeof tiles);
   for (unsigned p = 0; p < 3; p++) {
      assert_int_equal(whole->primitives[p].first_tile, firsts[p]);
      assert_int_equal(whole->primitives[p].num_tiles, p ? 2 : 1);
      assert_int_equal(whole->primitives[p].num_attributes, 2);
      assert_int_equal(whole->primitives[p].draw, p == 2);
      assert_int_equal(whole->primitives[p].reach_pixels, 0);
   }
   begin_tile(&band, 1);
   expect_quad(ONE(0), 1, quad(2, 0, 0, 15));
   assert_ptr_equal(words, words_end);
   begin_tile(&band, 0);
   assert_ptr_equal(words, words_end);
   cm_guard_band_finish(&band);
   pass_free(pass);
}

/* Two parts that meet in a quad: one quad, whose instructions are those of both. What only one of them runs, and what reads
 * another level, is there as well. */
TEST(quads)
{
   struct cm_guard_band band = {.pixels = 1000};
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 0);
   add_primitive(pass, 0, false, 1, 0);
   add_primitive(pass, 0, true, 1, 0);
   const struct cm_quad first[] = {quad(0, 5, 5, 15), quad(1, 3, 2, 3), quad(1, 8, 0, 15)};
   const struct cm_footprint reads[] = {footprint(1, 3, 0, 10), footprint(2, 15, 0, 20)};
   const struct cm_footprint second_reads[] = {footprint(1, 1, 0, 30)};
   const struct cm_quad second[] = {quad(2, 3, 2, 12), quad(2, 0, 0, 8)};
   const struct cm_footprint others[] = {footprint(0, 12, 0, 40), footprint(0, 4, 1, 50),
                                         footprint(1, 8, 0, 60)};
   const struct cm_footprint only[] = {footprint(0, 4, 0, 70)};
   pass_quads(pass, 0, 0, CM_SHADE_DEFERRED, first, 3);
   pass_footprints(pass, 0, 0, reads, 2);
   pass_footprints(pass, 0, 1, second_reads, 1);
   pass_quads(pass, 0, 0, CM_SHADE_DEFERRED, second, 2);
   pass_footprints(pass, 0, 0, others, 3);
   pass_footprints(pass, 0, 2, only, 1);
   assert_non_null(cm_guard_band_begin(&band, &pass->pass));
   begin_tile(&band, 0);
   expect_quad(ONE(CM_SHADE_DEFERRED), 0, quad(0, 5, 5, 15));
   expect_quad(ONE(CM_SHADE_DEFERRED), 0, quad(1, 0, 0, 8));
   const struct cm_footprint *is = (const void *)(next_word(CM_EVENT_FOOTPRINTS | 1 << 8) + 1);
   struct cm_footprint expected = footprint(0, 8, 0, 60);
   assert_memory_equal(is, &expected, sizeof expected);
   expect_quad(ONE(CM_SHADE_DEFERRED), 0, quad(1, 3, 2, 15));
   is = (const void *)(next_word(CM_EVENT_FOOTPRINTS | 2 << 8) + 1);
   expected = (struct cm_footprint){.live = 15, .texel = {{10, 0}, {10, 1}, {40, 2}, {40, 3}}};
   assert_memory_equal(is, &expected, sizeof expected);
   expected = footprint(0, 4, 1, 50);
   assert_memory_equal(is + 1, &expected, sizeof expected);
   is = (const void *)(next_word(CM_EVENT_FOOTPRINTS | 1 << 8 | 1 << 16) + 1);
   expected = footprint(0, 1, 0, 30);
   assert_memory_equal(is, &expected, sizeof expected);
   is = (const void *)(next_word(CM_EVENT_FOOTPRINTS | 1 << 8 | 2 << 16) + 1);
   expected = footprint(0, 4, 0, 70);
   assert_memory_equal(is, &expected, sizeof expected);
   expect_quad(ONE(CM_SHADE_DEFERRED), 0, quad(1, 8, 0, 15));
   (void)next_word(CM_EVENT_FOOTPRINTS | 1 << 8);
   assert_ptr_equal(words, words_end);
   cm_guard_band_finish(&band);
   pass_free(pass);
}

/* A quad runs a region of its shader as often as that of its parts that runs it most. */
TEST(regions)
{
   const uint32_t expected[2][3] = {{7, 2, 300}, {7, 0, 9}};
   for (unsigned alone = 0; alone < 2; alone++) {
      struct cm_guard_band band = {.pixels = 1000};
      struct pass_builder *pass = new_pass();
      add_primitive(pass, 0, false, 1, 0);
      add_primitive(pass, 0, true, 1, 0);
      const struct cm_quad first[] = {quad(0, 1, 0, 15), quad(0, 0, 0, 3)}, second = quad(1, 0, 0, 12);
      pass_quads(pass, 0, 0, 0, first, 2);
      pass_regions(pass, 0, 2, (const uint32_t[]){7, 0, 9}, 3);
      pass_quads(pass, 0, 0, 0, &second, 1);
      if (!alone)
         pass_regions(pass, 0, 1, (const uint32_t[]){3, 2, 300}, 3);
      assert_non_null(cm_guard_band_begin(&band, &pass->pass));
      begin_tile(&band, 0);
      expect_quad(ONE(0), 0, quad(0, 0, 0, 15));
      const uint32_t *event = words;
      assert_int_equal(cm_event_type(*event), CM_EVENT_REGIONS);
      assert_int_equal(cm_regions_quads(*event), 1);
      for (uint32_t r = 0; r < 3; r++)
         assert_int_equal(cm_regions_runs(event, r + 1), expected[alone][r]);
      words = cm_event_next(words);
      expect_quad(ONE(0), 0, quad(0, 1, 0, 15));
      assert_ptr_equal(words, words_end);
      cm_guard_band_finish(&band);
      pass_free(pass);
   }
}

/* A quad whose fragments of one part fail the depth test is shaded for the other's; where all fail it is not, and is hidden by
 * its region only if all parts are. */
TEST(unshaded)
{
   struct cm_guard_band band = {.pixels = 1000};
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 0);
   add_primitive(pass, 0, true, 1, 0);
   struct cm_quad failed = quad(0, 0, 0, 0);
   failed.covered = 3;
   add_unshaded(pass, failed, CM_UNSHADED_HIDDEN);
   failed.x = 1;
   add_unshaded(pass, failed, CM_UNSHADED_HIDDEN);
   failed.x = 2;
   add_unshaded(pass, failed, CM_UNSHADED_HIDDEN);
   const struct cm_quad shaded = quad(1, 0, 0, 12);
   pass_quads(pass, 0, 0, 0, &shaded, 1);
   failed.primitive = 1;
   failed.covered = 12;
   add_unshaded(pass, failed, CM_UNSHADED_HIDDEN);
   failed.x = 1;
   add_unshaded(pass, failed, 0);
   assert_non_null(cm_guard_band_begin(&band, &pass->pass));
   begin_tile(&band, 0);
   struct cm_quad expected = quad(0, 0, 0, 12);
   expected.covered = 15;
   expect_quad(ONE(0), 0, expected);
   expected = quad(0, 1, 0, 0);
   expected.covered = 15;
   expect_quad(CM_EVENT_UNSHADED | 1 << 8, 0, expected);
   expected.x = 2;
   expect_quad(CM_EVENT_UNSHADED | 1 << 8 | CM_UNSHADED_HIDDEN, 0, expected);
   assert_ptr_equal(words, words_end);
   cm_guard_band_finish(&band);
   pass_free(pass);
}

/* A flush, another draw and the runs of a shader that runs once a sample are not joined across. */
TEST(apart)
{
   struct cm_guard_band band = {.pixels = 1000};
   struct pass_builder *pass = new_pass();
   add_primitive(pass, 0, false, 1, 0);
   add_primitive(pass, 0, true, 1, 0);
   const struct cm_quad parts[2] = {quad(0, 0, 0, 3), quad(1, 0, 0, 12)};
   const uint32_t flush = CM_EVENT_FLUSH;
   pass_quads(pass, 0, 0, 0, &parts[0], 1);
   pass_words(pass, 0, &flush, 1);
   for (unsigned p = 0; p < 2; p++) {
      pass_quads(pass, 0, 0, 1 << CM_SHADE_SAMPLE_SHIFT, &parts[p], 1);
      pass_quads(pass, 0, 0, CM_SHADE_CONTINUES | 2 << CM_SHADE_SAMPLE_SHIFT, &parts[p], 1);
   }
   assert_non_null(cm_guard_band_begin(&band, &pass->pass));
   begin_tile(&band, 0);
   expect_quad(ONE(0), 0, quad(0, 0, 0, 3));
   (void)next_word(CM_EVENT_FLUSH);
   for (unsigned p = 0; p < 2; p++) {
      expect_quad(ONE(1 << CM_SHADE_SAMPLE_SHIFT), 0, quad(0, 0, 0, p ? 12 : 3));
      expect_quad(ONE(CM_SHADE_CONTINUES | 2 << CM_SHADE_SAMPLE_SHIFT), 0, quad(0, 0, 0, p ? 12 : 3));
   }
   assert_ptr_equal(words, words_end);
   cm_guard_band_finish(&band);
   pass_free(pass);
}

/* What a GPU counts of two parts that meet in two quads, with a guard band and without; with several threads, too. */
TEST(counted)
{
   for (unsigned n = 0; n < 8; n++) {
      const bool on = n & 1;
      static const char *const modes[] = {"mode=tbr", "mode=tbdr"};
      struct cm_gpu *gpu = test_gpu((const char *const[]){modes[n >> 1 & 1],
                                                          on ? "primitive_assembly.guard_band=1000"
                                                             : "primitive_assembly.guard_band=999",
                                                          NULL});
      assert_true(cm_gpu_set_threads(gpu, n & 4 ? 3 : 1));
      define_texture(gpu, 1, 64, 64, 1);
      for (unsigned frame = 0; frame < 3; frame++) {
         struct pass_builder *pass = new_pass();
         add_primitive(pass, 0, false, 2, 0);
         add_primitive(pass, 0, true, 2, 0);
         for (uint32_t p = 0; p < 2; p++) {
            const struct cm_quad quads[] = {quad(p, 1, 1, p ? 12 : 3), quad(p, 2, 2, p ? 12 : 3),
                                            quad(p, (uint8_t)(4 + p), 2, 15)};
            const struct cm_footprint reads[] = {footprint(0, p ? 12 : 3, 0, 1),
                                                 footprint(1, p ? 12 : 3, 0, 9), footprint(2, 15, 0, 17)};
            pass_quads(pass, 0, 0, CM_SHADE_DEFERRED, quads, 3);
            pass_footprints(pass, 0, 0, reads, 3);
         }
         const uint32_t flush = CM_EVENT_FLUSH;
         pass_words(pass, 0, &flush, 1);
         pass_run_and_free(pass, gpu);
         (void)cm_gpu_frame_end(gpu);
      }
      expect_counters(gpu, {"tiling_engine.primitives", 3 * (on ? 1 : 2)},
                      {"tiling_engine.pmds", 3 * (on ? 2 : 4)},
                      {"tiling_engine.attributes", 3 * (on ? 2 : 4)},
                      {"fragment_stage.quads", 3 * (on ? 4 : 6)}, {"fragment_stage.fragments", 3 * 16},
                      {"fragment_stage.footprints", 3 * (on ? 4 : 6)});
      cm_gpu_destroy(gpu);
   }
}
