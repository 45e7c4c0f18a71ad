/* SPDX-License-Identifier: MIT */
#include "gpu/hiz_buffer.h"

#include <assert.h>

#include "util/minmax.h"

/* Regions of more bytes than a block has would be several accesses: no GPU here has more than four samples. */
static struct cm_hiz_shape
shape_of(const struct cm_immediate_config *config, uint32_t samples)
{
   const uint32_t bytes = config->hiz_bytes ? config->hiz_bytes : CM_HIZ_REGION_BYTES;
   struct cm_hiz_shape shape = {
      .region_column_shift = config->hiz_region == CM_HIZ_REGION_4X4 ? 2 : 3,
      .region_row_shift = config->hiz_region == CM_HIZ_REGION_8X8 ? 3 : 2,
      .region_bytes = config->hiz_samples == CM_HIZ_SAMPLES_EACH ? bytes * cm_max(samples, 1) : bytes,
   };
   shape.region_bytes = cm_min(shape.region_bytes, CM_HIZ_BLOCK_BYTES);
   assert(!(shape.region_bytes & (shape.region_bytes - 1)));
   const uint32_t regions_shift = (uint32_t)__builtin_ctz(CM_HIZ_BLOCK_BYTES / shape.region_bytes);
   shape.block_row_shift = shape.region_row_shift + regions_shift / 2;
   shape.block_column_shift = shape.region_column_shift + regions_shift - regions_shift / 2;
   return shape;
}

/* The blocks that so many pixels begin. */
static uint32_t
blocks_of(uint32_t pixels, uint32_t block_shift)
{
   return (pixels + (1u << block_shift) - 1) >> block_shift;
}

void
cm_hiz_buffer_init(struct cm_hiz_buffer *buffer, const struct cm_resource_description *resource,
                   const struct cm_immediate_config *config)
{
   const uint32_t levels = cm_max(resource->levels, 1);
   *buffer = (struct cm_hiz_buffer){
      .shape = shape_of(config, resource->samples),
      .layers = cm_max(resource->layers, cm_max(resource->depth, 1)),
      .num_levels = levels < CM_MAX_LEVELS ? levels : CM_MAX_LEVELS,
   };
   for (uint32_t i = 0; i < buffer->num_levels; i++) {
      buffer->levels[i] = (struct cm_hiz_level){
         .offset = buffer->layer_bytes,
         .block_columns = blocks_of(cm_max(resource->width >> i, 1), buffer->shape.block_column_shift),
         .block_rows = blocks_of(cm_max(resource->height >> i, 1), buffer->shape.block_row_shift),
      };
      buffer->layer_bytes +=
         (uint64_t)buffer->levels[i].block_columns * buffer->levels[i].block_rows * CM_HIZ_BLOCK_BYTES;
   }
   buffer->bytes = buffer->layer_bytes * buffer->layers;
}

uint64_t
cm_hiz_layer_address(const struct cm_hiz_buffer *buffer, uint32_t level, uint32_t layer)
{
   assert(buffer->address && buffer->layers && buffer->num_levels);
   return buffer->address + layer % buffer->layers * buffer->layer_bytes +
          buffer->levels[level % buffer->num_levels].offset;
}
