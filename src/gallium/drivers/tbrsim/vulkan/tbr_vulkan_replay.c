/* SPDX-License-Identifier: MIT */
/** While a capture is replayed (TBRSIM_REPLAY=1): gfxrecon-replay gives the program images of its own for those of the
 * swapchain, and copies each to one of the real ones to present it. The program made no such copy: it is left out. The functions
 * named lvp_* stand for Mesa's common ones. */
#include "lvp_private.h"
#include "lvp_wsi.h"
#include "util/hash_table.h"
#include "util/u_debug.h"
#include "util/u_inlines.h"
#include "vk_common_entrypoints.h"
#include "wsi_common.h"
#include "wsi_common_entrypoints.h"
#include "state/tbr_screen.h"
#include "vulkan/tbr_vulkan.h"

DEBUG_GET_ONCE_BOOL_OPTION(replay, "TBRSIM_REPLAY", false)

static struct pipe_resource *
resource_of(VkImage handle)
{
   return lvp_image_from_handle(handle)->planes[0].bo;
}

static struct tbr_vulkan_screen *
vulkan_of(const struct pipe_resource *image)
{
   return tbr_screen(image->screen)->vulkan;
}

VKAPI_ATTR VkResult VKAPI_CALL
lvp_GetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain, uint32_t *count, VkImage *images)
{
   const VkResult result = wsi_GetSwapchainImagesKHR(device, swapchain, count, images);
   if (!images || (result != VK_SUCCESS && result != VK_INCOMPLETE) || !debug_get_option_replay())
      return result;
   for (uint32_t i = 0; i < *count; i++) {
      struct pipe_resource *image = resource_of(images[i]);
      struct tbr_vulkan_screen *vulkan = vulkan_of(image);
      simple_mtx_lock(&vulkan->replayed_lock);
      const bool added = _mesa_hash_table_search(vulkan->replayed, image) ||
                         _mesa_hash_table_insert(vulkan->replayed, image, NULL);
      simple_mtx_unlock(&vulkan->replayed_lock);
      if (!added)
         return VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   return result;
}

struct pipe_resource *
tbr_vulkan_presented(VkSwapchainKHR swapchain, uint32_t index)
{
   struct pipe_resource *image = resource_of(wsi_common_get_image(swapchain, index)), *presented = NULL;
   struct tbr_vulkan_screen *vulkan = vulkan_of(image);
   simple_mtx_lock(&vulkan->replayed_lock);
   const struct hash_entry *entry = _mesa_hash_table_search(vulkan->replayed, image);
   pipe_resource_reference(&presented, entry && entry->data ? entry->data : image);
   simple_mtx_unlock(&vulkan->replayed_lock);
   return presented;
}

void
tbr_vulkan_forget_replayed(struct pipe_resource *image)
{
   struct tbr_vulkan_screen *vulkan = vulkan_of(image);
   simple_mtx_lock(&vulkan->replayed_lock);
   struct hash_entry *entry = _mesa_hash_table_search(vulkan->replayed, image);
   struct pipe_resource *copied = entry ? entry->data : NULL;
   _mesa_hash_table_remove(vulkan->replayed, entry);
   simple_mtx_unlock(&vulkan->replayed_lock);
   /* Without the lock, which it takes if this is its last reference. */
   pipe_resource_reference(&copied, NULL);
}

/** Whether a copy is one that the replayer presents by; what it copies is then what the program presents. */
static bool
leave_out(VkImage source, VkImage destination)
{
   struct pipe_resource *target = resource_of(destination), *copied = NULL;
   struct tbr_vulkan_screen *vulkan = vulkan_of(target);
   simple_mtx_lock(&vulkan->replayed_lock);
   struct hash_entry *entry = _mesa_hash_table_search(vulkan->replayed, target);
   if (entry) {
      copied = entry->data;
      entry->data = NULL;
      pipe_resource_reference((struct pipe_resource **)&entry->data, resource_of(source));
   }
   simple_mtx_unlock(&vulkan->replayed_lock);
   pipe_resource_reference(&copied, NULL);
   return entry;
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
