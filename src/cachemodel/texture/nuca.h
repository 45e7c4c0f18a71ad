/* SPDX-License-Identifier: MIT */
/**
 * The texture caches of all Fragment Processors as one cache of non-uniform access
 * time (NUCA), after "DTM-NUCA: Dynamic Texture Mapping-NUCA" (its sections are named).
 *
 * A request is a block that a processor's quad reads (nuca.requests says how often).
 * It is counted at the texture cache that serves it, as a hit or as a miss, which the
 * next level (the L2) serves: local_hits + remote_hits + l2_accesses = requests, and
 * texture_cache.* keep their conservation. Requests are served one after another.
 *
 *    private               The processor's own cache, as without the mapping.
 *    s-nuca                The cache that the block's address names: number
 *                          block / interleave_blocks % processors.
 *    d-nuca                A directory has the one cache that holds a block. That cache serves the
 *                          request, where it is; if there is none, the block is inserted into the
 *                          cache of the requester. So a block changes caches only after it has been
 *                          evicted (VI); see nuca.migration.
 *    dtm-nuca              The own cache is probed first. If it has the block it serves it, and the
 *                          hit updates the replacement state only where the processor owns the
 *                          block's bucket. Otherwise the owner's cache serves the
 *                          request, reading the block from the L2 if it does not have it. The
 *                          requester keeps a copy where nuca.remote_copies says so; copies are
 *                          read as old owners' blocks are.
 *    dtm-nuca-distributed  The same; owners are those of the processor's own table.
 *                          At first each processor owns all buckets. A table counts the accesses of
 *                          its own processor; its counters of others are those of their last
 *                          packets. When an epoch ends, each node broadcasts the number, owner
 *                          and counter of each bucket that it owns by its own table, and all counters
 *                          are reset (nuca.affinity_table.epoch_reset). Where a packet arrives, the first one of the epoch replaces
 *                          the owner, unless the node owns the bucket itself; of several the one with
 *                          the highest counter is right, the node that receives them included, and of
 *                          equal ones the lowest number.
 *
 * When does a packet arrive? A node sends its packets in the order of buckets, one per cycle; each
 * takes hop_cycles for each hop. As there is no clock here, a cycle is accesses_per_cycle requests
 * of all processors. An epoch that ends before all packets have arrived waits for them.
 *
 * Messages in the mesh (texture/mesh.h), the request's way and the answer's:
 *
 *    s-nuca, dtm-nuca-distributed   processor → serving cache → processor, if that is another
 *    d-nuca, dtm-nuca               processor → table → serving cache → processor, if its own cache does
 *                                   not have the block (table: the directory, or the Affinity Table)
 *    L2 in the mesh                 serving cache → L2 → serving cache
 *
 * Of these only an answer carries the block: the one from another cache that serves the request, or from the L2.
 * Notices are not waited for: dtm-nuca's local hits that count in the table, and the blocks that d-nuca moves.
 */
#ifndef CM_NUCA_H
#define CM_NUCA_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "memory/hierarchy.h"
#include "stats/counters.h"
#include "texture/mesh.h"

