/* SPDX-License-Identifier: MIT */
/** Arrays of descriptors, and what is drawn with them (indexing.c). */
#ifndef VULKAN_INDEXING_H
#define VULKAN_INDEXING_H

#include "device.h"

#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define MAX_ARRAY 32
#define MAX_SETS 4

/** What a binding of a set has. */
struct binding {
   VkDescriptorType type;
   uint32_t set; /**< that it is in */
   uint32_t
      count; /**< in the layout; of an inline block bytes. Of the last one of a set fewer may be allocated */
   uint32_t written;                        /**< that are allocated, and written if they have something */
   VkDescriptorImageInfo images[MAX_ARRAY]; /**< imageView NULL, of one that is no sampler: not written */
   VkDescriptorBufferInfo buffers[MAX_ARRAY];
   VkBufferView views[MAX_ARRAY];
   const void *data; /**< of an inline block */
};

/** Sets, and a pipeline layout with them and 16 bytes of push constants, for all stages. */
struct sets {
   VkPipelineLayout layout;
   VkDescriptorSet sets[MAX_SETS];
   uint32_t count;
};

/** A picture on its way. */
struct drawing {
   struct vk_image target;
   struct vk_pass pass;
   VkCommandBuffer commands;
};

/** Of the pictures that scenes draw. */
void set_picture_size(uint32_t width, uint32_t height);

/* Textures of an array, by their number, with a sampler that takes the nearest texel: of 16×16 texels; of 32×32 and a second level; of as
 * many texels as the picture has pixels. */
struct vk_image create_texture(uint32_t number);
struct vk_image create_mipmapped_texture(uint32_t number);
struct vk_image create_picture_texture(uint32_t number);

/** Textures, of up to `count` as many as are allocated. */
struct binding textures(uint32_t count, uint32_t allocated, struct vk_image (*create)(uint32_t number));
/** Uniform blocks of so many colours each. */
struct binding blocks(uint32_t count, uint32_t colors);
/** A block of four colours in the memory of a set of its own. */
struct binding inline_block(uint32_t set);
/** Storage buffers of so many words each. */
struct binding buffers(uint32_t count, uint32_t words);
/** Storage images of so many texels on a side, in the general layout, of zeros. */
struct binding images(const struct drawing *drawing, uint32_t count, VkFormat format, uint32_t size);
struct binding texel_buffers(VkDescriptorType type, uint32_t count, VkFormat format, uint32_t texels);

/** Whether a set may have so many descriptors, for all stages. */
bool is_supported(VkDescriptorType type, uint32_t count);
/** bindings: those of a set follow one another, from 0 on. */
struct sets create_sets(const struct binding *bindings, uint32_t count, uint32_t num_sets);
void bind_sets(const struct drawing *drawing, const struct sets *sets, VkPipelineBindPoint point);
/** Destroys what vk_close does not know of; before it. */
void close_sets(void);

struct drawing begin_drawing(uint32_t width, uint32_t height);
void begin_pass(const struct drawing *drawing);
struct vk_image end_drawing(const struct drawing *drawing);

#endif
