/* SPDX-License-Identifier: MIT */
/**
 * Texels by kind: reading them from memory or from decoded blocks, and mixing them,
 * a vector of lanes at a time. Included by tbr_texture_sample_tmp.h.
 */

/** The texels of the lanes: channels 0 (low half) and 2 of each lane, and 1 and 3;
 * or one float, or four. */
struct texture_color {
   texture_short even, odd;
   texture_float single;
   texture_float wide[4];
};

TEXTURE_INLINE bool
texture_is_single(enum texture_kind kind)
{
   return kind >= TEXTURE_KIND_16 && kind <= TEXTURE_KIND_FLOAT;
}

TEXTURE_INLINE bool
texture_is_block(enum texture_kind kind)
{
   return kind == TEXTURE_KIND_BLOCK || kind == TEXTURE_KIND_BLOCK_SRGB;
}

TEXTURE_INLINE unsigned
texture_kind_bytes(enum texture_kind kind)
{
   switch (kind) {
   case TEXTURE_KIND_BYTES_1: return 1;
   case TEXTURE_KIND_BYTES_2:
   case TEXTURE_KIND_565:
   case TEXTURE_KIND_5551:
   case TEXTURE_KIND_4444:
   case TEXTURE_KIND_16: return 2;
   default: return 4;
   }
}

TEXTURE_INLINE texture_int
texture_load_word(const uint8_t *base, texture_int offset)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif TEXTURE_LANES == 8
   /* AMD's gathers take twice as long as loads. */
   uint32_t at[TEXTURE_LANES]; /* no offset is negative, and unsigned ones need not be extended */
   texture_store_int(at, offset);
#define TEXTURE_WORD(i) _mm_castsi128_ps(_mm_loadu_si32(base + at[i]))
#define TEXTURE_TWO(i) _mm_unpacklo_ps(TEXTURE_WORD(i), TEXTURE_WORD(i + 1))
   return (texture_int)_mm256_set_m128(_mm_movelh_ps(TEXTURE_TWO(4), TEXTURE_TWO(6)),
                                       _mm_movelh_ps(TEXTURE_TWO(0), TEXTURE_TWO(2)));
#undef TEXTURE_WORD
#undef TEXTURE_TWO
#else
   texture_int word;
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      int32_t value;
      memcpy(&value, base + offset[i], 4);
      word[i] = value;
   }
   return word;
#endif
}

/** The texels at byte offsets from base, each in the low bits of its lane, zeros
 * above. */
TEXTURE_INLINE texture_int
texture_load_texel(enum texture_kind kind, const uint8_t *base, texture_int offset)
{
   if (texture_kind_bytes(kind) == 4)
      return texture_load_word(base, offset);
#if TEXTURE_LANES == 16
   /* The aligned word around a texel lies in the texel's page. */
   texture_uint word = (texture_uint)texture_load_word(base, offset & ~3);
   word >>= (texture_uint)((offset & 3) << 3);
   return (texture_int)word & (texture_kind_bytes(kind) == 2 ? 0xffff : 0xff);
#elif TEXTURE_LANES == 8
   int32_t at[TEXTURE_LANES];
   __m128i texels = _mm_setzero_si128();
   texture_store_int(at, offset);
#define TEXTURE_INSERT(i)                                                                                  \
   texels = texture_kind_bytes(kind) == 2 ? _mm_insert_epi16(texels, *(const uint16_t *)(base + at[i]), i) \
                                          : _mm_insert_epi8(texels, base[at[i]], i)
   TEXTURE_INSERT(0);
   TEXTURE_INSERT(1);
   TEXTURE_INSERT(2);
   TEXTURE_INSERT(3);
   TEXTURE_INSERT(4);
   TEXTURE_INSERT(5);
   TEXTURE_INSERT(6);
   TEXTURE_INSERT(7);
#undef TEXTURE_INSERT
   return (texture_int)(texture_kind_bytes(kind) == 2 ? _mm256_cvtepu16_epi32(texels)
                                                      : _mm256_cvtepu8_epi32(texels));
#else
   texture_int word;
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      uint16_t value;
      if (texture_kind_bytes(kind) == 2) {
         memcpy(&value, base + offset[i], 2);
      } else {
         value = base[offset[i]];
      }
      word[i] = value;
   }
   return word;
#endif
}

