/* SPDX-License-Identifier: MIT */
/** Samples of several passes, subpasses and dispatches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples.h"

#include "bloom.frag.h"
#include "blur.frag.h"
#include "color.frag.h"
#include "edges.comp.h"
#include "lights.frag.h"
#include "lit.frag.h"
#include "points.vert.h"
#include "shadowed.frag.h"
#include "surfaces.frag.h"
#include "swarm.comp.h"
#include "texture.frag.h"

static const float eye[3] = {0, 3, 6};

/** Instances on a ring, and at last a large one below. */
static struct vk_buffer
create_ring_above_floor(uint32_t count)
{
   float places[64][4];
   for (uint32_t i = 0; i + 1 < count; i++)
      place_on_ring(places[i], i, count - 1, 2.4f, 0.6f);
   const float below[] = {0, -9.0f, 0, 7.5f};
   for (unsigned i = 0; i < 4; i++)
      places[count - 1][i] = below[i];
   return create_vertices(places, count * sizeof places[0]);
}

/* ---- deferred shading ------------------------------------------------------------- */

enum { ALBEDO, NORMAL, PLACE, DEEPNESS, SCREEN, COUNT };
enum { LIGHTS = 16 };

/** Albedo, normals, places and depth never leave the tiles. */
static void
create_deferred_passes(struct animation *animation, struct vk_image images[SCREEN])
{
   static const VkFormat formats[SCREEN] = {COLOR_FORMAT, VK_FORMAT_R16G16B16A16_SFLOAT,
                                            VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_D32_SFLOAT};
   static const VkClearValue nothing = {0};
   VkAttachmentReference references[COUNT];
   for (uint32_t i = 0; i < COUNT; i++)
      references[i] = (VkAttachmentReference){i, VK_IMAGE_LAYOUT_GENERAL};
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 3,
       .pColorAttachments = references,
       .pDepthStencilAttachment = &references[DEEPNESS]},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[SCREEN],
       .inputAttachmentCount = 3,
       .pInputAttachments = references},
   };
   struct vk_attachment attachments[COUNT];
   for (uint32_t i = 0; i < SCREEN; i++) {
      images[i] = vk_create_image(formats[i], picture_width, picture_height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT |
                                     (i == DEEPNESS ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                    : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                         VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
      attachments[i] =
         (struct vk_attachment){&images[i], CLEAR, DROP, i == DEEPNESS ? far_away : nothing, NULL};
   }
   for (uint32_t i = 0; i < animation->screen.count; i++) {
      attachments[SCREEN] = (struct vk_attachment){&animation->screen.images[i], CLEAR, STORE, grey, NULL};
      animation->passes[i] =
         vk_create_subpasses(attachments, COUNT, subpasses, 2, VK_DEPENDENCY_BY_REGION_BIT, 0);
   }
}

static void
write_lights(float (*lights)[4], float time)
{
   for (uint32_t i = 0; i < LIGHTS; i++) {
      place_on_ring(lights[i], i, LIGHTS, 2.0f + sinf(time + (float)i), 0);
      lights[i][1] += 1.5f;
      for (unsigned c = 0; c < 3; c++)
         lights[LIGHTS + i][c] = 0.6f + 0.6f * cosf((float)i + 2.1f * (float)c);
   }
}

struct vk_image
draw_deferred_lights(void)
{
   enum { BALLS = 9 };
   struct animation animation = create_animation();
   struct vk_image images[SCREEN];
   create_deferred_passes(&animation, images);
   const struct mesh ball = create_ball(16);
   const struct vk_buffer uniforms = create_uniforms(), instances = create_ring_above_floor(BALLS);
   const struct vk_buffer lights =
      vk_create_buffer(2 * LIGHTS * 4 * sizeof(float), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL);
   const struct vk_image texture = create_board(256, 1), *textures[] = {&texture};
   const struct vk_image *inputs[] = {&images[ALBEDO], &images[NORMAL], &images[PLACE]};
   const struct vk_descriptor drawn[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &uniforms},
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 1,
       .images = textures,
       .sampler = create_trilinear_sampler()},
   };
   const struct vk_descriptor read[] = {
      {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 1, .images = &inputs[ALBEDO]},
      {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 1, .images = &inputs[NORMAL]},
      {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 1, .images = &inputs[PLACE]},
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &lights},
   };
   VkPipelineLayout layouts[2];
   const VkDescriptorSet sets[] = {vk_create_set(drawn, 2, &layouts[0]), vk_create_set(read, 4, &layouts[1])};
   const VkPipeline pipelines[] = {
      create_object_pipeline(&animation.passes[0], layouts[0], VK_CODE(surfaces_frag), true),
      create_screen_pipeline(&animation.passes[0], layouts[1], VK_CODE(lights_frag), 1),
   };
   while (next_frame(&animation)) {
      write_uniforms(&uniforms, animation.time, eye);
      write_lights(lights.memory, animation.time);
      begin_screen(&animation);
      bind_mesh(animation.commands, pipelines[0], &ball, &instances);
      bind_set(animation.commands, layouts[0], sets[0]);
      vkCmdDrawIndexed(animation.commands, ball.num_indices, BALLS, 0, 0, 0);
      vkCmdNextSubpass(animation.commands, VK_SUBPASS_CONTENTS_INLINE);
      bind(animation.commands, pipelines[1], NULL);
      bind_set(animation.commands, layouts[1], sets[1]);
      vkCmdDraw(animation.commands, 3, 1, 0, 0);
      end_frame(&animation);
   }
   return end_animation(&animation);
}

