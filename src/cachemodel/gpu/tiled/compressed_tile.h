/* SPDX-License-Identifier: MIT */
/** Loads and flushes of tiles of compressed images (gpu/compression.h). */
#ifndef CM_COMPRESSED_TILE_H
#define CM_COMPRESSED_TILE_H

#include "gpu/compression.h"
#include "gpu/tiled/stages.h"

/** Reads or writes pixels of an image, all inside it. content: what is known of pixels that are written, from the part's first one on;
 * NULL: nothing. False: it is not compressed, and nothing was done. */
bool cm_compressed_tile_transfer(struct cm_gpu *gpu, struct cm_resource *resource, uint32_t level,
                                 uint32_t layer, struct cm_rectangle part, enum cm_stream stream, bool store,
                                 const struct cm_stored_surface *content);

#endif
