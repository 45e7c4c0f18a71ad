/* SPDX-License-Identifier: MIT */
/**
 * Texels of every format as floats, or as integers' bits, a vector of lanes at a time: the
 * values are those of Mesa's format functions, bit for bit. Each format has a function that
 * reads and decodes, chosen when a texture is bound. Included by tbr_texture_load_tmp.h.
 */

/** Texels that one fragment reads of a level: two slices of 2 × 2. */
#define TEXTURE_MAX_TAPS 8

/** Where the lanes' texels are. */
struct texture_taps {
   texture_int offset[TEXTURE_MAX_TAPS]; /**< bytes from the base; of compressed formats to the block */
   texture_int place[TEXTURE_MAX_TAPS];  /**< in a compressed block: y * 4 + x; else not set */
   uint8_t channels;                     /**< bit mask: which are decoded */
   bool pairs;                           /**< every second tap is the texel next to the one before it */
};

/** What components of the result can be, as the view's swizzle numbers them: channels, 0 and 1. */
#define TEXTURE_NUM_VALUES 6

/** Texels' channels in the order of memory; those that the taps do not ask for are not set, nor are 0 and 1. */
struct texture_texels {
   texture_float channel[TEXTURE_MAX_TAPS][TEXTURE_NUM_VALUES];
};

/** Sets where a tap is, in an image that is so many bytes from the base. */
TEXTURE_INLINE void
texture_place_tap(const struct tbr_texture_private *state, struct texture_taps *taps, unsigned tap,
                  texture_int image, texture_int row_stride, texture_int x, texture_int y)
{
   if (state->block_shift) {
      taps->offset[tap] = image + (y >> 2) * row_stride + (x >> 2) * state->block_bytes;
      taps->place[tap] = (y & 3) << 2 | (x & 3);
   } else {
      taps->offset[tap] = image + y * row_stride + x * state->block_bytes;
   }
}

/** The four words at each offset. */
TEXTURE_INLINE void
texture_load_four(const struct tbr_texture_private *state, texture_int offset, texture_int words[4])
{
#ifdef __SSE2__
   int32_t at[TEXTURE_LANES];
   texture_float rows[4]; /* i: of the lanes i, i + 4 … */
   texture_store_int(at, offset);
   for (unsigned i = 0; i < 4; i++) {
      const float *row[TEXTURE_LANES / 4];
      for (unsigned quad = 0; quad < TEXTURE_LANES / 4; quad++)
         row[quad] = (const float *)(state->base + at[quad * 4 + i]);
#if TEXTURE_LANES == 16
      __m512 four = _mm512_castps128_ps512(_mm_loadu_ps(row[0]));
      four = _mm512_insertf32x4(four, _mm_loadu_ps(row[1]), 1);
      four = _mm512_insertf32x4(four, _mm_loadu_ps(row[2]), 2);
      rows[i] = (texture_float)_mm512_insertf32x4(four, _mm_loadu_ps(row[3]), 3);
#elif TEXTURE_LANES == 8
      rows[i] = (texture_float)_mm256_set_m128(_mm_loadu_ps(row[1]), _mm_loadu_ps(row[0]));
#else
      rows[i] = (texture_float)_mm_loadu_ps(row[0]);
#endif
   }
   for (unsigned i = 0; i < 4; i += 2) {
      const texture_float low = texture_quad_pick(rows[0], rows[1], i, i + 1, i, i + 1);
      const texture_float high = texture_quad_pick(rows[2], rows[3], i, i + 1, i, i + 1);
      words[i] = (texture_int)texture_quad_pick(low, high, 0, 2, 0, 2);
      words[i + 1] = (texture_int)texture_quad_pick(low, high, 1, 3, 1, 3);
   }
#else
   for (unsigned i = 0; i < 4; i++)
      words[i] = texture_load_word(state->base, offset + 4 * (int)i);
#endif
}

