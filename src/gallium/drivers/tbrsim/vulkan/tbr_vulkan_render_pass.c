/* SPDX-License-Identifier: MIT */
/**
 * Render passes as a tiler draws them: subpasses that need nothing but their own pixels are one pass of the tiles, with the
 * attachments of all of them. It is recorded as lavapipe's rendering with LVP_RENDERING_SUBPASSES_BIT; each subpass says
 * which of the attachments are its own. The functions named lvp_* stand for those of Mesa's runtime, which has a rendering
 * for each subpass, and still records what is not described here (uses_groups).
 */
#include "lvp_private.h"
#include "vk_common_entrypoints.h"
#include "vk_framebuffer.h"
#include "vk_render_pass.h"
#include "tbr_limits.h"

/** An attachment of a group. */
struct group_color {
   uint32_t attachment;
   uint32_t resolve; /**< the attachment that it is resolved to; VK_ATTACHMENT_UNUSED */
};

/** Subpasses that are one pass, and its attachments. */
struct group {
   uint32_t first, count;
   uint32_t samples; /**< 0: not known yet */
   uint32_t num_colors;
   struct group_color colors[TBR_MAX_COLOR_BUFFERS];
   struct group_color depth; /**< with or without stencil; VK_ATTACHMENT_UNUSED: none */
   VkResolveModeFlagBits depth_mode, stencil_mode;
};

/* ---- which subpasses are one pass ------------------------------------------- */

/** Dependencies of these stages are between pixels, if they are by region. */
#define PIXEL_STAGES                                                                                \
   (VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |        \
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | \
    VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT)

/** Whether a subpass depends on those of the group at the own pixel only. */
static bool
depends_by_region(const struct vk_render_pass *pass, const struct group *group, uint32_t subpass)
{
   for (uint32_t d = 0; d < pass->dependency_count; d++) {
      const struct vk_subpass_dependency *dependency = &pass->dependencies[d];
      if (dependency->dst_subpass != subpass || dependency->src_subpass < group->first ||
          dependency->src_subpass >= subpass)
         continue;
      if (!(dependency->flags & VK_DEPENDENCY_BY_REGION_BIT) || dependency->dst_stage_mask & ~PIXEL_STAGES)
         return false;
   }
   return true;
}

static bool
overlaps(const struct vk_image_view *a, const struct vk_image_view *b)
{
   return a->image == b->image && a->base_mip_level == b->base_mip_level &&
          a->base_array_layer < b->base_array_layer + b->layer_count &&
          b->base_array_layer < a->base_array_layer + a->layer_count;
}

/** Whether the group has the attachment, or another one of the same memory, as something else than `own`. */
static bool
is_taken(const struct vk_command_buffer *commands, const struct group *group, uint32_t attachment,
         const struct group_color *own)
{
   const struct vk_image_view *view = commands->attachments[attachment].image_view;
   for (uint32_t i = 0; i <= group->num_colors; i++) {
      const struct group_color *color = i < group->num_colors ? &group->colors[i] : &group->depth;
      if (color != own && color->attachment != VK_ATTACHMENT_UNUSED &&
          overlaps(commands->attachments[color->attachment].image_view, view))
         return true;
      if (color->resolve != VK_ATTACHMENT_UNUSED &&
          overlaps(commands->attachments[color->resolve].image_view, view))
         return true;
   }
   return false;
}

/** The attachment's place in the group, which it may get now; NULL: it does not fit. */
static struct group_color *
add_attachment(const struct vk_command_buffer *commands, struct group *group, uint32_t attachment)
{
   const struct vk_render_pass_attachment *added = &commands->render_pass->attachments[attachment];
   struct group_color *place = NULL;
   if (added->aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
      place = &group->depth;
      if (place->attachment != VK_ATTACHMENT_UNUSED)
         return place->attachment == attachment ? place : NULL;
   } else {
      for (uint32_t i = 0; i < group->num_colors; i++) {
         if (group->colors[i].attachment == attachment)
            return &group->colors[i];
      }
      if (group->num_colors == TBR_MAX_COLOR_BUFFERS)
         return NULL;
      place = &group->colors[group->num_colors];
   }
   if (is_taken(commands, group, attachment, place) || (group->samples && group->samples != added->samples))
      return NULL;
   group->samples = added->samples;
   *place = (struct group_color){attachment, VK_ATTACHMENT_UNUSED};
   group->num_colors += place != &group->depth;
   return place;
}

