/* SPDX-License-Identifier: MIT */
/** What causes an access. */
#ifndef CM_ORIGIN_H
#define CM_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

/** The parts of an origin. A part is 0 where the access belongs to none: no draw loads and stores tiles. */
enum cm_origin_part {
   CM_ORIGIN_PASS,     /**< the render pass, counted from 1 over all frames */
   CM_ORIGIN_DRAW,     /**< 1 + the draw's number in the pass */
   CM_ORIGIN_RESOURCE, /**< the resource's ID in the event stream */
   CM_ORIGIN_TILE,     /**< 1 + the tile's row-major number in the pass */
   CM_ORIGIN_COUNT
};

struct cm_origin {
   uint32_t parts[CM_ORIGIN_COUNT];
};

static inline bool
cm_origins_equal(const struct cm_origin *a, const struct cm_origin *b)
{
   bool equal = true;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      equal &= a->parts[part] == b->parts[part];
   return equal;
}

#endif
