/* SPDX-License-Identifier: MIT */
/** What pipeline.c and late_passes.c share: the stages, and how a pass goes through them. */
#ifndef CM_PIPELINE_INTERNAL_H
#define CM_PIPELINE_INTERNAL_H

#include "gpu/compute/compute.h"
#include "gpu/compute/storage.h"
#include "gpu/gpu_internal.h"
#include "gpu/immediate/immediate.h"
#include "gpu/pipeline/held_pass.h"
#include "gpu/tiled/elimination.h"
#include "gpu/tiled/stages.h"

/** The traversal of the last pass, kept while passes are alike. */
struct cm_pass_traversal {
   struct cm_array tiles, positions; /**< uint32_t: tiles in their order, and the inverse */
   uint32_t tiles_x, tiles_y;        /**< 0: none */
   enum cm_tile_order order;
   bool reversed;
};

/** Where passes overlap (parameter_buffer.written: among-tiles): the pass whose geometry is done, and whose tiles run among the
 * geometry of the next one. */
struct cm_late_pass {
   struct cm_held_pass held;
   struct cm_tiling_stage tiling;
   struct cm_pass_traversal traversal;
   const struct cm_pass *pass; /**< NULL: there is none */
   struct cm_array forgotten;  /**< uint32_t: resources that it is the last to name */
   uint32_t num_forgotten;
};

/** The geometry of the current pass, as far as it is done; and which frames are. */
struct cm_pass_progress {
   uint32_t draws, primitives;
   bool is_held;         /**< the pass' tiles are kept, for the next pass */
   bool frame_has_ended; /**< and is not complete: its last pass is late */
   uint64_t *ahead;      /**< by the table of counters: what the geometry of the next frame has counted */
   uint64_t *before;     /**< values before a part of it */
};

/** The stages. Each has its own data, and is told the other stages that it needs. */
struct cm_stages {
   struct cm_storage_stage storage;
   struct cm_geometry_stage geometry;
   struct cm_tiling_stage tiling;
   struct cm_fragment_stage fragment;
   struct cm_framebuffer_stage framebuffer;
   struct cm_elimination_stage elimination;
   struct cm_compute_stage compute;
   struct cm_immediate *immediate; /**< NULL: not in mode imr */
   struct cm_pass_traversal traversal;
   uint32_t num_visited; /**< tiles of the pass that were passed */
   struct cm_late_pass late;
   struct cm_pass_progress progress;
};

/** Finds the order of the tiles of the GPU's pass. False when out of memory. */
bool cm_stages_find_traversal(struct cm_gpu *gpu);
/** Runs a tile of the GPU's pass through the stages. */
void cm_stages_pass_tile(struct cm_gpu *gpu, uint32_t tile);
/** Ends the GPU's pass, whose tiles have all run. */
void cm_stages_end_pass(struct cm_gpu *gpu);

/** late_passes.c: begins the GPU's pass, which overlaps with the late one: that one runs, and this one's tiles are kept. False when
 * out of memory. */
bool cm_stages_begin_held_pass(struct cm_gpu *gpu);
/** All its tiles are kept: it becomes the late one. */
void cm_stages_end_held_pass(struct cm_gpu *gpu);
/** Runs the late pass, if there is one, with nothing among its tiles. */
void cm_stages_finish_late_pass(struct cm_gpu *gpu);

#endif
