/* SPDX-License-Identifier: MIT */
/* key=value changes one key, or says what is wrong and changes nothing. */
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/test.h"

static struct cm_config *config;

static int
load(void **unused)
{
   char error[512];
   config = cm_config_load(NULL, NULL, error, sizeof error);
   return config ? 0 : -1;
}

static int
unload(void **unused)
{
   cm_config_destroy(config);
   return 0;
}

TEST_WITH(values, load, unload)
{
   static const char *const assignments[] = {
      "mode=tbr",
      "tile.size=16",
      "tile.order=hilbert",
      "frame.traversal=boustrophedonic",
      "caches.l2.size=2097152",
      "caches.tile_cache.policy=lru",
      "streams.color=l2",
      "description=mine, all = mine",
      "threads=3",
   };
   char error[512] = "";
   for (unsigned i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
      if (!cm_config_set(config, assignments[i], error, sizeof error))
         fail_msg("%s", error);
   }
   assert_int_equal(config->mode, CM_MODE_TBR);
   assert_int_equal(config->tile.size, 16);
   assert_int_equal(config->tile.order, CM_TILE_ORDER_HILBERT);
   assert_int_equal(config->frame.traversal, CM_TRAVERSAL_BOUSTROPHEDONIC);
   assert_int_equal(config->caches[CM_UNIT_L2].size, 2097152);
   assert_int_equal(config->streams[CM_STREAM_COLOR], CM_UNIT_L2);
   assert_string_equal(config->description, "mine, all = mine");
   assert_int_equal(config->threads, 3);
   assert_true(cm_config_validate(config, error, sizeof error));
}

/* Each key takes the units of what it is in. */
TEST_WITH(units, load, unload)
{
   const uint32_t *l2 = &config->caches[CM_UNIT_L2].size;
   const struct {
      const char *assignment;
      const uint32_t *value;
      uint32_t expected;
   } cases[] = {
      {"caches.l2.size=256K", l2, 262144},
      {"l2.size=256KiB", l2, 262144},
      {"l2.size=1M", l2, 1048576},
      {"l2.size=3MiB", l2, 3145728},
      {"l2.size=1G", l2, 1u << 30},
      {"l2.size=0x40000", l2, 262144},
      {"l2.block=0x40", &config->caches[CM_UNIT_L2].block, 64},
      {"texture.row_alignment=1K", &config->texture.row_alignment, 1024},
      {"l2.size=256k", l2, 262144},
      {"l2.size=2MB", l2, 2097152},
      {"l2.size=64kb", l2, 65536},
      {"l2.size=1gib", l2, 1u << 30},
      {"l2.block=64B", &config->caches[CM_UNIT_L2].block, 64},
      {"l2.ways=4", &config->caches[CM_UNIT_L2].ways, 4},
      {"dram.size_mib=2GiB", &config->dram.size_mib, 2048},
      {"dram.size_mib=1gb", &config->dram.size_mib, 1024},
      {"dram.size_mib=512M", &config->dram.size_mib, 512},
      {"clock_mhz=850MHz", &config->clock_mhz, 850},
      {"clock_mhz=1.25GHz", &config->clock_mhz, 1250},
      {"clock_mhz=900mhz", &config->clock_mhz, 900},
   };
   static const char *const wrong[] = {
      "l2.size=256Kb8",   "l2.size=256MHz",      "l2.size=1.5M", "l2.size=4G",
      "l2.size=K",        "l2.size=1 M K",       "l2.ways=1K",   "tile.size=1K",
      "threads=1K",       "clock_mhz=1.2345GHz", "clock_mhz=1M", "clock_mhz=1..2GHz",
      "dram.size_mib=1K", "dram.size_mib=0x1G",  "l2.size=1iB",  "l2.ways=fully",
   };
   char error[1024] = "";
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      if (!cm_config_set(config, cases[i].assignment, error, sizeof error))
         fail_msg("%s", error);
      assert_int_equal(*cases[i].value, cases[i].expected);
   }
   for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
      if (cm_config_set(config, wrong[i], error, sizeof error))
         fail_msg("%s was taken", wrong[i]);
      assert_non_null(strstr(error, "expected a whole number from 0 to 4294967295"));
   }
   assert_false(cm_config_set(config, "l2.size=1T", error, sizeof error));
   assert_non_null(strstr(error, "or bytes as in 64K, 1M, 2GiB"));
   assert_false(cm_config_set(config, "clock_mhz=1THz", error, sizeof error));
   assert_non_null(strstr(error, "or as in 600MHz, 1.6GHz"));
}

