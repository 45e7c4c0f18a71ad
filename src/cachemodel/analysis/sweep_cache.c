/* SPDX-License-Identifier: MIT */
#include "analysis/sweep_cache.h"

#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "memory/future.h"
#include "memory/replacement/gspc.h"
#include "util/array.h"

/** Lines that stay in the caches of the CPU that simulates; those of larger caches are fetched so many runs ahead. */
#define NEAR_LINES (1 << 15)
#define LOOK_AHEAD 8
/** Reads of a stream that wait for one another: several at a time are faster. */
#define MOST_READS 256

/* What is counted, at some time: nothing but numbers. */
struct counts {
   uint64_t counters[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   uint64_t write_misses;
   struct cm_stream_profile_counts profile;
};

struct cm_sweep_cache {
   struct cm_cache_config config;
   struct cm_sweep_options options;
   struct cm_cache cache;
   struct cm_dram dram;
   struct cm_stream_profile *profile; /* NULL: none */
   bool settles;                      /* of a run, more than two accesses do what two do */
   uint64_t write_misses;
   uint64_t runs; /* since the caches were reset */

   struct counts sum;        /* of the frames that count */
   struct counts last_frame; /* at the last frame's end */
   uint64_t *frame_misses;   /* by frame that counts */
   uint32_t counted;
   uint32_t frames; /* ended */
   bool in_frame;   /* there were accesses since */
   bool out_of_memory;

