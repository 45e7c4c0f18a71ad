/* SPDX-License-Identifier: MIT */
/* What a GPU counts does not depend on the number of threads: every preset, and settings that divide the work in other ways,
 * with random passes of all kinds. The counters are compared after each frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "memory/future.h"
#include "support/compute_pass.h"
#include "support/full_pass.h"
#include "support/random_pass.h"
#include "support/test.h"

#define FRAMES 6

static const unsigned thread_counts[] = {1, 2, 3, 4, 8};
#define NUM_COUNTS (sizeof thread_counts / sizeof thread_counts[0])

/* A pass of quads that read one of two textures of 256 x 256 texels, and shaders that come, grow and are never run: tiles
 * that shading workers run, and tiles that they don't. near: what a tile reads is close together, at
 * the same place of both, so that most reads are hits until the texture changes; else all over. */
static struct pass_builder *
textured_pass(uint64_t *state, uint32_t frame, uint32_t texture, bool near)
{
   const uint32_t reach = near ? 8 : 250;
   struct pass_builder *builder = pass_new(frame, 256, 256, 32);
   /* A texture that later passes read, too: texture caches have nothing of it then. */
   pass_color(builder, texture + near, 4);
   for (uint32_t d = 0; d < 3; d++) {
      struct cm_draw *draw = pass_draw(builder);
      draw->fragment_shader = (struct cm_shader){.id = 1 + random_below(state, 20),
                                                 .instructions = 40,
                                                 .constant_bytes = 64 * random_below(state, 6)};
      draw->num_textures = 1;
      draw->textures[0] =
         (struct cm_texture_binding){.resource = texture + d % 2, .repeat_s = true, .repeat_t = true};
      random_descriptors(builder, *state + d);
   }
   for (uint32_t tile = 0; tile < 64; tile++) {
      const uint32_t left = random_below(state, 251 - reach), top = random_below(state, 251 - reach);
      uint32_t bound = 0;
      builder->touched[tile] = true;
      for (uint32_t n = random_below(state, 40); n > 0; n--) {
         if (!near || random_below(state, 20) == 0)
            bound = random_below(state, 2);
         pass_shade(builder, tile, bound, 1 + random_below(state, 4), (uint8_t)(1 + random_below(state, 15)));
         struct cm_footprint footprints[4];
         const uint32_t count = random_below(state, 5);
         for (uint32_t f = 0; f < count; f++) {
            footprints[f] = (struct cm_footprint){.quad = (uint8_t)f, .live = 15, .linear = 1};
            const uint32_t x = left + random_below(state, reach), y = top + random_below(state, reach);
            for (unsigned i = 0; i < 4; i++) {
               footprints[f].texel[i].x = (int16_t)(x + (i & 1));
               footprints[f].texel[i].y = (int16_t)(y + (i >> 1));
            }
         }
         if (count)
            pass_footprints(builder, tile, 0, footprints, count);
      }
   }
   return builder;
}

/* Some of its tiles are as in earlier frames. */
static void
add_contents(struct pass_builder *builder, uint64_t *state)
{
   for (uint32_t tile = 0; tile < 64; tile++) {
      uint8_t same[4];
      for (unsigned group = 0; group < 4; group++)
         same[group] = (uint8_t)(random_next(state) | random_next(state));
      pass_same(builder, tile, 0, 2, 2, same);
      pass_same_inputs(builder, tile, random_below(state, 16));
   }
}

/* One that stores: no shading worker runs it. */
static struct pass_builder *
storage_pass(struct cm_storage *storage)
{
   struct pass_builder *builder = compute_pass(4, 4096, storage);
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 64, 12);
   for (uint32_t group = 0; group < 4; group++)
      add_access(builder, group, CM_STORAGE_STORE, 4, offsets, 0xffff);
   return builder;
}

/* Two primitives of most quads of a pass, more than are run together, with one between them. What they read leaves texture caches
 * most of what they have of the attachment. */
