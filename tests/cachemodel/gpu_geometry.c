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
   draw->vertex_program = (struct cm_program){.id = 1, .instructions = 20, .constant_bytes = 65};
   return pass;
}

static void
define_buffers(struct cm_gpu *gpu)
{
   define_buffer(gpu, 1, 100);
   define_buffer(gpu, 2, 120);
}

static void
test_indexed(void **unused)
{
   (void)unused;
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffers(gpu);
   struct pass_builder *pass = indexed_draw();
   pass_run(pass, gpu);
   assert_counters(gpu, (const struct expected_counter[]){
                           {"gpu.draws", 1},
                           {"vertex_stage.indices", 6},
                           {"vertex_stage.vertices", 6},
                           {"vertex_cache.index.reads", 6},
                           {"vertex_cache.index.misses", 2},
                           {"vertex_cache.vertex.reads", 6 + 7},
                           {"vertex_cache.vertex.misses", 2},
                           {"dram.vertex.reads", 2},
                           {"dram.index.read_bytes", 128},
                           /* 160 bytes of instructions, 65 of constants. */
                           {"instruction_cache.shader.reads", 3},
                           {"instruction_cache.constant.reads", 2},
                           {"instruction_cache.total.misses", 5},
                           {NULL, 0},
                        });
   pass_run(pass, gpu);
   assert_counters(gpu, (const struct expected_counter[]){
                           {"vertex_cache.index.misses", 2},
                           {"vertex_cache.total.reads", 2 * 19},
                           {"instruction_cache.total.reads", 10},
                           {"instruction_cache.total.misses", 5},
                           {NULL, 0},
                        });
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

static void
test_reuse(void **unused)
{
   (void)unused;
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
      assert_counters(gpu, (const struct expected_counter[]){
                              {"vertex_stage.vertices", cases[i].vertices},
                              {"vertex_stage.vertices_reused", cases[i].reused},
                              {"vertex_cache.vertex.reads", cases[i].reads},
                              {"vertex_cache.index.reads", 6},
                              {NULL, 0},
                           });
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

static void
test_not_indexed_and_instanced(void **unused)
{
   (void)unused;
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
   assert_counters(gpu, (const struct expected_counter[]){
                           {"vertex_stage.indices", 0},
                           {"vertex_stage.vertices", 3},
                           {"vertex_cache.vertex.reads", 2 + 3},
                           {"vertex_cache.vertex.misses", 1},
                           {"vertex_cache.index.reads", 0},
                           {NULL, 0},
                        });
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

static void
test_index_past_the_end(void **unused)
{
   (void)unused;
   struct cm_gpu *gpu = test_gpu(NULL);
   define_buffers(gpu);
   struct pass_builder *pass = indexed_draw();
   pass->draws[0].index_offset = 94; /* three of six indices fit */
   pass->draws[0].num_elements = 0;
   pass_run(pass, gpu);
   assert_counters(gpu, (const struct expected_counter[]){
                           {"vertex_stage.indices", 6},
                           {"vertex_cache.index.reads", 3},
                           {NULL, 0},
                        });
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_indexed),
      cmocka_unit_test(test_reuse),
      cmocka_unit_test(test_not_indexed_and_instanced),
      cmocka_unit_test(test_index_past_the_end),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
