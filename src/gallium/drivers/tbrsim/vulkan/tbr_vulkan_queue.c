/* SPDX-License-Identifier: MIT */
/**
 * Labels of a queue, and presents, which end frames. Both have a place among the submissions, and neither may wait for these: an
 * earlier one may itself wait for a timeline semaphore that the program signals afterwards. So each is a submission of its own, a
 * mark, which the queue's thread comes to in order. The functions named lvp_* stand for Mesa's common ones.
 *
 * lavapipe knows command buffers only. All marks have the same one, of one command, and are listed here in the same order.
 */
#include <assert.h>
#include <string.h>

#include "c11/threads.h"
#include "lvp_private.h"
#include "util/list.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "vk_cmd_enqueue_entrypoints.h"
#include "vk_common_entrypoints.h"
#include "vk_fence.h"
#include "wsi_common.h"
#include "wsi_common_entrypoints.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan.h"
#include "vulkan/tbr_vulkan_context.h"
#include "vulkan/tbr_vulkan_queue.h"

struct mark {
   struct list_head link;
   enum tbr_vulkan_mark_kind kind;
   char *name;                    /**< of labels that begin or are inserted */
   struct pipe_resource **images; /**< that are presented at the end of the frame; each a reference */
   uint32_t num_images;
};

struct tbr_vulkan_queue {
   /* Of the calls of the queue, of which the program makes one at a time. */
   VkDevice device;
   VkCommandPool pool;
   VkCommandBuffer commands; /**< of a mark; NULL: there was none yet */
   const struct vk_cmd_queue_entry *command;
   mtx_t mutex;
   /* What follows is shared with the queue's thread. */
   struct list_head marks; /**< that have been submitted and not executed */
   bool waits; /**< the thread waits for a value of a timeline semaphore whose signal nobody has submitted */
   cnd_t changed;
};

struct tbr_vulkan_queue *
tbr_vulkan_queue_create(void)
{
   struct tbr_vulkan_queue *queue = CALLOC_STRUCT(tbr_vulkan_queue);
   if (!queue)
      return NULL;
   mtx_init(&queue->mutex, mtx_plain);
   cnd_init(&queue->changed);
   list_inithead(&queue->marks);
   return queue;
}

static void
free_mark(struct mark *mark)
{
   for (uint32_t i = 0; i < mark->num_images; i++)
      pipe_resource_reference(&mark->images[i], NULL);
   FREE(mark->images);
   FREE(mark->name);
   FREE(mark);
}

void
tbr_vulkan_queue_destroy(struct tbr_vulkan_queue *queue)
{
   /* Those of a device that was lost. */
   list_for_each_entry_safe (struct mark, mark, &queue->marks, link)
      free_mark(mark);
   if (queue->pool)
      vk_common_DestroyCommandPool(queue->device, queue->pool, NULL);
   cnd_destroy(&queue->changed);
   mtx_destroy(&queue->mutex);
   FREE(queue);
}

/* ---- the queue's thread ------------------------------------------------------------- */

/** Mesa's, as it is without us: the same for all devices. */
static VkResult (*wait_for_timeline)(struct vk_device *device, struct vk_sync *sync, uint64_t value,
                                     enum vk_sync_wait_flags flags, uint64_t timeout);

/** The thread waits until signals of a submission's semaphores have been submitted, before it executes that one. */
static VkResult
wait_and_tell(struct vk_device *base, struct vk_sync *sync, uint64_t value, enum vk_sync_wait_flags flags,
              uint64_t timeout)
{
   struct lvp_device *device = container_of(base, struct lvp_device, vk);
   if (!(flags & VK_SYNC_WAIT_PENDING) || !thrd_equal(thrd_current(), device->queue.vk.submit.thread))
      return wait_for_timeline(base, sync, value, flags, timeout);
   VkResult result = wait_for_timeline(base, sync, value, flags, 0);
   if (result != VK_TIMEOUT)
      return result;

   struct tbr_vulkan_queue *queue = tbr_vulkan_context(device->queue.ctx)->queue;
   mtx_lock(&queue->mutex);
   queue->waits = true;
   cnd_broadcast(&queue->changed);
   mtx_unlock(&queue->mutex);
   result = wait_for_timeline(base, sync, value, flags, timeout);
   mtx_lock(&queue->mutex);
   queue->waits = false;
   mtx_unlock(&queue->mutex);
   return result;
}

