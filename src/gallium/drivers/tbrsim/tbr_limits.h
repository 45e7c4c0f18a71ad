/* SPDX-License-Identifier: MIT */
/** Sizes that the driver's parts agree on. */
#ifndef TBR_LIMITS_H
#define TBR_LIMITS_H

/** Fragments that one call of a fragment shader shades: four quads. Lane
 * quad * 4 + pixel, pixel = (y & 1) * 2 + (x & 1) within the quad. */
#define TBR_LANES 16
#define TBR_QUADS 4
/** Invocations that vote together (tbr_nir_lower_subgroups). */
#define TBR_SUBGROUP_SIZE 4u

#define TBR_MAX_COLOR_BUFFERS 8
/** Attachments of a pass, in the order of the bits PIPE_CLEAR_*. */
enum tbr_attachment_number {
   TBR_DEPTH,
   TBR_STENCIL,
   TBR_COLOR0, /**< and the other colour buffers after it */
   TBR_NUM_ATTACHMENTS = TBR_COLOR0 + TBR_MAX_COLOR_BUFFERS,
};
/** Samples per pixel of multisampled buffers; others have 1. */
#define TBR_MAX_SAMPLES 4
/** Words of a pixel that are pixel local storage: colour buffers 1 and later. */
#define TBR_PIXEL_LOCAL_WORDS 4
/** Fragment shader inputs besides the position, four components each. */
#define TBR_MAX_INPUTS 32
#define TBR_MAX_TEXTURES 32
#define TBR_MAX_LEVELS 15 /* 16384 texels */
#define TBR_MAX_CONSTANT_BUFFERS 16
#define TBR_MAX_STORAGE_BUFFERS 32
#define TBR_MAX_IMAGES 16
/** Storage buffers of a vertex, tessellation or geometry shader; the driver has two shader buffers of its own after them:
 * struct tbr_vertex_marks, and what these shaders log (tbr_nir_log.h). */
#define TBR_MAX_DRAWN_STORAGE_BUFFERS 30
#define TBR_MARKS_BUFFER 30
#define TBR_LOG_BUFFER 31
/** Bytes of the widest access to memory by address of such a shader: 16 components of 8 bytes. */
#define TBR_MAX_ADDRESSED_BYTES 128
/** Texels of a buffer texture. */
#define TBR_MAX_BUFFER_TEXELS (1u << 27)

#define TBR_MAX_TILE_SIZE 64

/** Positions are snapped to 1/256 pixel before anything uses them. */
#define TBR_SUBPIXEL_BITS 8
/** Pixels from the window's origin that positions may be at; also the largest guard band that a simulated GPU can have
 * (cm_primitive.reach_pixels). */
#define TBR_MAX_COORDINATE 32768

#endif
