/* SPDX-License-Identifier: MIT */
/**
 * The reads of textures, several blocks at once, compiled for what looks up a block: a replacement policy
 * (memory/cache_access.h, which includes this file) or a filter (memory/filter.c). It defines cm_policy_look_up,
 * cm_policy_is_settled, CM_POLICY_FOLDS_FILL and CM_POLICY_FOLDS_HIT as memory/cache_access.h has them, and
 * CM_POLICY_WAYS(cache) if the number of ways is a constant.
 */
#include "memory/cache_internal.h"

#ifndef CM_POLICY_WAYS
#define CM_POLICY_WAYS(cache) ((cache)->ways == 4 ? 4 : (cache)->ways)
#endif

/** Room for a grid's reads, each a block: those of four readers of two rows and columns, and one that is written and
 * not counted. */
#define CM_GRID_READS 17

/** The next bit of a mask that is not 0; takes it away. */
static inline __attribute__((always_inline)) unsigned
cm_take_bit(uint32_t *mask)
{
   const unsigned bit = (unsigned)__builtin_ctz(*mask);
   *mask &= *mask - 1;
   return bit;
}

/** Whether the blocks are in different sets. May be false when they are. */
static bool
cm_policy_sets_differ(const struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t mask)
{
   uint64_t seen = 0; /* a bit a group of sets; neighbours, and those a row apart, in different ones */
   while (mask) {
      const uint64_t set = cm_cache_set(cache, cm_grid_block(grid, cm_take_bit(&mask)));
      const uint64_t bit = 1ull << ((set ^ set >> 6) & 63);
      if (seen & bit)
         return false;
      seen |= bit;
   }
   return true;
}

/** Rows from a block of the grid to the next ones of its set, all of its column; CM_GRID_ROWS or more where
 * the blocks are all in different sets. 0: some may share theirs in other ways. */
static unsigned
cm_policy_grid_period(const struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t mask)
{
   const uint64_t row = grid->row & cache->index.mask;
   const bool columns_differ = (grid->column & cache->index.mask & 1) || !(mask & 0xaaaaaaaa);
   if (!cache->index.xor_shift && !cache->index.is_hashed && !(row & 1) && columns_differ)
      return row ? (unsigned)((cache->index.mask + 1) >> __builtin_ctzll(row)) : 1;
   return cm_policy_sets_differ(cache, grid, mask) ? CM_GRID_ROWS : 0;
}

/** All blocks that share a set with one of the mask's. */
static inline uint32_t
cm_grid_of_same_sets(uint32_t mask, unsigned period)
{
   for (unsigned shift = 2 * period; shift < 2 * CM_GRID_ROWS; shift *= 2)
      mask |= mask << shift | mask >> (2 * CM_GRID_ROWS - shift);
   return mask;
}

/** The reads of a grid that have to be looked up. */
struct cm_grid_reads {
   uint64_t *blocks; /**< the blocks read, in order */
   unsigned count;
   uint32_t last; /**< bits of the blocks that were the last ones read in their sets */
};

/** Adds reads of different sets, in two rows, but for those of blocks that were the last ones read in their sets, which
 * are folded. Almost without branches: all blocks are written, and the next one overwrites an absent one. */
static inline __attribute__((always_inline)) void
cm_grid_reads_add_new(struct cm_grid_reads *reads, const struct cm_read_grid *grid, uint32_t mask)
{
   const unsigned first = (unsigned)__builtin_ctz(mask | 1u << 31) & ~1u;
   const uint64_t accessed = (uint64_t)(mask & ~reads->last) >> first;
   const uint64_t block = grid->block + first / 2 * grid->row;
   uint64_t *next = reads->blocks + reads->count;
   *next = block;
   next += accessed & 1;
   *next = block + grid->column;
   next += accessed >> 1 & 1;
   *next = block + grid->row;
   next += accessed >> 2 & 1;
   *next = block + grid->row + grid->column;
   next += accessed >> 3 & 1;
   reads->count = (unsigned)(next - reads->blocks);
}

/** Adds a reader's. A quad's fragments mostly read the same blocks: then nothing is left of the second and the fourth
 * one. */
