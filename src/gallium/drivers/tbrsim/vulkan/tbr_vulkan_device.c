/* SPDX-License-Identifier: MIT */
/**
 * What the device is: the features and the limits of the simulated GPU, instead of llvmpipe's, and the ends of passes. The
 * functions named lvp_* are lavapipe's hooks; it is compiled once for both libraries, and those of its own do without.
 */
#include <assert.h>

#include "lvp_private.h"
#include "vk_util.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan.h"
#include "vulkan/tbr_vulkan_queue.h"

/** Of a stage: pairs of a texture and a sampler that it can have, as each combined image sampler is one. */
#define MAX_TEXTURES TBR_MAX_TEXTURES

uint64_t lvp_buffer_address(struct pipe_resource *buffer);
void lvp_limit_physical_device(struct lvp_physical_device *device);
void lvp_limit_set_layout(struct lvp_device *device, const VkDescriptorSetLayoutCreateInfo *info,
                          VkDescriptorSetLayoutSupport *support);
void lvp_end_pass(struct pipe_context *context);
void lvp_map_attachments(struct pipe_context *context, const int *map, unsigned count, bool partial);

/* ---- features -------------------------------------------------------------- */

/** All others are off. What lavapipe has of these depends on the driver. */
static struct vk_features
supported_features(const struct vk_features *has)
{
   return (struct vk_features){
      /* Vulkan 1.0 */
      .robustBufferAccess = true,
      .fullDrawIndexUint32 = true,
      .imageCubeArray = has->imageCubeArray,
      .independentBlend = true,
      .geometryShader = has->geometryShader,
      .tessellationShader = has->tessellationShader,
      .sampleRateShading = has->sampleRateShading,
      .dualSrcBlend = has->dualSrcBlend,
      .logicOp = true,
      .multiDrawIndirect = has->multiDrawIndirect,
      .drawIndirectFirstInstance = true,
      .depthClamp = has->depthClamp,
      .depthBiasClamp = true,
      .fillModeNonSolid = true,
      .largePoints = true,
      .alphaToOne = true,
      .multiViewport = true,
      .samplerAnisotropy = true,
      .textureCompressionETC2 = true,
      .textureCompressionASTC_LDR = true,
      .textureCompressionBC = true,
      .occlusionQueryPrecise = true,
      .pipelineStatisticsQuery = true,
      .vertexPipelineStoresAndAtomics = has->vertexPipelineStoresAndAtomics,
      .fragmentStoresAndAtomics = has->fragmentStoresAndAtomics,
      .shaderTessellationAndGeometryPointSize = true,
      .shaderImageGatherExtended = true,
      .shaderUniformBufferArrayDynamicIndexing = true,
      .shaderSampledImageArrayDynamicIndexing = true,
      .shaderStorageBufferArrayDynamicIndexing = true,
      .shaderStorageImageArrayDynamicIndexing = true,
      .shaderStorageImageReadWithoutFormat = true,
      .shaderStorageImageWriteWithoutFormat = true,
      .shaderStorageImageExtendedFormats = has->shaderStorageImageExtendedFormats,
      .shaderClipDistance = true,
      .shaderCullDistance = has->shaderCullDistance,
      /* Vulkan 1.1 */
      .multiview = true,
      .shaderDrawParameters = true,
      /* Vulkan 1.2 */
      .samplerMirrorClampToEdge = true,
      .bufferDeviceAddress = true,
      .drawIndirectCount = true,
      .shaderUniformTexelBufferArrayDynamicIndexing = true,
      .shaderStorageTexelBufferArrayDynamicIndexing = true,
      .shaderUniformBufferArrayNonUniformIndexing = true,
      .shaderSampledImageArrayNonUniformIndexing = true,
      .shaderStorageBufferArrayNonUniformIndexing = true,
      .shaderStorageImageArrayNonUniformIndexing = true,
      .shaderUniformTexelBufferArrayNonUniformIndexing = true,
      .shaderStorageTexelBufferArrayNonUniformIndexing = true,
      .descriptorBindingUpdateUnusedWhilePending = true,
      .descriptorBindingPartiallyBound = true,
      .descriptorBindingVariableDescriptorCount = true,
      .runtimeDescriptorArray = true,
      .samplerFilterMinmax = true,
      .scalarBlockLayout = true,
      .imagelessFramebuffer = true,
      .uniformBufferStandardLayout = true,
      .separateDepthStencilLayouts = true,
      .hostQueryReset = true,
      .timelineSemaphore = true,
      .shaderOutputViewportIndex = true,
      .shaderOutputLayer = true,
      .vulkanMemoryModel = true,
      .vulkanMemoryModelDeviceScope = true,
      .subgroupBroadcastDynamicId = true,
      .shaderSubgroupExtendedTypes = true,
      /* Vulkan 1.3 */
      .robustImageAccess = true,
      .inlineUniformBlock = true,
      .pipelineCreationCacheControl = true,
      .privateData = true,
      .shaderDemoteToHelperInvocation = true,
      .shaderTerminateInvocation = true,
      .subgroupSizeControl = true,
      .computeFullSubgroups = true,
      .synchronization2 = true,
      .shaderZeroInitializeWorkgroupMemory = true,
      .dynamicRendering = true,
      .dynamicRenderingLocalRead = true,
      .shaderIntegerDotProduct = true,
      .maintenance4 = true,
      /* Extensions */
      .indexTypeUint8 = true,
      .vertexAttributeInstanceRateDivisor = has->vertexAttributeInstanceRateDivisor,
      .vertexAttributeInstanceRateZeroDivisor = has->vertexAttributeInstanceRateZeroDivisor,
      .extendedDynamicState = true,
      .extendedDynamicState2 = true,
      .extendedDynamicState2LogicOp = true,
      .extendedDynamicState2PatchControlPoints = true,
      .colorWriteEnable = true,
      .depthClipControl = true,
      .depthClipEnable = has->depthClipEnable,
      .provokingVertexLast = true,
      .multiDraw = true,
      .transformFeedback = true,
      .primitivesGeneratedQuery = true,
      .customBorderColors = true,
      .customBorderColorWithoutFormat = true,
      .vertexInputDynamicState = true,
      .primitiveTopologyListRestart = true,
   };
}

