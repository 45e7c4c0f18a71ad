/* SPDX-License-Identifier: MIT */
/**
 * A render pass as the raster pipeline sees it: immutable once it has been
 * submitted, shared by all threads that render its tiles.
 */
#ifndef TBR_PASS_H
#define TBR_PASS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "events/event_stream.h"
#include "tiling/parameter_buffer.h"
#include "tile/tbr_fragment.h"
#include "tbr_limits.h"

/** Flags in a primitive's first attribute block (cm_pb_attribute_block.flags). */
enum tbr_primitive_flags {
   TBR_PRIMITIVE_FRONT_FACING = 1 << 0,
   /** The primitive is the parallelogram v0, v1, v1 + v2 - v0, v2 (points and
    * lines), not the triangle v0, v1, v2. */
   TBR_PRIMITIVE_PARALLELOGRAM = 1 << 1,
   /** Polygon offset applies. */
   TBR_PRIMITIVE_OFFSET = 1 << 2,
};

/** One face's stencil test. */
struct tbr_stencil {
   uint8_t func, fail_op, zfail_op, zpass_op; /**< PIPE_FUNC_*, PIPE_STENCIL_OP_* */
   uint8_t valuemask, writemask, reference;
};

/** All state of a draw that its primitives need after binning. */
struct tbr_draw_state {
   tbr_fragment_function shade; /**< NULL: no colour, depth or discard comes from a shader */
   struct tbr_fragment_resources resources;
   uint64_t shader_inputs;            /**< signature of what `shade` is compiled from */
   const struct tbr_regions *regions; /**< the shader's; NULL: it has no control flow */

   uint8_t num_inputs;                       /**< attributes after the position */
   uint8_t interpolation[TBR_MAX_INPUTS];    /**< enum tbr_interpolation */
   uint8_t input_components[TBR_MAX_INPUTS]; /**< mask of components the shader reads */

   bool depth_test, depth_write;
   uint8_t depth_func;          /**< PIPE_FUNC_* */
   float depth_near, depth_far; /**< what depths are clamped to before the test, of any format */
   bool stencil_test;
   struct tbr_stencil stencil[2]; /**< front- and back-facing; equal when one-sided */

   bool shader_discards; /**< the shader may clear live bits (discard, alpha test) */
   bool shader_writes_depth, shader_writes_stencil;
   bool early_tests; /**< the shader asks for depth and stencil tests before it */
   uint32_t fetched; /**< mask of PIPE_CLEAR_*: what the shader reads of the framebuffer */
   /** Every covered fragment replaces all colour buffers' content and the shader
    * does nothing else: hidden surface removal may keep only the last one. */
   bool opaque;

   struct pipe_blend_state blend; /**< rt[] filled for every colour buffer */
   float blend_color[4];
   uint8_t color_outputs; /**< mask of the colour buffers that the shader writes */
   bool dual_source;
   bool writes_memory; /**< the shader stores to buffers or images */

   uint16_t scissor_x0, scissor_y0, scissor_x1, scissor_y1; /**< within the framebuffer; x1, y1 exclusive */
   bool half_pixel_center;
   bool bottom_edge_rule;
   float offset_units, offset_scale, offset_clamp;
   bool offset_units_unscaled;

   uint32_t sample_mask; /**< samples that may be written */
   bool multisample;     /**< coverage and depth at the samples of a multisampled pass, not at centres */
   bool per_sample;      /**< the shader runs once per sample */
   bool alpha_to_coverage, alpha_to_one;
   bool centroid;            /**< the shader has centroid inputs */
   bool reads_sample_mask;   /**< the shader reads gl_SampleMaskIn */
   bool post_depth_coverage; /**< which has the samples that passed early tests; else all that are covered */
   bool writes_sample_mask;  /**< the shader's gl_SampleMask counts */

   uint32_t occlusion_counter;  /**< index into the thread's counters; 0: none */
   uint32_t invocation_counter; /**< of fragments that are shaded, likewise */
   uint32_t event_draw;         /**< index of the draw in the event stream */
};

struct tbr_pass_contents;

/** A colour, depth or stencil buffer in memory. */
struct tbr_attachment {
   uint8_t *memory;  /**< first pixel of the attached level and first layer; NULL: none */
   uint32_t stride;  /**< bytes from row to row */
   uint32_t samples; /**< that memory has; 1 in a multisampled pass: the tiles' samples all begin alike */
   uint64_t sample_stride; /**< bytes from a sample's pixels to the next sample's; 0 if there is one */
   uint64_t layer_stride;  /**< bytes from a layer to the next */
   uint32_t layers;        /**< attached layers; those of the pass beyond have no such buffer */
   enum pipe_format format;
   bool clear;                         /**< tiles start from clear_value */
   bool load;                          /**< tiles start from memory (else, without clear, undefined) */
   bool store;                         /**< tiles end in memory */
   union pipe_color_union clear_value; /**< colour; depth: f[0]; stencil: ui[1] */
};

/** What tiles write when they end: the averaged samples of a rectangle of a colour
 * buffer, into a single-sampled image. */
