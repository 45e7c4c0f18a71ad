/* SPDX-License-Identifier: MIT */
#include "timing/report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "dram/device.h"
#include "timing/pipeline.h"

/* Cycles between two samples of the counters, where these are not of tiles. */
#define SAMPLE_CYCLES 1024

/* A row that a bank has open. */
struct open_row {
   uint64_t since; /* the cycle; CM_UNKNOWN: none is */
   uint64_t row;
};

/* What counters are made of, at a cycle. */
struct report_state {
   uint64_t cycle, misses[CM_REPORT_MISSES];
   uint64_t waiting[CM_TIMELINE_MAX_COUNTERS]; /* by queue */
   uint64_t bytes[2];                          /* of DRAM, read and written */
};

/* A draw in a stage. */
struct shown_draw {
   uint32_t pass, draw;
   uint64_t begin, end; /* 0, 0: there is none */
};

struct cm_report {
   struct cm_timeline *timeline;
   const struct cm_config *config;
   const struct cm_pipeline_type *type;
   const struct cm_pipeline *pipeline; /* that times the frame */
   uint32_t tracks[CM_REPORT_NUM_TRACKS];
   uint32_t first_bank; /* the track of the first of all banks */
   uint32_t rank_banks, ranks, num_banks;
   struct open_row *rows;    /* by bank */
   bool has_begun;           /* a frame was kept before */
   struct report_state past; /* at the last sample */
   uint64_t sampled;         /* by cm_report_time */
   uint32_t first_pass;      /* number of the frame's first pass */
   uint32_t pass;            /* of which tiles are flushed; 0: none yet */
   uint64_t begin, end;      /* of its tiles so far */
   struct shown_draw draws[CM_REPORT_NUM_TRACKS];
};

/* ---- building ------------------------------------------------------------ */

static void
add_tracks(struct cm_report *report)
{
   static const char *const names[][2] = {
#define NAMES(id, tiled, immediate) {tiled, immediate},
      CM_REPORT_TRACKS(NAMES)
#undef NAMES
   };
   const enum cm_mode mode = report->config->mode;
   for (unsigned t = 0; t < CM_REPORT_NUM_TRACKS; t++) {
      const char *name = names[t][mode == CM_MODE_IMR];
      if (name && (t != CM_REPORT_HIDDEN_SURFACE_REMOVAL || mode == CM_MODE_TBDR))
         report->tracks[t] = cm_timeline_add_track(report->timeline, CM_TIMELINE_GPU, name);
   }
}

static void
add_banks(struct cm_report *report)
{
   for (uint32_t bank = 0; bank < report->num_banks; bank++) {
      const uint32_t rank = bank / report->rank_banks;
      char name[64];
      if (report->ranks > 1)
         snprintf(name, sizeof name, "channel %u rank %u bank %u", rank / report->ranks, rank % report->ranks,
                  bank % report->rank_banks);
      else
         snprintf(name, sizeof name, "channel %u bank %u", rank, bank % report->rank_banks);
      const uint32_t track = cm_timeline_add_track(report->timeline, CM_TIMELINE_DRAM, name);
      report->first_bank = bank ? report->first_bank : track;
      report->rows[bank].since = CM_UNKNOWN;
   }
}

static void
add_counters(struct cm_report *report)
{
   struct cm_timeline *timeline = report->timeline;
   const struct cm_pipeline_type *type = report->type;
   for (const struct cm_queue_part *queue = type->queues; queue->name; queue++) {
      char description[160];
      snprintf(description, sizeof description, "%s: mean occupancy, in items", queue->description);
      cm_timeline_add_counter(timeline, queue->label, description, CM_TIMELINE_NUMBER, CM_TIMELINE_QUEUES);
   }
   for (unsigned m = 0; m < CM_REPORT_MISSES; m++)
      cm_timeline_add_counter(timeline, type->misses[m].name, type->misses[m].description, CM_TIMELINE_NUMBER,
                              CM_TIMELINE_MEMORY);
   cm_timeline_add_counter(timeline, "DRAM read bandwidth", "bytes of reads that DRAM was asked for",
                           CM_TIMELINE_BYTES_A_SECOND, CM_TIMELINE_MEMORY);
   cm_timeline_add_counter(timeline, "DRAM write bandwidth", "bytes of writes that DRAM was asked for",
                           CM_TIMELINE_BYTES_A_SECOND, CM_TIMELINE_MEMORY);
}

struct cm_report *
cm_report_create(struct cm_timeline *timeline, const struct cm_config *config,
                 const struct cm_pipeline_type *type)
{
   struct cm_report *report = calloc(1, sizeof *report);
   if (!report)
      return NULL;
   report->timeline = timeline;
   report->config = config;
   report->type = type;
   const struct cm_dram_system_config *dram = &config->dram_system;
   const struct cm_dram_device *device = cm_dram_device(dram->device);
   report->ranks = dram->ranks;
   report->rank_banks = device->bank_groups * device->banks_per_group;
   report->num_banks = dram->channels * dram->ranks * report->rank_banks;
   report->rows = calloc(report->num_banks, sizeof *report->rows);
   if (!report->rows) {
      free(report);
      return NULL;
   }
   add_tracks(report);
   add_banks(report);
   add_counters(report);
   return report;
}

