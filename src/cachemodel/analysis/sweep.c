/* SPDX-License-Identifier: MIT */
#include "analysis/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/block_table.h"
#include "analysis/lru_stack.h"
#include "analysis/opt_stack.h"
#include "analysis/sweep_cache.h"
#include "memory/future.h"

enum kind {
   KIND_LRU,   /* an LRU stack */
   KIND_OPT,   /* the stack of an optimal policy */
   KIND_CACHE, /* a cache of its own */
};

struct point {
   struct cm_sweep_point point;
   uint32_t number; /* the caller's */
   uint32_t sets;
   enum kind kind;
   uint64_t lower_bound;
   struct cm_sweep_counts warm; /* of a stack, when the frames of warm_up had ended */
};

struct unit {
   enum kind kind;
   uint32_t first_point, end_point; /* of the sorted ones */
   uint32_t frames;                 /* ended */
   union {
      struct cm_lru_stack *lru;
      struct cm_opt_stack *opt;
      struct cm_sweep_cache *cache;
   } simulator;
};

struct cm_sweep {
   struct cm_sweep_options options;
   struct point *points; /* sorted: those of a unit one after another, by ways */
   uint32_t *sorted;     /* by the caller's number */
   uint32_t num_points;
   struct unit *units;
   uint32_t *unit_of; /* by sorted point */
   uint32_t num_units;
   uint64_t reads, writes;
   uint32_t frames; /* of which they are */
   /* The blocks that were written in this part: 1 where they were read, too. */
   struct cm_block_table written;
   uint32_t max_written;
};

/* ---- creation -------------------------------------------------------------- */