/** Likewise. */
static struct vk_device_extension_table
supported_extensions(const struct vk_device_extension_table *has)
{
   return (struct vk_device_extension_table){
      .KHR_bind_memory2 = true,
      .KHR_buffer_device_address = true,
      .KHR_copy_commands2 = true,
      .KHR_create_renderpass2 = true,
      .KHR_dedicated_allocation = true,
      .KHR_depth_stencil_resolve = true,
      .KHR_descriptor_update_template = true,
      .KHR_device_group = true,
      .KHR_draw_indirect_count = true,
      .KHR_driver_properties = true,
      .KHR_dynamic_rendering = true,
      .KHR_dynamic_rendering_local_read = true,
      .KHR_external_fence = true,
      .KHR_external_memory = true,
      .KHR_external_semaphore = true,
      .KHR_format_feature_flags2 = true,
      .KHR_get_memory_requirements2 = true,
      .KHR_image_format_list = true,
      .KHR_imageless_framebuffer = true,
      .KHR_incremental_present = has->KHR_incremental_present,
      .KHR_index_type_uint8 = true,
      .KHR_maintenance1 = true,
      .KHR_maintenance2 = true,
      .KHR_maintenance3 = true,
      .KHR_maintenance4 = true,
      .KHR_map_memory2 = true,
      .KHR_multiview = true,
      .KHR_push_descriptor = true,
      .KHR_relaxed_block_layout = true,
      .KHR_sampler_mirror_clamp_to_edge = true,
      .KHR_separate_depth_stencil_layouts = true,
      .KHR_shader_draw_parameters = true,
      .KHR_shader_integer_dot_product = true,
      .KHR_shader_non_semantic_info = true,
      .KHR_shader_subgroup_extended_types = true,
      .KHR_shader_terminate_invocation = true,
      .KHR_spirv_1_4 = true,
      .KHR_storage_buffer_storage_class = true,
      .KHR_swapchain = has->KHR_swapchain,
      .KHR_swapchain_mutable_format = has->KHR_swapchain_mutable_format,
      .KHR_synchronization2 = true,
      .KHR_timeline_semaphore = true,
      .KHR_uniform_buffer_standard_layout = true,
      .KHR_vertex_attribute_divisor = true,
      .KHR_vulkan_memory_model = true,
      .KHR_zero_initialize_workgroup_memory = true,
      .EXT_color_write_enable = true,
      .EXT_custom_border_color = true,
      .EXT_depth_clip_control = true,
      .EXT_depth_clip_enable = true,
      .EXT_extended_dynamic_state = true,
      .EXT_extended_dynamic_state2 = true,
      .EXT_external_memory_host = true,
      .EXT_host_query_reset = true,
      .EXT_image_robustness = true,
      .EXT_index_type_uint8 = true,
      .EXT_inline_uniform_block = true,
      .EXT_multi_draw = true,
      .EXT_pipeline_creation_cache_control = true,
      .EXT_pipeline_creation_feedback = true,
      .EXT_primitive_topology_list_restart = true,
      .EXT_primitives_generated_query = true,
      .EXT_private_data = true,
      .EXT_provoking_vertex = true,
      .EXT_queue_family_foreign = true,
      .EXT_sampler_filter_minmax = true,
      .EXT_scalar_block_layout = true,
      .EXT_separate_stencil_usage = true,
      .EXT_shader_demote_to_helper_invocation = true,
      .EXT_shader_viewport_index_layer = true,
      .EXT_subgroup_size_control = true,
      .EXT_transform_feedback = true,
      .EXT_vertex_attribute_divisor = true,
      .EXT_vertex_input_dynamic_state = true,
      .GOOGLE_decorate_string = true,
      .GOOGLE_hlsl_functionality1 = true,
   };
}

