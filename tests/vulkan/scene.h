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
 * of one that moves. Without arguments the names are listed, with --moving those of scenes that move. `open` opens the device, as
 * vk_open does, before a scene is drawn. The result is the program's. */
int run_scenes(const struct scene *scenes, size_t count, void (*open)(void), int argc, char **argv);

/** The whole picture, as a strip; the colours are texture coordinates. */
extern const struct vertex whole[4];

/** As large as the picture, with one sample, to be drawn and written. */
struct vk_image create_target(VkImageUsageFlags more);
/** Depth of a target. */
struct vk_image create_depth(void);
/** A pass that clears a target to grey. */
struct vk_pass create_clearing_pass(const struct vk_image *target);
struct vk_buffer create_vertices(const void *vertices, size_t bytes);
VkPipelineLayout create_plain_layout(void);
/** Nearest or linear texels of the nearest level. */
VkSampler create_sampler(VkFilter filter, VkSamplerAddressMode address);
/** A set of so many images from binding 0 on: as textures, or without a sampler as input attachments. */
VkDescriptorSet create_image_set(const struct vk_image *const *images, uint32_t count, VkSampler sampler,
                                 VkPipelineLayout *layout);
/** An array of textures with a sampler. */
struct vk_descriptor
describe_textures(const struct vk_image *const *images, uint32_t count, VkSampler sampler);
/** Of struct vertex and color.vert, a list of triangles; pass NULL: without a render pass, into one colour. */
struct vk_pipeline_description
describe_vertices(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code fragment);

void set_viewport(VkCommandBuffer commands, uint32_t width, uint32_t height);
/** vertices NULL: none. */
void bind(VkCommandBuffer commands, VkPipeline pipeline, const struct vk_buffer *vertices);
void bind_set(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set);
void push(VkCommandBuffer commands, VkPipelineLayout layout, const void *data, uint32_t bytes);
/** So many work-groups, with a set or none, and what waits for them. */
void record_dispatch(VkCommandBuffer commands, VkPipeline pipeline, VkPipelineLayout layout,
                     VkDescriptorSet set, uint32_t width, uint32_t height);

/* ---- what one pipeline draws ------------------------------------------------------- */

/** What is zero: color.vert, color.frag, no other shader, a list of triangles, all of the pass, no descriptors and no constants. */
struct simple_draw {
   struct vk_code vertex, control, evaluation, geometry, fragment;
   VkPrimitiveTopology topology; /**< points, which are 0, with a geometry shader only */
   uint32_t count;               /**< of vertices */
   const struct vertex *vertices;
   const struct vk_buffer
      *buffer; /**< that has them; if it and `vertices` are NULL, the shader finds them itself */
   bool depth, blend, instanced; /**< as struct vk_pipeline_description has them */
   const VkRect2D *scissor;
   const struct vk_descriptor *descriptors; /**< of its set, from binding 0 on */
   uint32_t num_descriptors;
   const void *constants; /**< to be pushed */
   uint32_t constant_bytes;
   /** Binds the set and draws, when all else is bound; NULL: one draw of all vertices. */
   void (*record)(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data);
   const void *data; /**< for `record` */
};

/** A pass with it. */
void record_simple(VkCommandBuffer commands, const struct vk_pass *pass, const struct simple_draw *draw);
/** The same, which is run. */
void run_simple(const struct vk_pass *pass, const struct simple_draw *draw);
/** A picture with it, of one clearing pass. */
struct vk_image draw_simple(const struct simple_draw *draw);

#endif
