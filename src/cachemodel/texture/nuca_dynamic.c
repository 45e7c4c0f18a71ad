/* SPDX-License-Identifier: MIT */
/* D-NUCA: one cache holds a block, and the directory has which. */
#include <stdlib.h>

#include "texture/nuca_internal.h"

static bool
start(struct cm_nuca *nuca)
{
   nuca->former = malloc((nuca->former_mask + 1) * sizeof *nuca->former);
   for (uint64_t i = 0; nuca->former && i <= nuca->former_mask; i++)
      nuca->former[i] = (struct cm_nuca_former){.block = CM_NO_BLOCK};
   return nuca->former != NULL;
}

static void
finish(struct cm_nuca *nuca)
{
   free(nuca->former);
}

/* Moves a block that was evicted from a cache to that of the last requester. What is
 * evicted there stays out. */
static void
move(struct cm_nuca *nuca, uint32_t from, uint64_t block, uint32_t to)
{
   nuca->moving = true;
   cm_cache_insert(&nuca->caches[to], block, CM_STREAM_TEXTURE);
   nuca->moving = false;
   cm_holders_add(&nuca->holders, block, to)->last = to;
   cm_mesh_send(&nuca->mesh, CM_MESH_NOTICE, from, to, 1);
   cm_nuca_report(nuca, from, to, 1);
   nuca->counts[CM_NUCA_MIGRATIONS]++;
}

static void
removed(struct cm_nuca *nuca, uint32_t cache, const struct cm_holders_entry *evicted)
{
   const bool moves = nuca->config.migration == CM_NUCA_MIGRATION_LAST_REQUESTER && !nuca->moving;
   if (!nuca->serving)
      return;
   if (moves && evicted->last != cache)
      move(nuca, cache, evicted->block, evicted->last);
   else
      nuca->former[evicted->block & nuca->former_mask] = (struct cm_nuca_former){evicted->block, cache};
}

/* The block is in no cache: it is inserted into that of the requester. */
static void
bring_in(struct cm_nuca *nuca, uint32_t processor, uint64_t block)
{
   struct cm_nuca_former *former = &nuca->former[block & nuca->former_mask];
   nuca->counts[CM_NUCA_MIGRATIONS] += former->block == block && former->cache != processor;
   nuca->serving = true;
   cm_nuca_access(nuca, processor, processor, block, 1);
   nuca->serving = false;
   cm_holders_find(&nuca->holders, block)->last = processor;
}

static inline __attribute__((always_inline)) uint32_t
serve(struct cm_nuca *nuca, uint32_t processor, uint64_t block, uint32_t repeats)
{
   struct cm_holders_entry *entry = cm_holders_find(&nuca->holders, block);
   const uint32_t holder = entry->caches ? (uint32_t)__builtin_ctzll(entry->caches) : CM_NO_OWNER;
   if (holder == CM_NO_OWNER) {
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, nuca->table_router, 1);
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, nuca->table_router, processor, 1);
      bring_in(nuca, processor, block);
      return 1;
   }
   entry->last = processor;
   if (holder == processor) {
      cm_nuca_access(nuca, processor, processor, block, repeats);
      return repeats;
   }
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, nuca->table_router, repeats);
   cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, nuca->table_router, holder, repeats);
   cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, holder, processor, repeats);
   cm_nuca_remote_hit(nuca, processor, holder, block, repeats);
   return repeats;
}

static void
read_dynamic(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count)
{
   cm_nuca_serve_each(nuca, requests, count, serve);
}

const struct cm_nuca_organisation cm_nuca_dynamic = {
   .read = read_dynamic,
   .start = start,
   .finish = finish,
   .removed = removed,
   .has_one_copy = true,
};
