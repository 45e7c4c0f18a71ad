/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#include "color.vert.h"

uint32_t picture_width = 203, picture_height = 117;
uint32_t scene_frames = 1;
double scene_seconds;
bool scene_says_times;

const VkClearValue grey = {.color = {.float32 = {0.25f, 0.25f, 0.5f, 1.0f}}};
const VkClearValue white = {.color = {.float32 = {1.0f, 1.0f, 1.0f, 1.0f}}};
const VkClearValue far_away = {.depthStencil = {1.0f, 1}};

/* ---- the program ----------------------------------------------------------------- */

static const struct scene *
find_scene(const struct scene *scenes, size_t count, const char *name)
{
   for (size_t i = 0; i < count; i++) {
      if (!strcmp(scenes[i].name, name))
         return &scenes[i];
   }
   return NULL;
}

static int
list_scenes(const struct scene *scenes, size_t count, bool moving)
{
   for (size_t i = 0; i < count; i++) {
      if (moving ? scenes[i].moves : !scenes[i].is_optional)
         puts(scenes[i].name);
   }
   return 0;
}

/** The last two arguments, if they say for how long a scene moves: how many they are. */
static int
parse_length(const struct scene *scene, int argc, char **argv)
{
   if (argc < 5 || !scene->moves)
      return 0;
   if (!strcmp(argv[argc - 2], "--frames") && atoi(argv[argc - 1]) > 0)
      scene_frames = (uint32_t)atoi(argv[argc - 1]);
   else if (!strcmp(argv[argc - 2], "--seconds") && atof(argv[argc - 1]) > 0)
      scene_seconds = atof(argv[argc - 1]);
   else
      return 0;
   scene_says_times = true;
   return 2;
}

int
run_scenes(const struct scene *scenes, size_t count, int argc, char **argv)
{
   if (argc == 1 || (argc == 2 && !strcmp(argv[1], "--moving")))
      return list_scenes(scenes, count, argc == 2);
   const struct scene *scene = find_scene(scenes, count, argv[1]);
   if (scene)
      argc -= parse_length(scene, argc, argv);
   if (!scene || (argc != 3 && argc != 5)) {
      fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT] [--frames N | --seconds N]\n", argv[0]);
      return 2;
   }
   if (argc == 5) {
      picture_width = (uint32_t)atoi(argv[3]);
      picture_height = (uint32_t)atoi(argv[4]);
   }
   vk_open();
   const struct vk_image picture = scene->draw();
   vk_write_picture(&picture, argv[2]);
   vk_close();
   return 0;
}

/* ---- what is drawn with ------------------------------------------------------------ */

struct vk_image
create_target(VkImageUsageFlags more)
{
   return vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | more);
}

struct vk_buffer
create_vertices(const void *vertices, size_t bytes)
{
   return vk_create_buffer(bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
}

VkPipelineLayout
create_plain_layout(void)
{
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   return layout;
}

VkSampler
create_sampler(VkFilter filter, VkSamplerAddressMode address)
{
   return vk_create_sampler(filter, VK_SAMPLER_MIPMAP_MODE_NEAREST, address, false);
}

VkDescriptorSet
create_image_set(const struct vk_image *const *images, uint32_t count, VkSampler sampler,
                 VkPipelineLayout *layout)
{
   struct vk_descriptor descriptors[4];
   for (uint32_t i = 0; i < count; i++)
      descriptors[i] = (struct vk_descriptor){
         .type = sampler ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER : VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
         .count = 1,
         .images = &images[i],
         .sampler = sampler,
      };
   return vk_create_set(descriptors, count, layout);
}

struct vk_pipeline_description
describe_vertices(const struct vk_pass *pass, VkPipelineLayout layout, struct vk_code fragment)
{
   return (struct vk_pipeline_description){
      .vertex = VK_CODE(color_vert),
      .fragment = fragment,
      .pass = pass ? pass->pass : VK_NULL_HANDLE,
      .num_colors = pass ? pass->num_colors : 1,
      .layout = layout,
      .stride = sizeof(struct vertex),
      .num_attributes = 2,
      .samples = pass ? pass->samples : VK_SAMPLE_COUNT_1_BIT,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
   };
}

/* ---- what is recorded ---------------------------------------------------------------- */

void
set_viewport(VkCommandBuffer commands, uint32_t width, uint32_t height)
{
   const VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {width, height}};
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
}

void
bind(VkCommandBuffer commands, VkPipeline pipeline, const struct vk_buffer *vertices)
{
   const VkDeviceSize offset = 0;
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   if (vertices)
      vkCmdBindVertexBuffers(commands, 0, 1, &vertices->buffer, &offset);
}

void
bind_set(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set)
{
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
}

void
push(VkCommandBuffer commands, VkPipelineLayout layout, const void *data, uint32_t bytes)
{
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, bytes, data);
}
