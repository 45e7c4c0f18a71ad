/* SPDX-License-Identifier: MIT */
/* Reports to the timeline: tiles when they are flushed, passes' and draws' geometry. */
#include "timing/tiled/tiled.h"

/* Its tracks: X(identifier, name) */
#define TRACKS(X)                                      \
   X(GEOMETRY, "Geometry Pipeline")                    \
   X(VERTEX_FETCH, "Vertex fetch")                     \
   X(TILE_FETCHER, "Tile Fetcher")                     \
   X(HIDDEN_SURFACE_REMOVAL, "Hidden Surface Removal") \
   X(RASTERIZER, "Rasterizer and Early Z-Test")        \
   X(FRAGMENT_STAGE, "Fragment Processors")            \
   X(BLENDING_UNIT, "Blending Unit")                   \
   X(FLUSH, "Tile flush")

enum track {
#define TRACK(id, name) id,
   TRACKS(TRACK)
#undef TRACK
      NUM_TRACKS
};

struct cm_tiled_report {
   struct cm_report *common;
   uint32_t tracks[NUM_TRACKS];
   uint32_t first_pass; /* number of the frame's first pass */
   uint32_t pass;       /* of which tiles are flushed, counted like that one; 0: none yet */
   uint64_t begin, end; /* of its tiles so far */
};

/* ---- counters ------------------------------------------------------------ */

static const struct cm_report_count counts[] = {
   {"texture cache misses a cycle",
    "misses of the first texture caches: mean of a cycle. They are those of all tiles "
    "that the Tile Fetcher has reached, the flushed one's among them."},
   {"L2 misses a cycle", "the same of the L2"},
   {0},
};

static uint64_t
count_misses(const void *pipeline, unsigned number)
{
   const struct cm_tiled_timing *timing = pipeline;
   const enum cm_unit unit = number ? CM_UNIT_L2 : CM_UNIT_TEXTURE_CACHE;
   const struct cm_counter counter = {.unit = (int)unit,
                                      .instance = -1,
                                      .stream = -1,
                                      .event = CM_CACHE_EVENT_MISSES};
   return timing->base.config->caches[unit].size ? cm_hierarchy_counter(timing->hierarchy, &counter) : 0;
}

/* ---- building ------------------------------------------------------------ */

bool
cm_tiled_timing_set_timeline(struct cm_tiled_timing *timing, struct cm_timeline *timeline)
{
   static const char *const names[] = {
#define NAME(id, name) name,
      TRACKS(NAME)
#undef NAME
   };
   struct cm_tiled_report *report = cm_pool_take(&timing->base.pool, 1, sizeof *report);
   if (!report)
      return false;
   for (unsigned t = 0; t < NUM_TRACKS; t++) {
      if (t != HIDDEN_SURFACE_REMOVAL || cm_tiled_timing_is_deferred(timing))
         report->tracks[t] = cm_timeline_add_track(timeline, CM_TIMELINE_GPU, names[t]);
   }
   report->common = cm_report_create(timeline, timing, counts, count_misses);
   if (!report->common)
      return false;
   timing->report = report;
   cm_tiled_timing_report_frame_begin(timing);
   return true;
}

void
cm_tiled_timing_end_report(struct cm_tiled_timing *timing)
{
   if (timing->report)
      cm_report_destroy(timing->report->common);
}

/* ---- reports ------------------------------------------------------------- */

bool
cm_tiled_timing_is_reporting(const struct cm_tiled_timing *timing)
{
   return cm_timeline_is_recording(timing->report->common->timeline);
}

/* The pass whose tiles were the last to be flushed has no more. */
static void
end_pass(struct cm_tiled_report *report)
{
   if (report->pass)
      cm_timeline_pass(report->common->timeline, CM_TIMELINE_FRAMES, report->begin, report->end,
                       report->pass - report->first_pass);
   report->pass = 0;
}

static void
add_to_pass(struct cm_tiled_report *report, const struct cm_work *work)
{
   if (report->pass != work->pass) {
      end_pass(report);
      report->pass = work->pass;
      report->begin = work->fetch_begin != CM_UNKNOWN ? work->fetch_begin : work->flush_begin;
   }
   report->end = work->flushed;
}

void
cm_tiled_timing_report_tile(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_tiled_report *report = timing->report;
   struct cm_timeline *timeline = report->common->timeline;
   const uint32_t *tracks = report->tracks;
   if (!cm_timeline_is_recording(timeline))
      return;
   const uint32_t tile = work->tile, pass = work->pass - report->first_pass;
   cm_timeline_tile(timeline, tracks[TILE_FETCHER], work->fetch_begin, work->fetch_done, pass, tile);
   if (cm_tiled_timing_is_deferred(timing))
      cm_timeline_tile(timeline, tracks[HIDDEN_SURFACE_REMOVAL], work->fetch_begin, work->hidden_end, pass,
                       tile);
   cm_timeline_tile(timeline, tracks[RASTERIZER], work->shade_begin, work->z_end, pass, tile);
   if (work->dispatch_begin != CM_UNKNOWN) {
      cm_timeline_tile(timeline, tracks[FRAGMENT_STAGE], work->dispatch_begin, work->dispatch_end, pass,
                       tile);
      cm_timeline_tile(timeline, tracks[BLENDING_UNIT], work->blend_begin, work->shaded, pass, tile);
   }
   cm_timeline_tile(timeline, tracks[FLUSH], work->flush_begin, work->flushed, pass, tile);
   add_to_pass(report, work);
   cm_report_sample(report->common, work->flushed);
}

void
cm_tiled_timing_report_compute(struct cm_tiled_timing *timing, uint32_t pass, uint64_t begin,
                               uint64_t groups_end, uint64_t end)
{
   struct cm_tiled_report *report = timing->report;
   struct cm_timeline *timeline = report->common->timeline;
   const uint32_t number = pass - report->first_pass;
   end_pass(report);
   cm_timeline_pass(timeline, CM_TIMELINE_FRAMES, begin, end, number);
   cm_timeline_part(timeline, report->tracks[FRAGMENT_STAGE], begin, groups_end, number, "work-groups");
   cm_timeline_part(timeline, report->tracks[FLUSH], groups_end, end, number, "write back");
   cm_report_sample(report->common, end);
}

void
cm_tiled_timing_report_geometry(struct cm_tiled_timing *timing)
{
   const struct cm_tiled_report *report = timing->report;
   cm_timeline_pass(report->common->timeline, report->tracks[GEOMETRY], timing->geometry.begin,
                    timing->geometry.end, timing->geometry.work->pass - report->first_pass);
}

void
cm_tiled_timing_report_draw(struct cm_tiled_timing *timing, uint32_t draw, uint64_t begin)
{
   const struct cm_tiled_report *report = timing->report;
   cm_timeline_draw(report->common->timeline, report->tracks[VERTEX_FETCH], begin,
                    timing->geometry.fetch.until, timing->geometry.work->pass - report->first_pass, draw);
}

void
cm_tiled_timing_report_frame_begin(struct cm_tiled_timing *timing)
{
   struct cm_tiled_report *report = timing->report;
   report->first_pass = timing->num_passes + 1;
   cm_report_begin_frame(report->common, timing->base.cycles);
}

void
cm_tiled_timing_report_frame_end(struct cm_tiled_timing *timing)
{
   end_pass(timing->report);
   cm_report_end_frame(timing->report->common, timing->raster.barrier);
}
