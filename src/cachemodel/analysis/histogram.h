/* SPDX-License-Identifier: MIT */
/**
 * Histograms of distances and counts: small values exactly, larger ones by powers
 * of two. Bin b < CM_HISTOGRAM_EXACT holds the value b; the bins after them hold
 * 16 … 31, 32 … 63 and so on.
 */
#ifndef CM_HISTOGRAM_H
#define CM_HISTOGRAM_H

#include <assert.h>
#include <stdint.h>

#define CM_HISTOGRAM_EXACT 16
/** Bins that uint32_t values need. */
#define CM_HISTOGRAM_BINS (CM_HISTOGRAM_EXACT + 28)

struct cm_histogram {
   uint64_t bins[CM_HISTOGRAM_BINS];
};

/** The bin of a value. */
static inline unsigned
cm_histogram_bin(uint32_t value)
{
   if (value < CM_HISTOGRAM_EXACT)
      return value;
   const unsigned log2 = 31 - (unsigned)__builtin_clz(value);
   return CM_HISTOGRAM_EXACT + log2 - 4;
}

/** The smallest and the largest value of a bin. */
static inline uint32_t
cm_histogram_first(unsigned bin)
{
   assert(bin < CM_HISTOGRAM_BINS);
   return bin < CM_HISTOGRAM_EXACT ? bin : 16u << (bin - CM_HISTOGRAM_EXACT);
}

static inline uint32_t
cm_histogram_last(unsigned bin)
{
   assert(bin < CM_HISTOGRAM_BINS);
   return bin < CM_HISTOGRAM_EXACT ? bin : (16u << (bin - CM_HISTOGRAM_EXACT)) * 2 - 1;
}

/** Adds all bins of another histogram. */
static inline void
cm_histogram_add(struct cm_histogram *sum, const struct cm_histogram *histogram)
{
   for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++)
      sum->bins[bin] += histogram->bins[bin];
}

#endif