static struct pass_builder *
large_pass(uint64_t *state, uint32_t frame)
{
   struct pass_builder *builder = pass_new(frame, 256, 256, 32);
   uint32_t tiles[64];
   pass_color(builder, 21, 4);
   builder->pass.depth = (struct cm_attachment){.resource = 22, .pixel_bytes = 4};
   builder->pass.num_vertex_bindings = 1;
   builder->vertex_bindings[0] = (struct cm_texture_binding){.resource = 20};
   for (uint32_t d = 0; d < 3; d++) {
      struct cm_draw *draw = pass_draw(builder);
      draw->fragment_shader = (struct cm_shader){.id = 40 + d / 2 + frame / 2, .instructions = 20};
      draw->tests = (struct cm_fragment_tests){.color_write = 1,
                                               .depth_test = true,
                                               .depth_write = true,
                                               .hierarchical = true};
      draw->num_textures = 1;
      draw->textures[0] = (struct cm_texture_binding){.resource = 20, .repeat_s = true, .repeat_t = true};
      /* Read between primitives, which run on other threads. */
      draw->num_vertices = frame % 2 ? 100 : 0;
      for (uint32_t vertex = 0; vertex < draw->num_vertices; vertex++)
         pass_vertex_read(builder, vertex, 0, (uint16_t)random_below(state, 250),
                          (uint16_t)random_below(state, 250), vertex % 2);
      for (uint32_t t = 0; t < 64; t++)
         tiles[t] = t;
      pass_primitive(builder, 1, tiles, d == 1 ? 1 : 64);
   }
   for (uint32_t tile = 0; tile < 64; tile++) {
      builder->touched[tile] = true;
      for (uint32_t n = 0; n < 3 * 64; n++) {
         const uint32_t primitive = n / 64, words[2] = {CM_EVENT_SHADE | 4 << 8, primitive};
         struct cm_quad quads[4];
         if (random_below(state, 8) == 0 || (primitive == 1 && (tile || n % 8)))
            continue;
         for (uint8_t q = 0; q < 4; q++) {
            const uint8_t live = (uint8_t)random_below(state, 16);
            quads[q] = (struct cm_quad){.primitive = primitive,
                                        .x = (uint8_t)(n % 8 * 2 + q % 2),
                                        .y = (uint8_t)(n / 8 % 8 * 2 + q / 2),
                                        .covered = 15,
                                        .live = live,
                                        .visible = live,
                                        .written = live};
         }
         pass_words(builder, tile, words, 2);
         pass_words(builder, tile, quads, 4 * CM_QUAD_WORDS);
         struct cm_footprint footprint = {.quad = 1, .live = 15};
         for (unsigned i = 0; i < 4; i++)
            footprint.texel[i].x = footprint.texel[i].y = (int16_t)random_below(state, 8);
         pass_footprints(builder, tile, 0, &footprint, 1);
      }
   }
   return builder;
}

static void
run_frame(struct cm_gpu *gpu, const struct cm_config *config, bool full, uint64_t *state, uint32_t frame)
{
   struct full_model *model = full ? full_model(*state + frame) : NULL;
   struct pass_builder *pass =
      full ? full_pass(model, config->tile.size, *state + frame) : random_pass(state, frame);
   pass->pass.frame = frame;
   pass_run(pass, gpu);
   pass_free(pass);
   if (full) {
      full_model_free(model);
      return;
   }
   if (config->mode == CM_MODE_IMR) {
      pass = large_pass(state, frame);
      pass_run(pass, gpu);
      pass_free(pass);
   }
   for (unsigned near = 0; near < 2; near++) {
      pass = textured_pass(state, frame, 20, near);
      if (config->framebuffer_compression.mode != CM_COMPRESSION_NONE)
         pass_random_contents(pass, 0, state);
      else
         add_contents(pass, state);
      pass_run(pass, gpu);
      pass_free(pass);
   }
   if (frame % 2 && cm_config_has_stream(config, CM_STREAM_STORAGE)) {
      struct cm_storage storage = {0};
      pass = storage_pass(&storage);
      pass_run(pass, gpu);
      pass_free(pass);
   }
}

