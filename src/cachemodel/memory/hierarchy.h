/* SPDX-License-Identifier: MIT */
/**
 * The caches and the memory of a configuration, and the path of an access
 * through them.
 *
 * Caches that are private to a stage or a processor simulate an access at once. Accesses to shared caches go
 * through the access stream (access/access_stream.h): call cm_shared_side_run before reading counters of the
 * shared side.
 */
#ifndef CM_HIERARCHY_H
#define CM_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/cache.h"
#include "memory/liveness.h"
#include "memory/shared_side.h"

/** Bytes that an access directly to memory transfers. */
#define CM_DRAM_BLOCK_SHIFT 6

struct cm_hierarchy {
   struct cm_dram dram;
   struct cm_cache *caches[CM_CACHE_COUNT]; /**< instances of each unit; NULL: not configured */
   uint32_t instances[CM_CACHE_COUNT];
   uint32_t live_units;         /**< a bit for each unit whose policy needs to know which blocks are live */
   struct cm_liveness liveness; /**< of the Parameter Buffer, for private caches */
   struct cm_shared_side shared;
   /** Takes an invalidation of private caches that are used elsewhere, after what was submitted before; false:
    * they are not. NULL: all are used here. */
   bool (*hand_over)(void *context, enum cm_unit unit, uint64_t begin, uint64_t end);
   void *hand_over_context;
   /** Gets groups, lookups, requests and items; NULL: no reader has requested them. */
   struct cm_access_stream *requests;
   uint32_t read_streams; /**< a bit for each stream whose accesses to its first cache are reported */
   uint32_t read_units;   /**< a bit for each unit that readers have asked for */
   struct cm_attribution *attribution; /**< NULL: not attributed */
   struct cm_cache *entrances
      [CM_CACHE_COUNT]; /**< of shared units that are the first of a stream, by instance; else NULL */
   struct {
      struct cm_cache *cache; /**< instance 0 of the first unit, or of its entrances; NULL: memory */
      uint32_t instances;
      uint32_t block_shift; /**< of the first unit's blocks */
      bool is_reported;     /**< accesses to it, which is private, are reported (cm_access_reader.streams) */
      bool is_watched;      /**< these are reported or attributed */
      bool has_masks;       /**< it needs the bytes of each access (write_miss: validate) */
   } entry[CM_STREAM_COUNT];
};

/** Builds the units. False when out of memory. */
bool cm_hierarchy_init(struct cm_hierarchy *hierarchy, const struct cm_config *config);
void cm_hierarchy_finish(struct cm_hierarchy *hierarchy);

/** Before the first access: adds a reader of the access stream (access/arrivals.h). False when out of memory. */
bool cm_hierarchy_add_reader(struct cm_hierarchy *hierarchy, const struct cm_access_reader *reader);

/** The cache that serves a stream for a fragment processor (0 for other units);
 * NULL: memory. */
static inline struct cm_cache *
cm_hierarchy_entry(const struct cm_hierarchy *hierarchy, enum cm_stream stream, uint32_t processor)
{
   struct cm_cache *cache = hierarchy->entry[stream].cache;
   const uint32_t instances = hierarchy->entry[stream].instances;
   if (!cache)
      return NULL;
   return cache + (processor < instances ? processor : processor % instances);
}

/** Before the first access, and before readers: accesses are attributed, too. The texture unit's accesses to its
 * first caches, if those are private, are not: they are left to the caller. False when out of memory. */
bool cm_hierarchy_attribute(struct cm_hierarchy *hierarchy, struct cm_attribution *attribution);

/** Reports an access that a stream makes to its first cache, and counts it for its origin. */
void cm_hierarchy_watch(struct cm_hierarchy *hierarchy, struct cm_cache *cache, uint64_t address,
                        enum cm_stream stream, enum cm_access access);

/** One access of at most one block at a byte address; of a part of a block only where it is known to have no byte masks
 * (cm_hierarchy_access_range). */
static inline void
cm_hierarchy_access(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                    enum cm_stream stream, enum cm_access access)
{
   struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   if (hierarchy->entry[stream].is_watched)
      cm_hierarchy_watch(hierarchy, cache, address, stream, access);
   if (cache)
      cm_cache_access(cache, address, stream, access);
   else
      cm_dram_access(&hierarchy->dram, address, stream, access != CM_READ, 1, 1u << CM_DRAM_BLOCK_SHIFT);
}

/** cm_hierarchy_access_range where the bytes are in several blocks, or in none, or their masks matter. */
void cm_hierarchy_access_blocks(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                                uint64_t bytes, enum cm_stream stream, bool write);

/** One access to each block of the bytes [address, address + bytes), in ascending
 * order. */
