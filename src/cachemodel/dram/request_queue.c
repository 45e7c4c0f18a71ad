/* SPDX-License-Identifier: MIT */
#include "dram/request_queue.h"

#include <assert.h>

/* An entry that is in a set has another number. */
static void
renumber(uint64_t *set, uint32_t from, uint32_t to)
{
   const uint64_t is_in = *set >> from & 1;
   *set = (*set & ~(1ull << from)) | is_in << to;
}

static void
move(struct cm_dram_request_queue *queue, uint32_t from, uint32_t to)
{
   assert(from != to && queue->used >> from & 1 && !(queue->used >> to & 1));
   const struct cm_dram_entry *entry = &queue->entries[from];
   renumber(&queue->used, from, to);
   renumber(&queue->hits, from, to);
   renumber(&queue->in_bank[entry->bank], from, to);
   queue->entries[to] = *entry;
}

void
cm_dram_request_queue_compact(struct cm_dram_request_queue *queue)
{
   uint32_t to = queue->next;
   for (uint32_t younger = 1; younger <= CM_DRAM_MAX_QUEUE; younger++) {
      const uint32_t from = (queue->next - younger) % CM_DRAM_MAX_QUEUE;
      if (!(queue->used >> from & 1))
         continue;
      to = (to - 1) % CM_DRAM_MAX_QUEUE;
      if (to != from)
         move(queue, from, to);
   }
}