/** The words of texels of so many bytes. */
TEXTURE_INLINE void
texture_load_words(unsigned bytes, const struct tbr_texture_private *state, texture_int offset,
                   texture_int words[4])
{
   switch (bytes) {
   case 1: words[0] = texture_load_texel(TEXTURE_KIND_BYTES_1, state->base, offset); break;
   case 2: words[0] = texture_load_texel(TEXTURE_KIND_BYTES_2, state->base, offset); break;
   case 4: words[0] = texture_load_word(state->base, offset); break;
   case 8: texture_load_pair(state, state->base, offset, &words[0], &words[1]); break;
   case 12:
      texture_load_pair(state, state->base, offset, &words[0], &words[1]);
      words[2] = texture_load_word(state->base, offset + 8);
      break;
   case 16: texture_load_four(state, offset, words); break;
   }
}

/** The same for texels of up to 8 bytes and those next to them: words[0] and, after the texel's, those. */
TEXTURE_INLINE void
texture_load_word_pairs(unsigned bytes, const struct tbr_texture_private *state, texture_int offset,
                        texture_int left[4], texture_int right[4])
{
   if (bytes == 8) {
      texture_int words[4];
      texture_load_four(state, offset, words);
      left[0] = words[0];
      left[1] = words[1];
      right[0] = words[2];
      right[1] = words[3];
   } else if (bytes == 4) {
      texture_load_pair(state, state->base, offset, &left[0], &right[0]);
#if TEXTURE_LANES >= 8
   } else if (bytes == 2) {
      const texture_uint both = (texture_uint)texture_load_word(state->base, offset);
      left[0] = (texture_int)(both & 0xffff);
      right[0] = (texture_int)(both >> 16);
   } else {
      /* The word that ends with the second texel, or the first one in memory. */
      const texture_int start = texture_max_int(offset - 2, texture_splat_int(0));
      const texture_uint both =
         (texture_uint)texture_load_word(state->base, start) >> (texture_uint)((offset - start) << 3);
      left[0] = (texture_int)(both & 0xff);
      right[0] = (texture_int)(both >> 8 & 0xff);
#endif
   }
}

/** Three mantissas of 9 bits and their common exponent. */
TEXTURE_INLINE void
texture_decode_shared_exponent(texture_int word, texture_float *channel)
{
   const texture_int exponent = (texture_int)((texture_uint)word >> 27);
   const texture_float scale = (texture_float)((exponent + (127 - 15 - 9)) << 23);
   for (int c = 0; c < 3; c++)
      channel[c] = texture_to_float(word >> 9 * c & 0x1ff) * scale;
}

TEXTURE_INLINE void
texture_decode_packed_floats(texture_int word, texture_float *channel)
{
   channel[0] = texture_from_unsigned_floats(word & 0x7ff, 6);
   channel[1] = texture_from_unsigned_floats(word >> 11 & 0x7ff, 6);
   channel[2] = texture_from_unsigned_floats((texture_int)((texture_uint)word >> 22), 5);
}

/** One channel, number c, of the word that it is in. */
TEXTURE_INLINE texture_float
texture_decode_channel(enum texture_conversion conversion, const struct texture_channel *channel, unsigned c,
                       texture_int word)
{
   if (conversion == TEXTURE_CONVERT_BYTES) {
      const texture_int byte = (texture_int)((texture_uint)word >> 8 * c);
      return texture_to_float(c == 3 ? byte : byte & 0xff) * (1.0f / 255.0f);
   }
   const texture_int high = texture_shift_left(word, channel->left);
   const texture_int bits = texture_shift_right(high, channel->right);
   switch (conversion) {
   case TEXTURE_CONVERT_SRGB:
      if (channel->srgb)
         return (
            texture_float)texture_load_word((const uint8_t *)util_format_srgb_8unorm_to_linear_float_table,
                                            bits << 2);
      return texture_to_float(bits) * channel->scale;
   case TEXTURE_CONVERT_UNORM: return texture_to_float(bits) * channel->scale;
   case TEXTURE_CONVERT_SNORM:
      return texture_max(texture_splat_float(-1.0f),
                         texture_to_float(texture_shift_right_signed(high, channel->right)) * channel->scale);
   case TEXTURE_CONVERT_SINT: return (texture_float)texture_shift_right_signed(high, channel->right);
   case TEXTURE_CONVERT_HALF: return texture_from_halves(bits);
   case TEXTURE_CONVERT_DEPTH_24:
      return texture_to_float(bits) / 16777215.0f; /* what a double rounds to, too */
   default: return (texture_float)bits;
   }
}

