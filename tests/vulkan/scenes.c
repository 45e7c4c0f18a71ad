/* SPDX-License-Identifier: MIT */
/**
 * Pictures that Vulkan programs of its teaching books draw, without a window:
 *    vulkan_scenes NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Scenes that count something print it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#include "array.frag.h"
#include "buffers.frag.h"
#include "capture.vert.h"
#include "color.frag.h"
#include "color.vert.h"
#include "compressed.frag.h"
#include "filter.comp.h"
#include "instanced.vert.h"
#include "layers.frag.h"
#include "particles.comp.h"
#include "separate.frag.h"
#include "shadow.frag.h"
#include "storage.frag.h"
#include "texture.frag.h"
#include "uniform.frag.h"
#include "uniform.vert.h"

/* Odd on purpose: no tile size divides it. */
static uint32_t picture_width = 203, picture_height = 117;
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct vertex {
   float position[4], color[4];
};

static const struct vertex triangle[] = {
   {{0.0f, -0.8f, 0.5f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{0.8f, 0.7f, 0.5f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{-0.8f, 0.7f, 0.5f, 1.0f}, {0.0f, 0.0f, 1.0f, 1.0f}},
};

/** A quad, as a strip, whose colours are texture coordinates. */
static const struct vertex quad[] = {
   {{-0.9f, -0.9f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
   {{0.9f, -0.9f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{-0.9f, 0.9f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{0.9f, 0.9f, 0.0f, 1.0f}, {1.0f, 1.0f, 0.0f, 1.0f}},
};

static const VkClearValue grey = {.color = {.float32 = {0.25f, 0.25f, 0.5f, 1.0f}}};
static const VkClearValue far_away = {.depthStencil = {1.0f, 0}};

/* ---- what scenes share --------------------------------------------------------- */

static struct vk_image
create_target(VkImageUsageFlags more)
{
   return vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | more);
}

static struct vk_pass
create_clearing_pass(const struct vk_image *target)
{
   const struct vk_attachment color = {target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
                                       grey, NULL};
   return vk_create_pass(&color, 1, NULL);
}

static struct vk_buffer
create_vertices(const void *vertices, size_t bytes)
{
   return vk_create_buffer(bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
}

/** Of struct vertex, into a pass of vk_create_pass. */
static struct vk_pipeline_description
describe(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code vertex, struct vk_code fragment)
{
   return (struct vk_pipeline_description){
      .vertex = vertex,
      .fragment = fragment,
      .pass = pass->pass,
      .num_colors = pass->num_colors,
      .layout = layout,
      .stride = sizeof(struct vertex),
      .num_attributes = 2,
      .samples = pass->samples,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
   };
}

static void
set_viewport(VkCommandBuffer commands, uint32_t width, uint32_t height)
{
   const VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {width, height}};
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
}

static void
bind(VkCommandBuffer commands, VkPipeline pipeline, const struct vk_buffer *vertices)
{
   const VkDeviceSize offset = 0;
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   if (vertices)
      vkCmdBindVertexBuffers(commands, 0, 1, &vertices->buffer, &offset);
}

static void
bind_set(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set)
{
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
}

static void
push(VkCommandBuffer commands, VkPipelineLayout layout, const void *data, uint32_t bytes)
{
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, bytes, data);
}

static VkCommandBuffer
begin_scene(const struct vk_pass *pass)
{
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, pass->width, pass->height);
   return commands;
}

static void
end_scene(VkCommandBuffer commands)
{
   vkCmdEndRenderPass(commands);
   vk_run(commands);
}

/** Draws vertices with one pipeline into a cleared image, with a set (VK_NULL_HANDLE: none). */
static struct vk_image
draw_simple(struct vk_code vertex, struct vk_code fragment, VkPipelineLayout layout, VkDescriptorSet set,
            const struct vertex *vertices, uint32_t count, VkPrimitiveTopology topology)
{
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer buffer = create_vertices(vertices, count * sizeof *vertices);
   struct vk_pipeline_description description = describe(&pass, layout, vertex, fragment);
   description.topology = topology;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   if (set)
      bind_set(commands, layout, set);
   vkCmdDraw(commands, count, 1, 0, 0);
   end_scene(commands);
   return target;
}

/** A texture whose texels are a function of their place, on each level another. */
static struct vk_image
create_texture(uint32_t size, uint32_t levels, uint32_t layers, unsigned seed)
{
   const struct vk_image image =
      vk_create_image(COLOR_FORMAT, size, size, levels, layers, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   uint8_t *texels = malloc((size_t)size * size * 4);
   for (uint32_t layer = 0; texels && layer < layers; layer++) {
      for (uint32_t level = 0; level < levels; level++) {
         const uint32_t side = size >> level ? size >> level : 1;
         for (uint32_t i = 0; i < side * side; i++) {
            const uint32_t x = i % side, y = i / side;
            texels[4 * i + 0] = (uint8_t)(255 * x / side);
            texels[4 * i + 1] = (uint8_t)((x / 4 + y / 4 + seed + layer) % 2 * 255);
            texels[4 * i + 2] = (uint8_t)(40 * level + 60 * layer + 50 * seed);
            texels[4 * i + 3] = 255;
         }
         vk_upload(&image, level, layer, texels, 4);
      }
   }
   free(texels);
   return image;
}

/* ---- scenes ------------------------------------------------------------------------ */

static struct vk_image
draw_clear(void)
{
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   end_scene(begin_scene(&pass));
   return target;
}

static struct vk_image
draw_triangle(void)
{
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(color_frag), layout, VK_NULL_HANDLE, triangle, 3,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
}

static struct vk_image
draw_texture(void)
{
   const struct vk_image texture = create_texture(32, 6, 1, 0), *textures[] = {&texture};
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_REPEAT, false),
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(texture_frag), layout, set, quad, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

/** Compressed textures (BC3) that are smaller than their blocks, or have blocks that stick out, with all levels: each texture is a
 * square of the picture, enlarged from its first level to its last one. */
static struct vk_image
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
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 4,
      .images = images,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false),
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(compressed_frag), layout, set, quad, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

/** A small quad far away: levels of detail. */
static struct vk_image
draw_mipmaps(void)
{
   const struct vk_image texture = create_texture(64, 7, 1, 1), *textures[] = {&texture};
   struct vertex floor[4];
   memcpy(floor, quad, sizeof floor);
   for (unsigned i = 0; i < 4; i++) {
      floor[i].position[3] = i < 2 ? 6.0f : 1.0f;
      floor[i].position[2] = 0.5f * floor[i].position[3];
      floor[i].color[0] *= 4.0f;
      floor[i].color[1] *= 8.0f;
   }
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, false),
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(texture_frag), layout, set, floor, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

static struct vk_image
draw_separate(void)
{
   const struct vk_image first = create_texture(16, 1, 1, 1), second = create_texture(32, 1, 1, 2);
   const struct vk_image *textures[] = {&first, &second};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2, .images = textures},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER,
       .count = 1,
       .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_REPEAT, false)},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER,
       .count = 1,
       .sampler = vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false)},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 3, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(separate_frag), layout, set, quad, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

