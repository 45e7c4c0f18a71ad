/* SPDX-License-Identifier: MIT */
/* What shaders cost a shader core, by hand: the work of each pipe is the operations of the regions that quads ran, code of the
 * renderer where there is none of the instruction set, and vertices shaded as a whole, positions first, or by each tile. */
#include <stdio.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "util/message.h"

#define SHADER 9

/* A core whose pipes do a unit a cycle: their busy cycles are their units. */
static struct cm_gpu *
unit_gpu(const char *const *changes)
{
   static const char *const settings[] = {
      "timing=on",
      "mode=tbr",
      "core=pipes",
      "shader.isa=bifrost",
      "tile.size=16",
      "fragment_stage.scheduler=tile",
      "fragment_stage.processors=1",
      "caches.texture_cache.instances=1",
      "shader_core.warp_threads=8",
      "shader_core.threads=256",
      "shader_core.issue_threads=1",
      "shader_core.fma_threads=1",
      "shader_core.cvt_threads=1",
      "shader_core.sfu_threads=1",
      "shader_core.varying_components=1",
      "shader_core.texels=1",
      "shader_core.load_store_threads=1",
      "shader_core.tile_pixels=1",
      "shader_core.raster_quads=1",
      "shader_core.depth_quads=1",
      NULL,
   };
   return test_gpu_with(settings, changes);
}

static void
define(struct cm_gpu *gpu, enum cm_shader_stage stage, uint32_t shader, enum cm_isa isa,
       enum cm_code_part part, const struct cm_code_region *regions, uint32_t num_regions)
{
   const struct cm_shader_code code = {.stage = stage,
                                       .shader = shader,
                                       .isa = isa,
                                       .part = part,
                                       .threads_shared = 1,
                                       .num_regions = num_regions,
                                       .regions = regions};
   cm_gpu_define_code(gpu, &code);
}

/* The work of all pipes in the passes so far. */
struct work {
   uint64_t issue, fma, cvt, sfu, varying, load_store;
};

static void
assert_work(struct cm_gpu *gpu, struct work work)
{
   cm_gpu_frame_end(gpu);
   expect_counters(gpu, {"shader_core.issue.busy_cycles", work.issue},
                   {"shader_core.fma.busy_cycles", work.fma}, {"shader_core.cvt.busy_cycles", work.cvt},
                   {"shader_core.sfu.busy_cycles", work.sfu},
                   {"shader_core.varying.busy_cycles", work.varying},
                   {"shader_core.load_store.busy_cycles", work.load_store},
                   {"shader_core.texture.busy_cycles", 0}, {"shader_core.tile.busy_cycles", 0});
}

/* ---- quads ---------------------------------------------------------------------- */

/* Texture instructions and accesses to the tile buffer are issued; their work is that of samples and pixels. */
static const struct cm_code_region regions[] = {
   {.operations = {[CM_PIPE_ISSUE] = 10,
                   [CM_PIPE_FMA] = 4,
                   [CM_PIPE_CVT] = 2,
                   [CM_PIPE_SFU] = 1,
                   [CM_PIPE_VARYING] = 8,
                   [CM_PIPE_TEXTURE] = 5,
                   [CM_PIPE_LOAD_STORE] = 1,
                   [CM_PIPE_TILE] = 2}},
   {.operations = {[CM_PIPE_ISSUE] = 7, [CM_PIPE_FMA] = 3, [CM_PIPE_SFU] = 2}},
   {.operations = {[CM_PIPE_ISSUE] = 100, [CM_PIPE_CVT] = 50, [CM_PIPE_LOAD_STORE] = 3}},
   {.operations = {[CM_PIPE_ISSUE] = 1}}, /* of the renderer's alone */
};

/* A draw of four quads, of primitives with three attributes. Of a shader with control flow one quad runs region 0 alone, one
 * region 1 thrice and region 2 once, one region 2 twice, one region 1 three hundred times. */
static void
add_quads(struct pass_builder *pass, uint32_t shader, bool branches)
{
   const uint32_t tile = 0, second[] = {3, 1}, third[] = {0, 2}, fourth[] = {300, 0};
   const uint32_t number = pass->pass.num_draws;
   pass_draw(pass)->fragment_shader = (struct cm_shader){.id = shader, .instructions = 6};
   pass_primitive(pass, 3, &tile, 1);
   struct cm_quad quads[4];
   for (uint8_t q = 0; q < 4; q++)
      quads[q] = (struct cm_quad){
         .primitive = number, .x = q, .live = 15, .covered = 15, .visible = 15, .written = 15};
   pass_quads(pass, 0, number, 0, quads, 4);
   if (!branches)
      return;
   pass_regions(pass, 0, 2, second, 2);
   pass_regions(pass, 0, 4, third, 2);
   pass_regions(pass, 0, 8, fourth, 2);
}

