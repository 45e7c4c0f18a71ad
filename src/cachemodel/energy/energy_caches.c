/* SPDX-License-Identifier: MIT */
/* What accesses to caches take. CACTI's energy of a read or write has the tags of all ways in it; in its
 * normal mode their data is read at the same time, so that a look-up that misses takes what a read takes. */
#include <stdio.h>

#include "access/access_unit.h"
#include "energy/energy_internal.h"
#include "texture/bank_control.h"

/* ---- streams ----------------------------------------------------------- */

/* Adds a counter of all streams that look the cache up: not the one that passes by. */
static void
count_streams(const struct cm_energy_builder *builder, struct cm_energy_term *term, enum cm_unit unit,
              const char *event)
{
   const struct cm_cache_config *cache = &builder->config->caches[unit];
   if (!cache->uncached) {
      cm_energy_count(builder, term, "%s.total.%s", cm_unit_names[unit], event);
      return;
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (stream + 1 != cache->uncached && cm_stream_reaches(builder->config, (enum cm_stream)stream, unit))
         cm_energy_count(builder, term, "%s.%s.%s", cm_unit_names[unit], cm_stream_names[stream], event);
   }
}

/* ---- arrays ------------------------------------------------------------ */

/* What a cache is made of. */
struct arrays {
   struct cm_array_lookup of_one;
   uint32_t count;      /* arrays of each instance */
   uint32_t line_parts; /* accesses that move a line, all arrays together */
};

static bool
add_term(struct cm_energy_builder *builder, enum cm_unit unit, const char *what, const char *event,
         uint32_t times, uint64_t energy, const char *note)
{
   struct cm_energy_term *term = cm_energy_add_events(builder, (int)unit, what, "", times, energy, note);
   if (term)
      count_streams(builder, term, unit, event);
   return term;
}

/* Lines that come in and go out. */
static bool
add_lines(struct cm_energy_builder *builder, enum cm_unit unit, const struct arrays *arrays)
{
   const struct cm_array_lookup *array = &arrays->of_one;
   return add_term(builder, unit, "lines filled: writes", "fills", arrays->line_parts, array->energy.write,
                   array->note) &&
          add_term(builder, unit, "lines written back: reads", "writebacks", arrays->line_parts,
                   array->energy.read, array->note);
}

static bool
add_leakage(struct cm_energy_builder *builder, enum cm_unit unit, const struct arrays *arrays)
{
   const uint32_t instances = builder->config->caches[unit].instances;
   return cm_energy_add_leakage(builder, (int)unit, instances * arrays->count,
                                arrays->count > 1 ? "bank"
                                : instances > 1   ? "instance"
                                                  : "cache",
                                arrays->of_one.energy.leakage, arrays->of_one.note);
}

/* ---- a cache ----------------------------------------------------------- */

/* Reads that a NUCA makes in addition to those that its caches count, which are the serving caches': look-ups in the
 * requester's own cache, and blocks that move from one cache to another. */
static bool
add_nuca_reads(struct cm_energy_builder *builder, const struct cm_array_lookup *array)
{
   const struct cm_nuca_config *nuca = &builder->config->nuca;
   const int unit = CM_UNIT_TEXTURE_CACHE;
   if (nuca->organisation == CM_NUCA_DTM || nuca->organisation == CM_NUCA_DTM_DISTRIBUTED)
      return cm_energy_add_events(builder, unit, "reads of the own cache before another's",
                                  "nuca.remote_hits nuca.l2_accesses -nuca.local_l2_accesses", 1,
                                  array->energy.read, array->note) &&
             (nuca->remote_copies == CM_NUCA_REMOTE_COPIES_NONE ||
              cm_energy_add_events(builder, unit, "copies of others' blocks: writes", "nuca.copies", 1,
                                   array->energy.write, array->note));
   if (nuca->organisation == CM_NUCA_DYNAMIC && nuca->migration == CM_NUCA_MIGRATION_LAST_REQUESTER)
      return cm_energy_add_events(builder, unit, "blocks moved: a read and a write", "nuca.migrations", 1,
                                  array->energy.read + array->energy.write, array->note);
   return true;
}