/** Adds an attachment that the subpass draws. What has been resolved cannot change any more. */
static bool
add_drawn(const struct vk_command_buffer *commands, struct group *group,
          const struct vk_subpass_attachment *drawn)
{
   if (!drawn || drawn->attachment == VK_ATTACHMENT_UNUSED)
      return true;
   struct group_color *place = add_attachment(commands, group, drawn->attachment);
   if (!place || place->resolve != VK_ATTACHMENT_UNUSED)
      return false;
   if (!drawn->resolve || drawn->resolve->attachment == VK_ATTACHMENT_UNUSED)
      return true;
   if (is_taken(commands, group, drawn->resolve->attachment, NULL))
      return false;
   place->resolve = drawn->resolve->attachment;
   return true;
}

/** Makes a subpass one of the group. False, and no change, if it cannot be. */
static bool
add_subpass(const struct vk_command_buffer *commands, struct group *group, uint32_t number)
{
   const struct vk_subpass *subpass = &commands->render_pass->subpasses[number];
   struct group with = *group;
   if (!depends_by_region(commands->render_pass, group, number))
      return false;
   for (uint32_t i = 0; i < subpass->color_count; i++) {
      if (!add_drawn(commands, &with, &subpass->color_attachments[i]))
         return false;
   }
   if (!add_drawn(commands, &with, subpass->depth_stencil_attachment))
      return false;
   for (uint32_t i = 0; i < subpass->input_count; i++) {
      const uint32_t attachment = subpass->input_attachments[i].attachment;
      if (attachment != VK_ATTACHMENT_UNUSED && !add_attachment(commands, &with, attachment))
         return false;
   }
   if (subpass->depth_resolve_mode || subpass->stencil_resolve_mode) {
      with.depth_mode = subpass->depth_resolve_mode;
      with.stencil_mode = subpass->stencil_resolve_mode;
   }
   with.count++;
   *group = with;
   return true;
}

static struct group
begin_at(uint32_t first)
{
   return (struct group){.first = first, .depth = {VK_ATTACHMENT_UNUSED, VK_ATTACHMENT_UNUSED}};
}

/** The group of a subpass of the command buffer's render pass. */
static struct group
find_group(const struct vk_command_buffer *commands, uint32_t subpass)
{
   struct group group = begin_at(0);
   for (uint32_t s = 0; s < commands->render_pass->subpass_count; s++) {
      if (add_subpass(commands, &group, s))
         continue;
      if (subpass < s)
         break;
      group = begin_at(s);
      add_subpass(commands, &group, s);
   }
   return group;
}

/** Whether the command buffer's render pass is recorded in groups: not if subpasses have different views, nor if one has more
 * than tile buffers can be. Those of one subpass without input attachments need none. */
static bool
uses_groups(const struct vk_command_buffer *commands)
{
   const struct vk_render_pass *pass = commands->render_pass;
   if (pass->subpass_count == 1 && !pass->subpasses[0].input_count)
      return false;
   for (uint32_t s = 0; s < pass->subpass_count; s++) {
      struct group alone = begin_at(s);
      if (pass->subpasses[s].view_mask != pass->view_mask || !add_subpass(commands, &alone, s))
         return false;
   }
   return true;
}

/* ---- recording ------------------------------------------------------------------ */

/** Whether subpasses first … end - 1 use an attachment, in whatever way. */
static bool
is_used(const struct vk_render_pass *pass, uint32_t attachment, uint32_t first, uint32_t end)
{
   for (uint32_t s = first; s < end; s++) {
      const struct vk_subpass *subpass = &pass->subpasses[s];
      for (uint32_t i = 0; i < subpass->attachment_count; i++) {
         if (subpass->attachments[i].attachment == attachment)
            return true;
      }
   }
   return false;
}

static VkImageView
view_of(const struct vk_command_buffer *commands, uint32_t attachment)
{
   return vk_image_view_to_handle(commands->attachments[attachment].image_view);
}

