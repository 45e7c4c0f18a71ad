/* SPDX-License-Identifier: MIT */
/* A frame's cycles follow from its log: nothing of earlier frames is under way when it begins. A part of a long frame is like
 * a frame. */
#include <string.h>

#include "support/full_pass.h"
#include "support/test.h"

/* Enough for caches to have the same hits and misses in each. */
#define FRAMES 6

#define PASSES 2 /* of a frame */

static void
run_pass(struct cm_gpu *gpu, const struct cm_config *config, uint64_t seed)
{
   struct full_model *model = full_model(seed);
   struct pass_builder *pass = full_pass(model, config->tile.size, seed);
   pass_run(pass, gpu);
   pass_free(pass);
   full_model_free(model);
}

static void
run_frame(struct cm_gpu *gpu, const struct cm_config *config)
{
   for (uint64_t seed = 1; seed <= PASSES; seed++)
      run_pass(gpu, config, seed);
}

/* What is rounded for all frames together differs by one. */
static bool
is_rounded(const struct cm_counter *counter)
{
   return !strcmp(counter->name, "gpu.time") || !strncmp(counter->name, "energy.", 7);
}

static bool
is_timed(const struct cm_counter *counter)
{
   return !strcmp(counter->name, "gpu.cycles") || !strncmp(counter->name, "dram_system.", 12) ||
          !strncmp(counter->name, "queue.", 6) || strstr(counter->name, "_cycles");
}

/* Whether frames are alike in all counters of caches; then they must be in all that are timed. */
static bool
are_alike(const struct cm_counter_table *table, const uint64_t *values, const uint64_t *others)
{
   bool same = true;
   for (uint32_t c = 0; c < table->count; c++)
      same &= is_rounded(&table->counters[c]) || is_timed(&table->counters[c]) || values[c] == others[c];
   for (uint32_t c = 0; c < table->count && same; c++) {
      if (!is_rounded(&table->counters[c]) && values[c] != others[c])
         fail_msg("%s: %lu and %lu in equal frames", table->counters[c].name, (unsigned long)values[c],
                  (unsigned long)others[c]);
   }
   return same;
}

static void
check_preset(const char *preset)
{
   static const char *const settings[] = {"timing=on", NULL};
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   uint64_t *last = calloc(table->count, sizeof *last);
   unsigned alike = 0;
   define_full_resources(gpu);
   for (unsigned frame = 0; frame < FRAMES; frame++) {
      run_frame(gpu, config);
      const uint64_t *values = cm_gpu_frame_end(gpu);
      assert_true(values[cm_counter_table_find(table, "gpu.cycles")] > 0);
      alike += frame && are_alike(table, values, last);
      memcpy(last, values, table->count * sizeof *last);
   }
   if (!alike)
      fail_msg("%s: no two frames are alike", preset);
   assert_true(cm_gpu_is_complete(gpu));
   free(last);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

TEST(equal_frames)
{
   static const char *const presets[] = {"tcor-64k",  "tcor-baseline-64k", "imr-8m", "nuca-static",
                                         "mali-like", "v3d-pi4",           "dtexl"};
   for (unsigned p = 0; p < sizeof presets / sizeof presets[0]; p++)
      check_preset(presets[p]);
}

/* Frames that are divided at each pass have what frames of a pass have together. */
static void
check_parts(const char *preset, bool attributes)
{
   const char *const settings[] = {"timing=on", attributes ? "attribution.pass=on" : NULL, NULL};
   struct cm_config *config = test_config_of(preset, settings);
   struct cm_gpu *divided = cm_gpu_create(config, NULL, 0), *frames = cm_gpu_create(config, NULL, 0);
   const struct cm_counter_table *table = cm_gpu_counters(divided);
   uint64_t *sums = calloc(table->count, sizeof *sums);
   cm_gpu_set_longest_part(divided, 1);
   define_full_resources(divided);
   define_full_resources(frames);
   for (unsigned frame = 0; frame < 3; frame++) {
      memset(sums, 0, table->count * sizeof *sums);
      for (uint64_t seed = 1; seed <= PASSES; seed++) {
         run_pass(frames, config, seed);
         const uint64_t *values = cm_gpu_frame_end(frames);
         for (uint32_t c = 0; c < table->count; c++)
            sums[c] += values[c];
      }
      run_frame(divided, config);
      const uint64_t *values = cm_gpu_frame_end(divided);
      for (uint32_t c = 0; c < table->count; c++) {
         if (!is_rounded(&table->counters[c]) && strcmp(table->counters[c].name, "gpu.frames") != 0 &&
             sums[c] != values[c])
            fail_msg("%s: %s: %lu, not %lu", preset, table->counters[c].name, (unsigned long)values[c],
                     (unsigned long)sums[c]);
      }
   }
   free(sums);
   cm_gpu_destroy(divided);
   cm_gpu_destroy(frames);
   cm_config_destroy(config);
}

TEST(parts)
{
   static const char *const presets[] = {"tcor-64k", "imr-8m", "mali-like", "v3d-pi4"};
   for (unsigned p = 0; p < sizeof presets / sizeof presets[0]; p++)
      check_parts(presets[p], p % 2 == 0);
}
