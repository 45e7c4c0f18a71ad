/* SPDX-License-Identifier: MIT */
/** Subpasses of several samples, depth and stencil, outputs that change places, blending, feedback, loads, views. */
#include <stdlib.h>

#include "subpasses.h"

#include "add.frag.h"
#include "all_samples.frag.h"
#include "color.frag.h"
#include "dual_source.frag.h"
#include "gbuffer.frag.h"
#include "light.frag.h"
#include "own_sample.frag.h"
#include "stencil.frag.h"
#include "view.frag.h"

/* ---- samples ----------------------------------------------------------------------- */

/** Four samples a pixel, of which the second subpass reads its own, or all; the result is resolved. */
static struct vk_image
draw_samples(struct vk_code fragment)
{
   static const struct attachment attachments[] = {
      {COLOR_FORMAT, FOUR, TRANSIENT, CLEAR, DROP, &grey},
      {COLOR_FORMAT, FOUR, TRANSIENT, CLEAR, DROP, &white},
      {COLOR_FORMAT, FOUR, TRANSIENT, CLEAR, DROP, &grey},
      {COLOR_FORMAT, ONE, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_ATTACHMENT_LOAD_OP_DONT_CARE, STORE, &grey},
   };
   static const VkSubpassDescription subpasses[] = {
      {OUTPUTS(0, 2)},
      {OUTPUTS(2, 1), RESOLVED_TO(3), INPUTS(0, 2)},
   };
   struct drawing drawing = create_drawing(attachments, 4, subpasses, 2, BY_REGION, 1);
   begin_drawing(&drawing);
   draw_triangle(&drawing, VK_CODE(gbuffer_frag), 2);
   next_subpass(&drawing);
   draw_quad(&drawing, fragment);
   return end_drawing(&drawing, 3);
}

struct vk_image
draw_own_sample(void)
{
   return draw_samples(VK_CODE(own_sample_frag));
}

struct vk_image
draw_all_samples(void)
{
   return draw_samples(VK_CODE(all_samples_frag));
}

/** The second subpass reads what the first has resolved: it has another number of samples, and is another pass. */
struct vk_image
draw_resolved(void)
{
   static const struct attachment attachments[] = {
      {COLOR_FORMAT, FOUR, TRANSIENT, CLEAR, DROP, &grey},
      {COLOR_FORMAT, ONE, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, VK_ATTACHMENT_LOAD_OP_DONT_CARE, DROP, &grey},
      PICTURE(white),
   };
   static const VkSubpassDescription subpasses[] = {
      {OUTPUTS(0, 1), RESOLVED_TO(1)},
      {OUTPUTS(2, 1), INPUTS(1, 1)},
   };
   struct drawing drawing = create_drawing(attachments, 3, subpasses, 2, BY_REGION, 1);
   begin_drawing(&drawing);
   draw_triangle(&drawing, VK_CODE(color_frag), 1);
   next_subpass(&drawing);
   drawing.pass.samples = ONE;
   draw_quad(&drawing, VK_CODE(add_frag));
   return end_drawing(&drawing, 2);
}

/* ---- others -------------------------------------------------------------------------- */

/** Depth and stencil are read. */
struct vk_image
draw_stencil(void)
{
   static const struct attachment attachments[] = {
      {VK_FORMAT_D24_UNORM_S8_UINT, ONE, TRANSIENT, CLEAR, DROP, &far_away},
      PICTURE(grey),
   };
   static const VkAttachmentReference both[] = {{0, VK_IMAGE_LAYOUT_GENERAL}, {0, VK_IMAGE_LAYOUT_GENERAL}};
   static const VkSubpassDescription subpasses[] = {
      {DEPTH(0)},
      {OUTPUTS(1, 1), .inputAttachmentCount = 2, .pInputAttachments = both},
   };
   struct drawing drawing = create_drawing(attachments, 2, subpasses, 2, BY_REGION, 1);
   /* An input attachment's view is of one of the two. */
   const struct vk_image depth = vk_view_aspect(&drawing.images[0], VK_IMAGE_ASPECT_DEPTH_BIT),
                         stencil = vk_view_aspect(&drawing.images[0], VK_IMAGE_ASPECT_STENCIL_BIT),
                         *inputs[] = {&depth, &stencil};
   drawing.set = create_image_set(inputs, 2, VK_NULL_HANDLE, &drawing.layout);
   begin_drawing(&drawing);
   struct vk_pipeline_description description =
      describe(&drawing, create_plain_layout(), VK_CODE(color_frag));
   description.num_colors = 0;
   description.depth = description.stencil = true;
   description.reference = 5;
   draw(drawing.commands, &description, VK_NULL_HANDLE, false);
   next_subpass(&drawing);
   draw_quad(&drawing, VK_CODE(stencil_frag));
   return end_drawing(&drawing, 1);
}

