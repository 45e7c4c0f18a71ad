/* SPDX-License-Identifier: MIT */
/** What the parts of the immediate-mode GPU share: immediate.c; immediate_primitives.c for what primitives go through, which
 * shading workers have, too; immediate_pass.c for what happens to the attachments as a whole. */
#ifndef CM_IMMEDIATE_INTERNAL_H
#define CM_IMMEDIATE_INTERNAL_H

#include "gpu/immediate/immediate_order.h"
#include "gpu/immediate/render_surface.h"

struct cm_immediate {
   struct cm_gpu *gpu;
   /* The GPU's, or a shading worker's: where accesses go, counters of stages, the processors, and calls of the timing (NULL: where
    * all others go). */
   struct cm_hierarchy *hierarchy;
   uint64_t *pipeline;
   struct cm_shading *shading;
   struct cm_access_stream *calls;
   /* NULL for a worker. */
   struct cm_geometry_stage *geometry;
   const struct cm_fragment_stage *fragment;
   const struct cm_framebuffer_stage *framebuffer;
   struct cm_quad_order *order, own_order; /**< the quads of the pass; a worker has none of its own */
   struct cm_array scratch;                /**< to sort them */
   /* The attachments of the pass: colours, depth, stencil. */
   uint32_t num_color, num_surfaces;
   struct cm_render_surface surfaces[CM_MAX_COLOR_ATTACHMENTS + 2], *depth, *stencil;
   uint64_t executed;         /**< cm_shading_executed before the current block */
   bool stencil_is_depth;     /**< stencil is in the depth attachment's pixels, and is accessed there */
   struct cm_hiz_buffer *hiz; /**< NULL: no depth attachment */
   const struct cm_hiz_level *hiz_level;
   /* Its layer that is drawn to. */
   uint32_t layer;
   uint64_t hiz_address; /**< of the layer's first region */
};

/** Where a part of a primitive ends that begins with quad `first` of its `count` quads, which are in order: regions are whole. */
size_t cm_immediate_part_end(const struct cm_immediate *immediate, const cm_ordered_quad *quads, size_t count,
                             size_t first);

/** The pass' attachments, its first layer. False when out of memory. */
bool cm_immediate_bind(struct cm_immediate *immediate);

/** The next accesses are in this layer of the attachments. */
void cm_immediate_select_layer(struct cm_immediate *immediate, uint32_t layer);

/** What the pass needs of earlier ones: textures that were attachments, in memory. */
void cm_immediate_prepare(struct cm_immediate *immediate);

/** The clears that the pass begins with. */
void cm_immediate_clear(struct cm_immediate *immediate);

/** The resolves that it ends with. */
void cm_immediate_resolve(struct cm_immediate *immediate);

/** The render caches write back and invalidate the attachments; other caches invalidate those that were written. */
void cm_immediate_write_back(struct cm_immediate *immediate);

#endif
