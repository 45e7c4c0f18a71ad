/* SPDX-License-Identifier: MIT */
/* What both timings' memory sides are made of, against naive references on random inputs: tables of misses against a
 * list that is searched, waits against completions of the same requests asked for one by one, banks against slots that
 * are looked at one after another. */
#include <stdlib.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "timing/memory.h"

static void
init_memory(struct cm_memory *memory, uint32_t wait_tickets, uint32_t wait_resolves, struct cm_pool *pool)
{
   struct cm_config *config = test_config_of("imr-8m", (const char *const[]){NULL});
   assert_true(cm_memory_init(memory, config, wait_tickets, wait_resolves, pool));
   cm_config_destroy(config);
}

/* ---- tables of misses ---------------------------------------------------- */

enum { ENTRIES = 37, BLOCKS = 50, STEPS = 20000 };

/* Entry by entry the block it was given, and when; the latest before a time that has a block. */
struct naive_mshrs {
   uint64_t block[ENTRIES];
   uint32_t given[ENTRIES];
};

static uint16_t
find_latest(const struct naive_mshrs *naive, uint64_t block, uint32_t before)
{
   uint16_t latest = CM_NO_MSHR;
   for (uint16_t e = 0; e < ENTRIES; e++) {
      if (naive->given[e] && naive->given[e] < before && naive->block[e] == block &&
          (latest == CM_NO_MSHR || naive->given[e] > naive->given[latest]))
         latest = e;
   }
   return latest;
}

TEST(indexed_table)
{
   uint64_t random = 1;
   struct cm_pool pool = {0};
   struct cm_mshrs mshrs;
   struct naive_mshrs naive = {{0}, {0}};
   cm_mshrs_init(&mshrs, ENTRIES, true, &pool);
   assert_false(pool.out_of_memory);
   for (uint32_t step = 1; step <= STEPS; step++) {
      const uint32_t entry = random_below(&random, ENTRIES);
      naive.block[entry] = (uint64_t)random_below(&random, BLOCKS) << random_below(&random, 2) * 30;
      naive.given[entry] = step;
      cm_mshrs_set_block(&mshrs, &mshrs.entries[entry], naive.block[entry]);
      const uint64_t wanted = random_below(&random, BLOCKS);
      uint16_t at = cm_mshrs_find(&mshrs, wanted), expected = find_latest(&naive, wanted, UINT32_MAX);
      assert_int_equal(at, expected);
      while (at != CM_NO_MSHR) {
         expected = find_latest(&naive, wanted, naive.given[at]);
         at = cm_mshrs_find_next(&mshrs, at);
         assert_int_equal(at, expected);
      }
   }
   cm_pool_finish(&pool);
}

/* What is outstanding is found, what has arrived is forgotten; most of what never was outstanding is known at once. */
TEST(filtered_table)
{
   uint64_t random = 2;
   struct cm_memory memory;
   struct cm_pool pool = {0};
   struct cm_mshrs mshrs;
   init_memory(&memory, CM_DEPENDENCY_TICKETS, 1, &pool);
   cm_mshrs_init(&mshrs, ENTRIES, false, &pool);
   assert_false(pool.out_of_memory);
   uint64_t cycle = 0;
   uint32_t false_alarms = 0;
   for (uint32_t step = 0; step < STEPS; step++) {
      cycle += random_below(&random, 20);
      const uint64_t block = random_below(&random, BLOCKS);
      uint64_t expected = 0;
      for (uint32_t e = 0; e < ENTRIES; e++) {
         const struct cm_mshr *entry = &mshrs.entries[e];
         if (entry->block == block && entry->fill.time > cycle)
            expected = cm_later(expected, entry->fill.time);
      }
      struct cm_dependency wait;
      cm_dependency_begin(&wait, 0);
      bool has = false;
      for (uint32_t e = 0; e < ENTRIES; e++)
         has |= mshrs.entries[e].block == block;
      const bool may_have = cm_mshrs_may_have(&mshrs, block);
      assert_true(may_have || !has);
      false_alarms += may_have && !has;
      if (may_have)
         cm_mshrs_add_pending(&memory, &mshrs, block, cycle, &wait);
      assert_int_equal(wait.time, expected);
      for (uint32_t e = 0; e < ENTRIES; e++)
         assert_false(mshrs.entries[e].block == block && mshrs.entries[e].fill.time <= cycle);

      uint64_t begin = cycle, soonest = UINT64_MAX;
      for (uint32_t e = 0; e < ENTRIES; e++)
         soonest = mshrs.entries[e].fill.time < soonest ? mshrs.entries[e].fill.time : soonest;
      uint64_t asked = cycle;
      const bool has_free = cm_mshrs_has_free(&memory, &mshrs, &asked);
      assert_true(has_free == (soonest <= cycle));
      assert_int_equal(asked, has_free ? cycle : soonest);
      struct cm_mshr *taken = cm_mshrs_alloc(&memory, &mshrs, &begin);
      assert_int_equal(begin, cm_later(cycle, soonest));
      assert_true(taken->fill.time <= begin);
      cm_mshrs_set_block(&mshrs, taken, block);
      taken->fill =
         (struct cm_arrival){.time = begin + 1 + random_below(&random, 600), .ticket = CM_NO_TICKET};
   }
   /* A bucket is another block's, too, by chance. */
   assert_in_range(false_alarms, 0, STEPS / 4);
   cm_pool_finish(&pool);
   cm_memory_finish(&memory);
}

