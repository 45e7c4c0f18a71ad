/* SPDX-License-Identifier: MIT */
/* A wrong file is refused with its name, the line, what is wrong and what was
 * expected. Each case is the baseline preset with one line replaced. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu_config.h"
#include "support/test.h"

struct wrong {
   const char *section; /* the line that begins the mapping; NULL: top level */
   const char *line;    /* beginning of the line to replace, without indentation */
   const char *replacement;
   const char *complaint;   /* must occur in the message */
   const char *expectation; /* must occur in it, too */
};

static const struct wrong cases[] = {
   {NULL, "mode:", "mood: tbdr", "mood", "expected keys of: description, clock_mhz, mode"},
   {NULL, "mode:", "mdoe: tbdr", "mdoe: unknown key (did you mean mode?)", "expected keys of: description"},
   {NULL, "mode:", "l2: {size: 1M}", "l2: unknown key (did you mean nuca.mesh.l2, caches.l2 or ",
    "expected keys of:"},
   {NULL, "mode:", "mode: tdbr", "'tdbr' (did you mean tbdr or tbr?)", "expected one of: tbdr, tbr, imr"},
   {"  l2:", "size:", "    sise: 1M", "caches.l2.sise: unknown key (did you mean size?)",
    "expected keys of: size"},
   {"streams:", "vertex:", "  vertex: vertex-cahce", "'vertex-cahce' (did you mean vertex_cache?)",
    "expected one of: vertex_cache"},
   {NULL, "mode:", "mode: imr", "streams.hiz: not there, but mode imr has such accesses",
    "expected dram or a cache"},
   {NULL, "mode:", "mode: [tbdr]", "mode", "expected one of: tbdr, tbr"},
   {NULL, "clock_mhz:", "clock_mhz: fast", "'fast'", "expected a whole number"},
   {NULL, "clock_mhz:", "clock_mhz: -1", "'-1'", "expected a whole number"},
   {NULL, "clock_mhz:", "clock_mhz: 0", "clock_mhz: 0 is out of range", "expected 1 to"},
   {NULL, "threads:", "threads: 5000000000", "5000000000", "expected a whole number"},
   {"parameter_buffer:", "attribute_blocks:", "  attribute_blocks: 63",
    "attribute_blocks: 63 is out of range", "expected 64 to"},
   {"pipeline:", "l2_banks:", "  l2_banks: 0", "pipeline.l2_banks: 0 is out of range", "expected 1 to 64"},
   {"pipeline:", "tile_queue:", "  tile_queue: 65537", "pipeline.tile_queue: 65537 is out of range",
    "expected 0 to 65536"},
   {NULL, "clock_mhz:", "timing: yes\nclock_mhz: 600", "yes", "expected one of: off, on"},
   {"tile:", "size:", "  size: 20", "tile.size: 20 is invalid", "expected a power of two from 8 to 64"},
   {"tile:", "order:", "  order: zorder", "zorder", "expected one of: scanline, z-order, hilbert"},
   {"tile:", "order:", "  orders: z-order", "orders", "expected keys of: size, order"},
   {"  l2:", "size:", "    size: 1000000", "caches.l2.size: 1000000 is no multiple of ways * block",
    "expected a multiple of 8 * 64 = 512"},
   {"  l2:", "ways:", "    ways: 0", "caches.l2.ways: 0 is out of range", "expected 1 to 1024"},
   {"  l2:", "block:", "    block: 48", "caches.l2.block: 48 is invalid", "power of two"},
   {"  l2:", "block:", "    block: 32", "has blocks of 32 bytes", "expected at least this cache's 64"},
   {"  l2:", "policy:", "    policy: clock", "clock", "expected one of: lru, mru, fifo"},
   {"  l2:", "policy:", "    gspc: {threshold: 8}\n    policy: gspc",
    "caches.l2.gspc.render_target_distant: missing", "expected a whole number"},
   {"  l2:", "next:", "    banks: 12\n    next: dram", "caches.l2.banks: 12 is invalid",
    "expected a power of two from 1 to 16"},
   {"  l2:", "next:", "    banks: 32\n    next: dram", "caches.l2.banks: 32 is invalid",
    "expected a power of two from 1 to 16"},
   {"  l2:", "next:", "    uncached: display\n    next: dram",
    "streams.display: not there, but caches.l2.uncached names it", "expected dram or a cache"},
   {"  l2:", "next:", "    uncached: colour\n    next: dram", "colour", "expected one of: none, vertex"},
   {"  l2:", "next:",
    "    gspc: {threshold: 6, render_target_distant: 16, render_target_long: 8}\n    next: dram",
    "caches.l2.gspc.threshold: 6 is invalid", "expected a power of two from 1 to 128"},
   {"  l2:", "next:",
    "    gspc: {threshold: 8, render_target_distant: 256, render_target_long: 8}\n    next: dram",
    "caches.l2.gspc.render_target_distant: 256 is invalid", "expected a power of two from 1 to 128"},
   {"  l2:", "next:",
    "    gspc: {threshold: 8, render_target_distant: 4, render_target_long: 8}\n    next: dram",
    "caches.l2.gspc.render_target_long: 8 is more than render_target_distant", "expected at most 4"},
   {"  tile_cache:", "policy:", "    policy: gspztc\n    banks: 16",
    "caches.tile_cache.policy: gspztc learns in one of 64 sets of each of 16 banks",
    "expected at least 1024 sets, not 256"},
   {"  l2:", "next:", "    next: tile_cache", "form a cycle", "expected a chain to dram"},
   {"  l2:", "size:", "    size: 0", "l2 is not configured", "expected dram or a cache"},
   {"  tile_cache:", "next:", "    next: texture_cache", "texture_cache has 4 instances",
    "expected a shared cache of one, or as many as this one's 1"},
   {"  texture_cache:", "instances:", "    instances: 5", "instances: 5 is out of range", "expected 1 to 4"},
   {"texture:", "row_alignment:", "  row_alignment: 48", "texture.row_alignment: 48",
    "expected a power of two"},
   {"texture:", "placement:", "  placement: tiled", "tiled",
    "expected one of: linear, 4d, 6d, rz, morton-4k"},
   {"texture:", "placement:", "  first_level_tile: 4\n  placement: rz",
    "texture.first_level_tile: 4, but texture.placement has no such tiles", "expected 0"},
   {"texture:", "placement:", "  first_level_tile: 3\n  placement: 4d",
    "texture.first_level_tile: 3 is invalid", "expected a power of two from 2 to 256"},
   {"texture:", "placement:", "  second_level_tile: 4\n  first_level_tile: 4\n  placement: 6d",
    "texture.second_level_tile: 4 is invalid", "expected a power of two from 8 to 256"},
   {NULL, "streams:", "texture_access: {design: wide, tags: shared, access_energy: 1}\nstreams:",
    "texture_access.design: invalid value: 'wide'", "expected one of: none, traditional, wide-bus"},
   {NULL, "streams:", "texture_access: {design: none, tags: banked, access_energy: 1}\nstreams:",
    "texture_access.design: none, but there are tags", "expected a design"},
   {NULL, "streams:", "texture_access: {design: multi-port, tags: banked, access_energy: 1}\nstreams:",
    "texture_access.tags: banked, but the data has no banks", "expected shared or four-arrays"},
   {NULL, "streams:", "texture_access: {design: traditional, tags: four-arrays, access_energy: 1}\nstreams:",
    "texture_access.tags: four-arrays, but the design has one address", "expected shared"},
   {NULL,
    "streams:", "texture_access: {design: banked-interleaved, tags: shared, access_energy: 1}\nstreams:",
    "texture_access.design: banked-interleaved finds 2x2 texels", "expected a placement in tiles"},
   {"streams:", "vertex:", "  vertex: vertex_cash", "vertex_cash", "expected one of: vertex_cache"},
   {"streams:", "vertex:", "  hiz: l3\n  vertex: vertex_cache", "l3", "expected one of: none, vertex_cache"},
   {"streams:", "vertex:", "  vertex: vertex_cache\n  hiz: hiz_cache",
    "streams.hiz: hiz_cache is not configured", "expected dram or a cache under caches"},
   {"dram:", "latency_max:", "  latency_max: 10", "dram.latency_max: 10", "expected at least 50"},
};

