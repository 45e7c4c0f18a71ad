/* SPDX-License-Identifier: MIT */
/* Set index functions against naive ones, and how they spread blocks: all sets once where the number of blocks is that
 * of sets and their stride is a power of two; strides of three, as primitives of three attributes have them. */
#include <string.h>

#include "memory/set_index.h"
#include "support/naive_index.h"
#include "support/test.h"

TEST(polynomials)
{
   for (unsigned degree = 1; degree <= 16; degree++)
      assert_int_equal(cm_irreducible_polynomial(degree), naive_polynomials[degree]);
}

TEST(naive_model)
{
   uint64_t state = 1;
   for (unsigned kind = 0; kind < CM_INDEX_COUNT; kind++) {
      for (unsigned width = 0; width <= 16; width++) {
         struct cm_set_index index;
         cm_set_index_init(&index, 1u << width, (enum cm_index)kind);
         for (unsigned i = 0; i < 3000; i++) {
            const uint64_t block =
               ((uint64_t)random_next(&state) << 32 | random_next(&state)) >> (8 + random_below(&state, 50));
            assert_int_equal(cm_set_of(&index, block), naive_set((enum cm_index)kind, block, 1ull << width));
         }
      }
   }
   for (uint32_t sets = 1; sets < 800; sets += 1 + random_below(&state, 9)) {
      struct cm_set_index index;
      cm_set_index_init(&index, sets, CM_INDEX_MODULO);
      for (uint64_t block = 0; block < 1ull << 55; block = 3 * block + random_below(&state, 9))
         assert_int_equal(cm_set_of(&index, block), block % sets);
   }
}

/* Different sets of so many blocks. */
static unsigned
sets_used(enum cm_index kind, unsigned sets, unsigned blocks, uint64_t stride)
{
   struct cm_set_index index;
   bool used[4096] = {false};
   unsigned count = 0;
   cm_set_index_init(&index, sets, kind);
   for (uint64_t b = 0; b < blocks; b++) {
      const uint64_t set = cm_set_of(&index, b * stride);
      assert_true(set < sets);
      count += !used[set];
      used[set] = true;
   }
   return count;
}

TEST(powers_of_two)
{
   for (unsigned shift = 0; shift <= 40; shift++) {
      const uint64_t stride = 1ull << shift;
      assert_int_equal(sets_used(CM_INDEX_MODULO, 512, 512, stride), shift < 9 ? 512 >> shift : 1);
      assert_int_equal(sets_used(CM_INDEX_XOR, 512, 512, stride), shift <= 9    ? 512
                                                                  : shift <= 18 ? 1 << (18 - shift)
                                                                                : 1);
      assert_int_equal(sets_used(CM_INDEX_XOR_FOLD, 512, 512, stride), 512);
      assert_int_equal(sets_used(CM_INDEX_IPOLY, 512, 512, stride), 512);
   }
}

/* Any prime number of sets serves any stride but its own multiples. */
TEST(primes)
{
   for (uint64_t stride = 1; stride < 2000; stride++)
      assert_int_equal(sets_used(CM_INDEX_MODULO, 509, 509, stride), stride % 509 ? 509 : 1);
}

/* Multiples of another stride meet in an XOR, but in none of a polynomial: 2^9 + 1 and 2^9 - 1. */
TEST(strides_of_folds)
{
   assert_int_equal(sets_used(CM_INDEX_XOR, 512, 512, 513), 1);
   assert_int_equal(sets_used(CM_INDEX_XOR_FOLD, 512, 512, 513), 1);
   assert_true(sets_used(CM_INDEX_IPOLY, 512, 512, 513) > 256);
   assert_true(sets_used(CM_INDEX_XOR_FOLD, 512, 512, 511) < 16);
   assert_true(sets_used(CM_INDEX_IPOLY, 512, 512, 511) > 256);
}
