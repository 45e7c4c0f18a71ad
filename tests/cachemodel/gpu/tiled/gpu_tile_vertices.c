/* SPDX-License-Identifier: MIT */
/* Tiles that shade the vertices of their primitives (shader_core.vertices: per-tile), by hand: which vertices each tile fetches
 * again, in lists, strips and indexed draws, with culled and with clipped triangles; that the Parameter Buffer has no
 * attributes. */
#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"

/* Two tiles of 16x16 pixels. */
enum { LEFT = 1, RIGHT = 2, BOTH = 3 };

/* Without caches of shaders and vertices: each fetch is an access to memory. */
static struct cm_gpu *
tiles_gpu(const char *reuse_entries)
{
   return test_gpu((const char *const[]){"core=pipes", "mode=tbr", "tile.size=16",
                                         "shader_core.vertices=per-tile", "streams.vertex=dram",
                                         "streams.index=dram", "streams.shader=dram", reuse_entries, NULL});
}

static struct pass_builder *
tiles_pass(void)
{
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   return pass;
}

/* A draw of vertices with two elements in blocks of 64 bytes of their own, and a shader of three such blocks. */
static struct cm_draw *
add_draw(struct pass_builder *pass, uint32_t num_vertices)
{
   struct cm_draw *draw = pass_draw(pass);
   draw->vertex_shader = (struct cm_shader){.id = 5, .instructions = 24};
   draw->num_vertices = num_vertices;
   draw->num_elements = 2;
   for (uint32_t e = 0; e < 2; e++)
      draw->elements[e] = (struct cm_vertex_element){.buffer = 2 + e, .stride = 64, .bytes = 16};
   return draw;
}

static void
add_primitives(struct pass_builder *pass, const unsigned *masks, uint32_t count)
{
   for (uint32_t p = 0; p < count; p++) {
      const uint32_t tiles[] = {masks[p] & LEFT ? 0 : 1, 1};
      pass_primitive(pass, 4, tiles, masks[p] == BOTH ? 2 : 1);
   }
}

static struct cm_gpu *
run(struct pass_builder *pass, const char *reuse_entries)
{
   struct cm_gpu *gpu = tiles_gpu(reuse_entries);
   for (uint32_t buffer = 2; buffer < 5; buffer++)
      define_buffer(gpu, buffer, 65536);
   pass_run_and_free(pass, gpu);
   cm_gpu_frame_end(gpu);
   return gpu;
}

/* Vertices that are fetched: `binned` of the draws and `shaded` of tiles; those of tiles that were shaded shortly before;
 * shaders that are fetched. */
static void
check(struct pass_builder *pass, const char *reuse_entries, uint64_t binned, uint64_t shaded, uint64_t reused,
      uint64_t shaders)
{
   struct cm_gpu *gpu = run(pass, reuse_entries);
   expect_counters(gpu, {"vertex_stage.vertices", binned + shaded}, {"vertex_stage.vertices_reused", reused},
                   {"dram.vertex.reads", 2 * (binned + shaded)}, {"dram.shader.reads", 3 * shaders},
                   {"tiling_engine.attributes", 0}, {"tile_cache.pb_attribute.reads", 0},
                   {"tile_cache.pb_attribute.writes", 0});
   cm_gpu_destroy(gpu);
}

static const unsigned masks[] = {LEFT, BOTH, RIGHT, BOTH};

/* Triangles 0, 1 and 3, then 1, 2 and 3. No vertex of a list is one of another triangle's. */
TEST(list)
{
   for (unsigned reuse = 0; reuse < 2; reuse++) {
      struct pass_builder *pass = tiles_pass();
      add_draw(pass, 12);
      add_primitives(pass, masks, 4);
      check(pass, reuse ? "vertex_stage.reuse_entries=32" : "vertex_stage.reuse_entries=0", 12, 9 + 9, 0,
            1 + 2);
   }
}

