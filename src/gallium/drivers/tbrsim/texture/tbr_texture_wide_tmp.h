/* SPDX-License-Identifier: MIT */
/**
 * Texels that are filtered as four floats, a vector of lanes at a time: the formats
 * of render targets with a high dynamic range and what else enum texture_wide has.
 * The values are those of Mesa's format functions, bit for bit. Included by
 * tbr_texture_load_tmp.h.
 */

/** Three mantissas of 9 bits and their common exponent. */
TEXTURE_INLINE void
texture_unpack_shared_exponent(texture_int word, texture_float wide[4])
{
   const texture_int exponent = (texture_int)((texture_uint)word >> 27);
   const texture_float scale = (texture_float)((exponent + (127 - 15 - 9)) << 23);
   for (int c = 0; c < 3; c++)
      wide[c] = texture_to_float(word >> 9 * c & 0x1ff) * scale;
   wide[3] = texture_splat_float(1.0f);
}

TEXTURE_INLINE void
texture_unpack_packed_floats(texture_int word, texture_float wide[4])
{
   wide[0] = texture_from_unsigned_floats(word & 0x7ff, 6);
   wide[1] = texture_from_unsigned_floats(word >> 11 & 0x7ff, 6);
   wide[2] = texture_from_unsigned_floats(word >> 22 & 0x3ff, 5);
   wide[3] = texture_splat_float(1.0f);
}

/** The channels of texels at byte offsets from base. Those that the format does not have
 * stay as they are. */
TEXTURE_INLINE void
texture_load_wide_texels(enum texture_wide layout, const struct tbr_texture_private *state,
                         texture_int offset, texture_float wide[4])
{
   const uint8_t *base = state->base;
   switch (layout) {
   case TEXTURE_WIDE_R9G9B9E5: texture_unpack_shared_exponent(texture_load_word(base, offset), wide); break;
   case TEXTURE_WIDE_R11G11B10: texture_unpack_packed_floats(texture_load_word(base, offset), wide); break;
   case TEXTURE_WIDE_HALF_1:
      wide[0] = texture_from_halves(texture_load_texel(TEXTURE_KIND_BYTES_2, base, offset));
      break;
   case TEXTURE_WIDE_HALF_2:
   case TEXTURE_WIDE_HALF_4: {
      texture_int words[2];
      if (layout == TEXTURE_WIDE_HALF_4)
         texture_load_pair(state, offset, &words[0], &words[1]);
      else
         words[0] = texture_load_word(base, offset);
      for (int i = 0; i < (layout == TEXTURE_WIDE_HALF_4 ? 2 : 1); i++) {
         wide[2 * i] = texture_from_halves(words[i]);
         wide[2 * i + 1] = texture_from_halves((texture_int)((texture_uint)words[i] >> 16));
      }
      break;
   }
   default:
      for (int i = 0; i < (int)(layout - TEXTURE_WIDE_FLOAT_2) + 2; i++)
         wide[i] = (texture_float)texture_load_word(base, offset + 4 * i);
   }
}

/** The first count texels of a square. */
TEXTURE_INLINE void
texture_load_wide_square(enum texture_wide layout, const struct tbr_texture_private *state,
                         const struct texel_positions *places, unsigned count, struct texture_color *texels)
{
   const int bytes = state->block_bytes;
   const texture_int column[2] = {places->x[0] * bytes, places->x[1] * bytes};
   const texture_int row[2] = {places->offset + places->y[0] * places->row_stride,
                               places->offset + places->y[1] * places->row_stride};
   for (unsigned i = 0; i < count; i++)
      texture_load_wide_texels(layout, state, row[i >> 1] + column[i & 1], texels[i].wide);
}

/** Texels of any format by Mesa's functions. */
static __attribute__((noinline)) void
texture_load_any_square(const struct tbr_texture_private *state, const struct texel_positions *places,
                        unsigned count, struct texture_color *texels)
{
   for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
      const uint8_t *image = state->base + places->offset[lane];
      for (unsigned i = 0; i < count; i++) {
         const unsigned x = (unsigned)places->x[i & 1][lane], y = (unsigned)places->y[i >> 1][lane];
         const uint8_t *block = image +
                                (size_t)(y / state->block_height) * (uint32_t)places->row_stride[lane] +
                                (size_t)(x / state->block_width) * state->block_bytes;
         float texel[4];
         state->fetch(texel, block, x % state->block_width, y % state->block_height);
         for (unsigned c = 0; c < 4; c++)
            texels[i].wide[c][lane] = texel[c];
      }
   }
}

/** Reads the first count texels of a square, as floats. */
static __attribute__((noinline)) void
texture_load_wide(const struct tbr_texture_private *state, const struct texel_positions *places,
                  unsigned count, struct texture_color *texels)
{
   /* Red, green and blue are 0 and alpha is 1 where the format has none. */
   for (unsigned i = 0; i < count; i++) {
      texels[i].wide[1] = texels[i].wide[2] = texture_splat_float(0.0f);
      texels[i].wide[3] = texture_splat_float(1.0f);
   }
#define SQUARE(layout) \
   case layout: texture_load_wide_square(layout, state, places, count, texels); break;
   switch (state->wide) {
      SQUARE(TEXTURE_WIDE_R9G9B9E5)
      SQUARE(TEXTURE_WIDE_R11G11B10)
      SQUARE(TEXTURE_WIDE_HALF_1)
      SQUARE(TEXTURE_WIDE_HALF_2)
      SQUARE(TEXTURE_WIDE_HALF_4)
      SQUARE(TEXTURE_WIDE_FLOAT_2)
      SQUARE(TEXTURE_WIDE_FLOAT_3)
      SQUARE(TEXTURE_WIDE_FLOAT_4)
   default: texture_load_any_square(state, places, count, texels);
   }
#undef SQUARE
}
