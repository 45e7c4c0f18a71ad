/* SPDX-License-Identifier: MIT */
/**
 * Subpasses, and what else reads attachments where a pass has them, without a window:
 *    vulkan_subpasses NAME FILE.ppm [WIDTH HEIGHT]
 * draws the scene NAME (scenes[]) and writes it. Without arguments it lists them. Most are deferred shading: a triangle's
 * colours, normals and depth are drawn first, and then a quad whose pixels are computed from these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "local_read.h"

#include "add.frag.h"
#include "all_samples.frag.h"
#include "color.frag.h"
#include "color.vert.h"
#include "deferred.frag.h"
#include "deferred_textures.frag.h"
#include "dual_source.frag.h"
#include "gbuffer.frag.h"
#include "light.frag.h"
#include "own_sample.frag.h"
#include "stencil.frag.h"
#include "view.frag.h"

static uint32_t picture_width = 203, picture_height = 117;
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define BY_REGION VK_DEPENDENCY_BY_REGION_BIT
#define CLEAR VK_ATTACHMENT_LOAD_OP_CLEAR
#define STORE VK_ATTACHMENT_STORE_OP_STORE
#define DROP VK_ATTACHMENT_STORE_OP_DONT_CARE

struct vertex {
   float position[4], color[4];
};

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

static const VkClearValue grey = {.color = {.float32 = {0.25f, 0.25f, 0.5f, 1.0f}}};
static const VkClearValue white = {.color = {.float32 = {1.0f, 1.0f, 1.0f, 1.0f}}};
static const VkClearValue far_away = {.depthStencil = {1.0f, 1}};

/* ---- what scenes share --------------------------------------------------------- */

static struct vk_image
create_attachment(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
   const VkImageUsageFlags kind = format == COLOR_FORMAT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                         : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
   return vk_create_image(format, picture_width, picture_height, 1, 1, samples, kind | usage);
}

#define TRANSIENT (VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT)

static struct vk_image
create_target(void)
{
   return create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT,
                            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
}

/** The image as an input attachment, or as a texture. */
static VkDescriptorSet
create_set(const struct vk_image *const *images, uint32_t count, VkSampler sampler, VkPipelineLayout *layout)
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

static VkSampler
create_sampler(void)
{
   return vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                            VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, false);
}

static struct vk_pipeline_description
describe(const struct vk_pass *pass, uint32_t subpass, VkPipelineLayout layout, struct vk_code fragment)
{
   return (struct vk_pipeline_description){
      .vertex = VK_CODE(color_vert),
      .fragment = fragment,
      .pass = pass ? pass->pass : VK_NULL_HANDLE,
      .subpass = subpass,
      .num_colors = 1,
      .layout = layout,
      .stride = sizeof(struct vertex),
      .num_attributes = 2,
      .samples = pass ? pass->samples : VK_SAMPLE_COUNT_1_BIT,
      .topology =
         subpass || !pass ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
   };
}

static void
set_viewport(VkCommandBuffer commands)
{
   const VkViewport viewport = {0, 0, (float)picture_width, (float)picture_height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {picture_width, picture_height}};
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
}

/** Draws the triangle or the quad (set: NULL: without descriptors). */
static void
draw(VkCommandBuffer commands, const struct vk_pipeline_description *description, VkDescriptorSet set,
     bool is_quad)
{
   const struct vk_buffer vertices =
      vk_create_buffer(is_quad ? sizeof quad : sizeof triangle, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                       is_quad ? quad : triangle);
   const VkDeviceSize offset = 0;
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(description));
   vkCmdBindVertexBuffers(commands, 0, 1, &vertices.buffer, &offset);
   if (set)
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, description->layout, 0, 1, &set, 0,
                              NULL);
   vkCmdDraw(commands, is_quad ? 4 : 3, 1, 0, 0);
}

static VkPipelineLayout
plain_layout(void)
{
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   return layout;
}

