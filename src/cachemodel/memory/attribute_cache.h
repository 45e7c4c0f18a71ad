/* SPDX-License-Identifier: MIT */
/**
 * The Attribute Cache (TCOR III-C2 to III-C6), whose granule is a primitive with all its
 * attributes.
 *
 * The Primitive Buffer has a line for each primitive: valid, dirty and lock bits, its OPT
 * number, and the Attribute Buffer Pointer (ABP) to the first of its entries in the Attribute
 * Buffer, where each entry holds one attribute and points to the next one. Entries that nobody
 * uses are a list, too. A primitive's set is its ID's low bits, exclusive-ored with the next
 * ones (index: xor) or not.
 *
 * Of the lines of a set that are not locked, the one with the greatest OPT number leaves (III-C6).
 * Of those with the same OPT number, all to be read in the same tile, it is the one with the
 * greatest ID: lists are in program order, so that is the one read last. With policy lru it is
 * the one whose last access is longest ago.
 *
 * The lock of a line and the lock of its first attribute (III-C5) are one count here: the
 * places of the primitive in the output queue, from the read on until the Rasterizer consumes it.
 */
#ifndef CM_ATTRIBUTE_CACHE_H
#define CM_ATTRIBUTE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "tiling/parameter_buffer.h"

struct cm_attribute_cache;
struct cm_cache;

/** No entry of the Attribute Buffer. */
#define CM_NO_ENTRY UINT32_MAX

/** A line of the Primitive Buffer (TCOR Figure 8). */
struct cm_primitive_line {
   uint32_t primitive;  /**< its ID, whose high bits are the tag */
   uint32_t opt_number; /**< traversal position of the next tile that reads it, or CM_PB_NEVER */
   uint32_t abp;        /**< entry of its first attribute */
   uint32_t num_attributes;
   uint32_t locks; /**< places in the output queue; 0: not locked */
   bool valid, dirty;
   bool chosen;       /**< to be evicted for the access under way */
   uint64_t last_use; /**< number of the last access, for lru */
};

/** Builds the Attribute Cache of a valid configuration with a Primitive Buffer. unit counts its
 * accesses, attribute by attribute, and leads to the next level; pipeline counts primitives
 * (CM_PIPELINE_PRIMITIVE_*). Both must outlive it. NULL when memory is out. */
struct cm_attribute_cache *
cm_attribute_cache_create(const struct cm_config *config, struct cm_cache *unit, uint64_t *pipeline);
void cm_attribute_cache_destroy(struct cm_attribute_cache *cache);

/** The Polygon List Builder writes a primitive (III-C4) that the tile at this place in the
 * traversal reads first. It takes an empty line, or that of a primitive which is read in a later
 * tile; otherwise, and where the Attribute Buffer has no room but by evicting primitives that are
 * read no later, it is written to the next level. */
void cm_attribute_cache_write(struct cm_attribute_cache *cache, uint32_t primitive, uint32_t num_attributes,
                              uint32_t first_tile);

/** The Tile Fetcher reads a primitive (III-C3), with the OPT number of its PMD. Returns the ABP
 * that it hands to the Rasterizer. Where all lines that could leave are locked, it waits until the
 * Rasterizer has consumed the oldest primitives of the output queue: they need nothing of the
 * Tile Fetcher, so the wait ends. */
uint32_t cm_attribute_cache_read(struct cm_attribute_cache *cache, uint32_t primitive,
                                 uint32_t num_attributes, uint32_t opt_number);

/** The pass ends: the Rasterizer consumes what is in the queue; no primitive will be read
 * again, and the next pass has others with the same IDs. All lines become invalid; nothing is
 * written back. */
void cm_attribute_cache_end_pass(struct cm_attribute_cache *cache);

/** The line that holds a primitive; NULL: none does. Valid until the next access. */
const struct cm_primitive_line *
cm_attribute_cache_find(const struct cm_attribute_cache *cache, uint32_t primitive);

/** The entry after this one in its primitive's list, CM_NO_ENTRY after the last. */
uint32_t cm_attribute_cache_next_entry(const struct cm_attribute_cache *cache, uint32_t entry);

/** Entries of the Attribute Buffer that hold nothing. */
uint32_t cm_attribute_cache_free_entries(const struct cm_attribute_cache *cache);

#endif