/* Copies the preset with the case's line replaced; returns that line's number. */
static unsigned
write_case(const struct wrong *wrong, const char *path)
{
   char source[4096], line[512];
   snprintf(source, sizeof source, "%s/" CM_CONFIG_DEFAULT ".yaml", getenv("TBRSIM_CONFIG_DIR"));
   FILE *in = fopen(source, "r"), *out = fopen(path, "w");
   assert_non_null(in);
   assert_non_null(out);
   unsigned number = 0, replaced = 0;
   bool in_section = !wrong->section;
   while (fgets(line, sizeof line, in)) {
      number++;
      if (wrong->section && strncmp(line, wrong->section, strlen(wrong->section)) == 0)
         in_section = true;
      const char *begin = line + strspn(line, " ");
      if (in_section && !replaced && strncmp(begin, wrong->line, strlen(wrong->line)) == 0) {
         fprintf(out, "%s\n", wrong->replacement);
         replaced = number;
      } else {
         fputs(line, out);
      }
   }
   fclose(in);
   fclose(out);
   assert_true(replaced > 0);
   return replaced;
}

TEST(messages)
{
   char path[] = "config_errors_XXXXXX.yaml";
   const int file = mkstemps(path, 5);
   assert_true(file >= 0);
   close(file);
   char given[64];
   snprintf(given, sizeof given, "./%s", path);
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      const struct wrong *wrong = &cases[i];
      char error[1024] = "", place[96];
      unsigned line = write_case(wrong, path);
      if (cm_config_load(given, NULL, error, sizeof error))
         fail_msg("case %u was accepted: %s", i, wrong->replacement);
      /* Problems between two caches are reported at the one that names the other. */
      if (strncmp(error, given, strlen(given)) != 0 || !strstr(error, wrong->complaint) ||
          !strstr(error, wrong->expectation) || strchr(error, '\n'))
         fail_msg("case %u: %s\nexpected: %s … %s", i, error, wrong->complaint, wrong->expectation);
      snprintf(place, sizeof place, "%s:%u: ", given, line);
      const bool elsewhere = strstr(error, "l2 is not configured") || strstr(error, "not there") ||
                             strstr(error, "hiz_cache is not configured") ||
                             strstr(error, "has blocks of 32") || strstr(error, "form a cycle");
      if (!elsewhere && strncmp(error, place, strlen(place)) != 0)
         fail_msg("case %u: %s\nexpected: %s", i, error, place);
   }
   unlink(path);
}

