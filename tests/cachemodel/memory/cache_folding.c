/* SPDX-License-Identifier: MIT */
/* Folding changes no counter, whatever the policy: a cache that may fold, sequences and
 * grids of reads, and a cache whose fold is taken away after each access, do the same. */
#include <string.h>

#include "memory/future.h"
#include "memory/next_use.h"
#include "support/test.h"

/* Policies that have to fold, and to count grids of settled blocks alone. Others may: what they do has to be as exact. */
static bool
has_to_fold(enum cm_policy policy)
{
   switch (policy) {
   case CM_POLICY_LRU:
   case CM_POLICY_MRU:
   case CM_POLICY_FIFO:
   case CM_POLICY_RANDOM:
   case CM_POLICY_NRU:
   case CM_POLICY_TREE_PLRU:
   case CM_POLICY_SRRIP:
   case CM_POLICY_SRRIP4:
   case CM_POLICY_BRRIP:
   case CM_POLICY_BRRIP4:
   case CM_POLICY_DRRIP:
   case CM_POLICY_DRRIP4:
   case CM_POLICY_GS_DRRIP:
   case CM_POLICY_GS_DRRIP4:
   case CM_POLICY_TCOR:
   case CM_POLICY_DEAD_LRU: return true;
   default: return false;
   }
}

/* Whether a policy takes a number of sets that is no power of two. */
static bool
takes_any_sets(enum cm_policy policy)
{
   return !cm_policy_samples(policy) && policy != CM_POLICY_DRRIP && policy != CM_POLICY_DRRIP4 &&
          policy != CM_POLICY_GS_DRRIP && policy != CM_POLICY_GS_DRRIP4;
}

/* Two caches alike. */
struct pair {
   struct cm_dram drams[2];
   struct cm_cache folding, plain;
};

static void
access_plain(struct pair *pair, uint64_t address, enum cm_stream stream, enum cm_access access)
{
   pair->plain.folded_block = CM_NO_BLOCK;
   cm_cache_access(&pair->plain, address, stream, access);
}

static void
assert_alike(const struct pair *pair)
{
   const struct cm_cache *plain = &pair->plain;
   assert_memory_equal(pair->folding.accesses, plain->accesses, sizeof plain->accesses);
   assert_memory_equal(pair->folding.counts, plain->counts, sizeof plain->counts);
   assert_memory_equal(&pair->drams[0], &pair->drams[1], sizeof pair->drams[0]);
   assert_memory_equal(pair->folding.lines, plain->lines, sizeof(cm_line) * plain->sets * plain->ways);
   if (plain->state_bytes)
      assert_memory_equal(pair->folding.state, plain->state, (size_t)plain->sets * plain->state_bytes);
   if (plain->replacement->shared_bytes)
      assert_memory_equal(pair->folding.shared, plain->shared, plain->replacement->shared_bytes);
   if (plain->replacement->bank_bytes)
      assert_memory_equal(pair->folding.bank_state, plain->bank_state,
                          (plain->bank_mask + 1) * plain->replacement->bank_bytes);
}

static void
drop_some(struct pair *pair, uint64_t *state, uint32_t bytes)
{
   const uint64_t begin = random_below(state, bytes), end = begin + 1 + random_below(state, bytes / 8);
   cm_cache_invalidate(&pair->folding, begin, end);
   cm_cache_invalidate(&pair->plain, begin, end);
}

/* Accesses one at a time. How many were folded. */
static unsigned
drive_accesses(struct pair *pair, uint32_t ways)
{
   uint64_t state = ways;
   unsigned folded = 0;
   for (unsigned i = 0; i < test_rounds(50000); i++) {
      const uint64_t address = random_below(&state, 1024 * (ways + 1));
      const unsigned repetitions = 1 + random_below(&state, 3);
      for (unsigned r = 0; r < repetitions; r++) {
         const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
         const enum cm_access access = (enum cm_access)random_below(&state, 3);
         folded += address >> 6 == pair->folding.folded_block;
         cm_cache_access(&pair->folding, address, stream, access);
         access_plain(pair, address, stream, access);
      }
      if (i % 1000 == 999)
         drop_some(pair, &state, 1024 * (ways + 1));
   }
   return folded;
}

static unsigned
drive_sequences(struct pair *pair, uint32_t ways)
{
   uint64_t state = ways;
   for (unsigned round = 0; round < test_rounds(3000); round++) {
      uint64_t blocks[32];
      const unsigned count = 1 + random_below(&state, 32);
      const uint64_t base = random_below(&state, 32 * ways);
      for (unsigned i = 0; i < count; i++) {
         blocks[i] = base + random_below(&state, 3) + random_below(&state, 3) * 16;
         access_plain(pair, blocks[i] << 6, CM_STREAM_TEXTURE, CM_READ);
      }
      cm_cache_read_sequence(&pair->folding, blocks, count, CM_STREAM_TEXTURE);
   }
   return 0;
}