/** Each subpass has other attachments as its outputs: the second swaps the first's two, and blends; the third reads both. */
struct vk_image
draw_three(void)
{
   static const struct attachment attachments[] = {READ_IN_TILE(grey), READ_IN_TILE(white), PICTURE(grey)};
   static const VkAttachmentReference swapped[] = {{1, VK_IMAGE_LAYOUT_GENERAL},
                                                   {0, VK_IMAGE_LAYOUT_GENERAL}};
   static const VkSubpassDescription subpasses[] = {
      {OUTPUTS(0, 2)},
      {.colorAttachmentCount = 2, .pColorAttachments = swapped},
      {OUTPUTS(2, 1), INPUTS(0, 2)},
   };
   struct drawing drawing = create_drawing(attachments, 3, subpasses, 3, BY_REGION, 1);
   begin_drawing(&drawing);
   draw_triangle(&drawing, VK_CODE(gbuffer_frag), 2);
   next_subpass(&drawing);
   struct vk_pipeline_description description =
      describe(&drawing, create_plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   description.blend = true;
   draw(drawing.commands, &description, VK_NULL_HANDLE, true);
   next_subpass(&drawing);
   draw_quad(&drawing, VK_CODE(light_frag));
   return end_drawing(&drawing, 2);
}

/** The second subpass blends its attachment, which is the pass's second, with two colours. */
struct vk_image
draw_dual_source(void)
{
   static const struct attachment attachments[] = {READ_IN_TILE(white), PICTURE(grey)};
   static const VkSubpassDescription subpasses[] = {{OUTPUTS(0, 1)}, {OUTPUTS(1, 1), INPUTS(0, 1)}};
   struct drawing drawing = create_drawing(attachments, 2, subpasses, 2, BY_REGION, 1);
   begin_drawing(&drawing);
   draw_triangle(&drawing, VK_CODE(color_frag), 1);
   next_subpass(&drawing);
   struct vk_pipeline_description description = describe(&drawing, drawing.layout, VK_CODE(dual_source_frag));
   description.blend = description.dual_source = true;
   draw(drawing.commands, &description, drawing.set, true);
   return end_drawing(&drawing, 1);
}

/** One subpass reads the attachment that it draws, after barriers. */
struct vk_image
draw_feedback(void)
{
   static const struct attachment attachment = PICTURE(grey);
   static const VkSubpassDescription subpass = {OUTPUTS(0, 1), INPUTS(0, 1)};
   struct drawing drawing = create_drawing(&attachment, 1, &subpass, 1, BY_REGION, 1);
   begin_drawing(&drawing);
   for (unsigned i = 0; i < 3; i++) {
      struct vk_pipeline_description description = describe(&drawing, drawing.layout, VK_CODE(add_frag));
      if (i)
         record_local_barrier(drawing.commands);
      if (i % 2)
         description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
      draw(drawing.commands, &description, drawing.set, i % 2);
   }
   return end_drawing(&drawing, 0);
}

/** A subpass reads what was there before, an image that nothing draws. */
struct vk_image
draw_loaded(void)
{
   static const struct attachment attachments[] = {
      {COLOR_FORMAT, ONE, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, LOAD, DROP,
       &grey},
      PICTURE(grey),
   };
   static const VkSubpassDescription subpass = {OUTPUTS(1, 1), INPUTS(0, 1)};
   struct drawing drawing = create_drawing(attachments, 2, &subpass, 1, BY_REGION, 1);
   uint8_t *texels = malloc(4 * (size_t)picture_width * picture_height);
   for (uint32_t i = 0; texels && i < 4 * picture_width * picture_height; i++)
      texels[i] = (uint8_t)(i / 4 % 251);
   vk_upload(&drawing.images[0], 0, 0, texels, 4);
   free(texels);
   begin_drawing(&drawing);
   struct vk_pipeline_description description = describe(&drawing, drawing.layout, VK_CODE(add_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   draw(drawing.commands, &description, drawing.set, true);
   return end_drawing(&drawing, 1);
}

/** Two views, layers of the images, each of which reads its own; parts are cleared in all views, or not. */
static struct vk_image
draw_two_views(bool cleared)
{
   static const struct attachment attachments[] = {
      {COLOR_FORMAT, ONE, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, CLEAR, DROP, &grey},
      PICTURE(white),
   };
   static const VkSubpassDescription subpasses[] = {{OUTPUTS(0, 1)}, {OUTPUTS(1, 1), INPUTS(0, 1)}};
   static const VkClearAttachment clears[] = {
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0.5f, 1}}}},
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 1, 1}}}},
   };
   static const VkClearRect rectangles[] = {{{{30, 20}, {50, 41}}, 0, 1}, {{{70, 50}, {11, 13}}, 0, 1}};
   struct drawing drawing = create_drawing(attachments, 2, subpasses, 2, BY_REGION, 2);
   begin_drawing(&drawing);
   draw_triangle(&drawing, VK_CODE(view_frag), 1);
   if (cleared)
      vkCmdClearAttachments(drawing.commands, 1, &clears[0], 2, rectangles);
   next_subpass(&drawing);
   draw_quad(&drawing, VK_CODE(add_frag));
   if (cleared)
      vkCmdClearAttachments(drawing.commands, 1, &clears[1], 1, &rectangles[1]);
   return end_drawing(&drawing, 1);
}

struct vk_image
draw_views(void)
{
   return draw_two_views(false);
}

struct vk_image
draw_cleared_views(void)
{
   return draw_two_views(true);
}