TEST(no_configuration)
{
   static const struct {
      const char *text, *complaint;
   } texts[] = {
      {"", ":1: the file is empty, expected a configuration"},
      {"[1, 2]\n", ":1: expected a configuration"},
      {"description: x\nclock_mhz: 1\n", ":1: mode: missing, expected one of: tbdr, tbr, imr"},
      {"description: x\nclock_mhz: [1\n", ":"},
      {"description: x\ndescription: y\n", ":2: description: duplicate key"},
      {"extends: mali\n",
       ":1: extends: no preset 'mali' (did you mean mali-g52-mc1, mali-g57-mc2 or mali-like?), expected"},
      {"\tdescription: x\n", ":1: "},
   };
   char path[] = "config_errors_XXXXXX.yaml";
   const int file = mkstemps(path, 5);
   assert_true(file >= 0);
   close(file);
   for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
      char error[1024] = "";
      FILE *out = fopen(path, "w");
      fputs(texts[i].text, out);
      fclose(out);
      assert_null(cm_config_load(path, NULL, error, sizeof error));
      if (!strstr(error, texts[i].complaint))
         fail_msg("text %u: %s", i, error);
   }
   unlink(path);
}

TEST(no_file)
{
   char error[1024] = "";
   assert_null(cm_config_load("no-such-preset", NULL, error, sizeof error));
   assert_string_equal(
      error, "no preset 'no-such-preset', expected one of those that tbrsim configs lists, or a .yaml file");
   assert_null(cm_config_load("mali", NULL, error, sizeof error));
   assert_non_null(
      strstr(error, "no preset 'mali' (did you mean mali-g52-mc1, mali-g57-mc2 or mali-like?), expected"));
   assert_null(cm_config_load("./none.yaml", NULL, error, sizeof error));
   assert_non_null(strstr(error, "./none.yaml: No such file or directory"));
   assert_null(cm_config_load("/", NULL, error, sizeof error));
   assert_non_null(strstr(error, "Is a directory"));
}

