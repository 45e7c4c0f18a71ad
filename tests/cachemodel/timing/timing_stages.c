/* SPDX-License-Identifier: MIT */
/* The pipeline's cycles in closed form: each stage as the one that limits, in turn, takes exactly as long as it
 * takes for an item; a full queue; a single quad's latency. The cycles of every stage's states sum up to all cycles,
 * and what is counted is the same with time and without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_pass.h"
#include "support/stages.h"
#include "support/test.h"

/* A GPU without misses whose stages all take a cycle, with changes. */
static struct cm_gpu *
ideal_gpu(const char *const *changes)
{
   const char *const settings[] = {
      "timing=on",
      "mode=tbr",
      "caches.vertex_cache.policy=perfect",
      "caches.texture_cache.policy=perfect",
      "caches.tile_cache.policy=perfect",
      "caches.instruction_cache.policy=perfect",
      NULL,
   };
   return test_gpu_with(settings, changes);
}

/* A frame of one tile: so many vertices, primitives of so many attributes, and quads of the last one. */
struct load {
   uint32_t vertices, vertex_instructions;
   uint32_t primitives, attributes;
   uint32_t quads, instructions;
   uint32_t hidden; /* of the quads, those that fail the Early Z-Test */
};

/* Invocations after the vertices, and their instructions. */
struct stages {
   uint32_t control, control_instructions;
   uint32_t evaluation, evaluation_instructions;
   uint32_t geometry, geometry_instructions;
};

static uint64_t
cycles_of_stages(const struct load *load, const struct stages *stages, const char *const *changes)
{
   static const uint32_t tile = 0;
   struct cm_gpu *gpu = ideal_gpu(changes);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   pass->pass.kind = CM_PASS_TBR;
   draw->num_vertices = load->vertices;
   draw->vertex_shader.instructions = load->vertex_instructions;
   draw->patches = stages->control || stages->evaluation ? load->vertices : 0;
   draw->control_shader.instructions = stages->control_instructions;
   draw->control_invocations = stages->control;
   draw->evaluation_shader.instructions = stages->evaluation_instructions;
   draw->evaluation_invocations = stages->evaluation;
   draw->geometry_shader.instructions = stages->geometry_instructions;
   draw->geometry_invocations = stages->geometry;
   draw->fragment_shader.instructions = load->instructions;
   for (uint32_t p = 0; p < load->primitives; p++)
      pass_primitive(pass, load->attributes, &tile, 1);
   struct cm_quad quad = {
      .primitive = load->primitives - 1, .live = 15, .covered = 15, .visible = 15, .written = 15};
   for (uint32_t q = 0; q < load->hidden; q++) {
      const uint32_t words[2] = {CM_EVENT_UNSHADED | 1 << 8, 0};
      pass_words(pass, 0, words, 2);
      pass_words(pass, 0, &quad, CM_QUAD_WORDS);
   }
   for (uint32_t q = load->hidden; q < load->quads; q++)
      pass_quads(pass, 0, 0, 0, &quad, 1);
   return cycles_of_pass(gpu, pass);
}

static uint64_t
cycles_of(const struct load *load, const char *const *changes)
{
   return cycles_of_stages(load, &(struct stages){0}, changes);
}

/* How many cycles more the larger load takes. */
static uint64_t
difference(const struct load *load, const struct load *larger, const char *const *changes)
{
   return cycles_of(larger, changes) - cycles_of(load, changes);
}

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

