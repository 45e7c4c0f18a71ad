/* SPDX-License-Identifier: MIT */
/** The windows and pbuffers of apitrace's replayers, which all are of GLX. They begin with 32x32 pixels and become as large
 * as the largest viewport so far; a file that TBRSIM_DRAWABLES names has the sizes that the program's had. It is read
 * once. Without the variable nothing is changed. */
#ifndef REPLAYED_DRAWABLE_H
#define REPLAYED_DRAWABLE_H

#include <stdbool.h>

/** A window or pbuffer that has been drawn to. */
struct replayed_drawable {
   unsigned long id;                 /**< the X server's */
   unsigned number;                  /**< in the order in which they are first drawn to, from 1 */
   unsigned swaps;                   /**< of its buffers, so far */
   int width, height;                /**< of its buffers; 0: as the window is, or there are none yet */
   struct replayed_drawable *before; /**< that was drawn to first before this one */
};

/** It becomes current, to be drawn to. The same for the same identifier; NULL where there is no file, or no memory. */
struct replayed_drawable *replayed_drawable_bind(unsigned long id);

/** Replaces the size that it has by the one that the program's has after as many swaps. Of NULL, nothing. */
void replayed_drawable_resize(struct replayed_drawable *drawable, int *width, int *height);

/** Its buffers are to be swapped. False where nothing is to be done: of the program's pbuffers, which a replayer may
 * have windows for, a swap changes nothing. */
bool replayed_drawable_swap(struct replayed_drawable *drawable);

#endif
