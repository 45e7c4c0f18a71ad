/* SPDX-License-Identifier: MIT */
/** What tiling.c and levels.c, the Tiling Engine with flat and with hierarchical lists, use of each other. */
#ifndef CM_TILING_INTERNAL_H
#define CM_TILING_INTERNAL_H

#include "gpu/tiled/stages.h"

struct cm_pass;
struct cm_primitive;

/* ---- tiling.c ----------------------------------------------------------------- */

/** The smallest box of tiles that has a primitive's. */
struct cm_tile_box cm_tiling_box(const struct cm_pass *pass, const struct cm_primitive *primitive);

/** Sorts primitives by list (or by tile), those of a list in draw order: list_begin gets, for each list and one more, the index
 * of its first one in list_primitives. False when out of memory. */
bool cm_tiling_sort(const struct cm_binned *binned, uint32_t num_primitives, uint32_t num_lists,
                    struct cm_array *list_begin, struct cm_array *list_primitives);

/** Reads primitive p, whose entry is the n-th one of a list, and its attributes. next: the position of the next tile that reads
 * it (CM_PB_NEVER: none), for an Attribute Cache. */
void cm_tiling_read(struct cm_tiling_stage *tiling, uint32_t p, uint32_t list, uint32_t n, uint32_t next);

/* ---- levels.c ----------------------------------------------------------------- */

/** Decides which lists the binned primitives of the GPU's pass are in. False when out of memory. */
bool cm_tiling_choose_levels(struct cm_tiling_stage *tiling);

/** What the Tile Fetcher reads of a tile. */
void cm_tiling_fetch_levels(struct cm_tiling_stage *tiling, uint32_t tile);

#endif
