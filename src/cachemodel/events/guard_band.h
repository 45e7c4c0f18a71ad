/* SPDX-License-Identifier: MIT */
/**
 * The events of a pass as a GPU with a guard band has them: key primitive_assembly.guard_band.
 *
 * The renderer clips triangles exactly: one that crosses sides of the viewport becomes a fan of up to five, parts of the same
 * plane. A GPU with a guard band rasterises it whole and drops what is outside the viewport. cm_primitive.reach_pixels says which
 * primitives are such parts. Of a CM_PASS_FULL this makes of the parts of triangles within the guard band
 *
 * - one primitive, with the attributes of one and the tiles of all;
 * - in each tile one quad of those that lie at the same place: its masks are those of all, its texture reads and accesses those
 *   of all, those of the same instruction together. What one part's fragments run and another's do not follows behind. Quads
 *   of several runs (a shader that runs once a sample) stay as they are.
 *
 * The quads of such a primitive are in the order in which a whole triangle is rasterised: 16x16 pixels row by row, in them
 * along Morton's curve. All else is as it was, but for the numbers of primitives.
 */
#ifndef CM_GUARD_BAND_H
#define CM_GUARD_BAND_H

#include "events/event_stream.h"
#include "util/array.h"

/** A guard band, with memory that is reused from pass to pass. Initially all zero but for its size. */
struct cm_guard_band {
   uint32_t pixels;     /**< from the window's origin; 0: there is none */
   uint32_t percent;    /**< of the viewport's width and height beyond its sides; 0: as far as pixels says */
   struct cm_pass pass; /**< the pass with whole triangles */
   /* Private. */
   const struct cm_pass *clipped;   /* the pass that it is made of; NULL: no triangle is divided */
   struct cm_array primitives;      /* struct cm_primitive */
   struct cm_array primitive_tiles; /* uint32_t */
   struct cm_array numbers;         /* uint32_t by primitive of clipped: its number in pass */
   struct cm_array divided;         /* bool by primitive of pass: it has several parts */
   struct cm_array tiles;           /* struct cm_tile_events; the words are allocations */
   struct cm_array quads;           /* of a draw's divided triangles in a tile */
   size_t num_quads;
};

/** Begins a pass. Returns the one with whole triangles, without its tiles' words; the same where no triangle is whole; NULL when
 * out of memory. */
const struct cm_pass *cm_guard_band_begin(struct cm_guard_band *band, const struct cm_pass *pass);

/** Makes a tile's words in band->pass.tiles. False when out of memory. */
bool cm_guard_band_tile(struct cm_guard_band *band, uint32_t tile);

/** Frees a tile's words; on any thread, of different tiles at once. Nothing if it has none. */
void cm_guard_band_release(struct cm_guard_band *band, uint32_t tile);

/** The pass ends: frees the words that were not released. */
void cm_guard_band_end(struct cm_guard_band *band);

/** Frees the memory. */
void cm_guard_band_finish(struct cm_guard_band *band);

#endif
