/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "config/config_internal.h"
#include "dram/dram_system.h"
#include "energy/energy.h"
#include "energy/energy_table.h"
#include "events/event_stream.h"
#include "tiling/parameter_buffer.h"

/* Of a configured cache. */
#define MAX_WAYS 1024

static bool
is_power_of_two(uint32_t n)
{
   return n && (n & (n - 1)) == 0;
}

/* Sets the message and returns false. The key has been set. */
static bool __attribute__((format(printf, 2, 3)))
wrong(struct cm_config_problem *problem, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(problem->message, sizeof problem->message, format, arguments);
   va_end(arguments);
   return false;
}

/* Names the key that the next check is about. */
static struct cm_config_problem *__attribute__((format(printf, 2, 3)))
about(struct cm_config_problem *problem, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(problem->key, sizeof problem->key, format, arguments);
   va_end(arguments);
   return problem;
}

static bool
in_range(struct cm_config_problem *problem, uint32_t value, uint32_t low, uint32_t high)
{
   if (value >= low && value <= high)
      return true;
   return wrong(problem, "%u is out of range, expected %u to %u", value, low, high);
}

static bool
check_banks(const struct cm_cache_config *cache, const char *prefix, struct cm_config_problem *problem)
{
   const uint32_t sets = cache->size / cache->ways / cache->block, banks = cm_cache_config_banks(cache);
   about(problem, "%sbanks", prefix);
   if (!is_power_of_two(banks) || banks > 16)
      return wrong(problem, "%u is no number of banks, expected a power of two from 1 to 16", banks);
   if (!cm_policy_samples(cache->policy)) {
      return banks <= sets ||
             wrong(problem, "%u banks of %u sets, expected at most as many as sets", banks, sets);
   }
   about(problem, "%spolicy", prefix);
   if (sets < CM_SETS_PER_SAMPLE * banks)
      return wrong(problem,
                   "%s learns in one of %u sets of each of %u banks, expected at least %u sets, not %u",
                   cm_policy_names[cache->policy], CM_SETS_PER_SAMPLE, banks, CM_SETS_PER_SAMPLE * banks,
                   sets);
   return true;
}

static bool
check_gspc(const struct cm_cache_config *cache, const char *prefix, struct cm_config_problem *problem)
{
   const struct cm_gspc_config gspc = cm_cache_config_gspc(cache);
   const struct {
      const char *name;
      uint32_t value;
   } thresholds[] = {
      {"threshold", gspc.threshold},
      {"render_target_distant", gspc.render_target_distant},
      {"render_target_long", gspc.render_target_long},
   };
   for (unsigned i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
      about(problem, "%sgspc.%s", prefix, thresholds[i].name);
      if (!is_power_of_two(thresholds[i].value) || thresholds[i].value > 128)
         return wrong(problem, "%u is no threshold, expected a power of two from 1 to 128",
                      thresholds[i].value);
   }
   if (gspc.render_target_long > gspc.render_target_distant)
      return wrong(problem, "%u is more than render_target_distant, expected at most %u",
                   gspc.render_target_long, gspc.render_target_distant);
   return true;
}

/* Size, ways, block and policy of a cache. Its keys begin with prefix. */
static bool
check_shape(const struct cm_cache_config *cache, uint32_t max_ways, const char *prefix,
            struct cm_config_problem *problem)
{
   if (!in_range(about(problem, "%sways", prefix), cache->ways, 1, max_ways))
      return false;
   about(problem, "%sblock", prefix);
   if (!is_power_of_two(cache->block) || cache->block < 16 || cache->block > 4096)
      return wrong(problem, "%u is no block size, expected a power of two from 16 to 4096", cache->block);
   about(problem, "%ssize", prefix);
   const uint32_t set_bytes = cache->ways * cache->block;
   if (cache->size % set_bytes != 0)
      return wrong(problem, "%u is no multiple of ways * block, expected a multiple of %u * %u = %u",
                   cache->size, cache->ways, cache->block, set_bytes);
   if (!is_power_of_two(cache->size / set_bytes))
      return wrong(problem, "%u makes %u sets, expected a power of two: size = sets * %u ways * %u bytes",
                   cache->size, cache->size / set_bytes, cache->ways, cache->block);
   about(problem, "%spolicy", prefix);
   if (cache->policy == CM_POLICY_TREE_PLRU && !is_power_of_two(cache->ways))
      return wrong(problem, "tree-plru makes no tree of %u ways, expected a power of two", cache->ways);
   return check_banks(cache, prefix, problem) && check_gspc(cache, prefix, problem);
}

