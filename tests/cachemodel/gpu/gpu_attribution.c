/* SPDX-License-Identifier: MIT */
/* Attribution of a simulated GPU: the rows of a frame add up to its counters, whatever the configuration; they change
 * none; and they are those of who causes the traffic, in passes small enough to count by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "energy/energy.h"
#include "gpu/attribution.h"
#include "gpu/attribution_writer.h"
#include "gpu/gpu_config.h"
#include "memory/future.h"
#include "results/writer.h"
#include "support/full_pass.h"
#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"

#define ALL "attribution.pass=on", "attribution.draw=on", "attribution.texture=on", "attribution.tile=on"

static uint64_t
value(struct cm_gpu *gpu, const struct cm_attributed_row *row, const char *name)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   const int index = cm_counter_table_find(table, name);
   assert_true(index >= 0);
   return cm_gpu_attributed_value(gpu, row, &table->counters[index]);
}

/* ---- sums -------------------------------------------------------------- */

static unsigned energies; /* checked, that were not zero */

/* frame: its counters. Whether there are rows by that part. */
static bool
check_sums(const struct cm_config *config, struct cm_gpu *gpu, const uint64_t *frame,
           enum cm_origin_part part)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   struct cm_attributed_rows rows;
   if (!cm_gpu_attributed_rows(gpu, part, &rows))
      return false;
   bool *flags = calloc(table->count, sizeof *flags);
   assert_true(cm_attributed_counters(config, table, part, flags));
   for (uint32_t c = 0; c < table->count; c++) {
      const struct cm_counter *counter = &table->counters[c];
      if (!flags[c])
         continue;
      energies += counter->source == &cm_energy_counters && frame[c];
      uint64_t sum = 0;
      for (uint32_t r = 0; r < rows.count; r++)
         sum += cm_gpu_attributed_value(gpu, &rows.list[r], counter);
      if (sum != frame[c])
         fail_msg("%s: rows of part %d add up to %llu, the frame has %llu", counter->name, (int)part,
                  (unsigned long long)sum, (unsigned long long)frame[c]);
      assert_int_equal(cm_gpu_attributed_value(gpu, &rows.sum, counter), sum);
   }
   free(flags);
   for (uint32_t r = 1; r < rows.count; r++) {
      const struct cm_attributed_row *a = &rows.list[r - 1], *b = &rows.list[r];
      assert_true(a->frames_ago > b->frames_ago ||
                  (a->frames_ago == b->frames_ago &&
                   (a->pass < b->pass || (a->pass == b->pass && a->number < b->number))));
   }
   return true;
}

/* The same frames with attribution and without. */
static void
check_frames(const struct cm_config *config, const struct cm_config *plain, bool full)
{
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0), *other = cm_gpu_create(plain, NULL, 0);
   uint64_t state = 1;
   full ? define_full_resources(gpu) : define_random_resources(gpu);
   full ? define_full_resources(other) : define_random_resources(other);
   for (uint32_t frame = 0; frame < 5; frame++) {
      for (unsigned p = 0; p < frame % 4; p++) { /* none in some */
         struct full_model *model = full ? full_model(frame * 4 + p) : NULL;
         struct pass_builder *pass =
            full ? full_pass(model, config->tile.size, frame) : random_pass(&state, frame);
         if (!full && config->framebuffer_compression.mode != CM_COMPRESSION_NONE)
            pass_random_contents(pass, 0, &state);
         pass_run(pass, gpu);
         pass_run_and_free(pass, other);
         if (full)
            full_model_free(model);
      }
      const uint64_t *values = cm_gpu_frame_end(gpu);
      assert_memory_equal(values, cm_gpu_frame_end(other), cm_gpu_counters(gpu)->count * sizeof(uint64_t));
      assert_int_equal(check_sums(config, gpu, values, CM_ORIGIN_PASS), config->attribution.pass);
      assert_int_equal(check_sums(config, gpu, values, CM_ORIGIN_DRAW), config->attribution.draw);
      assert_int_equal(check_sums(config, gpu, values, CM_ORIGIN_RESOURCE), config->attribution.texture);
      assert_int_equal(check_sums(config, gpu, values, CM_ORIGIN_TILE), config->attribution.tile);
   }
   assert_true(cm_gpu_is_complete(gpu));
   cm_gpu_destroy(gpu);
   cm_gpu_destroy(other);
}

