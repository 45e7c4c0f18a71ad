/* SPDX-License-Identifier: MIT */
/* What the units of the pipeline do with a tile, counted by hand, in both modes and of passes that tell of hidden
 * quads or not. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

/* Two draws: an opaque one, which tests and writes depth, of a primitive of 3 attributes and 10 instructions; a
 * blended one that tests depth, of 2 attributes and 5 instructions, run for each of 2 samples. */
static struct pass_builder *
new_pass(enum cm_pass_kind kind)
{
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   builder->pass.kind = kind;
   pass_color(builder, 1, 4);
   const uint32_t tile = 0;
   struct cm_draw *opaque = pass_draw(builder);
   opaque->fragment_shader = (struct cm_shader){1, 10, 0};
   opaque->vertex_shader = (struct cm_shader){2, 20, 0};
   opaque->num_vertices = 7;
   opaque->tests = (struct cm_fragment_tests){.depth_test = true, .depth_write = true, .color_write = 1};
   pass_primitive(builder, 3, &tile, 1);
   struct cm_draw *blended = pass_draw(builder);
   blended->fragment_shader = (struct cm_shader){3, 5, 0};
   blended->vertex_shader = (struct cm_shader){4, 30, 0};
   blended->num_vertices = 2;
   blended->tests = (struct cm_fragment_tests){.depth_test = true, .color_write = 3, .color_read = 2};
   pass_primitive(builder, 2, &tile, 1);
   return builder;
}

#define QUAD(number, x_, live_, visible_, written_) \
   {.primitive = number, .x = x_, .live = live_, .covered = 15, .visible = visible_, .written = written_}

/* Of a pass of all fragments: three opaque quads, one of which has no live fragment and one is hidden later; one that
 * fails the early test; then two blended ones, of which one is discarded. */
static struct pass_builder *
full_pass(void)
{
   struct pass_builder *builder = new_pass(CM_PASS_FULL);
   const struct cm_quad opaque[] = {QUAD(0, 0, 15, 15, 15), QUAD(0, 1, 3, 0, 3), QUAD(0, 2, 0, 0, 0)};
   pass_quads(builder, 0, 0, CM_SHADE_DEFERRED, opaque, 3);
   const struct cm_quad failed = QUAD(0, 3, 0, 0, 0);
   uint32_t words[2 + CM_QUAD_WORDS] = {CM_EVENT_UNSHADED | 1u << 8, 0};
   memcpy(words + 2, &failed, sizeof failed);
   pass_words(builder, 0, words, 2 + CM_QUAD_WORDS);
   const uint32_t flush = CM_EVENT_FLUSH;
   pass_words(builder, 0, &flush, 1);
   const struct cm_quad blended[] = {QUAD(1, 0, 15, 15, 15), QUAD(1, 1, 15, 15, 0)};
   pass_quads(builder, 0, 1, 0, blended, 2);
   pass_quads(builder, 0, 1, CM_SHADE_CONTINUES, blended, 2);
   return builder;
}

/* What is left of it in mode tbdr. */
static struct pass_builder *
deferred_pass(void)
{
   struct pass_builder *builder = new_pass(CM_PASS_TBDR);
   const struct cm_quad opaque = QUAD(0, 0, 15, 15, 15);
   pass_quads(builder, 0, 0, 0, &opaque, 1);
   const struct cm_quad blended[] = {QUAD(1, 0, 15, 15, 15), QUAD(1, 1, 15, 15, 0)};
   pass_quads(builder, 0, 1, 0, blended, 2);
   pass_quads(builder, 0, 1, CM_SHADE_CONTINUES, blended, 2);
   return builder;
}

static void
check(struct pass_builder *builder, const char *mode, const struct expected_counter *expected)
{
   const char *const settings[] = {mode, "timing=on", NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   define_texture(gpu, 1, 32, 32, 1);
   pass_run(builder, gpu);
   assert_counters(gpu, expected);
   cm_gpu_destroy(gpu);
   pass_free(builder);
}

/* Four opaque quads and two blended ones, all with their attributes; two opaque quads and two runs of two blended ones
 * run; each run of the blended one that is left writes two attachments and reads one. */
TEST(tbr)
{
   static const struct expected_counter expected[] = {
      {"operations.vertex_instructions", 7 * 20 + 2 * 30},
      {"operations.quad_instructions", 2 * 10 + 4 * 5},
      {"operations.raster_quads", 4 + 2},
      {"operations.quad_attributes", 4 * 3 + 2 * 2},
      {"operations.depth_quads", 4 + 2},
      {"operations.depth_writes", 2},
      {"operations.color_writes", 2 + 2 * 2},
      {"operations.color_reads", 2},
      {NULL, 0},
   };
   check(full_pass(), "mode=tbr", expected);
}

/* Hidden surfaces are removed from all six; then the visible opaque one and the blended ones are rasterised again. */
TEST(tbdr)
{
   static const struct expected_counter expected[] = {
      {"operations.vertex_instructions", 7 * 20 + 2 * 30},
      {"operations.quad_instructions", 10 + 4 * 5},
      {"operations.raster_quads", 4 + 2 + 1 + 2},
      {"operations.quad_attributes", 3 + 2 * 2},
      {"operations.depth_quads", 4 + 2 + 1 + 2},
      {"operations.depth_writes", 2},
      {"operations.color_writes", 1 + 2 * 2},
      {"operations.color_reads", 2},
      {NULL, 0},
   };
   check(full_pass(), "mode=tbdr", expected);
}

/* The same of a pass that knows of visible quads only. */
TEST(visible_only)
{
   static const struct expected_counter expected[] = {
      {"operations.quad_instructions", 10 + 4 * 5},
      {"operations.raster_quads", 2 * (1 + 2)},
      {"operations.quad_attributes", 3 + 2 * 2},
      {"operations.depth_quads", 2 * (1 + 2)},
      {"operations.depth_writes", 1},
      {"operations.color_writes", 1 + 2 * 2},
      {"operations.color_reads", 2},
      {NULL, 0},
   };
   check(deferred_pass(), "mode=tbdr", expected);
}

/* What programs fetch is read for each quad that runs, written or not. */
TEST(fetch)
{
   static const struct expected_counter expected[] = {
      {"operations.color_writes", 2 + 2 * 2},
      {"operations.color_reads", 2 + 4 * 3},
      {NULL, 0},
   };
   struct pass_builder *builder = full_pass();
   builder->draws[1].tests.color_fetch = 7;
   check(builder, "mode=tbr", expected);
}

/* They are what energy is made of: 32 nm, the preset's keys. */
TEST(energy)
{
   static const struct expected_counter expected[] = {
      {"energy.vertex_stage.dynamic", (7 * 20 + 2 * 30) * 9257 / 1000},
      {"energy.fragment_stage.dynamic", (2 * 10 + 4 * 5) * 37028 / 1000},
      {"energy.rasterizer.dynamic", 6 * 4214 / 1000 + 16 * 181202 / 1000},
      {"energy.early_z.dynamic", 6 * 351 / 1000},
      {"energy.blending.dynamic", 2 * 6040 / 1000},
      {NULL, 0},
   };
   check(full_pass(), "mode=tbr", expected);
}