/* Looks up an array of a configured cache. */
static bool
find(struct cm_energy_builder *builder, enum cm_unit unit, const struct cm_array_shape *shape,
     struct cm_array_lookup *array)
{
   char name[64];
   snprintf(name, sizeof name, "caches.%s", cm_unit_names[unit]);
   if (builder->config->caches[unit].block == CM_ENERGY_LINE_BYTES)
      return cm_energy_find(builder, name, shape, array);
   snprintf(builder->error, builder->error_size,
            "for %s there is no cache with lines of %u bytes, expected %u", name,
            builder->config->caches[unit].block, CM_ENERGY_LINE_BYTES);
   return false;
}

bool
cm_energy_find_latency(const struct cm_config *config, uint32_t *cycles, char *error, size_t error_size)
{
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   const struct cm_array_shape shape = {.kind = CM_ARRAY_CACHE,
                                        .technology = config->energy.technology,
                                        .cell = config->energy.cell,
                                        .size = l2->size,
                                        .ways = l2->ways};
   struct cm_array_lookup array;
   if (!cm_energy_table_find(&shape, &array, error, error_size))
      return false;
   const uint64_t cycle_of_1_mhz = 1000000000; /* fs */
   const uint64_t access = (array.access * config->clock_mhz + cycle_of_1_mhz - 1) / cycle_of_1_mhz;
   *cycles = (uint32_t)access + CM_L2_OTHER_CYCLES;
   return true;
}

static bool
add_cache(struct cm_energy_builder *builder, enum cm_unit unit)
{
   const struct cm_cache_config *cache = &builder->config->caches[unit];
   const struct cm_array_shape shape = {.kind = CM_ARRAY_CACHE, .size = cache->size, .ways = cache->ways};
   struct arrays arrays = {.count = 1, .line_parts = 1};
   struct cm_array_lookup *array = &arrays.of_one;
   return find(builder, unit, &shape, array) &&
          add_term(builder, unit, "reads", "reads", 1, array->energy.read, array->note) &&
          add_term(builder, unit, "writes", "writes", 1, array->energy.write, array->note) &&
          add_lines(builder, unit, &arrays) &&
          (unit != CM_UNIT_TEXTURE_CACHE || add_nuca_reads(builder, array)) &&
          add_leakage(builder, unit, &arrays);
}

/* ---- a texture cache of a design (texture/access.h) -------------------- */

/* Whether a cache's reads are counted by its design: those of textures and nothing else. */
static bool
has_design(const struct cm_config *config, enum cm_unit unit)
{
   if (config->texture_access.design == CM_TEXTURE_DESIGN_NONE ||
       config->streams[CM_STREAM_TEXTURE] != unit || config->nuca.organisation != CM_NUCA_NONE)
      return false;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (stream != CM_STREAM_TEXTURE && cm_stream_reaches(config, (enum cm_stream)stream, unit))
         return false;
   }
   return true;
}

/* The arrays of a design, and the accesses that fill a line through their ports. The banked designs' data has no
 * tags with it. */
static const struct design_arrays {
   enum cm_array_kind kind;
   uint32_t count, port_bits;
   const char *access;
} design_arrays[] = {
   [CM_TEXTURE_DESIGN_TRADITIONAL] = {CM_ARRAY_TEXTURE_TRADITIONAL, 1, 32, "reads of 32 bits"},
   [CM_TEXTURE_DESIGN_WIDE_BUS] = {CM_ARRAY_TEXTURE_WIDE, 1, 128, "reads of 128 bits"},
   [CM_TEXTURE_DESIGN_MULTI_PORT] = {CM_ARRAY_TEXTURE_MULTI_PORT, 1, 32, "reads of a port"},
   [CM_TEXTURE_DESIGN_BANKED_CONTINUOUS] = {CM_ARRAY_RAM, CM_TEXTURE_BANKS, 128, "data banks read: ways"},
   [CM_TEXTURE_DESIGN_BANKED_INTERLEAVED] = {CM_ARRAY_RAM, CM_TEXTURE_BANKS, 32, "data banks read: ways"},
};

#define LINE_BITS (8 * CM_ENERGY_LINE_BYTES)
#define ADDRESS_BITS 32 /* thesis 4.3.2: addresses are switched by multiplexers of 32 bits */
#define TAG_PORT_BITS 32

/* Bytes of a way's tags, with a valid bit each. */
static uint64_t
tag_bytes(const struct cm_cache_config *cache)
{
   const uint32_t way_bytes = cache->size / cache->ways, lines = way_bytes / cache->block;
   const uint32_t index_bits = 31 - (uint32_t)__builtin_clz(way_bytes);
   return ((uint64_t)lines * (ADDRESS_BITS - index_bits + 1) + 7) / 8;
}

