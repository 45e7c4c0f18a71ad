/* SPDX-License-Identifier: MIT */
/**
 * The Affinity Table of DTM-NUCA (III-A, III-B): which texture cache owns which
 * bucket of blocks.
 *
 * Blocks are grouped into pages of consecutive blocks, pages into buckets by modulo.
 * An entry is a bucket's owner and a saturating counter per processor. Where the paper
 * leaves something open, this table does as follows.
 *
 * - An access gets the owner from before the access counts (III-A); only the first access
 *   to a bucket without an owner takes the bucket, and is then its owner's.
 * - A counter saturates when it reaches its highest value (15 with 4 bits). "All the counters" that
 *   halve are those of the bucket's entry.
 * - The saturated counter is compared with the owner's as both were before they were halved. The bucket
 *   changes its owner if 100 * saturated > (100 + threshold) * owner's.
 */
#ifndef CM_AFFINITY_TABLE_H
#define CM_AFFINITY_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/** No processor owns the bucket. */
#define CM_NO_OWNER UINT8_MAX

struct cm_affinity_table {
   uint32_t processors, buckets;
   uint32_t page_shift;        /**< binary logarithm of the blocks of a page */
   uint32_t bucket_mask;       /**< buckets - 1 if that is a power of two, else 0 */
   uint32_t saturated;         /**< the highest value of a counter */
   enum cm_epoch_reset reset;  /**< what the end of an epoch does to the counters */
   uint32_t threshold_percent; /**< by how much the saturated counter must exceed the owner's */
   uint8_t *owners;            /**< by bucket; CM_NO_OWNER: none */
   uint8_t *counters;          /**< counters[bucket * processors + processor] */
};

/** A table without owners, all counters 0. False when out of memory. */
bool cm_affinity_table_init(struct cm_affinity_table *table, const struct cm_affinity_config *config,
                            uint32_t processors);
void cm_affinity_table_finish(struct cm_affinity_table *table);

/** The bucket of a block: its page modulo the number of buckets (Figure 3). */
static inline uint32_t
cm_affinity_bucket(const struct cm_affinity_table *table, uint64_t block)
{
   const uint64_t page = block >> table->page_shift;
   return (uint32_t)(table->bucket_mask ? page & table->bucket_mask : page % table->buckets);
}

/** The owner of a bucket; where it has none, the requester becomes it. */
static inline uint32_t
cm_affinity_owner(struct cm_affinity_table *table, uint32_t bucket, uint32_t processor)
{
   if (table->owners[bucket] == CM_NO_OWNER)
      table->owners[bucket] = (uint8_t)processor;
   return table->owners[bucket];
}

/** Halves a bucket's counters, one of which is saturated, and moves the bucket to that one's processor
 * if it counted enough. Returns whether the owner changed. */
bool cm_affinity_saturate(struct cm_affinity_table *table, uint32_t bucket, uint32_t processor);

/** How many accesses of a processor to a bucket saturate its counter; at least 1. */
static inline uint32_t
cm_affinity_room(const struct cm_affinity_table *table, uint32_t bucket, uint32_t processor)
{
   const uint32_t counter = table->counters[bucket * table->processors + processor];
   return counter < table->saturated ? table->saturated - counter : 1;
}

/** Counts accesses, at most cm_affinity_room of them. Returns whether the owner changed with the last one. */
static inline bool
cm_affinity_count(struct cm_affinity_table *table, uint32_t bucket, uint32_t processor, uint32_t accesses)
{
   uint8_t *counter = &table->counters[bucket * table->processors + processor];
   assert(accesses && accesses <= cm_affinity_room(table, bucket, processor));
   *counter = (uint8_t)(*counter + accesses);
   return *counter >= table->saturated && cm_affinity_saturate(table, bucket, processor);
}

/** Ends an epoch: what happens to owners, then the counters are reset. Returns the owners that changed, including
 * those that became none. */
uint32_t cm_affinity_end_epoch(struct cm_affinity_table *table, enum cm_epoch_owner what);

/** All counters are 0, or halved. */
void cm_affinity_reset(struct cm_affinity_table *table);

#endif