bool
cm_cache_shape_validate(const struct cm_cache_config *cache, uint32_t max_ways, const char *prefix,
                        char *error, size_t error_size)
{
   struct cm_config_problem problem;
   if (check_shape(cache, max_ways, prefix, &problem))
      return true;
   snprintf(error, error_size, "%s: %s", problem.key, problem.message);
   return false;
}

bool
cm_cache_config_validate(const struct cm_cache_config *cache, const char *prefix, char *error,
                         size_t error_size)
{
   return cm_cache_shape_validate(cache, MAX_WAYS, prefix, error, error_size);
}

/* The Attribute Cache of TCOR III-C2: an Attribute Buffer and a Primitive Buffer. */
static bool
check_primitive_buffer(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_primitive_buffer_config *buffer = &config->primitive_buffer;
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_ATTRIBUTE_CACHE];
   if (!cache->size)
      return wrong(about(problem, "primitive_buffer.lines"),
                   "%u lines need an Attribute Buffer, expected caches.attribute_cache", buffer->lines);
   if (!in_range(about(problem, "caches.attribute_cache.ways"), cache->ways, 1, MAX_WAYS))
      return false;
   about(problem, "caches.attribute_cache.block");
   if (cache->block != CM_PB_BLOCK_BYTES)
      return wrong(problem, "%u is not the size of an attribute, expected %u", cache->block,
                   CM_PB_BLOCK_BYTES);
   about(problem, "caches.attribute_cache.size");
   if (cache->size % CM_PB_BLOCK_BYTES != 0)
      return wrong(problem, "%u is no multiple of an attribute's %u bytes", cache->size, CM_PB_BLOCK_BYTES);
   if (cache->size / CM_PB_BLOCK_BYTES < CM_MAX_PRIMITIVE_ATTRIBUTES)
      return wrong(problem, "%u holds %u attributes, expected at least %u, which the largest primitive has",
                   cache->size, cache->size / CM_PB_BLOCK_BYTES, CM_MAX_PRIMITIVE_ATTRIBUTES);
   about(problem, "caches.attribute_cache.policy");
   if (cache->policy != CM_POLICY_TCOR && cache->policy != CM_POLICY_LRU)
      return wrong(problem, "%s is no policy of a Primitive Buffer, expected tcor or lru",
                   cm_policy_names[cache->policy]);
   if (!in_range(about(problem, "caches.attribute_cache.instances"), cache->instances, 1, 1))
      return false;
   if (cache->uncached)
      return wrong(about(problem, "caches.attribute_cache.uncached"),
                   "a Primitive Buffer decides by itself what passes by, expected none");
   about(problem, "caches.attribute_cache.write_miss");
   if (cache->write_miss != CM_WRITE_MISS_ALLOCATE)
      return wrong(problem, "a primitive is written whole, expected allocate");
   about(problem, "caches.attribute_cache.banks");
   if (cache->banks)
      return wrong(problem, "a Primitive Buffer has no banks, expected none");
   if (!in_range(about(problem, "primitive_buffer.lines"), buffer->lines, 1, 1u << 20))
      return false;
   if (buffer->lines % cache->ways != 0 || !is_power_of_two(buffer->lines / cache->ways))
      return wrong(problem, "%u makes no power of two of sets, expected sets * %u ways", buffer->lines,
                   cache->ways);
   if (!in_range(about(problem, "primitive_buffer.output_queue"), buffer->output_queue, 1, 4096))
      return false;
   about(problem, "primitive_buffer.mshrs");
   if (buffer->mshrs < CM_MAX_PRIMITIVE_ATTRIBUTES)
      return wrong(problem,
                   "a primitive of %u attributes would wait for ever, expected at least %u: a miss requests "
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
   return check_shape(cache, MAX_WAYS, prefix, problem) &&
          in_range(about(problem, "%sinstances", prefix), cache->instances, 1,
                   config->fragment_stage.processors);
}

