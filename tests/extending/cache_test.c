/* SPDX-License-Identifier: MIT */
/* The cache that cache.patch adds, between the vertex cache and the L2: what it reads and writes is what the one before
 * it misses, and it is simulated like any other. */
#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "support/random_pass.h"
#include "support/test.h"

static uint64_t
total(struct cm_gpu *gpu, const char *unit, const char *event)
{
   char name[128];
   snprintf(name, sizeof name, "%s.vertex.%s", unit, event);
   return gpu_total(gpu, name);
}

TEST(between_two_others)
{
   static const char *const assignments[] = {
      "vertex_cache_l2.size=65536",        "vertex_cache_l2.ways=4",    "vertex_cache_l2.block=64",
      "vertex_cache_l2.instances=1",       "vertex_cache_l2.latency=4", "vertex_cache_l2.next=l2",
      "vertex_cache.next=vertex_cache_l2", "vertex_cache.size=1024",
   };
   char error[512];
   struct cm_config *config = cm_config_load(CM_CONFIG_DEFAULT, NULL, error, sizeof error);
   assert_non_null(config);
   for (unsigned a = 0; a < sizeof assignments / sizeof assignments[0]; a++)
      assert_true(cm_config_set(config, assignments[a], error, sizeof error));
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   define_random_resources(gpu);
   uint64_t state = 3;
   for (uint32_t frame = 0; frame < 10; frame++) {
      pass_run_and_free(random_pass(&state, frame), gpu);
      cm_gpu_frame_end(gpu);
   }
   assert_int_equal(total(gpu, "vertex_cache_l2", "reads"), total(gpu, "vertex_cache", "fills"));
   assert_int_equal(total(gpu, "vertex_cache_l2", "writes"), total(gpu, "vertex_cache", "writebacks"));
   assert_int_equal(total(gpu, "l2", "reads"), total(gpu, "vertex_cache_l2", "fills"));
   assert_true(total(gpu, "vertex_cache_l2", "hits") > 0);
   assert_true(total(gpu, "vertex_cache_l2", "misses") > 0);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}