static void
push_offset(VkCommandBuffer commands, VkPipelineLayout layout, int32_t x, int32_t y)
{
   const int32_t offset[2] = {x, y};
   vkCmdPushConstants(commands, layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
                      0, sizeof offset, offset);
}

static const VkAttachmentReference references[] = {
   {0, VK_IMAGE_LAYOUT_GENERAL},
   {1, VK_IMAGE_LAYOUT_GENERAL},
   {2, VK_IMAGE_LAYOUT_GENERAL},
   {3, VK_IMAGE_LAYOUT_GENERAL},
};
static const VkAttachmentReference none = {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};

/* ---- deferred shading ------------------------------------------------------------- */

struct deferred {
   struct vk_image albedo, normal, depth, light;
   const struct vk_image *inputs[3];
   VkPipelineLayout layout;
   VkDescriptorSet set;
};

/** usage: of the images that are drawn first. */
static struct deferred
create_deferred(VkImageUsageFlags usage)
{
   return (struct deferred){
      .albedo = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT, usage),
      .normal = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT, usage),
      .depth = create_attachment(VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT, usage),
      .light = create_target(),
   };
}

static void
set_inputs(struct deferred *deferred, VkSampler sampler)
{
   deferred->inputs[0] = &deferred->albedo;
   deferred->inputs[1] = &deferred->normal;
   deferred->inputs[2] = &deferred->depth;
   deferred->set = create_set(deferred->inputs, 3, sampler, &deferred->layout);
}

static struct vk_pass
create_deferred_pass(const struct deferred *deferred, VkDependencyFlags dependency, bool has_inputs)
{
   const struct vk_attachment attachments[] = {
      {&deferred->albedo, CLEAR, DROP, grey, NULL},
      {&deferred->normal, CLEAR, DROP, white, NULL},
      {&deferred->depth, CLEAR, DROP, far_away, NULL},
      {&deferred->light, CLEAR, STORE, grey, NULL},
   };
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 2, .pColorAttachments = references, .pDepthStencilAttachment = &references[2]},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[3],
       .inputAttachmentCount = has_inputs ? 3 : 0,
       .pInputAttachments = references},
   };
   return vk_create_subpasses(attachments, 4, subpasses, 2, dependency, 0);
}

