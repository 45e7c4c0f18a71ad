/* SPDX-License-Identifier: MIT */
/* The counters depend on events and configuration alone: two GPUs in a process
 * whose heap lies elsewhere each time count the same. */
#include <stdlib.h>
#include <string.h>

#include "support/random_pass.h"
#include "support/test.h"

static uint64_t *
run_once(uint64_t disturbance, uint32_t *count)
{
   void *holes[64];
   for (unsigned i = 0; i < 64; i++)
      holes[i] = malloc(1 + random_below(&disturbance, 100000));
   struct cm_gpu *gpu = test_gpu(NULL);
   uint64_t state = 5;
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < 8; frame++) {
      struct pass_builder *pass = random_pass(&state, frame);
      free(holes[frame]);
      holes[frame] = NULL;
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
   }
   *count = cm_gpu_counters(gpu)->count;
   uint64_t *values = malloc(*count * sizeof *values);
   memcpy(values, cm_gpu_total(gpu), *count * sizeof *values);
   cm_gpu_destroy(gpu);
   for (unsigned i = 0; i < 64; i++)
      free(holes[i]);
   return values;
}

TEST(same_counters)
{
   uint32_t count, other;
   uint64_t *first = run_once(1, &count);
   for (uint64_t run = 2; run < 5; run++) {
      uint64_t *values = run_once(run, &other);
      assert_int_equal(count, other);
      assert_memory_equal(first, values, count * sizeof *values);
      free(values);
   }
   free(first);
}
