/* SPDX-License-Identifier: MIT */
/** Memory: buffers, images, samplers. */
#include "device_private.h"

#include <string.h>

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
      vk_keep(VK_OBJECT_TYPE_DEVICE_MEMORY, memory);
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
   vk_keep(VK_OBJECT_TYPE_BUFFER, buffer.buffer);
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

VkImage
vk_create_any_image(const VkImageCreateInfo *info)
{
   VkImage image;
   CHECK(vkCreateImage(vk_device, info, NULL, &image));
   VkMemoryRequirements requirements;
   vkGetImageMemoryRequirements(vk_device, image, &requirements);
   VkDeviceMemory memory = allocate(&requirements, 0);
   vk_keep(VK_OBJECT_TYPE_IMAGE, image);
   CHECK(vkBindImageMemory(vk_device, image, memory, 0));
   return image;
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
   image.image = vk_create_any_image(&info);
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
   vk_keep(VK_OBJECT_TYPE_IMAGE_VIEW, image.view);
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
   vk_keep(VK_OBJECT_TYPE_IMAGE_VIEW, seen.view);
   return seen;
}

static VkSampler
create_sampler(const VkSamplerCreateInfo *info)
{
   VkSampler sampler;
   CHECK(vkCreateSampler(vk_device, info, NULL, &sampler));
   vk_keep(VK_OBJECT_TYPE_SAMPLER, sampler);
   return sampler;
}

VkSampler
vk_create_sampler(VkFilter filter, VkSamplerMipmapMode mipmaps, VkSamplerAddressMode address, bool compare)
{
   return create_sampler(&(VkSamplerCreateInfo){
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
   });
}

VkSampler
vk_create_border_sampler(const float color[4])
{
   const VkSamplerCustomBorderColorCreateInfoEXT border = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
      .customBorderColor.float32 = {color[0], color[1], color[2], color[3]},
      .format = VK_FORMAT_R8G8B8A8_UNORM,
   };
   return create_sampler(&(VkSamplerCreateInfo){
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .pNext = &border,
      .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      .borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT,
   });
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