/* ---- passes whose results are textures ---------------------------------------------- */

/** What the light sees is compared with. */
struct vk_image
draw_shadow_map(void)
{
   enum { BALLS = 9, SIDE = 1024 };
   struct animation animation = create_animation();
   create_screen_passes(&animation, true, VK_SAMPLE_COUNT_1_BIT);
   const struct mesh ball = create_ball(16);
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, SIDE, SIDE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_image *textures[] = {&depth};
   const struct vk_attachment z = {&depth, CLEAR, STORE, far_away, NULL};
   const struct vk_pass of_light = vk_create_pass(NULL, 0, &z);
   const struct vk_buffer instances = create_ring_above_floor(BALLS);
   const struct vk_buffer uniforms[] = {create_uniforms(), create_uniforms()};
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 1, .buffer = &uniforms[1]},
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 1,
       .images = textures,
       .sampler = vk_create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, true)},
   };
   const struct vk_descriptor by_light = {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                          .count = 1,
                                          .buffer = &uniforms[0]};
   VkPipelineLayout layouts[2];
   const VkDescriptorSet sets[] = {vk_create_set(&by_light, 1, &layouts[0]),
                                   vk_create_set(descriptors, 2, &layouts[1])};
   const VkPipeline pipelines[] = {
      create_object_pipeline(&of_light, layouts[0], VK_CODE(color_frag), true),
      create_object_pipeline(&animation.passes[0], layouts[1], VK_CODE(shadowed_frag), true),
   };
   while (next_frame(&animation)) {
      write_light_uniforms(&uniforms[0], animation.time);
      write_uniforms(&uniforms[1], animation.time, eye);
      vk_begin_pass(animation.commands, &of_light, VK_SUBPASS_CONTENTS_INLINE);
      for (unsigned i = 0; i < 2; i++) {
         if (i)
            begin_screen(&animation);
         else
            set_viewport(animation.commands, SIDE, SIDE);
         bind_mesh(animation.commands, pipelines[i], &ball, &instances);
         bind_set(animation.commands, layouts[i], sets[i]);
         vkCmdDrawIndexed(animation.commands, ball.num_indices, BALLS, 0, 0, 0);
         if (!i) {
            vkCmdEndRenderPass(animation.commands);
            vk_barrier(animation.commands);
         }
      }
      end_frame(&animation);
   }
   return end_animation(&animation);
}

