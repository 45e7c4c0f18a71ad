/* SPDX-License-Identifier: MIT */
/**
 * Hierarchical lists of tiles, as Mali's tiler writes them (docs/parameter-buffer.md): there are lists of tiles, of squares of
 * 2x2 tiles, 4x4 and so on, up to the whole pass. A primitive is in lists of one level, which its size decides; a tile's
 * primitives are in the lists of all squares that contain it.
 *
 * A square is a bin. The lists are numbered: those of the finest level first, each level row by row; the layers of a pass,
 * which lie one below the other, follow one another.
 */
#ifndef CM_TILE_LEVELS_H
#define CM_TILE_LEVELS_H

#include <assert.h>
#include <stdint.h>

/** The most levels: bins of 16 to 65536 pixels. */
#define CM_MOST_TILE_LEVELS 13

struct cm_tile_levels {
   uint32_t count; /**< of levels; 0: lists are flat, one for each tile */
   struct cm_tile_level {
      uint32_t shift;   /**< a bin's side is of 2^shift tiles */
      uint32_t columns; /**< of bins */
      uint32_t first;   /**< number of its first list in a layer */
   } levels[CM_MOST_TILE_LEVELS];
   uint32_t layer_rows;  /**< rows of tiles of a layer */
   uint32_t layer_lists; /**< of all levels of a layer */
};

/** Tiles x0 … x1 of rows y0 … y1, all inclusive. */
struct cm_tile_box {
   uint32_t x0, y0, x1, y1;
};

/** The levels of layers of so many tiles, at most `most` (1 … CM_MOST_TILE_LEVELS). If these are not enough for all sizes from a
 * tile to more than half of the longer side, the finest ones are missing. None is coarser than the layer. */
void cm_tile_levels_init(struct cm_tile_levels *levels, uint32_t most, uint32_t columns, uint32_t rows);

/** How many bins of a level a box of a layer has tiles of. */
static inline uint32_t
cm_tile_level_bins(const struct cm_tile_level *level, struct cm_tile_box box)
{
   return ((box.x1 >> level->shift) - (box.x0 >> level->shift) + 1) *
          ((box.y1 >> level->shift) - (box.y0 >> level->shift) + 1);
}

/** The number of the level for a primitive of that box, in one layer of a pass: the finest on which it has no more than `most`
 * bins, or the coarsest. */
uint32_t cm_tile_levels_find(const struct cm_tile_levels *levels, struct cm_tile_box box, uint32_t most);

/** The number of the list of a level's bin that has a tile of a pass. */
static inline uint32_t
cm_tile_levels_list(const struct cm_tile_levels *levels, uint32_t number, uint32_t x, uint32_t y)
{
   const struct cm_tile_level *level = &levels->levels[number];
   assert(number < levels->count);
   return y / levels->layer_rows * levels->layer_lists + level->first +
          (y % levels->layer_rows >> level->shift) * level->columns + (x >> level->shift);
}

#endif