   /* For opt and optpt, and a sampler that is: the next use of the access at hand. */
   bool needs_future;
   uint32_t next;
   struct cm_next_use future;
   /* For an oracle: a cache whose samples see the accesses first. */
   enum cm_oracle oracle;
   struct cm_cache sampler;
   bool has_learnt;
   /* For the oracle of blocks: by run, whether the block's next run hits the sampler. */
   struct cm_array again; /* bool */
   uint32_t num_learnt;   /* of again */
   uint32_t position;     /* of the run at hand */
   uint32_t *last_runs;   /* by line of the sampler: its block's last run */
};

/* ---- creation --------------------------------------------------------------- */

/* Whether a block's third access on end changes nothing. */
static bool
settles(const struct cm_cache_config *config)
{
   switch (config->policy) {
   case CM_POLICY_LRU:
   case CM_POLICY_MRU:
   case CM_POLICY_FIFO:
   case CM_POLICY_RANDOM:
   case CM_POLICY_NRU:
   case CM_POLICY_TREE_PLRU:
   case CM_POLICY_SRRIP:
   case CM_POLICY_SRRIP4:
   case CM_POLICY_BRRIP:
   case CM_POLICY_BRRIP4:
   case CM_POLICY_DRRIP:
   case CM_POLICY_DRRIP4: return !config->uncached;
   default: return false;
   }
}

static void
end_cache(struct cm_sweep_cache *cache)
{
   cm_cache_finish(&cache->cache);
   cm_cache_finish(&cache->sampler);
   cm_stream_profile_destroy(cache->profile);
   free(cache->last_runs);
   cache->profile = NULL;
   cache->last_runs = NULL;
}

/* That of the oracle of blocks is an optimal cache. */
static bool
begin_sampler(struct cm_sweep_cache *cache)
{
   struct cm_cache_config config = cache->config;
   if (cache->oracle == CM_ORACLE_NONE)
      return true;
   if (cache->oracle == CM_ORACLE_BLOCK)
      config.policy = CM_POLICY_OPT;
   if (!cm_cache_init(&cache->sampler, &config, NULL, &cache->dram))
      return false;
   if (cache->oracle != CM_ORACLE_BLOCK)
      return true;
   cm_cache_set_future(&cache->sampler, &cache->future);
   cache->last_runs = calloc((size_t)cache->sampler.sets * cache->sampler.ways, sizeof *cache->last_runs);
   return cache->last_runs;
}

/* An empty cache that has learnt nothing. */
static bool
begin_cache(struct cm_sweep_cache *cache)
{
   end_cache(cache);
   memset(&cache->last_frame, 0, sizeof cache->last_frame);
   memset(&cache->dram, 0, sizeof cache->dram);
   cache->write_misses = 0;
   if (!cm_cache_init(&cache->cache, &cache->config, NULL, &cache->dram) || !begin_sampler(cache))
      return false;
   if (cache->needs_future)
      cm_cache_set_future(&cache->cache, &cache->future);
   if (cache->options.profiles)
      cache->profile = cm_stream_profile_create(&cache->config, &cache->cache);
   return cache->profile || !cache->options.profiles;
}

struct cm_sweep_cache *
cm_sweep_cache_create(const struct cm_sweep_point *point, const struct cm_sweep_options *options)
{
   struct cm_sweep_cache *cache = calloc(1, sizeof *cache);
   if (!cache)
      return NULL;
   cache->config = point->config;
   cache->config.next = CM_UNIT_DRAM;
   cache->options = *options;
   cache->settles = settles(&point->config);
   cache->needs_future = cm_policy_needs_future(point->config.policy);
   cache->future = (struct cm_next_use){.next = &cache->next, .count = 1};
   cache->oracle = point->oracle;
   if (begin_cache(cache))
      return cache;
   cm_sweep_cache_destroy(cache);
   return NULL;
}

void
cm_sweep_cache_destroy(struct cm_sweep_cache *cache)
{
   if (!cache)
      return;
   end_cache(cache);
   CM_FREE_ARRAYS(&cache->again);
   free(cache->frame_misses);
   free(cache);
}

/* ---- accesses ---------------------------------------------------------------- */

/* Accesses to a cache, of which reads wait to be simulated together. */
struct accesses {
   struct cm_cache *cache;
   struct cm_sweep_cache *watcher; /* whose profile, next uses or blocks' future are wanted; NULL: none */
   struct cm_sweep_cache *learner; /* the oracle of blocks; NULL: none */
   bool settles;
   uint64_t write_misses;
   enum cm_stream stream; /* of the reads */
   unsigned num_reads;
   uint64_t reads[MOST_READS];
};

static void
begin_accesses(struct accesses *accesses, struct cm_cache *cache)
{
   accesses->cache = cache;
   accesses->watcher = accesses->learner = NULL;
   accesses->settles = false;
   accesses->write_misses = 0;
   accesses->stream = CM_STREAM_TEXTURE;
   accesses->num_reads = 0;
}

static void
finish_reads(struct accesses *accesses)
{
   if (accesses->num_reads)
      cm_cache_read_sequence(accesses->cache, accesses->reads, accesses->num_reads, accesses->stream);
   accesses->num_reads = 0;
}

static void
read_run(struct accesses *accesses, cm_run run, uint32_t count)
{
   const enum cm_stream stream = cm_run_stream(run);
   const uint32_t most = accesses->settles && count > 2 ? 2 : count;
   if (stream != accesses->stream)
      finish_reads(accesses);
   accesses->stream = stream;
   for (uint32_t i = 0; i < most; i++) {
      if (accesses->num_reads == MOST_READS)
         finish_reads(accesses);
      accesses->reads[accesses->num_reads++] = cm_run_block(run);
   }
   accesses->cache->accesses[stream][0] += count - most;
}

static void
write_run(struct cm_cache *cache, cm_run run, uint32_t count)
{
   const uint64_t block = cm_run_block(run);
   do {
      cm_cache_access(cache, block << cache->block_shift, cm_run_stream(run), CM_WRITE_BLOCK);
   } while (--count && cache->folded_block != block);
   cache->accesses[cm_run_stream(run)][1] += count;
}

static unsigned
way_of(const struct cm_cache *cache, uint64_t set, uint64_t block)
{
   return cm_find_way(cache->lines + set * cache->ways, cache->ways, block);
}

/* The sampler's run: if it hits, the block's run before it is followed by one that does. */
static void
learn_run(struct cm_sweep_cache *learner, cm_run run, uint32_t count, uint32_t next)
{
   struct cm_cache *sampler = &learner->sampler;
   const uint64_t block = cm_run_block(run), set = cm_cache_set(sampler, block);
   const enum cm_stream stream = cm_run_stream(run);
   uint32_t *last_runs = learner->last_runs + set * sampler->ways;
   bool *again = learner->again.data;
   const bool bypasses = sampler->uncached == 1 + (uint32_t)stream;
   unsigned way = way_of(sampler, set, block);
   if (way < sampler->ways && !bypasses)
      again[last_runs[way]] = true;
   for (; count; count--) {
      learner->next = count > 1 ? 0 : next;
      learner->future.position = 0;
      cm_cache_access(sampler, block << sampler->block_shift, stream,
                      cm_run_is_write(run) ? CM_WRITE_BLOCK : CM_READ);
   }
   way = way_of(sampler, set, block);
   if (way < sampler->ways)
      last_runs[way] = learner->position;
   again[learner->position++] = false;
}

/* Access by access. */
static void
watch_run(struct cm_sweep_cache *watcher, cm_run run, uint32_t count, uint32_t next)
{
   struct cm_cache *cache = &watcher->cache;
   const uint64_t block = cm_run_block(run), address = block << cache->block_shift;
   const enum cm_access access = cm_run_is_write(run) ? CM_WRITE_BLOCK : CM_READ;
   for (; count; count--) {
      watcher->next = count > 1 ? 0 : next; /* a run's next access is nearer than anything else */
      watcher->future.position = 0;
      if (watcher->oracle == CM_ORACLE_BLOCK)
         gspc_foresee_block(cache, block,
                            count > 1 || ((const bool *)watcher->again.data)[watcher->position]);
      if (watcher->profile)
         cm_stream_profile_access(watcher->profile, address, cm_run_stream(run), access);
      else if (access == CM_READ)
         cm_cache_read_sequence(cache, &block, 1, cm_run_stream(run));
      else
         cm_cache_access(cache, address, cm_run_stream(run), access);
   }
   watcher->position++;
}

static void
access_run(struct accesses *accesses, cm_run run, uint32_t count, uint32_t next)
{
   if (accesses->learner) {
      learn_run(accesses->learner, run, count, next);
      return;
   }
   if (!accesses->watcher && !cm_run_is_write(run)) {
      read_run(accesses, run, count);
      return;
   }
   const uint64_t *counts = accesses->cache->counts[cm_run_stream(run)];
   finish_reads(accesses);
   const uint64_t misses = counts[CM_CACHE_EVENT_MISSES];
   if (accesses->watcher)
      watch_run(accesses->watcher, run, count, next);
   else
      write_run(accesses->cache, run, count);
   if (cm_run_is_write(run))
      accesses->write_misses += counts[CM_CACHE_EVENT_MISSES] - misses;
}

static void
prefetch_set(const struct cm_cache *cache, cm_run run)
{
   const uint64_t set = cm_cache_set(cache, cm_run_block(run));
   __builtin_prefetch(cache->lines + set * cache->ways);
   __builtin_prefetch(cache->state + set * cache->state_bytes);
}

static void
run_part(struct accesses *accesses, const struct cm_access_runs *part)
{
   struct cm_cache *cache = accesses->cache;
   const uint32_t ahead = cache->sets > NEAR_LINES / cache->ways ? LOOK_AHEAD : part->num_runs;
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++) {
         if (ahead < part->num_runs - run)
            prefetch_set(cache, part->runs[run + ahead]);
         access_run(accesses, part->runs[run], part->counts[run],
                    part->next ? part->next[run] : CM_NEVER_USED);
      }
      finish_reads(accesses);
      if (i < part->num_invalidations)
         cm_cache_invalidate(cache, part->invalidations[i].first << cache->block_shift,
                             (part->invalidations[i].last + 1) << cache->block_shift);
   }
}

