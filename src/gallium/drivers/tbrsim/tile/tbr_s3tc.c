/* SPDX-License-Identifier: MIT */
#include "tile/tbr_s3tc.h"

#include <stdbool.h>

#include "util/format/u_format.h"
#include "util/macros.h"

#define OPAQUE 0xff000000u

static ALWAYS_INLINE uint32_t
load_16(const uint8_t *bytes)
{
   return bytes[0] | (uint32_t)bytes[1] << 8;
}

static ALWAYS_INLINE uint32_t
load_32(const uint8_t *bytes)
{
   return load_16(bytes) | load_16(bytes + 2) << 16;
}

/** A colour of 5, 6 and 5 bits, with an alpha of 0. */
static ALWAYS_INLINE uint32_t
expand_565(uint32_t packed)
{
   const uint32_t red = packed >> 11, green = packed >> 5 & 0x3f, blue = packed & 0x1f;
   return (red << 3 | red >> 2) | (green << 2 | green >> 4) << 8 | (blue << 3 | blue >> 2) << 16;
}

/** The mean of two colours with these weights, rounded down. */
static ALWAYS_INLINE uint32_t
mix_colors(uint32_t first, uint32_t first_weight, uint32_t second, uint32_t second_weight)
{
   uint32_t mixed = 0;
   for (unsigned shift = 0; shift < 24; shift += 8) {
      const uint32_t sum = (first >> shift & 0xff) * first_weight + (second >> shift & 0xff) * second_weight;
      mixed |= sum / (first_weight + second_weight) << shift;
   }
   return mixed;
}

/** A block's colours. In DXT1 (dxt1) the order of the first two says whether there are four, or
 * three and the fourth code is black, with an alpha of its own. */
static ALWAYS_INLINE void
decode_colors(const uint8_t *block, bool dxt1, uint32_t alpha, uint32_t black, uint32_t texels[16])
{
   const uint32_t packed[2] = {load_16(block), load_16(block + 2)};
   const uint32_t first = expand_565(packed[0]), second = expand_565(packed[1]);
   uint32_t colors[4] = {first | alpha, second | alpha};
   if (dxt1 && packed[0] <= packed[1]) {
      colors[2] = mix_colors(first, 1, second, 1) | alpha;
      colors[3] = black;
   } else {
      colors[2] = mix_colors(first, 2, second, 1) | alpha;
      colors[3] = mix_colors(first, 1, second, 2) | alpha;
   }
   const uint32_t codes = load_32(block + 4);
   for (unsigned i = 0; i < 16; i++)
      texels[i] = colors[codes >> 2 * i & 3];
}

static void
decode_dxt1_rgb(const uint8_t *block, uint32_t texels[16])
{
   decode_colors(block, true, OPAQUE, OPAQUE, texels);
}

static void
decode_dxt1_rgba(const uint8_t *block, uint32_t texels[16])
{
   decode_colors(block, true, OPAQUE, 0, texels);
}

static void
decode_dxt3(const uint8_t *block, uint32_t texels[16])
{
   decode_colors(block + 8, false, 0, 0, texels);
   for (unsigned i = 0; i < 16; i++)
      texels[i] |= (block[i / 2] >> (i & 1) * 4 & 0xfu) * 0x11u << 24;
}

/** The alphas between two, stored after these. */
static ALWAYS_INLINE void
mix_alphas(uint32_t steps, uint32_t alphas[8])
{
   for (uint32_t i = 1; i < steps; i++)
      alphas[i + 1] = (alphas[0] * (steps - i) + alphas[1] * i) / steps;
}

static void
decode_dxt5(const uint8_t *block, uint32_t texels[16])
{
   uint32_t alphas[8] = {block[0], block[1], [6] = 0, [7] = 0xff};
   if (alphas[0] > alphas[1])
      mix_alphas(7, alphas);
   else
      mix_alphas(5, alphas);

   decode_colors(block + 8, false, 0, 0, texels);
   const uint64_t codes = load_32(block + 2) | (uint64_t)load_16(block + 6) << 32;
   for (unsigned i = 0; i < 16; i++)
      texels[i] |= alphas[codes >> 3 * i & 7] << 24;
}

tbr_s3tc_decoder
tbr_s3tc_choose_decoder(enum pipe_format format)
{
   switch (util_format_linear(format)) {
   case PIPE_FORMAT_DXT1_RGB: return decode_dxt1_rgb;
   case PIPE_FORMAT_DXT1_RGBA: return decode_dxt1_rgba;
   case PIPE_FORMAT_DXT3_RGBA: return decode_dxt3;
   case PIPE_FORMAT_DXT5_RGBA: return decode_dxt5;
   default: return NULL;
   }
}