/** A texel of a format without blocks. */
TEXTURE_INLINE void
texture_decode_texel(enum texture_conversion conversion, unsigned bytes,
                     const struct tbr_texture_private *state, unsigned wanted, const texture_int words[4],
                     texture_float *channels)
{
   if (conversion == TEXTURE_CONVERT_R9G9B9E5) {
      texture_decode_shared_exponent(words[0], channels);
      return;
   }
   if (conversion == TEXTURE_CONVERT_R11G11B10) {
      texture_decode_packed_floats(words[0], channels);
      return;
   }
   const bool whole = conversion == TEXTURE_CONVERT_WORD;
#pragma GCC unroll 4
   for (unsigned c = 0; c < 4; c++) {
      if (!(wanted >> c & 1))
         continue;
      const struct texture_channel *channel = &state->channels[c];
      channels[c] = whole
                       ? (texture_float)words[c]
                       : texture_decode_channel(conversion, channel, c, words[bytes > 4 ? channel->word : 0]);
   }
}

/** The texels of a format without blocks. */
TEXTURE_INLINE void
texture_decode_texels(enum texture_conversion conversion, unsigned bytes,
                      const struct tbr_texture_private *state, const struct texture_taps *taps,
                      unsigned count, struct texture_texels *texels)
{
   texture_int words[2][4];
   if (count == 1) {
      /* Not in a loop: compilers would test all channels' bits before it. */
      texture_load_words(bytes, state, taps->offset[0], words[0]);
      texture_decode_texel(conversion, bytes, state, taps->channels, words[0], texels->channel[0]);
      return;
   }
   if (taps->pairs && bytes <= 8 && (TEXTURE_LANES >= 8 || bytes >= 4)) {
      for (unsigned i = 0; i < count; i += 2) {
         texture_load_word_pairs(bytes, state, taps->offset[i], words[0], words[1]);
         texture_decode_texel(conversion, bytes, state, taps->channels, words[0], texels->channel[i]);
         texture_decode_texel(conversion, bytes, state, taps->channels, words[1], texels->channel[i + 1]);
      }
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      texture_load_words(bytes, state, taps->offset[i], words[0]);
      texture_decode_texel(conversion, bytes, state, taps->channels, words[0], texels->channel[i]);
   }
}

/** The texels of compressed blocks that decode to bytes, red in the lowest. */
static __attribute__((noinline)) void
texture_load_blocks(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                    const struct texture_taps *taps, unsigned count, texture_int *texels)
{
   for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
      const uint32_t *block = NULL;
      int32_t known = 0;
      for (unsigned i = 0; i < count; i++) {
         const int32_t offset = taps->offset[i][lane];
         if (!block || offset != known)
            block = texture_find_block(thread, state, state->base + offset);
         known = offset;
         texels[i][lane] = (int32_t)block[taps->place[i][lane]];
      }
   }
}

/** The texels of blocks that decode to bytes. */
TEXTURE_INLINE void
texture_decode_blocks(enum texture_conversion conversion, struct tbr_texture_thread *thread,
                      const struct tbr_texture_private *state, const struct texture_taps *taps,
                      unsigned count, struct texture_texels *texels)
{
   texture_int words[TEXTURE_MAX_TAPS];
   texture_load_blocks(thread, state, taps, count, words);
   for (unsigned i = 0; i < count; i++) {
#pragma GCC unroll 4
      for (unsigned c = 0; c < 4; c++)
         if (taps->channels >> c & 1)
            texels->channel[i][c] = texture_decode_channel(conversion, &state->channels[c], c, words[i]);
   }
}

/** Texels of any format by Mesa's functions. */
static void
texture_load_any(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                 const struct texture_taps *taps, unsigned count, struct texture_texels *texels)
{
   for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
      for (unsigned i = 0; i < count; i++) {
         const unsigned place = state->block_shift ? (unsigned)taps->place[i][lane] : 0;
         float texel[4];
         state->fetch(texel, state->base + taps->offset[i][lane], place & 3, place >> 2);
         for (unsigned c = 0; c < 4; c++)
            texels->channel[i][c][lane] = texel[c];
      }
   }
}

