/* SPDX-License-Identifier: MIT */
/** Sets of four lines as a vector of AVX2: how LRU looks up many blocks on processors that have it. */
#ifndef CM_REPLACEMENT_LRU_AVX2_H
#define CM_REPLACEMENT_LRU_AVX2_H

#include "memory/cache_internal.h"

#ifdef __x86_64__
#include <immintrin.h>

/** The new order of a set's lines, by the mask of the lines that hold the block, in
 * halves, and which of them is a new one. */
static const struct {
   _Alignas(32) int32_t order[8];
   int64_t is_new[4];
} cm_lru_moves[9] = {
   [0] = {{6, 7, 0, 1, 2, 3, 4, 5}, {-1}}, [1] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0}},
   [2] = {{2, 3, 0, 1, 4, 5, 6, 7}, {0}},  [4] = {{4, 5, 0, 1, 2, 3, 6, 7}, {0}},
   [8] = {{6, 7, 0, 1, 2, 3, 4, 5}, {0}},
};

/** Reads a block of a set of a cache of 4 ways; returns 1 if it misses, with the evicted line in *miss. */
static inline __attribute__((target("avx2"), always_inline)) unsigned
cm_lru_look_up_set_of_4(struct cm_cache *cache, uint64_t number, uint64_t block, enum cm_stream stream,
                        struct cm_miss *miss)
{
   __m256i *set = (__m256i *)(cache->lines + number * 4);
   const __m256i lines = _mm256_load_si256(set);
   const __m256i held = _mm256_cmpeq_epi64(_mm256_srli_epi64(lines, 8), _mm256_set1_epi64x((long long)block));
   const unsigned way = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(held));
   const __m256i order = _mm256_load_si256((const __m256i *)cm_lru_moves[way].order);
   const __m256i is_new = _mm256_load_si256((const __m256i *)cm_lru_moves[way].is_new);
   const __m256i moved = _mm256_permutevar8x32_epi32(lines, order);
   const __m256i made = _mm256_set1_epi64x((long long)cm_line_make(block, stream, false));
   _mm256_store_si256(set, _mm256_blendv_epi8(moved, made, is_new));
   miss->block = block;
   miss->victim = (cm_line)_mm_cvtsi128_si64(_mm256_castsi256_si128(moved));
   return way == 0;
}

/** Reads blocks in order; returns how many missed. */
static __attribute__((target("avx2"), noinline)) unsigned
cm_lru_look_up_4_ways(struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks,
                      enum cm_stream stream, struct cm_miss *misses)
{
   unsigned count = 0;
   for (unsigned i = 0; i < num_blocks; i++)
      count +=
         cm_lru_look_up_set_of_4(cache, cm_cache_set(cache, blocks[i]), blocks[i], stream, &misses[count]);
   return count;
}

/** What an access of a batch has missed. */
struct cm_lru_miss {
   struct cm_miss miss;
   cm_entry entry;
};

/** cm_lru_take_reads_of_4_ways where it is known whether the caches have low sets. */
static inline __attribute__((target("avx2"), always_inline)) uint32_t
cm_lru_take_alike_of_4_ways(struct cm_cache *caches, const cm_entry *entries, uint32_t count,
                            struct cm_lru_miss *misses, uint32_t *num_misses, bool has_low_sets)
{
   const cm_entry of_any = ((1ull << CM_ENTRY_VALUE_BITS) - 1) | 63ull << CM_ENTRY_INSTANCE_SHIFT;
   const cm_entry alike = entries[0] & ~of_any;
   const enum cm_stream stream = cm_entry_stream(entries[0]);
   const unsigned shift = caches->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   const uint64_t mask = caches->index.mask;
   struct cm_lru_miss *missed = misses;
   uint32_t i = 0;
   for (; i < count; i++) {
      const cm_entry entry = entries[i];
      if ((entry & ~of_any) != alike)
         break;
      struct cm_cache *cache = &caches[cm_entry_instance(entry)];
      const uint64_t block = cm_entry_value(entry) >> shift;
      cache->accesses[stream][0]++;
      cache->folded_block = CM_NO_BLOCK;
      missed->entry = entry;
      missed += cm_lru_look_up_set_of_4(cache, has_low_sets ? block & mask : cm_cache_set(cache, block),
                                        block, stream, &missed->miss);
   }
   *num_misses = (uint32_t)(missed - misses);
   return i;
}

/** Looks up the reads at the front of a batch that are of one stream and of any cache of a unit, of 4 ways each. Returns how
 * many, and what they missed. */
