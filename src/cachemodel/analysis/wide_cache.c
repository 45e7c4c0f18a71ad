/* SPDX-License-Identifier: MIT */
#include "analysis/wide_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/block_table.h"
#include "memory/set_index.h"
#include "analysis/way_set.h"
#include "memory/replacement/generator.h"
#include "memory/replacement/prediction.h"
#include "memory/replacement/regions.h"
#include "memory/replacement/set_dueling.h"

#define NONE UINT32_MAX

/* A policy, as memory/cache_access.h has them. A line's number is set * ways + way. */
struct wide_policy {
   bool (*init)(struct cm_wide_cache *cache, const struct cm_cache_config *config);
   /** A hit on a line; doing it again changes nothing, but for ship-mem. */
   void (*hit)(struct cm_wide_cache *cache, uint32_t set, uint32_t way);
   /** The way that a full set gives. */
   uint32_t (*victim)(struct cm_wide_cache *cache, uint32_t set);
   /** A line, which may have had another block, was filled. */
   void (*fill)(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty);
   void (*remove)(struct cm_wide_cache *cache, uint32_t set, uint32_t way); /**< NULL: nothing to do */
   void (*empty)(struct cm_wide_cache *cache, uint32_t set);                /**< likewise */
};

/* Of the lists: a line's neighbours; of a set: its ends. Both are line numbers. */
struct neighbours {
   uint32_t newer, older;
};

/* Re-reference predictions: of each set, for each prediction the ways that have it. All ways of a set count
 * up at once by turning the predictions' sets. */
struct predictions {
   uint32_t levels;   /* predictions there are */
   uint64_t *ways;    /* (set * levels + level) * shape.words */
   uint8_t *level_of; /* by line */
   uint8_t *turned;   /* by set: level l has prediction (l + turned) % levels */
   struct rrip rrip;
   struct duel duel; /* drrip */
};

struct cm_wide_cache {
   const struct wide_policy *policy;
   enum cm_policy name;
   struct cm_set_index index;
   uint32_t sets, ways, block_shift;
   struct cm_block_table table;
   uint64_t *lines; /* block << 1 | dirty */
   struct cm_way_set_shape shape;
   uint32_t *fresh;  /* by set: ways from it on were never filled */
   uint64_t *vacant; /* shape.words a set: ways below that were emptied */
   uint32_t generation, *generations;
   struct cm_sweep_counts counts;

   /* What the policies need. */
   struct neighbours *list, *ends;
   struct generator generator;
   uint8_t *nodes; /* tree-plru: ways a set */
   struct predictions predictions;
   uint8_t *was_hit, *regions; /* ship-mem: by line; by region */
};

/* ---- lists: fifo, mru --------------------------------------------------- */

static bool
list_init(struct cm_wide_cache *cache, const struct cm_cache_config *config)
{
   cache->list = calloc((size_t)cache->sets * cache->ways, sizeof *cache->list);
   cache->ends = calloc(cache->sets, sizeof *cache->ends);
   return cache->list && cache->ends;
}

static void
list_empty(struct cm_wide_cache *cache, uint32_t set)
{
   cache->ends[set] = (struct neighbours){NONE, NONE};
}

static void
list_remove(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   assert(way < cache->ways && set < cache->sets);
   const struct neighbours line = cache->list[set * cache->ways + way];
   *(line.newer == NONE ? &cache->ends[set].newer : &cache->list[line.newer].older) = line.older;
   *(line.older == NONE ? &cache->ends[set].older : &cache->list[line.older].newer) = line.newer;
}

/* The ends: newer is the newest line, older the oldest. */
static void
list_add(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   struct neighbours *ends = &cache->ends[set];
   const uint32_t line = set * cache->ways + way;
   cache->list[line] = (struct neighbours){.newer = NONE, .older = ends->newer};
   *(ends->newer == NONE ? &ends->older : &cache->list[ends->newer].newer) = line;
   ends->newer = line;
}

static void
list_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   if (!was_empty)
      list_remove(cache, set, way);
   list_add(cache, set, way);
}

static void
mru_hit(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   if (cache->ends[set].newer != set * cache->ways + way)
      list_fill(cache, set, way, false);
}

static uint32_t
mru_victim(struct cm_wide_cache *cache, uint32_t set)
{
   assert(cache->ends[set].newer != NONE);
   return cache->ends[set].newer - set * cache->ways;
}

static uint32_t
fifo_victim(struct cm_wide_cache *cache, uint32_t set)
{
   assert(cache->ends[set].older != NONE);
   return cache->ends[set].older - set * cache->ways;
}

static void
no_hit(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
}

/* ---- random, tree-plru --------------------------------------------------- */

