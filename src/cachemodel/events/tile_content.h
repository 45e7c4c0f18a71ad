/* SPDX-License-Identifier: MIT */
/**
 * What a renderer knows of a tile besides its accesses: how small the pixels that it stores can be made without loss, whether
 * they are what was there before, and whether the tile is drawn from the same inputs as in earlier frames. From that the consumer
 * simulates GPUs that compress their framebuffers, that do not store tiles that did not change (transaction elimination), and
 * that do not render tiles whose inputs did not change (rendering elimination). None of it changes what is rendered, or
 * any event.
 *
 * Pixels are in groups of CM_GROUP_SIZE x CM_GROUP_SIZE, and these in blocks of CM_BLOCK_SIZE x CM_BLOCK_SIZE. A row of groups
 * begins with the image's, so that what is known does not depend on the size of tiles. Tiles smaller than a group have
 * no surfaces.
 */
#ifndef CM_TILE_CONTENT_H
#define CM_TILE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Pixels of the side of a group, and of a block. */
#define CM_GROUP_SIZE 16
#define CM_BLOCK_SIZE 4
/** Blocks of a group: row by row. */
#define CM_GROUP_BLOCKS 16
/** The size of a block that cannot be made smaller: its sizes are in so many parts of its bytes. */
#define CM_RAW_SIZE 64
/** Sizes are multiples of this. A size next to CM_RAW_SIZE is not worth it: such blocks are not compressed. */
#define CM_SIZE_STEP 4
/** Frames before this one that contents are compared with. */
#define CM_EARLIER_FRAMES 3

/** In masks of what is the same as before. */
enum {
   CM_SAME_AS_MEMORY = 1 << 0, /**< the pixels that this store replaces */
   CM_SAME_AS_FRAME =
      1 << 1, /**< shifted left by n - 1: what it was when the n-th frame before this one ended, n = 1 …
                                * CM_EARLIER_FRAMES; both have to be known */
};

/** Which image of the pass a surface is: a slot of an attachment (CM_SLOT_DEPTH …), or CM_CONTENT_RESOLVE plus the color attachment
 * whose resolve stores it. */
#define CM_CONTENT_RESOLVE 16

/** The pixels of an image that a tile stores. The image has one sample per pixel; its first pixel in the tile begins a group,
 * so resolves into other places have none, nor have layers after the first of a resolve. Groups at the right and lower border
 * of the image have pixels outside of it: they count as equal to the nearest pixel inside. */
struct cm_stored_surface {
   uint8_t slot;          /**< see CM_CONTENT_RESOLVE */
   uint8_t columns, rows; /**< groups */
   const uint8_t *same;   /**< of each group, row by row: bits, CM_SAME_AS_MEMORY … */
   /** Of each group, CM_GROUP_BLOCKS blocks: the size of the block's pixels when compressed by themselves (docs/compression.md),
    * in 1 / CM_RAW_SIZE of what they are uncompressed, rounded up to 0, CM_SIZE_STEP, 2 * CM_SIZE_STEP … CM_RAW_SIZE - 2 *
    * CM_SIZE_STEP, or CM_RAW_SIZE. 0: all are equal to the first pixel of the group. */
   const uint8_t *sizes;
};

/** Of a tile. Initially all zero: nothing is known. */
struct cm_tile_content {
   /** Bits CM_SAME_AS_FRAME << (n - 1): all that the tile is drawn from is what it was in the n-th frame before, in that frame's pass of
    * the same number to the same attachments: its primitives with their attributes, in order; draws' state, constants and shaders; clears;
    * and the contents of textures. */
   uint8_t same_inputs;
   uint8_t *bytes; /**< the surfaces, one after another; written and read with the functions below */
   size_t num_bytes, capacity;
};

/** Adds a surface; its same and sizes, which are not NULL afterwards, are to be filled in before the next one is added. False
 * when out of memory. */
bool cm_tile_content_add(struct cm_tile_content *content, unsigned slot, unsigned columns, unsigned rows,
                         uint8_t **same, uint8_t **sizes);

/** Reads the surface at *offset (0: the first one) and moves *offset behind it. False: there are no more. */
bool cm_tile_content_next(const struct cm_tile_content *content, size_t *offset,
                          struct cm_stored_surface *surface);

/** Forgets all of it, and keeps the memory. */
void cm_tile_content_reset(struct cm_tile_content *content);

/** Frees the memory. */
void cm_tile_content_finish(struct cm_tile_content *content);

#endif
