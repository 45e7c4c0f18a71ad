/* SPDX-License-Identifier: MIT */
/**
 * What Vulkan 1.3 requires of a device, each with a small shader or call:
 *    vulkan_version13 DOT_PRODUCTS.spv
 * prints a line for each, and ends with 1 if one is not as it should be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#include "elected.frag.h"
#include "inline_block.comp.h"
#include "leaving.frag.h"
#include "memory_model.comp.h"
#include "robust.comp.h"
#include "sized.comp.h"
#include "subgroups.comp.h"
#include "whole.vert.h"
#include "zeroed.comp.h"

static bool all_right = true;

static void
report(const char *what, bool right)
{
   printf("%s: %s\n", what, right ? "as required" : "WRONG");
   all_right &= right;
}

static void
require(VkResult result)
{
   if (result != VK_SUCCESS) {
      fprintf(stderr, "a call failed: %d\n", result);
      exit(1);
   }
}

/* ---- features ------------------------------------------------------------------ */

static VkPhysicalDeviceVulkan11Features has11 = {.sType =
                                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
static VkPhysicalDeviceVulkan12Features has12 = {
   .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
   .pNext = &has11,
};
static VkPhysicalDeviceVulkan13Features has13 = {
   .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
   .pNext = &has12,
};

/** Those that the specification lists under "Feature Requirements". */
static void
check_features(void)
{
   VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has13};
   vkGetPhysicalDeviceFeatures2(vk_physical_device, &has);
#define FEATURE(structure, name) report(#name, structure.name)
   FEATURE(has.features, robustBufferAccess);
   FEATURE(has11, multiview);
   FEATURE(has12, uniformBufferStandardLayout);
   FEATURE(has12, imagelessFramebuffer);
   FEATURE(has12, separateDepthStencilLayouts);
   FEATURE(has12, hostQueryReset);
   FEATURE(has12, timelineSemaphore);
   FEATURE(has12, shaderSubgroupExtendedTypes);
   FEATURE(has12, subgroupBroadcastDynamicId);
   FEATURE(has12, bufferDeviceAddress);
   FEATURE(has12, vulkanMemoryModel);
   FEATURE(has12, vulkanMemoryModelDeviceScope);
   FEATURE(has13, robustImageAccess);
   FEATURE(has13, inlineUniformBlock);
   FEATURE(has13, pipelineCreationCacheControl);
   FEATURE(has13, privateData);
   FEATURE(has13, shaderDemoteToHelperInvocation);
   FEATURE(has13, shaderTerminateInvocation);
   FEATURE(has13, subgroupSizeControl);
   FEATURE(has13, computeFullSubgroups);
   FEATURE(has13, synchronization2);
   FEATURE(has13, shaderZeroInitializeWorkgroupMemory);
   FEATURE(has13, dynamicRendering);
   FEATURE(has13, shaderIntegerDotProduct);
   FEATURE(has13, maintenance4);
#undef FEATURE
}

static VkPhysicalDeviceVulkan13Properties properties13 = {
   .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
static VkPhysicalDeviceSubgroupProperties subgroups = {
   .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
   .pNext = &properties13,
};

static void
check_properties(void)
{
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                             .pNext = &subgroups};
   vkGetPhysicalDeviceProperties2(vk_physical_device, &properties);
   report("apiVersion", properties.properties.apiVersion >= VK_API_VERSION_1_3);
   report("subgroups in compute shaders", subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT &&
                                             subgroups.supportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT);
   report("sizes of subgroups", properties13.minSubgroupSize >= 1 &&
                                   properties13.minSubgroupSize <= subgroups.subgroupSize &&
                                   subgroups.subgroupSize <= properties13.maxSubgroupSize);
   report("limits of inline uniform blocks", properties13.maxInlineUniformBlockSize >= 256 &&
                                                properties13.maxPerStageDescriptorInlineUniformBlocks >= 4 &&
                                                properties13.maxDescriptorSetInlineUniformBlocks >= 4 &&
                                                properties13.maxInlineUniformTotalSize >= 256);
   report("maxBufferSize", properties13.maxBufferSize >= 1u << 30);
   report("alignment of texel buffers", properties13.storageTexelBufferOffsetAlignmentBytes &&
                                           properties13.uniformTexelBufferOffsetAlignmentBytes);
   uint32_t count = 0;
   report("vkGetPhysicalDeviceToolProperties",
          vkGetPhysicalDeviceToolProperties(vk_physical_device, &count, NULL) == VK_SUCCESS);
   VkFormatProperties3 format = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
   VkFormatProperties2 formats = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &format};
   vkGetPhysicalDeviceFormatProperties2(vk_physical_device, VK_FORMAT_R8G8B8A8_UNORM, &formats);
   report("VkFormatProperties3",
          format.optimalTilingFeatures & VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT &&
             format.optimalTilingFeatures & VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT);
}