static struct vk_image
draw_layers(void)
{
   const struct vk_image texture = create_texture(16, 1, 3, 0), *textures[] = {&texture};
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_REPEAT, false),
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(layers_frag), layout, set, quad, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

/** Textures of an array of descriptors, which the shader computes the index of; uniform blocks with dynamic offsets. */
static struct vk_image
draw_array(void)
{
   struct vk_image textures[4];
   const struct vk_image *images[4];
   for (unsigned i = 0; i < 4; i++) {
      textures[i] = create_texture(16, 1, 1, i);
      images[i] = &textures[i];
   }
   float objects[4][64] = {0}; /* 256 bytes each: any device's alignment */
   for (unsigned i = 0; i < 4; i++) {
      const float values[] = {0.4f, 0.4f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
      memcpy(objects[i], values, sizeof values);
   }
   objects[2][0] = 0.2f;
   const struct vk_buffer uniforms =
      vk_create_buffer(sizeof objects, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, objects);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .count = 1, .buffer = &uniforms, .range = 32},
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 4,
       .images = images,
       .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_REPEAT, false)},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer vertices = create_vertices(quad, sizeof quad);
   struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(uniform_vert), VK_CODE(array_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &vertices);
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t offset = i * sizeof objects[0];
      struct {
         float offset[4];
         uint32_t first, number;
      } constants = {{i % 2 ? 0.5f : -0.5f, i / 2 ? 0.5f : -0.5f, 0, 0}, i / 2, i - i / 2};
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 1, &offset);
      push(commands, layout, &constants, sizeof constants);
      vkCmdDraw(commands, 4, 1, 0, 0);
   }
   end_scene(commands);
   return target;
}

