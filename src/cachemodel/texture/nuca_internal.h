/* SPDX-License-Identifier: MIT */
/** What the organisations of texture caches share: nuca.c and nuca_*.c. */
#ifndef CM_NUCA_INTERNAL_H
#define CM_NUCA_INTERNAL_H

#include <assert.h>

#include "texture/affinity_table.h"
#include "texture/holders.h"
#include "texture/mesh.h"
#include "texture/nuca.h"
#include "texture/placement.h"
#include "util/minmax.h"

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
   /** Serves requests (cm_nuca_list), one after another: cm_nuca_serve_each. */
   void (*read)(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count);
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

/* A request of cm_nuca_list: its value is the block, and how many in a row it stands for, less one. */
#define CM_NUCA_REPEATS_BITS 5
static_assert(CM_MAX_FOOTPRINT_BLOCKS <= 1 << CM_NUCA_REPEATS_BITS, "those of a footprint can be one");
static_assert(CM_HEADERS_ADDRESS >> CM_ENTRY_ADDRESS_SHIFT <=
                 1ull << (CM_ENTRY_VALUE_BITS - CM_NUCA_REPEATS_BITS),
              "blocks of the least size have numbers of so many bits");

struct cm_nuca_request {
   uint64_t block;
   uint32_t processor, repeats;
};

/** A single one; plus n it stands for n more. */
static inline cm_entry
cm_nuca_request_encode(uint32_t processor, uint64_t block)
{
   return cm_entry_make(CM_ENTRY_REQUEST, CM_UNIT_TEXTURE_CACHE, processor, CM_STREAM_TEXTURE,
                        block << CM_NUCA_REPEATS_BITS);
}

static inline struct cm_nuca_request
cm_nuca_request_decode(cm_entry request)
{
   const uint64_t value = cm_entry_value(request);
   return (struct cm_nuca_request){
      .block = value >> CM_NUCA_REPEATS_BITS,
      .processor = cm_entry_instance(request),
      .repeats = ((uint32_t)value & ((1u << CM_NUCA_REPEATS_BITS) - 1)) + 1,
   };
}

/** Serves requests with an organisation's function: a processor's for a block, so many in a row. That returns how many it has
 * served, at least one: as long as they are served alike. */
static inline __attribute__((always_inline)) void
cm_nuca_serve_each(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count,
                   uint32_t (*serve)(struct cm_nuca *nuca, uint32_t processor, uint64_t block,
                                     uint32_t repeats))
{
   for (uint32_t n = 0; n < count; n++) {
      const struct cm_nuca_request request = cm_nuca_request_decode(requests[n]);
      assert(request.processor < nuca->processors);
      nuca->counts[CM_NUCA_REQUESTS] += request.repeats;
      if (request.repeats == 1) {
         serve(nuca, request.processor, request.block, 1);
         continue;
      }
      for (uint32_t served = 0; served < request.repeats;)
         served += serve(nuca, request.processor, request.block, request.repeats - served);
   }
}

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
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, server, nuca->l2_router, 1);
      cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, nuca->l2_router, server, 1);
   }
}

/** So many requests at the cache that serves them, like any accesses there. Counts their outcome. Returns whether the
 * block was there; it is at the second one. */
static inline bool
cm_nuca_access(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block, uint32_t times)
{
   struct cm_cache *cache = &nuca->caches[server];
   nuca->server = server;
   const uint64_t *misses = &cache->counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES], before = *misses;
   cache->accesses[CM_STREAM_TEXTURE][0] += times;
   for (uint32_t t = 0; t < times && block != cache->folded_block; t++)
      cache->replacement->access(cache, block, CM_STREAM_TEXTURE, CM_READ);
   const bool hit = *misses == before;
   assert(hit || *misses == before + 1);
   nuca->counts[server == processor ? CM_NUCA_LOCAL_HITS : CM_NUCA_REMOTE_HITS] += times - !hit;
   if (hit)
      return true;
   cm_nuca_reach_l2(nuca, processor, server);
   if (nuca->holders.entries)
      cm_holders_add(&nuca->holders, block, server);
   return false;
}

