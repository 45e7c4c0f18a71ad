/* SPDX-License-Identifier: MIT */
/** Sets of four lines as a vector of AVX2: how LRU looks up many blocks on processors that have it. */
#ifndef CM_REPLACEMENT_LRU_AVX2_H
#define CM_REPLACEMENT_LRU_AVX2_H

#include "memory/cache_internal.h"

#ifdef __x86_64__
#include <immintrin.h>

/** What becomes of a set, by the mask of the lines that hold the block: the lines in their new order, in
 * halves, and which of them is a new one. */
static const struct {
   _Alignas(32) int32_t order[8];
   int64_t is_new[4];
} cm_lru_moves[9] = {
   [0] = {{6, 7, 0, 1, 2, 3, 4, 5}, {-1}}, [1] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0}},
   [2] = {{2, 3, 0, 1, 4, 5, 6, 7}, {0}},  [4] = {{4, 5, 0, 1, 2, 3, 6, 7}, {0}},
   [8] = {{6, 7, 0, 1, 2, 3, 4, 5}, {0}},
};

/** Reads blocks of a cache of 4 ways; returns how many missed. */
static __attribute__((target("avx2"), noinline)) unsigned
cm_lru_look_up_4_ways(struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks,
                      enum cm_stream stream, struct cm_miss *misses)
{
   unsigned count = 0;
   for (unsigned i = 0; i < num_blocks; i++) {
      const uint64_t block = blocks[i];
      __m256i *set = (__m256i *)(cache->lines + cm_cache_set(cache, block) * 4);
      const __m256i lines = _mm256_load_si256(set);
      const __m256i held =
         _mm256_cmpeq_epi64(_mm256_srli_epi64(lines, 8), _mm256_set1_epi64x((long long)block));
      const unsigned way = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(held));
      const __m256i order = _mm256_load_si256((const __m256i *)cm_lru_moves[way].order);
      const __m256i is_new = _mm256_load_si256((const __m256i *)cm_lru_moves[way].is_new);
      const __m256i moved = _mm256_permutevar8x32_epi32(lines, order);
      const __m256i made = _mm256_set1_epi64x((long long)cm_line_make(block, stream, false));
      _mm256_store_si256(set, _mm256_blendv_epi8(moved, made, is_new));
      misses[count].block = block;
      misses[count].victim = (cm_line)_mm_cvtsi128_si64(_mm256_castsi256_si128(moved));
      count += way == 0;
   }
   return count;
}

static inline bool
cm_lru_has_avx2(void)
{
   return __builtin_cpu_supports("avx2");
}
#else
static inline unsigned
cm_lru_look_up_4_ways(struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks,
                      enum cm_stream stream, struct cm_miss *misses)
{
   return 0;
}

static inline bool
cm_lru_has_avx2(void)
{
   return false;
}
#endif

#endif