void
cm_report_destroy(struct cm_report *report)
{
   if (!report)
      return;
   free(report->rows);
   free(report);
}

/* ---- rows ---------------------------------------------------------------- */

/* The row that was open until a cycle is shown. */
static void
show_row(struct cm_report *report, uint32_t bank, uint64_t cycle)
{
   const struct open_row *row = &report->rows[bank];
   if (row->since != CM_UNKNOWN)
      cm_timeline_row(report->timeline, report->first_bank + bank, row->since, cycle, row->row);
}

static void
close_row(struct cm_report *report, uint32_t bank, uint64_t cycle)
{
   show_row(report, bank, cycle);
   report->rows[bank].since = CM_UNKNOWN;
}

static void
command_was_issued(const struct cm_dram_issue *issue, void *context)
{
   struct cm_report *report = context;
   const uint32_t first = (issue->channel * report->ranks + issue->rank) * report->rank_banks;
   const uint32_t bank = first + issue->bank;
   const uint64_t cycle = cm_dram_clock_from_dram(report->pipeline->memory->clock, issue->cycle);
   assert(first + report->rank_banks <= report->num_banks);
   switch (issue->command) {
   case CM_DRAM_ACTIVATE:
      close_row(report, bank, cycle);
      report->rows[bank] = (struct open_row){cycle, issue->row};
      break;
   case CM_DRAM_PRECHARGE:
   case CM_DRAM_READ_AUTO_PRECHARGE:
   case CM_DRAM_WRITE_AUTO_PRECHARGE: close_row(report, bank, cycle); break;
   case CM_DRAM_PRECHARGE_ALL:
   case CM_DRAM_REFRESH:
      for (uint32_t b = 0; b < report->rank_banks; b++)
         close_row(report, first + b, cycle);
      break;
   default: break;
   }
}

/* ---- counters ------------------------------------------------------------ */

static struct report_state
read_state(const struct cm_report *report, uint64_t cycle)
{
   struct report_state state = {.cycle = cycle};
   struct cm_dram_system_counters dram;
   cm_dram_system_count(report->pipeline->memory->dram, &dram);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      state.bytes[0] += dram.read_bytes[stream];
      state.bytes[1] += dram.write_bytes[stream];
   }
   for (unsigned q = 0; report->type->queues[q].name; q++)
      state.waiting[q] = cm_pipeline_queue(report->pipeline, q).waiting;
   for (unsigned m = 0; m < CM_REPORT_MISSES; m++)
      state.misses[m] = report->type->count_misses(report->pipeline, m);
   return state;
}

/* The counters up to a cycle, where that is later than the last sample. */
static void
sample(struct cm_report *report, uint64_t cycle)
{
   const struct report_state *past = &report->past;
   const uint64_t from = cm_timeline_time(report->timeline, past->cycle);
   const uint64_t to = cm_timeline_time(report->timeline, cycle);
   if (!cm_timeline_is_recording(report->timeline) || cycle <= past->cycle || to == from)
      return;
   const struct report_state now = read_state(report, cycle);
   const double cycles = (double)(cycle - past->cycle), nanoseconds = (double)(to - from);
   double values[CM_TIMELINE_MAX_COUNTERS];
   unsigned v = 0;
   for (unsigned q = 0; report->type->queues[q].name; q++)
      values[v++] = (double)(now.waiting[q] - past->waiting[q]) / cycles;
   for (unsigned m = 0; m < CM_REPORT_MISSES; m++)
      values[v++] = (double)(now.misses[m] - past->misses[m]) / cycles;
   for (unsigned b = 0; b < 2; b++)
      values[v++] = (double)(now.bytes[b] - past->bytes[b]) * 1e9 / nanoseconds;
   cm_timeline_sample(report->timeline, cycle, values);
   report->past = now;
}

void
cm_report_time(struct cm_report *report, uint64_t cycle)
{
   if (cycle < report->sampled + SAMPLE_CYCLES)
      return;
   report->sampled = cycle;
   sample(report, cycle);
}

/* ---- slices -------------------------------------------------------------- */

/* Of the frame, as the timeline counts. */
static uint32_t
pass_number(const struct cm_report *report, uint32_t pass)
{
   assert(pass >= report->first_pass);
   return pass - report->first_pass;
}

/* The pass whose tiles were the last to be flushed has no more. */
static void
end_tiles(struct cm_report *report)
{
   if (report->pass)
      cm_timeline_pass(report->timeline, CM_TIMELINE_FRAMES, report->begin, report->end,
                       pass_number(report, report->pass));
   report->pass = 0;
}