static bool
random_init(struct cm_wide_cache *cache, const struct cm_cache_config *config)
{
   generator_start(&cache->generator);
   return true;
}

static uint32_t
random_victim(struct cm_wide_cache *cache, uint32_t set)
{
   return generator_below(&cache->generator, cache->ways);
}

static void
no_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
}

static bool
tree_init(struct cm_wide_cache *cache, const struct cm_cache_config *config)
{
   cache->nodes = calloc((size_t)cache->sets * cache->ways, 1);
   return cache->nodes;
}

static void
tree_hit(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   assert(way < cache->ways && !(cache->ways & (cache->ways - 1)));
   uint8_t *nodes = cache->nodes + (size_t)set * cache->ways;
   for (uint32_t node = cache->ways + way; node > 1; node /= 2)
      nodes[node / 2] = !(node & 1);
}

static uint32_t
tree_victim(struct cm_wide_cache *cache, uint32_t set)
{
   const uint8_t *nodes = cache->nodes + (size_t)set * cache->ways;
   uint32_t node = 1;
   while (node < cache->ways)
      node = 2 * node + nodes[node];
   return node - cache->ways;
}

static void
tree_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   tree_hit(cache, set, way);
}

/* ---- re-reference predictions -------------------------------------------- */

static uint64_t *
level_ways(const struct cm_wide_cache *cache, uint32_t set, uint32_t level)
{
   assert(level < cache->predictions.levels && set < cache->sets);
   return cache->predictions.ways + ((size_t)set * cache->predictions.levels + level) * cache->shape.words;
}

static bool
rrip_init(struct cm_wide_cache *cache, const struct cm_cache_config *config)
{
   struct predictions *predictions = &cache->predictions;
   switch (cache->name) {
   case CM_POLICY_NRU: predictions->levels = 2; break;
   case CM_POLICY_SRRIP4:
   case CM_POLICY_BRRIP4:
   case CM_POLICY_DRRIP4: predictions->levels = 16; break;
   default: predictions->levels = 4; break;
   }
   predictions->rrip.distant = (uint8_t)(predictions->levels - 1);
   duel_start(&predictions->duel, config, cache->sets, DRRIP_MIN_GROUP_SETS, 1);
   predictions->ways =
      calloc((size_t)cache->sets * predictions->levels * cache->shape.words, sizeof *predictions->ways);
   predictions->level_of = calloc((size_t)cache->sets * cache->ways, 1);
   predictions->turned = calloc(cache->sets, 1);
   return predictions->ways && predictions->level_of && predictions->turned;
}

static void
rrip_empty(struct cm_wide_cache *cache, uint32_t set)
{
   for (uint32_t level = 0; level < cache->predictions.levels; level++)
      cm_way_set_clear(level_ways(cache, set, level), &cache->shape);
   cache->predictions.turned[set] = 0;
}

static void
rrip_remove(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   const uint32_t level = cache->predictions.level_of[set * cache->ways + way];
   cm_way_set_remove(level_ways(cache, set, level), &cache->shape, way);
}

static void
predict(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty, uint32_t prediction)
{
   assert(prediction < cache->predictions.levels);
   const struct predictions *predictions = &cache->predictions;
   const uint32_t level = (prediction + predictions->levels - predictions->turned[set]) % predictions->levels;
   if (!was_empty)
      rrip_remove(cache, set, way);
   predictions->level_of[set * cache->ways + way] = (uint8_t)level;
   cm_way_set_add(level_ways(cache, set, level), &cache->shape, way);
}

static void
predict_near(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   const struct predictions *predictions = &cache->predictions;
   const uint32_t level = predictions->level_of[set * cache->ways + way];
   if (level + predictions->turned[set] != 0 && level + predictions->turned[set] != predictions->levels)
      predict(cache, set, way, false, 0);
}

static uint32_t
rrip_farthest(struct cm_wide_cache *cache, uint32_t set)
{
   struct predictions *predictions = &cache->predictions;
   const uint32_t levels = predictions->levels;
   for (uint32_t steps = 0;; steps++) {
      assert(steps < levels);
      const uint32_t level = (2 * levels - 1 - steps - predictions->turned[set]) % levels;
      const uint32_t way = cm_way_set_first(level_ways(cache, set, level), &cache->shape);
      if (way == CM_NO_WAY)
         continue; /* a full set has ways of some prediction */
      predictions->turned[set] = (uint8_t)((predictions->turned[set] + steps) % levels);
      return way;
   }
}

static void
nru_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   predict(cache, set, way, was_empty, 0);
}

static void
srrip_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   predict(cache, set, way, was_empty, rrip_insert_long(&cache->predictions.rrip));
}

