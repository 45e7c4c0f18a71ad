/* SPDX-License-Identifier: MIT */
#include "device.h"
#include "local_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                             \
   do {                                                                         \
      const VkResult result = (call);                                           \
      if (result != VK_SUCCESS) {                                               \
         fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result); \
         exit(1);                                                               \
      }                                                                         \
   } while (0)

VkDevice vk_device;
VkQueue vk_queue;
VkPhysicalDevice vk_physical_device;
VkInstance vk_instance;
static VkCommandPool pool;
static VkDescriptorPool descriptor_pool;

/* ---- what is destroyed at the end ------------------------------------------- */

static struct object {
   VkObjectType type;
   uint64_t handle;
} objects[4 * VK_MAX_OBJECTS];
static unsigned num_objects;

static void
keep(VkObjectType type, void *handle)
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
   case VK_OBJECT_TYPE_DEVICE_MEMORY:
      vkFreeMemory(vk_device, (VkDeviceMemory)(uintptr_t)object->handle, NULL);
      break;
   default: abort();
   }
#undef CASE
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
      /* Where there are local reads. */
      VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
      VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
   };
   const VkDeviceCreateInfo device = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &feedback,
      .enabledExtensionCount = reads ? 4 : 2,
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
   static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo = &application,
      .enabledExtensionCount = 1,
      .ppEnabledExtensionNames = &extension,
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
      VK_DESCRIPTOR_TYPE_SAMPLER,        VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
   };
   VkDescriptorPoolSize sizes[sizeof types / sizeof types[0]];
   for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
      sizes[i] = (VkDescriptorPoolSize){types[i], VK_MAX_OBJECTS};
   const VkDescriptorPoolCreateInfo descriptors = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = VK_MAX_OBJECTS,
      .poolSizeCount = sizeof types / sizeof types[0],
      .pPoolSizes = sizes,
   };
   CHECK(vkCreateDescriptorPool(vk_device, &descriptors, NULL, &descriptor_pool));
}

void
vk_close(void)
{
   CHECK(vkDeviceWaitIdle(vk_device));
   while (num_objects)
      destroy(&objects[--num_objects]);
   vkDestroyDescriptorPool(vk_device, descriptor_pool, NULL);
   vkDestroyCommandPool(vk_device, pool, NULL);
   vkDestroyDevice(vk_device, NULL);
   vkDestroyInstance(vk_instance, NULL);
}

/* ---- memory ------------------------------------------------------------------- */

static VkDeviceMemory
allocate(const VkMemoryRequirements *requirements, VkMemoryAllocateFlags flags)
{
   const VkMemoryAllocateFlagsInfo with_flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                                 .flags = flags};
   VkPhysicalDeviceMemoryProperties properties;
   vkGetPhysicalDeviceMemoryProperties(vk_physical_device, &properties);
   const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
      if (!(requirements->memoryTypeBits >> i & 1) ||
          (properties.memoryTypes[i].propertyFlags & wanted) != wanted)
         continue;
      const VkMemoryAllocateInfo info = {
         .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
         .pNext = flags ? &with_flags : NULL,
         .allocationSize = requirements->size,
         .memoryTypeIndex = i,
      };
      VkDeviceMemory memory;
      CHECK(vkAllocateMemory(vk_device, &info, NULL, &memory));
      keep(VK_OBJECT_TYPE_DEVICE_MEMORY, memory);
      return memory;
   }
   fprintf(stderr, "no memory\n");
   exit(1);
}

struct vk_buffer
vk_create_buffer(VkDeviceSize bytes, VkBufferUsageFlags usage, const void *data)
{
   struct vk_buffer buffer = {.bytes = bytes};
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = bytes,
                                    .usage = usage};
   CHECK(vkCreateBuffer(vk_device, &info, NULL, &buffer.buffer));
   VkMemoryRequirements requirements;
   vkGetBufferMemoryRequirements(vk_device, buffer.buffer, &requirements);
   const bool has_address = usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
   VkDeviceMemory memory = allocate(&requirements, has_address ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0);
   keep(VK_OBJECT_TYPE_BUFFER, buffer.buffer);
   CHECK(vkBindBufferMemory(vk_device, buffer.buffer, memory, 0));
   CHECK(vkMapMemory(vk_device, memory, 0, VK_WHOLE_SIZE, 0, &buffer.memory));
   if (data)
      memcpy(buffer.memory, data, bytes);
   return buffer;
}

VkDeviceAddress
vk_address_of(const struct vk_buffer *buffer)
{
   const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer->buffer};
   return vkGetBufferDeviceAddress(vk_device, &info);
}

