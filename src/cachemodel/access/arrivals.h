/* SPDX-License-Identifier: MIT */
/** Decodes the entries of the access stream that concern one unit: for readers. */
#ifndef CM_ARRIVALS_H
#define CM_ARRIVALS_H

#include "access/access_stream.h"

/** A reader of the access stream. */
struct cm_access_reader {
   /** Takes the next entries, which are valid during the call. */
   void (*read)(void *context, const cm_entry *entries, uint32_t count);
   void *context;
   /** A bit for each unit (1u << enum cm_unit) that the reader observes. Accesses to other private caches,
    * hits or misses, are not in the stream. */
   uint32_t units;
   /** A bit for each stream whose accesses to its first cache it gets as well, where that is private. */
   uint32_t streams;
   /** It gets groups, lookups and requests, too, and accesses from private caches to private ones. */
   bool requests;
};

/** The decoded unit, and the state from earlier entries that its entries need. */
struct cm_arrivals {
   enum cm_unit unit;
   unsigned block_shift; /**< binary logarithm of the bytes of the unit's blocks; of memory, any */
   uint64_t range;       /**< value of the last CM_ENTRY_RANGE */
};

enum cm_arrival_kind {
   CM_ARRIVAL_NONE,         /**< does not concern the unit */
   CM_ARRIVAL_ACCESS,       /**< to a block of the unit, any instance */
   CM_ARRIVAL_INVALIDATION, /**< of blocks, in all instances */
   CM_ARRIVAL_MARK,
};

struct cm_unit_arrival {
   uint64_t address; /**< of the block's first byte; of the first block that is invalidated */
   uint64_t end;     /**< of an invalidation: after its last block */
   uint32_t bytes;   /**< of the block */
   enum cm_stream stream;
   enum cm_access access; /**< of memory CM_READ or CM_WRITE_BLOCK */
   enum cm_mark mark;
};

/** Decodes the next entry; sets the members of arrival that its kind has. */
static inline enum cm_arrival_kind
cm_arrivals_decode(struct cm_arrivals *arrivals, cm_entry entry, struct cm_unit_arrival *arrival)
{
   const enum cm_entry_kind kind = cm_entry_kind(entry);
   const uint64_t block_bytes = 1ull << arrivals->block_shift;
   switch (kind) {
   case CM_ENTRY_RANGE: arrivals->range = cm_entry_value(entry); return CM_ARRIVAL_NONE;
   case CM_ENTRY_MARK: arrival->mark = (enum cm_mark)cm_entry_unit(entry); return CM_ARRIVAL_MARK;
   case CM_ENTRY_PARAMETER_BUFFER:
   case CM_ENTRY_ORIGIN:
   case CM_ENTRY_UNIT_ACCESS:
   case CM_ENTRY_FILL:
   case CM_ENTRY_GROUP:
   case CM_ENTRY_LOOKUP:
   case CM_ENTRY_REQUEST:
   case CM_ENTRY_MESSAGE: return CM_ARRIVAL_NONE;
   default: break;
   }
   if (cm_entry_unit(entry) != (unsigned)arrivals->unit)
      return CM_ARRIVAL_NONE;
   if (kind == CM_ENTRY_INVALIDATE) {
      arrival->address = (arrivals->range << CM_ENTRY_ADDRESS_SHIFT) & ~(block_bytes - 1);
      arrival->end = (cm_entry_address(entry) & ~(block_bytes - 1)) + block_bytes;
      return CM_ARRIVAL_INVALIDATION;
   }
   const bool memory = kind > CM_ENTRY_LAST_ACCESS;
   arrival->bytes = memory ? 1u << cm_entry_instance(entry) : (uint32_t)block_bytes;
   arrival->address = cm_entry_address(entry) & ~(uint64_t)(arrival->bytes - 1);
   arrival->stream = cm_entry_stream(entry);
   arrival->access = !memory ? (enum cm_access)kind : kind == CM_ENTRY_DRAM_WRITE ? CM_WRITE_BLOCK : CM_READ;
   return CM_ARRIVAL_ACCESS;
}

#endif
