/* SPDX-License-Identifier: MIT */
/** Pipelines of random state. */
#include <string.h>

#include "device_private.h"
#include "random_states.h"

#include "states.frag.h"
#include "states.vert.h"

/* ---- vertices ------------------------------------------------------------------------ */

static VkVertexInputAttributeDescription
random_attribute(struct dice *dice, uint32_t location, uint32_t binding)
{
   static const VkFormat formats[] = {
      VK_FORMAT_R8G8B8A8_UNORM,           VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8_UNORM,
      VK_FORMAT_R8G8B8A8_SNORM,           VK_FORMAT_R16_UNORM,      VK_FORMAT_R16G16_UNORM,
      VK_FORMAT_R16G16B16A16_UNORM,       VK_FORMAT_R16G16_SNORM,   VK_FORMAT_R16G16B16A16_SNORM,
      VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R8_UNORM,
   };
   const VkFormat format = PICK(dice, formats);
   return (VkVertexInputAttributeDescription){location, binding, format, 4 * roll(dice, 5)};
}

static bool
is_strip(VkPrimitiveTopology topology)
{
   return topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
          topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN ||
          topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY ||
          topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
}

/* ---- rasterization --------------------------------------------------------------------- */

static VkPipelineRasterizationStateCreateInfo
random_raster(struct dice *dice)
{
   VkPipelineRasterizationStateCreateInfo raster = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
   raster.depthClampEnable = chance(dice, 30);
   raster.rasterizerDiscardEnable = chance(dice, 3);
   raster.polygonMode = chance(dice, 80) ? VK_POLYGON_MODE_FILL : (VkPolygonMode)roll(dice, 3);
   raster.cullMode = chance(dice, 50) ? VK_CULL_MODE_NONE : roll(dice, 4);
   raster.frontFace = (VkFrontFace)roll(dice, 2);
   raster.depthBiasEnable = chance(dice, 30);
   raster.depthBiasConstantFactor = (float)roll_between(dice, -500, 500);
   raster.depthBiasSlopeFactor = (float)roll_between(dice, -2, 2);
   raster.depthBiasClamp = chance(dice, 50) ? 0.0f : 0.25f * roll_unit(dice);
   return raster;
}

static VkStencilOpState
random_stencil(struct dice *dice)
{
   VkStencilOpState state = {0};
   state.failOp = (VkStencilOp)roll(dice, 8);
   state.passOp = (VkStencilOp)roll(dice, 8);
   state.depthFailOp = (VkStencilOp)roll(dice, 8);
   state.compareOp = (VkCompareOp)roll(dice, 8);
   state.compareMask = chance(dice, 50) ? 0xff : roll(dice, 256);
   state.writeMask = chance(dice, 50) ? 0xff : roll(dice, 256);
   state.reference = roll(dice, 8);
   return state;
}

static VkPipelineDepthStencilStateCreateInfo
random_depth(struct dice *dice)
{
   VkPipelineDepthStencilStateCreateInfo depth = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
   depth.depthTestEnable = chance(dice, 60);
   depth.depthWriteEnable = chance(dice, 60);
   /* Whether two depths are the same, which draws compute in other ways, is no question to a device. */
   static const VkCompareOp compares[] = {VK_COMPARE_OP_NEVER,   VK_COMPARE_OP_LESS,
                                          VK_COMPARE_OP_GREATER, VK_COMPARE_OP_LESS_OR_EQUAL,
                                          VK_COMPARE_OP_ALWAYS,  VK_COMPARE_OP_GREATER_OR_EQUAL};
   depth.depthCompareOp = PICK(dice, compares);
   depth.stencilTestEnable = chance(dice, 30);
   depth.front = random_stencil(dice);
   depth.back = random_stencil(dice);
   return depth;
}

/* Where it is upside down as well. */
static VkViewport
random_viewport(struct world *world)
{
   struct dice *dice = &world->dice;
   const float width = (float)world->width, height = (float)world->height;
   VkViewport viewport = {0, 0, width, height, 0, 1};
   if (chance(dice, 40)) {
      viewport.x = width * (roll_unit(dice) - 0.5f);
      viewport.y = height * (roll_unit(dice) - 0.5f);
      viewport.width = width * (0.3f + roll_unit(dice));
      viewport.height = height * (0.3f + roll_unit(dice));
   }
   if (chance(dice, 40)) {
      viewport.minDepth = roll_unit(dice);
      viewport.maxDepth = roll_unit(dice);
   }
   if (chance(dice, 40)) {
      viewport.y += viewport.height;
      viewport.height = -viewport.height;
   }
   return viewport;
}

