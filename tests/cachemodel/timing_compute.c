/* SPDX-License-Identifier: MIT */
/* The cycles of compute passes: worked out by hand where processors, load/store units, barriers, a bank of the L2 and memory
 * limit, in turn; of random ones what stages do in their cycles are all cycles, time changes no other counter, and none is
 * shorter than what its units have to do. */
#include <string.h>

#include "support/compute_pass.h"
#include "support/random_pass.h"
#include "support/stages.h"
#include "support/test.h"

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

#define BUFFER (1u << 22)
#define STREAM_GROUPS 1000

/* A GPU of the preset with time, whose instructions hit, and changes. */
static struct cm_gpu *
timed_gpu(const char *const *changes)
{
   const char *settings[40] = {"timing=on", "caches.instruction_cache.policy=perfect"};
   unsigned count = 2;
   for (; *changes; changes++)
      settings[count++] = *changes;
   struct cm_config *config = test_config_of("mali-like", settings);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   define_buffer(gpu, 2, BUFFER);
   return gpu;
}

/* ---- by hand ---------------------------------------------------------------- */

/* Work-groups of 16 invocations; each instruction accesses a block, or `blocks` of them, of their own or the first ones. */
struct load {
   uint32_t groups, instructions;
   uint32_t accesses, blocks;
   enum cm_storage_operation operation;
   bool of_their_own;
};

static struct pass_builder *
make_pass(const struct load *load, struct cm_storage *storage)
{
   struct pass_builder *pass = compute_pass(load->groups, BUFFER, storage);
   uint32_t offsets[CM_INVOCATIONS];
   pass->pass.dispatch.shader.instructions = load->instructions;
   for (uint32_t g = 0; g < load->groups; g++) {
      for (uint32_t a = 0; a < load->accesses; a++) {
         const uint32_t first = load->of_their_own ? (g * load->accesses + a) * load->blocks * 64 : 0;
         fill_offsets(offsets, first, load->blocks == 1 ? 4 : 64);
         add_access(pass, g, load->operation, 4, offsets,
                    load->blocks == 1 ? 0xffff : (1u << load->blocks) - 1);
      }
   }
   return pass;
}

static uint64_t
end_frame(struct cm_gpu *gpu)
{
   cm_gpu_frame_end(gpu);
   assert_true(cm_gpu_is_complete(gpu));
   return gpu_total(gpu, "gpu.cycles");
}

static uint64_t
cycles_of(const struct load *load, const char *const *changes)
{
   struct cm_storage storage;
   struct pass_builder *pass = make_pass(load, &storage);
   struct cm_gpu *gpu = timed_gpu(changes);
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   assert_int_equal(gpu_total(gpu, "compute_stage.cycles"), cycles);
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

/* How many cycles 400 work-groups more take than 400. */
static uint64_t
cycles_of_400(struct load load, const char *const *changes)
{
   load.groups = 400;
   const uint64_t fewer = cycles_of(&load, changes);
   load.groups = 800;
   return cycles_of(&load, changes) - fewer;
}

/* Four processors, four cycles an instruction of 16 invocations. */
static void
test_instructions(void **unused)
{
   const struct load load = {.instructions = 13};
   assert_int_equal(cycles_of_400(load, SETTINGS()), 400 / 4 * 13 * 4);
   /* Whether many work-groups are there or one does not matter, if none waits. */
   assert_int_equal(cycles_of_400(load, SETTINGS("compute_stage.invocations=16")), 400 / 4 * 13 * 4);
   const struct load one = {.groups = 1, .instructions = 13}, none = {.groups = 1};
   /* Its 13 instructions are two blocks, which are looked up first. */
   assert_int_equal(cycles_of(&one, SETTINGS()) - cycles_of(&none, SETTINGS()), 2 + 13 * 4);
}

#define ALL_HIT "caches.load_store_cache.policy=perfect"

/* Load/store units: a block a cycle. */
static void
test_hits(void **unused)
{
   struct load load = {.instructions = 1, .accesses = 12, .blocks = 1};
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT)), 400 / 4 * 12);
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT, "load_store.block_cycles=3")), 400 / 4 * 12 * 3);
   load.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT)), 400 / 4 * 12);
   load.blocks = 16;
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT)), 400 / 4 * 12 * 16);
   /* Sub-groups of four make four instructions of it, of as many blocks. */
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT, "load_store.lanes=4")), 400 / 4 * 12 * 16);
   load.blocks = 1;
   assert_int_equal(cycles_of_400(load, SETTINGS(ALL_HIT, "load_store.lanes=4")), 400 / 4 * 12 * 4);
}

/* One work-group: 40 cycles of instructions; a load after 20 of them, which takes a cycle and the cache's latency, and then
 * 20 more. A store, and nothing waits. */