/** An attachment of the group's pass: loaded as it says if no earlier subpass used it, stored likewise. */
static VkRenderingAttachmentInfo
describe(const struct vk_command_buffer *commands, const struct group *group, const struct group_color *color,
         VkImageAspectFlags aspect)
{
   VkRenderingAttachmentInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
   if (color->attachment == VK_ATTACHMENT_UNUSED)
      return info;
   const struct vk_render_pass *pass = commands->render_pass;
   const struct vk_render_pass_attachment *attachment = &pass->attachments[color->attachment];
   if (!(attachment->aspects & aspect))
      return info;
   const bool stencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
   const bool before = is_used(pass, color->attachment, 0, group->first);
   const bool after = is_used(pass, color->attachment, group->first + group->count, pass->subpass_count);
   info.imageView = view_of(commands, color->attachment);
   info.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
   info.loadOp = before    ? VK_ATTACHMENT_LOAD_OP_LOAD
                 : stencil ? attachment->stencil_load_op
                           : attachment->load_op;
   info.storeOp = after     ? VK_ATTACHMENT_STORE_OP_STORE
                  : stencil ? attachment->stencil_store_op
                            : attachment->store_op;
   info.clearValue = commands->attachments[color->attachment].clear_value;
   if (color->resolve == VK_ATTACHMENT_UNUSED)
      return info;
   info.resolveImageView = view_of(commands, color->resolve);
   info.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
   info.resolveMode = aspect == VK_IMAGE_ASPECT_DEPTH_BIT    ? group->depth_mode
                      : stencil                              ? group->stencil_mode
                      : vk_format_is_int(attachment->format) ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
                                                             : VK_RESOLVE_MODE_AVERAGE_BIT;
   return info;
}

/** What is before it has been done before what is after it. */
static void
record_barrier(struct vk_command_buffer *commands)
{
   const VkMemoryBarrier2 barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
   };
   const VkDependencyInfo dependency = {
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
      .memoryBarrierCount = 1,
      .pMemoryBarriers = &barrier,
   };
   commands->base.device->dispatch_table.CmdPipelineBarrier2(vk_command_buffer_to_handle(commands),
                                                             &dependency);
}

/** Says which of the group's attachments the current subpass draws. */
static void
record_subpass(struct vk_command_buffer *commands, const struct group *group)
{
   const struct vk_subpass *subpass = &commands->render_pass->subpasses[commands->subpass_idx];
   const struct vk_subpass_attachment *depth = subpass->depth_stencil_attachment;
   uint32_t locations[TBR_MAX_COLOR_BUFFERS + 1];
   for (uint32_t i = 0; i < group->num_colors; i++) {
      locations[i] = VK_ATTACHMENT_UNUSED;
      for (uint32_t c = 0; c < subpass->color_count; c++) {
         if (subpass->color_attachments[c].attachment == group->colors[i].attachment)
            locations[i] = c;
      }
   }
   locations[group->num_colors] =
      depth && depth->attachment != VK_ATTACHMENT_UNUSED ? 0 : VK_ATTACHMENT_UNUSED;
   const VkRenderingAttachmentLocationInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
      .colorAttachmentCount = group->num_colors + 1,
      .pColorAttachmentLocations = locations,
   };
   commands->base.device->dispatch_table.CmdSetRenderingAttachmentLocationsKHR(vk_command_buffer_to_handle(
                                                                                  commands),
                                                                               &info);
}

