/* SPDX-License-Identifier: MIT */
/** Storage of the shaders that Mesa's draw executes. */
#ifndef TBR_DRAWN_STORAGE_H
#define TBR_DRAWN_STORAGE_H

#include <stdbool.h>

#include "pipe/p_defines.h"

struct tbr_context;

/** What a new context has. False when out of memory. */
bool tbr_drawn_storage_init(struct tbr_context *context);

/** Maps the storage buffers and images of the bound vertex, tessellation and geometry shaders for a draw, and describes them
 * in context->drawn_storage; context->addresses become those of now, if shaders need them. Waits for batches, and may submit
 * the current one. False when out of memory. */
bool tbr_drawn_storage_map(struct tbr_context *context);

/** A draw goes on in another pass: waits for what the fragments of the one before do to that storage. */
void tbr_drawn_storage_wait(struct tbr_context *context);
/** The draws have run: copies of what they have stored to, made in the meantime, are old. */
void tbr_drawn_storage_end_draws(struct tbr_context *context);

/** A stage's images have changed: generated code depends on their formats. */
void tbr_drawn_storage_set_images(struct tbr_context *context, enum pipe_shader_type stage);

void tbr_drawn_storage_destroy(struct tbr_context *context);

#endif
