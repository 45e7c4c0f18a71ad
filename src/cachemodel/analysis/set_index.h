/* SPDX-License-Identifier: MIT */
/** How block numbers are spread over sets: as a cache does it (memory/cache_internal.h). */
#ifndef CM_SET_INDEX_H
#define CM_SET_INDEX_H

#include "config/config.h"

struct cm_set_index {
   uint32_t mask;      /**< sets - 1 */
   uint32_t xor_shift; /**< 0 with modulo indexing */
};

/** Of this many sets, a power of two. */
static inline struct cm_set_index
cm_set_index(uint32_t sets, enum cm_index index)
{
   return (struct cm_set_index){
      .mask = sets - 1,
      .xor_shift = index == CM_INDEX_XOR ? (uint32_t)__builtin_ctz(sets) : 0,
   };
}

static inline uint32_t
cm_set_of(struct cm_set_index index, uint64_t block)
{
   const uint64_t folded = index.xor_shift ? block ^ block >> index.xor_shift : block;
   return (uint32_t)folded & index.mask;
}

#endif
