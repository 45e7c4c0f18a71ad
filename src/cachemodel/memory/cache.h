/* SPDX-License-Identifier: MIT */
/**
 * A set-associative, write-back, write-allocate cache.
 *
 * An access has a byte address and a stream, and reads a block, writes a part of
 * it, or writes all of it. Misses and write-backs go to the next level: another
 * cache, or memory. Each line stores the stream that filled it or wrote it last;
 * its eviction and its write-back count for that stream.
 *
 * Consecutive accesses to one block are folded: where the next hit on the
 * block does not change the policy's state, the hit costs one comparison. The
 * counters are the same as without folding.
 */
#ifndef CM_CACHE_H
#define CM_CACHE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "access/access_stream.h"
#include "config/config.h"
#include "memory/attribution.h"
#include "memory/counters.h"
#include "memory/set_index.h"

/** Main memory: traffic by stream and direction. */
struct cm_dram {
   uint64_t counts[CM_STREAM_COUNT][CM_DRAM_EVENT_COUNT];
   struct cm_access_stream *reported;  /**< gets an entry for each access; NULL: not reported */
   struct cm_attribution *attribution; /**< NULL: not attributed */
   bool is_watched;                    /**< reported or attributed */
};

/** A line: block number << 8 | stream << 1 | dirty; CM_LINE_EMPTY when invalid. */
typedef uint64_t cm_line;

/** A block in a line; stream: the last one to fill or write it. */
static inline cm_line
cm_line_make(uint64_t block, enum cm_stream stream, bool dirty)
{
   return block << 8 | (uint64_t)stream << 1 | dirty;
}

#define CM_LINE_EMPTY UINT64_MAX
#define CM_NO_BLOCK (UINT64_MAX >> 8)

struct cm_byte_masks;
struct cm_cache;
struct cm_liveness;
struct cm_next_use;

#define CM_GRID_ROWS 16

/** Reads of blocks in up to two columns and a few rows, like those of a quad in a texture. */
struct cm_block_grid {
   uint64_t block;         /**< number of the upper left block */
   uint64_t column;        /**< blocks from it to the upper right one */
   uint64_t row;           /**< blocks from row to row */
   uint32_t columns, rows; /**< how many: up to 2 and CM_GRID_ROWS */
   uint32_t reads;         /**< reads of some or all of the blocks, some of them more than once */
};

/** Some blocks of a grid, a bit for each: that of column c in row r is bit 2 * r + c. */
typedef uint32_t cm_grid_cells;

/** A block of a grid. */
static inline uint64_t
cm_grid_block(const struct cm_block_grid *grid, unsigned column, unsigned row)
{
   return grid->block + column * grid->column + row * grid->row;
}

/** The block of a cell. */
static inline uint64_t
cm_grid_cell_block(const struct cm_block_grid *grid, unsigned cell)
{
   return grid->block + (-(uint64_t)(cell & 1) & grid->column) + (cell >> 1) * grid->row;
}

/** A replacement policy: how a set orders its blocks. One file per policy in
 * memory/replacement/; the access function is compiled with the policy inside
 * (memory/cache_access.h), so that an access costs one call. */