static void
draw_first(VkCommandBuffer commands, const struct vk_pass *pass)
{
   struct vk_pipeline_description description = describe(pass, 0, plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   description.depth = true;
   draw(commands, &description, VK_NULL_HANDLE, false);
}

static struct vk_image
draw_deferred(VkDependencyFlags dependency)
{
   struct deferred deferred = create_deferred(TRANSIENT);
   set_inputs(&deferred, VK_NULL_HANDLE);
   const struct vk_pass pass = create_deferred_pass(&deferred, dependency, true);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   draw_first(commands, &pass);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   struct vk_pipeline_description description = describe(&pass, 1, deferred.layout, VK_CODE(deferred_frag));
   /* Without an attachment nothing is tested. */
   description.depth = true;
   draw(commands, &description, deferred.set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return deferred.light;
}

static struct vk_image
draw_two_subpasses(void)
{
   return draw_deferred(BY_REGION);
}

/** The second subpass may read all of what the first has drawn. */
static struct vk_image
draw_not_by_region(void)
{
   return draw_deferred(0);
}

/** The same without subpasses: what the first pass has stored is textures of the second. */
static struct vk_image
draw_two_passes(void)
{
   struct deferred deferred = create_deferred(VK_IMAGE_USAGE_SAMPLED_BIT);
   set_inputs(&deferred, create_sampler());
   const struct vk_attachment attachments[] = {{&deferred.albedo, CLEAR, STORE, grey, NULL},
                                               {&deferred.normal, CLEAR, STORE, white, NULL}},
                              depth = {&deferred.depth, CLEAR, STORE, far_away, NULL},
                              light = {&deferred.light, CLEAR, STORE, grey, NULL};
   const struct vk_pass passes[] = {vk_create_pass(attachments, 2, &depth), vk_create_pass(&light, 1, NULL)};
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &passes[0], VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   draw_first(commands, &passes[0]);
   vkCmdEndRenderPass(commands);
   vk_barrier(commands);
   vk_begin_pass(commands, &passes[1], VK_SUBPASS_CONTENTS_INLINE);
   push_offset(commands, deferred.layout, 0, 0);
   struct vk_pipeline_description description =
      describe(&passes[1], 0, deferred.layout, VK_CODE(deferred_textures_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   draw(commands, &description, deferred.set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return deferred.light;
}

/** A second subpass that says it needs its own pixels and samples the first's attachments at others. */
static struct vk_image
draw_other_pixels(void)
{
   struct deferred deferred =
      create_deferred(VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
   set_inputs(&deferred, create_sampler());
   const struct vk_pass pass = create_deferred_pass(&deferred, BY_REGION, false);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   draw_first(commands, &pass);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   push_offset(commands, deferred.layout, 40, -25);
   const struct vk_pipeline_description description =
      describe(&pass, 1, deferred.layout, VK_CODE(deferred_textures_frag));
   draw(commands, &description, deferred.set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return deferred.light;
}

/** Subpasses that other command buffers draw. */
static struct vk_image
draw_secondary(void)
{
   struct deferred deferred = create_deferred(TRANSIENT);
   set_inputs(&deferred, VK_NULL_HANDLE);
   const struct vk_pass pass = create_deferred_pass(&deferred, BY_REGION, true);
   VkCommandBuffer parts[] = {vk_begin_secondary(&pass, 0), vk_begin_secondary(&pass, 1)};
   set_viewport(parts[0]);
   draw_first(parts[0], &pass);
   const struct vk_pipeline_description description =
      describe(&pass, 1, deferred.layout, VK_CODE(deferred_frag));
   set_viewport(parts[1]);
   draw(parts[1], &description, deferred.set, true);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
   for (unsigned i = 0; i < 2; i++) {
      if (i)
         vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
      vkEndCommandBuffer(parts[i]);
      vkCmdExecuteCommands(commands, 1, &parts[i]);
   }
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return deferred.light;
}

/** Parts of attachments are cleared within the subpasses. */
static struct vk_image
draw_cleared_parts(void)
{
   struct deferred deferred = create_deferred(TRANSIENT);
   set_inputs(&deferred, VK_NULL_HANDLE);
   const struct vk_pass pass = create_deferred_pass(&deferred, BY_REGION, true);
   const VkClearAttachment first[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, {.color = {.float32 = {0, 1, 0.5f, 1}}}},
                                      {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {0.1f, 0}}}},
                           second = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 1, 1}}}};
   const VkClearRect rectangles[] = {{{{30, 20}, {50, 41}}, 0, 1}, {{{70, 50}, {11, 13}}, 0, 1}};
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   draw_first(commands, &pass);
   vkCmdClearAttachments(commands, 2, first, 2, rectangles);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   const struct vk_pipeline_description description =
      describe(&pass, 1, deferred.layout, VK_CODE(deferred_frag));
   draw(commands, &description, deferred.set, true);
   vkCmdClearAttachments(commands, 1, &second, 1, &rectangles[1]);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return deferred.light;
}

/* ---- samples ----------------------------------------------------------------------- */

/** Four samples a pixel, of which the second subpass reads its own, or all; the result is resolved. */
static struct vk_image
draw_samples(struct vk_code fragment)
{
   const VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
   const struct vk_image albedo = create_attachment(COLOR_FORMAT, samples, TRANSIENT),
                         normal = create_attachment(COLOR_FORMAT, samples, TRANSIENT),
                         light = create_attachment(COLOR_FORMAT, samples, TRANSIENT),
                         target = create_target(), *inputs[] = {&albedo, &normal};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 2, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&albedo, CLEAR, DROP, grey, NULL},
                                               {&normal, CLEAR, DROP, white, NULL},
                                               {&light, CLEAR, DROP, grey, NULL},
                                               {&target, VK_ATTACHMENT_LOAD_OP_DONT_CARE, STORE, grey, NULL}};
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 2, .pColorAttachments = references},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[2],
       .pResolveAttachments = &references[3],
       .inputAttachmentCount = 2,
       .pInputAttachments = references},
   };
   const struct vk_pass pass = vk_create_subpasses(attachments, 4, subpasses, 2, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 1, layout, fragment);
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

