/* SPDX-License-Identifier: MIT */
/**
 * Vectors of sixteen lanes, as wide registers as the compiler's target has: one
 * source for SSE2, AVX2 and AVX-512 with the same results, bit for bit. Only
 * operations that IEEE 754 defines exactly are here: no reciprocal estimates.
 *
 * Masks are bits of an uint32_t, bit n for lane n.
 *
 * Lanes of a 4×4 block are quad-major: lane = quad * 4 + pixel,
 * quad = (y / 2) * 2 + x / 2, pixel = (y & 1) * 2 + (x & 1).
 */
#ifndef TBR_VECTOR_H
#define TBR_VECTOR_H

#include "tile/texture/tbr_texture_vector.h"

/* A piece is a vector of the texture unit's. */
#if TEXTURE_LANES == 16
#define TBR_AVX512 1
#define PIECES(E) E(0)
#elif TEXTURE_LANES == 8
#define PIECES(E) E(0), E(1)
#else
#define PIECES(E) E(0), E(1), E(2), E(3)
#endif
#define TBR_NUM_PIECES (16 / TEXTURE_LANES)

typedef texture_float float_piece;
typedef texture_int int_piece;
typedef float_piece unaligned_float_piece __attribute__((aligned(4), may_alias));
typedef int_piece unaligned_int_piece __attribute__((aligned(4), may_alias));
typedef int32_t quad_ints __attribute__((vector_size(16), aligned(4), may_alias));
typedef float quad_floats __attribute__((vector_size(16), aligned(4), may_alias));

typedef struct {
   float_piece piece[TBR_NUM_PIECES];
} floats;

typedef struct {
   int_piece piece[TBR_NUM_PIECES];
} ints;

#define TBR_INLINE TEXTURE_INLINE

/* The compiler does not take structs of pieces apart in loops, so every
 * operation spells its pieces out: E(n) is the result's piece n. */

