/* SPDX-License-Identifier: MIT */
/**
 * A set-associative LRU cache written to be obviously right, not fast: each line
 * has the time of its last use. It shares nothing with the library's but the
 * configuration and the names of streams and events.
 */
#ifndef REFERENCE_CACHE_H
#define REFERENCE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/cache.h"

struct reference_line {
   bool valid, dirty;
   uint64_t block, last_use;
   enum cm_stream stream;
};

struct reference_cache {
   struct cm_cache_config config;
   struct reference_line *lines; /* set * ways + way */
   uint32_t sets;
   uint64_t now;
   struct reference_cache *next; /* NULL: memory */
   uint64_t counts[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   uint64_t memory_reads[CM_STREAM_COUNT], memory_writes[CM_STREAM_COUNT];
};

void reference_cache_init(struct reference_cache *cache, const struct cm_cache_config *config,
                          struct reference_cache *next);
void reference_cache_finish(struct reference_cache *cache);
void reference_cache_access(struct reference_cache *cache, uint64_t address, enum cm_stream stream,
                            enum cm_access access);
void reference_cache_invalidate(struct reference_cache *cache, uint64_t begin, uint64_t end);

/** Fails the test where a counter of the two differs. */
void assert_caches_equal(const struct cm_cache *cache, const struct reference_cache *reference);

#endif