/** Of small allocations, too. */
static void
check_alignment_of_memory(void)
{
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(vk_physical_device, &properties);
   const size_t alignment = properties.limits.minMemoryMapAlignment;
   bool aligned = alignment >= 64;
   for (VkDeviceSize bytes = 1; bytes < 100000; bytes *= 3) {
      const struct vk_buffer buffer = vk_create_buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
      aligned &= (uintptr_t)buffer.memory % alignment == 0;
   }
   report("minMemoryMapAlignment", aligned);
}

/* ---- compute shaders ------------------------------------------------------------- */

static struct vk_buffer
create_storage(size_t bytes)
{
   const struct vk_buffer buffer =
      vk_create_buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
   memset(buffer.memory, 0, bytes);
   return buffer;
}

/** A pipeline with flags of its stage, and specialization constant 3; the program ends with it. */
static VkPipeline
create_compute(struct vk_code code, VkPipelineLayout layout, VkPipelineShaderStageCreateFlags flags,
               uint32_t constant)
{
   const VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                 .codeSize = code.bytes,
                                                 .pCode = code.words};
   VkShaderModule module;
   require(vkCreateShaderModule(vk_device, &module_info, NULL, &module));
   const VkSpecializationMapEntry entry = {.constantID = 3, .size = sizeof constant};
   const VkSpecializationInfo specialization = {1, &entry, sizeof constant, &constant};
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .flags = flags,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = &specialization},
      .layout = layout,
   };
   VkPipeline pipeline;
   require(vkCreateComputePipelines(vk_device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   vkDestroyShaderModule(vk_device, module, NULL);
   return pipeline;
}

static void
dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set, uint32_t groups)
{
   VkCommandBuffer commands = vk_begin();
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
   vkCmdDispatch(commands, groups, 1, 1);
   vk_run(commands);
   vkDestroyPipeline(vk_device, pipeline, NULL);
}

/** Runs a shader with one storage buffer. */
static void
run(struct vk_code code, const struct vk_buffer *buffer, uint32_t groups,
    VkPipelineShaderStageCreateFlags flags, uint32_t constant)
{
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = buffer};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   dispatch(create_compute(code, layout, flags, constant), layout, set, groups);
}

static bool
are_subgroups_right(VkPipelineShaderStageCreateFlags flags)
{
   enum { INVOCATIONS = 6 * 3 * 2 };
   const struct vk_buffer buffer = create_storage(INVOCATIONS * 8 * sizeof(uint32_t));
   const struct found {
      uint32_t size, id, number, count, elected, later, all, any;
   } *found = buffer.memory;
   run(VK_CODE(subgroups_comp), &buffer, 1, flags, 0);
   const uint32_t size = found[0].size, count = (INVOCATIONS + size - 1) / size;
   bool right = size >= properties13.minSubgroupSize && size <= properties13.maxSubgroupSize;
   for (uint32_t i = 0; i < INVOCATIONS && right; i++) {
      const struct found *its = &found[i];
      const uint32_t in_subgroup = its->id == count - 1 ? INVOCATIONS - (count - 1) * size : size;
      right = its->size == size && its->id * size + its->number == i && its->count == count &&
              its->elected == (its->number == 0) && its->later == (its->number == 1) &&
              its->all == (in_subgroup <= 3) && its->any == (in_subgroup > 2);
   }
   return right;
}

static void
check_subgroups(void)
{
   report("subgroups", are_subgroups_right(0));
   report("subgroups of any size",
          are_subgroups_right(VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT));
   /* The work-group's width has to be a multiple of their size: sized.comp's. */
   const struct vk_buffer buffer = create_storage(64 * sizeof(uint32_t));
   run(VK_CODE(sized_comp), &buffer, 1, VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
       properties13.maxSubgroupSize);
   report("full subgroups", *(const uint32_t *)buffer.memory == properties13.maxSubgroupSize);
}

