/* SPDX-License-Identifier: MIT */
/* The optional stage that clipper.patch adds, between Primitive Assembly and the Polygon List Builder: it is busy for each
 * primitive that is of no blit, all its cycles are accounted for, a slow one makes the frame as long as it takes, and energy
 * has it. Where it is not configured nothing has it. */
#include <stdio.h>

#include "energy/energy.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "support/random_pass.h"
#include "support/test.h"

/* Every other draw of a pass is a blit. */
static struct pass_builder *
pass_with_blits(uint64_t *state, uint32_t frame)
{
   struct pass_builder *builder = random_pass(state, frame);
   for (uint32_t d = 0; d < builder->pass.num_draws; d++)
      builder->pass.draws[d].is_blit = d % 2;
   return builder;
}

/* Ten frames; the GPU's cycles of them. */
static uint64_t
simulate(const char *cycles_of_a_primitive, unsigned cycles)
{
   char error[512];
   struct cm_config *config = cm_config_load("tcor-64k", NULL, error, sizeof error);
   assert_non_null(config);
   assert_true(cm_config_set(config, "timing=on", error, sizeof error));
   assert_true(cm_config_set(config, cycles_of_a_primitive, error, sizeof error));
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   define_random_resources(gpu);
   uint64_t state = 3;
   for (uint32_t frame = 0; frame < 10; frame++) {
      pass_run_and_free(pass_with_blits(&state, frame), gpu);
      cm_gpu_frame_end(gpu);
   }
   static const char *const states[] = {"busy", "starved", "blocked", "memory"};
   uint64_t sum = 0;
   for (unsigned s = 0; s < sizeof states / sizeof states[0]; s++) {
      char name[64];
      snprintf(name, sizeof name, "clipper.%s_cycles", states[s]);
      sum += gpu_total(gpu, name);
   }
   const uint64_t time = gpu_total(gpu, "gpu.cycles"), tested = gpu_total(gpu, "clipper.tested"),
                  passed = gpu_total(gpu, "clipper.passed");
   assert_int_equal(tested + passed, gpu_total(gpu, "tiling_engine.primitives"));
   assert_int_equal(gpu_total(gpu, "clipper.busy_cycles"), tested * cycles);
   assert_int_equal(sum, time);
   assert_true(tested > 100 && passed > 10 && time > tested * cycles);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   return time;
}

TEST(cycles)
{
   const uint64_t fast = simulate("clipper.cycles=1", 1), slow = simulate("clipper.cycles=500", 500);
   assert_true(slow > fast);
}

/* The terms of the Clipper's energy in a configuration. */
static unsigned
energy_terms(const struct cm_config *config)
{
   char error[512];
   struct cm_counter_table *table = cm_gpu_counter_table_create(config);
   struct cm_energy *energy = cm_energy_create(config, table, error, sizeof error);
   assert_non_null(energy);
   unsigned terms = 0;
   for (uint32_t t = 0; t < energy->num_terms; t++)
      terms += energy->terms[t].unit == CM_ENERGY_CLIPPER;
   const bool has_counter = cm_counter_table_find(table, "clipper.busy_cycles") >= 0;
   assert_int_equal(has_counter, cm_config_has_clipper(config));
   cm_energy_destroy(energy);
   cm_counter_table_destroy(table);
   return terms;
}

TEST(energy)
{
   static const char *const presets[] = {"tcor-64k", "nuca-dtm", "mali-like"};
   for (unsigned p = 0; p < sizeof presets / sizeof presets[0]; p++) {
      char error[512];
      struct cm_config *config = cm_config_load(presets[p], NULL, error, sizeof error);
      assert_non_null(config);
      assert_true(cm_config_set(config, "timing=on", error, sizeof error));
      assert_int_equal(energy_terms(config), 0);
      assert_true(cm_config_set(config, "clipper.cycles=1", error, sizeof error));
      assert_true(cm_config_set(config, "energy.clip_primitive=3160", error, sizeof error));
      assert_true(cm_config_validate(config, error, sizeof error));
      assert_int_equal(energy_terms(config), 2); /* primitives, leakage */
      cm_config_destroy(config);
   }
}

TEST(not_in_immediate_mode)
{
   char error[512];
   struct cm_config *config = cm_config_load("imr-8m", NULL, error, sizeof error);
   assert_non_null(config);
   assert_true(cm_config_set(config, "clipper.cycles=1", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   cm_config_destroy(config);
}
