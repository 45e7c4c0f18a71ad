/* SPDX-License-Identifier: MIT */
/**
 * The counters of caches and memory: <unit>.<stream>.<event>; the stream "total" is the sum over the unit's streams. A
 * cache with several instances also has <unit>.<instance>.<stream>.<event>; the counter without the number is their
 * sum.
 *
 * What holds for every frame, unit and stream:
 *    hits + misses + bypasses = reads + writes
 *    fills of a unit's users (per stream) = reads of the unit, writebacks = writes
 * misses exceed fills by the writes that allocate a block without reading it; a read that
 * is passed on still counts as a fill, a write that is passed on as a write-back.
 */
#ifndef CM_MEMORY_COUNTERS_H
#define CM_MEMORY_COUNTERS_H

#include "stats/counters.h"

/** X(identifier, name, unit of measure, description) */
/** The last two are counted where the policy is tcor or dead-lru. */
#define CM_CACHE_EVENTS(X)                                                         \
   X(READS, "reads", "accesses", "reads")                                          \
   X(WRITES, "writes", "accesses", "writes")                                       \
   X(HITS, "hits", "accesses", "hits")                                             \
   X(MISSES, "misses", "accesses", "misses")                                       \
   X(BYPASSES, "bypasses", "accesses", "accesses that bypass the cache")           \
   X(FILLS, "fills", "blocks", "blocks read from the next level")                  \
   X(EVICTIONS, "evictions", "blocks", "valid blocks evicted")                     \
   X(WRITEBACKS, "writebacks", "blocks", "dirty blocks written to the next level") \
   X(INVALIDATIONS, "invalidations", "blocks",                                     \
     "blocks invalidated because memory was written without the cache")            \
   X(DEAD_EVICTIONS, "dead_evictions", "blocks", "evictions of dead blocks")       \
   X(WRITEBACKS_SAVED, "writebacks_saved", "blocks", "dirty dead blocks evicted without write-back")

enum cm_cache_event {
#define CM_CACHE_EVENT_ENUM(id, name, measure, description) CM_CACHE_EVENT_##id,
   CM_CACHE_EVENTS(CM_CACHE_EVENT_ENUM)
#undef CM_CACHE_EVENT_ENUM
      CM_CACHE_EVENT_COUNT
};

#define CM_DRAM_EVENTS(X)                             \
   X(READS, "reads", "blocks", "blocks read")         \
   X(WRITES, "writes", "blocks", "blocks written")    \
   X(READ_BYTES, "read_bytes", "bytes", "bytes read") \
   X(WRITE_BYTES, "write_bytes", "bytes", "bytes written")

enum cm_dram_event {
#define CM_DRAM_EVENT_ENUM(id, name, measure, description) CM_DRAM_EVENT_##id,
   CM_DRAM_EVENTS(CM_DRAM_EVENT_ENUM)
#undef CM_DRAM_EVENT_ENUM
      CM_DRAM_EVENT_COUNT
};

/** Read from a struct cm_hierarchy. */
extern const struct cm_counter_source cm_memory_counters;
/** Of units on the access stream, <unit>.<event>; read from a struct cm_hierarchy. */
extern const struct cm_counter_source cm_access_unit_counters;

#endif