static void
check_sizes(void)
{
   const struct vk_buffer buffer = create_storage(64 * sizeof(uint32_t));
   const uint32_t *sizes = buffer.memory;
   run(VK_CODE(sized_comp), &buffer, 1, 0, 24);
   bool right = true;
   for (uint32_t i = 0; i < 64; i++)
      right &= sizes[i] == (i < 24 ? 24 : 0);
   report("LocalSizeId", right);
   const VkBufferCreateInfo created = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = buffer.bytes,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                VK_BUFFER_USAGE_TRANSFER_DST_BIT};
   const VkDeviceBufferMemoryRequirements asked = {.sType =
                                                      VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                                   .pCreateInfo = &created};
   VkMemoryRequirements2 found = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
   VkMemoryRequirements expected;
   vkGetDeviceBufferMemoryRequirements(vk_device, &asked, &found);
   vkGetBufferMemoryRequirements(vk_device, buffer.buffer, &expected);
   report("vkGetDeviceBufferMemoryRequirements", found.memoryRequirements.size == expected.size &&
                                                    found.memoryRequirements.alignment == expected.alignment);
}

static void
check_zeroes(void)
{
   const struct vk_buffer buffer = create_storage(8 * sizeof(uint32_t));
   const uint32_t *sums = buffer.memory;
   run(VK_CODE(zeroed_comp), &buffer, 8, 0, 0);
   run(VK_CODE(zeroed_comp), &buffer, 8, 0, 0);
   bool right = true;
   for (unsigned i = 0; i < 8; i++)
      right &= sums[i] == 0;
   report("shared memory of zeros", right);
}

static void
check_memory_model(void)
{
   const struct vk_buffer buffer = create_storage(3 * 64 * sizeof(uint32_t));
   const uint32_t *results = buffer.memory;
   run(VK_CODE(memory_model_comp), &buffer, 1, 0, 0);
   bool right = true;
   for (uint32_t i = 0; i < 64; i++)
      right &= results[i] == 3 * ((i + 17) % 64) + 1;
   report("the memory model", right);
}

static void
check_dot_products(const char *path)
{
   static uint32_t words[1024];
   FILE *file = fopen(path, "rb");
   const size_t bytes = file ? fread(words, 1, sizeof words, file) : 0;
   if (!bytes || fclose(file)) {
      perror(path);
      exit(1);
   }
   const struct vk_buffer buffer = create_storage(8 * sizeof(uint32_t));
   uint32_t *values = buffer.memory;
   /* Bytes 1, -2, 3, -128 and 127, 5, -6, 7. */
   values[0] = 0x8003fe01u;
   values[1] = 0x07fa057fu;
   run((struct vk_code){words, bytes}, &buffer, 1, 0, 0);
   const int32_t a[] = {1, -2, 3, -128}, b[] = {127, 5, -6, 7};
   int32_t both = 0, mixed = 0;
   uint32_t plain = 0;
   for (unsigned i = 0; i < 4; i++) {
      both += a[i] * b[i];
      plain += (uint32_t)(uint8_t)a[i] * (uint8_t)b[i];
      mixed += a[i] * (int32_t)(uint8_t)b[i];
   }
   report("dot products", values[2] == (uint32_t)both && values[3] == plain && values[4] == (uint32_t)mixed &&
                             values[5] == INT32_MAX &&
                             values[6] == values[0] * values[0] + values[1] * values[1]);
}

/* ---- descriptors and images ---------------------------------------------------------- */

static void
check_robust_images(void)
{
   const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
   struct vk_image images[2];
   uint8_t white[4 * 4 * 4];
   memset(white, 0xff, sizeof white);
   for (unsigned i = 0; i < 2; i++) {
      images[i] = vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, 4, 4, 1, 1, VK_SAMPLE_COUNT_1_BIT, usage);
      vk_upload(&images[i], 0, 0, white, 4);
   }
   const struct vk_buffer buffer = create_storage(8 * 4 * sizeof(float));
   const struct vk_image *sampled = &images[0], *stored = &images[1];
   const struct vk_descriptor descriptors[] = {
      {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       .count = 1,
       .images = &sampled,
       .sampler = vk_create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_REPEAT, false)},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = 1, .images = &stored},
      {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1, .buffer = &buffer},
   };
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(descriptors, 3, &layout);
   dispatch(create_compute(VK_CODE(robust_comp), layout, 0, 0), layout, set, 1);
   const float(*results)[4] = buffer.memory;
   bool right = true;
   for (unsigned i = 0; i < 7; i++)
      right &= !results[i][0] && !results[i][1] && !results[i][2] && (!results[i][3] || results[i][3] == 1);
   for (unsigned i = 0; i < 4; i++)
      right &= results[7][i] == 1;
   uint8_t *texels = vk_download(&images[1], 0, 4);
   report("images outside of which is zero", right && !memcmp(texels, white, sizeof white));
   free(texels);
}

