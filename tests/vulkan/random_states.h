/* SPDX-License-Identifier: MIT */
/** What random_states.c draws, and its pipelines. */
#ifndef VULKAN_RANDOM_STATES_H
#define VULKAN_RANDOM_STATES_H

#include "device.h"
#include "dice.h"

#define NUM_COLORS 2
#define NUM_VERTICES 40
#define NUM_INDICES 40
#define MAX_FIRST 8
#define TEXTURE_SIZE 8
#define PARAMETER_BYTES 32

struct world {
   struct dice dice;
   uint32_t width, height;
   VkSampleCountFlagBits samples;
   struct vk_image colors[NUM_COLORS]; /**< with one sample */
   struct vk_image many[NUM_COLORS];   /**< with several, which are resolved to these */
   struct vk_image depth, texture;
   struct vk_pass pass;
   struct vk_buffer positions, others, indices, parameters;
   VkDescriptorSet set;
   VkPipelineLayout layout;
   VkCommandBuffer commands;
};

struct random_pipeline {
   VkPipeline pipeline;
   bool restarts; /**< at the largest index */
   /* What is dynamic; the rest is the pipeline's. */
   bool has_dynamic_viewport, has_dynamic_state;
   VkViewport viewport;
   VkRect2D scissor;
   VkPipelineRasterizationStateCreateInfo raster;
   VkPipelineDepthStencilStateCreateInfo depth;
   float constants[4]; /**< of blending */
};

struct random_pipeline create_random_pipeline(struct world *world);
/** Sets what the pipeline leaves to commands. */
void set_dynamic_state(struct world *world, const struct random_pipeline *pipeline);

#endif