/* ---- waits --------------------------------------------------------------- */

enum { READS = 600 };

/* Random reads, in the order of time. */
static void
submit_reads(struct cm_memory *memory, cm_dram_ticket *tickets)
{
   uint64_t random = 3, cycle = 0;
   for (uint32_t r = 0; r < READS; r++) {
      cycle += random_below(&random, 12);
      const uint64_t address = (uint64_t)random_below(&random, 1 << 16) * 64;
      tickets[r] =
         cm_memory_submit(memory, cm_entry_dram(false, CM_STREAM_TEXTURE, address, 64), false, cycle);
   }
}

/* A wait is for the latest of all that was added, however many it remembers; whether that is known is no other time. */
static void
check_waits(uint32_t wait_tickets, uint32_t wait_resolves)
{
   uint64_t random = 4;
   struct cm_memory memory, reference;
   struct cm_pool pool = {0};
   cm_dram_ticket tickets[READS], same[READS];
   init_memory(&memory, wait_tickets, wait_resolves, &pool);
   init_memory(&reference, 1, 1, &pool);
   submit_reads(&memory, tickets);
   submit_reads(&reference, same);
   for (uint32_t first = 0; first + 40 <= READS; first += 40) {
      const uint64_t begin = random_below(&random, 100);
      uint64_t expected = begin;
      struct cm_dependency wait;
      cm_dependency_begin(&wait, begin);
      for (uint32_t n = random_below(&random, 40); n > 0; n--) {
         const uint32_t read = first + random_below(&random, 40), after = random_below(&random, 2000);
         const struct cm_arrival arrival = {.time = random_below(&random, 100), .ticket = tickets[read]};
         cm_dependency_add(&memory, &wait, &arrival, after);
         assert_in_range(wait.num_tickets, 1, wait_tickets);
         expected = cm_later(expected, arrival.time + after);
         expected = cm_later(expected, cm_memory_ticket(&reference, same[read]) + after);
      }
      struct cm_dependency copy = wait;
      if (first / 40 % 2 && cm_dependency_is_known_at(&memory, &copy, expected + 100000)) {
         assert_int_equal(copy.time, expected);
         assert_int_equal(copy.num_tickets, 0);
      }
      assert_int_equal(cm_dependency_resolve(&memory, &wait), expected);
      assert_int_equal(cm_dependency_resolve(&memory, &wait), expected);
   }
   cm_memory_finish(&memory);
   cm_memory_finish(&reference);
   cm_pool_finish(&pool);
}

TEST(waits)
{
   check_waits(6, 1);
   check_waits(CM_DEPENDENCY_TICKETS, CM_DEPENDENCY_TICKETS);
}

/* ---- banks --------------------------------------------------------------- */

TEST(banks)
{
   enum { BANKS = 3, SLOTS = 4000 };
   static bool taken[BANKS][SLOTS];
   uint64_t random = 5;
   struct cm_pool pool = {0};
   struct cm_banks banks;
   cm_banks_init(&banks, BANKS, 6, &pool);
   assert_false(pool.out_of_memory);
   for (uint32_t n = 0; n < 2000; n++) {
      const uint64_t address = random_below(&random, 1 << 20);
      uint32_t slot = n / 2 + random_below(&random, 64);
      const uint64_t begin = cm_banks_take(&banks, address, slot);
      while (taken[address / 64 % BANKS][slot])
         slot++;
      taken[address / 64 % BANKS][slot] = true;
      assert_int_equal(begin, slot);
   }
   cm_pool_finish(&pool);
}