struct cm_replacement {
   /** Looks up a block; on a miss evicts a victim and fills the line. */
   void (*access)(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access);
   /** Counts and looks up the accesses to this cache at the front of a batch, at least one. Returns how many.
    * NULL: one after another with `access`. */
   uint32_t (*take)(struct cm_cache *cache, const cm_entry *entries, uint32_t count);
   /** Serves the reads at the front of a batch that go to any cache of a unit; caches: all of the unit, by instance. Returns
    * how many: none where it can't serve the first. NULL: it can't. */
   uint32_t (*take_reads)(struct cm_cache *caches, const cm_entry *entries, uint32_t count);
   /** Counts and looks up reads of several blocks in order. NULL: one after another with `access`. */
   void (*read_sequence)(struct cm_cache *cache, const uint64_t *blocks, unsigned count,
                         enum cm_stream stream);
   /** Whether all blocks of a grid are present and hits on them change nothing, so that reads are only counted. NULL:
    * that is not known for any. */
   bool (*grid_is_settled)(const struct cm_cache *cache, const struct cm_block_grid *grid);
   /** cm_cache_read_spread_grid. NULL: cm_cache_read_spread_list. */
   void (*read_spread_grid)(struct cm_cache *cache, const struct cm_block_grid *grid,
                            const cm_grid_cells *cells, unsigned count, enum cm_stream stream);
   /** Whether that are the blocks in the first lines of their sets. */
   bool first_is_settled;
   /** Whether a read of the block that was read or filled last in its set changes nothing. */
   bool folds;
   /** Inserts an absent block without an access; evicts the policy's victim. */
   void (*insert)(struct cm_cache *cache, uint64_t block, enum cm_stream stream);
   /** Empties lines[way] of a set; lines above it may move down. */
   void (*remove)(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way);
   /** Called when blocks first … last are invalidated, present or not; NULL: not needed. */
   void (*invalidate)(struct cm_cache *cache, uint64_t first, uint64_t last);
   /** Bytes of state: per way outside its line, per set in addition to those of its ways, of all sets together, and of the
    * sets of each bank. All state begins as 0. */
   uint32_t way_bytes, set_bytes, shared_bytes, bank_bytes;
   /** RRIP, whose sets' state begins with a byte for each way: that of an empty way, and in the lower four bits of others
    * the largest RRPV, the largest RRPV, "distant". 0: another policy. */
   uint8_t empty, distant;
   /** Initialises the state when a cache is built; NULL: not needed. */
   void (*start)(struct cm_cache *cache, const struct cm_cache_config *config);
};

/** Policies by enum cm_policy. */
extern const struct cm_replacement *const cm_replacements[];

