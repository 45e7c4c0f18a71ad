/* SPDX-License-Identifier: MIT */
/**
 * What the caches asked of each other and of memory, in order: the log from which the timing works out when
 * it happens (timing/). Who drives the accesses puts tokens of its own between.
 */
#ifndef CM_TAP_H
#define CM_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/units.h"

/** What a token says. */
enum cm_token_kind {
   CM_TOKEN_READ, /**< a block is read of a cache by the one before it, or by a stream that begins there; size:
                         * the cache's unit. What that asks of the next one stands after it. In the tile-based
                         * pipeline only accesses of the L2 are told. */
   CM_TOKEN_WRITE,      /**< one is written back to it, or past the cache before it, or by such a stream */
   CM_TOKEN_DRAM_READ,  /**< a block is read from memory: by the cache whose access stands before */
   CM_TOKEN_DRAM_WRITE, /**< one is written there */
   /* Of those who drive the accesses. */
   CM_TOKEN_FIRST, /**< a block is accessed in a first cache */
   CM_TOKEN_GROUP, /**< the accesses from here on begin together: a footprint's; address: how many are before
                        * what they cause */
   CM_TOKEN_REQUEST, /**< a block is requested of a NUCA by the group's processor; size: who serves it */
};

/** Bits 0 … 47 the byte address; 48 … 52 the stream; 53 … 58 the size: of memory's binary logarithm of the bytes; from 60 on
 * the kind. */
typedef uint64_t cm_token;

static inline cm_token
cm_token_make(enum cm_token_kind kind, uint64_t address, enum cm_stream stream, uint32_t size)
{
   return address | (uint64_t)stream << 48 | (uint64_t)size << 53 | (uint64_t)kind << 60;
}

static inline enum cm_token_kind
cm_token_kind(cm_token token)
{
   return (enum cm_token_kind)(token >> 60);
}

static inline uint64_t
cm_token_address(cm_token token)
{
   return token & 0xffffffffffffull;
}

static inline enum cm_stream
cm_token_stream(cm_token token)
{
   return (enum cm_stream)(token >> 48 & 31);
}

static inline uint32_t
cm_token_size(cm_token token)
{
   return token >> 53 & 63;
}

struct cm_tap {
   cm_token *tokens;
   size_t count, capacity;
   bool out_of_memory; /**< tokens were lost */
};

/** Makes room for more tokens; false when out of memory. */
bool cm_tap_grow(struct cm_tap *tap);
void cm_tap_finish(struct cm_tap *tap);

static inline void
cm_tap_add(struct cm_tap *tap, cm_token token)
{
   if (tap->count == tap->capacity && !cm_tap_grow(tap))
      return;
   tap->tokens[tap->count++] = token;
}

#endif
