/* SPDX-License-Identifier: MIT */
/* The cycles of compute passes in mode imr: worked out by hand where processors, load/store units, barriers, the LLC and memory
 * limit, in turn; of random frames with and without compute what stages do are all cycles, time changes no other counter, and
 * no frame is shorter than what its units have to do. */
#include "support/test.h"
#include "support/timed_compute.h"

#define PRESET "imr-8m"

#define ONE_PROCESSOR \
   "fragment_stage.processors=1", "caches.texture_cache.instances=1", "caches.texture_cache_l2.instances=1"

/* Load/store caches, which the preset has none of. */
#define CACHES(number)                                                                  \
   "streams.storage=load_store_cache", "caches.load_store_cache.size=16384",            \
      "caches.load_store_cache.ways=4", "caches.load_store_cache.block=64",             \
      "caches.load_store_cache.instances=" number, "caches.load_store_cache.latency=1", \
      "caches.load_store_cache.policy=lru", "caches.load_store_cache.index=modulo",     \
      "caches.load_store_cache.write_miss=fetch", "caches.load_store_cache.next=llc"
#define ONE_THAT_HITS ONE_PROCESSOR, CACHES("1"), "caches.load_store_cache.policy=perfect"

/* ---- by hand ---------------------------------------------------------------- */

/* A processor issues sixteen instructions of quads per cycle, one of a run, which has four quads. */
TEST(instructions)
{
   const struct load load = {.instructions = 13};
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_PROCESSOR)), 400 * 13 * 4 / 16);
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_PROCESSOR, "immediate_pipeline.issue_width=4")),
                    400 * 13);
   /* One work-group at a time. */
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_PROCESSOR, "compute_stage.invocations=16")),
                    400 * 13 * 4);
   const struct load one = {.groups = 1, .instructions = 13}, none = {.groups = 1, .instructions = 1};
   /* Its 13 instructions are two blocks, which are looked up one after another. */
   assert_int_equal(cycles_of(PRESET, &one, SETTINGS()) - cycles_of(PRESET, &none, SETTINGS()), 1 + 12 * 4);
}

/* Load/store units: a block per cycle. */
TEST(hits)
{
   struct load load = {.instructions = 1, .accesses = 12, .blocks = 1};
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_THAT_HITS)), 400 * 12);
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_THAT_HITS, "load_store.block_cycles=3")),
                    400 * 12 * 3);
   load.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_THAT_HITS)), 400 * 12);
   load.blocks = 16;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_THAT_HITS)), 400 * 12 * 16);
   /* Sub-groups of four make four instructions of it. */
   load.blocks = 1;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ONE_THAT_HITS, "load_store.lanes=4")), 400 * 12 * 4);
}

/* One work-group: 40 cycles of instructions; a load after 20 of them, which takes a cycle and the latency of the cache, or of
 * the LLC where there is none, and then 20 more. A store, and nothing waits. */
TEST(latency_of_a_load)
{
   const char *const *fast = SETTINGS(ONE_THAT_HITS);
   const char *const *slow = SETTINGS(ONE_THAT_HITS, "caches.load_store_cache.latency=50");
   const char *const *llc = SETTINGS("caches.llc.policy=perfect", "caches.llc.latency=30");
   const struct load none = {.groups = 1, .instructions = 10};
   struct load one = {.groups = 1, .instructions = 10, .accesses = 1, .blocks = 1};
   assert_int_equal(cycles_of(PRESET, &one, fast) - cycles_of(PRESET, &none, fast), 20 + 2 + 20 - 40);
   assert_int_equal(cycles_of(PRESET, &one, slow) - cycles_of(PRESET, &none, slow), 20 + 51 + 20 - 40);
   assert_int_equal(cycles_of(PRESET, &one, llc) - cycles_of(PRESET, &none, llc), 20 + 31 + 20 - 40);
   one.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of(PRESET, &one, slow) - cycles_of(PRESET, &none, slow), 0);
   assert_int_equal(cycles_of(PRESET, &one, llc) - cycles_of(PRESET, &none, llc), 0);
   /* As many work-groups hide it as are there: one. */
   one.operation = CM_STORAGE_LOAD;
   assert_int_equal(cycles_of_400(PRESET, one,
                                  SETTINGS(ONE_THAT_HITS, "caches.load_store_cache.latency=50",
                                           "compute_stage.invocations=16")),
                    400 * (20 + 51 + 20));
   /* As many as there is room for: 16 instructions of quads per cycle. */
   assert_int_equal(cycles_of_400(PRESET, one, slow), 400 * 40 / 16);
}