static inline __attribute__((always_inline)) void
cm_grid_reads_add(struct cm_grid_reads *reads, const struct cm_read_grid *grid, uint32_t mask,
                  unsigned period)
{
   if (!(mask & ~reads->last))
      return;
   cm_grid_reads_add_new(reads, grid, mask);
   reads->last = (reads->last & ~cm_grid_of_same_sets(mask, period)) | mask;
}

/** The same where all of the grid's blocks are in different sets. */
static inline __attribute__((always_inline)) void
cm_grid_reads_add_different(struct cm_grid_reads *reads, const struct cm_read_grid *grid, uint32_t mask)
{
   if (!(mask & ~reads->last))
      return;
   cm_grid_reads_add_new(reads, grid, mask);
   reads->last |= mask;
}

/** Whether all blocks of a mask are in different sets (cm_policy_grid_period). */
static inline bool
cm_grid_has_different_sets(uint32_t mask, unsigned period)
{
   return period >= CM_GRID_ROWS || (period && mask >> 2 * period == 0);
}

/** Writes the blocks of a grid to look up, in order. Returns how many, or 0 if their order is not known. */
static unsigned
cm_policy_grid_reads(const struct cm_cache *cache, const struct cm_read_grid *grid,
                     uint64_t blocks[CM_GRID_READS])
{
   uint32_t seen = 0, repeated = 0;
   for (unsigned r = 0; r < 4; r++) {
      repeated |= seen & grid->readers[r];
      seen |= grid->readers[r];
   }
   if (!CM_POLICY_FOLDS_HIT || (!CM_POLICY_FOLDS_FILL && repeated))
      return 0;
   const unsigned period = cm_policy_grid_period(cache, grid, seen);
   struct cm_grid_reads reads = {.blocks = blocks};
   if (cm_grid_has_different_sets(seen, period)) {
      for (unsigned r = 0; r < 4; r++)
         cm_grid_reads_add_different(&reads, grid, grid->readers[r]);
      return reads.count;
   }
   switch (period) {
   case 0: break;
   case 1:
      /* A reader's two rows share sets, too. */
      for (unsigned r = 0; r < 4; r++) {
         const uint32_t first_row = 3u << ((unsigned)__builtin_ctz(grid->readers[r] | 1u << 31) & ~1u);
         cm_grid_reads_add(&reads, grid, grid->readers[r] & first_row, 1);
         cm_grid_reads_add(&reads, grid, grid->readers[r] & ~first_row, 1);
      }
      break;
   default:
      for (unsigned r = 0; r < 4; r++)
         cm_grid_reads_add(&reads, grid, grid->readers[r], period);
   }
   return reads.count;
}

/** All blocks of a grid that are read. */
static inline uint32_t
cm_grid_mask(const struct cm_read_grid *grid)
{
   return grid->readers[0] | grid->readers[1] | grid->readers[2] | grid->readers[3];
}

static inline __attribute__((always_inline)) uint32_t
cm_policy_block_is_settled(const struct cm_cache *cache, uint64_t block, unsigned ways)
{
   const uint64_t set = cm_cache_set(cache, block);
   return cm_policy_is_settled(cache, set, cache->lines + set * ways, block);
}

/** Rows of a grid that are looked at without a branch for each. */
#define CM_FEW_ROWS 4

static inline __attribute__((always_inline)) uint32_t
cm_policy_column_settled(const struct cm_cache *cache, uint64_t block, uint64_t row, unsigned ways)
{
   uint32_t settled = 0;
   for (unsigned r = 0; r < CM_FEW_ROWS; r++, block += row)
      settled |= cm_policy_block_is_settled(cache, block, ways) << 2 * r;
   return settled;
}

/** Bits of the blocks on which a hit would change nothing: of those of a mask, and some others. All of a few rows are
 * looked at: how many there are, and whether there are two columns, is what a loop over the bits would mispredict. */
