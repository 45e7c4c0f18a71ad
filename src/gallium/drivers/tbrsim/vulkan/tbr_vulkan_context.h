/* SPDX-License-Identifier: MIT */
/** What a context of a Vulkan device has besides: shared by the parts that bind (tbr_vulkan_bind.c) and that place
 * attachments (tbr_vulkan_attachments.c). */
#ifndef TBR_VULKAN_CONTEXT_H
#define TBR_VULKAN_CONTEXT_H

#include "lp_jit.h"
#include "pipe/p_context.h"
#include "util/u_dynarray.h"
#include "state/tbr_context.h"
#include "vulkan/tbr_vulkan.h"

/** A texture's or an image's handle. */
struct tbr_vulkan_handle {
   struct lp_texture_handle base; /**< lavapipe copies `functions`, our number, into descriptors */
   struct pipe_sampler_view *view;
   struct pipe_image_view image;
};

/** A fragment shader for one map of attachments, other than the one without. */
struct tbr_vulkan_variant {
   struct tbr_attachment_map map;
   struct tbr_descriptor_slots slots;
   void *shader; /**< the driver's */
};

/** A shader. */
struct tbr_vulkan_shader {
   struct tbr_descriptor_slots slots;
   void *shader;                  /**< the driver's */
   struct nir_shader *nir;        /**< of fragment shaders: as it was before, for variants; else NULL */
   uint32_t outputs;              /**< mask of the locations of colours that it writes */
   struct util_dynarray variants; /**< struct tbr_vulkan_variant * */
};

/** A stage's shader, and what is bound for it. */
struct tbr_vulkan_stage {
   struct tbr_vulkan_shader *shader;         /**< NULL: none that came through lavapipe */
   const struct tbr_descriptor_slots *slots; /**< of the shader, or of its variant; NULL: it has none */
   void *bound;                              /**< of fragments: the driver's shader */
   struct pipe_constant_buffer sets[TBR_VULKAN_SETS];
   unsigned num_constants, num_buffers, num_images, num_textures; /**< slots that have something */
   unsigned inline_slot;                                          /**< that has inline_data; 0: none */
   uint8_t inline_data[TBR_MAX_INLINE_BLOCKS * TBR_MAX_INLINE_BYTES];
};

struct tbr_vulkan_context {
   struct pipe_context driver;     /**< Gallium's functions, as the driver has them */
   struct tbr_vulkan_queue *queue; /**< marks of the queue whose context it is */
   /* What draws and dispatches, while the process does not exit (tbr_vulkan_exit.c). */
   void (*draw_vbo)(struct pipe_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
                    const struct pipe_draw_indirect_info *indirect,
                    const struct pipe_draw_start_count_bias *draws, unsigned num_draws);
   void (*launch_grid)(struct pipe_context *context, const struct pipe_grid_info *info);
   struct tbr_vulkan_stage stages[PIPE_SHADER_TYPES];
   struct hash_table *shaders; /**< struct tbr_vulkan_shader, by the driver's shaders */
   struct hash_table *handles; /**< struct tbr_vulkan_handle, by number */
   uintptr_t last_handle;
   struct util_dynarray samplers; /**< struct sampler *, by number */
   struct util_dynarray uses;     /**< struct tbr_named_descriptors, of the last draw or dispatch */
   bool reported_depth;           /**< that an input attachment cannot be read */
   /** The colour buffer that an output of each location is written to; TBR_NO_ATTACHMENT: none. */
   uint8_t color_of[TBR_MAX_COLOR_BUFFERS];
};

static inline struct tbr_vulkan_context *
tbr_vulkan_context(struct pipe_context *context)
{
   return tbr_context(context)->vulkan;
}

/** NULL: no set is bound there, or it is smaller. */
const struct lp_descriptor *
tbr_vulkan_find_descriptor(const struct tbr_vulkan_stage *stage, struct tbr_descriptor_place place);
/** NULL: it is gone, or the descriptor was never written. */
const struct tbr_vulkan_handle *
tbr_vulkan_find_handle(const struct tbr_vulkan_context *vulkan, const struct lp_descriptor *descriptor);

/** Gives a shader's descriptors slots, and its attachments places (NULL: it has the outputs' locations, and reads input
 * attachments from memory); then it can be given to the driver. */
void tbr_vulkan_prepare_shader(struct pipe_context *context, struct nir_shader *nir,
                               const struct tbr_attachment_map *map, struct tbr_descriptor_slots *slots);

/** Lists the descriptors of the slots: slots->uses. */
void tbr_vulkan_list_uses(struct tbr_descriptor_slots *slots);
/** Before a draw or a dispatch: gives the context the descriptors that the shaders of these stages, in the order in which they
 * run, name in the bound sets, for its events. False when out of memory. */
bool
tbr_vulkan_describe_uses(struct pipe_context *context, const enum pipe_shader_type *stages, unsigned count);

/** Before a draw: the bound fragment shader finds the attachments where the pass has them. What cannot be read in the tile
 * ends the batch, which stores it. False when out of memory. */
bool tbr_vulkan_place_attachments(struct pipe_context *context);

/** Of a new context, whose other functions are wrapped: draws and dispatches keep the process from exiting, and are left out
 * when it exits. */
void tbr_vulkan_exit_init_context(struct pipe_context *context);

/** Outputs have the colour buffers of their locations. */
void tbr_vulkan_reset_attachments(struct tbr_vulkan_context *vulkan);

#endif
