/* SPDX-License-Identifier: MIT */
/* Shader cores: their pipes against a reference that goes through every cycle; closed forms of the cycles of a tile, each
 * pipe as the one that limits, two at once, threads in flight, warps that are not full, a tile a core. */
#include <stdio.h>
#include <string.h>

#include "events/shader_code.h"
#include "gpu/gpu.h"
#include "support/pass_builder.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "timing/cores/core.h"

/* ---- the reference ----------------------------------------------------------- */

#define WARPS 60

static const struct cm_shader_core_config rates = {
   .warp_threads = 8,
   .threads = 40,
   .issue_threads = 24,
   .fma_threads = 20,
   .cvt_threads = 0,
   .sfu_threads = 3,
   .varying_components = 16,
   .load_store_threads = 5,
   .texels = 2,
   .tile_pixels = 2,
};

struct job {
   struct cm_warp warp;
   uint32_t threads;
   uint64_t arrival;
   uint64_t latency; /* from its last instruction until it gives back its threads */
   /* What becomes of it. */
   uint64_t dispatched, begin, issued, released;
};

static void
make_jobs(struct job *jobs, uint64_t *random)
{
   uint64_t time = 0;
   memset(jobs, 0, WARPS * sizeof *jobs);
   for (uint32_t w = 0; w < WARPS; w++) {
      struct job *job = &jobs[w];
      time += random_below(random, 6);
      job->arrival = time;
      job->threads = 8u << random_below(random, 3);
      job->latency = random_below(random, 40);
      job->warp.units[CM_PIPE_ISSUE] = 1 + random_below(random, 200);
      for (unsigned p = CM_PIPE_FMA; p <= CM_PIPE_LOAD_STORE; p++)
         job->warp.units[p] = random_below(random, 3) ? random_below(random, 60) : 0;
      job->warp.units[CM_PIPE_TEXTURE] = 0;
   }
}

static void
run_recurrences(struct job *jobs)
{
   struct cm_core_pipes core;
   struct cm_core_window window;
   struct cm_pool pool = {0};
   cm_core_pipes_init(&core, &rates);
   cm_core_window_init(&window, rates.threads, rates.warp_threads, &pool);
   uint64_t dispatched = 0;
   for (uint32_t w = 0; w < WARPS; w++) {
      struct job *job = &jobs[w];
      dispatched = cm_core_window_take(&window, job->threads, cm_later(job->arrival, dispatched));
      const struct cm_warp_times times = cm_core_pipes_run(&core, &job->warp, dispatched);
      job->dispatched = dispatched;
      job->begin = times.begin;
      job->issued = times.issued;
      job->released = times.issued + job->latency;
      cm_core_window_put(&window, job->threads, job->released);
   }
   cm_pool_finish(&pool);
}

/* A pipe serves the first warp that is not done, if it may begin, and with what is left of the cycle the next one. */
struct naive_pipe {
   uint32_t next; /* warp */
   uint64_t left; /* of its units; UINT64_MAX: it has not begun */
};

struct naive_warp {
   uint64_t done[CM_PIPE_COUNT]; /* by pipe: when; UINT64_MAX: not yet */
};

static uint64_t
may_begin(const struct job *job, const struct naive_warp *warp, enum cm_pipe pipe)
{
   if (pipe == CM_PIPE_LOAD_STORE || pipe == CM_PIPE_VARYING)
      return job->dispatched;
   return pipe == CM_PIPE_ISSUE ? warp->done[CM_PIPE_VARYING] : job->begin;
}

