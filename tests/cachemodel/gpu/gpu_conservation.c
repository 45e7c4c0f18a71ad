/* SPDX-License-Identifier: MIT */
/* Conservation, frame by frame over random passes: hits + misses + bypasses are
 * the accesses; what one level fills and writes back is what the next one reads
 * and writes; streams sum to totals, instances to their unit; frames to the total. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/full_pass.h"
#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "texture/access.h"

static const struct cm_counter_table *table;
static const uint64_t *values;

static uint64_t
value(const char *unit, const char *stream, const char *event)
{
   char name[96];
   snprintf(name, sizeof name, "%s.%s.%s", unit, stream, event);
   const int index = cm_counter_table_find(table, name);
   return index < 0 ? 0 : values[index];
}

static void
check_accesses(void)
{
   for (uint32_t i = 0; i < table->count; i++) {
      const struct cm_counter *c = &table->counters[i];
      if (c->unit < 0 || c->unit == CM_UNIT_DRAM || c->event != CM_CACHE_EVENT_READS)
         continue;
      /* A place's counters stand together, in the order of the events. */
      const uint64_t *v = values + i;
      assert_int_equal(v[CM_CACHE_EVENT_HITS] + v[CM_CACHE_EVENT_MISSES] + v[CM_CACHE_EVENT_BYPASSES],
                       v[CM_CACHE_EVENT_READS] + v[CM_CACHE_EVENT_WRITES]);
   }
}

/* Sums over the counters with this unit, stream and event. */
static void
check_sums(void)
{
   for (uint32_t i = 0; i < table->count; i++) {
      const struct cm_counter *whole = &table->counters[i];
      if (whole->unit < 0)
         continue;
      uint64_t streams = 0, instances = 0;
      bool several = false;
      for (uint32_t j = 0; j < table->count; j++) {
         const struct cm_counter *part = &table->counters[j];
         if (part->unit != whole->unit || part->event != whole->event)
            continue;
         if (part->instance == whole->instance && part->stream >= 0)
            streams += values[j];
         if (part->stream == whole->stream && part->instance >= 0) {
            instances += values[j];
            several = true;
         }
      }
      if (whole->stream < 0)
         assert_int_equal(streams, values[i]);
      if (whole->instance < 0 && several)
         assert_int_equal(instances, values[i]);
   }
}

static void
check_levels(const struct cm_config *config)
{
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      for (unsigned s = 0; s < CM_STREAM_COUNT; s++) {
         const char *stream = cm_stream_names[s];
         uint64_t reads = 0, writes = 0;
         bool has_users = false;
         for (unsigned user = 0; user < CM_CACHE_COUNT; user++) {
            if (!config->caches[user].size || config->caches[user].next != unit)
               continue;
            reads += value(cm_unit_names[user], stream, "fills");
            writes += value(cm_unit_names[user], stream, "writebacks");
            has_users = true;
         }
         /* What texture caches miss of compressed images is made of headers and bodies. */
         if (s == CM_STREAM_TEXTURE && unit == config->caches[CM_UNIT_TEXTURE_CACHE].next) {
            const bool has_header_cache = config->caches[CM_UNIT_TEXTURE_HEADER_CACHE].size;
            reads += value("framebuffer_compression", stream, "body_bytes") / 64;
            reads += has_header_cache ? 0 : value("framebuffer_compression", stream, "header_bytes") / 64;
            reads -= value("framebuffer_compression", stream, "raw_bytes") / 64;
         }
         /* Streams that enter here come from no cache. */
         if (!has_users || config->streams[s] == unit)
            continue;
         assert_int_equal(value(cm_unit_names[unit], stream, "reads"), reads);
         assert_int_equal(value(cm_unit_names[unit], stream, "writes"), writes);
      }
   }
}

/* Where every write miss fetches, or nothing but reads misses, misses are fills. */
static void
check_misses(const struct cm_config *config)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (unsigned s = 0; config->caches[unit].size && s < CM_STREAM_COUNT; s++) {
         const char *name = cm_unit_names[unit], *stream = cm_stream_names[s];
         if (value(name, stream, "writes") == 0)
            assert_int_equal(value(name, stream, "misses") + value(name, stream, "bypasses"),
                             value(name, stream, "fills"));
         else
            assert_true(value(name, stream, "misses") + value(name, stream, "bypasses") >=
                        value(name, stream, "fills"));
      }
   }
}

