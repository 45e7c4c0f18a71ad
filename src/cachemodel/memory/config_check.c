/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "events/event_stream.h"
#include "memory/attribute_cache.h"
#include "memory/hierarchy.h"
#include "tiling/parameter_buffer.h"
#include "tiling/tile_levels.h"

/* Whether a policy learns from sets that it finds by bits of their numbers. */
static bool
duels(enum cm_policy policy)
{
   return cm_policy_samples(policy) || policy == CM_POLICY_DRRIP || policy == CM_POLICY_DRRIP4 ||
          policy == CM_POLICY_GS_DRRIP || policy == CM_POLICY_GS_DRRIP4;
}

static bool
check_banks(const struct cm_cache_config *cache, const char *prefix, struct cm_config_problem *problem)
{
   const uint32_t sets = cache->size / cache->ways / cache->block, banks = cm_cache_config_banks(cache);
   if (!cm_config_power_of_two(cm_config_about(problem, "%sbanks", prefix), banks, 1, 16))
      return false;
   if (!cm_policy_samples(cache->policy)) {
      return banks <= sets ||
             cm_config_wrong(problem, "%u banks of %u sets, expected at most as many as sets", banks, sets);
   }
   cm_config_about(problem, "%spolicy", prefix);
   if (sets < CM_SETS_PER_SAMPLE * banks)
      return cm_config_wrong(
         problem, "%s learns in one of %u sets of each of %u banks, expected at least %u sets, not %u",
         cm_policy_names[cache->policy], CM_SETS_PER_SAMPLE, banks, CM_SETS_PER_SAMPLE * banks, sets);
   return true;
}

static bool
check_gspc(const struct cm_cache_config *cache, const char *prefix, struct cm_config_problem *problem)
{
   const struct cm_gspc_config gspc = cm_cache_config_gspc(cache);
   const uint32_t distant = gspc.render_target_distant, longer = gspc.render_target_long;
   return cm_config_power_of_two(cm_config_about(problem, "%sgspc.threshold", prefix), gspc.threshold, 1,
                                 128) &&
          cm_config_power_of_two(cm_config_about(problem, "%sgspc.render_target_distant", prefix), distant, 1,
                                 128) &&
          cm_config_power_of_two(cm_config_about(problem, "%sgspc.render_target_long", prefix), longer, 1,
                                 128) &&
          (longer <= distant ||
           cm_config_wrong(problem, "%u is more than render_target_distant, expected at most %u", longer,
                           distant));
}

/* Size, ways, block and policy of a cache. Its keys begin with prefix. */
static bool
check_shape(const struct cm_cache_config *cache, uint32_t max_ways, const char *prefix,
            struct cm_config_problem *problem)
{
   if (!cm_config_in_range(cm_config_about(problem, "%sways", prefix), cache->ways, 1, max_ways) ||
       !cm_config_power_of_two(cm_config_about(problem, "%sblock", prefix), cache->block, 16, 4096))
      return false;
   cm_config_about(problem, "%ssize", prefix);
   const uint32_t set_bytes = cache->ways * cache->block;
   if (cache->size % set_bytes != 0)
      return cm_config_wrong(problem,
                             "%u is no multiple of ways * block, expected a multiple of %u * %u = %u",
                             cache->size, cache->ways, cache->block, set_bytes);
   const uint32_t sets = cache->size / set_bytes;
   if (!cm_is_power_of_two(sets) && (cache->index != CM_INDEX_MODULO || duels(cache->policy)))
      return cm_config_wrong(
         problem, "%u makes %u sets, expected a power of two with %s %s: size = sets * %u ways * %u bytes",
         cache->size, sets, cache->index != CM_INDEX_MODULO ? "index" : "policy",
         cache->index != CM_INDEX_MODULO ? cm_index_names[cache->index] : cm_policy_names[cache->policy],
         cache->ways, cache->block);
   cm_config_about(problem, "%spolicy", prefix);
   if (cache->policy == CM_POLICY_TREE_PLRU && !cm_is_power_of_two(cache->ways))
      return cm_config_wrong(problem, "tree-plru makes no tree of %u ways, expected a power of two",
                             cache->ways);
   return check_banks(cache, prefix, problem) && check_gspc(cache, prefix, problem);
}

