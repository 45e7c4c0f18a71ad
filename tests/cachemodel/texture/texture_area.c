/* SPDX-License-Identifier: MIT */
/* Areas of settled blocks: a texture cache behind them counts what a plain cache does that gets every read. */
#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"
#include "texture/unit.h"

#define UNITS 3
#define READS 4000

struct walk {
   struct cm_hierarchy hierarchy;
   struct cm_texture_path path;
   struct cm_texture_unit units[UNITS];
   struct cm_texture_binding bindings[UNITS];
   struct cm_texture_layout layouts[UNITS];
   struct cm_cache reference, next;
   struct cm_dram dram;
   uint64_t state;
   int x[UNITS], y[UNITS];
   unsigned unit, hits;
};

static void
bind(struct walk *walk, const struct cm_config *config, unsigned unit)
{
   static const uint32_t sizes[] = {37, 64, 256, 130};
   static const uint8_t bytes[] = {1, 4, 16, 12};
   const struct cm_resource_description resource = {
      .id = 1,
      .levels = 4,
      .samples = 1,
      .block_width = 1,
      .block_height = 1,
      .block_bytes = bytes[random_below(&walk->state, 4)],
      .width = sizes[random_below(&walk->state, 4)],
      .height = sizes[random_below(&walk->state, 4)],
      .depth = 1,
      .layers = 2,
   };
   cm_texture_layout_init(&walk->layouts[unit], &resource, config);
   walk->bindings[unit] =
      (struct cm_texture_binding){.resource = 1, .repeat_s = random_below(&walk->state, 2)};
   cm_texture_unit_bind(&walk->units[unit], &walk->bindings[unit], &walk->layouts[unit],
                        (uint64_t)random_below(&walk->state, 4) << 16, 1 << 20);
   walk->units[unit].areas = 1 + 2 * unit;
   for (unsigned a = 0; walk->path.areas && a < 2; a++)
      walk->path.areas[2 * unit + a].key = CM_NO_AREA;
   walk->x[unit] = walk->y[unit] = 0;
}

/* A quad beside the last one, of some size on the texture, whose fragments are not all live. */
static struct cm_footprint
next_footprint(struct walk *walk, unsigned unit)
{
   const unsigned level = random_below(&walk->state, 4) == 0 ? random_below(&walk->state, 4) : 1;
   const struct cm_texture_level *size = &walk->layouts[unit].levels[level];
   struct cm_footprint footprint = {
      .level = (uint8_t)level,
      .live = random_below(&walk->state, 4) ? 15 : (uint8_t)(1 + random_below(&walk->state, 15)),
      .linear = random_below(&walk->state, 8) != 0,
      .layer = random_below(&walk->state, 16) == 0,
   };
   const int step = 1 + (int)random_below(&walk->state, 2), low = footprint.linear ? -1 : 0;
   walk->x[unit] =
      (walk->x[unit] + (int)random_below(&walk->state, 5)) % (int)walk->layouts[unit].levels[0].width;
   if (random_below(&walk->state, 6) == 0)
      walk->y[unit] =
         (walk->y[unit] + (int)random_below(&walk->state, 4)) % (int)walk->layouts[unit].levels[0].height;
   for (int f = 0; f < 4; f++) {
      const int x = (walk->x[unit] >> level) + (f & 1) * step + low,
                y = (walk->y[unit] >> level) + (f >> 1) * step + low;
      footprint.texel[f].x = (int16_t)(x < (int)size->width ? x : (int)size->width - 1);
      footprint.texel[f].y = (int16_t)(y < (int)size->height ? y : (int)size->height - 1);
   }
   return footprint;
}

static void
read_both(struct walk *walk, struct cm_cache *cache)
{
   if (random_below(&walk->state, 8) == 0)
      walk->unit = random_below(&walk->state, UNITS);
   const unsigned unit = walk->unit;
   const struct cm_footprint footprint = next_footprint(walk, unit);
   struct cm_texture_image image;
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   cm_texture_image_init(&image, &walk->layouts[unit], walk->units[unit].address, &walk->bindings[unit],
                         &footprint, cache->block_shift);
   const unsigned count = cm_footprint_blocks(&image, &walk->bindings[unit], &footprint, blocks);
   for (unsigned b = 0; b < count; b++)
      cm_cache_access(&walk->reference, blocks[b] << cache->block_shift, CM_STREAM_TEXTURE, CM_READ);

   if (cm_texture_unit_hits(&walk->path, &walk->units[unit], &footprint, 0, cache))
      walk->hits++;
   else
      cm_texture_unit_follow(&walk->path, &walk->units[unit], &footprint, 0, cache);
   cm_texture_unit_finish_reads(&walk->path, cache);
}

