/* SPDX-License-Identifier: MIT */
/**
 * The interface between the raster pipeline and generated fragment shaders.
 * The generated code addresses these structs by offset.
 */
#ifndef TBR_FRAGMENT_H
#define TBR_FRAGMENT_H

#include <stdint.h>

#include "tbr_limits.h"
#include "tile/tbr_load_store.h"
#include "tile/tbr_texture_unit.h"

/** A plane equation: value = base + ddx * x + ddy * y, x and y relative to the
 * primitive's reference point. */
struct tbr_plane {
   float base, ddx, ddy;
   /** Polygon offset, of TBR_PLANE_DEPTH: added last, as the sums before may be too large to hold a unit. */
   float offset;
};

/** Planes of a primitive: TBR_PLANE_INVERSE_W, TBR_PLANE_DEPTH, then four for
 * each input slot of the fragment shader. Perspective inputs are planes of
 * value / w; the shader multiplies by w. */
#define TBR_PLANE_INVERSE_W 0
#define TBR_PLANE_DEPTH 1
#define TBR_PLANE_INPUT(slot, component) (2 + (slot) * 4 + (component))

enum tbr_interpolation {
   TBR_INTERPOLATE_CONSTANT, /**< flat: the plane's base */
   TBR_INTERPOLATE_LINEAR,   /**< noperspective */
   TBR_INTERPOLATE_PERSPECTIVE,
};

/** Up to four quads of primitives of one draw state, anywhere in a tile. Lanes
 * of missing quads repeat a present one's position with live bits 0. */
struct tbr_fragment_block {
   /* in */
   /** Where the fragment is shaded, minus the primitive's reference point: the pixel's
    * centre, or its sample sample_id where the shader runs once per sample. */
   float x[TBR_LANES], y[TBR_LANES];
   float window_x[TBR_LANES], window_y[TBR_LANES]; /**< the same point in the framebuffer */
   const struct tbr_plane *planes[TBR_QUADS];
   uint32_t front_facing[TBR_QUADS]; /**< 0 or ~0 */
   uint32_t quads;                   /**< lane mask of the present quads, helper fragments included */
   uint32_t live;                    /**< lane mask of covered fragments; out: without discarded ones */
   /* out */
   /** Or integers' bits. Aligned, as a vector across two cache lines takes twice as long. */
   _Alignas(64) float color[TBR_MAX_COLOR_BUFFERS][4][TBR_LANES];
   float color_second[4][TBR_LANES]; /**< second source of dual-source blending */
   float depth[TBR_LANES];           /**< if the shader writes it */
   uint32_t stencil[TBR_LANES];      /**< if the shader writes it */
   /* in, of multisampled passes only (tbr_fragment_variant_key.multisample) */
   uint32_t coverage[TBR_MAX_SAMPLES]; /**< lane masks by sample; their union is live */
   uint32_t sample_id;                 /**< 0 unless the shader runs once per sample */
   /** Where centroid inputs are evaluated, like x and y; only if the shader has any. */
   _Alignas(64) float centroid_x[TBR_LANES], centroid_y[TBR_LANES];
   uint32_t sample_mask_in[TBR_LANES]; /**< bit s: sample s is covered; only if the shader asks */
   /* out */
   uint32_t sample_mask[TBR_LANES]; /**< if the shader writes it; all passes */
   /* in, of shaders that fetch from the framebuffer (tbr_draw_state.fetched) */
   float last[TBR_NUM_ATTACHMENTS][4][TBR_LANES]; /**< or integers' bits; of depth and stencil the first */
};

/** A constant buffer; the layout is gallivm's struct lp_jit_buffer. */
struct tbr_constant_buffer {
   const uint32_t *words;
   uint32_t num_words; /**< reads at or past it give 0 */
};

/** Constants and textures of a draw, as the fragment shader sees them. */
struct tbr_fragment_resources {
   /** Buffer 0 is readable as far as the shader's constant offsets reach
    * (tbr_fragment_shader.num_pushed_constants), whatever its num_words. */
   struct tbr_constant_buffer constants[TBR_MAX_CONSTANT_BUFFERS];
   const struct tbr_texture_binding *textures[TBR_MAX_TEXTURES]; /**< never NULL */
   void (*query_size)(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                      uint32_t samples_only); /**< tbr_texture_query_size */
   /** Where a shader stores 1 if its loops had to be ended (tbr_nir_limit_loops); the
    * layout is that of a constant buffer, but the size is in bytes. */
   struct tbr_constant_buffer loops_ended;
   uint32_t view; /**< which of a multiview framebuffer's; 0 elsewhere */
   const struct tbr_bound_storage *storage;
   void (*load_store)(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                      struct tbr_load_store_arguments *arguments); /**< tbr_isa.load_store */
   void (*query_storage)(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                         struct tbr_load_store_arguments *arguments); /**< tbr_load_store_query_size */
   /** For compute shaders: returns when all invocations of the work-group have arrived. The other arguments are unused. */
   void (*barrier)(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                   struct tbr_load_store_arguments *arguments);
};

/** Invocations of a compute shader that run side by side, as generated code sees them. */
struct tbr_compute_block {
   uint32_t thread_id[3][TBR_LANES]; /**< within the work-group */
   uint32_t present[TBR_LANES];      /**< ~0, or 0 where the work-group has no more invocations */
   uint32_t block_id[3];             /**< of the work-group */
   uint32_t grid_size[3];
   uint32_t block_size[3];
   uint8_t *shared; /**< memory of the work-group */
};

/** Positions of samples in their pixel, from its upper left, in pixels. */
extern const float tbr_sample_positions[TBR_MAX_SAMPLES][2];

typedef void (*tbr_compute_function)(const struct tbr_fragment_resources *resources,
                                     struct tbr_compute_block *block, struct tbr_texture_thread *thread);
typedef void (*tbr_fragment_function)(const struct tbr_fragment_resources *resources,
                                      struct tbr_fragment_block *block, struct tbr_texture_thread *thread);

#endif