TBR_INLINE floats
floats_load(const float *memory)
{
#define E(n) ((const unaligned_float_piece *)memory)[n]
   return (floats){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_load(const void *memory)
{
#define E(n) ((const unaligned_int_piece *)memory)[n]
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE void
floats_store(float *memory, floats a)
{
   for (unsigned n = 0; n < TBR_NUM_PIECES; n++)
      ((unaligned_float_piece *)memory)[n] = a.piece[n];
}

TBR_INLINE void
ints_store(void *memory, ints a)
{
   for (unsigned n = 0; n < TBR_NUM_PIECES; n++)
      ((unaligned_int_piece *)memory)[n] = a.piece[n];
}

TBR_INLINE floats
floats_all(float a)
{
   const float_piece zero = {}; /* subtracted, not added: -0 stays -0 */
#define E(n) a - zero
   return (floats){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_all(int32_t a)
{
   const int_piece zero = {};
#define E(n) a - zero
   return (ints){{PIECES(E)}};
#undef E
}

#define TBR_BINARY(TYPE, NAME, OPERATOR) \
   TBR_INLINE TYPE NAME(TYPE a, TYPE b)  \
   {                                     \
      return (TYPE){{PIECES(OPERATOR)}}; \
   }
#define E(n) a.piece[n] + b.piece[n]
TBR_BINARY(floats, floats_add, E)
TBR_BINARY(ints, ints_add, E)
#undef E
#define E(n) a.piece[n] - b.piece[n]
TBR_BINARY(floats, floats_sub, E)
#undef E
#define E(n) a.piece[n] * b.piece[n]
TBR_BINARY(floats, floats_mul, E)
TBR_BINARY(ints, ints_mul, E)
#undef E
#define E(n) a.piece[n] & b.piece[n]
TBR_BINARY(ints, ints_and, E)
#undef E
#define E(n) a.piece[n] | b.piece[n]
TBR_BINARY(ints, ints_or, E)
#undef E
#define E(n) a.piece[n] ^ b.piece[n]
TBR_BINARY(ints, ints_xor, E)
#undef E
/* If a is not a number, floats_max and floats_min return b. */
#define E(n) texture_max(a.piece[n], b.piece[n])
TBR_BINARY(floats, floats_max, E)
#undef E
#define E(n) texture_min(a.piece[n], b.piece[n])
TBR_BINARY(floats, floats_min, E)
#undef E

/* To the nearest integer, to the even one of two. */
TBR_INLINE ints
ints_round(floats a)
{
#define E(n) texture_round(a.piece[n])
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE floats
floats_from_ints(ints a)
{
#define E(n) __builtin_convertvector(a.piece[n], float_piece)
   return (floats){{PIECES(E)}};
#undef E
}

TBR_INLINE floats
floats_from_bits(ints a)
{
#define E(n) (float_piece) a.piece[n]
   return (floats){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_from_bits(floats a)
{
#define E(n) (int_piece) a.piece[n]
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_not(ints a)
{
#define E(n) ~a.piece[n]
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_shift_left(ints a, unsigned bits)
{
#define E(n) a.piece[n] << bits
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_shift_right_logical(ints a, unsigned bits)
{
#define E(n) (int_piece)((texture_uint)a.piece[n] >> bits)
   return (ints){{PIECES(E)}};
#undef E
}

TBR_INLINE ints
ints_shift_right(ints a, unsigned bits)
{
#define E(n) a.piece[n] >> bits
   return (ints){{PIECES(E)}};
#undef E
}

/* Sixteen bytes, and the lowest bytes of sixteen lanes. */
TBR_INLINE ints
ints_from_bytes(const uint8_t *bytes)
{
#if defined(TBR_AVX512)
   return (ints){{(int_piece)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)bytes))}};
#elif defined(__AVX2__)
   return (ints){{(int_piece)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes)),
                  (int_piece)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(bytes + 8)))}};
#else
   int32_t lanes[16];
   for (unsigned lane = 0; lane < 16; lane++)
      lanes[lane] = bytes[lane];
   return ints_load(lanes);
#endif
}

TBR_INLINE void
ints_store_bytes(uint8_t *bytes, ints a)
{
#if defined(TBR_AVX512)
   _mm_storeu_si128((__m128i *)bytes, _mm512_cvtepi32_epi8((__m512i)a.piece[0]));
#else
   int32_t lanes[16];
   ints_store(lanes, a);
   for (unsigned lane = 0; lane < 16; lane++)
      bytes[lane] = lanes[lane];
#endif
}

/* Mask of the lanes that are negative. */
TBR_INLINE uint32_t
ints_negative(ints a)
{
#if defined(TBR_AVX512)
   return _mm512_movepi32_mask((__m512i)a.piece[0]);
#elif defined(__AVX2__)
   return _mm256_movemask_ps((__m256)a.piece[0]) | _mm256_movemask_ps((__m256)a.piece[1]) << 8;
#elif defined(__SSE2__)
   return _mm_movemask_ps((__m128)a.piece[0]) | _mm_movemask_ps((__m128)a.piece[1]) << 4 |
          _mm_movemask_ps((__m128)a.piece[2]) << 8 | _mm_movemask_ps((__m128)a.piece[3]) << 12;
#else
   uint32_t mask = 0;
   for (unsigned lane = 0; lane < 16; lane++)
      mask |= (uint32_t)(a.piece[lane / TEXTURE_LANES][lane % TEXTURE_LANES] < 0) << lane;
   return mask;
#endif
}

/* Masks of the lanes where a < b and a == b. */
TBR_INLINE uint32_t
ints_less(ints a, ints b)
{
#if defined(TBR_AVX512)
   return _mm512_cmplt_epi32_mask((__m512i)a.piece[0], (__m512i)b.piece[0]);
#else
#define E(n) a.piece[n] < b.piece[n]
   return ints_negative((ints){{PIECES(E)}});
#undef E
#endif
}

TBR_INLINE uint32_t
ints_equal(ints a, ints b)
{
#if defined(TBR_AVX512)
   return _mm512_cmpeq_epi32_mask((__m512i)a.piece[0], (__m512i)b.piece[0]);
#else
#define E(n) a.piece[n] == b.piece[n]
   return ints_negative((ints){{PIECES(E)}});
#undef E
#endif
}

/* Lanes of a where the mask is set, of b elsewhere. */
TBR_INLINE ints
ints_select(uint32_t mask, ints a, ints b)
{
#if defined(TBR_AVX512)
   return (ints){{(int_piece)_mm512_mask_blend_epi32(mask, (__m512i)b.piece[0], (__m512i)a.piece[0])}};
#else
   static const int32_t lane_bits[16] = {1 << 0,  1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                         1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                         1 << 12, 1 << 13, 1 << 14, 1 << 15};
   const ints bits = ints_load(lane_bits);
#define E(n) ((((int_piece){}) + (int32_t)mask) & bits.piece[n]) == bits.piece[n]
   const ints lanes = {{PIECES(E)}};
#undef E
#define E(n) (lanes.piece[n] & a.piece[n]) | (~lanes.piece[n] & b.piece[n])
   return (ints){{PIECES(E)}};
#undef E
#endif
}

TBR_INLINE void
ints_store_masked(int32_t *memory, uint32_t mask, ints a)
{
#if defined(TBR_AVX512)
   _mm512_mask_storeu_epi32(memory, mask, (__m512i)a.piece[0]);
#else
   ints_store(memory, mask == 0xffff ? a : ints_select(mask, a, ints_load(memory)));
#endif
}

/* Four lanes from each of memory + 4 * quad[n]. */
TBR_INLINE ints
ints_gather_quads(const int32_t *memory, const uint16_t quad[4])
{
#define Q(n) *(const quad_ints *)(memory + 4 * quad[n])
#if defined(TBR_AVX512)
   __m512i a = _mm512_castsi128_si512((__m128i)Q(0));
   a = _mm512_inserti32x4(a, (__m128i)Q(1), 1);
   a = _mm512_inserti32x4(a, (__m128i)Q(2), 2);
   return (ints){{(int_piece)_mm512_inserti32x4(a, (__m128i)Q(3), 3)}};
#elif defined(__AVX2__)
   return (ints){{(int_piece)_mm256_set_m128i((__m128i)Q(1), (__m128i)Q(0)),
                  (int_piece)_mm256_set_m128i((__m128i)Q(3), (__m128i)Q(2))}};
#else
   return (ints){{Q(0), Q(1), Q(2), Q(3)}};
#endif
#undef Q
}

/* The inverse, for the lanes of the mask only. */
TBR_INLINE void
ints_scatter_quads(int32_t *memory, const uint16_t quad[4], uint32_t mask, ints a)
{
#if defined(TBR_AVX512)
   _mm_mask_storeu_epi32(memory + 4 * quad[0], mask & 15, _mm512_castsi512_si128((__m512i)a.piece[0]));
   _mm_mask_storeu_epi32(memory + 4 * quad[1], mask >> 4 & 15,
                         _mm512_extracti32x4_epi32((__m512i)a.piece[0], 1));
   _mm_mask_storeu_epi32(memory + 4 * quad[2], mask >> 8 & 15,
                         _mm512_extracti32x4_epi32((__m512i)a.piece[0], 2));
   _mm_mask_storeu_epi32(memory + 4 * quad[3], mask >> 12, _mm512_extracti32x4_epi32((__m512i)a.piece[0], 3));
#else
   static const quad_ints bits = {1, 2, 4, 8};
   for (unsigned n = 0; n < 4; n++) {
      quad_ints *place = (quad_ints *)(memory + 4 * quad[n]);
#if defined(__AVX2__)
      const quad_ints new = (quad_ints)(n & 1 ? _mm256_extracti128_si256((__m256i)a.piece[n / 2], 1)
                                              : _mm256_castsi256_si128((__m256i)a.piece[n / 2]));
#else
      const quad_ints new = a.piece[n];
#endif
      const quad_ints all = {};
      const quad_ints lanes = ((all + (int32_t)(mask >> 4 * n)) & bits) == bits;
      *place = (lanes & new) | (~lanes & *place);
   }
#endif
}

/* Column and row of each lane in its 4×4 block. */
static const int32_t tbr_lane_x[16] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const int32_t tbr_lane_y[16] = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
static const float tbr_lane_x_float[16] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const float tbr_lane_y_float[16] = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};

#endif
