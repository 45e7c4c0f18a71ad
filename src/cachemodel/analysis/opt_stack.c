/* SPDX-License-Identifier: MIT */
/* A line is live while its block will be used again, and dead from the last use on. Live blocks have
 * slots; of dead ones each cache knows for itself what it still has. */
#include "analysis/opt_stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/block_table.h"
#include "memory/set_index.h"
#include "analysis/way_set.h"
#include "memory/next_use.h"

#define NONE UINT32_MAX

/* A live block in the largest cache. Group j of the stack is in all caches from number j on. */
struct slot {
   uint64_t block;
   uint32_t position; /* in its group's heap; of a free slot: the next free one */
   uint16_t group;
   uint16_t dirty_from; /* it is dirty in the caches from this number on that have it */
};

/* The block whose next use is farthest comes first. */
struct heap_entry {
   uint32_t next_use;
   uint32_t slot;
};

/* One of the caches. A set's ways from `fresh` on have never been filled; those of `vacant` below were emptied,
 * those of `dead` have dead blocks. */
struct cache {
   uint32_t ways, capacity; /* the second: those more than the cache before it has */
   uint32_t first;          /* where its group begins in a set's heaps */
   struct cm_way_set_shape shape;
   uint32_t *fresh;         /* by set */
   uint64_t *vacant, *dead; /* shape.words per set */
   uint64_t *lines;         /* by way: a dead block << 1 | whether it is dirty */
   struct cm_sweep_counts counts;
};

struct cm_opt_stack {
   struct cm_set_index index;
   bool bypasses;
   uint32_t num_caches, max_ways;
   struct cache *caches;
   uint32_t generation;
   uint32_t *generations;    /* by set; those of another one are empty */
   uint32_t *live;           /* set * num_caches + group: entries of its heap */
   struct heap_entry *heaps; /* set * max_ways + the group's first */
   struct slot *slots;
   uint32_t *ways; /* slot * num_caches + cache: the block's way there */
   uint32_t used_slots, free_slot;
   struct cm_block_table table;
};

/* ---- creation ---------------------------------------------------------- */

static bool
init_cache(struct cache *cache, uint32_t sets, uint32_t ways, uint32_t ways_before)
{
   assert(ways > ways_before);
   cache->ways = ways;
   cache->first = ways_before;
   cache->capacity = ways - ways_before;
   cache->shape = cm_way_set_shape(ways);
   cache->fresh = calloc(sets, sizeof *cache->fresh);
   cache->vacant = calloc((size_t)sets * cache->shape.words, sizeof *cache->vacant);
   cache->dead = calloc((size_t)sets * cache->shape.words, sizeof *cache->dead);
   cache->lines = malloc((size_t)sets * ways * sizeof *cache->lines);
   return cache->fresh && cache->vacant && cache->dead && cache->lines;
}

struct cm_opt_stack *
cm_opt_stack_create(uint32_t sets, enum cm_index index, const uint32_t *ways, uint32_t num_ways,
                    bool bypasses)
{
   assert(sets && num_ways && num_ways < UINT16_MAX);
   struct cm_opt_stack *stack = calloc(1, sizeof *stack);
   if (!stack)
      return NULL;
   const uint32_t max_blocks = sets * ways[num_ways - 1];
   cm_set_index_init(&stack->index, sets, index);
   stack->bypasses = bypasses;
   stack->num_caches = num_ways;
   stack->max_ways = ways[num_ways - 1];
   stack->generation = 1;
   stack->free_slot = NONE;
   stack->caches = calloc(num_ways, sizeof *stack->caches);
   stack->generations = calloc(sets, sizeof *stack->generations);
   stack->live = calloc((size_t)sets * num_ways, sizeof *stack->live);
   stack->heaps = malloc((size_t)max_blocks * sizeof *stack->heaps);
   /* The block is inserted before one is evicted. */
   stack->slots = malloc(((size_t)max_blocks + 1) * sizeof *stack->slots);
   stack->ways = malloc(((size_t)max_blocks + 1) * num_ways * sizeof *stack->ways);
   bool ok = stack->caches && stack->generations && stack->live && stack->heaps && stack->slots &&
             stack->ways && cm_block_table_init(&stack->table, max_blocks + 1);
   for (uint32_t j = 0; ok && j < num_ways; j++)
      ok = init_cache(&stack->caches[j], sets, ways[j], j ? ways[j - 1] : 0);
   if (ok)
      return stack;
   cm_opt_stack_destroy(stack);
   return NULL;
}

