/* SPDX-License-Identifier: MIT */
/* Loads and flushes of tiles, in 64-byte blocks of the attachment's rows. */
#include "support/pass_builder.h"
#include "support/test.h"

TEST(whole_tiles)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_texture(gpu, 1, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 64, 64, 32);
   pass_color(pass, 1, 4);
   pass->touched[0] = pass->touched[3] = true; /* two tiles of 32 rows of two blocks */
   pass_run(pass, gpu);
   expect_counters(gpu, {"tiling_engine.tiles", 2}, {"dram.color.writes", 128},
                   {"dram.color.write_bytes", 8192}, {"dram.color.reads", 0}, {"l2.total.writes", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(partial_tiles)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   define_texture(gpu, 1, 50, 40, 1);
   define_texture(gpu, 2, 50, 40, 1);
   struct pass_builder *pass = pass_new(0, 50, 40, 32);
   pass_color(pass, 1, 4);
   pass->pass.color[0].load = true;
   pass->pass.depth = (struct cm_attachment){.resource = 2, .pixel_bytes = 4, .load = true};
   pass->pass.stencil = (struct cm_attachment){.resource = 2, .pixel_bytes = 0, .load = true, .store = true};
   for (unsigned t = 0; t < 4; t++)
      pass->touched[t] = true;
   pass_run(pass, gpu);
   /* Rows of 50 pixels: 2 blocks in the left tiles, 18 pixels = 72 bytes = 2 in the
    * right ones; 40 rows. */
   expect_counters(gpu, {"dram.color.reads", 160}, {"dram.color.writes", 160}, {"dram.depth.reads", 160},
                   {"dram.depth.writes", 0}, {"dram.stencil.reads", 0}, {"dram.stencil.writes", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Blocks of recursive Z are squares of 4x4 pixels: 50x40 pixels have 13 x 10 of them. Through
 * a cache, the blocks of a level's edge are whole as well: nothing is fetched. */
TEST(placed_tiles)
{
   struct cm_gpu *gpu = test_gpu(
      (const char *const[]){"texture.placement=rz", "streams.color=l2", "caches.l2.write_miss=fetch", NULL});
   define_texture(gpu, 1, 50, 40, 1);
   define_texture(gpu, 2, 64, 64, 2);
   struct pass_builder *pass = pass_new(0, 50, 40, 32);
   pass_color(pass, 1, 4);
   for (unsigned t = 0; t < 4; t++)
      pass->touched[t] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"l2.color.writes", 130}, {"l2.color.misses", 130}, {"dram.color.reads", 0});
   pass_free(pass);

   /* 30x30 pixels of 64x64: of 8x8 blocks the last row and the last column are written in part. */
   pass = pass_new(0, 30, 30, 32);
   pass_color(pass, 2, 4);
   pass->touched[0] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"l2.color.writes", 130 + 64}, {"dram.color.reads", 15});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* A tile narrower than a block writes the block it shares with its neighbour. */
TEST(small_tiles)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"tile.size=8", NULL});
   define_texture(gpu, 1, 16, 8, 1);
   struct pass_builder *pass = pass_new(0, 16, 8, 8);
   pass_color(pass, 1, 4);
   pass->touched[0] = pass->touched[1] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.writes", 16});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* With rows of 32 bytes without padding, two rows of a tile share a block. */
TEST(rows_in_one_block)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"texture.row_alignment=1", NULL});
   define_texture(gpu, 1, 8, 8, 1);
   struct pass_builder *pass = pass_new(0, 8, 8, 32);
   pass_color(pass, 1, 4);
   pass->touched[0] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.writes", 4});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Through the L2, whole blocks are written without being read; a level and a
 * layer have their own addresses. */
TEST(through_the_l2)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"streams.color=l2", "caches.l2.write_miss=fetch", "tile.size=16", NULL});
   struct cm_resource_description cube = describe_texture(64, 64, 3, 4);
   cube.layers = 6;
   cm_gpu_define_resource(gpu, &cube);
   for (unsigned n = 0; n < 3; n++) {
      struct pass_builder *pass = pass_new(0, 16, 16, 16);
      pass_color(pass, 1, 4);
      pass->pass.color[0].level = 2;
      pass->pass.color[0].layer = n == 2 ? 5 : 1;
      pass->touched[0] = true;
      pass_run_and_free(pass, gpu);
   }
   expect_counters(gpu, {"l2.color.writes", 48}, {"l2.color.misses", 32}, {"l2.color.hits", 16},
                   {"l2.color.fills", 0}, {"dram.color.writes", 0});
   cm_gpu_destroy(gpu);
}

/* A multisampled attachment moves all samples of its pixels; what it is resolved to is
 * written in addition, or instead of it where it need not be kept. */
TEST(samples_and_resolve)
{
   struct cm_resource_description samples = describe_texture(64, 64, 1, 4);
   samples.samples = 4;
   struct cm_gpu *gpu = test_gpu(NULL);
   cm_gpu_define_resource(gpu, &samples);
   define_texture(gpu, 2, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 64, 64, 32);
   pass_color(pass, 1, 4);
   pass->pass.resolve[0] = (struct cm_resolve){.resource = 2, .x1 = 64, .y1 = 64};
   pass->touched[0] = true; /* 32 rows: 512 bytes of samples, 128 bytes of the target */
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.writes", 32 * 8 + 32 * 2}, {"dram.color.reads", 0});
   pass->pass.color[0].store = false;
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.writes", 320 + 64});
   /* Upside down: the first tile's 32 rows are the target's rows 28 … 59, a block each. */
   pass->pass.resolve[0] =
      (struct cm_resolve){.resource = 2, .x1 = 16, .y0 = 0, .y1 = 60, .target_x = 16, .flip_y = true};
   pass_run(pass, gpu);
   expect_counters(gpu, {"dram.color.writes", 384 + 32});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Layers are rows of tiles below each other; an attachment with fewer layers than the
 * framebuffer takes no part in the further ones. */
TEST(layers)
{
   struct cm_resource_description array = describe_texture(16, 16, 1, 4);
   array.layers = 3;
   struct cm_gpu *gpu = test_gpu((const char *const[]){"tile.size=16", NULL});
   cm_gpu_define_resource(gpu, &array);
   struct pass_builder *pass = pass_new(0, 16, 48, 16); /* three tiles */
   pass->pass.height = 16;
   pass->pass.layer_tiles_y = 1;
   pass_color(pass, 1, 4);
   pass->pass.color[0].more_layers = 1;
   pass->touched[0] = pass->touched[1] = pass->touched[2] = true;
   pass_run(pass, gpu);
   expect_counters(gpu, {"tiling_engine.tiles", 3}, {"dram.color.writes", 32});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}
