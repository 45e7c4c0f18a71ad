/* SPDX-License-Identifier: MIT */
/**
 * The load/store unit: what shaders do to storage buffers and images, one call an instruction of up to TBR_LANES
 * invocations, from generated code. Records the accesses as events.
 *
 * Accesses outside of a buffer or an image, and by address of all buffers, load zeros and store nothing.
 */
#ifndef TBR_LOAD_STORE_H
#define TBR_LOAD_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "tbr_limits.h"

struct tbr_address_table;
struct tbr_resource;
struct tbr_storage;
struct tbr_texture_thread;

#define TBR_MAX_BOUND_BUFFERS (TBR_MAX_STORAGE_BUFFERS + TBR_MAX_CONSTANT_BUFFERS)

/** Numbers of bindings in generated code. Uniform blocks are loaded as storage buffers are. */
#define TBR_STORAGE_BUFFER(n) (n)
#define TBR_UNIFORM_BLOCK(n) (TBR_MAX_STORAGE_BUFFERS + (n))
#define TBR_STORAGE_IMAGE(n) (TBR_MAX_BOUND_BUFFERS + (n))
#define TBR_BARRIER (TBR_MAX_BOUND_BUFFERS + TBR_MAX_IMAGES)
#define TBR_MEMORY_BY_ADDRESS (TBR_BARRIER + 1)
/** No binding: counters of regions (tile/tbr_regions.h). */
#define TBR_REGION_COUNTER(n) (TBR_MEMORY_BY_ADDRESS + 1 + (n))

/** What values are to gallivm: the load/store unit knows the format. */
#define TBR_STORAGE_FORMAT PIPE_FORMAT_R32G32B32A32_UINT

enum tbr_load_store_operation {
   TBR_LOAD,
   TBR_STORE,
   TBR_ATOMIC_ADD,
   TBR_ATOMIC_EXCHANGE,
   TBR_ATOMIC_AND,
   TBR_ATOMIC_OR,
   TBR_ATOMIC_XOR,
   TBR_ATOMIC_SIGNED_MIN,
   TBR_ATOMIC_SIGNED_MAX,
   TBR_ATOMIC_UNSIGNED_MIN,
   TBR_ATOMIC_UNSIGNED_MAX,
   TBR_ATOMIC_COMPARE_AND_SWAP, /**< compares with `data` and stores `swap` */
};

/** Operands and result of an instruction; lives on the generated code's stack. */
struct tbr_load_store_arguments {
   int32_t coordinates
      [3][TBR_LANES]; /**< of an image texels and the layer, face or slice; of a buffer the byte offset
                                       * and how many words are accessed, 1 … 4, the same for all lanes; by
                                       * address then its upper half, the number of the buffer */
   int32_t sample[TBR_LANES];   /**< of a multisampled image */
   uint32_t data[4][TBR_LANES]; /**< to store, or the operand of an atomic */
   uint32_t swap[TBR_LANES];
   uint32_t result[4][TBR_LANES]; /**< what is loaded, or was there before an atomic */
   uint32_t active;               /**< lanes that execute the instruction (control flow) */
   uint32_t binding;
   uint32_t operation; /**< enum tbr_load_store_operation */
   uint32_t target;    /**< of a query: what kind of image it is to the shader, an enum pipe_texture_target */
};

struct tbr_bound_buffer {
   uint8_t *memory; /**< NULL: nothing bound */
   uint32_t bytes;
};

/** How texels are converted. */
enum tbr_image_kind {
   TBR_IMAGE_GENERAL, /**< by Mesa's format functions */
   TBR_IMAGE_BYTES,   /**< red, green, blue and alpha of 8 bits, normalised */
   TBR_IMAGE_WORDS,   /**< channels of 32 bits, as they are */
};

struct tbr_bound_image {
   uint8_t *texels; /**< first texel of the level and its first layer; NULL: nothing bound */
   enum pipe_format format;
   enum pipe_texture_target target;
   enum tbr_image_kind kind;
   uint32_t one; /**< what a channel that the format has not, alpha, is: 1 as an integer or a float */
   uint32_t texel_bytes;
   uint32_t width, height,
      layers; /**< layers: faces, or slices of a 3D image; of a buffer width has the texels */
   uint32_t samples;
   bool layered; /**< shaders name a layer, face or slice, even of an image that has one only */
   uint64_t row_stride, layer_stride, sample_stride; /**< bytes */
};

/** All of a draw or a dispatch, by number. */
struct tbr_bound_storage {
   struct tbr_bound_buffer buffers[TBR_MAX_BOUND_BUFFERS];
   struct tbr_bound_image images[TBR_MAX_IMAGES];
   const struct tbr_address_table *addresses; /**< NULL: the shader accesses no memory by address */
};

/** imageSize, imageSamples and the length of a buffer: for all lanes width, height, depth (of buffers bytes) in
 * result[0 … 2], samples in result[3]. Called from generated code. */
void tbr_load_store_query_size(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                               struct tbr_load_store_arguments *arguments);

/** Describes a bound image, whose memory is given. */
void tbr_describe_image(const struct pipe_image_view *view, const struct tbr_resource *resource,
                        const struct tbr_storage *storage, struct tbr_bound_image *image);
void tbr_describe_buffer(const struct pipe_shader_buffer *view, const struct tbr_storage *storage,
                         struct tbr_bound_buffer *buffer);

#endif