/* A name is meant whatever its letters, and where the literature has another one. */
TEST_WITH(names, load, unload)
{
   static const struct {
      const char *assignment;
      enum cm_policy expected;
   } cases[] = {
      {"l2.policy=LRU", CM_POLICY_LRU},           {"l2.policy=Belady", CM_POLICY_OPT},
      {"l2.policy=MIN", CM_POLICY_OPT},           {"l2.policy=plru", CM_POLICY_TREE_PLRU},
      {"l2.policy=SHiP-Mem", CM_POLICY_SHIP_MEM}, {"l2.policy=DRRIP", CM_POLICY_DRRIP},
   };
   char error[1024] = "";
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      if (!cm_config_set(config, cases[i].assignment, error, sizeof error))
         fail_msg("%s", error);
      assert_int_equal(config->caches[CM_UNIT_L2].policy, cases[i].expected);
   }
   assert_true(cm_config_set(config, "tile.order=Z-Order", error, sizeof error));
   assert_int_equal(config->tile.order, CM_TILE_ORDER_Z);
   assert_false(cm_config_set(config, "tile.order=belady", error, sizeof error));
   assert_false(cm_config_set(config, "l2.policy=lr", error, sizeof error));
   assert_false(cm_config_set(config, "l2.policy=lruu", error, sizeof error));
   assert_false(cm_config_set(config, "l2.policy=", error, sizeof error));
}

