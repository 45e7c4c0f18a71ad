/* SPDX-License-Identifier: MIT */
/** Memory of an object's parts, freed together. */
#ifndef CM_POOL_H
#define CM_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct cm_pool_piece;

/** Begins as zeros. */
struct cm_pool {
   struct cm_pool_piece *last;
   bool out_of_memory; /**< at least once */
};

/** Zeroed memory for `count` elements of so many bytes; NULL when out of memory. Callers that build an object check
 * out_of_memory after its last part. */
void *cm_pool_take(struct cm_pool *pool, size_t count, size_t element_bytes);

/** Frees all that was taken. */
void cm_pool_finish(struct cm_pool *pool);

#endif
