/* SPDX-License-Identifier: MIT */
#include "gpu/lane.h"

#include <stdlib.h>
#include <string.h>

#include "memory/filter.h"
#include "util/counts.h"

/* ---- which configurations have lanes ----------------------------------------- */

/* The next level of a unit that is private to it; CM_UNIT_DRAM: there is none. */
static enum cm_unit
next_private(const struct cm_gpu *gpu, enum cm_unit unit)
{
   const enum cm_unit next = gpu->config.caches[unit].next;
   return next != CM_UNIT_DRAM && !gpu->hierarchy.shared.caches[next] ? next : CM_UNIT_DRAM;
}

/* Whether units lead to this one. */
static bool
has_users(const struct cm_gpu *gpu, enum cm_unit unit)
{
   for (unsigned u = 0; u < CM_CACHE_COUNT; u++) {
      if (gpu->hierarchy.caches[u] && gpu->config.caches[u].next == unit)
         return true;
   }
   return false;
}

static bool
needs_liveness(const struct cm_gpu *gpu, enum cm_unit unit)
{
   for (; unit != CM_UNIT_DRAM; unit = next_private(gpu, unit)) {
      if (cm_policy_needs_liveness(gpu->config.caches[unit].policy))
         return true;
   }
   return false;
}

/* Whether the first caches of textures are private, and serve nothing else. */
static bool
has_texture_caches(const struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   if (unit == CM_UNIT_DRAM || gpu->hierarchy.shared.caches[unit] || needs_liveness(gpu, unit))
      return false;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (stream != CM_STREAM_TEXTURE && gpu->config.streams[stream] == unit)
         return false;
   }
   return true;
}

/* The first unit of a stream, if it is private; CM_UNIT_DRAM: it is not. */
static enum cm_unit
first_private(const struct cm_gpu *gpu, enum cm_stream stream)
{
   const enum cm_unit unit = gpu->config.streams[stream];
   return unit != CM_UNIT_DRAM && !gpu->hierarchy.shared.caches[unit] ? unit : CM_UNIT_DRAM;
}

/* Shaders are read by the stages and by all lanes: their caches have to serve entries in order. */
static bool
can_share(const struct cm_gpu *gpu, enum cm_stream stream)
{
   const enum cm_unit unit = first_private(gpu, stream);
   return unit == CM_UNIT_DRAM ||
          (!has_users(gpu, unit) && !needs_liveness(gpu, unit) && !gpu->hierarchy.entry[stream].has_masks);
}

bool
cm_lanes_are_possible(const struct cm_gpu *gpu)
{
   return !gpu->immediate && !gpu->hierarchy.shared.num_units && has_texture_caches(gpu) &&
          can_share(gpu, CM_STREAM_SHADER) && can_share(gpu, CM_STREAM_CONSTANT);
}

bool
cm_lanes_filter(const struct cm_gpu *gpu)
{
   return gpu->texture.is_direct && cm_filter_suits(gpu->texture.caches);
}

bool
cm_lanes_share(struct cm_gpu *gpu)
{
   static const enum cm_stream streams[] = {CM_STREAM_SHADER, CM_STREAM_CONSTANT};
   for (unsigned s = 0; s < 2; s++) {
      const enum cm_unit unit = first_private(gpu, streams[s]);
      if (unit != CM_UNIT_DRAM && !cm_hierarchy_share(&gpu->hierarchy, &gpu->config, unit))
         return false;
   }
   return true;
}

/* ---- texture caches ------------------------------------------------------------ */

bool
cm_lanes_have(const struct cm_gpu *gpu, enum cm_unit unit)
{
   enum cm_unit texture = gpu->config.streams[CM_STREAM_TEXTURE];
   while (texture != CM_UNIT_DRAM && texture != unit)
      texture = next_private(gpu, texture);
   return texture == unit;
}

void
cm_lanes_connect_textures(struct cm_gpu *gpu, struct cm_access_stream *stream, struct cm_dram *dram)
{
   const struct cm_hierarchy *hierarchy = &gpu->hierarchy;
   for (enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE]; unit != CM_UNIT_DRAM;
        unit = next_private(gpu, unit)) {
      for (uint32_t i = 0; i < hierarchy->instances[unit]; i++) {
         struct cm_cache *cache = &hierarchy->caches[unit][i];
         if (cache->outgoing)
            cache->outgoing = stream;
         cache->dram = dram;
      }
   }
}

void
cm_lanes_serve_textures(struct cm_gpu *gpu, const cm_entry *entries, uint32_t count,
                        struct cm_access_stream *stream)
{
   struct cm_cache *caches = gpu->texture.caches;
   for (uint32_t i = 0; i < count;) {
      if (cm_entry_unit(entries[i]) != caches->unit)
         cm_access_stream_append(stream, entries[i++]);
      else
         i += cm_cache_take_reads(caches, entries + i, count - i);
   }
}