/* Ways of a fully associative cache are as many as its blocks, also when these change afterwards. */
TEST_WITH(full, load, unload)
{
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   char error[1024] = "";
   assert_true(cm_config_set(config, "l2.ways=full", error, sizeof error));
   assert_int_equal(l2->ways, l2->size / l2->block);
   assert_true(cm_config_set(config, "l2.size=16K", error, sizeof error));
   assert_int_equal(l2->ways, 256);
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "l2.block=128", error, sizeof error));
   assert_int_equal(l2->ways, 128);
   assert_true(cm_config_set(config, "l2.size=1M", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_non_null(strstr(error, "caches.l2.ways: 8192 is out of range, expected 1 to 1024"));
   assert_true(cm_config_set(config, "l2.ways=16", error, sizeof error));
   assert_true(cm_config_set(config, "l2.size=2M", error, sizeof error));
   assert_int_equal(l2->ways, 16);
   assert_true(cm_config_set(config, "l2.block=0", error, sizeof error));
   assert_true(cm_config_set(config, "l2.ways=FULL", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
}

/* The L2's latency may follow from its size; that of no other cache. It is printed as it is set. */
TEST_WITH(latency, load, unload)
{
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   char error[1024] = "", *text = NULL;
   size_t size;
   assert_true(cm_config_set(config, "l2.latency=AUTO", error, sizeof error));
   assert_int_equal(l2->latency, CM_LATENCY_AUTO);
   assert_true(cm_config_validate(config, error, sizeof error));
   FILE *file = open_memstream(&text, &size);
   cm_config_write_json(config, file);
   fclose(file);
   assert_non_null(strstr(text, "\"latency\": \"auto\""));
   free(text);
   assert_true(cm_config_set(config, "timing=on", error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "energy.technology=0", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_non_null(strstr(error, "caches.l2.latency: auto, but no cache of 0 nm"));
   assert_true(cm_config_set(config, "l2.latency=7", error, sizeof error));
   assert_int_equal(l2->latency, 7);
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_false(cm_config_set(config, "l2.latency=some", error, sizeof error));
   assert_non_null(strstr(error, ", or auto"));
   assert_true(cm_config_set(config, "texture_cache.latency=auto", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_non_null(strstr(error, "caches.texture_cache.latency: auto, which only the l2 can have"));
}

TEST_WITH(errors, load, unload)
{
   static const struct {
      const char *assignment, *message;
   } cases[] = {
      {"mode", "mode: no value, expected key=value"},
      {"moood=tbr", "moood: no key 'moood', expected keys of: description"},
      {"caches.l3.size=1",
       "caches.l3.size: no key 'l3' (did you mean l2.size?), expected keys of: vertex_cache"},
      {"caches.l2.sise=1", "no key 'sise' (did you mean l2.size?), expected keys of: size, ways"},
      {"caches.l2.sise=1", "; tbrsim configs --keys lists all"},
      {"l3.size=1", "l3.size: no key 'l3' (did you mean l2.size?)"},
      {"l2size=1", "l2size: no key 'l2size' (did you mean l2.size?)"},
      {"tile_order=z-order", "no key 'tile_order' (did you mean tile.order?)"},
      {"l2.policy=lur", "caches.l2.policy: wrong value 'lur' (did you mean lru?), expected one of: lru"},
      {"caches.l2=1", "caches.l2: wrong value '1', expected keys of: size"},
      {"tile.size.x=1", "no key 'x'"},
      {"tile.size=", "wrong value '', expected a whole number"},
      {"tile.size=32px", "wrong value '32px', expected a whole number"},
      {"tile.size=-8", "wrong value '-8', expected a whole number"},
      {"tile.size=4294967296", "expected a whole number from 0 to 4294967295"},
      {"tile.order=spiral", "wrong value 'spiral', expected one of: scanline, z-order, hilbert"},
      {"=1", "no key ''"},
      {"description=", "expected a text"},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      char error[1024] = "";
      assert_false(cm_config_set(config, cases[i].assignment, error, sizeof error));
      if (!strstr(error, cases[i].message))
         fail_msg("%s: %s", cases[i].assignment, error);
   }
   assert_int_equal(config->tile.size, 32);
}

TEST_WITH(validate_names_the_key, load, unload)
{
   char error[1024] = "";
   assert_true(cm_config_set(config, "caches.tile_cache.ways=3", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_non_null(strstr(error, "caches.tile_cache.size: 65536 is no multiple of ways * block"));
   assert_true(cm_config_set(config, "caches.tile_cache.size=49152", error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "caches.tile_cache.policy=tree-plru", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_string_equal(
      error, "caches.tile_cache.policy: tree-plru makes no tree of 3 ways, expected a power of two");
}

TEST_WITH(policies, load, unload)
{
   char error[1024] = "", assignment[64];
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      snprintf(assignment, sizeof assignment, "caches.l2.policy=%s", cm_policy_names[policy]);
      assert_true(cm_config_set(config, assignment, error, sizeof error));
      assert_int_equal(config->caches[CM_UNIT_L2].policy, policy);
      assert_true(cm_config_validate(config, error, sizeof error));
   }
}

/* Caches by their name alone; what GSPC calls uncached displayable colour; streams that need not be there. */
TEST_WITH(short_keys, load, unload)
{
   static const char *const assignments[] = {"l2.size=2097152", "streams.display=l2",
                                             "l2.uncached_display=true"};
   char error[1024] = "";
   for (unsigned i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
      if (!cm_config_set(config, assignments[i], error, sizeof error))
         fail_msg("%s", error);
   }
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   assert_int_equal(l2->size, 2097152);
   assert_int_equal(l2->uncached, 1 + CM_STREAM_DISPLAY);
   assert_int_equal(config->streams[CM_STREAM_DISPLAY], CM_UNIT_L2);
   assert_int_equal(config->streams[CM_STREAM_HIZ], CM_UNIT_DRAM);
   assert_true(cm_config_has_stream(config, CM_STREAM_DISPLAY));
   assert_false(cm_config_has_stream(config, CM_STREAM_HIZ));
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "streams.display=none", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_string_equal(
      error, "streams.display: not there, but caches.l2.uncached names it, expected dram or a cache");
   assert_true(cm_config_set(config, "caches.l2.uncached_display=false", error, sizeof error));
   assert_int_equal(l2->uncached, 0);
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_false(cm_config_set(config, "l2.uncached_display=yes", error, sizeof error));
   assert_string_equal(error, "l2.uncached_display: wrong value 'yes', expected true or false");
   assert_false(cm_config_set(config, "l2=1", error, sizeof error));
   assert_non_null(
      strstr(error, "l2: no key 'l2' (did you mean l2.size, l2.ways or l2.block?), expected keys of"));
   assert_false(cm_config_set(config, "l2.sise=1", error, sizeof error));
   assert_non_null(strstr(error, "caches.l2.sise: no key 'sise' (did you mean l2.size?), expected"));
   assert_false(cm_config_set(config, "streams.hiz=l3", error, sizeof error));
   assert_non_null(strstr(error, "expected one of: none, vertex_cache"));
}
