/* SPDX-License-Identifier: MIT */
/**
 * Draws and dispatches whose descriptors can be counted by hand:
 *    vulkan_descriptors NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Whatever draws covers all of the picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#include "array.frag.h"
#include "color.frag.h"
#include "color.vert.h"
#include "eight.frag.h"
#include "filter.comp.h"
#include "separate.frag.h"
#include "texture.frag.h"
#include "uniform.vert.h"

#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define NUM_TEXTURES 8

static uint32_t width = 128, height = 96;

struct vertex {
   float position[4], color[4];
};

/** All of the picture, as a strip; colours are texture coordinates. */
static const struct vertex all[] = {
   {{-1.0f, -1.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
   {{1.0f, -1.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{-1.0f, 1.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{1.0f, 1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 0.0f, 1.0f}},
};

/* ---- what scenes share ------------------------------------------------------------- */

static struct vk_image textures[NUM_TEXTURES];
static const struct vk_image *images[NUM_TEXTURES];

static void
create_textures(void)
{
   enum { SIZE = 16 };
   for (unsigned t = 0; t < NUM_TEXTURES; t++) {
      uint8_t texels[SIZE * SIZE][4];
      for (unsigned i = 0; i < SIZE * SIZE; i++) {
         texels[i][0] = (uint8_t)(i % SIZE * 16);
         texels[i][1] = (uint8_t)((i / SIZE / 4 + i % SIZE / 4 + t) % 2 * 255);
         texels[i][2] = (uint8_t)(30 * t);
         texels[i][3] = 255;
      }
      textures[t] = vk_create_image(COLOR_FORMAT, SIZE, SIZE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      vk_upload(&textures[t], 0, 0, texels, 4);
      images[t] = &textures[t];
   }
}

static struct vk_descriptor
combined(const struct vk_image *const *first, uint32_t count)
{
   return (struct vk_descriptor){
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = count,
      .images = first,
      .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false),
   };
}

struct scene {
   struct vk_image target;
   struct vk_pass pass;
   struct vk_buffer vertices;
   VkCommandBuffer commands;
};

static struct scene
begin(void)
{
   struct scene scene = {
      .target = vk_create_image(COLOR_FORMAT, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
      .vertices = vk_create_buffer(sizeof all, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, all),
   };
   const struct vk_attachment color = {.image = &scene.target,
                                       .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .store = VK_ATTACHMENT_STORE_OP_STORE};
   scene.pass = vk_create_pass(&color, 1, NULL);
   scene.commands = vk_begin();
   return scene;
}

static void
begin_pass(const struct scene *scene)
{
   const VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {width, height}};
   const VkDeviceSize offset = 0;
   vk_begin_pass(scene->commands, &scene->pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdSetViewport(scene->commands, 0, 1, &viewport);
   vkCmdSetScissor(scene->commands, 0, 1, &scissor);
   vkCmdBindVertexBuffers(scene->commands, 0, 1, &scene->vertices.buffer, &offset);
}

static struct vk_image
end_pass(const struct scene *scene)
{
   vkCmdEndRenderPass(scene->commands);
   vk_run(scene->commands);
   return scene->target;
}

static void
use(const struct scene *scene, VkPipelineLayout layout, struct vk_code vertex, struct vk_code fragment)
{
   const struct vk_pipeline_description description = {
      .vertex = vertex,
      .fragment = fragment,
      .pass = scene->pass.pass,
      .num_colors = 1,
      .layout = layout,
      .stride = sizeof(struct vertex),
      .num_attributes = 2,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
   };
   vkCmdBindPipeline(scene->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&description));
}

static void
draw(const struct scene *scene, VkPipelineLayout layout, VkDescriptorSet set)
{
   vkCmdBindDescriptorSets(scene->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
   vkCmdDraw(scene->commands, 4, 1, 0, 0);
}

/** One draw, with one set. */
static struct vk_image
draw_once(struct vk_code vertex, struct vk_code fragment, const struct vk_descriptor *descriptors,
          uint32_t count)
{
   static const struct {
      float offset[4];
      uint32_t first, number;
   } constants = {{0, 0, 0, 0}, 1, 2};
   const struct scene scene = begin();
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, count, &layout);
   begin_pass(&scene);
   use(&scene, layout, vertex, fragment);
   vkCmdPushConstants(scene.commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof constants, &constants);
   draw(&scene, layout, set);
   return end_pass(&scene);
}

/* ---- scenes ------------------------------------------------------------------------ */

/** No descriptor. */
static struct vk_image
draw_none(void)
{
   return draw_once(VK_CODE(color_vert), VK_CODE(color_frag), NULL, 0);
}

/** The fragment shader names the first one of a set of eight. */
static struct vk_image
draw_one(void)
{
   const struct vk_descriptor descriptor = combined(images, NUM_TEXTURES);
   return draw_once(VK_CODE(color_vert), VK_CODE(texture_frag), &descriptor, 1);
}

/** It names all of them. */
static struct vk_image
draw_eight(void)
{
   const struct vk_descriptor descriptor = combined(images, NUM_TEXTURES);
   return draw_once(VK_CODE(color_vert), VK_CODE(eight_frag), &descriptor, 1);
}

/** Two images and two samplers. */
static struct vk_image
draw_separate(void)
{
   const struct vk_descriptor sampler = combined(NULL, 1);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2, .images = images},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 1, .sampler = sampler.sampler},
      {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 1, .sampler = sampler.sampler},
   };
   return draw_once(VK_CODE(color_vert), VK_CODE(separate_frag), descriptors, 3);
}

/** A uniform block of the vertex shader, and four textures of the fragment shader, which computes which one it reads. Both
 * have push constants. */
static struct vk_image
draw_stages(void)
{
   static const float object[] = {1, 1, 1, 1, 1, 1, 1, 1};
   const struct vk_buffer uniforms =
      vk_create_buffer(sizeof object, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, object);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &uniforms},
      combined(images, 4),
   };
   return draw_once(VK_CODE(uniform_vert), VK_CODE(array_frag), descriptors, 2);
}