#ifdef __SSE2__
/** The 64 bits at each of two offsets. */
TEXTURE_INLINE __m128
texture_load_two(const uint8_t *base, uint32_t first, uint32_t second)
{
   __m128i low = _mm_loadl_epi64((const __m128i *)(base + first));
   return _mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)(base + second));
}
#endif

/** Two texels next to each other: at the offsets from base and four bytes on. */
TEXTURE_INLINE void
texture_load_pair(const struct tbr_texture_private *state, const uint8_t *base, texture_int offset,
                  texture_int *left, texture_int *right)
{
#if TEXTURE_LANES == 16
   if (state->gathers) {
      const texture_int evens = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
      const __m512i first = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)offset), base, 1);
      const __m512i second = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)offset, 1), base, 1);
      *left = __builtin_shuffle((texture_int)first, (texture_int)second, evens);
      *right = __builtin_shuffle((texture_int)first, (texture_int)second, evens + 1);
      return;
   }
#endif
   uint32_t at[TEXTURE_LANES];
   texture_store_int(at, offset);
#if TEXTURE_LANES == 16
   /* Quad q's first two pairs are in the first vector's part q, the other two in the second's. */
   __m512 first = _mm512_castps128_ps512(texture_load_two(base, at[0], at[1]));
   __m512 second = _mm512_castps128_ps512(texture_load_two(base, at[2], at[3]));
   first = _mm512_insertf32x4(first, texture_load_two(base, at[4], at[5]), 1);
   second = _mm512_insertf32x4(second, texture_load_two(base, at[6], at[7]), 1);
   first = _mm512_insertf32x4(first, texture_load_two(base, at[8], at[9]), 2);
   second = _mm512_insertf32x4(second, texture_load_two(base, at[10], at[11]), 2);
   first = _mm512_insertf32x4(first, texture_load_two(base, at[12], at[13]), 3);
   second = _mm512_insertf32x4(second, texture_load_two(base, at[14], at[15]), 3);
   *left = (texture_int)_mm512_shuffle_ps(first, second, 0x88);
   *right = (texture_int)_mm512_shuffle_ps(first, second, 0xdd);
#elif TEXTURE_LANES == 8
   __m256 first = _mm256_set_m128(texture_load_two(base, at[4], at[5]), texture_load_two(base, at[0], at[1]));
   __m256 second =
      _mm256_set_m128(texture_load_two(base, at[6], at[7]), texture_load_two(base, at[2], at[3]));
   *left = (texture_int)_mm256_shuffle_ps(first, second, 0x88);
   *right = (texture_int)_mm256_shuffle_ps(first, second, 0xdd);
#elif defined(__SSE2__)
   __m128 first = texture_load_two(base, at[0], at[1]), second = texture_load_two(base, at[2], at[3]);
   *left = (texture_int)_mm_shuffle_ps(first, second, 0x88);
   *right = (texture_int)_mm_shuffle_ps(first, second, 0xdd);
#else
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      int32_t value[2];
      memcpy(value, base + at[i], 8);
      (*left)[i] = value[0];
      (*right)[i] = value[1];
   }
#endif
}

/** sRGB bytes as linear ones, where 32640 is 1. */
TEXTURE_INLINE texture_int
texture_srgb(texture_int byte)
{
   return texture_load_word((const uint8_t *)tbr_texture_srgb, byte << 2);
}

/** Channels of 15 bits to the scale where 32640 is 1. */
TEXTURE_INLINE texture_short
texture_rescale(texture_ushort value)
{
   return (texture_short)(value - (value >> 8));
}

