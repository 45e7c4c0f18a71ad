/* SPDX-License-Identifier: MIT */
/** Deferred shading: with subpasses, without them, and with one rendering. */
#include <stdio.h>
#include <stdlib.h>

#include "local_read.h"
#include "subpasses.h"

#include "color.frag.h"
#include "deferred.frag.h"
#include "deferred_textures.frag.h"
#include "gbuffer.frag.h"

/* Of the attachments. */
enum { ALBEDO, NORMAL, DEEPNESS, LIGHT, COUNT };

static const struct attachment in_tile[COUNT] = {
   [ALBEDO] = READ_IN_TILE(grey),
   [NORMAL] = READ_IN_TILE(white),
   [DEEPNESS] = {VK_FORMAT_D32_SFLOAT, ONE, TRANSIENT, CLEAR, DROP, &far_away},
   [LIGHT] = PICTURE(grey),
};

static const VkSubpassDescription subpasses[] = {
   {OUTPUTS(ALBEDO, 2), DEPTH(DEEPNESS)},
   {OUTPUTS(LIGHT, 1), INPUTS(ALBEDO, 3)},
};

static void
draw_first(VkCommandBuffer commands, const struct drawing *drawing)
{
   struct vk_pipeline_description description =
      describe(drawing, create_plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   description.depth = true;
   draw(commands, &description, VK_NULL_HANDLE, false);
}

/** Of the images that are drawn first. */
static void
create_texture_set(struct drawing *drawing)
{
   const struct vk_image *textures[] = {&drawing->images[ALBEDO], &drawing->images[NORMAL],
                                        &drawing->images[DEEPNESS]};
   drawing->set =
      create_image_set(textures, 3, create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                       &drawing->layout);
}

static void
push_offset(const struct drawing *drawing, int32_t x, int32_t y)
{
   const int32_t offset[2] = {x, y};
   push(drawing->commands, drawing->layout, offset, sizeof offset);
}

static struct vk_image
finish_deferred(struct drawing *drawing)
{
   begin_drawing(drawing);
   draw_first(drawing->commands, drawing);
   next_subpass(drawing);
   struct vk_pipeline_description description = describe(drawing, drawing->layout, VK_CODE(deferred_frag));
   /* Without an attachment nothing is tested. */
   description.depth = true;
   draw(drawing->commands, &description, drawing->set, true);
   return end_drawing(drawing, LIGHT);
}

struct vk_image
draw_two_subpasses(void)
{
   struct drawing drawing = create_drawing(in_tile, COUNT, subpasses, 2, BY_REGION, 1);
   return finish_deferred(&drawing);
}

/** The second subpass may read all of what the first has drawn. */
struct vk_image
draw_not_by_region(void)
{
   struct drawing drawing = create_drawing(in_tile, COUNT, subpasses, 2, 0, 1);
   return finish_deferred(&drawing);
}

/** The same without subpasses: what the first pass has stored is textures of the second. */
struct vk_image
draw_two_passes(void)
{
   struct attachment stored[COUNT];
   for (unsigned i = 0; i < COUNT; i++) {
      stored[i] = in_tile[i];
      stored[i].store = STORE;
      if (i != LIGHT)
         stored[i].usage = VK_IMAGE_USAGE_SAMPLED_BIT;
   }
   struct drawing drawing = {0};
   create_images(drawing.images, stored, COUNT, 1);
   create_texture_set(&drawing);
   const VkSubpassDescription second = {OUTPUTS(0, 1)};
   const struct vk_pass passes[] = {
      create_render_pass(drawing.images, stored, LIGHT, subpasses, 1, 0, 0),
      create_render_pass(&drawing.images[LIGHT], &stored[LIGHT], 1, &second, 1, 0, 0),
   };
   drawing.pass = passes[0];
   begin_drawing(&drawing);
   draw_first(drawing.commands, &drawing);
   vkCmdEndRenderPass(drawing.commands);
   vk_barrier(drawing.commands);
   drawing.pass = passes[1];
   vk_begin_pass(drawing.commands, &drawing.pass, VK_SUBPASS_CONTENTS_INLINE);
   push_offset(&drawing, 0, 0);
   struct vk_pipeline_description description =
      describe(&drawing, drawing.layout, VK_CODE(deferred_textures_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   draw(drawing.commands, &description, drawing.set, true);
   return end_drawing(&drawing, LIGHT);
}

/** A second subpass that says it needs its own pixels and samples the first's attachments at others. */
struct vk_image
draw_other_pixels(void)
{
   static const VkSubpassDescription without_inputs[] = {
      {OUTPUTS(ALBEDO, 2), DEPTH(DEEPNESS)},
      {OUTPUTS(LIGHT, 1)},
   };
   struct attachment sampled[COUNT];
   for (unsigned i = 0; i < COUNT; i++) {
      sampled[i] = in_tile[i];
      if (i != LIGHT)
         sampled[i].usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
   }
   struct drawing drawing = create_drawing(sampled, COUNT, without_inputs, 2, BY_REGION, 1);
   create_texture_set(&drawing);
   begin_drawing(&drawing);
   draw_first(drawing.commands, &drawing);
   next_subpass(&drawing);
   push_offset(&drawing, 40, -25);
   draw_quad(&drawing, VK_CODE(deferred_textures_frag));
   return end_drawing(&drawing, LIGHT);
}

/** Subpasses that other command buffers draw. */
struct vk_image
draw_secondary(void)
{
   struct drawing drawing = create_drawing(in_tile, COUNT, subpasses, 2, BY_REGION, 1);
   VkCommandBuffer parts[2];
   for (uint32_t i = 0; i < 2; i++) {
      parts[i] = drawing.commands = vk_begin_secondary(&drawing.pass, i);
      drawing.subpass = i;
      set_viewport(parts[i], picture_width, picture_height);
      if (i)
         draw_quad(&drawing, VK_CODE(deferred_frag));
      else
         draw_first(parts[i], &drawing);
      vkEndCommandBuffer(parts[i]);
   }
   drawing.commands = vk_begin();
   vk_begin_pass(drawing.commands, &drawing.pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
   vkCmdExecuteCommands(drawing.commands, 1, &parts[0]);
   vkCmdNextSubpass(drawing.commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
   vkCmdExecuteCommands(drawing.commands, 1, &parts[1]);
   return end_drawing(&drawing, LIGHT);
}

/** Parts of attachments are cleared within the subpasses. */
struct vk_image
draw_cleared_parts(void)
{
   const VkClearAttachment first[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, {.color = {.float32 = {0, 1, 0.5f, 1}}}},
                                      {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {0.1f, 0}}}},
                           second = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 1, 1}}}};
   const VkClearRect rectangles[] = {{{{30, 20}, {50, 41}}, 0, 1}, {{{70, 50}, {11, 13}}, 0, 1}};
   struct drawing drawing = create_drawing(in_tile, COUNT, subpasses, 2, BY_REGION, 1);
   begin_drawing(&drawing);
   draw_first(drawing.commands, &drawing);
   vkCmdClearAttachments(drawing.commands, 2, first, 2, rectangles);
   next_subpass(&drawing);
   draw_quad(&drawing, VK_CODE(deferred_frag));
   vkCmdClearAttachments(drawing.commands, 1, &second, 1, &rectangles[1]);
   return end_drawing(&drawing, LIGHT);
}

