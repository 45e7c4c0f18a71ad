/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tile/tbr_texture_unit.h"
#include "util/macros.h"

static void
level_size(const struct tbr_texture_binding *binding, uint32_t level, int32_t size[3])
{
   size[0] = size[1] = size[2] = 0;
   if (level >= binding->num_levels)
      return;
   const struct tbr_texture_level *described = &binding->levels[level];
   size[0] = described->width;
   /* An image of one layer may be an array to the shader, which takes as many numbers as its type has. */
   switch (binding->target) {
   case PIPE_BUFFER: return;
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY: size[1] = binding->num_layers; return;
   case PIPE_TEXTURE_CUBE_ARRAY: size[2] = binding->num_layers / 6; break;
   case PIPE_TEXTURE_3D: size[2] = described->depth; break;
   default: size[2] = binding->num_layers; break;
   }
   size[1] = described->height;
}

void
tbr_texture_query_size(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                       uint32_t samples_only)
{
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      int32_t result[4];
      uint32_t level;
      memcpy(&level, &arguments->lod[lane], sizeof level);
      level_size(binding, level, result);
      result[3] = binding->num_levels;
      if (samples_only)
         result[0] = (int32_t)MAX2(binding->num_samples, 1);
      for (unsigned i = 0; i < 4; i++)
         memcpy(&arguments->texel[i][lane], &result[i], sizeof result[i]);
   }
}