TEXTURE_INLINE struct texture_color
texture_unpack(enum texture_kind kind, texture_int word)
{
   struct texture_color color; /* members of other kinds are not initialised, which would take stores */
   switch (kind) {
   case TEXTURE_KIND_565: {
      texture_ushort five = (texture_ushort)((word & 0x1f) | (word << 5 & 0x1f0000));
      texture_ushort six = (texture_ushort)(word >> 5 & 0x3f);
      color.even = texture_rescale(five * 1057);
      color.odd = texture_rescale(six * 520 + (six >> 3));
      break;
   }
   case TEXTURE_KIND_5551:
      color.even = texture_rescale((texture_ushort)((word & 0x1f) | (word << 6 & 0x1f0000)) * 1057);
      color.odd = texture_rescale((texture_ushort)(word >> 5 & 0x1f) * 1057);
      color.odd |= (texture_short)(-(word >> 15) & 0x7f800000);
      break;
   case TEXTURE_KIND_4444:
      color.even = (texture_short)((word & 0xf) | (word << 8 & 0xf0000)) * 2176;
      color.odd = (texture_short)((word >> 4 & 0xf) | (word << 4 & 0xf0000)) * 2176;
      break;
   case TEXTURE_KIND_16: color.single = texture_to_float(word) * (1.0f / 65535.0f); break;
   case TEXTURE_KIND_24_LOW: color.single = texture_to_float(word & 0xffffff) * (1.0f / 16777215.0f); break;
   case TEXTURE_KIND_24_HIGH:
      color.single = texture_to_float((texture_int)((texture_uint)word >> 8)) * (1.0f / 16777215.0f);
      break;
   case TEXTURE_KIND_FLOAT: color.single = (texture_float)word; break;
   case TEXTURE_KIND_SRGB:
   case TEXTURE_KIND_BLOCK_SRGB: {
      texture_int alpha = word >> 1 & 0x7f800000;
      color.even = (texture_short)(texture_srgb(word & 0xff) | texture_srgb(word >> 16 & 0xff) << 16);
      color.odd = (texture_short)(texture_srgb(word >> 8 & 0xff) | alpha);
      break;
   }
   default:
      color.even = (texture_short)(word << 7 & 0x7f807f80);
      color.odd = (texture_short)(word >> 1 & 0x7f807f80);
      break;
   }
   return color;
}

/** Decodes a block into its entry of the thread's cache. */
static __attribute__((noinline)) void
texture_decode_block(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                     const uint8_t *address, struct tbr_texture_block *block)
{
   block->address = address;
   block->generation = thread->generation;
   block->format = state->format;
   if (state->decode_s3tc)
      state->decode_s3tc(address, block->texels);
   else
      state->unpack_block((uint8_t *)block->texels, 16, address, state->block_bytes, 4, 4);
}

/** The decoded block at an address. */
static inline const uint32_t *
texture_find_block(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                   const uint8_t *address)
{
   const uint32_t hash = (uint32_t)((uintptr_t)address >> 3) * 0x9e3779b1u;
   struct tbr_texture_block *block = &thread->blocks[hash >> (32 - TBR_TEXTURE_BLOCK_BITS)];
   if (unlikely(block->address != address || block->generation != thread->generation ||
                block->format != state->format))
      texture_decode_block(thread, state, address, block);
   return block->texels;
}

#include "tile/texture/tbr_texture_decode_tmp.h"

/** Where the texels of a level's square lie; the offset is that of the lane's image. */
struct texel_positions {
   texture_int offset, row_stride;
   texture_int x[2], y[2]; /**< columns and rows */
};

TEXTURE_INLINE void
texture_place_square(const struct tbr_texture_private *state, const struct texel_positions *places,
                     unsigned count, struct texture_taps *taps)
{
#pragma GCC unroll 4
   for (unsigned i = 0; i < count; i++)
      texture_place_tap(state, taps, i, places->offset, places->row_stride, places->x[i & 1],
                        places->y[i >> 1]);
}

/** Reads the first count texels of a square; not those of TEXTURE_KIND_WIDE. */
TEXTURE_INLINE void
texture_load_square(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                    enum texture_kind kind, const struct texel_positions *places, unsigned count,
                    struct texture_color *colors)
{
   texture_int texels[4];
   if (texture_is_block(kind)) {
      struct texture_taps taps;
      texture_place_square(state, places, count, &taps);
      texture_load_blocks(thread, state, &taps, count, texels);
   } else {
      const int bytes = (int)texture_kind_bytes(kind);
#pragma GCC unroll 4
      for (unsigned i = 0; i < count; i++)
         texels[i] = texture_load_texel(kind, state->base,
                                        places->offset + places->y[i >> 1] * places->row_stride +
                                           places->x[i & 1] * bytes);
   }
#pragma GCC unroll 4
   for (unsigned i = 0; i < count; i++)
      colors[i] = texture_unpack(kind, texels[i]);
}

/** Whether two neighbours are read at once. */
TEXTURE_INLINE bool
texture_has_pairs(enum texture_kind kind)
{
   return kind != TEXTURE_KIND_WIDE && !texture_is_block(kind) && texture_kind_bytes(kind) == 4;
}

