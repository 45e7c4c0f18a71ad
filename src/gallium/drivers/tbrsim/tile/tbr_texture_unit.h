/* SPDX-License-Identifier: MIT */
/**
 * The texture unit: filters texels for the fragment shader and records which
 * texels it read. Called from generated code, one call an instruction, for up
 * to four quads at once (TBR_LANES).
 *
 * Sampling is specialised when a texture and a sampler are bound, not when a
 * shader is compiled: each binding carries the function that serves it.
 */
#ifndef TBR_TEXTURE_UNIT_H
#define TBR_TEXTURE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "events/event_stream.h"
#include "tbr_limits.h"
#include "tile/tbr_s3tc.h"

/** How an instruction chooses its mipmap level. */
enum tbr_lod_control {
   TBR_LOD_IMPLICIT,    /**< from the quad's coordinate differences */
   TBR_LOD_BIAS,        /**< the same plus args->lod */
   TBR_LOD_EXPLICIT,    /**< args->lod */
   TBR_LOD_DERIVATIVES, /**< from args->ddx, args->ddy */
   TBR_LOD_LANE,        /**< args->lod, which has the sampler's bias in it already */
   TBR_LOD_QUAD,        /**< the same, and the lanes of a quad agree */
};

enum tbr_texture_operation {
   TBR_TEXTURE_SAMPLE,
   TBR_TEXTURE_FETCH,  /**< texelFetch: coords and lod are integers' bits */
   TBR_TEXTURE_GATHER, /**< textureGather of args->gather_component */
   TBR_TEXTURE_LODQ,   /**< textureQueryLod: texel[0] = level, texel[1] = lambda */
};

/** Operands and result of one texture instruction; lives on the generated
 * code's stack, 64-byte aligned. */
struct tbr_sample_arguments {
   float coords[3][TBR_LANES];  /**< s, t, r; an array layer is coords[2] for 1D and 2D arrays */
   float cube_layer[TBR_LANES]; /**< layer of a cube array */
   float compare[TBR_LANES];    /**< reference depth of a shadow lookup */
   float lod[TBR_LANES];        /**< bias or explicit level */
   float ddx[3][TBR_LANES];
   float ddy[3][TBR_LANES];
   int32_t offset[3][TBR_LANES]; /**< texel offsets, valid if has_offset */
   int32_t sample[TBR_LANES];    /**< which sample to fetch, valid if has_sample */
   float texel[4][TBR_LANES];    /**< result: rgba, or integers' bits; here, where it is aligned */
   uint32_t active;              /**< lanes that execute the instruction (control flow) */
   uint8_t operation;            /**< enum tbr_texture_operation */
   uint8_t lod_control;          /**< enum tbr_lod_control */
   bool shadow;
   bool has_offset;
   bool has_sample;
   uint8_t gather_component;
};

/** A compressed block that a thread decoded. */
struct tbr_texture_block {
   const uint8_t *address;
   uint32_t generation;
   uint32_t format;     /**< enum pipe_format by which it was decoded */
   uint32_t texels[16]; /**< row by row, red in the lowest byte */
};
#define TBR_TEXTURE_BLOCK_BITS 9

/** Per thread: what the texture unit needs while a tile is rendered. */
struct tbr_texture_thread {
   /** Where footprints go; NULL when nothing is recorded. */
   struct cm_tile_events *events;
   /** The quads of the current shade event whose fragments count: lane mask. */
   uint32_t live;
   /** Decoded blocks, by a hash of their addresses; those of other generations are
    * stale. Memory that is sampled does not change within a generation. */
   uint32_t generation;
   struct tbr_fiber *fiber; /**< of a compute shader: what runs */
   /** How often each quad came to the places that the shader counts (tile/tbr_regions.h). */
   uint32_t region_runs[CM_MAX_REGIONS][TBR_QUADS];
   struct tbr_texture_block blocks[1 << TBR_TEXTURE_BLOCK_BITS];
};

struct tbr_texture_binding;

/** Fields of a level that the specialised functions read. */
enum texture_geometry_field {
   TEXTURE_WIDTH, /**< float, in 1/65536 texel */
   TEXTURE_HEIGHT,
   TEXTURE_LAST_X, /**< width - 1 */
   TEXTURE_LAST_Y,
   TEXTURE_ROW_STRIDE,
   TEXTURE_OFFSET, /**< bytes from `base` to the level */
   TEXTURE_LAYER_STRIDE,
   TEXTURE_LAST_Z, /**< depth - 1 */
   TEXTURE_NUM_GEOMETRY_FIELDS,
};

/** How the specialised functions decode a texel; the rest goes through Mesa's
 * format functions. */
