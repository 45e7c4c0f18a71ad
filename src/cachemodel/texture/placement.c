/* SPDX-License-Identifier: MIT */
#include "texture/placement.h"

#include <string.h>

static uint64_t
align_up(uint64_t value, uint64_t alignment)
{
   return (value + alignment - 1) & ~(alignment - 1);
}

/* ---- linear ------------------------------------------------------------ */

static void
lay_out_linear(struct cm_texture_layout *layout, const struct cm_config *config)
{
   uint64_t offset = 0;
   for (uint32_t i = 0; i < layout->num_levels; i++) {
      struct cm_texture_level *level = &layout->levels[i];
      level->offset = offset;
      level->row_bytes =
         (uint32_t)align_up((uint64_t)level->columns * layout->texel_bytes, config->texture.row_alignment);
      level->slice_bytes = (uint64_t)level->row_bytes * level->rows;
      offset = align_up(offset + level->slice_bytes * level->slices, 64);
   }
   layout->layer_bytes = offset;
   layout->bytes = offset * layout->layers;
}

static inline uint64_t
texel_offset_linear(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                    uint32_t column, uint32_t row)
{
   return (uint64_t)row * level->row_bytes + (uint64_t)column * layout->texel_bytes;
}

static const struct cm_placement placement_linear = {
   .lay_out = lay_out_linear,
   .texel_offset = texel_offset_linear,
};

const struct cm_placement *const cm_placements[] = {
   [CM_PLACEMENT_LINEAR] = &placement_linear,
};

/* ---- any placement ----------------------------------------------------- */

static uint32_t
minified(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

void
cm_texture_layout_init(struct cm_texture_layout *layout, const struct cm_resource_description *resource,
                       const struct cm_config *config)
{
   *layout = (struct cm_texture_layout){
      .placement = cm_placements[config->texture.placement],
      .layers = resource->layers ? resource->layers : 1,
      .texel_bytes = (uint32_t)resource->block_bytes * (resource->samples ? resource->samples : 1),
      .sample_bytes = resource->block_bytes < 16 ? resource->block_bytes : 16,
      .samples = resource->samples ? resource->samples : 1,
      .block_width = resource->block_width ? resource->block_width : 1,
      .block_height = resource->block_height ? resource->block_height : 1,
      .num_levels = resource->levels < CM_MAX_LEVELS ? resource->levels : CM_MAX_LEVELS,
   };
   if (layout->num_levels == 0)
      layout->num_levels = 1;
   const bool power_of_two = layout->texel_bytes && !(layout->texel_bytes & (layout->texel_bytes - 1));
   layout->texel_shift = power_of_two ? (uint32_t)__builtin_ctz(layout->texel_bytes) : CM_NO_SHIFT;
   for (uint32_t i = 0; i < layout->num_levels; i++) {
      struct cm_texture_level *level = &layout->levels[i];
      level->width = minified(resource->width, i);
      level->height = minified(resource->height, i);
      level->columns = (level->width + layout->block_width - 1) / layout->block_width;
      level->rows = (level->height + layout->block_height - 1) / layout->block_height;
      level->slices = minified(resource->depth, i);
   }
   layout->placement->lay_out(layout, config);
}

/* Where a layer's or slice's part of a level begins. */
static uint64_t
image_offset(const struct cm_texture_layout *layout, const struct cm_texture_level *level, uint32_t layer)
{
   if (layout->layers > 1)
      return layer * layout->layer_bytes + level->offset;
   return level->offset + layer * level->slice_bytes;
}

uint64_t
cm_texture_offset(const struct cm_texture_layout *layout, uint32_t level, uint32_t layer, uint32_t column,
                  uint32_t row)
{
   const struct cm_texture_level *l = &layout->levels[level];
   return image_offset(layout, l, layer) + layout->placement->texel_offset(layout, l, column, row);
}

/* ---- footprints -------------------------------------------------------- */

/* A coordinate that may lie one past either edge. Anything farther out is not
 * part of the event stream; it must not leave the texture either. */
static inline uint32_t
resolve(int32_t coordinate, uint32_t size, bool repeat)
{
   if ((uint32_t)coordinate < size)
      return (uint32_t)coordinate;
   const bool below = coordinate < 0;
   return below == repeat ? size - 1 : 0;
}

/* The distinct blocks of one fragment's texels, wherever these lie. */
static unsigned
fragment_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding, int32_t x,
                int32_t y, unsigned extent, uint64_t *blocks)
{
   const struct cm_texture_layout *layout = image->layout;
   const struct cm_texture_level *level = image->level;
   const bool compressed = layout->block_width > 1 || layout->block_height > 1;
   unsigned count = 0;
   for (unsigned i = 0; i < extent * extent; i++) {
      const int32_t dx = (int32_t)(i % extent), dy = (int32_t)(i / extent);
      uint32_t column = resolve(x + dx, level->width, binding->repeat_s);
      uint32_t row = resolve(y + dy, level->height, binding->repeat_t);
      if (compressed) {
         column /= layout->block_width;
         row /= layout->block_height;
      }
      const uint64_t begin = image->address + layout->placement->texel_offset(layout, level, column, row);
      const uint64_t last = (begin + layout->sample_bytes - 1) >> image->block_shift;
      for (uint64_t block = begin >> image->block_shift; block <= last; block++) {
         unsigned known = 0;
         while (known < count && blocks[known] != block)
            known++;
         if (known == count)
            blocks[count++] = block;
      }
   }
   return count;
}

