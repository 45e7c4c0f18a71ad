/* SPDX-License-Identifier: MIT */
/* GSPC's counters from a first run over the same accesses. */
#include <string.h>

#include "memory/cache.h"
#include "memory/cache_internal.h"
#include "memory/replacement/gspc.h"

void
gspc_take_totals(struct cm_cache *cache, struct gspc_totals totals[GSPC_MAX_BANKS])
{
   struct gspc_shared *shared = cache->shared;
   memcpy(totals, shared->totals, sizeof shared->totals);
   memset(shared->totals, 0, sizeof shared->totals);
}

/* Halves two counts together until both are counters. */
static void
set_pair(struct gspc_bank *bank, const struct gspc_totals *totals, size_t fills, size_t hits)
{
   uint64_t a = totals->counts[fills], b = totals->counts[hits];
   for (; a > GSPC_COUNTER_MAX || b > GSPC_COUNTER_MAX; b /= 2)
      a /= 2;
   ((uint8_t *)bank)[fills] = (uint8_t)a;
   ((uint8_t *)bank)[hits] = (uint8_t)b;
}

void
gspc_foresee(struct cm_cache *cache, const struct gspc_totals totals[GSPC_MAX_BANKS])
{
   static const size_t pairs[][2] = {
      {offsetof(struct gspc_bank, z_fills), offsetof(struct gspc_bank, z_hits)},
      {offsetof(struct gspc_bank, texture_fill[0]), offsetof(struct gspc_bank, texture_hit[0])},
      {offsetof(struct gspc_bank, texture_fill[1]), offsetof(struct gspc_bank, texture_hit[1])},
      {offsetof(struct gspc_bank, produced), offsetof(struct gspc_bank, consumed)},
   };
   struct gspc_shared *shared = cache->shared;
   shared->foreseen = true;
   for (uint32_t bank = 0; bank <= cache->bank_mask; bank++) {
      for (unsigned p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
         set_pair((struct gspc_bank *)cache->bank_state + bank, &totals[bank], pairs[p][0], pairs[p][1]);
   }
}

/* The counters stay as they are, and with them the actions. */
void
gspc_foresee_block(struct cm_cache *cache, uint64_t block, bool again)
{
   struct gspc_shared *shared = cache->shared;
   struct gspc_actions *actions = &shared->banks[cm_cache_set(cache, block) & cache->bank_mask];
   const uint8_t prediction = again ? GSPC_NEAR : GSPC_DISTANT;
   shared->foreseen = true;
   for (enum graphics_stream stream = 0; stream < GRAPHICS_STREAM_COUNT; stream++) {
      actions->fill[stream].prediction = prediction;
      for (enum gspc_state state = GSPC_EPOCH_0; state <= GSPC_RENDER_TARGET; state++)
         actions->hit[stream][state].prediction = prediction;
   }
}
