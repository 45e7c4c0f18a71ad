/* SPDX-License-Identifier: MIT */
/* Cycles by whom they are for, worked out by hand: what each stage does for two draws, in two tiles and two attachments; which
 * texture, and which buffer of a compute pass, its processor waits for. Both pipelines. */
#include <stdio.h>
#include <string.h>

#include "gpu/attribution.h"
#include "gpu/gpu_config.h"
#include "support/compute_pass.h"
#include "support/random_pass.h"
#include "support/test.h"

#define ALL "attribution.pass=on", "attribution.draw=on", "attribution.texture=on", "attribution.tile=on"
#define HITS                                                                    \
   "caches.vertex_cache.policy=perfect", "caches.texture_cache.policy=perfect", \
      "caches.instruction_cache.policy=perfect"
#define ONE_PROCESSOR "fragment_stage.processors=1", "caches.texture_cache.instances=1"

static uint64_t
value(struct cm_gpu *gpu, const struct cm_attributed_row *row, const char *name)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   const int index = cm_counter_table_find(table, name);
   assert_true(index >= 0);
   return cm_gpu_attributed_value(gpu, row, &table->counters[index]);
}

/* The sum of a counter over the rows of a part that have a number. */
static uint64_t
of_number(struct cm_gpu *gpu, enum cm_origin_part part, uint32_t number, const char *name)
{
   struct cm_attributed_rows rows;
   uint64_t sum = 0;
   assert_true(cm_gpu_attributed_rows(gpu, part, &rows));
   for (uint32_t r = 0; r < rows.count; r++)
      sum += rows.list[r].number == number ? value(gpu, &rows.list[r], name) : 0;
   return sum;
}

/* Ends the frame; the rows of each part add up to its counters. Returns how many cycles of stages were checked. */
static unsigned
end_frame(struct cm_gpu *gpu, const struct cm_config *config)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   const uint64_t *frame = cm_gpu_frame_end(gpu);
   bool flags[2000];
   unsigned checked = 0;
   assert_true(table->count <= 2000 && cm_gpu_is_complete(gpu));
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      struct cm_attributed_rows rows;
      assert_true(cm_gpu_attributed_rows(gpu, (enum cm_origin_part)part, &rows));
      assert_true(cm_attributed_counters(config, table, (enum cm_origin_part)part, flags));
      for (uint32_t c = 0; c < table->count; c++) {
         uint64_t sum = 0;
         for (uint32_t r = 0; flags[c] && r < rows.count; r++)
            sum += cm_gpu_attributed_value(gpu, &rows.list[r], &table->counters[c]);
         if (flags[c] && sum != frame[c])
            fail_msg("%s by part %u: %llu of %llu", table->counters[c].name, part, (unsigned long long)sum,
                     (unsigned long long)frame[c]);
         checked += flags[c] && frame[c] && strstr(table->counters[c].name, "_cycles");
      }
   }
   return checked;
}

/* ---- stages ------------------------------------------------------------------ */

/* Of a draw: as many of each, in the tile of its number. */
static const struct {
   uint32_t vertices, vertex_instructions, attributes, quads, instructions;
} draws[2] = {{5, 7, 2, 11, 10}, {3, 20, 4, 6, 33}};

static void
add_draw(struct pass_builder *pass, uint32_t d)
{
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = draws[d].vertices;
   draw->vertex_shader.instructions = draws[d].vertex_instructions;
   draw->fragment_shader.instructions = draws[d].instructions;
   pass_primitive(pass, draws[d].attributes, &d, 1);
   for (uint32_t q = 0; q < draws[d].quads; q++) {
      const struct cm_quad quad = {.primitive = d,
                                   .x = (uint8_t)(q % 8),
                                   .y = (uint8_t)(q / 8),
                                   .live = 15,
                                   .covered = 15,
                                   .visible = 15,
                                   .written = 15};
      pass_quads(pass, d, d, 0, &quad, 1);
   }
}

