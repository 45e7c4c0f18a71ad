/* SPDX-License-Identifier: MIT */
#include "analysis/llc.h"

#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "memory/future.h"
#include "memory/next_use.h"
#include "memory/replacement/gspc.h"
#include "util/array.h"

/** Runs between the one that is simulated and the one whose lines are fetched: as long as memory takes. */
#define LOOK_AHEAD 8

/* What is counted, at some time. */
struct counts {
   uint64_t counters[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   struct cm_stream_profile_counts profile;
};

struct cm_llc {
   struct cm_cache_config config;
   struct cm_llc_options options;
   struct cm_cache cache;
   struct cm_dram dram;
   struct cm_stream_profile *profile; /* NULL: none */
   const char *problem;               /* NULL: none so far */

   struct counts sum;        /* of the frames that count */
   struct counts last_frame; /* at the last frame's end */
   uint64_t *misses;         /* by frame that counts */
   uint32_t counted;
   uint32_t frames; /* ended */

   /* For policies that have to know the future: the stream, and a cache that collects its next uses, or learns. */
   bool needs_future;
   enum cm_llc_oracle oracle;
   struct cm_access_runs *kept;
   uint32_t num_kept;
   struct cm_next_use uses;
   struct cm_cache collector;
};

/* ---- the cache ------------------------------------------------------------ */

static void
end_cache(struct cm_llc *llc)
{
   cm_cache_finish(&llc->cache);
   cm_cache_finish(&llc->collector);
   cm_stream_profile_destroy(llc->profile);
   cm_next_use_free(&llc->uses);
   llc->profile = NULL;
}

/* An empty cache that has learnt nothing. */
static bool
begin_cache(struct cm_llc *llc)
{
   end_cache(llc);
   memset(&llc->last_frame, 0, sizeof llc->last_frame);
   memset(&llc->dram, 0, sizeof llc->dram);
   if (!cm_cache_init(&llc->cache, &llc->config, NULL, &llc->dram))
      return false;
   if (llc->needs_future) {
      if (!cm_cache_init(&llc->collector, &llc->config, NULL, &llc->dram))
         return false;
      cm_cache_collect(&llc->collector, &llc->uses);
      cm_cache_set_future(&llc->cache, &llc->uses);
   }
   if (llc->oracle != CM_LLC_LEARNS && !cm_cache_init(&llc->collector, &llc->config, NULL, &llc->dram))
      return false;
   if (llc->options.profiles)
      llc->profile = cm_stream_profile_create(&llc->config, &llc->cache);
   return llc->profile || !llc->options.profiles;
}

/* profile: the cache's; NULL: none. */
static void
run_piece(struct cm_cache *cache, struct cm_stream_profile *profile, const struct cm_access_runs *part,
          uint32_t begin, uint32_t end)
{
   const uint32_t ways = cache->ways;
   for (uint32_t run = begin; run < end; run++) {
      const cm_run now = part->runs[run];
      if (run + LOOK_AHEAD < end) {
         const uint64_t set = cm_cache_set(cache, cm_run_block(part->runs[run + LOOK_AHEAD]));
         __builtin_prefetch(cache->lines + set * ways);
         __builtin_prefetch(cache->state + set * cache->state_bytes);
      }
      const uint64_t address = cm_run_block(now) << cache->block_shift;
      const enum cm_access access = cm_run_is_write(now) ? CM_WRITE_BLOCK : CM_READ;
      for (uint32_t i = 0; i < part->counts[run]; i++) {
         if (profile)
            cm_stream_profile_access(profile, address, cm_run_stream(now), access);
         else
            cm_cache_access(cache, address, cm_run_stream(now), access);
      }
   }
}

static void
run_part(struct cm_cache *cache, struct cm_stream_profile *profile, const struct cm_access_runs *part)
{
   uint32_t begin = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      const uint32_t end = cm_access_runs_piece(part, i);
      run_piece(cache, profile, part, begin, end);
      begin = end;
      if (i < part->num_invalidations)
         cm_cache_invalidate(cache, part->invalidations[i].first << cache->block_shift,
                             (part->invalidations[i].last + 1) << cache->block_shift);
   }
}

/* ---- counting --------------------------------------------------------------- */

static void
read_counts(const struct cm_llc *llc, struct counts *counts)
{
   memset(counts, 0, sizeof *counts);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      for (unsigned event = 0; event < CM_CACHE_EVENT_COUNT; event++)
         counts->counters[stream][event] =
            cm_cache_counter(&llc->cache, (enum cm_stream)stream, (enum cm_cache_event)event);
   }
   if (llc->profile)
      counts->profile = *cm_stream_profile_counts(llc->profile);
}

static uint64_t
misses_of(const struct counts *counts)
{
   uint64_t misses = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      misses +=
         counts->counters[stream][CM_CACHE_EVENT_MISSES] + counts->counters[stream][CM_CACHE_EVENT_BYPASSES];
   return misses;
}

static void
add_misses(struct cm_llc *llc, uint64_t misses)
{
   if (!cm_array_grow(&llc->misses, llc->counted, sizeof *llc->misses)) {
      llc->problem = "out of memory";
      return;
   }
   llc->misses[llc->counted++] = misses;
}

