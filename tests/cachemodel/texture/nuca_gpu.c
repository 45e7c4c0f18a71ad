/* SPDX-License-Identifier: MIT */
/* Texture caches as a NUCA within the simulated GPU: private ones are what there is without it, every
 * organisation conserves requests, and quads go where the scheduler says. */
#include <stdlib.h>
#include <string.h>

#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"

#define FRAMES 5

/* The counters' values after random frames, to be freed. */
static uint64_t *
run(const struct cm_config *config, struct cm_counter_table **table)
{
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   uint64_t state = 5;
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < FRAMES; frame++) {
      for (unsigned p = 0; p < 2; p++)
         pass_run_and_free(random_pass(&state, frame), gpu);
      cm_gpu_frame_end(gpu);
   }
   *table = cm_gpu_counter_table_create(config);
   uint64_t *values = malloc((*table)->count * sizeof *values);
   memcpy(values, cm_gpu_total(gpu), (*table)->count * sizeof *values);
   cm_gpu_destroy(gpu);
   return values;
}

static uint64_t
value(const struct cm_counter_table *table, const uint64_t *values, const char *name)
{
   const int index = cm_counter_table_find(table, name);
   if (index < 0)
      fail_msg("%s is missing", name);
   return values[index];
}

/* With a request for each read of a fragment, private caches count what they count without nuca. */
TEST(private)
{
   static const char *const policies[] = {"lru", "fifo", "random", "tree-plru", "srrip", "drrip", "ship-mem"};
   for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++) {
      char policy[64];
      snprintf(policy, sizeof policy, "caches.texture_cache.policy=%s", policies[p]);
      const char *const settings[] = {"nuca.organisation=private", "nuca.requests=fragment",
                                      "caches.texture_cache.size=2048", policy, NULL};
      struct cm_config *with = nuca_config(settings), *without = nuca_config(settings);
      without->nuca = (struct cm_nuca_config){.organisation = CM_NUCA_NONE};
      struct cm_counter_table *table, *shorter;
      uint64_t *values = run(with, &table), *expected = run(without, &shorter);
      assert_true(table->count > shorter->count);
      for (uint32_t i = 0; i < shorter->count; i++) {
         assert_string_equal(table->counters[i].name, shorter->counters[i].name);
         if (values[i] != expected[i])
            fail_msg("%s: %s differs", policies[p], table->counters[i].name);
      }
      assert_true(value(table, values, "l2.texture.reads") > 500);
      assert_int_equal(value(table, values, "nuca.l2_accesses"), value(table, values, "l2.texture.reads"));
      assert_int_equal(value(table, values, "nuca.remote_hits"), 0);
      free(values);
      free(expected);
      cm_counter_table_destroy(table);
      cm_counter_table_destroy(shorter);
      cm_config_destroy(with);
      cm_config_destroy(without);
   }
}

static void
check_sums(const struct cm_counter_table *table, const uint64_t *values)
{
   const uint64_t requests = value(table, values, "nuca.requests");
   assert_true(requests > 1000);
   assert_int_equal(value(table, values, "nuca.local_hits") + value(table, values, "nuca.remote_hits") +
                       value(table, values, "nuca.l2_accesses"),
                    requests);
   assert_int_equal(value(table, values, "texture_cache.texture.reads"), requests);
   assert_int_equal(value(table, values, "texture_cache.texture.hits"),
                    value(table, values, "nuca.local_hits") + value(table, values, "nuca.remote_hits"));
   assert_int_equal(value(table, values, "texture_cache.texture.fills"),
                    value(table, values, "nuca.l2_accesses"));
   assert_int_equal(value(table, values, "l2.texture.reads"), value(table, values, "nuca.l2_accesses"));
   uint64_t degrees = 0, copies = 0, messages = 0;
   for (uint32_t i = 0; i < table->count; i++) {
      const struct cm_counter *counter = &table->counters[i];
      degrees += counter->source == &cm_replication_counters ? values[i] : 0;
      copies += counter->source == &cm_replication_counters ? (uint64_t)counter->event * values[i] : 0;
      messages += counter->source == &cm_mesh_counters ? values[i] : 0;
   }
   assert_int_equal(degrees, requests);
   assert_int_equal(copies, value(table, values, "nuca.replication_sum"));
   assert_int_equal(messages, value(table, values, "nuca.hops") + value(table, values, "nuca.notice_hops") +
                                 value(table, values, "nuca.broadcast_hops"));
}

