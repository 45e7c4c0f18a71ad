/* SPDX-License-Identifier: MIT */
/**
 * A filter in front of a cache: it knows which block of each set was read last. Where the policy allows it
 * (cm_filter_suits), another read of that block is a hit that changes nothing, whatever the cache holds. The filter counts
 * such reads and appends all others to a stream, from which they reach the cache later. So reads of different parts of a
 * program can be filtered in parallel, before it is known what the cache holds when they reach it: a filter begins each part
 * by forgetting what it knows. With another policy it passes all reads on.
 *
 * It is used as a cache, for reads only: a direct-mapped one with the sets of the cache after it.
 */
#ifndef CM_FILTER_H
#define CM_FILTER_H

#include "memory/cache.h"

/** Whether reads of a cache, as it is used from now on, can be filtered: not all are passed on. */
bool cm_filter_suits(const struct cm_cache *cache);

/** A filter in front of a cache, which passes entries on that name it as `entry` does (cm_entry_cache). The cache must outlive
 * it; only the caller may read the cache through it. False when out of memory. */
bool cm_filter_init(struct cm_cache *filter, struct cm_cache *cache, struct cm_access_stream *passed,
                    cm_entry entry);
void cm_filter_finish(struct cm_cache *filter);

/** A block as a filter needs it: the line that holds it, and the entry that passes on a read of it. Or a distance of blocks: these can
 * be added. Only for filters whose sets are the lowest bits of blocks (cm_cache_has_low_sets). */
struct cm_filter_block {
   cm_line line;
   cm_entry entry;
};

/** By how many bits the number of a block is shifted in an entry that the filter passes on. */
static inline uint32_t
cm_filter_shift(const struct cm_cache *filter)
{
   return filter->block_shift - CM_ENTRY_ADDRESS_SHIFT;
}

/** How far so many blocks are. shift: the filter's cm_filter_shift. */
static inline __attribute__((always_inline)) struct cm_filter_block
cm_filter_distance(uint32_t shift, uint64_t blocks)
{
   return (struct cm_filter_block){blocks << 8, blocks << shift};
}

/** A block that is `count` times a distance behind another one. */
static inline __attribute__((always_inline)) struct cm_filter_block
cm_filter_behind(struct cm_filter_block block, struct cm_filter_block distance, uint64_t count)
{
   return (struct cm_filter_block){block.line + count * distance.line, block.entry + count * distance.entry};
}

/** Block 0, to be read for a stream. */
static inline __attribute__((always_inline)) struct cm_filter_block
cm_filter_origin(const struct cm_cache *filter, enum cm_stream stream)
{
   return (struct cm_filter_block){cm_line_make(0, stream, false),
                                   cm_entry_access(filter->next_entry, CM_READ, stream, 0)};
}

/** Reads a block, but for counts. All reads of the filter are of one stream. next: where the next entry goes. Returns where the one
 * after it does. Without branches: which reads are passed on is hard to predict. */
static inline __attribute__((always_inline)) cm_entry *
cm_filter_look_up(cm_line *lines, uint64_t mask, struct cm_filter_block block, cm_entry *next)
{
   cm_line *line = &lines[block.line >> 8 & mask];
   *next = block.entry;
   next += *line != block.line;
   *line = block.line;
   return next;
}

/** Forgets all blocks: the next read of each set is passed on. */
void cm_filter_forget(struct cm_cache *filter);

/** Adds the reads that it has not passed on to those of its cache, as hits. */
void cm_filter_add_counts(struct cm_cache *filter);

#endif