static void
brrip_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   predict(cache, set, way, was_empty, rrip_insert_bimodal(&cache->predictions.rrip));
}

static void
drrip_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   struct predictions *predictions = &cache->predictions;
   if (duel_miss(&predictions->duel, set, 0))
      brrip_fill(cache, set, way, was_empty);
   else
      srrip_fill(cache, set, way, was_empty);
}

/* ---- ship-mem ------------------------------------------------------------ */

static bool
ship_init(struct cm_wide_cache *cache, const struct cm_cache_config *config)
{
   cache->was_hit = calloc((size_t)cache->sets * cache->ways, 1);
   cache->regions = malloc(NUM_REGIONS);
   if (cache->regions)
      regions_start(cache->regions, 1);
   return rrip_init(cache, config) && cache->was_hit && cache->regions;
}

static uint8_t *
counter_of(struct cm_wide_cache *cache, uint32_t line)
{
   assert(cache->regions);
   return region_counter(cache->regions, cache->lines[line] >> 1, cache->block_shift);
}

static void
ship_hit(struct cm_wide_cache *cache, uint32_t set, uint32_t way)
{
   const uint32_t line = set * cache->ways + way;
   region_was_hit(counter_of(cache, line));
   cache->was_hit[line] = true;
   predict_near(cache, set, way);
}

static uint32_t
ship_victim(struct cm_wide_cache *cache, uint32_t set)
{
   const uint32_t way = rrip_farthest(cache, set), line = set * cache->ways + way;
   if (!cache->was_hit[line])
      region_was_not_hit(counter_of(cache, line));
   return way;
}

static void
ship_fill(struct cm_wide_cache *cache, uint32_t set, uint32_t way, bool was_empty)
{
   const uint32_t line = set * cache->ways + way, distant = cache->predictions.rrip.distant;
   cache->was_hit[line] = false;
   predict(cache, set, way, was_empty, *counter_of(cache, line) ? distant - 1 : distant);
}

/* ---- the cache ------------------------------------------------------------ */

#define PREDICTIONS(fill_function) \
   {rrip_init, predict_near, rrip_farthest, fill_function, rrip_remove, rrip_empty}

static const struct wide_policy policies[CM_POLICY_COUNT] = {
   [CM_POLICY_MRU] = {list_init, mru_hit, mru_victim, list_fill, list_remove, list_empty},
   [CM_POLICY_FIFO] = {list_init, no_hit, fifo_victim, list_fill, list_remove, list_empty},
   [CM_POLICY_RANDOM] = {random_init, no_hit, random_victim, no_fill, NULL, NULL},
   [CM_POLICY_TREE_PLRU] = {tree_init, tree_hit, tree_victim, tree_fill, NULL, NULL},
   [CM_POLICY_NRU] = PREDICTIONS(nru_fill),
   [CM_POLICY_SRRIP] = PREDICTIONS(srrip_fill),
   [CM_POLICY_SRRIP4] = PREDICTIONS(srrip_fill),
   [CM_POLICY_BRRIP] = PREDICTIONS(brrip_fill),
   [CM_POLICY_BRRIP4] = PREDICTIONS(brrip_fill),
   [CM_POLICY_DRRIP] = PREDICTIONS(drrip_fill),
   [CM_POLICY_DRRIP4] = PREDICTIONS(drrip_fill),
   [CM_POLICY_SHIP_MEM] = {ship_init, ship_hit, ship_victim, ship_fill, rrip_remove, rrip_empty},
};

bool
cm_wide_cache_takes(enum cm_policy policy)
{
   return policies[policy].init;
}

struct cm_wide_cache *
cm_wide_cache_create(const struct cm_cache_config *config)
{
   assert(cm_wide_cache_takes(config->policy) && config->ways);
   struct cm_wide_cache *cache = calloc(1, sizeof *cache);
   if (!cache)
      return NULL;
   const uint32_t num_lines = config->size / config->block;
   cache->policy = &policies[config->policy];
   cache->name = config->policy;
   cache->ways = config->ways;
   cache->sets = num_lines / config->ways;
   cm_set_index_init(&cache->index, cache->sets, config->index);
   cache->block_shift = (uint32_t)__builtin_ctz(config->block);
   cache->shape = cm_way_set_shape(config->ways);
   cache->generation = 1;
   cache->lines = malloc(num_lines * sizeof *cache->lines);
   cache->fresh = calloc(cache->sets, sizeof *cache->fresh);
   cache->vacant = calloc((size_t)cache->sets * cache->shape.words, sizeof *cache->vacant);
   cache->generations = calloc(cache->sets, sizeof *cache->generations);
   if (cache->lines && cache->fresh && cache->vacant && cache->generations &&
       cm_block_table_init(&cache->table, num_lines) && cache->policy->init(cache, config))
      return cache;
   cm_wide_cache_destroy(cache);
   return NULL;
}