/* All counters of all frames, in one pass over them. */
static uint64_t *
run_once(const struct cm_config *config, struct cm_futures *futures, bool full, unsigned threads,
         uint32_t *count)
{
   char error[512];
   struct cm_gpu *gpu = cm_gpu_create_with_futures(config, futures, error, sizeof error);
   uint64_t state = 11;
   assert_non_null(gpu);
   assert_true(cm_gpu_set_threads(gpu, threads));
   if (full)
      define_full_resources(gpu);
   else
      define_random_resources(gpu);
   define_texture(gpu, 20, 256, 256, 1);
   define_texture(gpu, 22, 256, 256, 1);
   struct cm_resource_description displayed = describe_texture(256, 256, 1, 4);
   displayed.id = 21;
   displayed.is_displayable = true;
   cm_gpu_define_resource(gpu, &displayed);
   *count = cm_gpu_counters(gpu)->count;
   uint64_t *values = malloc(FRAMES * *count * sizeof *values);
   uint32_t taken = 0;
   for (uint32_t frame = 0; frame <= FRAMES; frame++) {
      if (frame < FRAMES)
         run_frame(gpu, config, full, &state, frame);
      const uint64_t *its = frame < FRAMES ? cm_gpu_frame_end(gpu) : cm_gpu_last_frame(gpu);
      for (; its; its = frame < FRAMES ? cm_gpu_next_frame(gpu) : cm_gpu_last_frame(gpu))
         memcpy(values + taken++ * *count, its, *count * sizeof *values);
   }
   assert_int_equal(taken, FRAMES);
   cm_gpu_destroy(gpu);
   return values;
}

/* The same; where policies need next uses, of the last pass. */
static uint64_t *
run(const struct cm_config *config, bool full, unsigned threads, uint32_t *count)
{
   struct cm_futures *futures = cm_futures_create(config);
   uint64_t *values = NULL;
   assert_non_null(futures);
   for (bool last = false; !last;) {
      char error[512];
      free(values);
      values = run_once(config, futures, full, threads, count);
      last = cm_futures_is_last_pass(futures);
      if (!cm_futures_end_pass(futures, error, sizeof error))
         fail_msg("%s", error);
   }
   cm_futures_destroy(futures);
   return values;
}

/* With each number of threads; with few rounds, with one of them in turn. */
static void
compare(const struct cm_config *config, const char *what, bool full)
{
   static unsigned turn;
   uint32_t count, other;
   uint64_t *expected = run(config, full, 1, &count);
   uint64_t sum = 0;
   for (uint32_t v = 0; v < FRAMES * count; v++)
      sum += expected[v];
   assert_true(sum > 0);
   /* With timing and tiles two of them do as one does. */
   const unsigned first = config->timing == CM_TIMING_ON && config->mode != CM_MODE_IMR ? 2 : 1;
   const unsigned least = first + turn++ % (NUM_COUNTS - first), tried = test_rounds(NUM_COUNTS - 1);
   for (unsigned n = tried > 1 ? 1 : least; n < (tried > 1 ? NUM_COUNTS : least + 1); n++) {
      uint64_t *values = run(config, full, thread_counts[n], &other);
      assert_int_equal(count, other);
      if (memcmp(expected, values, FRAMES * count * sizeof *values))
         fail_msg("%s, %s: %u threads count something else", what, full ? "full passes" : "plain passes",
                  thread_counts[n]);
      free(values);
   }
   free(expected);
}

static void
compare_preset(const char *name, const char *description, void *context)
{
   struct cm_config *config = test_config_of(name, NULL);
   compare(config, name, true);
   if (config->mode != CM_MODE_IMR)
      compare(config, name, false);
   ++*(unsigned *)context;
   cm_config_destroy(config);
}

