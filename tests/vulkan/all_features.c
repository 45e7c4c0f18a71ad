/* SPDX-License-Identifier: MIT */
/** A program of Vulkan without a window that enables all features of Vulkan 1.0 which the device has, and an extension
 * (VK_EXT_conditional_rendering) where it has it; then it clears an image, which needs none of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                 \
   do {                                             \
      if ((call) != VK_SUCCESS) {                   \
         fprintf(stderr, "%s has failed\n", #call); \
         exit(1);                                   \
      }                                             \
   } while (0)

#define SIDE 64

static VkPhysicalDevice physical;
static VkDevice device;

static uint32_t
has_conditional_rendering(void)
{
   static VkExtensionProperties extensions[512];
   uint32_t count = sizeof extensions / sizeof extensions[0];
   CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, extensions));
   for (uint32_t e = 0; e < count; e++) {
      if (!strcmp(extensions[e].extensionName, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME))
         return 1;
   }
   return 0;
}

static void
create_device(void)
{
   const float priority = 1.0f;
   static const char *const extension = VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME;
   VkPhysicalDeviceFeatures features;
   vkGetPhysicalDeviceFeatures(physical, &features);
   const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = has_conditional_rendering(),
      .ppEnabledExtensionNames = &extension,
      .pEnabledFeatures = &features,
   };
   CHECK(vkCreateDevice(physical, &info, NULL, &device));
}

static VkImage
create_image(VkDeviceMemory *memory)
{
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = VK_FORMAT_R8G8B8A8_UNORM,
      .extent = {SIDE, SIDE, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
   };
   VkImage image;
   CHECK(vkCreateImage(device, &info, NULL, &image));
   VkMemoryRequirements needs;
   vkGetImageMemoryRequirements(device, image, &needs);
   const VkMemoryAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = needs.size,
      .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits),
   };
   CHECK(vkAllocateMemory(device, &allocation, NULL, memory));
   CHECK(vkBindImageMemory(device, image, *memory, 0));
   return image;
}

static void
record_clear(VkCommandBuffer commands, VkImage image)
{
   const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   const VkClearColorValue color = {.float32 = {0.5f, 0.25f, 0.75f, 1.0f}};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .image = image,
      .subresourceRange = all,
   };
   CHECK(vkBeginCommandBuffer(commands, &begin));
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                        NULL, 0, NULL, 1, &barrier);
   vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
   CHECK(vkEndCommandBuffer(commands));
}

static void
clear(VkImage image)
{
   const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   VkCommandPool pool;
   CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
   const VkCommandBufferAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   CHECK(vkAllocateCommandBuffers(device, &allocation, &commands));
   record_clear(commands, image);
   VkQueue queue;
   vkGetDeviceQueue(device, 0, 0, &queue);
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
   CHECK(vkQueueWaitIdle(queue));
   vkDestroyCommandPool(device, pool, NULL);
}

int
main(void)
{
   const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
   VkInstance instance;
   VkDeviceMemory memory;
   uint32_t count = 1;
   CHECK(vkCreateInstance(&info, NULL, &instance));
   CHECK(vkEnumeratePhysicalDevices(instance, &count, &physical));
   create_device();
   VkImage image = create_image(&memory);
   clear(image);
   vkDestroyImage(device, image, NULL);
   vkFreeMemory(device, memory, NULL);
   vkDestroyDevice(device, NULL);
   vkDestroyInstance(instance, NULL);
   return 0;
}