static struct vk_image
draw_uniforms(void)
{
   const float object[] = {0.5f, 0.5f, 1.0f, 1.0f, 1.0f, 0.75f, 0.5f, 1.0f};
   const float scene[] = {0.5f, 0.5f, 0.5f, 1.0f, 0.25f, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, 0.5f, 0};
   const struct vk_buffer of_object =
      vk_create_buffer(sizeof object, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, object);
   const struct vk_buffer of_scene =
      vk_create_buffer(sizeof scene, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, scene);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &of_object},
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &of_scene},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer vertices = create_vertices(triangle, sizeof triangle);
   const struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(uniform_vert), VK_CODE(uniform_frag));
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &vertices);
   bind_set(commands, layout, set);
   for (uint32_t i = 0; i < 3; i++) {
      struct {
         float offset[4];
         uint32_t number;
      } constants = {{0.5f * (float)i - 0.5f, 0.2f * (float)i, 0, 0}, i};
      push(commands, layout, &constants, sizeof constants);
      vkCmdDraw(commands, 3, 1, 0, 0);
   }
   end_scene(commands);
   return target;
}

/** Two triangles that go through each other, of which the second is drawn again behind everything. */
static struct vk_image
draw_depth(void)
{
   struct vertex vertices[9];
   memcpy(vertices, triangle, sizeof triangle);
   memcpy(vertices + 3, triangle, sizeof triangle);
   memcpy(vertices + 6, triangle, sizeof triangle);
   for (unsigned i = 0; i < 3; i++) {
      vertices[i].position[2] = 0.5f;
      vertices[3 + i].position[0] = -0.9f * triangle[i].position[0] + 0.1f;
      vertices[3 + i].position[2] = 0.2f + 0.3f * (float)i;
      vertices[6 + i].position[1] = -triangle[i].position[1];
      vertices[6 + i].position[2] = 0.75f;
      memcpy(vertices[3 + i].color, (float[]){1, 1, 0, 1}, 16);
      memcpy(vertices[6 + i].color, (float[]){0, 1, 1, 1}, 16);
   }
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
   const struct vk_attachment color = {&target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
                                       grey, NULL};
   const struct vk_attachment z = {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                   far_away, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, &z);
   const struct vk_buffer buffer = create_vertices(vertices, sizeof vertices);
   struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(color_vert), VK_CODE(color_frag));
   description.depth = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 9, 1, 0, 0);
   end_scene(commands);
   return target;
}

static struct vk_image
draw_blended(void)
{
   struct vertex vertices[6];
   memcpy(vertices, triangle, sizeof triangle);
   memcpy(vertices + 3, triangle, sizeof triangle);
   for (unsigned i = 0; i < 6; i++)
      vertices[i].color[3] = 0.5f;
   for (unsigned i = 3; i < 6; i++)
      vertices[i].position[1] *= -1.0f;
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer buffer = create_vertices(vertices, sizeof vertices);
   struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(color_vert), VK_CODE(color_frag));
   description.blend = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 6, 1, 0, 0);
   end_scene(commands);
   return target;
}

static struct vk_image
draw_multisampled(void)
{
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_image samples =
      vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_4_BIT,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   const struct vk_attachment color = {&samples, VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       VK_ATTACHMENT_STORE_OP_DONT_CARE, grey, &target};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   const struct vk_buffer buffer = create_vertices(triangle, sizeof triangle);
   const struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(color_vert), VK_CODE(color_frag));
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 3, 1, 0, 0);
   end_scene(commands);
   return target;
}

/** Instances, by indices, of which a buffer says how many. */
static struct vk_image
draw_indirect(void)
{
   static const uint16_t indices[] = {0, 1, 2};
   static const VkDrawIndexedIndirectCommand draws[] = {{3, 2, 0, 0, 0}, {3, 3, 0, 0, 2}};
   static const float places[5][4] = {{-0.6f, -0.5f, 0.4f},
                                      {0.0f, -0.5f, 0.3f},
                                      {0.6f, -0.5f, 0.2f},
                                      {-0.3f, 0.5f, 0.4f},
                                      {0.4f, 0.5f, 0.5f}};
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer buffers[] = {create_vertices(triangle, sizeof triangle),
                                       create_vertices(places, sizeof places)};
   const struct vk_buffer index_buffer =
      vk_create_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
   const struct vk_buffer parameters =
      vk_create_buffer(sizeof draws, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, draws);
   struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(instanced_vert), VK_CODE(color_frag));
   description.instanced = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   const VkDeviceSize offset = 0;
   bind(commands, pipeline, &buffers[0]);
   vkCmdBindVertexBuffers(commands, 1, 1, &buffers[1].buffer, &offset);
   vkCmdBindIndexBuffer(commands, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
   vkCmdDrawIndexedIndirect(commands, parameters.buffer, 0, 2, sizeof draws[0]);
   end_scene(commands);
   return target;
}

