/* SPDX-License-Identifier: MIT */
/**
 * Texture placement: where the texels of a texture lie in memory.
 *
 * A texel is what memory knows: a pixel of an uncompressed format with all its
 * samples, or a compression block. Columns and rows count texels in this sense.
 * A layout is computed once a texture; the addresses of a footprint's blocks come
 * from it. A new placement is a struct of functions and a line in the table.
 */
#ifndef CM_PLACEMENT_H
#define CM_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "events/event_stream.h"
#include "memory/cache.h"

/** One mipmap level in a texture's memory. */
struct cm_texture_level {
   uint64_t offset;        /**< bytes from the beginning of the layer */
   uint64_t slice_bytes;   /**< bytes from slice to slice (3D textures) */
   uint32_t row_bytes;     /**< bytes from row to row; the placement's own measure */
   uint32_t width, height; /**< in the event stream's texels */
   uint32_t columns, rows; /**< in memory's texels */
   uint32_t slices;
};

struct cm_placement;

#define CM_NO_SHIFT UINT32_MAX

struct cm_texture_layout {
   const struct cm_placement *placement;
   uint64_t bytes;       /**< of the whole texture */
   uint64_t layer_bytes; /**< from layer to layer */
   uint32_t layers;
   uint32_t texel_bytes;  /**< from texel to texel: all samples */
   uint32_t texel_shift;  /**< binary logarithm of texel_bytes; CM_NO_SHIFT if that is no power of two */
   uint32_t sample_bytes; /**< that one read of a texel touches */
   uint32_t samples; /**< a texel's; more than 1: read one by one, each sample_bytes after the one before */
   uint32_t block_width, block_height; /**< of a compression block; 1 if uncompressed */
   uint32_t num_levels;
   struct cm_texture_level levels[CM_MAX_LEVELS];
};

/** A placement. */
struct cm_placement {
   /** Fills in offset, slice_bytes and row_bytes of all levels, layer_bytes and
    * bytes; the other fields are set. */
   void (*lay_out)(struct cm_texture_layout *layout, const struct cm_config *config);
   /** Bytes from the beginning of a level's slice to a texel. */
   uint64_t (*texel_offset)(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                            uint32_t column, uint32_t row);
};

/** Placements by enum cm_placement_kind.
 *
 * linear: a row's texels one after another, each row padded to a multiple of
 * texture.row_alignment; rows, then slices, then levels one after another, levels
 * from the base up, each at a multiple of 64 bytes; array layers and cube faces
 * outermost, each a whole mipmap chain. */
extern const struct cm_placement *const cm_placements[];

/** The layout of a texture in a configuration. */
void cm_texture_layout_init(struct cm_texture_layout *layout, const struct cm_resource_description *resource,
                            const struct cm_config *config);

/** Byte offset of a texel from the texture's beginning. layer: array layer, cube
 * face, or slice of a 3D texture. All must be in range. */
uint64_t cm_texture_offset(const struct cm_texture_layout *layout, uint32_t level, uint32_t layer,
                           uint32_t column, uint32_t row);

/** A level's layer or slice as footprints are looked up in it. */
struct cm_texture_image {
   const struct cm_texture_layout *layout;
   const struct cm_texture_level *level;
   uint64_t address;     /**< of its first byte */
   uint32_t block_shift; /**< binary logarithm of the block size */
   /** Linear rows that begin with a block, of uncompressed texels that do not straddle
    * blocks: the usual case, which the fields below serve. */
   bool has_rows_of_blocks;
   uint32_t texel_shift; /**< binary logarithm of texels a block */
   uint64_t first_block; /**< number of its first block */
   uint64_t row_blocks;  /**< blocks from row to row */
};

/** Finds the image that a footprint names; what is out of range is clamped. address
 * is the texture's. */
void cm_texture_image_init(struct cm_texture_image *image, const struct cm_texture_layout *layout,
                           uint64_t address, const struct cm_texture_binding *binding,
                           const struct cm_footprint *footprint, unsigned block_shift);

#define CM_MAX_FOOTPRINT_BLOCKS 32

/** The blocks (numbers: address >> block_shift) that a footprint reads, in order:
 * for each live fragment 0 … 3, each distinct block of its texels (x, y),
 * (x+1, y), (x, y+1), (x+1, y+1) once. Returns how many, at most
 * CM_MAX_FOOTPRINT_BLOCKS. */
unsigned cm_footprint_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                             const struct cm_footprint *footprint, uint64_t *blocks);

/** The same in short: false where the texels lie in more than two columns of blocks or
 * more than CM_GRID_ROWS rows, or not all inside an image that has_rows_of_blocks. */
bool cm_footprint_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                       struct cm_read_grid *grid);

#endif
