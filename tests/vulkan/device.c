/* SPDX-License-Identifier: MIT */
#include "device_private.h"
#include "local_read.h"

#include <string.h>

VkDevice vk_device;
VkQueue vk_queue;
VkPhysicalDevice vk_physical_device;
VkInstance vk_instance;
static VkCommandPool pool;
VkDescriptorPool vk_descriptor_pool;

/* ---- what is destroyed at the end ------------------------------------------- */

static struct object {
   VkObjectType type;
   uint64_t handle;
} objects[4 * VK_MAX_OBJECTS];
static unsigned num_objects;

void
vk_keep(VkObjectType type, void *handle)
{
   if (num_objects == sizeof objects / sizeof objects[0]) {
      fprintf(stderr, "too many objects\n");
      exit(1);
   }
   objects[num_objects++] = (struct object){type, (uint64_t)(uintptr_t)handle};
}

static void
destroy(const struct object *object)
{
#define CASE(TYPE, type) \
   case VK_OBJECT_TYPE_##TYPE: vkDestroy##type(vk_device, (Vk##type)(uintptr_t)object->handle, NULL); break
   switch (object->type) {
      CASE(BUFFER, Buffer);
      CASE(IMAGE, Image);
      CASE(IMAGE_VIEW, ImageView);
      CASE(SAMPLER, Sampler);
      CASE(RENDER_PASS, RenderPass);
      CASE(FRAMEBUFFER, Framebuffer);
      CASE(PIPELINE, Pipeline);
      CASE(PIPELINE_LAYOUT, PipelineLayout);
      CASE(DESCRIPTOR_SET_LAYOUT, DescriptorSetLayout);
      CASE(SWAPCHAIN_KHR, SwapchainKHR);
      CASE(FENCE, Fence);
      CASE(SEMAPHORE, Semaphore);
   case VK_OBJECT_TYPE_DESCRIPTOR_SET:
      vkFreeDescriptorSets(vk_device, vk_descriptor_pool, 1,
                           &(VkDescriptorSet){(void *)(uintptr_t)object->handle});
      break;
   case VK_OBJECT_TYPE_SURFACE_KHR:
      vkDestroySurfaceKHR(vk_instance, (VkSurfaceKHR)(uintptr_t)object->handle, NULL);
      break;
   case VK_OBJECT_TYPE_DEVICE_MEMORY:
      vkFreeMemory(vk_device, (VkDeviceMemory)(uintptr_t)object->handle, NULL);
      break;
   default: abort();
   }
#undef CASE
}

unsigned
vk_count_objects(void)
{
   return num_objects;
}

void
vk_destroy_since(unsigned count)
{
   CHECK(vkDeviceWaitIdle(vk_device));
   while (num_objects > count)
      destroy(&objects[--num_objects]);
}

/* ---- the device ---------------------------------------------------------------- */

bool
vk_has_local_read(void)
{
   static VkExtensionProperties extensions[512];
   uint32_t count = sizeof extensions / sizeof extensions[0];
   vkEnumerateDeviceExtensionProperties(vk_physical_device, NULL, &count, extensions);
   for (uint32_t i = 0; i < count; i++) {
      if (!strcmp(extensions[i].extensionName, VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME))
         return true;
   }
   return false;
}

static void
create_device(void *more_features)
{
   const float priority = 1.0f;
   const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   VkPhysicalDeviceFeatures has;
   vkGetPhysicalDeviceFeatures(vk_physical_device, &has);
   const VkPhysicalDeviceFeatures features = {
      .shaderSampledImageArrayDynamicIndexing = has.shaderSampledImageArrayDynamicIndexing,
      .fragmentStoresAndAtomics = has.fragmentStoresAndAtomics,
      .vertexPipelineStoresAndAtomics = has.vertexPipelineStoresAndAtomics,
      .multiDrawIndirect = has.multiDrawIndirect,
      .occlusionQueryPrecise = has.occlusionQueryPrecise,
      .geometryShader = has.geometryShader,
      .tessellationShader = has.tessellationShader,
      .sampleRateShading = has.sampleRateShading,
      .dualSrcBlend = has.dualSrcBlend,
      .independentBlend = has.independentBlend,
      .logicOp = has.logicOp,
      .depthClamp = has.depthClamp,
      .depthBiasClamp = has.depthBiasClamp,
      .fillModeNonSolid = has.fillModeNonSolid,
      .largePoints = has.largePoints,
      .alphaToOne = has.alphaToOne,
      .drawIndirectFirstInstance = has.drawIndirectFirstInstance,
   };
   const bool reads = vk_has_local_read();
   VkPhysicalDeviceMultiviewFeatures multiview = {.sType =
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
                                                  .pNext = more_features,
                                                  .multiview = true};
   VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local_read = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
      .pNext = &multiview,
      .dynamicRenderingLocalRead = true,
   };
   VkPhysicalDeviceDynamicRenderingFeaturesKHR rendering = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES_KHR,
      .pNext = &local_read,
      .dynamicRendering = true,
   };
   VkPhysicalDeviceCustomBorderColorFeaturesEXT border_colors = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
      .pNext = reads ? (void *)&rendering : &multiview,
      .customBorderColors = true,
   };
   VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
      .pNext = &border_colors,
      .transformFeedback = true,
   };
   static const char *const extensions[] = {
      VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
      VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
      VK_KHR_SWAPCHAIN_EXTENSION_NAME,
      /* Where there are local reads. */
      VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
      VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
      VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
      VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
   };
   const VkDeviceCreateInfo device = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &feedback,
      .enabledExtensionCount = reads ? 7 : 3,
      .ppEnabledExtensionNames = extensions,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .pEnabledFeatures = &features,
   };
   CHECK(vkCreateDevice(vk_physical_device, &device, NULL, &vk_device));
   vkGetDeviceQueue(vk_device, 0, 0, &vk_queue);
}

