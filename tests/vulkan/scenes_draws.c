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
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

struct vk_image
draw_triangle(void)
{
   return draw_simple(&(struct simple_draw){.vertices = triangle, .count = 3});
}

static void
record_uniforms(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   bind_set(commands, layout, set);
   for (uint32_t i = 0; i < 3; i++) {
      struct {
         float offset[4];
         uint32_t number;
      } constants = {{0.5f * (float)i - 0.5f, 0.2f * (float)i, 0, 0}, i};
      push(commands, layout, &constants, sizeof constants);
      vkCmdDraw(commands, 3, 1, 0, 0);
   }
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
   return draw_simple(&(struct simple_draw){
      .vertex = VK_CODE(uniform_vert),
      .fragment = VK_CODE(uniform_frag),
      .vertices = triangle,
      .count = 3,
      .descriptors = descriptors,
      .num_descriptors = 2,
      .record = record_uniforms,
   });
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
   const struct vk_image target = create_target(0), depth = create_depth();
   const struct vk_attachment color = {&target, CLEAR, STORE, grey, NULL};
   const struct vk_attachment z = {&depth, CLEAR, DROP, far_away, NULL};
   const struct vk_pass pass = vk_create_pass(&color, 1, &z);
   run_simple(&pass, &(struct simple_draw){.vertices = vertices, .count = 9, .depth = true});
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
   return draw_simple(&(struct simple_draw){.vertices = vertices, .count = 6, .blend = true});
}

struct vk_image
draw_multisampled(void)
{
   const struct vk_image target = create_target(0);
   const struct vk_image samples =
      vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_4_BIT,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   const struct vk_attachment color = {&samples, CLEAR, DROP, grey, &target};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   run_simple(&pass, &(struct simple_draw){.vertices = triangle, .count = 3});
   return target;
}

static void
record_indirect(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   static const uint16_t indices[] = {0, 1, 2};
   static const VkDrawIndexedIndirectCommand draws[] = {{3, 2, 0, 0, 0}, {3, 3, 0, 0, 2}};
   static const float places[5][4] = {{-0.6f, -0.5f, 0.4f},
                                      {0.0f, -0.5f, 0.3f},
                                      {0.6f, -0.5f, 0.2f},
                                      {-0.3f, 0.5f, 0.4f},
                                      {0.4f, 0.5f, 0.5f}};
   const struct vk_buffer instances = create_vertices(places, sizeof places);
   const struct vk_buffer index_buffer =
      vk_create_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
   const struct vk_buffer parameters =
      vk_create_buffer(sizeof draws, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, draws);
   const VkDeviceSize offset = 0;
   vkCmdBindVertexBuffers(commands, 1, 1, &instances.buffer, &offset);
   vkCmdBindIndexBuffer(commands, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
   vkCmdDrawIndexedIndirect(commands, parameters.buffer, 0, 2, sizeof draws[0]);
}

/** Instances, by indices, of which a buffer says how many. */
struct vk_image
draw_indirect(void)
{
   return draw_simple(&(struct simple_draw){
      .vertex = VK_CODE(instanced_vert),
      .vertices = triangle,
      .count = 3,
      .instanced = true,
      .record = record_indirect,
   });
}

/** What draw_captured's passes share. */
struct capture {
   struct vk_buffer vertices, counter;
};

static void
record_capture(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   const struct capture *capture = data;
   vk_capture(commands, &capture->vertices, NULL);
   vkCmdDraw(commands, 3, 2, 0, 0);
   vk_capture(commands, NULL, &capture->counter);
}

static void
record_captured(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   const struct capture *capture = data;
   vk_draw_captured(commands, &capture->counter, sizeof(struct vertex));
}

/** Vertices of a first pass are captured, and drawn by the second one, smaller. */
struct vk_image
draw_captured(void)
{
   const struct vk_image target = create_target(0);
   const struct vk_attachment kept = {&target, LOAD, STORE, grey, NULL};
   const struct vk_pass passes[] = {create_clearing_pass(&target), vk_create_pass(&kept, 1, NULL)};
   const struct capture capture = {
      .vertices = vk_create_buffer(4 * sizeof triangle,
                                   VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                                      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                                   NULL),
      .counter = vk_create_buffer(4,
                                  VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                                     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
                                  NULL),
   };
   struct simple_draw draw = {
      .vertex = VK_CODE(capture_vert),
      .vertices = triangle,
      .count = 3,
      .record = record_capture,
      .data = &capture,
   };
   VkCommandBuffer commands = vk_begin();
   record_simple(commands, &passes[0], &draw);
   vk_barrier(commands);
   draw.vertices = NULL;
   draw.buffer = &capture.vertices;
   draw.record = record_captured;
   record_simple(commands, &passes[1], &draw);
   vk_run(commands);
   printf("%u bytes\n", *(const uint32_t *)capture.counter.memory);
   return target;
}