static VkRect2D
random_scissor(struct world *world)
{
   struct dice *dice = &world->dice;
   VkRect2D scissor = {{0, 0}, {world->width, world->height}};
   if (chance(dice, 30)) {
      scissor.offset.x = (int32_t)roll(dice, world->width);
      scissor.offset.y = (int32_t)roll(dice, world->height);
      scissor.extent.width = roll(dice, world->width + 10);
      scissor.extent.height = roll(dice, world->height + 10);
   }
   return scissor;
}

/* ---- blending ----------------------------------------------------------------------- */

static VkPipelineColorBlendAttachmentState
random_blend(struct dice *dice)
{
   VkPipelineColorBlendAttachmentState state = {0};
   const unsigned num_factors = VK_BLEND_FACTOR_SRC_ALPHA_SATURATE + 1;
   state.blendEnable = chance(dice, 60);
   state.srcColorBlendFactor = (VkBlendFactor)roll(dice, num_factors);
   state.dstColorBlendFactor = (VkBlendFactor)roll(dice, num_factors);
   state.colorBlendOp = (VkBlendOp)roll(dice, 5);
   state.srcAlphaBlendFactor = (VkBlendFactor)roll(dice, num_factors);
   state.dstAlphaBlendFactor = (VkBlendFactor)roll(dice, num_factors);
   state.alphaBlendOp = (VkBlendOp)roll(dice, 5);
   state.colorWriteMask = chance(dice, 60) ? 15 : roll(dice, 16);
   return state;
}

/* ---- pipelines ------------------------------------------------------------------------ */

/* Either viewport and scissor alone, or all that commands of Vulkan 1.3 can set. */
static uint32_t
list_dynamic_state(const struct random_pipeline *pipeline, VkDynamicState states[16])
{
   static const VkDynamicState more[] = {
      VK_DYNAMIC_STATE_CULL_MODE,         VK_DYNAMIC_STATE_FRONT_FACE,
      VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
      VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
      VK_DYNAMIC_STATE_STENCIL_OP,        VK_DYNAMIC_STATE_STENCIL_REFERENCE,
      VK_DYNAMIC_STATE_DEPTH_BIAS,        VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
      VK_DYNAMIC_STATE_BLEND_CONSTANTS,   VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
   };
   uint32_t count = 0;
   if (pipeline->has_dynamic_viewport) {
      states[count++] = VK_DYNAMIC_STATE_VIEWPORT;
      states[count++] = VK_DYNAMIC_STATE_SCISSOR;
   }
   for (unsigned i = 0; pipeline->has_dynamic_state && i < sizeof more / sizeof more[0]; i++)
      states[count++] = more[i];
   return count;
}

static void
create_with_state(struct world *world, struct random_pipeline *pipeline,
                  const VkPipelineVertexInputStateCreateInfo *vertices,
                  const VkPipelineInputAssemblyStateCreateInfo *assembly,
                  const VkPipelineMultisampleStateCreateInfo *multisample,
                  const VkPipelineColorBlendStateCreateInfo *blend)
{
   VkDynamicState states[16];
   const VkPipelineShaderStageCreateInfo stages[] = {
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_VERTEX_BIT,
       .module = vk_create_module(VK_CODE(states_vert)),
       .pName = "main"},
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
       .module = vk_create_module(VK_CODE(states_frag)),
       .pName = "main"},
   };
   const VkPipelineViewportStateCreateInfo viewport = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &pipeline->viewport,
      .scissorCount = 1,
      .pScissors = &pipeline->scissor,
   };
   const VkPipelineDynamicStateCreateInfo dynamic = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
      .dynamicStateCount = list_dynamic_state(pipeline, states),
      .pDynamicStates = states,
   };
   const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = vertices,
      .pInputAssemblyState = assembly,
      .pViewportState = &viewport,
      .pRasterizationState = &pipeline->raster,
      .pMultisampleState = multisample,
      .pDepthStencilState = &pipeline->depth,
      .pColorBlendState = blend,
      .pDynamicState = &dynamic,
      .layout = world->layout,
      .renderPass = world->pass.pass,
   };
   CHECK(vkCreateGraphicsPipelines(vk_device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline->pipeline));
   vk_keep(VK_OBJECT_TYPE_PIPELINE, pipeline->pipeline);
   for (unsigned stage = 0; stage < 2; stage++)
      vkDestroyShaderModule(vk_device, stages[stage].module, NULL);
}

