/* SPDX-License-Identifier: MIT */
/**
 * Pixel local storage (GL_EXT_shader_pixel_local_storage): four words per pixel, planes of the tile buffers that fragment
 * shaders write as colour buffers 1 to 4 and read as framebuffer fetch reads those. A plane belongs to a batch from the
 * first draw on whose shader uses it. Memory has it only where a batch ends and the storage is still enabled: then it is
 * stored, and the next batch loads it. Flushes of the program and buffer swaps lose it.
 */
#ifndef TBR_PIXEL_LOCAL_H
#define TBR_PIXEL_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

struct tbr_batch;
struct tbr_context;

void tbr_pixel_local_destroy(struct tbr_context *context);

/** The bound fragment shader's planes become attachments of the batch, zeros at first. False when out of memory. */
bool tbr_pixel_local_attach(struct tbr_context *context, struct tbr_batch *batch);

/** The framebuffer has been cleared: the storage is zeros. Returns the planes that have to be cleared by a draw
 * (PIPE_CLEAR_*). */
uint32_t tbr_pixel_local_reset(struct tbr_context *context);

/** The storage is undefined from now on: a pass need not store it. */
void tbr_pixel_local_lose(struct tbr_context *context);

/** The batch is about to be submitted: decides which planes it stores. */
void tbr_pixel_local_end_batch(struct tbr_context *context, struct tbr_batch *batch);

#endif
