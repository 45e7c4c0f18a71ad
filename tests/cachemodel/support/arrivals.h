/* SPDX-License-Identifier: MIT */
/** A reader of the access stream that calls a function for each access that arrives at a unit. */
#ifndef TEST_ARRIVALS_H
#define TEST_ARRIVALS_H

#include "access/arrivals.h"

struct cm_gpu;

struct test_arrivals {
   void (*access)(void *context, const struct cm_unit_arrival *arrival);
   void *context;
   struct cm_arrivals arrivals;
};

/** arrivals->access and context are set; it must outlive the GPU. The unit has blocks of 64 bytes, or is memory. */
void test_read_arrivals(struct cm_gpu *gpu, enum cm_unit unit, struct test_arrivals *arrivals);

#endif