struct cm_cache {
   /** The block whose next access is a hit that changes no state, or CM_NO_BLOCK. */
   uint64_t folded_block;
   cm_line *folded_line;
   uint32_t block_shift;
   uint32_t ways;
   cm_line *lines; /**< sets × ways */
   uint8_t *state; /**< the policy's: sets × state_bytes */
   uint32_t state_bytes;
   uint32_t fetched; /**< streams, a bit each, of which a write that misses reads the rest of its block */
   struct cm_set_index index;
   void *shared;        /**< the policy's, for all sets; allocated with state */
   uint8_t *bank_state; /**< the policy's: banks × bank_bytes; allocated with state */
   uint32_t bank_mask;  /**< set & bank_mask is the set's bank */
   /** Next uses of the accesses that reach the cache; not owned. opt and optpt need it
    * before the first access (cm_cache_set_future). */
   struct cm_next_use *future;
   /** Until when blocks of the Parameter Buffer are read (cm_policy_needs_liveness). Not owned. Until it is set,
    * all blocks are dead. */
   const struct cm_liveness *liveness;
   const struct cm_replacement *replacement;
   uint32_t uncached;                   /**< 1 + the stream that bypasses the cache; 0: none */
   const struct cm_replacement *cached; /**< serves the other streams */
   struct cm_byte_masks *masks;         /**< write_miss: validate (memory/byte_masks.c); else NULL */
   struct cm_access_stream *lookups;    /**< gets an entry for each access; NULL: not reported */
   cm_entry lookup_entry;               /**< unit and instance of the cache in them (cm_entry_cache) */
   const struct cm_replacement *served; /**< the policy that lookups wrap */
   struct cm_cache *next;               /**< NULL: dram is next */
   struct cm_dram *dram;
   /** Accesses to the next cache are appended here; NULL: the next cache is called. */
   struct cm_access_stream *outgoing;
   struct cm_access_stream
      *reported;        /**< as outgoing, but the next cache is called, too; NULL: not reported */
   cm_entry next_entry; /**< unit and instance of the next cache (cm_entry_cache) */
   /** Called for each evicted or invalidated block; NULL: none (cm_cache_observe_removals). */
   void (*removed)(void *context, const struct cm_cache *cache, uint64_t block);
   void *removed_context;
   /** Reads a missed block from the next level in another way; false: it does not. NULL: never (cm_cache_fetch_by). */
   bool (*fetch)(void *context, struct cm_cache *cache, uint64_t block, enum cm_stream stream);
   void *fetch_context;
   uint32_t sets;
   enum cm_unit unit; /**< which cache of the hierarchy this is */
   struct cm_attribution
      *attribution; /**< NULL: not attributed. Accesses to it are counted by who makes them. */
   bool
      only_appends; /**< if it has `outgoing`, accesses to the next cache are entries of it, and nothing else */
   const uint32_t *columns;   /**< with attribution, by stream: the first one of this unit's counts */
   struct cm_writers writers; /**< with attribution, of blocks that may be dirty */
   /** Reads and writes of each stream; hits are derived from them. */
   uint64_t accesses[CM_STREAM_COUNT][2];
   /** The other events; reads, writes and hits are not counted here. */
   uint64_t counts[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
};

/** Builds a cache whose next level is `next` (NULL: memory). config
 * must be valid (cm_config_validate). False when out of memory. */
bool cm_cache_init(struct cm_cache *cache, const struct cm_cache_config *config, struct cm_cache *next,
                   struct cm_dram *dram);
void cm_cache_finish(struct cm_cache *cache);

/** The same without lines: for a unit that stores its blocks itself, but counts and accesses
 * the next level as a cache does (cm_cache_fetch, cm_cache_write_next). */
void cm_cache_init_without_lines(struct cm_cache *cache, const struct cm_cache_config *config,
                                 struct cm_cache *next, struct cm_dram *dram);

/** Has each evicted or invalidated block passed to a function; NULL: to none. */
void cm_cache_observe_removals(struct cm_cache *cache,
                               void (*removed)(void *context, const struct cm_cache *cache, uint64_t block),
                               void *context);

/** Before the first access: blocks that are missed are fetched by a function, which reads what they are made of
 * (cm_cache_read_next), or returns false. */
void
cm_cache_fetch_by(struct cm_cache *cache,
                  bool (*fetch)(void *context, struct cm_cache *cache, uint64_t block, enum cm_stream stream),
                  void *context);

/** Reads the block of an address from the next level, of so many bytes if that is memory; else of the next cache. */
void cm_cache_read_next(struct cm_cache *cache, uint64_t address, uint32_t bytes, enum cm_stream stream);

/** Before the first access: sets the cache's next uses, collected from the same accesses
 * that will reach it, and rewound. */
void cm_cache_set_future(struct cm_cache *cache, struct cm_next_use *future);

/** Before the first access: the cache simulates nothing, but adds the accesses that reach it
 * to future. They count as hits; nothing reaches the next level. */
void cm_cache_collect(struct cm_cache *cache, struct cm_next_use *future);

/** Before the first access, after the two above: each access becomes an entry of the stream before it is served. Changes
 * no counter. entry: unit and instance of the cache (cm_entry_cache). */
void cm_cache_report_lookups(struct cm_cache *cache, struct cm_access_stream *stream, cm_entry entry);

/** One access. */
static inline void
cm_cache_access(struct cm_cache *cache, uint64_t address, enum cm_stream stream, enum cm_access access)
{
   const uint64_t block = address >> cache->block_shift;
   cache->accesses[stream][access != CM_READ]++;
   if (block == cache->folded_block) {
      if (access != CM_READ)
         *cache->folded_line = block << 8 | (uint64_t)stream << 1 | 1;
      return;
   }
   cache->replacement->access(cache, block, stream, access);
}

/** Serves the accesses to this cache at the front of a batch, of which the first is one. Returns how many. */
static inline uint32_t
cm_cache_take(struct cm_cache *cache, const cm_entry *entries, uint32_t count)
{
   if (cache->replacement->take)
      return cache->replacement->take(cache, entries, count);
   cm_cache_access(cache, cm_entry_address(entries[0]), cm_entry_stream(entries[0]),
                   (enum cm_access)cm_entry_kind(entries[0]));
   return 1;
}

/** The same of reads, of any of the caches of a unit, in order. */
static inline uint32_t
cm_cache_take_reads(struct cm_cache *caches, const cm_entry *entries, uint32_t count)
{
   uint32_t taken = 0;
   if (caches->replacement->take_reads)
      taken = caches->replacement->take_reads(caches, entries, count);
   return taken ? taken : cm_cache_take(&caches[cm_entry_instance(entries[0])], entries, count);
}

/** One access of these bytes of a block, which matter in a cache with byte masks (write_miss: validate). In others it
 * is cm_cache_access. */
void cm_cache_access_bytes(struct cm_cache *cache, uint64_t address, uint64_t bytes, enum cm_stream stream,
                           enum cm_access access);

/** With attribution: counts an access for its origin. That of a write is the block's writer from now on. */
static inline void
cm_cache_attribute_access(struct cm_cache *cache, uint64_t address, enum cm_stream stream,
                          enum cm_access access)
{
   cm_attribution_count(cache->attribution,
                        cache->columns[stream] +
                           (access == CM_READ ? CM_CACHE_EVENT_READS : CM_CACHE_EVENT_WRITES),
                        1);
   if (access != CM_READ)
      cm_attribution_write(cache->attribution, &cache->writers, address >> cache->block_shift);
}

/** Reads of a sequence of blocks (block numbers, not addresses), in order. */
void
cm_cache_read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream);