void
tbr_vulkan_queue_init_device(struct lvp_physical_device *device)
{
   struct vk_sync_type *type = &device->sync_timeline_type.sync;
   assert(!wait_for_timeline || wait_for_timeline == type->wait);
   wait_for_timeline = type->wait;
   type->wait = wait_and_tell;
}

static void
end_frame(struct tbr_context *context, const struct mark *mark)
{
   for (uint32_t i = 0; i < mark->num_images; i++)
      tbr_resource_announce_read(context, tbr_resource(mark->images[i]));
   tbr_frame_end(context);
}

bool
tbr_vulkan_queue_run_mark(struct pipe_context *context, const struct vk_cmd_queue_entry *command)
{
   struct tbr_vulkan_queue *queue = tbr_vulkan_context(context)->queue;
   if (command != queue->command)
      return false;
   mtx_lock(&queue->mutex);
   assert(!list_is_empty(&queue->marks));
   struct mark *mark = list_first_entry(&queue->marks, struct mark, link);
   mtx_unlock(&queue->mutex);

   if (mark->kind == TBR_MARK_FRAME_END)
      end_frame(tbr_context(context), mark);
   else
      tbr_vulkan_run_label(context, mark->kind, mark->name);

   mtx_lock(&queue->mutex);
   list_del(&mark->link);
   cnd_broadcast(&queue->changed);
   mtx_unlock(&queue->mutex);
   free_mark(mark);
   return true;
}

/* ---- marks are submitted ------------------------------------------------------------ */

static VkResult
create_commands(struct tbr_vulkan_queue *queue, const struct vk_queue *base)
{
   const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = base->queue_family_index};
   queue->device = vk_device_to_handle(base->base.device);
   VkResult result = vk_common_CreateCommandPool(queue->device, &pool, NULL, &queue->pool);
   if (result != VK_SUCCESS)
      return result;
   const VkCommandBufferAllocateInfo buffer = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = queue->pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   result = vk_common_AllocateCommandBuffers(queue->device, &buffer, &commands);
   if (result == VK_SUCCESS) {
      /* A command without data; which one is all the same. */
      vk_cmd_enqueue_CmdEndDebugUtilsLabelEXT(commands);
      struct vk_command_buffer *recorded = vk_command_buffer_from_handle(commands);
      result = vk_command_buffer_get_record_result(recorded);
      if (result == VK_SUCCESS) {
         queue->command = list_first_entry(&recorded->cmd_queue.cmds, struct vk_cmd_queue_entry, cmd_link);
         queue->commands = commands;
      }
   }
   if (result != VK_SUCCESS) {
      vk_common_DestroyCommandPool(queue->device, queue->pool, NULL);
      queue->pool = VK_NULL_HANDLE;
   }
   return result;
}

/** Takes the mark, also where it fails. present: whose semaphores it waits for; NULL: it waits for none. */
static VkResult
submit_mark(VkQueue handle, struct mark *mark, const VkPresentInfoKHR *present)
{
   VK_FROM_HANDLE(vk_queue, base, handle);
   struct tbr_vulkan_queue *queue = tbr_vulkan_context(container_of(base, struct lvp_queue, vk)->ctx)->queue;
   VkResult result = queue->commands ? VK_SUCCESS : create_commands(queue, base);
   const uint32_t waits = present ? present->waitSemaphoreCount : 0;
   VkPipelineStageFlags *stages = waits ? MALLOC(waits * sizeof *stages) : NULL;
   if (waits && !stages)
      result = VK_ERROR_OUT_OF_HOST_MEMORY;
   if (result != VK_SUCCESS) {
      FREE(stages);
      free_mark(mark);
      return result;
   }
   for (uint32_t i = 0; i < waits; i++)
      stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .waitSemaphoreCount = waits,
      .pWaitSemaphores = present ? present->pWaitSemaphores : NULL,
      .pWaitDstStageMask = stages,
      .commandBufferCount = 1,
      .pCommandBuffers = &queue->commands,
   };

   mtx_lock(&queue->mutex);
   list_addtail(&mark->link, &queue->marks);
   mtx_unlock(&queue->mutex);
   result = vk_common_QueueSubmit(handle, 1, &submit, VK_NULL_HANDLE);
   FREE(stages);
   if (result == VK_SUCCESS)
      return VK_SUCCESS;
   mtx_lock(&queue->mutex);
   list_del(&mark->link);
   mtx_unlock(&queue->mutex);
   free_mark(mark);
   return result;
}

