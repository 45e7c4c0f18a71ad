/* SPDX-License-Identifier: MIT */
/* Shaders with control flow: instructions, cycles and work follow how often quads, vertices and invocations ran the regions of
 * their shader's code, by hand. */
#include <stdlib.h>
#include <string.h>

#include "support/compute_pass.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define SHADER 9
#define TEXT 1000 /* instructions that such shaders say they have */

/* Regions of 10, 7 and 100 instructions. */
static const struct cm_code_region regions[] = {
   {.operations = {[CM_PIPE_ISSUE] = 10, [CM_PIPE_FMA] = 4}},
   {.operations = {[CM_PIPE_ISSUE] = 7}},
   {.operations = {[CM_PIPE_ISSUE] = 100, [CM_PIPE_FMA] = 1}},
};

static struct cm_shader_code
make_code(enum cm_shader_stage stage, uint32_t shader, uint32_t num_regions)
{
   return (struct cm_shader_code){.stage = stage,
                                  .shader = shader,
                                  .num_regions = num_regions,
                                  .regions = regions};
}

static void
define_code(struct cm_gpu *gpu, enum cm_shader_stage stage)
{
   const struct cm_shader_code code = make_code(stage, SHADER, 3);
   cm_gpu_define_code(gpu, &code);
}

/* ---- codes --------------------------------------------------------------------- */

TEST(codes_are_found)
{
   struct cm_shader_codes codes = {0};
   for (uint32_t shader = 300; shader > 0; shader--) {
      struct cm_shader_code code =
         make_code(shader % 2 ? CM_SHADER_FRAGMENT : CM_SHADER_VERTEX, shader, 1 + shader % 3);
      assert_true(cm_shader_codes_define(&codes, &code));
      code.isa = CM_ISA_BIFROST;
      code.part = CM_CODE_VARYINGS;
      code.bytes = shader;
      assert_true(cm_shader_codes_define(&codes, &code));
      code.bytes = 2 * shader; /* in its place */
      assert_true(cm_shader_codes_define(&codes, &code));
   }
   assert_int_equal(codes.count, 600);
   for (uint32_t shader = 1; shader <= 300; shader++) {
      const enum cm_shader_stage stage = shader % 2 ? CM_SHADER_FRAGMENT : CM_SHADER_VERTEX;
      const enum cm_shader_stage other = shader % 2 ? CM_SHADER_VERTEX : CM_SHADER_FRAGMENT;
      const struct cm_shader_code *code =
         cm_shader_codes_find(&codes, stage, shader, CM_ISA_BIFROST, CM_CODE_VARYINGS);
      assert_int_equal(code->bytes, 2 * shader);
      assert_int_equal(code->num_regions, 1 + shader % 3);
      assert_memory_equal(code->regions, regions, code->num_regions * sizeof *regions);
      assert_null(cm_shader_codes_find(&codes, other, shader, CM_ISA_BIFROST, CM_CODE_VARYINGS));
      assert_null(cm_shader_codes_find(&codes, stage, shader, CM_ISA_BIFROST, CM_CODE_WHOLE));
      assert_null(cm_shader_codes_find(&codes, stage, shader, CM_ISA_V3D, CM_CODE_VARYINGS));
      assert_int_equal(cm_shader_codes_find(&codes, stage, shader, CM_ISA_NIR, CM_CODE_WHOLE)->bytes, 0);
   }
   assert_null(cm_shader_codes_find(&codes, CM_SHADER_FRAGMENT, 301, CM_ISA_NIR, CM_CODE_WHOLE));
   cm_shader_codes_finish(&codes);
}

/* Counts as bytes and as words. */
TEST(operations_of_a_quad)
{
   const struct cm_shader_code code = make_code(CM_SHADER_FRAGMENT, SHADER, 3);
   const uint32_t bytes[] = {CM_EVENT_REGIONS | (15 | CM_REGIONS_ARE_BYTES) << 8 | 2 << 16, 3 | 255 << 8};
   const uint32_t words[] = {CM_EVENT_REGIONS | 15 << 8 | 2 << 16, 3, 1000000};
   const uint32_t fewer[] = {CM_EVENT_REGIONS | 15 << 8 | 1 << 16, 5};
   assert_int_equal(cm_code_quad_operations(&code, CM_PIPE_ISSUE, NULL), 10);
   assert_int_equal(cm_code_quad_operations(&code, CM_PIPE_ISSUE, bytes), 10 + 3 * 7 + 255 * 100);
   assert_int_equal(cm_code_quad_operations(&code, CM_PIPE_FMA, bytes), 4 + 255);
   assert_int_equal(cm_code_quad_operations(&code, CM_PIPE_ISSUE, words), 10 + 3 * 7 + 1000000 * 100);
   assert_int_equal(cm_code_quad_operations(&code, CM_PIPE_ISSUE, fewer), 10 + 5 * 7);
   assert_int_equal(cm_event_next(bytes) - bytes, 2);
   assert_int_equal(cm_event_next(words) - words, 3);
}

