/* SPDX-License-Identifier: MIT */
/** A line on the terminal while there is work and no frame is finished: shaders that are
 * compiled, render passes. One line per process; nothing is printed if stderr is not a terminal. */
#ifndef TBR_PROGRESS_H
#define TBR_PROGRESS_H

#include <stdint.h>

/** A shader was compiled, in this time. */
void tbr_progress_shader(int64_t nanoseconds);

/** A render pass was submitted to the renderer. */
void tbr_progress_pass(void);

/** A frame is finished: the line is cleared, and counting starts again. */
void tbr_progress_frame(void);

#endif
