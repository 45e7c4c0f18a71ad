/* SPDX-License-Identifier: MIT */
/* The cache agrees with an independent LRU in every counter, for many shapes and
 * random streams, alone and in front of a second level. */
#include "support/reference_cache.h"
#include "support/test.h"

struct shape {
   uint32_t size, ways, block;
   enum cm_index index;
   enum cm_write_miss write_miss;
};

static const struct shape shapes[] = {
   {64, 1, 64, CM_INDEX_MODULO, CM_WRITE_MISS_ALLOCATE},
   {4096, 1, 64, CM_INDEX_MODULO, CM_WRITE_MISS_FETCH},
   {4096, 2, 64, CM_INDEX_XOR, CM_WRITE_MISS_ALLOCATE},
   {8192, 4, 64, CM_INDEX_MODULO, CM_WRITE_MISS_ALLOCATE},
   {8192, 4, 32, CM_INDEX_XOR, CM_WRITE_MISS_FETCH},
   {3 * 64 * 16, 3, 64, CM_INDEX_MODULO, CM_WRITE_MISS_FETCH},
   {8192, 8, 64, CM_INDEX_XOR, CM_WRITE_MISS_ALLOCATE},
   {4096, 64, 64, CM_INDEX_MODULO, CM_WRITE_MISS_ALLOCATE},
   {16384, 16, 16, CM_INDEX_MODULO, CM_WRITE_MISS_FETCH},
   {65536, 4, 64, CM_INDEX_MODULO, CM_WRITE_MISS_ALLOCATE},
   {8192, 4, 64, CM_INDEX_XOR_FOLD, CM_WRITE_MISS_FETCH},
   {16384, 2, 64, CM_INDEX_IPOLY, CM_WRITE_MISS_ALLOCATE},
   {65536, 16, 32, CM_INDEX_IPOLY, CM_WRITE_MISS_FETCH},
   {64 * 4 * 3, 4, 64, CM_INDEX_MODULO, CM_WRITE_MISS_ALLOCATE},
   {64 * 8 * 341, 8, 64, CM_INDEX_MODULO, CM_WRITE_MISS_FETCH},
};
#define NUM_SHAPES (sizeof shapes / sizeof shapes[0])

static struct cm_cache_config
config_of(const struct shape *shape)
{
   return (struct cm_cache_config){
      .size = shape->size,
      .ways = shape->ways,
      .block = shape->block,
      .instances = 1,
      .policy = CM_POLICY_LRU,
      .index = shape->index,
      .write_miss = shape->write_miss,
      .next = CM_UNIT_DRAM,
   };
}

/* An address with reuse at several distances. */
static uint64_t
random_address(uint64_t *state, uint32_t size)
{
   switch (random_below(state, 4)) {
   case 0: return random_below(state, size / 2 + 1);
   case 1: return random_below(state, size * 2);
   case 2: return random_below(state, size * 16);
   default: return random_below(state, 64) * (uint64_t)size + random_below(state, 200);
   }
}

static void
drive(struct cm_cache *cache, struct reference_cache *reference, uint64_t seed, unsigned count)
{
   uint64_t state = seed;
   for (unsigned i = 0; i < count; i++) {
      const uint64_t address = random_address(&state, reference->config.size);
      const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
      const enum cm_access access = (enum cm_access)random_below(&state, 3);
      const unsigned repetitions = random_below(&state, 3) ? 1 : 1 + random_below(&state, 4);
      for (unsigned r = 0; r < repetitions; r++) {
         cm_cache_access(cache, address, stream, access);
         reference_cache_access(reference, address, stream, access);
      }
   }
}

/* Caches one after the other, and their references. */
struct levels {
   unsigned count;
   struct cm_dram dram;
   struct cm_cache caches[2];
   struct reference_cache references[2];
};

static void
levels_init(struct levels *levels, const struct cm_cache_config *first, const struct cm_cache_config *second)
{
   *levels = (struct levels){.count = second ? 2 : 1};
   if (second) {
      assert_true(cm_cache_init(&levels->caches[1], second, NULL, &levels->dram));
      reference_cache_init(&levels->references[1], second, NULL);
   }
   assert_true(cm_cache_init(&levels->caches[0], first, second ? &levels->caches[1] : NULL, &levels->dram));
   reference_cache_init(&levels->references[0], first, second ? &levels->references[1] : NULL);
}

