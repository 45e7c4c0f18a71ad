/* SPDX-License-Identifier: MIT */
/**
 * An attachment in memory, accessed by the units of an immediate-mode GPU that test and blend: a block of
 * 4x4 pixels at a time, each memory block of its fragments once.
 *
 * A fragment's pixel is accessed with all its samples: events have per fragment what was written in any sample.
 */
#ifndef CM_RENDER_SURFACE_H
#define CM_RENDER_SURFACE_H

#include "gpu/gpu_internal.h"

/** Pixels of a block's side. */
#define CM_PIXEL_BLOCK 4

struct cm_render_surface {
   struct cm_resource *resource; /**< NULL: nothing is attached */
   const struct cm_attachment *attachment;
   const struct cm_texture_layout *layout;
   const struct cm_texture_level *level;
   enum cm_stream stream;
   uint32_t block_shift; /**< of the blocks of the stream's first unit */
   bool written;         /**< in this pass */
   bool writes_parts;    /**< immediate.pixel_writes: partial */
   /* The layer of cm_render_surface_select. */
   bool has_layer;
   uint64_t address;
   bool has_shape; /**< blocks of memory are rectangles of pixels */
   struct cm_block_shape shape;
};

/** What an access does; bits. */
enum cm_surface_access {
   CM_SURFACE_READ = 1,
   CM_SURFACE_WRITE = 2,     /**< after reading */
   CM_SURFACE_KEEP_PART = 4, /**< a part of each pixel is not overwritten */
};

/** An attachment of the GPU's pass; no pixels of its own, or no resource: nothing is attached. */
void cm_render_surface_bind(struct cm_render_surface *surface, struct cm_gpu *gpu,
                            const struct cm_attachment *attachment, enum cm_stream stream);

/** Selects a layer of the pass, by number. */
void cm_render_surface_select(struct cm_render_surface *surface, uint32_t layer);

/** Accesses the fragments of a block whose upper left pixel is (x, y), multiples of CM_PIXEL_BLOCK. mask: bit
 * 4 * row + column; pixels outside the attachment are skipped. Blocks of memory are accessed row by row in
 * the pixels' order. One that is overwritten as a whole, except the level's padding, need not be read. */
void cm_render_surface_access(struct cm_render_surface *surface, struct cm_hierarchy *hierarchy, uint32_t x,
                              uint32_t y, uint32_t mask, unsigned access);

#endif
