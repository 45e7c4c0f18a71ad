/* SPDX-License-Identifier: MIT */
/** Tile orders: in which order the Tile Fetcher visits the tiles of a frame. */
#ifndef CM_TILE_ORDER_H
#define CM_TILE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/tiling_config.h"

/** Whether the frame's tiles are visited from last to first. Frames count from 0. */
static inline bool
cm_traversal_reversed(enum cm_frame_traversal traversal, uint32_t frame)
{
   return traversal == CM_TRAVERSAL_BOUSTROPHEDONIC && (frame & 1);
}

/** Writes the row-major number of the tile visited n-th to traversal[n], for all
 * n < tiles_x * tiles_y. Sizes that are no square power of two keep the order of
 * the enclosing square and skip the tiles outside. The time is linear in
 * the number of tiles. The sides are at most 2^24 tiles. */
void cm_tile_order_build(enum cm_tile_order order, uint32_t tiles_x, uint32_t tiles_y, bool reversed,
                         uint32_t *traversal);

/** position[traversal[n]] = n: the inverse, from a tile's row-major number to its
 * traversal position. */
void cm_tile_order_positions(const uint32_t *traversal, uint32_t num_tiles, uint32_t *position);

#endif
