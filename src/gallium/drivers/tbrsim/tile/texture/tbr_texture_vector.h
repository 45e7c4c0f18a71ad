/* SPDX-License-Identifier: MIT */
/**
 * The texture unit's vectors: as many lanes as the vector feature level has,
 * 4, 8 or 16. Every operation is exact or rounds as IEEE 754 says, so that all
 * levels compute the same bits.
 */
#ifndef TBR_TEXTURE_VECTOR_H
#define TBR_TEXTURE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "util/half_float.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TEXTURE_LANES 16
#elif defined(__AVX2__)
#define TEXTURE_LANES 8
#else
#define TEXTURE_LANES 4
#endif

#define TEXTURE_INLINE static inline __attribute__((always_inline, unused))

typedef float texture_float __attribute__((vector_size(TEXTURE_LANES * 4)));
typedef int32_t texture_int __attribute__((vector_size(TEXTURE_LANES * 4)));
typedef uint32_t texture_uint __attribute__((vector_size(TEXTURE_LANES * 4)));
/** Two 16-bit channels a lane. */
typedef int16_t texture_short __attribute__((vector_size(TEXTURE_LANES * 4)));
typedef uint16_t texture_ushort __attribute__((vector_size(TEXTURE_LANES * 4)));

TEXTURE_INLINE texture_float
texture_load_float(const float *source)
{
   texture_float result;
   memcpy(&result, source, sizeof(result));
   return result;
}

/** Loads an operand that generated code has just stored: in halves, which its
 * stores of 32 bytes can forward to. */
TEXTURE_INLINE texture_float
texture_load_operand(const float *source)
{
#if TEXTURE_LANES == 16
   __m512 low = _mm512_castps256_ps512(_mm256_loadu_ps(source));
   return (texture_float)_mm512_insertf32x8(low, _mm256_loadu_ps(source + 8), 1);
#else
   return texture_load_float(source);
#endif
}

/** Four floats in every quad. */
TEXTURE_INLINE texture_float
texture_load_quads(const float *source)
{
#if TEXTURE_LANES == 16
   return (texture_float)_mm512_broadcast_f32x4(_mm_loadu_ps(source));
#elif TEXTURE_LANES == 8
   return (texture_float)_mm256_set_m128(_mm_loadu_ps(source), _mm_loadu_ps(source));
#else
   return texture_load_float(source);
#endif
}

TEXTURE_INLINE void
texture_store_float(float *destination, texture_float value)
{
   memcpy(destination, &value, sizeof(value));
}

TEXTURE_INLINE texture_int
texture_load_int(const void *source)
{
   texture_int result;
   memcpy(&result, source, sizeof(result));
   return result;
}

TEXTURE_INLINE void
texture_store_int(void *destination, texture_int value)
{
   memcpy(destination, &value, sizeof(value));
}

TEXTURE_INLINE texture_float
texture_splat_float(float value)
{
   return value - (texture_float){0};
}

TEXTURE_INLINE texture_int
texture_splat_int(int32_t value)
{
   return value - (texture_int){0};
}

/** The integer at an address, in all lanes. */
TEXTURE_INLINE texture_int
texture_load_splat(const int32_t *source)
{
#if TEXTURE_LANES == 8
   /* Compilers load it into a general register first. */
   return (texture_int)_mm256_broadcast_ss((const float *)source);
#else
   return texture_splat_int(*source);
#endif
}

/** mask: all bits of a lane, or none. */
TEXTURE_INLINE texture_int
texture_select_int(texture_int mask, texture_int yes, texture_int no)
{
#if TEXTURE_LANES == 8
   return (texture_int)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
   return (mask & yes) | (~mask & no);
#endif
}

TEXTURE_INLINE texture_float
texture_select_float(texture_int mask, texture_float yes, texture_float no)
{
   return (texture_float)texture_select_int(mask, (texture_int)yes, (texture_int)no);
}

/** a > b ? a : b; b where either is not a number. */
TEXTURE_INLINE texture_float
texture_max(texture_float a, texture_float b)
{
#if TEXTURE_LANES == 16
   return (texture_float)_mm512_max_ps((__m512)a, (__m512)b);
#elif TEXTURE_LANES == 8
   return (texture_float)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
   return (texture_float)_mm_max_ps((__m128)a, (__m128)b);
#else
   return texture_select_float(a > b, a, b);
#endif
}

/** a < b ? a : b; b where either is not a number. */
TEXTURE_INLINE texture_float
texture_min(texture_float a, texture_float b)
{
#if TEXTURE_LANES == 16
   return (texture_float)_mm512_min_ps((__m512)a, (__m512)b);
#elif TEXTURE_LANES == 8
   return (texture_float)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
   return (texture_float)_mm_min_ps((__m128)a, (__m128)b);
#else
   return texture_select_float(a < b, a, b);
#endif
}