void
cm_report_tile(struct cm_report *report, const struct cm_work *work)
{
   struct cm_timeline *timeline = report->timeline;
   const uint32_t *tracks = report->tracks;
   if (!cm_timeline_is_recording(timeline))
      return;
   const uint32_t tile = work->tile, pass = pass_number(report, work->pass);
   cm_timeline_tile(timeline, tracks[CM_REPORT_TILE_FETCHER], work->fetch_begin, work->fetch_done, pass,
                    tile);
   if (tracks[CM_REPORT_HIDDEN_SURFACE_REMOVAL])
      cm_timeline_tile(timeline, tracks[CM_REPORT_HIDDEN_SURFACE_REMOVAL], work->fetch_begin,
                       work->hidden_end, pass, tile);
   cm_timeline_tile(timeline, tracks[CM_REPORT_RASTERIZER], work->shade_begin, work->z_end, pass, tile);
   if (work->dispatch_begin != CM_UNKNOWN) {
      cm_timeline_tile(timeline, tracks[CM_REPORT_FRAGMENTS], work->dispatch_begin, work->dispatch_end, pass,
                       tile);
      cm_timeline_tile(timeline, tracks[CM_REPORT_BLENDING], work->blend_begin, work->shaded, pass, tile);
   }
   cm_timeline_tile(timeline, tracks[CM_REPORT_TRANSFERS], work->flush_begin, work->flushed, pass, tile);
   if (report->pass != work->pass) {
      end_tiles(report);
      report->pass = work->pass;
      report->begin = work->fetch_begin != CM_UNKNOWN ? work->fetch_begin : work->flush_begin;
   }
   report->end = work->flushed;
   sample(report, work->flushed);
}

void
cm_report_geometry(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end)
{
   cm_timeline_pass(report->timeline, report->tracks[CM_REPORT_GEOMETRY], begin, end,
                    pass_number(report, pass));
}

void
cm_report_draw(struct cm_report *report, enum cm_report_track track, uint32_t pass, uint32_t draw,
               uint64_t begin, uint64_t end)
{
   cm_timeline_draw(report->timeline, report->tracks[track], begin, end, pass_number(report, pass), draw);
}

static void
show_draw(struct cm_report *report, enum cm_report_track track)
{
   struct shown_draw *shown = &report->draws[track];
   if (shown->end)
      cm_report_draw(report, track, shown->pass, shown->draw, shown->begin, shown->end);
   *shown = (struct shown_draw){0};
}

void
cm_report_item(struct cm_report *report, enum cm_report_track track, uint32_t pass, uint32_t draw,
               uint64_t begin, uint64_t end)
{
   struct shown_draw *shown = &report->draws[track];
   if (shown->end && shown->draw != draw)
      show_draw(report, track);
   if (!shown->end)
      *shown = (struct shown_draw){pass, draw, begin, end};
   shown->begin = begin < shown->begin ? begin : shown->begin;
   shown->end = cm_later(shown->end, end);
}

void
cm_report_transfer(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end, const char *what)
{
   cm_timeline_part(report->timeline, report->tracks[CM_REPORT_TRANSFERS], begin, end,
                    pass_number(report, pass), what);
}

void
cm_report_pass(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end)
{
   for (unsigned track = 0; track < CM_REPORT_NUM_TRACKS; track++)
      show_draw(report, (enum cm_report_track)track);
   cm_timeline_pass(report->timeline, CM_TIMELINE_FRAMES, begin, end, pass_number(report, pass));
   sample(report, end);
}

void
cm_report_compute(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t groups_end, uint64_t end)
{
   const uint32_t number = pass_number(report, pass);
   end_tiles(report);
   cm_timeline_pass(report->timeline, CM_TIMELINE_FRAMES, begin, end, number);
   cm_timeline_part(report->timeline, report->tracks[CM_REPORT_FRAGMENTS], begin, groups_end, number,
                    "work-groups");
   cm_report_transfer(report, pass, groups_end, end, "write back");
   sample(report, end);
}

/* ---- frames -------------------------------------------------------------- */

void
cm_report_begin_frame(struct cm_report *report, const struct cm_pipeline *pipeline)
{
   report->pipeline = pipeline;
   report->first_pass = pipeline->frame->first_pass;
   cm_timeline_begin_part(report->timeline);
   report->sampled = 0;
   report->past = read_state(report, 0);
   if (!report->has_begun) {
      const double nothing_before[CM_TIMELINE_MAX_COUNTERS] = {0};
      cm_timeline_sample(report->timeline, 0, nothing_before);
   }
   report->has_begun = true;
   for (uint32_t bank = 0; bank < report->num_banks; bank++)
      report->rows[bank].since = CM_UNKNOWN;
   cm_dram_system_observe(pipeline->memory->dram, command_was_issued, report);
}

void
cm_report_end_frame(struct cm_report *report, uint64_t cycle, bool goes_on)
{
   end_tiles(report);
   sample(report, cycle);
   for (uint32_t bank = 0; bank < report->num_banks; bank++)
      show_row(report, bank, cycle);
   cm_dram_system_observe(report->pipeline->memory->dram, NULL, NULL);
   if (!goes_on)
      cm_timeline_end_frame(report->timeline, cycle);
}