/* What a cache's misses go to. */
static bool
check_next(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[unit];

   about(problem, "caches.%s.next", cm_unit_names[unit]);
   if (cache->next == CM_UNIT_DRAM)
      return true;
   const struct cm_cache_config *next = &config->caches[cache->next];
   if (cache->next == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines)
      return wrong(problem, "attribute_cache has a primitive_buffer, which takes primitives only");
   if (!next->size)
      return wrong(problem, "%s is not configured, expected dram or a cache under caches",
                   cm_unit_names[cache->next]);
   if (next->instances > 1 && next->instances != cache->instances)
      return wrong(problem,
                   "%s has %u instances, expected a shared cache of one, or as many as this one's %u",
                   cm_unit_names[cache->next], next->instances, cache->instances);
   if (next->block < cache->block)
      return wrong(problem, "%s has blocks of %u bytes, expected at least this cache's %u",
                   cm_unit_names[cache->next], next->block, cache->block);
   enum cm_unit unit_after = cache->next;
   for (unsigned steps = 0; unit_after != CM_UNIT_DRAM; steps++) {
      if (steps == CM_CACHE_COUNT)
         return wrong(problem, "the caches from here on never reach memory, expected a chain to dram");
      unit_after = config->caches[unit_after].next;
   }
   return true;
}

/* A tile's side: there is one, or there must be none. */
static bool
check_tile(struct cm_config_problem *problem, uint32_t tile, uint32_t least, bool has_tile)
{
   if (!has_tile)
      return tile == 0 || wrong(problem, "%u, but texture.placement has no such tiles, expected 0", tile);
   if (is_power_of_two(tile) && tile >= least && tile <= 256)
      return true;
   return wrong(problem, "%u is no side of a tile, expected a power of two from %u to 256", tile, least);
}

static bool
check_texture(const struct cm_config *config, struct cm_config_problem *problem)
{
   about(problem, "texture.row_alignment");
   if (!is_power_of_two(config->texture.row_alignment) || config->texture.row_alignment > 4096)
      return wrong(problem, "%u is no alignment, expected a power of two from 1 to 4096",
                   config->texture.row_alignment);
   const enum cm_placement_kind placement = config->texture.placement;
   const uint32_t tile = config->texture.first_level_tile;
   return check_tile(about(problem, "texture.first_level_tile"), tile, 2,
                     placement == CM_PLACEMENT_4D || placement == CM_PLACEMENT_6D) &&
          check_tile(about(problem, "texture.second_level_tile"), config->texture.second_level_tile, 2 * tile,
                     placement == CM_PLACEMENT_6D);
}

/* The side of the smallest tile of a placement, in texels; 0 where it has none. */
static uint32_t
smallest_tile(const struct cm_config *config)
{
   switch (config->texture.placement) {
   case CM_PLACEMENT_LINEAR: return 0;
   case CM_PLACEMENT_RZ:
   case CM_PLACEMENT_MORTON_4K: return 2;
   default: return config->texture.first_level_tile;
   }
}

#define THESIS_TEXEL_BYTES 4

/* Interleaved data banks need tiles, each within a line (3.2.1). */
static bool
check_interleaved_banks(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const uint32_t tile = smallest_tile(config), bytes = tile * tile * THESIS_TEXEL_BYTES;
   if (!tile)
      return wrong(problem,
                   "banked-interleaved finds 2x2 texels in different banks by the bits of their tile, which "
                   "texture.placement linear has not, expected a placement in tiles");
   about(problem, "caches.%s.block", cm_unit_names[unit]);
   if (config->caches[unit].block < bytes)
      return wrong(
         problem,
         "%u bytes are less than a tile of %ux%u texels: what texture_access.design "
         "banked-interleaved keeps in a line would not be continuous in memory, expected at least %u",
         config->caches[unit].block, tile, tile, bytes);
   return true;
}

static bool
check_texture_access(const struct cm_config *config, struct cm_config_problem *problem)
{
   const enum cm_texture_design design = config->texture_access.design;
   const enum cm_texture_tags tags = config->texture_access.tags;
   const enum cm_unit unit = config->streams[CM_STREAM_TEXTURE];
   about(problem, "texture_access.design");
   if (design == CM_TEXTURE_DESIGN_NONE) {
      return (tags == CM_TEXTURE_TAGS_SHARED && config->texture_access.access_energy == 0) ||
             wrong(problem, "none, but there are tags or an access_energy, expected a design");
   }
   if (unit == CM_UNIT_DRAM || !config->caches[unit].size)
      return wrong(problem, "streams.texture names no cache that could be of a design, expected one");
   const struct cm_cache_config *cache = &config->caches[unit];
   const bool banked = design >= CM_TEXTURE_DESIGN_BANKED_CONTINUOUS;
   about(problem, "texture_access.tags");
   if (tags == CM_TEXTURE_TAGS_BANKED && !banked)
      return wrong(problem, "banked, but the data has no banks, expected shared or four-arrays");
   if (tags == CM_TEXTURE_TAGS_FOUR_ARRAYS && design < CM_TEXTURE_DESIGN_MULTI_PORT)
      return wrong(problem, "four-arrays, but the design has one address at a time, expected shared");
   if (tags == CM_TEXTURE_TAGS_BANKED && cache->size / cache->ways / cache->block < 4)
      return wrong(problem, "banked, but the cache has %u sets, expected at least 4 for as many banks",
                   cache->size / cache->ways / cache->block);
   about(problem, "texture_access.design");
   return design != CM_TEXTURE_DESIGN_BANKED_INTERLEAVED || check_interleaved_banks(config, unit, problem);
}