/* 400 items more than 400, which fill all queues. */
TEST(each_stage_limits)
{
   const struct load quads = {1, 1, 1, 1, 400, 1, 0}, more_quads = {1, 1, 1, 1, 800, 1, 0};
   /* The Rasterizer: attributes of a quad. */
   const struct load wide = {1, 1, 1, 7, 400, 1, 0}, more_wide = {1, 1, 1, 7, 800, 1, 0};
   assert_int_equal(difference(&wide, &more_wide, SETTINGS()), 400 * 7);
   assert_int_equal(difference(&wide, &more_wide, SETTINGS("pipeline.rasterizer_cycles=3")), 400 * 21);
   /* The Early Z-Test: so many quads at once, each so long. */
   assert_int_equal(difference(&quads, &more_quads,
                               SETTINGS("pipeline.early_z_quads=4", "pipeline.early_z_latency=20")),
                    400 * 5);
   /* Fragment Processors: instructions, four processors. */
   const struct load slow = {1, 1, 1, 1, 400, 52, 0}, more_slow = {1, 1, 1, 1, 800, 52, 0};
   assert_int_equal(difference(&slow, &more_slow, SETTINGS()), 400 * 52 / 4);
   /* The Blending Unit. */
   assert_int_equal(difference(&quads, &more_quads, SETTINGS("pipeline.blend_cycles=9")), 400 * 9);
   /* Quads that fail the Early Z-Test cost nothing after it. */
   const struct load hidden = {1, 1, 1, 1, 800, 52, 400};
   assert_int_equal(difference(&slow, &hidden, SETTINGS("pipeline.fragment_queue=65536")), 400);

   /* The Tile Fetcher: a PMD and five attributes through one port. */
   const struct load primitives = {1, 1, 400, 5, 1, 1, 0}, more_primitives = {1, 1, 800, 5, 1, 1, 0};
   const uint64_t fetched = difference(&primitives, &more_primitives, SETTINGS());
   /* The Polygon List Builder takes as long to write them before. */
   assert_int_equal(fetched, 2 * 400 * 6);
   /* Vertex Processors: four, 100 instructions. */
   const struct load vertices = {400, 100, 1, 1, 1, 1, 0}, more_vertices = {800, 100, 1, 1, 1, 1, 0};
   assert_int_equal(difference(&vertices, &more_vertices, SETTINGS()), 400 * 100 / 4);
   /* Primitive Assembly. */
   assert_int_equal(difference(&vertices, &more_vertices, SETTINGS("pipeline.assembly_cycles=30")), 400 * 30);
   /* The fetch of vertices: one per cycle, without attributes. */
   const struct load quick = {400, 1, 1, 1, 1, 1, 0}, more_quick = {800, 1, 1, 1, 1, 1, 0};
   assert_int_equal(difference(&quick, &more_quick, SETTINGS()), 400);
}

/* The same for what follows the same vertices. */
static uint64_t
added(const struct load *load, const struct stages *some, const struct stages *more,
      const char *const *changes)
{
   return cycles_of_stages(load, more, changes) - cycles_of_stages(load, some, changes);
}

/* A frame of vertices, each of which reads so many texels of a texture whose accesses all hit. */
static uint64_t
cycles_of_lookups(uint32_t vertices, uint32_t reads, uint32_t instructions, const char *const *changes)
{
   static const uint32_t tile = 0;
   struct cm_gpu *gpu = ideal_gpu(changes);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   define_texture(gpu, 3, 64, 64, 1);
   pass->pass.kind = CM_PASS_TBR;
   draw->num_vertices = vertices;
   draw->vertex_shader.instructions = instructions;
   pass->vertex_bindings[0] = (struct cm_texture_binding){.resource = 3};
   pass->pass.num_vertex_bindings = 1;
   for (uint32_t v = 0; v < vertices; v++) {
      for (uint32_t r = 0; r < reads; r++)
         pass_vertex_read(pass, v, 0, (uint16_t)(v % 64), (uint16_t)r, false);
   }
   pass_primitive(pass, 1, &tile, 1);
   pass_run(pass, gpu);
   pass_free(pass);
   cm_gpu_frame_end(gpu);
   assert_int_equal(gpu_total(gpu, "vertex_stage.footprints"), vertices * reads);
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
   cm_gpu_destroy(gpu);
   return cycles;
}

/* A vertex begins its reads with its shader, one per cycle, and holds its Vertex Processor, one of four, until the last texel
 * is there, and the shader has run: the later of the two. */
