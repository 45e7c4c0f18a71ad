/* SPDX-License-Identifier: MIT */
/** Images that are presented on a surface without a window (VK_EXT_headless_surface), which ends a frame as a window's would. */
#ifndef VULKAN_SWAPCHAIN_H
#define VULKAN_SWAPCHAIN_H

#include "device.h"

#define VK_MAX_SWAPCHAIN_IMAGES 8

struct vk_swapchain {
   VkSwapchainKHR swapchain;
   VkFence fence; /**< of the image that is acquired */
   uint32_t count, current;
   struct vk_image images[VK_MAX_SWAPCHAIN_IMAGES]; /**< to be drawn, and copied */
};

/** Stays until vk_close. */
struct vk_swapchain vk_create_swapchain(VkFormat format, uint32_t width, uint32_t height);
/** The next image is `current`, and may be drawn. */
void vk_acquire(struct vk_swapchain *swapchain);
/** Records that the current image, in the general layout, will be presented. */
void vk_record_present(VkCommandBuffer commands, const struct vk_swapchain *swapchain);
/** Presents the current image, when all that was submitted has been run. */
void vk_present(struct vk_swapchain *swapchain);

#endif
