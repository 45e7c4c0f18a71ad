/* SPDX-License-Identifier: MIT */
/* The Vertex Stage's reads of small draws, counted by hand. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

static struct pass_builder *
indexed_draw(void)
{
   static const uint32_t vertices[] = {0, 1, 2, 2, 1, 3};
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->index_buffer = 1;
   draw->index_offset = 60; /* two indices in the buffer's first block, four in its second */
   draw->index_bytes = 2;
   draw->num_vertices = 6;
   memcpy(pass->vertices, vertices, sizeof vertices);
   pass->pass.num_vertices = 6;
   draw->num_elements = 2;
   /* Vertices 0 … 3 at 0, 16, 32, 48; all in one block. */
   draw->elements[0] = (struct cm_vertex_element){.buffer = 2, .offset = 0, .stride = 16, .bytes = 12};
   /* At 56 (across two blocks), 72, 88, 104. */
   draw->elements[1] = (struct cm_vertex_element){.buffer = 2, .offset = 56, .stride = 16, .bytes = 16};
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 20, .constant_bytes = 65};
   return pass;
}

static void
define_buffers(struct cm_gpu *gpu)
{
   define_buffer(gpu, 1, 100);
   define_buffer(gpu, 2, 120);
}

TEST(indexed)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffers(gpu);
   struct pass_builder *pass = indexed_draw();
   pass_run(pass, gpu);
   expect_counters(gpu, {"gpu.draws", 1}, {"vertex_stage.indices", 6}, {"vertex_stage.vertices", 6},
                   {"vertex_cache.index.reads", 6}, {"vertex_cache.index.misses", 2},
                   {"vertex_cache.vertex.reads", 6 + 7}, {"vertex_cache.vertex.misses", 2},
                   {"dram.vertex.reads", 2}, {"dram.index.read_bytes", 128},
                   /* 160 bytes of instructions, 65 of constants. */
                   {"instruction_cache.shader.reads", 3}, {"instruction_cache.constant.reads", 2},
                   {"instruction_cache.total.misses", 5});
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_cache.index.misses", 2}, {"vertex_cache.total.reads", 2 * 19},
                   {"instruction_cache.total.reads", 10}, {"instruction_cache.total.misses", 5});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(reuse)
{
   static const struct {
      const char *entries;
      uint64_t vertices, reused, reads;
   } cases[] = {
      {"vertex_stage.reuse_entries=16", 4, 2, 9},
      /* A FIFO of one: only the second 2 is found. */
      {"vertex_stage.reuse_entries=1", 5, 1, 11},
      {"vertex_stage.reuse_entries=0", 6, 0, 13},
   };
   for (unsigned i = 0; i < 3; i++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){cases[i].entries, NULL});
      define_buffers(gpu);
      struct pass_builder *pass = indexed_draw();
      pass_run(pass, gpu);
      expect_counters(gpu, {"vertex_stage.vertices", cases[i].vertices},
                      {"vertex_stage.vertices_reused", cases[i].reused},
                      {"vertex_cache.vertex.reads", cases[i].reads}, {"vertex_cache.index.reads", 6});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

