/* SPDX-License-Identifier: MIT */
#include "gpu/segment.h"

#include <stdlib.h>
#include <string.h>

/* Of a part, at first; it grows. */
#define PART_ENTRIES 1024

bool
cm_segment_init(struct cm_segment *segment, unsigned lanes)
{
   *segment = (struct cm_segment){
      .entries = malloc(CM_SEGMENT_ENTRIES * sizeof(cm_entry)),
      .tiles = calloc(CM_SEGMENT_TILES, sizeof(struct cm_segment_tile)),
      .parts = calloc(lanes + 1, sizeof(struct cm_segment_part)),
      .num_parts = lanes,
   };
   bool fine = segment->entries && segment->tiles && segment->parts;
   for (unsigned l = 0; fine && l < lanes; l++) {
      segment->parts[l].capacity = PART_ENTRIES;
      segment->parts[l].entries = malloc(PART_ENTRIES * sizeof(cm_entry));
      fine = segment->parts[l].entries;
   }
   return fine;
}

void
cm_segment_finish(struct cm_segment *segment)
{
   for (unsigned l = 0; segment->parts && l < segment->num_parts; l++)
      free(segment->parts[l].entries);
   free(segment->entries);
   free(segment->tiles);
   free(segment->deferred.data);
   free(segment->parts);
}

void
cm_segment_begin(struct cm_segment *segment)
{
   segment->count = 0;
   segment->num_tiles = 0;
   segment->num_words = 0;
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

/* ---- merging ----------------------------------------------------------------- */

bool
cm_merger_init(struct cm_merger *merger, void (*take)(void *context, struct cm_access_stream *stream),
               void *context)
{
   return cm_access_stream_init(&merger->merged, take, context);
}

void
cm_merger_finish(struct cm_merger *merger)
{
   cm_access_stream_finish(&merger->merged);
}

/* The front's entries from one to another, without copying them. */
static void
take_front(struct cm_merger *merger, const struct cm_segment *segment, uint32_t first, uint32_t end)
{
   struct cm_access_stream stream = {.entries = segment->entries + first,
                                     .count = end - first,
                                     .capacity = CM_SEGMENT_ENTRIES};
   if (first == end)
      return;
   cm_access_stream_drain(&merger->merged);
   merger->merged.take(merger->merged.context, &stream);
}

static inline bool
is_mark(cm_entry entry)
{
   return cm_entry_kind(entry) == CM_ENTRY_MARK;
}

/* The lane whose next quad comes first; num_parts: no lane has one. */
static unsigned
find_first(const struct cm_merger *merger, const struct cm_segment *segment, uint32_t tile)
{
   unsigned first = segment->num_parts;
   uint64_t place = UINT64_MAX;
   for (unsigned l = 0; l < segment->num_parts; l++) {
      const struct cm_segment_part *part = &segment->parts[l];
      if (merger->at[l] < part->ends[tile] && cm_entry_value(part->entries[merger->at[l]]) < place) {
         first = l;
         place = cm_entry_value(part->entries[merger->at[l]]);
      }
   }
   return first;
}

static void
take_tile(struct cm_merger *merger, const struct cm_segment *segment, uint32_t tile)
{
   for (unsigned l; (l = find_first(merger, segment, tile)) < segment->num_parts;) {
      const struct cm_segment_part *part = &segment->parts[l];
      uint32_t at = merger->at[l];
      assert(is_mark(part->entries[at]));
      for (at++; at < part->ends[tile] && !is_mark(part->entries[at]); at++)
         cm_access_stream_append(&merger->merged, part->entries[at]);
      merger->at[l] = at;
   }
}

void
cm_merger_take(struct cm_merger *merger, const struct cm_segment *segment)
{
   uint32_t taken = 0;
   memset(merger->at, 0, segment->num_parts * sizeof merger->at[0]);
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      take_front(merger, segment, taken, segment->tiles[t].entries);
      taken = segment->tiles[t].entries;
      take_tile(merger, segment, t);
   }
   take_front(merger, segment, taken, segment->count);
   cm_access_stream_drain(&merger->merged);
}
