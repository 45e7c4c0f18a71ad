/* SPDX-License-Identifier: MIT */
/** Scenes of several passes. */
#include <string.h>

#include "scenes.h"

#include "color.frag.h"
#include "shadow.frag.h"
#include "texture.frag.h"

/** What a first pass has drawn is a texture of the second. */
struct vk_image
draw_two_passes(void)
{
   const struct vk_image first = create_target(VK_IMAGE_USAGE_SAMPLED_BIT), *textures[] = {&first};
   vk_name_image(&first, "first pass");
   VkPipelineLayout plain = create_plain_layout(), layout;
   VkDescriptorSet set =
      create_image_set(textures, 1, create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                       &layout);
   const struct vk_image target = create_target(0);
   const struct vk_pass passes[] = {create_clearing_pass(&first), create_clearing_pass(&target)};
   const struct vk_buffer vertices[] = {create_vertices(triangle, sizeof triangle),
                                        create_vertices(quad, sizeof quad)};
   struct vk_pipeline_description description = describe_vertices(&passes[0], plain, VK_CODE(color_frag));
   VkPipeline pipelines[2] = {vk_create_pipeline(&description)};
   description = describe_vertices(&passes[1], layout, VK_CODE(texture_frag));
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
   const VkAttachmentLoadOp load = wasteful ? LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
   const VkAttachmentStoreOp store = wasteful ? STORE : DROP;
   const struct vk_attachment colors[] = {
      {&first, load, STORE, grey, NULL},
      {&target, CLEAR, STORE, grey, NULL},
   };
   const struct vk_attachment depths[] = {
      {&depth, CLEAR, store, far_away, NULL},
      {&depth, CLEAR, DROP, far_away, NULL},
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
   VkPipelineLayout layout;
   VkDescriptorSet set =
      create_image_set(textures, 1, create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                       &layout);
   const struct vk_buffer vertices = create_vertices(all, sizeof all);
   VkPipeline pipelines[2];
   for (unsigned i = 0; i < 2; i++) {
      struct vk_pipeline_description description =
         describe_vertices(&passes[i], layout, i ? VK_CODE(texture_frag) : VK_CODE(color_frag));
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

struct vk_image
draw_wasteful(void)
{
   return draw_over(true);
}

struct vk_image
draw_frugal(void)
{
   return draw_over(false);
}

/** Depth that a first pass has drawn is compared with in the second. */
struct vk_image
draw_shadow(void)
{
   const struct vk_image depth =
      vk_create_image(VK_FORMAT_D32_SFLOAT, 64, 64, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
   const struct vk_image *textures[] = {&depth};
   const struct vk_attachment z = {&depth, CLEAR, STORE, far_away, NULL};
   const struct vk_pass of_light = vk_create_pass(NULL, 0, &z);
   struct vertex slope[3];
   memcpy(slope, triangle, sizeof slope);
   for (unsigned i = 0; i < 3; i++)
      slope[i].position[2] = 0.2f + 0.3f * (float)i;
   VkPipelineLayout plain = create_plain_layout(), layout;
   VkDescriptorSet set = create_image_set(textures, 1,
                                          vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                            VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, true),
                                          &layout);
   const struct vk_buffer vertices = create_vertices(slope, sizeof slope);
   struct vk_pipeline_description description = describe_vertices(&of_light, plain, VK_CODE(color_frag));
   description.depth = true;
   VkPipeline pipeline = vk_create_pipeline(&description);
   VkCommandBuffer commands = begin_scene(&of_light);
   bind(commands, pipeline, &vertices);
   vkCmdDraw(commands, 3, 1, 0, 0);
   end_scene(commands);
   return draw_simple(VK_CODE(shadow_frag), layout, set, quad, 4, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
}
