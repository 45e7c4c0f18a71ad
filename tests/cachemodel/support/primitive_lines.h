/* SPDX-License-Identifier: MIT */
/** What the Attribute Cache holds. */
#ifndef TEST_PRIMITIVE_LINES_H
#define TEST_PRIMITIVE_LINES_H

#include "memory/attribute_cache.h"

/** The line of a primitive; NULL: none. */
static inline const struct cm_primitive_line *
find_primitive(const struct cm_attribute_cache *cache, uint32_t primitive)
{
   for (uint32_t i = 0; i < cache->num_lines; i++) {
      if (cache->lines[i].valid && cache->lines[i].primitive == primitive)
         return &cache->lines[i];
   }
   return NULL;
}

#endif
