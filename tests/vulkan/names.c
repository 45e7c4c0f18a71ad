/* SPDX-License-Identifier: MIT */
/** Names and labels of VK_EXT_debug_utils. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

void
vk_name_image(const struct vk_image *image, const char *name)
{
   const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = VK_OBJECT_TYPE_IMAGE,
      .objectHandle = (uint64_t)(uintptr_t)image->image,
      .pObjectName = name,
   };
   if (VK_PROCEDURE(vkSetDebugUtilsObjectNameEXT)(vk_device, &info) != VK_SUCCESS) {
      fprintf(stderr, "%s: not named\n", name);
      exit(1);
   }
}

/* A name that is gone after the call. */
struct label {
   char name[32];
   VkDebugUtilsLabelEXT info;
};

static void
make_label(struct label *label, const char *name)
{
   snprintf(label->name, sizeof label->name, "%s", name);
   label->info =
      (VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label->name};
}

void
vk_begin_label(VkCommandBuffer commands, const char *name)
{
   struct label label;
   make_label(&label, name);
   if (commands)
      VK_PROCEDURE(vkCmdBeginDebugUtilsLabelEXT)(commands, &label.info);
   else
      VK_PROCEDURE(vkQueueBeginDebugUtilsLabelEXT)(vk_queue, &label.info);
   memset(label.name, '?', sizeof label.name);
}

void
vk_end_label(VkCommandBuffer commands)
{
   if (commands)
      VK_PROCEDURE(vkCmdEndDebugUtilsLabelEXT)(commands);
   else
      VK_PROCEDURE(vkQueueEndDebugUtilsLabelEXT)(vk_queue);
}

void
vk_insert_label(VkCommandBuffer commands, const char *name)
{
   struct label label;
   make_label(&label, name);
   if (commands)
      VK_PROCEDURE(vkCmdInsertDebugUtilsLabelEXT)(commands, &label.info);
   else
      VK_PROCEDURE(vkQueueInsertDebugUtilsLabelEXT)(vk_queue, &label.info);
   memset(label.name, '?', sizeof label.name);
}
