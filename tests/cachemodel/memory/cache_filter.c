/* SPDX-License-Identifier: MIT */
/* A cache after a filter that now and then forgets what it knows does the same as one that gets all reads, whatever the policy
 * that allows it; and few reads reach it. */
#include <string.h>

#include "memory/filter.h"
#include "memory/future.h"
#include "support/test.h"

#define ENTRIES 4096
#define SETS 32

/* Policies that have to allow it. Of others a second read of a block may change the state, or each read counts; one that allows it
 * all the same is tried like these. */
static bool
has_to_allow(enum cm_policy policy)
{
   switch (policy) {
   case CM_POLICY_LRU:
   case CM_POLICY_MRU:
   case CM_POLICY_FIFO:
   case CM_POLICY_RANDOM:
   case CM_POLICY_NRU:
   case CM_POLICY_TREE_PLRU:
   case CM_POLICY_TCOR:
   case CM_POLICY_DEAD_LRU:
   case CM_POLICY_PERFECT: return true;
   default: return false;
   }
}

struct setup {
   struct cm_dram drams[2];
   struct cm_cache plain, filtered; /* of the same configuration */
   struct cm_cache filter;          /* in front of `filtered` */
   struct cm_access_stream passed;
   cm_entry entries[ENTRIES];
   uint64_t reads, served;
};

/* What the filter has passed on reaches the cache. */
static void
serve(void *data, struct cm_access_stream *stream)
{
   struct setup *setup = data;
   for (uint32_t i = 0; i < stream->count;) {
      assert_int_equal(cm_entry_unit(stream->entries[i]), CM_UNIT_TEXTURE_CACHE);
      assert_int_equal(cm_entry_instance(stream->entries[i]), 3);
      i += cm_cache_take(&setup->filtered, stream->entries + i, stream->count - i);
   }
   setup->served += stream->count;
   stream->count = 0;
}

static void
read_plain(struct setup *setup, uint64_t block)
{
   cm_cache_access(&setup->plain, block << 6, CM_STREAM_TEXTURE, CM_READ);
   setup->reads++;
}

static void
read_one(struct setup *setup, uint64_t *state)
{
   const uint64_t address = random_below(state, 64 * 300);
   for (unsigned times = 1 + random_below(state, 3); times > 0; times--) {
      read_plain(setup, address >> 6);
      cm_cache_access(&setup->filter, address, CM_STREAM_TEXTURE, CM_READ);
   }
}

static void
read_list(struct setup *setup, uint64_t *state)
{
   uint64_t blocks[16];
   const unsigned count = 1 + random_below(state, 16);
   const uint64_t base = random_below(state, 300);
   for (unsigned i = 0; i < count; i++) {
      blocks[i] = base + random_below(state, 2) + random_below(state, 2) * SETS;
      read_plain(setup, blocks[i]);
   }
   cm_cache_read_sequence(&setup->filter, blocks, count, CM_STREAM_TEXTURE);
}

/* Reads a grid through the filter in the way that it allows. */
static void
filter_grid(struct cm_cache *filter, const struct cm_block_grid *grid, const uint64_t *sequence)
{
   cm_grid_cells cells[16];
   if (cm_cache_read_grid(filter, grid, CM_STREAM_TEXTURE))
      return;
   if (!cm_cache_spreads(filter, grid)) {
      cm_cache_read_sequence(filter, sequence, grid->reads, CM_STREAM_TEXTURE);
      return;
   }
   for (unsigned i = 0; i < grid->reads; i++) {
      unsigned cell = 0;
      while (cm_grid_block(grid, cell % grid->columns, cell / grid->columns) != sequence[i])
         cell++;
      cells[i] = 1u << (2 * (cell / grid->columns) + cell % grid->columns);
   }
   cm_cache_read_spread_grid(filter, grid, cells, grid->reads, CM_STREAM_TEXTURE);
}

/* Some reads of the same grid's blocks up to three times. Some blocks share sets: rows may be powers of two apart. */
static void
read_grid(struct setup *setup, uint64_t *state)
{
   struct cm_block_grid grid = {.block = random_below(state, 300),
                                .column = 1 + random_below(state, 2) * random_below(state, 40),
                                .row = random_below(state, 2) ? 1u << random_below(state, 8)
                                                              : 1 + random_below(state, 70),
                                .columns = 1 + random_below(state, 2),
                                .rows = 1 + random_below(state, 3),
                                .reads = 1 + random_below(state, 16)};
   uint64_t sequence[16];
   for (unsigned r = 0; r < grid.reads; r++)
      sequence[r] = cm_grid_block(&grid, random_below(state, grid.columns), random_below(state, grid.rows));
   for (unsigned times = 1 + random_below(state, 3); times > 0; times--) {
      for (unsigned i = 0; i < grid.reads; i++)
         read_plain(setup, sequence[i]);
      filter_grid(&setup->filter, &grid, sequence);
   }
}

