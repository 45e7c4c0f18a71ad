/* SPDX-License-Identifier: MIT */
/**
 * The tile pipeline's own data: on-chip buffers, the tile's primitives, the
 * visibility buffer and the queue in front of the fragment processor.
 *
 * On-chip buffers hold a tile as 4×4 blocks, row by row; a block is four quads,
 * a quad four pixels (see tbr_vector.h). Quad n of the tile is quad n % 4 of
 * block n / 4, and its four pixels lie next to each other. Buffers of multisampled
 * passes are TBR_MAX_SAMPLES such tiles, one per sample, TBR_TILE_MAX_PIXELS apart.
 */
#ifndef TBR_TILE_H
#define TBR_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/format/u_format.h"
#include "tile/tbr_fragment.h"
#include "tbr_limits.h"
#include "tile/tbr_pass.h"

#define TBR_TILE_MAX_PIXELS (TBR_MAX_TILE_SIZE * TBR_MAX_TILE_SIZE)
#define TBR_TILE_MAX_BLOCKS (TBR_TILE_MAX_PIXELS / 16)

/** Vertices 1 and 2 relative to vertex 0 in pixels, divided by twice the area. */
struct tbr_gradient {
   double x1, y1, x2, y2;
};

/** A primitive of the tile that some fragment still needs. */
struct tbr_tile_primitive {
   const struct cm_pb_attribute_block *attributes; /**< position, then the inputs */
   const struct tbr_plane *planes;                 /**< NULL until a fragment is shaded */
   struct tbr_plane depth;
   struct tbr_gradient gradient;
   float reference_x, reference_y; /**< the snapped vertex 0 */
   uint32_t first_block;           /**< number of its first attribute block */
   uint32_t draw;                  /**< index into the pass' draws */
   uint32_t run;                   /**< counts the changes of draw, see tbr_tile_thread.num_runs */
   uint32_t num_inputs;            /**< attributes after the position */
   uint32_t front_facing;          /**< 0 or ~0 */
};

/** How a colour buffer's pixels are computed. */
enum tbr_color_kind {
   TBR_COLOR_BYTES,        /**< four unsigned normalised channels of 8 bits, one may be unused */
   TBR_COLOR_UNORM,        /**< up to 32 bits of unsigned normalised channels: in vectors */
   TBR_COLOR_HALF,         /**< four channels of half precision: in vectors */
   TBR_COLOR_PACKED_FLOAT, /**< R11G11B10 floats: in vectors */
   TBR_COLOR_GENERAL,      /**< anything else, through Mesa's format library */
};

/** A colour buffer of the tile. Pixels are kept in the format of the memory, so
 * that storing and loading a tile cannot change them. */
struct tbr_tile_color {
   uint8_t *pixels;     /**< the tile's pixels of pixel_bytes, quad by quad, sample by sample */
   size_t sample_bytes; /**< from a sample's pixels to the next's */
   size_t capacity;     /**< bytes */
   enum pipe_format format;
   enum tbr_color_kind kind;
   uint32_t pixel_bytes;
   bool integer;                /**< pure integer channels: no blending */
   bool logic_op;               /**< logic operations apply (not to floats and sRGB) */
   float clamp_low, clamp_high; /**< of a blended colour; -INFINITY, INFINITY: none */
   uint8_t clear_pixel[16];
   /* TBR_COLOR_BYTES */
   uint8_t component[4]; /**< which component a byte holds; of an unused byte: any */
   /* TBR_COLOR_BYTES and TBR_COLOR_UNORM: r, g, b, a; a channel that is missing has maximum 0. */
   uint8_t shift[4];
   float maximum[4], inverse_maximum[4];
   uint32_t filler;   /**< bits of an X channel, kept at 1 so that alpha reads as 1 */
   bool alpha_is_one; /**< no alpha channel */
   /* TBR_COLOR_GENERAL */
   const struct util_format_pack_description *pack;
   const struct util_format_unpack_description *unpack;
};

/** Special cases of blending, and everything else. */
enum tbr_blend_kind {
   TBR_BLEND_REPLACE,       /**< the source */
   TBR_BLEND_ALPHA,         /**< source alpha, one minus source alpha, added */
   TBR_BLEND_PREMULTIPLIED, /**< one, one minus source alpha, added */
   TBR_BLEND_ADD,           /**< one, one, added */
   TBR_BLEND_GENERAL,
   TBR_BLEND_ADVANCED, /**< an equation of KHR_blend_equation_advanced */
};

/** What a draw does with a colour buffer. */
struct tbr_color_plan {
   bool write;               /**< anything at all */
   enum tbr_color_kind path; /**< which of the pixel functions serves it */
   bool logic_op;
   bool partial; /**< write_mask leaves bits of a pixel alone */
   enum tbr_blend_kind blend;
   uint8_t write_mask[16]; /**< bits of a pixel that the colour mask lets through */
};

