/* SPDX-License-Identifier: MIT */
/* The presets load, say what they are, and the baseline is TCOR's Table I. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"

TEST(baseline_is_table_one)
{
   struct cm_config *config = test_config_of(NULL, NULL);
   assert_string_equal(config->name, CM_CONFIG_DEFAULT);
   assert_int_equal(config->clock_mhz, 600);
   assert_int_equal(config->tile.size, 32);
   assert_int_equal(config->tile.order, CM_TILE_ORDER_Z);
   assert_int_equal(config->parameter_buffer.layout, CM_PB_LAYOUT_BASELINE);
   static const struct {
      enum cm_unit unit;
      uint32_t size, ways, instances, latency;
   } caches[] = {
      {CM_UNIT_VERTEX_CACHE, 64 << 10, 4, 1, 1},
      {CM_UNIT_TEXTURE_CACHE, 64 << 10, 4, 4, 1},
      {CM_UNIT_TILE_CACHE, 64 << 10, 4, 1, 1},
      {CM_UNIT_L2, 1 << 20, 8, 1, 12},
   };
   for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
      const struct cm_cache_config *cache = &config->caches[caches[i].unit];
      assert_int_equal(cache->size, caches[i].size);
      assert_int_equal(cache->ways, caches[i].ways);
      assert_int_equal(cache->instances, caches[i].instances);
      assert_int_equal(cache->latency, caches[i].latency);
      assert_int_equal(cache->block, 64);
      assert_int_equal(cache->policy, CM_POLICY_LRU);
   }
   assert_int_equal(config->dram.latency_min, 50);
   assert_int_equal(config->dram.latency_max, 100);
   cm_config_destroy(config);
}

static void
count_preset(const char *name, const char *description, void *context)
{
   assert_true(strlen(description) > 10);
   struct cm_config *config = test_config_of(name, NULL);
   assert_string_equal(config->description, description);
   cm_config_destroy(config);
   ++*(unsigned *)context;
}

TEST(list)
{
   char error[512];
   unsigned count = 0;
   assert_true(cm_config_list_presets(NULL, count_preset, &count, error, sizeof error));
   assert_true(count >= 2);
   assert_false(cm_config_list_presets("/nonexistent", count_preset, &count, error, sizeof error));
   assert_non_null(strstr(error, "/nonexistent: No such file or directory"));
}

TEST(interleaved_differs_in_layout_only)
{
   struct cm_config *baseline = test_config_of("tcor-baseline-64k", NULL),
                    *interleaved = test_config_of("tcor-interleaved-64k", NULL);
   char *texts[2];
   size_t lengths[2];
   assert_int_equal(interleaved->parameter_buffer.layout, CM_PB_LAYOUT_INTERLEAVED);
   char error[256];
   assert_true(cm_config_set(interleaved, "parameter_buffer.layout=baseline", error, sizeof error));
   assert_true(cm_config_set(interleaved, "description=same", error, sizeof error));
   assert_true(cm_config_set(baseline, "description=same", error, sizeof error));
   struct cm_config *const configs[] = {baseline, interleaved};
   for (unsigned i = 0; i < 2; i++) {
      FILE *file = open_memstream(&texts[i], &lengths[i]);
      cm_config_write_json(configs[i], file);
      fclose(file);
      cm_config_destroy(configs[i]);
   }
   assert_string_equal(texts[0], texts[1]);
   free(texts[0]);
   free(texts[1]);
}

/* Table I of "DTM-NUCA"; the organisations differ in nothing else. */
TEST(nuca)
{
   static const struct {
      const char *name;
      enum cm_nuca_kind organisation;
   } presets[] = {
      {"nuca-private", CM_NUCA_PRIVATE},
      {"nuca-static", CM_NUCA_STATIC},
      {"nuca-dynamic", CM_NUCA_DYNAMIC},
      {"nuca-dtm", CM_NUCA_DTM},
      {"nuca-dtm-distributed", CM_NUCA_DTM_DISTRIBUTED},
   };
   struct cm_config *first = test_config_of(presets[0].name, NULL);
   for (unsigned i = 0; i < sizeof presets / sizeof presets[0]; i++) {
      struct cm_config *config = test_config_of(presets[i].name, NULL);
      const struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
      assert_int_equal(config->nuca.organisation, presets[i].organisation);
      assert_int_equal(config->fragment_stage.processors, 32);
      assert_int_equal(cache->size, 16 << 10);
      assert_int_equal(cache->ways, 4);
      assert_int_equal(cache->latency, 2);
      assert_int_equal(config->caches[CM_UNIT_L2].latency, 18);
      assert_int_equal(config->nuca.affinity_table.buckets, 32);
      assert_int_equal(config->nuca.affinity_table.counter_bits, 4);
      assert_int_equal(config->nuca.affinity_table.page_blocks, 8);
      assert_int_equal(config->nuca.affinity_table.epoch_accesses, 20000);
      assert_int_equal(config->nuca.mesh.hop_cycles, 1);
      config->nuca.organisation = CM_NUCA_PRIVATE;
      assert_memory_equal(&config->nuca, &first->nuca, sizeof config->nuca);
      assert_memory_equal(config->caches, first->caches, sizeof config->caches);
      assert_memory_equal(config->streams, first->streams, sizeof config->streams);
      cm_config_destroy(config);
   }
   cm_config_destroy(first);
}

