/* SPDX-License-Identifier: MIT */
#include "analysis/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/block_table.h"
#include "analysis/lru_stack.h"
#include "analysis/opt_stack.h"
#include "analysis/wide_cache.h"
#include "memory/cache.h"

/* Up to so many ways, a scan of all of them is faster. */
#define NARROW_WAYS 32
#define NARROW_READS 256

enum kind {
   KIND_LRU,     /* an LRU stack */
   KIND_OPT,     /* the stack of an optimal policy */
   KIND_NARROW,  /* a struct cm_cache */
   KIND_WIDE,    /* a struct cm_wide_cache */
   KIND_PERFECT, /* nothing to simulate */
};

struct point {
   struct cm_sweep_point point;
   uint32_t number; /* the caller's */
   uint32_t sets;
   enum kind kind;
   uint64_t lower_bound;
};

/* A struct cm_cache. */
struct narrow {
   struct cm_cache cache;
   struct cm_dram dram;
   bool settles; /* of a run, more than two accesses do what two do */
   uint64_t write_misses;
   uint64_t runs; /* since the last reset */
   /* Reads of a stream that wait for one another: several at a time are faster. */
   enum cm_stream stream;
   unsigned num_reads;
   uint64_t reads[NARROW_READS];
};

struct unit {
   enum kind kind;
   uint32_t first_point; /* of the sorted ones */
   union {
      struct cm_lru_stack *lru;
      struct cm_opt_stack *opt;
      struct cm_wide_cache *wide;
      struct narrow *narrow;
   } simulator;
};

struct cm_sweep {
   uint32_t block;
   enum cm_index index;
   bool bounded;
   struct point *points; /* sorted: those of a unit one after another, by ways */
   uint32_t *sorted;     /* by the caller's number */
   uint32_t num_points;
   struct unit *units;
   uint32_t *unit_of; /* by sorted point */
   uint32_t num_units;
   uint64_t reads, writes;
   /* The blocks that were written in this part: 1 where they were read, too. */
   struct cm_block_table written;
   uint32_t max_written;
};

/* ---- creation -------------------------------------------------------------- */

static enum kind
kind_of(const struct cm_sweep_point *point)
{
   switch (point->policy) {
   case CM_POLICY_LRU: return KIND_LRU;
   case CM_POLICY_OPT:
   case CM_POLICY_OPTPT: return KIND_OPT;
   case CM_POLICY_PERFECT: return KIND_PERFECT;
   default: return point->ways > NARROW_WAYS && cm_wide_cache_takes(point->policy) ? KIND_WIDE : KIND_NARROW;
   }
}

static int
compare(uint32_t a, uint32_t b)
{
   return (a > b) - (a < b);
}

static int
compare_points(const void *first, const void *second)
{
   const struct point *a = first, *b = second;
   const int policy = compare(a->point.policy, b->point.policy), sets = compare(a->sets, b->sets);
   if (policy || sets)
      return policy ? policy : sets;
   return compare(a->point.ways, b->point.ways);
}

static bool
is_stack(enum kind kind)
{
   return kind == KIND_LRU || kind == KIND_OPT;
}

/* Caches that one stack has all of. */
static bool
share_unit(const struct point *a, const struct point *b)
{
   return is_stack(a->kind) && a->point.policy == b->point.policy && a->sets == b->sets;
}

/* Whether a block's third access on end changes nothing. */
static bool
settles(enum cm_policy policy)
{
   switch (policy) {
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
   case CM_POLICY_DRRIP4: return true;
   default: return false;
   }
}

static struct narrow *
create_narrow(const struct cm_cache_config *config)
{
   struct narrow *narrow = calloc(1, sizeof *narrow);
   if (narrow)
      narrow->settles = settles(config->policy);
   if (narrow && cm_cache_init(&narrow->cache, config, NULL, &narrow->dram))
      return narrow;
   free(narrow);
   return NULL;
}

