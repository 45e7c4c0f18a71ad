/* SPDX-License-Identifier: MIT */
/** The program's own names (VK_EXT_debug_utils), for recordings and attributions: labels of command buffers and of the queue
 * (tbr_vulkan_queue.c) are what debug groups and markers are in OpenGL. The functions named lvp_* are lavapipe's hooks. */
#include <assert.h>
#include <string.h>

#include "lvp_private.h"
#include "vk_cmd_enqueue_entrypoints.h"
#include "vk_common_entrypoints.h"
#include "vulkan/tbr_vulkan_queue.h"

bool lvp_execute_label(struct vk_cmd_queue_entry *command, struct pipe_context *context);

/** Of images and buffers. */
VKAPI_ATTR VkResult VKAPI_CALL
lvp_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
   VK_FROM_HANDLE(lvp_device, device, handle);
   struct pipe_context *context = device->queue.ctx;
   struct pipe_resource *named = NULL;
   if (info->objectType == VK_OBJECT_TYPE_IMAGE)
      named = lvp_image_from_handle((VkImage)(uintptr_t)info->objectHandle)->planes[0].bo;
   else if (info->objectType == VK_OBJECT_TYPE_BUFFER)
      named = lvp_buffer_from_handle((VkBuffer)(uintptr_t)info->objectHandle)->bo;
   if (named)
      context->label_resource(context, named, info->pObjectName);
   return vk_common_SetDebugUtilsObjectNameEXT(handle, info);
}

/* ---- labels of command buffers ------------------------------------------------- */

/** The command that was recorded last keeps its label's name, of which Mesa keeps the pointer only. */
static void
keep_name(VkCommandBuffer handle, enum vk_cmd_type type)
{
   VK_FROM_HANDLE(vk_command_buffer, commands, handle);
   if (vk_command_buffer_has_error(commands))
      return;
   struct vk_cmd_queue_entry *last =
      list_last_entry(&commands->cmd_queue.cmds, struct vk_cmd_queue_entry, cmd_link);
   VkDebugUtilsLabelEXT *label = type == VK_CMD_BEGIN_DEBUG_UTILS_LABEL_EXT
                                    ? last->u.begin_debug_utils_label_ext.label_info
                                    : last->u.insert_debug_utils_label_ext.label_info;
   assert(last->type == type);
   /* It is freed with the command. */
   last->driver_data =
      vk_strdup(commands->cmd_queue.alloc, label->pLabelName, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
   label->pLabelName = last->driver_data;
   if (!last->driver_data)
      vk_command_buffer_set_error(commands, VK_ERROR_OUT_OF_HOST_MEMORY);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)
{
   vk_cmd_enqueue_CmdBeginDebugUtilsLabelEXT(commands, label);
   keep_name(commands, VK_CMD_BEGIN_DEBUG_UTILS_LABEL_EXT);
   vk_common_CmdBeginDebugUtilsLabelEXT(commands, label);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commands)
{
   vk_cmd_enqueue_CmdEndDebugUtilsLabelEXT(commands);
   vk_common_CmdEndDebugUtilsLabelEXT(commands);
}

VKAPI_ATTR void VKAPI_CALL
lvp_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)
{
   vk_cmd_enqueue_CmdInsertDebugUtilsLabelEXT(commands, label);
   keep_name(commands, VK_CMD_INSERT_DEBUG_UTILS_LABEL_EXT);
   vk_common_CmdInsertDebugUtilsLabelEXT(commands, label);
}

static void
begin_label(struct pipe_context *context, const VkDebugUtilsLabelEXT *label)
{
   context->debug_group(context, label->pLabelName, (int)strlen(label->pLabelName));
}

static void
end_label(struct pipe_context *context)
{
   context->debug_group(context, NULL, 0);
}

static void
insert_label(struct pipe_context *context, const VkDebugUtilsLabelEXT *label)
{
   context->emit_string_marker(context, label->pLabelName, (int)strlen(label->pLabelName));
}

void
tbr_vulkan_run_label(struct pipe_context *context, enum tbr_vulkan_mark_kind kind, const char *name)
{
   const VkDebugUtilsLabelEXT label = {.pLabelName = name};
   assert(kind != TBR_MARK_FRAME_END && (name != NULL) == (kind != TBR_MARK_END_LABEL));
   if (kind == TBR_MARK_BEGIN_LABEL)
      begin_label(context, &label);
   else if (kind == TBR_MARK_END_LABEL)
      end_label(context);
   else
      insert_label(context, &label);
}

/** False: it is another command. */
bool
lvp_execute_label(struct vk_cmd_queue_entry *command, struct pipe_context *context)
{
   if (tbr_vulkan_queue_run_mark(context, command))
      return true;
   switch (command->type) {
   case VK_CMD_BEGIN_DEBUG_UTILS_LABEL_EXT:
      begin_label(context, command->u.begin_debug_utils_label_ext.label_info);
      return true;
   case VK_CMD_END_DEBUG_UTILS_LABEL_EXT: end_label(context); return true;
   case VK_CMD_INSERT_DEBUG_UTILS_LABEL_EXT:
      insert_label(context, command->u.insert_debug_utils_label_ext.label_info);
      return true;
   default: return false;
   }
}
