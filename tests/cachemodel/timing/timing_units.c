/* SPDX-License-Identifier: MIT */
/* Time of units on the access stream, in both pipelines: a unit that passes everything on is a longer latency of the
 * cache after it; a hit takes a port and the unit's latency; what the unit adds is not waited for; a GPU with a
 * unit counts the same with its timing. */
#include <stdlib.h>

#include "gpu/gpu_config.h"
#include "support/random_pass.h"
#include "support/test.h"
#include "timing/immediate/memory.h"
#include "timing/tiled/memory.h"

enum { ACCESSES = 4000, LATENCY = 7, BLOCKS = 5000 };

#define UNIT(before)                                                                     \
   "access_units.victim_buffer.before=" before, "access_units.victim_buffer.entries=16", \
      "access_units.victim_buffer.latency=7"

/* ---- the memory sides ---------------------------------------------------- */

struct side {
   struct cm_config *config;
   struct cm_pool pool;
   bool is_immediate;
   enum cm_unit cache;
   struct cm_tiled_memory tiled;
   struct cm_mshrs mshrs;
   struct cm_immediate_memory immediate;
};

static void
init_side(struct side *side, bool is_immediate, const char *const settings[])
{
   *side = (struct side){.is_immediate = is_immediate, .cache = is_immediate ? CM_UNIT_LLC : CM_UNIT_L2};
   side->config = test_config_of(is_immediate ? "imr-8m" : "tcor-baseline-64k", settings);
   if (is_immediate) {
      assert_true(cm_immediate_memory_init(&side->immediate, side->config, &side->pool));
   } else {
      assert_true(cm_tiled_memory_init(&side->tiled, side->config, NULL, &side->pool));
      cm_mshrs_init(&side->mshrs, 64, false, &side->pool);
   }
}

static void
finish_side(struct side *side)
{
   if (side->is_immediate)
      cm_memory_finish(&side->immediate.base);
   else
      cm_memory_finish(&side->tiled.base);
   cm_pool_finish(&side->pool);
   cm_config_destroy(side->config);
}

/* When all that an access waits for is there. */
static uint64_t
run(struct side *side, const cm_entry *tokens, unsigned count, uint64_t cycle)
{
   struct cm_dependency wait;
   cm_dependency_begin(&wait, cycle);
   if (side->is_immediate) {
      cm_immediate_memory_run(&side->immediate, tokens, tokens + count, cycle, &wait);
      return cm_dependency_resolve(&side->immediate.base, &wait);
   }
   cm_tiled_memory_misses(&side->tiled, tokens, tokens + count, cycle, &side->mshrs, &wait);
   return cm_dependency_resolve(&side->tiled.base, &wait);
}

static cm_entry
at_unit(cm_entry access)
{
   return cm_entry_make(CM_ENTRY_UNIT_ACCESS, CM_ACCESS_UNIT_VICTIM_BUFFER, cm_entry_kind(access),
                        cm_entry_stream(access), cm_entry_value(access));
}

/* The LLC does not stall for misses. */
#define ONE_BANK_LLC                                                                            \
   "llc.banks=1", "immediate_pipeline.llc_clock_mhz=1600", "immediate_pipeline.llc_mshrs=1024", \
      "immediate_pipeline.llc_writes=1024"

/* A unit that passes on all that arrives, one access per cycle, before a cache of one bank. */
static void
check_unit_as_latency(bool is_immediate)
{
   static const char *const with[2][8] = {{UNIT("l2"), "pipeline.l2_banks=1", NULL},
                                          {UNIT("llc"), ONE_BANK_LLC, NULL}};
   static const char *const longer[2][6] = {{"pipeline.l2_banks=1", "l2.latency=19", NULL},
                                            {ONE_BANK_LLC, "llc.latency=15", NULL}};
   struct side unit, plain;
   init_side(&unit, is_immediate, with[is_immediate]);
   init_side(&plain, is_immediate, longer[is_immediate]);
   const cm_entry cache = cm_entry_cache(unit.cache, 0);
   uint64_t state = 3, cycle = 0, slowest = 0;
   for (unsigned i = 0; i < ACCESSES; i++) {
      const uint64_t address = (uint64_t)random_below(&state, BLOCKS) * 64;
      const enum cm_access access = random_below(&state, 4) ? CM_READ : CM_WRITE;
      const cm_entry first = cm_entry_access(cache, access, CM_STREAM_COLOR, address);
      cm_entry tokens[8] = {at_unit(first), first};
      unsigned count = 2;
      if (random_below(&state, 3) == 0)
         tokens[count++] = cm_entry_dram(false, CM_STREAM_COLOR, address, 64);
      if (random_below(&state, 9) == 0)
         tokens[count++] = cm_entry_dram(true, CM_STREAM_COLOR, address + 64 * BLOCKS, 64);
      const uint64_t done = run(&unit, tokens, count, cycle);
      assert_int_equal(done, run(&plain, tokens + 1, count - 1, cycle));
      slowest = done - cycle > slowest ? done - cycle : slowest;
      cycle += i % 32 ? random_below(&state, 3) : 1500; /* DRAM keeps up */
   }
   assert_in_range(slowest, 60, 100000);
   finish_side(&unit);
   finish_side(&plain);
}

