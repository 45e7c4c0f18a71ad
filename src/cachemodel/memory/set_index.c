/* SPDX-License-Identifier: MIT */
/* Hashes of block numbers that are linear in GF(2): each bit of the number adds the set of that bit. */
#include "memory/set_index.h"

#include <assert.h>
#include <string.h>

static unsigned
degree_of(uint64_t polynomial)
{
   return 63 - (unsigned)__builtin_clzll(polynomial);
}

/* Polynomials over GF(2), a bit per coefficient. */
static uint64_t
remainder_of(uint64_t dividend, uint64_t divisor)
{
   assert(divisor);
   while (dividend && degree_of(dividend) >= degree_of(divisor))
      dividend ^= divisor << (degree_of(dividend) - degree_of(divisor));
   return dividend;
}

static bool
is_irreducible(uint64_t polynomial)
{
   for (uint64_t divisor = 2; 2 * degree_of(divisor) <= degree_of(polynomial); divisor++) {
      if (!remainder_of(polynomial, divisor))
         return false;
   }
   return true;
}

uint64_t
cm_irreducible_polynomial(unsigned degree)
{
   assert(degree >= 1 && degree <= 31);
   uint64_t polynomial = (1ull << degree) + 1;
   while (!is_irreducible(polynomial))
      polynomial += 2;
   return polynomial;
}

/* The sets of all digits, from those of single bits. */
static void
fill_digits(struct cm_set_index *index, enum cm_index kind)
{
   const unsigned width = (unsigned)__builtin_ctz(index->sets);
   const uint64_t polynomial = kind == CM_INDEX_IPOLY ? cm_irreducible_polynomial(width) : 0;
   for (unsigned bit = 0; bit < 4 * CM_SET_DIGITS; bit++) {
      const uint64_t set = polynomial ? remainder_of(1ull << bit, polynomial) : 1ull << bit % width;
      uint32_t *digit = index->digits[bit / 4];
      for (unsigned value = 0; value < 16; value++)
         digit[value] ^= value >> bit % 4 & 1 ? (uint32_t)set : 0;
   }
}

void
cm_set_index_init(struct cm_set_index *index, uint32_t sets, enum cm_index kind)
{
   assert(sets && (!(sets & (sets - 1)) || kind == CM_INDEX_MODULO));
   memset(index, 0, sizeof *index);
   index->sets = sets;
   index->mask = sets - 1;
   index->is_modulo = sets & (sets - 1);
   index->is_hashed = index->is_modulo || (kind > CM_INDEX_XOR && sets > 1);
   index->xor_shift = CM_SET_NO_BITS;
   if (kind == CM_INDEX_XOR)
      index->xor_shift = (uint32_t)__builtin_ctz(sets);
   else if (index->is_hashed && !index->is_modulo)
      fill_digits(index, kind);
}

uint64_t
cm_set_hash(const struct cm_set_index *index, uint64_t block)
{
   if (index->is_modulo)
      return block % index->sets;
   uint32_t set = 0;
   assert(block >> 4 * CM_SET_DIGITS == 0);
   for (unsigned d = 0; block; d++, block >>= 4)
      set ^= index->digits[d][block & 15];
   return set;
}