/* ---- properties ------------------------------------------------------------- */

static void
limit_descriptors(struct vk_properties *properties)
{
   const uint32_t blocks = TBR_MAX_UNIFORM_BLOCKS;
   properties->maxPerStageDescriptorSamplers = MAX_TEXTURES;
   properties->maxPerStageDescriptorSampledImages = MAX_TEXTURES;
   properties->maxPerStageDescriptorUniformBuffers = blocks;
   properties->maxPerStageDescriptorStorageBuffers = TBR_MAX_DRAWN_STORAGE_BUFFERS;
   /* Input attachments are read like storage images. */
   properties->maxPerStageDescriptorStorageImages = TBR_MAX_IMAGES / 2;
   properties->maxPerStageDescriptorInputAttachments = TBR_MAX_IMAGES / 2;
   properties->maxPerStageResources =
      MAX_TEXTURES + blocks + TBR_MAX_DRAWN_STORAGE_BUFFERS + TBR_MAX_IMAGES + TBR_MAX_COLOR_BUFFERS;
   /* Six stages. */
   properties->maxDescriptorSetSamplers = properties->maxDescriptorSetSampledImages = 6 * MAX_TEXTURES;
   properties->maxDescriptorSetUniformBuffers = 6 * blocks;
   properties->maxDescriptorSetUniformBuffersDynamic = blocks;
   properties->maxDescriptorSetStorageBuffers = 6 * TBR_MAX_DRAWN_STORAGE_BUFFERS;
   properties->maxDescriptorSetStorageBuffersDynamic = TBR_MAX_DRAWN_STORAGE_BUFFERS;
   properties->maxDescriptorSetStorageImages = 6 * (TBR_MAX_IMAGES / 2);
   properties->maxDescriptorSetInputAttachments = TBR_MAX_IMAGES / 2;
   properties->maxPerStageDescriptorInlineUniformBlocks = TBR_MAX_INLINE_BLOCKS;
   properties->maxDescriptorSetInlineUniformBlocks = TBR_MAX_INLINE_BLOCKS;
   properties->maxInlineUniformBlockSize = TBR_MAX_INLINE_BYTES;
   properties->maxInlineUniformTotalSize = TBR_MAX_INLINE_BLOCKS * TBR_MAX_INLINE_BYTES;
}