static void
submit_label(VkQueue handle, enum tbr_vulkan_mark_kind kind, const VkDebugUtilsLabelEXT *label)
{
   VK_FROM_HANDLE(vk_queue, queue, handle);
   struct mark *mark = CALLOC_STRUCT(mark);
   char *name = label ? strdup(label->pLabelName) : NULL;
   if (!mark || (label && !name)) {
      FREE(mark);
      FREE(name);
      vk_logw(VK_LOG_OBJS(&queue->base), "out of memory for a label of the queue");
      return;
   }
   mark->kind = kind;
   mark->name = name;
   if (submit_mark(handle, mark, NULL) != VK_SUCCESS)
      vk_logw(VK_LOG_OBJS(&queue->base), "a label of the queue is lost");
}

VKAPI_ATTR void VKAPI_CALL
lvp_QueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
   submit_label(queue, TBR_MARK_BEGIN_LABEL, label);
   vk_common_QueueBeginDebugUtilsLabelEXT(queue, label);
}

VKAPI_ATTR void VKAPI_CALL
lvp_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
   submit_label(queue, TBR_MARK_END_LABEL, NULL);
   vk_common_QueueEndDebugUtilsLabelEXT(queue);
}

VKAPI_ATTR void VKAPI_CALL
lvp_QueueInsertDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
   submit_label(queue, TBR_MARK_INSERT_LABEL, label);
   vk_common_QueueInsertDebugUtilsLabelEXT(queue, label);
}

/* ---- presents ----------------------------------------------------------------------- */

static VkResult
submit_frame_end(VkQueue queue, const VkPresentInfoKHR *info)
{
   struct mark *mark = CALLOC_STRUCT(mark);
   if (!mark)
      return VK_ERROR_OUT_OF_HOST_MEMORY;
   mark->kind = TBR_MARK_FRAME_END;
   mark->images = CALLOC(info->swapchainCount, sizeof *mark->images);
   if (!mark->images) {
      free_mark(mark);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   mark->num_images = info->swapchainCount;
   for (uint32_t i = 0; i < info->swapchainCount; i++)
      mark->images[i] = tbr_vulkan_presented(info->pSwapchains[i], info->pImageIndices[i]);
   return submit_mark(queue, mark, info);
}

/** Until all marks have been executed, and what was submitted before them; or the queue cannot go on by itself. */
static void
wait_for_marks(struct tbr_vulkan_queue *queue)
{
   mtx_lock(&queue->mutex);
   while (!list_is_empty(&queue->marks) && !queue->waits)
      cnd_wait(&queue->changed, &queue->mutex);
   mtx_unlock(&queue->mutex);
}

/**
 * The frame's end has its place among the submissions. The image is shown as soon as the present's semaphores are signalled:
 * what these depend on has been submitted, as Vulkan demands. Mostly the queue has then nothing more to do before the frame's end,
 * and programs that forget the semaphores show what they have drawn, too.
 */
VKAPI_ATTR VkResult VKAPI_CALL
lvp_QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR *info)
{
   VK_FROM_HANDLE(vk_queue, queue, handle);
   struct lvp_queue *own = container_of(queue, struct lvp_queue, vk);
   VkResult result = vk_queue_wait_before_present(queue, info);
   if (result == VK_SUCCESS)
      result = submit_frame_end(handle, info);
   if (result != VK_SUCCESS)
      return result;
   wait_for_marks(tbr_vulkan_context(own->ctx)->queue);
   /* The mark has waited for the semaphores, and so they are no longer signalled. */
   VkPresentInfoKHR shown = *info;
   shown.waitSemaphoreCount = 0;
   shown.pWaitSemaphores = NULL;
   return wsi_QueuePresentKHR(handle, &shown);
}

/** Before Mesa shows an image, it submits a fence and waits for it: in vain where the queue waits. There is nothing left to
 * wait for. */
VKAPI_ATTR VkResult VKAPI_CALL
lvp_QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
   const bool is_shown =
      count == 1 && vk_find_struct_const(submits->pNext, WSI_MEMORY_SIGNAL_SUBMIT_INFO_MESA);
   if (!is_shown || submits->commandBufferCount)
      return vk_common_QueueSubmit(handle, count, submits, fence);
   assert(fence && !submits->waitSemaphoreCount && !submits->signalSemaphoreCount);
   VK_FROM_HANDLE(vk_queue, queue, handle);
   VK_FROM_HANDLE(vk_fence, shown, fence);
   return vk_sync_signal(queue->base.device, vk_fence_get_active_sync(shown), 0);
}
