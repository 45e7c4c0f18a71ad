/* SPDX-License-Identifier: MIT */
/**
 * The requests that a channel chooses from, bank by bank in order of age, each bank with its oldest
 * request for the open row.
 */
#ifndef CM_DRAM_REQUEST_QUEUE_H
#define CM_DRAM_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dram/constraints.h"
#include "dram/scheduler.h"

#define CM_DRAM_NONE 0xffu

/** Row hit, miss or conflict, by the commands for a request so far. */
enum cm_dram_outcome {
   CM_DRAM_ROW_HIT,
   CM_DRAM_ROW_MISS,
   CM_DRAM_ROW_CONFLICT,
};

struct cm_dram_entry {
   uint64_t row;
   uint64_t age; /**< less: older */
   uint64_t submitted_arrival;
   uint64_t ticket;
   uint8_t bursts; /**< still to be transferred */
   uint8_t outcome;
   uint8_t older, younger; /**< neighbours in the bank */
};

/** A bank's requests. */
struct cm_dram_bank_queue {
   uint64_t oldest_age, hit_age;
   uint8_t oldest, youngest;
   uint8_t hit; /**< the oldest for the open row */
};

struct cm_dram_request_queue {
   struct cm_dram_entry entries[CM_DRAM_MAX_QUEUE];
   struct cm_dram_bank_queue banks[CM_DRAM_MAX_BANKS];
   uint64_t free;       /**< bit e: entry e is free */
   uint64_t banks_used; /**< bit b: bank b has requests */
   uint64_t banks_hit;  /**< bit b: one of them is for the open row */
   uint32_t count, limit;
   uint64_t next_age;
};

static inline void
cm_dram_request_queue_init(struct cm_dram_request_queue *queue, uint32_t limit)
{
   queue->limit = limit;
   queue->free = UINT64_MAX;
   for (uint32_t bank = 0; bank < CM_DRAM_MAX_BANKS; bank++)
      queue->banks[bank] =
         (struct cm_dram_bank_queue){.oldest = CM_DRAM_NONE, .youngest = CM_DRAM_NONE, .hit = CM_DRAM_NONE};
}

/** Sets a bank's oldest request for the open row. */
static inline void
cm_dram_request_queue_set_hit(struct cm_dram_request_queue *queue, uint32_t bank, uint8_t index)
{
   queue->banks[bank].hit = index;
   if (index == CM_DRAM_NONE) {
      queue->banks_hit &= ~(1ull << bank);
   } else {
      queue->banks_hit |= 1ull << bank;
      queue->banks[bank].hit_age = queue->entries[index].age;
   }
}

/** Sets a bank's oldest request. */
static inline void
cm_dram_request_queue_set_oldest(struct cm_dram_request_queue *queue, uint32_t bank, uint8_t index)
{
   queue->banks[bank].oldest = index;
   if (index == CM_DRAM_NONE) {
      queue->banks_used &= ~(1ull << bank);
   } else {
      queue->banks_used |= 1ull << bank;
      queue->banks[bank].oldest_age = queue->entries[index].age;
   }
}

/** Adds a request; there is room. */
static inline void
cm_dram_request_queue_push(struct cm_dram_request_queue *queue, const struct cm_dram_request *request,
                           const struct cm_dram_channel_state *state)
{
   const uint8_t index = (uint8_t)__builtin_ctzll(queue->free);
   const uint32_t bank = request->bank;
   struct cm_dram_bank_queue *list = &queue->banks[bank];
   queue->free &= queue->free - 1;
   queue->count++;
   queue->entries[index] = (struct cm_dram_entry){
      .row = request->row,
      .age = queue->next_age++,
      .submitted_arrival = request->submitted_arrival,
      .ticket = request->ticket,
      .bursts = request->bursts,
      .outcome = CM_DRAM_ROW_HIT,
      .older = list->youngest,
      .younger = CM_DRAM_NONE,
   };
   if (list->youngest != CM_DRAM_NONE)
      queue->entries[list->youngest].younger = index;
   else
      cm_dram_request_queue_set_oldest(queue, bank, index);
   list->youngest = index;
   if (list->hit == CM_DRAM_NONE && state->open >> bank & 1 && state->row[bank] == request->row)
      cm_dram_request_queue_set_hit(queue, bank, index);
}

/** The first from an entry on, towards the younger ones, for a row. */
static inline uint8_t
cm_dram_request_queue_find(const struct cm_dram_request_queue *queue, uint8_t from, uint64_t row)
{
   while (from != CM_DRAM_NONE && queue->entries[from].row != row)
      from = queue->entries[from].younger;
   return from;
}

/** Removes a bank's oldest request for the open row. */
static inline void
cm_dram_request_queue_remove_hit(struct cm_dram_request_queue *queue, uint32_t bank)
{
   struct cm_dram_bank_queue *list = &queue->banks[bank];
   const uint8_t index = list->hit;
   const struct cm_dram_entry *entry = &queue->entries[index];
   cm_dram_request_queue_set_hit(queue, bank, cm_dram_request_queue_find(queue, entry->younger, entry->row));
   if (entry->younger != CM_DRAM_NONE)
      queue->entries[entry->younger].older = entry->older;
   else
      list->youngest = entry->older;
   if (entry->older != CM_DRAM_NONE)
      queue->entries[entry->older].younger = entry->younger;
   else
      cm_dram_request_queue_set_oldest(queue, bank, entry->younger);
   queue->free |= 1ull << index;
   queue->count--;
}

/** A row has been opened. */
static inline void
cm_dram_request_queue_opened(struct cm_dram_request_queue *queue, uint32_t bank, uint64_t row)
{
   cm_dram_request_queue_set_hit(queue, bank,
                                 cm_dram_request_queue_find(queue, queue->banks[bank].oldest, row));
}

/** A bank's row has been closed. */
static inline void
cm_dram_request_queue_closed(struct cm_dram_request_queue *queue, uint32_t bank)
{
   cm_dram_request_queue_set_hit(queue, bank, CM_DRAM_NONE);
}

#endif