/* A stream that passes by is in the cache at no time; no other stream passes by. */
static void
check_uncached(const struct cm_config *config)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      /* A Primitive Buffer decides by itself what passes by. */
      if (unit == CM_UNIT_ATTRIBUTE_CACHE)
         continue;
      for (unsigned s = 0; config->caches[unit].size && s < CM_STREAM_COUNT; s++) {
         const char *name = cm_unit_names[unit], *stream = cm_stream_names[s];
         const uint64_t accesses = value(name, stream, "reads") + value(name, stream, "writes");
         if (config->caches[unit].uncached == 1 + s)
            assert_int_equal(value(name, stream, "bypasses"), accesses);
         else
            assert_int_equal(value(name, stream, "bypasses"), 0);
         assert_true(config->caches[unit].uncached != 1 + s || value(name, stream, "evictions") == 0);
      }
   }
}

/* Each access of a texture cache's design activates one to four banks. */
static void
check_texture_access(const struct cm_config *config)
{
   if (config->texture_access.design == CM_TEXTURE_DESIGN_NONE)
      return;
   const int first = cm_counter_table_find(table, "texture_access.footprints");
   const uint64_t *v = values + first;
   assert_int_equal(v[CM_TEXTURE_ACCESS_EVENT_ONE_BANK] + v[CM_TEXTURE_ACCESS_EVENT_TWO_BANKS] +
                       v[CM_TEXTURE_ACCESS_EVENT_THREE_BANKS] + v[CM_TEXTURE_ACCESS_EVENT_FOUR_BANKS],
                    v[CM_TEXTURE_ACCESS_EVENT_ACCESSES]);
   assert_int_equal(v[CM_TEXTURE_ACCESS_EVENT_ONE_BANK] + 2 * v[CM_TEXTURE_ACCESS_EVENT_TWO_BANKS] +
                       3 * v[CM_TEXTURE_ACCESS_EVENT_THREE_BANKS] + 4 * v[CM_TEXTURE_ACCESS_EVENT_FOUR_BANKS],
                    v[CM_TEXTURE_ACCESS_EVENT_DATA_BANKS]);
   assert_true(v[CM_TEXTURE_ACCESS_EVENT_ACCESSES] >= v[CM_TEXTURE_ACCESS_EVENT_FOOTPRINTS]);
   assert_true(v[CM_TEXTURE_ACCESS_EVENT_FOOTPRINTS] > 100);
}

static const char *const settings[][8] = {
   {NULL},
   {"parameter_buffer.layout=interleaved", "streams.color=l2", "streams.depth=l2", NULL},
   {"streams.color=l2", "streams.depth=l2", "caches.l2.policy=gspc", "caches.l2.size=131072",
    "caches.l2.uncached=color", NULL},
   {"caches.texture_cache.uncached=texture", "caches.texture_cache.policy=ship-mem",
    "caches.tile_cache.uncached=pb_list", "caches.vertex_cache.uncached=index", NULL},
   {"caches.l2.size=32768", "caches.tile_cache.size=4096", "caches.tile_cache.write_miss=fetch", NULL},
   {"caches.texture_cache.instances=2", "caches.texture_cache.size=2048", "caches.l2.block=128",
    "caches.l2.size=65536", "caches.l2.write_miss=fetch", NULL},
   {"caches.vertex_cache.next=dram", "streams.texture=l2", "streams.shader=dram",
    "caches.tile_cache.size=1024", "caches.instruction_cache.instances=4", NULL},
   {"texture.placement=rz", "texture_access.design=banked-continuous", "texture_access.tags=banked",
    "caches.tile_cache.size=4096", "caches.l2.size=32768", "streams.color=l2", NULL},
   {"texture.placement=morton-4k", "texture_access.design=banked-interleaved",
    "texture_access.tags=four-arrays", "caches.tile_cache.size=4096", "caches.l2.size=32768", NULL},
   {"texture_access.design=wide-bus", "caches.tile_cache.size=4096", "caches.l2.size=32768", NULL},
   {"caches.tile_cache.write_miss=validate", "caches.tile_cache.size=4096",
    "caches.vertex_cache.uncached=index", "caches.vertex_cache.write_miss=validate",
    "caches.l2.write_miss=fetch", "caches.l2.size=32768", NULL},
   {"parameter_buffer.pass_end=write-back", "caches.tile_cache.size=4096", "caches.l2.size=32768",
    "caches.l2.policy=dead-lru", NULL},
   {"parameter_buffer.levels=3", "parameter_buffer.level_lists=2", "caches.tile_cache.size=1024",
    "caches.l2.size=32768", "parameter_buffer.buffers=2", NULL},
   {"core=pipes", "shader_core.vertices=per-tile", "caches.vertex_cache.size=4096", "caches.l2.size=32768",
    "vertex_stage.reuse_entries=8", NULL},
};
enum { PER_TILE = sizeof settings / sizeof settings[0] - 1 };

