/* SPDX-License-Identifier: MIT */
/**
 * A filter in front of a cache: it knows which block of each set was read last. Where the policy allows it
 * (cm_filter_suits), another read of that block is a hit that changes nothing, whatever the cache holds. The filter counts
 * such reads and appends all others to a stream, from which they reach the cache later. So reads of different parts of a
 * program can be filtered in parallel, before it is known what the cache holds when they reach it: a filter begins each part
 * by forgetting what it knows.
 *
 * It is used as a cache, for reads only: a direct-mapped one with the sets of the cache after it.
 */
#ifndef CM_FILTER_H
#define CM_FILTER_H

#include "memory/cache.h"

/** Whether reads of a cache, as it is used from now on, can be filtered. */
bool cm_filter_suits(const struct cm_cache *cache);

/** A filter in front of a cache, which passes entries on that name it as `entry` does (cm_entry_cache). The cache must outlive
 * it; only the caller may read the cache through it. False when out of memory. */
bool cm_filter_init(struct cm_cache *filter, struct cm_cache *cache, struct cm_access_stream *passed,
                    cm_entry entry);
void cm_filter_finish(struct cm_cache *filter);

/** Forgets all blocks: the next read of each set is passed on. */
void cm_filter_forget(struct cm_cache *filter);

/** Adds the reads that it has not passed on to those of its cache, as hits. */
void cm_filter_add_counts(struct cm_cache *filter);

#endif
