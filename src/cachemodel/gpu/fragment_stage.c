/* SPDX-License-Identifier: MIT */
/* The Fragment Processors: which one takes a quad, its programs, its texture
 * reads through that processor's texture cache. */
#include <string.h>

#include "gpu/gpu_internal.h"

#define MAX_PROCESSORS 64
#define NO_DRAW UINT32_MAX

typedef struct cm_resource *draw_textures[CM_MAX_TEXTURE_UNITS];

bool
cm_fragment_stage_bind(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   if (!cm_array_reserve(&gpu->draw_textures, pass->num_draws, sizeof(draw_textures)))
      return false;
   draw_textures *textures = gpu->draw_textures.data;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      memset(textures[d], 0, sizeof textures[d]);
      for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++) {
         struct cm_resource *resource = cm_address_space_use(&gpu->space, draw->textures[unit].resource);
         if (!resource)
            continue;
         resource->sampled = true;
         textures[d][unit] = resource;
      }
   }
   return true;
}

/* The state of the processors within a tile. */
struct shading {
   struct cm_gpu *gpu;
   uint32_t processors;
   uint32_t next;                       /* who gets the next quad */
   uint32_t at_draw[MAX_PROCESSORS];    /* whose program a processor holds */
   const struct cm_draw *draw;          /* of the last shade event */
   struct cm_resource *const *textures; /* its textures */
   uint8_t taken_by[4];                 /* which processor took each of its quads */
};

static void
shade(struct shading *shading, uint32_t draw, const struct cm_quad *quads, uint32_t count)
{
   struct cm_gpu *gpu = shading->gpu;
   shading->draw = &gpu->pass->draws[draw];
   shading->textures = ((draw_textures *)gpu->draw_textures.data)[draw];
   for (uint32_t q = 0; q < count && q < 4; q++) {
      const uint32_t processor = shading->next;
      shading->next = processor + 1 == shading->processors ? 0 : processor + 1;
      shading->taken_by[q] = (uint8_t)processor;
      if (shading->at_draw[processor] != draw) {
         shading->at_draw[processor] = draw;
         gpu->pipeline[CM_PIPELINE_PROGRAM_SWITCHES]++;
         cm_gpu_fetch_program(gpu, CM_PROGRAM_FRAGMENT, &shading->draw->fragment_program, processor);
      }
      /* The number of bits of each four, a digit a number. */
      gpu->pipeline[CM_PIPELINE_FRAGMENTS] += 0x4332322132212110ull >> 4 * (quads[q].live & 15) & 15;
   }
   gpu->pipeline[CM_PIPELINE_QUADS] += count;
}

/* Reads blocks in order, from memory where there is no cache. */
static inline void
read_blocks(struct cm_gpu *gpu, struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks,
            uint32_t shift)
{
   if (cache)
      cm_cache_read_sequence(cache, blocks, num_blocks, CM_STREAM_TEXTURE);
   else
      cm_dram_access(&gpu->hierarchy.dram, CM_STREAM_TEXTURE, false, num_blocks, 1u << shift);
}

static inline void
read_footprint(struct cm_gpu *gpu, uint32_t processor, const struct cm_texture_image *image,
               const struct cm_texture_binding *binding, const struct cm_footprint *footprint)
{
   struct cm_cache *cache = cm_hierarchy_entry(&gpu->hierarchy, CM_STREAM_TEXTURE, processor);
   struct cm_read_grid grid;
   if (cache && cm_footprint_grid(image, footprint, &grid) &&
       cm_cache_read_grid(cache, &grid, CM_STREAM_TEXTURE))
      return;

   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   const unsigned num_blocks = cm_footprint_blocks(image, binding, footprint, blocks);
   read_blocks(gpu, cache, blocks, num_blocks, image->block_shift);
}

/* A buffer has no layout: its texels lie one after another. */
static void
read_buffer_footprint(struct cm_gpu *gpu, uint32_t processor, const struct cm_resource *resource,
                      const struct cm_texture_binding *binding, const struct cm_footprint *footprint)
{
   struct cm_cache *cache = cm_hierarchy_entry(&gpu->hierarchy, CM_STREAM_TEXTURE, processor);
   const uint32_t shift = gpu->hierarchy.entry[CM_STREAM_TEXTURE].block_shift;
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   unsigned num_blocks = 0;

   for (unsigned f = 0; f < 4; f++) {
      const uint64_t element =
         (uint64_t)(uint16_t)footprint->texel[f].y * 32768 + (uint16_t)footprint->texel[f].x;
      const uint64_t begin = binding->buffer_offset + element * binding->texel_bytes;
      if (!(footprint->live & 1u << f) || begin + binding->texel_bytes > resource->bytes)
         continue;
      const uint64_t last = (resource->address + begin + binding->texel_bytes - 1) >> shift;
      for (uint64_t block = (resource->address + begin) >> shift;
           block <= last && num_blocks < CM_MAX_FOOTPRINT_BLOCKS; block++)
         blocks[num_blocks++] = block;
   }
   read_blocks(gpu, cache, blocks, num_blocks, shift);
}

static void
read_texture(struct shading *shading, uint32_t unit, const struct cm_footprint *footprints, uint32_t count)
{
   struct cm_gpu *gpu = shading->gpu;
   const struct cm_resource *resource = unit < CM_MAX_TEXTURE_UNITS ? shading->textures[unit] : NULL;
   gpu->pipeline[CM_PIPELINE_FOOTPRINTS] += count;
   if (!resource)
      return;
   const struct cm_texture_binding *binding = &shading->draw->textures[unit];
   const uint32_t shift = gpu->hierarchy.entry[CM_STREAM_TEXTURE].block_shift;
   /* Filtering alternates between two levels. */
   const struct cm_footprint *of_image[2] = {NULL, NULL};
   struct cm_texture_image images[2];
   for (uint32_t i = 0; i < count; i++) {
      const struct cm_footprint *footprint = &footprints[i];
      if (!resource->layout) {
         read_buffer_footprint(gpu, shading->taken_by[footprint->quad & 3], resource, binding, footprint);
         continue;
      }
      const unsigned n = footprint->level & 1;
      if (!of_image[n] || footprint->level != of_image[n]->level || footprint->layer != of_image[n]->layer)
         cm_texture_image_init(&images[n], resource->layout, resource->address, binding, footprint, shift);
      of_image[n] = footprint;
      read_footprint(gpu, shading->taken_by[footprint->quad & 3], &images[n], binding, footprint);
   }
}

void
cm_fragment_stage(struct cm_gpu *gpu, uint32_t tile)
{
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   const uint32_t *word = events->words;
   const uint32_t *end = word + events->num_words;
   struct shading shading = {.gpu = gpu, .processors = gpu->config.fragment_stage.processors};
   for (uint32_t p = 0; p < shading.processors; p++)
      shading.at_draw[p] = NO_DRAW;

   while (word < end) {
      const uint32_t type = *word & 0xff, count = *word >> 8 & 0xff, unit = *word >> 16;
      if (type == CM_EVENT_SHADE) {
         shade(&shading, word[1], (const struct cm_quad *)(word + 2), count);
         word += 2 + count * CM_QUAD_WORDS;
      } else {
         read_texture(&shading, unit, (const struct cm_footprint *)(word + 1), count);
         word += 1 + count * CM_FOOTPRINT_WORDS;
      }
   }
}