enum texture_kind {
   TEXTURE_KIND_GENERAL,
   TEXTURE_KIND_BYTES_4, /**< channels of 8 bits, normalised */
   TEXTURE_KIND_BYTES_2,
   TEXTURE_KIND_BYTES_1,
   TEXTURE_KIND_565, /**< channels of 5, 6, 5 bits from the lowest on, normalised */
   TEXTURE_KIND_5551,
   TEXTURE_KIND_4444,
   TEXTURE_KIND_SRGB,       /**< four bytes, the first three in sRGB */
   TEXTURE_KIND_BLOCK,      /**< compressed blocks of 4 × 4 texels, decoded to four bytes each */
   TEXTURE_KIND_BLOCK_SRGB, /**< the same in sRGB */
   TEXTURE_KIND_16,         /**< one channel, as float: 16 bits, normalised (depth) */
   TEXTURE_KIND_24_LOW,     /**< the low 24 bits of a word, normalised (depth) */
   TEXTURE_KIND_24_HIGH,    /**< the high ones */
   TEXTURE_KIND_FLOAT,      /**< a float */
   TEXTURE_KIND_WIDE,       /**< as up to four floats; enum texture_conversion says from what */
};

/** The wrap modes of the coordinates differ. */
#define TEXTURE_WRAP_MIXED 255

/** How the channels of a texel become floats, or integers' bits. */
enum texture_conversion {
   TEXTURE_CONVERT_ANY,   /**< whatever Mesa's format functions decode, a texel at a time */
   TEXTURE_CONVERT_BYTES, /**< unsigned normalised bytes, from the lowest on */
   TEXTURE_CONVERT_UNORM, /**< unsigned normalised numbers of up to 16 bits */
   TEXTURE_CONVERT_SNORM, /**< signed ones */
   TEXTURE_CONVERT_SRGB,  /**< bytes in sRGB, but for the channel that is alpha */
   TEXTURE_CONVERT_UINT,  /**< integers: their bits */
   TEXTURE_CONVERT_SINT,
   TEXTURE_CONVERT_HALF,     /**< half-precision floats */
   TEXTURE_CONVERT_WORD,     /**< words of 32 bits as they are: floats, integers */
   TEXTURE_CONVERT_DEPTH_24, /**< 24 bits, normalised */
   TEXTURE_CONVERT_R9G9B9E5,
   TEXTURE_CONVERT_R11G11B10,
};

/** Where a channel is in a texel: in a word of 32 bits, after a shift to the left and one to
 * the right, which drop the other bits. */
struct texture_channel {
   uint8_t word, left, right;
   bool srgb;
   float scale; /**< of normalised numbers */
};

typedef void (*tbr_sample_function)(struct tbr_texture_thread *thread,
                                    const struct tbr_texture_binding *binding,
                                    struct tbr_sample_arguments *arguments);

struct tbr_texture_private;
struct texture_taps;
struct texture_texels;
/** Reads and decodes the first `count` texels of every lane (tile/texture/tbr_texture_decode_tmp.h). */
typedef void (*tbr_load_function)(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                                  const struct texture_taps *taps, unsigned count,
                                  struct texture_texels *texels);

/** One level of a bound texture. */
struct tbr_texture_level {
   const uint8_t *texels;         /**< first texel of the view's first layer */
   uint32_t row_stride;           /**< bytes from row (of blocks) to row */
   uint32_t layer_stride;         /**< bytes from layer, face or slice to the next */
   uint32_t width, height, depth; /**< texels; depth of a 3D texture, else 1 */
};

/** A sampler view and a sampler, ready for sampling. Filled by the caller up to
 * `sampler`; the rest by tbr_texture_binding_prepare. Immutable afterwards. */
struct tbr_texture_binding {
   uint8_t unit;             /**< the number footprints are recorded under */
   uint8_t target;           /**< enum pipe_texture_target */
   enum pipe_format format;  /**< of the view */
   uint8_t swizzle[4];       /**< PIPE_SWIZZLE_* of the view */
   uint32_t num_levels;      /**< of the view, at least 1 */
   uint32_t num_layers;      /**< array layers of the view, 6 a cube; 1 otherwise */
   uint32_t buffer_elements; /**< texels of a buffer view */
   uint32_t num_samples;     /**< of a multisampled texture; 0 and 1: not multisampled */
   uint64_t sample_stride;   /**< bytes from a sample's plane to the next */
   struct tbr_texture_level levels[TBR_MAX_LEVELS];
   struct pipe_sampler_state sampler;
   uint64_t inputs; /**< tbr_texture_inputs; TBR_UNKNOWN_SIGNATURE also where contents are not asked for */