/* Where a shader that runs per sample has its inputs, and which samples an alpha covers, are the device's choice: neither is used. */
static VkPipelineMultisampleStateCreateInfo
random_multisample(struct world *world, const VkSampleMask *mask)
{
   struct dice *dice = &world->dice;
   VkPipelineMultisampleStateCreateInfo state = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = world->samples,
   };
   state.pSampleMask = chance(dice, 30) ? mask : NULL;
   state.alphaToOneEnable = chance(dice, 10);
   return state;
}

struct random_pipeline
create_random_pipeline(struct world *world)
{
   struct dice *dice = &world->dice;
   struct random_pipeline pipeline = {.raster = random_raster(dice), .depth = random_depth(dice)};
   const VkVertexInputBindingDescription bindings[] = {
      {0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
      {1, 32, VK_VERTEX_INPUT_RATE_VERTEX},
      {2, 32, VK_VERTEX_INPUT_RATE_INSTANCE},
   };
   VkVertexInputAttributeDescription attributes[4] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
   for (uint32_t location = 1; location < 4; location++)
      attributes[location] = random_attribute(dice, location, location < 3 ? 1 : 2);
   const VkPipelineVertexInputStateCreateInfo vertices = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
      .vertexBindingDescriptionCount = 3,
      .pVertexBindingDescriptions = bindings,
      .vertexAttributeDescriptionCount = 4,
      .pVertexAttributeDescriptions = attributes,
   };
   VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = (VkPrimitiveTopology)roll(dice, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST),
   };
   pipeline.restarts = is_strip(assembly.topology) && chance(dice, 50);
   assembly.primitiveRestartEnable = pipeline.restarts;
   const VkSampleMask mask = roll(dice, 16);
   const VkPipelineMultisampleStateCreateInfo multisample = random_multisample(world, &mask);
   VkPipelineColorBlendAttachmentState states[NUM_COLORS];
   for (unsigned i = 0; i < NUM_COLORS; i++)
      states[i] = random_blend(dice);
   VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                .attachmentCount = NUM_COLORS,
                                                .pAttachments = states};
   blend.logicOpEnable = chance(dice, 10);
   blend.logicOp = (VkLogicOp)roll(dice, 16);
   for (unsigned c = 0; c < 4; c++)
      blend.blendConstants[c] = pipeline.constants[c] = roll_unit(dice);
   pipeline.has_dynamic_viewport = chance(dice, 50);
   pipeline.has_dynamic_state = chance(dice, 30);
   pipeline.viewport = random_viewport(world);
   pipeline.scissor = random_scissor(world);
   create_with_state(world, &pipeline, &vertices, &assembly, &multisample, &blend);
   return pipeline;
}

void
set_dynamic_state(struct world *world, const struct random_pipeline *pipeline)
{
   const VkCommandBuffer commands = world->commands;
   const VkPipelineRasterizationStateCreateInfo *raster = &pipeline->raster;
   const VkPipelineDepthStencilStateCreateInfo *depth = &pipeline->depth;
   if (pipeline->has_dynamic_viewport) {
      vkCmdSetViewport(commands, 0, 1, &pipeline->viewport);
      vkCmdSetScissor(commands, 0, 1, &pipeline->scissor);
   }
   if (!pipeline->has_dynamic_state)
      return;
   vkCmdSetCullMode(commands, raster->cullMode);
   vkCmdSetFrontFace(commands, raster->frontFace);
   vkCmdSetRasterizerDiscardEnable(commands, raster->rasterizerDiscardEnable);
   vkCmdSetDepthBiasEnable(commands, raster->depthBiasEnable);
   vkCmdSetDepthBias(commands, raster->depthBiasConstantFactor, raster->depthBiasClamp,
                     raster->depthBiasSlopeFactor);
   vkCmdSetDepthTestEnable(commands, depth->depthTestEnable);
   vkCmdSetDepthWriteEnable(commands, depth->depthWriteEnable);
   vkCmdSetDepthCompareOp(commands, depth->depthCompareOp);
   vkCmdSetStencilTestEnable(commands, depth->stencilTestEnable);
   for (unsigned back = 0; back < 2; back++) {
      const VkStencilFaceFlags face = back ? VK_STENCIL_FACE_BACK_BIT : VK_STENCIL_FACE_FRONT_BIT;
      const VkStencilOpState *state = back ? &depth->back : &depth->front;
      vkCmdSetStencilOp(commands, face, state->failOp, state->passOp, state->depthFailOp, state->compareOp);
      vkCmdSetStencilReference(commands, face, state->reference);
   }
   vkCmdSetBlendConstants(commands, pipeline->constants);
}