/** A mixing weight: in 1/65536 minus one half for both channels, or a float. */
struct texture_weights {
   texture_short channels;
   texture_float single;
};

/** a + (b - a) * weight; the weight is in 1/65536 minus one half, which halves
 * the product's range to what 16 bits hold. Exactly a for weight 0. */
TEXTURE_INLINE texture_short
texture_mix(texture_short a, texture_short b, texture_short weight)
{
   return texture_average(a, b) + texture_multiply_high(b - a, weight);
}

TEXTURE_INLINE texture_float
texture_blend_lanes(texture_float a, texture_float b, texture_float weight)
{
   return a + (b - a) * weight;
}

TEXTURE_INLINE struct texture_color
texture_mix_colors(enum texture_kind kind, struct texture_color a, struct texture_color b,
                   struct texture_weights weight)
{
   if (kind == TEXTURE_KIND_WIDE) {
      for (unsigned i = 0; i < 4; i++)
         a.wide[i] = texture_blend_lanes(a.wide[i], b.wide[i], weight.single);
      return a;
   }
   if (texture_is_single(kind)) {
      a.single = texture_blend_lanes(a.single, b.single, weight.single);
      return a;
   }
   a.even = texture_mix(a.even, b.even, weight.channels);
   if (kind != TEXTURE_KIND_BYTES_1)
      a.odd = texture_mix(a.odd, b.odd, weight.channels);
   return a;
}

/** The weight that a fraction in the low 16 bits is. */
TEXTURE_INLINE struct texture_weights
texture_weight(enum texture_kind kind, texture_int fraction)
{
   struct texture_weights weight = {0};
   fraction &= 0xffff;
   if (texture_is_single(kind) || kind == TEXTURE_KIND_WIDE) {
      weight.single = texture_to_float(fraction) * (1.0f / 65536.0f);
   } else {
      fraction ^= 0x8000;
      weight.channels = (texture_short)(fraction | fraction << 16);
   }
   return weight;
}

/** Reads, as floats, and filters a square; or reads a texel. */
TEXTURE_INLINE struct texture_color
texture_filter_wide(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                    const struct texel_positions *places, unsigned count, struct texture_weights weight_x,
                    struct texture_weights weight_y)
{
   struct texture_color color;
   struct texture_taps taps;
   struct texture_texels texels;
   texture_place_square(state, places, count, &taps);
   taps.channels = state->used_channels;
   taps.pairs = count > 1 && !texture_any(places->x[1] != places->x[0] + 1);
   texture_load_texels(thread, state, &taps, count, &texels);
   for (unsigned c = 0; c < 4; c++) {
      const texture_float first = texels.channel[0][c];
      color.wide[c] = texture_splat_float(0.0f);
      if (!(state->used_channels >> c & 1))
         continue;
      color.wide[c] = first;
      if (count > 1) {
         const texture_float low = texture_blend_lanes(first, texels.channel[1][c], weight_x.single);
         const texture_float high =
            texture_blend_lanes(texels.channel[2][c], texels.channel[3][c], weight_x.single);
         color.wide[c] = texture_blend_lanes(low, high, weight_y.single);
      }
   }
   return color;
}

/** The geometry of each lane's level; fields as enum texture_geometry_field. */
struct texture_geometry {
   texture_int field[TEXTURE_NUM_GEOMETRY_FIELDS];
};

#if TEXTURE_LANES < 16
static __attribute__((noinline)) void
texture_look_up_lanes(const struct tbr_texture_private *state, const texture_int *level,
                      struct texture_geometry *geometry)
{
   for (unsigned lane = 0; lane < TEXTURE_LANES; lane++)
      for (unsigned i = 0; i < TEXTURE_NUM_GEOMETRY_FIELDS; i++)
         geometry->field[i][lane] = state->records[(*level)[lane]][i];
}
#endif

TEXTURE_INLINE void
texture_look_up_one_level(const struct tbr_texture_private *state, int32_t level,
                          struct texture_geometry *geometry)
{
   for (unsigned i = 0; i < TEXTURE_NUM_GEOMETRY_FIELDS; i++)
      geometry->field[i] = texture_load_splat(&state->records[level][i]);
}

/** The geometry of the first level. */
TEXTURE_INLINE void
texture_look_up_first_level(const struct tbr_texture_private *state, struct texture_geometry *geometry)
{
   texture_look_up_one_level(state, 0, geometry);
}

