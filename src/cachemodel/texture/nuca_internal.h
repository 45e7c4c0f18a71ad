/* SPDX-License-Identifier: MIT */
/** What the organisations of texture caches share: nuca.c and nuca_*.c. */
#ifndef CM_NUCA_INTERNAL_H
#define CM_NUCA_INTERNAL_H

#include <assert.h>

#include "texture/affinity_table.h"
#include "texture/holders.h"
#include "texture/mesh.h"
#include "texture/nuca.h"

/** A node's packet about a bucket that it owns (IV-B). */
struct cm_nuca_packet {
   uint16_t bucket;
   uint8_t node, counter;
};

/** The best claim to a bucket that a node has received since the epoch ended. */
struct cm_nuca_claim {
   uint8_t node; /**< CM_NO_OWNER: none yet */
   uint8_t counter;
};

/** The tables of dtm-nuca-distributed, and the packets in flight. */
struct cm_nuca_nodes {
   struct cm_affinity_table *tables; /**< by node */
   struct cm_nuca_claim *claims;     /**< claims[node * buckets + bucket] */
   struct cm_nuca_packet *packets; /**< at most one per bucket and node; a node's: one per cycle, in a row */
   uint32_t *first_packet; /**< by node, and one more: the packets of node n end where n + 1's begin */
   uint8_t
      *by_distance;     /**< by_distance[node * processors + n]: the others, in the order of hops from node */
   uint8_t *num_within; /**< num_within[node * (diameter + 1) + hops]: so many of them are that near */
   uint32_t diameter;   /**< the most hops */
   uint32_t num_cycles; /**< until all have arrived; 0: they have */
   uint32_t cycle;      /**< the next one to look at */
};

/** A block that was in the directory, and its cache. */
struct cm_nuca_former {
   uint64_t block;
   uint32_t cache;
};

/** An organisation: one file each. */
struct cm_nuca_organisation {
   /** Requests of a processor, one after another. */
   void (*read)(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count);
   /** Builds its own parts; NULL: none. False when out of memory. */
   bool (*start)(struct cm_nuca *nuca);
   void (*finish)(struct cm_nuca *nuca);
   /** A block was evicted or invalidated, after the holders' update; NULL: nothing to do. evicted: the holders'
    * entry before it. */
   void (*removed)(struct cm_nuca *nuca, uint32_t cache, const struct cm_holders_entry *evicted);
   bool has_one_copy; /**< each block is in one cache at most */
};

extern const struct cm_nuca_organisation cm_nuca_private, cm_nuca_static, cm_nuca_dynamic, cm_nuca_dtm,
   cm_nuca_dtm_distributed;

struct cm_nuca {
   const struct cm_nuca_organisation *organisation;
   struct cm_hierarchy *hierarchy;
   struct cm_cache *caches; /**< by processor */
   uint32_t processors;
   struct cm_nuca_config config;
   bool l2_is_in_mesh;
   uint32_t interleave_shift;
   uint32_t table_router, l2_router;
   struct cm_mesh mesh;
   struct cm_holders holders;
   struct cm_affinity_table table; /**< dtm-nuca */
   struct cm_nuca_nodes nodes;     /**< dtm-nuca-distributed */
   uint32_t epoch_accesses;        /**< requests since the epoch began */
   /** d-nuca: the last evicted blocks, by block number modulo as many as the next level has blocks. */
   struct cm_nuca_former *former;
   uint64_t former_mask;
   bool serving;    /**< d-nuca: a block is being inserted: removed blocks are evicted, not invalidated */
   uint32_t server; /**< of the last request: the cache that served it */
   bool moving;     /**< d-nuca: a block is being moved to another cache */
   /** What the last request sent that nothing waits for, for the access stream. */
   cm_entry messages[CM_MESH_MAX_NODES];
   uint32_t num_messages;
   uint64_t counts[CM_NUCA_EVENT_COUNT];
   uint64_t degrees[CM_MESH_MAX_NODES + 1]; /**< requests by the caches that hold the block afterwards */
   uint64_t *link_loads;                    /**< of cm_nuca_sum_up */
};

/** Reports messages of a node that no request waits for, one after another: blocks to another node, or, to itself,
 * packets to all others. What the reader of requests can derive needs no report. */
