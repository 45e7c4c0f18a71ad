/* SPDX-License-Identifier: MIT */
/** What the cache and its replacement policies share. */
#ifndef CM_CACHE_INTERNAL_H
#define CM_CACHE_INTERNAL_H

#include "memory/cache.h"

static inline enum cm_stream
cm_line_stream(cm_line line)
{
   return (enum cm_stream)(line >> 1 & 0x7f);
}

/** Counts an event of the cache other than accesses to it. */
static inline void
cm_cache_count(struct cm_cache *cache, enum cm_stream stream, enum cm_cache_event event, uint64_t count)
{
   cache->counts[stream][event] += count;
   if (cache->attribution)
      cm_attribution_count(cache->attribution, cache->columns[stream] + event, count);
}

/** Reports an access to a cache whose accesses a reader has asked for. */
static inline void
cm_cache_append_lookup(const struct cm_cache *cache, uint64_t block, enum cm_stream stream,
                       enum cm_access access)
{
   cm_access_stream_append(cache->lookups,
                           cm_entry_access(cache->lookup_entry, access, stream, block << cache->block_shift));
}

/** Accesses the next cache, which must exist. It may have larger blocks: the access is by byte address. */
static inline void
cm_cache_access_next(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const uint64_t address = block << cache->block_shift;
   if (cache->outgoing) {
      if (cache->attribution)
         cm_attribution_emit(cache->attribution, cache->outgoing);
      cm_access_stream_append(cache->outgoing, cm_entry_access(cache->next_entry, access, stream, address));
      return;
   }
   if (cache->reported)
      cm_access_stream_append(cache->reported, cm_entry_access(cache->next_entry, access, stream, address));
   if (cache->attribution)
      cm_cache_attribute_access(cache->next, address, stream, access);
   cm_cache_access(cache->next, address, stream, access);
}

/** Whether accesses to the next cache are entries of a stream, and nothing else. */
static inline bool
cm_cache_only_appends(const struct cm_cache *cache)
{
   return cache->outgoing && cache->only_appends;
}

/** An access to the next cache, of a cache that only appends. */
static inline void
cm_cache_append_access(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_access_stream_append(cache->outgoing,
                           cm_entry_access(cache->next_entry, access, stream, block << cache->block_shift));
}

/** Writes a dirty victim back, and reports the eviction. */
void cm_cache_complete_eviction(struct cm_cache *cache, cm_line line);

/** Counts the eviction of a line and writes it back if it is dirty. */
static inline void
cm_cache_evict(struct cm_cache *cache, cm_line line)
{
   cm_cache_count(cache, cm_line_stream(line), CM_CACHE_EVENT_EVICTIONS, 1);
   if (line & 1 || cache->removed)
      cm_cache_complete_eviction(cache, line);
}

/** cm_cache_fetch of any cache. */
void cm_cache_fetch_next_level(struct cm_cache *cache, uint64_t block, enum cm_stream stream);

/** Reads a block from the next level. */
static inline void
cm_cache_fetch(struct cm_cache *cache, uint64_t block, enum cm_stream stream)
{
   if (!cm_cache_only_appends(cache)) {
      cm_cache_fetch_next_level(cache, block, stream);
      return;
   }
   cache->counts[stream][CM_CACHE_EVENT_FILLS]++;
   cm_cache_append_access(cache, block, stream, CM_READ);
}

/** A block that was missed, and the line that was evicted for it, or CM_LINE_EMPTY. */
struct cm_miss {
   uint64_t block;
   cm_line victim;
};

/** Evicts and fetches for each miss, in order. */
void cm_cache_replace_many(struct cm_cache *cache, const struct cm_miss *misses, unsigned count,
                           enum cm_stream stream);

/** Counts a write-back and writes a block to the next level. */
void
cm_cache_write_next(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access);

/** cm_cache_discard_dead with attribution: a write-back that is saved is its writer's. */
void cm_cache_discard_dead_attributed(struct cm_cache *cache, cm_line line);

/** Before the eviction of a dead line: counts it and clears its dirty bit, so that it is not written back. */
static inline void
cm_cache_discard_dead(struct cm_cache *cache, cm_line *line)
{
   uint64_t *counts = cache->counts[cm_line_stream(*line)];
   counts[CM_CACHE_EVENT_DEAD_EVICTIONS]++;
   counts[CM_CACHE_EVENT_WRITEBACKS_SAVED] += *line & 1;
   if (cache->attribution)
      cm_cache_discard_dead_attributed(cache, *line);
   *line &= ~(cm_line)1;
}

/** Counts a bypass and passes the access on to the next level. */
void cm_cache_bypass(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access);

/** Invalidates one block, if the cache has it. */
void cm_cache_drop(struct cm_cache *cache, uint64_t block);

/** The lowest way of a set that is empty, or the number of ways. */
static inline __attribute__((always_inline)) unsigned
cm_find_empty_way(const cm_line *lines, unsigned ways)
{
   for (unsigned way = 0; way < ways; way++) {
      if (lines[way] == CM_LINE_EMPTY)
         return way;
   }
   return ways;
}

#define CM_REPLACEMENT(id, name, definition, description) \
   extern const struct cm_replacement cm_replacement_##definition;
CM_POLICIES(CM_REPLACEMENT)
#undef CM_REPLACEMENT

/** Puts byte masks between a cache and its policy. False when out of memory. */
bool cm_cache_add_masks(struct cm_cache *cache);
/** The policy that they wrap; replacement itself if it is not the byte masks. */
const struct cm_replacement *
cm_cache_masked_policy(const struct cm_cache *cache, const struct cm_replacement *replacement);
/** Whether a block that is in the cache, or is just being evicted, is valid in part. */
bool cm_cache_is_partly_valid(const struct cm_cache *cache, uint64_t block);

/** The policy of a cache, without the functions that report its lookups, mask its bytes or let a stream bypass it. */
const struct cm_replacement *cm_cache_policy(const struct cm_cache *cache);

/** Not selectable: adds each access to cache->future; nothing reaches the next level. */
extern const struct cm_replacement cm_replacement_collect;

/** Not selectable: one stream bypasses the cache, the others use cache->cached. */
extern const struct cm_replacement cm_replacement_uncached;

#endif
