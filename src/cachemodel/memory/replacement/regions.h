/* SPDX-License-Identifier: MIT */
/** Hits of memory regions, for signature-based hit prediction (GSPC 5.1): address bits 27 to
 * 14 number a region of 16 KiB, for each of which there is a counter of 3 bits. */
#ifndef CM_REPLACEMENT_REGIONS_H
#define CM_REPLACEMENT_REGIONS_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define REGION_SHIFT 14
#define NUM_REGIONS (1u << 14)
#define REGION_COUNTER_MAX 7

/** The counters' first value, which the paper does not give: a region is trusted until a block is evicted without a hit. */
#define REGION_COUNTER_START 1

/** For so many banks, each with NUM_REGIONS counters. */
static inline void
regions_start(uint8_t *counters, uint32_t banks)
{
   memset(counters, REGION_COUNTER_START, (size_t)banks * NUM_REGIONS);
}

static inline uint8_t *
region_counter(uint8_t *counters, uint64_t block, uint32_t block_shift)
{
   assert(block_shift <= REGION_SHIFT);
   return counters + (block >> (REGION_SHIFT - block_shift)) % NUM_REGIONS;
}

static inline void
region_was_hit(uint8_t *counter)
{
   assert(*counter <= REGION_COUNTER_MAX);
   *counter = (uint8_t)(*counter + (*counter < REGION_COUNTER_MAX));
}

/** A block of the region was evicted without a hit. */
static inline void
region_was_not_hit(uint8_t *counter)
{
   *counter = (uint8_t)(*counter - (*counter > 0));
}

#endif
