/* SPDX-License-Identifier: MIT */
#include "gpu/compression.h"

static bool
check_numbers(const struct cm_compression_config *config, struct cm_config_problem *problem)
{
#define CHECK(member, least, most, description)                                                          \
   if (!cm_config_in_range(cm_config_about(problem, "framebuffer_compression." #member), config->member, \
                           least, most))                                                                 \
      return false;
   CM_COMPRESSION_KEYS(CHECK)
#undef CHECK
   const struct {
      const char *name;
      uint32_t value;
   } powers[] = {{"superblock_width", config->superblock_width},
                 {"superblock_height", config->superblock_height},
                 {"header_bytes", config->header_bytes},
                 {"burst", config->burst}};
   for (unsigned p = 0; p < sizeof powers / sizeof powers[0]; p++) {
      cm_config_about(problem, "framebuffer_compression.%s", powers[p].name);
      if (!cm_is_power_of_two(powers[p].value))
         return cm_config_wrong(problem, "%u is invalid, expected a power of two", powers[p].value);
   }
   const uint32_t blocks = config->superblock_width * config->superblock_height / 16;
   cm_config_about(problem, "framebuffer_compression.superblock_height");
   return blocks <= CM_SUPERBLOCK_BLOCKS ||
          cm_config_wrong(problem, "%u x %u pixels, expected at most %u", config->superblock_width,
                          config->superblock_height, 16u * CM_SUPERBLOCK_BLOCKS);
}

/* Where what is read of textures is not in caches of pixels, there is nothing that is missed. */
static bool
check_textures(const struct cm_config *config, struct cm_config_problem *problem)
{
   const enum cm_unit unit = config->streams[CM_STREAM_TEXTURE];
   cm_config_about(problem, "framebuffer_compression.mode");
   if (config->mode == CM_MODE_IMR)
      return cm_config_wrong(problem, "blocks, but mode imr stores no tiles, expected none");
   if (config->tile.size < CM_GROUP_SIZE)
      return cm_config_wrong(
         problem, "blocks, but tiles are smaller than the %u x %u pixels of what events say, expected none",
         (unsigned)CM_GROUP_SIZE, (unsigned)CM_GROUP_SIZE);
   if (config->nuca.organisation != CM_NUCA_NONE)
      return cm_config_wrong(problem, "blocks, but texture caches are a NUCA, expected none");
   if (unit == CM_UNIT_DRAM || !cm_cache_is_private(config, unit))
      return cm_config_wrong(problem,
                             "blocks, but streams.texture begins at no cache of its own, expected none");
   return true;
}

/* A cache of headers leads to where its streams go otherwise. */
static bool
check_header_caches(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_HEADER_CACHE],
                                *texture = &config->caches[CM_UNIT_TEXTURE_HEADER_CACHE];
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const enum cm_unit first = config->streams[stream];
      if (first == CM_UNIT_HEADER_CACHE || first == CM_UNIT_TEXTURE_HEADER_CACHE)
         return cm_config_wrong(cm_config_about(problem, "streams.%s", cm_stream_names[stream]),
                                "%s has headers only, expected another cache or dram", cm_unit_names[first]);
   }
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const enum cm_unit next = config->caches[unit].next;
      if (config->caches[unit].size && (next == CM_UNIT_HEADER_CACHE || next == CM_UNIT_TEXTURE_HEADER_CACHE))
         return cm_config_wrong(cm_config_about(problem, "caches.%s.next", cm_unit_names[unit]),
                                "%s has headers only, expected another cache or dram", cm_unit_names[next]);
   }
   for (unsigned stream = 0; cache->size && stream < CM_STREAM_COUNT; stream++) {
      cm_config_about(problem, "caches.header_cache.next");
      if (cm_config_has_stream(config, (enum cm_stream)stream) &&
          cm_stream_has_headers((enum cm_stream)stream, CM_UNIT_HEADER_CACHE) &&
          cache->next != config->streams[stream])
         return cm_config_wrong(problem, "%s, but streams.%s begins at %s, expected that",
                                cm_unit_names[cache->next], cm_stream_names[stream],
                                cm_unit_names[config->streams[stream]]);
   }
   cm_config_about(problem, "caches.texture_header_cache.next");
   if (texture->size && texture->next != CM_UNIT_DRAM &&
       !cm_stream_reaches(config, CM_STREAM_TEXTURE, texture->next))
      return cm_config_wrong(problem,
                             "%s, where no texture goes, expected dram or a cache that textures reach",
                             cm_unit_names[texture->next]);
   if (texture->size && texture->next == config->streams[CM_STREAM_TEXTURE])
      return cm_config_wrong(problem, "%s has pixels, expected what is behind it",
                             cm_unit_names[texture->next]);
   return true;
}

bool
cm_compression_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_compression_config *compression = &config->framebuffer_compression;
   if (!check_header_caches(config, problem))
      return false;
   if (compression->mode == CM_COMPRESSION_NONE)
      return true;
   return check_numbers(compression, problem) && check_textures(config, problem);
}