/* A setting of a preset, and two parts of what is said about it. */
typedef const char *const wrong_setting[3];

/* Fails the test unless each setting alone is refused, in one line with both parts: well-formed ones when the
 * configuration is validated. With the setting `valid`, if there is one, the configuration is valid again. */
static void
check_refused(const char *preset, const wrong_setting *wrongs, size_t count, bool well_formed,
              const char *valid)
{
   for (size_t i = 0; i < count; i++) {
      char error[1024] = "";
      struct cm_config *config = cm_config_load(preset, NULL, error, sizeof error);
      assert_non_null(config);
      assert_true(cm_config_validate(config, error, sizeof error));
      const bool is_set = cm_config_set(config, wrongs[i][0], error, sizeof error);
      assert_true(is_set || !well_formed);
      if (is_set && cm_config_validate(config, error, sizeof error))
         fail_msg("accepted: %s", wrongs[i][0]);
      if (!strstr(error, wrongs[i][1]) || !strstr(error, wrongs[i][2]) || strchr(error, '\n'))
         fail_msg("%s: %s", wrongs[i][0], error);
      if (is_set && valid) {
         assert_true(cm_config_set(config, valid, error, sizeof error));
         assert_true(cm_config_validate(config, error, sizeof error));
      }
      cm_config_destroy(config);
   }
}

/* Settings of a preset, in order, and all that is said of the last ones; NULL: they are valid. */
struct settings {
   const char *settings[6], *complaint;
};

static void
check_settings(const char *preset, const struct settings *cases, size_t count, bool energy)
{
   for (size_t i = 0; i < count; i++) {
      char error[1024] = "";
      struct cm_config *config = cm_config_load(preset, NULL, error, sizeof error);
      assert_non_null(config);
      if (!energy)
         memset(&config->energy, 0, sizeof config->energy);
      for (unsigned s = 0; s < 6 && cases[i].settings[s]; s++)
         assert_true(cm_config_set(config, cases[i].settings[s], error, sizeof error));
      assert_int_equal(cm_config_validate(config, error, sizeof error), cases[i].complaint == NULL);
      assert_string_equal(error, cases[i].complaint ? cases[i].complaint : "");
      cm_config_destroy(config);
   }
}

/* Numbers of sets that are no power of two. */
TEST(sets)
{
   static const struct settings texts[] = {
      {{"caches.l2.size=1572864"}, NULL},
      {{"caches.l2.size=1572864", "caches.l2.index=ipoly"},
       "caches.l2.size: 1572864 makes 3072 sets, expected a power of two with index ipoly: size = sets * 8 "
       "ways * "
       "64 bytes"},
      {{"caches.l2.size=1572864", "caches.l2.policy=drrip"},
       "caches.l2.size: 1572864 makes 3072 sets, expected a power of two with policy drrip: size = sets * 8 "
       "ways * "
       "64 bytes"},
      {{"caches.tile_cache.write_miss=validate"}, NULL},
      {{"caches.l2.write_miss=validate"},
       "caches.l2.write_miss: validate is of a cache that streams access, but vertex_cache writes back to "
       "it, "
       "expected allocate or fetch"},
      {{"caches.tile_cache.write_miss=validate", "streams.color=tile_cache"},
       "caches.tile_cache.write_miss: validate needs the bytes of each access, which color has not, expected "
       "allocate or fetch"},
      {{"caches.tile_cache.write_miss=fetch", "caches.tile_cache.fetched=pb_attribute"}, NULL},
      {{"caches.tile_cache.fetched=pb_attribute"},
       "caches.tile_cache.fetched: pb_attribute, but write_miss is not fetch, expected all"},
      {{"caches.tile_cache.write_miss=fetch", "caches.tile_cache.fetched=texture"},
       "caches.tile_cache.fetched: texture does not arrive there, expected a stream that does, or all"},
      {{"parameter_buffer.buffers=2", "parameter_buffer.written=among-tiles"}, NULL},
      {{"parameter_buffer.buffers=3"}, "parameter_buffer.buffers: 3 is out of range, expected 0 to 2"},
      {{"parameter_buffer.buffers=1", "parameter_buffer.written=among-tiles"},
       "parameter_buffer.buffers: 1, but passes overlap (parameter_buffer.written), expected 2"},
   };
   check_settings(NULL, texts, sizeof texts / sizeof texts[0], true);
}

