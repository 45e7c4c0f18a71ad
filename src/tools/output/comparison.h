/* SPDX-License-Identifier: MIT */
/** The table of `replay --check`: how far tbrsim's frames are from the other drivers'. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdbool.h>

#include "output/image.h"

/** The drivers' images of one frame, compared pair by pair. */
struct comparison {
   unsigned frame;
   bool has_softpipe;           /**< softpipe's image is there, too */
   bool plain;                  /**< tbrsim's and llvmpipe's are of one colour each: the frame may be empty */
   struct difference llvmpipe;  /**< tbrsim from llvmpipe */
   struct difference softpipe;  /**< tbrsim from softpipe */
   struct difference reference; /**< softpipe from llvmpipe: how far two right drivers are apart */

   /** Of comparison_judge: whether more pixels than the tolerance are off by more than 2/255 from llvmpipe's. */
   bool past;
   /** Whether tbrsim is farther from llvmpipe than softpipe, where that is there, is: by the share of pixels off by more
    * than 2/255; by the mean squared difference, which is what the PSNR measures. */
   bool more_pixels, larger_error;
};

/** Judges the differences; tolerance: a share of 1 of the pixels. */
void comparison_judge(struct comparison *comparison, double tolerance);

/** Prints a line per frame and the summary. True where no frame is past the tolerance, with which they were judged. */
bool comparison_print(const struct comparison *comparisons, unsigned count, double tolerance);

#endif
