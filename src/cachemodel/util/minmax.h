/* SPDX-License-Identifier: MIT */
/** The smaller and the larger one of two numbers. */
#ifndef CM_MINMAX_H
#define CM_MINMAX_H

#include <stdint.h>

static inline uint32_t
cm_min(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

static inline uint32_t
cm_max(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

static inline uint64_t
cm_min64(uint64_t a, uint64_t b)
{
   return a < b ? a : b;
}

static inline uint64_t
cm_max64(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

#endif