static void
work_cycle(struct naive_pipe *pipe, enum cm_pipe number, uint32_t rate, struct job *jobs,
           struct naive_warp *warps, uint64_t cycle)
{
   uint64_t room = rate;
   for (; pipe->next < WARPS; pipe->next++, pipe->left = UINT64_MAX) {
      struct job *job = &jobs[pipe->next];
      if (may_begin(job, &warps[pipe->next], number) > cycle)
         return;
      if (pipe->left == UINT64_MAX) {
         pipe->left = rate ? job->warp.units[number] : 0;
         if (!pipe->left) { /* it does not wait for the pipe */
            warps[pipe->next].done[number] = may_begin(job, &warps[pipe->next], number);
            continue;
         }
      }
      if (!room)
         return;
      if (number == CM_PIPE_ISSUE && pipe->left == job->warp.units[number])
         job->begin = cycle;
      const uint64_t now = pipe->left < room ? pipe->left : room;
      pipe->left -= now;
      room -= now;
      if (pipe->left)
         return;
      warps[pipe->next].done[number] = cycle + 1;
   }
}

static bool
is_done(const struct naive_warp *warp, uint64_t *issued)
{
   static const enum cm_pipe pipes[] = {CM_PIPE_ISSUE, CM_PIPE_FMA, CM_PIPE_CVT, CM_PIPE_SFU,
                                        CM_PIPE_LOAD_STORE};
   *issued = 0;
   for (unsigned p = 0; p < sizeof pipes / sizeof pipes[0]; p++) {
      if (warp->done[pipes[p]] == UINT64_MAX)
         return false;
      *issued = cm_later(*issued, warp->done[pipes[p]]);
   }
   return true;
}

/* Varyings before instructions, these before the arithmetic that begins with them. */
static const enum cm_pipe order[] = {CM_PIPE_LOAD_STORE, CM_PIPE_VARYING, CM_PIPE_ISSUE,
                                     CM_PIPE_FMA,        CM_PIPE_CVT,     CM_PIPE_SFU};

static void
run_naively(struct job *jobs)
{
   const uint32_t rate[CM_PIPE_COUNT] = {[CM_PIPE_ISSUE] = rates.issue_threads,
                                         [CM_PIPE_FMA] = rates.fma_threads,
                                         [CM_PIPE_CVT] = rates.cvt_threads,
                                         [CM_PIPE_SFU] = rates.sfu_threads,
                                         [CM_PIPE_VARYING] = rates.varying_components,
                                         [CM_PIPE_LOAD_STORE] = rates.load_store_threads};
   struct naive_pipe pipes[CM_PIPE_COUNT];
   static struct naive_warp warps[WARPS];
   uint32_t dispatched = 0, oldest = 0, used = 0;
   memset(warps, 0xff, sizeof warps);
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      pipes[p] = (struct naive_pipe){.left = UINT64_MAX};
   for (uint32_t w = 0; w < WARPS; w++)
      jobs[w].dispatched = jobs[w].begin = jobs[w].released = UINT64_MAX;
   for (uint64_t cycle = 0; oldest < WARPS; cycle++) {
      assert_true(cycle < 1000000);
      /* Threads are given back in the order in which they were taken. */
      for (; oldest < dispatched && jobs[oldest].released <= cycle; oldest++)
         used -= jobs[oldest].threads;
      for (; dispatched < WARPS && jobs[dispatched].arrival <= cycle &&
             used + jobs[dispatched].threads <= rates.threads;
           dispatched++) {
         used += jobs[dispatched].threads;
         jobs[dispatched].dispatched = cycle;
      }
      for (unsigned p = 0; p < sizeof order / sizeof order[0]; p++)
         work_cycle(&pipes[order[p]], order[p], rate[order[p]], jobs, warps, cycle);
      for (uint32_t w = oldest; w < dispatched; w++) {
         if (jobs[w].released == UINT64_MAX && is_done(&warps[w], &jobs[w].issued))
            jobs[w].released = jobs[w].issued + jobs[w].latency;
      }
   }
}

TEST(pipes)
{
   static struct job jobs[WARPS], naive[WARPS];
   uint64_t random = 7;
   for (unsigned round = 0; round < 300; round++) {
      make_jobs(jobs, &random);
      memcpy(naive, jobs, sizeof jobs);
      run_recurrences(jobs);
      run_naively(naive);
      for (uint32_t w = 0; w < WARPS; w++) {
         assert_int_equal(jobs[w].dispatched, naive[w].dispatched);
         assert_int_equal(jobs[w].begin, naive[w].begin);
         assert_int_equal(jobs[w].issued, naive[w].issued);
         assert_int_equal(jobs[w].released, naive[w].released);
      }
   }
}

