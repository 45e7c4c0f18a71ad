/* SPDX-License-Identifier: MIT */
/**
 * The immediate-mode GPU (mode imr; docs/immediate.md): primitives in order, no Parameter Buffer, depth, stencil
 * and colour in memory, accessed through render caches ("Efficient Management of Last-level Caches in Graphics Processors for
 * 3D Scene Rendering Workloads", MICRO 2013: GSPC, sections 2.1 and 4).
 *
 * A pass, in this order:
 *
 *    clears    attachment by attachment: depth and its HiZ buffer, stencil, colours
 *    draws     one after another: the Vertex Stage of all its vertices, then its primitives
 *    resolves  the samples are read, the averages written
 *    end       the render caches write back and invalidate the attachments
 *
 * A primitive goes through the regions that it covers (immediate_order.h). For each region: HiZ is read if the
 * draw's tests allow it; then block by block of 4x4 pixels, without those that HiZ hides as a whole:
 * stencil and depth (late ones after the shaders), the shaders and their texture reads quad by quad, the
 * colours; then HiZ is written, if depth was.
 */
#ifndef CM_IMMEDIATE_H
#define CM_IMMEDIATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_fragment_stage;
struct cm_framebuffer_stage;
struct cm_geometry_stage;
struct cm_gpu;
struct cm_immediate;
struct cm_shading_worker;

/** The immediate-mode part of a GPU whose other parts are built. NULL when out of memory. */
struct cm_immediate *
cm_immediate_create(struct cm_gpu *gpu, struct cm_geometry_stage *geometry,
                    const struct cm_fragment_stage *fragment, const struct cm_framebuffer_stage *framebuffer);
void cm_immediate_destroy(struct cm_immediate *immediate);

/** The GPU's pass begins; one of its tiles, which is copied; all of the pass, after its last tile. False when
 * out of memory. */
bool cm_immediate_begin(struct cm_immediate *immediate);
bool cm_immediate_tile(struct cm_immediate *immediate, uint32_t tile);
bool cm_immediate_end(struct cm_immediate *immediate);

/** Quads that are run together, about; a primitive that has more is run in parts, which end between regions. */
#define CM_PRIMITIVE_RUN_QUADS 4096

/** Primitives of the pass, [first, end), in their order; or a part of one. */
struct cm_primitive_run {
   uint32_t first, end;
   size_t num_quads; /**< that they have */
   size_t quads_begin,
      quads_end; /**< the part: among the primitive's quads, which are in order. quads_end 0: it is no part */
};

/** Whether any of their quads is shaded by one of these draws, which are given by number. */
bool cm_immediate_runs_any(const struct cm_immediate *immediate, const struct cm_primitive_run *run,
                           const bool *draws);

/** Runs them. False when out of memory. */
bool cm_immediate_run(struct cm_immediate *immediate, const struct cm_primitive_run *run);

/** A shading worker's own units, which run primitives of the GPU's. NULL when out of memory. */
struct cm_immediate *
cm_immediate_create_for_worker(const struct cm_immediate *immediate, struct cm_shading_worker *worker);
/** They take over the pass' attachments. */
void cm_immediate_follow(struct cm_immediate *its, const struct cm_immediate *immediate);
/** What they have written the GPU's have. */
void cm_immediate_join(struct cm_immediate *immediate, const struct cm_immediate *its);

#endif