/** A set for each of eight draws; each is drawn twice, one after the other. */
static struct vk_image
draw_sets(void)
{
   const struct scene scene = begin();
   VkPipelineLayout layouts[NUM_TEXTURES];
   VkDescriptorSet sets[NUM_TEXTURES];
   for (unsigned s = 0; s < NUM_TEXTURES; s++) {
      const struct vk_descriptor descriptor = combined(&images[s], 1);
      sets[s] = vk_create_set(&descriptor, 1, &layouts[s]);
   }
   begin_pass(&scene);
   use(&scene, layouts[0], VK_CODE(color_vert), VK_CODE(texture_frag));
   for (unsigned d = 0; d < 2 * NUM_TEXTURES; d++)
      draw(&scene, layouts[0], sets[d / 2]);
   return end_pass(&scene);
}

/** A compute shader names two textures and two images, which it stores to; a draw then shows one of these. */
static struct vk_image
draw_dispatch(void)
{
   const struct scene scene = begin();
   struct vk_image filtered[2];
   const struct vk_image *outputs[] = {&filtered[0], &filtered[1]};
   for (unsigned i = 0; i < 2; i++) {
      filtered[i] = vk_create_image(VK_FORMAT_R8_UNORM, 64, 64, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
      vk_change_layout(scene.commands, &filtered[i], VK_IMAGE_LAYOUT_GENERAL);
   }
   const struct vk_descriptor descriptors[] = {
      combined(images, 2),
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 2, .images = outputs},
   };
   VkPipelineLayout layout, shown;
   VkDescriptorSet set = vk_create_set(descriptors, 2, &layout);
   vkCmdBindPipeline(scene.commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                     vk_create_compute_pipeline(VK_CODE(filter_comp), layout));
   vkCmdBindDescriptorSets(scene.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   vkCmdDispatch(scene.commands, 2, 2, 1);
   vk_barrier(scene.commands);
   const struct vk_descriptor descriptor = combined(outputs, 1);
   set = vk_create_set(&descriptor, 1, &shown);
   begin_pass(&scene);
   use(&scene, shown, VK_CODE(color_vert), VK_CODE(texture_frag));
   draw(&scene, shown, set);
   return end_pass(&scene);
}

static const struct {
   const char *name;
   struct vk_image (*draw)(void);
} scenes[] = {
   {"none", draw_none},     {"one", draw_one},   {"eight", draw_eight},       {"separate", draw_separate},
   {"stages", draw_stages}, {"sets", draw_sets}, {"dispatch", draw_dispatch},
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof scenes / sizeof scenes[0];
   for (size_t i = 0; argc == 1 && i < count; i++)
      puts(scenes[i].name);
   if (argc == 1)
      return 0;
   for (size_t i = 0; i < count; i++) {
      if ((argc != 3 && argc != 5) || strcmp(argv[1], scenes[i].name))
         continue;
      if (argc == 5) {
         width = (uint32_t)atoi(argv[3]);
         height = (uint32_t)atoi(argv[4]);
      }
      vk_open();
      create_textures();
      const struct vk_image picture = scenes[i].draw();
      vk_write_picture(&picture, argv[2]);
      vk_close();
      return 0;
   }
   fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT]\n", argv[0]);
   return 2;
}
