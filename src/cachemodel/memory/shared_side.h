/* SPDX-License-Identifier: MIT */
/**
 * The caches that several units or processors share, and memory: they take the access stream, a batch at a time and in
 * order. What they have counted and what they know is that of the entries that they have taken: cm_shared_side_run
 * before anything looks at it.
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
   struct cm_access_stream arriving; /**< entries that have not been taken */
   struct cm_access_stream
      *entering; /**< those that no unit takes any more: arriving, or what the last unit passes on */
   struct cm_access_unit units[CM_ACCESS_UNIT_COUNT]; /**< those there are, in order */
   unsigned num_units;
   struct cm_cache
      *caches[CM_CACHE_COUNT]; /**< instances of each shared unit; NULL: it is not shared, or not there */
   uint32_t instances[CM_CACHE_COUNT];
   /** Of the Parameter Buffer, as the entries that have been taken tell; kept where has_liveness. */
   struct cm_liveness liveness;
   bool has_liveness; /**< a shared cache has the policy tcor */
   enum cm_pb_layout layout;
   uint32_t *last_tiles; /**< liveness.last_tiles */
   uint64_t max_blocks;  /**< room in it */
   uint64_t range;       /**< value of the last CM_ENTRY_RANGE */
   struct cm_dram *dram;
   /** Where there are readers: all entries, each with what it causes behind it. Private caches then call the shared ones
    * instead of appending to arriving (cm_cache.reported), and what else arrives is taken at once. */
   struct cm_access_stream reported;
   struct cm_access_reader readers[CM_MAX_ACCESS_READERS];
   unsigned num_readers;
   bool out_of_memory; /**< liveness is not complete */
};

/** Without caches; dram must outlive it. False when out of memory. */
bool cm_shared_side_init(struct cm_shared_side *shared, struct cm_dram *dram, enum cm_pb_layout layout);
void cm_shared_side_finish(struct cm_shared_side *shared);

/** Adds a unit, all its instances, before the first entry. */
void cm_shared_side_add(struct cm_shared_side *shared, enum cm_unit unit, struct cm_cache *instances,
                        uint32_t count);

/** Before the first entry, and before readers: another unit on the stream. False when out of memory. */
bool cm_shared_side_add_access_unit(struct cm_shared_side *shared, const struct cm_access_unit_kind *kind,
                                    const struct cm_access_unit_config *config);

/** Before the first entry: another reader, of at most CM_MAX_ACCESS_READERS. False when out of memory. */
bool cm_shared_side_add_reader(struct cm_shared_side *shared, const struct cm_access_reader *reader);

/** Takes all entries that wait; readers have got them then. */
static inline void
cm_shared_side_run(struct cm_shared_side *shared)
{
   cm_access_stream_drain(&shared->arriving);
   for (unsigned u = 0; u < shared->num_units; u++)
      cm_access_stream_drain(&shared->units[u].next);
   cm_access_stream_drain(&shared->reported);
}

/** Appends a mark, if there are readers. */
static inline void
cm_shared_side_mark(struct cm_shared_side *shared, enum cm_mark mark, uint32_t value)
{
   if (shared->num_readers)
      cm_access_stream_append(&shared->reported,
                              cm_entry_make(CM_ENTRY_MARK, mark, 0, (enum cm_stream)0, value));
}

/** Makes a cache a way into a shared one, of which `entry` tells (cm_entry_cache): what it is asked for becomes
 * entries of the stream. It has no lines, and counts accesses only. */
void cm_cache_init_entrance(struct cm_cache *cache, struct cm_cache *shared, struct cm_access_stream *stream,
                            cm_entry entry);

#endif
