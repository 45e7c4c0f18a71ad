/* SPDX-License-Identifier: MIT */
/**
 * The Attribute Cache (TCOR III-C2 to III-C6), whose granule is a primitive with all its
 * attributes.
 *
 * The Primitive Buffer has a line for each primitive: valid, dirty and lock bits, its OPT
 * number, and the Attribute Buffer Pointer (ABP) to the first of its entries in the Attribute
 * Buffer, where each entry holds one attribute and points to the next one. Unused entries
 * are a list, too. A primitive's set follows from its ID (memory/set_index.h).
 *
 * The unlocked line of a set with the greatest OPT number is evicted (III-C6).
 * Of those with the same OPT number, all to be read in the same tile, it is the one that the
 * configuration says (enum cm_ties), by default that with the greatest ID: lists are in draw
 * order, so it is the one read last. With policy lru it is the least recently used one.
 *
 * The lock of a line and the lock of its first attribute (III-C5) are one count here: the
 * primitive's entries in the output queue, each from its read until the Rasterizer consumes it.
 */
#ifndef CM_ATTRIBUTE_CACHE_H
#define CM_ATTRIBUTE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "memory/set_index.h"
#include "stats/counters.h"
#include "tiling/parameter_buffer.h"

struct cm_cache;

/** No entry of the Attribute Buffer. */
#define CM_NO_ENTRY UINT32_MAX

/** Its counters of primitives, primitive_buffer.<event>; its accesses, attribute by attribute, are counted like those of a
 * cache: X(identifier, name, unit of measure, description) */
#define CM_PRIMITIVE_BUFFER_EVENTS(X)                                                                        \
   X(READS, "reads", "primitives", "primitives read by the Tile Fetcher")                                    \
   X(WRITES, "writes", "primitives", "primitives written by the Polygon List Builder")                       \
   X(HITS, "hits", "primitives", "reads that found their primitive")                                         \
   X(MISSES, "misses", "primitives", "reads that did not find their primitive, and writes that took a line") \
   X(BYPASSES, "bypasses", "primitives", "writes passed on to the next level")                               \
   X(EVICTIONS, "evictions", "primitives", "primitives replaced by another, or there when the pass ended")   \
   X(FURTHER_EVICTIONS, "further_evictions", "primitives",                                                   \
     "of evictions, those only to free attribute entries")                                                   \
   X(LOCK_WAITS, "lock_waits", "primitives",                                                                 \
     "primitives that the Rasterizer had to consume before a read found room")

enum cm_primitive_buffer_event {
#define CM_PRIMITIVE_BUFFER_ENUM(id, name, measure, description) CM_PRIMITIVE_BUFFER_##id,
   CM_PRIMITIVE_BUFFER_EVENTS(CM_PRIMITIVE_BUFFER_ENUM)
#undef CM_PRIMITIVE_BUFFER_ENUM
      CM_PRIMITIVE_BUFFER_EVENT_COUNT
};

/** Read from a struct cm_attribute_cache. */
extern const struct cm_counter_source cm_primitive_buffer_counters;

/** A primitive as the Tiling Engine knows it. */
struct cm_tiled_primitive {
   uint32_t id;          /**< unique in its pass (enum cm_primitive_ids) */
   uint32_t first_block; /**< of its attributes in PB-Attributes */
   uint32_t num_attributes;
};

/** A line of the Primitive Buffer (TCOR Figure 8). */
struct cm_primitive_line {
   uint32_t primitive; /**< its ID, whose high bits are the tag */
   uint32_t first_block;
   uint32_t opt_number; /**< traversal position of the next tile that reads it, or CM_PB_NEVER */
   uint32_t abp;        /**< entry of its first attribute */
   uint32_t num_attributes;
   uint32_t locks; /**< entries in the output queue; 0: not locked */
   bool valid, dirty;
   bool chosen;       /**< to be evicted for the current access */
   uint64_t last_use; /**< number of the last access, for lru */
};

struct cm_attribute_cache {
   struct cm_cache *unit;
   uint64_t counts[CM_PRIMITIVE_BUFFER_EVENT_COUNT]; /**< since creation */
   uint64_t accesses;                                /**< so far */
   bool lru;
   enum cm_ties ties;
   enum cm_further_victims further_victims;

   /* The Primitive Buffer. */
   struct cm_primitive_line *lines; /**< set after set */
   uint32_t num_lines, sets, ways;
   uint32_t larger_sets; /**< the first sets, which have one line more than ways */
   struct cm_set_index index;

   /* The Attribute Buffer. */
   uint32_t *next_entry; /**< by entry: the one after it in its list, CM_NO_ENTRY after the last */
   uint32_t free_entry;  /**< first of the list of free ones */
   uint32_t num_free;

   /* Lines chosen to be evicted, and the entries that will be free then. */
   struct cm_primitive_line **victims;
   uint32_t num_victims;
   uint32_t room;

   /* The output queue: the lines that the Rasterizer has to consume, a ring. */
   struct cm_primitive_line **queue;
   uint32_t queue_size, queue_first, queue_length;

   uint64_t buffer; /**< of the pass, added to addresses in memory */
};

/** Entries of the Attribute Buffer. */
uint32_t cm_attribute_buffer_entries(const struct cm_config *config);

/** Builds the Attribute Cache of a valid configuration with a Primitive Buffer. unit counts its
 * accesses, attribute by attribute, and leads to the next level; it must outlive it. NULL when out of
 * memory. */
struct cm_attribute_cache *cm_attribute_cache_create(const struct cm_config *config, struct cm_cache *unit);
void cm_attribute_cache_destroy(struct cm_attribute_cache *cache);

/** The Polygon List Builder writes a primitive (III-C4) that the tile at this traversal
 * position reads first. It takes an empty line, or that of a primitive which is read in a later
 * tile; otherwise, and where the Attribute Buffer would have to evict primitives that are read no
 * later, it is written to the next level. */
void cm_attribute_cache_write(struct cm_attribute_cache *cache, const struct cm_tiled_primitive *primitive,
                              uint32_t first_tile);

/** The Tile Fetcher reads a primitive (III-C3), with the OPT number of its PMD. Returns the ABP
 * for the Rasterizer. If all candidate victims are locked, it waits until the Rasterizer has
 * consumed the oldest primitives of the output queue. They do not depend on the Tile Fetcher: no
 * deadlock. */
uint32_t cm_attribute_cache_read(struct cm_attribute_cache *cache, const struct cm_tiled_primitive *primitive,
                                 uint32_t opt_number);

/** A pass begins, whose Parameter Buffer is in `buffer`: 0, or CM_PB_SECOND_BUFFER. */
void cm_attribute_cache_begin_pass(struct cm_attribute_cache *cache, uint64_t buffer);

/** The pass ends: the Rasterizer consumes what is in the queue; no primitive will be read
 * again, and the next pass has different ones with the same IDs. All lines become invalid; dirty ones are
 * written back or discarded. */
void cm_attribute_cache_end_pass(struct cm_attribute_cache *cache, bool write_back);

#endif
