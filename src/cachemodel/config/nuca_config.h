/* SPDX-License-Identifier: MIT */
/**
 * Keys nuca.*: the texture caches of all Fragment Processors as one non-uniform
 * cache, after "DTM-NUCA: Dynamic Texture Mapping-NUCA",
 * whose sections are named.
 * The mapping is optional; what each organisation does is in texture/nuca.h.
 */
#ifndef CM_NUCA_CONFIG_H
#define CM_NUCA_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/** How the texture caches work together: key nuca.organisation. */
enum cm_nuca_kind {
   CM_NUCA_NONE,            /**< "none": as without the mapping */
   CM_NUCA_PRIVATE,         /**< "private": not at all; each request goes to its processor's own cache */
   CM_NUCA_STATIC,          /**< "s-nuca": a block's address names its cache (II-D) */
   CM_NUCA_DYNAMIC,         /**< "d-nuca": one cache holds a block, a directory knows which (II-D, VI) */
   CM_NUCA_DTM,             /**< "dtm-nuca": one Affinity Table names the owners (III, IV-A) */
   CM_NUCA_DTM_DISTRIBUTED, /**< "dtm-nuca-distributed": each node has an Affinity Table (IV-B) */
};

/** What a request is: key nuca.requests. */
enum cm_nuca_requests {
   CM_NUCA_REQUESTS_FOOTPRINT, /**< "footprint": a block that a quad's footprint reads, once */
   CM_NUCA_REQUESTS_FRAGMENT,  /**< "fragment": the same for each fragment of the quad */
   CM_NUCA_REQUESTS_TEXEL,     /**< "texel": the same for each texel of each fragment */
};

/** What becomes of a block that is evicted from the cache of its sharer: key nuca.migration (d-nuca). */
enum cm_nuca_migration {
   CM_NUCA_MIGRATION_NEXT_REQUESTER, /**< "next-requester": it is dropped; the next requester reads it from the L2 */
   CM_NUCA_MIGRATION_LAST_REQUESTER, /**< "last-requester": to the cache of the last requester, if that is another;
                                        * the block that it replaces does not migrate */
};

/** What a hit from another processor does to the replacement state: key nuca.remote_hits. */
enum cm_nuca_remote_hits {
   CM_NUCA_REMOTE_HITS_UPDATE, /**< "update": what a hit does */
   CM_NUCA_REMOTE_HITS_KEEP,   /**< "keep": nothing */
};

/** Of which blocks that another cache served the requester keeps a copy: key nuca.remote_copies (dtm-nuca,
 * dtm-nuca-distributed). III-B has "a certain amount of replication to favor local accesses", and does not say whether the
 * requester drops a block. */
enum cm_nuca_remote_copies {
   CM_NUCA_REMOTE_COPIES_NONE,   /**< "none": only old owners' caches have others' blocks; the default */
   CM_NUCA_REMOTE_COPIES_HITS,   /**< "hits": of those that were in the other cache */
   CM_NUCA_REMOTE_COPIES_MISSES, /**< "misses": of those that the other cache read from the L2 */
   CM_NUCA_REMOTE_COPIES_ALL,    /**< "all" */
};

/** Which requests the Affinity Table counts: key nuca.affinity_table.counted. */
enum cm_affinity_counted {
   CM_AFFINITY_COUNTED_ALL,          /**< "all": every request (III-B) */
   CM_AFFINITY_COUNTED_LOCAL_MISSES, /**< "local-misses": those that are not in the processor's own cache */
};

/** What the end of an epoch does to the owners in the centralised Affinity Table: key
 * nuca.affinity_table.epoch_owner. The distributed tables are synchronised. */
enum cm_epoch_owner {
   CM_EPOCH_OWNER_RECOMPUTE, /**< "recompute": the processor with the highest counter; of several the lowest one */
   CM_EPOCH_OWNER_KEEP,      /**< "keep" */
   CM_EPOCH_OWNER_RELEASE, /**< "release": the next access takes the bucket */
};