TEST(presets)
{
   char error[512];
   unsigned count = 0;
   assert_true(cm_config_list_presets(NULL, compare_preset, &count, error, sizeof error));
   assert_true(count > 20);
}

TEST(settings)
{
   static const char *const settings[][4] = {
      {"fragment_stage.scheduler=quad-block"},
      {"fragment_stage.scheduler=sub-tile"},
      {"fragment_stage.scheduler=tile"},
      {"fragment_stage.scheduler=interleaved"},
      {"fragment_stage.scheduler=rows", "fragment_stage.assignment=mirrored"},
      {"fragment_stage.scheduler=columns", "fragment_stage.assignment=mirrored"},
      {"fragment_stage.scheduler=sub-tile", "pipeline.lanes=decoupled", "mode=tbr", "timing=on"},
      {"fragment_stage.scheduler=least-work"},
      {"fragment_stage.processors=3", "caches.texture_cache.instances=2"},
      {"fragment_stage.processors=7", "caches.texture_cache.instances=7"},
      {"caches.texture_cache.policy=random"},
      {"caches.texture_cache.policy=srrip"},
      {"caches.texture_cache.policy=tree-plru"},
      {"caches.texture_cache.policy=nru"},
      {"caches.texture_cache.policy=fifo"},
      {"caches.texture_cache.policy=perfect"},
      {"caches.texture_cache.write_miss=validate"},
      {"caches.texture_cache.next=dram"},
      {"caches.texture_cache.size=512", "caches.texture_cache.ways=1"},
      {"caches.l2.policy=drrip"},
      {"caches.l2.policy=dead-lru"},
      {"caches.l2.policy=dead-lru", "parameter_buffer.buffers=2"},
      {"caches.l2.policy=opt"},
      {"caches.l2.policy=optpt"},
      {"caches.texture_cache.policy=opt", "caches.l2.policy=opt"},
      {"streams.color=l2", "streams.depth=l2"},
      {"streams.shader=l2", "streams.constant=l2"},
      {"streams.shader=dram", "streams.constant=dram"},
      {"streams.shader=texture_cache"},
      {"streams.texture=l2"},
      {"mode=tbr"},
      {"core=pipes", "shader_core.vertices=per-tile", "vertex_stage.reuse_entries=16"},
      {"transaction_elimination.signature_bytes=8", "transaction_elimination.lines=2", "frame.buffers=2"},
      {"timing=on"},
      {"timing=on", "mode=tbr"},
      {"timing=on", "caches.texture_cache.policy=drrip"},
      {"timing=on", "caches.texture_cache.policy=opt", "caches.l2.policy=opt"},
      {"timing=on", "texture_access.design=wide-bus", "texture_access.access_energy=1"},
      {"texture_access.design=wide-bus", "texture_access.access_energy=1", "texture_access.miss=access"},
      {"timing=on", "caches.texture_cache.next=dram"},
      {"timing=on", "streams.shader=dram", "streams.constant=dram"},
      {"attribution.pass=on", "attribution.draw=on", "attribution.texture=on", "attribution.tile=on"},
      {"access_units.victim_buffer.entries=16", "access_units.victim_buffer.before=l2",
       "access_units.victim_buffer.latency=2"},
   };
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      const char *list[5] = {NULL};
      memcpy(list, settings[s], sizeof settings[s]);
      struct cm_config *config = test_config(list);
      compare(config, settings[s][0], false);
      compare(config, settings[s][0], true);
      cm_config_destroy(config);
   }
}

