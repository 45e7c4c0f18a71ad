/* SPDX-License-Identifier: MIT */
/* The placements of the thesis "Design of a Banked Texture Cache", chapter 2, and Morton
 * order within pages. */
#include "texture/texel_order.h"
#include "util/minmax.h"

#define PAGE_SHIFT 12
#define LEAST_ALIGNMENT 64

static unsigned
log2_floor(uint64_t value)
{
   return 63 - (unsigned)__builtin_clzll(value);
}

/* Bits that numbers below a value need. */
static unsigned
bits_of(uint32_t size)
{
   return size > 1 ? log2_floor(size - 1) + 1 : 0;
}

static uint64_t
tiles_of(uint32_t size, unsigned tile_shift)
{
   return ((uint64_t)size + (1u << tile_shift) - 1) >> tile_shift;
}

/* What a slice's beginning is a multiple of: its outermost tile's bytes. */
static uint64_t
slice_alignment(const struct cm_texture_layout *layout, uint64_t tile_texels)
{
   const uint64_t bytes = layout->texel_shift == CM_NO_SHIFT ? 0 : tile_texels << layout->texel_shift;
   if (bytes < LEAST_ALIGNMENT)
      return LEAST_ALIGNMENT;
   return bytes < 1ull << PAGE_SHIFT ? bytes : 1ull << PAGE_SHIFT;
}

static uint64_t
align_up(uint64_t value, uint64_t alignment)
{
   return (value + alignment - 1) / alignment * alignment;
}

/* A slice of a level: its texels with their padding, and those of its outermost tile. */
struct extent {
   uint64_t texels, tile_texels;
};

/* Lays out levels whose tiles have been chosen: a function that sets what texel_order.h
 * needs of a level. */
static void
lay_out_levels(struct cm_texture_layout *layout, const struct cm_config *config,
               struct extent (*choose)(const struct cm_texture_layout *layout, struct cm_texture_level *level,
                                       const struct cm_config *config))
{
   uint64_t offset = 0, largest_alignment = LEAST_ALIGNMENT;
   for (uint32_t i = 0; i < layout->num_levels; i++) {
      struct cm_texture_level *level = &layout->levels[i];
      const struct extent extent = choose(layout, level, config);
      const uint64_t alignment = slice_alignment(layout, extent.tile_texels);
      if (alignment > largest_alignment)
         largest_alignment = alignment;
      level->offset = align_up(offset, alignment);
      level->slice_bytes = align_up(extent.texels * layout->texel_bytes, alignment);
      offset = level->offset + level->slice_bytes * level->slices;
   }
   layout->layer_bytes = align_up(offset, largest_alignment);
   layout->bytes = layout->layer_bytes * layout->layers;
}

static struct extent
choose_tiles(struct cm_texture_level *level, uint32_t tile, uint32_t outer_tile)
{
   level->inner_shift = (uint8_t)log2_floor(tile);
   level->outer_shift = (uint8_t)log2_floor(outer_tile);
   const uint64_t tile_texels = (uint64_t)outer_tile * outer_tile;
   level->row_texels = tiles_of(level->columns, level->outer_shift) * tile_texels;
   return (struct extent){level->row_texels * tiles_of(level->rows, level->outer_shift), tile_texels};
}

static struct extent
choose_4d(const struct cm_texture_layout *layout, struct cm_texture_level *level,
          const struct cm_config *config)
{
   return choose_tiles(level, config->texture.first_level_tile, config->texture.first_level_tile);
}

static struct extent
choose_6d(const struct cm_texture_layout *layout, struct cm_texture_level *level,
          const struct cm_config *config)
{
   return choose_tiles(level, config->texture.first_level_tile, config->texture.second_level_tile);
}

/* Rectangles of 2^width_shift x 2^height_shift texels in rows; in them, squares of the shorter
 * side in Morton order. Where they are higher than wide, a row has but one of them. */
static struct extent
choose_morton(struct cm_texture_level *level, unsigned width_shift, unsigned height_shift)
{
   const bool tall = width_shift < height_shift;
   level->inner_shift = (uint8_t)(tall ? width_shift : height_shift);
   level->outer_shift = level->inner_shift;
   if (tall) {
      level->row_texels = 1ull << 2 * width_shift;
      return (struct extent){level->row_texels * tiles_of(level->rows, width_shift),
                             1ull << (width_shift + height_shift)};
   }
   const uint64_t tile_texels = 1ull << (width_shift + height_shift);
   level->row_texels = tiles_of(level->columns, width_shift) * tile_texels;
   return (struct extent){level->row_texels * tiles_of(level->rows, height_shift), tile_texels};
}

static struct extent
choose_rz(const struct cm_texture_layout *layout, struct cm_texture_level *level,
          const struct cm_config *config)
{
   const unsigned width_shift = bits_of(level->columns), height_shift = bits_of(level->rows);
   return choose_morton(level, cm_min(width_shift, height_shift), height_shift);
}

static struct extent
choose_morton_4k(const struct cm_texture_layout *layout, struct cm_texture_level *level,
                 const struct cm_config *config)
{
   const unsigned page =
      layout->texel_bytes >> PAGE_SHIFT ? 0 : log2_floor((1u << PAGE_SHIFT) / layout->texel_bytes);
   const unsigned most_columns = (page + 1) / 2, most_rows = page / 2;
   const unsigned columns = bits_of(level->columns), rows = bits_of(level->rows);
   return choose_morton(level, cm_min(columns, most_columns), cm_min(rows, most_rows));
}

#define PLACEMENT(name, its_order)                                                                          \
   static void lay_out_##name(struct cm_texture_layout *layout, const struct cm_config *config)             \
   {                                                                                                        \
      lay_out_levels(layout, config, choose_##name);                                                        \
   }                                                                                                        \
   static uint64_t texel_offset_##name(const struct cm_texture_layout *layout,                              \
                                       const struct cm_texture_level *level, uint32_t column, uint32_t row) \
   {                                                                                                        \
      return (cm_column_texel(level, its_order, column) + cm_row_texel(level, its_order, row)) *            \
             layout->texel_bytes;                                                                           \
   }                                                                                                        \
   const struct cm_placement cm_placement_##name = {                                                        \
      .order = its_order,                                                                                   \
      .lay_out = lay_out_##name,                                                                            \
      .texel_offset = texel_offset_##name,                                                                  \
   };

PLACEMENT(4d, CM_ORDER_TILES)
PLACEMENT(6d, CM_ORDER_TILES)
PLACEMENT(rz, CM_ORDER_MORTON)
PLACEMENT(morton_4k, CM_ORDER_MORTON)
