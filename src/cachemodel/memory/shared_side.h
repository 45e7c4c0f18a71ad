/* SPDX-License-Identifier: MIT */
/**
 * The caches that several units or processors share, and memory. They consume the access stream in order, a
 * batch at a time. Call cm_shared_side_run before reading their counters or contents.
 */
#ifndef CM_SHARED_SIDE_H
#define CM_SHARED_SIDE_H

#include "access/access_stream.h"
#include "access/access_unit.h"
#include "memory/cache.h"
#include "memory/liveness.h"

/** Readers of one access stream. */
#define CM_MAX_ACCESS_READERS 4

struct cm_shared_side {
   struct cm_access_stream arriving; /**< entries not consumed yet */
   struct cm_access_stream
      *entering; /**< input of the shared caches: arriving, or the output of the last access unit */
   struct cm_access_unit units[CM_ACCESS_UNIT_COUNT]; /**< the configured ones, in order */
   unsigned num_units;
   struct cm_cache
      *caches[CM_CACHE_COUNT]; /**< instances of each shared unit; NULL: not shared, or not configured */
   uint32_t instances[CM_CACHE_COUNT];
   /** Of the Parameter Buffer, according to the consumed entries; kept if has_liveness. */
   struct cm_liveness liveness;
   bool has_liveness; /**< a shared cache's policy needs it */
   enum cm_pb_layout layout;
   uint32_t *last_tiles; /**< liveness.last_tiles */
   uint64_t max_blocks;  /**< its capacity */
   uint64_t range;       /**< value of the last CM_ENTRY_RANGE */
   struct cm_dram *dram;
   /** With readers: all entries, each followed by what it causes. Private caches then call the shared ones
    * instead of appending to arriving (cm_cache.reported), and other entries are consumed at once; unless that is deferred. */
   struct cm_access_stream reported;
   /** Where those before the shared side report: reported; or arriving, if it may run later than they
    * (cm_hierarchy_defer_reports). Then what is no access to a shared cache is only passed on. */
   struct cm_access_stream *reports;
   /** Makes the call that a CM_MARK_CALL is, with the words that follow it. Such marks are only there if it is set. */
   void (*called)(void *context, cm_entry call, const cm_entry *words);
   void *called_context;
   /** How many entries at its beginning are groups, lookups, requests and messages: readers that ask for these
    * (cm_access_reader.requests) can take them as they are. */
   uint32_t reported_lookups;
   struct cm_access_reader readers[CM_MAX_ACCESS_READERS];
   unsigned num_readers;
   struct cm_attribution *attribution; /**< NULL: not attributed */
   bool out_of_memory;                 /**< liveness is not complete */
};

/** Reports a group, a lookup, a request or a message. */
static inline void
cm_shared_side_report(struct cm_shared_side *shared, cm_entry entry)
{
   struct cm_access_stream *stream = &shared->reported;
   cm_access_stream_append(stream, entry);
   shared->reported_lookups += shared->reported_lookups + 1 == stream->count;
}

/** Without caches; dram must outlive it. False when out of memory. */
bool cm_shared_side_init(struct cm_shared_side *shared, struct cm_dram *dram, enum cm_pb_layout layout);
void cm_shared_side_finish(struct cm_shared_side *shared);

/** Adds a unit, all its instances, before the first entry. */
void cm_shared_side_add(struct cm_shared_side *shared, enum cm_unit unit, struct cm_cache *instances,
                        uint32_t count);

/** Before the first entry, and before readers: adds an access unit. False when out of memory. */
bool cm_shared_side_add_access_unit(struct cm_shared_side *shared, enum cm_access_unit_number number,
                                    const struct cm_access_unit_config *config);

/** Before the first entry: adds a reader, of at most CM_MAX_ACCESS_READERS. False when out of memory. */
bool cm_shared_side_add_reader(struct cm_shared_side *shared, const struct cm_access_reader *reader);

/** Before the first entry, and before readers: accesses are attributed (memory/attribution.h). */
void cm_shared_side_attribute(struct cm_shared_side *shared, struct cm_attribution *attribution);

/** Consumes all pending entries; readers have received them afterwards. */
static inline void
cm_shared_side_run(struct cm_shared_side *shared)
{
   cm_access_stream_drain(&shared->arriving);
   for (unsigned u = 0; u < shared->num_units; u++)
      cm_access_stream_drain(&shared->units[u].next);
   cm_access_stream_drain(&shared->reported);
}

/** Whether the shared side may run later than what reports to it. */
static inline bool
cm_shared_side_is_deferred(const struct cm_shared_side *shared)
{
   return shared->reports == &shared->arriving;
}

/** Reports a mark to the readers. */
static inline void
cm_shared_side_mark(struct cm_shared_side *shared, enum cm_mark mark, uint32_t value)
{
   if (shared->num_readers)
      cm_access_stream_append(shared->reports,
                              cm_entry_make(CM_ENTRY_MARK, mark, 0, (enum cm_stream)0, value));
}

/** Makes a cache an entrance of a shared one, `entry` (cm_entry_cache): its accesses become entries of the
 * stream. It has no lines, and counts accesses only. */
void cm_cache_init_entrance(struct cm_cache *cache, struct cm_cache *shared, struct cm_access_stream *stream,
                            cm_entry entry);

#endif