/** Of half the size: one is drawn, the two others show the one before. */
static void
create_half_passes(struct vk_image half[3], struct vk_pass passes[3])
{
   const uint32_t width = (picture_width + 1) / 2, height = (picture_height + 1) / 2;
   for (unsigned i = 0; i < 3; i++)
      half[i] = vk_create_image(COLOR_FORMAT, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_image deep =
      vk_create_image(VK_FORMAT_D32_SFLOAT, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
   const struct vk_attachment depth = {&deep, CLEAR, DROP, far_away, NULL};
   for (unsigned i = 0; i < 3; i++) {
      const struct vk_attachment color = {
         &half[i], i ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : CLEAR, STORE, {{{0}}}, NULL};
      passes[i] = vk_create_pass(&color, 1, i ? NULL : &depth);
   }
}

/** What is drawn at half the size is blurred in two passes, and shown with the blurred picture on top. */
struct vk_image
draw_bloom(void)
{
   enum { BALLS = 12 };
   struct animation animation = create_animation();
   create_screen_passes(&animation, false, VK_SAMPLE_COUNT_1_BIT);
   struct vk_image half[3];
   struct vk_pass passes[3];
   create_half_passes(half, passes);
   const struct mesh ball = create_ball(16);
   const struct vk_buffer uniforms = create_uniforms(), instances = create_ring_above_floor(BALLS);
   VkSampler sampler = create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
   const struct vk_descriptor object = {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                        .count = 1,
                                        .buffer = &uniforms};
   const struct vk_image *read[] = {&half[0], &half[1], &half[0], &half[2]};
   VkPipelineLayout layouts[4];
   const VkDescriptorSet sets[] = {
      vk_create_set(&object, 1, &layouts[0]),
      create_image_set(&read[0], 1, sampler, &layouts[1]),
      create_image_set(&read[1], 1, sampler, &layouts[2]),
      create_image_set(&read[2], 2, sampler, &layouts[3]),
   };
   const VkPipeline pipelines[] = {
      create_object_pipeline(&passes[0], layouts[0], VK_CODE(lit_frag), true),
      create_screen_pipeline(&passes[1], layouts[1], VK_CODE(blur_frag), 0),
      create_screen_pipeline(&passes[2], layouts[2], VK_CODE(blur_frag), 0),
      create_screen_pipeline(&animation.passes[0], layouts[3], VK_CODE(bloom_frag), 0),
   };
   while (next_frame(&animation)) {
      write_uniforms(&uniforms, animation.time, eye);
      for (unsigned i = 0; i < 3; i++) {
         const float step[2] = {i == 1 ? 2.0f / (float)passes[i].width : 0,
                                i == 2 ? 2.0f / (float)passes[i].height : 0};
         vk_begin_pass(animation.commands, &passes[i], VK_SUBPASS_CONTENTS_INLINE);
         set_viewport(animation.commands, passes[i].width, passes[i].height);
         bind_mesh(animation.commands, pipelines[i], &ball, &instances);
         bind_set(animation.commands, layouts[i], sets[i]);
         push(animation.commands, layouts[i], step, sizeof step);
         if (i)
            vkCmdDraw(animation.commands, 3, 1, 0, 0);
         else
            vkCmdDrawIndexed(animation.commands, ball.num_indices, BALLS, 0, 0, 0);
         vkCmdEndRenderPass(animation.commands);
         vk_barrier(animation.commands);
      }
      begin_screen(&animation);
      bind(animation.commands, pipelines[3], NULL);
      bind_set(animation.commands, layouts[3], sets[3]);
      vkCmdDraw(animation.commands, 3, 1, 0, 0);
      end_frame(&animation);
   }
   return end_animation(&animation);
}

/* ---- dispatches ----------------------------------------------------------------------- */

/** Points, as a storage buffer and as vertices. */
static struct vk_buffer
create_points(uint32_t count)
{
   struct vertex *points = calloc(count, sizeof *points);
   if (!points) {
      perror("points");
      exit(1);
   }
   for (uint32_t i = 0; i < count; i++) {
      const float angle = 2.399963f * (float)i, radius = 0.8f * sqrtf((float)i / (float)count);
      points[i].position[0] = radius * cosf(angle);
      points[i].position[1] = radius * sinf(angle);
   }
   const struct vk_buffer buffer =
      vk_create_buffer(count * sizeof *points,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, points);
   free(points);
   return buffer;
}

/** A dispatch moves points, which are drawn then. */
struct vk_image
draw_swarm(void)
{
   enum { POINTS = 16384 };
   struct animation animation = create_animation();
   create_screen_passes(&animation, false, VK_SAMPLE_COUNT_1_BIT);
   const struct vk_buffer points = create_points(POINTS);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &points};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   VkPipeline compute = vk_create_compute_pipeline(VK_CODE(swarm_comp), layout);
   struct vk_pipeline_description description =
      describe_vertices(&animation.passes[0], layout, VK_CODE(color_frag));
   description.vertex = VK_CODE(points_vert);
   description.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
   description.blend = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   while (next_frame(&animation)) {
      const struct {
         float middle[2], seconds;
         uint32_t count;
      } constants = {{0.5f * cosf(animation.time), 0.5f * sinf(1.3f * animation.time)}, 1.0f / 60, POINTS};
      push(animation.commands, layout, &constants, sizeof constants);
      record_dispatch(animation.commands, compute, layout, set, POINTS / 64, 1);
      begin_screen(&animation);
      bind(animation.commands, pipeline, &points);
      vkCmdDraw(animation.commands, POINTS, 1, 0, 0);
      end_frame(&animation);
   }
   return end_animation(&animation);
}

/** A dispatch finds a picture's edges, and what it has written is drawn as a texture. */
struct vk_image
draw_edges(void)
{
   enum { SIDE = 512 };
   struct animation animation = create_animation();
   create_screen_passes(&animation, false, VK_SAMPLE_COUNT_1_BIT);
   const struct vk_image texture = create_board(SIDE, 1), *inputs[] = {&texture};
   const struct vk_image found = vk_create_image(COLOR_FORMAT, SIDE, SIDE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                                                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT),
                         *outputs[] = {&found};
   VkSampler sampler = create_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .count = 1, .images = inputs, .sampler = sampler},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 1, .images = outputs},
   };
   VkPipelineLayout layouts[2];
   const VkDescriptorSet sets[] = {vk_create_set(descriptors, 2, &layouts[0]),
                                   create_image_set(outputs, 1, sampler, &layouts[1])};
   VkPipeline compute = vk_create_compute_pipeline(VK_CODE(edges_comp), layouts[0]);
   VkPipeline pipeline = create_screen_pipeline(&animation.passes[0], layouts[1], VK_CODE(texture_frag), 0);
   while (next_frame(&animation)) {
      const int32_t offset[2] = {(int32_t)animation.frame, (int32_t)(animation.frame / 2)};
      if (!animation.frame)
         vk_change_layout(animation.commands, &found, VK_IMAGE_LAYOUT_GENERAL);
      push(animation.commands, layouts[0], offset, sizeof offset);
      record_dispatch(animation.commands, compute, layouts[0], sets[0], SIDE / 16, SIDE / 16);
      begin_screen(&animation);
      bind(animation.commands, pipeline, NULL);
      bind_set(animation.commands, layouts[1], sets[1]);
      vkCmdDraw(animation.commands, 3, 1, 0, 0);
      end_frame(&animation);
   }
   return end_animation(&animation);
}
