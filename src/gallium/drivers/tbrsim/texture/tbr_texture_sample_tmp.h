/* SPDX-License-Identifier: MIT */
/**
 * The texture unit's vector code, for the feature level it is compiled for:
 * included by tbr_isa.c, once a level.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "events/event_stream.h"
#include "tbr_texture_unit.h"
#include "tbr_texture_vector.h"
#include "util/format/u_format.h"
#include "util/half_float.h"
#include "util/macros.h"
#include "util/u_math.h"

#include "tbr_texture_lod_tmp.h"
#include "tbr_texture_record_tmp.h"
#include "tbr_texture_fetch_tmp.h"
#include "tbr_texture_cube_tmp.h"
#include "tbr_texture_general_tmp.h"
#include "tbr_texture_load_tmp.h"
#include "tbr_texture_fast_tmp.h"
#include "tbr_texture_anisotropic_tmp.h"

/** Defines the functions of one kind of texel for 2D (cube = false) or cube maps:
 * for each image filter, without mipmaps, nearest and linear between them. */
#define TEXTURE_DEFINE(name, kind, cube, filter, mip)                           \
   static void texture_sample_##name(struct tbr_texture_thread *thread,         \
                                     const struct tbr_texture_binding *binding, \
                                     struct tbr_sample_arguments *arguments)    \
   {                                                                            \
      texture_sample_fast(thread, binding, arguments, kind, cube, filter, mip); \
   }
