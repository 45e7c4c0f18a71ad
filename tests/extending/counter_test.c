/* SPDX-License-Identifier: MIT */
/* The counter that counter.patch adds against the primitives of random passes. */
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "support/random_pass.h"
#include "support/test.h"

TEST(single_tile_primitives)
{
   char error[512];
   struct cm_config *config = cm_config_load(CM_CONFIG_DEFAULT, NULL, error, sizeof error);
   assert_non_null(config);
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   const int counter = cm_counter_table_find(cm_gpu_counters(gpu), "tiling_engine.single_tile_primitives");
   assert_true(counter >= 0);
   define_random_resources(gpu);
   uint64_t state = 3, expected = 0, others = 0;
   for (uint32_t frame = 0; frame < 10; frame++) {
      struct pass_builder *pass = random_pass(&state, frame);
      for (uint32_t p = 0; p < pass->pass.num_primitives; p++)
         *(pass->pass.primitives[p].num_tiles == 1 ? &expected : &others) += 1;
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
   }
   assert_true(expected > 0 && others > 0);
   assert_int_equal(cm_gpu_total(gpu)[counter], expected);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}