/* ---- without render passes --------------------------------------------------------------- */

#define LOAD_FUNCTION(name) const PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(vk_device, #name)

static VkRenderingAttachmentInfoKHR
attach(const struct drawing *drawing, unsigned number)
{
   return (VkRenderingAttachmentInfoKHR){
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO_KHR,
      .imageView = drawing->images[number].view,
      .imageLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
      .loadOp = in_tile[number].load,
      .storeOp = in_tile[number].store,
      .clearValue = *in_tile[number].clear,
   };
}

/** Deferred shading of one rendering, whose last draw has other outputs. */
struct vk_image
draw_local_read(void)
{
   LOAD_FUNCTION(vkCmdBeginRenderingKHR);
   LOAD_FUNCTION(vkCmdEndRenderingKHR);
   LOAD_FUNCTION(vkCmdSetRenderingAttachmentLocationsKHR);
   LOAD_FUNCTION(vkCmdSetRenderingInputAttachmentIndicesKHR);
   if (!vk_has_local_read()) {
      fprintf(stderr, "no VK_KHR_dynamic_rendering_local_read\n");
      exit(1);
   }
   struct drawing drawing = {0};
   create_images(drawing.images, in_tile, COUNT, 1);
   const struct vk_image *images[] = {&drawing.images[ALBEDO], &drawing.images[NORMAL],
                                      &drawing.images[DEEPNESS]};
   drawing.set = create_image_set(images, 3, VK_NULL_HANDLE, &drawing.layout);
   VkRenderingAttachmentInfoKHR colors[] = {attach(&drawing, ALBEDO), attach(&drawing, NORMAL),
                                            attach(&drawing, LIGHT)},
                                depth = attach(&drawing, DEEPNESS);
   colors[2].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
   const VkFormat formats[] = {COLOR_FORMAT, COLOR_FORMAT, COLOR_FORMAT};
   const VkPipelineRenderingCreateInfoKHR rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO_KHR,
      .colorAttachmentCount = 3,
      .pColorAttachmentFormats = formats,
      .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT,
   };
   const uint32_t last[] = {VK_ATTACHMENT_UNUSED, VK_ATTACHMENT_UNUSED, 0},
                  indices[] = {0, 1, VK_ATTACHMENT_UNUSED}, depth_index = 2;
   const VkRenderingInputAttachmentIndexInfoKHR inputs = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
      .colorAttachmentCount = 3,
      .pColorAttachmentInputIndices = indices,
      .pDepthInputAttachmentIndex = &depth_index,
   };
   const VkRenderingAttachmentLocationInfoKHR locations = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
      .pNext = &inputs,
      .colorAttachmentCount = 3,
      .pColorAttachmentLocations = last,
   };
   const VkRenderingInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO_KHR,
      .renderArea = {{0, 0}, {picture_width, picture_height}},
      .layerCount = 1,
      .colorAttachmentCount = 3,
      .pColorAttachments = colors,
      .pDepthAttachment = &depth,
   };
   VkCommandBuffer commands = vk_begin();
   for (unsigned i = 0; i < 3; i++)
      vk_change_layout(commands, images[i], VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR);
   vk_change_layout(commands, &drawing.images[LIGHT], VK_IMAGE_LAYOUT_GENERAL);
   vkCmdBeginRenderingKHR(commands, &info);
   set_viewport(commands, picture_width, picture_height);
   struct vk_pipeline_description description = describe(NULL, create_plain_layout(), VK_CODE(gbuffer_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   description.num_colors = 3;
   description.depth = true;
   description.rendering = &rendering;
   draw(commands, &description, VK_NULL_HANDLE, false);
   record_local_barrier(commands);
   vkCmdSetRenderingAttachmentLocationsKHR(commands, &locations);
   vkCmdSetRenderingInputAttachmentIndicesKHR(commands, &inputs);
   description = describe(NULL, drawing.layout, VK_CODE(deferred_frag));
   description.num_colors = 3;
   description.rendering = &rendering;
   description.next = &locations;
   draw(commands, &description, drawing.set, true);
   vkCmdEndRenderingKHR(commands);
   vk_run(commands);
   return drawing.images[LIGHT];
}

/** Parts of some layers are cleared, of three that are rendered at once; a triangle is in the first. */
struct vk_image
draw_cleared_layers(void)
{
   LOAD_FUNCTION(vkCmdBeginRenderingKHR);
   LOAD_FUNCTION(vkCmdEndRenderingKHR);
   const uint32_t layers = 3;
   const VkFormat format = COLOR_FORMAT;
   const VkPipelineRenderingCreateInfoKHR rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO_KHR,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format,
   };
   struct drawing drawing = {0};
   create_images(drawing.images, &in_tile[LIGHT], 1, layers);
   VkRenderingAttachmentInfoKHR color = attach(&drawing, 0);
   color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
   color.storeOp = STORE;
   const VkRenderingInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO_KHR,
      .renderArea = {{0, 0}, {picture_width, picture_height}},
      .layerCount = layers,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color,
   };
   const VkClearAttachment clears[] = {
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0.5f, 1}}}},
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 1, 1}}}},
   };
   const VkClearRect rectangles[] = {{{{30, 20}, {50, 41}}, 1, 2}, {{{70, 50}, {11, 13}}, 0, 2}},
                     all_of_last = {{{0, 0}, {picture_width, picture_height}}, 2, 1};
   VkCommandBuffer commands = vk_begin();
   vk_change_layout(commands, &drawing.images[0], VK_IMAGE_LAYOUT_GENERAL);
   vkCmdBeginRenderingKHR(commands, &info);
   set_viewport(commands, picture_width, picture_height);
   vkCmdClearAttachments(commands, 1, &clears[1], 1, &all_of_last);
   struct vk_pipeline_description description = describe(NULL, create_plain_layout(), VK_CODE(color_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   description.rendering = &rendering;
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdClearAttachments(commands, 1, &clears[0], 2, rectangles);
   vkCmdEndRenderingKHR(commands);
   vk_run(commands);
   return drawing.images[0];
}
