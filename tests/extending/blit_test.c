/* SPDX-License-Identifier: MIT */
/* The field of a draw that clipper.patch adds to the event stream: what a recorder is given comes out of the recording
 * again, and the consumer counts it, whether the passes come from the renderer or from the recording. */
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

enum { FRAMES = 12 };

static struct pass_builder *
pass_with_blits(uint64_t *state, uint32_t frame, uint64_t *blits)
{
   struct pass_builder *builder = random_pass(state, frame);
   for (uint32_t d = 0; d < builder->pass.num_draws; d++)
      builder->pass.draws[d].is_blit = random_below(state, 2);
   for (uint32_t p = 0; p < builder->pass.num_primitives; p++)
      *blits += builder->pass.draws[builder->pass.primitives[p].draw].is_blit;
   return builder;
}

static struct cm_gpu *
new_gpu(void)
{
   char error[512];
   struct cm_config *config = cm_config_load(CM_CONFIG_DEFAULT, NULL, error, sizeof error);
   assert_non_null(config);
   assert_true(cm_config_set(config, "clipper.cycles=1", error, sizeof error));
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   define_random_resources(gpu);
   cm_config_destroy(config);
   return gpu;
}

static void
consume(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   cm_gpu_pass_begin(gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(gpu);
   for (uint32_t n = 0; n < pass->tiles_x * pass->tiles_y; n++)
      cm_gpu_pass_tile(gpu, traversal[n]);
   cm_gpu_pass_end(gpu);
}

TEST(blits)
{
   struct cm_recorder *recorder = new_recorder(recording_path());
   struct cm_gpu *live = new_gpu(), *offline = new_gpu();
   uint64_t state = 9, blits = 0;
   cm_recorder_gpu_begin(recorder);
   for (uint32_t frame = 0; frame < FRAMES; frame++) {
      struct pass_builder *builder = pass_with_blits(&state, frame, &blits);
      record_pass(recorder, builder);
      pass_run_and_free(builder, live);
      cm_recorder_frame_end(recorder, frame);
      cm_gpu_frame_end(live);
   }
   assert_true(cm_recorder_destroy(recorder));

   char error[512];
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   cm_recording_seek(recording, 0, FRAMES - 1);
   uint64_t again = 0;
   state = 9;
   for (uint32_t frame = 0; frame < FRAMES;) {
      struct cm_item item = cm_recording_next(recording);
      assert_in_range(item.type, 0, CM_ITEM_END - 1);
      if (item.type == CM_ITEM_PASS) {
         struct pass_builder *expected = pass_with_blits(&state, frame, &again);
         assert_passes_equal(&item.pass->pass, &expected->pass);
         pass_free(expected);
         consume(offline, &item.pass->pass);
         cm_recorded_pass_release(item.pass);
      } else if (item.type == CM_ITEM_FRAME_END) {
         cm_gpu_frame_end(offline);
         frame++;
      }
   }
   cm_recording_close(recording);

   assert_true(blits > 10 && gpu_total(live, "clipper.tested") > 10);
   assert_int_equal(gpu_total(live, "clipper.passed"), blits);
   assert_int_equal(gpu_total(offline, "clipper.passed"), blits);
   assert_int_equal(gpu_total(offline, "clipper.tested"), gpu_total(live, "clipper.tested"));
   cm_gpu_destroy(live);
   cm_gpu_destroy(offline);
}
