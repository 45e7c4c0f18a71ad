/* SPDX-License-Identifier: MIT */
/**
 * What the processors and fixed-function units of a tile-based GPU did, as far as the event stream tells: what
 * energy takes for each operation (docs/energy.md). Counted beside the memory hierarchy, tile by tile, and only
 * where the configuration asks for it (cm_config_counts_operations).
 *
 * Mode tbr: each quad is rasterised with its attributes, then tested (TCOR II-A). Mode tbdr: hidden surfaces
 * are removed by a rasterizer and a test of depth of their own, over all quads and without attributes; the visible
 * quads are then rasterised once more ("DTM-NUCA" II-C). Of quads that are not shaded the stream tells in passes
 * of CM_PASS_FULL only; of other passes, hidden ones are missing here.
 */
#ifndef CM_OPERATIONS_H
#define CM_OPERATIONS_H

#include <stdint.h>

struct cm_draw;
struct cm_gpu;

/** A draw's program ran for so many vertices. */
void cm_operations_vertices(struct cm_gpu *gpu, const struct cm_draw *draw, uint64_t vertices);

/** A tile of the pass, after cm_fragment_stage. */
void cm_operations_tile(struct cm_gpu *gpu, uint32_t tile);

#endif