/* The four quads run 10, 131, 210 and 2110 instructions, and so on. Of each pipe a warp has the operations of the quad that
 * has most. The renderer's code does not count, be it in the stream or not. */
TEST(regions_of_quads)
{
   static const struct {
      const char *warp_threads;
      struct work work;
   } cases[] = {
      {"shader_core.warp_threads=4",
       {.issue = 4 * (10 + 131 + 210 + 2110),
        .fma = 4 * (4 + 13 + 4 + 904),
        .cvt = 4 * (2 + 52 + 102 + 2),
        .sfu = 4 * (1 + 7 + 1 + 601),
        .varying = 4 * 4 * 8,
        .load_store = 4 * (1 + 4 + 7 + 1)}},
      {"shader_core.warp_threads=8",
       {.issue = 8 * (131 + 2110),
        .fma = 8 * (13 + 904),
        .cvt = 8 * (52 + 102),
        .sfu = 8 * (7 + 601),
        .varying = 16 * 8,
        .load_store = 8 * (4 + 7)}},
      /* Two that are full: of each pipe from another quad. */
      {"shader_core.warp_threads=16",
       {.issue = 16 * 2110,
        .fma = 16 * 904,
        .cvt = 16 * 102,
        .sfu = 16 * 601,
        .varying = 16 * 8,
        .load_store = 16 * 7}},
      /* Half of its threads are used. */
      {"shader_core.warp_threads=32",
       {.issue = 32 * 2110,
        .fma = 32 * 904,
        .cvt = 32 * 102,
        .sfu = 32 * 601,
        .varying = 16 * 8,
        .load_store = 16 * 7}},
   };
   for (unsigned c = 0; c < 2 * sizeof cases / sizeof cases[0]; c++) {
      struct cm_gpu *gpu = unit_gpu((const char *const[]){cases[c / 2].warp_threads, NULL});
      struct pass_builder *pass = pass_new(0, 16, 16, 16);
      pass->pass.kind = CM_PASS_TBR;
      if (c % 2)
         define(gpu, CM_SHADER_FRAGMENT, SHADER, CM_ISA_NIR, CM_CODE_WHOLE, regions + 1, 3);
      define(gpu, CM_SHADER_FRAGMENT, SHADER, CM_ISA_BIFROST, CM_CODE_WHOLE, regions, 3);
      add_quads(pass, SHADER, true);
      pass_run_and_free(pass, gpu);
      assert_work(gpu, cases[c / 2].work);
      cm_gpu_destroy(gpu);
   }
}

/* Cycles of a frame whose shaders, of so many instructions in memory, ran in the frame before. vertices: value of
 * shader_core.vertices. */
static uint64_t
cycles_of_code(const char *vertices, uint32_t instructions)
{
   struct cm_gpu *gpu = unit_gpu((const char *const[]){vertices, NULL});
   define_buffer(gpu, 2, 4096);
   define(gpu, CM_SHADER_FRAGMENT, SHADER, CM_ISA_BIFROST, CM_CODE_WHOLE, regions, 1);
   define(gpu, CM_SHADER_VERTEX, SHADER, CM_ISA_BIFROST, CM_CODE_WHOLE, regions, 1);
   uint64_t first_end = 0;
   for (uint32_t frame = 0; frame < 2; frame++) {
      struct pass_builder *pass = pass_new(frame, 16, 16, 16);
      pass->pass.kind = CM_PASS_TBR;
      add_quads(pass, SHADER, false);
      pass->draws[0].fragment_shader.instructions = instructions;
      pass->draws[0].vertex_shader = (struct cm_shader){.id = SHADER, .instructions = instructions};
      pass->draws[0].num_vertices = 3;
      first_end = gpu_total(gpu, "gpu.cycles");
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
   }
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles") - first_end;
   expect_counters(gpu, {"dram.shader.reads", 2 * (((uint64_t)instructions * 8 + 63) / 64)});
   cm_gpu_destroy(gpu);
   return cycles;
}