static bool
has_depth(VkFormat format)
{
   return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT ||
          format == VK_FORMAT_D24_UNORM_S8_UINT;
}

static bool
is_compressed(VkFormat format)
{
   return format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK;
}

static VkImageAspectFlags
all_aspects(VkFormat format)
{
   if (!has_depth(format))
      return VK_IMAGE_ASPECT_COLOR_BIT;
   return VK_IMAGE_ASPECT_DEPTH_BIT |
          (format == VK_FORMAT_D24_UNORM_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
}

struct vk_image
vk_create_image(VkFormat format, uint32_t width, uint32_t height, uint32_t levels, uint32_t layers,
                VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
   struct vk_image image = {.format = format,
                            .width = width,
                            .height = height,
                            .levels = levels,
                            .layers = layers,
                            .samples = samples};
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = {width, height, 1},
      .mipLevels = levels,
      .arrayLayers = layers,
      .samples = samples,
      .usage = usage,
   };
   CHECK(vkCreateImage(vk_device, &info, NULL, &image.image));
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(vk_device, image.image, &requirements);
   VkDeviceMemory memory = allocate(&requirements, 0);
   keep(VK_OBJECT_TYPE_IMAGE, image.image);
   CHECK(vkBindImageMemory(vk_device, image.image, memory, 0));
   const bool attached = usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
   const VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image.image,
      .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
      .format = format,
      .subresourceRange = {attached && !(usage & VK_IMAGE_USAGE_SAMPLED_BIT) ? all_aspects(format)
                           : has_depth(format)                               ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                             : VK_IMAGE_ASPECT_COLOR_BIT,
                           0, levels, 0, layers},
   };
   CHECK(vkCreateImageView(vk_device, &view, NULL, &image.view));
   keep(VK_OBJECT_TYPE_IMAGE_VIEW, image.view);
   return image;
}

struct vk_image
vk_view_aspect(const struct vk_image *image, VkImageAspectFlags aspect)
{
   struct vk_image seen = *image;
   const VkImageViewCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = VK_IMAGE_VIEW_TYPE_2D,
      .format = image->format,
      .subresourceRange = {aspect, 0, 1, 0, 1},
   };
   CHECK(vkCreateImageView(vk_device, &view, NULL, &seen.view));
   keep(VK_OBJECT_TYPE_IMAGE_VIEW, seen.view);
   return seen;
}

VkSampler
vk_create_sampler(VkFilter filter, VkSamplerMipmapMode mipmaps, VkSamplerAddressMode address, bool compare)
{
   const VkSamplerCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .magFilter = filter,
      .minFilter = filter,
      .mipmapMode = mipmaps,
      .addressModeU = address,
      .addressModeV = address,
      .addressModeW = address,
      .compareEnable = compare,
      .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
      .maxLod = VK_LOD_CLAMP_NONE,
   };
   VkSampler sampler;
   CHECK(vkCreateSampler(vk_device, &info, NULL, &sampler));
   keep(VK_OBJECT_TYPE_SAMPLER, sampler);
   return sampler;
}

VkSampler
vk_create_border_sampler(const float color[4])
{
   const VkSamplerCustomBorderColorCreateInfoEXT border = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
      .customBorderColor.float32 = {color[0], color[1], color[2], color[3]},
      .format = VK_FORMAT_R8G8B8A8_UNORM,
   };
   const VkSamplerCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .pNext = &border,
      .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT,
   };
   VkSampler sampler;
   CHECK(vkCreateSampler(vk_device, &info, NULL, &sampler));
   keep(VK_OBJECT_TYPE_SAMPLER, sampler);
   return sampler;
}

/* ---- passes ---------------------------------------------------------------------- */

struct building {
   VkAttachmentDescription attachments[2 * VK_MAX_COLORS + 1];
   VkImageView views[2 * VK_MAX_COLORS + 1];
   uint32_t count;
};

static VkAttachmentReference
attach(struct building *building, struct vk_pass *pass, const struct vk_image *image, VkAttachmentLoadOp load,
       VkAttachmentStoreOp store, VkClearValue clear)
{
   const VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
   building->attachments[building->count] = (VkAttachmentDescription){
      .format = image->format,
      .samples = image->samples,
      .loadOp = load,
      .storeOp = store,
      .stencilLoadOp = load,
      .stencilStoreOp = store,
      .initialLayout = load == VK_ATTACHMENT_LOAD_OP_LOAD ? layout : VK_IMAGE_LAYOUT_UNDEFINED,
      .finalLayout = layout,
   };
   building->views[building->count] = image->view;
   pass->clears[building->count] = clear;
   pass->width = image->width;
   pass->height = image->height;
   return (VkAttachmentReference){building->count++, layout};
}