static void
set_all(struct cm_config *config, uint32_t on)
{
   config->attribution.pass = config->attribution.draw = on;
   config->attribution.texture = config->attribution.tile = on;
}

/* full: of passes that have what every mode needs. */
static void
check_config(struct cm_config *config, bool full)
{
   struct cm_config *plain = malloc(sizeof *plain);
   set_all(config, 1);
   *plain = *config;
   set_all(plain, 0);
   check_frames(config, plain, full);
   free(plain);
}

static void
check_preset(const char *name, const char *description, void *context)
{
   char error[512];
   struct cm_config *config = cm_config_load(name, getenv("TBRSIM_CONFIG_DIR"), error, sizeof error);
   assert_non_null(config);
   if (cm_config_needs_future(config) == CM_UNIT_DRAM) {
      check_config(config, config->mode == CM_MODE_IMR);
      config->timing = CM_TIMING_ON;
      if (cm_config_validate(config, error, sizeof error)) {
         check_config(config, config->mode == CM_MODE_IMR);
         ++*(unsigned *)context;
      }
   }
   cm_config_destroy(config);
}

TEST(presets)
{
   char error[512];
   unsigned checked = 0;
   assert_true(
      cm_config_list_presets(getenv("TBRSIM_CONFIG_DIR"), check_preset, &checked, error, sizeof error));
   assert_true(checked >= 10 && energies > 100);
}

/* Small caches, so that everything is evicted, and what presets don't have. */
TEST(settings)
{
   static const char *const settings[][8] = {
      {NULL},
      {"caches.l2.size=32768", "caches.tile_cache.size=4096", "caches.tile_cache.write_miss=fetch", NULL},
      {"caches.l2.size=32768", "access_units.victim_buffer.before=l2", "access_units.victim_buffer.entries=8",
       "access_units.victim_buffer.latency=2", "streams.color=l2", NULL},
      {"caches.texture_cache.uncached=texture", "caches.tile_cache.uncached=pb_list", NULL},
      {"caches.vertex_cache.next=dram", "streams.texture=l2", "streams.shader=dram", NULL},
      {"caches.tile_cache.write_miss=validate", "caches.tile_cache.size=4096",
       "caches.vertex_cache.write_miss=validate", "caches.l2.size=32768", NULL},
      {"parameter_buffer.pass_end=write-back", "caches.tile_cache.size=4096", "caches.l2.size=32768",
       "caches.l2.policy=dead-lru", NULL},
      {"parameter_buffer.pass_end=discard", "caches.tile_cache.size=4096", "caches.l2.policy=tcor",
       "parameter_buffer.layout=interleaved", NULL},
      {"streams.texture=dram", "fragment_stage.scheduler=least-work", NULL},
   };
   unsigned timed = 0; /* not all of them have an energy, and so no time */
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      struct cm_config *config = test_config(settings[s]);
      check_config(config, false);
      config->timing = CM_TIMING_ON;
      char error[512];
      if (cm_config_validate(config, error, sizeof error)) {
         check_config(config, false);
         timed++;
      }
      cm_config_destroy(config);
   }
   assert_true(timed >= 4);
   const char *const *const more[] = {test_tcor_settings, test_nuca_settings};
   for (unsigned m = 0; m < 2; m++) {
      struct cm_config *config = test_config(more[m]);
      check_config(config, false);
      cm_config_destroy(config);
   }
   for (unsigned c = 0; c < 2; c++) {
      struct cm_config *config = c ? test_config(test_compression_settings) : test_compression_config(NULL);
      check_config(config, false);
      cm_config_destroy(config);
   }
}

/* Each alone: what is not asked for has no rows, and changes none. */
TEST(parts)
{
   for (unsigned parts = 1; parts < 16; parts++) {
      struct cm_config *config = test_config((const char *const[]){"caches.l2.size=32768", NULL});
      struct cm_config *plain = test_config((const char *const[]){"caches.l2.size=32768", NULL});
      config->attribution.pass = parts & 1;
      config->attribution.draw = parts >> 1 & 1;
      config->attribution.texture = parts >> 2 & 1;
      config->attribution.tile = parts >> 3 & 1;
      check_frames(config, plain, false);
      cm_config_destroy(config);
      cm_config_destroy(plain);
   }
}

/* ---- by hand ----------------------------------------------------------- */

/* Two targets of 32 x 32 pixels of 4 bytes, one of one colour, one of noise. Headers of a row of two superblocks are written together, in
 * bursts of 64 bytes. What compression saves is the difference. */
