/* SPDX-License-Identifier: MIT */
/** What the files behind device.h share. */
#ifndef VULKAN_DEVICE_PRIVATE_H
#define VULKAN_DEVICE_PRIVATE_H

#include <stdio.h>
#include <stdlib.h>

#include "device.h"

/** Ends the program where a call of Vulkan fails. */
#define CHECK(call)                                                             \
   do {                                                                         \
      const VkResult result = (call);                                           \
      if (result != VK_SUCCESS) {                                               \
         fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result); \
         exit(1);                                                               \
      }                                                                         \
   } while (0)

/** What all descriptor sets are allocated from. */
extern VkDescriptorPool vk_descriptor_pool;

/** An object that vk_close destroys, the last one first. */
void vk_keep(VkObjectType type, void *handle);

#endif
