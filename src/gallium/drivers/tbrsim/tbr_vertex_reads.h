/* SPDX-License-Identifier: MIT */
/**
 * Texture reads of vertex shaders as events. Mesa's draw samples for them; a NIR pass makes the shaders log the operands of
 * each texture instruction in shader buffer 1, invocation by invocation. After each part of a draw, of up to some 4,096
 * vertices, the driver's texture unit gets the same operands, and records which texels they read.
 */
#ifndef TBR_VERTEX_READS_H
#define TBR_VERTEX_READS_H

#include <stdbool.h>
#include <stdint.h>

struct nir_shader;
struct tbr_context;
struct tbr_vertex_reads;

/** A texture instruction, besides its operands: as struct tbr_sample_arguments. */
struct tbr_logged_instruction {
   uint8_t unit;
   uint8_t operation, lod_control;
   uint8_t gather_component;
   bool shadow, has_offset, has_sample;
   uint32_t operands; /**< that it has: words of what it logs */
};

/** Makes a vertex shader log its texture instructions. They are allocated; *count of them. NULL: there are none, or out
 * of memory, and nothing is changed. */
struct tbr_logged_instruction *tbr_nir_log_texture_reads(struct nir_shader *nir, uint32_t *count);

/** Provides the log, once a shader needs it. False when out of memory. */
bool tbr_vertex_reads_prepare(struct tbr_context *context);
void tbr_vertex_reads_destroy(struct tbr_vertex_reads *reads);

/** A draw begins. */
void tbr_vertex_reads_begin(struct tbr_context *context);
/** Takes what has been logged since, before the next part of the draw logs. */
void tbr_vertex_reads_end_part(struct tbr_context *context);
/** Appends what was read since the draw began, or since this was called last, to the events of the draw recorded last, if it is recorded. False when out of
 * memory, or if a part of the draw has read more often than the log has room for. */
bool tbr_vertex_reads_end(struct tbr_context *context);

#endif
