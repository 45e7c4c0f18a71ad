/* SPDX-License-Identifier: MIT */
/**
 * The texture unit: the blocks that a footprint reads, and the reads.
 *
 * A footprint is mapped once, to a grid or a list of blocks. These go to the counters of texture cache designs
 * (texture/access.h), to the access stream, and to the caches: the processor's, those of a NUCA, or, without
 * any, memory.
 */
#ifndef CM_TEXTURE_UNIT_H
#define CM_TEXTURE_UNIT_H

#include "memory/hierarchy.h"
#include "texture/access.h"
#include "texture/area.h"
#include "texture/nuca.h"
#include "texture/placement.h"

/** The path of texture reads, the same for all units of a GPU. If a reader has asked for requests
 * (access/arrivals.h), they are in the access stream: for each footprint a CM_ENTRY_GROUP, then a
 * CM_ENTRY_LOOKUP for each of its blocks, and what these cause; with a NUCA a CM_ENTRY_REQUEST for each
 * request, followed by what it causes. */
struct cm_texture_path {
   struct cm_hierarchy *hierarchy;
   struct cm_cache
      *caches; /**< by instance: the first ones of textures, or what is in front of them; NULL: memory */
   struct cm_nuca *nuca; /**< of the hierarchy's texture caches; NULL: each serves its own processors */
   struct cm_texture_access access;
   uint32_t block_shift; /**< of the blocks that are read */
   bool is_direct;       /**< reads caches, not a NUCA or memory, and is not reported */
   bool by_texel;        /**< the NUCA gets the blocks of each texel */
   /** CM_AREAS of each cache, by instance; NULL: reads are not compared with areas. */
   struct cm_texture_area *areas;
};

/** For a valid configuration and its hierarchy, which must outlive the path and has all its readers. False
 * when out of memory. */
bool cm_texture_path_init(struct cm_texture_path *path, const struct cm_config *config,
                          struct cm_hierarchy *hierarchy);
void cm_texture_path_finish(struct cm_texture_path *path);

/** Makes areas, of what its caches hold. False when out of memory. */
bool cm_texture_path_add_areas(struct cm_texture_path *path);

/** Which cache a processor reads through. */
static inline uint32_t
cm_texture_path_instance(const struct cm_texture_path *path, uint32_t processor)
{
   const uint32_t instances = path->hierarchy->entry[CM_STREAM_TEXTURE].instances;
   return processor < instances ? processor : processor % instances;
}

/** That cache. */
static inline struct cm_cache *
cm_texture_path_cache(const struct cm_texture_path *path, uint32_t processor)
{
   return path->caches ? path->caches + cm_texture_path_instance(path, processor) : NULL;
}

/** A texture that is bound to a texture unit, and its last images: filtering alternates between two
 * levels. */
struct cm_texture_unit {
   const struct cm_texture_binding *binding; /**< NULL: nothing is bound */
   const struct cm_texture_layout *layout;   /**< NULL: a buffer */
   uint64_t address, bytes;                  /**< of the resource */
   /** 1 + the number of the first of its two areas in each cache, which are of what is bound (CM_NO_AREA when that
    * changes); 0: it has none. */
   uint32_t areas;
   struct {
      uint64_t key; /**< layer << 8 | level; CM_NO_IMAGE: none */
      struct cm_texture_image image;
   } images[2]; /**< by the lowest bit of their level */
};

#define CM_NO_IMAGE UINT64_MAX

/** Binds a resource of `bytes` at an address; layout: of its texels, NULL: a buffer. binding and layout must stay
 * valid while it is bound. */
static inline void
cm_texture_unit_bind(struct cm_texture_unit *unit, const struct cm_texture_binding *binding,
                     const struct cm_texture_layout *layout, uint64_t address, uint64_t bytes)
{
   unit->binding = binding;
   unit->layout = layout;
   unit->address = address;
   unit->bytes = bytes;
   unit->images[0].key = unit->images[1].key = CM_NO_IMAGE;
}

/** Binds nothing: footprints read nothing. */
static inline void
cm_texture_unit_unbind(struct cm_texture_unit *unit)
{
   unit->binding = NULL;
   unit->layout = NULL;
}

/* ---- a footprint ----------------------------------------------------------- */

/** The reads of a footprint. */
struct cm_texture_reads {
   bool is_grid;
   struct cm_read_grid grid; /**< of is_grid */
   unsigned count;           /**< otherwise: of blocks */
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
};