TEST(compressed_targets)
{
   struct cm_gpu *gpu =
      test_gpu_with(test_compression_settings, (const char *const[]){ALL, "tile.size=32", NULL});
   static const struct {
      uint8_t size;
      uint64_t header, body;
   } targets[] = {{0, 128, 0}, {CM_RAW_SIZE, 128, 4096}};
   for (uint32_t t = 0; t < 2; t++) {
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      define_texture(gpu, 1 + t, 32, 32, 1);
      pass_color(pass, 1 + t, 4);
      pass->touched[0] = true;
      memset(pass_content(pass, 0, 0, 2, 2), targets[t].size, 64);
      pass_run_and_free(pass, gpu);
   }
   cm_gpu_frame_end(gpu);
   struct cm_attributed_rows rows;
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_RESOURCE, &rows));
   uint32_t found = 0;
   for (uint32_t r = 0; r < rows.count; r++) {
      if (!value(gpu, &rows.list[r], "framebuffer_compression.color.raw_bytes"))
         continue;
      assert_int_equal(rows.list[r].number, 1 + found);
      assert_int_equal(value(gpu, &rows.list[r], "framebuffer_compression.color.raw_bytes"), 4096);
      assert_int_equal(value(gpu, &rows.list[r], "framebuffer_compression.color.header_bytes"),
                       targets[found].header);
      assert_int_equal(value(gpu, &rows.list[r], "framebuffer_compression.color.body_bytes"),
                       targets[found].body);
      assert_int_equal(value(gpu, &rows.list[r], "framebuffer_compression.color.solid_superblocks"),
                       found ? 0 : 4);
      assert_int_equal(value(gpu, &rows.list[r], "dram.color.write_bytes"),
                       targets[found].header + targets[found].body);
      found++;
   }
   assert_int_equal(found, 2);
   cm_gpu_destroy(gpu);
}

/* A frame has two passes of 2 x 1 tiles. Each stores its tiles in its own target through an L2 of 1 KiB, which has 16
 * blocks; a tile of 16 x 16 pixels of 4 bytes is 16 blocks. So each tile evicts the one before: of another tile, pass or
 * frame. */
TEST(write_backs)
{
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){ALL, "tile.size=16", "tile.order=scanline", "caches.l2.size=1024",
                                     "caches.l2.ways=16", "caches.l2.policy=lru", "streams.color=l2", NULL});
   define_texture(gpu, 1, 32, 16, 1);
   define_texture(gpu, 2, 32, 16, 1);
   for (uint32_t frame = 0; frame < 2; frame++) {
      for (uint32_t p = 0; p < 2; p++) {
         struct pass_builder *pass = pass_new(frame, 32, 16, 16);
         pass_color(pass, 1 + p, 4);
         pass->touched[0] = pass->touched[1] = true;
         pass_run_and_free(pass, gpu);
      }
      cm_gpu_frame_end(gpu);
   }
   /* Of the second frame: what was written back are the last tile of the first frame, and all but its own last. */
   struct cm_attributed_rows rows;
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_TILE, &rows));
   static const struct {
      uint32_t frames_ago, pass, number;
      uint64_t writes, written_back;
   } expected[] = {
      {1, 1, 2, 0, 16}, {0, 0, 1, 16, 16}, {0, 0, 2, 16, 16}, {0, 1, 1, 16, 16}, {0, 1, 2, 16, 0}};
   uint32_t found = 0;
   for (uint32_t r = 0; r < rows.count; r++) {
      if (!rows.list[r].number) /* of no tile: nothing but the pass itself */
         continue;
      assert_true(found < 5);
      assert_int_equal(rows.list[r].frames_ago, expected[found].frames_ago);
      assert_int_equal(rows.list[r].pass, expected[found].pass);
      assert_int_equal(rows.list[r].number, expected[found].number);
      assert_int_equal(value(gpu, &rows.list[r], "l2.color.writes"), expected[found].writes);
      assert_int_equal(value(gpu, &rows.list[r], "l2.color.writebacks"), expected[found].written_back);
      assert_int_equal(value(gpu, &rows.list[r], "dram.color.write_bytes"),
                       64 * expected[found].written_back);
      found++;
   }
   assert_int_equal(found, 5);

   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_RESOURCE, &rows));
   uint64_t written_back[3] = {0};
   for (uint32_t r = 0; r < rows.count; r++) {
      assert_true(rows.list[r].number <= 2);
      written_back[rows.list[r].number] += value(gpu, &rows.list[r], "l2.color.writebacks");
   }
   assert_int_equal(written_back[0], 0);
   assert_int_equal(written_back[1], 32);
   assert_int_equal(written_back[2], 32);
   cm_gpu_destroy(gpu);
}

