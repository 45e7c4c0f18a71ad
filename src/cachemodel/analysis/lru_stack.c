/* SPDX-License-Identifier: MIT */
#include "analysis/lru_stack.h"

#include <assert.h>
#include <stdlib.h>

#include "analysis/block_table.h"
#include "memory/set_index.h"

#define NONE UINT32_MAX

/* A block in the largest cache. The positions of a set's list are divided into groups: group j is in
 * all caches from number j on. */
struct slot {
   uint64_t block;
   uint32_t newer, older; /* neighbours in the list; in the list of free slots, older is the next */
   uint16_t group;        /* FREE: none */
   uint16_t dirty_from;   /* it is dirty in the caches from this number on that have it */
};
#define FREE UINT16_MAX

/* The positions of a group. */
struct group {
   uint32_t oldest; /* its last block; meaningless where there is none */
   uint32_t count;
};

struct set {
   uint32_t newest;
   uint32_t generation; /* the stack's; otherwise the set is empty */
};

struct cm_lru_stack {
   struct cm_set_index index;
   uint32_t num_ways;
   uint32_t generation;
   uint32_t *capacities; /* positions of each group */
   struct set *sets;
   struct group *groups; /* set * num_ways + group */
   struct slot *slots;
   uint32_t used_slots; /* those below are or were in use */
   uint32_t free_slot;  /* a list of those that no longer are */
   struct cm_block_table table;
   struct cm_sweep_counts *counts;
};

struct cm_lru_stack *
cm_lru_stack_create(uint32_t sets, enum cm_index index, const uint32_t *ways, uint32_t num_ways)
{
   assert(sets && num_ways && ways[0] && num_ways < FREE);
   struct cm_lru_stack *stack = calloc(1, sizeof *stack);
   if (!stack)
      return NULL;
   const uint32_t max_blocks = sets * ways[num_ways - 1];
   cm_set_index_init(&stack->index, sets, index);
   stack->num_ways = num_ways;
   stack->generation = 1;
   stack->free_slot = NONE;
   stack->capacities = calloc(num_ways, sizeof *stack->capacities);
   stack->sets = calloc(sets, sizeof *stack->sets);
   stack->groups = calloc((size_t)sets * num_ways, sizeof *stack->groups);
   /* The block is inserted before one is evicted. */
   stack->slots = calloc((size_t)max_blocks + 1, sizeof *stack->slots);
   stack->counts = calloc(num_ways, sizeof *stack->counts);
   if (!stack->capacities || !stack->sets || !stack->groups || !stack->slots || !stack->counts ||
       !cm_block_table_init(&stack->table, max_blocks + 1)) {
      cm_lru_stack_destroy(stack);
      return NULL;
   }
   for (uint32_t j = 0; j < num_ways; j++)
      stack->capacities[j] = ways[j] - (j ? ways[j - 1] : 0);
   return stack;
}

void
cm_lru_stack_destroy(struct cm_lru_stack *stack)
{
   if (!stack)
      return;
   cm_block_table_finish(&stack->table);
   free(stack->capacities);
   free(stack->sets);
   free(stack->groups);
   free(stack->slots);
   free(stack->counts);
   free(stack);
}

/* ---- slots ------------------------------------------------------------- */

static uint32_t
add_slot(struct cm_lru_stack *stack, uint64_t block)
{
   uint32_t number = stack->free_slot;
   if (number == NONE)
      number = stack->used_slots++;
   else
      stack->free_slot = stack->slots[number].older;
   stack->slots[number].block = block;
   cm_block_table_set(&stack->table, block, number);
   return number;
}

static void
free_slot(struct cm_lru_stack *stack, uint32_t number)
{
   assert(number < stack->used_slots && stack->slots[number].group != FREE);
   struct slot *slot = &stack->slots[number];
   cm_block_table_remove(&stack->table, slot->block);
   slot->group = FREE;
   slot->older = stack->free_slot;
   stack->free_slot = number;
}

/* Takes a block out of its set's list. */
static void
unlink_slot(struct cm_lru_stack *stack, struct set *set, struct group *groups, const struct slot *slot)
{
   assert(slot->group < stack->num_ways && groups[slot->group].count);
   struct group *group = &groups[slot->group];
   if (&stack->slots[group->oldest] == slot)
      group->oldest = slot->newer;
   group->count--;
   if (slot->newer == NONE)
      set->newest = slot->older;
   else
      stack->slots[slot->newer].older = slot->older;
   if (slot->older != NONE)
      stack->slots[slot->older].newer = slot->newer;
}