static void
end_frame(struct cm_llc *llc)
{
   struct counts now;
   read_counts(llc, &now);
   if (llc->frames++ >= llc->options.warm_up) {
      /* Counts of both kinds are nothing but numbers. */
      uint64_t *sum = (uint64_t *)&llc->sum;
      const uint64_t *to = (const uint64_t *)&now, *from = (const uint64_t *)&llc->last_frame;
      for (size_t i = 0; i < sizeof now / sizeof *to; i++)
         sum[i] += to[i] - from[i];
      add_misses(llc, misses_of(&now) - misses_of(&llc->last_frame));
   }
   llc->last_frame = now;
   if (llc->options.cold_frames && !begin_cache(llc))
      llc->problem = "out of memory";
}

/* ---- the future --------------------------------------------------------------- */

static void *
copy_of(const void *array, size_t bytes)
{
   void *copy = malloc(bytes ? bytes : 1);
   if (copy && bytes)
      memcpy(copy, array, bytes);
   return copy;
}

static bool
keep(struct cm_llc *llc, const struct cm_access_runs *part)
{
   if (!cm_array_grow(&llc->kept, llc->num_kept, sizeof *llc->kept))
      return false;
   struct cm_access_runs *kept = &llc->kept[llc->num_kept++];
   *kept = *part;
   kept->runs = copy_of(part->runs, part->num_runs * sizeof *part->runs);
   kept->counts = copy_of(part->counts, part->num_runs * sizeof *part->counts);
   kept->invalidations = copy_of(part->invalidations, part->num_invalidations * sizeof *part->invalidations);
   return kept->runs && kept->counts && kept->invalidations;
}

static void
free_kept(struct cm_llc *llc)
{
   for (uint32_t k = 0; k < llc->num_kept; k++) {
      free(llc->kept[k].runs);
      free(llc->kept[k].counts);
      free(llc->kept[k].invalidations);
   }
   llc->num_kept = 0;
}

/* The cache acts on what the samples count in these parts. */
static void
foresee(struct cm_llc *llc, const struct cm_access_runs *parts, uint32_t count)
{
   struct gspc_totals totals[GSPC_MAX_BANKS];
   for (uint32_t p = 0; p < count; p++)
      run_part(&llc->collector, NULL, &parts[p]);
   gspc_take_totals(&llc->collector, totals);
   gspc_foresee(&llc->cache, totals);
}

/* All next uses of what was kept are known. */
static void
run_kept(struct cm_llc *llc)
{
   if (llc->uses.problem == CM_NEXT_USE_TOO_MANY)
      llc->problem = "too many accesses to find their next uses";
   if (llc->uses.problem == CM_NEXT_USE_NO_MEMORY)
      llc->problem = "out of memory for the next uses of the accesses";
   if (llc->problem)
      return;
   if (llc->oracle == CM_LLC_KNOWS_FRAME)
      foresee(llc, llc->kept, llc->num_kept);
   else
      cm_next_use_rewind(&llc->uses);
   for (uint32_t k = 0; k < llc->num_kept; k++) {
      const bool ends_frame = llc->kept[k].ends_frame;
      run_part(&llc->cache, llc->profile, &llc->kept[k]);
      if (ends_frame)
         end_frame(llc);
   }
   free_kept(llc);
}

static void
run_later(struct cm_llc *llc, const struct cm_access_runs *part)
{
   if (!keep(llc, part)) {
      llc->problem = "out of memory for the accesses that the policy has to know";
      return;
   }
   const bool knows_frame = llc->oracle == CM_LLC_KNOWS_FRAME;
   if (!knows_frame)
      run_part(&llc->collector, NULL, part);
   if (part->ends_stream || (part->ends_frame && (llc->options.cold_frames || knows_frame)))
      run_kept(llc);
}

/* ---- public ------------------------------------------------------------------- */

struct cm_llc *
cm_llc_create(const struct cm_cache_config *config, const struct cm_llc_options *options)
{
   struct cm_llc *llc = calloc(1, sizeof *llc);
   if (!llc)
      return NULL;
   llc->config = *config;
   llc->config.next = CM_UNIT_DRAM;
   llc->options = *options;
   llc->needs_future = cm_policy_needs_future(config->policy);
   llc->oracle = cm_policy_samples(config->policy) ? options->oracle : CM_LLC_LEARNS;
   if (begin_cache(llc))
      return llc;
   cm_llc_destroy(llc);
   return NULL;
}

void
cm_llc_destroy(struct cm_llc *llc)
{
   if (!llc)
      return;
   end_cache(llc);
   free_kept(llc);
   free(llc->kept);
   free(llc->misses);
   free(llc);
}

void
cm_llc_run(struct cm_llc *llc, const struct cm_access_runs *part)
{
   if (llc->problem)
      return;
   if (llc->needs_future || llc->oracle == CM_LLC_KNOWS_FRAME) {
      run_later(llc, part);
      return;
   }
   if (llc->oracle == CM_LLC_KNOWS_NEXT)
      foresee(llc, part, 1);
   run_part(&llc->cache, llc->profile, part);
   if (part->ends_frame)
      end_frame(llc);
}

const char *
cm_llc_result(const struct cm_llc *llc, struct cm_llc_result *result)
{
   *result = (struct cm_llc_result){
      .profile = llc->sum.profile,
      .misses = llc->misses,
      .frames = llc->counted,
   };
   memcpy(result->counters, llc->sum.counters, sizeof result->counters);
   return llc->problem;
}
