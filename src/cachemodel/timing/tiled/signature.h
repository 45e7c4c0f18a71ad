/* SPDX-License-Identifier: MIT */
/** The Signature Unit of rendering elimination (docs/elimination.md), in parallel with the Polygon List Builder, or the tiler of
 * shader cores: primitive by primitive, a block of attributes or constants per cycle, and at the same time tile by tile. */
#ifndef CM_SIGNATURE_TIMING_H
#define CM_SIGNATURE_TIMING_H

#include "config/config.h"
#include "timing/log.h"
#include "timing/queues.h"
#include "util/minmax.h"

struct cm_signature_timing {
   struct cm_queue queue; /**< primitives that wait for it */
   uint64_t until, busy;  /**< when it is done with all it was given; cycles of work */
};

static inline void
cm_signature_timing_init(struct cm_signature_timing *unit, const struct cm_config *config,
                         struct cm_pool *pool)
{
   if (cm_config_has_rendering_elimination(config))
      cm_queue_init(&unit->queue, config->rendering_elimination.queue, pool);
}

/** Signs a primitive, with which the stage before it begins at a cycle, or when there is room in the queue. Returns when
 * that is. */
static inline uint64_t
cm_signature_timing_sign(struct cm_signature_timing *unit, const struct cm_config *config,
                         const struct cm_logged_binned *binned, uint64_t cycle)
{
   if (!binned->signed_blocks)
      return cycle;
   const uint64_t enters = cm_later(cycle, cm_queue_room(&unit->queue));
   const uint64_t begin = cm_later(enters, unit->until);
   const uint64_t tiles = (uint64_t)binned->signed_tiles * config->rendering_elimination.tile_cycles;
   const uint64_t cycles = cm_max64(binned->signed_blocks, tiles);
   cm_queue_push(&unit->queue);
   cm_queue_pop(&unit->queue, enters, begin);
   unit->until = begin + cycles;
   unit->busy += cycles;
   return enters;
}

#endif
