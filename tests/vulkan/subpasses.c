/* SPDX-License-Identifier: MIT */
/**
 * Subpasses, and what else reads attachments where a pass has them, without a window:
 *    vulkan_subpasses NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them.
 */
#include <assert.h>

#include "subpasses.h"

static const struct vertex triangle[] = {
   {{0.0f, -0.8f, 0.2f, 1.0f}, {1.0f, 0.0f, 0.5f, 1.0f}},
   {{0.8f, 0.7f, 0.5f, 1.0f}, {0.5f, 1.0f, 0.0f, 1.0f}},
   {{-0.8f, 0.7f, 0.8f, 1.0f}, {0.0f, 0.5f, 1.0f, 1.0f}},
};

/** As a strip. */
static const struct vertex quad[] = {
   {{-0.9f, -0.9f, 0.4f, 1.0f}, {0.0f, 0.5f, 0.0f, 0.5f}},
   {{0.9f, -0.9f, 0.4f, 1.0f}, {1.0f, 0.0f, 0.0f, 0.5f}},
   {{-0.9f, 0.9f, 0.4f, 1.0f}, {0.0f, 1.0f, 0.5f, 0.5f}},
   {{0.9f, 0.9f, 0.4f, 1.0f}, {1.0f, 1.0f, 0.0f, 0.5f}},
};

const VkAttachmentReference attachment_references[] = {
   {0, VK_IMAGE_LAYOUT_GENERAL},
   {1, VK_IMAGE_LAYOUT_GENERAL},
   {2, VK_IMAGE_LAYOUT_GENERAL},
   {3, VK_IMAGE_LAYOUT_GENERAL},
};

/* ---- what scenes share --------------------------------------------------------- */

void
create_images(struct vk_image *images, const struct attachment *attachments, uint32_t count, uint32_t layers)
{
   assert(count <= MAX_ATTACHMENTS);
   for (uint32_t i = 0; i < count; i++) {
      const VkImageUsageFlags kind = attachments[i].format == COLOR_FORMAT
                                        ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                        : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
      images[i] = vk_create_image(attachments[i].format, picture_width, picture_height, 1, layers,
                                  attachments[i].samples, kind | attachments[i].usage);
   }
}

struct vk_pass
create_render_pass(const struct vk_image *images, const struct attachment *attachments, uint32_t count,
                   const VkSubpassDescription *subpasses, uint32_t num_subpasses,
                   VkDependencyFlags dependency, uint32_t views)
{
   struct vk_attachment attached[MAX_ATTACHMENTS];
   for (uint32_t i = 0; i < count; i++)
      attached[i] = (struct vk_attachment){&images[i], attachments[i].load, attachments[i].store,
                                           *attachments[i].clear, NULL};
   return vk_create_subpasses(attached, count, subpasses, num_subpasses, dependency, views);
}

struct drawing
create_drawing(const struct attachment *attachments, uint32_t count, const VkSubpassDescription *subpasses,
               uint32_t num_subpasses, VkDependencyFlags dependency, uint32_t views)
{
   struct drawing drawing = {0};
   const struct vk_image *inputs[MAX_ATTACHMENTS] = {NULL};
   const VkSubpassDescription *last = &subpasses[num_subpasses - 1];
   create_images(drawing.images, attachments, count, views);
   struct vk_image seen[MAX_ATTACHMENTS];
   for (uint32_t i = 0; i < last->inputAttachmentCount; i++) {
      const struct vk_image *image = &drawing.images[last->pInputAttachments[i].attachment];
      /* A descriptor's view is of depth or of stencil. */
      seen[i] = image->format == VK_FORMAT_D24_UNORM_S8_UINT
                   ? vk_view_aspect(image, VK_IMAGE_ASPECT_DEPTH_BIT)
                   : *image;
      inputs[i] = &seen[i];
   }
   drawing.set = create_image_set(inputs, last->inputAttachmentCount, VK_NULL_HANDLE, &drawing.layout);
   drawing.pass = create_render_pass(drawing.images, attachments, count, subpasses, num_subpasses, dependency,
                                     views > 1 ? (1u << views) - 1 : 0);
   return drawing;
}

void
begin_drawing(struct drawing *drawing)
{
   drawing->commands = vk_begin();
   vk_begin_pass(drawing->commands, &drawing->pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(drawing->commands, picture_width, picture_height);
}

void
next_subpass(struct drawing *drawing)
{
   vkCmdNextSubpass(drawing->commands, VK_SUBPASS_CONTENTS_INLINE);
   drawing->subpass++;
}

struct vk_image
end_drawing(struct drawing *drawing, uint32_t picture)
{
   vkCmdEndRenderPass(drawing->commands);
   vk_run(drawing->commands);
   return drawing->images[picture];
}

struct vk_pipeline_description
describe(const struct drawing *drawing, VkPipelineLayout layout, struct vk_code fragment)
{
   struct vk_pipeline_description description =
      describe_vertices(drawing ? &drawing->pass : NULL, layout, fragment);
   description.num_colors = 1;
   if (drawing)
      description.subpass = drawing->subpass;
   if (!drawing || drawing->subpass)
      description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   return description;
}

void
draw(VkCommandBuffer commands, const struct vk_pipeline_description *description, VkDescriptorSet set,
     bool is_quad)
{
   const struct vk_buffer vertices =
      create_vertices(is_quad ? quad : triangle, is_quad ? sizeof quad : sizeof triangle);
   bind(commands, vk_create_pipeline(description), &vertices);
   if (set)
      bind_set(commands, description->layout, set);
   vkCmdDraw(commands, is_quad ? 4 : 3, 1, 0, 0);
}

void
draw_triangle(const struct drawing *drawing, struct vk_code fragment, uint32_t num_colors)
{
   struct vk_pipeline_description description = describe(drawing, create_plain_layout(), fragment);
   description.num_colors = num_colors;
   draw(drawing->commands, &description, VK_NULL_HANDLE, false);
}

void
draw_quad(const struct drawing *drawing, struct vk_code fragment)
{
   const struct vk_pipeline_description description = describe(drawing, drawing->layout, fragment);
   draw(drawing->commands, &description, drawing->set, true);
}

void
record_local_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, BY_REGION, 1, &barrier, 0, NULL, 0, NULL);
}

/* ---- the program ---------------------------------------------------------------------------- */

static const struct scene scenes[] = {
   {"two_subpasses", draw_two_subpasses, false, false},
   {"two_passes", draw_two_passes, false, false},
   {"not_by_region", draw_not_by_region, false, false},
   {"other_pixels", draw_other_pixels, false, false},
   {"secondary", draw_secondary, false, false},
   {"cleared_parts", draw_cleared_parts, false, false},
   {"own_sample", draw_own_sample, false, false},
   {"all_samples", draw_all_samples, false, false},
   {"resolved", draw_resolved, false, false},
   {"stencil", draw_stencil, false, false},
   {"three", draw_three, false, false},
   {"dual_source", draw_dual_source, false, false},
   {"feedback", draw_feedback, false, false},
   {"loaded", draw_loaded, false, false},
   {"views", draw_views, false, false},
   {"cleared_views", draw_cleared_views, false, false},
   {"local_read", draw_local_read, false, false},
   {"cleared_layers", draw_cleared_layers, false, false},
};

int
main(int argc, char **argv)
{
   return run_scenes(scenes, sizeof scenes / sizeof scenes[0], vk_open, argc, argv);
}
