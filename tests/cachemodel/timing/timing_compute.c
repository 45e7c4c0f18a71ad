/* SPDX-License-Identifier: MIT */
/* The cycles of compute passes: worked out by hand where processors, load/store units, barriers, a bank of the L2 and memory
 * limit, in turn; of random ones what stages do in their cycles are all cycles, time changes no other counter, and none is
 * shorter than what its units have to do. */
#include "support/test.h"
#include "support/timed_compute.h"

#define PRESET "mali-like"

/* ---- by hand ---------------------------------------------------------------- */

/* Four processors, four cycles per instruction of 16 invocations. */
TEST(instructions)
{
   const struct load load = {.instructions = 13};
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS()), 400 / 4 * 13 * 4);
   /* Whether many work-groups are there or one does not matter, if none waits. */
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS("compute_stage.invocations=16")), 400 / 4 * 13 * 4);
   const struct load one = {.groups = 1, .instructions = 13}, none = {.groups = 1};
   /* Its 13 instructions are two blocks, which are looked up first. */
   assert_int_equal(cycles_of(PRESET, &one, SETTINGS()) - cycles_of(PRESET, &none, SETTINGS()), 2 + 13 * 4);
}

#define ALL_HIT "caches.load_store_cache.policy=perfect"

/* Load/store units: a block per cycle. */
TEST(hits)
{
   struct load load = {.instructions = 1, .accesses = 12, .blocks = 1};
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT)), 400 / 4 * 12);
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT, "load_store.block_cycles=3")),
                    400 / 4 * 12 * 3);
   load.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT)), 400 / 4 * 12);
   load.blocks = 16;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT)), 400 / 4 * 12 * 16);
   /* Sub-groups of four make four instructions of it, of as many blocks. */
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT, "load_store.lanes=4")), 400 / 4 * 12 * 16);
   load.blocks = 1;
   assert_int_equal(cycles_of_400(PRESET, load, SETTINGS(ALL_HIT, "load_store.lanes=4")), 400 / 4 * 12 * 4);
}

/* One work-group: 40 cycles of instructions; a load after 20 of them, which takes a cycle and the cache's latency, and then
 * 20 more. A store, and nothing waits. */
TEST(latency_of_a_load)
{
   const char *const *slow = SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50");
   const struct load none = {.groups = 1, .instructions = 10};
   struct load one = {.groups = 1, .instructions = 10, .accesses = 1, .blocks = 1};
   assert_int_equal(cycles_of(PRESET, &one, SETTINGS(ALL_HIT)) - cycles_of(PRESET, &none, SETTINGS(ALL_HIT)),
                    20 + 2 + 20 - 40);
   assert_int_equal(cycles_of(PRESET, &one, slow) - cycles_of(PRESET, &none, slow), 20 + 51 + 20 - 40);
   one.operation = CM_STORAGE_STORE;
   assert_int_equal(cycles_of(PRESET, &one, slow) - cycles_of(PRESET, &none, slow), 0);
   /* As many work-groups hide it as are there: one; two. */
   one.operation = CM_STORAGE_LOAD;
   assert_int_equal(cycles_of_400(PRESET, one,
                                  SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50",
                                           "compute_stage.invocations=16")),
                    400 / 4 * (20 + 51 + 20));
   assert_int_equal(cycles_of_400(PRESET, one,
                                  SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50",
                                           "compute_stage.invocations=48")),
                    400 / 4 * 40);
}

TEST(barrier)
{
   const char *const *slow = SETTINGS(ALL_HIT, "caches.load_store_cache.latency=200");
   uint64_t waited;
   /* Loaded after 20 of 40 cycles: 20 + 201 + 20 cycles, more than 4 * 40. */
   const uint64_t without = cycles_of_barrier(PRESET, false, slow, &waited) - 241;
   assert_int_equal(waited, 0);
   /* Loaded after 10 of 20 cycles; then all go on for 4 * 20. The others had done theirs after 40, 60, 80. */
   assert_int_equal(cycles_of_barrier(PRESET, true, slow, &waited) - without, 10 + 201 + 10 + 80);
   assert_int_equal(waited, 3 * 221 - 40 - 60 - 80);
}