/** Whether sets are numbered by the lowest bits of their blocks. */
static inline bool
cm_cache_has_low_sets(const struct cm_cache *cache)
{
   return !cache->index.is_hashed && cache->index.xor_shift == CM_SET_NO_BITS;
}

/** Accesses are reported to a stream; NULL: they are not. */
static inline void
cm_dram_report(struct cm_dram *dram, struct cm_access_stream *reported)
{
   dram->reported = reported;
   dram->is_watched = reported || dram->attribution;
}

/** Whether a grid is settled if cm_grid_is_first. */
static inline bool
cm_cache_settles_first(const struct cm_cache *cache)
{
   return cache->replacement->first_is_settled && cm_cache_has_low_sets(cache);
}

/** Whether blocks, `row` apart, are in the first lines of their sets, in a cache of these lines, sets - 1 and ways that has low
 * sets. */
static inline __attribute__((always_inline)) bool
cm_blocks_are_first(uint64_t block, uint64_t row, uint32_t rows, const cm_line *lines, uint64_t mask,
                    uint64_t ways)
{
   for (; rows; rows--, block += row) {
      if (lines[(block & mask) * ways] >> 8 != block)
         return false;
   }
   return true;
}

/** The same of all blocks of a grid. */
static inline __attribute__((always_inline)) bool
cm_grid_is_first(const struct cm_block_grid *grid, const cm_line *lines, uint64_t mask, uint64_t ways)
{
   return cm_blocks_are_first(grid->block, grid->row, grid->rows, lines, mask, ways) &&
          (grid->columns == 1 ||
           cm_blocks_are_first(grid->block + grid->column, grid->row, grid->rows, lines, mask, ways));
}

/** Whether all blocks of a grid are known to be present, and hits on them to change nothing. */
static inline bool
cm_cache_grid_is_settled(const struct cm_cache *cache, const struct cm_block_grid *grid)
{
   const struct cm_replacement *replacement = cache->replacement;
   return cm_cache_settles_first(cache)
             ? cm_grid_is_first(grid, cache->lines, cache->index.mask, cache->ways)
             : replacement->grid_is_settled && replacement->grid_is_settled(cache, grid);
}

/** Counts the reads of a grid that is settled. Else false, with nothing done: they are to be read in order. */
static inline bool
cm_cache_read_grid(struct cm_cache *cache, const struct cm_block_grid *grid, enum cm_stream stream)
{
   if (!cm_cache_grid_is_settled(cache, grid))
      return false;
   cache->accesses[stream][0] += grid->reads;
   return true;
}

/** Whether the blocks of a grid are in different sets, and a read of the block that was read last in its set changes nothing:
 * then, of the grid's reads, only the first of each block changes anything. False where that is not known. */
static inline bool
cm_cache_spreads(const struct cm_cache *cache, const struct cm_block_grid *grid)
{
   /* Where sets are numbered by the lowest bits, only distances of blocks matter. */
   const uint64_t mask = cache->index.mask, row = grid->row & mask, column = grid->column & mask;
   const bool has_columns = grid->columns > 1;
   bool differ = cache->replacement->folds && cm_cache_has_low_sets(cache) && (!has_columns || column);
   uint64_t distance = row;
   for (uint32_t rows = 1; rows < grid->rows; rows++, distance = (distance + row) & mask)
      differ = differ && distance && (!has_columns || (distance != column && ((distance + column) & mask)));
   return differ;
}

/** cm_cache_read_spread_grid of caches that have no function of their own for it. */
void cm_cache_read_spread_list(struct cm_cache *cache, const struct cm_block_grid *grid,
                               const cm_grid_cells *cells, unsigned count, enum cm_stream stream);

/** The reads of a grid that the cache spreads, in groups: the cells of each are read in ascending order. */
static inline void
cm_cache_read_spread_grid(struct cm_cache *cache, const struct cm_block_grid *grid,
                          const cm_grid_cells *cells, unsigned count, enum cm_stream stream)
{
   assert(cm_cache_spreads(cache, grid) && grid->rows <= CM_GRID_ROWS && grid->columns <= 2);
   if (cache->replacement->read_spread_grid)
      cache->replacement->read_spread_grid(cache, grid, cells, count, stream);
   else
      cm_cache_read_spread_list(cache, grid, cells, count, stream);
}