static bool
create_unit(const struct cm_sweep *sweep, struct unit *unit, const uint32_t *ways, uint32_t num_ways)
{
   const struct point *point = &sweep->points[unit->first_point];
   const struct cm_cache_config config = {
      .size = point->point.size,
      .ways = point->point.ways,
      .block = sweep->block,
      .instances = 1,
      .policy = point->point.policy,
      .index = sweep->index,
      .next = CM_UNIT_DRAM,
   };
   unit->kind = point->kind;
   switch (unit->kind) {
   case KIND_LRU:
      unit->simulator.lru = cm_lru_stack_create(point->sets, sweep->index, ways, num_ways);
      return unit->simulator.lru;
   case KIND_OPT:
      unit->simulator.opt = cm_opt_stack_create(point->sets, sweep->index, ways, num_ways,
                                                point->point.policy == CM_POLICY_OPTPT);
      return unit->simulator.opt;
   case KIND_WIDE: unit->simulator.wide = cm_wide_cache_create(&config); return unit->simulator.wide;
   case KIND_NARROW: unit->simulator.narrow = create_narrow(&config); return unit->simulator.narrow;
   default: return true;
   }
}

static bool
create_units(struct cm_sweep *sweep)
{
   uint32_t *ways = calloc(sweep->num_points, sizeof *ways);
   bool fine = ways;
   for (uint32_t p = 0, end; fine && p < sweep->num_points; p = end) {
      struct unit *unit = &sweep->units[sweep->num_units];
      unit->first_point = p;
      for (end = p;
           end == p || (end < sweep->num_points && share_unit(&sweep->points[p], &sweep->points[end]));
           end++) {
         ways[end - p] = sweep->points[end].point.ways;
         sweep->unit_of[end] = sweep->num_units;
      }
      fine = create_unit(sweep, unit, ways, end - p);
      sweep->num_units++;
   }
   free(ways);
   return fine;
}

struct cm_sweep *
cm_sweep_create(const struct cm_sweep_point *points, uint32_t num_points, uint32_t block, enum cm_index index,
                bool bounded)
{
   struct cm_sweep *sweep = calloc(1, sizeof *sweep);
   if (!sweep)
      return NULL;
   sweep->block = block;
   sweep->index = index;
   sweep->bounded = bounded;
   sweep->num_points = num_points;
   sweep->points = calloc(num_points, sizeof *sweep->points);
   sweep->sorted = calloc(num_points, sizeof *sweep->sorted);
   sweep->units = calloc(num_points, sizeof *sweep->units);
   sweep->unit_of = calloc(num_points, sizeof *sweep->unit_of);
   bool fine = sweep->points && sweep->sorted && sweep->units && sweep->unit_of;
   for (uint32_t p = 0; fine && p < num_points; p++) {
      sweep->points[p] = (struct point){
         .point = points[p],
         .number = p,
         .sets = points[p].size / block / points[p].ways,
         .kind = kind_of(&points[p]),
      };
   }
   if (fine) {
      qsort(sweep->points, num_points, sizeof *sweep->points, compare_points);
      for (uint32_t p = 0; p < num_points; p++)
         sweep->sorted[sweep->points[p].number] = p;
      fine = create_units(sweep);
   }
   if (fine)
      return sweep;
   cm_sweep_destroy(sweep);
   return NULL;
}

static void
destroy_unit(struct unit *unit)
{
   switch (unit->kind) {
   case KIND_LRU: cm_lru_stack_destroy(unit->simulator.lru); break;
   case KIND_OPT: cm_opt_stack_destroy(unit->simulator.opt); break;
   case KIND_WIDE: cm_wide_cache_destroy(unit->simulator.wide); break;
   case KIND_NARROW:
      if (unit->simulator.narrow)
         cm_cache_finish(&unit->simulator.narrow->cache);
      free(unit->simulator.narrow);
      break;
   default: break;
   }
}