static inline void
cm_hierarchy_access_range(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                          uint64_t bytes, enum cm_stream stream, bool write)
{
   const uint64_t block_bytes = 1ull << hierarchy->entry[stream].block_shift;
   if (bytes - 1 < block_bytes - (address & (block_bytes - 1)) && !hierarchy->entry[stream].has_masks)
      cm_hierarchy_access(hierarchy, processor, address, stream,
                          !write                 ? CM_READ
                          : bytes == block_bytes ? CM_WRITE_BLOCK
                                                 : CM_WRITE);
   else
      cm_hierarchy_access_blocks(hierarchy, processor, address, bytes, stream, write);
}

/** An atomic, which is done at the next level if the first cache is private: a block that this one has is written back and
 * invalidated; then the block is read and written there, counted here as bypasses. address: within the block. */
void cm_hierarchy_atomic(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                         enum cm_stream stream);

/** Writes one of the stream's first caches back and empties it, if they are private. */
void cm_hierarchy_empty_private(struct cm_hierarchy *hierarchy, enum cm_stream stream, uint32_t instance);

/** A render pass's Parameter Buffer is built (memory/liveness.h). buffer: 0, or CM_PB_SECOND_BUFFER. last_tiles, which has
 * the blocks written so far, must stay valid until it ends. */
void
cm_hierarchy_parameter_buffer_begin(struct cm_hierarchy *hierarchy, enum cm_pb_layout layout, uint64_t buffer,
                                    uint32_t num_tiles, const uint32_t *last_tiles, uint64_t num_blocks);
/** A primitive's attribute blocks are about to be written; last_tiles has it already. last_tile: traversal
 * position. */
void cm_hierarchy_parameter_buffer_primitive(struct cm_hierarchy *hierarchy, uint32_t first_block,
                                             uint32_t num_blocks, uint32_t last_tile);
/** The Tile Fetcher has finished with the tile at this traversal position, and with all before it. */
void cm_hierarchy_parameter_buffer_tile_done(struct cm_hierarchy *hierarchy, uint32_t position);
void cm_hierarchy_parameter_buffer_end(struct cm_hierarchy *hierarchy);
/** Empties the Tile Cache, the Primitive List Cache and an Attribute Cache without a Primitive Buffer; these must be
 * private. */
void cm_hierarchy_empty_tile_caches(struct cm_hierarchy *hierarchy, bool write_back);

/** Invalidates the blocks of [begin, end) in all instances of a cache; writes dirty ones back. */
void cm_hierarchy_invalidate(struct cm_hierarchy *hierarchy, enum cm_unit unit, uint64_t begin, uint64_t end);

/** Invalidates the blocks of [begin, end) in all caches that the stream does not reach. */
void cm_hierarchy_written_past(struct cm_hierarchy *hierarchy, const struct cm_config *config,
                               enum cm_stream stream, uint64_t begin, uint64_t end);

/** The value of a counter that has unit, instance, stream and event (memory/counters.h), after
 * cm_shared_side_run. */
uint64_t cm_hierarchy_counter(const struct cm_hierarchy *hierarchy, const struct cm_counter *counter);

/** Before the first access, with readers of no unit and neither units on the access stream nor attribution: from now on the shared
 * side may run later than private caches. So these, and whoever else reports something, append it to shared.arriving
 * (shared.reports, requests): readers get all of it from the shared side, in the same order as otherwise. */
void cm_hierarchy_defer_reports(struct cm_hierarchy *hierarchy);

/** Before the first access, and without attribution; with readers after cm_hierarchy_defer_reports: a private unit that no other leads to, and those that are
 * private to it, become a part of the shared side, whose order of accesses they see. Changes no counter. False when out of
 * memory. */
bool cm_hierarchy_share(struct cm_hierarchy *hierarchy, const struct cm_config *config, enum cm_unit unit);

/** The same hierarchy as another thread sees it, for accesses of streams whose first caches are shared, or memory: they become entries of
 * its own stream, and what memory would count of them is counted in view->dram. Where readers ask for requests, these are reported
 * there, too. Its private caches are not for the caller. The hierarchy, with all its readers, must outlive it. False when out of
 * memory. */
bool cm_hierarchy_init_view(struct cm_hierarchy *view, const struct cm_hierarchy *hierarchy,
                            struct cm_access_stream *stream);
void cm_hierarchy_finish_view(struct cm_hierarchy *view);

/** Whether a configured cache is private: each of its instances serves only streams, or only one private
 * cache. */
bool cm_cache_is_private(const struct cm_config *config, enum cm_unit unit);

/** Keys caches.*, primitive_buffer.*, streams.* and access_units.*: whether they are consistent. */
bool cm_memory_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