#define TEXTURE_SMALL_FORMATS(FORMAT, conversion) \
   FORMAT(conversion, 1) FORMAT(conversion, 2) FORMAT(conversion, 4)
#define TEXTURE_NUMBER_FORMATS(FORMAT, conversion) \
   TEXTURE_SMALL_FORMATS(FORMAT, conversion) FORMAT(conversion, 8)
#define TEXTURE_HALF_FORMATS(FORMAT) FORMAT(HALF, 2) FORMAT(HALF, 4) FORMAT(HALF, 8)
#define TEXTURE_WORD_FORMATS(FORMAT) FORMAT(WORD, 4) FORMAT(WORD, 8) FORMAT(WORD, 12) FORMAT(WORD, 16)
#define TEXTURE_PACKED_FORMATS(FORMAT) \
   FORMAT(SRGB, 4) FORMAT(DEPTH_24, 4) FORMAT(R9G9B9E5, 4) FORMAT(R11G11B10, 4)
#define TEXTURE_FORMATS(FORMAT)          \
   TEXTURE_SMALL_FORMATS(FORMAT, BYTES)  \
   TEXTURE_NUMBER_FORMATS(FORMAT, UNORM) \
   TEXTURE_NUMBER_FORMATS(FORMAT, SNORM) \
   TEXTURE_NUMBER_FORMATS(FORMAT, UINT)  \
   TEXTURE_NUMBER_FORMATS(FORMAT, SINT)  \
   TEXTURE_HALF_FORMATS(FORMAT)          \
   TEXTURE_WORD_FORMATS(FORMAT)          \
   TEXTURE_PACKED_FORMATS(FORMAT)

#define TEXTURE_DEFINE_LOAD(conversion, bytes)                                                      \
   static void texture_load_##conversion##_##bytes(struct tbr_texture_thread *thread,               \
                                                   const struct tbr_texture_private *state,         \
                                                   const struct texture_taps *taps, unsigned count, \
                                                   struct texture_texels *texels)                   \
   {                                                                                                \
      texture_decode_texels(TEXTURE_CONVERT_##conversion, bytes, state, taps, count, texels);       \
   }
#define TEXTURE_DEFINE_LOAD_BLOCKS(conversion)                                                   \
   static void texture_load_blocks_##conversion(struct tbr_texture_thread *thread,               \
                                                const struct tbr_texture_private *state,         \
                                                const struct texture_taps *taps, unsigned count, \
                                                struct texture_texels *texels)                   \
   {                                                                                             \
      texture_decode_blocks(TEXTURE_CONVERT_##conversion, thread, state, taps, count, texels);   \
   }
TEXTURE_FORMATS(TEXTURE_DEFINE_LOAD)
TEXTURE_DEFINE_LOAD_BLOCKS(BYTES)
TEXTURE_DEFINE_LOAD_BLOCKS(SRGB)

static tbr_load_function
texture_choose_load(const struct tbr_texture_private *state)
{
   if (state->unpack_block)
      return state->conversion == TEXTURE_CONVERT_SRGB ? texture_load_blocks_SRGB : texture_load_blocks_BYTES;
#define TEXTURE_FORMAT(conversion, bytes) TEXTURE_CONVERT_##conversion << 8 | (bytes)
#define TEXTURE_CASE_LOAD(conversion, bytes) \
   case TEXTURE_FORMAT(conversion, bytes): return texture_load_##conversion##_##bytes;
   switch (state->conversion << 8 | state->block_bytes) {
      TEXTURE_FORMATS(TEXTURE_CASE_LOAD)
   default: return texture_load_any;
   }
}

/** Reads and decodes the first count texels: one of the commonest formats without a call. */
TEXTURE_INLINE void
texture_load_texels(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                    const struct texture_taps *taps, unsigned count, struct texture_texels *texels)
{
   if (count <= 2 && state->load == texture_load_BYTES_4)
      texture_decode_texels(TEXTURE_CONVERT_BYTES, 4, state, taps, count, texels);
   else if (count == 1 && state->load == texture_load_WORD_4)
      texture_decode_texels(TEXTURE_CONVERT_WORD, 4, state, taps, 1, texels);
   else
      state->load(thread, state, taps, count, texels);
}