/* Reads a grid in the way that the cache allows. Whether the reads were only counted. */
static bool
read_grid(struct cm_cache *cache, const struct cm_block_grid *grid, const uint64_t *sequence)
{
   cm_grid_cells cells[16];
   if (cm_cache_read_grid(cache, grid, CM_STREAM_TEXTURE))
      return true;
   if (!cm_cache_spreads(cache, grid)) {
      cm_cache_read_sequence(cache, sequence, grid->reads, CM_STREAM_TEXTURE);
      return false;
   }
   for (unsigned i = 0; i < grid->reads; i++) {
      unsigned cell = 0;
      while (cm_grid_block(grid, cell % grid->columns, cell / grid->columns) != sequence[i])
         cell++;
      cells[i] = 1u << (2 * (cell / grid->columns) + cell % grid->columns);
   }
   cm_cache_read_spread_grid(cache, grid, cells, grid->reads, CM_STREAM_TEXTURE);
   return false;
}

/* Some reads of the blocks of a grid; the second and third time, most of it is
 * settled. How many grids were only counted. */
static unsigned
drive_grids(struct pair *pair, uint32_t ways)
{
   uint64_t state = ways;
   unsigned settled = 0;
   for (unsigned round = 0; round < test_rounds(4000); round++) {
      struct cm_block_grid grid = {.block = random_below(&state, 128 * ways),
                                   .column = round % 2 ? 1 : 1 + random_below(&state, 40),
                                   .row = round % 4 < 2 ? 1 + random_below(&state, 128)
                                                        : 1u << random_below(&state, 8),
                                   .columns = 1 + random_below(&state, 2),
                                   .rows = 1 + random_below(&state, 3),
                                   .reads = 1 + random_below(&state, 16)};
      uint64_t sequence[16];
      for (unsigned r = 0; r < grid.reads; r++)
         sequence[r] =
            cm_grid_block(&grid, random_below(&state, grid.columns), random_below(&state, grid.rows));
      for (unsigned time = 0; time < 3; time++) {
         for (unsigned i = 0; i < grid.reads; i++)
            access_plain(pair, sequence[i] << 6, CM_STREAM_TEXTURE, CM_READ);
         settled += read_grid(&pair->folding, &grid, sequence);
      }
   }
   return settled;
}

typedef unsigned (*drive)(struct pair *pair, uint32_t ways);

/* One pass over what `run` does, which collects next uses or simulates. */
static unsigned
run_pass(const struct cm_cache_config *config, drive run, struct cm_next_use uses[2], bool collect)
{
   struct pair pair;
   memset(&pair, 0, sizeof pair);
   assert_true(cm_cache_init(&pair.folding, config, NULL, &pair.drams[0]));
   assert_true(cm_cache_init(&pair.plain, config, NULL, &pair.drams[1]));
   void (*use)(struct cm_cache *, struct cm_next_use *) = collect ? cm_cache_collect : cm_cache_set_future;
   use(&pair.folding, &uses[0]);
   use(&pair.plain, &uses[1]);
   const unsigned result = run(&pair, config->ways);
   if (!collect)
      assert_alike(&pair);
   cm_cache_finish(&pair.folding);
   cm_cache_finish(&pair.plain);
   return result;
}

static unsigned
check(enum cm_policy policy, uint32_t sets, uint32_t ways, enum cm_index index, drive run)
{
   const struct cm_cache_config config = {
      .size = 64 * sets * ways,
      .ways = ways,
      .block = 64,
      .instances = 1,
      .policy = policy,
      .index = index,
      .next = CM_UNIT_DRAM,
   };
   struct cm_next_use uses[2];
   cm_next_use_init(&uses[0]);
   cm_next_use_init(&uses[1]);
   if (cm_policy_needs_future(policy)) {
      run_pass(&config, run, uses, true);
      cm_next_use_rewind(&uses[0]);
      cm_next_use_rewind(&uses[1]);
   }
   const unsigned result = run_pass(&config, run, uses, false);
   for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(uses[i].position, uses[i].count);
      cm_next_use_free(&uses[i]);
   }
   return result;
}