static struct vk_image
draw_own_sample(void)
{
   return draw_samples(VK_CODE(own_sample_frag));
}

static struct vk_image
draw_all_samples(void)
{
   return draw_samples(VK_CODE(all_samples_frag));
}

/** The second subpass reads what the first has resolved: it has another number of samples, and is another pass. */
static struct vk_image
draw_resolved(void)
{
   const struct vk_image samples = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_4_BIT, TRANSIENT),
                         single = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT,
                                                    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
                         target = create_target(), *inputs[] = {&single};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 1, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {
      {&samples, CLEAR, DROP, grey, NULL},
      {&single, VK_ATTACHMENT_LOAD_OP_DONT_CARE, DROP, grey, NULL},
      {&target, CLEAR, STORE, white, NULL},
   };
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 1, .pColorAttachments = references, .pResolveAttachments = &references[1]},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[2],
       .inputAttachmentCount = 1,
       .pInputAttachments = &references[1]},
   };
   struct vk_pass pass = vk_create_subpasses(attachments, 3, subpasses, 2, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(color_frag));
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   pass.samples = VK_SAMPLE_COUNT_1_BIT;
   description = describe(&pass, 1, layout, VK_CODE(add_frag));
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/* ---- others -------------------------------------------------------------------------- */

/** Depth and stencil are read. */
static struct vk_image
draw_stencil(void)
{
   const struct vk_image both =
                            create_attachment(VK_FORMAT_D24_UNORM_S8_UINT, VK_SAMPLE_COUNT_1_BIT, TRANSIENT),
                         depth = vk_view_aspect(&both, VK_IMAGE_ASPECT_DEPTH_BIT),
                         stencil = vk_view_aspect(&both, VK_IMAGE_ASPECT_STENCIL_BIT),
                         target = create_target(), *inputs[] = {&depth, &stencil};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 2, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&both, CLEAR, DROP, far_away, NULL},
                                               {&target, CLEAR, STORE, grey, NULL}};
   const VkAttachmentReference read[] = {references[0], references[0]};
   const VkSubpassDescription subpasses[] = {
      {.pDepthStencilAttachment = references},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[1],
       .inputAttachmentCount = 2,
       .pInputAttachments = read},
   };
   const struct vk_pass pass = vk_create_subpasses(attachments, 2, subpasses, 2, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(color_frag));
   description.num_colors = 0;
   description.depth = description.stencil = true;
   description.reference = 5;
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 1, layout, VK_CODE(stencil_frag));
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** Each subpass has other attachments as its outputs: the second swaps the first's two, and blends; the third reads both. */
static struct vk_image
draw_three(void)
{
   const struct vk_image a = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT, TRANSIENT),
                         b = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT, TRANSIENT),
                         target = create_target(), *inputs[] = {&a, &b};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 2, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&a, CLEAR, DROP, grey, NULL},
                                               {&b, CLEAR, DROP, white, NULL},
                                               {&target, CLEAR, STORE, grey, NULL}};
   const VkAttachmentReference swapped[] = {references[1], references[0]}, last[] = {none, references[2]};
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 2, .pColorAttachments = references},
      {.colorAttachmentCount = 2, .pColorAttachments = swapped},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &last[1],
       .inputAttachmentCount = 2,
       .pInputAttachments = references},
   };
   const struct vk_pass pass = vk_create_subpasses(attachments, 3, subpasses, 3, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 1, plain_layout(), VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   description.blend = true;
   draw(commands, &description, VK_NULL_HANDLE, true);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 2, layout, VK_CODE(light_frag));
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** The second subpass blends its attachment, which is the pass's second, with two colours. */
static struct vk_image
draw_dual_source(void)
{
   const struct vk_image first = create_attachment(COLOR_FORMAT, VK_SAMPLE_COUNT_1_BIT, TRANSIENT),
                         target = create_target(), *inputs[] = {&first};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 1, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&first, CLEAR, DROP, white, NULL},
                                               {&target, CLEAR, STORE, grey, NULL}};
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 1, .pColorAttachments = references},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[1],
       .inputAttachmentCount = 1,
       .pInputAttachments = references},
   };
   const struct vk_pass pass = vk_create_subpasses(attachments, 2, subpasses, 2, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(color_frag));
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 1, layout, VK_CODE(dual_source_frag));
   description.blend = description.dual_source = true;
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

