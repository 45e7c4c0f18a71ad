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
count_towards_epoch(struct cm_nuca *nuca)
{
   if (++nuca->epoch_accesses < nuca->config.affinity_table.epoch_accesses)
      return;
   nuca->epoch_accesses = 0;
   nuca->counts[CM_NUCA_EPOCHS]++;
   nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] +=
      cm_affinity_end_epoch(&nuca->table, nuca->config.affinity_table.epoch_owner);
}

/* A request that the own cache does not serve: the table forwards it to the owner, which responds. */
static void
ask_owner(struct cm_nuca *nuca, uint32_t processor, uint32_t owner, uint64_t block)
{
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, nuca->table_router);
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, nuca->table_router, owner);
   cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, owner, processor);
   if (owner != processor)
      cm_nuca_ask_owner(nuca, processor, owner, block);
}

static void
read_dtm(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count)
{
   const bool counts_all = nuca->config.affinity_table.counted == CM_AFFINITY_COUNTED_ALL;
   for (unsigned b = 0; b < count; b++) {
      const uint64_t block = blocks[b];
      const uint32_t bucket = cm_affinity_bucket(&nuca->table, block);
      const uint32_t owner = cm_affinity_owner(&nuca->table, bucket, processor);
      const bool local = cm_nuca_serves_itself(nuca, processor, owner, block);
      if (!local)
         ask_owner(nuca, processor, owner, block);
      else if (counts_all)
         cm_mesh_send(&nuca->mesh, CM_MESH_NOTICE, processor, nuca->table_router);
      if (!local || counts_all)
         nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] += cm_affinity_count(&nuca->table, bucket, processor);
      cm_nuca_count_degree(nuca, block);
      count_towards_epoch(nuca);
   }
}

const struct cm_nuca_organisation cm_nuca_dtm = {
   .read = read_dtm,
   .start = start,
   .finish = finish,
};
