/* SPDX-License-Identifier: MIT */
/* Reads of descriptors, counted by hand: each that a shader names once, when a processor begins with the draw. */
#include "support/pass_builder.h"
#include "support/test.h"

enum { FIRST_SET = 1, SECOND_SET = 2 };

/* A draw whose quads are in two tiles. Its vertex shader names two descriptors, its fragment shader four and one. */
static struct pass_builder *
new_pass(void)
{
   static const uint32_t tiles[] = {0, 1};
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->vertex_shader = (struct cm_shader){.id = 1, .instructions = 8, .constant_bytes = 64};
   draw->fragment_shader = (struct cm_shader){.id = 1, .instructions = 8};
   pass_descriptors(pass, (struct cm_descriptors){.set = FIRST_SET,
                                                  .set_size = 10,
                                                  .first = 3,
                                                  .count = 2,
                                                  .stage = CM_SHADER_VERTEX,
                                                  .parts = CM_DESCRIPTOR_RESOURCE});
   pass_descriptors(pass, (struct cm_descriptors){.set = FIRST_SET,
                                                  .set_size = 10,
                                                  .count = 4,
                                                  .stage = CM_SHADER_FRAGMENT,
                                                  .parts = CM_DESCRIPTOR_RESOURCE | CM_DESCRIPTOR_SAMPLER});
   pass_descriptors(pass, (struct cm_descriptors){.set = SECOND_SET,
                                                  .set_size = 2,
                                                  .first = 1,
                                                  .count = 1,
                                                  .stage = CM_SHADER_FRAGMENT,
                                                  .parts = CM_DESCRIPTOR_SAMPLER});
   pass_primitive(pass, 1, tiles, 2);
   for (uint32_t tile = 0; tile < 2; tile++)
      pass_shade(pass, tile, 0, 4, 15);
   return pass;
}

static struct cm_gpu *
gpu_with_sets(const char *const *settings)
{
   struct cm_gpu *gpu = test_gpu(settings);
   define_buffer(gpu, FIRST_SET, 100);
   define_buffer(gpu, SECOND_SET, 100);
   return gpu;
}

TEST(with_constants)
{
   /* Four processors take a quad each of the four of a tile. */
   struct cm_gpu *gpu = gpu_with_sets((const char *const[]){"fragment_stage.processors=4", NULL});
   struct pass_builder *pass = new_pass();
   pass_run(pass, gpu);
   /* Descriptor 3 is named by both shaders. */
   expect_counters(gpu, {"fragment_stage.program_switches", 8},
                   {"instruction_cache.descriptor.reads", 2 + 8 * (4 + 1)},
                   {"instruction_cache.descriptor.misses", 2 + 3 + 1}, {"dram.descriptor.read_bytes", 64 * 6},
                   {"instruction_cache.constant.reads", 1});
   pass_run(pass, gpu);
   expect_counters(gpu, {"instruction_cache.descriptor.reads", 2 * (2 + 8 * (4 + 1))},
                   {"instruction_cache.descriptor.misses", 6});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* The stream goes where constants do, unless it has a unit of its own. */
TEST(units)
{
   struct cm_gpu *gpu = gpu_with_sets((const char *const[]){"streams.constant=l2", NULL});
   struct pass_builder *pass = new_pass();
   pass_run(pass, gpu);
   expect_counters(gpu, {"l2.descriptor.reads", 42}, {"l2.constant.reads", 1}, {"dram.descriptor.reads", 6});
   cm_gpu_destroy(gpu);
   gpu = gpu_with_sets((const char *const[]){"streams.descriptor=dram", NULL});
   pass_run(pass, gpu);
   expect_counters(gpu, {"instruction_cache.constant.reads", 1}, {"dram.descriptor.reads", 42},
                   {"dram.descriptor.read_bytes", 42 * 64});
   cm_gpu_destroy(gpu);
   pass_free(pass);
}

/* Blocks of 128 bytes hold two descriptors. The first set has 640 bytes, so that the second one begins a block. */
TEST(large_blocks)
{
   struct cm_gpu *gpu =
      gpu_with_sets((const char *const[]){"instruction_cache.block=128", "l2.block=128", NULL});
   struct pass_builder *pass = new_pass();
   pass_run(pass, gpu);
   /* Descriptors 3 and 4 are in two blocks, 0 to 3 in two. */
   expect_counters(gpu, {"instruction_cache.descriptor.reads", 2 + 8 * (2 + 1)},
                   {"instruction_cache.descriptor.misses", 2 + 1 + 1});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Parts of other sizes: of 16 bytes, descriptors 3 and 4 are in two lines, 0 to 3 in two, and the second set's sampler begins a
 * line with its image. Of 64 bytes the images of 3 and 4 have a line each, with one of a sampler between them. */
TEST(sizes)
{
   struct cm_gpu *gpu =
      gpu_with_sets((const char *const[]){"fragment_stage.processors=4", "descriptors.resource_bytes=16",
                                          "descriptors.sampler_bytes=16", NULL});
   struct pass_builder *pass = new_pass();
   pass_run(pass, gpu);
   expect_counters(gpu, {"instruction_cache.descriptor.reads", 2 + 8 * (2 + 1)},
                   {"dram.descriptor.read_bytes", (3 + 1) * 64});
   cm_gpu_destroy(gpu);
   gpu = gpu_with_sets((const char *const[]){"fragment_stage.processors=4", "descriptors.resource_bytes=64",
                                             "descriptors.sampler_bytes=64", NULL});
   pass_run(pass, gpu);
   expect_counters(gpu, {"instruction_cache.descriptor.reads", 2 + 8 * (8 + 1)},
                   {"dram.descriptor.read_bytes", (8 + 1 + 1) * 64});
   cm_gpu_destroy(gpu);
   pass_free(pass);
}

/* What reads them takes time. */
TEST(timing)
{
   struct pass_builder *with = new_pass(), *without = new_pass();
   without->draws[0].num_descriptors = 0;
   static const char *const settings[] = {"timing=on", NULL};
   const uint64_t cycles = cycles_of_pass(gpu_with_sets(settings), with);
   assert_true(cycles > cycles_of_pass(gpu_with_sets(settings), without));
}

/* Work-groups: as fragments. */
TEST(dispatch)
{
   struct cm_gpu *gpu = gpu_with_sets((const char *const[]){"fragment_stage.processors=4", NULL});
   struct pass_builder *pass = pass_new(0, 6, 1, 1);
   pass->pass.kind = CM_PASS_COMPUTE;
   pass->pass.dispatch = (struct cm_dispatch){.shader = {.id = 1, .instructions = 8},
                                              .groups = {6, 1, 1},
                                              .group_size = {1, 1, 1},
                                              .groups_per_tile = 1};
   (void)pass_draw(pass);
   pass_descriptors(pass, (struct cm_descriptors){.set = FIRST_SET,
                                                  .set_size = 10,
                                                  .first = 1,
                                                  .count = 3,
                                                  .stage = CM_SHADER_COMPUTE,
                                                  .parts = CM_DESCRIPTOR_RESOURCE});
   for (uint32_t group = 0; group < 6; group++) {
      const uint32_t words[] = {CM_EVENT_GROUP, group, CM_EVENT_INVOKE | 1 << 8, 0};
      pass->touched[group] = true;
      pass_words(pass, group, words, 4);
   }
   pass_run(pass, gpu);
   expect_counters(gpu, {"compute_stage.work_groups", 6}, {"instruction_cache.descriptor.reads", 4 * 3},
                   {"dram.descriptor.read_bytes", 3 * 64});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}
