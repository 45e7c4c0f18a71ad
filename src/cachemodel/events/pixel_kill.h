/* SPDX-License-Identifier: MIT */
/**
 * Forward pixel kill (key fragment_stage.pixel_kill): derives what is shaded of a tile of a CM_PASS_FULL, where quads that have
 * passed the early tests wait, and a later one may remove them. docs/pixel-kill.md has the sources.
 *
 * A quad waits until so many others have come after it. It is killed when one of these is at the same place, opaque (of a group
 * with CM_SHADE_DEFERRED), and passes at all four fragments; or passes at those at which the last quad at the place, opaque too, did
 * not. That last one is not killed then. Not killed are:
 *
 * - a quad that stores to memory, or whose depth or stencil is written after its shader;
 * - by quads before the next flush: a quad of an opaque draw that is visible. That is so with several samples a pixel, where all
 *   four fragments may be covered, and not all samples.
 */
#ifndef CM_PIXEL_KILL_H
#define CM_PIXEL_KILL_H

#include "events/event_stream.h"
#include "util/array.h"

/** The most quads that can wait. */
#define CM_MOST_WAITING_QUADS 65536

/** Memory that is reused from tile to tile. Initially all zero. */
struct cm_pixel_kill {
   /** Words as of the tile, but killed quads have no live fragment, and none that is written, in their group. Behind it they are
    * in a CM_EVENT_UNSHADED with CM_UNSHADED_KILLED, as they were. The tile's own words if no quad is killed. */
   const struct cm_tile_events *result;
   /* Private. */
   struct cm_tile_events events; /* memory for it */
   struct cm_array places;       /* struct place by row and column of the tile */
   struct cm_array quads;        /* struct quad: those that have come, in their order */
   uint32_t num_quads, num_killed;
   uint32_t side;     /* quads of a row of the tile */
   uint32_t waiting;  /* how many others come after a quad while it waits */
   uint32_t interval; /* flushes so far */
};

/** Makes kill->result from the words of a tile of a full pass. waiting: up to CM_MOST_WAITING_QUADS. False when out of
 * memory. */
bool cm_pixel_kill_build(struct cm_pixel_kill *kill, uint32_t waiting, const struct cm_pass *pass,
                         const struct cm_tile_events *full);

/** Frees the memory. */
void cm_pixel_kill_finish(struct cm_pixel_kill *kill);

#endif
