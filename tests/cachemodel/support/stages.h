/* SPDX-License-Identifier: MIT */
/** What holds for the cycles of any frames. */
#ifndef STAGES_H
#define STAGES_H

#include "gpu/gpu.h"

/** Fails the test unless what each stage did in its cycles are all cycles of the GPU; of processors so many times, and of what
 * each lane has (pipeline.lanes). Returns how many stages there are. */
unsigned assert_stages_add_up(struct cm_gpu *gpu, uint32_t processors, uint32_t lanes);

/** Fails the test unless two GPUs with time have the same counters, and one without the same first ones. */
void assert_only_time_is_new(struct cm_gpu *off, struct cm_gpu *on, struct cm_gpu *again);

#endif