/* The tags of a banked design (thesis 3.3): as often as they are looked at, not as often as data banks are. */
static bool
add_banked_tags(struct cm_energy_builder *builder, enum cm_unit unit)
{
   static const struct {
      uint32_t arrays, lines; /* arrays of tags; those that have the same tag */
      const char *what;
   } kinds[] = {
      [CM_TEXTURE_TAGS_SHARED] = {1, 1, "array of tags"},
      [CM_TEXTURE_TAGS_FOUR_ARRAYS] = {CM_TEXTURE_ADDRESSES, CM_TEXTURE_ADDRESSES, "array of tags"},
      [CM_TEXTURE_TAGS_BANKED] = {CM_TEXTURE_BANKS, 1, "tag bank"},
   };
   const struct cm_cache_config *cache = &builder->config->caches[unit];
   const enum cm_texture_tags tags = builder->config->texture_access.tags;
   const uint32_t banks = kinds[tags].arrays / kinds[tags].lines;
   const uint64_t bytes = (tag_bytes(cache) + banks - 1) / banks;
   struct cm_array_lookup array;
   return cm_energy_find_ram(builder, "texture_access.tags", bytes, TAG_PORT_BITS, &array) &&
          cm_energy_add_events(builder, (int)unit, "tags looked at: ways", "texture_access.tag_banks",
                               cache->ways, array.energy.read, array.note) &&
          add_term(builder, unit, "lines filled: writes of tags", "fills", kinds[tags].lines,
                   array.energy.write, array.note) &&
          cm_energy_add_leakage(builder, (int)unit, cache->instances * kinds[tags].arrays * cache->ways,
                                kinds[tags].what, array.energy.leakage, array.note);
}

/* In CACTI's normal mode a read takes all ways: a row of the design's has them in it, one without tags is a way's. */
static bool
add_texture_cache(struct cm_energy_builder *builder, enum cm_unit unit)
{
   const struct cm_cache_config *cache = &builder->config->caches[unit];
   const struct design_arrays *design = &design_arrays[builder->config->texture_access.design];
   const bool is_banked = design->count > 1;
   const uint32_t split = is_banked ? cache->ways : 1;
   const struct cm_array_shape shape = {.kind = design->kind,
                                        .size = cache->size / design->count / split,
                                        .ways = cache->ways / split,
                                        .bus_bits = design->port_bits};
   struct arrays arrays = {.count = design->count * split};
   struct cm_array_lookup *array = &arrays.of_one;
   return find(builder, unit, &shape, array) &&
          cm_energy_add_events(builder, (int)unit, design->access, "texture_access.data_banks", split,
                               array->energy.read, array->note) &&
          add_term(builder, unit, "lines filled: writes", "fills", LINE_BITS / design->port_bits,
                   array->energy.write, array->note) &&
          add_leakage(builder, unit, &arrays) && (!is_banked || add_banked_tags(builder, unit));
}

/* ---- the Attribute Cache (TCOR III-C2) --------------------------------- */

/* Bits of a line of the Primitive Buffer: tag, OPT number, ABP (III-C2: 16, 12 and 10) and the valid, dirty and
 * lock bits. */
#define PRIMITIVE_LINE_BITS (16 + 12 + 10 + 3)
#define PORT_BITS 128
#define ATTRIBUTE_BITS 384 /* of 48 bytes (TCOR II-B) */

static bool
add_primitive_buffer(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   const uint32_t lines = config->primitive_buffer.lines;
   const uint32_t sets = lines / config->caches[CM_UNIT_ATTRIBUTE_CACHE].ways;
   const uint32_t set_bits = (lines + sets - 1) / sets * PRIMITIVE_LINE_BITS;
   const uint64_t bytes = ((uint64_t)lines * PRIMITIVE_LINE_BITS + 7) / 8;
   const int unit = CM_UNIT_ATTRIBUTE_CACHE;
   struct cm_array_lookup array;
   if (!cm_energy_find_ram(builder, "the primitive_buffer", bytes, PORT_BITS, &array))
      return false;
   char note[sizeof array.note + 32];
   snprintf(note, sizeof note, "%u bits per line: %s", PRIMITIVE_LINE_BITS, array.note);
   /* A read updates the OPT number, or takes a line; a write that does not pass by takes one. */
   return cm_energy_add_events(builder, unit, "Primitive Buffer: reads of a set",
                               "primitive_buffer.reads primitive_buffer.writes",
                               (set_bits + PORT_BITS - 1) / PORT_BITS, array.energy.read, note) &&
          cm_energy_add_events(builder, unit, "Primitive Buffer: writes of a line",
                               "primitive_buffer.reads primitive_buffer.writes -primitive_buffer.bypasses", 1,
                               array.energy.write, note) &&
          cm_energy_add_leakage(builder, unit, 1, "Primitive Buffer", array.energy.leakage, array.note);
}

