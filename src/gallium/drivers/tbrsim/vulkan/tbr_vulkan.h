/* SPDX-License-Identifier: MIT */
/**
 * Vulkan: what Mesa's front end lavapipe asks of a driver besides Gallium's usual functions. It exists in
 * libvulkan_tbrsim.so only, above the driver's other parts, which know nothing of it.
 *
 * lavapipe's shaders name textures, samplers, storage and uniform blocks by descriptors in memory (struct lp_descriptor),
 * those of a set being bound as a constant buffer. Here each descriptor that a shader uses becomes a slot
 * (tbr_vulkan_nir.c), and before each draw and dispatch the slots get what the descriptors say by then
 * (tbr_vulkan_bind.c): to the rest of the driver it is as if they had been bound one by one, as in OpenGL.
 */
#ifndef TBR_VULKAN_H
#define TBR_VULKAN_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "util/simple_mtx.h"
#include "tbr_limits.h"

struct hash_table;
struct lp_descriptor;
struct nir_shader;
struct pipe_context;
struct pipe_screen;
struct sw_winsys;
struct tbr_resource;

/** Constant buffers that lavapipe binds: push constants, then a descriptor set each. */
#define TBR_VULKAN_SETS 16

/** A descriptor of the bound sets. */
struct tbr_descriptor_place {
   uint16_t set;   /**< the constant buffer that the set is bound as, 1 and up; 0: none */
   uint32_t index; /**< in the set */
};

/** Of memory that the program allocates and maps: a page, as other drivers', which programs count on (zink on 256 bytes). */
#define TBR_VULKAN_MEMORY_ALIGNMENT 4096

/** Input attachments that a fragment shader reads. */
#define TBR_MAX_INPUT_ATTACHMENTS 8
/** Where there is none. */
#define TBR_NO_ATTACHMENT 0xff

/** Blocks that are inline in sets, of a shader, and the bytes of one (lavapipe's limits). */
#define TBR_MAX_INLINE_BLOCKS 4
#define TBR_MAX_INLINE_BYTES 4096
/** Slots that are left for others. */
#define TBR_MAX_UNIFORM_BLOCKS (TBR_MAX_CONSTANT_BUFFERS - 2)

/** Where a fragment shader's attachments are among those of the pass. */
struct tbr_attachment_map {
   /** Colour buffer, by the location of the output; TBR_NO_ATTACHMENT: it is not written. */
   uint8_t color[TBR_MAX_COLOR_BUFFERS];
   /** enum tbr_attachment_number, by number in tbr_descriptor_slots.inputs; TBR_NO_ATTACHMENT: it is in memory. */
   uint8_t input[TBR_MAX_INPUT_ATTACHMENTS];
};

/** Descriptors that a shader names, one after another in their set. */
struct tbr_descriptor_use {
   uint16_t set;   /**< as in struct tbr_descriptor_place; not 0 */
   uint8_t parts;  /**< enum cm_descriptor_parts */
   uint32_t first; /**< in the set */
   uint32_t count;
};
/** All slots, textures with two descriptors. */
#define TBR_MAX_DESCRIPTOR_USES \
   (2 * TBR_MAX_TEXTURES + TBR_MAX_CONSTANT_BUFFERS + TBR_MAX_STORAGE_BUFFERS + TBR_MAX_IMAGES)