TEST(folding_is_exact)
{
   static const uint32_t ways[] = {1, 2, 4, 8, 16};
   for (unsigned p = 0; p < CM_POLICY_COUNT; p++) {
      const enum cm_policy policy = (enum cm_policy)p;
      unsigned grids = 0;
      for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
         const unsigned folded = check(policy, 8, ways[w], CM_INDEX_MODULO, drive_accesses);
         assert_true(folded > test_rounds(10000) || !has_to_fold(policy));
         check(policy, 16, ways[w], CM_INDEX_XOR, drive_sequences);
         grids += check(policy, 64, ways[w], CM_INDEX_MODULO, drive_grids);
         if (takes_any_sets(policy)) {
            check(policy, 7, ways[w], CM_INDEX_MODULO, drive_accesses);
            check(policy, 48, ways[w], CM_INDEX_MODULO, drive_grids);
         }
         check(policy, 64, ways[w], CM_INDEX_IPOLY, drive_grids);
      }
      assert_true(grids > 1000 || !(has_to_fold(policy) || policy == CM_POLICY_PERFECT));
   }
}

/* ---- batches of accesses --------------------------------------------------- */

#define BATCH_ENTRIES 300

/* Accesses of all kinds to the cache `entry` names; after some of them something else. Returns how many are accesses. */
static uint32_t
random_batch(cm_entry entries[BATCH_ENTRIES], cm_entry entry, uint32_t ways, uint64_t *state)
{
   const uint32_t count = 1 + (uint32_t)random_below(state, BATCH_ENTRIES);
   for (uint32_t i = 0; i < BATCH_ENTRIES; i++) {
      const enum cm_access access = random_below(state, 3) ? CM_READ : (enum cm_access)random_below(state, 3);
      entries[i] = i < count ? cm_entry_access(entry, access, (enum cm_stream)random_below(state, 4),
                                               random_below(state, 1024 * (ways + 1)) & ~63ull)
                             : cm_entry_make(CM_ENTRY_MARK, 0, 0, (enum cm_stream)0, 0);
   }
   return count;
}

/* A cache before another one, that takes batches, and one that takes the same accesses one by one: the same counts, the
 * same lines, and by those of the caches after them the same order of misses and write-backs. */
static void
check_batches(enum cm_policy policy, uint32_t ways, enum cm_write_miss write_miss)
{
   const struct cm_cache_config config = {.size = 64 * 8 * ways,
                                          .ways = ways,
                                          .block = 64,
                                          .instances = 1,
                                          .policy = policy,
                                          .write_miss = write_miss,
                                          .next = CM_UNIT_LLC};
   const struct cm_cache_config behind = {.size = 64 * 8 * 2,
                                          .ways = 2,
                                          .block = 64,
                                          .instances = 1,
                                          .policy = CM_POLICY_LRU,
                                          .next = CM_UNIT_DRAM};
   struct pair pair, next;
   memset(&pair, 0, sizeof pair);
   memset(&next, 0, sizeof next);
   assert_true(cm_cache_init(&next.folding, &behind, NULL, &next.drams[0]));
   assert_true(cm_cache_init(&next.plain, &behind, NULL, &next.drams[1]));
   assert_true(cm_cache_init(&pair.folding, &config, &next.folding, &next.drams[0]));
   assert_true(cm_cache_init(&pair.plain, &config, &next.plain, &next.drams[1]));
   uint64_t state = ways;
   const cm_entry entry = cm_entry_cache(CM_UNIT_L2, 0);
   for (unsigned round = 0; round < 300; round++) {
      cm_entry entries[BATCH_ENTRIES];
      const uint32_t count = random_batch(entries, entry, ways, &state);
      for (uint32_t i = 0; i < count; i++)
         access_plain(&pair, cm_entry_address(entries[i]), cm_entry_stream(entries[i]),
                      (enum cm_access)cm_entry_kind(entries[i]));
      for (uint32_t i = 0; i < count;) {
         const uint32_t taken = pair.folding.replacement->take(&pair.folding, entries + i, BATCH_ENTRIES - i);
         assert_in_range(taken, 1, count - i);
         i += taken;
      }
   }
   assert_alike(&pair);
   assert_alike(&next);
   assert_true(next.plain.counts[0][CM_CACHE_EVENT_MISSES] > 100);
   cm_cache_finish(&pair.folding);
   cm_cache_finish(&pair.plain);
   cm_cache_finish(&next.folding);
   cm_cache_finish(&next.plain);
}

TEST(batches_are_exact)
{
   static const uint32_t ways[] = {1, 2, 4, 8, 16};
   for (unsigned p = 0; p < CM_POLICY_COUNT; p++) {
      const enum cm_policy policy = (enum cm_policy)p;
      if (!cm_replacements[p]->take || cm_policy_needs_future(policy) || cm_policy_samples(policy))
         continue;
      for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
         check_batches(policy, ways[w], CM_WRITE_MISS_FETCH);
         check_batches(policy, ways[w], CM_WRITE_MISS_ALLOCATE);
      }
   }
}
