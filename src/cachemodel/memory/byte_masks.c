/* SPDX-License-Identifier: MIT */
/* Between a cache and its policy, where a write that misses validates its own bytes only (write_miss: validate;
 * "write-validate" in N. Jouppi, "Cache Write Policies and Performance", ISCA 1993). The cache keeps a mask of the
 * valid bytes of each block that was allocated by a write of a part of it. A read of other bytes is a miss, which
 * reads the block and merges it with what was written; a block that is still partly valid when it is written back is
 * a write of a part of a block to the next level. Nothing is folded, because folded accesses do not call the
 * policy. */
#include <assert.h>
#include <stdlib.h>

#include "memory/cache_internal.h"
#include "util/minmax.h"

/** A bit is a 64th of a block. */
#define MASK_BITS 64

struct mask {
   uint64_t block; /**< CM_NO_BLOCK: none. It may have left the cache since. */
   uint64_t valid;
};

struct cm_byte_masks {
   const struct cm_replacement *policy; /**< the cache's own */
   uint64_t all;                        /**< the mask of a block */
   uint64_t accessed;                   /**< of the next access: its bytes; all where they are not known */
   struct mask masks[];                 /**< sets × ways, in no order */
};

/* The mask of a block of the cache, or of nothing where block is CM_NO_BLOCK; NULL: there is none. */
static struct mask *
find(const struct cm_cache *cache, uint64_t set, uint64_t block)
{
   struct mask *masks = cache->masks->masks + set * cache->ways;
   for (uint32_t i = 0; i < cache->ways; i++) {
      if (masks[i].block == block)
         return &masks[i];
   }
   return NULL;
}

static void
forget(struct mask *mask)
{
   if (mask)
      mask->block = CM_NO_BLOCK;
}

/* A set has as many masks as ways: one is free, or of a block that has left the cache. */
static void
remember(struct cm_cache *cache, uint64_t set, uint64_t block, uint64_t valid)
{
   assert(block != CM_NO_BLOCK && !find(cache, set, block));
   struct mask *mask = find(cache, set, CM_NO_BLOCK);
   if (!mask) {
      mask = cache->masks->masks + set * cache->ways;
      while (cm_cache_probe(cache, mask->block))
         mask++;
   }
   *mask = (struct mask){block, valid};
}

/* An access to a present block of which only the bytes of the mask are valid. */
static void
access_partly_valid(struct cm_cache *cache, struct mask *mask, uint64_t accessed, enum cm_stream stream,
                    enum cm_access access)
{
   assert(mask->block != CM_NO_BLOCK && mask->valid != cache->masks->all);
   if (access == CM_READ && accessed & ~mask->valid) {
      cm_cache_count(cache, stream, CM_CACHE_EVENT_MISSES, 1);
      cm_cache_fetch(cache, mask->block, stream);
      mask->valid = cache->masks->all;
   } else if (access != CM_READ) {
      mask->valid |= access == CM_WRITE ? accessed : cache->masks->all;
   }
   if (mask->valid == cache->masks->all)
      forget(mask);
}

static void
access_block(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const uint64_t accessed = cache->masks->accessed;
   const uint64_t set = cm_cache_set(cache, block);
   const bool present = cm_cache_probe(cache, block);
   struct mask *mask = find(cache, set, block);
   if (mask && present)
      access_partly_valid(cache, mask, accessed, stream, access);
   else
      forget(mask);
   cache->masks->policy->access(cache, block, stream, access);
   if (access == CM_WRITE && !present && accessed != cache->masks->all && cm_cache_probe(cache, block))
      remember(cache, set, block, accessed);
   cache->folded_block = CM_NO_BLOCK;
}

static const struct cm_replacement byte_masks = {
   .access = access_block,
};

bool
cm_cache_add_masks(struct cm_cache *cache)
{
   assert(!cache->masks && cache->replacement);
   const size_t count = (size_t)cache->sets * cache->ways;
   struct cm_byte_masks *masks = malloc(sizeof *masks + count * sizeof *masks->masks);
   if (!masks)
      return false;
   masks->policy = cache->replacement;
   masks->all = UINT64_MAX >> (MASK_BITS - cm_min(1u << cache->block_shift, MASK_BITS));
   masks->accessed = masks->all;
   for (size_t i = 0; i < count; i++)
      masks->masks[i] = (struct mask){CM_NO_BLOCK, 0};
   cache->masks = masks;
   cache->replacement = &byte_masks;
   return true;
}

const struct cm_replacement *
cm_cache_masked_policy(const struct cm_cache *cache, const struct cm_replacement *replacement)
{
   assert(replacement != &byte_masks || cache->masks);
   return replacement == &byte_masks ? cache->masks->policy : replacement;
}

bool
cm_cache_is_partly_valid(const struct cm_cache *cache, uint64_t block)
{
   return cache->masks && find(cache, cm_cache_set(cache, block), block);
}

/* A read needs each 64th that it touches, a write makes those valid that it fills. */
static uint64_t
mask_of(uint32_t block_shift, uint64_t offset, uint64_t bytes, enum cm_access access)
{
   assert(bytes && offset + bytes <= 1ull << block_shift);
   const uint64_t unit = cm_max(1u << block_shift, MASK_BITS) / MASK_BITS;
   const uint64_t round = unit - 1;
   const uint64_t first = access == CM_READ ? offset / unit : (offset + round) / unit;
   const uint64_t end = access == CM_READ ? (offset + bytes + round) / unit : (offset + bytes) / unit;
   if (end <= first)
      return 0;
   return (UINT64_MAX >> (MASK_BITS - (end - first))) << first;
}

void
cm_cache_access_bytes(struct cm_cache *cache, uint64_t address, uint64_t bytes, enum cm_stream stream,
                      enum cm_access access)
{
   const uint64_t offset = address & ((1ull << cache->block_shift) - 1);
   if (cache->masks)
      cache->masks->accessed = mask_of(cache->block_shift, offset, bytes, access);
   cm_cache_access(cache, address, stream, access);
   if (cache->masks)
      cache->masks->accessed = cache->masks->all;
}