/* Compares them, too. */
static void
levels_finish(struct levels *levels)
{
   for (unsigned i = 0; i < levels->count; i++)
      assert_caches_equal(&levels->caches[i], &levels->references[i]);
   for (unsigned i = 0; i < levels->count; i++) {
      cm_cache_finish(&levels->caches[i]);
      reference_cache_finish(&levels->references[i]);
   }
}

TEST(one_level)
{
   for (unsigned s = 0; s < NUM_SHAPES; s++) {
      const struct cm_cache_config config = config_of(&shapes[s]);
      struct levels levels;
      struct cm_cache *cache = &levels.caches[0];
      struct reference_cache *reference = &levels.references[0];
      levels_init(&levels, &config, NULL);
      for (unsigned round = 0; round < 4; round++) {
         drive(cache, reference, s * 100 + round, 20000);
         assert_caches_equal(cache, reference);
      }
      levels_finish(&levels);
   }
}

TEST(two_levels)
{
   for (unsigned s = 0; s < NUM_SHAPES; s++) {
      const struct cm_cache_config first = config_of(&shapes[s]);
      struct cm_cache_config second = config_of(&shapes[(s * 3 + 1) % NUM_SHAPES]);
      second.block = first.block * (s % 2 + 1);
      second.size = second.block * second.ways * 32;
      struct levels levels;
      levels_init(&levels, &first, &second);
      drive(&levels.caches[0], &levels.references[0], s + 1, 60000);
      levels_finish(&levels);
   }
}

TEST(sequences)
{
   for (unsigned s = 0; s < NUM_SHAPES; s++) {
      const struct cm_cache_config config = config_of(&shapes[s]);
      struct levels levels;
      struct cm_cache *cache = &levels.caches[0];
      struct reference_cache *reference = &levels.references[0];
      uint64_t seed = s;
      levels_init(&levels, &config, NULL);
      for (unsigned round = 0; round < 5000; round++) {
         uint64_t blocks[32];
         const unsigned count = 1 + random_below(&seed, 32);
         const uint64_t base = random_address(&seed, config.size) / config.block;
         for (unsigned i = 0; i < count; i++) {
            blocks[i] = base + random_below(&seed, 3) + random_below(&seed, 3) * cache->sets;
            reference_cache_access(reference, blocks[i] * config.block, CM_STREAM_TEXTURE, CM_READ);
         }
         cm_cache_read_sequence(cache, blocks, count, CM_STREAM_TEXTURE);
      }
      levels_finish(&levels);
   }
}

/* Many reads at once, hits and misses, some of which write dirty blocks back: the next level sees
 * the same accesses in the same order. */
TEST(long_sequences)
{
   for (unsigned s = 0; s < NUM_SHAPES; s++) {
      const struct cm_cache_config first = config_of(&shapes[s]);
      struct cm_cache_config second = first;
      second.size *= 2;
      struct levels levels;
      uint64_t seed = s;
      levels_init(&levels, &first, &second);
      for (unsigned round = 0; round < 300; round++) {
         uint64_t blocks[400];
         const unsigned count = 1 + random_below(&seed, 400);
         const uint32_t range = (first.size / first.block) * (1 + round % 3);
         for (unsigned i = 0; i < count; i++) {
            blocks[i] = i && random_below(&seed, 8) == 0 ? blocks[i - 1] : random_below(&seed, range);
            reference_cache_access(&levels.references[0], blocks[i] * first.block, CM_STREAM_TEXTURE,
                                   CM_READ);
         }
         cm_cache_read_sequence(&levels.caches[0], blocks, count, CM_STREAM_TEXTURE);
         /* The last block is a folded one. */
         for (unsigned i = 0; i < 4; i++) {
            const uint64_t address = (i ? random_below(&seed, range) : blocks[count - 1]) * first.block;
            cm_cache_access(&levels.caches[0], address, CM_STREAM_COLOR, CM_WRITE);
            reference_cache_access(&levels.references[0], address, CM_STREAM_COLOR, CM_WRITE);
         }
      }
      levels_finish(&levels);
   }
}