/* Code is fetched as it is executed: where it is in the instruction cache, a long one costs what a short one does. */
TEST(code_in_cache)
{
   static const char *const vertices[] = {"shader_core.vertices=whole", "shader_core.vertices=per-tile"};
   for (unsigned v = 0; v < 2; v++)
      assert_int_equal(cycles_of_code(vertices[v], 800), cycles_of_code(vertices[v], 8));
}

/* ---- without code ------------------------------------------------------------------ */

static char message[200];
static unsigned num_messages;

static void
collect(enum cm_message_kind kind, const char *text)
{
   assert_int_equal(kind, CM_MESSAGE_INFO);
   num_messages++;
   snprintf(message, sizeof message, "%s", text);
}

enum { VERTICES = 21 };

/* A draw of 21 vertices, of so many primitives that reach the tiler. */
static void
add_vertices(struct pass_builder *pass, uint32_t shader, uint32_t primitives)
{
   const uint32_t tile = 0;
   struct cm_draw *draw = pass_draw(pass);
   draw->vertex_shader = (struct cm_shader){.id = shader, .instructions = 11};
   draw->num_vertices = VERTICES;
   draw->num_elements = 2;
   for (uint32_t e = 0; e < 2; e++)
      draw->elements[e] = (struct cm_vertex_element){.buffer = 2, .offset = 4 * e, .stride = 8, .bytes = 4};
   for (uint32_t p = 0; p < primitives; p++)
      pass_primitive(pass, 3, &tile, 1);
}

/* Four draws of fragment shaders, of which 9 has code of Bifrost, 10 what the renderer executes, 11 neither and counts once; a
 * vertex shader with code, and one without. */
static struct cm_gpu *
run_without_code(const char *isa)
{
   struct cm_gpu *gpu = unit_gpu((const char *const[]){isa, NULL});
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   define_buffer(gpu, 2, 4096);
   define(gpu, CM_SHADER_FRAGMENT, 9, CM_ISA_BIFROST, CM_CODE_WHOLE, regions, 1);
   define(gpu, CM_SHADER_FRAGMENT, 9, CM_ISA_NIR, CM_CODE_WHOLE, regions + 1, 1);
   define(gpu, CM_SHADER_FRAGMENT, 10, CM_ISA_NIR, CM_CODE_WHOLE, regions, 3);
   for (uint32_t d = 0; d < 4; d++) {
      add_quads(pass, d < 3 ? 9 + d : 11, d == 1);
      pass->draws[d].vertex_shader.id = 30;
   }
   define(gpu, CM_SHADER_VERTEX, 30, CM_ISA_BIFROST, CM_CODE_WHOLE, regions, 1);
   add_vertices(pass, 31, 0);
   pass_run_and_free(pass, gpu);
   return gpu;
}

/* What the renderer executes: all is arithmetic, all attributes are interpolated but the position, and vertices load theirs. */
TEST(without_code)
{
   const uint64_t executed = 8 * (131 + 2110), text = 8 * 2 * 6, vertices = 3 * 8 * 11;
   cm_set_message_handler(collect);
   struct cm_gpu *gpu = run_without_code("shader.isa=bifrost");
   assert_work(gpu, (struct work){.issue = 8 * 2 * 10 + executed + 2 * text + vertices,
                                  .fma = 8 * 2 * 4 + executed + 2 * text + vertices,
                                  .cvt = 8 * 2 * 2,
                                  .sfu = 8 * 2 * 1,
                                  .varying = 16 * 8 + 3 * 16 * 2 * 8,
                                  .load_store = 16 * 1 + VERTICES * 2});
   cm_gpu_destroy(gpu);
   assert_int_equal(num_messages, 1);
   assert_string_equal(message,
                       "3 of 5 shaders have no code for bifrost: they count with that of the renderer");
   gpu = run_without_code("shader.isa=nir");
   assert_work(gpu, (struct work){.issue = 8 * 2 * 7 + executed + 2 * text + vertices,
                                  .fma = 8 * 2 * 7 + executed + 2 * text + vertices,
                                  .varying = 4 * 16 * 2 * 8,
                                  .load_store = VERTICES * 2});
   cm_gpu_destroy(gpu);
   assert_int_equal(num_messages, 1);
   cm_set_message_handler(NULL);
}

/* ---- vertices ------------------------------------------------------------------------ */

static const struct cm_code_region whole = {.operations = {[CM_PIPE_ISSUE] = 30, [CM_PIPE_LOAD_STORE] = 4}};
static const struct cm_code_region position = {
   .operations = {[CM_PIPE_ISSUE] = 20, [CM_PIPE_LOAD_STORE] = 2}};
