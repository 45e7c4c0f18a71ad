/* SPDX-License-Identifier: MIT */
/* DTM-NUCA with the centralised Affinity Table (III, IV-A). */
#include "texture/nuca_internal.h"

static bool
start(struct cm_nuca *nuca)
{
   return cm_affinity_table_init(&nuca->table, &nuca->config.affinity_table, nuca->processors);
}

static void
finish(struct cm_nuca *nuca)
{
   cm_affinity_table_finish(&nuca->table);
}

/* Ends the epoch when it is over. */
static inline void
count_towards_epoch(struct cm_nuca *nuca, uint32_t requests)
{
   nuca->epoch_accesses += requests;
   if (nuca->epoch_accesses < nuca->config.affinity_table.epoch_accesses)
      return;
   nuca->epoch_accesses = 0;
   nuca->counts[CM_NUCA_EPOCHS]++;
   nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] +=
      cm_affinity_end_epoch(&nuca->table, nuca->config.affinity_table.epoch_owner);
}

/* Requests that the own cache does not serve: the table forwards them to the owner, which responds. */
static inline void
ask_owner(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block, uint32_t times)
{
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, nuca->table_router, times);
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, nuca->table_router, owner, times);
   cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, owner, processor, times);
   if (owner != processor)
      cm_nuca_ask_owner(nuca, processor, owner, block, times);
}

static inline __attribute__((always_inline)) uint32_t
serve(struct cm_nuca *nuca, uint32_t processor, uint64_t block, uint32_t repeats)
{
   const bool counts_all = nuca->config.affinity_table.counted == CM_AFFINITY_COUNTED_ALL;
   const uint32_t bucket = cm_affinity_bucket(&nuca->table, block);
   const uint32_t owner = cm_affinity_owner(&nuca->table, bucket, processor);
   const uint32_t times = cm_nuca_alike(nuca, &nuca->table, bucket, processor, repeats);
   const bool local = cm_nuca_serves_itself(nuca, processor, owner, block, times);
   /* Those that the own cache has not served; as the owner it has after a miss. */
   const uint32_t asked = local ? 0 : owner == processor ? 1 : times;
   if (asked)
      ask_owner(nuca, processor, owner, block, asked);
   if (counts_all && times > asked)
      cm_mesh_send(&nuca->mesh, CM_MESH_NOTICE, processor, nuca->table_router, times - asked);
   if (counts_all || asked)
      nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] +=
         cm_affinity_count(&nuca->table, bucket, processor, counts_all ? times : asked);
   cm_nuca_count_degree(nuca, block, times);
   count_towards_epoch(nuca, times);
   return times;
}

static void
read_dtm(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count)
{
   cm_nuca_serve_each(nuca, requests, count, serve);
}

const struct cm_nuca_organisation cm_nuca_dtm = {
   .read = read_dtm,
   .start = start,
   .finish = finish,
};
