/* SPDX-License-Identifier: MIT */
/** What is copied in random_transfers.c: images of all types, and buffers; and the steps. */
#ifndef VULKAN_RANDOM_TRANSFERS_H
#define VULKAN_RANDOM_TRANSFERS_H

#include "device.h"
#include "dice.h"

#define NUM_PICTURES 8
#define NUM_BUFFERS 2
#define BUFFER_BYTES (256 * 1024)

/** What the numbers of a format are. */
enum number { UNORM, SNORM, FLOAT, UINT, SINT, DEPTH, STENCIL, DEPTH_STENCIL, BLOCKS };

struct format {
   const char *name;
   VkFormat format;
   enum number number;
   uint8_t bytes;    /**< of a texel, or of a block of 4 × 4 */
   bool can_convert; /**< blits convert to it, and others' numbers can be compared */
};

struct picture {
   const struct format *format;
   VkImage image;
   VkImageType type;
   VkExtent3D extent;
   uint32_t levels, layers, samples;
   bool is_rounded; /**< its numbers may be off */
};

/** A box of texels of a level of layers, in blocks of the format; of depth and stencil one of these. */
struct part {
   const struct picture *picture;
   VkImageAspectFlags aspect;
   uint32_t bytes; /**< of a texel of the aspect, or of a block */
   uint32_t level, layer, layers;
   uint32_t at[3], size[3];
};

struct world {
   struct dice dice;
   struct picture pictures[NUM_PICTURES];
   struct vk_buffer buffers[NUM_BUFFERS];
   VkCommandBuffer commands;
};

/* random_pictures.c */

/** number: of the picture; the first ones are of kinds that each seed needs. */
void create_picture(struct picture *picture, struct dice *dice, unsigned number);
/** Its layout is VK_IMAGE_LAYOUT_GENERAL. */
void prepare_picture(struct world *world, const struct picture *picture);

uint32_t num_aspects(const struct format *format);
/** All layers of a level. */
struct part whole_level(const struct picture *picture, uint32_t level, uint32_t aspect);
/** A part of a random level. */
struct part random_part(struct dice *dice, const struct picture *picture);
/** In blocks. */
uint32_t level_size(const struct picture *picture, uint32_t level, unsigned dimension);
VkDeviceSize part_bytes(const struct part *part);
/** Random ones; of floating point and depth, numbers that all devices have. */
void random_texels(struct dice *dice, const struct part *part, uint8_t *bytes);

VkOffset3D part_offset(const struct part *part);
VkExtent3D part_extent(const struct part *part);
VkImageSubresourceLayers part_layers(const struct part *part);
/** row, height: of an image in the buffer, in blocks; 0: as large as the part. */
VkBufferImageCopy buffer_region(const struct part *part, VkDeviceSize offset, uint32_t row, uint32_t height);

/* random_steps.c */

/** Some or all levels and layers. */
void clear_picture(struct world *world, struct picture *picture);
void step(struct world *world);

#endif
