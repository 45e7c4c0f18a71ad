/* SPDX-License-Identifier: MIT */
/**
 * Submissions that wait for a signal which comes after labels of the queue and presents:
 *    vulkan_queue NAME
 * runs the case NAME (cases[]). Where something waits for ever, SIGALRM ends the program.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_private.h"
#include "scene.h"
#include "swapchain.h"

#include "color.frag.h"

#define MOST_SECONDS 100

static const struct vertex triangle[] = {
   {{0.0f, -0.8f, 0.2f, 1.0f}, {1.0f, 0.0f, 0.5f, 1.0f}},
   {{0.8f, 0.7f, 0.5f, 1.0f}, {0.5f, 1.0f, 0.0f, 1.0f}},
   {{-0.8f, 0.7f, 0.8f, 1.0f}, {0.0f, 0.5f, 1.0f, 1.0f}},
};

static VkSemaphore timeline;
static struct vk_buffer vertices;

static VkSemaphore
create_semaphore(VkSemaphoreType type)
{
   const VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                           .semaphoreType = type};
   const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &kind};
   VkSemaphore semaphore;
   CHECK(vkCreateSemaphore(vk_device, &info, NULL, &semaphore));
   vk_keep(VK_OBJECT_TYPE_SEMAPHORE, semaphore);
   return semaphore;
}

/** A pass with a draw: into an image, or if there is none into one of its own. */
static VkCommandBuffer
record(const struct vk_image *image, const struct vk_swapchain *presented)
{
   const struct vk_image own = image ? *image : create_target(0);
   const struct vk_attachment color = {.image = &own,
                                       .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .store = VK_ATTACHMENT_STORE_OP_STORE};
   const struct vk_pass pass = vk_create_pass(&color, 1, NULL);
   const struct vk_pipeline_description description =
      describe_vertices(&pass, create_plain_layout(), VK_CODE(color_frag));
   VkCommandBuffer commands = vk_begin();
   vk_begin_pass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, own.width, own.height);
   bind(commands, vk_create_pipeline(&description), &vertices);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRenderPass(commands);
   if (presented)
      vk_record_present(commands, presented);
   CHECK(vkEndCommandBuffer(commands));
   return commands;
}

/** value: of the timeline, that is waited for; 0: none. signalled: NULL: no semaphore is. */
static void
submit(VkCommandBuffer commands, uint64_t value, VkSemaphore signalled)
{
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
   const VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &value,
   };
   const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = value ? &values : NULL,
      .waitSemaphoreCount = value != 0,
      .pWaitSemaphores = &timeline,
      .pWaitDstStageMask = &stage,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = signalled != VK_NULL_HANDLE,
      .pSignalSemaphores = &signalled,
   };
   CHECK(vkQueueSubmit(vk_queue, 1, &info, VK_NULL_HANDLE));
}

static void
signal_timeline(uint64_t value)
{
   const VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                       .semaphore = timeline,
                                       .value = value};
   uint64_t before;
   CHECK(vkGetSemaphoreCounterValue(vk_device, timeline, &before));
   assert(before < value);
   CHECK(vkSignalSemaphore(vk_device, &info));
}

static void
present(const struct vk_swapchain *swapchain, uint32_t image, VkSemaphore waited)
{
   const VkPresentInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
      .waitSemaphoreCount = waited != VK_NULL_HANDLE,
      .pWaitSemaphores = &waited,
      .swapchainCount = 1,
      .pSwapchains = &swapchain->swapchain,
      .pImageIndices = &image,
   };
   CHECK(vkQueuePresentKHR(vk_queue, &info));
}

static struct vk_swapchain
create_swapchain(void)
{
   return vk_create_swapchain(VK_FORMAT_B8G8R8A8_UNORM, picture_width, picture_height);
}

/* ---- cases ------------------------------------------------------------------------------- */

/** Labels belong to what is submitted after them. */
static void
run_labels(void)
{
   submit(record(NULL, NULL), 1, VK_NULL_HANDLE);
   vk_insert_label(NULL, "between");
   vk_begin_label(NULL, "late");
   submit(record(NULL, NULL), 0, VK_NULL_HANDLE);
   submit(record(NULL, NULL), 2, VK_NULL_HANDLE);
   vk_end_label(NULL);
   submit(record(NULL, NULL), 0, VK_NULL_HANDLE);
   signal_timeline(1);
   signal_timeline(2);
}

/** Two images are presented while a submission waits: frames have what was submitted before their presents. */
static void
run_presents(void)
{
   struct vk_swapchain swapchain = create_swapchain();
   uint32_t images[2];
   for (unsigned i = 0; i < 2; i++) {
      vk_acquire(&swapchain);
      images[i] = swapchain.current;
      submit(record(&swapchain.images[images[i]], &swapchain), 0, VK_NULL_HANDLE);
   }
   CHECK(vkQueueWaitIdle(vk_queue));
   submit(record(NULL, NULL), 1, VK_NULL_HANDLE);
   present(&swapchain, images[0], VK_NULL_HANDLE);
   submit(record(NULL, NULL), 0, VK_NULL_HANDLE);
   present(&swapchain, images[1], VK_NULL_HANDLE);
   submit(record(NULL, NULL), 0, VK_NULL_HANDLE);
   signal_timeline(1);
}

/** A present waits for its semaphore, which is signalled, and may be signalled again afterwards. */
static void
run_semaphores(void)
{
   const VkSemaphore drawn = create_semaphore(VK_SEMAPHORE_TYPE_BINARY);
   struct vk_swapchain swapchain = create_swapchain();
   for (uint64_t frame = 1; frame <= 3; frame++) {
      vk_acquire(&swapchain);
      submit(record(&swapchain.images[swapchain.current], &swapchain), 0, drawn);
      submit(record(NULL, NULL), frame, VK_NULL_HANDLE);
      present(&swapchain, swapchain.current, drawn);
      signal_timeline(frame);
   }
}

static const struct {
   const char *name;
   void (*run)(void);
} cases[] = {
   {"labels", run_labels},
   {"presents", run_presents},
   {"semaphores", run_semaphores},
};

int
main(int argc, char **argv)
{
   VkPhysicalDeviceTimelineSemaphoreFeatures features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
      .timelineSemaphore = true,
   };
   for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
      if (strcmp(argv[1], cases[i].name))
         continue;
      alarm(MOST_SECONDS);
      vk_open_version(VK_API_VERSION_1_2, &features);
      timeline = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
      vertices = create_vertices(triangle, sizeof triangle);
      cases[i].run();
      CHECK(vkQueueWaitIdle(vk_queue));
      vk_close();
      return 0;
   }
   fprintf(stderr, "usage: vulkan_queue labels|presents|semaphores\n");
   return 2;
}