static const char *const *const variants[] = {settings[0],
                                              settings[1],
                                              settings[2],
                                              settings[3],
                                              settings[4],
                                              settings[5],
                                              settings[6],
                                              settings[7],
                                              settings[8],
                                              settings[9],
                                              settings[10],
                                              settings[11],
                                              settings[12],
                                              settings[PER_TILE],
                                              test_tcor_settings,
                                              test_nuca_settings,
                                              test_compression_settings};

TEST(conservation)
{
   for (unsigned v = 0; v < sizeof variants / sizeof variants[0]; v++) {
      struct cm_config *config = test_config(variants[v]);
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      uint64_t state = v;
      table = cm_gpu_counters(gpu);
      uint64_t *sums = calloc(table->count, sizeof *sums);
      define_random_resources(gpu);
      for (uint32_t frame = 0; frame < 12; frame++) {
         for (unsigned p = 0; p < 3; p++) {
            struct pass_builder *pass = random_pass(&state, frame);
            if (config->framebuffer_compression.mode != CM_COMPRESSION_NONE)
               pass_random_contents(pass, 0, &state);
            pass_run_and_free(pass, gpu);
         }
         values = cm_gpu_frame_end(gpu);
         check_accesses();
         check_sums();
         check_levels(config);
         check_misses(config);
         check_uncached(config);
         check_texture_access(config);
         for (uint32_t i = 0; i < table->count; i++)
            sums[i] += values[i];
      }
      assert_memory_equal(cm_gpu_total(gpu), sums, table->count * sizeof *sums);
      /* Or nothing was tested. */
      values = sums;
      assert_true(value("dram", "total", "reads") > 1000);
      const struct cm_cache_config *tile_cache = &config->caches[CM_UNIT_TILE_CACHE];
      assert_true(value(tile_cache->size ? "tile_cache" : "primitive_list_cache", "pb_list",
                        tile_cache->uncached ? "bypasses" : "hits") > 1000);
      assert_true(value("vertex_cache", "vertex", "writes") > 1000);
      if (cm_config_shades_by_tile(config))
         assert_int_equal(value("dram", "pb_attribute", "writes"), 0);
      else if (v >= 4)
         assert_true(value("dram", "pb_attribute", "writes") > 100);
      free(sums);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}

/* Of the immediate-mode GPU, whose render caches are levels one after another. */
TEST(immediate)
{
   static const char *const immediate[][8] = {
      {NULL},
      {"llc.size=65536", "llc.policy=lru", "vertex_stage.reuse_entries=8", NULL},
      {"llc.size=262144", "llc.policy=gspc", "llc.uncached_display=true", NULL},
      {"llc.size=65536", "color_cache.write_miss=allocate", "color_cache.uncached=display",
       "depth_cache.size=2048", "streams.hiz=llc", "streams.stencil=dram", NULL},
      {"fragment_stage.scheduler=round-robin", "texture_cache.instances=4", "texture_cache_l2.instances=4",
       "texture_cache_l3.next=dram", "color_cache.next=dram", NULL},
   };
   for (unsigned v = 0; v < sizeof immediate / sizeof immediate[0]; v++) {
      struct cm_config *config = test_config_of("imr-8m", immediate[v]);
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      table = cm_gpu_counters(gpu);
      define_full_resources(gpu);
      for (uint32_t frame = 0; frame < 12; frame++) {
         struct full_model *model = full_model(frame + 100 * v);
         struct pass_builder *pass = full_pass(model, 16, frame);
         pass_run_and_free(pass, gpu);
         full_model_free(model);
         values = cm_gpu_frame_end(gpu);
         check_accesses();
         check_sums();
         check_levels(config);
         check_misses(config);
         check_uncached(config);
      }
      values = cm_gpu_total(gpu);
      assert_true(value("dram", "total", "reads") > 1000 && value("color_cache", "color", "hits") > 1000);
      assert_true(value("depth_cache", "depth", "writebacks") > 1000);
      assert_true(value("texture_cache_l2", "texture", "reads") > 1000);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}
