/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#include "color.frag.h"
#include "color.vert.h"

uint32_t picture_width = 203, picture_height = 117;
uint32_t scene_frames = 1;
double scene_seconds;
bool scene_says_times;

const VkClearValue grey = {.color = {.float32 = {0.25f, 0.25f, 0.5f, 1.0f}}};
const VkClearValue white = {.color = {.float32 = {1.0f, 1.0f, 1.0f, 1.0f}}};
const VkClearValue far_away = {.depthStencil = {1.0f, 1}};

const struct vertex whole[] = {
   {{-1.0f, -1.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
   {{1.0f, -1.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f, 1.0f}},
   {{-1.0f, 1.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}},
   {{1.0f, 1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}},
};

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
run_scenes(const struct scene *scenes, size_t count, void (*open)(void), int argc, char **argv)
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
   open();
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

struct vk_image
create_depth(void)
{
   return vk_create_image(VK_FORMAT_D32_SFLOAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

struct vk_pass
create_clearing_pass(const struct vk_image *target)
{
   const struct vk_attachment color = {target, CLEAR, STORE, grey, NULL};
   return vk_create_pass(&color, 1, NULL);
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

struct vk_descriptor
describe_textures(const struct vk_image *const *images, uint32_t count, VkSampler sampler)
{
   return (struct vk_descriptor){
      .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .count = count,
      .images = images,
      .sampler = sampler,
   };
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
   vkCmdPushConstants(commands, layout, VK_PUSH_STAGES, 0, bytes, data);
}

void
record_dispatch(VkCommandBuffer commands, VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set,
                uint32_t width, uint32_t height)
{
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   if (set)
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   vkCmdDispatch(commands, width, height, 1);
   vk_barrier(commands);
}

/* ---- what one pipeline draws --------------------------------------------------------- */

static VkPipeline
create_simple_pipeline(const struct vk_pass *pass, const struct simple_draw *draw, VkPipelineLayout layout)
{
   struct vk_pipeline_description description =
      describe_vertices(pass, layout, draw->fragment.words ? draw->fragment : VK_CODE(color_frag));
   if (draw->vertex.words)
      description.vertex = draw->vertex;
   if (!draw->vertices && !draw->buffer)
      description.stride = description.num_attributes = 0;
   if (draw->topology || draw->geometry.words)
      description.topology = draw->topology;
   description.control = draw->control;
   description.evaluation = draw->evaluation;
   description.geometry = draw->geometry;
   description.depth = draw->depth;
   description.blend = draw->blend;
   description.instanced = draw->instanced;
   return vk_create_pipeline(&description);
}

void
record_simple(VkCommandBuffer commands, const struct vk_pass *pass, const struct simple_draw *draw)
{
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(draw->descriptors, draw->num_descriptors, &layout);
   struct vk_buffer vertices;
   if (draw->vertices)
      vertices = create_vertices(draw->vertices, draw->count * sizeof *draw->vertices);
   vk_begin_pass(commands, pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, pass->width, pass->height);
   if (draw->scissor)
      vkCmdSetScissor(commands, 0, 1, draw->scissor);
   bind(commands, create_simple_pipeline(pass, draw, layout), draw->vertices ? &vertices : draw->buffer);
   if (draw->constants)
      push(commands, layout, draw->constants, draw->constant_bytes);
   if (draw->record) {
      draw->record(commands, layout, set, draw->data);
   } else {
      if (draw->num_descriptors)
         bind_set(commands, layout, set);
      vkCmdDraw(commands, draw->count, 1, 0, 0);
   }
   vkCmdEndRenderPass(commands);
}

void
run_simple(const struct vk_pass *pass, const struct simple_draw *draw)
{
   VkCommandBuffer commands = vk_begin();
   record_simple(commands, pass, draw);
   vk_run(commands);
}

struct vk_image
draw_simple(const struct simple_draw *draw)
{
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   run_simple(&pass, draw);
   return target;
}