/** uniform: the lanes of a quad are on one level. */
TEXTURE_INLINE void
texture_look_up_level(const struct tbr_texture_private *state, texture_int level, bool uniform,
                      struct texture_geometry *geometry)
{
#if TEXTURE_LANES == 16
   for (unsigned i = 0; i < TEXTURE_NUM_GEOMETRY_FIELDS; i++)
      geometry->field[i] =
         (texture_int)_mm512_permutexvar_epi32((__m512i)level, _mm512_loadu_si512(state->tables[i]));
#else
   if (!uniform) {
      if (texture_any(level != texture_splat_int(level[0])))
         texture_look_up_lanes(state, &level, geometry);
      else
         texture_look_up_one_level(state, level[0], geometry);
      return;
   }
#if TEXTURE_LANES == 8
   const float *first = (const float *)state->records[level[0]],
               *second = (const float *)state->records[level[4]];
   texture_int low = (texture_int)_mm256_set_m128(_mm_loadu_ps(second), _mm_loadu_ps(first));
   texture_int high = (texture_int)_mm256_set_m128(_mm_loadu_ps(second + 4), _mm_loadu_ps(first + 4));
#else
   texture_int low = texture_load_int(state->records[level[0]]);
   texture_int high = texture_load_int(state->records[level[0]] + 4);
#endif
   geometry->field[0] = texture_quad_shuffle(low, 0, 0, 0, 0);
   geometry->field[1] = texture_quad_shuffle(low, 1, 1, 1, 1);
   geometry->field[2] = texture_quad_shuffle(low, 2, 2, 2, 2);
   geometry->field[3] = texture_quad_shuffle(low, 3, 3, 3, 3);
   geometry->field[4] = texture_quad_shuffle(high, 0, 0, 0, 0);
   geometry->field[5] = texture_quad_shuffle(high, 1, 1, 1, 1);
   geometry->field[6] = texture_quad_shuffle(high, 2, 2, 2, 2);
   geometry->field[7] = texture_quad_shuffle(high, 3, 3, 3, 3);
#endif
}

/** Array layers of the lanes, of so many, that coordinates name. */
TEXTURE_INLINE texture_int
texture_array_layers(uint32_t num_layers, const float *coordinates)
{
   const texture_float zero = {0};
   texture_float layer = texture_floor(texture_max(texture_load_operand(coordinates), zero) + 0.5f);
   return texture_truncate(texture_min(layer, texture_splat_float((float)(num_layers - 1))));
}

/** Compares texels of depth with the reference. */
TEXTURE_INLINE texture_float
texture_compare_lanes(unsigned function, texture_float reference, texture_float depth)
{
   texture_int passes = texture_splat_int(0);
   switch (function) {
   case PIPE_FUNC_LESS: passes = reference < depth; break;
   case PIPE_FUNC_EQUAL: passes = reference == depth; break;
   case PIPE_FUNC_LEQUAL: passes = reference <= depth; break;
   case PIPE_FUNC_GREATER: passes = reference > depth; break;
   case PIPE_FUNC_NOTEQUAL: passes = reference != depth; break;
   case PIPE_FUNC_GEQUAL: passes = reference >= depth; break;
   case PIPE_FUNC_ALWAYS: passes = texture_splat_int(-1); break;
   }
   return (texture_float)(passes & (texture_int)texture_splat_float(1.0f));
}

/** Sets what components can be besides channels: once for all vectors of a call. */
TEXTURE_INLINE void
texture_set_constants(const struct tbr_texture_private *state, texture_float values[TEXTURE_NUM_VALUES])
{
   values[PIPE_SWIZZLE_0] = texture_splat_float(0.0f);
   values[PIPE_SWIZZLE_1] = (texture_float)texture_splat_int(state->integer ? 1 : 0x3f800000);
}

/** Stores the components of lanes part … */
TEXTURE_INLINE void
texture_store_channels(const struct tbr_texture_private *state, const texture_float *values, unsigned part,
                       struct tbr_sample_arguments *arguments)
{
   if (state->identity) {
      for (unsigned i = 0; i < 4; i++)
         texture_store_float(arguments->texel[i] + part, values[i]);
      return;
   }
   for (unsigned i = 0; i < 4; i++)
      texture_store_float(arguments->texel[i] + part, values[state->channel[i]]);
}