static __attribute__((target("avx2"), noinline)) uint32_t
cm_lru_take_reads_of_4_ways(struct cm_cache *caches, const cm_entry *entries, uint32_t count,
                            struct cm_lru_miss *misses, uint32_t *num_misses)
{
   assert(count);
   *num_misses = 0;
   if (cm_entry_unit(entries[0]) != caches->unit || cm_entry_kind(entries[0]) != CM_ENTRY_READ)
      return 0;
   return cm_cache_has_low_sets(caches)
             ? cm_lru_take_alike_of_4_ways(caches, entries, count, misses, num_misses, true)
             : cm_lru_take_alike_of_4_ways(caches, entries, count, misses, num_misses, false);
}

/** Makes an access to a set of 8 ways, the block being in `way` of it (8: it misses) and then `line`: that is the first,
 * and the lines before the block move one further. */
static inline __attribute__((target("avx2"), always_inline)) void
cm_lru_insert_of_8(cm_line *set, __m256i near, __m256i far, unsigned way, cm_line line)
{
   const __m256i here = _mm256_set1_epi64x((long long)way);
   const __m256i turned_near = _mm256_permute4x64_epi64(near, 0x93); /* 3, 0, 1, 2 */
   const __m256i turned_far = _mm256_permute4x64_epi64(far, 0x93);
   const __m256i moved_near = _mm256_blend_epi32(turned_near, _mm256_set1_epi64x((long long)line), 0x03);
   const __m256i moved_far = _mm256_blend_epi32(turned_far, turned_near, 0x03);
   const __m256i stays_near = _mm256_cmpgt_epi64(_mm256_setr_epi64x(0, 1, 2, 3), here);
   const __m256i stays_far = _mm256_cmpgt_epi64(_mm256_setr_epi64x(4, 5, 6, 7), here);
   _mm256_store_si256((__m256i *)set, _mm256_blendv_epi8(moved_near, near, stays_near));
   _mm256_store_si256((__m256i *)set + 1, _mm256_blendv_epi8(moved_far, far, stays_far));
}

/** Looks up the accesses to a cache of 8 ways at the front of a batch, at least one and up to `count`, without branches
 * for hits and misses, but for reads of the block that was used last in its set. Returns how many, and what they missed. */
static __attribute__((target("avx2"), noinline)) uint32_t
cm_lru_take_8_ways(struct cm_cache *cache, const cm_entry *entries, uint32_t count,
                   struct cm_lru_miss *misses, uint32_t *num_misses)
{
   const unsigned shift = cache->block_shift - CM_ENTRY_ADDRESS_SHIFT;
   uint32_t i = 0, missed = 0;
   for (; i < count; i++) {
      const unsigned access = cm_entry_access_to(entries[i], entries[0]);
      if (access > CM_ENTRY_LAST_ACCESS)
         break;
      const uint64_t block = cm_entry_value(entries[i]) >> shift;
      const enum cm_stream stream = cm_entry_stream(entries[i]);
      cache->accesses[stream][access != CM_READ]++;
      cm_line *set = cache->lines + cm_cache_set(cache, block) * 8;
      /* What one processor has missed, the others miss soon after. */
      if (set[0] >> 8 == block && access == CM_READ)
         continue;
      const __m256i near = _mm256_load_si256((const __m256i *)set);
      const __m256i far = _mm256_load_si256((const __m256i *)set + 1);
      const __m256i number = _mm256_set1_epi64x((long long)block);
      const __m256i held_near = _mm256_cmpeq_epi64(_mm256_srli_epi64(near, 8), number);
      const __m256i held_far = _mm256_cmpeq_epi64(_mm256_srli_epi64(far, 8), number);
      const unsigned held = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(held_near)) |
                            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(held_far)) << 4;
      const unsigned way = (unsigned)__builtin_ctz(held | 1u << 8);
      const cm_line last = set[7], old = set[way & 7];
      const cm_line made = cm_line_make(block, stream, access != CM_READ);
      cm_lru_insert_of_8(set, near, far, way, held && access == CM_READ ? old : made);
      misses[missed] = (struct cm_lru_miss){{block, last}, entries[i]};
      missed += !held;
   }
   *num_misses = missed;
   return i;
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

struct cm_lru_miss {
   struct cm_miss miss;
   cm_entry entry;
};

static inline uint32_t
cm_lru_take_reads_of_4_ways(struct cm_cache *caches, const cm_entry *entries, uint32_t count,
                            struct cm_lru_miss *misses, uint32_t *num_misses)
{
   *num_misses = 0;
   return 0;
}

static inline uint32_t
cm_lru_take_8_ways(struct cm_cache *cache, const cm_entry *entries, uint32_t count,
                   struct cm_lru_miss *misses, uint32_t *num_misses)
{
   *num_misses = 0;
   return 0;
}

static inline bool
cm_lru_has_avx2(void)
{
   return false;
}
#endif

#endif
