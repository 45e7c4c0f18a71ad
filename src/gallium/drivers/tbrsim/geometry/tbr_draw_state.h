/* SPDX-License-Identifier: MIT */
/** Turns bound state into what the raster pipeline needs of a draw. */
#ifndef TBR_DRAW_STATE_H
#define TBR_DRAW_STATE_H

#include <stdbool.h>

struct pipe_sampler_state;
struct pipe_sampler_view;
struct tbr_storage;
struct tbr_texture_binding;

struct tbr_context;
struct tbr_batch;
struct tbr_draw_state;

/** Brings *state up to date with what is dirty. Memory comes from the batch. False
 * if the fragment shader cannot be compiled, or when out of memory. */
bool
tbr_draw_state_update(struct tbr_context *context, struct tbr_batch *batch, struct tbr_draw_state *state);

/** Constants are dirty if the application has written to their buffers since they
 * were copied, or may have (persistent mappings). */
void tbr_draw_state_check_constants(struct tbr_context *context);

/** A view and its sampler (NULL: none), ready for sampling. unit: the number footprints are recorded under. */
void
tbr_draw_state_describe_texture(const struct pipe_sampler_view *view,
                                const struct pipe_sampler_state *sampler, const struct tbr_storage *storage,
                                unsigned unit, struct tbr_texture_binding *binding);

/** What depends on the viewport: the scissor and the depth range. */
void tbr_draw_state_set_viewport(const struct tbr_context *context, const struct tbr_batch *batch,
                                 unsigned viewport, struct tbr_draw_state *state);

#endif