/* The thesis' designs: the same texture caches in tiles and, one of them, in immediate mode. */
TEST(banked)
{
   static const char *const designs[] = {"traditional", "wide", "multiport", "continuous", "interleaved"};
   for (unsigned i = 0; i < sizeof designs / sizeof designs[0]; i++) {
      char name[64];
      snprintf(name, sizeof name, "banked-%s", designs[i]);
      struct cm_config *tiled = test_config_of(name, NULL);
      snprintf(name, sizeof name, "banked-imr-%s", designs[i]);
      struct cm_config *immediate = test_config_of(name, NULL);
      assert_int_equal(tiled->texture_access.design, CM_TEXTURE_DESIGN_TRADITIONAL + i);
      assert_memory_equal(&immediate->texture_access, &tiled->texture_access, sizeof tiled->texture_access);
      assert_memory_equal(&immediate->texture, &tiled->texture, sizeof tiled->texture);
      assert_int_equal(immediate->mode, CM_MODE_IMR);
      assert_int_equal(immediate->fragment_stage.processors, 1);
      assert_int_equal(immediate->caches[CM_UNIT_TEXTURE_CACHE_L2].size, 0);
      assert_int_equal(immediate->caches[CM_UNIT_TEXTURE_CACHE_L3].size, 0);
      struct cm_cache_config *cache = &immediate->caches[CM_UNIT_TEXTURE_CACHE];
      assert_int_equal(cache->instances, 1);
      assert_int_equal(cache->next, CM_UNIT_LLC);
      assert_int_equal(cache->size, 16 << 10);
      assert_int_equal(cache->ways, 2);
      assert_int_equal(cache->block, 64);
      char error[512];
      assert_true(cm_config_set(immediate, "timing=on", error, sizeof error));
      assert_true(cm_config_validate(immediate, error, sizeof error));
      cm_config_destroy(tiled);
      cm_config_destroy(immediate);
   }
}

