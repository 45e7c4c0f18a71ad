/* SPDX-License-Identifier: MIT */
#include "selection/frame_reuse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct cm_reuse_entry {
   uint64_t key;   /* 0: free */
   uint32_t frame; /* 1 + the frame that accessed it last */
   uint32_t unused;
};

static struct cm_reuse_entry *
find(const struct cm_frame_reuse *reuse, uint64_t key)
{
   assert(reuse->num_slots && key);
   size_t slot = (key * 0x9e3779b97f4a7c15ull) >> 20 & (reuse->num_slots - 1);
   while (reuse->entries[slot].key && reuse->entries[slot].key != key)
      slot = (slot + 1) & (reuse->num_slots - 1);
   return &reuse->entries[slot];
}

static bool
is_old(const struct cm_frame_reuse *reuse, const struct cm_reuse_entry *entry)
{
   return entry->frame + CM_REUSE_AGES <= reuse->frame;
}

/* Drops the old blocks; the table has room for as many again as are left. */
static bool
make_room(struct cm_frame_reuse *reuse)
{
   size_t left = 0, num_slots = 1024;
   for (size_t s = 0; s < reuse->num_slots; s++)
      left += reuse->entries[s].key && !is_old(reuse, &reuse->entries[s]);
   while (num_slots < 4 * (left + 1))
      num_slots *= 2;
   struct cm_frame_reuse larger = *reuse;
   larger.entries = calloc(num_slots, sizeof(*larger.entries));
   larger.num_slots = num_slots;
   larger.count = left;
   if (!larger.entries)
      return false;
   for (size_t s = 0; s < reuse->num_slots; s++) {
      if (reuse->entries[s].key && !is_old(reuse, &reuse->entries[s]))
         *find(&larger, reuse->entries[s].key) = reuse->entries[s];
   }
   free(reuse->entries);
   *reuse = larger;
   return true;
}

bool
cm_frame_reuse_access(struct cm_frame_reuse *reuse, uint64_t key, uint32_t bytes, bool is_read)
{
   if (key == reuse->last)
      return true;
   reuse->last = key;
   if (2 * reuse->count >= reuse->num_slots && !make_room(reuse))
      return false;
   struct cm_reuse_entry *entry = find(reuse, key);
   const uint32_t now = reuse->frame + 1;
   if (entry->frame == now)
      return true;
   unsigned age = entry->key ? now - entry->frame : 0;
   if (age > CM_REUSE_AGES)
      age = 0;
   reuse->count += !entry->key;
   *entry = (struct cm_reuse_entry){.key = key, .frame = now};
   reuse->ages.bytes += bytes;
   reuse->ages.touch[age] += bytes;
   if (is_read)
      reuse->ages.read[age] += bytes;
   return true;
}

struct cm_frame_ages
cm_frame_reuse_end(struct cm_frame_reuse *reuse)
{
   const struct cm_frame_ages ages = reuse->ages;
   reuse->ages = (struct cm_frame_ages){0};
   reuse->last = 0;
   reuse->frame++;
   return ages;
}

void
cm_frame_reuse_clear(struct cm_frame_reuse *reuse)
{
   if (reuse->entries)
      memset(reuse->entries, 0, reuse->num_slots * sizeof(*reuse->entries));
   reuse->count = 0;
   reuse->last = 0;
}

void
cm_frame_reuse_finish(struct cm_frame_reuse *reuse)
{
   free(reuse->entries);
   *reuse = (struct cm_frame_reuse){0};
}

/* ---- warm-up -------------------------------------------------------------- */

/* Bytes of the blocks that a frame accesses and no frame after it, before frame `end`. */
static uint64_t
last_touched(const struct cm_frame_ages *ages, size_t frame, size_t end)
{
   assert(frame < end);
   uint64_t bytes = ages[frame].bytes;
   for (size_t later = frame + 1; later < end && later - frame <= CM_REUSE_AGES; later++)
      bytes -= ages[later].touch[later - frame];
   return bytes;
}

unsigned
cm_frame_warm_up(const struct cm_frame_ages *ages, size_t frame, uint64_t cache_bytes, double tolerance)
{
   const uint64_t allowed = (uint64_t)((double)ages[frame].bytes * tolerance);
   unsigned oldest = 0;
   uint64_t between = 0, cold = 0;
   /* Blocks of an age can be in the cache if the frames since have not accessed as much as it holds. */
   while (oldest < CM_REUSE_AGES && oldest < frame && between < cache_bytes) {
      oldest++;
      between += last_touched(ages, frame - oldest, frame);
   }
   unsigned warm_up = oldest;
   while (warm_up > 1 && cold + ages[frame].read[warm_up] <= allowed)
      cold += ages[frame].read[warm_up--];
   return frame && !warm_up ? 1 : warm_up;
}