void
cm_wide_cache_destroy(struct cm_wide_cache *cache)
{
   if (!cache)
      return;
   cm_block_table_finish(&cache->table);
   void *const arrays[] = {
      cache->lines,
      cache->fresh,
      cache->vacant,
      cache->generations,
      cache->list,
      cache->ends,
      cache->nodes,
      cache->predictions.ways,
      cache->predictions.level_of,
      cache->predictions.turned,
      cache->was_hit,
      cache->regions,
   };
   for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
      free(arrays[i]);
   free(cache);
}

static void
empty_set(struct cm_wide_cache *cache, uint32_t set)
{
   cache->generations[set] = cache->generation;
   cache->fresh[set] = 0;
   cm_way_set_clear(&cache->vacant[(size_t)set * cache->shape.words], &cache->shape);
   if (cache->policy->empty)
      cache->policy->empty(cache, set);
}

/* The way for a block that has missed; its old block is evicted. */
static uint32_t
make_room(struct cm_wide_cache *cache, uint32_t set, bool *was_empty)
{
   assert(cache->generations[set] == cache->generation);
   uint64_t *vacant = &cache->vacant[(size_t)set * cache->shape.words];
   uint32_t way = cm_way_set_first(vacant, &cache->shape);
   *was_empty = true;
   if (way != CM_NO_WAY) {
      cm_way_set_remove(vacant, &cache->shape, way);
      return way;
   }
   if (cache->fresh[set] < cache->ways)
      return cache->fresh[set]++;
   *was_empty = false;
   way = cache->policy->victim(cache, set);
   const uint64_t line = cache->lines[set * cache->ways + way];
   cache->counts.writebacks += line & 1;
   cm_block_table_remove(&cache->table, line >> 1);
   return way;
}

static void
access_run(struct cm_wide_cache *cache, cm_run run, uint32_t count)
{
   assert(count);
   const uint64_t block = cm_run_block(run);
   const bool write = cm_run_is_write(run);
   const uint32_t set = cm_set_of(&cache->index, block);
   if (cache->generations[set] != cache->generation)
      empty_set(cache, set);

   uint32_t line = cm_block_table_find(&cache->table, block), hits = count;
   if (line == CM_NOT_FOUND) {
      bool was_empty;
      const uint32_t way = make_room(cache, set, &was_empty);
      cache->counts.misses[write]++;
      line = set * cache->ways + way;
      cm_block_table_set(&cache->table, block, line);
      cache->lines[line] = block << 1;
      cache->policy->fill(cache, set, way, was_empty);
      hits--;
   }
   cache->lines[line] |= write;
   /* ship-mem's counters count each, up to their end. */
   const uint32_t most = cache->regions ? REGION_COUNTER_MAX : 1;
   for (uint32_t h = 0; h < hits && h < most; h++)
      cache->policy->hit(cache, set, line - set * cache->ways);
}

static void
invalidate(struct cm_wide_cache *cache, uint64_t first, uint64_t last)
{
   assert(first <= last);
   for (uint32_t set = 0; set < cache->sets; set++) {
      if (cache->generations[set] != cache->generation)
         continue;
      for (uint32_t way = 0; way < cache->fresh[set]; way++) {
         const uint32_t number = set * cache->ways + way;
         const uint64_t line = cache->lines[number];
         /* A way that is vacant still has its old block's number, but the table not. */
         if (line >> 1 < first || line >> 1 > last || cm_block_table_find(&cache->table, line >> 1) != number)
            continue;
         cache->counts.writebacks += line & 1;
         cm_block_table_remove(&cache->table, line >> 1);
         if (cache->policy->remove)
            cache->policy->remove(cache, set, way);
         cm_way_set_add(&cache->vacant[(size_t)set * cache->shape.words], &cache->shape, way);
      }
   }
}

static void
reset(struct cm_wide_cache *cache)
{
   cm_block_table_clear(&cache->table);
   if (++cache->generation)
      return;
   memset(cache->generations, 0, cache->sets * sizeof *cache->generations);
   cache->generation = 1;
}

void
cm_wide_cache_run(struct cm_wide_cache *cache, const struct cm_access_runs *part)
{
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++)
         access_run(cache, part->runs[run], part->counts[run]);
      if (i < part->num_invalidations)
         invalidate(cache, part->invalidations[i].first, part->invalidations[i].last);
   }
   if (part->resets)
      reset(cache);
}

struct cm_sweep_counts
cm_wide_cache_counts(const struct cm_wide_cache *cache)
{
   return cache->counts;
}