static void
record_local_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, BY_REGION, 1, &barrier, 0, NULL, 0, NULL);
}

/** One subpass reads the attachment that it draws, after barriers. */
static struct vk_image
draw_feedback(void)
{
   const struct vk_image target = create_target(), *inputs[] = {&target};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 1, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachment = {&target, CLEAR, STORE, grey, NULL};
   const VkSubpassDescription subpass = {.colorAttachmentCount = 1,
                                         .pColorAttachments = references,
                                         .inputAttachmentCount = 1,
                                         .pInputAttachments = references};
   const struct vk_pass pass = vk_create_subpasses(&attachment, 1, &subpass, 1, BY_REGION, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   for (unsigned i = 0; i < 3; i++) {
      struct vk_pipeline_description description = describe(&pass, 0, layout, VK_CODE(add_frag));
      if (i)
         record_local_barrier(commands);
      if (i % 2)
         description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
      draw(commands, &description, set, i % 2);
   }
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** A subpass reads what was there before, an image that nothing draws. */
static struct vk_image
draw_loaded(void)
{
   const struct vk_image before = vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 1,
                                                  VK_SAMPLE_COUNT_1_BIT,
                                                  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                         target = create_target(), *inputs[] = {&before};
   uint8_t *texels = malloc(4 * (size_t)picture_width * picture_height);
   for (uint32_t i = 0; texels && i < 4 * picture_width * picture_height; i++)
      texels[i] = (uint8_t)(i / 4 % 251);
   vk_upload(&before, 0, 0, texels, 4);
   free(texels);
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 1, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&before, VK_ATTACHMENT_LOAD_OP_LOAD, DROP, grey, NULL},
                                               {&target, CLEAR, STORE, grey, NULL}};
   const VkSubpassDescription subpass = {.colorAttachmentCount = 1,
                                         .pColorAttachments = &references[1],
                                         .inputAttachmentCount = 1,
                                         .pInputAttachments = references};
   const struct vk_pass pass = vk_create_subpasses(attachments, 2, &subpass, 1, 0, 0);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, layout, VK_CODE(add_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return target;
}

/** Two views, layers of the images, each of which reads its own. */
static struct vk_image
draw_views(void)
{
   struct vk_image images[2];
   for (unsigned i = 0; i < 2; i++)
      images[i] = vk_create_image(COLOR_FORMAT, picture_width, picture_height, 1, 2, VK_SAMPLE_COUNT_1_BIT,
                                  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
   const struct vk_image *inputs[] = {&images[0]};
   VkPipelineLayout layout;
   VkDescriptorSet set = create_set(inputs, 1, VK_NULL_HANDLE, &layout);
   const struct vk_attachment attachments[] = {{&images[0], CLEAR, DROP, grey, NULL},
                                               {&images[1], CLEAR, STORE, white, NULL}};
   const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 1, .pColorAttachments = references},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[1],
       .inputAttachmentCount = 1,
       .pInputAttachments = references},
   };
   const struct vk_pass pass = vk_create_subpasses(attachments, 2, subpasses, 2, BY_REGION, 3);
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(&pass, 0, plain_layout(), VK_CODE(view_frag));
   draw(commands, &description, VK_NULL_HANDLE, false);
   vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
   description = describe(&pass, 1, layout, VK_CODE(add_frag));
   draw(commands, &description, set, true);
   vkCmdEndRenderPass(commands);
   vk_run(commands);
   return images[1];
}