/* Of tiles of 16 x 16 pixels, in attachments of 4 and of 8 bytes per pixel. */
TEST(stages)
{
   struct cm_config *config =
      test_config((const char *const[]){ALL, HITS, "timing=on", "mode=tbr", "tile.size=16",
                                        "caches.tile_cache.policy=perfect", "pipeline.assembly_cycles=3",
                                        "pipeline.rasterizer_cycles=2", "pipeline.blend_cycles=5",
                                        "pipeline.flush_cycles=2", "streams.pb_attribute=tile_cache", NULL});
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   define_texture(gpu, 1, 32, 16, 1);
   struct cm_resource_description wide = describe_texture(32, 16, 1, 8);
   wide.id = 2;
   cm_gpu_define_resource(gpu, &wide);
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, 1, 4);
   pass_color(pass, 2, 8);
   for (uint32_t d = 0; d < 2; d++)
      add_draw(pass, d);
   pass_run(pass, gpu);
   pass_free(pass);
   assert_true(end_frame(gpu, config) > 40);

   for (uint32_t d = 0; d < 2; d++) {
      const struct {
         const char *stage;
         uint64_t busy;
         bool in_tile;
      } expected[] = {
         {"vertex_fetch", draws[d].vertices, false},
         {"vertex_processors", draws[d].vertices * draws[d].vertex_instructions, false},
         {"primitive_assembly", 3 * draws[d].vertices, false},
         {"polygon_list_builder", 1 + draws[d].attributes, false}, /* one PMD */
         {"tile_fetcher", draws[d].attributes, true},
         {"rasterizer", 1 + 2 * draws[d].attributes * draws[d].quads, true}, /* the primitive */
         {"early_z", draws[d].quads, true},
         {"fragment_processors", draws[d].instructions * draws[d].quads, true},
         {"blending_unit", 5 * draws[d].quads, true},
      };
      for (unsigned s = 0; s < sizeof expected / sizeof expected[0]; s++) {
         char name[64];
         snprintf(name, sizeof name, "%s.busy_cycles", expected[s].stage);
         assert_int_equal(of_number(gpu, CM_ORIGIN_DRAW, 1 + d, name), expected[s].busy);
         assert_int_equal(of_number(gpu, CM_ORIGIN_TILE, 1 + d, name),
                          expected[s].in_tile ? expected[s].busy : 0);
      }
      /* A tile's 256 pixels are 16 and 32 blocks of 64 bytes. */
      assert_int_equal(of_number(gpu, CM_ORIGIN_TILE, 1 + d, "tile_buffers.busy_cycles"), 2 * (16 + 32));
      assert_int_equal(of_number(gpu, CM_ORIGIN_DRAW, 1 + d, "tile_buffers.busy_cycles"), 0);
      assert_int_equal(of_number(gpu, CM_ORIGIN_RESOURCE, 1 + d, "tile_buffers.busy_cycles"),
                       2 * 2 * 16 * (1 + d));
   }
   assert_int_equal(of_number(gpu, CM_ORIGIN_DRAW, 0, "tile_buffers.busy_cycles"), 2 * 2 * (16 + 32));
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

/* ---- textures ------------------------------------------------------------------ */

#define FIRST_TEXTURE 2
#define LATENCY 50

/* Two draws of so many quads, in one tile; each quad reads the textures, one after another: units 0 … */
struct reads {
   uint32_t quads;
   uint32_t units;
   uint32_t textures[2];
};

static void
add_reads(struct pass_builder *pass, uint32_t d, const struct reads *reads)
{
   static const uint32_t tile = 0;
   static const struct cm_footprint footprint = {.live = 15};
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->fragment_shader.id = 1 + d;
   draw->fragment_shader.instructions = 10;
   draw->num_textures = reads->units;
   for (uint32_t unit = 0; unit < reads->units; unit++)
      draw->textures[unit].resource = reads->textures[unit];
   pass_primitive(pass, 1, &tile, 1);
   for (uint32_t q = 0; q < reads->quads; q++) {
      const struct cm_quad quad = {.primitive = d,
                                   .x = (uint8_t)(q % 4 * 2), /* one per block of 4x4 pixels */
                                   .y = (uint8_t)((q / 4 + 2 * d) * 2),
                                   .live = 15,
                                   .covered = 15,
                                   .visible = 15,
                                   .written = 15};
      pass_quads(pass, 0, d, 0, &quad, 1);
      for (uint32_t unit = 0; unit < reads->units; unit++)
         pass_footprints(pass, 0, unit, &footprint, 1);
   }
}

static struct cm_gpu *
run_reads(const struct cm_config *config, enum cm_pass_kind kind, const struct reads reads[2])
{
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   define_texture(gpu, 1, 16, 16, 1);
   for (uint32_t id = FIRST_TEXTURE; id < FIRST_TEXTURE + 3; id++)
      define_texture(gpu, id, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   pass->pass.kind = kind;
   pass_color(pass, 1, 4);
   for (uint32_t d = 0; d < 2; d++)
      add_reads(pass, d, &reads[d]);
   pass_run(pass, gpu);
   pass_free(pass);
   end_frame(gpu, config);
   return gpu;
}

static uint64_t
stalls(struct cm_gpu *gpu, enum cm_origin_part part, uint32_t number)
{
   return of_number(gpu, part, number, "fragment_processors.memory_cycles");
}

/* A processor has one context: each quad waits for the one before it, which has to wait for its texture as long as a hit
 * takes; the last one keeps none waiting. `hit`: that long, in addition to its shader. */
static void
check_stalls(const struct cm_config *config, enum cm_pass_kind kind, uint64_t hit, uint64_t switches)
{
   static const struct reads each[2] = {{5, 1, {2}}, {8, 1, {3}}}, both[2] = {{5, 2, {2, 4}}, {8, 2, {4, 3}}};
   struct cm_gpu *gpu = run_reads(config, kind, each);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 2), 5 * hit);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 3), 7 * hit);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 1), 0);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 0), 2 * switches);
   assert_int_equal(stalls(gpu, CM_ORIGIN_DRAW, 1), 5 * hit + switches);
   assert_int_equal(stalls(gpu, CM_ORIGIN_DRAW, 2), 7 * hit + switches);
   assert_int_equal(stalls(gpu, CM_ORIGIN_TILE, 1), 12 * hit + 2 * switches);
   cm_gpu_destroy(gpu);

   /* Of two textures it is the one that comes last. */
   gpu = run_reads(config, kind, both);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 2), 0);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 4), 5 * hit);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 3), 7 * hit);
   cm_gpu_destroy(gpu);
}