void
cm_opt_stack_destroy(struct cm_opt_stack *stack)
{
   if (!stack)
      return;
   for (uint32_t j = 0; stack->caches && j < stack->num_caches; j++) {
      free(stack->caches[j].fresh);
      free(stack->caches[j].vacant);
      free(stack->caches[j].dead);
      free(stack->caches[j].lines);
   }
   cm_block_table_finish(&stack->table);
   free(stack->caches);
   free(stack->generations);
   free(stack->live);
   free(stack->heaps);
   free(stack->slots);
   free(stack->ways);
   free(stack);
}

/* ---- slots ------------------------------------------------------------- */

static uint32_t
add_slot(struct cm_opt_stack *stack, uint64_t block)
{
   uint32_t number = stack->free_slot;
   if (number == NONE)
      number = stack->used_slots++;
   else
      stack->free_slot = stack->slots[number].position;
   stack->slots[number].block = block;
   stack->slots[number].dirty_from = (uint16_t)stack->num_caches;
   cm_block_table_set(&stack->table, block, number);
   return number;
}

static void
free_slot(struct cm_opt_stack *stack, uint32_t number)
{
   assert(number < stack->used_slots);
   cm_block_table_remove(&stack->table, stack->slots[number].block);
   stack->slots[number].position = stack->free_slot;
   stack->free_slot = number;
}

/* ---- a group's heap ---------------------------------------------------- */

struct group {
   struct heap_entry *heap;
   uint32_t *count;
   uint32_t number, capacity;
};

static struct group
group_of(struct cm_opt_stack *stack, uint32_t set, uint32_t number)
{
   const struct cache *cache = &stack->caches[number];
   return (struct group){
      .heap = &stack->heaps[(size_t)set * stack->max_ways + cache->first],
      .count = &stack->live[(size_t)set * stack->num_caches + number],
      .number = number,
      .capacity = cache->capacity,
   };
}

static void
put(struct cm_opt_stack *stack, const struct group *group, uint32_t position, struct heap_entry entry)
{
   assert(position < *group->count && entry.slot < stack->used_slots);
   group->heap[position] = entry;
   stack->slots[entry.slot].position = position;
}

/* The entry belongs to this position or above it. */
static void
sift_up(struct cm_opt_stack *stack, const struct group *group, uint32_t position, struct heap_entry entry)
{
   while (position && group->heap[(position - 1) / 2].next_use < entry.next_use) {
      put(stack, group, position, group->heap[(position - 1) / 2]);
      position = (position - 1) / 2;
   }
   put(stack, group, position, entry);
}

/* The entry belongs to this position or below it. */
static void
sift_down(struct cm_opt_stack *stack, const struct group *group, uint32_t position, struct heap_entry entry)
{
   for (uint32_t child; (child = 2 * position + 1) < *group->count; position = child) {
      child += child + 1 < *group->count && group->heap[child + 1].next_use > group->heap[child].next_use;
      if (group->heap[child].next_use <= entry.next_use)
         break;
      put(stack, group, position, group->heap[child]);
   }
   put(stack, group, position, entry);
}

static void
push(struct cm_opt_stack *stack, const struct group *group, struct heap_entry entry)
{
   assert(*group->count < group->capacity);
   stack->slots[entry.slot].group = (uint16_t)group->number;
   sift_up(stack, group, (*group->count)++, entry);
}

/* Takes the first entry out. */
static struct heap_entry
pop(struct cm_opt_stack *stack, const struct group *group)
{
   assert(*group->count);
   const struct heap_entry first = group->heap[0];
   if (--*group->count)
      sift_down(stack, group, 0, group->heap[*group->count]);
   return first;
}

/* Takes the first entry out and puts another one in. */
static struct heap_entry
replace_first(struct cm_opt_stack *stack, const struct group *group, struct heap_entry entry)
{
   assert(*group->count == group->capacity);
   const struct heap_entry first = group->heap[0];
   stack->slots[entry.slot].group = (uint16_t)group->number;
   sift_down(stack, group, 0, entry);
   return first;
}

/* Takes out a block that is being used: no next use is nearer, so it has nothing below it but its like. */
static void
take_out(struct cm_opt_stack *stack, const struct group *group, uint32_t position)
{
   assert(position < *group->count);
   const struct heap_entry last = group->heap[--*group->count];
   if (position != *group->count)
      sift_up(stack, group, position, last);
}

/* ---- ways -------------------------------------------------------------- */