TEST(vertices_wait_for_texels)
{
   static const struct {
      uint32_t reads, instructions, latency, cycles;
   } cases[] = {
      {0, 10, 20, 10},     {1, 10, 20, 1 + 20}, {3, 10, 20, 3 + 20},
      {3, 10, 60, 3 + 60}, {3, 50, 20, 50},     {3, 23, 20, 23},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      char latency[64];
      snprintf(latency, sizeof latency, "caches.texture_cache.latency=%u", cases[i].latency);
      const char *const *changes = SETTINGS("pipeline.vertex_processors=4", latency);
      assert_int_equal(cycles_of_lookups(200, cases[i].reads, cases[i].instructions, changes) -
                          cycles_of_lookups(100, cases[i].reads, cases[i].instructions, changes),
                       100 / 4 * cases[i].cycles);
   }
}

/* Tessellation and geometry shaders on four Vertex Processors: of each vertex four invocations, or eight, which begin
 * together when those of the stage before are done. */
TEST(stages_behind_vertices)
{
   const struct load load = {400, 4, 1, 1, 0, 0, 0};
   struct stages stages = {.control = 1600, .control_instructions = 30};
   struct stages more = stages;
   more.control = 3200;
   assert_int_equal(added(&load, &stages, &more, SETTINGS()), 400 * 30);
   more = stages;
   more.evaluation = stages.evaluation = 1600;
   more.evaluation_instructions = stages.evaluation_instructions = 12;
   more.evaluation = 3200;
   assert_int_equal(added(&load, &stages, &more, SETTINGS()), 400 * 12);
   more = stages;
   more.geometry = stages.geometry = 1600;
   more.geometry_instructions = stages.geometry_instructions = 8;
   more.geometry = 3200;
   assert_int_equal(added(&load, &stages, &more, SETTINGS()), 400 * 8);
   /* What the last stage makes goes through Primitive Assembly; what is handed on, and vertices, do not. */
   assert_int_equal(added(&load, &stages, &more, SETTINGS("pipeline.assembly_cycles=50")), 1600 * 50);
   more = stages;
   more.evaluation = more.control = 3200;
   assert_in_range(added(&load, &stages, &more, SETTINGS("pipeline.assembly_cycles=50")), 0, 200);
   /* Of patches that are culled nothing is assembled. */
   const struct stages culled = {.control = 1600, .control_instructions = 30};
   assert_in_range(cycles_of_stages(&load, &culled, SETTINGS("pipeline.assembly_cycles=1000")),
                   400 * (4 + 30), 400 * (4 + 30) + 500);
}

/* A patch: its vertex, then its control invocations, then its points, then triangles, four at a time. */
TEST(latency_of_a_patch)
{
   const struct load load = {1, 10, 1, 1, 0, 0, 0};
   const struct stages none = {0};
   struct stages patch = {4, 100, 8, 50, 0, 0};
   /* Eight points, of which the last four come out together; they are assembled one per cycle. */
   assert_int_equal(added(&load, &none, &patch, SETTINGS()), 100 + 2 * 50 + 3);
   patch.geometry = 6;
   patch.geometry_instructions = 20;
   /* Two of the six triangles begin when the first four are done. */
   assert_int_equal(added(&load, &none, &patch, SETTINGS()), 100 + 2 * 50 + 2 * 20 + 1);
}

/* Cycles of a frame of vertices with one invocation each of a stage after them, which accesses a texture (binding 0) or an
 * image (1) so often. All accesses hit. */
