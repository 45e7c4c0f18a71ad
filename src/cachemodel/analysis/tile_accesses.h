/* SPDX-License-Identifier: MIT */
/**
 * How many accesses the sets get while a tile is rendered, sets without any left
 * out (Figure 8 of "Boustrophedonic Frames"): where it is one, reversing the tiles
 * reverses the accesses to the set.
 */
#ifndef CM_TILE_ACCESSES_H
#define CM_TILE_ACCESSES_H

#include <stdint.h>

#include "analysis/histogram.h"

struct cm_tile_accesses;

/** NULL when out of memory. */
struct cm_tile_accesses *cm_tile_accesses_create(uint32_t sets);
void cm_tile_accesses_destroy(struct cm_tile_accesses *accesses);

/** An access of the running tile to a set. */
void cm_tile_accesses_add(struct cm_tile_accesses *accesses, uint32_t set);

/** Ends the tile: adds each set's number of accesses, if there were any, to the histogram. */
void cm_tile_accesses_end(struct cm_tile_accesses *accesses, struct cm_histogram *histogram);

#endif