/** The image that a footprint names. */
static inline const struct cm_texture_image *
cm_texture_unit_image(struct cm_texture_unit *unit, const struct cm_footprint *footprint,
                      uint32_t block_shift)
{
   const uint64_t key = (uint64_t)footprint->layer << 8 | footprint->level;
   const unsigned index = footprint->level & 1;
   if (unit->images[index].key != key) {
      cm_texture_image_init(&unit->images[index].image, unit->layout, unit->address, unit->binding, footprint,
                            block_shift);
      unit->images[index].key = key;
   }
   return &unit->images[index].image;
}

/** Maps a footprint to the blocks of the image that it names, and counts it for the cache design. */
static inline __attribute__((always_inline)) void
cm_texture_unit_map(struct cm_texture_unit *unit, const struct cm_texture_image *image,
                    const struct cm_footprint *footprint, struct cm_texture_path *path,
                    struct cm_texture_reads *reads)
{
   const bool is_grid = cm_footprint_grid(image, footprint, &reads->grid);
   reads->is_grid = is_grid;
   if (!is_grid)
      reads->count = cm_footprint_blocks(image, unit->binding, footprint, reads->blocks);
   if (path->access.design == CM_TEXTURE_DESIGN_NONE)
      return;
   if (is_grid)
      cm_texture_access_grid(&path->access, image, unit->binding, footprint, &reads->grid);
   else
      cm_texture_access_blocks(&path->access, image, unit->binding, footprint, reads->blocks);
}

/** cm_texture_unit_read where requests are by texel. */
void cm_texture_read_texels(struct cm_texture_path *path, struct cm_texture_unit *unit,
                            const struct cm_footprint *footprint, uint32_t processor);

/** Reports and simulates a processor's reads of what is bound to a unit. */
void cm_texture_read_blocks(struct cm_texture_path *path, const struct cm_texture_unit *unit,
                            const struct cm_texture_reads *reads, uint32_t processor);

/** cm_texture_unit_read of a buffer, or of nothing. */
void cm_texture_unit_read_buffer(struct cm_texture_path *path, const struct cm_texture_unit *unit,
                                 const struct cm_footprint *footprint, uint32_t processor);

/** The area of a footprint's level in a cache; the unit has areas. */
static inline struct cm_texture_area *
cm_texture_unit_area(const struct cm_texture_path *path, const struct cm_texture_unit *unit,
                     const struct cm_footprint *footprint, uint32_t instance)
{
   return &path->areas[instance * CM_AREAS + unit->areas - 1 + (footprint->level & 1)];
}

/** Counts the read of a footprint by a cache, if it lies in the area and changes nothing. */
static inline __attribute__((always_inline)) bool
cm_texture_unit_hits(const struct cm_texture_path *path, const struct cm_texture_unit *unit,
                     const struct cm_footprint *footprint, uint32_t instance, struct cm_cache *cache)
{
   if (!unit->areas)
      return false;
   struct cm_texture_area *area = cm_texture_unit_area(path, unit, footprint, instance);
   const uint32_t reads = cm_area_reads(area, cache->changes, footprint);
   if (!reads)
      return false;
   cache->accesses[CM_STREAM_TEXTURE][0] += reads;
   cm_cache_expect_hits(cache);
   return true;
}

/** Reads a processor's footprint. cache: cm_texture_path_cache of the processor. Most footprints are grids. Call cm_texture_unit_finish_reads before another processor accesses memory. */
static inline __attribute__((always_inline)) void
cm_texture_unit_read(struct cm_texture_path *path, struct cm_texture_unit *unit,
                     const struct cm_footprint *footprint, uint32_t processor, struct cm_cache *cache)
{
   struct cm_texture_reads reads;
   if (!unit->layout) {
      cm_texture_unit_read_buffer(path, unit, footprint, processor);
      return;
   }
   if (path->by_texel) {
      cm_texture_read_texels(path, unit, footprint, processor);
      return;
   }
   cm_texture_unit_map(unit, cm_texture_unit_image(unit, footprint, path->block_shift), footprint, path,
                       &reads);
   if (path->is_direct && !reads.is_grid)
      cm_cache_read_sequence(cache, reads.blocks, reads.count, CM_STREAM_TEXTURE);
   else if (!path->is_direct || !cm_cache_queue_grid(cache, &reads.grid, CM_STREAM_TEXTURE))
      cm_texture_read_blocks(path, unit, &reads, processor);
}

/** The same of a footprint that does not lie in its area, which follows it: if all blocks of the footprint are settled
 * then, they are in the area. */
void cm_texture_unit_follow(struct cm_texture_path *path, struct cm_texture_unit *unit,
                            const struct cm_footprint *footprint, uint32_t processor, struct cm_cache *cache);

/** Completes a processor's queued reads. */
static inline void
cm_texture_unit_finish_reads(const struct cm_texture_path *path, struct cm_cache *cache)
{
   if (path->is_direct)
      cm_cache_finish_reads(cache);
}

#endif