/* A way of a cache without a live block: an empty one, or else a dead block's. */
static uint32_t
take_free_way(struct cache *cache, uint32_t set)
{
   uint64_t *vacant = &cache->vacant[(size_t)set * cache->shape.words];
   uint32_t way = cm_way_set_first(vacant, &cache->shape);
   if (way != CM_NO_WAY) {
      cm_way_set_remove(vacant, &cache->shape, way);
      return way;
   }
   if (cache->fresh[set] < cache->ways)
      return cache->fresh[set]++;
   uint64_t *dead = &cache->dead[(size_t)set * cache->shape.words];
   way = cm_way_set_first(dead, &cache->shape);
   assert(way != CM_NO_WAY);
   cm_way_set_remove(dead, &cache->shape, way);
   cache->counts.writebacks += cache->lines[(size_t)set * cache->ways + way] & 1;
   return way;
}

/* A block that is in the caches from number `from` on is not used again. */
static void
die(struct cm_opt_stack *stack, uint32_t set, uint32_t number, uint32_t from)
{
   assert(from <= stack->num_caches);
   const struct slot *slot = &stack->slots[number];
   const uint32_t *ways = &stack->ways[(size_t)number * stack->num_caches];
   for (uint32_t j = from; j < stack->num_caches; j++) {
      struct cache *cache = &stack->caches[j];
      cache->lines[(size_t)set * cache->ways + ways[j]] = slot->block << 1 | (slot->dirty_from <= j);
      cm_way_set_add(&cache->dead[(size_t)set * cache->shape.words], &cache->shape, ways[j]);
   }
   free_slot(stack, number);
}

/* ---- accesses ---------------------------------------------------------- */

/* An access on its way down the stack. */
struct descent {
   struct heap_entry block; /* the one accessed, with its next use */
   bool write;
   bool may_bypass;
   uint32_t entered;        /* the group it has come into; num_caches: none yet */
   struct heap_entry carry; /* evicted from the group above; slot NONE: nothing */
};

static void
empty_set(struct cm_opt_stack *stack, uint32_t set)
{
   stack->generations[set] = stack->generation;
   for (uint32_t j = 0; j < stack->num_caches; j++) {
      struct cache *cache = &stack->caches[j];
      stack->live[(size_t)set * stack->num_caches + j] = 0;
      cache->fresh[set] = 0;
      cm_way_set_clear(&cache->vacant[(size_t)set * cache->shape.words], &cache->shape);
      cm_way_set_clear(&cache->dead[(size_t)set * cache->shape.words], &cache->shape);
   }
}

/* The block that leaves the group for the one that enters; none where it has a free entry. */
static struct heap_entry
exchange(struct cm_opt_stack *stack, const struct group *group, struct heap_entry entry, bool is_live)
{
   const bool full = *group->count == group->capacity;
   if (full && is_live)
      return replace_first(stack, group, entry);
   struct heap_entry out = {.slot = NONE};
   if (full)
      out = pop(stack, group);
   else if (is_live)
      push(stack, group, entry);
   return out;
}

/* A miss in cache j: what leaves the cache, and the way it leaves to the block. */
static void
miss(struct cm_opt_stack *stack, uint32_t set, uint32_t j, struct descent *descent)
{
   struct cache *cache = &stack->caches[j];
   const struct group group = group_of(stack, set, j);
   const struct heap_entry block = descent->block;
   const uint32_t farthest = *group.count == group.capacity
                                ? group.heap[0].next_use
                                : CM_NEVER_USED; /* a free line is as far as any */
   if (descent->entered == stack->num_caches) {
      if (descent->may_bypass && block.next_use > farthest) {
         cache->counts.bypasses++;
         cache->counts.writebacks += descent->write;
         return;
      }
      descent->entered = j;
      descent->carry = exchange(stack, &group, block, block.next_use != CM_NEVER_USED);
   } else if (descent->carry.slot != NONE && descent->carry.next_use < farthest) {
      descent->carry = exchange(stack, &group, descent->carry, true);
   }
   cache->counts.misses[descent->write]++;

   uint32_t way;
   const struct heap_entry victim = descent->carry;
   if (victim.slot == NONE) {
      way = take_free_way(cache, set);
   } else {
      way = stack->ways[(size_t)victim.slot * stack->num_caches + j];
      cache->counts.writebacks += stack->slots[victim.slot].dirty_from <= j;
   }
   stack->ways[(size_t)block.slot * stack->num_caches + j] = way;
}

