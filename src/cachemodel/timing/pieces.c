/* SPDX-License-Identifier: MIT */
#include "timing/pieces.h"

void
cm_queue_init(struct cm_queue *queue, uint32_t size, struct cm_pool *pool)
{
   uint32_t capacity = 1;
   while (capacity < size)
      capacity *= 2;
   *queue = (struct cm_queue){.size = size, .mask = capacity - 1};
   queue->popped_at = cm_pool_take(pool, capacity, sizeof *queue->popped_at);
}