/* Keys nuca.affinity_table.*. */
static bool
check_affinity_table(const struct cm_affinity_config *table, struct cm_config_problem *problem)
{
   about(problem, "nuca.affinity_table.page_blocks");
   if (!is_power_of_two(table->page_blocks) || table->page_blocks > 65536)
      return wrong(problem, "%u blocks make no page, expected a power of two from 1 to 65536",
                   table->page_blocks);
   return in_range(about(problem, "nuca.affinity_table.buckets"), table->buckets, 1, 4096) &&
          in_range(about(problem, "nuca.affinity_table.counter_bits"), table->counter_bits, 1, 8) &&
          in_range(about(problem, "nuca.affinity_table.threshold_percent"), table->threshold_percent, 0,
                   10000) &&
          in_range(about(problem, "nuca.affinity_table.epoch_accesses"), table->epoch_accesses, 1,
                   UINT32_MAX);
}

/* Whether the texture caches are what a NUCA can be made of. */
static bool
check_nuca_caches(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   about(problem, "nuca.organisation");
   if (!cache->size)
      return wrong(problem, "there are no texture caches, expected caches.texture_cache");
   about(problem, "caches.texture_cache.instances");
   if (cache->instances != config->fragment_stage.processors)
      return wrong(problem,
                   "%u is not fragment_stage.processors, expected %u: with nuca, each processor has a cache",
                   cache->instances, config->fragment_stage.processors);
   about(problem, "caches.texture_cache.policy");
   if (cache->policy == CM_POLICY_OPT || cache->policy == CM_POLICY_OPTPT ||
       cache->policy == CM_POLICY_PERFECT)
      return wrong(problem,
                   "%s knows the accesses or the blocks of a cache beforehand, which with nuca depend on the"
                   " other caches; expected another policy",
                   cm_policy_names[cache->policy]);
   about(problem, "caches.texture_cache.uncached");
   if (cache->next != CM_UNIT_DRAM && config->caches[cache->next].instances > 1)
      return wrong(
         about(problem, "caches.texture_cache.next"),
         "%s has %u instances, expected a shared cache of one: with nuca, each texture cache may hold"
         " any block",
         cm_unit_names[cache->next], config->caches[cache->next].instances);
   if (cache->uncached)
      return wrong(problem, "%s, expected none: with nuca, all blocks are in texture caches",
                   cm_stream_names[cache->uncached - 1]);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const bool enters = config->streams[stream] == CM_UNIT_TEXTURE_CACHE;
      about(problem, "streams.%s", cm_stream_names[stream]);
      if (enters != (stream == CM_STREAM_TEXTURE))
         return wrong(problem, "%s, expected %s: with nuca, textures and nothing else are in texture caches",
                      cm_unit_names[config->streams[stream]],
                      enters ? "another unit" : cm_unit_names[CM_UNIT_TEXTURE_CACHE]);
   }
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      about(problem, "caches.%s.next", cm_unit_names[unit]);
      if (config->caches[unit].size && config->caches[unit].next == CM_UNIT_TEXTURE_CACHE)
         return wrong(problem,
                      "texture_cache, expected another unit: with nuca, textures and nothing else are"
                      " in texture caches");
   }
   return true;
}

static bool
check_nuca(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_nuca_config *nuca = &config->nuca;
   if (nuca->organisation == CM_NUCA_NONE)
      return true;
   if (!check_nuca_caches(config, problem))
      return false;
   about(problem, "nuca.interleave_blocks");
   if (!is_power_of_two(nuca->interleave_blocks) || nuca->interleave_blocks > 65536)
      return wrong(problem, "%u is no interleaving, expected a power of two from 1 to 65536",
                   nuca->interleave_blocks);
   return check_affinity_table(&nuca->affinity_table, problem) &&
          in_range(about(problem, "nuca.mesh.columns"), nuca->mesh.columns, 0,
                   config->fragment_stage.processors) &&
          in_range(about(problem, "nuca.mesh.hop_cycles"), nuca->mesh.hop_cycles, 0, 1000) &&
          in_range(about(problem, "nuca.mesh.accesses_per_cycle"), nuca->mesh.accesses_per_cycle, 1, 1000000);
}

