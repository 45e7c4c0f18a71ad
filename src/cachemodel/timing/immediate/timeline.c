/* SPDX-License-Identifier: MIT */
/* Reports to the timeline: what each stage did, draw by draw; clears, resolves and write-backs; passes. */
#include "timing/immediate/immediate.h"

/** Cycles between two samples of the counters. */
#define SAMPLE_CYCLES 1024

/* A draw in a stage. */
struct shown_draw {
   uint32_t draw;
   uint64_t begin, end; /* 0, 0: there is none */
};

struct cm_immediate_report {
   struct cm_report *common;
   uint32_t tracks[CM_IMMEDIATE_TRACKS];
   struct shown_draw draws[CM_IMMEDIATE_TRACKS];
   uint32_t pass; /* of the frame, from 0 */
   uint64_t sampled;
};

/* ---- counters ------------------------------------------------------------ */

static const struct cm_report_count counts[] = {
   {"texture cache misses a cycle", "misses of the first texture caches: mean of a cycle"},
   {"LLC misses a cycle", "reads of memory by the last level of cache: mean of a cycle"},
   {0},
};

static uint64_t
count_misses(const void *pipeline, unsigned number)
{
   const struct cm_immediate_timing *timing = pipeline;
   const struct cm_immediate_memory *memory = &timing->memory;
   uint64_t misses = 0;
   if (number)
      return memory->reads;
   for (uint32_t p = 0; p < timing->base.config->fragment_stage.processors; p++)
      misses += memory->texture[p].taken;
   return misses;
}

/* ---- building ------------------------------------------------------------ */

bool
cm_immediate_timing_set_timeline(struct cm_immediate_timing *timing, struct cm_timeline *timeline)
{
   static const char *const names[] = {
      [CM_IMMEDIATE_VERTEX_FETCH] = "Vertex fetch",
      [CM_IMMEDIATE_VERTICES] = "Vertices on the Fragment Processors",
      [CM_IMMEDIATE_ASSEMBLY] = "Primitive Assembly",
      [CM_IMMEDIATE_HIERARCHICAL_Z] = "Hierarchical Z",
      [CM_IMMEDIATE_RASTERIZER] = "Rasterizer",
      [CM_IMMEDIATE_EARLY_Z] = "Early Z-Test",
      [CM_IMMEDIATE_FRAGMENTS] = "Fragment Processors",
      [CM_IMMEDIATE_BLENDING] = "Blending Unit",
      [CM_IMMEDIATE_TRANSFERS] = "Clears, resolves, write-backs",
   };
   struct cm_immediate_report *report = cm_pool_take(&timing->base.pool, 1, sizeof *report);
   if (!report)
      return false;
   for (unsigned t = 0; t < CM_IMMEDIATE_TRACKS; t++)
      report->tracks[t] = cm_timeline_add_track(timeline, CM_TIMELINE_GPU, names[t]);
   report->common = cm_report_create(timeline, timing, counts, count_misses);
   if (!report->common)
      return false;
   timing->report = report;
   cm_report_begin_frame(report->common, timing->base.cycles);
   return true;
}

void
cm_immediate_timing_end_report(struct cm_immediate_timing *timing)
{
   if (timing->report)
      cm_report_destroy(timing->report->common);
}

/* ---- reports ------------------------------------------------------------- */

static void
show_draw(struct cm_immediate_report *report, enum cm_immediate_track track)
{
   struct shown_draw *shown = &report->draws[track];
   cm_timeline_draw(report->common->timeline, report->tracks[track], shown->begin, shown->end, report->pass,
                    shown->draw);
   *shown = (struct shown_draw){0};
}

void
cm_immediate_report_draw(struct cm_immediate_timing *timing, enum cm_immediate_track track, uint32_t draw,
                         uint64_t begin, uint64_t end)
{
   struct cm_immediate_report *report = timing->report;
   struct shown_draw *shown = &report->draws[track];
   if (shown->end && shown->draw != draw)
      show_draw(report, track);
   if (!shown->end)
      *shown = (struct shown_draw){draw, begin, end};
   shown->begin = begin < shown->begin ? begin : shown->begin;
   shown->end = cm_later(shown->end, end);
}

void
cm_immediate_report_part(struct cm_immediate_timing *timing, uint64_t begin, const char *what)
{
   struct cm_immediate_report *report = timing->report;
   cm_timeline_part(report->common->timeline, report->tracks[CM_IMMEDIATE_TRANSFERS], begin,
                    timing->blending.until, report->pass, what);
}

void
cm_immediate_report_time(struct cm_immediate_timing *timing, uint64_t cycle)
{
   struct cm_immediate_report *report = timing->report;
   if (cycle < report->sampled + SAMPLE_CYCLES)
      return;
   report->sampled = cycle;
   cm_report_sample(report->common, cycle);
}

void
cm_immediate_report_pass(struct cm_immediate_timing *timing, uint64_t begin)
{
   struct cm_immediate_report *report = timing->report;
   for (unsigned track = 0; track < CM_IMMEDIATE_TRACKS; track++) {
      if (report->draws[track].end)
         show_draw(report, (enum cm_immediate_track)track);
   }
   cm_timeline_pass(report->common->timeline, CM_TIMELINE_FRAMES, begin, timing->end, report->pass);
   cm_report_sample(report->common, timing->end);
   report->pass++;
}

void
cm_immediate_report_compute(struct cm_immediate_timing *timing, uint64_t begin, uint64_t groups_end,
                            uint64_t end)
{
   struct cm_immediate_report *report = timing->report;
   struct cm_timeline *timeline = report->common->timeline;
   cm_timeline_pass(timeline, CM_TIMELINE_FRAMES, begin, end, report->pass);
   cm_timeline_part(timeline, report->tracks[CM_IMMEDIATE_FRAGMENTS], begin, groups_end, report->pass,
                    "work-groups");
   cm_timeline_part(timeline, report->tracks[CM_IMMEDIATE_TRANSFERS], groups_end, end, report->pass,
                    "write back");
   cm_report_sample(report->common, end);
   report->pass++;
}

void
cm_immediate_report_frame(struct cm_immediate_timing *timing)
{
   struct cm_immediate_report *report = timing->report;
   cm_report_end_frame(report->common, timing->base.cycles);
   report->pass = 0;
   cm_report_begin_frame(report->common, timing->base.cycles);
}