bool
cm_cache_config_validate(const struct cm_cache_config *cache, uint32_t max_ways, const char *prefix,
                         char *error, size_t error_size)
{
   struct cm_config_problem problem;
   cm_config_about(&problem, "%spolicy", prefix);
   const bool ok = cm_policy_needs_liveness(cache->policy)
                      ? cm_config_wrong(&problem, "%s needs the finished tiles, expected tbrsim sim",
                                        cm_policy_names[cache->policy])
                      : check_shape(cache, max_ways, prefix, &problem);
   if (ok)
      return true;
   snprintf(error, error_size, "%s: %s", problem.key, problem.message);
   return false;
}

/* The Attribute Cache of TCOR III-C2: an Attribute Buffer and a Primitive Buffer. */
static bool
check_primitive_buffer(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_primitive_buffer_config *buffer = &config->primitive_buffer;
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_ATTRIBUTE_CACHE];
   if (config->parameter_buffer.attributes != CM_PB_ATTRIBUTES_PRIMITIVES)
      return cm_config_wrong(
         cm_config_about(problem, "parameter_buffer.attributes"),
         "by vertex, but a Primitive Buffer has those of primitives, expected primitives");
   cm_config_about(problem, "primitive_buffer.entry_bytes");
   if (buffer->entry_bytes && buffer->entry_bytes != CM_PB_BLOCK_BYTES &&
       buffer->entry_bytes != CM_PB_ATTRIBUTE_BYTES)
      return cm_config_wrong(problem, "%u, expected %u, an attribute, or %u, its block", buffer->entry_bytes,
                             CM_PB_ATTRIBUTE_BYTES, CM_PB_BLOCK_BYTES);
   if (!cache->size)
      return cm_config_wrong(cm_config_about(problem, "primitive_buffer.lines"),
                             "%u lines need an Attribute Buffer, expected caches.attribute_cache",
                             buffer->lines);
   if (!cm_config_in_range(cm_config_about(problem, "caches.attribute_cache.ways"), cache->ways, 1,
                           CM_CACHE_MAX_WAYS))
      return false;
   cm_config_about(problem, "caches.attribute_cache.block");
   if (cache->block != CM_PB_BLOCK_BYTES)
      return cm_config_wrong(problem, "%u is not the size of an attribute, expected %u", cache->block,
                             CM_PB_BLOCK_BYTES);
   cm_config_about(problem, "caches.attribute_cache.size");
   if (cache->size % CM_PB_BLOCK_BYTES != 0)
      return cm_config_wrong(problem, "%u is no multiple of an attribute's %u bytes", cache->size,
                             CM_PB_BLOCK_BYTES);
   const uint32_t entries = cm_attribute_buffer_entries(config);
   if (entries < CM_MAX_PRIMITIVE_ATTRIBUTES)
      return cm_config_wrong(problem,
                             "%u holds %u attributes, expected at least %u, which the largest primitive has",
                             cache->size, entries, CM_MAX_PRIMITIVE_ATTRIBUTES);
   cm_config_about(problem, "caches.attribute_cache.policy");
   if (cache->policy != CM_POLICY_TCOR && cache->policy != CM_POLICY_LRU)
      return cm_config_wrong(problem, "%s is no policy of a Primitive Buffer, expected tcor or lru",
                             cm_policy_names[cache->policy]);
   if (!cm_config_in_range(cm_config_about(problem, "caches.attribute_cache.instances"), cache->instances, 1,
                           1))
      return false;
   if (cache->uncached)
      return cm_config_wrong(cm_config_about(problem, "caches.attribute_cache.uncached"),
                             "a Primitive Buffer has its own bypass policy, expected none");
   cm_config_about(problem, "caches.attribute_cache.write_miss");
   if (cache->write_miss != CM_WRITE_MISS_ALLOCATE)
      return cm_config_wrong(problem, "a primitive is written whole, expected allocate");
   cm_config_about(problem, "caches.attribute_cache.banks");
   if (cache->banks)
      return cm_config_wrong(problem, "a Primitive Buffer has no banks, expected none");
   if (!CM_KEY_IN_RANGE(problem, config, primitive_buffer.lines, 1, 1u << 20))
      return false;
   if (buffer->lines < cache->ways)
      return cm_config_wrong(problem, "%u are less than a set's %u, expected at least as many", buffer->lines,
                             cache->ways);
   if (cache->index != CM_INDEX_MODULO &&
       (buffer->lines % cache->ways != 0 || !cm_is_power_of_two(buffer->lines / cache->ways)))
      return cm_config_wrong(problem,
                             "%u makes no power of two of sets, expected sets * %u ways with index %s, "
                             "or any number with modulo",
                             buffer->lines, cache->ways, cm_index_names[cache->index]);
   if (!CM_KEY_IN_RANGE(problem, config, primitive_buffer.output_queue, 1, 4096))
      return false;
   cm_config_about(problem, "primitive_buffer.mshrs");
   if (buffer->mshrs < CM_MAX_PRIMITIVE_ATTRIBUTES)
      return cm_config_wrong(
         problem,
         "a primitive of %u attributes would deadlock, expected at least %u: a miss requests "
         "all attributes at once",
         CM_MAX_PRIMITIVE_ATTRIBUTES, CM_MAX_PRIMITIVE_ATTRIBUTES);
   return true;
}