/* Whether there are figures for what the GPU is made of. */
static bool
check_energy(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_energy_config *energy = &config->energy;
   about(problem, "energy.technology");
   if (!energy->technology)
      return true;
   if (!cm_energy_table_has_technology(energy->technology))
      return wrong(
         problem,
         "%u is no technology of the table of arrays, expected 22, 32, 45, 65 or 90, or 0 for no energy",
         energy->technology);
   about(problem, "energy.cell");
   if (energy->cell == CM_CELL_NONE)
      return wrong(problem, "none, expected itrs-lstp or itrs-hp");
   char message[320];
   about(problem, "energy.technology");
   return !cm_config_counts_operations(config) || cm_energy_is_possible(config, message, sizeof message) ||
          wrong(problem, "%u, but %s", energy->technology, message);
}

static bool
check_dram(const struct cm_config *config, struct cm_config_problem *problem)
{
   about(problem, "dram.latency_max");
   if (config->dram.latency_max < config->dram.latency_min)
      return wrong(problem, "%u is less than latency_min, expected at least %u", config->dram.latency_max,
                   config->dram.latency_min);
   if (!in_range(about(problem, "dram.size_mib"), config->dram.size_mib, 1, 1u << 24))
      return false;
   char key[40];
   if (!config->dram_system.device ||
       cm_dram_config_check(&config->dram_system, config->dram.size_mib, key, sizeof key, problem->message,
                            sizeof problem->message))
      return true;
   about(problem, "dram_system.%s", key);
   return false;
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
      about(problem, "streams.%s", cm_stream_names[stream]);
      if (config->mode == CM_MODE_IMR)
         return wrong(problem, "not there, but mode imr has such accesses, expected dram or a cache");
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         if (config->caches[unit].size && config->caches[unit].uncached == 1 + (uint32_t)stream)
            return wrong(problem, "not there, but caches.%s.uncached names it, expected dram or a cache",
                         cm_unit_names[unit]);
      }
   }
   return true;
}

bool
cm_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!in_range(about(problem, "clock_mhz"), config->clock_mhz, 1, 100000) ||
       !in_range(about(problem, "threads"), config->threads, 0, 256))
      return false;

   about(problem, "tile.size");
   if (!is_power_of_two(config->tile.size) || config->tile.size < 8 || config->tile.size > 64)
      return wrong(problem, "%u is no tile size, expected 8, 16, 32 or 64", config->tile.size);
   if (!in_range(about(problem, "parameter_buffer.attribute_blocks"),
                 config->parameter_buffer.attribute_blocks, 64, 1u << 24))
      return false;
   if (!in_range(about(problem, "vertex_stage.reuse_entries"), config->vertex_stage.reuse_entries, 0, 1024) ||
       !in_range(about(problem, "fragment_stage.processors"), config->fragment_stage.processors, 1, 64))
      return false;
   if (!check_texture(config, problem))
      return false;

   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && !check_cache(config, (enum cm_unit)unit, problem))
         return false;
   }
   if (config->primitive_buffer.lines && !check_primitive_buffer(config, problem))
      return false;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && !check_next(config, (enum cm_unit)unit, problem))
         return false;
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const enum cm_unit unit = config->streams[stream];
      about(problem, "streams.%s", cm_stream_names[stream]);
      if (unit != CM_UNIT_DRAM && !config->caches[unit].size)
         return wrong(problem, "%s is not configured, expected dram or a cache under caches",
                      cm_unit_names[unit]);
      if (unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines &&
          stream != CM_STREAM_PB_ATTRIBUTE)
         return wrong(problem, "attribute_cache has a primitive_buffer, which takes pb_attribute only");
   }

   if (!check_optional_streams(config, problem) || !check_texture_access(config, problem) ||
       !check_nuca(config, problem) || !check_energy(config, problem))
      return false;

   return check_dram(config, problem) && cm_config_check_timing(config, problem);
}

bool
cm_config_validate(const struct cm_config *config, char *error, size_t error_size)
{
   struct cm_config_problem problem;
   if (cm_config_check(config, &problem))
      return true;
   snprintf(error, error_size, "%s: %s", problem.key, problem.message);
   return false;
}