/** Fragments that count themselves, and read what colour they have. */
static struct vk_image
draw_storage(void)
{
   const float content[] = {0, 0, 0, 0, 1, 0.5f, 0.25f, 1, 0.25f, 1, 0.5f, 1, 0.5f, 0.25f, 1, 1};
   const struct vk_buffer buffer =
      vk_create_buffer(sizeof content, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, content);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &buffer};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   const struct vk_image target = draw_simple(VK_CODE(color_vert), VK_CODE(storage_frag), layout, set,
                                              triangle, 3, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
   printf("%u fragments\n", *(const uint32_t *)buffer.memory);
   return target;
}

/** What a first pass has drawn is a texture of the second. */
static struct vk_image
draw_two_passes(void)
{
   const struct vk_image first = create_target(VK_IMAGE_USAGE_SAMPLED_BIT), *textures[] = {&first};
   vk_name_image(&first, "first pass");
   VkPipelineLayout plain, layout;
   vk_create_set(NULL, 0, &plain);
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false),
   };
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass passes[] = {create_clearing_pass(&first), create_clearing_pass(&target)};
   const struct vk_buffer vertices[] = {create_vertices(triangle, sizeof triangle),
                                        create_vertices(quad, sizeof quad)};
   struct vk_pipeline_description description =
      describe(&passes[0], plain, VK_CODE(color_vert), VK_CODE(color_frag));
   VkPipeline pipelines[2] = {vk_create_pipeline(&description)};
   description = describe(&passes[1], layout, VK_CODE(color_vert), VK_CODE(texture_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   pipelines[1] = vk_create_pipeline(&description);
   vk_insert_label(NULL, "begin");
   vk_begin_label(NULL, "both");
   VkCommandBuffer commands = begin_scene(&passes[0]);
   vk_begin_label(commands, "first");
   bind(commands, pipelines[0], &vertices[0]);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vk_end_label(commands);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   vk_begin_pass(commands, &passes[1], VK_SUBPASS_CONTENTS_INLINE);
   bind(commands, pipelines[1], &vertices[1]);
   bind_set(commands, layout, set);
   vk_insert_label(commands, "textured");
   vk_begin_label(commands, "second");
   vkCmdDraw(commands, 4, 1, 0, 0);
   vk_end_label(commands);
   end_scene(commands);
   vk_end_label(NULL);
   return target;
}

/** Two passes with the same depth: the second shows what the first has drawn over all of its target. As it should be, or with
 * a load of that target, which was cleared before, and a store of the first one's depth, that nobody needs. */
static struct vk_image
draw_over(bool wasteful)
{
   const struct vk_image first = create_target(VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                         target = create_target(0), *textures[] = {&first};
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
   const VkAttachmentLoadOp load = wasteful ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
   const VkAttachmentStoreOp store =
      wasteful ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
   const struct vk_attachment colors[] = {
      {&first, load, VK_ATTACHMENT_STORE_OP_STORE, grey, NULL},
      {&target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, grey, NULL},
   };
   const struct vk_attachment depths[] = {
      {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR, store, far_away, NULL},
      {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, far_away, NULL},
   };
   const struct vk_pass passes[] = {vk_create_pass(&colors[0], 1, &depths[0]),
                                    vk_create_pass(&colors[1], 1, &depths[1])};
   struct vertex all[4];
   memcpy(all, quad, sizeof all);
   for (unsigned i = 0; i < 4; i++) {
      all[i].position[0] = i % 2 ? 1.0f : -1.0f;
      all[i].position[1] = i < 2 ? -1.0f : 1.0f;
      all[i].color[2] = 0.5f;
   }
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false),
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   const struct vk_buffer vertices = create_vertices(all, sizeof all);
   VkPipeline pipelines[2];
   for (unsigned i = 0; i < 2; i++) {
      struct vk_pipeline_description description =
         describe(&passes[i], layout, VK_CODE(color_vert), i ? VK_CODE(texture_frag) : VK_CODE(color_frag));
      description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
      description.depth = true;
      pipelines[i] = vk_create_pipeline(&description);
   }
   VkCommandBuffer commands = vk_begin();
   const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   vk_change_layout(commands, &first, VK_IMAGE_LAYOUT_GENERAL);
   if (wasteful)
      vkCmdClearColorImage(commands, first.image, VK_IMAGE_LAYOUT_GENERAL, &grey.color, 1, &range);
   vk_barrier(commands);
   vk_begin_pass(commands, &passes[0], VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, picture_width, picture_height);
   bind(commands, pipelines[0], &vertices);
   vkCmdDraw(commands, 4, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   vk_begin_pass(commands, &passes[1], VK_SUBPASS_CONTENTS_INLINE);
   bind(commands, pipelines[1], &vertices);
   bind_set(commands, layout, set);
   vkCmdDraw(commands, 4, 1, 0, 0);
   end_scene(commands);
   return target;
}

static struct vk_image
draw_wasteful(void)
{
   return draw_over(true);
}

static struct vk_image
draw_frugal(void)
{
   return draw_over(false);
}

/** A texture that is smaller than what shows it: around it is a colour. */
static struct vk_image
draw_border(void)
{
   static const float color[] = {0.2f, 0.4f, 0.6f, 0.8f};
   const struct vk_image texture = create_texture(16, 1, 1, 0), *textures[] = {&texture};
   struct vertex larger[4];
   memcpy(larger, quad, sizeof larger);
   for (unsigned i = 0; i < 4; i++) {
      larger[i].color[0] = 2.0f * larger[i].color[0] - 0.5f;
      larger[i].color[1] = 2.0f * larger[i].color[1] - 0.5f;
   }
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                            .count = 1,
                                            .images = textures,
                                            .sampler = vk_create_border_sampler(color)};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(texture_frag), layout, set, larger, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

/** Vertices of a first pass are captured, and drawn by the second one, smaller. */
static struct vk_image
draw_captured(void)
{
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   const struct vk_image target = create_target(0);
   const struct vk_attachment kept = {&target, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, grey,
                                      NULL};
   const struct vk_pass passes[] = {create_clearing_pass(&target), vk_create_pass(&kept, 1, NULL)};
   const struct vk_buffer vertices = create_vertices(triangle, sizeof triangle);
   const struct vk_buffer captured =
      vk_create_buffer(4 * sizeof triangle,
                       VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                       NULL);
   const struct vk_buffer counter =
      vk_create_buffer(4,
                       VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                          VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
                       NULL);
   const struct vk_pipeline_description description =
      describe(&passes[0], layout, VK_CODE(capture_vert), VK_CODE(color_frag));
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&passes[0]);
   bind(commands, pipeline, &vertices);
   vk_capture(commands, &captured, NULL);
   vkCmdDraw(commands, 3, 2, 0, 0);
   vk_capture(commands, NULL, &counter);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   vk_begin_pass(commands, &passes[1], VK_SUBPASS_CONTENTS_INLINE);
   bind(commands, pipeline, &captured);
   vk_draw_captured(commands, &counter, sizeof(struct vertex));
   end_scene(commands);
   printf("%u bytes\n", *(const uint32_t *)counter.memory);
   return target;
}

/** Depth that a first pass has drawn is compared with in the second. */
static struct vk_image
draw_shadow(void)
{
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, 64, 64, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_image *textures[] = {&depth};
   const struct vk_attachment z = {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
                                   far_away, NULL};
   const struct vk_pass of_light = vk_create_pass(NULL, 0, &z);
   struct vertex slope[3];
   memcpy(slope, triangle, sizeof slope);
   for (unsigned i = 0; i < 3; i++)
      slope[i].position[2] = 0.2f + 0.3f * (float)i;
   VkPipelineLayout plain, layout;
   vk_create_set(NULL, 0, &plain);
   const struct vk_descriptor descriptor = {
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = 1,
      .images = textures,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, true),
   };
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   const struct vk_buffer vertices = create_vertices(slope, sizeof slope);
   struct vk_pipeline_description description =
      describe(&of_light, plain, VK_CODE(color_vert), VK_CODE(color_frag));
   description.depth = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&of_light);
   bind(commands, pipeline, &vertices);
   vkCmdDraw(commands, 3, 1, 0, 0);
   end_scene(commands);
   return draw_simple(VK_CODE(color_vert), VK_CODE(shadow_frag), layout, set, quad, 4,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}