/* Two draws, one with a texture, in different tiles: vertices, primitives, quads and texture reads are theirs. */
TEST(draws)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){ALL, "tile.size=16", NULL});
   define_texture(gpu, 1, 32, 16, 1);
   define_texture(gpu, 2, 64, 64, 1);
   define_buffer(gpu, 3, 4096);
   struct pass_builder *pass = pass_new(0, 32, 16, 16);
   pass_color(pass, 1, 4);
   const struct cm_footprint footprint = {.live = 15, .texel = {{0, 0}, {1, 0}, {0, 1}, {1, 1}}};
   for (uint32_t d = 0; d < 2; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->num_elements = 1;
      draw->elements[0] = (struct cm_vertex_element){.buffer = 3, .stride = 64, .bytes = 16};
      draw->num_vertices = 3 + d;
      draw->num_textures = d;
      draw->textures[0].resource = 2;
      pass_primitive(pass, 2, &d, 1);
      pass_shade(pass, d, d, 1 + d, 15);
      if (d)
         pass_footprints(pass, d, 0, &footprint, 1);
   }
   pass_run_and_free(pass, gpu);
   cm_gpu_frame_end(gpu);

   struct cm_attributed_rows rows;
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_DRAW, &rows));
   for (uint32_t r = 0; r < rows.count; r++) {
      const uint64_t number = rows.list[r].number;
      const struct cm_attributed_row *row = &rows.list[r];
      assert_int_equal(value(gpu, row, "vertex_stage.vertices"), number ? 2 + number : 0);
      assert_int_equal(value(gpu, row, "tiling_engine.pmds"), number ? 1 : 0);
      assert_int_equal(value(gpu, row, "tiling_engine.attributes"), number ? 2 : 0);
      assert_int_equal(value(gpu, row, "fragment_stage.quads"), number);
      assert_int_equal(value(gpu, row, "fragment_stage.footprints"), number == 2);
      assert_int_equal(value(gpu, row, "texture_cache.texture.misses"), number == 2 ? 2 : 0);
      assert_int_equal(value(gpu, row, "dram.texture.read_bytes"), number == 2 ? 128 : 0);
      assert_true(number || value(gpu, row, "dram.color.write_bytes") == 2 * 1024);
   }
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_TILE, &rows));
   for (uint32_t r = 0; r < rows.count; r++) {
      const uint64_t number = rows.list[r].number;
      const struct cm_attributed_row *row = &rows.list[r];
      assert_int_equal(value(gpu, row, "tiling_engine.pmds"), number ? 1 : 0);
      assert_int_equal(value(gpu, row, "tiling_engine.tiles"), number ? 1 : 0);
      assert_int_equal(value(gpu, row, "fragment_stage.quads"), number);
      assert_int_equal(value(gpu, row, "dram.color.write_bytes"), number ? 1024 : 0);
      assert_int_equal(value(gpu, row, "dram.texture.read_bytes"), number == 2 ? 128 : 0);
   }
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_RESOURCE, &rows));
   for (uint32_t r = 0; r < rows.count; r++) {
      const uint64_t number = rows.list[r].number;
      const struct cm_attributed_row *row = &rows.list[r];
      assert_int_equal(value(gpu, row, "fragment_stage.footprints"), number == 2);
      assert_int_equal(value(gpu, row, "dram.texture.read_bytes"), number == 2 ? 128 : 0);
      assert_int_equal(value(gpu, row, "dram.color.write_bytes"), number == 1 ? 2048 : 0);
      assert_int_equal(value(gpu, row, "vertex_cache.vertex.reads"), number == 3 ? 7 : 0);
   }
   cm_gpu_destroy(gpu);
}