/* Of a strip the left tile has the vertices 0 1 2, 1 2 3 and 3 4 5, the right one 1 2 3, 2 3 4 and 3 4 5. With room for two
 * the left tile finds 1 and 2, and 3 again; the right one 2 and 3, 3 and 4. */
TEST(strip)
{
   static const struct {
      const char *entries;
      uint64_t shaded;
   } cases[] = {{"vertex_stage.reuse_entries=0", 18},
                {"vertex_stage.reuse_entries=2", 11},
                {"vertex_stage.reuse_entries=16", 11}};
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct pass_builder *pass = tiles_pass();
      add_draw(pass, 6);
      add_primitives(pass, masks, 4);
      check(pass, cases[c].entries, 6, cases[c].shaded, 18 - cases[c].shaded, 1 + 2);
   }
}

/* Indices are fetched once: a tile's list has them. Vertices that they name again are reused in a tile, and not in the next
 * one. When a draw is binned, they are reused, too. */
TEST(indexed)
{
   static const uint32_t indices[] = {7, 8, 9, 9, 8, 7, 8, 9, 10, 7, 30, 31};
   struct pass_builder *pass = tiles_pass();
   struct cm_draw *draw = add_draw(pass, 12);
   draw->index_buffer = 4;
   draw->index_bytes = 2;
   for (uint32_t v = 0; v < 12; v++)
      pass->vertices[pass->pass.num_vertices++] = indices[v];
   add_primitives(pass, masks, 4);
   struct cm_gpu *gpu = run(pass, "vertex_stage.reuse_entries=16");
   /* Left: 7 8 9, all of them, 30 31 and 7; right: 9 8 7, 10, 30 31. */
   expect_counters(gpu, {"vertex_stage.indices", 12}, {"dram.index.reads", 12},
                   {"vertex_stage.vertices", 6 + 5 + 6}, {"vertex_stage.vertices_reused", 6 + 4 + 3});
   cm_gpu_destroy(gpu);
}

/* Of eight triangles of a list two are left: they are taken for the first and the last one. One alone is the first one. */
TEST(culled)
{
   static const unsigned left_ones[] = {LEFT, RIGHT};
   for (uint32_t count = 1; count <= 2; count++) {
      struct pass_builder *pass = tiles_pass();
      struct cm_draw *draw = add_draw(pass, 24);
      draw->index_buffer = 4;
      draw->index_bytes = 2;
      /* The vertices of all others are the same one. */
      for (uint32_t v = 0; v < 24; v++)
         pass->vertices[pass->pass.num_vertices++] = v < 3 || v >= 21 ? v : 3;
      add_primitives(pass, left_ones, count);
      check(pass, "vertex_stage.reuse_entries=3", 7, count * 3, 17, 1 + count);
   }
}

/* Parts of a triangle that sides of the viewport have divided are one triangle, each tile's vertices once more. */
TEST(clipped)
{
   static const unsigned parts[] = {LEFT, LEFT, RIGHT, RIGHT};
   struct pass_builder *pass = tiles_pass();
   add_draw(pass, 6);
   add_primitives(pass, parts, 4);
   for (uint32_t p = 0; p < 4; p++)
      pass->primitives[p].reach_pixels = p == 1 || p == 2 ? 100 : 0;
   /* Vertices 0 1 2 in both tiles, 3 4 5 in the right one. */
   check(pass, "vertex_stage.reuse_entries=8", 6, 3 + 6, 3, 1 + 2);
}

/* A draw of fewer than three vertices; one that continues in this pass; those with further stages. */
TEST(other_draws)
{
   struct pass_builder *pass = tiles_pass();
   add_draw(pass, 2);
   add_primitives(pass, masks, 2);
   add_draw(pass, 0);
   add_primitives(pass, masks, 4);
   add_draw(pass, 12)->geometry_invocations = 4;
   add_primitives(pass, masks, 4);
   struct cm_draw *draw = add_draw(pass, 12);
   draw->patches = 4;
   draw->evaluation_invocations = 12;
   add_primitives(pass, masks, 4);
   check(pass, "vertex_stage.reuse_entries=0", 2 + 12 + 12, 2 * 2 + 2, 0, 4 + 2);
}

