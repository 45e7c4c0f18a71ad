/* SPDX-License-Identifier: MIT */
#include "analysis/reuse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/block_table.h"
#include "analysis/reuse_set.h"
#include "memory/set_index.h"
#include "util/array.h"

#define NO_FRAME UINT32_MAX
#define FIRST_RECORDS 1024

/* A block that was accessed at least once. */
struct record {
   uint64_t block;
   uint32_t slot;     /* in its set */
   uint32_t frame;    /* of the last access */
   uint32_t previous; /* the last frame before that with an access; NO_FRAME: none */
   /* Its position in the sub-trace of last accesses of the frame that was last when it ended. */
   uint32_t order;
};

/* What the frame before and this one did in a set. */
struct set_frames {
   uint32_t blocks_before;
   uint32_t blocks;
   uint32_t reuses; /* blocks of both */
};

struct cm_reuse {
   uint32_t num_sets;
   struct cm_set_index index;
   struct cm_reuse_set *sets;
   struct set_frames *set_frames;

   struct record *records;
   uint32_t num_records, max_records;
   struct cm_block_table table; /* of records' numbers */

   uint32_t *seen; /* a Fenwick tree over a sub-trace, for the last-last distances */
   uint32_t max_seen;

   struct cm_reuse_counts *frames; /* the last of them is the running one */
   uint32_t frame;
   bool out_of_memory;
};

uint32_t
cm_reuse_set(const struct cm_reuse *reuse, uint64_t block)
{
   return cm_set_of(&reuse->index, block);
}

/* Doubles the space for blocks. */
static bool
grow_records(struct cm_reuse *reuse)
{
   struct cm_block_table table;
   const uint32_t max_records = reuse->max_records * 2;
   if (max_records >= 1u << 30 ||
       !cm_array_grow(&reuse->records, reuse->max_records, sizeof *reuse->records) ||
       !cm_block_table_init(&table, max_records))
      return false;
   cm_block_table_finish(&reuse->table);
   reuse->table = table;
   reuse->max_records = max_records;
   for (uint32_t r = 0; r < reuse->num_records; r++)
      cm_block_table_set(&table, reuse->records[r].block, r);
   return true;
}

struct cm_reuse *
cm_reuse_create(uint32_t sets, enum cm_index index)
{
   struct cm_reuse *reuse = calloc(1, sizeof *reuse);
   if (!reuse)
      return NULL;
   reuse->num_sets = sets;
   cm_set_index_init(&reuse->index, sets, index);
   reuse->sets = calloc(sets, sizeof *reuse->sets);
   reuse->set_frames = calloc(sets, sizeof *reuse->set_frames);
   reuse->max_records = FIRST_RECORDS;
   reuse->records = malloc(FIRST_RECORDS * sizeof *reuse->records);
   reuse->frames = calloc(1, sizeof *reuse->frames);
   if (reuse->sets && reuse->set_frames && reuse->records && reuse->frames &&
       cm_block_table_init(&reuse->table, FIRST_RECORDS))
      return reuse;
   cm_reuse_destroy(reuse);
   return NULL;
}

void
cm_reuse_destroy(struct cm_reuse *reuse)
{
   if (!reuse)
      return;
   for (uint32_t set = 0; reuse->sets && set < reuse->num_sets; set++)
      cm_reuse_set_finish(&reuse->sets[set]);
   free(reuse->sets);
   free(reuse->set_frames);
   free(reuse->records);
   cm_block_table_finish(&reuse->table);
   free(reuse->seen);
   free(reuse->frames);
   free(reuse);
}

static bool
make_room(struct cm_reuse *reuse, struct cm_reuse_set *set)
{
   if (!cm_reuse_set_make_room(set))
      return false;
   for (uint32_t slot = 0; slot < set->filled; slot++)
      reuse->records[set->members[slot]].slot = slot;
   return true;
}

/* A block's first access ever. */
static void
access_new(struct cm_reuse *reuse, struct cm_reuse_set *set, uint64_t block)
{
   assert(reuse->num_records <= reuse->max_records);
   if (reuse->num_records == reuse->max_records && !grow_records(reuse)) {
      reuse->out_of_memory = true;
      return;
   }
   const uint32_t record = reuse->num_records++;
   cm_block_table_set(&reuse->table, block, record);
   reuse->records[record] = (struct record){
      .block = block,
      .slot = cm_reuse_set_add(set, record),
      .frame = reuse->frame,
      .previous = NO_FRAME,
   };
}

/* ---- accesses ---------------------------------------------------------- */

/* The first access of this frame to a block of an earlier one. */
static void
count_inter(struct cm_reuse *reuse, struct set_frames *set, const struct record *record, uint32_t distance)
{
   struct cm_reuse_counts *counts = &reuse->frames[reuse->frame];
   counts->inter++;
   counts->inter_distances.bins[cm_histogram_bin(distance)]++;
   if (record->frame + 1 != reuse->frame)
      return;
   set->reuses++;
   counts->reuses++;
   counts->sum_maximum += set->blocks_before - 1;
   counts->sum_last_first += distance;
}