/* Caches that cannot be emptied at the end of a pass. */
TEST(pass_end)
{
   static const struct settings texts[] = {
      {{"parameter_buffer.pass_end=write-back"}, NULL},
      {{"parameter_buffer.pass_end=write-back", "caches.attribute_cache.next=primitive_list_cache",
        "streams.pb_list=l2"},
       "parameter_buffer.pass_end: attribute_cache leads to primitive_list_cache, expected keep"},
      {{"parameter_buffer.pass_end=discard", "streams.vertex=primitive_list_cache"},
       "parameter_buffer.pass_end: primitive_list_cache has vertex, too, expected keep"},
   };
   check_settings("tcor-64k", texts, sizeof texts / sizeof texts[0], true);
}

/* What goes by the tile of a block, or by OPT numbers, cannot have hierarchical lists. */
TEST(tile_levels)
{
   static const struct settings flat[] = {
      {{"parameter_buffer.levels=8"}, NULL},
      {{"parameter_buffer.levels=14"}, "parameter_buffer.levels: 14 is out of range, expected 0 to 13"},
      {{"parameter_buffer.level_lists=65537"},
       "parameter_buffer.level_lists: 65537 is out of range, expected 0 to 65536"},
      {{"pipeline.list_entries=17"}, "pipeline.list_entries: 17 is out of range, expected 0 to 16"},
      {{"parameter_buffer.levels=8", "caches.l2.policy=tcor"},
       "parameter_buffer.levels: lists are hierarchical and their blocks not of one tile, as "
       "caches.l2.policy tcor "
       "needs it, expected 0"},
   };
   static const struct settings tcor[] = {
      {{"parameter_buffer.levels=0"}, NULL},
      {{"parameter_buffer.levels=1"},
       "parameter_buffer.levels: lists are hierarchical and have no OPT numbers, which primitive_buffer "
       "needs, "
       "expected 0"},
   };
   static const struct settings immediate[] = {
      {{"parameter_buffer.levels=1"}, NULL}}; /* no tiles, no lists */
   check_settings("imr-8m", immediate, 1, true);
   check_settings(NULL, flat, sizeof flat / sizeof flat[0], true);
   check_settings("tcor-64k", tcor, sizeof tcor / sizeof tcor[0], true);
}

/* Fast clears need blocks of one size for depth and stencil, and HiZ's own. */
TEST(fast_clears)
{
   static const struct settings texts[] = {
      {{"immediate.clears=fast"}, NULL},
      {{"caches.stencil_cache.block=32"}, NULL},
      {{"caches.stencil_cache.block=32", "immediate.clears=fast"},
       "immediate.clears: fast, but blocks of depth and of stencil differ, expected memory"},
      {{"caches.hiz_cache.block=32", "immediate.clears=fast"},
       "immediate.clears: fast, but blocks of HiZ are not of 64 bytes, expected memory"},
   };
   check_settings("imr-8m", texts, sizeof texts / sizeof texts[0], true);
}

/* Attribute Caches that cannot be built, and why (TCOR III-C). */
TEST(attribute_cache)
{
   static const wrong_setting wrongs[] = {
      {"caches.attribute_cache.size=0", "primitive_buffer.lines", "expected caches.attribute_cache"},
      {"caches.attribute_cache.size=2048", "caches.attribute_cache.size: 2048 holds 32 attributes",
       "at least 33, which the largest primitive has"},
      {"caches.attribute_cache.size=49150", "caches.attribute_cache.size: 49150", "no multiple"},
      {"caches.attribute_cache.block=128", "caches.attribute_cache.block: 128", "expected 64"},
      {"caches.attribute_cache.policy=srrip", "caches.attribute_cache.policy: srrip", "expected tcor or lru"},
      {"caches.attribute_cache.instances=2", "caches.attribute_cache.instances", "expected 1 to 1"},
      {"caches.attribute_cache.ways=3", "primitive_buffer.lines: 256", "power of two of sets"},
      {"caches.attribute_cache.uncached=pb_attribute", "caches.attribute_cache.uncached", "expected none"},
      {"caches.attribute_cache.write_miss=fetch", "caches.attribute_cache.write_miss", "expected allocate"},
      {"caches.attribute_cache.banks=4", "caches.attribute_cache.banks", "expected none"},
      {"primitive_buffer.lines=250", "primitive_buffer.lines: 250", "expected sets * 4 ways"},
      {"primitive_buffer.lines=3", "primitive_buffer.lines: 3 are less than a set's 4", "at least as many"},
      {"primitive_buffer.entry_bytes=32", "primitive_buffer.entry_bytes: 32",
       "expected 48, an attribute, or 64"},
      {"primitive_buffer.output_queue=0", "primitive_buffer.output_queue", "expected 1 to"},
      {"primitive_buffer.mshrs=32", "a primitive of 33 attributes would deadlock", "at least 33"},
      {"streams.pb_list=attribute_cache", "streams.pb_list", "takes pb_attribute only"},
      {"caches.primitive_list_cache.next=attribute_cache", "caches.primitive_list_cache.next",
       "takes primitives only"},
   };
   check_refused("tcor-64k", wrongs, sizeof wrongs / sizeof wrongs[0], true, NULL);
}

