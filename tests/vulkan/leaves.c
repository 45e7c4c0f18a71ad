/* SPDX-License-Identifier: MIT */
/**
 * A program that ends while the queue draws:
 *    vulkan_leaves MILLISECONDS
 * submits draws of many pipelines, each of which needs code of its own, and returns after so long, without waiting for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "scene.h"

#include "color.frag.h"

/** Each format with and without blending. */
#define PIPELINES (2 * FORMATS)

static const struct vertex corners[] = {
   {{-1, -1, 0, 1}, {1, 0, 0, 1}},
   {{1, -1, 0, 1}, {0, 1, 0, 1}},
   {{0, 1, 0, 1}, {0, 0, 1, 1}},
};

/** Of targets: each needs another fragment shader of the driver's. */
static const VkFormat formats[] = {
   VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,       VK_FORMAT_B8G8R8A8_UNORM,
   VK_FORMAT_B8G8R8A8_SRGB,  VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
   VK_FORMAT_R8_UNORM,       VK_FORMAT_R8G8_UNORM,          VK_FORMAT_R16_SFLOAT,
   VK_FORMAT_R32_SFLOAT,     VK_FORMAT_R16G16_SFLOAT,       VK_FORMAT_A2B10G10R10_UNORM_PACK32,
};
#define FORMATS (sizeof formats / sizeof formats[0])

static void
wait(long milliseconds)
{
   nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/** The program's own end takes a while, after that of the libraries. */
static void
linger(void)
{
   wait(300);
}

static void
record(VkCommandBuffer commands, unsigned number, const struct vk_buffer *vertices, VkPipelineLayout layout)
{
   const struct vk_image target = vk_create_image(formats[number % FORMATS], 64, 64, 1, 1,
                                                  VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
   const struct vk_attachment color = {.image = &target, .load = CLEAR, .store = STORE, .clear = grey};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   struct vk_pipeline_description description = describe_vertices(&pass, layout, VK_CODE(color_frag));
   description.blend = number >= FORMATS;
   VkPipeline pipeline = vk_create_pipeline(&description);
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, 64, 64);
   bind(commands, pipeline, vertices);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
}

int
main(int argc, char **argv)
{
   if (argc != 2) {
      fprintf(stderr, "usage: %s MILLISECONDS\n", argv[0]);
      return 2;
   }
   if (atexit(linger))
      return 1;
   vk_open();
   const struct vk_buffer vertices = create_vertices(corners, sizeof corners);
   VkPipelineLayout layout = create_plain_layout();
   VkCommandBuffer commands = vk_begin();
   for (unsigned i = 0; i < PIPELINES; i++)
      record(commands, i, &vertices, layout);
   const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands};
   if (vkEndCommandBuffer(commands) != VK_SUCCESS ||
       vkQueueSubmit(vk_queue, 1, &submit, VK_NULL_HANDLE) != VK_SUCCESS) {
      fprintf(stderr, "nothing is submitted\n");
      return 1;
   }
   wait(strtol(argv[1], NULL, 10));
   return 0;
}
