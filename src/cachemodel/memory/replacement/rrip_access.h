/* SPDX-License-Identifier: MIT */
/**
 * The policies that differ only in the prediction at insertion, each of 2 and of 4
 * bits. A policy's file defines
 *
 *    uint8_t rrip_insertion(struct cm_cache *, uint64_t set, enum cm_stream)
 *       the prediction of a block that the stream has missed.
 *
 * and, with RRIP_STARTS, if the cache's sets share more than a struct rrip:
 *
 *    struct rrip_shared, which begins with a struct rrip
 *       what they share.
 *    void rrip_start(struct cm_cache *, const struct cm_cache_config *)
 *       after the struct rrip has been set.
 *
 * and includes this file. It then defines its policies with RRIP_REPLACEMENTS(name): cm_replacement_NAME
 * and cm_replacement_NAME4.
 */
#include "memory/replacement/rrip.h"

#ifndef RRIP_STARTS
#define rrip_shared rrip
#define rrip_start(cache, config)
#endif

#define cm_policy_find rrip_find
#define cm_policy_hit rrip_hit
#define cm_policy_is_settled rrip_is_near

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const struct rrip *rrip = cache->shared;
   return rrip_victim(rrip_of_set(cache, set, ways), ways, rrip->distant);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   return rrip_fill(cache, set, lines, ways, way, rrip_insertion(cache, set, cm_line_stream(lines[way])));
}

#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

static void
rrip_start_shared(struct cm_cache *cache, const struct cm_cache_config *config)
{
   *(struct rrip *)cache->shared = (struct rrip){.distant = cache->replacement->distant};
   rrip_start_empty(cache, config);
   rrip_start(cache, config);
}

#define RRIP_REPLACEMENT(name, largest)           \
   const struct cm_replacement name = {           \
      CM_POLICY_FUNCTIONS,                        \
      RRIP_MEMBERS,                               \
      .shared_bytes = sizeof(struct rrip_shared), \
      .distant = largest,                         \
      .start = rrip_start_shared,                 \
   }
#define RRIP_REPLACEMENTS(name)                \
   RRIP_REPLACEMENT(cm_replacement_##name, 3); \
   RRIP_REPLACEMENT(cm_replacement_##name##4, 15)
