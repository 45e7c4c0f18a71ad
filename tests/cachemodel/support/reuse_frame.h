/* SPDX-License-Identifier: MIT */
/** What struct cm_reuse counted, for tests. */
#ifndef REUSE_FRAME_H
#define REUSE_FRAME_H

#include "analysis/reuse.h"

/** The counts of one frame, valid until the next call. */
static inline const struct cm_reuse_counts *
reuse_frame(const struct cm_reuse *reuse, uint32_t frame)
{
   static struct cm_reuse_counts counts;
   counts = cm_reuse_sum(reuse, frame, frame);
   return &counts;
}

#endif