TEST(organisations)
{
   static const char *const organisations[] = {"private", "s-nuca", "d-nuca", "dtm-nuca",
                                               "dtm-nuca-distributed"};
   static const char *const schedulers[] = {"round-robin", "quad-block", "least-work", "sub-tile", "tile"};
   for (unsigned o = 0; o < 5; o++) {
      for (unsigned s = 0; s < 5; s++) {
         char organisation[64], scheduler[64];
         snprintf(organisation, sizeof organisation, "nuca.organisation=%s", organisations[o]);
         snprintf(scheduler, sizeof scheduler, "fragment_stage.scheduler=%s", schedulers[s]);
         struct cm_config *config = nuca_config(
            (const char *const[]){organisation, scheduler, "nuca.affinity_table.epoch_accesses=500",
                                  "caches.texture_cache.size=2048", "caches.l2.size=65536",
                                  "caches.l2.policy=drrip", "frame.traversal=boustrophedonic", NULL});
         struct cm_counter_table *table, *again;
         uint64_t *values = run(config, &table), *same = run(config, &again);
         check_sums(table, values);
         assert_memory_equal(values, same, table->count * sizeof *values);
         assert_true(o == 0 || s >= 3 || value(table, values, "nuca.remote_hits") > 100);
         free(values);
         free(same);
         cm_counter_table_destroy(table);
         cm_counter_table_destroy(again);
         cm_config_destroy(config);
      }
   }
}

/* A quad reads two rows of a block each, bilinearly: requests of the quad, of its fragments, of their texels; and one
 * texel per fragment. */