static void
assert_alike(struct setup *setup)
{
   const struct cm_cache *plain = &setup->plain, *filtered = &setup->filtered;
   serve(setup, &setup->passed);
   cm_filter_add_counts(&setup->filter);
   assert_memory_equal(plain->accesses, filtered->accesses, sizeof plain->accesses);
   assert_memory_equal(plain->counts, filtered->counts, sizeof plain->counts);
   assert_memory_equal(&setup->drams[0], &setup->drams[1], sizeof setup->drams[0]);
   assert_memory_equal(plain->lines, filtered->lines, sizeof(cm_line) * plain->sets * plain->ways);
   if (plain->state_bytes)
      assert_memory_equal(plain->state, filtered->state, (size_t)plain->sets * plain->state_bytes);
   if (plain->replacement->shared_bytes)
      assert_memory_equal(plain->shared, filtered->shared, plain->replacement->shared_bytes);
   if (plain->replacement->bank_bytes)
      assert_memory_equal(plain->bank_state, filtered->bank_state,
                          (plain->bank_mask + 1) * plain->replacement->bank_bytes);
}

/* In front of the filtered cache. */
static void
add_filter(struct setup *setup)
{
   setup->passed = (struct cm_access_stream){.entries = setup->entries,
                                             .capacity = ENTRIES,
                                             .take = serve,
                                             .context = setup};
   assert_true(cm_filter_init(&setup->filter, &setup->filtered, &setup->passed,
                              cm_entry_cache(CM_UNIT_TEXTURE_CACHE, 3)));
}

static void
compare(enum cm_policy policy, enum cm_index index, uint32_t ways)
{
   static struct setup setup;
   const struct cm_cache_config config = {.size = SETS * ways * 64,
                                          .ways = ways,
                                          .block = 64,
                                          .instances = 1,
                                          .policy = policy,
                                          .index = index,
                                          .next = CM_UNIT_DRAM};
   uint64_t state = ways + (uint64_t)policy;
   if (cm_policy_needs_future(policy))
      return;
   memset(&setup, 0, sizeof setup);
   assert_true(cm_cache_init(&setup.plain, &config, NULL, &setup.drams[0]));
   assert_true(cm_cache_init(&setup.filtered, &config, NULL, &setup.drams[1]));
   setup.plain.unit = setup.filtered.unit = CM_UNIT_TEXTURE_CACHE;
   const bool allows = cm_filter_suits(&setup.filtered);
   assert_true(allows || !has_to_allow(policy));
   add_filter(&setup);
   for (unsigned round = 0; round < test_rounds(20000); round++) {
      static void (*const read[])(struct setup *, uint64_t *) = {read_one, read_list, read_grid};
      read[random_below(&state, 3)](&setup, &state);
      if (round % 50 == 49)
         cm_filter_forget(&setup.filter);
      if (round % 500 == 499)
         assert_alike(&setup);
   }
   assert_alike(&setup);
   if (allows)
      assert_true(setup.served < setup.reads / 2);
   else
      assert_int_equal(setup.served, setup.reads);
   cm_filter_finish(&setup.filter);
   cm_cache_finish(&setup.plain);
   cm_cache_finish(&setup.filtered);
}

TEST(policies)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      compare((enum cm_policy)policy, CM_INDEX_MODULO, 4);
      compare((enum cm_policy)policy, CM_INDEX_XOR, 8);
   }
}

/* By hand: of one set, blocks 0, 0, SETS, SETS, 0. Three differ from the one before. After a filter has forgotten all, the same
 * block is passed on again. */
TEST(example)
{
   static const uint64_t blocks[] = {0, 0, SETS, SETS, 0};
   static struct setup setup;
   const struct cm_cache_config config = {
      .size = SETS * 4 * 64, .ways = 4, .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
   assert_true(cm_cache_init(&setup.filtered, &config, NULL, &setup.drams[1]));
   add_filter(&setup);
   cm_cache_read_sequence(&setup.filter, blocks, 5, CM_STREAM_TEXTURE);
   assert_int_equal(setup.passed.count, 3);
   cm_cache_read_sequence(&setup.filter, blocks, 1, CM_STREAM_TEXTURE);
   assert_int_equal(setup.passed.count, 3);
   cm_filter_forget(&setup.filter);
   cm_cache_read_sequence(&setup.filter, blocks, 1, CM_STREAM_TEXTURE);
   assert_int_equal(setup.passed.count, 4);
   for (uint32_t e = 0; e < 4; e++)
      assert_int_equal(cm_entry_address(setup.entries[e]), e == 1 ? SETS * 64 : 0);
   serve(&setup, &setup.passed);
   cm_filter_add_counts(&setup.filter);
   assert_int_equal(cm_cache_counter(&setup.filtered, CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS), 7);
   assert_int_equal(cm_cache_counter(&setup.filtered, CM_STREAM_TEXTURE, CM_CACHE_EVENT_HITS), 5);
   cm_filter_finish(&setup.filter);
   cm_cache_finish(&setup.filtered);
}
