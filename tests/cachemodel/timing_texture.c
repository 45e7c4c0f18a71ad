/* SPDX-License-Identifier: MIT */
/* The texture caches' way to the L2 in time, against naive references in which every resource is a list of the cycles
 * that are taken. */
#include <stdlib.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "timing/tiled/texture.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* The texture units by themselves. */
struct units {
   struct cm_config *config;
   struct cm_pool pool;
   struct cm_tiled_memory memory;
   struct cm_texture_timing texture;
};

static struct units *
units_new(const char *const *settings)
{
   struct units *units = calloc(1, sizeof *units);
   units->config = test_config(settings);
   assert_true(cm_tiled_memory_init(&units->memory, units->config, NULL, &units->pool));
   cm_texture_timing_init(&units->texture, &units->memory, units->config->fragment_stage.processors, 4,
                          &units->pool);
   assert_false(units->pool.out_of_memory);
   return units;
}

static void
units_free(struct units *units)
{
   cm_tiled_memory_finish(&units->memory);
   cm_pool_finish(&units->pool);
   cm_config_destroy(units->config);
   free(units);
}

/* What happens to a block that a processor reads. */
enum outcome { HIT, HIT_IN_L2, MISS };

/* A quad reads one block from a cycle on, and all units go on until nothing is left to do. When it has the block. */
static uint64_t
read_block(struct units *units, uint32_t processor, uint64_t address, enum outcome outcome, uint64_t cycle)
{
   const cm_entry tokens[] = {
      cm_entry_make(CM_ENTRY_GROUP, 0, 0, CM_STREAM_TEXTURE, 1),
      cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_TEXTURE_CACHE, 0, CM_STREAM_TEXTURE,
                    address >> CM_ENTRY_ADDRESS_SHIFT),
      cm_entry_make(CM_ENTRY_READ, CM_UNIT_L2, 0, CM_STREAM_TEXTURE, address >> CM_ENTRY_ADDRESS_SHIFT),
      cm_entry_dram(false, CM_STREAM_TEXTURE, address, 64),
   };
   struct cm_wait wait;
   bool pending;
   uint64_t clock;
   cm_wait_begin(&wait, 0);
   cm_texture_timing_quad(&units->texture, processor, tokens, tokens + 2 + outcome, cycle, 1, &wait,
                          &pending);
   while (cm_texture_timing_ready(&units->texture, &clock))
      cm_texture_timing_step(&units->texture);
   assert_false(pending);
   return cm_wait_resolve(&units->memory.base, &wait);
}

/* ---- the bus --------------------------------------------------------------- */

enum { CYCLES = 40000, BANKS = 8, READS = 3000 };

/* The first of so many cycles, at a multiple of their number, that are not taken; takes them. */
static uint64_t
first_free(bool *taken, uint64_t from, uint64_t cycles)
{
   uint64_t begin = (from + cycles - 1) / cycles * cycles;
   for (; taken[begin]; begin += cycles)
      ;
   assert_true(begin + cycles < CYCLES);
   memset(taken + begin, true, cycles);
   return begin;
}

/* Blocks that the L2 has, read by all processors at about the same time: the ports of the caches, the banks of the L2,
 * then the bus, each block after block. */
static void
check_bus(const char *width, uint64_t cycles, const char *delay, uint64_t latency)
{
   struct units *units = units_new(SETTINGS("pipeline.texture_mshrs=256", width, delay));
   static bool bank_taken[BANKS][CYCLES], bus_taken[CYCLES];
   const uint64_t own = units->config->caches[CM_UNIT_TEXTURE_CACHE].latency,
                  l2 = units->config->caches[CM_UNIT_L2].latency;
   uint64_t random = cycles * 100 + latency, port[64] = {0}, waits = 0, now = 0;
   memset(bank_taken, 0, sizeof bank_taken);
   memset(bus_taken, 0, sizeof bus_taken);
   for (uint64_t r = 0; r < READS; r++) {
      const uint32_t processor = random_below(&random, units->config->fragment_stage.processors);
      const uint64_t block = random_below(&random, 1 << 20) * 2 + 2;
      now += random_below(&random, 2 * (uint32_t)cycles + 1);
      port[processor] = (port[processor] > now ? port[processor] : now) + 1;
      uint64_t at = first_free(bank_taken[block % BANKS], port[processor] + own, 1) + l2;
      if (cycles) {
         const uint64_t begin = first_free(bus_taken, at, cycles);
         waits += begin - at;
         at = begin + cycles;
      }
      assert_int_equal(read_block(units, processor, block * 64, HIT_IN_L2, now), at + latency);
   }
   assert_int_equal(units->memory.texture_bus.waits, waits);
   assert_true(!cycles || waits > 1000);
   units_free(units);
}

static void
test_bus(void **unused)
{
   check_bus("texture_bus.bytes_per_cycle=0", 0, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=0", 0, "texture_bus.latency=9", 9);
   check_bus("texture_bus.bytes_per_cycle=64", 1, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=256", 1, "texture_bus.latency=2", 2);
   check_bus("texture_bus.bytes_per_cycle=32", 2, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=8", 8, "texture_bus.latency=3", 3);
}

/* A block from memory comes over the bus, too, and so does one that hits while it is under way. */
static void
test_bus_from_memory(void **unused)
{
   struct units *without = units_new(SETTINGS()),
                *with = units_new(SETTINGS("texture_bus.bytes_per_cycle=16", "texture_bus.latency=5"));
   for (uint64_t n = 0; n < 50; n++) {
      const uint64_t address = 4096 + n * 8192, cycle = 1000 * n;
      const uint64_t miss = read_block(without, 0, address, MISS, cycle),
                     late = read_block(with, 0, address, MISS, cycle);
      /* Turns begin at multiples of four cycles. */
      assert_in_range(late - miss, 4 + 5, 3 + 4 + 5);
      assert_int_equal(read_block(without, 0, address, HIT, cycle + 3), miss);
      assert_int_equal(read_block(with, 0, address, HIT, cycle + 3), late);
      assert_true(read_block(with, 0, address, HIT, late) < late + 5);
   }
   units_free(without);
   units_free(with);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bus),
      cmocka_unit_test(test_bus_from_memory),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