/* ---- a lane ------------------------------------------------------------------ */

void
cm_lane_grow(void *out_of_memory, struct cm_access_stream *stream)
{
   cm_entry *entries = realloc(stream->entries, 2 * (size_t)stream->capacity * sizeof *entries);
   if (entries) {
      stream->entries = entries;
      stream->capacity *= 2;
   } else {
      /* The next entry takes the place of the last one: the numbers of those before it, which segments keep, stay. */
      stream->count = stream->capacity - 1;
      *(bool *)out_of_memory = true;
   }
}

/* Filters, and areas of what they know. */
static bool
init_filters(struct cm_lane *lane)
{
   const struct cm_gpu *gpu = lane->gpu;
   struct cm_cache *caches = gpu->texture.caches;
   const uint32_t instances = gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances;
   lane->filters = calloc(instances, sizeof *lane->filters);
   lane->texture.caches = lane->filters;
   lane->texture.areas = NULL; /* those were the GPU's */
   bool fine = lane->filters;
   for (uint32_t i = 0; fine && i < instances; i++)
      fine = cm_filter_init(&lane->filters[i], &caches[i], &lane->stream, cm_entry_cache(caches->unit, i));
   return fine && (!gpu->texture.areas || cm_texture_path_add_areas(&lane->texture));
}

bool
cm_lane_init(struct cm_lane *lane, struct cm_gpu *gpu)
{
   *lane = (struct cm_lane){.gpu = gpu, .texture = gpu->texture};
   lane->stream = (struct cm_access_stream){.take = cm_lane_grow, .context = &lane->out_of_memory};
   if (!cm_texture_access_init(&lane->texture.access, &gpu->config) ||
       (cm_lanes_filter(gpu) && !init_filters(lane)))
      return false;
   lane->shading = cm_shading_create(gpu, lane);
   return lane->shading;
}

void
cm_lane_finish(struct cm_lane *lane)
{
   const uint32_t instances = lane->gpu ? lane->gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances : 0;
   for (uint32_t i = 0; lane->filters && i < instances; i++)
      cm_filter_finish(&lane->filters[i]);
   if (lane->filters)
      free(lane->texture.areas);
   free(lane->filters);
   cm_texture_access_finish(&lane->texture.access);
   cm_shading_destroy(lane->shading);
}

void
cm_lane_begin(struct cm_lane *lane)
{
   const uint32_t instances = lane->gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances;
   for (uint32_t i = 0; lane->filters && i < instances; i++)
      cm_filter_forget(&lane->filters[i]);
}

void
cm_lane_add_counts(struct cm_lane *lane)
{
   struct cm_gpu *gpu = lane->gpu;
   cm_counts_move(gpu->pipeline, lane->pipeline, CM_PIPELINE_COUNT);
   cm_counts_move(gpu->hierarchy.dram.counts[0], lane->dram.counts[0], CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   cm_texture_access_add(&gpu->texture.access, &lane->texture.access);
   for (uint32_t i = 0; lane->filters && i < gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances; i++)
      cm_filter_add_counts(&lane->filters[i]);
   if (lane->out_of_memory)
      cm_gpu_out_of_memory(gpu);
}

/* ---- shaders ------------------------------------------------------------------- */

/* One entry, or access to memory, for each block. */
static void
read_range(struct cm_lane *lane, uint32_t processor, uint64_t address, uint64_t bytes, enum cm_stream stream)
{
   const struct cm_hierarchy *hierarchy = &lane->gpu->hierarchy;
   const struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   if (!bytes)
      return;
   const uint64_t last = (address + bytes - 1) >> shift;
   for (uint64_t block = address >> shift; block <= last; block++) {
      if (cache)
         cm_access_stream_append(&lane->stream,
                                 cm_entry_access(cache->next_entry, CM_READ, stream, block << shift));
      else
         cm_dram_access(&lane->dram, block << shift, stream, false, 1, 1u << shift);
   }
}

void
cm_lane_fetch_shader(struct cm_lane *lane, uint32_t draw, uint32_t processor)
{
   const struct cm_shader *shader = &lane->gpu->pass->draws[draw].fragment_shader;
   const struct cm_shader_memory *memory = &lane->shaders[draw];
   if (!shader->id)
      return;
   read_range(lane, processor, memory->instructions, (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES,
              CM_STREAM_SHADER);
   read_range(lane, processor, memory->constants, shader->constant_bytes, CM_STREAM_CONSTANT);
}
