/* SPDX-License-Identifier: MIT */
/** Which frames look like loading: those with more than ten times the passes or draws of the median frame. Averages leave them
 * out (docs/advice.md). python/tbrsim/report/typical.py has the same rule for the page. */
#ifndef LOADING_FRAMES_H
#define LOADING_FRAMES_H

#include <stdint.h>
#include <stdio.h>

/** What a frame holds. */
struct frame_load {
   unsigned number;
   uint64_t passes, draws;
};

struct loading_frames {
   struct frame_load *list; /**< ascending, as they were given */
   unsigned count;
   struct frame_load median; /**< of the frames with passes; without a number */
};

/** Finds them among frames. With fewer than three frames that have passes none looks like loading. */
struct loading_frames loading_frames_find(const struct frame_load *frames, unsigned count);

/** "frame 0 looks like loading, with 50 passes and 9 draws, where the median frame has 1 and 8"; there is at least one. */
void loading_frames_print(const struct loading_frames *loading, FILE *file);

#endif
