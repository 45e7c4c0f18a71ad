/* SPDX-License-Identifier: MIT */
/**
 * How an image is stored that is compressed without loss: the memory of one layer of a mipmap level.
 *
 * It is divided into superblocks, row by row. Headers lie one after another; bodies are at fixed places, each as large as the
 * superblock is uncompressed (AFBC's sparse layout, drm_fourcc.h), so that no body moves when another one changes its size.
 * A body begins at the beginning of its place and has the superblock's blocks of 4x4 pixels, row by row. A superblock that
 * would not get smaller is stored raw. One whose pixels are all equal is solid (framebuffer_compression.solid_colors).
 */
#ifndef CM_COMPRESSED_SURFACE_H
#define CM_COMPRESSED_SURFACE_H

#include <assert.h>

#include "config/config.h"
#include "events/tile_content.h"

/** drm_fourcc.h, AFBC_FORMAT_MOD_SPARSE: places are multiples of so many bytes. */
#define CM_BODY_ALIGNMENT 128
/** Of a block's size (CM_RAW_SIZE): a pixel is one of the 16 of a block. */
#define CM_PIXEL_SIZE (CM_RAW_SIZE / (CM_BLOCK_SIZE * CM_BLOCK_SIZE))
/** Most blocks of a superblock. */
#define CM_SUPERBLOCK_BLOCKS 64

struct cm_compressed_surface {
   const struct cm_compression_config *config;
   uint32_t columns, rows; /**< pixels of the image */
   uint32_t pixel_bytes;
   uint32_t superblocks_x, superblocks_y;
   uint8_t column_shift, row_shift; /**< binary logarithms of a superblock's columns and rows of blocks */
   uint32_t blocks_x;               /**< blocks of a row of `sizes` */
   uint64_t headers, bodies;        /**< addresses */
   uint32_t place_bytes;            /**< from body to body */
   uint8_t *
      sizes; /**< of each block, row by row: cm_stored_surface.sizes of the last store; CM_RAW_SIZE: not known */
};

/** What an image of so many pixels takes; `sizes` is not set. */
void
cm_compressed_surface_init(struct cm_compressed_surface *surface, const struct cm_compression_config *config,
                           uint32_t columns, uint32_t rows, uint32_t pixel_bytes);
/** Bytes of `sizes`; of all headers; of all bodies. */
size_t cm_compressed_surface_blocks(const struct cm_compressed_surface *surface);
uint64_t cm_compressed_surface_header_bytes(const struct cm_compressed_surface *surface);
uint64_t cm_compressed_surface_body_bytes(const struct cm_compressed_surface *surface);

enum cm_superblock_kind { CM_SUPERBLOCK_SOLID, CM_SUPERBLOCK_COMPRESSED, CM_SUPERBLOCK_RAW };

/** A superblock as it is stored. */
struct cm_superblock {
   enum cm_superblock_kind kind;
   uint64_t header, body; /**< addresses */
   uint32_t bytes;        /**< of its body */
   uint32_t columns;      /**< blocks of a row; a power of two */
   uint32_t column_shift; /**< its binary logarithm */
   uint32_t num_blocks;
   uint16_t ends[CM_SUPERBLOCK_BLOCKS]; /**< of its blocks, in the body: parts of 1 / CM_RAW_SIZE block */
};

/** That of a column and a row of superblocks. sizes: surface->sizes, or others like them. */
void cm_superblock_init(struct cm_superblock *superblock, const struct cm_compressed_surface *surface,
                        const uint8_t *sizes, uint32_t column, uint32_t row);

/** Blocks of a superblock; x1, y1 exclusive. */
struct cm_superblock_part {
   uint32_t x0, y0, x1, y1;
};

/** Those that pixels x0, y0 … x1, y1 (exclusive) of the image have of it; they have some. */
static inline struct cm_superblock_part
cm_superblock_part_of(const struct cm_compressed_surface *surface, uint32_t column, uint32_t row, uint32_t x0,
                      uint32_t y0, uint32_t x1, uint32_t y1)
{
   const uint32_t width = surface->config->superblock_width, height = surface->config->superblock_height;
   const uint32_t x = column * width, y = row * height;
   assert(x0 < x + width && x1 > x && y0 < y + height && y1 > y);
   return (struct cm_superblock_part){
      .x0 = x0 > x ? (x0 - x) / CM_BLOCK_SIZE : 0,
      .y0 = y0 > y ? (y0 - y) / CM_BLOCK_SIZE : 0,
      .x1 = (x1 < x + width ? x1 - x + CM_BLOCK_SIZE - 1 : width) / CM_BLOCK_SIZE,
      .y1 = (y1 < y + height ? y1 - y + CM_BLOCK_SIZE - 1 : height) / CM_BLOCK_SIZE,
   };
}

/** The bursts of a body that have a block. False: it has none. */
static inline bool
cm_superblock_block(const struct cm_superblock *superblock, const struct cm_compressed_surface *surface,
                    uint32_t block, uint64_t *begin, uint64_t *end)
{
   const uint64_t burst = surface->config->burst, bytes = surface->pixel_bytes;
   const uint64_t first = block ? superblock->ends[block - 1] : 0, last = superblock->ends[block];
   assert(block < superblock->num_blocks);
   *begin = (superblock->body + first * bytes / CM_PIXEL_SIZE) & ~(burst - 1);
   *end = (superblock->body + (last * bytes + CM_PIXEL_SIZE - 1) / CM_PIXEL_SIZE + burst - 1) & ~(burst - 1);
   return superblock->kind != CM_SUPERBLOCK_SOLID && first != last;
}

/** The next bytes that are to be read of a body for some of its blocks: whole bursts, each once, ascending. *block is the number
 * of the next block to look at, *begin and *end are the last answer: first 0, the body's address and that again. False: there are
 * no more. */
bool cm_superblock_next(const struct cm_superblock *superblock, const struct cm_compressed_surface *surface,
                        struct cm_superblock_part part, uint32_t *block, uint64_t *begin, uint64_t *end);

#endif
