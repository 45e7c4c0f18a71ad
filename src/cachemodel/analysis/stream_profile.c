/* SPDX-License-Identifier: MIT */
#include "analysis/stream_profile.h"

#include <stdlib.h>

#include "analysis/set_index.h"
#include "memory/replacement/graphics_streams.h"

/* Whose epochs a block is in. */
enum owner { OWNER_NONE, OWNER_TEXTURE, OWNER_Z };

struct resident {
   uint64_t address; /* CM_NO_ADDRESS: none */
   enum owner owner;
   unsigned epoch; /* at most CM_EPOCHS - 1 */
   bool render_target;
};

struct cm_stream_profile {
   struct cm_observer observer;
   struct cm_stream_profile_counts counts;
   struct resident *residents; /* sets × ways; within a set in no order */
   struct cm_set_index index;
   uint32_t sets, ways;
   unsigned block_shift;
   const struct cm_cache *cache; /* NULL: not watched */
};

static struct resident *
set_of(struct cm_stream_profile *profile, uint64_t address)
{
   return profile->residents +
          (size_t)cm_set_of(profile->index, address >> profile->block_shift) * profile->ways;
}

/* What is known of the block at an address, or a place for one where the address is CM_NO_ADDRESS; a set has
 * as many places as the cache has ways. */
static struct resident *
find(struct resident *set, uint32_t ways, uint64_t address)
{
   for (uint32_t way = 0; way < ways; way++) {
      if (set[way].address == address)
         return &set[way];
   }
   return NULL;
}

/* ---- epochs ------------------------------------------------------------- */

static struct cm_epochs *
epochs_of(struct cm_stream_profile *profile, enum owner owner)
{
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
      block->render_target = false;
      begin_life(profile, block, OWNER_TEXTURE);
      return;
   }
   counts->intra_stream_hits += hit;
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
   block->owner = OWNER_NONE;
}

/* ---- the observer ------------------------------------------------------- */

static void
access_block(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   struct cm_stream_profile *profile = context;
   (void)address;
   (void)bytes;
   (void)access;
   profile->counts.accesses[stream]++;
}

static void
served(void *context, uint64_t address, enum cm_stream stream, enum cm_outcome outcome, uint64_t evicted)
{
   struct cm_stream_profile *profile = context;
   struct resident *set = set_of(profile, address);
   const bool hit = outcome == CM_HIT;
   profile->counts.hits[stream] += hit;
   if (outcome == CM_BYPASS)
      return;
   /* A block that is evicted leaves its place to the one that comes in. */
   struct resident *block = find(set, profile->ways, hit ? address : evicted);
   if (!block)
      return; /* a hit in a cache of the policy perfect, which has no blocks */
   if (!hit) {
      *block = (struct resident){.address = address};
      profile->counts.distant_fills[stream] +=
         profile->cache && cm_cache_is_distant(profile->cache, address >> profile->block_shift);
   }
   switch (graphics_stream(stream)) {
   case GRAPHICS_STREAM_TEXTURE: access_texture(profile, block, hit); break;
   case GRAPHICS_STREAM_Z: access_z(profile, block); break;
   case GRAPHICS_STREAM_RENDER_TARGET: access_render_target(profile, block); break;
   default: break;
   }
}

static void
invalidate(void *context, uint64_t begin, uint64_t end)
{
   struct cm_stream_profile *profile = context;
   const uint64_t block_bytes = 1ull << profile->block_shift;
   if ((end - begin) >> profile->block_shift < profile->sets) {
      for (uint64_t address = begin; address < end; address += block_bytes) {
         struct resident *block = find(set_of(profile, address), profile->ways, address);
         if (block)
            block->address = CM_NO_ADDRESS;
      }
      return;
   }
   for (size_t i = 0; i < (size_t)profile->sets * profile->ways; i++) {
      struct resident *block = &profile->residents[i];
      if (block->address >= begin && block->address < end)
         block->address = CM_NO_ADDRESS;
   }
}

/* ---- public ------------------------------------------------------------- */

struct cm_stream_profile *
cm_stream_profile_create(const struct cm_cache_config *config)
{
   struct cm_stream_profile *profile = calloc(1, sizeof *profile);
   if (!profile)
      return NULL;
   profile->ways = config->ways;
   profile->sets = config->size / config->ways / config->block;
   profile->block_shift = (unsigned)__builtin_ctz(config->block);
   profile->index = cm_set_index(profile->sets, config->index);
   profile->observer = (struct cm_observer){
      .access = access_block,
      .context = profile,
      .invalidate = invalidate,
      .served = served,
   };
   const size_t places = (size_t)profile->sets * profile->ways;
   profile->residents = malloc(places * sizeof *profile->residents);
   if (!profile->residents) {
      free(profile);
      return NULL;
   }
   for (size_t i = 0; i < places; i++)
      profile->residents[i] = (struct resident){.address = CM_NO_ADDRESS};
   return profile;
}

void
cm_stream_profile_watch(struct cm_stream_profile *profile, const struct cm_cache *cache)
{
   profile->cache = cache;
}

void
cm_stream_profile_destroy(struct cm_stream_profile *profile)
{
   if (!profile)
      return;
   free(profile->residents);
   free(profile);
}

const struct cm_observer *
cm_stream_profile_observer(const struct cm_stream_profile *profile)
{
   return &profile->observer;
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