/** Of sets that may be written after they are bound: not more than of others, of which the specification asks for half a million, so
 * that there is no feature for it. */
static void
limit_late_descriptors(struct vk_properties *properties)
{
#define SAME(name)                                                                                   \
   properties->maxPerStageDescriptorUpdateAfterBind##name = properties->maxPerStageDescriptor##name; \
   properties->maxDescriptorSetUpdateAfterBind##name = properties->maxDescriptorSet##name
   SAME(Samplers);
   SAME(SampledImages);
   SAME(UniformBuffers);
   SAME(StorageBuffers);
   SAME(StorageImages);
   SAME(InputAttachments);
   SAME(InlineUniformBlocks);
#undef SAME
   properties->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic =
      properties->maxDescriptorSetUniformBuffersDynamic;
   properties->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic =
      properties->maxDescriptorSetStorageBuffersDynamic;
   properties->maxPerStageUpdateAfterBindResources = properties->maxPerStageResources;
   properties->maxUpdateAfterBindDescriptorsInAllPools = 0;
}

static void
limit_subgroups(struct vk_properties *properties)
{
   properties->subgroupSize = properties->minSubgroupSize = properties->maxSubgroupSize = TBR_SUBGROUP_SIZE;
   properties->subgroupSupportedStages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
   properties->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT;
   properties->requiredSubgroupSizeStages = 0;
   properties->maxComputeWorkgroupSubgroups = properties->maxComputeWorkGroupInvocations / TBR_SUBGROUP_SIZE;
}

void
lvp_limit_physical_device(struct lvp_physical_device *device)
{
   const struct vk_features features = device->vk.supported_features;
   const struct vk_device_extension_table extensions = device->vk.supported_extensions;
   struct vk_properties *properties = &device->vk.properties;
   device->vk.supported_features = supported_features(&features);
   device->vk.supported_extensions = supported_extensions(&extensions);

   properties->apiVersion = VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION);
   properties->driverID = 0; /* Khronos has none for it */
   properties->conformanceVersion = (VkConformanceVersion){0};
   snprintf(properties->driverName, sizeof properties->driverName, "tbrsim");
   properties->minMemoryMapAlignment = TBR_VULKAN_MEMORY_ALIGNMENT;
   limit_descriptors(properties);
   limit_late_descriptors(properties);
   limit_subgroups(properties);
   tbr_vulkan_queue_init_device(device);
}

/* ---- layouts of descriptor sets --------------------------------------------------- */

enum descriptor_kind {
   KIND_SAMPLER,
   KIND_SAMPLED_IMAGE,
   KIND_STORAGE_IMAGE,
   KIND_UNIFORM_BUFFER,
   KIND_STORAGE_BUFFER,
   KIND_INPUT_ATTACHMENT,
   KIND_INLINE_BLOCK,
   NUM_KINDS,
};

/** As what descriptors count: bits. */
static uint32_t
kinds_of(VkDescriptorType type)
{
   switch (type) {
   case VK_DESCRIPTOR_TYPE_SAMPLER: return BITFIELD_BIT(KIND_SAMPLER);
   case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return BITFIELD_BIT(KIND_SAMPLER) | BITFIELD_BIT(KIND_SAMPLED_IMAGE);
   case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
   case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER: return BITFIELD_BIT(KIND_SAMPLED_IMAGE);
   case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
   case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: return BITFIELD_BIT(KIND_STORAGE_IMAGE);
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC: return BITFIELD_BIT(KIND_UNIFORM_BUFFER);
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC: return BITFIELD_BIT(KIND_STORAGE_BUFFER);
   case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT: return BITFIELD_BIT(KIND_INPUT_ATTACHMENT);
   default: assert(type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK); return BITFIELD_BIT(KIND_INLINE_BLOCK);
   }
}