/* Two draws that share tiles: each begins anew with its shader, and nothing of another one is reused. */
TEST(two_draws)
{
   static const unsigned both[] = {BOTH};
   struct pass_builder *pass = tiles_pass();
   for (unsigned d = 0; d < 2; d++) {
      add_draw(pass, 3);
      add_primitives(pass, both, 1);
   }
   check(pass, "vertex_stage.reuse_entries=16", 3 + 3, 2 * 6, 0, 2 + 4);
}

/* What a vertex reads of a texture it reads in each tile. */
TEST(accesses)
{
   struct pass_builder *pass = tiles_pass();
   add_draw(pass, 12);
   pass->pass.num_vertex_bindings = 1;
   pass->vertex_bindings[0] = (struct cm_texture_binding){.resource = 9};
   /* Of the first triangle, which is in the left tile, two of the second one, and the last one. */
   pass_vertex_read(pass, 1, 0, 0, 0, false);
   pass_vertex_read(pass, 1, 0, 4, 0, false);
   pass_vertex_read(pass, 4, 0, 8, 0, false);
   pass_vertex_read(pass, 11, 0, 12, 0, false);
   add_primitives(pass, masks, 4);
   struct cm_gpu *gpu = tiles_gpu("vertex_stage.reuse_entries=0");
   for (uint32_t buffer = 2; buffer < 4; buffer++)
      define_buffer(gpu, buffer, 65536);
   define_texture(gpu, 9, 64, 64, 1);
   pass_run_and_free(pass, gpu);
   cm_gpu_frame_end(gpu);
   expect_counters(gpu, {"vertex_stage.footprints", 4 + 4 + 2}, {"vertex_stage.vertices", 12 + 18});
   cm_gpu_destroy(gpu);
}

/* Only there: core: simple, and other values, leave attributes in the Parameter Buffer. */
TEST(not_used)
{
   static const char *const settings[][2] = {{"core=simple", "shader_core.vertices=per-tile"},
                                             {"core=pipes", "shader_core.vertices=positions-first"}};
   for (unsigned s = 0; s < 2; s++) {
      struct pass_builder *pass = tiles_pass();
      struct cm_gpu *gpu =
         test_gpu((const char *const[]){"mode=tbr", "tile.size=16", settings[s][0], settings[s][1], NULL});
      define_buffer(gpu, 2, 65536);
      define_buffer(gpu, 3, 65536);
      add_draw(pass, 12);
      add_primitives(pass, masks, 4);
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
      expect_counters(gpu, {"vertex_stage.vertices", 12}, {"tiling_engine.attributes", 16},
                      {"tile_cache.pb_attribute.reads", 6 * 4});
      cm_gpu_destroy(gpu);
   }
}

static void
check_refused(const char *preset, const char *change, const char *expected)
{
   char error[256];
   struct cm_config *config = test_config_of(preset, (const char *const[]){"core=pipes", change, NULL});
   assert_true(cm_config_set(config, "shader_core.vertices=per-tile", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_string_equal(error, expected);
   cm_config_destroy(config);
}

/* Attributes that are not in memory are in no cache of them, and have no layout. */
TEST(refused)
{
   check_refused(
      "tcor-64k", NULL,
      "shader_core.vertices: per-tile, but there is a primitive_buffer, expected whole or positions-first");
   check_refused("tcor-baseline-64k", "parameter_buffer.attributes=vertices",
                 "shader_core.vertices: per-tile, but parameter_buffer.attributes are in memory by vertex, "
                 "expected whole "
                 "or positions-first");
}