/** What a draw does in this pass, computed once for a run of primitives. */
struct tbr_draw_plan {
   const struct tbr_draw_state *state;
   uint32_t draw;     /**< its index; UINT32_MAX: no plan yet */
   bool draws;        /**< false: the sample mask lets nothing through */
   bool shade;        /**< fragments run the shader */
   bool record;       /**< hidden surface removal: fragments go to the visibility buffer; with
                         * tbr_pass.keep_hidden they are shaded all the same */
   bool early;        /**< depth and stencil tests before the shader; else after it */
   bool reject_early; /**< late tests, but a fragment that must fail is dropped before */
   bool depth_test, depth_write, stencil_test, shader_depth, shader_stencil;
   bool hierarchical; /**< regions may be found hidden as a whole */
   uint8_t depth_func;
   float center;                               /**< of a pixel: 0.5 or 0 */
   int32_t sample[TBR_MAX_SAMPLES][2];         /**< where coverage is tested, in 1/256 pixel */
   float sample_offset[TBR_MAX_SAMPLES][2];    /**< the same from the centre, in pixels */
   int32_t clip_x0, clip_y0, clip_x1, clip_y1; /**< pixels of the tile that may be drawn to; ends exclusive */
   struct tbr_color_plan color[TBR_MAX_COLOR_BUFFERS];
};

/** Quads that wait for the fragment processor, all of one draw. */
struct tbr_fragment_queue {
   struct tbr_fragment_block block;
   uint32_t primitive[TBR_QUADS];        /**< index into the tile's primitives */
   _Alignas(8) uint16_t quad[TBR_QUADS]; /**< of the tile */
   uint32_t count;
   uint32_t covered; /**< lane mask of the fragments that the primitives cover; block.live is within */
   /** Lane masks by sample, before the early tests; only if the shader reads gl_SampleMaskIn. */
   uint32_t samples_covered[TBR_MAX_SAMPLES];
   bool whole_block; /**< the quads are those of a block, in order */
};

/** The visible fragments of a primitive in a block. */
struct tbr_visible_block {
   uint32_t primitive;
   uint16_t block;
   uint16_t live[TBR_MAX_SAMPLES]; /**< lane masks by sample; of single-sampled passes the first */
};

/** Memory for planes: chunks keep their addresses until all are recycled. */
struct tbr_plane_chunk {
   struct tbr_plane_chunk *next;
   _Alignas(64) struct tbr_plane planes[];
};
#define TBR_PLANES_PER_CHUNK 4096

struct tbr_tile_thread {
   /** unorm value, or ordered bits of the float */
   _Alignas(64) int32_t depth[TBR_MAX_SAMPLES * TBR_TILE_MAX_PIXELS];
   _Alignas(64) uint8_t stencil[TBR_MAX_SAMPLES * TBR_TILE_MAX_PIXELS];
   /** Which primitive is seen at a pixel: its index + 1; 0: none. */
   _Alignas(64) uint32_t visibility[TBR_MAX_SAMPLES * TBR_TILE_MAX_PIXELS];
   _Alignas(64) struct tbr_fragment_queue queue;
   struct tbr_tile_color color[TBR_MAX_COLOR_BUFFERS];

   const struct tbr_pass *pass;
   FILE *dump; /**< output of tbr_tile_dump.h; NULL: none */
   uint32_t tile;
   uint32_t layer;         /**< of the framebuffer, that the tile belongs to */
   int32_t tile_x, tile_y; /**< the tile's first pixel in the framebuffer */
   int32_t width, height;  /**< pixels of the tile within the framebuffer */
   uint32_t blocks_x;      /**< 4×4 blocks in a row of the tile */
   uint32_t num_blocks;
   uint8_t block_x[TBR_TILE_MAX_BLOCKS], block_y[TBR_TILE_MAX_BLOCKS]; /**< column and row, in blocks */

   /* Depth and stencil of the pass. */
   bool has_depth, has_stencil, depth_is_float;
   float depth_scale; /**< 2^bits - 1 of a unorm depth buffer */
   double depth_unit; /**< what a unit of polygon offset is in a unorm depth buffer */

   struct tbr_draw_plan plan;
   struct tbr_texture_thread texture;

   struct tbr_tile_primitive *primitives;
   uint32_t num_primitives, primitives_capacity;
   bool has_visible;     /**< the visibility buffer is not empty */
   size_t shade_words;   /**< of the events: before the last shade event */
   size_t flushed_words; /**< of the events: up to the last flush (tbr_tile_hidden.h) */

   struct tbr_plane_chunk *chunks, *chunk; /**< all, and the one in use */
   uint32_t chunk_used;

   /** Runs of primitives of one draw among the tile's primitives. */
   uint32_t num_runs, run_offsets_capacity;
   uint32_t run_draw; /**< the last run's draw */

   /* Scratch of the visibility buffer's flush. */
   uint32_t *run_offsets;                      /**< run_offsets_capacity, more than num_runs */
   struct tbr_visible_block *visible, *sorted; /**< visible_capacity each */
   uint32_t visible_capacity;                  /**< as many as the pass has samples in a tile */

   /* Of tbr_tile_content.h. */
   uint8_t *replaced; /**< what memory had where the tile is stored */
   size_t replaced_capacity;
   uint64_t inputs; /**< signature */

   uint64_t *occlusion;
   uint32_t occlusion_capacity;
};

/** Ends the process with a message: a renderer without memory has no right image. */
_Noreturn void tbr_tile_out_of_memory(const char *what);
/** Doubles the space for the tile's primitives. */
void tbr_tile_grow_primitives(struct tbr_tile_thread *thread);
/** Doubles the space for runs of primitives. */
void tbr_tile_grow_runs(struct tbr_tile_thread *thread);
/** The next chunk of planes. */
void tbr_tile_next_chunk(struct tbr_tile_thread *thread);

#endif
