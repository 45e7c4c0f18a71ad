/* SPDX-License-Identifier: MIT */
/** What is shaded of a tile: the pass' own events, or what hidden surface removal leaves of those of a full pass. */
#ifndef CM_SHADED_EVENTS_H
#define CM_SHADED_EVENTS_H

#include "events/deferred.h"
#include "events/pixel_kill.h"

struct cm_gpu;

/** Memory that is reused from tile to tile. Initially all zero. */
struct cm_shaded_events {
   struct cm_deferred deferred;
   struct cm_pixel_kill pixel_kill;
};

/** Events of a tile of the GPU's pass, until the next one is asked for. full: those that the pass has. NULL when out of
 * memory. */
const struct cm_tile_events *cm_shaded_events_find(struct cm_shaded_events *shaded, const struct cm_gpu *gpu,
                                                   uint32_t tile, const struct cm_tile_events *full);

/** Frees the memory. */
void cm_shaded_events_finish(struct cm_shaded_events *shaded);

#endif
