/* SPDX-License-Identifier: MIT */
/**
 * The texture unit's vector code, for the feature level it is compiled for:
 * included by tbr_isa.c, once per level.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "events/event_stream.h"
#include "tile/tbr_texture_unit.h"
#include "tile/texture/tbr_texture_vector.h"
#include "util/format/u_format.h"
#include "util/format_srgb.h"
#include "util/half_float.h"
#include "util/macros.h"
#include "util/u_math.h"

#include "tile/texture/tbr_texture_lod_tmp.h"
#include "tile/texture/tbr_texture_record_tmp.h"
#include "tile/texture/tbr_texture_fetch_tmp.h"
#include "tile/texture/tbr_texture_cube_tmp.h"
#include "tile/texture/tbr_texture_general_tmp.h"
#include "tile/texture/tbr_texture_load_tmp.h"
#include "tile/texture/tbr_texture_fetch_fast_tmp.h"
#include "tile/texture/tbr_texture_float_tmp.h"
#include "tile/texture/tbr_texture_shapes_tmp.h"
#include "tile/texture/tbr_texture_fast_tmp.h"
#include "tile/texture/tbr_texture_anisotropic_tmp.h"

/** Defines the function of one kind of texel, for 2D textures or cube maps, with an image
 * filter and a filter between mipmaps. */
#define TEXTURE_DEFINE(name, kind, cube, filter, mip)                                           \
   static void texture_sample_##name(struct tbr_texture_thread *thread,                         \
                                     const struct tbr_texture_binding *binding,                 \
                                     struct tbr_sample_arguments *arguments)                    \
   {                                                                                            \
      texture_sample_fast(thread, binding, arguments,                                           \
                          (struct texture_special){TEXTURE_KIND_##kind, cube, TEXTURE_##filter, \
                                                   TEXTURE_MIP_##mip});                         \
   }
#define TEXTURE_DEFINE_MIPS(name, kind, cube, filter)                     \
   TEXTURE_DEFINE(name##_##filter##_none, kind, cube, filter, NONE)       \
   TEXTURE_DEFINE(name##_##filter##_nearest, kind, cube, filter, NEAREST) \
   TEXTURE_DEFINE(name##_##filter##_linear, kind, cube, filter, LINEAR)
#define TEXTURE_MIPS(name) \
   {texture_sample_##name##_none, texture_sample_##name##_nearest, texture_sample_##name##_linear}
/** The functions of all filters, and a table of them by enum texture_filter and enum texture_mip. */
#define TEXTURE_DEFINE_FILTERS(name, kind, cube)                                                    \
   TEXTURE_DEFINE_MIPS(name, kind, cube, NEAREST)                                                   \
   TEXTURE_DEFINE_MIPS(name, kind, cube, LINEAR)                                                    \
   TEXTURE_DEFINE_MIPS(name, kind, cube, MIXED)                                                     \
   static const tbr_sample_function texture_functions_##name[3][3] = {TEXTURE_MIPS(name##_NEAREST), \
                                                                      TEXTURE_MIPS(name##_LINEAR),  \
                                                                      TEXTURE_MIPS(name##_MIXED)};

#define TEXTURE_BYTE_KINDS(KIND) KIND(BYTES_4) KIND(BYTES_2) KIND(BYTES_1) KIND(SRGB)
#define TEXTURE_BLOCK_KINDS(KIND) KIND(BLOCK) KIND(BLOCK_SRGB)
#define TEXTURE_PACKED_KINDS(KIND) KIND(565) KIND(5551) KIND(4444)
#define TEXTURE_INTEGER_KINDS(KIND) \
   TEXTURE_BYTE_KINDS(KIND) TEXTURE_BLOCK_KINDS(KIND) TEXTURE_PACKED_KINDS(KIND)
#define TEXTURE_FLOAT_KINDS(KIND) KIND(16) KIND(24_LOW) KIND(24_HIGH) KIND(FLOAT) KIND(WIDE)
#define TEXTURE_KINDS(KIND) TEXTURE_INTEGER_KINDS(KIND) TEXTURE_FLOAT_KINDS(KIND)

#define TEXTURE_DEFINE_2D(kind) TEXTURE_DEFINE_FILTERS(kind, kind, false)
TEXTURE_KINDS(TEXTURE_DEFINE_2D)
TEXTURE_DEFINE_FILTERS(cube, BYTES_4, true)

static tbr_sample_function
texture_choose_isotropic(const struct tbr_texture_binding *binding)
{
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const enum texture_filter filter = sampler->min_img_filter != sampler->mag_img_filter  ? TEXTURE_MIXED
                                      : sampler->min_img_filter == PIPE_TEX_FILTER_LINEAR ? TEXTURE_LINEAR
                                                                                          : TEXTURE_NEAREST;
   const enum texture_mip mip = sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NEAREST  ? TEXTURE_MIP_NEAREST
                                : sampler->min_mip_filter == PIPE_TEX_MIPFILTER_LINEAR ? TEXTURE_MIP_LINEAR
                                                                                       : TEXTURE_MIP_NONE;
#define TEXTURE_CASE_2D(kind) \
   case TEXTURE_KIND_##kind: return texture_functions_##kind[filter][mip];
   if (binding->private_state.kind == TEXTURE_KIND_BYTES_4 && texture_is_cube(binding))
      return texture_functions_cube[filter][mip];
   switch (binding->private_state.kind) {
      TEXTURE_KINDS(TEXTURE_CASE_2D)
   default: return texture_sample_other;
   }
}

static tbr_sample_function
texture_choose_sampler(struct tbr_texture_binding *binding)
{
   binding->private_state.load = texture_choose_load(&binding->private_state);
   binding->private_state.sample_vectors = texture_choose_vectors(binding);
   binding->private_state.isotropic = texture_choose_isotropic(binding);
   return binding->private_state.max_anisotropy > 1 ? texture_sample_anisotropic
                                                    : binding->private_state.isotropic;
}