void
cm_sweep_destroy(struct cm_sweep *sweep)
{
   if (!sweep)
      return;
   for (uint32_t u = 0; u < sweep->num_units; u++)
      destroy_unit(&sweep->units[u]);
   cm_block_table_finish(&sweep->written);
   free(sweep->points);
   free(sweep->sorted);
   free(sweep->units);
   free(sweep->unit_of);
   free(sweep);
}

uint32_t
cm_sweep_units(const struct cm_sweep *sweep)
{
   return sweep->num_units;
}

bool
cm_sweep_needs_future(const struct cm_sweep *sweep, uint32_t unit)
{
   return sweep->units[unit].kind == KIND_OPT;
}

/* ---- what all have in common ------------------------------------------------ */

/* Blocks that are written in a part, and read. */
static uint64_t
count_written_and_read(struct cm_sweep *sweep, const struct cm_access_runs *part)
{
   uint64_t both = 0;
   for (uint32_t run = 0; run < part->num_runs; run++) {
      const uint64_t block = cm_run_block(part->runs[run]);
      const uint32_t was_read = cm_block_table_find(&sweep->written, block);
      if (was_read == CM_NOT_FOUND && cm_run_is_write(part->runs[run])) {
         cm_block_table_set(&sweep->written, block, 0);
      } else if (was_read == 0 && !cm_run_is_write(part->runs[run])) {
         cm_block_table_set(&sweep->written, block, 1);
         both++;
      }
   }
   cm_block_table_clear(&sweep->written);
   return both;
}

/* TCOR V-A. */
static bool
count_lower_bound(struct cm_sweep *sweep, const struct cm_access_runs *part)
{
   if (part->num_runs > sweep->max_written || !sweep->written.entries) {
      cm_block_table_finish(&sweep->written);
      sweep->max_written = part->num_runs + part->num_runs / 2 + 1024;
      if (!cm_block_table_init(&sweep->written, sweep->max_written))
         return false;
   }
   const uint64_t primitives = count_written_and_read(sweep, part);
   for (uint32_t p = 0; p < sweep->num_points; p++) {
      const uint64_t capacity = sweep->points[p].point.size / sweep->block;
      sweep->points[p].lower_bound += primitives + (primitives > capacity ? primitives - capacity : 0);
   }
   return true;
}

bool
cm_sweep_count(struct cm_sweep *sweep, const struct cm_access_runs *part)
{
   for (uint32_t run = 0; run < part->num_runs; run++) {
      if (cm_run_is_write(part->runs[run]))
         sweep->writes += part->counts[run];
      else
         sweep->reads += part->counts[run];
   }
   return !sweep->bounded || count_lower_bound(sweep, part);
}

/* ---- caches as they are ------------------------------------------------------ */

static void
flush_reads(struct narrow *narrow)
{
   if (narrow->num_reads)
      cm_cache_read_sequence(&narrow->cache, narrow->reads, narrow->num_reads, narrow->stream);
   narrow->num_reads = 0;
}

static void
narrow_read(struct narrow *narrow, cm_run run, uint32_t count)
{
   if (cm_run_stream(run) != narrow->stream)
      flush_reads(narrow);
   narrow->stream = cm_run_stream(run);
   const uint32_t most = narrow->settles && count > 2 ? 2 : count;
   for (uint32_t i = 0; i < most; i++) {
      if (narrow->num_reads == NARROW_READS)
         flush_reads(narrow);
      narrow->reads[narrow->num_reads++] = cm_run_block(run);
   }
}

static void
narrow_write(struct narrow *narrow, cm_run run, uint32_t count)
{
   struct cm_cache *cache = &narrow->cache;
   const enum cm_stream stream = cm_run_stream(run);
   const uint64_t block = cm_run_block(run), *counts = cache->counts[stream];
   flush_reads(narrow);
   const uint64_t misses = counts[CM_CACHE_EVENT_MISSES];
   do {
      cm_cache_access(cache, block << cache->block_shift, stream, CM_WRITE);
   } while (--count && cache->folded_block != block);
   narrow->write_misses += counts[CM_CACHE_EVENT_MISSES] - misses;
}