/* ---- accesses ---------------------------------------------------------- */

/* The groups have one block too many, which has come in at the top: each that is full hands its oldest
 * to the next one. */
static void
make_room(struct cm_lru_stack *stack, struct group *groups)
{
   uint32_t j = 0;
   for (; groups[j].count > stack->capacities[j]; j++) {
      assert(groups[j].count == stack->capacities[j] + 1 && groups[j].oldest < stack->used_slots);
      struct slot *leaving = &stack->slots[groups[j].oldest];
      const uint32_t number = groups[j].oldest;
      stack->counts[j].writebacks += leaving->dirty_from <= j;
      groups[j].oldest = leaving->newer;
      groups[j].count--;
      if (j + 1 == stack->num_ways) {
         stack->slots[leaving->newer].older = NONE;
         free_slot(stack, number);
         return;
      }
      leaving->group = (uint16_t)(j + 1);
      if (groups[j + 1].count++ == 0)
         groups[j + 1].oldest = number;
   }
}

static void
access_block(struct cm_lru_stack *stack, uint64_t block, bool write)
{
   const uint32_t s = cm_set_of(&stack->index, block);
   struct set *set = &stack->sets[s];
   struct group *groups = &stack->groups[(size_t)s * stack->num_ways];
   if (set->generation != stack->generation) {
      *set = (struct set){.newest = NONE, .generation = stack->generation};
      for (uint32_t j = 0; j < stack->num_ways; j++)
         groups[j].count = 0;
   }
   if (set->newest != NONE && stack->slots[set->newest].block == block &&
       stack->slots[set->newest].group == 0) {
      struct slot *slot = &stack->slots[set->newest];
      slot->dirty_from = write ? 0 : slot->dirty_from;
      return;
   }

   uint32_t number = cm_block_table_find(&stack->table, block), group = stack->num_ways;
   if (number == CM_NOT_FOUND) {
      number = add_slot(stack, block);
      stack->slots[number].dirty_from = (uint16_t)stack->num_ways;
   } else {
      group = stack->slots[number].group;
      unlink_slot(stack, set, groups, &stack->slots[number]);
   }
   struct slot *slot = &stack->slots[number];
   for (uint32_t j = 0; j < group; j++)
      stack->counts[j].misses[write]++;
   /* Where it was missing, it comes in clean. */
   if (write)
      slot->dirty_from = 0;
   else if (slot->dirty_from < group)
      slot->dirty_from = (uint16_t)group;

   slot->group = 0;
   slot->newer = NONE;
   slot->older = set->newest;
   if (set->newest != NONE)
      stack->slots[set->newest].newer = number;
   set->newest = number;
   if (groups[0].count++ == 0)
      groups[0].oldest = number;
   make_room(stack, groups);
}

static void
invalidate_slot(struct cm_lru_stack *stack, uint32_t number)
{
   struct slot *slot = &stack->slots[number];
   const uint32_t s = cm_set_of(&stack->index, slot->block);
   const uint32_t in = slot->group > slot->dirty_from ? slot->group : slot->dirty_from;
   for (uint32_t j = in; j < stack->num_ways; j++)
      stack->counts[j].writebacks++;
   unlink_slot(stack, &stack->sets[s], &stack->groups[(size_t)s * stack->num_ways], slot);
   free_slot(stack, number);
}

static void
invalidate(struct cm_lru_stack *stack, uint64_t first, uint64_t last)
{
   for (uint32_t number = 0; number < stack->used_slots; number++) {
      const struct slot *slot = &stack->slots[number];
      if (slot->group != FREE && slot->block >= first && slot->block <= last)
         invalidate_slot(stack, number);
   }
}

static void
reset(struct cm_lru_stack *stack)
{
   cm_block_table_clear(&stack->table);
   stack->used_slots = 0;
   stack->free_slot = NONE;
   if (++stack->generation)
      return;
   for (uint32_t s = 0; s < stack->index.sets; s++)
      stack->sets[s].generation = 0;
   stack->generation = 1;
}

void
cm_lru_stack_run(struct cm_lru_stack *stack, const struct cm_access_runs *part)
{
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++)
         access_block(stack, cm_run_block(part->runs[run]), cm_run_is_write(part->runs[run]));
      if (i < part->num_invalidations)
         invalidate(stack, part->invalidations[i].first, part->invalidations[i].last);
   }
   if (part->resets)
      reset(stack);
}

struct cm_sweep_counts
cm_lru_stack_counts(const struct cm_lru_stack *stack, uint32_t number)
{
   return stack->counts[number];
}