/* What is requested of a NUCA is served by another thread than the one that runs the quads. */
TEST(nuca)
{
   static const char *const settings[][5] = {
      {"caches.texture_cache.policy=dead-lru"}, /* which workers do not serve */
      {"nuca.requests=footprint"},
      {"nuca.requests=texel", "timing=on"},
      {"nuca.remote_copies=all", "nuca.remote_hits=keep"},
      {"nuca.remote_copies=misses", "timing=on"},
      {"nuca.affinity_table.epoch_accesses=50", "nuca.affinity_table.counted=local-misses"},
      {"nuca.organisation=dtm-nuca-distributed", "nuca.affinity_table.epoch_accesses=50", "timing=on"},
      {"nuca.organisation=d-nuca", "nuca.migration=last-requester", "timing=on"},
      {"nuca.organisation=private", "caches.texture_cache.policy=srrip", "timing=on"},
      {"nuca.organisation=s-nuca", "caches.texture_cache.policy=random"},
      {"nuca.mesh.l2=center", "caches.texture_cache.size=1024", "timing=on"},
      {"fragment_stage.scheduler=quad-block", "mode=tbr", "timing=on"},
      {"mode=imr", "streams.hiz=dram", "streams.display=dram", "fragment_stage.scheduler=quad-block",
       "texture_bus.bytes_per_cycle=0"},
      {"attribution.texture=on"},
   };
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      const char *list[6] = {NULL};
      memcpy(list, settings[s], sizeof settings[s]);
      struct cm_config *config = test_config_of("nuca-dtm", list);
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      assert_non_null(gpu);
      assert_int_equal(cm_gpu_shades_on_threads(gpu, CM_TIMED_THREADS), s && !cm_gpu_serial_reason(gpu));
      cm_gpu_destroy(gpu);
      compare(config, settings[s][0], false);
      compare(config, settings[s][0], true);
      cm_config_destroy(config);
   }
}

/* Primitives on several threads, and settings with which they cannot be. */
TEST(immediate)
{
   static const char *const settings[][4] = {
      {"timing=off"},
      {"timing=on"},
      {"fragment_stage.scheduler=round-robin"},
      {"fragment_stage.scheduler=least-work"},
      {"immediate.clears=fast"},
      {"timing=on", "immediate.clears=fast"},
      {"immediate.hiz_region=4x4", "immediate.depth_reads=undecided", "timing=on"},
      {"immediate.pixel_writes=partial", "immediate.render_caches=kept"},
      {"immediate.render_caches=kept", "timing=on"},
      {"streams.color=llc", "streams.display=llc", "timing=on"},
      {"streams.depth=dram", "streams.hiz=dram", "streams.shader=dram", "timing=on"},
      {"caches.color_cache.instances=3"},
      {"caches.llc.policy=drrip"},
      {"caches.color_cache.policy=opt", "caches.llc.policy=opt"},
      {"attribution.draw=on"},
   };
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      const char *list[5] = {NULL};
      memcpy(list, settings[s], sizeof settings[s]);
      struct cm_config *config = test_config_of("imr-8m", list);
      compare(config, settings[s][0], false);
      compare(config, settings[s][0], true);
      cm_config_destroy(config);
   }
}

/* Texture caches make blocks of headers and bodies, on another thread than the one that stores them. */
TEST(compression)
{
   static const char *const settings[][4] = {
      {"framebuffer_compression.superblock_width=32", "framebuffer_compression.superblock_height=8"},
      {"streams.color=l2", "framebuffer_compression.burst=16", "texture.placement=morton-4k"},
      {"caches.texture_cache.next=dram"},
      {"timing=on"},
      {"timing=on", "caches.texture_cache.next=dram"},
   };
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      const char *list[32] = {NULL};
      unsigned count = 0;
      for (const char *const *setting = test_compression_settings; *setting; setting++)
         list[count++] = *setting;
      memcpy(list + count, settings[s], sizeof settings[s]);
      struct cm_config *config = test_config(list);
      compare(config, settings[s][0], false);
      cm_config_destroy(config);
   }
   struct cm_config *config =
      test_compression_config((const char *const[]){"caches.texture_header_cache.instances=4", NULL});
   compare(config, "caches of headers", false);
   cm_config_destroy(config);
}

