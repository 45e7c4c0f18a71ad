/* SPDX-License-Identifier: MIT */
/**
 * Half precision in vectors: conversions as Mesa's format library makes them, and pixels
 * of four channels.
 */
#ifndef TBR_VECTOR_HALF_H
#define TBR_VECTOR_HALF_H

#include "util/half_float.h"
#include "tbr_limits.h"
#include "tile/raster/tbr_vector.h"

/* The low halves of the lanes. */
TBR_INLINE floats
floats_from_halves(ints halves)
{
#define E(n) texture_from_halves(halves.piece[n])
   return (floats){{PIECES(E)}};
#undef E
}

/* Rounds towards zero. */
TBR_INLINE ints
halves_from_floats(floats a)
{
#if defined(TBR_AVX512)
   return (ints){{(int_piece)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)a.piece[0], _MM_FROUND_TO_ZERO))}};
#elif defined(__AVX2__)
   ints result;
   for (unsigned n = 0; n < TBR_NUM_PIECES; n++)
      result.piece[n] =
         (int_piece)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)a.piece[n], _MM_FROUND_TO_ZERO));
   return result;
#else
   float lanes[TBR_LANES];
   int32_t result[TBR_LANES];
   floats_store(lanes, a);
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      result[lane] = _mesa_float_to_float16_rtz(lanes[lane]);
   return ints_load(result);
#endif
}

/* Sixteen pixels of two words: red and green, blue and alpha. */
struct half_pixels {
   ints red_green, blue_alpha;
};

TBR_INLINE struct half_pixels
load_half_quads(const uint8_t *quads[4])
{
#if defined(TBR_AVX512)
   const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
   const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
   const __m512i low =
      _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)quads[0])),
                         _mm256_loadu_si256((const __m256i *)quads[1]), 1);
   const __m512i high =
      _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)quads[2])),
                         _mm256_loadu_si256((const __m256i *)quads[3]), 1);
   return (struct half_pixels){{{(int_piece)_mm512_permutex2var_epi32(low, even, high)}},
                               {{(int_piece)_mm512_permutex2var_epi32(low, odd, high)}}};
#else
   int32_t words[2][TBR_LANES];
   for (unsigned q = 0; q < TBR_QUADS; q++) {
      int32_t quad[8];
      memcpy(quad, quads[q], sizeof quad);
      for (unsigned i = 0; i < 8; i++)
         words[i & 1][4 * q + i / 2] = quad[i];
   }
   return (struct half_pixels){ints_load(words[0]), ints_load(words[1])};
#endif
}

/* Stores the pixels of the lanes of a mask. */
TBR_INLINE void
store_half_quads(uint8_t *quads[4], uint32_t live, struct half_pixels pixels)
{
#if defined(TBR_AVX512)
   const __m512i low = (__m512i)pixels.red_green.piece[0], high = (__m512i)pixels.blue_alpha.piece[0];
   const __m512i first =
      _mm512_or_si512(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(low)),
                      _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(high)), 32));
   const __m512i second =
      _mm512_or_si512(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(low, 1)),
                      _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(high, 1)), 32));
   _mm256_mask_storeu_epi64(quads[0], live & 15, _mm512_castsi512_si256(first));
   _mm256_mask_storeu_epi64(quads[1], live >> 4 & 15, _mm512_extracti64x4_epi64(first, 1));
   _mm256_mask_storeu_epi64(quads[2], live >> 8 & 15, _mm512_castsi512_si256(second));
   _mm256_mask_storeu_epi64(quads[3], live >> 12 & 15, _mm512_extracti64x4_epi64(second, 1));
#else
   int32_t words[2][TBR_LANES];
   ints_store(words[0], pixels.red_green);
   ints_store(words[1], pixels.blue_alpha);
   u_foreach_bit (lane, live) {
      const int32_t pixel[2] = {words[0][lane], words[1][lane]};
      memcpy(quads[lane / 4] + lane % 4 * sizeof pixel, pixel, sizeof pixel);
   }
#endif
}

#endif