/* A cache by itself. */
static bool
check_cache(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[unit];
   if (unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines)
      return true; /* check_primitive_buffer */
   char prefix[64];
   snprintf(prefix, sizeof prefix, "caches.%s.", cm_unit_names[unit]);
   return check_shape(cache, CM_CACHE_MAX_WAYS, prefix, problem) &&
          cm_config_in_range(cm_config_about(problem, "%sinstances", prefix), cache->instances, 1,
                             config->fragment_stage.processors);
}

/* The stream that alone is fetched. */
static bool
check_fetched(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[unit];
   if (!cache->fetched)
      return true;
   cm_config_about(problem, "caches.%s.fetched", cm_unit_names[unit]);
   const enum cm_stream stream = (enum cm_stream)(cache->fetched - 1);
   if (cache->write_miss != CM_WRITE_MISS_FETCH)
      return cm_config_wrong(problem, "%s, but write_miss is not fetch, expected all",
                             cm_stream_names[stream]);
   return cm_stream_reaches(config, stream, unit) ||
          cm_config_wrong(problem, "%s does not arrive there, expected a stream that does, or all",
                          cm_stream_names[stream]);
}

/* Which bytes are accessed is known where streams arrive, not of write-backs, and not of attachments' pixels. */
static bool
check_write_miss(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   if (config->caches[unit].write_miss != CM_WRITE_MISS_VALIDATE)
      return true;
   cm_config_about(problem, "caches.%s.write_miss", cm_unit_names[unit]);
   for (unsigned user = 0; user < CM_CACHE_COUNT; user++) {
      if (config->caches[user].size && config->caches[user].next == unit)
         return cm_config_wrong(problem,
                                "validate is of a cache that streams access, but %s writes back to it, "
                                "expected allocate or fetch",
                                cm_unit_names[user]);
   }
   for (unsigned stream = CM_STREAM_COLOR; stream < CM_STREAM_COUNT; stream++) {
      const bool has_bytes =
         stream == CM_STREAM_SHADER || stream == CM_STREAM_CONSTANT || stream == CM_STREAM_DESCRIPTOR;
      if (!has_bytes && cm_config_has_stream(config, (enum cm_stream)stream) &&
          config->streams[stream] == unit)
         return cm_config_wrong(problem,
                                "validate needs the bytes of each access, which %s has not, "
                                "expected allocate or fetch",
                                cm_stream_names[stream]);
   }
   return true;
}

/* Caches that are emptied when a pass ends hold nothing else, do not come after the access stream, and none gets what
 * another one writes back. */