/* Latency that threads in flight hide, and that they do not when code has too many registers. */
TEST(latency)
{
   enum { COUNT = 64, INSTRUCTIONS = 10, LATENCY = 200 };
   const struct cm_shader_core_config config = {.warp_threads = 8, .threads = 256, .issue_threads = 8};
   for (uint32_t shared = 1; shared <= 4; shared *= 2) {
      struct cm_core_pipes core;
      struct cm_core_window window;
      struct cm_pool pool = {0};
      const uint32_t threads = cm_core_warp_threads(&config, shared), warps = 32 / shared;
      cm_core_pipes_init(&core, &config);
      cm_core_window_init(&window, config.threads, config.warp_threads, &pool);
      uint64_t end = 0;
      for (uint32_t w = 0; w < COUNT; w++) {
         const struct cm_warp warp = {.units = {[CM_PIPE_ISSUE] = INSTRUCTIONS * 8}};
         const uint64_t dispatched = cm_core_window_take(&window, threads, 0);
         const struct cm_warp_times times = cm_core_pipes_run(&core, &warp, dispatched);
         end = times.issued + LATENCY;
         cm_core_window_put(&window, threads, end);
      }
      /* Warps in flight are warps * INSTRUCTIONS of work: with that much or more than one's own time, all is hidden. */
      const bool hidden = warps * INSTRUCTIONS >= INSTRUCTIONS + LATENCY;
      assert_int_equal(hidden, shared == 1);
      const uint64_t expected =
         hidden ? COUNT * INSTRUCTIONS + LATENCY
                : (COUNT / warps - 1) * (INSTRUCTIONS + LATENCY) + warps * INSTRUCTIONS + LATENCY;
      assert_int_equal(end, expected);
      cm_pool_finish(&pool);
   }
}

/* ---- a GPU ------------------------------------------------------------------- */

enum { TILE_QUADS = 64 }; /* of 16x16 pixels */

/* One whose other units are fast and whose caches miss nothing. */
static const char *const ideal[] = {
   "timing=on",
   "mode=tbr",
   "core=pipes",
   "shader.isa=bifrost",
   "tile.size=16",
   "fragment_stage.scheduler=tile",
   "caches.vertex_cache.policy=perfect",
   "caches.texture_cache.policy=perfect",
   "caches.tile_cache.policy=perfect",
   "caches.instruction_cache.policy=perfect",
   "pipeline.early_z_latency=1",
   "pipeline.fragment_queue=65536",
   "shader_core.warp_threads=8",
   "shader_core.threads=8192",
   "shader_core.issue_threads=1024",
   "shader_core.fma_threads=1024",
   "shader_core.cvt_threads=1024",
   "shader_core.sfu_threads=1024",
   "shader_core.varying_components=1024",
   "shader_core.texels=256",
   "shader_core.load_store_threads=1024",
   "shader_core.tile_pixels=256",
   "shader_core.raster_quads=64",
   "shader_core.depth_quads=64",
   NULL,
};

/* Code that has so many operations of a pipe, and one that is issued. */
static void
define_code(struct cm_gpu *gpu, enum cm_pipe pipe, uint32_t operations, enum cm_pipe other, uint32_t of_other)
{
   struct cm_code_region region = {.operations = {[CM_PIPE_ISSUE] = 1}};
   region.operations[pipe] = operations;
   region.operations[other] = of_other;
   const struct cm_shader_code code = {.stage = CM_SHADER_FRAGMENT,
                                       .shader = 9,
                                       .isa = CM_ISA_BIFROST,
                                       .threads_shared = 1,
                                       .num_regions = 1,
                                       .regions = &region};
   cm_gpu_define_code(gpu, &code);
}

