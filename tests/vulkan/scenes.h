/* SPDX-License-Identifier: MIT */
/** The scenes of vulkan_scenes by their kinds, and what they share. */
#ifndef VULKAN_SCENES_H
#define VULKAN_SCENES_H

#include "scene.h"

extern const struct vertex triangle[3];
/** As a strip; the colours are texture coordinates. */
extern const struct vertex quad[4];

/** A texture whose texels are a function of their place, on each level another. */
struct vk_image create_texture(uint32_t size, uint32_t levels, uint32_t layers, unsigned seed);
/** The quad, or one that is like it, with one texture. */
struct vk_image draw_textured(struct vk_code fragment, const struct vk_image *texture, VkSampler sampler,
                              const struct vertex vertices[4]);
/** The quad, with these descriptors. */
struct vk_image
draw_quad(struct vk_code fragment, const struct vk_descriptor *descriptors, uint32_t num_descriptors);

/* scenes_draws.c */
struct vk_image draw_clear(void);
struct vk_image draw_triangle(void);
struct vk_image draw_uniforms(void);
struct vk_image draw_depth(void);
struct vk_image draw_blended(void);
struct vk_image draw_multisampled(void);
struct vk_image draw_indirect(void);
struct vk_image draw_captured(void);
/* scenes_textures.c */
struct vk_image draw_texture(void);
struct vk_image draw_compressed(void);
struct vk_image draw_mipmaps(void);
struct vk_image draw_separate(void);
struct vk_image draw_layers(void);
struct vk_image draw_array(void);
struct vk_image draw_border(void);
/* scenes_passes.c */
struct vk_image draw_two_passes(void);
struct vk_image draw_wasteful(void);
struct vk_image draw_frugal(void);
struct vk_image draw_shadow(void);
/* scenes_storage.c */
struct vk_image draw_storage(void);
struct vk_image draw_compute(void);
struct vk_image draw_filtered(void);
struct vk_image draw_buffers(void);

#endif
