/* SPDX-License-Identifier: MIT */
#include "swapchain.h"
#include "device_private.h"

static VkSurfaceKHR
create_surface(void)
{
   const PFN_vkCreateHeadlessSurfaceEXT create = VK_PROCEDURE(vkCreateHeadlessSurfaceEXT);
   const VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
   VkSurfaceKHR surface;
   CHECK(create(vk_instance, &info, NULL, &surface));
   vk_keep(VK_OBJECT_TYPE_SURFACE_KHR, surface);
   VkBool32 supported = false;
   CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(vk_physical_device, 0, surface, &supported));
   if (!supported) {
      fprintf(stderr, "the device presents nothing\n");
      exit(1);
   }
   return surface;
}

struct vk_swapchain
vk_create_swapchain(VkFormat format, uint32_t width, uint32_t height)
{
   struct vk_swapchain swapchain = {0};
   VkSurfaceKHR surface = create_surface();
   VkSurfaceCapabilitiesKHR capabilities;
   CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk_physical_device, surface, &capabilities));
   const VkSwapchainCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
      .surface = surface,
      .minImageCount = capabilities.minImageCount,
      .imageFormat = format,
      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
      .imageExtent = {width, height},
      .imageArrayLayers = 1,
      .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
      .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
   };
   CHECK(vkCreateSwapchainKHR(vk_device, &info, NULL, &swapchain.swapchain));
   vk_keep(VK_OBJECT_TYPE_SWAPCHAIN_KHR, swapchain.swapchain);
   VkImage images[VK_MAX_SWAPCHAIN_IMAGES];
   swapchain.count = VK_MAX_SWAPCHAIN_IMAGES;
   CHECK(vkGetSwapchainImagesKHR(vk_device, swapchain.swapchain, &swapchain.count, images));
   for (uint32_t i = 0; i < swapchain.count; i++) {
      const struct vk_image image = {.image = images[i],
                                     .format = format,
                                     .width = width,
                                     .height = height,
                                     .levels = 1,
                                     .layers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT};
      swapchain.images[i] = vk_view_aspect(&image, VK_IMAGE_ASPECT_COLOR_BIT);
   }
   const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   CHECK(vkCreateFence(vk_device, &fence, NULL, &swapchain.fence));
   vk_keep(VK_OBJECT_TYPE_FENCE, swapchain.fence);
   return swapchain;
}

void
vk_acquire(struct vk_swapchain *swapchain)
{
   CHECK(vkAcquireNextImageKHR(vk_device, swapchain->swapchain, UINT64_MAX, VK_NULL_HANDLE, swapchain->fence,
                               &swapchain->current));
   CHECK(vkWaitForFences(vk_device, 1, &swapchain->fence, true, UINT64_MAX));
   CHECK(vkResetFences(vk_device, 1, &swapchain->fence));
}

void
vk_record_present(VkCommandBuffer commands, const struct vk_swapchain *swapchain)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
      .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
      .newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
      .image = swapchain->images[swapchain->current].image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                        VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void
vk_present(struct vk_swapchain *swapchain)
{
   const VkPresentInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
      .swapchainCount = 1,
      .pSwapchains = &swapchain->swapchain,
      .pImageIndices = &swapchain->current,
   };
   CHECK(vkQueuePresentKHR(vk_queue, &info));
}