static bool
check_pass_end(const struct cm_config *config, struct cm_config_problem *problem)
{
   static const enum cm_unit units[] = {CM_UNIT_TILE_CACHE, CM_UNIT_PRIMITIVE_LIST_CACHE,
                                        CM_UNIT_ATTRIBUTE_CACHE};
   cm_config_about(problem, "parameter_buffer.pass_end");
   for (unsigned u = 0; config->parameter_buffer.pass_end != CM_PASS_END_KEEP && u < 3; u++) {
      if (!config->caches[units[u]].size)
         continue;
      if (!cm_cache_is_private(config, units[u]))
         return cm_config_wrong(problem, "%s is shared, expected keep", cm_unit_names[units[u]]);
      for (unsigned other = 0; other < 3; other++) {
         if (config->caches[units[u]].next == units[other])
            return cm_config_wrong(problem, "%s leads to %s, expected keep", cm_unit_names[units[u]],
                                   cm_unit_names[units[other]]);
      }
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         if (stream != CM_STREAM_PB_LIST && stream != CM_STREAM_PB_ATTRIBUTE &&
             cm_stream_reaches(config, (enum cm_stream)stream, units[u]))
            return cm_config_wrong(problem, "%s has %s, too, expected keep", cm_unit_names[units[u]],
                                   cm_stream_names[stream]);
      }
   }
   return true;
}

/* An attribute that does not fill its block is a part of one, which only an ordinary cache can have. */
static bool
check_attribute_bytes(const struct cm_config *config, struct cm_config_problem *problem)
{
   const uint32_t bytes = config->parameter_buffer.attribute_bytes;
   if (!CM_KEY_IN_RANGE(problem, config, parameter_buffer.attribute_bytes, 0, CM_PB_BLOCK_BYTES))
      return false;
   cm_config_about(problem, "parameter_buffer.attribute_bytes");
   if (bytes % 4)
      return cm_config_wrong(problem, "%u, expected a multiple of 4", bytes);
   return !bytes || bytes == CM_PB_BLOCK_BYTES || !config->primitive_buffer.lines ||
          cm_config_wrong(problem, "%u, but the Attribute Cache has whole attributes, expected 0", bytes);
}

/* Blocks of hierarchical lists are read by several tiles, and their entries have no OPT numbers. */
static bool
check_tile_levels(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!CM_KEY_IN_RANGE(problem, config, parameter_buffer.levels, 0, CM_MOST_TILE_LEVELS) ||
       !CM_KEY_IN_RANGE(problem, config, parameter_buffer.level_lists, 0, 65536))
      return false;
   if (!config->parameter_buffer.levels || config->mode == CM_MODE_IMR)
      return true;
   cm_config_about(problem, "parameter_buffer.levels");
   if (config->primitive_buffer.lines)
      return cm_config_wrong(problem,
                             "lists are hierarchical and have no OPT numbers, which primitive_buffer "
                             "needs, expected 0");
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const enum cm_policy policy = config->caches[unit].policy;
      if (config->caches[unit].size && cm_policy_needs_liveness(policy))
         return cm_config_wrong(
            problem,
            "lists are hierarchical and their blocks not of one tile, as caches.%s.policy "
            "%s needs it, expected 0",
            cm_unit_names[unit], cm_policy_names[policy]);
   }
   return true;
}

/* What a cache's misses go to. */
static bool
check_next(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[unit];

   cm_config_about(problem, "caches.%s.next", cm_unit_names[unit]);
   if (cache->next == CM_UNIT_DRAM)
      return true;
   const struct cm_cache_config *next = &config->caches[cache->next];
   if (cache->next == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines)
      return cm_config_wrong(problem, "attribute_cache has a primitive_buffer, which takes primitives only");
   if (!next->size)
      return cm_config_wrong(problem, "%s is not configured, expected dram or a cache under caches",
                             cm_unit_names[cache->next]);
   if (next->instances > 1 && next->instances != cache->instances)
      return cm_config_wrong(
         problem, "%s has %u instances, expected a shared cache of one, or as many as this one's %u",
         cm_unit_names[cache->next], next->instances, cache->instances);
   if (next->block < cache->block)
      return cm_config_wrong(problem, "%s has blocks of %u bytes, expected at least this cache's %u",
                             cm_unit_names[cache->next], next->block, cache->block);
   enum cm_unit unit_after = cache->next;
   for (unsigned steps = 0; unit_after != CM_UNIT_DRAM; steps++) {
      if (steps == CM_CACHE_COUNT)
         return cm_config_wrong(problem, "the caches from here on form a cycle, expected a chain to dram");
      unit_after = config->caches[unit_after].next;
   }
   return true;
}

