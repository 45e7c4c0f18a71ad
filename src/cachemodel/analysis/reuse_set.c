/* SPDX-License-Identifier: MIT */
#include "analysis/reuse_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 8

void
cm_reuse_set_finish(struct cm_reuse_set *set)
{
   free(set->tree);
   free(set->members);
   memset(set, 0, sizeof *set);
}

static void
count(struct cm_reuse_set *set, uint32_t slot, uint32_t change)
{
   assert(slot < set->capacity);
   for (uint32_t i = slot + 1; i <= set->capacity; i += i & -i)
      set->tree[i] += change;
}

uint32_t
cm_reuse_set_above(const struct cm_reuse_set *set, uint32_t slot)
{
   assert(slot < set->used);
   uint32_t up_to = 0;
   for (uint32_t i = slot + 1; i; i &= i - 1)
      up_to += set->tree[i];
   return set->filled - up_to;
}

void
cm_reuse_set_remove(struct cm_reuse_set *set, uint32_t slot)
{
   assert(slot < set->used && set->members[slot] != CM_REUSE_EMPTY && set->filled);
   set->members[slot] = CM_REUSE_EMPTY;
   set->filled--;
   count(set, slot, UINT32_MAX);
}

bool
cm_reuse_set_make_room(struct cm_reuse_set *set)
{
   assert(set->filled <= set->used && set->used <= set->capacity);
   uint32_t *members = set->members, *tree = set->tree;
   uint32_t capacity = set->capacity;
   if (set->filled * 2 >= capacity) {
      capacity = capacity ? capacity * 2 : SMALLEST;
      members = malloc((size_t)capacity * sizeof *members);
      tree = malloc(((size_t)capacity + 1) * sizeof *tree);
      if (!members || !tree) {
         free(members);
         free(tree);
         return false;
      }
   }
   uint32_t filled = 0;
   for (uint32_t slot = 0; slot < set->used; slot++) {
      if (set->members[slot] != CM_REUSE_EMPTY)
         members[filled++] = set->members[slot];
   }
   /* Each node sums the i & -i slots up to it, of which the first `filled` have a member. */
   for (uint32_t i = 1; i <= capacity; i++) {
      const uint32_t begin = i - (i & -i);
      tree[i] = filled <= begin ? 0 : filled >= i ? i - begin : filled - begin;
   }
   if (members != set->members) {
      free(set->members);
      free(set->tree);
   }
   *set = (struct cm_reuse_set){tree, members, capacity, filled, filled};
   return true;
}

uint32_t
cm_reuse_set_add(struct cm_reuse_set *set, uint32_t member)
{
   assert(set->used < set->capacity && member != CM_REUSE_EMPTY);
   const uint32_t slot = set->used++;
   set->members[slot] = member;
   set->filled++;
   count(set, slot, 1);
   return slot;
}
