/* SPDX-License-Identifier: MIT */
/** Fences: a batch's sequence number, waited for. */
#ifndef TBR_FENCE_H
#define TBR_FENCE_H

#include <stdint.h>

struct pipe_fence_handle;
struct tbr_screen;

/** A fence that is signalled once the batch with this number, which must have been
 * submitted, and all before it have been rendered (0: at once). The caller owns
 * the reference. NULL when out of memory. */
struct pipe_fence_handle *tbr_fence_create(uint64_t sequence);

void tbr_fence_init_screen(struct tbr_screen *screen);

#endif