TEST(barrier)
{
   const char *const *slow =
      SETTINGS(ONE_THAT_HITS, "caches.load_store_cache.latency=200", "immediate_pipeline.issue_width=1");
   uint64_t waited;
   /* As on a GPU with tiles, of the same width. */
   const uint64_t without = cycles_of_barrier(PRESET, false, slow, &waited) - 241;
   assert_int_equal(waited, 0);
   assert_int_equal(cycles_of_barrier(PRESET, true, slow, &waited) - without, 10 + 201 + 10 + 80);
   assert_int_equal(waited, 3 * 221 - 40 - 60 - 80);
}

/* All atomics are of one word: one bank of the LLC, of half the GPU's clock, reads and writes for each. */
TEST(atomics_on_one_address)
{
   const struct load load = {.instructions = 1, .accesses = 1, .blocks = 1, .operation = CM_STORAGE_ATOMIC};
   struct load apart = load;
   const char *const *slow = SETTINGS("caches.llc.policy=perfect", "immediate_pipeline.llc_clock_mhz=800");
   const uint64_t cycles = cycles_of_400(PRESET, load, slow);
   assert_in_range(cycles, 400 * 2 * 2 - 8, 400 * 2 * 2 + 8);
   /* Each of a block of its own: four banks. */
   apart.of_their_own = true;
   assert_in_range(cycles_of_400(PRESET, apart, slow), 400 - 8, 400 + 8);
   /* Load/store caches leave them to the LLC. */
   assert_in_range(cycles_of_400(PRESET, load,
                                 SETTINGS(CACHES("12"), "caches.llc.policy=perfect",
                                          "immediate_pipeline.llc_clock_mhz=800")),
                   400 * 2 * 2 - 8, 400 * 2 * 2 + 8);
}

/* ---- streams ------------------------------------------------------------------ */

#define SMALL_LLC CACHES("12"), "caches.llc.size=65536", "caches.llc.policy=lru"

TEST(streams)
{
   const struct stream stream = {PRESET, SETTINGS(SMALL_LLC), SETTINGS(SMALL_LLC, "load_store.mshrs=1"), 25.6,
                                 1};
   check_stream(&stream, false, 1.3);
   check_stream(&stream, true, 1.8);
}

/* What is written back at the end: through the LLC's banks, of half the GPU's clock. */
TEST(write_backs)
{
   const struct load load = {.groups = 120,
                             .instructions = 1,
                             .accesses = 1,
                             .blocks = 1,
                             .operation = CM_STORAGE_STORE,
                             .of_their_own = true};
   struct cm_storage storage;
   struct pass_builder *pass = make_dispatch(&load, &storage);
   for (uint32_t banks = 1; banks <= 4; banks *= 4) {
      struct cm_gpu *gpu =
         timed_gpu(PRESET, SETTINGS(CACHES("12"), "immediate_pipeline.llc_clock_mhz=800",
                                    banks == 1 ? "caches.llc.banks=1" : "caches.llc.banks=4"));
      pass_run(pass, gpu);
      end_frame(gpu);
      assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), 120);
      assert_in_range(gpu_total(gpu, "load_store.write_back_cycles"), 120 * 2 / banks - 4,
                      120 * 2 / banks + 16);
      cm_gpu_destroy(gpu);
   }
   pass_free(pass);
}

/* ---- fragments that access storage ---------------------------------------------- */

TEST(quad)
{
   const char *const *slow = SETTINGS(ONE_THAT_HITS, "caches.load_store_cache.latency=50");
   const uint64_t none = cycles_of_quad(PRESET, false, CM_STORAGE_LOAD, slow);
   assert_int_equal(cycles_of_quad(PRESET, true, CM_STORAGE_LOAD, slow) - none, 5 + 51 + 5 - 10);
   assert_int_equal(cycles_of_quad(PRESET, true, CM_STORAGE_STORE, slow) - none, 0);
}

/* ---- random passes ---------------------------------------------------------------- */

static const char *const *const random_settings[] = {
   (const char *const[]){"timing=on", NULL},
   (const char *const[]){"timing=on", CACHES("12"), "load_store.lanes=4", "compute_stage.invocations=16",
                         "load_store.mshrs=1", "immediate_pipeline.llc_mshrs=1",
                         "immediate_pipeline.llc_writes=1", NULL},
   (const char *const[]){"timing=on", "streams.storage=dram", "load_store.block_cycles=3", NULL},
   (const char *const[]){"timing=on", CACHES("12"), "caches.load_store_cache.write_miss=allocate",
                         "caches.load_store_cache.size=1024", "caches.llc.size=65536",
                         "caches.llc.policy=lru", "attribution.draw=on", "attribution.tile=on", NULL},
   (const char *const[]){"timing=on", CACHES("12"), "caches.load_store_cache.next=dram",
                         "streams.vertex=dram", NULL},
};

TEST(random)
{
   check_random_frames(PRESET, random_settings, sizeof random_settings / sizeof random_settings[0], true, 12,
                       7);
}
