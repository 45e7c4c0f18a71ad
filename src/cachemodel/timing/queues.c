/* SPDX-License-Identifier: MIT */
#include "timing/queues.h"

void
cm_queue_init(struct cm_queue *queue, uint32_t size, struct cm_pool *pool)
{
   uint32_t capacity = 1;
   while (capacity < size)
      capacity *= 2;
   *queue = (struct cm_queue){.size = size, .mask = capacity - 1};
   queue->popped_at = cm_pool_take(pool, capacity, sizeof *queue->popped_at);
}

/* Moves the window on, so that it ends with a word. */
static void
advance(struct cm_calendar *calendar, uint64_t word)
{
   const uint64_t first = word - CM_CALENDAR_WORDS + 1;
   if (first - calendar->first >= CM_CALENDAR_WORDS) {
      memset(calendar->taken, 0, sizeof calendar->taken);
      calendar->full = 0;
   } else {
      for (uint64_t w = calendar->first; w < first; w++) {
         calendar->taken[w % CM_CALENDAR_WORDS] = 0;
         calendar->full &= ~(1ull << w % CM_CALENDAR_WORDS);
      }
   }
   calendar->first = first;
}

/* The first word from one on that is not known to be full; it may be the one after the window. */
static uint64_t
next_word(const struct cm_calendar *calendar, uint64_t word)
{
   const uint64_t left = calendar->first + CM_CALENDAR_WORDS - word;
   const unsigned place = word % CM_CALENDAR_WORDS;
   const uint64_t open = ~calendar->full;
   const uint64_t words = open >> place | (place ? open << (CM_CALENDAR_WORDS - place) : 0);
   const uint64_t next = words ? (uint64_t)__builtin_ctzll(words) : CM_CALENDAR_WORDS;
   return word + (next < left ? next : left);
}
static_assert(CM_CALENDAR_WORDS == 64, "cm_calendar.full has a bit a word");

uint64_t
cm_calendar_take_slow(struct cm_calendar *calendar, uint64_t slot)
{
   uint64_t word = slot / 64, mask = ~0ull << slot % 64;
   if (word >= calendar->first + CM_CALENDAR_WORDS) {
      advance(calendar, word);
      calendar->taken[word % CM_CALENDAR_WORDS] = 1ull << slot % 64;
      return slot;
   }
   if (word < calendar->first) {
      word = calendar->first;
      mask = ~0ull;
   }
   for (;; mask = ~0ull) {
      if (word >= calendar->first + CM_CALENDAR_WORDS)
         advance(calendar, word);
      uint64_t *taken = &calendar->taken[word % CM_CALENDAR_WORDS];
      const uint64_t open = ~*taken & mask;
      if (open) {
         *taken |= open & -open;
         return word * 64 + (uint64_t)__builtin_ctzll(open);
      }
      if (*taken == ~0ull)
         calendar->full |= 1ull << word % CM_CALENDAR_WORDS;
      word = next_word(calendar, word + 1);
   }
}