/** What the end of an epoch does to the counters of all tables: key nuca.affinity_table.epoch_reset. III-B: "a reset of
 * all the counters"; of a counter that saturates it says that "a reset event happens consisting of halving". */
enum cm_epoch_reset {
   CM_EPOCH_RESET_ZERO,  /**< "zero": they begin at 0; the default */
   CM_EPOCH_RESET_HALVE, /**< "halve": as when one of them saturates */
};

/** Where a unit is in the mesh: keys nuca.mesh.table and nuca.mesh.l2. */
enum cm_mesh_node {
   CM_MESH_NODE_CENTER, /**< "center": at the router in the middle */
   CM_MESH_NODE_CORNER, /**< "corner": at router 0 */
   CM_MESH_NODE_BUS,    /**< "bus": not in the mesh; all nodes reach it over a bus of its own (the L2 only) */
};

/** How the Affinity Table, or d-nuca's directory, is connected: key nuca.mesh.table_node. */
enum cm_table_node {
   CM_TABLE_NODE_SHARED, /**< "shared": to the router of the node that is there; the default */
   CM_TABLE_NODE_OWN, /**< "own": to a router of its own, a link away from that one (IV-B: "another node") */
};

/** Keys nuca.affinity_table.* (dtm-nuca, dtm-nuca-distributed). */
struct cm_affinity_config {
   uint32_t page_blocks;       /**< consecutive blocks of a page; a power of two, 1 … 65536 */
   uint32_t buckets;           /**< 1 … 4096 */
   uint32_t counter_bits;      /**< bits of a saturating counter, 1 … 8 */
   uint32_t threshold_percent; /**< by how much a saturated counter must exceed the owner's, 0 … 10000 */
   enum cm_affinity_counted counted;
   uint32_t epoch_accesses; /**< requests of all processors from reset to reset, 1 … */
   enum cm_epoch_owner epoch_owner;
   enum cm_epoch_reset epoch_reset; /**< optional */
};

/** Keys nuca.mesh.*. */
struct cm_mesh_config {
   uint32_t columns;            /**< 1 … 64; 0: as square as full rows allow (cm_mesh_columns) */
   uint32_t hop_cycles;         /**< cycles that a router takes, 0 … 1000 */
   uint32_t accesses_per_cycle; /**< requests of all processors per cycle, 1 … 1000000: converts the
                                   * time of a broadcast (dtm-nuca-distributed) */
   enum cm_mesh_node table;     /**< the Affinity Table, or d-nuca's directory */
   enum cm_mesh_node l2;
   /* Optional keys. */
   enum cm_table_node table_node;
   uint32_t
      table_ports; /**< requests that the table takes per cycle, up to 4; 0: one. With CM_TABLE_NODE_OWN it is one */
};

/** Keys nuca.*. */
struct cm_nuca_config {
   enum cm_nuca_kind organisation;
   enum cm_nuca_requests requests;
   uint32_t interleave_blocks; /**< consecutive blocks in one cache (s-nuca), 1 … 65536 */
   enum cm_nuca_migration migration;
   enum cm_nuca_remote_hits remote_hits;
   struct cm_affinity_config affinity_table;
   struct cm_mesh_config mesh;
   enum cm_nuca_remote_copies remote_copies; /**< optional */
};

/** Whether the requester keeps a copy of a block that another cache served; has_missed: that one did not have it. */
static inline bool
cm_nuca_copies(const struct cm_nuca_config *nuca, bool has_missed)
{
   switch (nuca->remote_copies) {
   case CM_NUCA_REMOTE_COPIES_HITS: return !has_missed;
   case CM_NUCA_REMOTE_COPIES_MISSES: return has_missed;
   default: return nuca->remote_copies == CM_NUCA_REMOTE_COPIES_ALL;
   }
}

#endif
