/* SPDX-License-Identifier: MIT */
/** Fences: a batch's sequence number, waited for. */
#ifndef TBR_FENCE_H
#define TBR_FENCE_H

struct tbr_screen;

void tbr_fence_init_screen(struct tbr_screen *screen);

#endif