static void
test_latency_of_a_load(void **unused)
{
   const char *const *slow = SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50");
   const struct load none = {.groups = 1, .instructions = 10};
   struct load one = {.groups = 1, .instructions = 10, .accesses = 1, .blocks = 1};
   assert_int_equal(cycles_of(&one, SETTINGS(ALL_HIT)) - cycles_of(&none, SETTINGS(ALL_HIT)),
                    20 + 2 + 20 - 40);
   assert_int_equal(cycles_of(&one, slow) - cycles_of(&none, slow), 20 + 51 + 20 - 40);
   one.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of(&one, slow) - cycles_of(&none, slow), 0);
   /* As many work-groups hide it as are there: one; two. */
   one.operation = CM_STORAGE_LOAD;
   assert_int_equal(cycles_of_400(one, SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50",
                                                "compute_stage.invocations=16")),
                    400 / 4 * (20 + 51 + 20));
   assert_int_equal(cycles_of_400(one, SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50",
                                                "compute_stage.invocations=48")),
                    400 / 4 * 40);
}

/* A work-group of four runs, 40 cycles each, with a barrier after a half of it; before that, the first run loads. */
static uint64_t
cycles_of_barrier(bool has_barrier, uint64_t *waited)
{
   struct cm_storage storage;
   struct pass_builder *pass = compute_pass(1, BUFFER, &storage);
   uint32_t offsets[CM_INVOCATIONS];
   fill_offsets(offsets, 0, 4);
   pass->pass.dispatch.shader.instructions = 10;
   add_access(pass, 0, CM_STORAGE_LOAD, 4, offsets, 0xffff);
   for (uint32_t r = 1; r < 4; r++)
      add_run(pass, 0, r * CM_INVOCATIONS, false);
   if (has_barrier) {
      add_barrier(pass, 0);
      for (uint32_t r = 0; r < 4; r++)
         add_run(pass, 0, r * CM_INVOCATIONS, true);
   }
   struct cm_gpu *gpu = timed_gpu(SETTINGS(ALL_HIT, "caches.load_store_cache.latency=200"));
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   *waited = gpu_total(gpu, "compute_stage.barrier_cycles");
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

static void
test_barrier(void **unused)
{
   uint64_t waited;
   /* Loaded after 20 of 40 cycles: 20 + 201 + 20 cycles, more than 4 * 40. */
   const uint64_t without = cycles_of_barrier(false, &waited) - 241;
   assert_int_equal(waited, 0);
   /* Loaded after 10 of 20 cycles; then all go on for 4 * 20. The others had done theirs after 40, 60, 80. */
   assert_int_equal(cycles_of_barrier(true, &waited) - without, 10 + 201 + 10 + 80);
   assert_int_equal(waited, 3 * 221 - 40 - 60 - 80);
}

/* All atomics are of one word: the bank reads and writes for each. */
static void
test_atomics_on_one_address(void **unused)
{
   const struct load load = {.instructions = 1, .accesses = 1, .blocks = 1, .operation = CM_STORAGE_ATOMIC};
   const uint64_t cycles = cycles_of_400(load, SETTINGS("pipeline.l2_bank_cycles=3"));
   assert_in_range(cycles, 400 * 2 * 3, 400 * 2 * 3 + 8);
   /* Each of a block of its own is faster: eight banks. */
   struct load apart = load;
   apart.of_their_own = true;
   assert_true(cycles_of_400(apart, SETTINGS("pipeline.l2_bank_cycles=3", "caches.l2.policy=perfect")) <
               cycles / 3);
}

/* ---- streams ------------------------------------------------------------------ */

/* Each work-group reads 16 blocks, and copies them. */
static struct pass_builder *
stream_pass(bool copies, struct cm_storage *storage)
{
   struct pass_builder *pass = compute_pass(STREAM_GROUPS, BUFFER, storage);
   uint32_t offsets[CM_INVOCATIONS];
   for (uint32_t g = 0; g < STREAM_GROUPS; g++) {
      for (uint32_t part = 0; part < (copies ? 8 : 4); part++) {
         fill_offsets(offsets, (part < 4 ? 0 : BUFFER / 2) + g * 1024 + part % 4 * 256, 16);
         add_access(pass, g, part < 4 ? CM_STORAGE_LOAD : CM_STORAGE_STORE, 16, offsets, 0xffff);
      }
   }
   return pass;
}

/* Memory limits, whose peak is 51.2 GB/s: refreshes take from it, and turns between reads and writes. */
static void
check_stream(bool copies, double most)
{
   struct cm_storage storage;
   struct pass_builder *pass = stream_pass(copies, &storage);
   struct cm_gpu *gpu = timed_gpu(SETTINGS("load_store.mshrs=64", "pipeline.l2_mshrs=256"));
   pass_run(pass, gpu);
   end_frame(gpu);
   const double bytes =
      (double)(gpu_total(gpu, "dram.storage.read_bytes") + gpu_total(gpu, "dram.storage.write_bytes"));
   const double least = bytes / 51.2, time = (double)gpu_total(gpu, "gpu.time");
   assert_true(bytes >= (copies ? 1.4 : 1) * STREAM_GROUPS * 1024);
   assert_true(time >= least && time <= most * least);
   /* With one miss at a time there is nothing to overlap. */
   struct cm_gpu *one = timed_gpu(SETTINGS("load_store.mshrs=1"));
   pass_run(pass, one);
   end_frame(one);
   assert_true(gpu_total(one, "gpu.time") > 4 * gpu_total(gpu, "gpu.time"));
   assert_true(gpu_total(one, "load_store.mshr_cycles") > gpu_total(gpu, "load_store.mshr_cycles"));
   pass_free(pass);
   cm_gpu_destroy(gpu);
   cm_gpu_destroy(one);
}

static void
test_streams(void **unused)
{
   check_stream(false, 1.3);
   check_stream(true, 1.8);
}

/* What is written back at the end: a block a cycle and cache, through eight banks. */
static void
test_write_backs(void **unused)
{
   struct load load = {
      .groups = 128, .instructions = 1, .accesses = 1, .blocks = 1, .operation = CM_STORAGE_STORE};
   load.of_their_own = true;
   struct cm_storage storage;
   struct pass_builder *pass = make_pass(&load, &storage);
   struct cm_gpu *gpu = timed_gpu(SETTINGS());
   pass_run(pass, gpu);
   end_frame(gpu);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), 128);
   assert_in_range(gpu_total(gpu, "load_store.write_back_cycles"), 128 / 4, 128 / 4 + 16);
   cm_gpu_destroy(gpu);
   gpu = timed_gpu(SETTINGS("pipeline.l2_banks=1", "pipeline.l2_bank_cycles=2"));
   pass_run(pass, gpu);
   end_frame(gpu);
   assert_in_range(gpu_total(gpu, "load_store.write_back_cycles"), 128 * 2, 128 * 2 + 16);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* ---- fragments that access storage ---------------------------------------------- */