/* Tiles that are covered by so many quads each, of so many draws in turn. */
static uint64_t
cycles_of_tiles(struct cm_gpu *gpu, uint32_t tiles, uint32_t quads, uint32_t draws)
{
   struct pass_builder *pass = pass_new(0, 16 * tiles, 16, 16);
   uint32_t numbers[64];
   pass->pass.kind = CM_PASS_TBR;
   for (uint32_t d = 0; d < draws; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader.id = 9;
      draw->tests.color_write = 1;
      for (uint32_t t = 0; t < tiles; t++)
         numbers[t] = t;
      pass_primitive(pass, 1, numbers, tiles);
   }
   for (uint32_t t = 0; t < tiles; t++) {
      for (uint32_t q = 0; q < quads; q++) {
         const uint32_t d = q * draws / quads;
         const struct cm_quad quad = {
            .primitive = d, .live = 15, .covered = 15, .visible = 15, .written = 15};
         pass_quads(pass, t, d, 0, &quad, 1);
      }
   }
   return cycles_of_pass(gpu, pass);
}

/* How much longer a tile takes with `more` work than with one operation: what is around it is the same. */
static uint64_t
cycles_more(enum cm_pipe pipe, uint32_t operations, enum cm_pipe other, uint32_t of_other,
            const char *const *changes)
{
   struct cm_gpu *gpu = test_gpu_with(ideal, changes);
   define_code(gpu, pipe, 0, pipe, 0);
   const uint64_t before = cycles_of_tiles(gpu, 1, TILE_QUADS, 1);
   gpu = test_gpu_with(ideal, changes);
   define_code(gpu, pipe, operations, other, of_other);
   return cycles_of_tiles(gpu, 1, TILE_QUADS, 1) - before;
}

static void
assert_near(uint64_t found, uint64_t expected, uint64_t slack)
{
   if (found + slack < expected || found > expected + slack)
      fail_msg("%llu cycles instead of %llu", (unsigned long long)found, (unsigned long long)expected);
}

/* Each pipe alone: a tile takes its operations times its threads by the rate, up to what a warp is in other pipes. */
TEST(each_pipe)
{
   const struct {
      enum cm_pipe pipe;
      const char *rate;
      uint32_t operations, threads_a_cycle;
   } pipes[] = {
      {CM_PIPE_ISSUE, "shader_core.issue_threads=16", 100, 16},
      {CM_PIPE_FMA, "shader_core.fma_threads=24", 100, 24},
      {CM_PIPE_CVT, "shader_core.cvt_threads=16", 100, 16},
      {CM_PIPE_SFU, "shader_core.sfu_threads=4", 100, 4},
      {CM_PIPE_VARYING, "shader_core.varying_components=16", 100, 16},
      {CM_PIPE_LOAD_STORE, "shader_core.load_store_threads=2", 100, 2},
   };
   for (unsigned p = 0; p < sizeof pipes / sizeof pipes[0]; p++) {
      const char *const changes[] = {pipes[p].rate, NULL};
      const uint64_t units = TILE_QUADS * 4 * (uint64_t)pipes[p].operations;
      const uint64_t found =
         cycles_more(pipes[p].pipe, pipes[p].operations, pipes[p].pipe, pipes[p].operations, changes);
      /* Warps come a cycle apart. */
      assert_near(found, units / pipes[p].threads_a_cycle, TILE_QUADS / 2 + 2);
   }
}

/* Two pipes at once take as long as the slower one, and the first warp's time in the other. */
TEST(two_pipes)
{
   const char *const changes[] = {"shader_core.fma_threads=16", "shader_core.load_store_threads=4", NULL};
   const uint64_t fma = cycles_more(CM_PIPE_FMA, 100, CM_PIPE_FMA, 100, changes);
   const uint64_t both = cycles_more(CM_PIPE_FMA, 100, CM_PIPE_LOAD_STORE, 20, changes);
   const uint64_t longer = cycles_more(CM_PIPE_FMA, 100, CM_PIPE_LOAD_STORE, 50, changes);
   assert_near(fma, TILE_QUADS * 4 * 100 / 16, TILE_QUADS / 2 + 2);
   assert_near(both, fma, 2);
   assert_near(longer, TILE_QUADS * 4 * 50 / 4, TILE_QUADS / 2 + 2);
}