/** The set of a block. */
static inline uint64_t
cm_cache_set(const struct cm_cache *cache, uint64_t block)
{
   return cm_set_of(&cache->index, block);
}

/** In sets of more ways, a mispredicted end of the search costs less than searching all ways. */
#define CM_FEW_WAYS 16

static inline unsigned
cm_find_way_among_many(const cm_line *lines, unsigned ways, uint64_t block)
{
   unsigned way = 1;
   while (way < ways && lines[way] >> 8 != block)
      way++;
   return way;
}

/** The way of a set that holds a block, or the number of ways. The first line is
 * compared first. Among a few others, an early exit would cost more in mispredictions
 * than it saves. */
static inline __attribute__((always_inline)) unsigned
cm_find_way(const cm_line *lines, unsigned ways, uint64_t block)
{
   if (lines[0] >> 8 == block)
      return 0;
   if (ways > CM_FEW_WAYS)
      return cm_find_way_among_many(lines, ways, block);
   unsigned found = ways;
   for (unsigned way = 1; way < ways; way++)
      found = lines[way] >> 8 == block ? way : found;
   return found;
}

/** Whether a block is in a cache. Changes nothing. */
static inline bool
cm_cache_probe(const struct cm_cache *cache, uint64_t block)
{
   const unsigned ways = cache->ways;
   const cm_line *lines = cache->lines + cm_cache_set(cache, block) * ways;
   return (ways == 4 ? cm_find_way(lines, 4, block) : cm_find_way(lines, ways, block)) < ways;
}

/** A read of a present block, counted as a hit. Does not change the replacement state. */
void cm_cache_read_in_place(struct cm_cache *cache, uint64_t block, enum cm_stream stream, uint32_t times);

/** Inserts an absent block that does not come from the next level: no access is counted, and
 * nothing is read. Not with policies that need next uses. */
void cm_cache_insert(struct cm_cache *cache, uint64_t block, enum cm_stream stream);

/** Invalidates all blocks of [begin, end), in bytes; writes dirty ones back. */
void cm_cache_invalidate(struct cm_cache *cache, uint64_t begin, uint64_t end);

/** Evicts all blocks; writes dirty ones back, or discards them, which then count as dead. */
void cm_cache_empty(struct cm_cache *cache, bool writes_back);

/** Discards the blocks of a set, without write-backs: they are dead. No counter changes, and
 * what the policy has learnt stays. */
void cm_cache_discard_set(struct cm_cache *cache, uint64_t set);

/** Whether a block is in the cache and predicted as distant: no reuse is expected soon. False with
 * policies that predict nothing. */
bool cm_cache_is_distant(const struct cm_cache *cache, uint64_t block);

/** A counter of the cache. */
uint64_t cm_cache_counter(const struct cm_cache *cache, enum cm_stream stream, enum cm_cache_event event);

/** Reports accesses to consecutive blocks, and counts them for their origin. */
void cm_dram_watch(const struct cm_dram *dram, uint64_t address, enum cm_stream stream, bool write,
                   uint64_t blocks, uint32_t block_bytes);

/** Memory traffic of consecutive blocks of block_bytes each; address: a byte of the first. */
static inline void
cm_dram_access(struct cm_dram *dram, uint64_t address, enum cm_stream stream, bool write, uint64_t blocks,
               uint32_t block_bytes)
{
   if (dram->is_watched)
      cm_dram_watch(dram, address, stream, write, blocks, block_bytes);
   dram->counts[stream][write ? CM_DRAM_EVENT_WRITES : CM_DRAM_EVENT_READS] += blocks;
   dram->counts[stream][write ? CM_DRAM_EVENT_WRITE_BYTES : CM_DRAM_EVENT_READ_BYTES] += blocks * block_bytes;
}

/** Of a configured cache. */
#define CM_CACHE_MAX_WAYS 1024

/** Whether size, ways (at most max_ways, up to 2^18), block and policy of a cache fit together. prefix is that of their
 * names in the message: "caches.l2." */
bool cm_cache_config_validate(const struct cm_cache_config *cache, uint32_t max_ways, const char *prefix,
                              char *error, size_t error_size);

#endif
