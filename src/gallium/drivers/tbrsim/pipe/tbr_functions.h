/* SPDX-License-Identifier: MIT */
/** The parts of Gallium's interface: each sets its functions of a screen or a context. */
#ifndef TBR_FUNCTIONS_H
#define TBR_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_context;
struct pipe_resource;
struct pipe_scissor_state;
struct pipe_screen;
struct tbr_context;
struct tbr_resource;
struct tbr_screen;
union pipe_color_union;

/** tbr_caps.c: caps, limits and formats. */
void tbr_caps_init_screen(struct tbr_screen *screen);
void tbr_fence_init_screen(struct tbr_screen *screen);
void tbr_resource_init_screen(struct tbr_screen *screen);
/** tbr_resource.c: a resource whose memory comes later, and *bytes that it needs; NULL when out of memory or it is too
 * large. Whoever owns the memory may write it at any time. */
struct pipe_resource *tbr_resource_create_unbacked(struct pipe_screen *screen,
                                                   const struct pipe_resource *template, uint64_t *bytes);
/** Gives it memory, which stays the caller's; false when out of memory. */
bool tbr_resource_bind_memory(struct tbr_resource *resource, uint8_t *memory);
void tbr_transfer_init_screen(struct tbr_screen *screen);
/** tbr_counter_list.c: the model's counters as driver queries. False when out of memory. */
bool tbr_counter_list_init_screen(struct tbr_screen *screen);
/** tbr_counter_set.c: GL_INTEL_performance_query, which has descriptions. False when out of memory. */
bool tbr_counter_set_init_screen(struct tbr_screen *screen);
void tbr_counter_set_destroy_screen(struct tbr_screen *screen);

/** Prepares the screen for a context. In a forked child a display that its parent has opened gets threads and a model of
 * its own, if the parent has not made a context there: else false, with a message. */
bool tbr_screen_begin_context(struct tbr_screen *screen);

struct pipe_context *tbr_context_create(struct pipe_screen *screen, void *priv, unsigned flags);
/** tbr_state.c: bound state. release: drops all its references. */
void tbr_state_init_context(struct tbr_context *context);
void tbr_state_release(struct tbr_context *context);
/** tbr_shader_state.c: shaders. */
void tbr_shader_init_context(struct tbr_context *context);
void tbr_transfer_init_context(struct tbr_context *context);
/** tbr_surface.c: surfaces, clears, copies, blits. */
void tbr_surface_init_context(struct tbr_context *context);
/** Clears a part of some layers of the bound framebuffer, which has no views, within its pass: a draw for each. */
void tbr_clear_layers(struct tbr_context *context, unsigned buffers, const struct pipe_scissor_state *part,
                      unsigned first, unsigned count, const union pipe_color_union *color, double depth,
                      unsigned stencil);
void tbr_query_init_context(struct tbr_context *context);
void tbr_counter_set_init_context(struct tbr_context *context);
/** tbr_fence.c: flush. */
void tbr_flush_init_context(struct tbr_context *context);
/** End of a frame (a buffer swap): flushes and notifies the model. */
void tbr_frame_end(struct tbr_context *context);

#endif
