/* SPDX-License-Identifier: MIT */
/** What quads have in common: most shade events have four, which are alike. */
#ifndef CM_QUADS_H
#define CM_QUADS_H

#include "events/event_stream.h"

/** Whether four quads are of one primitive. */
static inline bool
cm_quads_are_of_one(const struct cm_quad quads[4])
{
   const uint32_t primitive = quads[0].primitive;
   return quads[1].primitive == primitive && quads[2].primitive == primitive &&
          quads[3].primitive == primitive;
}

/** Of two CM_EVENT_REGIONS: whether their quads, whichever these are, ran the same. */
static inline bool
cm_regions_are_alike(const uint32_t *a, const uint32_t *b)
{
   bool alike = !((*a ^ *b) & ~(CM_REGIONS_QUADS << 8));
   for (uint32_t w = 1; alike && w <= cm_regions_words(*a); w++)
      alike = a[w] == b[w];
   return alike;
}

/** The masks of four quads, of the same kind, together: 15 where all of the fragments are in all four. */
#define CM_FOUR_QUADS(quads, mask) ((quads)[0].mask & (quads)[1].mask & (quads)[2].mask & (quads)[3].mask)

#endif