/* An element of a buffer, which has no areas. */
static void
read_buffer(struct walk *walk, struct cm_cache *cache)
{
   const struct cm_texture_binding binding = {.resource = 2, .texel_bytes = 4};
   struct cm_texture_unit unit = {.areas = 1 + 2 * UNITS};
   struct cm_footprint footprint = {.live = 1};
   footprint.texel[0].x = (int16_t)random_below(&walk->state, 1000);
   cm_texture_unit_bind(&unit, &binding, NULL, 1 << 18, 4000);
   cm_cache_access(&walk->reference, (1 << 18) + 4 * (uint64_t)footprint.texel[0].x, CM_STREAM_TEXTURE,
                   CM_READ);
   assert_false(cm_texture_unit_hits(&walk->path, &unit, &footprint, 0, cache));
   cm_texture_unit_follow(&walk->path, &unit, &footprint, 0, cache);
}

/* What else changes a cache. */
static void
disturb(struct walk *walk, const struct cm_config *config, struct cm_cache *cache)
{
   const uint64_t address = (uint64_t)random_below(&walk->state, 1 << 18);
   switch (random_below(&walk->state, 5)) {
   case 0:
      cm_cache_access(&walk->reference, address, CM_STREAM_TEXTURE, CM_READ);
      cm_cache_access(cache, address, CM_STREAM_TEXTURE, CM_READ);
      break;
   case 1:
      cm_cache_invalidate(&walk->reference, address, address + 4096);
      cm_cache_invalidate(cache, address, address + 4096);
      break;
   case 2:
      cm_cache_discard_set(&walk->reference, address % cache->sets);
      cm_cache_discard_set(cache, address % cache->sets);
      break;
   case 3: read_buffer(walk, cache); break;
   default: bind(walk, config, random_below(&walk->state, UNITS));
   }
}

/* Returns how many reads areas have answered. */
static unsigned
check_walk(const struct cm_config *config, uint64_t seed)
{
   struct walk walk = {.state = seed};
   assert_true(cm_hierarchy_init(&walk.hierarchy, config));
   assert_true(cm_texture_path_init(&walk.path, config, &walk.hierarchy));
   assert_true(walk.path.is_direct);
   struct cm_cache *cache = cm_hierarchy_entry(&walk.hierarchy, CM_STREAM_TEXTURE, 0);
   assert_true(cm_cache_init(&walk.reference, &config->caches[CM_UNIT_TEXTURE_CACHE], NULL, &walk.dram));
   for (unsigned unit = 0; unit < UNITS; unit++)
      bind(&walk, config, unit);
   for (unsigned n = 0; n < READS; n++) {
      if (random_below(&walk.state, 100) == 0)
         disturb(&walk, config, cache);
      read_both(&walk, cache);
      assert_int_equal(cm_cache_counter(cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS),
                       cm_cache_counter(&walk.reference, CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS));
      assert_int_equal(cm_cache_counter(cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_MISSES),
                       cm_cache_counter(&walk.reference, CM_STREAM_TEXTURE, CM_CACHE_EVENT_MISSES));
   }
   cm_cache_finish(&walk.reference);
   cm_texture_path_finish(&walk.path);
   cm_hierarchy_finish(&walk.hierarchy);
   return walk.hits;
}

static void
test_policies(void **unused)
{
   static const enum cm_policy policies[] = {CM_POLICY_LRU,  CM_POLICY_FIFO,      CM_POLICY_MRU,
                                             CM_POLICY_NRU,  CM_POLICY_TREE_PLRU, CM_POLICY_SRRIP,
                                             CM_POLICY_DRRIP};
   unsigned hits[sizeof policies / sizeof policies[0]] = {0};
   char error[200];
   struct cm_config *config = cm_config_load("tcor-64k", NULL, error, sizeof error);
   assert_non_null(config);
   struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   for (unsigned n = 0; n < 24; n++) {
      cache->size = 2048u << n % 4;
      cache->ways = n % 3 == 2 ? 8 : 4;
      config->texture.placement = (enum cm_placement_kind)(n % 5);
      config->texture.first_level_tile = 4;
      config->texture.second_level_tile = 16;
      for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++) {
         cache->policy = policies[p];
         hits[p] += check_walk(config, 1 + n);
      }
   }
   for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++)
      assert_in_range(hits[p], 24 * READS / 50, 24 * READS);
   cm_config_destroy(config);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_policies)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
