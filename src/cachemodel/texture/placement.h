/* SPDX-License-Identifier: MIT */
/**
 * Texture placement: where the texels of a texture lie in memory.
 *
 * A texel here is the unit of memory: a pixel of an uncompressed format with all its
 * samples, or a compression block. Columns and rows count texels in this sense.
 * A layout is computed once per texture; the addresses of a footprint's blocks come
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
   uint64_t offset;      /**< bytes from the beginning of the layer */
   uint64_t slice_bytes; /**< bytes from slice to slice (3D textures) */
   uint32_t row_bytes;   /**< CM_ORDER_ROWS: bytes from row to row */
   uint64_t
      row_texels; /**< other orders: texels from a row of the outermost tiles to the next (texel_order.h) */
   uint8_t inner_shift;    /**< other orders: binary logarithm of the side of a tile (texel_order.h) */
   uint8_t outer_shift;    /**< CM_ORDER_TILES: of the outer tile's side */
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

/** The order of the texels of a slice of a level, on which the fast paths to a
 * footprint's blocks depend. */
enum cm_texel_order {
   CM_ORDER_ROWS,   /**< row after row */
   CM_ORDER_TILES,  /**< tiles of tiles, each in rows */
   CM_ORDER_MORTON, /**< the bits of column and row in turn */
};

/** A placement. */
struct cm_placement {
   enum cm_texel_order order;
   /** Fills in offset, slice_bytes and what its order needs of all levels, layer_bytes and
    * bytes; the other fields are set. */
   void (*lay_out)(struct cm_texture_layout *layout, const struct cm_config *config);
   /** Bytes from the beginning of a level's slice to a texel. */
   uint64_t (*texel_offset)(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                            uint32_t column, uint32_t row);
};

/** Placements by enum cm_placement_kind. In all of them slices and then levels lie one
 * after another, levels from the base up; array layers and cube faces are outermost, each a
 * whole mipmap chain.
 *
 * linear: a row's texels one after another, each row padded to a multiple of
 * texture.row_alignment; levels begin at a multiple of 64 bytes.
 *
 * The others are those of the thesis "Design of a Banked Texture Cache", chapter 2, whose
 * textures have sides of powers of two and texels of 4 bytes. What it leaves open is
 * tbrsim's: a texel is of any size, and a compression block is a texel; levels are padded to
 * whole tiles at their right and lower edges. A slice begins at a multiple of its outermost
 * tile's bytes, of 64 bytes at least and 4 KiB at most (of 64 where a texel's bytes are no
 * power of two).
 *
 * 4d: tiles of texture.first_level_tile x texture.first_level_tile texels, row after row; in
 * a tile its rows one after another (Figures 2-1 and 2-2). A row of tiles is as long as the
 * level needs, where the thesis shifts by a logarithm.
 * 6d: tiles as in 4d within tiles of texture.second_level_tile (Figures 2-3 and 2-4).
 * rz: recursive Z: the bits of column and row in turn, the column's first; the longer side's
 * bits that are left come last (Figures 2-5 and 2-6). There are as many bits as a side padded to
 * a power of two needs; along the longer side, only the squares that it reaches exist.
 * morton-4k: recursive Z within pages of 4 KiB, pages in rows: the largest power of two of
 * texels that fits, square or twice as wide as high. Levels that are smaller than a page in a
 * direction have smaller pages. Not from the thesis: common in GPUs. */
extern const struct cm_placement *const cm_placements[];
extern const struct cm_placement cm_placement_4d;
extern const struct cm_placement cm_placement_6d;
extern const struct cm_placement cm_placement_rz;
extern const struct cm_placement cm_placement_morton_4k;

/** The layout of a texture in a configuration. */
void cm_texture_layout_init(struct cm_texture_layout *layout, const struct cm_resource_description *resource,
                            const struct cm_config *config);

/** Byte offset of a texel from the texture's beginning. layer: array layer, cube
 * face, or slice of a 3D texture. All must be in range. */
uint64_t cm_texture_offset(const struct cm_texture_layout *layout, uint32_t level, uint32_t layer,
                           uint32_t column, uint32_t row);