static VkDescriptorSetLayout
create_inline_layout(void)
{
   const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 256, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
   };
   const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = 2,
                                                 .pBindings = bindings};
   VkDescriptorSetLayout layout;
   require(vkCreateDescriptorSetLayout(vk_device, &info, NULL, &layout));
   return layout;
}

static VkDescriptorSet
create_inline_set(VkDescriptorSetLayout layout, VkDescriptorPool pool, const struct vk_buffer *results)
{
   uint32_t words[64];
   for (uint32_t i = 0; i < 64; i++)
      words[i] = 1000 + i;
   const VkDescriptorSetAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                   .descriptorPool = pool,
                                                   .descriptorSetCount = 1,
                                                   .pSetLayouts = &layout};
   VkDescriptorSet set;
   require(vkAllocateDescriptorSets(vk_device, &allocation, &set));
   const VkWriteDescriptorSetInlineUniformBlock block = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
      .dataSize = sizeof words,
      .pData = words,
   };
   const VkDescriptorBufferInfo buffer = {results->buffer, 0, VK_WHOLE_SIZE};
   const VkWriteDescriptorSet writes[] = {
      {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
       .pNext = &block,
       .dstSet = set,
       .descriptorCount = sizeof words,
       .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK},
      {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
       .dstSet = set,
       .dstBinding = 1,
       .descriptorCount = 1,
       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       .pBufferInfo = &buffer},
   };
   vkUpdateDescriptorSets(vk_device, 2, writes, 0, NULL);
   return set;
}

static void
check_inline_blocks(void)
{
   const struct vk_buffer results = create_storage(256);
   VkDescriptorSetLayout set_layout = create_inline_layout();
   const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
      .maxInlineUniformBlockBindings = 1,
   };
   const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 256},
                                         {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
   const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                 .pNext = &blocks,
                                                 .maxSets = 1,
                                                 .poolSizeCount = 2,
                                                 .pPoolSizes = sizes};
   VkDescriptorPool pool;
   require(vkCreateDescriptorPool(vk_device, &pool_info, NULL, &pool));
   const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                   .setLayoutCount = 1,
                                                   .pSetLayouts = &set_layout};
   VkPipelineLayout layout;
   require(vkCreatePipelineLayout(vk_device, &layout_info, NULL, &layout));
   VkDescriptorSet set = create_inline_set(set_layout, pool, &results);
   dispatch(create_compute(VK_CODE(inline_block_comp), layout, 0, 0), layout, set, 1);
   bool right = true;
   for (uint32_t i = 0; i < 64; i++)
      right &= ((const uint32_t *)results.memory)[i] == 1000 + (15 - i / 4) * 4 + i % 4;
   report("inline uniform blocks", right);
   vkDestroyPipelineLayout(vk_device, layout, NULL);
   vkDestroyDescriptorPool(vk_device, pool, NULL);
   vkDestroyDescriptorSetLayout(vk_device, set_layout, NULL);
}

/* ---- drawing -------------------------------------------------------------------------- */

#define SIDE 16

static void
synchronize(VkCommandBuffer commands)
{
   const VkMemoryBarrier2 barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
   };
   const VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                        .memoryBarrierCount = 1,
                                        .pMemoryBarriers = &barrier};
   vkCmdPipelineBarrier2(commands, &dependency);
}

static void
submit2(VkCommandBuffer commands)
{
   const VkCommandBufferSubmitInfo submitted = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                .commandBuffer = commands};
   const VkSubmitInfo2 submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                 .commandBufferInfoCount = 1,
                                 .pCommandBufferInfos = &submitted};
   require(vkEndCommandBuffer(commands));
   require(vkQueueSubmit2(vk_queue, 1, &submit, VK_NULL_HANDLE));
   require(vkQueueWaitIdle(vk_queue));
}

static void
begin_rendering(VkCommandBuffer commands, const struct vk_image *target)
{
   const VkRenderingAttachmentInfo color = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = target->view,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue = {.color = {.float32 = {0.0f, 0.0f, 0.0f, 0.0f}}},
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .renderArea = {{0, 0}, {SIDE, SIDE}},
      .layerCount = 1,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color,
   };
   vkCmdBeginRendering(commands, &rendering);
}