/** The same of integers. */
TEXTURE_INLINE texture_int
texture_max_int(texture_int a, texture_int b)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif TEXTURE_LANES == 8
   return (texture_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
   return texture_select_int(a > b, a, b);
#endif
}

TEXTURE_INLINE texture_int
texture_min_int(texture_int a, texture_int b)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif TEXTURE_LANES == 8
   return (texture_int)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
   return texture_select_int(a < b, a, b);
#endif
}

/* Shifts of all lanes by a number of bits that the compiler does not know. */
#if TEXTURE_LANES == 16
#define TEXTURE_SHIFT(direction, value, bits) \
   (texture_int) _mm512_##direction##_epi32((__m512i)(value), _mm_cvtsi32_si128((int)(bits)))
#elif TEXTURE_LANES == 8
#define TEXTURE_SHIFT(direction, value, bits) \
   (texture_int) _mm256_##direction##_epi32((__m256i)(value), _mm_cvtsi32_si128((int)(bits)))
#elif defined(__SSE2__)
#define TEXTURE_SHIFT(direction, value, bits) \
   (texture_int) _mm_##direction##_epi32((__m128i)(value), _mm_cvtsi32_si128((int)(bits)))
#endif

TEXTURE_INLINE texture_int
texture_shift_left(texture_int value, unsigned bits)
{
#ifdef TEXTURE_SHIFT
   return TEXTURE_SHIFT(sll, value, bits);
#else
   return value << (int)bits;
#endif
}

TEXTURE_INLINE texture_int
texture_shift_right(texture_int value, unsigned bits)
{
#ifdef TEXTURE_SHIFT
   return TEXTURE_SHIFT(srl, value, bits);
#else
   return (texture_int)((texture_uint)value >> bits);
#endif
}

TEXTURE_INLINE texture_int
texture_shift_right_signed(texture_int value, unsigned bits)
{
#ifdef TEXTURE_SHIFT
   return TEXTURE_SHIFT(sra, value, bits);
#else
   return value >> (int)bits;
#endif
}

/** Towards zero; INT32_MIN where the result does not fit. */
TEXTURE_INLINE texture_int
texture_truncate(texture_float value)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_cvttps_epi32((__m512)value);
#elif TEXTURE_LANES == 8
   return (texture_int)_mm256_cvttps_epi32((__m256)value);
#elif defined(__SSE2__)
   return (texture_int)_mm_cvttps_epi32((__m128)value);
#else
   texture_int result;
   for (unsigned i = 0; i < TEXTURE_LANES; i++)
      result[i] = value[i] >= -2147483648.0f && value[i] < 2147483648.0f ? (int32_t)value[i] : INT32_MIN;
   return result;
#endif
}

/** To the nearest integer, to the even one of two. */
TEXTURE_INLINE texture_int
texture_round(texture_float value)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_cvtps_epi32((__m512)value);
#elif TEXTURE_LANES == 8
   return (texture_int)_mm256_cvtps_epi32((__m256)value);
#elif defined(__SSE2__)
   return (texture_int)_mm_cvtps_epi32((__m128)value);
#else
   texture_int result;
   for (unsigned i = 0; i < TEXTURE_LANES; i++)
      result[i] = (int32_t)__builtin_rintf(value[i]);
   return result;
#endif
}

TEXTURE_INLINE texture_float
texture_to_float(texture_int value)
{
   return __builtin_convertvector(value, texture_float);
}

TEXTURE_INLINE texture_float
texture_floor(texture_float value)
{
#if TEXTURE_LANES == 16
   return (texture_float)_mm512_roundscale_ps((__m512)value, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif TEXTURE_LANES == 8
   return (texture_float)_mm256_floor_ps((__m256)value);
#else
   /* From 2^23 on every float is whole. */
   texture_int magnitude = (texture_int)value & 0x7fffffff;
   texture_float whole = texture_to_float(texture_truncate(value));
   whole -= (texture_float)((whole > value) & (texture_int)texture_splat_float(1.0f));
   return texture_select_float(magnitude < 0x4b000000, whole, value);
#endif
}

/** The halves in the low 16 bits of the lanes, whatever is above. */
TEXTURE_INLINE texture_float
texture_from_halves(texture_int halves)
{
#if TEXTURE_LANES == 16
   return (texture_float)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)halves));
#elif TEXTURE_LANES == 8
   const __m256i low = (__m256i)(halves & 0xffff);
   const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
   return (texture_float)_mm256_cvtph_ps(_mm256_castsi256_si128(packed));
#else
   texture_float result;
   for (unsigned i = 0; i < TEXTURE_LANES; i++)
      result[i] = _mesa_half_to_float((uint16_t)halves[i]);
   return result;
#endif
}

/** Unsigned floats with 5 bits of exponent, in the low bits of the lanes, and as many bits
 * of mantissa as said. */
