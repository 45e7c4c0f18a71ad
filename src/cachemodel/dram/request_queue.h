/* SPDX-License-Identifier: MIT */
/**
 * The requests that a channel chooses from, as a ring in order of age. Sets of them are bits of a word, by entry of
 * the ring, so that the oldest one of a bank, of those for open rows, or of both, is found without a search. And
 * those that wait for their arrival, or for room.
 */
#ifndef CM_DRAM_REQUEST_QUEUE_H
#define CM_DRAM_REQUEST_QUEUE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "dram/constraints.h"
#include "dram/scheduler.h"

/** Requests that have not entered a queue yet, by arrival. */
struct cm_dram_waiting {
   struct cm_dram_request *requests; /**< a ring of CM_DRAM_TICKETS */
   uint32_t head, tail;              /**< counted on; head == tail: none */
};

static inline bool
cm_dram_is_waiting(const struct cm_dram_waiting *waiting)
{
   return waiting->head != waiting->tail;
}

/** The first one; there is one. */
static inline const struct cm_dram_request *
cm_dram_first_waiting(const struct cm_dram_waiting *waiting)
{
   return &waiting->requests[waiting->head % CM_DRAM_TICKETS];
}

/** Adds a request, after those that arrive at the same cycle; there is space. */
static inline void
cm_dram_waiting_add(struct cm_dram_waiting *waiting, const struct cm_dram_request *request)
{
   struct cm_dram_request *const requests = waiting->requests;
   assert(waiting->tail - waiting->head < CM_DRAM_TICKETS);
   uint32_t index = waiting->tail++;
   for (; index != waiting->head && requests[(index - 1) % CM_DRAM_TICKETS].arrival > request->arrival;
        index--)
      requests[index % CM_DRAM_TICKETS] = requests[(index - 1) % CM_DRAM_TICKETS];
   requests[index % CM_DRAM_TICKETS] = *request;
}

/** Removes the first one. The ring's beginning, which the processor's cache has, is used again and again. */
static inline void
cm_dram_waiting_remove(struct cm_dram_waiting *waiting)
{
   if (++waiting->head == waiting->tail)
      waiting->head = waiting->tail = 0;
}

/** Row hit, miss or conflict, by the commands for a request so far. */
enum cm_dram_outcome {
   CM_DRAM_ROW_HIT,
   CM_DRAM_ROW_MISS,
   CM_DRAM_ROW_CONFLICT,
};

struct cm_dram_entry {
   uint64_t row;
   uint64_t submitted_arrival;
   uint64_t ticket;
   uint8_t bank;   /**< in the channel */
   uint8_t bursts; /**< still to be transferred */
   uint8_t outcome;
};

struct cm_dram_request_queue {
   struct cm_dram_entry entries[CM_DRAM_MAX_QUEUE];
   uint64_t used;                       /**< bit e: entry e has a request */
   uint64_t hits;                       /**< bit e: which is for its bank's open row */
   uint64_t in_bank[CM_DRAM_MAX_BANKS]; /**< the entries that have a bank's requests */
   uint64_t banks_used;                 /**< bit b: bank b has requests */
   uint64_t banks_hit;                  /**< bit b: one of them is for the open row */
   uint32_t
      next; /**< the entry that the next request gets: those from it on, around the ring, are of rising age */
   uint32_t count, limit;
};
static_assert(CM_DRAM_MAX_QUEUE == 64, "a word has a bit for each entry");

/** How many entries, used or not, are older than the oldest one of a set, which is not empty. */
static inline uint32_t
cm_dram_request_queue_older(const struct cm_dram_request_queue *queue, uint64_t entries)
{
   return (uint32_t)__builtin_ctzll(entries >> queue->next | entries << (-queue->next % CM_DRAM_MAX_QUEUE));
}

/** The oldest one of a set of entries, which is not empty. */
static inline uint32_t
cm_dram_request_queue_oldest(const struct cm_dram_request_queue *queue, uint64_t entries)
{
   return (queue->next + cm_dram_request_queue_older(queue, entries)) % CM_DRAM_MAX_QUEUE;
}

/** A bank's requests for its open row. */
static inline uint64_t
cm_dram_request_queue_bank_hits(const struct cm_dram_request_queue *queue, uint32_t bank)
{
   return queue->in_bank[bank] & queue->hits;
}

/** Moves the requests so that none of the entries between them is unused; those that are become the oldest ones. */
void cm_dram_request_queue_compact(struct cm_dram_request_queue *queue);

/** Adds a request; there is room. */
static inline void
cm_dram_request_queue_push(struct cm_dram_request_queue *queue, const struct cm_dram_request *request,
                           const struct cm_dram_channel_state *state)
{
   const uint32_t bank = request->bank;
   if (__builtin_expect(queue->used >> queue->next & 1, false))
      cm_dram_request_queue_compact(queue);
   const uint64_t is_hit = (state->open >> bank & 1) & (state->row[bank] == request->row);
   const uint64_t entry = 1ull << queue->next;
   queue->entries[queue->next] = (struct cm_dram_entry){
      .row = request->row,
      .submitted_arrival = request->submitted_arrival,
      .ticket = request->ticket,
      .bank = (uint8_t)bank,
      .bursts = request->bursts,
      .outcome = CM_DRAM_ROW_HIT,
   };
   queue->used |= entry;
   queue->hits |= is_hit << queue->next;
   queue->in_bank[bank] |= entry;
   queue->banks_used |= 1ull << bank;
   queue->banks_hit |= is_hit << bank;
   queue->next = (queue->next + 1) % CM_DRAM_MAX_QUEUE;
   queue->count++;
}

/** Removes a request for its bank's open row. */
static inline void
cm_dram_request_queue_remove(struct cm_dram_request_queue *queue, uint32_t number)
{
   const struct cm_dram_entry *entry = &queue->entries[number];
   const uint64_t others = ~(1ull << number);
   queue->used &= others;
   queue->hits &= others;
   queue->in_bank[entry->bank] &= others;
   const uint64_t left = queue->in_bank[entry->bank], hits = left & queue->hits;
   queue->banks_used ^= (uint64_t)(left == 0) << entry->bank;
   queue->banks_hit ^= (uint64_t)(hits == 0) << entry->bank;
   queue->count--;
}

/** A row has been opened. */
static inline void
cm_dram_request_queue_opened(struct cm_dram_request_queue *queue, uint32_t bank, uint64_t row)
{
   for (uint64_t left = queue->in_bank[bank]; left; left &= left - 1) {
      const uint32_t number = (uint32_t)__builtin_ctzll(left);
      const uint64_t is_hit = queue->entries[number].row == row;
      queue->hits |= is_hit << number;
      queue->banks_hit |= is_hit << bank;
   }
}

/** A bank's row has been closed. */
static inline void
cm_dram_request_queue_closed(struct cm_dram_request_queue *queue, uint32_t bank)
{
   queue->hits &= ~queue->in_bank[bank];
   queue->banks_hit &= ~(1ull << bank);
}

#endif
