/* SPDX-License-Identifier: MIT */
/** Scenes of storage buffers, storage images and dispatches. */
#include <stdio.h>

#include "scenes.h"

#include "buffers.frag.h"
#include "filter.comp.h"
#include "particles.comp.h"
#include "storage.frag.h"

/** The triangle, whose fragments have a storage buffer. */
static struct vk_image
draw_with(struct vk_code fragment, const struct vk_descriptor *descriptor)
{
   return draw_simple(&(struct simple_draw){.fragment = fragment,
                                            .vertices = triangle,
                                            .count = 3,
                                            .descriptors = descriptor,
                                            .num_descriptors = 1});
}

/** Copies an image, scaled to a square in the picture. */
static void
show(VkCommandBuffer commands, const struct vk_image *image, const struct vk_image *picture, int32_t left,
     int32_t top, int32_t size)
{
   const VkImageBlit blit = {
      .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .srcOffsets = {{0, 0, 0}, {(int32_t)image->width, (int32_t)image->height, 1}},
      .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .dstOffsets = {{left, top, 0}, {left + size, top + size, 1}},
   };
   vkCmdBlitImage(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, picture->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                  &blit, VK_FILTER_NEAREST);
}

/** Fragments that count themselves, and read what colour they have. */
struct vk_image
draw_storage(void)
{
   const float content[] = {0, 0, 0, 0, 1, 0.5f, 0.25f, 1, 0.25f, 1, 0.5f, 1, 0.5f, 0.25f, 1, 1};
   const struct vk_buffer buffer =
      vk_create_buffer(sizeof content, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, content);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &buffer};
   const struct vk_image target = draw_with(VK_CODE(storage_frag), &descriptor);
   printf("%u fragments\n", *(const uint32_t *)buffer.memory);
   return target;
}

/** A dispatch computes vertices, and an image that is copied into the picture. */
struct vk_image
draw_compute(void)
{
   enum { COUNT = 64 };
   const struct vk_buffer vertices =
      vk_create_buffer(COUNT * 3 * sizeof(struct vertex),
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
   const struct vk_image computed =
      vk_create_image(COLOR_FORMAT, 8, 8, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
   const struct vk_image *images[] = {&computed};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1, .buffer = &vertices},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 1, .images = images},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   const struct vk_image target = create_target(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct simple_draw draw = {.buffer = &vertices, .count = COUNT * 3};
   VkCommandBuffer commands = vk_begin();
   struct {
      float offset[4];
      uint32_t count;
   } constants = {.count = COUNT};
   vk_change_layout(commands, &computed, VK_IMAGE_LAYOUT_GENERAL);
   push(commands, layout, &constants, sizeof constants);
   record_dispatch(commands, vk_create_compute_pipeline(VK_CODE(particles_comp), layout), layout, set,
                   (COUNT + 63) / 64, 1);
   record_simple(commands, &pass, &draw);
   vk_barrier(commands);
   show(commands, &computed, &target, 80, 40, 32);
   vk_run(commands);
   return target;
}

/** Workgroups of 1024 invocations scale a texture into images of one byte a texel, of which they cover more. */
struct vk_image
draw_filtered(void)
{
   static const uint32_t sizes[2] = {50, 41};
   struct vk_image filtered[2], texture[2];
   const struct vk_image *outputs[] = {&filtered[0], &filtered[1]}, *inputs[] = {&texture[0], &texture[1]};
   for (unsigned i = 0; i < 2; i++) {
      texture[i] = create_texture(16, 1, 1, i);
      filtered[i] = vk_create_image(VK_FORMAT_R8_UNORM, sizes[i], sizes[i], 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
   }
   const struct vk_descriptor descriptors[] = {
      describe_textures(inputs, 2, create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)),
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 2, .images = outputs},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   const struct vk_image target = create_target(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   const struct vk_pass pass = create_clearing_pass(&target);
   VkCommandBuffer commands = vk_begin();
   for (unsigned i = 0; i < 2; i++)
      vk_change_layout(commands, &filtered[i], VK_IMAGE_LAYOUT_GENERAL);
   record_dispatch(commands, vk_create_compute_pipeline(VK_CODE(filter_comp), layout), layout, set, 2, 2);
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   for (unsigned i = 0; i < 2; i++)
      show(commands, &filtered[i], &target, 10 + 90 * (int32_t)i, 20, (int32_t)sizes[i]);
   vk_run(commands);
   return target;
}

/** Storage buffers of an array whose index the shader computes: a feature that a device may lack. */
struct vk_image
draw_buffers(void)
{
   static const float color[4] = {1, 1, 1, 1};
   const struct vk_buffer buffer = vk_create_buffer(sizeof color, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, color);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 2,
                                            .buffer = &buffer};
   return draw_with(VK_CODE(buffers_frag), &descriptor);
}
