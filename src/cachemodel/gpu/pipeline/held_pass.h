/* SPDX-License-Identifier: MIT */
/** A copy of what a pass' tiles need once its geometry is done: they run when the pass after it begins
 * (parameter_buffer.written: among-tiles). It has the memory of the largest pass so far. */
#ifndef CM_HELD_PASS_H
#define CM_HELD_PASS_H

#include <stdbool.h>

#include "events/event_stream.h"
#include "util/array.h"

/** Begins as zeros. */
struct cm_held_pass {
   struct cm_pass pass;
   struct cm_array draws, descriptors, primitives, tiles, touched; /**< its arrays; it has no others */
   struct cm_array words; /**< of all tiles, in the order in which they came */
   size_t num_words;
};

/** Copies a pass without its tiles' words. False when out of memory. */
bool cm_held_pass_begin(struct cm_held_pass *held, const struct cm_pass *pass);
/** Copies a tile's words. False when out of memory. */
bool cm_held_pass_tile(struct cm_held_pass *held, const struct cm_tile_events *events, uint32_t tile);
/** All tiles are copied: the pass is complete. */
void cm_held_pass_end(struct cm_held_pass *held);
void cm_held_pass_finish(struct cm_held_pass *held);

#endif
