/* SPDX-License-Identifier: MIT */
/** Which frames of a recording stand for what a program does: not those in which it loads. */
#ifndef COUNTED_FRAMES_H
#define COUNTED_FRAMES_H

#include "session.h"

/** More than so many times the passes or draws of the median frame look like loading. */
#define LOADING_FACTOR 10

/** What a frame holds. */
struct frame_load {
   unsigned number; /**< of the frame, as the program counts them */
   uint64_t passes, draws;
};

struct counted_frames {
   struct frame_plan plan; /**< all of the session's frames, and which of them are counted */
   unsigned *numbers;      /**< of the counted frames, by their order */
   struct frame_load
      *loading; /**< frames that are simulated and not counted, because they look like loading */
   unsigned num_loading;
   struct frame_load median; /**< passes and draws of the median frame; without a number */
};

/** Chooses frames behind warm_up ones: all of them, or those that do not look like loading. The median is of frames that have
 * passes; with fewer than three of them nothing looks like loading. */
struct counted_frames counted_frames_choose(const struct session *session, unsigned warm_up, bool all);

#endif