/* What the policy has learnt stays. */
static void
reset_cache(struct cm_sweep_cache *owner, const struct cm_access_runs *part)
{
   struct cm_cache *cache = &owner->cache;
   if (owner->runs == part->num_runs && part->num_runs < cache->sets) {
      for (uint32_t run = 0; run < part->num_runs; run++)
         cm_cache_discard_set(cache, cm_cache_set(cache, cm_run_block(part->runs[run])));
   } else {
      for (uint32_t set = 0; set < cache->sets; set++)
         cm_cache_discard_set(cache, set);
   }
   owner->runs = 0;
}

/* ---- counting --------------------------------------------------------------- */

static void
read_counts(const struct cm_sweep_cache *cache, struct counts *counts)
{
   memset(counts, 0, sizeof *counts);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      for (unsigned event = 0; event < CM_CACHE_EVENT_COUNT; event++)
         counts->counters[stream][event] =
            cm_cache_counter(&cache->cache, (enum cm_stream)stream, (enum cm_cache_event)event);
   }
   counts->write_misses = cache->write_misses;
   if (cache->profile)
      counts->profile = *cm_stream_profile_counts(cache->profile);
}

static uint64_t
sum_streams(const struct counts *counts, enum cm_cache_event event)
{
   uint64_t sum = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      sum += counts->counters[stream][event];
   return sum;
}

