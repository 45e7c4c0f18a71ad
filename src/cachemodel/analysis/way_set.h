/* SPDX-License-Identifier: MIT */
/** A set of ways whose lowest one is found at once, however many there are: a bit for each way,
 * and above it, level by level, a bit for each word that is not 0. */
#ifndef CM_WAY_SET_H
#define CM_WAY_SET_H

#include <stdint.h>

#define CM_WAY_SET_LEVELS 4
#define CM_NO_WAY UINT32_MAX

/** What the sets of so many ways have in common. */
struct cm_way_set_shape {
   uint32_t levels;
   uint32_t offset[CM_WAY_SET_LEVELS]; /**< where each level's words begin; the first has a bit per way */
   uint32_t words;                     /**< of one set, all 0 in the empty one */
};

/** For 1 to 2^24 ways. */
static inline struct cm_way_set_shape
cm_way_set_shape(uint32_t ways)
{
   struct cm_way_set_shape shape = {0};
   uint32_t bits = ways;
   do {
      shape.offset[shape.levels++] = shape.words;
      bits = (bits + 63) / 64;
      shape.words += bits;
   } while (bits > 1);
   return shape;
}

static inline void
cm_way_set_add(uint64_t *set, const struct cm_way_set_shape *shape, uint32_t way)
{
   for (uint32_t level = 0; level < shape->levels; level++, way /= 64)
      set[shape->offset[level] + way / 64] |= 1ull << way % 64;
}

static inline void
cm_way_set_remove(uint64_t *set, const struct cm_way_set_shape *shape, uint32_t way)
{
   for (uint32_t level = 0; level < shape->levels; level++, way /= 64) {
      uint64_t *word = &set[shape->offset[level] + way / 64];
      *word &= ~(1ull << way % 64);
      if (*word)
         return;
   }
}

/** The lowest way; CM_NO_WAY where there is none. */
static inline uint32_t
cm_way_set_first(const uint64_t *set, const struct cm_way_set_shape *shape)
{
   uint32_t index = 0;
   for (uint32_t level = shape->levels; level-- > 0;) {
      const uint64_t word = set[shape->offset[level] + index];
      if (!word)
         return CM_NO_WAY; /* only at the top */
      index = index * 64 + (uint32_t)__builtin_ctzll(word);
   }
   return index;
}

static inline void
cm_way_set_clear(uint64_t *set, const struct cm_way_set_shape *shape)
{
   for (uint32_t way; (way = cm_way_set_first(set, shape)) != CM_NO_WAY;) {
      set[way / 64] = 1ull << way % 64; /* the whole word with its last bit */
      cm_way_set_remove(set, shape, way);
   }
}

#endif