static uint64_t
cycles_of_accesses(enum cm_preraster_stage stage, uint32_t vertices, const struct cm_vertex_access *access,
                   uint32_t count, uint32_t instructions, const char *const *changes)
{
   static const uint32_t tile = 0;
   struct cm_gpu *gpu = ideal_gpu(changes);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   define_texture(gpu, 3, 64, 64, 1);
   pass->pass.kind = CM_PASS_TBR;
   draw->num_vertices = vertices;
   draw->vertex_shader.instructions = 1;
   draw->patches = vertices;
   draw->control_invocations = vertices;
   draw->control_shader.instructions = stage == CM_PRERASTER_CONTROL ? instructions : 1;
   draw->evaluation_invocations = vertices;
   draw->evaluation_shader.instructions = stage == CM_PRERASTER_EVALUATION ? instructions : 1;
   draw->geometry_invocations = vertices;
   draw->geometry_shader.instructions = stage == CM_PRERASTER_GEOMETRY ? instructions : 1;
   pass->vertex_bindings[0] = (struct cm_texture_binding){.resource = 3};
   pass->vertex_bindings[1] = (struct cm_texture_binding){.resource = 3, .is_storage = true};
   pass->pass.num_vertex_bindings = 2;
   for (uint32_t v = 0; v < vertices; v++) {
      struct cm_vertex_access its = *access;
      its.invocation = v;
      for (uint32_t i = 0; i < count; i++)
         pass_access(pass, stage, its);
   }
   pass_primitive(pass, 1, &tile, 1);
   return cycles_of_pass(gpu, pass);
}

/* Invocations after vertices hold their Vertex Processor as vertices do, for textures and loads; stores are not waited for. On
 * one processor a vertex takes a cycle, and so does each stage but the one that waits. */
TEST(stages_wait_for_data)
{
   static const struct cm_vertex_access texel = {.binding = 0};
   static const struct cm_vertex_access load = {.binding = 1, .type = CM_VERTEX_IMAGE};
   static const struct cm_vertex_access store = {.binding = 1,
                                                 .type = CM_VERTEX_IMAGE,
                                                 .operation = CM_STORAGE_STORE};
   static const struct {
      const struct cm_vertex_access *access;
      uint32_t count, instructions, cycles;
   } cases[] = {
      {&texel, 0, 10, 10},        {&texel, 3, 10, 3 + 20}, {&texel, 3, 50, 50}, {&load, 1, 10, 40},
      {&load, 2, 10, 2 * 5 + 35}, {&load, 2, 100, 100},    {&store, 4, 10, 10},
   };
   const char *const *changes =
      SETTINGS("pipeline.vertex_processors=1", "caches.texture_cache.latency=20",
               "streams.storage=load_store_cache", "caches.load_store_cache.size=4K",
               "caches.load_store_cache.ways=4", "caches.load_store_cache.block=64",
               "caches.load_store_cache.instances=4", "caches.load_store_cache.next=l2",
               "caches.load_store_cache.write_miss=allocate", "caches.load_store_cache.latency=35",
               "load_store.block_cycles=5");
   for (unsigned stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
         const uint64_t few = cycles_of_accesses((enum cm_preraster_stage)stage, 100, cases[i].access,
                                                 cases[i].count, cases[i].instructions, changes);
         const uint64_t many = cycles_of_accesses((enum cm_preraster_stage)stage, 200, cases[i].access,
                                                  cases[i].count, cases[i].instructions, changes);
         assert_int_equal(many - few, 100 * (3 + cases[i].cycles));
      }
   }
}

/* One quad: its way through all stages. */
TEST(latency_of_one_quad)
{
   const struct load none = {1, 1, 1, 3, 0, 10, 0}, one = {1, 1, 1, 3, 1, 10, 0};
   /* 3 attributes, the Early Z-Test, dispatch in the next cycle at the soonest, 10 instructions, blending. */
   assert_int_equal(difference(&none, &one, SETTINGS()), 3 + 1 + 10 + 1);
   assert_int_equal(difference(&none, &one,
                               SETTINGS("pipeline.early_z_latency=5", "pipeline.blend_cycles=7",
                                        "pipeline.rasterizer_cycles=2")),
                    6 + 5 + 10 + 7);
}

