/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"
#include "util/array.h"

#include <stdlib.h>
#include <string.h>

/* The running tile's accesses of a stream to each set. */
struct tile_accesses {
   uint32_t *counts;  /* by set */
   uint32_t *touched; /* sets with accesses */
   uint32_t num_touched;
};

/* A frame's accesses to a set in a tile. */
struct tile_frame {
   struct cm_histogram streams[CM_STREAM_COUNT];
};

struct cm_analysis {
   struct cm_reuse *reuse[CM_STREAM_COUNT];
   struct tile_accesses tiles[CM_STREAM_COUNT];
   struct tile_frame *frames; /* the last of them is the running one */
   uint32_t frame;
   bool in_tile;
   bool out_of_memory;
   struct cm_arrivals arrivals; /* of the reader */
};

struct cm_analysis *
cm_analysis_create(uint32_t sets, enum cm_index index)
{
   struct cm_analysis *analysis = calloc(1, sizeof *analysis);
   if (!analysis)
      return NULL;
   analysis->frames = calloc(1, sizeof *analysis->frames);
   bool ok = analysis->frames != NULL;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT && ok; stream++) {
      analysis->reuse[stream] = cm_reuse_create(sets, index);
      struct tile_accesses *tile = &analysis->tiles[stream];
      tile->counts = calloc(sets, sizeof *tile->counts);
      tile->touched = malloc(sets * sizeof *tile->touched);
      ok = analysis->reuse[stream] && tile->counts && tile->touched;
   }
   if (ok)
      return analysis;
   cm_analysis_destroy(analysis);
   return NULL;
}

void
cm_analysis_destroy(struct cm_analysis *analysis)
{
   if (!analysis)
      return;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      cm_reuse_destroy(analysis->reuse[stream]);
      free(analysis->tiles[stream].counts);
      free(analysis->tiles[stream].touched);
   }
   free(analysis->frames);
   free(analysis);
}

static void
end_tile(struct cm_analysis *analysis)
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      struct tile_accesses *tile = &analysis->tiles[stream];
      for (uint32_t t = 0; t < tile->num_touched; t++) {
         uint32_t *count = &tile->counts[tile->touched[t]];
         analysis->frames[analysis->frame].streams[stream].bins[cm_histogram_bin(*count)]++;
         *count = 0;
      }
      tile->num_touched = 0;
   }
   analysis->in_tile = false;
}

static void
access_block(struct cm_analysis *analysis, enum cm_stream stream, uint64_t block)
{
   struct cm_reuse *reuse = analysis->reuse[stream];
   struct tile_accesses *tile = &analysis->tiles[stream];
   const uint32_t set = cm_reuse_set(reuse, block);
   cm_reuse_access(reuse, block);
   if (analysis->in_tile && tile->counts[set]++ == 0)
      tile->touched[tile->num_touched++] = set;
}

static void
end_frame(struct cm_analysis *analysis)
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      cm_reuse_frame_end(analysis->reuse[stream]);
   if (!cm_array_grow(&analysis->frames, analysis->frame + 1, sizeof *analysis->frames)) {
      analysis->out_of_memory = true;
      return;
   }
   memset(&analysis->frames[++analysis->frame], 0, sizeof *analysis->frames);
}

static void
read_mark(struct cm_analysis *analysis, enum cm_mark mark)
{
   switch (mark) {
   case CM_MARK_TILE_BEGIN: analysis->in_tile = true; break;
   case CM_MARK_TILE_END: end_tile(analysis); break;
   case CM_MARK_FRAME_END: end_frame(analysis); break;
   default: break;
   }
}

static void
read_entries(void *context, const cm_entry *entries, uint32_t count)
{
   struct cm_analysis *analysis = context;
   for (uint32_t i = 0; i < count; i++) {
      struct cm_unit_arrival arrival;
      switch (cm_arrivals_decode(&analysis->arrivals, entries[i], &arrival)) {
      case CM_ARRIVAL_ACCESS:
         access_block(analysis, arrival.stream, arrival.address >> analysis->arrivals.block_shift);
         break;
      case CM_ARRIVAL_MARK: read_mark(analysis, arrival.mark); break;
      default: break;
      }
   }
}

struct cm_access_reader
cm_analysis_reader(struct cm_analysis *analysis, enum cm_unit unit, unsigned block_shift)
{
   analysis->arrivals = (struct cm_arrivals){.unit = unit, .block_shift = block_shift};
   return (struct cm_access_reader){.read = read_entries, .context = analysis, .units = 1u << unit};
}

struct cm_reuse_counts
cm_analysis_reuse(const struct cm_analysis *analysis, enum cm_stream stream, uint32_t first, uint32_t last)
{
   return cm_reuse_sum(analysis->reuse[stream], first, last);
}

struct cm_histogram
cm_analysis_tiles(const struct cm_analysis *analysis, enum cm_stream stream, uint32_t first, uint32_t last)
{
   struct cm_histogram sum = {0};
   for (uint32_t frame = first; frame <= last && frame < analysis->frame; frame++)
      cm_histogram_add(&sum, &analysis->frames[frame].streams[stream]);
   return sum;
}

bool
cm_analysis_is_complete(const struct cm_analysis *analysis)
{
   bool complete = !analysis->out_of_memory;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      complete &= cm_reuse_is_complete(analysis->reuse[stream]);
   return complete;
}