struct tbr_resolve {
   uint8_t *memory;         /**< where the rectangle's first pixel goes; NULL: nothing is resolved */
   ptrdiff_t stride;        /**< bytes from row to row; negative: upside down */
   enum pipe_format from;   /**< how the colour buffer's pixels are understood */
   enum pipe_format to;     /**< format of the image */
   uint32_t x0, y0, x1, y1; /**< the rectangle; x1, y1 exclusive */
   uint32_t more_layers;    /**< of the pass after the first that are resolved, too */
   size_t layer_stride;     /**< bytes from layer to layer of the image */
};

/**
 * Layers of a layered framebuffer lie on top of each other, as in a tall picture:
 * layer l has the rows l * layer_tiles_y … of tiles, so that tile order, Parameter
 * Buffer and events have no notion of layers. Pixels, scissors and primitives' corners
 * are those of their layer.
 */
struct tbr_pass {
   uint32_t width, height; /**< pixels of a layer */
   uint32_t tile_size, tiles_x, tiles_y;
   uint32_t layer_tiles_y; /**< tiles_y divided by the number of layers */
   uint32_t samples;       /**< that a pixel of every attachment has: 1 or TBR_MAX_SAMPLES */
   bool deferred;          /**< hidden surface removal (mode tbdr); else early Z only (tbr) */
   bool keep_hidden;       /**< as without `deferred`, and the events mark what it would have shaded; only
                              * where events are recorded */
   uint32_t num_color;
   uint32_t attached; /**< mask of the attachments with memory: PIPE_CLEAR_* */
   union {
      struct {
         struct tbr_attachment depth;   /**< depth and stencil may share memory: */
         struct tbr_attachment stencil; /**< then both name the same memory and format */
         struct tbr_attachment color[TBR_MAX_COLOR_BUFFERS];
      };
      struct tbr_attachment attachment[TBR_NUM_ATTACHMENTS]; /**< by enum tbr_attachment_number */
   };
   struct tbr_resolve resolve[TBR_MAX_COLOR_BUFFERS]; /**< of each, in multisampled passes */

   const struct tbr_draw_state *const *draws; /**< indexed by cm_pb_attribute_block.draw */

   /* The Parameter Buffer. A primitive's attributes are consecutive blocks. */
   const struct cm_pb_lists *lists;
   const struct cm_pb_attribute_block *const *attribute_pages;
   uint32_t attribute_page_shift; /**< block n is attribute_pages[n >> shift][n & mask] */
   bool wide;

   uint32_t num_occlusion_counters; /**< including the unused number 0 */
   /** Primitive number in the event stream of an attribute block: the reader's
    * dense array, indexed by block. */
   const uint32_t *event_primitive;
   struct tbr_pass_contents *contents; /**< NULL: nobody asks for what is known of the tiles' contents */
   FILE *dump;                         /**< output for the rendering of dumped_tile; NULL: none */
   uint32_t dumped_tile;
};

/** A primitive's first block; the others follow it in memory. */
static inline const struct cm_pb_attribute_block *
tbr_pass_attributes(const struct tbr_pass *pass, uint32_t block)
{
   return &pass->attribute_pages[block >> pass->attribute_page_shift]
                                [block & ((1u << pass->attribute_page_shift) - 1)];
}

/** What one thread keeps from tile to tile: on-chip buffers, queues, counters. */
struct tbr_tile_thread;

struct tbr_tile_thread *tbr_tile_thread_create(void);
void tbr_tile_thread_destroy(struct tbr_tile_thread *thread);
/** Prepares the thread for a pass (buffer sizes, zeroed occlusion counters). False
 * when out of memory. */
bool tbr_tile_thread_begin(struct tbr_tile_thread *thread, const struct tbr_pass *pass);
/** Samples that passed since tbr_tile_thread_begin, by counter. */
const uint64_t *tbr_tile_thread_occlusion(const struct tbr_tile_thread *thread);

/** The tile pipeline of one vector feature level. */
struct tbr_isa {
   const char *name; /**< "x86-64-v3" … */
   /** Renders a tile from first to last: load or clear, Tile Fetcher, rasteriser,
    * depth and stencil, hidden surface removal, shading, blending, flush. Appends the
    * tile's events to `events`, unless that is NULL. For speed it should share no cache
    * line with what other threads write. */
   void (*render_tile)(struct tbr_tile_thread *thread, const struct tbr_pass *pass, uint32_t tile,
                       struct cm_tile_events *events);
   /** Serves a texture binding, see tbr_texture_binding_prepare. */
   tbr_sample_function (*choose_sampler)(struct tbr_texture_binding *binding);
   /** What serves a binding a fragment at a time, whatever it is, and what serves those of which
    * private_state.vectors is set, a vector at a time: to the bit the same, for tests. */
   tbr_sample_function sample_general, sample_vectors;
   /** Does what a shader does to storage. Called from generated code. */
   void (*load_store)(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                      struct tbr_load_store_arguments *arguments);
};

/** The best level this CPU runs; TBRSIM_ISA=x86-64|x86-64-v3|x86-64-v4 in the
 * environment chooses a lower one. All give the same images, bit for bit. */
const struct tbr_isa *tbr_isa_get(void);

#endif
