/* SPDX-License-Identifier: MIT */
/**
 * What shaders before the rasterizer access of textures and storage, and how often they run their regions, as events. Mesa's draw runs them; a NIR pass makes them
 * log the operands of their accesses, invocation by invocation (tbr_nir_log.h). After each part of a draw, of up to some
 * 4,096 vertices, the accesses are found: of textures by the driver's texture unit, which gets the same operands and records
 * which texels they read; of storage by what is bound.
 */
#ifndef TBR_VERTEX_ACCESSES_H
#define TBR_VERTEX_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

struct tbr_context;
struct tbr_vertex_accesses;

/** Provides the log, once a shader needs it. False when out of memory. */
bool tbr_vertex_accesses_prepare(struct tbr_context *context);
void tbr_vertex_accesses_destroy(struct tbr_vertex_accesses *accesses);

/** A draw begins. */
void tbr_vertex_accesses_begin(struct tbr_context *context);
/** Takes what has been logged since, before the next part of the draw logs. */
void tbr_vertex_accesses_end_part(struct tbr_context *context);
/** Appends what was accessed, and how often regions ran, since the draw began, or since this was called last, to the events of the draw recorded last,
 * if it is recorded. False when out of memory, or if a part of the draw has accessed more often than the log has room for. */
bool tbr_vertex_accesses_end(struct tbr_context *context);
/** Texture instructions that invocations of the draw have run, if it is recorded. */
uint32_t tbr_vertex_accesses_texture_reads(const struct tbr_vertex_accesses *accesses);

#endif