/* A quad alone costs a warp: draws of a quad each take as long as draws that fill their warps. */
TEST(partial_warps)
{
   static const char *const changes[] = {"shader_core.issue_threads=8", NULL};
   uint64_t cycles[2];
   for (unsigned full = 0; full < 2; full++) {
      struct cm_gpu *gpu = test_gpu_with(ideal, changes);
      define_code(gpu, CM_PIPE_ISSUE, 1000, CM_PIPE_ISSUE, 1000);
      cycles[full] = cycles_of_tiles(gpu, 1, full ? 32 : 16, 16);
   }
   assert_near(cycles[0], cycles[1], 64);
   assert_true(cycles[0] >= 16 * 1000);
}

/* Each core takes a tile of its own. */
TEST(tile_a_core)
{
   uint64_t cycles[3];
   for (unsigned n = 0; n < 3; n++) {
      char processors[64], instances[64];
      snprintf(processors, sizeof processors, "fragment_stage.processors=%u", 1u << n);
      snprintf(instances, sizeof instances, "caches.texture_cache.instances=%u", 1u << n);
      const char *const changes[] = {"shader_core.issue_threads=8", processors, instances, NULL};
      struct cm_gpu *gpu = test_gpu_with(ideal, changes);
      define_code(gpu, CM_PIPE_ISSUE, 1000, CM_PIPE_ISSUE, 1000);
      cycles[n] = cycles_of_tiles(gpu, 8, TILE_QUADS, 1);
   }
   const uint64_t tile = TILE_QUADS * 4 / 8 * 1000;
   assert_near(cycles[0], 8 * tile, tile / 10);
   assert_near(cycles[1], 4 * tile, tile / 10);
   assert_near(cycles[2], 2 * tile, tile / 10);
}

/* ---- texels and pixels --------------------------------------------------------- */

/* What each quad of a tile reads, with one texture instruction, and writes. */
struct quad_access {
   struct cm_resource_description texture;
   uint32_t levels, slices, probes;
   uint8_t attachments; /* a mask */
};

/* A tile full of quads, two of which are a warp. */
static struct pass_builder *
tile_of(const struct quad_access *access)
{
   const uint32_t tile = 0;
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   struct cm_footprint footprints[4];
   uint32_t count = 0;
   for (uint8_t level = 0; level < access->levels; level++) {
      for (uint32_t slice = 0; slice < access->slices; slice++)
         footprints[count++] = (struct cm_footprint){.level = level,
                                                     .layer = slice,
                                                     .live = 15,
                                                     .linear = !access->texture.is_buffer};
   }
   pass->pass.kind = CM_PASS_TBR;
   struct cm_draw *draw = pass_draw(pass);
   draw->fragment_shader.id = 9;
   draw->tests.color_write = access->attachments;
   draw->num_textures = 1;
   draw->textures[0].resource = access->texture.id;
   draw->textures[0].texel_bytes = access->texture.block_bytes;
   pass_primitive(pass, 1, &tile, 1);
   for (uint32_t q = 0; q < TILE_QUADS; q++) {
      pass_shade(pass, 0, 0, 1, 15);
      for (uint32_t probe = 0; probe < access->probes; probe++)
         pass_footprints(pass, 0, 0, footprints, count);
   }
   return pass;
}