/** A dispatch computes vertices, and an image that is copied into the picture. */
static struct vk_image
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
   VkPipeline compute = vk_create_compute_pipeline(VK_CODE(particles_comp), layout);
   const struct vk_image target = create_target(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_pipeline_description description =
      describe(&pass, layout, VK_CODE(color_vert), VK_CODE(color_frag));
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = vk_begin();
   struct {
      float offset[4];
      uint32_t count;
   } constants = {.count = COUNT};
   vk_change_layout(commands, &computed, VK_IMAGE_LAYOUT_GENERAL);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   push(commands, layout, &constants, sizeof constants);
   vkCmdDispatch(commands, (COUNT + 63) / 64, 1, 1);
   vk_barrier(commands);
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, picture_width, picture_height);
   bind(commands, pipeline, &vertices);
   vkCmdDraw(commands, COUNT * 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   const VkImageBlit blit = {
      .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .srcOffsets = {{0, 0, 0}, {8, 8, 1}},
      .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .dstOffsets = {{80, 40, 0}, {112, 72, 1}},
   };
   vkCmdBlitImage(commands, computed.image, VK_IMAGE_LAYOUT_GENERAL, target.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                  &blit, VK_FILTER_NEAREST);
   vk_run(commands);
   return target;
}

/** Workgroups of 1024 invocations scale a texture into images of one byte a texel, of which they cover more. */
static struct vk_image
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
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 2,
       .images = inputs,
       .sampler = vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false)},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 2, .images = outputs},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   VkPipeline pipeline = vk_create_compute_pipeline(VK_CODE(filter_comp), layout);
   const struct vk_image target = create_target(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   const struct vk_pass pass = create_clearing_pass(&target);
   VkCommandBuffer commands = vk_begin();
   for (unsigned i = 0; i < 2; i++)
      vk_change_layout(commands, &filtered[i], VK_IMAGE_LAYOUT_GENERAL);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   vkCmdDispatch(commands, 2, 2, 1);
   vk_barrier(commands);
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   for (unsigned i = 0; i < 2; i++) {
      const int32_t size = (int32_t)sizes[i], left = 10 + 90 * (int32_t)i;
      const VkImageBlit blit = {
         .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
         .srcOffsets = {{0, 0, 0}, {size, size, 1}},
         .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
         .dstOffsets = {{left, 20, 0}, {left + size, 20 + size, 1}},
      };
      vkCmdBlitImage(commands, filtered[i].image, VK_IMAGE_LAYOUT_GENERAL, target.image,
                     VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
   }
   vk_run(commands);
   return target;
}

/** Storage buffers of an array whose index the shader computes: a feature that a device may lack. */
static struct vk_image
draw_buffers(void)
{
   static const float color[4] = {1, 1, 1, 1};
   const struct vk_buffer buffer = vk_create_buffer(sizeof color, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, color);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 2,
                                            .buffer = &buffer};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   return draw_simple(VK_CODE(color_vert), VK_CODE(buffers_frag), layout, set, triangle, 3,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
}

static const struct scene {
   const char *name;
   struct vk_image (*draw)(void);
   bool is_optional; /**< not listed */
} scenes[] = {
   {"clear", draw_clear, false},           {"triangle", draw_triangle, false},
   {"texture", draw_texture, false},       {"mipmaps", draw_mipmaps, false},
   {"compressed", draw_compressed, false}, {"separate", draw_separate, false},
   {"layers", draw_layers, false},         {"array", draw_array, false},
   {"uniforms", draw_uniforms, false},     {"depth", draw_depth, false},
   {"blended", draw_blended, false},       {"multisampled", draw_multisampled, false},
   {"indirect", draw_indirect, false},     {"storage", draw_storage, false},
   {"border", draw_border, false},         {"captured", draw_captured, false},
   {"two_passes", draw_two_passes, false}, {"wasteful", draw_wasteful, false},
   {"frugal", draw_frugal, false},         {"shadow", draw_shadow, false},
   {"compute", draw_compute, false},       {"filtered", draw_filtered, false},
   {"buffers", draw_buffers, true},
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof scenes / sizeof scenes[0];
   if (argc == 1) {
      for (size_t i = 0; i < count; i++) {
         if (!scenes[i].is_optional)
            puts(scenes[i].name);
      }
      return 0;
   }
   for (size_t i = 0; i < count; i++) {
      if ((argc != 3 && argc != 5) || strcmp(argv[1], scenes[i].name))
         continue;
      if (argc == 5) {
         picture_width = (uint32_t)atoi(argv[3]);
         picture_height = (uint32_t)atoi(argv[4]);
      }
      vk_open();
      const struct vk_image picture = scenes[i].draw();
      vk_write_picture(&picture, argv[2]);
      vk_close();
      return 0;
   }
   fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT]\n", argv[0]);
   return 2;
}
