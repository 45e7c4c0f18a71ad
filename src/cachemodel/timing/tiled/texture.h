/* SPDX-License-Identifier: MIT */
/**
 * The Fragment Processors' texture and load/store units. A quad's groups of reads (timing/log.h) are looked up in order, quad after
 * quad; a miss waits for an MSHR of its cache, and the next one does not overtake it. The units' misses are
 * issued in the order of time.
 */
#ifndef CM_TILED_TEXTURE_H
#define CM_TILED_TEXTURE_H

#include "timing/tiled/memory.h"

/** The reads of a quad that are not all done. */
struct cm_texture_quad {
   uint64_t number;            /**< of the reading Fragment Processor */
   struct cm_wait *wait;       /**< reads are added to it */
   bool *pending;              /**< becomes false when all is done */
   const cm_entry *next, *end; /**< groups, or requests, not yet looked up */
   uint64_t at;                /**< earliest cycle of the next group */
   uint32_t piece;             /**< cycles from a group to the next */
   /* Of the last lookup. */
   const cm_entry *miss, *misses_end; /**< its misses that are not yet issued */
   uint64_t cycle;                    /**< the earliest for the next miss */
   struct cm_mshrs *mshrs;
   uint32_t back;    /**< cycles that the data takes back */
   uint32_t from_l2; /**< of a NUCA's miss, where the L2 is in the mesh: from there to the serving cache */
   bool is_store, is_storage;
};

/** A processor's unit: a ring of its pending quads. */
struct cm_texture_unit {
   struct cm_texture_quad *quads;
   uint32_t first, count;
};

#define CM_TEXTURE_UNIT_BITS 8
#define CM_TEXTURE_GROUP 8

struct cm_texture_timing {
   struct cm_tiled_memory *memory;
   struct cm_texture_unit *units; /**< by processor */
   uint32_t size;
   uint32_t busy; /**< units that have quads */
   /* Units by clock. Keys have a clock and below it the unit's number, so that of two with the same clock the first one is
    * less; CM_UNKNOWN: the unit has no work. */
   uint64_t keys[CM_TEXTURE_GROUP * CM_TEXTURE_GROUP];
   uint64_t groups[CM_TEXTURE_GROUP]; /**< the least of each group of units */
   uint64_t least;                    /**< of all */
   bool has_groups;                   /**< more than one */
   bool has_few;                      /**< at most four units */
};

/** num_units units of `size` quads at once, which the pool has room for. */
void cm_texture_timing_init(struct cm_texture_timing *texture, struct cm_tiled_memory *memory,
                            uint32_t num_units, uint32_t size, struct cm_pool *pool);

/** Starts a quad's reads: groups from token to end, the first at `cycle`, each other `piece` cycles after the one
 * before. Reads are added to wait, which must not move; *pending: more of them will be added. */
void cm_texture_timing_quad(struct cm_texture_timing *texture, uint32_t processor, const cm_entry *token,
                            const cm_entry *end, uint64_t cycle, uint32_t piece, struct cm_wait *wait,
                            bool *pending);

/** Whether a unit has work; *clock: at which cycle. */
bool cm_texture_timing_ready(struct cm_texture_timing *texture, uint64_t *clock);
/** Does it: at most so many steps, those after the first one up to a cycle. */
void cm_texture_timing_run(struct cm_texture_timing *texture, uint32_t most, uint64_t until);

#endif