/* The cycles of such a tile; *busy: those of a pipe. */
static uint64_t
cycles_of_access(const struct quad_access *access, const char *const *changes, const char *counter,
                 uint64_t *busy)
{
   struct cm_gpu *gpu = test_gpu_with(ideal, changes);
   if (access->texture.id)
      cm_gpu_define_resource(gpu, &access->texture);
   define_code(gpu, CM_PIPE_ISSUE, 1, CM_PIPE_ISSUE, 1);
   pass_run_and_free(tile_of(access), gpu);
   cm_gpu_frame_end(gpu);
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
   *busy = gpu_total(gpu, counter);
   cm_gpu_destroy(gpu);
   return cycles;
}

/* A bilinear sample of narrow texels for each fragment and each level, slice and probe; wide texels take as long as the
 * narrow ones that have as many bytes. */
TEST(texture_pipe)
{
   static const char *const counter = "shader_core.texture.busy_cycles";
   struct cm_resource_description compressed = describe_texture(64, 64, 7, 16), volume, buffer;
   compressed.block_width = compressed.block_height = 4;
   volume = describe_texture(64, 64, 4, 4);
   volume.depth = 8;
   buffer = describe_texture(4096, 1, 1, 8);
   buffer.is_buffer = true;
   const struct {
      struct quad_access access;
      const char *texel_bytes;
      uint32_t samples; /* of a fragment */
   } cases[] = {
      {{describe_texture(64, 64, 7, 4), 1, 1, 1, 1}, "4", 1},
      {{describe_texture(64, 64, 7, 4), 2, 1, 1, 1}, "4", 2}, /* trilinear */
      {{describe_texture(64, 64, 7, 4), 2, 1, 3, 1}, "4", 6}, /* anisotropic */
      {{volume, 1, 2, 1, 1}, "4", 2},                         /* of three dimensions */
      {{volume, 2, 2, 1, 1}, "4", 4},
      {{describe_texture(64, 64, 7, 1), 1, 1, 1, 1}, "4", 1}, /* narrow and wide texels */
      {{describe_texture(64, 64, 7, 6), 1, 1, 1, 1}, "4", 2},
      {{describe_texture(64, 64, 7, 8), 1, 1, 1, 1}, "4", 2},
      {{describe_texture(64, 64, 7, 16), 2, 1, 1, 1}, "4", 8},
      {{describe_texture(64, 64, 7, 16), 1, 1, 1, 1}, "16", 1},
      {{describe_texture(64, 64, 7, 16), 1, 1, 1, 1}, "0", 1}, /* all texels alike */
      {{compressed, 2, 1, 1, 1}, "4", 2},
      {{buffer, 1, 1, 1, 1}, "4", 2},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      for (uint32_t texels = 1; texels <= 2; texels++) {
         char rate[64], bytes[64];
         uint64_t busy;
         struct quad_access without = cases[c].access;
         snprintf(rate, sizeof rate, "shader_core.texels=%u", texels);
         snprintf(bytes, sizeof bytes, "shader_core.texel_bytes=%s", cases[c].texel_bytes);
         const char *const changes[] = {rate, bytes, NULL};
         without.probes = 0;
         const uint64_t before = cycles_of_access(&without, changes, counter, &busy);
         assert_int_equal(busy, 0);
         const uint64_t found = cycles_of_access(&cases[c].access, changes, counter, &busy) - before;
         const uint64_t expected = TILE_QUADS * 4 * cases[c].samples / texels;
         assert_int_equal(busy, expected);
         assert_near(found, expected, TILE_QUADS / 2 + 2);
      }
   }
}

/* All pixels of a quad that writes any, for each attachment. */
TEST(tile_pipe)
{
   static const char *const counter = "shader_core.tile.busy_cycles";
   static const char *const changes[] = {"shader_core.tile_pixels=2", NULL};
   static const uint8_t masks[] = {1, 4, 3, 11};
   uint64_t busy;
   const struct quad_access none = {.attachments = 0};
   const uint64_t before = cycles_of_access(&none, changes, counter, &busy);
   assert_int_equal(busy, 0);
   for (unsigned m = 0; m < sizeof masks; m++) {
      const struct quad_access access = {.attachments = masks[m]};
      const uint64_t expected = TILE_QUADS * 4 * (uint64_t)__builtin_popcount(masks[m]) / 2;
      const uint64_t found = cycles_of_access(&access, changes, counter, &busy) - before;
      assert_int_equal(busy, expected);
      assert_near(found, expected, TILE_QUADS / 2 + 2);
   }
}

