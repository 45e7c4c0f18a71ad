/* SPDX-License-Identifier: MIT */
#include "analysis/stream_profile.h"

#include <assert.h>
#include <stdlib.h>

#include "memory/set_index.h"
#include "memory/replacement/graphics_streams.h"

/* Whose epochs a block is in. */
enum owner { OWNER_NONE, OWNER_TEXTURE, OWNER_Z };

struct resident {
   uint64_t block; /* CM_NO_BLOCK: none */
   enum owner owner;
   unsigned epoch; /* at most CM_EPOCHS - 1 */
   bool render_target;
   bool depth; /* written or read by Z, and not by a texture unit since */
};

struct cm_stream_profile {
   struct cm_stream_profile_counts counts;
   struct resident *residents; /* sets × ways; within a set in no order */
   struct cm_set_index index;
   uint32_t ways;
   struct cm_cache *cache;
};

static struct resident *
set_of(struct cm_stream_profile *profile, uint64_t block)
{
   return profile->residents + (size_t)cm_set_of(&profile->index, block) * profile->ways;
}

/* A block's entry, or a free one where it is CM_NO_BLOCK; a set has as many entries as the cache has ways. */
static struct resident *
find(struct resident *set, uint32_t ways, uint64_t block)
{
   for (uint32_t way = 0; way < ways; way++) {
      if (set[way].block == block)
         return &set[way];
   }
   return NULL;
}

/* ---- epochs ------------------------------------------------------------- */

static struct cm_epochs *
epochs_of(struct cm_stream_profile *profile, enum owner owner)
{
   assert(owner != OWNER_NONE);
   return owner == OWNER_TEXTURE ? &profile->counts.texture : &profile->counts.z;
}

static void
begin_life(struct cm_stream_profile *profile, struct resident *block, enum owner owner)
{
   block->owner = owner;
   block->epoch = 0;
   epochs_of(profile, owner)->entered[0]++;
}

/* A hit of the stream that owns the block. */
static void
go_on(struct cm_stream_profile *profile, struct resident *block)
{
   assert(block->owner != OWNER_NONE && block->epoch < CM_EPOCHS);
   struct cm_epochs *epochs = epochs_of(profile, block->owner);
   epochs->hits[block->epoch]++;
   if (block->epoch == CM_EPOCHS - 1)
      return;
   block->epoch++;
   epochs->entered[block->epoch]++;
}

/* ---- accesses by stream ------------------------------------------------- */

static void
access_texture(struct cm_stream_profile *profile, struct resident *block, bool hit)
{
   struct cm_stream_profile_counts *counts = &profile->counts;
   if (hit && block->render_target) {
      counts->inter_stream_hits++;
      counts->consumed++;
      block->render_target = block->depth = false;
      begin_life(profile, block, OWNER_TEXTURE);
      return;
   }
   counts->intra_stream_hits += hit;
   counts->z_consumed += block->depth;
   block->depth = false;
   if (block->owner == OWNER_TEXTURE) {
      go_on(profile, block);
      return;
   }
   counts->first_texture_hits += hit;
   begin_life(profile, block, OWNER_TEXTURE);
}

static void
access_z(struct cm_stream_profile *profile, struct resident *block)
{
   profile->counts.z_produced += !block->depth;
   block->depth = true;
   if (block->owner == OWNER_Z)
      go_on(profile, block);
   else
      begin_life(profile, block, OWNER_Z);
}

static void
access_render_target(struct cm_stream_profile *profile, struct resident *block)
{
   profile->counts.produced += !block->render_target;
   block->render_target = true;
   block->depth = false;
   block->owner = OWNER_NONE;
}

/* ---- the cache ---------------------------------------------------------- */

/* A block has been evicted or invalidated. */
static void
end_life(void *context, const struct cm_cache *cache, uint64_t number)
{
   struct cm_stream_profile *profile = context;
   struct resident *block = find(set_of(profile, number), profile->ways, number);
   if (block)
      block->block = CM_NO_BLOCK;
}

void
cm_stream_profile_access(struct cm_stream_profile *profile, uint64_t address, enum cm_stream stream,
                         enum cm_access access)
{
   struct cm_cache *cache = profile->cache;
   const uint64_t number = address >> cache->block_shift, *counts = cache->counts[stream];
   const uint64_t misses = counts[CM_CACHE_EVENT_MISSES], bypasses = counts[CM_CACHE_EVENT_BYPASSES];
   cm_cache_access(cache, address, stream, access);
   const bool hit = counts[CM_CACHE_EVENT_MISSES] == misses && counts[CM_CACHE_EVENT_BYPASSES] == bypasses;
   if (counts[CM_CACHE_EVENT_BYPASSES] != bypasses)
      return;
   struct resident *block = find(set_of(profile, number), profile->ways, hit ? number : CM_NO_BLOCK);
   if (!block)
      return; /* a hit in a cache of the policy perfect, which has no blocks */
   if (!hit) {
      *block = (struct resident){.block = number};
      profile->counts.distant_fills[stream] += cm_cache_is_distant(cache, number);
   }
   switch (graphics_stream(stream)) {
   case GRAPHICS_STREAM_TEXTURE: access_texture(profile, block, hit); break;
   case GRAPHICS_STREAM_Z: access_z(profile, block); break;
   case GRAPHICS_STREAM_RENDER_TARGET: access_render_target(profile, block); break;
   default: break;
   }
}

/* ---- public ------------------------------------------------------------- */

struct cm_stream_profile *
cm_stream_profile_create(const struct cm_cache_config *config, struct cm_cache *cache)
{
   struct cm_stream_profile *profile = calloc(1, sizeof *profile);
   if (!profile)
      return NULL;
   const uint32_t sets = config->size / config->ways / config->block;
   profile->ways = config->ways;
   cm_set_index_init(&profile->index, sets, config->index);
   profile->cache = cache;
   const size_t blocks = (size_t)sets * profile->ways;
   profile->residents = malloc(blocks * sizeof *profile->residents);
   if (!profile->residents) {
      free(profile);
      return NULL;
   }
   for (size_t i = 0; i < blocks; i++)
      profile->residents[i] = (struct resident){.block = CM_NO_BLOCK};
   cm_cache_observe_removals(cache, end_life, profile);
   return profile;
}

void
cm_stream_profile_destroy(struct cm_stream_profile *profile)
{
   if (!profile)
      return;
   free(profile->residents);
   free(profile);
}

const struct cm_stream_profile_counts *
cm_stream_profile_counts(const struct cm_stream_profile *profile)
{
   return &profile->counts;
}

double
cm_epoch_death_ratio(const struct cm_epochs *epochs, unsigned k)
{
   const double entered = (double)epochs->entered[k];
   return entered > 0 ? (entered - (double)epochs->entered[k + 1]) / entered : 0;
}