static uint64_t
misses_of(const struct counts *counts)
{
   return sum_streams(counts, CM_CACHE_EVENT_MISSES) + sum_streams(counts, CM_CACHE_EVENT_BYPASSES);
}

static void
end_frame(struct cm_sweep_cache *cache)
{
   struct counts now;
   read_counts(cache, &now);
   cache->in_frame = false;
   if (cache->frames++ >= cache->options.warm_up) {
      uint64_t *sum = (uint64_t *)&cache->sum;
      const uint64_t *to = (const uint64_t *)&now, *from = (const uint64_t *)&cache->last_frame;
      for (size_t i = 0; i < sizeof now / sizeof *to; i++)
         sum[i] += to[i] - from[i];
      if (cm_array_grow(&cache->frame_misses, cache->counted, sizeof *cache->frame_misses))
         cache->frame_misses[cache->counted++] = misses_of(&now) - misses_of(&cache->last_frame);
      else
         cache->out_of_memory = true;
   }
   cache->last_frame = now;
   cache->out_of_memory |= cache->options.cold_frames && !begin_cache(cache);
}

/* ---- public ------------------------------------------------------------------- */

/* The parts that are learnt together are those of a frame with cold frames, else of the stream. */
static void
learn_blocks(struct cm_sweep_cache *cache, const struct cm_access_runs *part)
{
   struct accesses accesses;
   if (!cache->has_learnt)
      cache->position = cache->num_learnt = 0;
   if (!cm_array_extend(&cache->again, (size_t)cache->num_learnt + part->num_runs, sizeof(bool))) {
      cache->out_of_memory = true;
      return;
   }
   cache->num_learnt += part->num_runs;
   begin_accesses(&accesses, &cache->sampler);
   accesses.learner = cache;
   run_part(&accesses, part);
   cache->has_learnt = true;
}

void
cm_sweep_cache_learn(struct cm_sweep_cache *cache, const struct cm_access_runs *part)
{
   struct accesses accesses;
   if (cache->out_of_memory)
      return;
   if (cache->oracle == CM_ORACLE_BLOCK) {
      learn_blocks(cache, part);
      return;
   }
   begin_accesses(&accesses, &cache->sampler);
   run_part(&accesses, part);
   cache->has_learnt = true;
}

void
cm_sweep_cache_run(struct cm_sweep_cache *cache, const struct cm_access_runs *part)
{
   struct gspc_totals totals[GSPC_MAX_BANKS];
   struct accesses accesses;
   if (cache->oracle == CM_ORACLE_NEXT)
      cm_sweep_cache_learn(cache, part);
   if (cache->out_of_memory)
      return;
   if (cache->has_learnt && cache->oracle == CM_ORACLE_BLOCK) {
      cache->position = 0;
   } else if (cache->has_learnt) {
      gspc_take_totals(&cache->sampler, totals);
      gspc_foresee(&cache->cache, totals);
   }
   cache->has_learnt = false;
   begin_accesses(&accesses, &cache->cache);
   accesses.settles = cache->settles;
   const bool watches = cache->profile || cache->needs_future || cache->oracle == CM_ORACLE_BLOCK;
   accesses.watcher = watches ? cache : NULL;
   run_part(&accesses, part);
   cache->write_misses += accesses.write_misses;
   cache->runs += part->num_runs;
   cache->in_frame |= part->num_runs > 0;
   if (part->resets)
      reset_cache(cache, part);
   if (part->ends_frame || (part->ends_stream && cache->in_frame))
      end_frame(cache);
}

bool
cm_sweep_cache_result(const struct cm_sweep_cache *cache, struct cm_sweep_result *result)
{
   const struct counts *sum = &cache->sum;
   result->counts = (struct cm_sweep_counts){
      .misses = {sum_streams(sum, CM_CACHE_EVENT_MISSES) - sum->write_misses, sum->write_misses},
      .bypasses = sum_streams(sum, CM_CACHE_EVENT_BYPASSES),
      .writebacks = sum_streams(sum, CM_CACHE_EVENT_WRITEBACKS),
   };
   memcpy(result->counters, sum->counters, sizeof result->counters);
   result->profile = sum->profile;
   result->frame_misses = cache->frame_misses;
   result->frames = cache->counted;
   return !cache->out_of_memory;
}