/* What the policy has learnt stays. */
static void
narrow_reset(struct narrow *narrow, const struct cm_access_runs *part)
{
   struct cm_cache *cache = &narrow->cache;
   if (narrow->runs == part->num_runs && part->num_runs < cache->sets) {
      for (uint32_t run = 0; run < part->num_runs; run++)
         cm_cache_discard_set(cache, cm_cache_set(cache, cm_run_block(part->runs[run])));
   } else {
      for (uint32_t set = 0; set < cache->sets; set++)
         cm_cache_discard_set(cache, set);
   }
   narrow->runs = 0;
}

static void
narrow_run(struct narrow *narrow, const struct cm_access_runs *part)
{
   struct cm_cache *cache = &narrow->cache;
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++) {
         if (cm_run_is_write(part->runs[run]))
            narrow_write(narrow, part->runs[run], part->counts[run]);
         else
            narrow_read(narrow, part->runs[run], part->counts[run]);
      }
      flush_reads(narrow);
      if (i < part->num_invalidations)
         cm_cache_invalidate(cache, part->invalidations[i].first << cache->block_shift,
                             (part->invalidations[i].last + 1) << cache->block_shift);
   }
   narrow->runs += part->num_runs;
   if (part->resets)
      narrow_reset(narrow, part);
}

static struct cm_sweep_counts
narrow_counts(const struct narrow *narrow)
{
   struct cm_sweep_counts counts = {.misses = {0, narrow->write_misses}};
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const uint64_t *events = narrow->cache.counts[stream];
      counts.misses[0] += events[CM_CACHE_EVENT_MISSES];
      counts.bypasses += events[CM_CACHE_EVENT_BYPASSES];
      counts.writebacks += events[CM_CACHE_EVENT_WRITEBACKS];
   }
   counts.misses[0] -= narrow->write_misses;
   return counts;
}

/* ---- units -------------------------------------------------------------------- */

void
cm_sweep_run(struct cm_sweep *sweep, uint32_t number, const struct cm_access_runs *part)
{
   struct unit *unit = &sweep->units[number];
   switch (unit->kind) {
   case KIND_LRU: cm_lru_stack_run(unit->simulator.lru, part); break;
   case KIND_OPT: cm_opt_stack_run(unit->simulator.opt, part); break;
   case KIND_WIDE: cm_wide_cache_run(unit->simulator.wide, part); break;
   case KIND_NARROW: narrow_run(unit->simulator.narrow, part); break;
   default: break;
   }
}

static struct cm_sweep_counts
counts_of(const struct unit *unit, uint32_t point)
{
   switch (unit->kind) {
   case KIND_LRU: return cm_lru_stack_counts(unit->simulator.lru, point - unit->first_point);
   case KIND_OPT: return cm_opt_stack_counts(unit->simulator.opt, point - unit->first_point);
   case KIND_WIDE: return cm_wide_cache_counts(unit->simulator.wide);
   case KIND_NARROW: return narrow_counts(unit->simulator.narrow);
   default: return (struct cm_sweep_counts){.bypasses = 0};
   }
}

struct cm_sweep_result
cm_sweep_result(const struct cm_sweep *sweep, uint32_t number)
{
   const uint32_t sorted = sweep->sorted[number];
   const struct point *point = &sweep->points[sorted];
   struct cm_sweep_result result = {
      .sets = point->sets,
      .reads = sweep->reads,
      .writes = sweep->writes,
      .counts = counts_of(&sweep->units[sweep->unit_of[sorted]], sorted),
      .is_bounded = sweep->bounded && point->kind != KIND_PERFECT,
      .lower_bound = point->lower_bound,
   };
   result.hits = result.reads + result.writes - result.counts.misses[0] - result.counts.misses[1] -
                 result.counts.bypasses;
   return result;
}