/** Bytes from the texture's beginning to a level's layer or slice. */
uint64_t cm_texture_slice_offset(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                                 uint32_t layer);

/** The shape of memory's blocks in a level: rectangles of texels. */
struct cm_block_shape {
   uint8_t column_shift, row_shift; /**< binary logarithms of columns and rows */
};

/** The shape of the blocks of a slice that begins at an address; false where blocks are no
 * such rectangles, or texels straddle blocks. */
bool cm_texture_block_shape(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                            uint64_t address, unsigned block_shift, struct cm_block_shape *shape);

/** A level's layer or slice, in the form in which footprints are looked up. */
struct cm_texture_image {
   const struct cm_texture_layout *layout;
   const struct cm_texture_level *level;
   uint64_t address;     /**< of its first byte */
   uint32_t block_shift; /**< binary logarithm of the block size */
   /** Linear rows that begin with a block, of texels that do not straddle blocks, or of compression blocks whose sides
    * are powers of two: the usual case, which the fields below serve. */
   bool has_rows_of_blocks;
   /** The same in other orders, whose blocks are rectangles. */
   bool has_tiles_of_blocks;
   uint8_t grid_rows;           /**< most rows of blocks of a footprint's grid; 0: footprints have none */
   struct cm_block_shape shape; /**< of a block in texels, where one of the two is so */
   int16_t block_end[2];        /**< the same: number of a block's last column and row in it */
   struct cm_block_shape compression; /**< the same: of a compression block; 0, 0: uncompressed */
   uint32_t texel_shift; /**< binary logarithm of texels per block, or of its compression blocks */
   uint64_t first_block; /**< number of its first block */
   uint64_t row_blocks;  /**< of has_rows_of_blocks: blocks from row to row */
};

/** Finds the image that a footprint names; numbers out of range are clamped. address
 * is the texture's. */
void cm_texture_image_init(struct cm_texture_image *image, const struct cm_texture_layout *layout,
                           uint64_t address, const struct cm_texture_binding *binding,
                           const struct cm_footprint *footprint, unsigned block_shift);

#define CM_MAX_FOOTPRINT_BLOCKS 32

/** The texels between which the first texels of a footprint's live fragments lie, as pairs: x in the lower half, y. */
struct cm_texel_bounds {
   uint32_t least, greatest; /**< of x and of y */
};

/** Those of up to four footprints that lie one after another. Of one without live fragments they are of no use. */
void
cm_footprints_bounds(const struct cm_footprint *footprints, unsigned count, struct cm_texel_bounds bounds[4]);

/** How many blocks the live fragments of a linear footprint read, inside an image that has a grid: each 1 or 2 columns
 * times 1 or 2 rows. */
uint32_t
cm_footprint_linear_reads(const struct cm_texture_image *image, const struct cm_footprint *footprint);

/** Where a grid of so many columns, rows and reads lies in an image that has_tiles_of_blocks. left, top: column and row of
 * its first block. */
struct cm_block_grid cm_place_grid_in_tiles(const struct cm_texture_image *image, uint32_t left, uint32_t top,
                                            struct cm_block_grid grid);

/** What the grids of footprints have in common that differ only in their quad, in which fragments are live, and in their
 * texels. */
struct cm_footprint_kind {
   const struct cm_texture_image *image;
   uint32_t width, height; /**< the image's */
   uint32_t more;          /**< columns and rows beyond the first */
   /** Usually blocks are a row of texels each. Then 15, and what one reads that lies in one column of blocks and of which all
    * fragments are live. Otherwise a mask of more fragments than there are. */
   uint32_t usual_live, usual_reads;
   uint32_t spread_rows; /**< a grid of up to so many rows spreads (cm_cache_spreads); 0: that is not known */
   /** The image is one block, which each live fragment reads once, wherever its texels lie. cm_footprint_blocks_of_grid and
    * cm_footprint_cells are not for it. */
   bool is_one_block;
};

