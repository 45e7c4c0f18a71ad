/* SPDX-License-Identifier: MIT */
/**
 * The texture unit: the blocks that a footprint reads, and the reads.
 *
 * A footprint becomes a list of blocks, which goes to the counters of texture cache designs (texture/access.h), to the
 * access stream, and to the caches: the processor's, those of a NUCA, or, without any, memory. If the grid that its
 * blocks lie in is settled in the cache, its reads need no list: they are only counted.
 */
#ifndef CM_TEXTURE_UNIT_H
#define CM_TEXTURE_UNIT_H

#include <string.h>

#include "access/request_log.h"
#include "memory/hierarchy.h"
#include "texture/access.h"
#include "texture/nuca.h"
#include "texture/placement.h"

/** The path of texture reads, the same for all units of a GPU. If a reader has asked for requests
 * (access/arrivals.h), they are in the access stream: for each footprint a CM_ENTRY_GROUP, then a
 * CM_ENTRY_LOOKUP for each of its blocks, and what these cause; with a NUCA a CM_ENTRY_REQUEST for each
 * request, followed by what it causes. */
struct cm_texture_path {
   struct cm_hierarchy *hierarchy;
   struct cm_request_log
      *own_requests; /**< gets groups and lookups instead of hierarchy->requests; NULL: it does not */
   struct cm_cache
      *caches; /**< by instance: the first ones of textures, or what is in front of them; NULL: memory */
   struct cm_nuca *nuca; /**< of the hierarchy's texture caches; NULL: each serves its own processors */
   struct cm_access_stream
      *listed; /**< gets what is requested of the NUCA (cm_nuca_list); NULL: it is served at once */
   struct cm_texture_access access;
   uint32_t block_shift; /**< of the blocks that are read */
   bool has_filters;     /**< caches are filters (memory/filter.h) */
   bool is_cached;       /**< reads caches, not a NUCA or memory, and is not counted by `access` */
   bool is_direct;       /**< the same, and is not reported */
   bool by_texel;        /**< the NUCA gets the blocks of each texel */
   bool
      by_block; /**< no more matters of a footprint than its blocks: not by_texel, nor counted by `access` */
};

/** For a valid configuration and its hierarchy, which must outlive the path and has all its readers. False
 * when out of memory. */
bool cm_texture_path_init(struct cm_texture_path *path, const struct cm_config *config,
                          struct cm_hierarchy *hierarchy);
void cm_texture_path_finish(struct cm_texture_path *path);

/** Where groups and lookups are reported; NULL: they are not. */
static inline struct cm_access_stream *
cm_texture_path_requests(const struct cm_texture_path *path)
{
   return path->own_requests ? &path->own_requests->requests : path->hierarchy->requests;
}

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

/** An image of a texture that is bound to a texture unit, and what has been found out for its last footprint. */
struct cm_unit_image {
   uint64_t key; /**< layer << 8 | level; CM_NO_IMAGE: none */
   struct cm_texture_image image;
   uint64_t header;               /**< the footprint's cm_footprint_header; CM_NO_IMAGE: there was none */
   struct cm_footprint_kind kind; /**< its */
};

/** A texture that is bound to a texture unit, and its last images: filtering alternates between two
 * levels. */
struct cm_texture_unit {
   const struct cm_texture_binding *binding; /**< NULL: nothing is bound */
   const struct cm_texture_layout *layout;   /**< NULL: a buffer */
   uint64_t address, bytes;                  /**< of the resource */
   struct cm_unit_image images[2];           /**< by the lowest bit of their level */
   /** So many more groups of one instruction are looked up in filters without asking whether they are settled
    * (texture/filtered_reads.h); begins anew where one of their reads is passed on. 0: ask first. */
   uint32_t unsettled_reads;
};

/** What it begins with. */
#define CM_UNSETTLED_READS 8

#define CM_NO_IMAGE UINT64_MAX

/** What of a footprint its kind depends on, as a number that is not CM_NO_IMAGE. */
static inline __attribute__((always_inline)) uint64_t
cm_footprint_header(const struct cm_footprint *footprint)
{
   static const struct cm_footprint other = {.quad = UINT8_MAX, .live = UINT8_MAX};
   uint64_t header, other_bits;
   static_assert(offsetof(struct cm_footprint, texel) == sizeof header, "texels follow all else");
   memcpy(&header, footprint, sizeof header);
   memcpy(&other_bits, &other, sizeof other_bits);
   return header & ~other_bits;
}

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
   unit->unsettled_reads = 0;
   for (unsigned i = 0; i < 2; i++)
      unit->images[i].key = unit->images[i].header = CM_NO_IMAGE;
}

/** Binds nothing: footprints read nothing. */
static inline void
cm_texture_unit_unbind(struct cm_texture_unit *unit)
{
   unit->binding = NULL;
   unit->layout = NULL;
   unit->unsettled_reads = 0;
}

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
      unit->images[index].header = CM_NO_IMAGE;
   }
   return &unit->images[index].image;
}

/** Has the unit know the kind of a footprint of a texture. image: the one of its images that the footprint's level says. */
void cm_texture_unit_take_kind(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                               struct cm_unit_image *image, const struct cm_footprint *footprint);

/** Its kind. All that a unit reads is read through the same path. */
static inline __attribute__((always_inline)) const struct cm_footprint_kind *
cm_texture_unit_kind(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                     const struct cm_footprint *footprint)
{
   struct cm_unit_image *image = footprint->level & 1 ? &unit->images[1] : &unit->images[0];
   if (__builtin_expect(image->header != cm_footprint_header(footprint), false))
      cm_texture_unit_take_kind(path, unit, image, footprint);
   return &image->kind;
}

/** Reads a processor's footprint, with its bounds, of what is bound to a unit. Mostly it is only counted, because the grid
 * of its blocks is settled in the cache. cache: cm_texture_path_cache of the processor. */
void cm_texture_unit_read(struct cm_texture_path *path, struct cm_texture_unit *unit,
                          const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
                          uint32_t processor, struct cm_cache *cache);

/** Whether no one watches which processor reads, and most reads need no more than a look at the first lines of the caches'
 * sets. */
static inline bool
cm_texture_path_is_plain(const struct cm_texture_path *path)
{
   return path->is_direct && cm_cache_settles_first(path->caches);
}

/** cm_texture_unit_read of footprints that lie one after another, at least one, by ascending quad of a group. caches: by quad,
 * of a path for which cm_texture_path_is_plain; NULL: the quad does not run. Returns how many are of quads that run. */
size_t cm_texture_unit_read_group(struct cm_texture_path *path, struct cm_texture_unit *unit,
                                  const struct cm_footprint *footprints, size_t count,
                                  struct cm_cache *const caches[4]);

#endif