TEST(not_indexed_and_instanced)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffers(gpu);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->first_vertex_number = 2;
   draw->instance = 5;
   draw->num_elements = 2;
   /* Vertices 2, 3, 4 at 64, 96, 128: the last is past the end and not memory. */
   draw->elements[0] = (struct cm_vertex_element){.buffer = 2, .stride = 32, .bytes = 16};
   /* Instance 5 / 2 = 2 at 16 + 2 * 24 = 64. */
   draw->elements[1] =
      (struct cm_vertex_element){.buffer = 2, .offset = 16, .stride = 24, .bytes = 8, .instance_divisor = 2};
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.indices", 0}, {"vertex_stage.vertices", 3},
                   {"vertex_cache.vertex.reads", 2 + 3}, {"vertex_cache.vertex.misses", 1},
                   {"vertex_cache.index.reads", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(base_instance)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffer(gpu, 1, 16 * 64);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   for (uint32_t instance = 0; instance < 4; instance++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->num_vertices = 1;
      draw->instance = instance;
      draw->first_instance = 3;
      draw->num_elements = 1;
      /* 3 + 0 / 2, 3 + 1 / 2, 3 + 2 / 2, 3 + 3 / 2: blocks 3, 3, 4, 4. */
      draw->elements[0] =
         (struct cm_vertex_element){.buffer = 1, .stride = 64, .bytes = 16, .instance_divisor = 2};
   }
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_cache.vertex.reads", 4}, {"vertex_cache.vertex.misses", 2});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(feedback)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffer(gpu, 1, 256);
   define_buffer(gpu, 2, 100);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 8};
   draw->geometry_shader = (struct cm_shader){.id = 1, .instructions = 16, .constant_bytes = 16};
   /* 0 … 27, 28 … 55, 56 … 83 (across two blocks), 84 … 111: five accesses, two blocks. */
   pass_feedback(pass,
                 (struct cm_feedback){.buffer = 1, .offset = 0, .stride = 28, .bytes = 28, .records = 4});
   /* 64, 80 and 96, the last of which is past the end and not memory. */
   pass_feedback(pass,
                 (struct cm_feedback){.buffer = 2, .offset = 64, .stride = 16, .bytes = 8, .records = 3});
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.vertices", 3}, {"vertex_cache.vertex.reads", 0},
                   {"vertex_cache.vertex.writes", 5 + 2}, {"vertex_cache.vertex.misses", 2 + 1},
                   /* 64 and 128 bytes of instructions: one block and two. */
                   {"instruction_cache.shader.reads", 3}, {"instruction_cache.shader.misses", 3},
                   {"instruction_cache.constant.reads", 1});

   /* What has just been written is read from the cache. */
   struct pass_builder *next = pass_new(0, 32, 32, 32);
   draw = pass_draw(next);
   draw->num_vertices = 4;
   draw->num_elements = 1;
   draw->elements[0] = (struct cm_vertex_element){.buffer = 1, .stride = 28, .bytes = 28};
   pass_run(next, gpu);
   expect_counters(gpu, {"vertex_cache.vertex.reads", 5}, {"vertex_cache.vertex.hits", 4 + 5},
                   {"vertex_cache.vertex.misses", 2 + 1});
   pass_free(next);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Shaders are fetched once each; what is counted are their invocations. */
TEST(tessellation)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"timing=on", NULL});
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 6;
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 5};
   draw->control_shader = (struct cm_shader){.id = 1, .instructions = 9, .constant_bytes = 20};
   draw->evaluation_shader = (struct cm_shader){.id = 1, .instructions = 17, .constant_bytes = 65};
   draw->geometry_shader = (struct cm_shader){.id = 1, .instructions = 7};
   draw->patches = 2;
   draw->control_invocations = 8;
   draw->evaluation_invocations = 30;
   draw->geometry_invocations = 11;
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.vertices", 6}, {"tessellation_stage.patches", 2},
                   {"tessellation_stage.control_invocations", 8},
                   {"tessellation_stage.evaluation_invocations", 30}, {"geometry_stage.invocations", 11},
                   /* 40, 72, 136 and 56 bytes; 20 and 65 of constants. */
                   {"instruction_cache.shader.reads", 1 + 2 + 3 + 1},
                   {"instruction_cache.constant.reads", 1 + 2},
                   {"operations.vertex_instructions", 6 * 5 + 8 * 9 + 30 * 17 + 11 * 7});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(index_past_the_end)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffers(gpu);
   struct pass_builder *pass = indexed_draw();
   pass->draws[0].index_offset = 94; /* three of six indices fit */
   pass->draws[0].num_elements = 0;
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.indices", 6}, {"vertex_cache.index.reads", 3});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Vertices 0 … 39 of a row of texels each of their own, 4 bytes: 16 texels per block of 64 bytes. */
static struct pass_builder *
textured_draw(void)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 40;
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 20};
   pass->vertex_bindings[0] = (struct cm_texture_binding){.resource = 3};
   pass->pass.num_vertex_bindings = 1;
   for (uint16_t v = 0; v < 40; v++)
      pass_vertex_read(pass, v, 0, v, 0, false);
   return pass;
}