/* Values that do not fit together, set one by one. */
TEST(texture_access)
{
   static const struct settings texts[] = {
      {{"texture.placement=4d", "texture.first_level_tile=8", "texture_access.design=banked-interleaved"},
       "caches.texture_cache.block: 64 bytes are less than a tile of 8x8 texels: what texture_access.design "
       "banked-interleaved keeps in a line would not be continuous in memory, expected at least 256"},
      {{"texture.placement=4d", "texture.first_level_tile=8", "texture_access.design=banked-interleaved",
        "caches.texture_cache.block=256", "caches.l2.block=256"},
       NULL},
      {{"texture_access.design=banked-continuous", "texture_access.tags=banked",
        "caches.texture_cache.size=512"},
       "texture_access.tags: banked, but the cache has 2 sets, expected at least 4 for as many banks"},
      {{"texture_access.design=wide-bus", "streams.texture=dram"},
       "texture_access.design: streams.texture names no cache that could be of a design, expected one"},
      {{"texture_bus.latency=1", "streams.texture=l2"},
       "texture_bus: there is one, but mode is imr or streams.texture is not texture_cache, expected none"},
      {{"texture_bus.latency=1001", "streams.texture=l2"},
       "texture_bus.latency: 1001 is out of range, expected 0 to 1000"},
      {{"texture_access.access_energy=1"},
       "texture_access.design: none, but there are tags, an energy or what a miss takes, expected a design"},
      {{"texture_access.tag_energy=1"},
       "texture_access.design: none, but there are tags, an energy or what a miss takes, expected a design"},
   };
   check_settings(NULL, texts, sizeof texts / sizeof texts[0], true);
}