#define TEXTURE_DEFINE_MIPS(name, kind, cube, filter)                          \
   TEXTURE_DEFINE(name##_none, kind, cube, filter, TEXTURE_MIP_NONE)           \
   TEXTURE_DEFINE(name##_mip_nearest, kind, cube, filter, TEXTURE_MIP_NEAREST) \
   TEXTURE_DEFINE(name##_mip_linear, kind, cube, filter, TEXTURE_MIP_LINEAR)
#define TEXTURE_DEFINE_FILTERS(name, kind, cube)                                          \
   TEXTURE_DEFINE_MIPS(name##_nearest, kind, cube, TEXTURE_NEAREST)                       \
   TEXTURE_DEFINE_MIPS(name##_linear, kind, cube, TEXTURE_LINEAR)                         \
   TEXTURE_DEFINE_MIPS(name##_mixed, kind, cube, TEXTURE_MIXED)                           \
   static const tbr_sample_function texture_functions_##name[3][3] = {                    \
      {texture_sample_##name##_nearest_none, texture_sample_##name##_nearest_mip_nearest, \
       texture_sample_##name##_nearest_mip_linear},                                       \
      {texture_sample_##name##_linear_none, texture_sample_##name##_linear_mip_nearest,   \
       texture_sample_##name##_linear_mip_linear},                                        \
      {texture_sample_##name##_mixed_none, texture_sample_##name##_mixed_mip_nearest,     \
       texture_sample_##name##_mixed_mip_linear},                                         \
   };

TEXTURE_DEFINE_FILTERS(bytes_4, TEXTURE_KIND_BYTES_4, false)
TEXTURE_DEFINE_FILTERS(bytes_2, TEXTURE_KIND_BYTES_2, false)
TEXTURE_DEFINE_FILTERS(bytes_1, TEXTURE_KIND_BYTES_1, false)
TEXTURE_DEFINE_FILTERS(565, TEXTURE_KIND_565, false)
TEXTURE_DEFINE_FILTERS(5551, TEXTURE_KIND_5551, false)
TEXTURE_DEFINE_FILTERS(4444, TEXTURE_KIND_4444, false)
TEXTURE_DEFINE_FILTERS(srgb, TEXTURE_KIND_SRGB, false)
TEXTURE_DEFINE_FILTERS(block, TEXTURE_KIND_BLOCK, false)
TEXTURE_DEFINE_FILTERS(block_srgb, TEXTURE_KIND_BLOCK_SRGB, false)
TEXTURE_DEFINE_FILTERS(16, TEXTURE_KIND_16, false)
TEXTURE_DEFINE_FILTERS(24_low, TEXTURE_KIND_24_LOW, false)
TEXTURE_DEFINE_FILTERS(24_high, TEXTURE_KIND_24_HIGH, false)
TEXTURE_DEFINE_FILTERS(float, TEXTURE_KIND_FLOAT, false)
TEXTURE_DEFINE_FILTERS(wide, TEXTURE_KIND_WIDE, false)
TEXTURE_DEFINE_FILTERS(cube_bytes_4, TEXTURE_KIND_BYTES_4, true)
/* Cube maps of depth and floats are only served where nothing is filtered. */
TEXTURE_DEFINE(cube_16, TEXTURE_KIND_16, true, TEXTURE_NEAREST, TEXTURE_MIP_NONE)
TEXTURE_DEFINE(cube_24_low, TEXTURE_KIND_24_LOW, true, TEXTURE_NEAREST, TEXTURE_MIP_NONE)
TEXTURE_DEFINE(cube_24_high, TEXTURE_KIND_24_HIGH, true, TEXTURE_NEAREST, TEXTURE_MIP_NONE)
TEXTURE_DEFINE(cube_float, TEXTURE_KIND_FLOAT, true, TEXTURE_NEAREST, TEXTURE_MIP_NONE)
TEXTURE_DEFINE(cube_wide, TEXTURE_KIND_WIDE, true, TEXTURE_NEAREST, TEXTURE_MIP_NONE)

static tbr_sample_function
texture_choose_unfiltered_cube(enum texture_kind kind)
{
   switch (kind) {
   case TEXTURE_KIND_16: return texture_sample_cube_16;
   case TEXTURE_KIND_24_LOW: return texture_sample_cube_24_low;
   case TEXTURE_KIND_24_HIGH: return texture_sample_cube_24_high;
   case TEXTURE_KIND_FLOAT: return texture_sample_cube_float;
   case TEXTURE_KIND_WIDE: return texture_sample_cube_wide;
   default: return texture_sample_general;
   }
}

static tbr_sample_function
texture_choose_isotropic(const struct tbr_texture_binding *binding)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const enum texture_filter filter = sampler->min_img_filter != sampler->mag_img_filter  ? TEXTURE_MIXED
                                      : sampler->min_img_filter == PIPE_TEX_FILTER_LINEAR ? TEXTURE_LINEAR
                                                                                          : TEXTURE_NEAREST;
   const enum texture_mip mip = sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NEAREST  ? TEXTURE_MIP_NEAREST
                                : sampler->min_mip_filter == PIPE_TEX_MIPFILTER_LINEAR ? TEXTURE_MIP_LINEAR
                                                                                       : TEXTURE_MIP_NONE;

   if (texture_is_cube(binding) && state->kind != TEXTURE_KIND_BYTES_4)
      return texture_choose_unfiltered_cube(state->kind);
   switch (state->kind) {
   case TEXTURE_KIND_BYTES_4:
      return texture_is_cube(binding) ? texture_functions_cube_bytes_4[filter][mip]
                                      : texture_functions_bytes_4[filter][mip];
   case TEXTURE_KIND_BYTES_2: return texture_functions_bytes_2[filter][mip];
   case TEXTURE_KIND_BYTES_1: return texture_functions_bytes_1[filter][mip];
   case TEXTURE_KIND_565: return texture_functions_565[filter][mip];
   case TEXTURE_KIND_5551: return texture_functions_5551[filter][mip];
   case TEXTURE_KIND_4444: return texture_functions_4444[filter][mip];
   case TEXTURE_KIND_SRGB: return texture_functions_srgb[filter][mip];
   case TEXTURE_KIND_BLOCK: return texture_functions_block[filter][mip];
   case TEXTURE_KIND_BLOCK_SRGB: return texture_functions_block_srgb[filter][mip];
   case TEXTURE_KIND_16: return texture_functions_16[filter][mip];
   case TEXTURE_KIND_24_LOW: return texture_functions_24_low[filter][mip];
   case TEXTURE_KIND_24_HIGH: return texture_functions_24_high[filter][mip];
   case TEXTURE_KIND_FLOAT: return texture_functions_float[filter][mip];
   case TEXTURE_KIND_WIDE: return texture_functions_wide[filter][mip];
   default: return texture_sample_general;
   }
}

static tbr_sample_function
texture_choose_sampler(struct tbr_texture_binding *binding)
{
   binding->private_state.isotropic = texture_choose_isotropic(binding);
   return binding->private_state.max_anisotropy > 1 ? texture_sample_anisotropic
                                                    : binding->private_state.isotropic;
}
