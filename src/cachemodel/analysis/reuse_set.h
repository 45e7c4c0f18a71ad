/* SPDX-License-Identifier: MIT */
/**
 * The blocks of a set in the order of their last accesses, as a Fenwick tree over
 * slots: an access takes the next free slot and empties the block's old one; the
 * blocks above a slot are those accessed since. When the slots are used up, the
 * filled ones move together, and there are more of them if half are filled.
 */
#ifndef CM_REUSE_SET_H
#define CM_REUSE_SET_H

#include <stdbool.h>
#include <stdint.h>

#define CM_REUSE_EMPTY UINT32_MAX

struct cm_reuse_set {
   uint32_t *tree;    /**< sums of filled slots; 1 … capacity */
   uint32_t *members; /**< by slot: its member, or CM_REUSE_EMPTY */
   uint32_t capacity; /**< a power of two, or 0 */
   uint32_t used;     /**< slots below are or were filled */
   uint32_t filled;
};

void cm_reuse_set_finish(struct cm_reuse_set *set);

/** Members in slots above this one. */
uint32_t cm_reuse_set_above(const struct cm_reuse_set *set, uint32_t slot);

/** Empties a slot. */
void cm_reuse_set_remove(struct cm_reuse_set *set, uint32_t slot);

/** Whether a member can be added: not before cm_reuse_set_make_room otherwise. */
static inline bool
cm_reuse_set_has_room(const struct cm_reuse_set *set)
{
   return set->used < set->capacity;
}

/** Moves the members together, in order: member set->members[slot] is in that slot
 * afterwards, for slots from 0 to filled - 1. False when out of memory. */
bool cm_reuse_set_make_room(struct cm_reuse_set *set);

/** Adds a member; returns its slot, above all others. */
uint32_t cm_reuse_set_add(struct cm_reuse_set *set, uint32_t member);

#endif
