/* SPDX-License-Identifier: MIT */
/** Set index functions: from the number of a block, or of a primitive, to the number of its set. */
#ifndef CM_SET_INDEX_H
#define CM_SET_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/** Block numbers have up to 56 bits, in digits of 4. */
#define CM_SET_DIGITS 14
/** Block numbers have no bits from here on. */
#define CM_SET_NO_BITS 63

struct cm_set_index {
   uint64_t mask;      /**< sets - 1 */
   uint32_t xor_shift; /**< xor: the number's bits from here on are folded once; modulo: CM_SET_NO_BITS */
   bool is_hashed;     /**< cm_set_hash has the set, not mask and xor_shift */
   bool is_modulo;     /**< for a number of sets that is not a power of two */
   uint32_t sets;
   /** Of a hash, which is linear (the set of a ^ b is that of a ^ that of b): the set of each digit in its place. */
   uint32_t digits[CM_SET_DIGITS][16];
};

/** Of this many sets: a power of two, or any number with CM_INDEX_MODULO. */
void cm_set_index_init(struct cm_set_index *index, uint32_t sets, enum cm_index kind);

/** cm_set_of where is_hashed. */
uint64_t cm_set_hash(const struct cm_set_index *index, uint64_t block);

/** cm_set_of where not is_hashed. */
static inline uint64_t
cm_set_bits(const struct cm_set_index *index, uint64_t block)
{
   return (block ^ block >> index->xor_shift) & index->mask;
}

static inline uint64_t
cm_set_of(const struct cm_set_index *index, uint64_t block)
{
   if (__builtin_expect(index->is_hashed, false))
      return cm_set_hash(index, block);
   return cm_set_bits(index, block);
}

/** The smallest irreducible polynomial over GF(2) of a degree from 1 to 31; bit i: the coefficient of x^i. */
uint64_t cm_irreducible_polynomial(unsigned degree);

#endif