TEST(requests)
{
   static const char *const organisations[] = {"private", "s-nuca", "d-nuca", "dtm-nuca",
                                               "dtm-nuca-distributed"};
   static const struct {
      const char *requests;
      uint64_t linear, nearest;
   } cases[] = {{"footprint", 2, 1}, {"fragment", 8, 4}, {"texel", 16, 4}};
   for (unsigned i = 0; i < 5 * 3 * 2; i++) {
      const unsigned c = i / 2 % 3, linear = i % 2;
      char organisation[64], requests[64];
      snprintf(organisation, sizeof organisation, "nuca.organisation=%s", organisations[i / 6]);
      snprintf(requests, sizeof requests, "nuca.requests=%s", cases[c].requests);
      struct cm_config *config =
         nuca_config((const char *const[]){organisation, requests, "texture.placement=linear", NULL});
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      define_texture(gpu, 1, 64, 64, 1);
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      struct cm_draw *draw = pass_draw(pass);
      draw->num_textures = 1;
      draw->textures[0].resource = 1;
      pass_shade(pass, 0, 0, 1, 15);
      pass_footprints(pass, 0, 0, (const struct cm_footprint[]){{.live = 15, .linear = linear}}, 1);
      pass_run(pass, gpu);
      assert_int_equal(gpu_total(gpu, "nuca.requests"), linear ? cases[c].linear : cases[c].nearest);
      assert_int_equal(gpu_total(gpu, "nuca.l2_accesses"), 1 + linear);
      pass_free(pass);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}

static void
add_footprints(struct pass_builder *pass, uint8_t quad, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      pass_footprints(pass, 0, 0, (const struct cm_footprint[]){{.quad = quad, .live = 1}}, 1);
}

/* Runs quads of one program of eight instructions, with so many footprints each. */
static void
run_quads(const char *scheduler, const struct cm_quad *quads, const unsigned *footprints, unsigned count,
          const struct expected_counter *expected)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){scheduler, NULL});
   define_texture(gpu, 1, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->fragment_shader = (struct cm_shader){.id = 7, .instructions = 8};
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   for (unsigned q = 0; q < count; q++) {
      pass_quads(pass, 0, 0, 0, &quads[q], 1);
      add_footprints(pass, 0, footprints[q]);
   }
   pass_run(pass, gpu);
   assert_counters(gpu, expected);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* Blocks of 2×2 quads in Z-order over four processors: 0 1 0 1 …
 *                                                      2 3 2 3 … */
TEST(quad_block)
{
   static const struct cm_quad quads[] = {
      {.x = 0, .y = 0, .live = 15},   {.x = 1, .y = 1, .live = 15}, /* block 0 */
      {.x = 3, .y = 0, .live = 15},                                 /* block 1 */
      {.x = 1, .y = 3, .live = 15},                                 /* block 2 */
      {.x = 2, .y = 2, .live = 15},                                 /* block 3 */
      {.x = 4, .y = 1, .live = 15},                                 /* block 4: processor 0 */
      {.x = 15, .y = 14, .live = 15},                               /* block 63: processor 3 */
   };
   static const unsigned footprints[] = {1, 1, 1, 1, 1, 1, 1};
   run_quads("fragment_stage.scheduler=quad-block", quads, footprints, 7,
             COUNTERS({"texture_cache.0.texture.reads", 3}, {"texture_cache.1.texture.reads", 1},
                      {"texture_cache.2.texture.reads", 1}, {"texture_cache.3.texture.reads", 2}));
}

/* A quarter of the tile's 16x16 quads each. */
TEST(sub_tile)
{
   static const struct cm_quad quads[] = {
      {.x = 0, .y = 0, .live = 15}, {.x = 7, .y = 7, .live = 15},                                 /* 0 */
      {.x = 8, .y = 7, .live = 15}, {.x = 15, .y = 0, .live = 15},  {.x = 9, .y = 3, .live = 15}, /* 1 */
      {.x = 7, .y = 8, .live = 15},                                                               /* 2 */
      {.x = 8, .y = 8, .live = 15}, {.x = 15, .y = 15, .live = 15},                               /* 3 */
   };
   static const unsigned footprints[] = {1, 1, 1, 1, 1, 1, 1, 1};
   run_quads("fragment_stage.scheduler=sub-tile", quads, footprints, 8,
             COUNTERS({"texture_cache.0.texture.reads", 2}, {"texture_cache.1.texture.reads", 3},
                      {"texture_cache.2.texture.reads", 1}, {"texture_cache.3.texture.reads", 2}));
}

/* Six tiles in Z-order: 0 1 4, and below them 2 3 5. With three processors the fourth tile is the first one's. An
 * empty tile has its turn, too. */
TEST(tile)
{
   static const struct {
      uint32_t tile;
      unsigned quads;
   } tiles[] = {{0, 3}, {1, 5}, {3, 7}, {4, 11}, {2, 13}};
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"fragment_stage.scheduler=tile", "fragment_stage.processors=3",
                                     "caches.texture_cache.instances=3", "tile.order=z-order", NULL});
   define_texture(gpu, 1, 64, 64, 1);
   struct pass_builder *pass = pass_new(0, 96, 64, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   for (unsigned t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
      for (unsigned q = 0; q < tiles[t].quads; q++) {
         pass_shade(pass, tiles[t].tile, 0, 1, 15);
         pass_footprints(pass, tiles[t].tile, 0, (const struct cm_footprint[]){{.live = 1}}, 1);
      }
   }
   pass_run(pass, gpu);
   /* Traversal: tiles 0, 1, 3, 4, 2, 5. */
   expect_counters(gpu, {"texture_cache.0.texture.reads", 3 + 11}, {"texture_cache.1.texture.reads", 5 + 13},
                   {"texture_cache.2.texture.reads", 7});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(least_work)
{
   static const struct cm_quad quads[9] = {{.live = 15}, {.live = 15}, {.live = 15},
                                           {.live = 15}, {.live = 15}, {.live = 15},
                                           {.live = 15}, {.live = 15}, {.live = 15}};
   /* Processor 0: 8 + 20, 1: 8 + 1, 2: 8, 3: 8 + 2; then 2, 1, 3, 2, 3: the least each time. */
   static const unsigned footprints[9] = {20, 1, 0, 2, 3, 4, 1, 0, 5};
   run_quads("fragment_stage.scheduler=least-work", quads, footprints, 9,
             COUNTERS({"texture_cache.0.texture.reads", 20}, {"texture_cache.1.texture.reads", 1 + 4},
                      {"texture_cache.2.texture.reads", 3 + 0}, {"texture_cache.3.texture.reads", 2 + 1 + 5},
                      {"fragment_stage.quads", 9}));
}