/* A quad of ten instructions, and what it does after five. */
static uint64_t
cycles_of_quad(bool accesses, enum cm_storage_operation operation)
{
   static const uint32_t tile = 0;
   const struct cm_quad quad = {.live = 15, .covered = 15, .visible = 15, .written = 15};
   const struct cm_buffer_access access = {.live = 15, .offset = {0, 4, 8, 12}};
   struct cm_storage storage = {.num_buffers = 1, .buffers = {{.resource = 2, .bytes = BUFFER}}};
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   struct cm_draw *draw = pass_draw(pass);
   pass->pass.kind = CM_PASS_TBR;
   pass->pass.num_storages = 1;
   pass->pass.storages = &storage;
   draw->num_vertices = 1;
   draw->fragment_shader.instructions = 10;
   draw->storage = 1;
   pass_primitive(pass, 1, &tile, 1);
   pass_quads(pass, 0, 0, 0, &quad, 1);
   if (accesses) {
      const uint32_t word = CM_EVENT_BUFFER | 1 << 8 | (uint32_t)operation << CM_STORAGE_OPERATION_SHIFT |
                            4 << CM_STORAGE_BYTES_SHIFT;
      pass_words(pass, 0, &word, 1);
      pass_words(pass, 0, &access, CM_BUFFER_ACCESS_WORDS);
   }
   struct cm_gpu *gpu = timed_gpu(SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50"));
   pass_run(pass, gpu);
   const uint64_t cycles = end_frame(gpu);
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return cycles;
}

static void
test_quad(void **unused)
{
   const uint64_t none = cycles_of_quad(false, CM_STORAGE_LOAD);
   assert_int_equal(cycles_of_quad(true, CM_STORAGE_LOAD) - none, 5 + 51 + 5 - 10);
   assert_int_equal(cycles_of_quad(true, CM_STORAGE_STORE) - none, 0);
}

/* ---- random passes ---------------------------------------------------------------- */

static void
add_random_accesses(struct pass_builder *pass, uint32_t group, uint64_t *random)
{
   for (uint32_t i = random_below(random, 5); i > 0; i--) {
      uint32_t offsets[CM_INVOCATIONS];
      const enum cm_storage_operation operation = random_below(random, CM_STORAGE_OPERATIONS);
      const uint32_t first = random_below(random, BUFFER / 2), lanes = 1 + random_below(random, 0xffff);
      fill_offsets(offsets, first & ~3u, 4u << 2 * random_below(random, 4));
      add_access(pass, group, operation, 4, offsets, lanes);
   }
}

/* Some work-groups have several runs, and some barriers. */
static struct pass_builder *
random_compute_pass(uint64_t *random, struct cm_storage *storage)
{
   const uint32_t groups = 1 + random_below(random, 60);
   struct pass_builder *pass = compute_pass(groups, BUFFER, storage);
   pass->pass.dispatch.shader.instructions = random_below(random, 40);
   for (uint32_t g = 0; g < groups; g++) {
      const uint32_t runs = 1 + random_below(random, 6);
      add_random_accesses(pass, g, random);
      for (uint32_t phase = random_below(random, 3), r = 1;; phase--, r = 0) {
         for (bool resumes = !r; r < runs; r++) {
            add_run(pass, g, r * CM_INVOCATIONS, resumes);
            add_random_accesses(pass, g, random);
         }
         if (!phase)
            break;
         add_barrier(pass, g);
      }
   }
   return pass;
}

/* What the units have to do in a frame, at least, has to fit in its cycles. */
static void
check_least_cycles(struct cm_gpu *gpu, const uint64_t *frame)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
#define VALUE(name) frame[cm_counter_table_find(table, name)]
   const uint64_t cycles = VALUE("gpu.cycles");
   assert_true(VALUE("fragment_processors.busy_cycles") <= 4 * cycles);
   assert_true(VALUE("load_store.port_cycles") <= 4 * cycles);
   assert_true(VALUE("compute_stage.cycles") <= cycles);
   assert_true(VALUE("load_store.write_back_cycles") <= cycles);
   assert_true(VALUE("load_store.port_cycles") >= VALUE("load_store.loads") + VALUE("load_store.stores"));
#undef VALUE
}

