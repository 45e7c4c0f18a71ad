/* SPDX-License-Identifier: MIT */
/** The events of a dispatch, on their way to the model while its work-groups run. */
#ifndef TBR_DISPATCH_H
#define TBR_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "events/event_stream.h"

struct tbr_compute_shader;
struct tbr_context;
struct tbr_dispatch;

/** Submits a compute pass to the model, whose tiles follow. NULL: nothing is recorded. Aborts when out of memory, as
 * other passes do. */
struct tbr_dispatch *tbr_dispatch_begin(struct tbr_context *context, struct tbr_compute_shader *shader,
                                        const struct pipe_grid_info *grid);

/** Work-groups whose events belong together. */
uint32_t tbr_dispatch_groups_per_tile(const struct tbr_dispatch *dispatch);

/** The next tile's events are complete; *events gets other memory, or none. Waits while the model has too many. */
void tbr_dispatch_add_tile(struct tbr_dispatch *dispatch, struct cm_tile_events *events);

/** No more tiles are added; those that are missing have no events. */
void tbr_dispatch_end(struct tbr_dispatch *dispatch);

#endif
