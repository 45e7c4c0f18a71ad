/* SPDX-License-Identifier: MIT */
/** Replays for images: frames as PNG files, and their comparison. */
#ifndef CHECK_H
#define CHECK_H

#include "options.h"
#include "input/trace_file.h"

struct check {
   const struct trace *trace;
   const struct options *options;
   const struct cm_frame_list *frames; /**< of the trace */
   const char *snapshots;              /**< directory for frame-NNNN.png; NULL: none */
   const char *images;                 /**< directory for the differences; NULL: no comparison */
   bool with_softpipe;                 /**< the comparison is with softpipe's images, too */
   double tolerance;                   /**< share of pixels (of 1) that may be off by more than 2/255 */
};

/** Replays the trace with the memory model off (it changes no pixel) on tbrsim and,
 * for a comparison, on llvmpipe (and softpipe) as well, frame by frame. Prints the
 * comparison's table. False if a frame is past the tolerance or the driver said
 * that something was lost; exits
 * with a message if a replay fails or an image cannot be written. */
bool check_images(const struct check *check);

#endif
