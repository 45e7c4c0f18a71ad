/* SPDX-License-Identifier: MIT */
/** Scenes of textures. */
#include <string.h>

#include "scenes.h"

#include "array.frag.h"
#include "compressed.frag.h"
#include "layers.frag.h"
#include "separate.frag.h"
#include "texture.frag.h"
#include "uniform.vert.h"

struct vk_image
draw_texture(void)
{
   const struct vk_image texture = create_texture(32, 6, 1, 0);
   return draw_textured(VK_CODE(texture_frag), &texture,
                        create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT), quad);
}

/** Compressed textures (BC3) that are smaller than their blocks, or have blocks that stick out, with all levels: each texture is a
 * square of the picture, enlarged from its first level to its last one. */
struct vk_image
draw_compressed(void)
{
   static const uint32_t sizes[][2] = {{2, 2}, {1, 1}, {5, 7}, {16, 8}};
   struct vk_image textures[4];
   const struct vk_image *images[4];
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t width = sizes[i][0], height = sizes[i][1],
                     levels = width > 8   ? 5
                              : width > 2 ? 3
                                          : width;
      textures[i] =
         vk_create_image(VK_FORMAT_BC3_UNORM_BLOCK, width, height, levels, 1, VK_SAMPLE_COUNT_1_BIT,
                         VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      images[i] = &textures[i];
      for (uint32_t level = 0; level < levels; level++) {
         uint8_t blocks[8][16];
         for (unsigned b = 0; b < 8; b++) {
            /* Opaque; two colours of 5:6:5, and two between them. */
            const uint8_t block[16] = {255,
                                       255,
                                       0,
                                       0,
                                       0,
                                       0,
                                       0,
                                       0,
                                       (uint8_t)(0xff - 30 * b),
                                       (uint8_t)(0xf8 - 40 * level),
                                       (uint8_t)(31 * i),
                                       (uint8_t)(0x07 + 8 * b),
                                       0x1b,
                                       0xe4,
                                       0x1b,
                                       0xe4};
            memcpy(blocks[b], block, sizeof block);
         }
         vk_upload(&textures[i], level, 0, blocks, sizeof blocks);
      }
   }
   const struct vk_descriptor descriptor =
      describe_textures(images, 4, create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE));
   return draw_quad(VK_CODE(compressed_frag), &descriptor, 1);
}

/** A small quad far away: levels of detail. */
struct vk_image
draw_mipmaps(void)
{
   const struct vk_image texture = create_texture(64, 7, 1, 1);
   struct vertex floor[4];
   memcpy(floor, quad, sizeof floor);
   for (unsigned i = 0; i < 4; i++) {
      floor[i].position[3] = i < 2 ? 6.0f : 1.0f;
      floor[i].position[2] = 0.5f * floor[i].position[3];
      floor[i].color[0] *= 4.0f;
      floor[i].color[1] *= 8.0f;
   }
   return draw_textured(VK_CODE(texture_frag), &texture,
                        create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT), floor);
}

struct vk_image
draw_separate(void)
{
   const struct vk_image first = create_texture(16, 1, 1, 1), second = create_texture(32, 1, 1, 2);
   const struct vk_image *textures[] = {&first, &second};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2, .images = textures},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER,
       .count = 1,
       .sampler = create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT)},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER,
       .count = 1,
       .sampler = create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)},
   };
   return draw_quad(VK_CODE(separate_frag), descriptors, 3);
}

struct vk_image
draw_layers(void)
{
   const struct vk_image texture = create_texture(16, 1, 3, 0);
   return draw_textured(VK_CODE(layers_frag), &texture,
                        create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT), quad);
}

/** Four quads, whose uniform blocks are 256 bytes apart: any device's alignment. */
static void
record_array(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t offset = i * 256;
      struct {
         float offset[4];
         uint32_t first, number;
      } constants = {{i % 2 ? 0.5f : -0.5f, i / 2 ? 0.5f : -0.5f, 0, 0}, i / 2, i - i / 2};
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 1, &offset);
      push(commands, layout, &constants, sizeof constants);
      vkCmdDraw(commands, 4, 1, 0, 0);
   }
}

/** Textures of an array of descriptors, which the shader computes the index of; uniform blocks with dynamic offsets. */
struct vk_image
draw_array(void)
{
   struct vk_image textures[4];
   const struct vk_image *images[4];
   for (unsigned i = 0; i < 4; i++) {
      textures[i] = create_texture(16, 1, 1, i);
      images[i] = &textures[i];
   }
   float objects[4][64] = {0};
   for (unsigned i = 0; i < 4; i++) {
      const float values[] = {0.4f, 0.4f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
      memcpy(objects[i], values, sizeof values);
   }
   objects[2][0] = 0.2f;
   const struct vk_buffer uniforms =
      vk_create_buffer(sizeof objects, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, objects);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .count = 1, .buffer = &uniforms, .range = 32},
      describe_textures(images, 4, create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT)),
   };
   return draw_simple(&(struct simple_draw){
      .vertex = VK_CODE(uniform_vert),
      .fragment = VK_CODE(array_frag),
      .vertices = quad,
      .count = 4,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
      .descriptors = descriptors,
      .num_descriptors = 2,
      .record = record_array,
   });
}

/** A texture that is smaller than what shows it: around it is a colour. */
struct vk_image
draw_border(void)
{
   static const float color[] = {0.2f, 0.4f, 0.6f, 0.8f};
   const struct vk_image texture = create_texture(16, 1, 1, 0);
   struct vertex larger[4];
   memcpy(larger, quad, sizeof larger);
   for (unsigned i = 0; i < 4; i++) {
      larger[i].color[0] = 2.0f * larger[i].color[0] - 0.5f;
      larger[i].color[1] = 2.0f * larger[i].color[1] - 0.5f;
   }
   return draw_textured(VK_CODE(texture_frag), &texture, vk_create_border_sampler(color), larger);
}