/* Writes that pass by are not in the Attribute Buffer. */
static bool
add_attribute_cache(struct cm_energy_builder *builder)
{
   const struct cm_array_shape shape = {.kind = CM_ARRAY_RAM,
                                        .size = builder->config->caches[CM_UNIT_ATTRIBUTE_CACHE].size,
                                        .ways = 1,
                                        .bus_bits = ATTRIBUTE_BITS};
   const int unit = CM_UNIT_ATTRIBUTE_CACHE;
   struct cm_array_lookup array;
   /* The Rasterizer reads each attribute that the Tile Fetcher asks for, once, where it is by then. */
   return find(builder, CM_UNIT_ATTRIBUTE_CACHE, &shape, &array) &&
          cm_energy_add_events(builder, unit, "Attribute Buffer: reads by the Rasterizer",
                               "attribute_cache.total.reads", 1, array.energy.read, array.note) &&
          cm_energy_add_events(builder, unit, "Attribute Buffer: writes by the Polygon List Builder",
                               "attribute_cache.total.writes -attribute_cache.total.bypasses", 1,
                               array.energy.write, array.note) &&
          cm_energy_add_events(builder, unit, "Attribute Buffer: attributes filled: writes",
                               "attribute_cache.total.fills", 1, array.energy.write, array.note) &&
          cm_energy_add_events(builder, unit, "Attribute Buffer: attributes written back: reads",
                               "attribute_cache.total.writebacks -attribute_cache.total.bypasses", 1,
                               array.energy.read, array.note) &&
          cm_energy_add_leakage(builder, unit, 1, "Attribute Buffer", array.energy.leakage, array.note) &&
          add_primitive_buffer(builder);
}

/* ---- units on the access stream (access/access_unit.h) ------------------- */

/* An array of whole lines is that of a cache of one way: one line is read, after all tags were compared, for which the
 * file has no numbers. */
static bool
add_access_unit(struct cm_energy_builder *builder, const struct cm_access_unit_kind *kind, uint32_t entries)
{
   const bool has_lines = kind->entry_bytes == CM_ENERGY_LINE_BYTES;
   const struct cm_array_shape shape = {.kind = has_lines ? CM_ARRAY_CACHE : CM_ARRAY_RAM,
                                        .size = (uint64_t)entries * kind->entry_bytes,
                                        .ways = 1,
                                        .bus_bits = has_lines ? 0 : PORT_BITS};
   struct cm_array_lookup array;
   bool ok = cm_energy_find(builder, kind->name, &shape, &array);
   for (uint32_t t = 0; ok && t < kind->num_energy; t++) {
      const struct cm_access_unit_energy *of = &kind->energy[t];
      char what[64];
      snprintf(what, sizeof what, "%s: %s", kind->name, of->what);
      struct cm_energy_term *term =
         cm_energy_add_events(builder, CM_ENERGY_ACCESS_UNITS, what, "", 1,
                              of->is_write ? array.energy.write : array.energy.read, array.note);
      if (!term)
         return false;
      for (uint32_t e = 0; e < kind->num_events; e++) {
         if (of->events >> e & 1)
            cm_energy_count(builder, term, "%s.%s", kind->name, kind->events[e].name);
      }
   }
   return ok && cm_energy_add_leakage(builder, CM_ENERGY_ACCESS_UNITS, 1, kind->name, array.energy.leakage,
                                      array.note);
}

bool
cm_energy_add_caches(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!config->caches[unit].size)
         continue;
      const bool ok =
         unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines ? add_attribute_cache(builder)
         : has_design(config, (enum cm_unit)unit) ? add_texture_cache(builder, (enum cm_unit)unit)
                                                  : add_cache(builder, (enum cm_unit)unit);
      if (!ok)
         return false;
   }
   for (unsigned u = 0; u < CM_ACCESS_UNIT_COUNT; u++) {
      if (config->access_units[u].entries &&
          !add_access_unit(builder, cm_access_unit_kinds[u], config->access_units[u].entries))
         return false;
   }
   return true;
}