static enum kind
kind_of(const struct cm_sweep_point *point, const struct cm_sweep_options *options)
{
   if (options->by_stream || point->config.uncached)
      return KIND_CACHE;
   switch (point->config.policy) {
   case CM_POLICY_LRU: return KIND_LRU;
   case CM_POLICY_OPT:
   case CM_POLICY_OPTPT: return KIND_OPT;
   default: return KIND_CACHE;
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
   const int policy = compare(a->point.config.policy, b->point.config.policy),
             sets = compare(a->sets, b->sets);
   if (policy || sets)
      return policy ? policy : sets;
   return compare(a->point.config.ways, b->point.config.ways);
}

/* Caches that one stack has all of. */
static bool
share_unit(const struct point *a, const struct point *b)
{
   const struct cm_cache_config *one = &a->point.config, *other = &b->point.config;
   return (a->kind == KIND_LRU || a->kind == KIND_OPT) && b->kind == a->kind &&
          one->policy == other->policy && a->sets == b->sets && one->block == other->block &&
          one->index == other->index;
}

static bool
create_unit(const struct cm_sweep *sweep, struct unit *unit, const uint32_t *ways)
{
   const struct point *point = &sweep->points[unit->first_point];
   const struct cm_cache_config *config = &point->point.config;
   const uint32_t num_ways = unit->end_point - unit->first_point;
   unit->kind = point->kind;
   switch (unit->kind) {
   case KIND_LRU:
      unit->simulator.lru = cm_lru_stack_create(point->sets, config->index, ways, num_ways);
      return unit->simulator.lru;
   case KIND_OPT:
      unit->simulator.opt =
         cm_opt_stack_create(point->sets, config->index, ways, num_ways, config->policy == CM_POLICY_OPTPT);
      return unit->simulator.opt;
   case KIND_CACHE:
      unit->simulator.cache = cm_sweep_cache_create(&point->point, &sweep->options);
      return unit->simulator.cache;
   default: return true;
   }
}

static bool
create_units(struct cm_sweep *sweep)
{
   uint32_t *ways = calloc(sweep->num_points, sizeof *ways);
   bool ok = ways;
   for (uint32_t p = 0, end; ok && p < sweep->num_points; p = end) {
      struct unit *unit = &sweep->units[sweep->num_units];
      unit->first_point = p;
      for (end = p;
           end == p || (end < sweep->num_points && share_unit(&sweep->points[p], &sweep->points[end]));
           end++) {
         ways[end - p] = sweep->points[end].point.config.ways;
         sweep->unit_of[end] = sweep->num_units;
      }
      unit->end_point = end;
      ok = create_unit(sweep, unit, ways);
      sweep->num_units++;
   }
   free(ways);
   return ok;
}

struct cm_sweep *
cm_sweep_create(const struct cm_sweep_point *points, uint32_t num_points,
                const struct cm_sweep_options *options)
{
   struct cm_sweep *sweep = calloc(1, sizeof *sweep);
   if (!sweep)
      return NULL;
   sweep->options = *options;
   sweep->num_points = num_points;
   sweep->points = calloc(num_points, sizeof *sweep->points);
   sweep->sorted = calloc(num_points, sizeof *sweep->sorted);
   sweep->units = calloc(num_points, sizeof *sweep->units);
   sweep->unit_of = calloc(num_points, sizeof *sweep->unit_of);
   bool ok = sweep->points && sweep->sorted && sweep->units && sweep->unit_of;
   for (uint32_t p = 0; ok && p < num_points; p++) {
      sweep->points[p] = (struct point){
         .point = points[p],
         .number = p,
         .sets = points[p].config.size / points[p].config.block / points[p].config.ways,
         .kind = kind_of(&points[p], options),
      };
   }
   if (ok) {
      qsort(sweep->points, num_points, sizeof *sweep->points, compare_points);
      for (uint32_t p = 0; p < num_points; p++)
         sweep->sorted[sweep->points[p].number] = p;
      ok = create_units(sweep);
   }
   if (ok)
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
   case KIND_CACHE: cm_sweep_cache_destroy(unit->simulator.cache); break;
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

enum cm_sweep_turn
cm_sweep_turn(const struct cm_sweep *sweep, uint32_t number)
{
   const struct cm_sweep_point *point = &sweep->points[sweep->units[number].first_point].point;
   return cm_policy_needs_future(point->config.policy) ? CM_SWEEP_WITH_NEXT_USES
          : point->oracle == CM_ORACLE_BLOCK           ? CM_SWEEP_AFTER_NEXT_USES
          : point->oracle == CM_ORACLE_FRAME           ? CM_SWEEP_AFTER_FRAME
                                                       : CM_SWEEP_AT_ONCE;
}

uint32_t
cm_sweep_uncached(const struct cm_sweep *sweep, uint32_t number)
{
   return sweep->points[sweep->units[number].first_point].point.config.uncached;
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
      const struct cm_cache_config *config = &sweep->points[p].point.config;
      const uint64_t capacity = config->size / config->block;
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
   if (sweep->options.bounded && !count_lower_bound(sweep, part))
      return false;
   if (part->ends_frame && ++sweep->frames == sweep->options.warm_up) {
      sweep->reads = sweep->writes = 0;
      for (uint32_t p = 0; p < sweep->num_points; p++)
         sweep->points[p].lower_bound = 0;
   }
   return true;
}

/* ---- units -------------------------------------------------------------------- */

/* What a stack has counted since the beginning. */
static struct cm_sweep_counts
stack_counts(const struct unit *unit, uint32_t point)
{
   switch (unit->kind) {
   case KIND_LRU: return cm_lru_stack_counts(unit->simulator.lru, point - unit->first_point);
   case KIND_OPT: return cm_opt_stack_counts(unit->simulator.opt, point - unit->first_point);
   default: return (struct cm_sweep_counts){.bypasses = 0};
   }
}

void
cm_sweep_learn(struct cm_sweep *sweep, uint32_t number, const struct cm_access_runs *part)
{
   cm_sweep_cache_learn(sweep->units[number].simulator.cache, part);
}

void
cm_sweep_run(struct cm_sweep *sweep, uint32_t number, const struct cm_access_runs *part)
{
   struct unit *unit = &sweep->units[number];
   switch (unit->kind) {
   case KIND_LRU: cm_lru_stack_run(unit->simulator.lru, part); break;
   case KIND_OPT: cm_opt_stack_run(unit->simulator.opt, part); break;
   case KIND_CACHE: cm_sweep_cache_run(unit->simulator.cache, part); break;
   default: break;
   }
   if (!part->ends_frame || ++unit->frames != sweep->options.warm_up)
      return;
   for (uint32_t p = unit->first_point; p < unit->end_point; p++)
      sweep->points[p].warm = stack_counts(unit, p);
}

/* Of the frames that count. */
static struct cm_sweep_counts
since_warm_up(struct cm_sweep_counts counts, const struct cm_sweep_counts *warm)
{
   return (struct cm_sweep_counts){
      .misses = {counts.misses[0] - warm->misses[0], counts.misses[1] - warm->misses[1]},
      .bypasses = counts.bypasses - warm->bypasses,
      .writebacks = counts.writebacks - warm->writebacks,
   };
}

bool
cm_sweep_result(const struct cm_sweep *sweep, uint32_t number, struct cm_sweep_result *result)
{
   const uint32_t sorted = sweep->sorted[number];
   const struct point *point = &sweep->points[sorted];
   const struct unit *unit = &sweep->units[sweep->unit_of[sorted]];
   *result = (struct cm_sweep_result){
      .sets = point->sets,
      .reads = sweep->reads,
      .writes = sweep->writes,
      .is_bounded = sweep->options.bounded && point->point.config.policy != CM_POLICY_PERFECT,
      .lower_bound = point->lower_bound,
   };
   const bool complete = unit->kind != KIND_CACHE || cm_sweep_cache_result(unit->simulator.cache, result);
   if (unit->kind != KIND_CACHE)
      result->counts = since_warm_up(stack_counts(unit, sorted), &point->warm);
   result->hits = result->reads + result->writes - result->counts.misses[0] - result->counts.misses[1] -
                  result->counts.bypasses;
   return complete;
}
