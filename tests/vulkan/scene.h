/* SPDX-License-Identifier: MIT */
/** What programs that draw scenes of their own by name share: vertices, targets, what is recorded. */
#ifndef VULKAN_SCENE_H
#define VULKAN_SCENE_H

#include <stddef.h>

#include "device.h"

#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define CLEAR VK_ATTACHMENT_LOAD_OP_CLEAR
#define LOAD VK_ATTACHMENT_LOAD_OP_LOAD
#define STORE VK_ATTACHMENT_STORE_OP_STORE
#define DROP VK_ATTACHMENT_STORE_OP_DONT_CARE

/** What a scene draws: 203×117, odd on purpose, as no tile size divides it, or what the command line says. */
extern uint32_t picture_width, picture_height;

/** Both of color.vert. */
struct vertex {
   float position[4], color[4];
};

/** One that can be drawn by its name. */
struct scene {
   const char *name;
   struct vk_image (*draw)(void); /**< the picture */
   bool is_optional;              /**< not listed */
   bool moves;                    /**< takes --frames and --seconds */
};

extern const VkClearValue grey, white, far_away;

/** Of a scene that moves: how many frames it draws, or if seconds are not 0, for how long. */
extern uint32_t scene_frames;
extern double scene_seconds;
extern bool scene_says_times; /**< prints how long its frames took */

/** A program: NAME FILE.ppm [WIDTH HEIGHT] [--frames N | --seconds N] writes the picture of the scene of that name, the last one
 * of one that moves. Without arguments the names are listed, with --moving those of scenes that move. The result is the
 * program's. */
int run_scenes(const struct scene *scenes, size_t count, int argc, char **argv);

/** As large as the picture, with one sample, to be drawn and written. */
struct vk_image create_target(VkImageUsageFlags more);
struct vk_buffer create_vertices(const void *vertices, size_t bytes);
VkPipelineLayout create_plain_layout(void);
/** Nearest or linear texels of the nearest level. */
VkSampler create_sampler(VkFilter filter, VkSamplerAddressMode address);
/** A set of so many images from binding 0 on: as textures, or without a sampler as input attachments. */
VkDescriptorSet create_image_set(const struct vk_image *const *images, uint32_t count, VkSampler sampler,
                                 VkPipelineLayout *layout);
/** Of struct vertex and color.vert, a list of triangles; pass NULL: without a render pass, into one colour. */
struct vk_pipeline_description
describe_vertices(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code fragment);

void set_viewport(VkCommandBuffer commands, uint32_t width, uint32_t height);
/** vertices NULL: none. */
void bind(VkCommandBuffer commands, VkPipeline pipeline, const struct vk_buffer *vertices);
void bind_set(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set);
void push(VkCommandBuffer commands, VkPipelineLayout layout, const void *data, uint32_t bytes);

#endif