/* Whether linear rows begin with a block and texels do not straddle blocks. */
static bool
rows_of_blocks(const struct cm_texture_image *image)
{
   const struct cm_texture_layout *layout = image->layout;
   const uint64_t within_block = (1ull << image->block_shift) - 1;
   return layout->placement == &placement_linear && layout->texel_shift <= image->block_shift &&
          layout->block_width == 1 && layout->block_height == 1 &&
          ((image->address | image->level->row_bytes) & within_block) == 0;
}

void
cm_texture_image_init(struct cm_texture_image *image, const struct cm_texture_layout *layout,
                      uint64_t address, const struct cm_texture_binding *binding,
                      const struct cm_footprint *footprint, unsigned block_shift)
{
   const bool multisampled = layout->samples > 1;
   uint32_t level_number = (uint32_t)binding->first_level + (multisampled ? 0 : footprint->level);
   if (level_number >= layout->num_levels)
      level_number = layout->num_levels - 1;
   const struct cm_texture_level *level = &layout->levels[level_number];

   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   uint32_t layer = binding->first_layer + footprint->layer;
   if (layer >= images)
      layer = images - 1;
   uint32_t sample = multisampled ? footprint->level : 0;
   if (sample >= layout->samples)
      sample = layout->samples - 1;
   *image = (struct cm_texture_image){
      .layout = layout,
      .level = level,
      .address = address + image_offset(layout, level, layer) + (uint64_t)sample * layout->sample_bytes,
      .block_shift = block_shift,
   };
   image->has_rows_of_blocks = rows_of_blocks(image);
   if (image->has_rows_of_blocks) {
      image->texel_shift = block_shift - layout->texel_shift;
      image->first_block = image->address >> block_shift;
      image->row_blocks = level->row_bytes >> block_shift;
   }
}

unsigned
cm_footprint_blocks(const struct cm_texture_image *image, const struct cm_texture_binding *binding,
                    const struct cm_footprint *footprint, uint64_t *blocks)
{
   const uint32_t width = image->level->width, height = image->level->height;
   const int32_t more = footprint->linear ? 1 : 0; /* columns and rows beyond the first */
   const uint32_t shift = image->texel_shift;
   const uint64_t first_block = image->first_block, row_blocks = image->row_blocks;
   unsigned count = 0;

   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live & 1u << f))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      if (!image->has_rows_of_blocks) {
         count += fragment_blocks(image, binding, x, y, 1 + (unsigned)more, blocks + count);
         continue;
      }
      const uint64_t row = first_block + resolve(y, height, binding->repeat_t) * row_blocks;
      const uint64_t other_row = first_block + resolve(y + more, height, binding->repeat_t) * row_blocks;
      const uint32_t column = resolve(x, width, binding->repeat_s) >> shift;
      const uint32_t other_column = resolve(x + more, width, binding->repeat_s) >> shift;
      blocks[count++] = row + column;
      if (other_column != column)
         blocks[count++] = row + other_column;
      if (other_row != row) {
         blocks[count++] = other_row + column;
         if (other_column != column)
            blocks[count++] = other_row + other_column;
      }
   }
   return count;
}

/* ---- a quad at once ------------------------------------------------------ */

/* x and y of four texels. A loop over lanes is what compilers make one instruction of. */
typedef int16_t texels __attribute__((vector_size(16)));

static inline texels
least(texels a, texels b)
{
   texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] < b[i] ? a[i] : b[i];
   return result;
}

static inline texels
greatest(texels a, texels b)
{
   texels result;
   for (unsigned i = 0; i < 8; i++)
      result[i] = a[i] > b[i] ? a[i] : b[i];
   return result;
}

/* The columns of a fragment's blocks as bits 0 and 1. */
static inline uint32_t
column_bits(int32_t x, uint32_t more, int32_t left, uint32_t shift)
{
   return 1u << ((x >> shift) - left) | 1u << (((x + (int32_t)more) >> shift) - left);
}

bool
cm_footprint_grid(const struct cm_texture_image *image, const struct cm_footprint *footprint,
                  struct cm_read_grid *grid)
{
   const uint32_t more = footprint->linear ? 1 : 0; /* columns and rows beyond the first */
   if (!image->has_rows_of_blocks || footprint->live != 15)
      return false;
   _Static_assert(sizeof footprint->texel == sizeof(texels), "a texel is x, y of 16 bits");
   texels quad;
   memcpy(&quad, footprint->texel, sizeof quad);
   const texels half = __builtin_shufflevector(quad, quad, 4, 5, 6, 7, 0, 1, 2, 3);
   texels low = least(quad, half), high = greatest(quad, half);
   low = least(low, __builtin_shufflevector(low, low, 2, 3, 0, 1, 6, 7, 4, 5));
   high = greatest(high, __builtin_shufflevector(high, high, 2, 3, 0, 1, 6, 7, 4, 5));

   const uint32_t shift = image->texel_shift;
   const int32_t left = low[0] >> shift, right = (high[0] + (int32_t)more) >> shift;
   const int32_t top = low[1], bottom = high[1] + (int32_t)more;
   if ((left | top) < 0 || right - left > 1 || high[0] + (int32_t)more >= (int32_t)image->level->width ||
       bottom >= (int32_t)image->level->height || bottom - top >= CM_GRID_ROWS)
      return false;

   grid->block = image->first_block + (uint32_t)left + (uint32_t)top * image->row_blocks;
   grid->row = image->row_blocks;
   grid->accesses = 4 << more;
   const uint32_t both_rows = 1 | more << 2; /* times the columns of one */
   for (unsigned f = 0; f < 4; f++) {
      uint32_t columns = 1;
      if (right != left) {
         columns = column_bits(footprint->texel[f].x, more, left, shift);
         grid->accesses += (columns == 3) << more;
      }
      grid->readers[f] = columns * both_rows << 2 * (footprint->texel[f].y - top);
   }
   return true;
}
