/* SPDX-License-Identifier: MIT */
/**
 * The parts of a pipeline: stages, which say what they did with their cycles, bounded queues, and calendars:
 * resources that several units share. All times are cycles of the GPU's clock, from 0.
 *
 * A pipeline of them is a max-plus recurrence. Item n of a stage begins when it has arrived, when the stage is
 * done with item n - 1, and leaves when its output queue of Q entries has space: when item n - Q has left that
 * queue. Items are computed one after another, all stages of one before the next item.
 */
#ifndef CM_TIMING_QUEUES_H
#define CM_TIMING_QUEUES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/pool.h"

/** A time that is not known yet. */
#define CM_UNKNOWN UINT64_MAX

static inline uint64_t
cm_later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/** What a stage does in a cycle. X(identifier, name, description) */
#define CM_STAGE_STATES(X)                                        \
   X(BUSY, "busy", "cycles of work")                              \
   X(STARVED, "starved", "cycles without input")                  \
   X(BLOCKED, "blocked", "cycles blocked by a full output queue") \
   X(MEMORY, "memory", "cycles of waiting for memory")

enum cm_stage_state {
#define CM_STAGE_STATE_ENUM(id, name, description) CM_STAGE_##id,
   CM_STAGE_STATES(CM_STAGE_STATE_ENUM)
#undef CM_STAGE_STATE_ENUM
      CM_STAGE_STATE_COUNT
};

struct cm_attributed_stage;

/** A stage, or one of several equal ones. All cycles before `until` are in one of its states, each once. */
struct cm_stage {
   uint64_t until;
   uint64_t cycles[CM_STAGE_STATE_COUNT];
   struct cm_attributed_stage *attributed; /**< timing/attribution.h; NULL: its cycles are not */
};

/** Accounts the cycles until `until` that are not yet accounted to a state. */
static inline void
cm_stage_account(struct cm_stage *stage, enum cm_stage_state state, uint64_t until)
{
   if (until <= stage->until)
      return;
   stage->cycles[state] += until - stage->until;
   stage->until = until;
}

/** Work of so many cycles that begins when the stage is free. Returns when it is done. */
static inline uint64_t
cm_stage_go_on(struct cm_stage *stage, uint64_t cycles)
{
   stage->cycles[CM_STAGE_BUSY] += cycles;
   return stage->until += cycles;
}

/** Work of `cycles` that begins at `begin`, or when the stage is free if that is later; cycles before it are
 * accounted to `waiting`. Returns when it is done. */
static inline uint64_t
cm_stage_work(struct cm_stage *stage, enum cm_stage_state waiting, uint64_t begin, uint64_t cycles)
{
   cm_stage_account(stage, waiting, begin);
   return cm_stage_go_on(stage, cycles);
}

/** Adds the cycles of a stage, one of several equal ones, to their sum. */
static inline void
cm_stage_add(struct cm_stage *sum, const struct cm_stage *stage)
{
   for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++)
      sum->cycles[state] += stage->cycles[state];
}

/** A queue of bounded size. The caller keeps the times at which its items entered. */
struct cm_queue {
   uint64_t *popped_at; /**< popped_at[n & mask]: when item n was popped, of the last `size` popped */
   uint32_t size;       /**< 0: without limit */
   uint32_t mask;
   uint64_t entered, popped; /**< items so far */
   uint64_t waiting;         /**< cycles that items were in it, summed: the area under its occupancy */
};

/** Memory for `size` items' times, from the pool. */
void cm_queue_init(struct cm_queue *queue, uint32_t size, struct cm_pool *pool);

/** Whether it is known when the next item may enter. */
static inline bool
cm_queue_room_known(const struct cm_queue *queue)
{
   return !queue->size || queue->entered < queue->popped + queue->size;
}

/** When there is space for an item; it must be known. Times of items that are not popped yet are 0, and so is that of a queue
 * without limit: the first `size` items find space at once. */
static inline uint64_t
cm_queue_room_of(const struct cm_queue *queue, uint64_t item)
{
   assert(!queue->size || item < queue->popped + queue->size);
   return queue->popped_at[(item - queue->size) & queue->mask];
}

/** The same for the next item. */
static inline uint64_t
cm_queue_room(const struct cm_queue *queue)
{
   return cm_queue_room_of(queue, queue->entered);
}

static inline void
cm_queue_push(struct cm_queue *queue)
{
   queue->entered++;
}

/** Pops the oldest item; `entered` and `popped_at` are its times, the latter no sooner than the last item's. */
static inline void
cm_queue_pop(struct cm_queue *queue, uint64_t entered, uint64_t popped_at)
{
   assert(queue->popped < queue->entered && entered <= popped_at);
   if (queue->size)
      queue->popped_at[queue->popped & queue->mask] = popped_at;
   queue->popped++;
   queue->waiting += popped_at - entered;
}

#define CM_CALENDAR_WORDS 64

/** A resource that serves one request per slot of time, in any order of arrival: each takes the
 * first free slot from its own on. A window of the last 4096 slots is kept; all before count as taken. */
struct cm_calendar {
   uint64_t first; /**< word that the window begins with: slots 64 * first … */
   uint64_t full;  /**< a bit for each word that is known to have no free slot */
   uint64_t taken[CM_CALENDAR_WORDS];
};

/** cm_calendar_take where the slot's word is not in the window, or has no free slot from it on. */
uint64_t cm_calendar_take_slow(struct cm_calendar *calendar, uint64_t slot);

/** Reserves the first free slot from a slot on. Returns it. Mostly it is in the same word. */
static inline __attribute__((always_inline)) uint64_t
cm_calendar_take(struct cm_calendar *calendar, uint64_t slot)
{
   const uint64_t word = slot / 64;
   uint64_t *taken = &calendar->taken[word % CM_CALENDAR_WORDS];
   const unsigned bit = slot % 64;
   const uint64_t open = ~*taken >> bit;
   if (__builtin_expect(word - calendar->first >= CM_CALENDAR_WORDS || !open, false))
      return cm_calendar_take_slow(calendar, slot);
   const unsigned later = (unsigned)__builtin_ctzll(open);
   *taken |= 1ull << (bit + later);
   return slot + later;
}

#endif