TEST(textures)
{
   static const char *const settings[] = {"texture.placement=linear", NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   define_texture(gpu, 3, 64, 64, 1);
   struct pass_builder *pass = textured_draw();
   pass_run(pass, gpu);
   /* Threads of 16 vertices on the four processors in turn: 16 on the first, 16 on the second, 8 on the third. */
   expect_counters(gpu, {"vertex_stage.vertices", 40}, {"vertex_stage.footprints", 40},
                   {"fragment_stage.footprints", 0}, {"texture_cache.0.texture.reads", 16},
                   {"texture_cache.1.texture.reads", 16}, {"texture_cache.2.texture.reads", 8},
                   {"texture_cache.3.texture.reads", 0}, {"texture_cache.texture.reads", 40},
                   {"texture_cache.texture.misses", 3}, {"l2.texture.reads", 3},
                   {"dram.texture.read_bytes", 3 * 64});
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.footprints", 80}, {"texture_cache.texture.reads", 80},
                   {"texture_cache.texture.misses", 3});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Whenever a vertex is shaded it reads what it reads; one that is reused does not; one without reads reads nothing. */
TEST(textures_of_indexed_vertices)
{
   static const struct {
      const char *entries;
      uint64_t footprints, reads;
   } cases[] = {
      /* Vertices 0, 1, 2, 3: 1 has a texel and 2x2 texels in two rows, 2 a texel, 3 none, 5 is not fetched. */
      {"vertex_stage.reuse_entries=16", 1 + 2 + 1, 1 + 3 + 1},
      /* 0, 1, 2, 2 (reused), 1, 3. */
      {"vertex_stage.reuse_entries=1", 1 + 2 + 1 + 2, 1 + 3 + 1 + 3},
      {"vertex_stage.reuse_entries=0", 1 + 2 + 1 + 1 + 2, 1 + 3 + 1 + 1 + 3},
   };
   for (unsigned i = 0; i < 3; i++) {
      struct cm_gpu *gpu =
         test_gpu((const char *const[]){cases[i].entries, "texture.placement=linear", NULL});
      define_buffers(gpu);
      define_texture(gpu, 3, 64, 64, 1);
      struct pass_builder *pass = indexed_draw();
      pass->vertex_bindings[0] = (struct cm_texture_binding){.resource = 3};
      pass->pass.num_vertex_bindings = 1;
      pass_vertex_read(pass, 0, 0, 3, 5, false);
      pass_vertex_read(pass, 1, 0, 3, 5, false);
      pass_vertex_read(pass, 1, 0, 32, 9, true);
      pass_vertex_read(pass, 2, 0, 33, 10, false);
      pass_vertex_read(pass, 5, 0, 0, 60, false);
      pass_run(pass, gpu);
      expect_counters(gpu, {"vertex_stage.footprints", cases[i].footprints},
                      {"texture_cache.texture.reads", cases[i].reads}, {"texture_cache.texture.misses", 3});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* Of a draw that continues in another pass the vertices are not in the stream, but what they read is. */
TEST(textures_of_the_rest)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"texture.placement=linear", NULL});
   define_texture(gpu, 3, 64, 64, 1);
   struct pass_builder *pass = textured_draw();
   pass->draws[0].num_vertices = 0;
   pass_run(pass, gpu);
   expect_counters(gpu, {"vertex_stage.vertices", 0}, {"vertex_stage.footprints", 40},
                   {"texture_cache.2.texture.reads", 8}, {"texture_cache.texture.misses", 3});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* A draw whose vertices, patches and triangles load, store and change what is in a buffer of 20,000 bytes (1), in an image of
 * 64 by 64 texels (3), in an image that is a buffer (2), and read a texture (4). */
static struct pass_builder *
draw_with_storage(void)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 32;
   draw->patches = 8;
   draw->control_invocations = 24;
   draw->evaluation_invocations = 40;
   draw->geometry_invocations = 20;
   pass->pass.num_vertex_bindings = 4;
   pass->vertex_bindings[0] =
      (struct cm_texture_binding){.resource = 1, .buffer_offset = 128, .is_storage = true};
   pass->vertex_bindings[1] = (struct cm_texture_binding){.resource = 3, .is_storage = true};
   pass->vertex_bindings[2] =
      (struct cm_texture_binding){.resource = 2, .texel_bytes = 4, .is_storage = true};
   pass->vertex_bindings[3] = (struct cm_texture_binding){.resource = 4};
   /* A vertex stores 16 bytes: each block of 64 is written by four, all on the processor of their thread of 16. */
   for (uint32_t v = 0; v < 32; v++)
      pass_access(pass, CM_PRERASTER_VERTEX,
                  (struct cm_vertex_access){.invocation = v,
                                            .type = CM_VERTEX_BUFFER,
                                            .operation = CM_STORAGE_STORE,
                                            .layer = 16 * v,
                                            .bytes = 16});
   /* An invocation for a patch' vertex loads 8 bytes of two blocks. */
   for (uint32_t i = 0; i < 24; i++)
      pass_access(pass, CM_PRERASTER_CONTROL,
                  (struct cm_vertex_access){.invocation = i,
                                            .type = CM_VERTEX_BUFFER,
                                            .operation = CM_STORAGE_LOAD,
                                            .layer = 60,
                                            .bytes = 8});
   /* A point loads a texel, and reads another one of a texture. */
   for (uint32_t i = 0; i < 40; i++) {
      pass_access(pass, CM_PRERASTER_EVALUATION,
                  (struct cm_vertex_access){.invocation = i,
                                            .binding = 1,
                                            .type = CM_VERTEX_IMAGE,
                                            .operation = CM_STORAGE_LOAD,
                                            .x = (uint16_t)i,
                                            .y = 5});
      pass_access(pass, CM_PRERASTER_EVALUATION,
                  (struct cm_vertex_access){.invocation = i, .binding = 3, .x = (uint16_t)i, .y = 7});
   }
   /* A triangle counts itself. */
   for (uint32_t i = 0; i < 20; i++)
      pass_access(pass, CM_PRERASTER_GEOMETRY,
                  (struct cm_vertex_access){.invocation = i,
                                            .binding = 2,
                                            .type = CM_VERTEX_IMAGE,
                                            .operation = CM_STORAGE_ATOMIC,
                                            .x = 3});
   return pass;
}

