/* SPDX-License-Identifier: MIT */
/** VK_KHR_dynamic_rendering_local_read, where the system's headers are older. */
#ifndef VULKAN_LOCAL_READ_H
#define VULKAN_LOCAL_READ_H

#include <vulkan/vulkan.h>

#ifndef VK_KHR_dynamic_rendering_local_read
#define VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME "VK_KHR_dynamic_rendering_local_read"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR \
   ((VkStructureType)1000232000)
#define VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR ((VkStructureType)1000232001)
#define VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR ((VkStructureType)1000232002)
#define VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR ((VkImageLayout)1000232000)

typedef struct {
   VkStructureType sType;
   void *pNext;
   VkBool32 dynamicRenderingLocalRead;
} VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR;

typedef struct {
   VkStructureType sType;
   const void *pNext;
   uint32_t colorAttachmentCount;
   const uint32_t *pColorAttachmentLocations;
} VkRenderingAttachmentLocationInfoKHR;

typedef struct {
   VkStructureType sType;
   const void *pNext;
   uint32_t colorAttachmentCount;
   const uint32_t *pColorAttachmentInputIndices;
   const uint32_t *pDepthInputAttachmentIndex;
   const uint32_t *pStencilInputAttachmentIndex;
} VkRenderingInputAttachmentIndexInfoKHR;

typedef void(VKAPI_PTR *PFN_vkCmdSetRenderingAttachmentLocationsKHR)(
   VkCommandBuffer, const VkRenderingAttachmentLocationInfoKHR *);
typedef void(VKAPI_PTR *PFN_vkCmdSetRenderingInputAttachmentIndicesKHR)(
   VkCommandBuffer, const VkRenderingInputAttachmentIndexInfoKHR *);
#endif

#endif
