/* SPDX-License-Identifier: MIT */
#include "gpu/parallel/segment.h"

#include <stdlib.h>

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
   *segment = (struct cm_segment){
      .entries = malloc(CM_SEGMENT_ENTRIES * sizeof(cm_entry)),
      .tiles = calloc(CM_SEGMENT_TILES, sizeof(struct cm_segment_tile)),
   };
   const bool fine = init_list(&segment->filtered) && init_list(&segment->shaded);
   return fine && segment->entries && segment->tiles;
}

void
cm_segment_finish(struct cm_segment *segment)
{
   free(segment->entries);
   free(segment->tiles);
   free(segment->deferred.data);
   free(segment->invalidations.data);
   free(segment->filtered.entries);
   free(segment->shaded.entries);
}

void
cm_segment_begin(struct cm_segment *segment)
{
   segment->count = 0;
   segment->num_tiles = 0;
   segment->num_words = 0;
   segment->num_invalidations = 0;
}

void
cm_segment_add_tile(struct cm_segment *segment, uint32_t entries, uint32_t number, uint32_t position,
                    const struct cm_tile_events *events)
{
   struct cm_segment_tile *tile = &segment->tiles[segment->num_tiles++];
   assert(segment->num_tiles <= CM_SEGMENT_TILES);
   tile->entries = entries;
   tile->number = number;
   tile->position = position;
   tile->recorded = tile->shaded = events;
   segment->num_words += events->num_words;
}

bool
cm_segment_add_invalidation(struct cm_segment *segment, enum cm_unit unit, uint64_t begin, uint64_t end)
{
   const uint32_t number = segment->num_invalidations;
   assert(!segment->num_tiles);
   if (!cm_array_extend(&segment->invalidations, number + 1u, sizeof(struct cm_segment_invalidation)))
      return false;
   struct cm_segment_invalidation *list = segment->invalidations.data;
   list[number] = (struct cm_segment_invalidation){unit, begin, end};
   segment->num_invalidations++;
   return true;
}

void
cm_segment_open_list(const struct cm_segment_list *list, struct cm_access_stream *stream)
{
   stream->entries = list->entries;
   stream->capacity = list->capacity;
   stream->count = 0;
}

void
cm_segment_close_list(struct cm_segment_list *list, const struct cm_access_stream *stream)
{
   list->entries = stream->entries;
   list->capacity = stream->capacity;
}

/* ---- in order ------------------------------------------------------------------ */

struct taker {
   void (*take)(void *context, struct cm_access_stream *stream);
   void *context;
};

/* Entries from one to another, without copying them. */
static void
pass_on(const struct taker *taker, cm_entry *entries, uint32_t first, uint32_t end)
{
   struct cm_access_stream stream = {.entries = entries + first,
                                     .count = end - first,
                                     .capacity = end - first + 1};
   if (first < end)
      taker->take(taker->context, &stream);
}

void
cm_segment_take(const struct cm_segment *segment,
                void (*take)(void *context, struct cm_access_stream *stream), void *context)
{
   const struct taker taker = {take, context};
   uint32_t taken = 0, shaded = 0;
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      pass_on(&taker, segment->entries, taken, segment->tiles[t].entries);
      pass_on(&taker, segment->shaded.entries, shaded, segment->shaded.ends[t]);
      taken = segment->tiles[t].entries;
      shaded = segment->shaded.ends[t];
   }
   pass_on(&taker, segment->entries, taken, segment->count);
}
