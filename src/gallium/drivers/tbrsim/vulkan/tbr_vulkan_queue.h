/* SPDX-License-Identifier: MIT */
/** Marks of a queue: its labels and the ends of frames, which have a place among its submissions. */
#ifndef TBR_VULKAN_QUEUE_H
#define TBR_VULKAN_QUEUE_H

#include <stdbool.h>

struct lvp_physical_device;
struct pipe_context;
struct tbr_vulkan_queue;
struct vk_cmd_queue_entry;

enum tbr_vulkan_mark_kind {
   TBR_MARK_BEGIN_LABEL,
   TBR_MARK_END_LABEL,
   TBR_MARK_INSERT_LABEL,
   TBR_MARK_FRAME_END,
};

/** Of a new context; NULL when out of memory. */
struct tbr_vulkan_queue *tbr_vulkan_queue_create(void);
/** When the queue has ended. */
void tbr_vulkan_queue_destroy(struct tbr_vulkan_queue *queue);
/** Lets presents see when a queue waits for a signal: before the device's first semaphore. */
void tbr_vulkan_queue_init_device(struct lvp_physical_device *device);

/** Executes the queue's next mark, if the command is the one that stands for it; false: it is another one. */
bool tbr_vulkan_queue_run_mark(struct pipe_context *context, const struct vk_cmd_queue_entry *command);

/** tbr_vulkan_names.c: what a mark of a label does. name: of those that begin or are inserted. */
void tbr_vulkan_run_label(struct pipe_context *context, enum tbr_vulkan_mark_kind kind, const char *name);

#endif
