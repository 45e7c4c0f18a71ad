/* SPDX-License-Identifier: MIT */
/** TBRSIM_DEBUG: what the driver reports of its work; docs/debugging.md lists it. */
#ifndef TBR_DEBUG_H
#define TBR_DEBUG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct nir_shader;

enum tbr_debug_flag {
   TBR_DEBUG_NIR = 1 << 0,     /**< shaders as they are compiled */
   TBR_DEBUG_SHADERS = 1 << 1, /**< a line per compiled shader */
   TBR_DEBUG_PASSES = 1 << 2,  /**< a line per render pass */
   TBR_DEBUG_TILE = 1 << 3,    /**< the rendering of one tile */
};

/** Which reports are enabled; set once, by tbr_debug_init. */
struct tbr_debug {
   unsigned flags; /**< enum tbr_debug_flag */
   FILE *out;      /**< stderr, or the file that TBRSIM_DEBUG_FILE names */
   /* TBR_DEBUG_TILE: column and row of the tile, and the frame. */
   uint32_t tile_x, tile_y, frame;
   bool every_frame;
};
extern struct tbr_debug tbr_debug;

/** Reads TBRSIM_DEBUG and TBRSIM_DEBUG_FILE, once per process. Ends the process with
 * a line if they are wrong. */
void tbr_debug_init(void);

/** Prints a shader; stage and number name it as events do. */
void tbr_debug_nir(const char *stage, uint32_t id, struct nir_shader *nir);

/** Reports a shader that draw will compile. */
void tbr_debug_shader(const char *stage, uint32_t id, uint32_t instructions);
/** Reports the code of a fragment shader, at its first draw; how: where it came from. */
void tbr_debug_code(uint32_t id, uint32_t instructions, int64_t nanoseconds, const char *how);

#endif