/* The first units of streams. */
static bool
check_streams(const struct cm_config *config, struct cm_config_problem *problem)
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const enum cm_unit unit = config->streams[stream];
      cm_config_about(problem, "streams.%s", cm_stream_names[stream]);
      if (unit != CM_UNIT_DRAM && !config->caches[unit].size)
         return cm_config_wrong(problem, "%s is not configured, expected dram or a cache under caches",
                                cm_unit_names[unit]);
      if (unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines &&
          stream != CM_STREAM_PB_ATTRIBUTE)
         return cm_config_wrong(problem,
                                "attribute_cache has a primitive_buffer, which takes pb_attribute only");
   }
   return true;
}

/* The optional streams: those of mode imr, and those that caches name. */
static bool
check_optional_streams(const struct cm_config *config, struct cm_config_problem *problem)
{
   static const enum cm_stream optional[] = {CM_STREAM_HIZ, CM_STREAM_DISPLAY};
   for (unsigned i = 0; i < sizeof optional / sizeof optional[0]; i++) {
      const enum cm_stream stream = optional[i];
      if (cm_config_has_stream(config, stream))
         continue;
      cm_config_about(problem, "streams.%s", cm_stream_names[stream]);
      if (config->mode == CM_MODE_IMR)
         return cm_config_wrong(problem,
                                "not there, but mode imr has such accesses, expected dram or a cache");
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         if (config->caches[unit].size && config->caches[unit].uncached == 1 + (uint32_t)stream)
            return cm_config_wrong(problem,
                                   "not there, but caches.%s.uncached names it, expected dram or a cache",
                                   cm_unit_names[unit]);
      }
   }
   return true;
}

/* Units on the access stream. */
static bool
check_access_unit(const struct cm_config *config, unsigned unit, struct cm_config_problem *problem)
{
   const struct cm_access_unit_config *keys = &config->access_units[unit];
   const char *name = cm_access_unit_kinds[unit]->name;
   char error[200];
   if (!cm_access_unit_check(cm_access_unit_kinds[unit], error, sizeof error))
      return cm_config_wrong(cm_config_about(problem, "access_units.%s", name), "%s", error);
   if (!cm_config_in_range(cm_config_about(problem, "access_units.%s.entries", name), keys->entries, 1,
                           1024) ||
       !cm_config_in_range(cm_config_about(problem, "access_units.%s.latency", name), keys->latency, 1, 1000))
      return false;
   cm_config_about(problem, "access_units.%s.before", name);
   if (keys->before == CM_UNIT_DRAM || !config->caches[keys->before].size ||
       cm_cache_is_private(config, keys->before))
      return cm_config_wrong(problem,
                             "%s is no shared cache, expected one that several caches or streams share",
                             cm_unit_names[keys->before]);
   return true;
}

bool
cm_memory_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && !check_cache(config, (enum cm_unit)unit, problem))
         return false;
   }
   if (config->primitive_buffer.lines && !check_primitive_buffer(config, problem))
      return false;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && (!check_next(config, (enum cm_unit)unit, problem) ||
                                        !check_write_miss(config, (enum cm_unit)unit, problem) ||
                                        !check_fetched(config, (enum cm_unit)unit, problem)))
         return false;
   }
   if (!check_pass_end(config, problem) || !check_tile_levels(config, problem) ||
       !check_attribute_bytes(config, problem) || !check_streams(config, problem) ||
       !check_optional_streams(config, problem))
      return false;
   for (unsigned unit = 0; unit < CM_ACCESS_UNIT_COUNT; unit++) {
      if (config->access_units[unit].entries && !check_access_unit(config, unit, problem))
         return false;
   }
   return true;
}