void
vk_open(void)
{
   vk_open_version(VK_API_VERSION_1_1, NULL);
}

void
vk_open_version(uint32_t version, void *features)
{
   const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
   static const char *const extensions[] = {
      VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
      VK_KHR_SURFACE_EXTENSION_NAME,
      VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
   };
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo = &application,
      .enabledExtensionCount = sizeof extensions / sizeof extensions[0],
      .ppEnabledExtensionNames = extensions,
   };
   CHECK(vkCreateInstance(&info, NULL, &vk_instance));
   uint32_t count = 1;
   const VkResult result = vkEnumeratePhysicalDevices(vk_instance, &count, &vk_physical_device);
   if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !count) {
      fprintf(stderr, "no device\n");
      exit(1);
   }
   create_device(features);
   const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   CHECK(vkCreateCommandPool(vk_device, &commands, NULL, &pool));
   static const VkDescriptorType types[] = {
      VK_DESCRIPTOR_TYPE_SAMPLER,
      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
      VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
   };
   VkDescriptorPoolSize sizes[sizeof types / sizeof types[0]];
   for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
      sizes[i] = (VkDescriptorPoolSize){types[i], VK_MAX_OBJECTS};
   const VkDescriptorPoolCreateInfo descriptors = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
      .maxSets = VK_MAX_OBJECTS,
      .poolSizeCount = sizeof types / sizeof types[0],
      .pPoolSizes = sizes,
   };
   CHECK(vkCreateDescriptorPool(vk_device, &descriptors, NULL, &vk_descriptor_pool));
}

void
vk_close(void)
{
   vk_destroy_since(0);
   vkDestroyDescriptorPool(vk_device, vk_descriptor_pool, NULL);
   vkDestroyCommandPool(vk_device, pool, NULL);
   vkDestroyDevice(vk_device, NULL);
   vkDestroyInstance(vk_instance, NULL);
}

/* ---- commands -------------------------------------------------------------------------- */

void
vk_capture(VkCommandBuffer commands, const struct vk_buffer *captured, const struct vk_buffer *counter)
{
   const VkDeviceSize offset = 0, size = VK_WHOLE_SIZE;
   if (captured) {
      VK_PROCEDURE(vkCmdBindTransformFeedbackBuffersEXT)(commands, 0, 1, &captured->buffer, &offset, &size);
      VK_PROCEDURE(vkCmdBeginTransformFeedbackEXT)(commands, 0, 0, NULL, NULL);
   } else {
      VK_PROCEDURE(vkCmdEndTransformFeedbackEXT)(commands, 0, 1, &counter->buffer, &offset);
   }
}

void
vk_draw_captured(VkCommandBuffer commands, const struct vk_buffer *counter, uint32_t stride)
{
   VK_PROCEDURE(vkCmdDrawIndirectByteCountEXT)(commands, 1, 0, counter->buffer, 0, 0, stride);
}

VkCommandBuffer
vk_begin_secondary(const struct vk_pass *pass, uint32_t subpass)
{
   const VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                   .commandBufferCount = 1};
   const VkCommandBufferInheritanceInfo inherited = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
      .renderPass = pass->pass,
      .subpass = subpass,
      .framebuffer = pass->framebuffer,
   };
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                           .pInheritanceInfo = &inherited};
   VkCommandBuffer commands;
   CHECK(vkAllocateCommandBuffers(vk_device, &allocation, &commands));
   CHECK(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

VkCommandBuffer
vk_begin(void)
{
   const VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = pool,
                                                   .commandBufferCount = 1};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   VkCommandBuffer commands;
   CHECK(vkAllocateCommandBuffers(vk_device, &allocation, &commands));
   CHECK(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

void
vk_run(VkCommandBuffer commands)
{
   const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands};
   CHECK(vkEndCommandBuffer(commands));
   CHECK(vkQueueSubmit(vk_queue, 1, &submit, VK_NULL_HANDLE));
   CHECK(vkQueueWaitIdle(vk_queue));
   vkFreeCommandBuffers(vk_device, pool, 1, &commands);
}

void
vk_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                        1, &barrier, 0, NULL, 0, NULL);
}
