/* SPDX-License-Identifier: MIT */
/** What is known of the pixels that a tile stores, and of its inputs (events/tile_content.h). */
#ifndef TBR_TILE_CONTENT_H
#define TBR_TILE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/u_formats.h"
#include "events/pixel_block.h"
#include "tbr_limits.h"

struct tbr_signatures;
struct tbr_tile_thread;

/** An image that the pass loads or stores, or resolves to. */
struct tbr_surface_content {
   bool stored; /**< its tiles are described: the pass stores it, whole groups at a time */
   struct cm_pixel_layout layout;
   struct tbr_signatures *signatures; /**< NULL: they are not known, nor kept */
   uint64_t version;                  /**< of its memory */
   uint32_t column, row; /**< of a resolve: the group of the image that has the rectangle's first pixel */
};

/** A tile's inputs in a frame. */
struct tbr_tile_inputs {
   uint64_t inputs; /**< a signature; TBR_UNKNOWN_SIGNATURE: unknown */
   uint64_t stored; /**< of all that it stored */
};

/** Inputs of all tiles of a pass, in one frame. */
struct tbr_pass_inputs {
   uint32_t users;
   uint32_t frame;
   uint32_t num_tiles;
   struct tbr_tile_inputs tiles[];
};

/** Of a pass whose contents are asked for. */
struct tbr_pass_contents {
   struct cm_tile_content *tiles;
   uint32_t frame;
   struct tbr_surface_content attachment[TBR_NUM_ATTACHMENTS]; /**< by enum tbr_attachment_number */
   struct tbr_surface_content resolve[TBR_MAX_COLOR_BUFFERS];
   uint64_t pass_inputs; /**< signature of what all tiles have in common; TBR_UNKNOWN_SIGNATURE: unknown */
   const uint64_t *draw_inputs;    /**< of each of the pass' draws, the same */
   struct tbr_pass_inputs *inputs; /**< NULL: there was no memory */
   const struct tbr_pass_inputs *
      earlier[CM_EARLIER_FRAMES]; /**< of the same pass in the frames before, the last first; NULL: unknown */
};

/** How the channels of a format lie in a pixel. False: not as the compressor needs them. */
bool tbr_describe_pixel(enum pipe_format format, struct cm_pixel_layout *layout);

/** A signature of n bytes and of another signature; never TBR_UNKNOWN_SIGNATURE. */
uint64_t tbr_signature(const void *bytes, size_t n, uint64_t other);

/** The tile is about to be stored: notes what memory has. thread->pass has contents. */
void tbr_tile_content_begin(struct tbr_tile_thread *thread);
/** The tile has been stored. */
void tbr_tile_content_end(struct tbr_tile_thread *thread);

#endif