/** The subpasses depend on each other in turn, a single one on itself if that is at each pixel. */
static void
create_pass(struct vk_pass *pass, const struct building *building, const VkSubpassDescription *subpasses,
            uint32_t num_subpasses, VkDependencyFlags flags, uint32_t views)
{
   VkSubpassDependency dependencies[4];
   const uint32_t num_dependencies = num_subpasses > 1 ? num_subpasses - 1 : flags != 0;
   for (uint32_t i = 0; i < num_dependencies; i++)
      dependencies[i] = (VkSubpassDependency){
         .srcSubpass = i,
         .dstSubpass = num_subpasses > 1 ? i + 1 : 0,
         .srcStageMask =
            VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
         .dependencyFlags = flags,
      };
   const uint32_t masks[] = {views, views, views, views, views};
   const VkRenderPassMultiviewCreateInfo multiview = {
      .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
      .subpassCount = num_subpasses,
      .pViewMasks = masks,
   };
   const VkRenderPassCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
      .pNext = views ? &multiview : NULL,
      .attachmentCount = building->count,
      .pAttachments = building->attachments,
      .subpassCount = num_subpasses,
      .pSubpasses = subpasses,
      .dependencyCount = num_dependencies,
      .pDependencies = dependencies,
   };
   CHECK(vkCreateRenderPass(vk_device, &info, NULL, &pass->pass));
   keep(VK_OBJECT_TYPE_RENDER_PASS, pass->pass);
   const VkFramebufferCreateInfo framebuffer = {
      .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
      .renderPass = pass->pass,
      .attachmentCount = building->count,
      .pAttachments = building->views,
      .width = pass->width,
      .height = pass->height,
      .layers = 1,
   };
   CHECK(vkCreateFramebuffer(vk_device, &framebuffer, NULL, &pass->framebuffer));
   keep(VK_OBJECT_TYPE_FRAMEBUFFER, pass->framebuffer);
   pass->num_clears = building->count;
}

struct vk_pass
vk_create_pass(const struct vk_attachment *colors, uint32_t num_colors, const struct vk_attachment *depth)
{
   struct vk_pass pass = {.num_colors = num_colors, .samples = VK_SAMPLE_COUNT_1_BIT};
   struct building building = {0};
   VkAttachmentReference references[VK_MAX_COLORS], resolves[VK_MAX_COLORS], depth_reference;
   bool any_resolve = false;
   for (uint32_t i = 0; i < num_colors; i++) {
      references[i] =
         attach(&building, &pass, colors[i].image, colors[i].load, colors[i].store, colors[i].clear);
      pass.samples = colors[i].image->samples;
      resolves[i] = (VkAttachmentReference){VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
      if (colors[i].resolve) {
         any_resolve = true;
         resolves[i] = attach(&building, &pass, colors[i].resolve, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                              VK_ATTACHMENT_STORE_OP_STORE, colors[i].clear);
      }
   }
   if (depth && depth->image) {
      depth_reference = attach(&building, &pass, depth->image, depth->load, depth->store, depth->clear);
      pass.samples = depth->image->samples;
   }
   const VkSubpassDescription subpass = {
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
      .colorAttachmentCount = num_colors,
      .pColorAttachments = references,
      .pResolveAttachments = any_resolve ? resolves : NULL,
      .pDepthStencilAttachment = depth && depth->image ? &depth_reference : NULL,
   };
   create_pass(&pass, &building, &subpass, 1, 0, 0);
   return pass;
}

struct vk_pass
vk_create_subpasses(const struct vk_attachment *attachments, uint32_t count,
                    const VkSubpassDescription *subpasses, uint32_t num_subpasses,
                    VkDependencyFlags dependency, uint32_t views)
{
   struct vk_pass pass = {.num_colors = subpasses[0].colorAttachmentCount,
                          .samples = attachments[0].image->samples};
   struct building building = {0};
   for (uint32_t i = 0; i < count; i++)
      attach(&building, &pass, attachments[i].image, attachments[i].load, attachments[i].store,
             attachments[i].clear);
   create_pass(&pass, &building, subpasses, num_subpasses, dependency, views);
   return pass;
}

void
vk_begin_pass(VkCommandBuffer commands, const struct vk_pass *pass, VkSubpassContents contents)
{
   const VkRenderPassBeginInfo info = {
      .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
      .renderPass = pass->pass,
      .framebuffer = pass->framebuffer,
      .renderArea = {{0, 0}, {pass->width, pass->height}},
      .clearValueCount = pass->num_clears,
      .pClearValues = pass->clears,
   };
   vkCmdBeginRenderPass(commands, &info, contents);
}

/* ---- pipelines --------------------------------------------------------------------- */

static VkShaderModule
create_module(struct vk_code code)
{
   const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = code.bytes,
                                          .pCode = code.words};
   VkShaderModule module;
   CHECK(vkCreateShaderModule(vk_device, &info, NULL, &module));
   return module;
}

