/* SPDX-License-Identifier: MIT */
/** Which frames of a recording are typical of a program: not those in which it loads. */
#ifndef COUNTED_FRAMES_H
#define COUNTED_FRAMES_H

#include "input/loading_frames.h"
#include "input/session.h"

struct counted_frames {
   struct frame_plan plan;        /**< all of the session's frames, and which of them are counted */
   unsigned *numbers;             /**< of the counted frames, by their order, as the program counts them */
   struct loading_frames loading; /**< simulated, but not counted */
};

/** Chooses frames after warm_up ones: all of them, or those that do not look like loading. */
struct counted_frames counted_frames_choose(const struct session *session, unsigned warm_up, bool all);

#endif