TEXTURE_INLINE texture_float
texture_from_unsigned_floats(texture_int bits, unsigned mantissa_bits)
{
   const texture_int exponent = bits >> (int)mantissa_bits & 31;
   const texture_int mantissa = bits & ((1 << mantissa_bits) - 1);
   const texture_float denormal = texture_to_float(mantissa) * (1.0f / (float)(1 << (14 + mantissa_bits)));
   const texture_int normal = (exponent + 112) << 23 | mantissa << (int)(23 - mantissa_bits);
   const texture_int special = mantissa | 0x7f800000;
   return (texture_float)texture_select_int(exponent == 0, (texture_int)denormal,
                                            texture_select_int(exponent == 31, special, normal));
}

/** High half of the product of signed 16-bit channels. */
TEXTURE_INLINE texture_short
texture_multiply_high(texture_short a, texture_short b)
{
#if TEXTURE_LANES == 16
   return (texture_short)_mm512_mulhi_epi16((__m512i)a, (__m512i)b);
#elif TEXTURE_LANES == 8
   return (texture_short)_mm256_mulhi_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
   return (texture_short)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#else
   texture_short result;
   for (unsigned i = 0; i < 2 * TEXTURE_LANES; i++)
      result[i] = (int16_t)((a[i] * b[i]) >> 16);
   return result;
#endif
}

/** (a + b + 1) / 2 of unsigned 16-bit channels. */
TEXTURE_INLINE texture_short
texture_average(texture_short a, texture_short b)
{
#if TEXTURE_LANES == 16
   return (texture_short)_mm512_avg_epu16((__m512i)a, (__m512i)b);
#elif TEXTURE_LANES == 8
   return (texture_short)_mm256_avg_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
   return (texture_short)_mm_avg_epu16((__m128i)a, (__m128i)b);
#else
   texture_short result;
   for (unsigned i = 0; i < 2 * TEXTURE_LANES; i++)
      result[i] = (int16_t)(((uint16_t)a[i] + (uint16_t)b[i] + 1) >> 1);
   return result;
#endif
}

/** The lanes of a comparison's result that are set, as bits. */
TEXTURE_INLINE uint32_t
texture_bits(texture_int mask)
{
#if TEXTURE_LANES == 16
   return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif TEXTURE_LANES == 8
   return _mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
   return _mm_movemask_ps((__m128)mask);
#else
   return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

/** Whether any lane of a comparison's result is set. */
TEXTURE_INLINE bool
texture_any(texture_int mask)
{
   return texture_bits(mask) != 0;
}

/* Shuffles within each quad of lanes. */
#if TEXTURE_LANES == 16
#define TEXTURE_QUAD_INDICES(a, b, c, d)                                                            \
   (texture_int)                                                                                    \
   {                                                                                                \
      a, b, c, d, 4 + (a), 4 + (b), 4 + (c), 4 + (d), 8 + (a), 8 + (b), 8 + (c), 8 + (d), 12 + (a), \
         12 + (b), 12 + (c), 12 + (d)                                                               \
   }
#elif TEXTURE_LANES == 8
#define TEXTURE_QUAD_INDICES(a, b, c, d)             \
   (texture_int)                                     \
   {                                                 \
      a, b, c, d, 4 + (a), 4 + (b), 4 + (c), 4 + (d) \
   }
#else
#define TEXTURE_QUAD_INDICES(a, b, c, d) \
   (texture_int)                         \
   {                                     \
      a, b, c, d                         \
   }
#endif

#define texture_quad_shuffle(value, a, b, c, d) __builtin_shuffle(value, TEXTURE_QUAD_INDICES(a, b, c, d))

/** {x of pixel a, x of pixel b, y of pixel c, y of pixel d} in each quad. */
#define texture_quad_pick(x, y, a, b, c, d) \
   __builtin_shuffle(x, y, TEXTURE_QUAD_INDICES(a, b, (c) + TEXTURE_LANES, (d) + TEXTURE_LANES))

/** bias + log2(value) / 2 of a positive, normal number, 4e-6 off at most; finite for
 * infinity. */
TEXTURE_INLINE texture_float
texture_half_log2(texture_float value, texture_float bias)
{
   texture_int bits = (texture_int)value;
   texture_float whole = texture_to_float((bits >> 23) - 127) * 0.5f + bias;
   texture_float x = (texture_float)((bits & 0x007fffff) | 0x3f800000) - 1.0f;
   /* log2(1 + x) / (2 * x), met at Chebyshev's nodes and at 1, where the pieces join. */
   texture_float square = x * x;
   texture_float p0 = x * -0.3596071895556769f + 0.7213266313091642f;
   texture_float p2 = x * -0.14062915244054845f + 0.23031955300693077f;
   texture_float p4 = x * -0.012842724421062712f + 0.06143288210119293f;
   texture_float p = p0 + square * (p2 + square * p4);
   return whole + p * x;
}

#endif
