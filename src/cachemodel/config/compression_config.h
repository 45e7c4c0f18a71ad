/* SPDX-License-Identifier: MIT */
/** The part of a configuration that says how framebuffers are compressed without loss: keys framebuffer_compression.*
 * (gpu/compression.h, docs/compression.md). */
#ifndef CM_COMPRESSION_CONFIG_H
#define CM_COMPRESSION_CONFIG_H

#include <stdint.h>

/** Key framebuffer_compression.mode. */
enum cm_compression_mode {
   CM_COMPRESSION_NONE, /**< "none" */
   CM_COMPRESSION_BLOCKS, /**< "blocks": superblocks of blocks of 4x4 pixels, each superblock with a header and a body */
};

/** Where the colour of a superblock is whose pixels are all equal: key framebuffer_compression.solid_colors. */
enum cm_solid_colors {
   CM_SOLID_COLORS_IN_HEADER, /**< "in-header": it has no body */
   CM_SOLID_COLORS_IN_BODY,   /**< "in-body" */
};

/** What is read of a body: key framebuffer_compression.reads. */
enum cm_body_reads {
   CM_BODY_READS_BLOCKS, /**< "blocks": the bursts in which the blocks are that are needed; the header has their sizes */
   CM_BODY_READS_SUPERBLOCKS, /**< "superblocks": all of it */
};

/** Its numbers: X(member, lowest value, highest value, what it is) */
#define CM_COMPRESSION_KEYS(X)                                                                            \
   X(superblock_width, 4, 64, "pixels of a superblock's row; a power of two")                             \
   X(superblock_height, 4, 64, "rows of a superblock; a power of two")                                    \
   X(header_bytes, 1, 64, "bytes of a superblock's header; a power of two")                               \
   X(burst, 16, 256,                                                                                      \
     "bytes that bodies, and headers without a cache, are read and written in; a power of two")           \
   X(most_pixel_bytes, 1, 16, "bytes of the largest pixels that are compressed")                          \
   X(superblock_cycles, 0, 1000, "cycles that a tile's load or flush takes besides, for each superblock") \
   X(decompression_cycles, 0, 1000, "cycles that a block read as texture takes besides")

/** Not configured: mode is CM_COMPRESSION_NONE. */
struct cm_compression_config {
   enum cm_compression_mode mode;
   enum cm_solid_colors solid_colors;
   enum cm_body_reads reads;
   uint32_t color, depth,
      display; /**< 0 or 1: which images are compressed; display: of color those that are displayed */
#define CM_COMPRESSION_MEMBER(member, least, most, description) uint32_t member;
   CM_COMPRESSION_KEYS(CM_COMPRESSION_MEMBER)
#undef CM_COMPRESSION_MEMBER
};

#endif