/** Half of the pixels of each half of the picture are left out; the others on the right know their neighbours' values. */
static bool
is_drawn_right(const uint8_t (*texels)[SIDE][4])
{
   for (unsigned y = 0; y < SIDE; y++) {
      for (unsigned x = 0; x < SIDE; x++) {
         const bool is_left_out = x % 2 == 0;
         const uint8_t expected[4] = {is_left_out || x >= 8 ? 0 : 255, is_left_out || x < 8 ? 0 : 255, 0,
                                      is_left_out ? 0 : 255};
         if (memcmp(texels[y][x], expected, 4))
            return false;
      }
   }
   return true;
}

static struct vk_image
create_target(void)
{
   return vk_create_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

/** A rendering of all pixels, with a set or none. */
static void
record_whole(VkCommandBuffer commands, const struct vk_image *target, struct vk_code fragment,
             VkPipelineLayout layout, VkDescriptorSet set)
{
   const VkPipelineRenderingCreateInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &target->format,
   };
   const struct vk_pipeline_description description = {.vertex = VK_CODE(whole_vert),
                                                       .fragment = fragment,
                                                       .num_colors = 1,
                                                       .layout = layout,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                                       .rendering = &rendering};
   const VkViewport viewport = {0, 0, 2 * SIDE, 2 * SIDE, 0, 1}; /* as whole.vert needs it */
   const VkRect2D scissor = {{0, 0}, {SIDE, SIDE}};
   vk_change_layout(commands, target, VK_IMAGE_LAYOUT_GENERAL);
   begin_rendering(commands, target);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk_create_pipeline(&description));
   if (set)
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
   vkCmdSetViewport(commands, 0, 1, &viewport);
   vkCmdSetScissor(commands, 0, 1, &scissor);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRendering(commands);
}

static void
check_drawing(void)
{
   const struct vk_image target = create_target();
   const struct vk_buffer copied = create_storage(SIDE * SIDE * 4);
   VkPipelineLayout layout;
   vk_create_set(NULL, 0, &layout);
   VkCommandBuffer commands = vk_begin();
   record_whole(commands, &target, VK_CODE(leaving_frag), layout, VK_NULL_HANDLE);
   synchronize(commands);
   const VkBufferImageCopy2 region = {.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {SIDE, SIDE, 1}};
   const VkCopyImageToBufferInfo2 copy = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2,
                                          .srcImage = target.image,
                                          .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .dstBuffer = copied.buffer,
                                          .regionCount = 1,
                                          .pRegions = &region};
   vkCmdCopyImageToBuffer2(commands, &copy);
   submit2(commands);
   report("dynamic rendering, invocations that leave, synchronization2, copies",
          is_drawn_right(copied.memory));
}

/** Elections of fragments, which fill their subgroups: of each one is elected, and one of each that is in part at work. */
static void
check_elections(void)
{
   const struct vk_image target = create_target();
   const struct vk_buffer buffer = create_storage(6 * sizeof(uint32_t));
   const struct {
      uint32_t size, wrong, elected[2], others[2];
   } *counts = buffer.memory;
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &buffer};
   VkPipelineLayout layout;
   VkDescriptorSet set = vk_create_set(&descriptor, 1, &layout);
   VkCommandBuffer commands = vk_begin();
   record_whole(commands, &target, VK_CODE(elected_frag), layout, set);
   submit2(commands);
   const bool right = counts->size && !counts->wrong;
   report("elections of fragments", right && counts->elected[0] == SIDE * SIDE / counts->size &&
                                       counts->elected[0] + counts->others[0] == SIDE * SIDE);
   report("elections where some fragments are at work",
          right && counts->elected[1] == SIDE * SIDE / counts->size &&
             counts->elected[1] + counts->others[1] == SIDE * SIDE / 2);
}

/* ---- objects --------------------------------------------------------------------------- */

static void
check_private_data(void)
{
   const VkPrivateDataSlotCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
   const struct vk_buffer buffer = create_storage(64);
   VkPrivateDataSlot slot;
   uint64_t found = 1;
   require(vkCreatePrivateDataSlot(vk_device, &info, NULL, &slot));
   const uint64_t handle = (uint64_t)(uintptr_t)buffer.buffer;
   vkGetPrivateData(vk_device, VK_OBJECT_TYPE_BUFFER, handle, slot, &found);
   bool right = !found;
   require(vkSetPrivateData(vk_device, VK_OBJECT_TYPE_BUFFER, handle, slot, 0x123456789abcull));
   vkGetPrivateData(vk_device, VK_OBJECT_TYPE_BUFFER, handle, slot, &found);
   right &= found == 0x123456789abcull;
   vkDestroyPrivateDataSlot(vk_device, slot, NULL);
   report("private data", right);
}