TEST(textures)
{
   struct cm_config *config =
      test_config((const char *const[]){ALL, HITS, ONE_PROCESSOR, "timing=on", "mode=tbr", "tile.size=16",
                                        "caches.tile_cache.policy=perfect", "pipeline.fragment_contexts=1",
                                        "caches.texture_cache.latency=50", NULL});
   /* A lookup, and the latency; of 80 bytes of instructions two blocks are looked up. */
   check_stalls(config, CM_PASS_TBR, 1 + LATENCY, 2);
   cm_config_destroy(config);
}

TEST(textures_immediate)
{
   struct cm_config *config = test_config_of(
      "imr-8m",
      (const char *const[]){ALL, HITS, ONE_PROCESSOR, "timing=on", "caches.texture_cache_l2.instances=1",
                            "caches.hiz_cache.policy=perfect", "caches.depth_cache.policy=perfect",
                            "caches.color_cache.policy=perfect", "caches.index_cache.policy=perfect",
                            "immediate_pipeline.fragment_contexts=1", "immediate_pipeline.issue_width=1",
                            "immediate_pipeline.sampler_cycles=3", "caches.texture_cache.latency=50",
                            "caches.instruction_cache.latency=4", NULL});
   /* A turn of the sampler, and the latency; of the shader's two blocks the second one is looked up a cycle later. */
   check_stalls(config, CM_PASS_FULL, 3 + LATENCY, 1 + 4);
   cm_config_destroy(config);
}

/* Which of several reads from memory arrives last: the longer list waits after a queue of MSHRs. */
TEST(misses)
{
   struct cm_config *config =
      test_config((const char *const[]){ALL, ONE_PROCESSOR, "timing=on", "mode=tbr", "tile.size=16",
                                        "pipeline.fragment_contexts=1", NULL});
   static const struct reads reads[2] = {{1, 1, {2}}, {7, 1, {3}}};
   struct cm_gpu *gpu = run_reads(config, CM_PASS_TBR, reads);
   const uint64_t first = stalls(gpu, CM_ORIGIN_RESOURCE, 2), second = stalls(gpu, CM_ORIGIN_RESOURCE, 3);
   /* Each texture has one block, which is read from memory once; a hit is looked up in a cycle. */
   assert_true(first > 20);
   assert_true(second > 20 && second < 2 * first);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

/* Stages that each processor has are attributed each by itself. */
TEST(lanes)
{
   static const char *const lanes[] = {"pipeline.lanes=coupled", "pipeline.lanes=decoupled"};
   for (unsigned l = 0; l < 2; l++) {
      struct cm_config *config =
         test_config((const char *const[]){ALL, "timing=on", "mode=tbr", "fragment_stage.scheduler=sub-tile",
                                           lanes[l], NULL});
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      uint64_t state = 3;
      define_random_resources(gpu);
      for (uint32_t frame = 0; frame < 3; frame++) {
         pass_run_and_free(random_pass(&state, frame), gpu);
         assert_true(end_frame(gpu, config) > 40);
      }
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}

/* ---- compute passes --------------------------------------------------------------- */

/* Work-groups, a tile each, that load a block of a buffer each: 13 instructions of four quads. */
TEST(compute)
{
   enum { GROUPS = 40 };
   struct cm_config *config =
      test_config_of("mali-like", (const char *const[]){ALL, "timing=on", "compute_stage.invocations=16",
                                                        "caches.instruction_cache.policy=perfect", NULL});
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   struct cm_storage storage;
   struct pass_builder *pass = compute_pass(GROUPS, 1 << 16, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   pass->pass.dispatch.shader.instructions = 13;
   for (uint32_t g = 0; g < GROUPS; g++) {
      fill_offsets(offsets, 64 * g, 4);
      add_access(pass, g, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   }
   define_buffer(gpu, 2, 1 << 16);
   for (uint32_t p = 0; p < 2; p++)
      pass_run(pass, gpu);
   pass_free(pass);
   assert_true(end_frame(gpu, config) > 8);
   assert_int_equal(of_number(gpu, CM_ORIGIN_DRAW, 1, "fragment_processors.busy_cycles"),
                    2 * GROUPS * 13 * 4);
   for (uint32_t g = 0; g < GROUPS; g++)
      assert_int_equal(of_number(gpu, CM_ORIGIN_TILE, 1 + g, "fragment_processors.busy_cycles"), 2 * 13 * 4);
   /* Four processors run a group at a time: all but the first one of each wait for the one before, whose block comes from
    * memory. The fetch of the shader, two blocks, is of no resource. */
   assert_true(stalls(gpu, CM_ORIGIN_RESOURCE, 2) > 2 * (GROUPS - 4) * 20);
   assert_int_equal(stalls(gpu, CM_ORIGIN_RESOURCE, 0), 2 * 4 * 2);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}