static inline __attribute__((always_inline)) uint32_t
cm_policy_grid_settled(const struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t mask)
{
   uint32_t settled = 0;
   if (mask >> 2 * CM_FEW_ROWS == 0 && !cache->index.is_hashed) {
      const unsigned ways = CM_POLICY_WAYS(cache);
      settled = cm_policy_column_settled(cache, grid->block, grid->row, ways);
      if (mask & 0xaaaaaaaa)
         settled |= cm_policy_column_settled(cache, grid->block + grid->column, grid->row, ways) << 1;
      return settled;
   }
   for (uint32_t rest = mask; rest;) {
      const unsigned bit = cm_take_bit(&rest);
      settled |= cm_policy_block_is_settled(cache, cm_grid_block(grid, bit), CM_POLICY_WAYS(cache)) << bit;
   }
   return settled;
}

/** find_settled, where another read of a settled block changes nothing as long as its set's state is the same. */
static uint32_t
cm_policy_find_settled(const struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t mask)
{
   return CM_POLICY_FOLDS_HIT ? cm_policy_grid_settled(cache, grid, mask) : 0;
}

#ifndef cm_policy_look_up_blocks
/** Looks up blocks of a grid in the order of their first reads; all of the grid are in different sets. */
static __attribute__((noinline)) void
cm_policy_look_up_blocks(struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t blocks,
                         enum cm_stream stream)
{
   for (unsigned r = 0; blocks; r++) {
      for (uint32_t mask = grid->readers[r] & blocks; mask;)
         cm_policy_look_up(cache, cm_grid_block(grid, cm_take_bit(&mask)), stream, CM_READ, false);
      blocks &= ~grid->readers[r];
   }
}
#else
static void cm_policy_look_up_blocks(struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t blocks,
                                     enum cm_stream stream);
#endif

/** Whether a grid's blocks are all in different sets, and another read of one changes nothing. */
static inline bool
cm_policy_grid_is_unordered(const struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t mask)
{
   return CM_POLICY_FOLDS_HIT && CM_POLICY_FOLDS_FILL &&
          cm_grid_has_different_sets(mask, cm_policy_grid_period(cache, grid, mask));
}

#ifndef cm_policy_look_up_grid
static __attribute__((noinline)) bool
cm_policy_look_up_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   uint64_t blocks[CM_GRID_READS];
   const unsigned count = cm_policy_grid_reads(cache, grid, blocks);
   for (unsigned i = 0; i < count; i++)
      cm_policy_look_up(cache, blocks[i], stream, CM_READ, false);
   return count != 0;
}
#else
static bool
cm_policy_look_up_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream);
#endif

/** The reads of a grid, of which some blocks are known to be settled. */
static inline __attribute__((always_inline)) bool
cm_policy_read_known(struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t settled,
                     enum cm_stream stream)
{
   const bool many_miss = cache->grid_misses >= CM_MANY_GRID_MISSES;
   const uint32_t mask = cm_grid_mask(grid), unsettled = mask & ~settled;
   cache->settled_blocks = 0;
   if (!unsettled) {
      cm_cache_expect_hits(cache);
   } else if (!many_miss && cm_policy_grid_is_unordered(cache, grid, mask)) {
      cm_policy_look_up_blocks(cache, grid, unsettled, stream);
      cache->settled_blocks = mask;
   } else if (!cm_policy_look_up_grid(cache, grid, stream)) {
      return false;
   }
   cache->accesses[stream][0] += grid->accesses;
   return true;
}

static bool
cm_policy_read_unsettled(struct cm_cache *cache, const struct cm_read_grid *grid, uint32_t settled,
                         enum cm_stream stream)
{
   return cm_policy_read_known(cache, grid, settled, stream);
}

static bool
cm_policy_read_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   const bool many_miss = cache->grid_misses >= CM_MANY_GRID_MISSES;
   const uint32_t settled = many_miss ? 0 : cm_policy_grid_settled(cache, grid, cm_grid_mask(grid));
   return cm_policy_read_known(cache, grid, settled, stream);
}

#define CM_POLICY_GRID_FUNCTIONS                                             \
   .read_grid = cm_policy_read_grid, .find_settled = cm_policy_find_settled, \
   .read_unsettled = cm_policy_read_unsettled
