/* SPDX-License-Identifier: MIT */
/** Passes, pipelines, descriptors. */
#include "device_private.h"

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
   vk_keep(VK_OBJECT_TYPE_RENDER_PASS, pass->pass);
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
   vk_keep(VK_OBJECT_TYPE_FRAMEBUFFER, pass->framebuffer);
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

VkShaderModule
vk_create_module(struct vk_code code)
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
   const VkFormat format = description->attribute ? description->attribute : VK_FORMAT_R32G32B32A32_SFLOAT;
   for (uint32_t i = 0; i < description->num_attributes; i++)
      attributes[i] = (VkVertexInputAttributeDescription){i, 0, format, i * 16};
   bindings[0] = (VkVertexInputBindingDescription){0, description->stride, VK_VERTEX_INPUT_RATE_VERTEX};
   bindings[1] = (VkVertexInputBindingDescription){1, 16, VK_VERTEX_INPUT_RATE_INSTANCE};
   if (!description->instanced)
      return description->num_attributes;
   attributes[description->num_attributes] =
      (VkVertexInputAttributeDescription){description->num_attributes, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
   return description->num_attributes + 1;
}

/** Of all shaders that there are: how many. */
static uint32_t
create_stages(const struct vk_pipeline_description *description, VkPipelineShaderStageCreateInfo stages[5])
{
   const struct {
      VkShaderStageFlagBits stage;
      struct vk_code code;
   } shaders[] = {
      {VK_SHADER_STAGE_VERTEX_BIT, description->vertex},
      {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, description->control},
      {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, description->evaluation},
      {VK_SHADER_STAGE_GEOMETRY_BIT, description->geometry},
      {VK_SHADER_STAGE_FRAGMENT_BIT, description->fragment},
   };
   uint32_t count = 0;
   for (unsigned i = 0; i < sizeof shaders / sizeof shaders[0]; i++) {
      if (shaders[i].code.words)
         stages[count++] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = shaders[i].stage,
            .module = vk_create_module(shaders[i].code),
            .pName = "main",
         };
   }
   return count;
}

VkPipeline
vk_create_pipeline(const struct vk_pipeline_description *description)
{
   VkPipelineShaderStageCreateInfo stages[5];
   const uint32_t num_stages = create_stages(description, stages);
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
   const VkPipelineTessellationStateCreateInfo patches = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
      .patchControlPoints = description->patch_vertices ? description->patch_vertices : 3};
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
      .stageCount = num_stages,
      .pStages = stages,
      .pVertexInputState = &vertices,
      .pInputAssemblyState = &assembly,
      .pTessellationState = &patches,
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
   vk_keep(VK_OBJECT_TYPE_PIPELINE, pipeline);
   for (uint32_t i = 0; i < num_stages; i++)
      vkDestroyShaderModule(vk_device, stages[i].module, NULL);
   return pipeline;
}

VkPipeline
vk_create_compute_pipeline(struct vk_code code, VkPipelineLayout layout)
{
   VkShaderModule module = vk_create_module(code);
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
   vk_keep(VK_OBJECT_TYPE_PIPELINE, pipeline);
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
      .pTexelBufferView = &descriptor->texels,
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
   vk_keep(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, set_layout);
   const VkPushConstantRange push = {VK_PUSH_STAGES, 0, 32};
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &set_layout,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   CHECK(vkCreatePipelineLayout(vk_device, &layout_info, NULL, layout));
   vk_keep(VK_OBJECT_TYPE_PIPELINE_LAYOUT, *layout);
   const VkDescriptorSetAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = vk_descriptor_pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set_layout,
   };
   VkDescriptorSet set;
   CHECK(vkAllocateDescriptorSets(vk_device, &allocation, &set));
   vk_keep(VK_OBJECT_TYPE_DESCRIPTOR_SET, set);
   for (uint32_t i = 0; i < count; i++)
      write_descriptor(set, i, &descriptors[i]);
   return set;
}
