/* SPDX-License-Identifier: MIT */
/* The table names every counter once, describes it, and follows the configuration. */
#include <string.h>

#include "gpu/gpu_config.h"
#include "gpu/counters.h"
#include "support/test.h"

static struct cm_config *
load(void)
{
   char error[512];
   struct cm_config *config = cm_config_load(NULL, NULL, error, sizeof error);
   assert_non_null(config);
   return config;
}

TEST(names)
{
   struct cm_config *config = load();
   struct cm_counter_table *table = cm_gpu_counter_table_create(config);
   for (uint32_t i = 0; i < table->count; i++) {
      assert_int_equal(cm_counter_table_find(table, table->counters[i].name), i);
      assert_true(strlen(table->counters[i].description) > 4);
      assert_true(strlen(table->counters[i].measure) > 2);
   }
   static const char *const present[] = {
      "vertex_cache.vertex.hits",     "vertex_cache.index.misses",
      "texture_cache.texture.reads",  "texture_cache.0.texture.reads",
      "texture_cache.3.total.misses", "tile_cache.pb_list.writebacks",
      "tile_cache.total.bypasses",    "instruction_cache.constant.reads",
      "l2.pb_attribute.writes",       "dram.color.writes",
      "dram.texture.read_bytes",      "gpu.frames",
      "fragment_stage.quads",
   };
   static const char *const absent[] = {
      "vertex_cache.texture.hits",
      "texture_cache.4.texture.reads",
      "vertex_cache.0.vertex.hits",
      "l2.color.writes",
      "dram.color.hits",
      "",
      "l2",
   };
   for (unsigned i = 0; i < sizeof present / sizeof present[0]; i++) {
      if (cm_counter_table_find(table, present[i]) < 0)
         fail_msg("%s is missing", present[i]);
   }
   for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++)
      assert_int_equal(cm_counter_table_find(table, absent[i]), -1);
   cm_counter_table_destroy(table);
   cm_config_destroy(config);
}

TEST(follows_the_configuration)
{
   struct cm_config *config = load();
   char error[512];
   assert_true(cm_config_set(config, "streams.color=l2", error, sizeof error));
   assert_true(cm_config_set(config, "caches.texture_cache.instances=1", error, sizeof error));
   struct cm_counter_table *table = cm_gpu_counter_table_create(config);
   assert_true(cm_counter_table_find(table, "l2.color.writes") >= 0);
   assert_true(cm_counter_table_find(table, "texture_cache.texture.reads") >= 0);
   assert_int_equal(cm_counter_table_find(table, "texture_cache.0.texture.reads"), -1);
   cm_counter_table_destroy(table);
   cm_config_destroy(config);
}
