/* SPDX-License-Identifier: MIT */
/** Scenes of how vertices become pixels. */
#include <stdio.h>
#include <string.h>

#include "scenes.h"

#include "capture.vert.h"
#include "color.frag.h"
#include "instanced.vert.h"
#include "uniform.frag.h"
#include "uniform.vert.h"

struct vk_image
draw_clear(void)
{
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   end_scene(begin_scene(&pass));
   return target;
}

struct vk_image
draw_triangle(void)
{
   VkPipelineLayout layout = create_plain_layout();
   return draw_simple(VK_CODE(color_frag), layout, VK_NULL_HANDLE, triangle, 3,
                      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
}

struct vk_image
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
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(uniform_frag));
   description.vertex = VK_CODE(uniform_vert);
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
struct vk_image
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
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
   const struct vk_attachment color = {&target, CLEAR, STORE, grey, NULL};
   const struct vk_attachment z = {&depth, CLEAR, DROP, far_away, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, &z);
   const struct vk_buffer buffer = create_vertices(vertices, sizeof vertices);
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   description.depth = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 9, 1, 0, 0);
   end_scene(commands);
   return target;
}

struct vk_image
draw_blended(void)
{
   struct vertex vertices[6];
   memcpy(vertices, triangle, sizeof triangle);
   memcpy(vertices + 3, triangle, sizeof triangle);
   for (unsigned i = 0; i < 6; i++)
      vertices[i].color[3] = 0.5f;
   for (unsigned i = 3; i < 6; i++)
      vertices[i].position[1] *= -1.0f;
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer buffer = create_vertices(vertices, sizeof vertices);
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   description.blend = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 6, 1, 0, 0);
   end_scene(commands);
   return target;
}

struct vk_image
draw_multisampled(void)
{
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_image samples =
      vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_4_BIT,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   const struct vk_attachment color = {&samples, CLEAR, DROP, grey, &target};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   const struct vk_buffer buffer = create_vertices(triangle, sizeof triangle);
   const struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&pass);
   bind(commands, pipeline, &buffer);
   vkCmdDraw(commands, 3, 1, 0, 0);
   end_scene(commands);
   return target;
}

/** Instances, by indices, of which a buffer says how many. */
struct vk_image
draw_indirect(void)
{
   static const uint16_t indices[] = {0, 1, 2};
   static const VkDrawIndexedIndirectCommand draws[] = {{3, 2, 0, 0, 0}, {3, 3, 0, 0, 2}};
   static const float places[5][4] = {{-0.6f, -0.5f, 0.4f},
                                      {0.0f, -0.5f, 0.3f},
                                      {0.6f, -0.5f, 0.2f},
                                      {-0.3f, 0.5f, 0.4f},
                                      {0.4f, 0.5f, 0.5f}};
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_pass pass = create_clearing_pass(&target);
   const struct vk_buffer buffers[] = {create_vertices(triangle, sizeof triangle),
                                       create_vertices(places, sizeof places)};
   const struct vk_buffer index_buffer =
      vk_create_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
   const struct vk_buffer parameters =
      vk_create_buffer(sizeof draws, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, draws);
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   description.vertex = VK_CODE(instanced_vert);
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

/** Vertices of a first pass are captured, and drawn by the second one, smaller. */
struct vk_image
draw_captured(void)
{
   VkPipelineLayout layout = create_plain_layout();
   const struct vk_image target = create_target(0);
   const struct vk_attachment kept = {&target, LOAD, STORE, grey, NULL};
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
   struct vk_pipeline_description description = describe_vertices(&passes[0], layout, VK_CODE(color_frag));
   description.vertex = VK_CODE(capture_vert);
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
