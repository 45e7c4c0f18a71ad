/* SPDX-License-Identifier: MIT */
/* A long-running program makes and deletes textures: forgetting those that are gone changes no count, and keeps memory flat. */
#include <malloc.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

/* A sanitizer's own heap is not measured. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_OURS false
#else
#define MEMORY_IS_OURS true
#endif

#define FRAMES 6000
#define SETTLED 3000
/* Ids of one page of the table of resources (gpu/address_space.h): pointers to those that are there. */
#define PAGE_BYTES (1024 * sizeof(void *))

/* A frame that draws to a new texture. */
static void
run_frame(struct cm_gpu *gpu, uint32_t number)
{
   struct pass_builder *pass = pass_new(number, 64, 64, 32);
   define_texture(gpu, number + 1, 64, 64, 3);
   pass_color(pass, number + 1, 4);
   pass->pass.kind = CM_PASS_TBR;
   pass->pass.color[0].load = number % 3 == 0;
   memset(pass->touched, 1, 4);
   pass_run_and_free(pass, gpu);
}

/* In use on the heap once all frames have ended, and in `settled` after half of them. */
static size_t
run_frames(struct cm_gpu *gpu, bool forgets, size_t *settled)
{
   for (uint32_t number = 0; number < FRAMES; number++) {
      run_frame(gpu, number);
      cm_gpu_frame_end(gpu);
      if (forgets && number)
         cm_gpu_forget_resource(gpu, number);
      if (number + 1 == SETTLED)
         *settled = mallinfo2().uordblks;
   }
   return mallinfo2().uordblks;
}

static void
test_forgotten(const char *preset, const char *const *settings)
{
   char error[512];
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *keeps = cm_gpu_create(config, error, sizeof error),
                 *forgets = cm_gpu_create(config, error, sizeof error);
   const uint32_t count = cm_gpu_counters(keeps)->count;
   size_t settled = 0;
   const size_t kept = run_frames(keeps, false, &settled);
   assert_true(!MEMORY_IS_OURS ||
               kept > settled + (FRAMES - SETTLED) * sizeof(struct cm_resource_description));
   const size_t after = run_frames(forgets, true, &settled);
   assert_true(!MEMORY_IS_OURS || after <= settled + PAGE_BYTES);
   assert_memory_equal(cm_gpu_total(keeps), cm_gpu_total(forgets), count * sizeof(uint64_t));
   assert_true(cm_gpu_is_complete(forgets));
   cm_gpu_destroy(keeps);
   cm_gpu_destroy(forgets);
   cm_config_destroy(config);
}

TEST(tiled)
{
   test_forgotten("tcor-baseline-64k", (const char *const[]){"mode=tbr", NULL});
}

/* The last pass that names it is simulated after that. */
TEST(late)
{
   test_forgotten("tcor-baseline-64k",
                  (const char *const[]){"mode=tbr", "parameter_buffer.written=among-tiles", NULL});
}

TEST(immediate)
{
   test_forgotten("imr-8m", NULL);
}

/* Tables of what causes accesses may name it later: it stays. */
TEST(attributed)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"attribution.texture=on", NULL});
   run_frame(gpu, 0);
   cm_gpu_forget_resource(gpu, 1);
   struct pass_builder *pass = pass_new(0, 64, 64, 32);
   pass_color(pass, 1, 4);
   memset(pass->touched, 1, 4);
   const uint64_t before = gpu_total(gpu, "dram.color.writes");
   pass_run(pass, gpu);
   assert_int_equal(gpu_total(gpu, "dram.color.writes"), 2 * before);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}
