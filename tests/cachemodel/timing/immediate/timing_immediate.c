/* SPDX-License-Identifier: MIT */
/* The cycles of the immediate-mode pipeline: in closed form with each stage as the one that limits, in turn; a single
 * block's latency; a stream of misses, which memory limits. On random passes: what stages do in their cycles are all
 * cycles, queues hold no more than they can, slower parts make nothing faster, and time changes no other counter. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/full_pass.h"
#include "support/test.h"

enum { COLOR = 1, OTHER_COLOR, DEPTH, TEXTURE, BUFFER };

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

/* A GPU of the preset with time, and changes. */
static struct cm_gpu *
timed_gpu(const char *const *first, const char *const *changes)
{
   const char *settings[40] = {"timing=on"};
   unsigned count = 1;
   for (; *first; first++)
      settings[count++] = *first;
   for (; *changes; changes++)
      settings[count++] = *changes;
   struct cm_config *config = test_config_of("imr-8m", settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   return gpu;
}

static const char *const no_misses[] = {
   "caches.vertex_cache.policy=perfect",  "caches.hiz_cache.policy=perfect",
   "caches.depth_cache.policy=perfect",   "caches.color_cache.policy=perfect",
   "caches.index_cache.policy=perfect",   "caches.instruction_cache.policy=perfect",
   "caches.texture_cache.policy=perfect", NULL,
};

#define ONE_PROCESSOR \
   "fragment_stage.processors=1", "caches.texture_cache.instances=1", "caches.texture_cache_l2.instances=1"

/* ---- closed forms ------------------------------------------------------ */

/* So many vertices; primitives, each of so many regions of a quad, or of one block of so many quads, of which each
 * reads so many footprints. */
struct load {
   uint32_t vertices, primitives, hidden_regions;
   uint32_t quads, instructions, footprints;
   struct cm_fragment_tests tests;
};

static void
add_primitive(struct pass_builder *pass, const struct load *load, uint32_t p)
{
   static const uint32_t tile = 0;
   pass_primitive(pass, 1, &tile, 1);
   for (uint32_t r = 0; r < load->hidden_regions; r++) {
      const struct cm_quad quad = {.primitive = p,
                                   .x = (uint8_t)(r % 8 * 4),
                                   .y = (uint8_t)(r / 8 * 4),
                                   .covered = 15};
      const uint32_t words[2] = {CM_EVENT_UNSHADED | 1 << 8 | CM_UNSHADED_HIDDEN, 0};
      pass_words(pass, 0, words, 2);
      pass_words(pass, 0, &quad, CM_QUAD_WORDS);
   }
   if (!load->quads)
      return;
   struct cm_quad quads[4];
   struct cm_footprint footprints[16] = {0};
   for (uint32_t q = 0; q < load->quads; q++) {
      quads[q] = (struct cm_quad){.primitive = p,
                                  .x = q % 2,
                                  .y = (uint8_t)(q / 2),
                                  .covered = 15,
                                  .live = 15,
                                  .visible = 15,
                                  .written = 15};
      for (uint32_t f = 0; f < load->footprints; f++)
         footprints[q * load->footprints + f] = (struct cm_footprint){.quad = (uint8_t)q, .live = 15};
   }
   pass_quads(pass, 0, 0, 0, quads, load->quads);
   if (load->footprints)
      pass_footprints(pass, 0, 0, footprints, load->quads * load->footprints);
}

static uint64_t
cycles_of(const struct load *load, const char *const *changes)
{
   struct cm_gpu *gpu = timed_gpu(no_misses, changes);
   struct cm_resource_description image = describe_texture(64, 64, 1, 4);
   for (uint32_t id = COLOR; id <= TEXTURE; id++) {
      image.id = id;
      cm_gpu_define_resource(gpu, &image);
   }
   struct pass_builder *pass = pass_new(0, 64, 64, 64);
   pass->pass.kind = CM_PASS_FULL;
   pass_color(pass, COLOR, 4);
   pass_color(pass, OTHER_COLOR, 4);
   pass->pass.depth = (struct cm_attachment){.resource = DEPTH, .pixel_bytes = 4};
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = load->vertices;
   draw->fragment_shader.instructions = load->instructions;
   draw->tests = load->tests;
   draw->num_textures = 1;
   draw->textures[0].resource = TEXTURE;
   for (uint32_t p = 0; p < load->primitives; p++)
      add_primitive(pass, load, p);
   return cycles_of_pass(gpu, pass);
}

/* How many cycles 400 primitives more take than 400. */
static uint64_t
cycles_of_400(struct load load, const char *const *changes)
{
   load.primitives = 400;
   const uint64_t fewer = cycles_of(&load, changes);
   load.primitives = 800;
   return cycles_of(&load, changes) - fewer;
}

TEST(each_stage_limits)
{
   const struct cm_fragment_tests depth = {.depth_test = true, .depth_write = true};
   /* The fetch: a vertex a cycle, without attributes. */
   struct load load = {.vertices = 400, .primitives = 1};
   const uint64_t fewer = cycles_of(&load, SETTINGS());
   load.vertices = 800;
   assert_int_equal(cycles_of(&load, SETTINGS()) - fewer, 400);
   /* Primitive Assembly. */
   load = (struct load){.quads = 1, .instructions = 1};
   assert_int_equal(cycles_of_400(load, SETTINGS("immediate_pipeline.setup_cycles=7")), 400 * 7);
   /* HiZ: a region a cycle, all of them hidden. */
   load = (struct load){.hidden_regions = 16};
   assert_int_equal(cycles_of_400(load, SETTINGS()), 400 * 16);
   /* The Rasterizer. */
   load = (struct load){.quads = 1, .instructions = 1};
   assert_int_equal(cycles_of_400(load, SETTINGS("immediate_pipeline.rasterizer_cycles=9")), 400 * 9);
   /* The early tests: a block at a time, for as long as the cache takes; two at once. */
   load.tests = depth;
   assert_int_equal(cycles_of_400(load, SETTINGS("caches.depth_cache.latency=20",
                                                 "immediate_pipeline.depth_queue=1")),
                    400 * 20);
   assert_int_equal(cycles_of_400(load, SETTINGS("caches.depth_cache.latency=20",
                                                 "immediate_pipeline.depth_queue=2")),
                    400 * 10);
   /* A Fragment Processor: 4 * 52 instructions per block, 16 a cycle; one context: one per cycle. */
   load = (struct load){.quads = 4, .instructions = 52};
   assert_int_equal(cycles_of_400(load, SETTINGS(ONE_PROCESSOR)), 400 * 13);
   assert_int_equal(cycles_of_400(load, SETTINGS(ONE_PROCESSOR, "immediate_pipeline.fragment_contexts=1")),
                    400 * 208);
   /* Less than a cycle per block: two quads of three instructions, 6 of 4 a cycle. */
   load = (struct load){.quads = 2, .instructions = 3};
   assert_int_equal(cycles_of_400(load, SETTINGS(ONE_PROCESSOR, "immediate_pipeline.issue_width=4")), 600);
   /* Its sampler. */
   load = (struct load){.quads = 4, .instructions = 1, .footprints = 2};
   assert_int_equal(cycles_of_400(load, SETTINGS(ONE_PROCESSOR, "immediate_pipeline.sampler_cycles=5")),
                    400 * 40);
   /* The Blending Unit: two attachments through one cache; reads next to writes. */
   load = (struct load){.quads = 4, .instructions = 1, .tests = {.color_write = 3}};
   assert_int_equal(cycles_of_400(load, SETTINGS()), 400 * 2);
   load.tests.color_read = 3;
   assert_int_equal(cycles_of_400(load, SETTINGS()), 400 * 2);
   assert_int_equal(cycles_of_400(load, SETTINGS("caches.color_cache.latency=30",
                                                 "immediate_pipeline.color_reads=1")),
                    400 * 31);
}

/* Two processors of one context: a block of the first, so many of the second, and one more of the first, which has
 * waited for none of the second's. */
static uint64_t
cycles_of_uneven_load(uint32_t blocks)
{
   struct cm_gpu *gpu =
      timed_gpu(no_misses,
                SETTINGS("fragment_stage.processors=2", "caches.texture_cache.instances=2",
                         "caches.texture_cache_l2.instances=1", "immediate_pipeline.fragment_contexts=1",
                         "immediate_pipeline.color_queue=12", "immediate_pipeline.color_reads=2"));
   struct cm_resource_description image = describe_texture(64, 64, 1, 4);
   image.id = COLOR;
   cm_gpu_define_resource(gpu, &image);
   struct pass_builder *pass = pass_new(0, 64, 64, 64);
   pass->pass.kind = CM_PASS_FULL;
   pass_color(pass, COLOR, 4);
   pass_draw(pass)->fragment_shader.instructions = 500;
   static const uint32_t tile = 0;
   for (uint32_t b = 0; b < blocks + 2; b++) {
      struct cm_quad quad = {.primitive = b,
                             .x = b && b <= blocks ? 2 : 0,
                             .covered = 15,
                             .live = 15,
                             .visible = 15,
                             .written = 15};
      pass_primitive(pass, 1, &tile, 1);
      pass_quads(pass, 0, 0, 0, &quad, 1);
   }
   return cycles_of_pass(gpu, pass);
}

TEST(uneven_load)
{
   uint64_t fewer = cycles_of_uneven_load(2);
   for (uint32_t blocks = 3; blocks < 40; blocks++) {
      const uint64_t cycles = cycles_of_uneven_load(blocks);
      assert_int_equal(cycles - fewer, 500);
      fewer = cycles;
   }
}

/* One block: HiZ, rasterised and tested in a cycle, its instructions one per cycle, blending. */
TEST(latency_of_one_block)
{
   const struct load none = {.primitives = 1};
   struct load one = {.primitives = 1, .quads = 1, .instructions = 10};
   assert_int_equal(cycles_of(&one, SETTINGS()) - cycles_of(&none, SETTINGS()), 1 + 10 + 1);
   one.tests = (struct cm_fragment_tests){.depth_test = true, .color_write = 1, .color_read = 1};
   const char *const *slow = SETTINGS("caches.depth_cache.latency=20", "caches.color_cache.latency=30");
   assert_int_equal(cycles_of(&one, slow) - cycles_of(&none, slow), 20 + 10 + 30);
   /* Three footprints: they begin with every second or third instruction, the last one after six; four follow its
    * data. */
   one.footprints = 3;
   const char *const *textures = SETTINGS("caches.texture_cache.latency=50", "caches.depth_cache.latency=20",
                                          "caches.color_cache.latency=30");
   assert_int_equal(cycles_of(&one, textures) - cycles_of(&none, textures), 20 + 6 + 1 + 50 + 4 + 30);
}

/* Passes that are the same, and hit whatever they access, take the same time, with as many vertices waiting. */
TEST(passes_alike)
{
   struct cm_gpu *gpu = timed_gpu(no_misses, SETTINGS("immediate_pipeline.vertex_queue=16",
                                                      "immediate_pipeline.issue_width=1"));
   struct cm_resource_description image = describe_texture(64, 64, 1, 4);
   image.id = COLOR;
   cm_gpu_define_resource(gpu, &image);
   uint64_t cycles[3], waited[3];
   for (uint32_t p = 0; p < 3; p++) {
      const uint64_t cycles_before = p ? gpu_total(gpu, "gpu.cycles") : 0;
      const uint64_t waited_before = p ? gpu_total(gpu, "queue.vertex.cycles") : 0;
      struct pass_builder *pass = pass_new(p, 64, 64, 64);
      pass->pass.kind = CM_PASS_FULL;
      pass_color(pass, COLOR, 4);
      struct cm_draw *draw = pass_draw(pass);
      draw->num_vertices = 101;
      draw->vertex_shader.instructions = 400;
      add_primitive(pass, &(struct load){.primitives = 1}, 0);
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
      cycles[p] = gpu_total(gpu, "gpu.cycles") - cycles_before;
      waited[p] = gpu_total(gpu, "queue.vertex.cycles") - waited_before;
   }
   for (uint32_t p = 1; p < 3; p++) {
      assert_int_equal(cycles[p], cycles[0]);
      assert_int_equal(waited[p], waited[0]);
   }
   cm_gpu_destroy(gpu);
}

/* 4,096 blocks of vertices, one after another: two channels of 8 bytes, 25.6 GB/s, are a block in 4 cycles. */
TEST(memory_limits)
{
   uint64_t cycles[2];
   for (unsigned half = 0; half < 2; half++) {
      struct cm_gpu *gpu = timed_gpu(SETTINGS(), half ? SETTINGS("dram_system.channels=1") : SETTINGS());
      struct pass_builder *pass = pass_new(0, 32, 32, 32);
      define_buffer(gpu, BUFFER, 4096 * 64);
      pass->pass.kind = CM_PASS_FULL;
      struct cm_draw *draw = pass_draw(pass);
      draw->num_vertices = 4096;
      draw->num_elements = 1;
      draw->elements[0] = (struct cm_vertex_element){.buffer = BUFFER, .stride = 64, .bytes = 64};
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
      cycles[half] = gpu_total(gpu, "gpu.cycles");
      assert_int_equal(gpu_total(gpu, "dram_system.reads"), 4096);
      cm_gpu_destroy(gpu);
   }
   assert_in_range(cycles[0], 4096 * 4, 4096 * 4 * 115 / 100);
   assert_in_range(cycles[1], 4096 * 8, 4096 * 8 * 115 / 100);
}

/* A block that two processors read: the first one's miss is far away, and the second one waits for it, too, though its
 * cache finds it in the third level; then half of its 200 instructions are left. */
TEST(outstanding_miss)
{
   uint64_t cycles[2];
   for (unsigned both = 0; both < 2; both++) {
      static const uint32_t tile = 0;
      struct cm_gpu *gpu = timed_gpu(SETTINGS(), SETTINGS("dram_system.controller_latency=800"));
      struct pass_builder *pass = pass_new(0, 64, 64, 64);
      define_texture(gpu, TEXTURE, 64, 64, 1);
      pass->pass.kind = CM_PASS_FULL;
      for (uint8_t d = 0; d < 2; d++) {
         struct cm_draw *draw = pass_draw(pass);
         draw->fragment_shader.instructions = d ? 200 : 2;
         draw->num_textures = 1;
         draw->textures[0].resource = TEXTURE;
         pass_primitive(pass, 1, &tile, 1);
         const struct cm_quad quad = {
            .primitive = d, .x = 2 * d, .covered = 15, .live = 15, .visible = 15, .written = 15};
         const struct cm_footprint read = {.live = 15};
         pass_quads(pass, 0, d, 0, &quad, 1);
         if (!d || both)
            pass_footprints(pass, 0, 0, &read, 1);
      }
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
      cycles[both] = gpu_total(gpu, "gpu.cycles");
      assert_int_equal(gpu_total(gpu, "dram.total.reads"), 1);
      assert_int_equal(gpu_total(gpu, "texture_cache_l3.total.hits"), both);
      cm_gpu_destroy(gpu);
   }
   assert_true(cycles[0] > 1600);
   /* Without, it is the first one that has an instruction left, and the second one is blended after it. */
   assert_int_equal(cycles[1] - cycles[0], 100 - 1 - 1);
}

/* ---- random passes ----------------------------------------------------- */

static const char *const no_first[] = {NULL};

static struct cm_gpu *
run_frames(const char *const *changes, unsigned frames)
{
   struct cm_gpu *gpu = timed_gpu(no_first, changes);
   define_full_resources(gpu);
   for (uint32_t frame = 0; frame < frames; frame++) {
      for (unsigned number = 0; number <= frame % 3; number++) {
         struct full_model *model = full_model(frame * 4 + number + 1);
         struct pass_builder *pass = full_pass(model, 16, frame);
         pass->pass.frame = frame;
         pass_run(pass, gpu);
         pass_free(pass);
         full_model_free(model);
      }
      cm_gpu_frame_end(gpu);
      assert_true(cm_gpu_is_complete(gpu));
   }
   return gpu;
}

static const char *const *const random_settings[] = {
   SETTINGS("timing=on"),
   SETTINGS("timing=on", "caches.llc.size=65536", "caches.color_cache.size=1536",
            "caches.depth_cache.size=2048", "caches.texture_cache_l3.size=12288", "llc.policy=lru"),
   SETTINGS("timing=on", "immediate_pipeline.vertex_queue=1", "immediate_pipeline.triangle_queue=1",
            "immediate_pipeline.hiz_queue=1", "immediate_pipeline.depth_queue=1",
            "immediate_pipeline.fragment_contexts=1", "immediate_pipeline.texture_mshrs=1",
            "immediate_pipeline.color_queue=1", "immediate_pipeline.color_reads=1",
            "immediate_pipeline.llc_mshrs=1", "immediate_pipeline.llc_writes=1",
            "immediate_pipeline.issue_width=1", "immediate_pipeline.llc_clock_mhz=900"),
   SETTINGS("timing=on", "llc.uncached_display=true", "streams.vertex=dram", "streams.depth=dram",
            "streams.shader=llc", "caches.texture_cache.next=dram", "streams.color=dram"),
   SETTINGS("timing=on", "streams.depth=llc", "streams.color=llc", "streams.hiz=llc", "caches.llc.size=65536",
            "llc.policy=lru", "caches.texture_cache.next=llc", "fragment_stage.processors=3",
            "caches.texture_cache.instances=3", "caches.texture_cache_l2.instances=3"),
};
#define NUM_SETTINGS (sizeof random_settings / sizeof random_settings[0])

TEST(states_sum_up)
{
   static const char *const stages[] = {"vertex_fetch", "primitive_assembly",  "hierarchical_z", "rasterizer",
                                        "early_z",      "fragment_processors", "blending_unit"};
   static const char *const states[] = {"busy", "starved", "blocked", "memory"};
   static const struct {
      const char *queue, *size;
   } queues[] = {{"vertex", "vertex_queue"},
                 {"triangle", "triangle_queue"},
                 {"hiz", "hiz_queue"},
                 {"depth", "depth_queue"},
                 {"color_read", "color_reads"}};
   for (unsigned s = 0; s < NUM_SETTINGS; s++) {
      struct cm_gpu *gpu = run_frames(random_settings[s], 6);
      const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
      assert_true(cycles > 0);
      char name[80];
      for (unsigned stage = 0; stage < 7; stage++) {
         uint64_t sum = 0;
         for (unsigned state = 0; state < 4; state++) {
            snprintf(name, sizeof name, "%s.%s_cycles", stages[stage], states[state]);
            sum += gpu_total(gpu, name);
         }
         assert_int_equal(sum, cycles * (stage == 5 ? s == 4 ? 3 : 12 : 1));
      }
      /* Little: what is in a queue, on average, is no more than its size, and all that comes in goes out. */
      for (unsigned q = 0; q < 5; q++) {
         const uint32_t sizes[] = {256, 64, 64, 128, 128};
         snprintf(name, sizeof name, "queue.%s.cycles", queues[q].queue);
         assert_true(gpu_total(gpu, name) <= cycles * (s == 2 ? 1 : sizes[q]));
      }
      assert_int_equal(gpu_total(gpu, "queue.triangle.items"), gpu_total(gpu, "rasterizer.primitives"));
      assert_int_equal(gpu_total(gpu, "queue.vertex.items"), gpu_total(gpu, "vertex_stage.vertices"));
      assert_int_equal(gpu_total(gpu, "queue.color.items"), gpu_total(gpu, "queue.color_read.items"));
      assert_int_equal(gpu_total(gpu, "dram_system.reads"), gpu_total(gpu, "dram.total.reads"));
      assert_int_equal(gpu_total(gpu, "dram_system.writes"), gpu_total(gpu, "dram.total.writes"));
      cm_gpu_destroy(gpu);
   }
}

TEST(counts_are_the_same)
{
   for (unsigned s = 0; s < NUM_SETTINGS; s++) {
      const char *settings[24];
      unsigned count = 0;
      while ((settings[count] = random_settings[s][count]))
         count++;
      struct cm_gpu *on = run_frames(settings, 4), *again = run_frames(settings, 4);
      settings[0] = "timing=off";
      struct cm_gpu *off = run_frames(settings, 4);
      const struct cm_counter_table *table = cm_gpu_counters(off), *larger = cm_gpu_counters(on);
      assert_true(larger->count > table->count);
      const uint64_t *values = cm_gpu_total(off), *timed = cm_gpu_total(on);
      for (uint32_t c = 0; c < table->count; c++) {
         assert_string_equal(table->counters[c].name, larger->counters[c].name);
         assert_int_equal(values[c], timed[c]);
      }
      assert_memory_equal(timed, cm_gpu_total(again), larger->count * sizeof *timed);
      cm_gpu_destroy(on);
      cm_gpu_destroy(again);
      cm_gpu_destroy(off);
   }
}

/* Slower parts. What DRAM does in another order may gain a little; but no more than that. */
TEST(nothing_gets_faster)
{
   static const char *const slower[] = {
      "caches.llc.latency=60",
      "caches.depth_cache.latency=40",
      "caches.texture_cache.latency=40",
      "caches.texture_cache_l3.latency=60",
      "dram_system.controller_latency=300",
      "dram_system.timing.CL=30",
      "dram_system.channels=1",
      "dram_system.page_policy=closed",
      "immediate_pipeline.llc_clock_mhz=200",
      "immediate_pipeline.texture_mshrs=1",
      "immediate_pipeline.llc_mshrs=2",
      "immediate_pipeline.fragment_contexts=1",
      "immediate_pipeline.issue_width=1",
      "immediate_pipeline.sampler_cycles=10",
      "immediate_pipeline.rasterizer_cycles=10",
      "immediate_pipeline.depth_queue=1",
      "immediate_pipeline.color_reads=1",
      "caches.llc.size=16384",
   };
   struct cm_gpu *gpu = run_frames(SETTINGS("llc.policy=lru"), 6);
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
   cm_gpu_destroy(gpu);
   for (unsigned s = 0; s < sizeof slower / sizeof slower[0]; s++) {
      gpu = run_frames(SETTINGS("llc.policy=lru", slower[s]), 6);
      if (gpu_total(gpu, "gpu.cycles") < cycles - cycles / 200)
         fail_msg("%s: %d cycles, without it %d", slower[s], (int)gpu_total(gpu, "gpu.cycles"), (int)cycles);
      cm_gpu_destroy(gpu);
   }
   gpu = run_frames(SETTINGS("llc.policy=perfect"), 6);
   assert_true(gpu_total(gpu, "gpu.cycles") < cycles);
   cm_gpu_destroy(gpu);
}

/* What it cannot simulate is refused. */
TEST(refusals)
{
   static const struct {
      const char *setting, *message;
   } cases[] = {
      {"fragment_stage.scheduler=round-robin",
       "fragment_stage.scheduler: not by block position, but timing is "
       "on in mode imr, expected quad-block"},
      {"streams.texture=llc", "streams.texture: llc, but timing is on in mode imr, expected texture_cache"},
      {"immediate_pipeline.depth_queue=0",
       "immediate_pipeline.depth_queue: 0 is out of range, expected 1 to 4096"},
      {"immediate_pipeline.vertex_queue=0", "expected a mapping immediate_pipeline"},
      {"dram_system.device=none", "expected a mapping dram_system"},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      char error[512];
      struct cm_config *config = test_config_of("imr-8m", SETTINGS("timing=on"));
      assert_true(cm_config_set(config, cases[c].setting, error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      if (!strstr(error, cases[c].message))
         fail_msg("%s", error);
      cm_config_destroy(config);
   }
}