/** What the slots of a shader stand for. */
struct tbr_descriptor_slots {
   unsigned num_textures;
   struct {
      struct tbr_descriptor_place texture,
         sampler; /**< sampler.set 0: it is fetched from or asked for its size */
   } textures[TBR_MAX_TEXTURES];
   unsigned num_constants; /**< slots of uniform blocks; 0 is that of push constants */
   struct tbr_descriptor_place constants[TBR_MAX_CONSTANT_BUFFERS]; /**< of inline_slot none */
   unsigned
      inline_slot; /**< of all blocks that are inline in their sets, one after another; 0: there are none */
   unsigned num_inline;
   uint32_t inline_bytes; /**< of all of them */
   struct {
      uint16_t set;    /**< as in struct tbr_descriptor_place */
      uint32_t offset; /**< bytes from the beginning of the set's memory */
      uint32_t bytes;
      uint32_t packed; /**< bytes from the beginning of the slot */
   } inline_blocks[TBR_MAX_INLINE_BLOCKS];
   unsigned num_buffers; /**< storage buffers */
   struct tbr_descriptor_place buffers[TBR_MAX_STORAGE_BUFFERS];
   uint32_t written_buffers; /**< mask of those that it stores to */
   unsigned num_inputs;      /**< input attachments that may be read in the tile */
   struct {
      struct tbr_descriptor_place image;
      bool is_integer; /**< of depth and stencil: it is stencil */
   } inputs[TBR_MAX_INPUT_ATTACHMENTS];
   unsigned num_images; /**< storage images, and input attachments in memory */
   struct tbr_descriptor_place images[TBR_MAX_IMAGES];
   uint16_t image_access[TBR_MAX_IMAGES]; /**< PIPE_IMAGE_ACCESS_* */
   unsigned
      num_uses; /**< of the slots' descriptors, without input attachments in the tile (tbr_vulkan_uses.c) */
   struct tbr_descriptor_use uses[TBR_MAX_DESCRIPTOR_USES]; /**< by set and number */
   const char *missing; /**< what the simulated GPU does not have and the shader needs; NULL: nothing */
};

/** What a hook in lavapipe says of a binding, in the third component of what names a texture or an image. */
#define TBR_BINDING_FIRST(word) ((word) & 0xffff)
#define TBR_BINDING_COUNT(word) ((word) >> 16)
/** The same of buffers, in the first component, with the set; only the set where there is no room for it. */
#define TBR_NAMED_SET(word) ((word) & 15)
#define TBR_NAMED_FIRST(word) ((word) >> 4 & 0xffff)
#define TBR_NAMED_COUNT(word) ((word) >> 20) /**< 0: unknown */
#define TBR_MAX_NAMED_FIRST 0xffff
#define TBR_MAX_NAMED_COUNT 0xfff

/** What a screen has besides. */
struct tbr_vulkan_screen {
   simple_mtx_t buffers_lock;
   /** Buffers that exist, by their identifiers: these are what descriptors have instead of addresses of objects, as a
    * descriptor may outlive what it describes. */
   struct hash_table *buffers;
   simple_mtx_t replayed_lock;
   /** In replays of captures: images that the replayer presents, and of each the image of the program that it copied to it
    * last (a reference), which is the one that the program presented. */
   struct hash_table *replayed;
   /* Gallium's functions, as the driver has them. */
   void (*destroy)(struct pipe_screen *screen);
   void (*resource_destroy)(struct pipe_screen *screen, struct pipe_resource *resource);
   struct pipe_context *(*context_create)(struct pipe_screen *screen, void *priv, unsigned flags);
   char *(*finalize_nir)(struct pipe_screen *screen, struct nir_shader *nir);
};

/** Memory, and resources that get theirs later. */
void tbr_vulkan_memory_init_screen(struct pipe_screen *screen);
/** The buffer whose identifier a descriptor has, with a reference; NULL: it is gone, or there was none. */
struct pipe_resource *tbr_vulkan_find_buffer(struct pipe_screen *screen, uint32_t id);
/** First byte of a buffer, which has memory. */
const uint8_t *tbr_vulkan_buffer_memory(const struct pipe_resource *buffer);

/** The image that the program presents, with a reference: in replays of captures another than the swapchain's. */
struct pipe_resource *tbr_vulkan_presented(VkSwapchainKHR swapchain, uint32_t index);
/** An image is destroyed: the replayer presents it no more. */
void tbr_vulkan_forget_replayed(struct pipe_resource *image);

/** Wraps the functions of a new context; false when out of memory. */
bool tbr_vulkan_bind_init_context(struct pipe_context *context);

struct pipe_screen *tbrsim_create_vulkan_screen(struct sw_winsys *winsys);

#endif
