/* SPDX-License-Identifier: MIT */
/** Scenes of several passes. */
#include <string.h>

#include "scenes.h"

#include "shadow.frag.h"
#include "texture.frag.h"

static void
record_first(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   vk_begin_label(commands, "first");
   vkCmdDraw(commands, 3, 1, 0, 0);
   vk_end_label(commands);
}

static void
record_second(VkCommandBuffer commands, VkPipelineLayout layout, VkDescriptorSet set, const void *data)
{
   bind_set(commands, layout, set);
   vk_insert_label(commands, "textured");
   vk_begin_label(commands, "second");
   vkCmdDraw(commands, 4, 1, 0, 0);
   vk_end_label(commands);
}

/** What a first pass has drawn is a texture of the second. */
struct vk_image
draw_two_passes(void)
{
   const struct vk_image first = create_target(VK_IMAGE_USAGE_SAMPLED_BIT), target = create_target(0),
                         *textures[] = {&first};
   vk_name_image(&first, "first pass");
   const struct vk_pass passes[] = {create_clearing_pass(&first), create_clearing_pass(&target)};
   const struct vk_descriptor descriptor =
      describe_textures(textures, 1,
                        create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE));
   const struct simple_draw draws[] = {
      {.vertices = triangle, .count = 3, .record = record_first},
      {
         .fragment = VK_CODE(texture_frag),
         .vertices = quad,
         .count = 4,
         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
         .descriptors = &descriptor,
         .num_descriptors = 1,
         .record = record_second,
      },
   };
   vk_insert_label(NULL, "begin");
   vk_begin_label(NULL, "both");
   VkCommandBuffer commands = vk_begin();
   record_simple(commands, &passes[0], &draws[0]);
   vk_barrier(commands);
   record_simple(commands, &passes[1], &draws[1]);
   vk_run(commands);
   vk_end_label(NULL);
   return target;
}

/** Two passes with the same depth: the second shows what the first has drawn over all of its target. As it should be, or with
 * a load of that target, which was cleared before, and a store of the first one's depth, that nobody needs. */
static struct vk_image
draw_over(bool wasteful)
{
   const struct vk_image first = create_target(VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                         target = create_target(0), depth = create_depth(), *textures[] = {&first};
   const struct vk_attachment colors[] = {
      {&first, wasteful ? LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE, STORE, grey, NULL},
      {&target, CLEAR, STORE, grey, NULL},
   };
   const struct vk_attachment depths[] = {
      {&depth, CLEAR, wasteful ? STORE : DROP, far_away, NULL},
      {&depth, CLEAR, DROP, far_away, NULL},
   };
   const struct vk_pass passes[] = {vk_create_pass(&colors[0], 1, &depths[0]),
                                    vk_create_pass(&colors[1], 1, &depths[1])};
   struct vertex all[4];
   memcpy(all, whole, sizeof all);
   for (unsigned i = 0; i < 4; i++)
      all[i].color[2] = 0.5f;
   const struct vk_descriptor descriptor =
      describe_textures(textures, 1,
                        create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE));
   struct simple_draw draw = {.vertices = all,
                              .count = 4,
                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                              .depth = true};
   VkCommandBuffer commands = vk_begin();
   const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   vk_change_layout(commands, &first, VK_IMAGE_LAYOUT_GENERAL);
   if (wasteful)
      vkCmdClearColorImage(commands, first.image, VK_IMAGE_LAYOUT_GENERAL, &grey.color, 1, &range);
   vk_barrier(commands);
   record_simple(commands, &passes[0], &draw);
   vk_barrier(commands);
   draw.fragment = VK_CODE(texture_frag);
   draw.descriptors = &descriptor;
   draw.num_descriptors = 1;
   record_simple(commands, &passes[1], &draw);
   vk_run(commands);
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
   const struct vk_attachment z = {&depth, CLEAR, STORE, far_away, NULL};
   const struct vk_pass of_light = vk_create_pass(NULL, 0, &z);
   struct vertex slope[3];
   memcpy(slope, triangle, sizeof slope);
   for (unsigned i = 0; i < 3; i++)
      slope[i].position[2] = 0.2f + 0.3f * (float)i;
   run_simple(&of_light, &(struct simple_draw){.vertices = slope, .count = 3, .depth = true});
   return draw_textured(VK_CODE(shadow_frag), &depth,
                        vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                          VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, true),
                        quad);
}
