/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "timing/pieces.h"

bool
cm_queue_init(struct cm_queue *queue, uint32_t size)
{
   uint32_t capacity = 1;
   while (capacity < size)
      capacity *= 2;
   *queue = (struct cm_queue){.size = size, .mask = capacity - 1};
   queue->popped_at = calloc(capacity, sizeof *queue->popped_at);
   return queue->popped_at != NULL;
}

void
cm_queue_finish(struct cm_queue *queue)
{
   free(queue->popped_at);
   queue->popped_at = NULL;
}