/* Attributes that TCOR's Attribute Cache discards when the pass ends save their writers' write-backs. */
TEST(saved_write_backs)
{
   struct cm_config *config =
      test_config_of("tcor-64k", (const char *const[]){ALL, "parameter_buffer.pass_end=discard", NULL});
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   struct pass_builder *pass = pass_new(0, 64, 32, 32);
   for (uint32_t d = 0; d < 2; d++) {
      pass_draw(pass);
      pass_primitive(pass, 2 + d, &d, 1);
   }
   pass_run_and_free(pass, gpu);
   cm_gpu_frame_end(gpu);
   struct cm_attributed_rows rows;
   assert_true(cm_gpu_attributed_rows(gpu, CM_ORIGIN_DRAW, &rows));
   for (uint32_t r = 0; r < rows.count; r++) {
      const uint32_t number = rows.list[r].number;
      assert_int_equal(value(gpu, &rows.list[r], "attribute_cache.pb_attribute.writebacks_saved"),
                       number ? 1 + number : 0);
   }
   assert_int_equal(value(gpu, &rows.sum, "attribute_cache.pb_attribute.writebacks_saved"), 5);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

/* ---- files --------------------------------------------------------------- */

/* A pass of one tile, which is left dirty in the L2. */
static void
run_frame(struct cm_gpu *gpu, unsigned frame)
{
   struct pass_builder *pass = pass_new(frame, 16, 16, 16);
   pass_color(pass, 1 + frame % 2, 4);
   pass->touched[0] = true;
   pass_run_and_free(pass, gpu);
   cm_gpu_frame_end(gpu);
}

/* Two displays: a GPU's frames are written; those that the other one draws meanwhile are left out; then its are written. */
TEST(left_out)
{
   char directory[] = "gpu_attribution-XXXXXX", path[64], error[512];
   const char *const settings[] = {"attribution.pass=on", "tile.size=16",     "caches.l2.size=1024",
                                   "caches.l2.ways=16",   "streams.color=l2", NULL};
   struct cm_config *config = test_config(settings);
   struct cm_gpu *gpus[2];
   for (unsigned g = 0; g < 2; g++) {
      gpus[g] = cm_gpu_create(config, error, sizeof error);
      for (uint32_t id = 1; id <= 2; id++)
         define_texture(gpus[g], id, 16, 16, 1);
   }
   assert_non_null(mkdtemp(directory));
   const struct cm_counter_table *table = cm_gpu_counters(gpus[0]);
   struct cm_stats_writer *stats = cm_stats_writer_create(directory, NULL, table, config, NULL, 0);
   struct cm_attribution_writer *writer;
   assert_true(cm_attribution_writer_create(config, table, stats, &writer));
   for (unsigned frame = 0; frame < 4; frame++) {
      for (unsigned g = 0; g < 2; g++) {
         run_frame(gpus[g], frame);
         if (g != frame / 2)
            continue;
         cm_attribution_writer_frame(writer, gpus[g]);
         assert_true(cm_stats_writer_frame(stats, cm_gpu_total(gpus[g])));
      }
   }
   cm_attribution_writer_destroy(writer);
   assert_true(cm_stats_writer_destroy(stats));

   /* Each frame writes back what the one before has left, and overwrites, unread, what the one before that has stored. */
   static const char *const expected[] = {
      "0,0,0,16,16,16,1,1,0,0,,,",       "1,0,0,,,,,,,,,,",
      "1,1,0,16,16,16,1,1,0,0,,,",       "2,-1,0,,,,,,,,,,",
      "2,2,0,16,16,16,1,1,0,0,,1@-2:0,", "3,2,0,,,,,,,,,,",
      "3,3,0,16,16,16,1,1,0,0,,2@-1:0,",
   };
   char line[4096];
   snprintf(path, sizeof path, "%s/passes.csv", directory);
   FILE *file = fopen(path, "re");
   assert_non_null(file);
   assert_non_null(fgets(line, sizeof line, file));
   for (unsigned r = 0; r < sizeof expected / sizeof expected[0]; r++) {
      assert_non_null(fgets(line, sizeof line, file));
      if (strncmp(line, expected[r], strlen(expected[r])))
         fail_msg("row %u is not of %s: %s", r, expected[r], line);
   }
   assert_null(fgets(line, sizeof line, file));
   fclose(file);
   static const char *const names[] = {"passes.csv", "frames.csv", "stats.json"};
   for (unsigned n = 0; n < 3; n++) {
      snprintf(path, sizeof path, "%s/%s", directory, names[n]);
      assert_int_equal(unlink(path), 0);
   }
   assert_int_equal(rmdir(directory), 0);
   for (unsigned g = 0; g < 2; g++)
      cm_gpu_destroy(gpus[g]);
   cm_config_destroy(config);
}
