/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/cache_internal.h"
#include "memory/future.h"
#include "memory/next_use.h"

/* The future of a unit's instances. */
struct unit_future {
   struct cm_next_use *uses; /* NULL: the unit needs none */
   uint32_t instances;
   unsigned collecting_pass; /* such units before it in the longest chain */
};

struct cm_futures {
   struct unit_future units[CM_CACHE_COUNT];
   unsigned pass; /* under way */
   unsigned passes;
};

bool
cm_policy_needs_future(enum cm_policy policy)
{
   return policy == CM_POLICY_OPT || policy == CM_POLICY_OPTPT;
}

static bool
unit_needs_future(const struct cm_config *config, unsigned unit)
{
   return config->caches[unit].size && cm_policy_needs_future(config->caches[unit].policy);
}

enum cm_unit
cm_config_needs_future(const struct cm_config *config)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (unit_needs_future(config, unit))
         return (enum cm_unit)unit;
   }
   return CM_UNIT_DRAM;
}

bool
cm_config_needs_no_future(const struct cm_config *config, char *error, size_t error_size)
{
   const enum cm_unit unit = cm_config_needs_future(config);
   if (unit == CM_UNIT_DRAM)
      return true;
   snprintf(error, error_size,
            "caches.%s.policy: %s needs future accesses, which only tbrsim sim of a recording has",
            cm_unit_names[unit], cm_policy_names[config->caches[unit].policy]);
   return false;
}

static void
find_collecting_passes(struct cm_futures *futures, const struct cm_config *config)
{
   for (unsigned steps = 0; steps < CM_CACHE_COUNT; steps++) {
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         const struct cm_cache_config *cache = &config->caches[unit];
         if (!cache->size || cache->next == CM_UNIT_DRAM)
            continue;
         const unsigned after = futures->units[unit].collecting_pass + unit_needs_future(config, unit);
         struct unit_future *next = &futures->units[cache->next];
         if (next->collecting_pass < after)
            next->collecting_pass = after;
      }
   }
}

struct cm_futures *
cm_futures_create(const struct cm_config *config)
{
   struct cm_futures *futures = calloc(1, sizeof *futures);
   if (!futures)
      return NULL;
   futures->passes = 1;
   find_collecting_passes(futures, config);
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      struct unit_future *future = &futures->units[unit];
      if (!unit_needs_future(config, unit))
         continue;
      if (futures->passes < future->collecting_pass + 2)
         futures->passes = future->collecting_pass + 2;
      future->instances = config->caches[unit].instances;
      future->uses = calloc(future->instances, sizeof *future->uses);
      if (!future->uses) {
         cm_futures_destroy(futures);
         return NULL;
      }
   }
   return futures;
}

void
cm_futures_destroy(struct cm_futures *futures)
{
   if (!futures)
      return;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      struct unit_future *future = &futures->units[unit];
      for (uint32_t i = 0; future->uses && i < future->instances; i++)
         cm_next_use_free(&future->uses[i]);
      free(future->uses);
   }
   free(futures);
}

bool
cm_futures_is_last_pass(const struct cm_futures *futures)
{
   assert(futures->pass < futures->passes);
   return futures->pass + 1 >= futures->passes;
}

void
cm_futures_apply(struct cm_futures *futures, struct cm_hierarchy *hierarchy)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      struct unit_future *future = &futures->units[unit];
      for (uint32_t i = 0; future->uses && i < future->instances; i++) {
         assert(hierarchy->caches[unit] && future->instances == hierarchy->instances[unit]);
         struct cm_cache *cache = &hierarchy->caches[unit][i];
         if (future->collecting_pass == futures->pass)
            cm_cache_collect(cache, &future->uses[i]);
         else if (future->collecting_pass < futures->pass)
            cm_cache_set_future(cache, &future->uses[i]);
         else /* nothing that it does matters yet */
            cache->replacement = &cm_replacement_perfect;
      }
   }
}

static const char *
problem_of(const struct unit_future *future, const struct cm_next_use *uses, unsigned pass)
{
   assert(uses->position <= uses->count || future->collecting_pass >= pass);
   if (future->collecting_pass < pass && uses->position != uses->count)
      return "the accesses differ from those of the pass before";
   switch (uses->problem) {
   case CM_NEXT_USE_NO_MEMORY: return "no memory for the next uses of its accesses";
   case CM_NEXT_USE_TOO_MANY: return "more than 4294967295 accesses reach it, which are too many for opt";
   default: return NULL;
   }
}

bool
cm_futures_end_pass(struct cm_futures *futures, char *error, size_t error_size)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      struct unit_future *future = &futures->units[unit];
      for (uint32_t i = 0; future->uses && i < future->instances; i++) {
         const char *problem = problem_of(future, &future->uses[i], futures->pass);
         if (problem) {
            snprintf(error, error_size, "caches.%s: %s", cm_unit_names[unit], problem);
            return false;
         }
         cm_next_use_rewind(&future->uses[i]);
      }
   }
   futures->pass += !cm_futures_is_last_pass(futures);
   return true;
}