/* All atomics are of one word: the bank reads and writes for each. */
TEST(atomics_on_one_address)
{
   const struct load load = {.instructions = 1, .accesses = 1, .blocks = 1, .operation = CM_STORAGE_ATOMIC};
   const uint64_t cycles = cycles_of_400(PRESET, load, SETTINGS("pipeline.l2_bank_cycles=3"));
   assert_in_range(cycles, 400 * 2 * 3, 400 * 2 * 3 + 8);
   /* Each of a block of its own is faster: eight banks. */
   struct load apart = load;
   apart.of_their_own = true;
   assert_true(cycles_of_400(PRESET, apart,
                             SETTINGS("pipeline.l2_bank_cycles=3", "caches.l2.policy=perfect")) < cycles / 3);
}

/* ---- streams ------------------------------------------------------------------ */

TEST(streams)
{
   const struct stream stream = {PRESET, SETTINGS("load_store.mshrs=64", "pipeline.l2_mshrs=256"),
                                 SETTINGS("load_store.mshrs=1"), 51.2, 4};
   check_stream(&stream, false, 1.3);
   check_stream(&stream, true, 1.8);
}

/* What is written back at the end: a block per cycle and cache, through eight banks. */
TEST(write_backs)
{
   struct load load = {
      .groups = 128, .instructions = 1, .accesses = 1, .blocks = 1, .operation = CM_STORAGE_STORE};
   load.of_their_own = true;
   struct cm_storage storage;
   struct pass_builder *pass = make_dispatch(&load, &storage);
   struct cm_gpu *gpu = timed_gpu(PRESET, SETTINGS());
   pass_run(pass, gpu);
   end_frame(gpu);
   assert_int_equal(gpu_total(gpu, "load_store_cache.storage.writebacks"), 128);
   assert_in_range(gpu_total(gpu, "load_store.write_back_cycles"), 128 / 4, 128 / 4 + 16);
   cm_gpu_destroy(gpu);
   gpu = timed_gpu(PRESET, SETTINGS("pipeline.l2_banks=1", "pipeline.l2_bank_cycles=2"));
   pass_run(pass, gpu);
   end_frame(gpu);
   assert_in_range(gpu_total(gpu, "load_store.write_back_cycles"), 128 * 2, 128 * 2 + 16);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* ---- fragments that access storage ---------------------------------------------- */

TEST(quad)
{
   const char *const *slow = SETTINGS(ALL_HIT, "caches.load_store_cache.latency=50");
   const uint64_t none = cycles_of_quad(PRESET, false, CM_STORAGE_LOAD, slow);
   assert_int_equal(cycles_of_quad(PRESET, true, CM_STORAGE_LOAD, slow) - none, 5 + 51 + 5 - 10);
   assert_int_equal(cycles_of_quad(PRESET, true, CM_STORAGE_STORE, slow) - none, 0);
}

/* ---- random passes ---------------------------------------------------------------- */

static const char *const *const random_settings[] = {
   (const char *const[]){"timing=on", NULL},
   (const char *const[]){"timing=on", "mode=tbdr", "fragment_stage.pixel_kill=0", "load_store.lanes=4",
                         "compute_stage.invocations=16", "load_store.mshrs=1", "pipeline.l2_mshrs=1", NULL},
   (const char *const[]){"timing=on", "streams.storage=l2", "caches.load_store_cache.size=0", NULL},
   (const char *const[]){"timing=on", "streams.storage=dram", "load_store.block_cycles=3", NULL},
   (const char *const[]){"timing=on", "caches.load_store_cache.write_miss=allocate",
                         "caches.load_store_cache.size=1024", "fragment_stage.scheduler=least-work", NULL},
};

TEST(random)
{
   check_random_frames(PRESET, random_settings, sizeof random_settings / sizeof random_settings[0], false, 4,
                       11);
}