/** The kind of a footprint of an image, but for spread_rows. */
static inline struct cm_footprint_kind
cm_footprint_kind(const struct cm_texture_image *image, const struct cm_footprint *footprint)
{
   const uint32_t more = footprint->linear != 0;
   const bool is_usual = image->shape.row_shift == 0;
   return (struct cm_footprint_kind){
      .image = image,
      .width = image->level->width,
      .height = image->level->height,
      .more = more,
      .usual_live = is_usual ? 15 : UINT32_MAX,
      .usual_reads = 4u << more,
   };
}

/** Where a footprint's fragments lie in an image that has_rows_of_blocks, or is one block. A linear fragment reads its row of
 * texels and the next one. Those with a * are of footprints whose grid of blocks spreads (cm_cache_spreads): each of its blocks
 * may be read just once. */
enum cm_footprint_shape {
   /* Of blocks that are a row of texels each. */
   CM_TWO_ROWS,   /**< * one column of blocks; all fragments are in one row */
   CM_THREE_ROWS, /**< * one column; they are in two rows next to each other */
   CM_FOUR_ROWS,  /**< * one column; fragments 0 and 1 are in one row, 2 and 3 in another, two away or more */
   CM_MANY_ROWS,  /**< one column; they are anywhere */
   CM_TWO_COLUMNS, /**< * two; fragments 0 and 1, and 2 and 3, are in one row, 0 and 2, and 1 and 3, above each other */
   CM_ANY_COLUMNS, /**< more than one; they are anywhere */
   /* Of blocks that are several rows of texels, or of an image of one block. */
   CM_ONE_BLOCK,  /**< all is in one */
   CM_TWO_BLOCKS, /**< * all is in two, one above the other */
   /* Of any blocks. */
   CM_ANYWHERE, /**< in others, or some texels are beyond an edge */
};

struct cm_footprint_place {
   uint32_t shape;  /**< enum cm_footprint_shape */
   uint32_t column; /**< the left one: blocks from the first one in a row */
   /** Rows of blocks. Of up to four rows of texels: that of fragment 0; of three then the one that it does not read, of four that of
    * fragment 2. Of two blocks: the first one that fragment 0 reads, and the other one. */
   uint32_t first_row, other_row;
};

/** Whether footprints of a kind have a shape. */
static inline bool
cm_footprint_kind_has_shapes(const struct cm_footprint_kind *kind)
{
   return kind->image->has_rows_of_blocks || kind->is_one_block;
}

/** Finds the places of up to four footprints of such a kind: the first, and others, each `stride` behind the one before.
 * Fragments that are not live are taken to be where the first live one is. Of fewer than four, places beyond are the last one's;
 * that of a footprint without live fragments is of no use. Returns whether the shapes of all come before CM_ONE_BLOCK. */
bool cm_footprint_find_places(const struct cm_footprint_kind *kind, const struct cm_footprint *footprints,
                              unsigned stride, unsigned count, struct cm_footprint_place places[4]);

/** Whether the texels of an image all lie in one block. */
static inline bool
cm_texture_image_is_one_block(const struct cm_texture_image *image)
{
   return image->grid_rows && image->level->width <= 1u << image->shape.column_shift &&
          image->level->height <= 1u << image->shape.row_shift;
}

/** The grid of blocks that a footprint of a kind lies in. False where no fragment is live; also, except in an image of one block,
 * where the texels lie in more than two columns of blocks or more than CM_GRID_ROWS rows (of tiles: two), or not all inside an
 * image that has_rows_of_blocks or has_tiles_of_blocks. bounds: the footprint's. */
