/* SPDX-License-Identifier: MIT */
#include "texture/placement.h"
#include "util/minmax.h"

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
   .order = CM_ORDER_ROWS,
   .lay_out = lay_out_linear,
   .texel_offset = texel_offset_linear,
};

const struct cm_placement *const cm_placements[] = {
   [CM_PLACEMENT_LINEAR] = &placement_linear,
   [CM_PLACEMENT_4D] = &cm_placement_4d,
   [CM_PLACEMENT_6D] = &cm_placement_6d,
   [CM_PLACEMENT_RZ] = &cm_placement_rz,
   [CM_PLACEMENT_MORTON_4K] = &cm_placement_morton_4k,
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
      .sample_bytes = cm_min(resource->block_bytes, 16),
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

uint64_t
cm_texture_slice_offset(const struct cm_texture_layout *layout, const struct cm_texture_level *level,
                        uint32_t layer)
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
   return cm_texture_slice_offset(layout, l, layer) + layout->placement->texel_offset(layout, l, column, row);
}