static void
ignore(void *context, const cm_entry *entries, uint32_t count)
{
}

/* Whether primitives are. */
TEST(immediate_shades)
{
   static const struct {
      const char *setting;
      bool shades;
   } cases[] = {
      {"timing=off", true},
      {"timing=on", true},
      {"fragment_stage.scheduler=round-robin", false},
      {"immediate.clears=fast", false},
      {"attribution.draw=on", false},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct cm_config *config = test_config_of("imr-8m", (const char *const[]){cases[c].setting, NULL});
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      assert_non_null(gpu);
      assert_false(cm_gpu_shades_on_threads(gpu, 1));
      assert_int_equal(cm_gpu_shades_on_threads(gpu, 2), cases[c].shades);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}

/* Where the number of threads changes nothing, the GPU says why. */
TEST(serial_reason)
{
   static const struct {
      const char *settings[4], *reason;
      bool shades, is_read;
   } cases[] = {
      {{NULL}, NULL, true, false},
      {{"mode=tbr"}, NULL, true, false},
      {{"streams.texture=l2"}, NULL, false, false},
      {{"caches.texture_cache.policy=srrip"}, NULL, true, false},
      {{"caches.texture_cache.policy=dead-lru"}, NULL, false, false},
      {{"texture_access.design=wide-bus", "texture_access.access_energy=1"}, NULL, true, false},
      {{"texture_access.design=wide-bus", "texture_access.access_energy=1", "texture_access.miss=access"},
       NULL,
       false,
       false},
      {{"timing=on"}, NULL, true, false},
      {{"timing=on", "caches.texture_cache.policy=srrip"}, NULL, true, false},
      {{"timing=on", "caches.texture_cache.policy=dead-lru"}, NULL, false, false},
      {{"timing=on", "attribution.tile=on"}, "counts are attributed (attribution.*)", false, false},
      {{"attribution.draw=on"}, "counts are attributed (attribution.*)", false, false},
      {{"access_units.victim_buffer.entries=16", "access_units.victim_buffer.before=l2",
        "access_units.victim_buffer.latency=2"},
       "there is a unit on its access stream (access_units.*)",
       false,
       false},
      {{NULL}, "its access stream is read", true, true},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      const char *list[5] = {NULL};
      char error[512];
      memcpy(list, cases[c].settings, sizeof cases[c].settings);
      struct cm_config *config = test_config(list);
      struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
      struct cm_work_time times[CM_MAX_WORK_TIMES];
      assert_non_null(gpu);
      assert_false(cm_gpu_shades_on_threads(gpu, 1));
      assert_int_equal(cm_gpu_shades_on_threads(gpu, CM_TIMED_THREADS), cases[c].shades);
      if (config->timing == CM_TIMING_ON)
         assert_false(cm_gpu_shades_on_threads(gpu, CM_TIMED_THREADS - 1));
      if (cases[c].is_read)
         assert_true(cm_gpu_add_reader(gpu, &(struct cm_access_reader){.read = ignore}));
      assert_true(cm_gpu_set_threads(gpu, CM_TIMED_THREADS));
      const char *reason = cm_gpu_serial_reason(gpu);
      if (cases[c].reason)
         assert_string_equal(reason, cases[c].reason);
      else
         assert_null(reason);
      const unsigned parts = cm_gpu_work_times(gpu, times);
      bool has_workers = false;
      for (unsigned p = 0; p < parts; p++)
         has_workers |= strcmp(times[p].name, "shading") == 0;
      assert_int_equal(parts == 1, cases[c].reason && config->timing == CM_TIMING_OFF);
      if (cases[c].reason || config->timing == CM_TIMING_ON)
         assert_int_equal(has_workers, cases[c].shades && !cases[c].reason);
      cm_gpu_destroy(gpu);
      cm_config_destroy(config);
   }
}