TEST(operations_of_a_mean)
{
   const struct cm_shader_code code = make_code(CM_SHADER_VERTEX, SHADER, 3);
   const uint64_t runs[] = {4, 10, 1}, none[3] = {0}; /* 40 + 70 + 100 of four */
   assert_int_equal(cm_code_mean_operations(&code, CM_PIPE_ISSUE, runs, 3, 4), 210);
   assert_int_equal(cm_code_mean_operations(&code, CM_PIPE_ISSUE, runs, 3, 1), 53);  /* 52.5 */
   assert_int_equal(cm_code_mean_operations(&code, CM_PIPE_ISSUE, runs, 3, 3), 158); /* 157.5 */
   assert_int_equal(cm_code_mean_operations(&code, CM_PIPE_ISSUE, runs, 3, 4000000000u), 210000000000u);
   assert_int_equal(cm_code_mean_operations(&code, CM_PIPE_ISSUE, none, 3, 6), 60);
}

/* ---- quads ---------------------------------------------------------------------- */

static const uint32_t more[] = {3, 1}; /* 10 + 21 + 100 */
static const uint32_t wide[] = {300, 0};

/* Four quads of a draw: one ran region 0 alone, two `more`, one (that is only in part visible) `wide`; then two of a shader
 * without control flow; four once more for another sample, of which one does not run. */
static struct pass_builder *
quads_pass(enum cm_pass_kind kind)
{
   const uint32_t tile = 0;
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   builder->pass.kind = kind;
   pass_color(builder, 1, 4);
   struct cm_draw *draw = pass_draw(builder);
   draw->fragment_shader = (struct cm_shader){SHADER, TEXT, 0};
   pass_primitive(builder, 1, &tile, 1);
   draw = pass_draw(builder);
   draw->fragment_shader = (struct cm_shader){SHADER + 1, 5, 0};
   pass_primitive(builder, 1, &tile, 1);
   struct cm_quad quads[4];
   for (uint8_t q = 0; q < 4; q++)
      quads[q] = (struct cm_quad){
         .x = (uint8_t)(q & 1), .y = q / 2, .live = 15, .covered = 15, .visible = 15, .written = 15};
   pass_quads(builder, 0, 0, 0, quads, 4);
   pass_regions(builder, 0, 1 | 4, more, 2);
   pass_regions(builder, 0, 8, wide, 2);
   pass_quads(builder, 0, 1, 0, quads, 2);
   pass_quads(builder, 0, 0, 0, quads, 4);
   const struct cm_footprint footprint = {.live = 15};
   pass_footprints(builder, 0, 0, &footprint, 1);
   pass_regions(builder, 0, 15, more, 2);
   quads[1].live = quads[1].visible = quads[1].written = 0;
   pass_quads(builder, 0, 0, CM_SHADE_CONTINUES, quads, 4);
   pass_footprints(builder, 0, 0, &footprint, 1);
   pass_regions(builder, 0, 15, more, 2);
   return builder;
}

#define FIRST_GROUP (10 + 2 * 131 + 10 + 300 * 7)
#define ALL_QUADS (FIRST_GROUP + 2 * 5 + 4 * 131 + 3 * 131)

