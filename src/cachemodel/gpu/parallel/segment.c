/* SPDX-License-Identifier: MIT */
#include "gpu/parallel/segment.h"

#include <stdlib.h>

#include "timing/timing.h"

/* Of a list, at first; it grows. */
#define LIST_ENTRIES 1024

static bool
init_list(struct cm_segment_list *list)
{
   list->capacity = LIST_ENTRIES;
   list->entries = malloc(LIST_ENTRIES * sizeof *list->entries);
   return list->entries;
}

bool
cm_segment_init(struct cm_segment *segment)
{
   *segment = (struct cm_segment){.entries = malloc(CM_SEGMENT_ENTRIES * sizeof(cm_entry))};
   return segment->entries && init_list(&segment->filtered.list) && init_list(&segment->missed.list);
}

void
cm_segment_finish(struct cm_segment *segment)
{
   free(segment->entries);
   free(segment->invalidations.data);
   free(segment->filtered.list.entries);
   free(segment->filtered.runs.list);
   free(segment->missed.list.entries);
   free(segment->missed.runs.list);
}

void
cm_segment_reset(struct cm_segment *segment)
{
   segment->count = 0;
   segment->num_tiles = 0;
   segment->num_words = 0;
   segment->num_invalidations = 0;
   segment->filtered.runs.count = segment->missed.runs.count = 0;
   segment->is_shaded = segment->is_incomplete = false;
}

void
cm_segment_add_tile(struct cm_segment *segment, const struct cm_segment_tile *tile, size_t words)
{
   const uint32_t n = segment->num_tiles++;
   assert(n < CM_SEGMENT_TILES && tile->entries < CM_SEGMENT_ENTRIES);
   assert(!n || segment->tiles[n - 1].entries <= tile->entries);
   segment->tiles[n] = *tile;
   segment->num_words += words;
}

bool
cm_segment_add_invalidation(struct cm_segment *segment, enum cm_unit unit, uint64_t begin, uint64_t end)
{
   const uint32_t number = segment->num_invalidations;
   assert(!segment->num_tiles && begin < end);
   if (!cm_array_extend(&segment->invalidations, number + 1u, sizeof(struct cm_segment_invalidation)))
      return false;
   struct cm_segment_invalidation *list = segment->invalidations.data;
   list[number] = (struct cm_segment_invalidation){unit, begin, end};
   segment->num_invalidations++;
   return true;
}

/* ---- lists ----------------------------------------------------------------------- */

void
cm_segment_open_list(const struct cm_segment_list *list, struct cm_access_stream *stream)
{
   assert(list->entries && list->capacity && stream->take == cm_segment_grow_list);
   stream->entries = list->entries;
   stream->capacity = list->capacity;
   stream->count = 0;
}

void
cm_segment_close_list(struct cm_segment_list *list, const struct cm_access_stream *stream)
{
   assert(stream->capacity >= list->capacity && stream->count < stream->capacity);
   list->entries = stream->entries;
   list->capacity = stream->capacity;
}

void
cm_segment_grow_list(void *out_of_memory, struct cm_access_stream *stream)
{
   assert(stream->count <= stream->capacity);
   cm_entry *entries = realloc(stream->entries, 2 * (size_t)stream->capacity * sizeof *entries);
   if (entries) {
      stream->entries = entries;
      stream->capacity *= 2;
   } else {
      /* The next entry takes the place of the last one: the numbers of those before it, which segments keep, stay. */
      stream->count -= stream->count == stream->capacity;
      *(bool *)out_of_memory = true;
   }
}

/* ---- in order ------------------------------------------------------------------ */

struct consumer {
   void (*consume)(void *context, struct cm_access_stream *stream);
   void *context;
};

/* Entries from one to another, without copying them. */
static void
pass_on(const struct consumer *consumer, cm_entry *entries, uint32_t first, uint32_t end)
{
   struct cm_access_stream stream = {.entries = entries + first,
                                     .count = end - first,
                                     .capacity = end - first + 1};
   assert(first <= end);
   if (first < end)
      consumer->consume(consumer->context, &stream);
}

/* The quads of a tile, and what is accessed between them. */
static void
pass_on_quads(const struct consumer *consumer, const struct cm_segment *segment, uint32_t tile,
              struct cm_timing *timing)
{
   const struct cm_segment_accesses *missed = &segment->missed;
   uint32_t passed = tile ? missed->list.ends[tile - 1] : 0;
   cm_timing_quads(timing, segment->quads[tile]);
   for (uint32_t r = tile ? missed->run_ends[tile - 1] : 0; r < missed->run_ends[tile]; r++) {
      const struct cm_access_run *run = &missed->runs.list[r];
      pass_on(consumer, missed->list.entries, passed, run->end);
      cm_timing_caused(timing, run->requests);
      passed = run->end;
   }
   pass_on(consumer, missed->list.entries, passed, missed->list.ends[tile]); /* out of memory for a run */
}

void
cm_segment_pass_on(const struct cm_segment *segment, struct cm_timing *timing,
                   void (*consume)(void *context, struct cm_access_stream *stream), void *context)
{
   const struct consumer consumer = {consume, context};
   const struct cm_segment_list *missed = &segment->missed.list;
   uint32_t passed = 0;
   if (timing && segment->is_incomplete)
      cm_timing_give_up(timing);
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      pass_on(&consumer, segment->entries, passed, segment->tiles[t].entries);
      if (timing && segment->tiles[t].events)
         pass_on_quads(&consumer, segment, t, timing);
      else
         pass_on(&consumer, missed->entries, t ? missed->ends[t - 1] : 0, missed->ends[t]);
      passed = segment->tiles[t].entries;
   }
   pass_on(&consumer, segment->entries, passed, segment->count);
}