static void
record_begin(struct vk_command_buffer *commands, const struct group *group)
{
   VkRenderingAttachmentInfo colors[TBR_MAX_COLOR_BUFFERS];
   for (uint32_t i = 0; i < group->num_colors; i++)
      colors[i] = describe(commands, group, &group->colors[i], VK_IMAGE_ASPECT_COLOR_BIT);
   const VkRenderingAttachmentInfo depth =
      describe(commands, group, &group->depth, VK_IMAGE_ASPECT_DEPTH_BIT);
   const VkRenderingAttachmentInfo stencil =
      describe(commands, group, &group->depth, VK_IMAGE_ASPECT_STENCIL_BIT);
   const VkRenderingInfo info = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .flags = LVP_RENDERING_SUBPASSES_BIT,
      .renderArea = commands->render_area,
      .layerCount = commands->render_pass->is_multiview ? 1 : commands->framebuffer->layers,
      .viewMask = commands->render_pass->is_multiview ? commands->render_pass->view_mask : 0,
      .colorAttachmentCount = group->num_colors,
      .pColorAttachments = colors,
      .pDepthAttachment = &depth,
      .pStencilAttachment = &stencil,
   };
   record_barrier(commands);
   commands->base.device->dispatch_table.CmdBeginRendering(vk_command_buffer_to_handle(commands), &info);
   record_subpass(commands, group);
}

static void
record_end(struct vk_command_buffer *commands)
{
   commands->base.device->dispatch_table.CmdEndRendering(vk_command_buffer_to_handle(commands));
}

/** What vk_common_CmdBeginRenderPass2 keeps of a render pass. False when out of memory. */
static bool
keep_render_pass(struct vk_command_buffer *commands, const VkRenderPassBeginInfo *begin)
{
   VK_FROM_HANDLE(vk_render_pass, pass, begin->renderPass);
   VK_FROM_HANDLE(vk_framebuffer, framebuffer, begin->framebuffer);
   const VkRenderPassAttachmentBeginInfo *given =
      vk_find_struct_const(begin->pNext, RENDER_PASS_ATTACHMENT_BEGIN_INFO);
   const VkImageView *views =
      given && given->attachmentCount ? given->pAttachments : framebuffer->attachments;
   commands->attachments = commands->_attachments;
   if (pass->attachment_count > ARRAY_SIZE(commands->_attachments))
      commands->attachments = malloc(pass->attachment_count * sizeof *commands->attachments);
   if (!commands->attachments) {
      vk_command_buffer_set_error(commands, VK_ERROR_OUT_OF_HOST_MEMORY);
      return false;
   }
   commands->render_pass = pass;
   commands->framebuffer = framebuffer;
   commands->render_area = begin->renderArea;
   commands->subpass_idx = 0;
   for (uint32_t i = 0; i < pass->attachment_count; i++) {
      commands->attachments[i] =
         (struct vk_attachment_state){.image_view = vk_image_view_from_handle(views[i])};
      if (i < begin->clearValueCount)
         commands->attachments[i].clear_value = begin->pClearValues[i];
   }
   return true;
}

/* ---- commands -------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL
lvp_CmdBeginRenderPass2(VkCommandBuffer handle, const VkRenderPassBeginInfo *begin,
                        const VkSubpassBeginInfo *subpass)
{
   VK_FROM_HANDLE(vk_command_buffer, commands, handle);
   if (!keep_render_pass(commands, begin))
      return;
   if (!uses_groups(commands)) {
      vk_command_buffer_reset_render_pass(commands);
      vk_common_CmdBeginRenderPass2(handle, begin, subpass);
      return;
   }
   const struct group group = find_group(commands, 0);
   record_begin(commands, &group);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdNextSubpass2(VkCommandBuffer handle, const VkSubpassBeginInfo *begin, const VkSubpassEndInfo *end)
{
   VK_FROM_HANDLE(vk_command_buffer, commands, handle);
   if (!commands->render_pass)
      return; /* out of memory */
   if (!uses_groups(commands)) {
      vk_common_CmdNextSubpass2(handle, begin, end);
      return;
   }
   const struct group group = find_group(commands, ++commands->subpass_idx);
   if (commands->subpass_idx > group.first) {
      record_subpass(commands, &group);
      return;
   }
   record_end(commands);
   record_begin(commands, &group);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdEndRenderPass2(VkCommandBuffer handle, const VkSubpassEndInfo *end)
{
   VK_FROM_HANDLE(vk_command_buffer, commands, handle);
   if (!commands->render_pass)
      return; /* out of memory */
   if (!uses_groups(commands)) {
      vk_common_CmdEndRenderPass2(handle, end);
      return;
   }
   record_end(commands);
   record_barrier(commands);
   vk_command_buffer_reset_render_pass(commands);
}