static void
check_cache_control(void)
{
   const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                           .flags = VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT};
   VkPipelineCache cache;
   require(vkCreatePipelineCache(vk_device, &info, NULL, &cache));
   const struct vk_code code = VK_CODE(sized_comp);
   const VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                 .codeSize = code.bytes,
                                                 .pCode = code.words};
   VkShaderModule module;
   require(vkCreateShaderModule(vk_device, &module_info, NULL, &module));
   const struct vk_buffer buffer = create_storage(64);
   const struct vk_descriptor descriptor = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .count = 1,
                                            .buffer = &buffer};
   VkPipelineLayout layout;
   vk_create_set(&descriptor, 1, &layout);
   const VkComputePipelineCreateInfo pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout,
   };
   VkPipeline pipeline = VK_NULL_HANDLE;
   const VkResult result = vkCreateComputePipelines(vk_device, cache, 1, &pipeline_info, NULL, &pipeline);
   report("pipelines that must not be compiled",
          result == (pipeline ? VK_SUCCESS : VK_PIPELINE_COMPILE_REQUIRED));
   vkDestroyPipeline(vk_device, pipeline, NULL);
   vkDestroyShaderModule(vk_device, module, NULL);
   vkDestroyPipelineCache(vk_device, cache, NULL);
}

/** All that is required and that the device has. */
static void
open_device(void)
{
   static VkPhysicalDeviceVulkan12Features wanted12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .bufferDeviceAddress = true,
      .vulkanMemoryModel = true,
      .vulkanMemoryModelDeviceScope = true,
   };
#define WANT(structure, type, member, next)                                               \
   static structure member##_wanted = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, \
                                       .pNext = next,                                     \
                                       .member = true}
   WANT(VkPhysicalDeviceSynchronization2Features, SYNCHRONIZATION_2_FEATURES, synchronization2, &wanted12);
   WANT(VkPhysicalDeviceMaintenance4Features, MAINTENANCE_4_FEATURES, maintenance4, &synchronization2_wanted);
   WANT(VkPhysicalDevicePrivateDataFeatures, PRIVATE_DATA_FEATURES, privateData, &maintenance4_wanted);
   WANT(VkPhysicalDeviceInlineUniformBlockFeatures, INLINE_UNIFORM_BLOCK_FEATURES, inlineUniformBlock,
        &privateData_wanted);
   WANT(VkPhysicalDeviceImageRobustnessFeatures, IMAGE_ROBUSTNESS_FEATURES, robustImageAccess,
        &inlineUniformBlock_wanted);
   WANT(VkPhysicalDevicePipelineCreationCacheControlFeatures, PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
        pipelineCreationCacheControl, &robustImageAccess_wanted);
   WANT(VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures, SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
        shaderDemoteToHelperInvocation, &pipelineCreationCacheControl_wanted);
   WANT(VkPhysicalDeviceShaderTerminateInvocationFeatures, SHADER_TERMINATE_INVOCATION_FEATURES,
        shaderTerminateInvocation, &shaderDemoteToHelperInvocation_wanted);
   WANT(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
        shaderZeroInitializeWorkgroupMemory, &shaderTerminateInvocation_wanted);
   WANT(VkPhysicalDeviceShaderIntegerDotProductFeatures, SHADER_INTEGER_DOT_PRODUCT_FEATURES,
        shaderIntegerDotProduct, &shaderZeroInitializeWorkgroupMemory_wanted);
   WANT(VkPhysicalDeviceSubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES, subgroupSizeControl,
        &shaderIntegerDotProduct_wanted);
#undef WANT
   subgroupSizeControl_wanted.computeFullSubgroups = true;
   vk_open_version(VK_API_VERSION_1_3, &subgroupSizeControl_wanted);
}

int
main(int argc, char **argv)
{
   if (argc != 2) {
      fprintf(stderr, "usage: %s DOT_PRODUCTS.spv\n", argv[0]);
      return 2;
   }
   open_device();
   check_features();
   check_properties();
   check_alignment_of_memory();
   check_subgroups();
   check_sizes();
   check_zeroes();
   check_memory_model();
   check_dot_products(argv[1]);
   check_robust_images();
   check_inline_blocks();
   check_drawing();
   check_elections();
   check_private_data();
   check_cache_control();
   vk_close();
   return all_right ? 0 : 1;
}
