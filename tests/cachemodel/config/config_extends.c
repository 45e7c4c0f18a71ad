/* SPDX-License-Identifier: MIT */
/* Configurations that extend others: values are merged, removed and traced to their file and line; what is wrong
 * is refused with the file and line where it stands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu_config.h"
#include "support/test.h"

static char directory[] = "config_extends_XXXXXX";

static const char *
path_of(const char *name)
{
   static char path[128];
   snprintf(path, sizeof path, "%s/%s", directory, name);
   return path;
}

static void
write_file(const char *name, const char *text)
{
   FILE *file = fopen(path_of(name), "w");
   assert_non_null(file);
   fputs(text, file);
   fclose(file);
}

static char *
as_text(const struct cm_config *config, void (*write)(const struct cm_config *, FILE *))
{
   char *text;
   size_t length;
   FILE *file = open_memstream(&text, &length);
   write(config, file);
   fclose(file);
   return text;
}

static struct cm_config *
load(const char *name)
{
   char error[1024];
   struct cm_config *config = cm_config_load(name, NULL, error, sizeof error);
   if (!config)
      fail_msg("%s", error);
   return config;
}

/* Each file changes one key of the one below: as if the keys had been set. */
TEST(chain)
{
   write_file("middle.yaml", "extends: tcor-64k\ncaches: {l2: {size: 524288, ways: 16}}\n");
   write_file("top.yaml", "caches:\n  l2:\n    ways: 4\nextends: middle.yaml\nmode: \"tbr\"\n");
   struct cm_config *extended = load(path_of("top.yaml")), *set = load("tcor-64k");
   static const char *const settings[] = {"caches.l2.size=524288", "caches.l2.ways=4", "mode=tbr"};
   char error[256];
   for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
      assert_true(cm_config_set(set, settings[i], error, sizeof error));
   char *texts[] = {as_text(extended, cm_config_write_json), as_text(set, cm_config_write_json)};
   assert_string_equal(texts[0], texts[1]);
   assert_string_equal(extended->name, "top");
   free(texts[0]);
   free(texts[1]);
   cm_config_destroy(extended);
   cm_config_destroy(set);
}

/* A cache is removed; nothing may refer to it any more. */
/* Numbers with units, in a block with text that is no ASCII, in a flow mapping, quoted. */
TEST(units)
{
   write_file("units.yaml", "extends: tcor-64k\ndescription: \"4 × 256 K\"\nclock_mhz: 1.2GHz # × 2\n"
                            "caches: {l2: {size: 512KiB, ways: 16}, vertex_cache: {size: \"32K\"}}\n"
                            "dram:\n  size_mib: 2G\n");
   struct cm_config *config = load(path_of("units.yaml"));
   assert_int_equal(config->clock_mhz, 1200);
   assert_int_equal(config->caches[CM_UNIT_L2].size, 524288);
   assert_int_equal(config->caches[CM_UNIT_L2].ways, 16);
   assert_int_equal(config->caches[CM_UNIT_VERTEX_CACHE].size, 32768);
   assert_int_equal(config->dram.size_mib, 2048);
   assert_string_equal(config->description, "4 × 256 K");
   cm_config_destroy(config);

   char error[1024];
   write_file("wrong.yaml", "extends: tcor-64k\nmode: tbr\ncaches:\n  l2:\n    size: 512MHz\n");
   assert_null(cm_config_load(path_of("wrong.yaml"), NULL, error, sizeof error));
   if (!strstr(error, "wrong.yaml:5: ") || !strstr(error, "512MHz") || !strstr(error, "or bytes as in 64K"))
      fail_msg("%s", error);
}

TEST(removal)
{
   write_file("removed.yaml", "extends: tcor-baseline-64k\n"
                              "streams: {pb_list: l2, pb_attribute: l2}\n"
                              "caches:\n  tile_cache: null\n");
   struct cm_config *config = load(path_of("removed.yaml"));
   assert_int_equal(config->caches[CM_UNIT_TILE_CACHE].size, 0);
   assert_int_equal(config->caches[CM_UNIT_L2].size, 1 << 20);
   cm_config_destroy(config);
}

/* Where values come from, in what is printed; and that can be loaded. */
TEST(origins)
{
   write_file("origins.yaml", "extends: tcor-64k\n\ncaches:\n  l2:\n    size: 524288 # half\n");
   struct cm_config *config = load(path_of("origins.yaml"));
   char error[256];
   assert_true(cm_config_set(config, "l2.latency=20", error, sizeof error));
   char *yaml = as_text(config, cm_config_write_yaml), *json = as_text(config, cm_config_write_json);
   assert_non_null(strstr(yaml, "    size: 524288 # origins.yaml:5\n"));
   assert_non_null(strstr(yaml, "    latency: 20 # --set\n"));
   assert_non_null(strstr(yaml, "    policy: tcor # tcor-64k.yaml:"));
   assert_non_null(strstr(yaml, "\nclock_mhz: 600 # tcor-baseline-64k.yaml:"));
   struct cm_config *again = cm_config_parse(yaml, "printed", "again", error, sizeof error);
   assert_non_null(again);
   char *json_again = as_text(again, cm_config_write_json);
   assert_string_equal(json, json_again);
   free(yaml);
   free(json);
   free(json_again);
   cm_config_destroy(again);
   cm_config_destroy(config);
}