/* ---- without render passes --------------------------------------------------------------- */

#define LOAD_FUNCTION(name) const PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(vk_device, #name)

static VkRenderingAttachmentInfoKHR
attach(const struct vk_image *image, VkAttachmentStoreOp store, VkClearValue clear)
{
   return (VkRenderingAttachmentInfoKHR){
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO_KHR,
      .imageView = image->view,
      .imageLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
      .loadOp = CLEAR,
      .storeOp = store,
      .clearValue = clear,
   };
}

/** Deferred shading of one rendering, whose last draw has other outputs. */
static struct vk_image
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
   struct deferred deferred = create_deferred(TRANSIENT);
   set_inputs(&deferred, VK_NULL_HANDLE);
   const VkRenderingAttachmentInfoKHR colors[] = {attach(&deferred.albedo, DROP, grey),
                                                  attach(&deferred.normal, DROP, white),
                                                  attach(&deferred.light, STORE, grey)},
                                      depth = attach(&deferred.depth, DROP, far_away);
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
   vkCmdBeginRenderingKHR(commands, &info);
   set_viewport(commands);
   struct vk_pipeline_description description = describe(NULL, 0, plain_layout(), VK_CODE(gbuffer_frag));
   description.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   description.num_colors = 3;
   description.depth = true;
   description.rendering = &rendering;
   draw(commands, &description, VK_NULL_HANDLE, false);
   record_local_barrier(commands);
   vkCmdSetRenderingAttachmentLocationsKHR(commands, &locations);
   vkCmdSetRenderingInputAttachmentIndicesKHR(commands, &inputs);
   description = describe(NULL, 0, deferred.layout, VK_CODE(deferred_frag));
   description.num_colors = 3;
   description.rendering = &rendering;
   description.next = &locations;
   draw(commands, &description, deferred.set, true);
   vkCmdEndRenderingKHR(commands);
   vk_run(commands);
   return deferred.light;
}

/* ---- the program ---------------------------------------------------------------------------- */

static const struct scene {
   const char *name;
   struct vk_image (*draw)(void);
} scenes[] = {
   {"two_subpasses", draw_two_subpasses},
   {"two_passes", draw_two_passes},
   {"not_by_region", draw_not_by_region},
   {"other_pixels", draw_other_pixels},
   {"secondary", draw_secondary},
   {"cleared_parts", draw_cleared_parts},
   {"own_sample", draw_own_sample},
   {"all_samples", draw_all_samples},
   {"resolved", draw_resolved},
   {"stencil", draw_stencil},
   {"three", draw_three},
   {"dual_source", draw_dual_source},
   {"feedback", draw_feedback},
   {"loaded", draw_loaded},
   {"views", draw_views},
   {"local_read", draw_local_read},
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof scenes / sizeof scenes[0];
   for (size_t i = 0; i < count; i++) {
      if (argc == 1)
         puts(scenes[i].name);
      if ((argc != 3 && argc != 5) || strcmp(argv[1], scenes[i].name))
         continue;
      if (argc == 5) {
         picture_width = (uint32_t)atoi(argv[3]);
         picture_height = (uint32_t)atoi(argv[4]);
      }
      vk_open();
      const struct vk_image picture = scenes[i].draw();
      vk_write_picture(&picture, argv[2]);
      vk_close();
      return 0;
   }
   if (argc == 1)
      return 0;
   fprintf(stderr, "usage: %s NAME FILE.ppm [WIDTH HEIGHT]\n", argv[0]);
   return 2;
}