   tbr_sample_function sample;
   /* Private to the texture unit. */
   struct tbr_texture_private {
      /** enum texture_kind: how the specialised functions decode a texel. */
      uint8_t kind;
      uint8_t conversion;            /**< enum texture_conversion */
      uint8_t max_anisotropy;        /**< probes a fragment may take; 1: not anisotropic */
      uint32_t format;               /**< enum pipe_format */
      tbr_sample_function isotropic; /**< takes a probe */
      bool seamless;                 /**< a cube map filtered across the edges of its faces */
      bool layered;                  /**< coords[2] is an array layer */
      bool integer;                  /**< texels are integers: their bits are returned */
      bool is_signed;                /**< integers with a sign */
      bool filtered; /**< several texels may be read: not of integers, unless for the least or greatest */
      uint8_t
         reduction; /**< enum pipe_tex_reduction_mode: the average, or the least or greatest of the texels */
      uint8_t dimensions; /**< coordinates that are filtered: 1, 2 or 3 */
      uint8_t last_level;
      uint8_t block_width, block_height, block_bytes;
      uint8_t block_shift; /**< 2 for blocks of 4 × 4 texels, else 0 */
      bool vectors;        /**< the function for vectors of floats serves what the specialised ones do not */
      uint8_t common_wrap; /**< enum pipe_tex_wrap of all filtered coordinates; TEXTURE_WRAP_MIXED: not one */
      bool bordered;       /**< texels outside may be the border */
      bool normalized;     /**< coordinates of 0 … 1, not texels */
      bool clamps_reference; /**< to what depth of the format can be */
      /** For each result component, which of red, green, blue, alpha as stored, 0 and 1 it is. */
      uint8_t channel[4];
      uint8_t used_channels;              /**< bit mask: those in memory that components are */
      struct texture_channel channels[4]; /**< in the order of memory */
      float stored_border[4];             /**< the border's, as they would be there */
      tbr_load_function load;
      tbr_sample_function sample_vectors; /**< in floats, whatever it is but texelFetch */
      bool identity;                      /**< channel is 0, 1, 2, 3 */
      bool gathers;                       /**< the processor gathers faster than it loads one by one */
      float border[4];                    /**< as texels of the format hold it, before the view's swizzle */
      /** Range of the level of detail: the sampler's, and that of the levels if
       * there are several. */
      float min_lambda, max_lambda;
      int32_t repeat[2];   /**< s, t: ~0: texels outside are the other edge's; 0: the near edge's */
      float scale[3];      /**< texels of level 0 that a unit of a coordinate spans */
      float quad_scale[4]; /**< s, s, t, t */
      /** Levels as the specialised functions look them up: by level, and by
       * enum texture_geometry_field, as the vectors' width suits. Floats as bits. */
      int32_t records[16][8], tables[TEXTURE_NUM_GEOMETRY_FIELDS][16];
      const uint8_t *base;
      /** Decode one texel of a block; NULL for the depth and stencil formats. */
      void (*fetch)(void *restrict destination, const uint8_t *restrict source, unsigned column,
                    unsigned row);
      /** Decodes a block to four bytes per texel, sRGB as it is. */
      void (*unpack_block)(uint8_t *restrict destination, unsigned destination_stride,
                           const uint8_t *restrict source, unsigned source_stride, unsigned width,
                           unsigned height);
      tbr_s3tc_decoder decode_s3tc; /**< does that for S3TC; NULL for other formats */
      void (*unpack_depth)(float *restrict destination, unsigned destination_stride,
                           const uint8_t *restrict source, unsigned source_stride, unsigned width,
                           unsigned height);
      void (*unpack_stencil)(uint8_t *restrict destination, unsigned destination_stride,
                             const uint8_t *restrict source, unsigned source_stride, unsigned width,
                             unsigned height);
   } private_state;
};

/** sRGB bytes as linear ones, where 32640 is 1. */
extern const int32_t tbr_texture_srgb[256];

/** Chooses the function that serves the binding, for the vector feature level in
 * use (tbr_isa.h). Every supported combination of target, format, filters and
 * wraps gets one; the general one handles all. */
void tbr_texture_binding_prepare(struct tbr_texture_binding *binding);

/** The binding that an unbound unit gets: returns (0, 0, 0, 1), records nothing. */
void tbr_texture_binding_init_empty(struct tbr_texture_binding *binding);

/** textureSize, textureQueryLevels and textureSamples: for each lane's level
 * arguments->lod (an integer's bits) writes integers to texel[0 … 2] = width,
 * height, depth or layers (0 out of range), texel[3] = number of levels;
 * samples_only: texel[0] = samples. Called from generated code. */
void tbr_texture_query_size(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                            uint32_t samples_only);

/** Whether footprints of this sampler repeat at the edges (see struct
 * cm_texture_binding); mirrored and clamped ones are recorded already folded. */
bool tbr_texture_repeats(enum pipe_tex_wrap wrap);

#endif