/** Whether a stage has as many descriptors as the layout has for it, if its binding `changed` has `count`. */
static bool
fits_stage(const struct vk_properties *properties, const VkDescriptorSetLayoutCreateInfo *info,
           VkShaderStageFlags stage, uint32_t changed, uint32_t count)
{
   const uint32_t most[NUM_KINDS] = {
      [KIND_SAMPLER] = properties->maxPerStageDescriptorSamplers,
      [KIND_SAMPLED_IMAGE] = properties->maxPerStageDescriptorSampledImages,
      [KIND_STORAGE_IMAGE] = properties->maxPerStageDescriptorStorageImages,
      [KIND_UNIFORM_BUFFER] = properties->maxPerStageDescriptorUniformBuffers,
      [KIND_STORAGE_BUFFER] = properties->maxPerStageDescriptorStorageBuffers,
      [KIND_INPUT_ATTACHMENT] = properties->maxPerStageDescriptorInputAttachments,
      [KIND_INLINE_BLOCK] = properties->maxPerStageDescriptorInlineUniformBlocks,
   };
   uint64_t counts[NUM_KINDS] = {0};
   for (uint32_t i = 0; i < info->bindingCount; i++) {
      const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
      const bool is_inline = binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
      if (!(binding->stageFlags & stage))
         continue;
      u_foreach_bit (kind, kinds_of(binding->descriptorType))
         counts[kind] += is_inline ? 1 : i == changed ? count : binding->descriptorCount;
   }
   for (unsigned kind = 0; kind < NUM_KINDS; kind++) {
      if (counts[kind] > most[kind])
         return false;
   }
   return true;
}

static bool
fits(const struct vk_properties *properties, const VkDescriptorSetLayoutCreateInfo *info, uint32_t changed,
     uint32_t count)
{
   for (VkShaderStageFlags stage = VK_SHADER_STAGE_VERTEX_BIT; stage <= VK_SHADER_STAGE_COMPUTE_BIT;
        stage <<= 1) {
      if (!fits_stage(properties, info, stage, changed, count))
         return false;
   }
   return true;
}

/** A hook in lavapipe, vkGetDescriptorSetLayoutSupport. */
void
lvp_limit_set_layout(struct lvp_device *device, const VkDescriptorSetLayoutCreateInfo *info,
                     VkDescriptorSetLayoutSupport *support)
{
   const struct vk_properties *properties = &device->vk.physical->properties;
   const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
      vk_find_struct_const(info->pNext, DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
   VkDescriptorSetVariableDescriptorCountLayoutSupport *variable =
      vk_find_struct(support->pNext, DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT);
   support->supported = fits(properties, info, UINT32_MAX, 0);
   for (uint32_t i = 0; variable && flags && i < flags->bindingCount; i++) {
      if (!(flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT))
         continue;
      if (info->pBindings[i].descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
         variable->maxVariableDescriptorCount = properties->maxInlineUniformBlockSize;
         continue;
      }
      /* No stage has more of any kind than of all together. */
      variable->maxVariableDescriptorCount = properties->maxPerStageResources;
      while (variable->maxVariableDescriptorCount &&
             !fits(properties, info, i, variable->maxVariableDescriptorCount))
         variable->maxVariableDescriptorCount--;
   }
}

/* ---- addresses ------------------------------------------------------------------ */

/** vkGetBufferDeviceAddress: the simulated GPU's. */
uint64_t
lvp_buffer_address(struct pipe_resource *buffer)
{
   return tbr_addresses_of(tbr_resource(buffer));
}

/* ---- passes -------------------------------------------------------------------- */

/** vkCmdEndRendering, and that of each subpass: what follows is another pass, even with the same attachments. */
void
lvp_end_pass(struct pipe_context *context)
{
   const struct pipe_framebuffer_state none = {0};
   context->set_framebuffer_state(context, &none);
   lvp_map_attachments(context, NULL, 0, false);
}
