/* SPDX-License-Identifier: MIT */
/** Set index functions, written to be obviously right. */
#ifndef NAIVE_INDEX_H
#define NAIVE_INDEX_H

#include "config/config.h"

/** The smallest irreducible polynomials of degrees 1 to 16 (tables of them: OEIS A058947 and on). */
static const uint32_t naive_polynomials[17] = {0,      0x3,    0x7,    0xb,    0x13,   0x25,
                                               0x43,   0x83,   0x11b,  0x203,  0x409,  0x805,
                                               0x1009, 0x201b, 0x4021, 0x8003, 0x1002b};

/** Of 2^width sets. Long division, coefficient by coefficient. */
static inline uint64_t
naive_ipoly(uint64_t block, unsigned width)
{
   bool coefficients[64];
   for (unsigned i = 0; i < 64; i++)
      coefficients[i] = block >> i & 1;
   for (unsigned i = 63; width && i >= width; i--) {
      if (!coefficients[i])
         continue;
      for (unsigned j = 0; j <= width; j++)
         coefficients[i - width + j] ^= naive_polynomials[width] >> j & 1;
   }
   uint64_t set = 0;
   for (unsigned i = 0; i < width; i++)
      set |= (uint64_t)coefficients[i] << i;
   return set;
}

static inline uint64_t
naive_set(enum cm_index index, uint64_t block, uint64_t sets)
{
   unsigned width = 0;
   uint64_t fold = 0;
   while (1ull << width < sets)
      width++;
   switch (index) {
   case CM_INDEX_XOR: return block % sets ^ block / sets % sets;
   case CM_INDEX_XOR_FOLD:
      for (; block && sets > 1; block /= sets)
         fold ^= block % sets;
      return fold;
   case CM_INDEX_IPOLY: return naive_ipoly(block, width);
   default: return block % sets;
   }
}

#endif
