/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/next_use.h"
#include "util/array.h"

#define FIRST_SLOTS 1024
/* Lookups of a sequence in flight at a time: enough to cover memory's latency. */
#define LOOK_AHEAD 12

void
cm_next_use_init(struct cm_next_use *uses)
{
   memset(uses, 0, sizeof *uses);
}

void
cm_next_use_free(struct cm_next_use *uses)
{
   free(uses->next);
   free(uses->last);
   cm_next_use_init(uses);
}

/* Where the search for a block begins: four neighbours share a cache line of the machine. */
static inline uint64_t
first_slot(uint64_t block, uint64_t slots)
{
   assert(slots >= FIRST_SLOTS && !(slots & (slots - 1)));
   const unsigned line_bits = (unsigned)__builtin_ctzll(slots) - 2;
   const uint64_t line = (block >> 2) * 0x9e3779b97f4a7c15ull >> (64 - line_bits);
   return line << 2 | (block & 3);
}

static inline struct cm_last_use *
find(struct cm_last_use *last, uint64_t slots, uint64_t block)
{
   uint64_t slot = first_slot(block, slots);
   while (last[slot].block != block && last[slot].block != CM_LAST_USE_EMPTY)
      slot = (slot + 1) & (slots - 1);
   return &last[slot];
}

/* Reserves space for a number of blocks: the table is at most half full. */
static bool
reserve_blocks(struct cm_next_use *uses, uint64_t blocks)
{
   if (2 * blocks <= uses->last_slots)
      return true;
   uint64_t slots = uses->last_slots ? uses->last_slots : FIRST_SLOTS;
   while (2 * blocks > slots)
      slots *= 2;
   struct cm_last_use *last;
   if (posix_memalign((void **)&last, 64, slots * sizeof *last) != 0)
      return false;
   memset(last, 0xff, slots * sizeof *last);
   for (uint64_t i = 0; i < uses->last_slots; i++) {
      if (uses->last[i].block != CM_LAST_USE_EMPTY)
         *find(last, slots, uses->last[i].block) = uses->last[i];
   }
   assert(2 * uses->last_used <= slots);
   free(uses->last);
   uses->last = last;
   uses->last_slots = slots;
   return true;
}

static bool
prepare(struct cm_next_use *uses, unsigned count)
{
   if (uses->problem != CM_NEXT_USE_FINE)
      return false;
   if (uses->count + count > CM_NEVER_USED)
      uses->problem = CM_NEXT_USE_TOO_MANY;
   else if (!cm_array_make_room(&uses->next, &uses->capacity, uses->count, count, sizeof *uses->next) ||
            !reserve_blocks(uses, uses->last_used + count))
      uses->problem = CM_NEXT_USE_NO_MEMORY;
   return uses->problem == CM_NEXT_USE_FINE;
}

/* Adds a few accesses. */
static void
add_part(struct cm_next_use *uses, const uint64_t *blocks, unsigned count)
{
   assert(count <= FIRST_SLOTS);
   if (!prepare(uses, count))
      return;
   struct cm_last_use *const last = uses->last;
   const uint64_t slots = uses->last_slots;
   uint32_t *const next = uses->next;
   uint32_t position = (uint32_t)uses->count;
   for (unsigned i = 0; i < count; i++, position++) {
      if (i + LOOK_AHEAD < count)
         __builtin_prefetch(&last[first_slot(blocks[i + LOOK_AHEAD], slots)], 1);
      struct cm_last_use *slot = find(last, slots, blocks[i]);
      if (slot->block != blocks[i]) {
         slot->block = blocks[i];
         uses->last_used++;
      } else if (slot->position != CM_NEVER_USED) {
         next[slot->position] = position;
      }
      slot->position = position;
      next[position] = CM_NEVER_USED;
   }
   uses->count += count;
}

void
cm_next_use_add(struct cm_next_use *uses, const uint64_t *blocks, unsigned count)
{
   /* In parts, so that a long sequence of few blocks needs no large table. */
   for (unsigned done = 0; done < count;) {
      const unsigned part = count - done < FIRST_SLOTS ? count - done : FIRST_SLOTS;
      add_part(uses, blocks + done, part);
      done += part;
   }
}

void
cm_next_use_invalidate(struct cm_next_use *uses, uint64_t first, uint64_t last)
{
   if (!uses->last_slots || first > last)
      return;
   if (last - first < uses->last_slots) {
      for (uint64_t block = first; block <= last; block++)
         find(uses->last, uses->last_slots, block)->position = CM_NEVER_USED;
      return;
   }
   for (uint64_t i = 0; i < uses->last_slots; i++) {
      if (uses->last[i].block >= first && uses->last[i].block <= last)
         uses->last[i].position = CM_NEVER_USED;
   }
}

void
cm_next_use_rewind(struct cm_next_use *uses)
{
   free(uses->last);
   uses->last = NULL;
   uses->last_slots = uses->last_used = 0;
   uses->position = 0;
}