void
cm_reuse_access(struct cm_reuse *reuse, uint64_t block)
{
   struct cm_reuse_counts *counts = &reuse->frames[reuse->frame];
   const uint32_t s = cm_reuse_set(reuse, block);
   struct cm_reuse_set *set = &reuse->sets[s];
   if (reuse->out_of_memory)
      return; /* what is known of the blocks may be of an earlier frame */
   counts->accesses++;

   const uint32_t found = cm_block_table_find(&reuse->table, block);
   if (!cm_reuse_set_has_room(set) && !make_room(reuse, set)) {
      reuse->out_of_memory = true;
      return;
   }
   if (found == CM_NOT_FOUND) {
      counts->first++;
      reuse->set_frames[s].blocks++;
      access_new(reuse, set, block);
      return;
   }

   struct record *record = &reuse->records[found];
   const uint32_t distance = cm_reuse_set_above(set, record->slot);
   if (record->frame == reuse->frame) {
      counts->intra++;
      counts->intra_distances.bins[cm_histogram_bin(distance)]++;
   } else {
      count_inter(reuse, &reuse->set_frames[s], record, distance);
      reuse->set_frames[s].blocks++;
      record->previous = record->frame;
      record->frame = reuse->frame;
   }
   if (distance) {
      cm_reuse_set_remove(set, record->slot);
      record->slot = cm_reuse_set_add(set, found);
   }
}

/* ---- the end of a frame ------------------------------------------------ */

static bool
reserve_seen(struct cm_reuse *reuse, uint32_t count)
{
   if (!reuse->seen || count > reuse->max_seen) {
      free(reuse->seen);
      reuse->max_seen = count * 2;
      reuse->seen = malloc(((size_t)reuse->max_seen + 1) * sizeof *reuse->seen);
      if (!reuse->seen)
         reuse->max_seen = 0;
   }
   if (reuse->seen)
      memset(reuse->seen, 0, ((size_t)count + 1) * sizeof *reuse->seen);
   return reuse->seen != NULL;
}

/* Blocks seen in the positions 0 … position of the sub-trace before. */
static uint32_t
seen_up_to(const struct cm_reuse *reuse, uint32_t position)
{
   assert(position < reuse->max_seen);
   uint32_t sum = 0;
   for (uint32_t i = position + 1; i; i &= i - 1)
      sum += reuse->seen[i];
   return sum;
}

/* The sub-trace of this frame's last accesses to a set: its blocks' positions in it, and their
 * distances from the sub-trace before. */
static uint64_t
end_set(struct cm_reuse *reuse, struct cm_reuse_set *set, struct set_frames *frames)
{
   uint64_t sum = 0;
   uint32_t order = 0, common = 0;
   const uint32_t before = frames->blocks_before;
   for (uint32_t slot = 0; slot < set->used; slot++) {
      if (set->members[slot] == CM_REUSE_EMPTY)
         continue;
      struct record *record = &reuse->records[set->members[slot]];
      if (record->frame != reuse->frame)
         continue;
      if (record->previous != NO_FRAME && record->previous + 1 == reuse->frame) {
         /* Those after it in the sub-trace before, those before it in this one, and those that are
          * both once. */
         const uint32_t both = common - seen_up_to(reuse, record->order);
         sum += (before - 1 - record->order) + order - both;
         assert(record->order < before && before <= reuse->max_seen);
         for (uint32_t i = record->order + 1; i <= before; i += i & -i)
            reuse->seen[i]++;
         common++;
      }
      record->order = order++;
   }
   return sum;
}

static bool
add_frame(struct cm_reuse *reuse)
{
   if (!cm_array_grow(&reuse->frames, reuse->frame + 1, sizeof *reuse->frames))
      return false;
   memset(&reuse->frames[++reuse->frame], 0, sizeof *reuse->frames);
   return true;
}

void
cm_reuse_frame_end(struct cm_reuse *reuse)
{
   struct cm_reuse_counts *counts = &reuse->frames[reuse->frame];
   if (reuse->out_of_memory)
      return;
   for (uint32_t s = 0; s < reuse->num_sets; s++) {
      struct set_frames *frames = &reuse->set_frames[s];
      if (!reserve_seen(reuse, frames->blocks_before)) {
         reuse->out_of_memory = true;
         return;
      }
      if (frames->blocks)
         counts->sum_last_last += end_set(reuse, &reuse->sets[s], frames);
      counts->blocks += frames->blocks;
      if (reuse->frame)
         counts->insertions += frames->blocks - frames->reuses;
      counts->deletions += frames->blocks_before - frames->reuses;
      *frames = (struct set_frames){.blocks_before = frames->blocks};
   }
   if (!add_frame(reuse)) {
      memset(counts, 0, sizeof *counts);
      reuse->out_of_memory = true;
   }
}

/* ---- results ----------------------------------------------------------- */

struct cm_reuse_counts
cm_reuse_sum(const struct cm_reuse *reuse, uint32_t first, uint32_t last)
{
   struct cm_reuse_counts sum = {0};
   for (uint32_t frame = first; frame <= last && frame < reuse->frame; frame++) {
      const struct cm_reuse_counts *counts = &reuse->frames[frame];
      sum.accesses += counts->accesses;
      sum.first += counts->first;
      sum.intra += counts->intra;
      sum.inter += counts->inter;
      cm_histogram_add(&sum.intra_distances, &counts->intra_distances);
      cm_histogram_add(&sum.inter_distances, &counts->inter_distances);
      sum.blocks += counts->blocks;
      sum.insertions += counts->insertions;
      sum.deletions += counts->deletions;
      sum.reuses += counts->reuses;
      sum.sum_maximum += counts->sum_maximum;
      sum.sum_last_first += counts->sum_last_first;
      sum.sum_last_last += counts->sum_last_last;
   }
   return sum;
}

bool
cm_reuse_is_complete(const struct cm_reuse *reuse)
{
   return !reuse->out_of_memory;
}
