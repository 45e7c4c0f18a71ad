/* SPDX-License-Identifier: MIT */
/** While a capture is replayed (TBRSIM_REPLAY=1): gfxrecon-replay gives the program images of its own for those of the
 * swapchain, and copies each to one of the real ones to present it. The program made no such copy: it is left out. The functions
 * named lvp_* stand for Mesa's common ones. */
#include "lvp_private.h"
#include "lvp_wsi.h"
#include "util/u_debug.h"
#include "util/u_inlines.h"
#include "vk_common_entrypoints.h"
#include "wsi_common.h"
#include "wsi_common_entrypoints.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan.h"

DEBUG_GET_ONCE_BOOL_OPTION(replay, "TBRSIM_REPLAY", false)

static struct tbr_resource *
resource_of(VkImage handle)
{
   return tbr_resource(lvp_image_from_handle(handle)->planes[0].bo);
}

VKAPI_ATTR VkResult VKAPI_CALL
lvp_GetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain, uint32_t *count, VkImage *images)
{
   const VkResult result = wsi_GetSwapchainImagesKHR(device, swapchain, count, images);
   if (!images || (result != VK_SUCCESS && result != VK_INCOMPLETE) || !debug_get_option_replay())
      return result;
   for (uint32_t i = 0; i < *count; i++)
      resource_of(images[i])->replay_target = true;
   return result;
}

struct tbr_resource *
tbr_vulkan_presented(VkSwapchainKHR swapchain, uint32_t index)
{
   struct tbr_resource *image = resource_of(wsi_common_get_image(swapchain, index));
   return image->replay_source ? tbr_resource(image->replay_source) : image;
}

/* Whether a copy is one that the replayer presents by; what it copies is then what the program presents. */
static bool
leave_out(VkImage source, VkImage destination)
{
   struct tbr_resource *target = resource_of(destination);
   if (target->replay_target)
      pipe_resource_reference(&target->replay_source, &resource_of(source)->base);
   return target->replay_target;
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdCopyImage(VkCommandBuffer commands, VkImage source, VkImageLayout source_layout, VkImage destination,
                 VkImageLayout destination_layout, uint32_t count, const VkImageCopy *regions)
{
   if (!leave_out(source, destination))
      vk_common_CmdCopyImage(commands, source, source_layout, destination, destination_layout, count,
                             regions);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdBlitImage(VkCommandBuffer commands, VkImage source, VkImageLayout source_layout, VkImage destination,
                 VkImageLayout destination_layout, uint32_t count, const VkImageBlit *regions,
                 VkFilter filter)
{
   if (!leave_out(source, destination))
      vk_common_CmdBlitImage(commands, source, source_layout, destination, destination_layout, count, regions,
                             filter);
}
