/* SPDX-License-Identifier: MIT */
#include "gpu/hiz_buffer.h"
#include "util/minmax.h"

static uint32_t
blocks_of(uint32_t pixels)
{
   return (pixels + CM_HIZ_BLOCK_SIZE - 1) / CM_HIZ_BLOCK_SIZE;
}

void
cm_hiz_buffer_init(struct cm_hiz_buffer *buffer, const struct cm_resource_description *resource)
{
   const uint32_t levels = cm_max(resource->levels, 1);
   *buffer = (struct cm_hiz_buffer){
      .layers = cm_max(resource->layers, cm_max(resource->depth, 1)),
      .num_levels = levels < CM_MAX_LEVELS ? levels : CM_MAX_LEVELS,
   };
   for (uint32_t i = 0; i < buffer->num_levels; i++) {
      buffer->levels[i] = (struct cm_hiz_level){
         .offset = buffer->layer_bytes,
         .block_columns = blocks_of(cm_max(resource->width >> i, 1)),
         .block_rows = blocks_of(cm_max(resource->height >> i, 1)),
      };
      buffer->layer_bytes +=
         (uint64_t)buffer->levels[i].block_columns * buffer->levels[i].block_rows * CM_HIZ_BLOCK_BYTES;
   }
   buffer->bytes = buffer->layer_bytes * buffer->layers;
}

uint64_t
cm_hiz_layer_address(const struct cm_hiz_buffer *buffer, uint32_t level, uint32_t layer)
{
   return buffer->address + layer % buffer->layers * buffer->layer_bytes +
          buffer->levels[level % buffer->num_levels].offset;
}