/** Counters nuca.<event>: X(identifier, name, unit of measure, description) */
#define CM_NUCA_EVENTS(X)                                                                                  \
   X(REQUESTS, "requests", "requests", "blocks that processors asked for")                                 \
   X(LOCAL_HITS, "local_hits", "requests", "served by the processor's own texture cache")                  \
   X(OLD_OWNER_HITS, "old_owner_hits", "requests",                                                         \
     "of local_hits, those of blocks whose bucket another processor owns")                                 \
   X(COPIES, "copies", "blocks", "blocks of other texture caches that requesters kept a copy of")          \
   X(REMOTE_HITS, "remote_hits", "requests", "served by another processor's texture cache")                \
   X(L2_ACCESSES, "l2_accesses", "requests", "served by the next level")                                   \
   X(LOCAL_L2_ACCESSES, "local_l2_accesses", "requests",                                                   \
     "of l2_accesses, those whose block came into the processor's own texture cache")                      \
   X(MIGRATIONS, "migrations", "blocks", "blocks that came into another texture cache than they left")     \
   X(OWNERSHIP_CHANGES, "ownership_changes", "buckets", "buckets that changed owners, in each table")      \
   X(EPOCHS, "epochs", "epochs", "times the Affinity Table's counters were reset")                         \
   X(BROADCASTS, "broadcasts", "packets", "packets broadcast, one per node and bucket that it owned")      \
   X(HOPS, "hops", "hops", "hops of requests and answers")                                                 \
   X(BLOCK_HOPS, "block_hops", "hops", "of hops, those of messages that carry a block")                    \
   X(NOTICE_HOPS, "notice_hops", "hops", "hops of messages that no request waits for, but for broadcasts") \
   X(BROADCAST_HOPS, "broadcast_hops", "hops", "hops of broadcast packets, a link of their tree each")     \
   X(REPLICATION_SUM, "replication_sum", "blocks",                                                         \
     "copies of requested blocks in all texture caches right after each request")

enum cm_nuca_event {
#define CM_NUCA_ENUM(id, name, measure, description) CM_NUCA_##id,
   CM_NUCA_EVENTS(CM_NUCA_ENUM)
#undef CM_NUCA_ENUM
      CM_NUCA_EVENT_COUNT
};

/* Where a configuration has a NUCA, each read from a struct cm_nuca after cm_nuca_sum_up: */
/** enum cm_nuca_event */
extern const struct cm_counter_source cm_nuca_counters;
/** nuca.replication.<n>: requests after which n texture caches held the block */
extern const struct cm_counter_source cm_replication_counters;
/** mesh.<router>.<direction>.messages that crossed the link: router * CM_MESH_DIRECTION_COUNT + direction */
extern const struct cm_counter_source cm_mesh_counters;

struct cm_nuca;

/** Joins the texture caches of a hierarchy, which must outlive it. config is valid, and its
 * nuca.organisation is not CM_NUCA_NONE. NULL when out of memory. */
struct cm_nuca *cm_nuca_create(const struct cm_config *config, struct cm_hierarchy *hierarchy);
void cm_nuca_destroy(struct cm_nuca *nuca);

/** Reads a processor's blocks for a quad's footprint: numbers, not addresses; at most
 * CM_MAX_FOOTPRINT_BLOCKS, as cm_footprint_blocks lists them, fragment after fragment; where requests are by texel, as
 * cm_footprint_texels does. */
void cm_nuca_read(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count);

/** For who must not serve the requests of a cm_nuca_read now: appends them to a stream, for cm_nuca_take alone, as CM_ENTRY_REQUEST
 * with the processor as instance, one for all that are for the same block in a row. */
void cm_nuca_list(const struct cm_nuca *nuca, struct cm_access_stream *stream, uint32_t processor,
                  const uint64_t *blocks, unsigned count);
/** Serves those at the front of such a stream, up to another entry. Returns how many entries that were, at least one. */
uint32_t cm_nuca_take(struct cm_nuca *nuca, const cm_entry *entries, uint32_t count);

/** Requests, if they are reported, go to hierarchy->requests: of the hierarchy of cm_nuca_create, or of a view of it. */
void cm_nuca_report_to(struct cm_nuca *nuca, struct cm_hierarchy *hierarchy);

/** The mesh. Its shape does not change; its counts do with every request. */
const struct cm_mesh *cm_nuca_mesh(const struct cm_nuca *nuca);

/** The routers of the mesh (texture/mesh.h) that the Affinity Table, or d-nuca's directory, and the L2 are at. */
uint32_t cm_nuca_table_router(const struct cm_nuca *nuca);
uint32_t cm_nuca_l2_router(const struct cm_nuca *nuca);

/** Computes what is not counted as it happens; before counters are read. */
void cm_nuca_sum_up(struct cm_nuca *nuca);

/** Keys nuca.*: whether they fit together and the texture caches, which are valid. */
bool cm_nuca_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