static const struct cm_code_region varyings = {
   .operations = {[CM_PIPE_ISSUE] = 15, [CM_PIPE_FMA] = 6, [CM_PIPE_LOAD_STORE] = 3}};

static void
define_vertex_shader(struct cm_gpu *gpu, enum cm_isa isa, bool has_whole, bool has_parts)
{
   if (has_whole)
      define(gpu, CM_SHADER_VERTEX, SHADER, isa, CM_CODE_WHOLE, &whole, 1);
   if (has_parts) {
      define(gpu, CM_SHADER_VERTEX, SHADER, isa, CM_CODE_POSITION, &position, 1);
      define(gpu, CM_SHADER_VERTEX, SHADER, isa, CM_CODE_VARYINGS, &varyings, 1);
   }
}

/* 21 vertices on warps of eight threads, all of which issue. threads, warps: of vertices, those of varyings among them. */
static void
check_vertices(const char *vertices, bool has_whole, bool has_parts, uint32_t primitives, struct work work,
               uint64_t threads, uint64_t warps)
{
   struct cm_gpu *gpu = unit_gpu((const char *const[]){vertices, NULL});
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   define_buffer(gpu, 2, 4096);
   define_vertex_shader(gpu, CM_ISA_BIFROST, has_whole, has_parts);
   add_vertices(pass, SHADER, primitives);
   pass_run_and_free(pass, gpu);
   assert_work(gpu, work);
   expect_counters(gpu, {"shader_core.vertices", threads}, {"shader_core.vertex_warps", warps});
   cm_gpu_destroy(gpu);
}

/* The code as a whole, or both parts where there is no other, whatever reaches the tiler. */
TEST(whole_vertices)
{
   static const char *const setting = "shader_core.vertices=whole";
   for (uint32_t primitives = 0; primitives <= 8; primitives += 4) {
      const struct work of_whole = {.issue = 3 * 8 * 30, .load_store = VERTICES * 4};
      const struct work of_parts = {.issue = 3 * 8 * (20 + 15),
                                    .fma = 3 * 8 * 6,
                                    .load_store = VERTICES * (2 + 3)};
      check_vertices(setting, true, false, primitives, of_whole, VERTICES, 3);
      check_vertices(setting, true, true, primitives, of_whole, VERTICES, 3);
      check_vertices(setting, false, true, primitives, of_parts, VERTICES, 3);
   }
}

/* Positions of all vertices; varyings of three vertices for each primitive that reaches the tiler, no more than there are. */
TEST(positions_first)
{
   static const char *const setting = "shader_core.vertices=positions-first";
   static const struct {
      uint32_t primitives, threads, warps; /* of varyings */
   } cases[] = {{0, 0, 0}, {1, 3, 1}, {2, 6, 1}, {4, 12, 2}, {7, 21, 3}, {20, 21, 3}};
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      const uint64_t threads = cases[c].threads, warps = cases[c].warps;
      const struct work work = {.issue = 8 * (3 * 20 + warps * 15),
                                .fma = 8 * warps * 6,
                                .load_store = VERTICES * 2 + threads * 3};
      for (unsigned has_whole = 0; has_whole < 2; has_whole++)
         check_vertices(setting, has_whole, true, cases[c].primitives, work, VERTICES + threads, 3 + warps);
   }
}

/* A shader that is not in parts runs as a whole for all vertices, and has nothing more to do. */
TEST(positions_first_without_parts)
{
   static const char *const setting = "shader_core.vertices=positions-first";
   const struct work work = {.issue = 3 * 8 * 30, .load_store = VERTICES * 4};
   check_vertices(setting, true, false, 0, work, VERTICES, 3);
}

/* ---- vertices of tiles ------------------------------------------------------------------- */

/* A list of seven triangles: one after another in the left and the right one of two tiles, or all in both. */
static void
add_triangles(struct pass_builder *pass, bool both)
{
   const uint32_t tiles[] = {0, 1};
   add_vertices(pass, SHADER, 0);
   for (uint32_t p = 0; p < VERTICES / 3; p++)
      pass_primitive(pass, 3, both ? tiles : &tiles[p % 2], both ? 2 : 1);
}