static uint32_t
describe_vertices(const struct vk_pipeline_description *description,
                  VkVertexInputBindingDescription bindings[2], VkVertexInputAttributeDescription *attributes)
{
   for (uint32_t i = 0; i < description->num_attributes; i++)
      attributes[i] = (VkVertexInputAttributeDescription){i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, i * 16};
   bindings[0] = (VkVertexInputBindingDescription){0, description->stride, VK_VERTEX_INPUT_RATE_VERTEX};
   bindings[1] = (VkVertexInputBindingDescription){1, 16, VK_VERTEX_INPUT_RATE_INSTANCE};
   if (!description->instanced)
      return description->num_attributes;
   attributes[description->num_attributes] =
      (VkVertexInputAttributeDescription){description->num_attributes, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
   return description->num_attributes + 1;
}

VkPipeline
vk_create_pipeline(const struct vk_pipeline_description *description)
{
   VkShaderModule modules[] = {create_module(description->vertex), create_module(description->fragment)};
   const VkPipelineShaderStageCreateInfo stages[] = {
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_VERTEX_BIT,
       .module = modules[0],
       .pName = "main"},
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
       .module = modules[1],
       .pName = "main"},
   };
   VkVertexInputBindingDescription bindings[2];
   VkVertexInputAttributeDescription attributes[8];
   const uint32_t num_attributes = describe_vertices(description, bindings, attributes);
   const VkPipelineVertexInputStateCreateInfo vertices = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
      .vertexBindingDescriptionCount = description->stride ? 1 + description->instanced : 0,
      .pVertexBindingDescriptions = bindings,
      .vertexAttributeDescriptionCount = description->stride ? num_attributes : 0,
      .pVertexAttributeDescriptions = attributes,
   };
   const VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = description->topology};
   const VkPipelineViewportStateCreateInfo viewport = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
   const VkPipelineRasterizationStateCreateInfo rasterization = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1.0f};
   const VkPipelineMultisampleStateCreateInfo multisample = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = description->samples ? description->samples : VK_SAMPLE_COUNT_1_BIT};
   const VkStencilOpState stencil = {.passOp = VK_STENCIL_OP_REPLACE,
                                     .compareOp = VK_COMPARE_OP_ALWAYS,
                                     .writeMask = 0xff,
                                     .reference = description->reference};
   const VkPipelineDepthStencilStateCreateInfo depth = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
      .depthTestEnable = description->depth,
      .depthWriteEnable = description->depth,
      .depthCompareOp = VK_COMPARE_OP_LESS,
      .stencilTestEnable = description->stencil,
      .front = stencil,
      .back = stencil,
   };
   VkPipelineColorBlendAttachmentState blends[VK_MAX_COLORS];
   for (uint32_t i = 0; i < VK_MAX_COLORS; i++)
      blends[i] = (VkPipelineColorBlendAttachmentState){
         .blendEnable = description->blend,
         .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
         .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
         .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
         .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
         .colorWriteMask = 15,
      };
   for (uint32_t i = 0; description->dual_source && i < VK_MAX_COLORS; i++) {
      blends[i].srcColorBlendFactor = VK_BLEND_FACTOR_SRC1_COLOR;
      blends[i].dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR;
   }
   const VkPipelineColorBlendStateCreateInfo blend = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = description->num_colors,
      .pAttachments = blends,
   };
   static const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
   const VkPipelineDynamicStateCreateInfo dynamic = {.sType =
                                                        VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                     .dynamicStateCount = 2,
                                                     .pDynamicStates = states};
   VkPipelineRenderingCreateInfoKHR rendering = {0};
   if (description->rendering) {
      rendering = *description->rendering;
      rendering.pNext = description->next;
   }
   const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .pNext = description->rendering ? &rendering : NULL,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = &vertices,
      .pInputAssemblyState = &assembly,
      .pViewportState = &viewport,
      .pRasterizationState = &rasterization,
      .pMultisampleState = &multisample,
      .pDepthStencilState = &depth,
      .pColorBlendState = &blend,
      .pDynamicState = &dynamic,
      .layout = description->layout,
      .renderPass = description->pass,
      .subpass = description->subpass,
   };
   VkPipeline pipeline;
   CHECK(vkCreateGraphicsPipelines(vk_device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   keep(VK_OBJECT_TYPE_PIPELINE, pipeline);
   vkDestroyShaderModule(vk_device, modules[0], NULL);
   vkDestroyShaderModule(vk_device, modules[1], NULL);
   return pipeline;
}

VkPipeline
vk_create_compute_pipeline(struct vk_code code, VkPipelineLayout layout)
{
   VkShaderModule module = create_module(code);
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout,
   };
   VkPipeline pipeline;
   CHECK(vkCreateComputePipelines(vk_device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   keep(VK_OBJECT_TYPE_PIPELINE, pipeline);
   vkDestroyShaderModule(vk_device, module, NULL);
   return pipeline;
}

/* ---- descriptors --------------------------------------------------------------------- */

static void
write_descriptor(VkDescriptorSet set, uint32_t binding, const struct vk_descriptor *descriptor)
{
   VkDescriptorImageInfo images[VK_MAX_OBJECTS];
   VkDescriptorBufferInfo buffers[VK_MAX_OBJECTS];
   VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = binding,
      .descriptorCount = descriptor->count,
      .descriptorType = descriptor->type,
      .pImageInfo = images,
      .pBufferInfo = buffers,
   };
   for (uint32_t i = 0; i < descriptor->count; i++)
      images[i] = (VkDescriptorImageInfo){
         .sampler = descriptor->sampler,
         .imageView = descriptor->images ? descriptor->images[i]->view : VK_NULL_HANDLE,
         .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      };
   for (uint32_t i = 0; descriptor->buffer && i < descriptor->count; i++)
      buffers[i] = (VkDescriptorBufferInfo){descriptor->buffer->buffer, 0,
                                            descriptor->range ? descriptor->range : VK_WHOLE_SIZE};
   vkUpdateDescriptorSets(vk_device, 1, &write, 0, NULL);
}

VkDescriptorSet
vk_create_set(const struct vk_descriptor *descriptors, uint32_t count, VkPipelineLayout *layout)
{
   VkDescriptorSetLayoutBinding bindings[16];
   for (uint32_t i = 0; i < count; i++)
      bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = descriptors[i].type,
         .descriptorCount = descriptors[i].count,
         .stageFlags =
            descriptors[i].type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT
               ? VK_SHADER_STAGE_FRAGMENT_BIT
               : VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
      };
   const VkDescriptorSetLayoutCreateInfo set_info = {.sType =
                                                        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                     .bindingCount = count,
                                                     .pBindings = bindings};
   VkDescriptorSetLayout set_layout;
   CHECK(vkCreateDescriptorSetLayout(vk_device, &set_info, NULL, &set_layout));
   keep(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, set_layout);
   const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                                        VK_SHADER_STAGE_COMPUTE_BIT,
                                     0, 32};
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &set_layout,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   CHECK(vkCreatePipelineLayout(vk_device, &layout_info, NULL, layout));
   keep(VK_OBJECT_TYPE_PIPELINE_LAYOUT, *layout);
   const VkDescriptorSetAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = descriptor_pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set_layout,
   };
   VkDescriptorSet set;
   CHECK(vkAllocateDescriptorSets(vk_device, &allocation, &set));
   for (uint32_t i = 0; i < count; i++)
      write_descriptor(set, i, &descriptors[i]);
   return set;
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

void
vk_change_layout(VkCommandBuffer commands, const struct vk_image *image, VkImageLayout layout)
{
   const VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
      .newLayout = layout,
      .image = image->image,
      .subresourceRange = {all_aspects(image->format), 0, image->levels, 0, image->layers},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                        0, NULL, 0, NULL, 1, &barrier);
}

void
vk_upload(const struct vk_image *image, uint32_t level, uint32_t layer, const void *texels, uint32_t bytes)
{
   const uint32_t width = image->width >> level ? image->width >> level : 1;
   const uint32_t height = image->height >> level ? image->height >> level : 1;
   const VkDeviceSize size = is_compressed(image->format) ? bytes : (VkDeviceSize)width * height * bytes;
   const struct vk_buffer buffer = vk_create_buffer(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
   const VkBufferImageCopy copy = {
      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
      .imageExtent = {width, height, 1},
   };
   VkCommandBuffer commands = vk_begin();
   if (!level && !layer)
      vk_change_layout(commands, image, VK_IMAGE_LAYOUT_GENERAL);
   vkCmdCopyBufferToImage(commands, buffer.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
   vk_run(commands);
}
