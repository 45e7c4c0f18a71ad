/* SPDX-License-Identifier: MIT */
/**
 * The next access to each block that reaches a cache. A first pass over
 * the accesses adds their blocks one after another; a second pass, with the same accesses,
 * takes their next uses in the same order.
 *
 * A position is the number of an access to the cache, from 0. A block that is invalidated
 * before its next access has no next use: it would be read again anyway.
 *
 * Memory: 4 bytes per access, and while they are added 32 to 64 bytes per different block.
 */
#ifndef CM_NEXT_USE_H
#define CM_NEXT_USE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The position of no next use; farther than any other. */
#define CM_NEVER_USED UINT32_MAX

enum cm_next_use_problem {
   CM_NEXT_USE_FINE,
   CM_NEXT_USE_NO_MEMORY,
   CM_NEXT_USE_TOO_MANY, /**< positions end at 2^32 - 2 */
};

struct cm_last_use {
   uint64_t block; /**< CM_LAST_USE_EMPTY: an empty slot */
   uint32_t position;
};
#define CM_LAST_USE_EMPTY UINT64_MAX

struct cm_next_use {
   uint32_t *next; /**< by position: that of the next access to the same block, or CM_NEVER_USED */
   uint64_t count; /**< accesses added */
   size_t capacity;
   uint64_t position; /**< accesses whose next use has been taken */
   enum cm_next_use_problem problem;
   /* While accesses are added: the last access to each block, in an open hash table. */
   struct cm_last_use *last;
   uint64_t last_slots; /**< a power of two, or 0 */
   uint64_t last_used;
};

/** Empty. Nothing to free before the first access is added. */
void cm_next_use_init(struct cm_next_use *uses);
void cm_next_use_free(struct cm_next_use *uses);

/** Adds accesses to blocks. After a problem (uses->problem) nothing more is added. */
void cm_next_use_add(struct cm_next_use *uses, const uint64_t *blocks, unsigned count);

/** The blocks first … last are invalidated: the accesses so far have no next use. */
void cm_next_use_invalidate(struct cm_next_use *uses, uint64_t first, uint64_t last);

/** All accesses are added: frees what only adding needs. The next uses can be taken from
 * the first one on; calling it again restarts. */
void cm_next_use_rewind(struct cm_next_use *uses);

/** The next use of the access that is about to be simulated, and of the one after it
 * once cm_next_use_take has been called. */
static inline uint32_t
cm_next_use_peek(const struct cm_next_use *uses)
{
   return uses->position < uses->count ? uses->next[uses->position] : CM_NEVER_USED;
}

static inline uint32_t
cm_next_use_take(struct cm_next_use *uses)
{
   assert(!uses->last);
   const uint32_t next = cm_next_use_peek(uses);
   uses->position++;
   return next;
}

#endif