/* ---- frames -------------------------------------------------------------------- */

/* The cycles of a stage's states, of so many alike, are all cycles. */
static void
assert_accounted(struct cm_gpu *gpu, const char *stage, uint32_t units)
{
   static const char *const states[] = {"busy", "starved", "blocked", "memory"};
   uint64_t sum = 0;
   for (unsigned state = 0; state < sizeof states / sizeof states[0]; state++) {
      char name[80];
      snprintf(name, sizeof name, "%s.%s_cycles", stage, states[state]);
      sum += gpu_total(gpu, name);
   }
   assert_int_equal(sum, gpu_total(gpu, "gpu.cycles") * units);
}

/* Random frames: all quads come through the cores. */
static void
run_frames(const char *const *variant, bool is_deferred, uint64_t random)
{
   const char *const settings[] = {"timing=on",
                                   variant[0],
                                   variant[1],
                                   "core=pipes",
                                   "fragment_stage.scheduler=tile",
                                   "shader_core.warp_threads=16",
                                   "shader_core.threads=64",
                                   "shader_core.issue_threads=32",
                                   "shader_core.fma_threads=32",
                                   "shader_core.varying_components=16",
                                   "shader_core.texels=4",
                                   "shader_core.texel_bytes=4",
                                   "shader_core.load_store_threads=1",
                                   "shader_core.tile_pixels=2",
                                   "shader_core.raster_quads=1",
                                   "shader_core.depth_quads=1",
                                   "shader_core.primitive_cycles=1",
                                   "shader_core.tile_cycles=10",
                                   "shader_core.tiler_tile_cycles=1",
                                   "shader_core.draw_cycles=5",
                                   "shader_core.pass_cycles=100",
                                   NULL};
   struct cm_gpu *gpu = test_gpu(settings);
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < 20; frame++) {
      for (unsigned passes = 1 + frame % 5; passes > 0; passes--) {
         struct pass_builder *pass = random_pass(&random, frame);
         pass->pass.kind = is_deferred ? CM_PASS_TBDR : CM_PASS_TBR;
         pass_run_and_free(pass, gpu);
      }
      cm_gpu_frame_end(gpu);
      assert_true(cm_gpu_is_complete(gpu));
      assert_int_equal(gpu_total(gpu, "shader_core.quads"), gpu_total(gpu, "fragment_stage.quads"));
      assert_accounted(gpu, "vertex_fetch", 1);
      assert_accounted(gpu, "primitive_assembly", 1);
      assert_accounted(gpu, "polygon_list_builder", 1);
      assert_accounted(gpu, "tile_fetcher", 4);
      assert_accounted(gpu, "rasterizer", 4);
      assert_accounted(gpu, "fragment_processors", 4);
      assert_accounted(gpu, "tile_buffers", 4);
   }
   cm_gpu_destroy(gpu);
}

TEST(frames_of_passes)
{
   static const char *const variants[][2] = {{"mode=tbr", "shader_core.overlap=none"},
                                             {"mode=tbdr", "shader_core.overlap=none"},
                                             {"mode=tbr", "shader_core.overlap=frames"},
                                             {"mode=tbdr", "shader_core.vertices=positions-first"},
                                             {"mode=tbr", "shader_core.vertices=per-tile"},
                                             {"mode=tbdr", "shader_core.vertices=per-tile"},
                                             {"mode=tbr", "parameter_buffer.levels=2"},
                                             {"shader_core.vertices=per-tile", "parameter_buffer.levels=2"}};
   for (unsigned v = 0; v < sizeof variants / sizeof variants[0]; v++)
      run_frames(variants[v], v % 2, 5 + v);
}
