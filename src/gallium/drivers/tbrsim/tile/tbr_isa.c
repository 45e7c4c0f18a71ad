/* SPDX-License-Identifier: MIT */
/* The tile pipeline and the texture unit for one vector feature level. This file
 * is compiled once per level (TBR_ISA names it, -march sets it), and with it the templates
 * that it includes (*_tmp.h): everything in them is static but the table at the end. */
#include "tile/tbr_isa.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/blend.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "tile/tbr_tile_dump.h"

/* Wide vectors only pass between functions of this file. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* With a sanitizer's checks in it, code this specialised takes the optimiser many minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O1")
#endif

#include "tile/raster/tbr_tile_memory_tmp.h"
#include "tile/raster/tbr_setup_tmp.h"
#include "tile/raster/tbr_depth_stencil_tmp.h"
#include "tile/raster/tbr_blend_tmp.h"
#include "tile/raster/tbr_draw_plan_tmp.h"
#include "tile/raster/tbr_fetch_tmp.h"
#include "tile/raster/tbr_shade_tmp.h"
#include "tile/raster/tbr_samples_tmp.h"
#include "tile/raster/tbr_rasterizer_tmp.h"
#include "tile/raster/tbr_visibility_tmp.h"
#include "tile/raster/tbr_pb_decode_tmp.h"
#include "tile/raster/tbr_tile_tmp.h"

#include "tile/texture/tbr_texture_sample_tmp.h"
#include "tile/texture/tbr_load_store_tmp.h"

#if defined(TBR_AVX512)
#define LEVEL_NAME "x86-64-v4"
#elif defined(__AVX2__)
#define LEVEL_NAME "x86-64-v3"
#elif defined(__SSE2__)
#define LEVEL_NAME "x86-64"
#else
#define LEVEL_NAME "native"
#endif

#define CONCATENATE(a, b) a##b
#define LEVEL_TABLE(isa) CONCATENATE(tbr_isa_, isa)

const struct tbr_isa LEVEL_TABLE(TBR_ISA) = {
   .name = LEVEL_NAME,
   .render_tile = render_tile,
   .choose_sampler = texture_choose_sampler,
   .sample_general = texture_sample_general,
   .sample_vectors = texture_sample_other,
   .load_store = storage_load_store,
};
