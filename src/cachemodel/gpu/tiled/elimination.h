/* SPDX-License-Identifier: MIT */
/**
 * Elimination of what is as it was (docs/elimination.md): tiles whose pixels are those of the buffer that they are stored to
 * are not stored (transaction elimination), tiles that are drawn from the same inputs as what is in that buffer are not drawn
 * (rendering elimination). What is the same the event stream says (events/tile_content.h); here is which frame that has
 * to be, what the comparison costs, and which passes take part.
 *
 * A displayed image has frame.buffers buffers, which take turns frame by frame. What a tile stores first in a frame is compared with
 * the frame that is in the same buffer; the next time in the frame with memory. All other images have one buffer.
 *
 * Images with levels, layers or samples take no part.
 */
#ifndef CM_TILED_ELIMINATION_H
#define CM_TILED_ELIMINATION_H

#include "config/config.h"
#include "events/event_stream.h"
#include "events/tile_content.h"
#include "util/array.h"
#include "util/id_table.h"

struct cm_gpu;
struct cm_resource;

/** The last store of a tile in a buffer. */
struct cm_last_store {
   uint32_t frame; /**< its number + 1; 0: none yet */
   uint32_t pass;  /**< cm_elimination_stage.pass; 0: of no such pass */
};

/** The tiles of an image that takes part, in each of its buffers. */
struct cm_stored_tiles {
   uint32_t tiles_x, tiles_y;
   uint32_t buffers;
   uint64_t signatures;         /**< address, of transaction elimination; 0: none */
   struct cm_last_store last[]; /**< by buffer, then by row-major number */
};

/** An image that the pass stores. */
struct cm_stored_image {
   struct cm_stored_tiles *tiles; /**< NULL: it takes no part */
   uint32_t resource;             /**< its identifier */
   uint32_t slot;                 /**< as in struct cm_stored_surface */
   enum cm_stream stream;
   bool is_displayed;
   bool in_place; /**< the pass' tiles are the image's */
};

/** The most images of a pass: colours and their resolves, depth, stencil. */
#define CM_MAX_STORED_IMAGES (2 * CM_MAX_COLOR_ATTACHMENTS + 2)

/** Blocks of signatures that are on chip, the last used one first. */
struct cm_signature_lines {
   struct cm_signature_line {
      uint64_t address;
      enum cm_stream stream;
      bool dirty;
   } lines[64];
   uint32_t count;
};

/** What is eliminated. */
struct cm_elimination_stage {
   struct cm_gpu *gpu;
   bool is_on; /**< there is elimination of some kind */
   struct cm_signature_lines lines;
   /* Passes of a frame to the same attachments count up from 1. */
   struct cm_id_table attachments; /**< a hash of them */
   struct cm_array counted;        /**< struct cm_last_store by its index: the frame, passes in it */
   bool lacks_contents, is_wrong;  /**< already reported */
   /* Of the pass. */
   uint32_t pass; /**< which attachments, which of the frame's passes to them; 0: none */
   struct cm_stored_image images[CM_MAX_STORED_IMAGES];
   uint32_t num_images;
   const struct cm_stored_image *compared; /**< whose stores are compared; NULL: none's are */
   bool skips;                             /**< its tiles are signed, and may be skipped */
   uint32_t signed_draws;                  /**< draws whose constants are signed, and all before them */
   struct cm_array last_draws;             /**< uint32_t by tile: 1 + the last draw that is signed */
};

void cm_elimination_init(struct cm_elimination_stage *elimination, struct cm_gpu *gpu);
void cm_elimination_finish(struct cm_elimination_stage *elimination);

/** The GPU's pass begins, whose attachments have addresses. False when out of memory. */
bool cm_elimination_begin(struct cm_elimination_stage *elimination);
/** It ends: signatures go back to memory. */
void cm_elimination_end(struct cm_elimination_stage *elimination);

/** In a pass with `skips`: the next primitive is binned, which has its tiles there. */
void cm_elimination_sign(struct cm_elimination_stage *elimination, const struct cm_primitive *primitive,
                         const uint32_t *binned_tiles);

/** In a pass with `skips`: whether a touched tile need not be drawn; it counts as stored then. */
bool cm_elimination_skip(struct cm_elimination_stage *elimination, uint32_t tile);

/** Whether the store of a slot need not be made. */
bool cm_elimination_of_store(struct cm_elimination_stage *elimination, uint32_t tile, uint32_t slot);
/** A touched tile has been stored. */
void cm_elimination_stored(struct cm_elimination_stage *elimination, uint32_t tile);

#endif