/* What makes no NUCA of texture caches. */
TEST(nuca)
{
   static const wrong_setting wrongs[] = {
      {"nuca.requests=quad", "requests: wrong value 'quad'", "one of: footprint, fragment, texel"},
      {"nuca.organisation=r-nuca", "organisation: wrong value", "one of: none, private, s-nuca, d-nuca"},
      {"nuca.interleave_blocks=3", "nuca.interleave_blocks: 3 is invalid", "a power of two"},
      {"nuca.affinity_table.page_blocks=12", "page_blocks: 12 is invalid", "a power of two"},
      {"nuca.affinity_table.buckets=0", "buckets: 0 is out of range", "1 to 4096"},
      {"nuca.affinity_table.counter_bits=9", "counter_bits: 9 is out of range", "1 to 8"},
      {"nuca.affinity_table.threshold_percent=10001", "threshold_percent: 10001 is", "0 to 10000"},
      {"nuca.affinity_table.epoch_accesses=0", "epoch_accesses: 0 is out of range", "1 to"},
      {"nuca.mesh.columns=33", "nuca.mesh.columns: 33 is out of range", "0 to 32"},
      {"nuca.mesh.hop_cycles=1001", "nuca.mesh.hop_cycles: 1001 is out of range", "0 to 1000"},
      {"nuca.mesh.accesses_per_cycle=0", "accesses_per_cycle: 0 is out of range", "1 to"},
      {"nuca.mesh.table_ports=5", "nuca.mesh.table_ports: 5 is out of range", "0 to 4"},
      {"nuca.mesh.table_ports=2", "nuca.mesh.table_ports: 2, but the link of nuca.mesh.table_node own",
       "expected 1, or table_node shared"},
      {"nuca.mesh.table_node=none", "table_node: wrong value 'none'", "one of: shared, own"},
      {"nuca.mesh.table=bus", "table: wrong value 'bus'", "one of: center, corner"},
      {"texture_bus.bytes_per_cycle=24", "texture_bus.bytes_per_cycle: 24 is invalid", "a power of two"},
      {"texture_bus.latency=1001", "texture_bus.latency: 1001 is out of range", "0 to 1000"},
      {"caches.texture_cache.instances=16",
       "caches.texture_cache.instances: 16 is not fragment_stage.processors", "expected 32: with nuca"},
      {"caches.texture_cache.policy=opt", "caches.texture_cache.policy: opt needs",
       "expected another policy"},
      {"caches.texture_cache.policy=perfect", "caches.texture_cache.policy: perfect needs",
       "expected another policy"},
      {"caches.texture_cache.uncached=texture", "caches.texture_cache.uncached: texture", "expected none"},
      {"streams.texture=l2", "streams.texture: l2", "expected texture_cache: with nuca"},
      {"streams.constant=texture_cache", "streams.constant: texture_cache",
       "expected another unit: with nuca"},
   };
   check_refused("nuca-dtm", wrongs, sizeof wrongs / sizeof wrongs[0], false, NULL);
   char error[1024] = "";
   struct cm_config *config = cm_config_load("nuca-dtm", NULL, error, sizeof error);
   assert_true(cm_config_set(config, "streams.texture=dram", error, sizeof error));
   assert_true(cm_config_set(config, "caches.texture_cache.size=0", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_string_equal(error,
                       "nuca.organisation: there are no texture caches, expected caches.texture_cache");
   cm_config_destroy(config);
   /* A table at a processor's router takes more; a bus that is not used has a width nevertheless. */
   config = cm_config_load("nuca-dtm", NULL, error, sizeof error);
   assert_true(cm_config_set(config, "nuca.mesh.table_node=shared", error, sizeof error));
   assert_true(cm_config_set(config, "nuca.mesh.table_ports=4", error, sizeof error));
   assert_true(cm_config_set(config, "nuca.mesh.l2=center", error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "texture_bus.bytes_per_cycle=24", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   assert_ptr_equal(strstr(error, "texture_bus.bytes_per_cycle: 24 is invalid"), error);
   cm_config_destroy(config);
}

/* What there are no energies for. */
TEST(energy)
{
   static const struct settings texts[] = {
      {{"energy.technology=32", "energy.cell=itrs-lstp"}, NULL},
      {{"energy.technology=28", "energy.cell=itrs-lstp"},
       "energy.technology: 28 is no technology of the table of arrays, expected 22, 32, 45, 65 or 90, or 0 "
       "for "
       "no energy"},
      {{"energy.technology=32"}, "energy.cell: none, expected itrs-lstp or itrs-hp"},
      {{"energy.technology=0", "caches.l2.size=33554432", "timing=on"}, NULL},
      /* What is not counted may be of any size. */
      {{"energy.technology=32", "energy.cell=itrs-hp", "caches.l2.block=128"}, NULL},
      {{"energy.technology=32", "energy.cell=itrs-hp", "caches.l2.block=128", "timing=on"},
       "energy.technology: 32, but for caches.l2 there is no cache with lines of 128 bytes, expected 64"},
      {{"energy.technology=32", "energy.cell=itrs-hp", "caches.l2.size=33554432", "timing=on"},
       "energy.technology: 32, but for caches.l2 there is no cache of 33554432 bytes and 8 ways, expected at "
       "most 16777216 bytes, as cacti-7.0-energies.csv has"},
   };
   check_settings(NULL, texts, sizeof texts / sizeof texts[0], false);
}

/* What is no DRAM system. */
TEST(dram_system)
{
   static const wrong_setting wrongs[] = {
      {"dram_system.device=DDR5", "device: wrong value 'DDR5'", "one of: none, LPDDR3_8Gb_x32_1333"},
      {"dram_system.channels=3", "dram_system.channels: 3 is invalid", "a power of two from 1 to 16"},
      {"dram_system.channels=32", "dram_system.channels: 32 is invalid", "a power of two from 1 to 16"},
      {"dram_system.channel_width=16", "channel_width: 16 bits are less than one chip of LPDDR3_8Gb_x32_1333",
       "expected at least 32"},
      {"dram_system.channel_width=48", "channel_width: 48 is invalid", "a power of two from 8 to 256"},
      {"dram_system.ranks=0", "dram_system.ranks: 0 is invalid", "a power of two from 1 to 4"},
      {"dram_system.mapping=row-bank-column-channel", "dram_system.mapping: 'row-bank-column-channel' is no",
       "each once"},
      {"dram_system.mapping=row-rank-bank-column-bank", "dram_system.mapping: 'row-rank", "each once"},
      {"dram_system.mapping=row-rank-bank-column-channel-", "dram_system.mapping: 'row-rank", "each once"},
      {"dram_system.mapping=row^bank-rank-bank-column-channel", "dram_system.mapping: 'row^", "bank^row"},
      {"dram_system.interleave=32", "dram_system.interleave: 32 is invalid", "from 64 to 4096"},
      {"dram_system.interleave=8192", "dram_system.interleave: 8192 is invalid", "from 64 to 4096"},
      {"dram_system.page_policy=adaptive", "page_policy: wrong value 'adaptive'", "one of: open, closed"},
      {"dram_system.refresh=none", "refresh: wrong value 'none'", "one of: all-bank, per-bank"},
      {"dram_system.read_queue=65", "dram_system.read_queue: 65 is out of range", "1 to 64"},
      {"dram_system.write_queue=0", "dram_system.write_queue: 0 is out of range", "1 to 64"},
      {"dram_system.write_high=33", "dram_system.write_high: 33 is out of range", "1 to 32"},
      {"dram_system.write_low=28", "dram_system.write_low: 28 is out of range", "0 to 27"},
      {"dram_system.turn_requests=1048577", "turn_requests: 1048577 is out of range", "0 to 1048576"},
      {"dram_system.controller_latency=10001", "controller_latency: 10001 is out of range", "0 to 10000"},
      {"dram_system.timing.tRAS=5", "dram_system.timing.tRAS: 5 is less than tRCD", "at least 12"},
      {"dram_system.timing.tREFI=180", "dram_system.timing.tREFI: 180 leaves no time", "more than 180"},
      {"dram_system.timing.tCK=1500", "no key 'tCK'", "CL, CWL, tRCD"},
      {"dram.size_mib=4096", "dram_system.channels: 2 channels of 1 ranks of 1 chips hold 2048 MiB",
       "expected at least dram.size_mib, 4096"},
   };
   check_refused(NULL, wrongs, sizeof wrongs / sizeof wrongs[0], false, "dram_system.device=none");
}

/* What timing needs. */
TEST(timing)
{
   static const struct {
      const char *assignments[3], *complaint;
   } wrongs[] = {
      {{"timing=on", "pipeline.vertex_processors=0"},
       "timing: on, but the configuration has no timing parameters"},
      {{"timing=on", "pipeline.vertex_processors=0"}, "expected a mapping pipeline"},
      {{"timing=on", "dram_system.device=none"}, "expected a mapping dram_system"},
      {{"timing=on", "caches.tile_cache.next=vertex_cache"},
       "caches.tile_cache.next: vertex_cache, but timing is on, which needs L1 caches and the l2 before "
       "memory; "
       "expected l2 or dram"},
      {{"timing=on", "streams.texture=l2"}, "streams.texture: l2, but timing is on, expected texture_cache"},
   };
   char error[512];
   for (unsigned w = 0; w < sizeof wrongs / sizeof wrongs[0]; w++) {
      struct cm_config *config = cm_config_load(NULL, NULL, error, sizeof error);
      assert_non_null(config);
      for (unsigned a = 0; wrongs[w].assignments[a]; a++)
         assert_true(cm_config_set(config, wrongs[w].assignments[a], error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      if (!strstr(error, wrongs[w].complaint))
         fail_msg("%s\nexpected: %s", error, wrongs[w].complaint);
      assert_true(cm_config_set(config, "timing=off", error, sizeof error));
      assert_true(cm_config_validate(config, error, sizeof error));
      cm_config_destroy(config);
   }
}
