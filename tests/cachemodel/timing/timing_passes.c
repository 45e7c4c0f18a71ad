/* SPDX-License-Identifier: MIT */
/* Frames of several passes: all their quads come through the pipeline, and each frame takes time. */
#include "support/random_pass.h"
#include "support/test.h"

static uint64_t
counter(struct cm_gpu *gpu, const uint64_t *values, const char *name)
{
   const int index = cm_counter_table_find(cm_gpu_counters(gpu), name);
   assert_true(index >= 0);
   return values[index];
}

TEST(frames_of_passes)
{
   static const char *const modes[] = {"mode=tbr", "mode=tbdr"};
   for (unsigned mode = 0; mode < 2; mode++) {
      const char *const settings[] = {"timing=on", modes[mode], NULL};
      struct cm_gpu *gpu = test_gpu(settings);
      uint64_t random = 5;
      define_random_resources(gpu);
      for (uint32_t frame = 0; frame < 20; frame++) {
         for (unsigned passes = 1 + frame % 5; passes > 0; passes--) {
            struct pass_builder *pass = random_pass(&random, frame);
            pass->pass.kind = mode ? CM_PASS_TBDR : CM_PASS_TBR;
            pass_run(pass, gpu);
            pass_free(pass);
         }
         const uint64_t *values = cm_gpu_frame_end(gpu);
         assert_true(cm_gpu_is_complete(gpu));
         assert_true(counter(gpu, values, "gpu.cycles") > 0);
         assert_int_equal(counter(gpu, values, "queue.fragment.items"),
                          counter(gpu, values, "fragment_stage.quads"));
         assert_int_equal(counter(gpu, values, "tile_fetcher.primitives"),
                          counter(gpu, values, "tiling_engine.pmds"));
      }
      cm_gpu_destroy(gpu);
   }
}