static void
check_quads(bool has_code, uint64_t expected)
{
   static const char *const settings[] = {"timing=on", "mode=tbr", NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   define_texture(gpu, 1, 32, 32, 1);
   if (has_code)
      define_code(gpu, CM_SHADER_FRAGMENT);
   pass_run_and_free(quads_pass(CM_PASS_TBR), gpu);
   cm_gpu_frame_end(gpu);
   assert_int_equal(gpu_total(gpu, "operations.quad_instructions"), expected);
   cm_gpu_destroy(gpu);
}

TEST(quads)
{
   check_quads(true, ALL_QUADS);
   /* Without a code the text runs: as of recordings before version 12. */
   check_quads(false, 11 * TEXT + 2 * 5);
}

/* A frame of 400 quads, whose shader has so many instructions, or regions that add up to as many. */
static uint64_t
cycles_of_quads(const char *preset, bool has_code, uint32_t instructions, bool reads)
{
   static const char *const settings[] = {"timing=on", "caches.texture_cache.policy=perfect",
                                          "caches.instruction_cache.policy=perfect", NULL};
   const uint32_t tile = 0, runs[] = {3, 1};
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   define_texture(gpu, 1, 32, 32, 1);
   builder->pass.kind = CM_PASS_TBR;
   pass_color(builder, 1, 4);
   pass_draw(builder)->fragment_shader = (struct cm_shader){SHADER, instructions, 0};
   pass_primitive(builder, 1, &tile, 1);
   if (has_code)
      define_code(gpu, CM_SHADER_FRAGMENT);
   for (uint32_t group = 0; group < 100; group++) {
      const struct cm_footprint footprints[] = {{.live = 15}, {.quad = 3, .live = 15}};
      pass_shade(builder, 0, 0, 4, 15);
      if (reads)
         pass_footprints(builder, 0, 0, footprints, 2);
      if (has_code)
         pass_regions(builder, 0, 15, runs, 2);
   }
   const uint64_t cycles = cycles_of_pass(gpu, builder);
   cm_config_destroy(config);
   return cycles;
}

/* Cycles are those of a shader whose text has as many instructions as ran. Both fetch the same text, that hits. */
TEST(cycles_of_executed_quads)
{
   static const char *const presets[] = {"tcor-64k", "imr-8m"};
   for (unsigned p = 0; p < 2; p++) {
      for (unsigned reads = 0; reads < 2; reads++) {
         const uint64_t straight = cycles_of_quads(presets[p], false, 131, reads);
         assert_int_equal(cycles_of_quads(presets[p], true, 131, reads), straight);
         assert_true(straight > cycles_of_quads(presets[p], false, 130, reads));
      }
   }
}

/* What a deferred GPU shades ran as often: quads of a group come apart and together again. */
TEST(deferred)
{
   static const char *const settings[] = {"timing=on", "mode=tbdr", NULL};
   struct pass_builder *builder = quads_pass(CM_PASS_FULL);
   uint32_t *words = builder->tiles[0].words;
   words[0] |= CM_SHADE_DEFERRED;
   ((struct cm_quad *)(words + 2))[2].visible = 0;
   ((struct cm_quad *)(words + 2))[3].visible = 1;
   struct cm_gpu *gpu = test_gpu(settings);
   define_texture(gpu, 1, 32, 32, 1);
   define_code(gpu, CM_SHADER_FRAGMENT);
   pass_run_and_free(builder, gpu);
   cm_gpu_frame_end(gpu);
   assert_int_equal(gpu_total(gpu, "operations.quad_instructions"), ALL_QUADS - 131);
   cm_gpu_destroy(gpu);
}

/* ---- vertices and what is behind them ---------------------------------------------- */

/* Seven vertices of which the reuse of vertices leaves five to shade; a geometry shader without control flow. */
TEST(vertices)
{
   static const char *const settings[] = {"timing=on", "vertex_stage.reuse_entries=32", NULL};
   static const uint64_t vertex_runs[] = {5, 15, 1}; /* 50 + 105 + 100 of five */
   static const uint64_t control_runs[] = {2, 1};
   const uint32_t tile = 0, indices[] = {0, 1, 2, 2, 1, 3, 4};
   struct cm_gpu *gpu = test_gpu(settings);
   struct pass_builder *builder = pass_new(0, 32, 32, 32);
   define_buffer(gpu, 2, 64);
   struct cm_draw *draw = pass_draw(builder);
   draw->vertex_shader = (struct cm_shader){SHADER, TEXT, 0};
   draw->control_shader = (struct cm_shader){SHADER, TEXT, 0};
   draw->geometry_shader = (struct cm_shader){SHADER, 11, 0};
   draw->patches = 1;
   draw->control_invocations = 4; /* of which two ran in this pass */
   draw->geometry_invocations = 3;
   draw->index_buffer = 2;
   draw->index_bytes = 2;
   draw->num_vertices = 7;
   memcpy(builder->vertices, indices, sizeof indices);
   builder->pass.num_vertices = 7;
   const uint64_t other[] = {1};
   pass_region_runs(builder, CM_PRERASTER_VERTEX, vertex_runs, 3);
   pass_region_runs(builder, CM_PRERASTER_CONTROL, control_runs, 2);
   pass_region_runs(builder, CM_PRERASTER_GEOMETRY, other, 1);
   pass_primitive(builder, 1, &tile, 1);
   define_code(gpu, CM_SHADER_VERTEX);
   define_code(gpu, CM_SHADER_TESS_CONTROL);
   pass_run_and_free(builder, gpu);
   cm_gpu_frame_end(gpu);
   assert_int_equal(gpu_total(gpu, "operations.vertex_instructions"), 255 + 4 * 27 / 2 + 3 * 11);
   cm_gpu_destroy(gpu);
}

/* ---- work-groups -------------------------------------------------------------------- */

/* A work-group of 32 invocations, in two runs; after a barrier half of the first one's go on. */
TEST(invocations)
{
   static const char *const presets[] = {"tcor-64k", "imr-8m"};
   static const char *const settings[] = {"timing=on", NULL};
   for (unsigned p = 0; p < 2; p++) {
      struct cm_config *config = test_config_of(presets[p], settings);
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      struct cm_storage storage;
      struct pass_builder *builder = compute_pass(1, 64, &storage);
      builder->pass.dispatch.shader = (struct cm_shader){SHADER, TEXT, 0};
      pass_regions(builder, 0, 3, more, 2);
      pass_regions(builder, 0, 12, wide, 2);
      add_run(builder, 0, CM_INVOCATIONS, false);
      add_barrier(builder, 0);
      add_run(builder, 0, 0, true);
      pass_regions(builder, 0, 3, wide, 2);
      define_buffer(gpu, 2, 64);
      define_code(gpu, CM_SHADER_COMPUTE);
      pass_run_and_free(builder, gpu);
      cm_gpu_frame_end(gpu);
      const uint64_t instructions = 8 * 10 + 2 * 121 + 2 * 2100 + 2 * 2100;
      if (p == 0)
         assert_int_equal(gpu_total(gpu, "operations.quad_instructions"), instructions);
      assert_true(gpu_total(gpu, "gpu.cycles") >= instructions);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}