static struct cm_gpu *
gpu_with_storage(const char *const *settings)
{
   struct cm_gpu *gpu = test_gpu(settings);
   define_buffer(gpu, 1, 20000);
   define_buffer(gpu, 2, 64);
   define_texture(gpu, 3, 64, 64, 1);
   define_texture(gpu, 4, 64, 64, 1);
   return gpu;
}

/* Without load/store caches everything is an access of the L2. */
TEST(storage)
{
   static const char *const settings[] = {"texture.placement=linear", "streams.storage=l2", NULL};
   struct cm_gpu *gpu = gpu_with_storage(settings);
   struct pass_builder *pass = draw_with_storage();
   pass_run(pass, gpu);
   expect_counters(gpu, {"load_store.stores", 32}, {"load_store.loads", 24 + 40}, {"load_store.atomics", 20},
                   {"vertex_stage.footprints", 40}, {"l2.storage.writes", 32 + 20},
                   {"l2.storage.reads", 2 * 24 + 40 + 20},
                   /* 512 bytes of the buffer, of which the two blocks are loaded; three of the image; one. */
                   {"l2.storage.misses", 8 + 3 + 1}, {"texture_cache.texture.reads", 40});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* With load/store caches: threads of 16 on the four processors in turn. A block that a processor has stored to is in its cache,
 * until it is written back at the pass' end; atomics are done in the L2. */
TEST(load_store_caches)
{
   static const char *const settings[] = {"texture.placement=linear",
                                          "streams.storage=load_store_cache",
                                          "caches.load_store_cache.size=4K",
                                          "caches.load_store_cache.ways=4",
                                          "caches.load_store_cache.block=64",
                                          "caches.load_store_cache.instances=4",
                                          "caches.load_store_cache.next=l2",
                                          "caches.load_store_cache.write_miss=fetch",
                                          NULL};
   struct cm_gpu *gpu = gpu_with_storage(settings);
   struct pass_builder *pass = draw_with_storage();
   pass_run(pass, gpu);
   expect_counters(
      gpu, {"load_store_cache.0.storage.writes", 16 + 16}, {"load_store_cache.1.storage.writes", 16 + 4},
      /* Of 24 invocations 16 and 8, two blocks each; of 40 points 16, 16 and 8. */
      {"load_store_cache.0.storage.reads", 2 * 16 + 16 + 16},
      {"load_store_cache.1.storage.reads", 2 * 8 + 16 + 4}, {"load_store_cache.2.storage.reads", 8},
      {"load_store_cache.3.storage.reads", 0}, {"load_store_cache.storage.bypasses", 2 * 20},
      /* Four blocks each; the first loads find what processor 0 has stored, on processor 1 they do
                            * not; a block of texels each. */
      {"load_store_cache.storage.misses", 4 + 4 + 2 + 1 + 1 + 1},
      /* Atomics pass through. */
      {"load_store_cache.storage.writebacks", 8 + 20});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Of a draw that continues in another pass, all of it is there without a vertex. */
TEST(storage_of_the_rest)
{
   static const char *const settings[] = {"texture.placement=linear", "streams.storage=l2", NULL};
   struct cm_gpu *gpu = gpu_with_storage(settings);
   struct pass_builder *pass = draw_with_storage();
   pass->draws[0].num_vertices = 0;
   pass_run(pass, gpu);
   expect_counters(gpu, {"load_store.stores", 32}, {"load_store.loads", 24 + 40}, {"load_store.atomics", 20},
                   {"vertex_stage.footprints", 40});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}