/* A queue of one item between two stages that take turns in being slow. */
TEST(full_queue)
{
   const struct load load = {1, 1, 1, 1, 300, 40, 0};
   /* One processor with one context: quads one after another, whatever the queues are. */
   const char *const *serial = SETTINGS("fragment_stage.processors=1", "caches.texture_cache.instances=1",
                                        "pipeline.fragment_contexts=1");
   const char *const *short_queues =
      SETTINGS("fragment_stage.processors=1", "caches.texture_cache.instances=1",
               "pipeline.fragment_contexts=1", "pipeline.fragment_queue=1", "pipeline.color_queue=1");
   assert_int_equal(cycles_of(&load, serial), cycles_of(&load, short_queues));
   const struct load more = {1, 1, 1, 1, 301, 40, 0};
   assert_int_equal(difference(&load, &more, short_queues), 40);
}

/* Random frames, all streams. */
static void
run_frames(struct cm_gpu *gpu, unsigned frames)
{
   uint64_t state = 4;
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < frames; frame++) {
      for (unsigned passes = 1 + frame % 3; passes; passes--) {
         struct pass_builder *pass = random_pass(&state, frame);
         pass_run(pass, gpu);
         pass_free(pass);
      }
      cm_gpu_frame_end(gpu);
   }
   assert_true(cm_gpu_is_complete(gpu));
}

static const char *const *const random_settings[] = {
   (const char *const[]){"timing=on", NULL},
   (const char *const[]){"timing=on", "mode=tbr", "pipeline.tile_queue=0", NULL},
   (const char *const[]){"timing=on", "pipeline.fragment_queue=1", "pipeline.color_queue=1",
                         "pipeline.tile_queue=1", "pipeline.fetch_queue=1", "pipeline.vertex_queue=1",
                         "pipeline.triangle_queue=1", "pipeline.fragment_contexts=1",
                         "pipeline.texture_mshrs=1", "pipeline.l2_mshrs=1", "pipeline.tile_mshrs=1",
                         "pipeline.vertex_mshrs=1", "pipeline.flush_requests=1", "pipeline.tile_buffers=1",
                         "pipeline.early_z_quads=1", NULL},
   (const char *const[]){"timing=on", "fragment_stage.scheduler=quad-block", "streams.color=l2",
                         "streams.depth=l2", "caches.l2.size=65536", "pipeline.l2_banks=3",
                         "pipeline.l2_bank_cycles=4", NULL},
   (const char *const[]){"timing=on", "streams.vertex=dram", "streams.index=dram", "streams.shader=dram",
                         "streams.constant=dram", "caches.tile_cache.next=dram",
                         "caches.texture_cache.next=dram", "fragment_stage.scheduler=least-work", NULL},
};

/* In every frame, what a stage does in its cycles are all cycles, for each of its units. */
TEST(states_sum_up)
{
   for (unsigned s = 0; s < sizeof random_settings / sizeof random_settings[0]; s++) {
      struct cm_gpu *gpu = test_gpu(random_settings[s]);
      run_frames(gpu, 12);
      assert_int_equal(assert_stages_add_up(gpu, 4, 1), 11);
      assert_true(gpu_total(gpu, "gpu.cycles") > 0);
      cm_gpu_destroy(gpu);
   }
}

/* Time changes nothing of what is counted without it; and it is the same each time. */
TEST(counts_are_the_same)
{
   for (unsigned s = 0; s < sizeof random_settings / sizeof random_settings[0]; s++) {
      const char *settings[32];
      unsigned count = 0;
      while ((settings[count] = random_settings[s][count]))
         count++;
      struct cm_gpu *on = test_gpu(settings), *again = test_gpu(settings);
      settings[0] = "timing=off";
      struct cm_gpu *off = test_gpu(settings);
      run_frames(on, 5);
      run_frames(again, 5);
      run_frames(off, 5);
      assert_only_time_is_new(off, on, again);
      cm_gpu_destroy(on);
      cm_gpu_destroy(again);
      cm_gpu_destroy(off);
   }
}
