/* SPDX-License-Identifier: MIT */
/**
 * The Fragment Processors' texture units. A quad's groups of reads (timing/log.h) are looked up in order, quad after
 * quad; a miss waits for an MSHR of its cache, which the next one does not overtake. All units' misses go out in the
 * order of time.
 */
#ifndef CM_TILED_TEXTURE_H
#define CM_TILED_TEXTURE_H

#include "timing/tiled/memory.h"

/** The reads of a quad that are not all done. */
struct cm_texture_quad {
   uint64_t number;            /**< who reads, as the Fragment Processors count */
   struct cm_wait *wait;       /**< where what is read is added */
   bool *pending;              /**< becomes false when all is done */
   const cm_entry *next, *end; /**< groups, or requests, that were not looked up */
   uint64_t at;                /**< the cycle from which on the next group can be */
   uint32_t piece;             /**< cycles from a group to the next */
   /* What was looked up last. */
   const cm_entry *miss, *misses_end; /**< what it causes that did not happen yet */
   uint64_t cycle;                    /**< from which on it can */
   struct cm_mshrs *mshrs;
   uint32_t back; /**< cycles of the data's way */
};

/** A processor's unit: the quads it has to do, a ring. */
struct cm_texture_unit {
   struct cm_texture_quad *quads;
   uint32_t first, count;
   uint64_t clock; /**< of what it does next */
};

struct cm_texture_timing {
   struct cm_tiled_memory *memory;
   struct cm_texture_unit *units; /**< by processor */
   uint32_t num_units, size;
   uint32_t busy;    /**< units that have quads */
   uint32_t soonest; /**< the one that is next */
};

/** Units for so many quads at once each. False when out of memory. */
bool cm_texture_timing_init(struct cm_texture_timing *texture, struct cm_tiled_memory *memory,
                            uint32_t num_units, uint32_t size);
void cm_texture_timing_finish(struct cm_texture_timing *texture);

/** A quad's reads: groups from token to end, the first one at a cycle, others so many cycles after the one before. What
 * they wait for is added to wait, which stays where it is; *pending says whether more will be. */
void cm_texture_timing_quad(struct cm_texture_timing *texture, uint32_t processor, const cm_entry *token,
                            const cm_entry *end, uint64_t cycle, uint32_t piece, struct cm_wait *wait,
                            bool *pending);

/** Whether there is something to do, and when. */
bool cm_texture_timing_ready(struct cm_texture_timing *texture, uint64_t *clock);
/** Does it. */
void cm_texture_timing_step(struct cm_texture_timing *texture);

#endif
