/* SPDX-License-Identifier: MIT */
/** Scenes that move: samples as those of the teaching books, drawn frame by frame. */
#ifndef VULKAN_SAMPLES_H
#define VULKAN_SAMPLES_H

#include "scene.h"
#include "swapchain.h"

/** The frames of a sample. All but the last one are presented; the last is the picture. */
struct animation {
   struct vk_swapchain screen;
   struct vk_pass passes[VK_MAX_SWAPCHAIN_IMAGES]; /**< into each of its images */
   VkCommandBuffer commands;                       /**< of the frame */
   float time;                                     /**< that has passed for what moves: 1/60 s a frame */
   uint32_t frame, num_measured;
   bool is_last;
   double began, began_measuring, processors;
};

struct animation create_animation(void);
/** A pass that clears the screen, and depth with as many samples. More than one sample is resolved into the screen. */
void create_screen_passes(struct animation *animation, bool has_depth, VkSampleCountFlagBits samples);
/** Whether there is another frame, of which commands are to be recorded. */
bool next_frame(struct animation *animation);
/** The pass into the screen, with its viewport; end_frame ends it, submits the frame and presents it. */
void begin_screen(struct animation *animation);
void end_frame(struct animation *animation);
/** The picture. Says how long frames took, if it is asked for: without the first quarter of them, in which shaders are
 * compiled. */
struct vk_image end_animation(struct animation *animation);

/** What object.vert and others have as their uniform block. */
struct scene_uniforms {
   float camera[16], light[16], eye[4], time, unused[3];
};

/** A mapped buffer of struct scene_uniforms. */
struct vk_buffer create_uniforms(void);
/** The camera at `eye` looks at the origin, as wide as the picture; the light comes from above. */
void write_uniforms(const struct vk_buffer *buffer, float time, const float eye[3]);
/** The same from where the light is. */
void write_light_uniforms(const struct vk_buffer *buffer, float time);

/** Of struct vertex: a place and the first texture coordinate, a normal and the second. */
struct mesh {
   struct vk_buffer vertices, indices;
   uint32_t num_indices;
};

struct mesh create_cube(void);
/** A ball of so many rings, each of twice as many quads. */
struct mesh create_ball(uint32_t rings);
/** Vertices, indices and, if it is not NULL, what each instance has. */
void bind_mesh(VkCommandBuffer commands, VkPipeline pipeline, const struct mesh *mesh,
               const struct vk_buffer *instances);
/** object.vert's place of an instance on a ring around the origin. */
void place_on_ring(float place[4], uint32_t number, uint32_t count, float radius, float size);
/** A chess board with all levels, each the mean of the one before; another colour in each layer. */
struct vk_image create_board(uint32_t size, uint32_t layers);
/** A sampler of textures with levels. */
VkSampler create_trilinear_sampler(void);
/** A pipeline of object.vert into the first subpass, which tests depth, or blends without. */
VkPipeline create_object_pipeline(const struct vk_pass *pass, VkPipelineLayout layout,
                                  struct vk_code fragment, bool has_depth);
/** Three vertices without attributes over all of the target, with screen.vert. */
VkPipeline create_screen_pipeline(const struct vk_pass *pass, VkPipelineLayout layout,
                                  struct vk_code fragment, uint32_t subpass);

/** All of them, as MACRO(name). */
#define FOR_EACH_SAMPLE(MACRO) \
   /* samples_objects.c */     \
   MACRO(rotating_cube)        \
   MACRO(texture_array)        \
   MACRO(instances)            \
   MACRO(dynamic_uniforms)     \
   MACRO(indirect_batches)     \
   MACRO(four_samples)         \
   MACRO(glass)                \
   /* samples_passes.c */      \
   MACRO(deferred_lights)      \
   MACRO(shadow_map)           \
   MACRO(bloom)                \
   MACRO(swarm)                \
   MACRO(edges)

#define DECLARE_SAMPLE(name) struct vk_image draw_##name(void);
FOR_EACH_SAMPLE(DECLARE_SAMPLE)
#undef DECLARE_SAMPLE

#endif