static inline void
cm_nuca_report(struct cm_nuca *nuca, uint32_t from, uint32_t to, uint32_t count)
{
   if (nuca->hierarchy->requests && nuca->num_messages < CM_MESH_MAX_NODES)
      nuca->messages[nuca->num_messages++] = cm_entry_make(CM_ENTRY_MESSAGE, CM_UNIT_TEXTURE_CACHE, from,
                                                           CM_STREAM_TEXTURE, (uint64_t)count << 8 | to);
}

/** The next level's part of a request that a cache serves. */
static inline void
cm_nuca_reach_l2(struct cm_nuca *nuca, uint32_t processor, uint32_t server)
{
   nuca->counts[CM_NUCA_L2_ACCESSES]++;
   nuca->counts[CM_NUCA_LOCAL_L2_ACCESSES] += server == processor;
   if (nuca->l2_is_in_mesh) {
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, server, nuca->l2_router);
      cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, nuca->l2_router, server);
   }
}

/** A request at the cache that serves it, like any access there. Counts its outcome. Returns whether the
 * block was there. */
static inline bool
cm_nuca_access(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block)
{
   struct cm_cache *cache = &nuca->caches[server];
   nuca->server = server;
   const uint64_t *misses = &cache->counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES], before = *misses;
   cache->accesses[CM_STREAM_TEXTURE][0]++;
   if (block != cache->folded_block)
      cache->replacement->access(cache, block, CM_STREAM_TEXTURE, CM_READ);
   if (*misses == before) {
      nuca->counts[server == processor ? CM_NUCA_LOCAL_HITS : CM_NUCA_REMOTE_HITS]++;
      return true;
   }
   cm_nuca_reach_l2(nuca, processor, server);
   if (nuca->holders.entries)
      cm_holders_add(&nuca->holders, block, server);
   return false;
}

/** What a processor's own cache does first (III-B): as the owner it serves the request; as an old owner it
 * does if it still has the block, which does not count as a use of it. Returns whether the block was there. */
static inline bool
cm_nuca_serves_itself(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block)
{
   if (owner == processor)
      return cm_nuca_access(nuca, processor, processor, block);
   if (!cm_cache_probe(&nuca->caches[processor], block))
      return false;
   cm_cache_read_in_place(&nuca->caches[processor], block, CM_STREAM_TEXTURE);
   nuca->server = processor;
   nuca->counts[CM_NUCA_LOCAL_HITS]++;
   nuca->counts[CM_NUCA_OLD_OWNER_HITS]++;
   return true;
}

/** The same for another processor's block that is present, according to nuca.remote_hits. */
static inline void
cm_nuca_remote_hit(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block)
{
   if (nuca->config.remote_hits == CM_NUCA_REMOTE_HITS_UPDATE) {
      cm_nuca_access(nuca, processor, server, block);
      return;
   }
   cm_cache_read_in_place(&nuca->caches[server], block, CM_STREAM_TEXTURE);
   nuca->server = server;
   nuca->counts[CM_NUCA_REMOTE_HITS]++;
}

/** A request to the cache that serves it, another processor's or the own one. Returns whether the block was there. */
static inline bool
cm_nuca_ask(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block)
{
   if (server == processor || nuca->config.remote_hits != CM_NUCA_REMOTE_HITS_KEEP ||
       !cm_cache_probe(&nuca->caches[server], block))
      return cm_nuca_access(nuca, processor, server, block);
   cm_nuca_remote_hit(nuca, processor, server, block);
   return true;
}

/** A request to the owner, another processor: its answer may leave a copy in the requester's cache, which from then on serves
 * as an old owner's does. */
static inline void
cm_nuca_ask_owner(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block)
{
   assert(owner != processor);
   const bool hit = cm_nuca_ask(nuca, processor, owner, block);
   if (!cm_nuca_copies(&nuca->config, !hit))
      return;
   cm_cache_insert(&nuca->caches[processor], block, CM_STREAM_TEXTURE);
   cm_holders_add(&nuca->holders, block, processor);
   nuca->counts[CM_NUCA_COPIES]++;
}

/** Counts how many caches hold a block that was requested. */
static inline void
cm_nuca_count_degree(struct cm_nuca *nuca, uint64_t block)
{
   nuca->degrees[cm_holders_find(&nuca->holders, block)->copies]++;
}

#endif
