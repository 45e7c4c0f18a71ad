/* SPDX-License-Identifier: MIT */
/**
 * Derives the events that a deferred GPU shades from those of a tile of a CM_PASS_FULL.
 *
 * In groups with CM_SHADE_DEFERRED only the visible fragments remain; quads, footprints, accesses
 * to storage and events without any are removed. What remains of a run of primitives is ordered by block:
 * 4×4 pixels, row by row from the tile's upper left. Within a block the primitive comes
 * first that has the first visible fragment (in any sample), by quad, then by bit in the
 * quad's mask; if two have it, the one that was drawn first. A primitive's quads in
 * a block follow each other as in the words: those that are next to each other in a group make one
 * group. With in_draw_order a run keeps its order, too. Runs, and groups without the flag, keep their order.
 */
#ifndef CM_DEFERRED_H
#define CM_DEFERRED_H

#include "events/event_stream.h"

struct cm_deferred_block;
struct cm_deferred_quad;

/** Memory that is reused from tile to tile. Initially all zero. */
struct cm_deferred {
   const struct cm_tile_events *result; /**< of the kind CM_PASS_TBDR */
   bool in_draw_order;                  /**< of the caller: what remains of a run is not ordered by block */
   /* Private: memory for it, and the visible quads of a run of primitives. */
   struct cm_tile_events events;
   struct cm_deferred_block *blocks, *sorted;
   struct cm_deferred_quad *quads;
   size_t num_blocks, num_quads, blocks_capacity, sorted_capacity, quads_capacity;
};

/** Makes deferred->result from a full pass' tile: the tile itself if all of it is shaded in order. False when out
 * of memory. */
bool cm_deferred_build(struct cm_deferred *deferred, const struct cm_tile_events *full);

/** Makes pass->deferred from a full pass' tiles, for all simulations of it in mode tbdr. Its words are those of
 * pass->deferred_words, an allocation, and of pass->tiles. False, with nothing done, when out of memory. */
bool cm_deferred_build_pass(struct cm_deferred *deferred, struct cm_pass *pass);

/** Frees the memory. */
void cm_deferred_finish(struct cm_deferred *deferred);

#endif