/* Positions of all 21 vertices in three warps; then those of each tile as a whole: 12 and 9, in two warps each, or all. */
TEST(vertices_of_tiles)
{
   static const struct code_set {
      enum cm_isa isa;
      bool has_whole, has_parts;
      uint32_t binned, binned_loads, issue, fma, loads;
   } sets[] = {
      {CM_ISA_BIFROST, true, false, 30, 4, 30, 0, 4}, /* no code of the position alone */
      {CM_ISA_BIFROST, true, true, 20, 2, 30, 0, 4},
      {CM_ISA_BIFROST, false, true, 20, 2, 20 + 15, 6, 2 + 3},
      {CM_ISA_V3D, false, true, 20, 2, 15, 6, 3}, /* its second part is the whole shader */
   };
   for (unsigned c = 0; c < 2 * sizeof sets / sizeof sets[0]; c++) {
      const struct code_set *set = &sets[c / 2];
      const bool both = c % 2;
      const uint64_t warps = both ? 6 : 4, threads = both ? 2 * VERTICES : VERTICES;
      const char *const isa = set->isa == CM_ISA_V3D ? "shader.isa=v3d" : "shader.isa=bifrost";
      struct cm_gpu *gpu = unit_gpu((const char *const[]){"shader_core.vertices=per-tile", isa, NULL});
      struct pass_builder *pass = pass_new(0, 32, 16, 16);
      pass->pass.kind = CM_PASS_TBR;
      define_buffer(gpu, 2, 4096);
      define_vertex_shader(gpu, set->isa, set->has_whole, set->has_parts);
      add_triangles(pass, both);
      pass_run_and_free(pass, gpu);
      assert_work(gpu, (struct work){.issue = 8 * (3 * set->binned + warps * set->issue),
                                     .fma = 8 * warps * set->fma,
                                     .load_store = VERTICES * set->binned_loads + threads * set->loads});
      expect_counters(gpu, {"shader_core.vertices", VERTICES + threads},
                      {"shader_core.vertex_warps", 3 + warps});
      cm_gpu_destroy(gpu);
   }
}

/* A warp is of one draw, and of one tile: of two draws with a triangle in both tiles there are four, of three threads. */
TEST(vertices_of_draws)
{
   const uint32_t tiles[] = {0, 1};
   struct cm_gpu *gpu = unit_gpu((const char *const[]){"shader_core.vertices=per-tile", NULL});
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   define_buffer(gpu, 2, 4096);
   define_vertex_shader(gpu, CM_ISA_BIFROST, true, true);
   for (unsigned d = 0; d < 2; d++) {
      add_vertices(pass, SHADER, 0);
      pass_primitive(pass, 3, tiles, 2);
   }
   pass_run_and_free(pass, gpu);
   assert_work(gpu,
               (struct work){.issue = 8 * (2 * 3 * 20 + 4 * 30), .load_store = 2 * VERTICES * 2 + 4 * 3 * 4});
   expect_counters(gpu, {"shader_core.vertex_warps", 2 * 3 + 4});
   cm_gpu_destroy(gpu);
}

/* Cycles of a frame with two tiles, whose lists have all 21 vertices, on so many cores. issue: operations of a vertex that a tile
 * shades. */
static uint64_t
cycles_of_tiles(uint32_t issue, const char *processors, const char *instances)
{
   const struct cm_code_region as_whole = {.operations = {[CM_PIPE_ISSUE] = issue}};
   struct cm_gpu *gpu =
      unit_gpu((const char *const[]){"shader_core.vertices=per-tile", processors, instances, NULL});
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   define_buffer(gpu, 2, 4096);
   define(gpu, CM_SHADER_VERTEX, SHADER, CM_ISA_BIFROST, CM_CODE_WHOLE, &as_whole, 1);
   define(gpu, CM_SHADER_VERTEX, SHADER, CM_ISA_BIFROST, CM_CODE_POSITION, &position, 1);
   add_triangles(pass, true);
   return cycles_of_pass(gpu, pass);
}

/* A tile's rasterizer waits for its vertices, three warps of eight threads; cores shade theirs at the same time. */
TEST(cycles_of_tile_vertices)
{
   const uint64_t one =
      cycles_of_tiles(500, "fragment_stage.processors=1", "caches.texture_cache.instances=1");
   const uint64_t two =
      cycles_of_tiles(500, "fragment_stage.processors=2", "caches.texture_cache.instances=2");
   assert_int_equal(cycles_of_tiles(1500, "fragment_stage.processors=1", "caches.texture_cache.instances=1"),
                    one + 2 * 3 * 8 * 1000);
   assert_int_equal(cycles_of_tiles(1500, "fragment_stage.processors=2", "caches.texture_cache.instances=2"),
                    two + 3 * 8 * 1000);
}
