/* SPDX-License-Identifier: MIT */
/* A frame's cycles follow from its log: nothing of earlier frames is under way when it begins. */
#include <string.h>

#include "support/full_pass.h"
#include "support/test.h"

/* Enough for caches to have the same hits and misses in each. */
#define FRAMES 6

static void
run_frame(struct cm_gpu *gpu, const struct cm_config *config)
{
   for (uint64_t seed = 1; seed < 3; seed++) {
      struct full_model *model = full_model(seed);
      struct pass_builder *pass = full_pass(model, config->tile.size, seed);
      pass_run(pass, gpu);
      pass_free(pass);
      full_model_free(model);
   }
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
