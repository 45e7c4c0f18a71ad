/* SPDX-License-Identifier: MIT */
/** What a draw reads and writes in memory, for the event stream. */
#ifndef TBR_DRAW_EVENTS_H
#define TBR_DRAW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipe_draw_info;
struct pipe_image_view;
struct pipe_draw_start_count_bias;
struct cm_storage;
struct cm_texture_binding;
struct pipe_sampler_state;
struct pipe_sampler_view;
struct tbr_batch;
struct tbr_context;
struct util_dynarray;

struct tbr_mapped_indices {
   const void *data; /**< NULL: not indexed */
   size_t available; /**< whole indices in the buffer */
};

static inline uint32_t
tbr_draw_index(const void *indices, unsigned index_size, size_t i)
{
   switch (index_size) {
   case 1: return ((const uint8_t *)indices)[i];
   case 2: return ((const uint16_t *)indices)[i];
   default: return ((const uint32_t *)indices)[i];
   }
}

/** What footprints of a unit are of. */
void tbr_draw_events_describe_texture(struct tbr_context *context, const struct pipe_sampler_view *view,
                                      const struct pipe_sampler_state *sampler,
                                      struct cm_texture_binding *binding);
/** What accesses to an image are of. */
void tbr_draw_events_describe_image(struct tbr_context *context, const struct pipe_image_view *image,
                                    struct cm_texture_binding *binding);
/** What a stage's accesses to storage are of: of the buffers and images of the masks. */
void tbr_draw_events_describe_storage(struct tbr_context *context, unsigned stage, uint32_t buffers,
                                      uint32_t images, struct cm_storage *storage);
#define TBR_ALL_CONSTANT_BUFFERS BITFIELD_MASK(TBR_MAX_CONSTANT_BUFFERS)

/** Appends the descriptors that the draw's or the dispatch's shaders name, or its fragment shader alone: struct cm_descriptors.
 * False when out of memory. */
bool tbr_draw_events_describe_descriptors(struct tbr_context *context, bool fragment_alone,
                                          struct util_dynarray *described);

/** Bytes of constant buffers of a stage (enum pipe_shader_type); buffers: a mask. */
uint32_t tbr_draw_events_constant_bytes(const struct tbr_context *context, unsigned stage, uint32_t buffers);

/** Appends the draw, once an instance, to the batch's events. False when out of
 * memory. */
bool tbr_draw_events_record(struct tbr_context *context, struct tbr_batch *batch,
                            const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *draw,
                            const struct tbr_mapped_indices *indices);

/** Appends a draw that fetches nothing to a new batch, for the rest of the primitives
 * of the one in progress. False when out of memory. */
bool tbr_draw_events_continue(struct tbr_context *context, struct tbr_batch *batch);

/** Adds what the shaders before the fragment shader read of textures, of the draw recorded last. */
void tbr_draw_events_texture_reads(struct tbr_context *context, uint32_t texture_reads);

/** Adds how often the stages after the vertices have run since the last call, for the draw recorded last. draw
 * calls it for each part of an instance, through the render. */
void tbr_draw_events_run_stages(struct tbr_context *context);

/** Records that transform feedback has just written this many primitives of a stream. */
void tbr_draw_events_capture(struct tbr_context *context, unsigned stream, unsigned primitives);

#endif