/* A hit in all caches: the most frequent case. */
static void
hit_everywhere(struct cm_opt_stack *stack, uint32_t set, struct heap_entry block, bool write)
{
   struct slot *slot = &stack->slots[block.slot];
   const struct group group = group_of(stack, set, 0);
   slot->dirty_from = write ? 0 : slot->dirty_from;
   if (block.next_use != CM_NEVER_USED) {
      sift_up(stack, &group, slot->position, block);
      return;
   }
   take_out(stack, &group, slot->position);
   die(stack, set, block.slot, 0);
}

/* The block missed in all smaller caches; `in` is the smallest that has it. */
static void
settle(struct cm_opt_stack *stack, uint32_t set, const struct descent *descent, uint32_t in)
{
   const struct heap_entry block = descent->block;
   const bool is_live = block.next_use != CM_NEVER_USED;
   uint32_t entered = descent->entered;
   if (in < stack->num_caches) {
      const struct group group = group_of(stack, set, in);
      if (entered == stack->num_caches) {
         entered = in;
         if (is_live)
            push(stack, &group, block);
      } else if (descent->carry.slot != NONE) {
         push(stack, &group, descent->carry);
      }
   } else if (descent->carry.slot != NONE) {
      free_slot(stack, descent->carry.slot);
   }

   struct slot *slot = &stack->slots[block.slot];
   if (descent->write)
      slot->dirty_from = 0;
   else if (slot->dirty_from < in)
      slot->dirty_from = (uint16_t)in;
   if (!is_live)
      die(stack, set, block.slot, entered);
   else if (entered == stack->num_caches)
      free_slot(stack, block.slot);
}

static void
access_run(struct cm_opt_stack *stack, cm_run run, bool repeats, uint32_t next_use)
{
   const uint64_t number = cm_run_block(run);
   const uint32_t set = cm_set_of(&stack->index, number);
   if (stack->generations[set] != stack->generation)
      empty_set(stack, set);

   uint32_t slot = cm_block_table_find(&stack->table, number), in = stack->num_caches;
   if (slot == CM_NOT_FOUND) {
      slot = add_slot(stack, number);
   } else {
      in = stack->slots[slot].group;
      if (in == 0) {
         hit_everywhere(stack, set, (struct heap_entry){next_use, slot}, cm_run_is_write(run));
         return;
      }
      const struct group group = group_of(stack, set, in);
      take_out(stack, &group, stack->slots[slot].position);
   }
   /* A run's second access is nearer than anything else. */
   struct descent descent = {
      .block = {next_use, slot},
      .write = cm_run_is_write(run),
      .may_bypass = stack->bypasses && !repeats,
      .entered = stack->num_caches,
      .carry = {.slot = NONE},
   };
   for (uint32_t j = 0; j < in; j++)
      miss(stack, set, j, &descent);
   settle(stack, set, &descent, in);
}

/* What is invalidated is not used again before it has been, so it is dead. */
static void
invalidate(struct cm_opt_stack *stack, struct cache *cache, uint64_t first, uint64_t last)
{
   for (uint32_t set = 0; set < stack->index.sets; set++) {
      if (stack->generations[set] != stack->generation)
         continue;
      uint64_t *dead = &cache->dead[(size_t)set * cache->shape.words];
      for (uint32_t word = 0; word < (cache->ways + 63) / 64; word++) {
         for (uint64_t bits = dead[word]; bits; bits &= bits - 1) {
            const uint32_t way = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint64_t line = cache->lines[(size_t)set * cache->ways + way];
            if (line >> 1 < first || line >> 1 > last)
               continue;
            cache->counts.writebacks += line & 1;
            cm_way_set_remove(dead, &cache->shape, way);
            cm_way_set_add(&cache->vacant[(size_t)set * cache->shape.words], &cache->shape, way);
         }
      }
   }
}

static void
reset(struct cm_opt_stack *stack)
{
   cm_block_table_clear(&stack->table);
   stack->used_slots = 0;
   stack->free_slot = NONE;
   if (++stack->generation)
      return;
   memset(stack->generations, 0, stack->index.sets * sizeof *stack->generations);
   stack->generation = 1;
}

void
cm_opt_stack_run(struct cm_opt_stack *stack, const struct cm_access_runs *part)
{
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++)
         access_run(stack, part->runs[run], part->counts[run] > 1, part->next[run]);
      for (uint32_t j = 0; i < part->num_invalidations && j < stack->num_caches; j++)
         invalidate(stack, &stack->caches[j], part->invalidations[i].first, part->invalidations[i].last);
   }
   if (part->resets)
      reset(stack);
}

struct cm_sweep_counts
cm_opt_stack_counts(const struct cm_opt_stack *stack, uint32_t number)
{
   return stack->caches[number].counts;
}