TEST(unit_as_latency)
{
   check_unit_as_latency(false);
   check_unit_as_latency(true);
}

/* Reads that hit in the unit, several in a cycle: each takes the next free cycle of its port. What the unit adds, a
 * write-back and a prefetch that misses, delays nothing. */
static void
check_hits(bool is_immediate)
{
   static const char *const with[2][4] = {{UNIT("l2"), NULL}, {UNIT("llc"), NULL}};
   struct side side;
   init_side(&side, is_immediate, with[is_immediate]);
   const cm_entry cache = cm_entry_cache(side.cache, 0);
   uint64_t state = 8, cycle = 0;
   bool taken[ACCESSES * 3] = {false};
   for (unsigned i = 0; i < ACCESSES; i++) {
      const uint64_t address = (uint64_t)random_below(&state, BLOCKS) * 64, next = address + 64 * BLOCKS;
      const cm_entry tokens[] = {
         at_unit(cm_entry_access(cache, CM_READ, CM_STREAM_COLOR, address)),
         cm_entry_access(cache, CM_WRITE, CM_STREAM_COLOR, next),
         cm_entry_access(cache, CM_READ, CM_STREAM_COLOR, next),
         cm_entry_dram(false, CM_STREAM_COLOR, next, 64),
      };
      uint64_t port = cycle;
      while (taken[port])
         port++;
      taken[port] = true;
      assert_int_equal(run(&side, tokens, 1 + random_below(&state, 4), cycle), port + LATENCY);
      cycle += random_below(&state, 4);
   }
   finish_side(&side);
}

TEST(hits)
{
   check_hits(false);
   check_hits(true);
}

/* What a unit writes back with no access before it, when its blocks are invalidated, is issued then, and not when an
 * access before it was served: a read after it waits for the bank. */
static void
check_write_back_alone(bool is_immediate)
{
   static const char *const with[2][8] = {{UNIT("l2"), "pipeline.l2_banks=1", "pipeline.l2_bank_cycles=5",
                                           NULL},
                                          {UNIT("llc"), ONE_BANK_LLC, NULL}};
   struct side side;
   init_side(&side, is_immediate, with[is_immediate]);
   const cm_entry cache = cm_entry_cache(side.cache, 0);
   const uint64_t latency = side.config->caches[side.cache].latency, busy = is_immediate ? 1 : 5;
   for (uint64_t cycle = 1000; cycle < 2000; cycle += 100) {
      const cm_entry read = cm_entry_access(cache, CM_READ, CM_STREAM_COLOR, cycle * 64),
                     write = cm_entry_access(cache, CM_WRITE, CM_STREAM_COLOR, 64);
      const cm_entry earlier[] = {at_unit(read), read}, tokens[] = {write, at_unit(read), read};
      assert_int_equal(run(&side, earlier, 2, cycle - 50),
                       cycle - 50 + LATENCY + latency + (is_immediate ? 0 : 3));
      run(&side, tokens, 1, cycle + LATENCY);
      assert_int_equal(run(&side, tokens + 1, 2, cycle),
                       cycle + LATENCY + (is_immediate ? busy : 3 + 5) + latency);
   }
   finish_side(&side);
}

TEST(write_back_alone)
{
   check_write_back_alone(false);
   check_write_back_alone(true);
}

/* ---- whole GPUs ---------------------------------------------------------- */

static struct cm_gpu *
simulate(const char *const settings[], const char *timing)
{
   char error[512];
   struct cm_config *config = test_config(settings);
   assert_true(cm_config_set(config, timing, error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   define_random_resources(gpu);
   uint64_t state = 4;
   for (uint32_t frame = 0; frame < 24; frame++) {
      struct pass_builder *pass = random_pass(&state, frame);
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
      assert_true(cm_gpu_is_complete(gpu));
   }
   cm_config_destroy(config);
   return gpu;
}

static uint64_t
value(struct cm_gpu *gpu, const char *name)
{
   const int counter = cm_counter_table_find(cm_gpu_counters(gpu), name);
   assert_true(counter >= 0);
   return cm_gpu_total(gpu)[counter];
}

TEST(gpus)
{
   static const char *const settings[] = {UNIT("l2"), "streams.color=l2", "l2.size=65536", NULL};
   static const char *const slow[] = {UNIT("l2"), "streams.color=l2", "l2.size=65536",
                                      "access_units.victim_buffer.latency=900", NULL};
   struct cm_gpu *off = simulate(settings, "timing=off"), *on = simulate(settings, "timing=on"),
                 *slower = simulate(slow, "timing=on");
   const struct cm_counter_table *table = cm_gpu_counters(off);
   for (uint32_t c = 0; c < table->count; c++) {
      const char *name = table->counters[c].name;
      assert_int_equal(cm_gpu_total(off)[c], value(on, name));
      assert_int_equal(cm_gpu_total(off)[c], value(slower, name));
   }
   assert_true(value(on, "victim_buffer.read_hits") > 10);
   assert_true(value(slower, "gpu.cycles") > value(on, "gpu.cycles") + 1000);
   cm_gpu_destroy(off);
   cm_gpu_destroy(on);
   cm_gpu_destroy(slower);
}
