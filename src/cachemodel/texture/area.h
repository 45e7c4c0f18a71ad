/* SPDX-License-Identifier: MIT */
/**
 * Areas of textures whose blocks are settled in a cache: present, and another read of them changes nothing, whatever the
 * replacement policy. What the next quads read mostly lies where the last ones have read. Then it takes a comparison of
 * their texels with the area's sides to know that they hit; they are only counted.
 *
 * An area is a rectangle of blocks in one level and layer of what is bound to a texture unit. It is settled as long as
 * the cache does not change (struct cm_cache).
 */
#ifndef CM_TEXTURE_AREA_H
#define CM_TEXTURE_AREA_H

#include <stddef.h>
#include <string.h>

#include "memory/cache.h"
#include "texture/quad.h"

/** Texture units that have areas, two each: filtering alternates between two levels. */
#define CM_AREA_UNITS 16
#define CM_AREAS (2 * CM_AREA_UNITS)

struct cm_texture_area {
   uint64_t key;     /**< cm_area_key of the footprints that it is of; CM_NO_AREA: none */
   uint64_t changes; /**< of the cache, while the area is settled */
   /** A fragment's footprint is in the area if its first texel is between these: the least x and y and the greatest,
    * once for each fragment of a quad. */
   cm_texels first, last;
   cm_texels beyond; /**< of the image, if footprints are linear; else 0 */
};

#define CM_NO_AREA UINT64_MAX

/** Level, layer and filter of a footprint. */
static inline uint64_t
cm_area_key(const struct cm_footprint *footprint)
{
   uint64_t key, mask;
   _Static_assert(offsetof(struct cm_footprint, texel) == sizeof key, "the key's bytes come first");
   memcpy(&key, footprint, sizeof key);
   /* Without the quad and its live fragments, wherever a byte is in a word. */
   const struct cm_footprint kept = {.level = 0xff, .linear = 0xff, .layer = UINT32_MAX};
   memcpy(&mask, &kept, sizeof mask);
   return key & mask;
}

/** How many blocks the live fragments of a footprint read, if the cache has them all in this area and is not changed
 * by that; else 0. */
static inline __attribute__((always_inline)) uint32_t
cm_area_reads(const struct cm_texture_area *area, uint64_t changes, const struct cm_footprint *footprint)
{
   const unsigned live = footprint->live & 15;
   const cm_texels first = cm_first_texels(footprint);
   if (area->changes != changes || area->key != cm_area_key(footprint) ||
       cm_any_texel(((first < area->first) | (first > area->last)) & cm_live_texels[live]))
      return 0;
   return cm_count_reads(first, area->beyond, live);
}

/** Whether two rectangles make one. */
static inline bool
cm_areas_join(cm_texels first, cm_texels last, cm_texels other_first, cm_texels other_last)
{
   const unsigned x = 1, y = 2;
   const unsigned same = cm_texel_bits((first == other_first) & (last == other_last)),
                  touch = cm_texel_bits((first <= other_last + 1) & (other_first <= last + 1));
   return ((same & x) && (touch & y)) || ((same & y) && (touch & x));
}

/** Makes an area of the blocks of a footprint's box, which are settled, or adds them to it. */
static inline void
cm_area_add(struct cm_texture_area *area, uint64_t changes, const struct cm_texture_image *image,
            const struct cm_footprint *footprint, const struct cm_block_box *box)
{
   const int16_t more = footprint->linear ? 1 : 0;
   const uint64_t key = cm_area_key(footprint);
   cm_texels first = box->first, last = box->last;
   if (area->key == key && area->changes == changes &&
       cm_areas_join(first, last, area->first, area->last + more)) {
      first = cm_least_texels(first, area->first);
      last = cm_greatest_texels(last, area->last + more);
   }
   area->key = key;
   area->changes = changes;
   area->first = first;
   area->last = last - more;
   area->beyond = image->beyond & (int16_t)-more;
}

#endif