/* GSPC, section 4; the two differ in the LLC's size. */
TEST(immediate)
{
   struct cm_config *config = test_config_of("imr-8m", NULL), *large = test_config_of("imr-16m", NULL);
   static const struct {
      enum cm_unit unit;
      uint32_t size, ways;
   } caches[] = {
      {CM_UNIT_INDEX_CACHE, 1 << 10, 16},        {CM_UNIT_VERTEX_CACHE, 16 << 10, 128},
      {CM_UNIT_HIZ_CACHE, 12 << 10, 24},         {CM_UNIT_STENCIL_CACHE, 16 << 10, 16},
      {CM_UNIT_COLOR_CACHE, 24 << 10, 24},       {CM_UNIT_DEPTH_CACHE, 32 << 10, 32},
      {CM_UNIT_TEXTURE_CACHE_L3, 384 << 10, 48}, {CM_UNIT_LLC, 8 << 20, 16},
   };
   for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
      const struct cm_cache_config *cache = &config->caches[caches[i].unit];
      assert_int_equal(cache->size, caches[i].size);
      assert_int_equal(cache->ways, caches[i].ways);
      assert_int_equal(cache->block, 64);
      assert_int_equal(cache->instances, 1);
      assert_int_equal(cache->next, caches[i].unit == CM_UNIT_LLC ? CM_UNIT_DRAM : CM_UNIT_LLC);
   }
   assert_int_equal(config->mode, CM_MODE_IMR);
   assert_int_equal(config->clock_mhz, 1600);
   assert_int_equal(config->fragment_stage.processors, 12);
   assert_int_equal(config->caches[CM_UNIT_TEXTURE_CACHE].instances, 12);
   assert_int_equal(config->caches[CM_UNIT_LLC].policy, CM_POLICY_DRRIP);
   assert_int_equal(cm_cache_config_banks(&config->caches[CM_UNIT_LLC]), 4);
   /* 2.5 TFLOPS: 96 cores of two four-wide pipelines, a multiplication and an addition each. */
   assert_int_equal(config->immediate_pipeline.issue_width * 12 * 4 * 2 * config->clock_mhz, 2457600);
   assert_int_equal(config->immediate_pipeline.fragment_contexts * 12, 96 * 8);
   char error[512];
   assert_true(cm_config_set(large, "timing=on", error, sizeof error));
   assert_true(cm_config_validate(large, error, sizeof error));
   assert_true(cm_config_set(large, "timing=off", error, sizeof error));
   assert_true(cm_config_set(large, "energy.technology=32", error, sizeof error));
   assert_true(cm_config_set(large, "energy.cell=itrs-hp", error, sizeof error));
   assert_true(cm_config_validate(large, error, sizeof error));
   assert_int_equal(large->caches[CM_UNIT_LLC].size, 16 << 20);
   large->caches[CM_UNIT_LLC].size = 8 << 20;
   assert_memory_equal(config->caches, large->caches, sizeof config->caches);
   assert_memory_equal(config->streams, large->streams, sizeof config->streams);
   assert_memory_equal(&config->texture, &large->texture, sizeof config->texture);
   cm_config_destroy(config);
   cm_config_destroy(large);
}

/* The numbers that the vendors' documents give. */
TEST(vendors)
{
   static const struct {
      const char *name;
      enum cm_mode mode;
      uint32_t clock_mhz, tile, processors, texture_caches, texture_cache, l2, tile_buffers, guard_band,
         percent;
      enum cm_placement_kind placement;
   } presets[] = {
      {"mali-like", CM_MODE_TBR, 600, 16, 4, 4, 16 << 10, 512 << 10, 2, 32768, 0, CM_PLACEMENT_MORTON_4K},
      {"powervr-like", CM_MODE_TBDR, 600, 32, 2, 1, 64 << 10, 256 << 10, 4, 32768, 25, CM_PLACEMENT_RZ},
      {"v3d-pi4", CM_MODE_TBR, 500, 64, 1, 1, 64 << 10, 1 << 20, 2, 8192, 0, CM_PLACEMENT_MORTON_4K},
   };
   for (unsigned i = 0; i < sizeof presets / sizeof presets[0]; i++) {
      struct cm_config *config = test_config_of(presets[i].name, NULL);
      assert_int_equal(config->mode, presets[i].mode);
      assert_int_equal(config->clock_mhz, presets[i].clock_mhz);
      assert_int_equal(config->tile.size, presets[i].tile);
      assert_int_equal(config->fragment_stage.processors, presets[i].processors);
      assert_int_equal(config->caches[CM_UNIT_TEXTURE_CACHE].instances, presets[i].texture_caches);
      assert_int_equal(config->caches[CM_UNIT_TEXTURE_CACHE].size, presets[i].texture_cache);
      assert_int_equal(config->caches[CM_UNIT_L2].size, presets[i].l2);
      assert_int_equal(config->caches[CM_UNIT_L2].block, 64);
      assert_int_equal(config->pipeline.tile_buffers, presets[i].tile_buffers);
      assert_int_equal(config->primitive_assembly.guard_band, presets[i].guard_band);
      assert_int_equal(config->primitive_assembly.guard_band_percent, presets[i].percent);
      assert_int_equal(config->texture.placement, presets[i].placement);
      /* Mesa, pan_layout.c. */
      assert_int_equal(config->transaction_elimination.signature_bytes, i == 0 ? 8 : 0);
      char error[512];
      assert_true(cm_config_set(config, "timing=on", error, sizeof error));
      assert_true(cm_config_validate(config, error, sizeof error));
      cm_config_destroy(config);
   }
}