static void
run_frames(struct cm_gpu *gpu, bool checks)
{
   uint64_t random = 7;
   struct cm_storage storage;
   define_random_resources(gpu);
   define_buffer(gpu, 2, BUFFER);
   for (uint32_t frame = 0; frame < 12; frame++) {
      for (uint32_t passes = 1 + random_below(&random, 5); passes > 0; passes--) {
         const bool is_compute = random_below(&random, 2);
         struct pass_builder *pass =
            is_compute ? random_compute_pass(&random, &storage) : random_pass(&random, frame);
         pass_run(pass, gpu);
         pass_free(pass);
      }
      const uint64_t *values = cm_gpu_frame_end(gpu);
      if (checks)
         check_least_cycles(gpu, values);
   }
   assert_true(cm_gpu_is_complete(gpu));
}

static const char *const *const random_settings[] = {
   (const char *const[]){"timing=on", NULL},
   (const char *const[]){"timing=on", "mode=tbdr", "load_store.lanes=4", "compute_stage.invocations=16",
                         "load_store.mshrs=1", "pipeline.l2_mshrs=1", NULL},
   (const char *const[]){"timing=on", "streams.storage=l2", "caches.load_store_cache.size=0", NULL},
   (const char *const[]){"timing=on", "streams.storage=dram", "load_store.block_cycles=3", NULL},
   (const char *const[]){"timing=on", "caches.load_store_cache.write_miss=allocate",
                         "caches.load_store_cache.size=1024", "fragment_stage.scheduler=least-work", NULL},
};

/* In each frame what a stage does are all cycles; time changes no other counter, and is the same each time. */
static void
test_random(void **unused)
{
   for (unsigned s = 0; s < sizeof random_settings / sizeof random_settings[0]; s++) {
      const char *settings[16];
      unsigned count = 0;
      while ((settings[count] = random_settings[s][count]))
         count++;
      struct cm_gpu *gpus[3];
      for (unsigned g = 0; g < 3; g++) {
         settings[0] = g < 2 ? "timing=on" : "timing=off";
         struct cm_config *config = test_config_of("mali-like", settings);
         gpus[g] = cm_gpu_create(config, NULL, 0);
         assert_non_null(gpus[g]);
         cm_config_destroy(config);
         run_frames(gpus[g], g < 2);
      }
      assert_int_equal(assert_stages_add_up(gpus[0], 4), 11);
      assert_only_time_is_new(gpus[2], gpus[0], gpus[1]);
      for (unsigned g = 0; g < 3; g++)
         cm_gpu_destroy(gpus[g]);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instructions),
      cmocka_unit_test(test_hits),
      cmocka_unit_test(test_latency_of_a_load),
      cmocka_unit_test(test_barrier),
      cmocka_unit_test(test_atomics_on_one_address),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_write_backs),
      cmocka_unit_test(test_quad),
      cmocka_unit_test(test_random),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