static inline __attribute__((always_inline)) bool
cm_footprint_grid(const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
                  const struct cm_texel_bounds *bounds, struct cm_block_grid *grid)
{
   const struct cm_texture_image *image = kind->image;
   const unsigned column_shift = image->shape.column_shift, row_shift = image->shape.row_shift;
   if (kind->is_one_block) {
      const uint32_t reads = cm_quad_fragments(footprint->live);
      *grid = (struct cm_block_grid){
         .block = image->first_block, .column = 1, .row = 1, .columns = 1, .rows = 1, .reads = reads};
      return reads;
   }
   const uint32_t right = (bounds->greatest & 0xffff) + kind->more,
                  bottom = (bounds->greatest >> 16) + kind->more;
   if (bounds->least & 0x80008000 || right >= kind->width || bottom >= kind->height)
      return false; /* some are outside: negative, or too large */

   const uint32_t left = (bounds->least & 0xffff) >> column_shift, top = bounds->least >> 16 >> row_shift;
   const uint32_t more_columns = (right >> column_shift) - left, more_rows = (bottom >> row_shift) - top;
   if (more_columns > 1 || more_rows >= image->grid_rows)
      return false;
   grid->columns = more_columns + 1;
   grid->rows = more_rows + 1;
   grid->reads = kind->usual_reads;
   if (more_columns | (footprint->live ^ kind->usual_live)) {
      const unsigned live = footprint->live & 15;
      if (!live)
         return false;
      grid->reads = kind->more ? cm_footprint_linear_reads(image, footprint) : cm_quad_fragments(live);
   }
   grid->block = image->first_block + left + top * image->row_blocks;
   grid->column = 1;
   grid->row = image->row_blocks;
   if (image->has_tiles_of_blocks)
      *grid = cm_place_grid_in_tiles(image, left, top, *grid);
   return true;
}

/** The blocks (numbers: address >> block_shift) that a footprint reads, in order:
 * for each live fragment 0 … 3, each distinct block of its texels (x, y),
 * (x+1, y), (x, y+1), (x+1, y+1) once. Returns how many, at most
 * CM_MAX_FOOTPRINT_BLOCKS. */
unsigned cm_footprint_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                             const struct cm_footprint *footprint, uint64_t *blocks);

/** The same for a footprint that has these bounds and this grid. */
unsigned
cm_footprint_blocks_of_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                            const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid,
                            uint64_t *blocks);

/** The same as cells of the grid, fragment by fragment; a fragment reads its cells in ascending order. */
static inline __attribute__((always_inline)) void
cm_footprint_cells(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                   const struct cm_texel_bounds *bounds, const struct cm_block_grid *grid,
                   cm_grid_cells cells[4])
{
   const unsigned live = footprint->live & 15, column_shift = image->shape.column_shift,
                  row_shift = image->shape.row_shift;
   const uint32_t more = footprint->linear != 0;
   const uint32_t left = (bounds->least & 0xffff) >> column_shift, top = bounds->least >> 16 >> row_shift;
   assert(live && grid->rows <= CM_GRID_ROWS && grid->columns <= 2);
   if (row_shift == 0 && live == 15) { /* mostly */
      const uint32_t of_column = more ? 5 : 1, next = (left + 1) << column_shift;
      for (unsigned f = 0; f < 4; f++) {
         const uint32_t x = (uint32_t)footprint->texel[f].x, y = (uint32_t)footprint->texel[f].y;
         const uint32_t columns =
            grid->columns == 1 ? 1 : 1u << (x >= next) | (uint32_t)(x + more >= next) << 1;
         cells[f] = columns * of_column << 2 * (y - top);
      }
      return;
   }
   /* A fragment that is not live may be anywhere: what shifts it is cut. */
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t x = (uint32_t)footprint->texel[f].x, y = (uint32_t)footprint->texel[f].y;
      const uint32_t columns =
         1u << (((x >> column_shift) - left) & 31) | 1u << ((((x + more) >> column_shift) - left) & 31);
      cells[f] = columns << (2 * ((y >> row_shift) - top) & 31) |
                 columns << (2 * (((y + more) >> row_shift) - top) & 31);
      cells[f] = live >> f & 1 ? cells[f] : 0;
   }
}

/** The same, texel by texel of each live fragment: the block of each, or its two. */
unsigned cm_footprint_texels(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                             const struct cm_footprint *footprint, uint64_t *blocks);

/** The first of each block of a list, in order. firsts: space for as many. Returns how many. */
unsigned cm_distinct_blocks(const uint64_t *blocks, unsigned count, uint64_t *firsts);

/** Keys texture.*: whether they fit together. */
bool cm_placement_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