/** What a processor's own cache does first (III-B): as the owner it serves the requests; as an old owner it
 * does if it still has the block, which does not count as a use of it. Returns whether the block was there. */
static inline bool
cm_nuca_serves_itself(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block,
                      uint32_t times)
{
   if (owner == processor)
      return cm_nuca_access(nuca, processor, processor, block, times);
   if (!cm_cache_probe(&nuca->caches[processor], block))
      return false;
   cm_cache_read_in_place(&nuca->caches[processor], block, CM_STREAM_TEXTURE, times);
   nuca->server = processor;
   nuca->counts[CM_NUCA_LOCAL_HITS] += times;
   nuca->counts[CM_NUCA_OLD_OWNER_HITS] += times;
   return true;
}

/** The same for another processor's block that is present, according to nuca.remote_hits. */
static inline void
cm_nuca_remote_hit(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block, uint32_t times)
{
   if (nuca->config.remote_hits == CM_NUCA_REMOTE_HITS_UPDATE) {
      cm_nuca_access(nuca, processor, server, block, times);
      return;
   }
   cm_cache_read_in_place(&nuca->caches[server], block, CM_STREAM_TEXTURE, times);
   nuca->server = server;
   nuca->counts[CM_NUCA_REMOTE_HITS] += times;
}

/** Requests to the cache that serves them, another processor's or the own one. Returns whether the block was there. */
static inline bool
cm_nuca_ask(struct cm_nuca *nuca, uint32_t processor, uint32_t server, uint64_t block, uint32_t times)
{
   if (server == processor || nuca->config.remote_hits != CM_NUCA_REMOTE_HITS_KEEP)
      return cm_nuca_access(nuca, processor, server, block, times);
   const bool hit = cm_cache_probe(&nuca->caches[server], block);
   if (!hit)
      cm_nuca_access(nuca, processor, server, block, 1);
   if (times > !hit)
      cm_nuca_remote_hit(nuca, processor, server, block, times - !hit);
   return hit;
}

/** Requests to the owner, another processor. An answer may leave a copy in the requester's cache, which from then on serves
 * as an old owner's does: then there must be one. */
static inline void
cm_nuca_ask_owner(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block, uint32_t times)
{
   assert(owner != processor);
   const bool hit = cm_nuca_ask(nuca, processor, owner, block, times);
   if (!cm_nuca_copies(&nuca->config, !hit))
      return;
   assert(times == 1);
   cm_cache_insert(&nuca->caches[processor], block, CM_STREAM_TEXTURE);
   cm_holders_add(&nuca->holders, block, processor);
   nuca->counts[CM_NUCA_COPIES]++;
}

/** Counts how many caches hold a block that was requested. */
static inline void
cm_nuca_count_degree(struct cm_nuca *nuca, uint64_t block, uint32_t times)
{
   nuca->degrees[cm_holders_find(&nuca->holders, block)->copies] += times;
}

/** How many of a processor's requests for a block, so many in a row, are served alike by its owner or an old one: until one of
 * them changes the owner, ends the epoch, or leaves a copy. */
static inline uint32_t
cm_nuca_alike(const struct cm_nuca *nuca, const struct cm_affinity_table *table, uint32_t bucket,
              uint32_t processor, uint32_t repeats)
{
   if (repeats == 1)
      return 1;
   const uint32_t until_epoch = nuca->config.affinity_table.epoch_accesses - nuca->epoch_accesses;
   if (nuca->config.remote_copies != CM_NUCA_REMOTE_COPIES_NONE)
      return 1;
   return cm_min(cm_min(repeats, until_epoch), cm_affinity_room(table, bucket, processor));
}

#endif