static const struct {
   const char *text, *complaint;
} wrongs[] = {
   {"extends: no-such\n", "wrong.yaml:1: extends: "},
   {"extends: no-such\n", "extends: no preset 'no-such', expected one of those"},
   {"mode: tbr\nextends: ./none.yaml\n", "wrong.yaml:2: extends: "},
   {"extends: [tcor-64k]\n", "wrong.yaml:1: extends: expected the name of a preset or a .yaml file"},
   {"extends:\n", "wrong.yaml:1: extends: expected the name of a preset or a .yaml file"},
   {"extends: wrong.yaml\n", "wrong.yaml:1: extends: a circle: "},
   {"extends: circle.yaml\n", "circle.yaml:2: extends: a circle: "},
   {"extends: broken.yaml\n", "broken.yaml:"},
   {"extends: list.yaml\n", "list.yaml:1: expected a configuration"},
   {"extends: tcor-64k\nmood: tbr\n", "wrong.yaml:2: mood: unknown key, expected keys of: description"},
   {"extends: tcor-64k\ncaches:\n  l2: {sise: 1}\n",
    "wrong.yaml:3: caches.l2.sise: unknown key (did you mean size?), expected keys of: size"},
   {"extends: tcor-64k\nmode: tbr\nmode: tbdr\n", "wrong.yaml:3: mode: duplicate key"},
   {"extends: tcor-64k\nextends: imr-8m\n", "wrong.yaml:2: extends: duplicate key"},
   {"extends: tcor-64k\nmode: [tbr]\n", "wrong.yaml:2: mode: a list, expected one of: tbdr, tbr, imr"},
   {"extends: tcor-64k\nmode: {tbr: 1}\n", "wrong.yaml:2: mode: a mapping, expected one of: tbdr, tbr"},
   {"extends: tcor-64k\nmode: tdbr\n",
    "wrong.yaml:2: mode: invalid value: 'tdbr' (did you mean tbdr or tbr?), expected one of: tbdr, tbr"},
   {"extends: tcor-64k\ncaches: 7\n", "wrong.yaml:2: "},
   {"extends: tcor-64k\nnuca: null\n",
    "wrong.yaml:2: nuca: null removes a value of the base, and there is none"},
   {"extends: tcor-64k\nmode: null\n",
    "wrong.yaml:2: mode: null, but every configuration has this key, expected one of: tbdr"},
   {"extends: tcor-64k\ncaches:\n  color_cache:\n    size: 65536\n",
    "wrong.yaml:3: caches.color_cache.ways: missing, expected a whole number"},
   {"extends: tcor-64k\ncaches: {l2: {size: 524288,\n  ways: 3}}\n",
    "wrong.yaml:2: caches.l2.size: 524288 is no"},
   {"extends: tcor-64k\ncaches: {l2: {size: 524288,\n  ways: 0}}\n",
    "wrong.yaml:3: caches.l2.ways: 0 is out of"},
   {"extends: tcor-64k\n\ncaches:\n  l2:\n    size: 1000001\n",
    "wrong.yaml:5: caches.l2.size: 1000001 is no multiple"},
   {"extends: wrong-base.yaml\n", "wrong-base.yaml:3: tile.size: 20 is invalid"},
};

TEST(messages)
{
   write_file("circle.yaml", "mode: tbr\nextends: wrong.yaml\n");
   write_file("broken.yaml", "mode: [tbr\n");
   write_file("list.yaml", "- tbr\n");
   write_file("wrong-base.yaml", "extends: tcor-64k\ntile:\n  size: 20\n");
   for (unsigned i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
      char error[1024] = "";
      write_file("wrong.yaml", wrongs[i].text);
      struct cm_config *config = cm_config_load(path_of("wrong.yaml"), NULL, error, sizeof error);
      if (config || !strstr(error, wrongs[i].complaint) || strchr(error, '\n'))
         fail_msg("case %u: %s\n%s\nexpected: %s", i, wrongs[i].text, error, wrongs[i].complaint);
   }
}

static int
make_directory(void **unused)
{
   return mkdtemp(directory) ? 0 : -1;
}

static int
remove_directory(void **unused)
{
   static const char *const names[] = {"middle.yaml",     "top.yaml",    "removed.yaml", "origins.yaml",
                                       "wrong.yaml",      "circle.yaml", "broken.yaml",  "list.yaml",
                                       "wrong-base.yaml", "units.yaml"};
   for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
      unlink(path_of(names[i]));
   return rmdir(directory);
}

TESTS_BETWEEN(make_directory, remove_directory)
