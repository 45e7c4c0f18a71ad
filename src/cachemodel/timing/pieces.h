/* SPDX-License-Identifier: MIT */
/**
 * The pieces that a pipeline is made of: what a stage did with its cycles, bounded queues, and resources of
 * which several units take turns. All times are cycles of the GPU's clock, from 0.
 *
 * A pipeline of them is a max-plus recurrence. Item n of a stage begins when it has arrived, when the stage is
 * done with item n - 1, and leaves when there is room behind: when item n - Q has left the queue of Q behind
 * it. Items are worked out one after another, all stages of one before the next item.
 */
#ifndef CM_TIMING_PIECES_H
#define CM_TIMING_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/** A stage, or one of several alike. All cycles before `until` are in one of its states, each once. */
struct cm_stage {
   uint64_t until;
   uint64_t cycles[CM_STAGE_STATE_COUNT];
};

/** The cycles before `until` that were not accounted for yet are of a state. */
static inline void
cm_stage_account(struct cm_stage *stage, enum cm_stage_state state, uint64_t until)
{
   if (until <= stage->until)
      return;
   stage->cycles[state] += until - stage->until;
   stage->until = until;
}

/** Work of so many cycles that begins at `begin` (or when the stage is done with what it did); the cycles
 * before it are of a state. When it is done. */
static inline uint64_t
cm_stage_work(struct cm_stage *stage, enum cm_stage_state waiting, uint64_t begin, uint64_t cycles)
{
   cm_stage_account(stage, waiting, begin);
   cm_stage_account(stage, CM_STAGE_BUSY, stage->until + cycles);
   return stage->until;
}

/** Adds the cycles of one of several alike. */
static inline void
cm_stage_add(struct cm_stage *sum, const struct cm_stage *stage)
{
   for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++)
      sum->cycles[state] += stage->cycles[state];
}

/** A queue of bounded size. Who uses it knows when its items entered. */
struct cm_queue {
   uint64_t *leaves; /**< when item n left: leaves[n & mask], of the last `size` items that did */
   uint32_t size;    /**< 0: without limit */
   uint32_t mask;
   uint64_t entered, left; /**< items so far */
   uint64_t waiting;       /**< cycles that items were in it, summed: the area under its occupancy */
};

/** Room for `size` items' times; false when out of memory. */
bool cm_queue_init(struct cm_queue *queue, uint32_t size);
void cm_queue_finish(struct cm_queue *queue);

/** Whether it is known when the next item may enter. */
static inline bool
cm_queue_room_known(const struct cm_queue *queue)
{
   return !queue->size || queue->entered < queue->left + queue->size;
}

/** When there is room for the next item; it must be known. */
static inline uint64_t
cm_queue_room(const struct cm_queue *queue)
{
   if (!queue->size || queue->entered < queue->size)
      return 0;
   return queue->leaves[(queue->entered - queue->size) & queue->mask];
}

static inline void
cm_queue_enter(struct cm_queue *queue)
{
   queue->entered++;
}

/** The oldest item, which entered at a time, leaves at another, no sooner than the item before it. */
static inline void
cm_queue_leave(struct cm_queue *queue, uint64_t entered, uint64_t leaves)
{
   if (queue->size)
      queue->leaves[queue->left & queue->mask] = leaves;
   queue->left++;
   queue->waiting += leaves - entered;
}

#define CM_CALENDAR_WORDS 64

/** A resource that serves one request a slot of time, in whatever order they are made known: each takes the
 * first free slot from its own on. It remembers the last 4096 slots; before them all count as taken. */
struct cm_calendar {
   uint64_t first; /**< word that the memory begins with: slots 64 * first … */
   uint64_t taken[CM_CALENDAR_WORDS];
};

/** Forgets the past until a word is in memory. */
static inline void
cm_calendar_advance(struct cm_calendar *calendar, uint64_t word)
{
   const uint64_t first = word - CM_CALENDAR_WORDS + 1;
   if (first - calendar->first >= CM_CALENDAR_WORDS)
      memset(calendar->taken, 0, sizeof calendar->taken);
   else
      for (uint64_t w = calendar->first; w < first; w++)
         calendar->taken[w % CM_CALENDAR_WORDS] = 0;
   calendar->first = first;
}

/** Takes the first free slot from a slot on. */
static inline uint64_t
cm_calendar_take(struct cm_calendar *calendar, uint64_t slot)
{
   uint64_t word = slot / 64, mask = ~0ull << slot % 64;
   if (word < calendar->first) {
      word = calendar->first;
      mask = ~0ull;
   }
   for (;; word++, mask = ~0ull) {
      if (word >= calendar->first + CM_CALENDAR_WORDS)
         cm_calendar_advance(calendar, word);
      uint64_t *taken = &calendar->taken[word % CM_CALENDAR_WORDS];
      const uint64_t open = ~*taken & mask;
      if (!open)
         continue;
      *taken |= open & -open;
      return word * 64 + (uint64_t)__builtin_ctzll(open);
   }
}

#endif
