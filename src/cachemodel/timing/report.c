/* SPDX-License-Identifier: MIT */
#include "timing/report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "dram/device.h"

/* ---- building ------------------------------------------------------------ */

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
add_counters(struct cm_report *report, const struct cm_report_count *counts)
{
   struct cm_timeline *timeline = report->timeline;
   for (const struct cm_queue_part *queue = report->pipeline->parts->queues; queue->name; queue++) {
      char description[160];
      snprintf(description, sizeof description, "%s: mean occupancy, in items", queue->description);
      cm_timeline_add_counter(timeline, queue->label, description, CM_TIMELINE_NUMBER, CM_TIMELINE_QUEUES);
   }
   for (; counts->name; counts++, report->num_counts++)
      cm_timeline_add_counter(timeline, counts->name, counts->description, CM_TIMELINE_NUMBER,
                              CM_TIMELINE_MEMORY);
   cm_timeline_add_counter(timeline, "DRAM read bandwidth", "bytes of reads that DRAM was asked for",
                           CM_TIMELINE_BYTES_A_SECOND, CM_TIMELINE_MEMORY);
   cm_timeline_add_counter(timeline, "DRAM write bandwidth", "bytes of writes that DRAM was asked for",
                           CM_TIMELINE_BYTES_A_SECOND, CM_TIMELINE_MEMORY);
}

struct cm_report *
cm_report_create(struct cm_timeline *timeline, const void *pipeline, const struct cm_report_count *counts,
                 uint64_t (*count)(const void *pipeline, unsigned number))
{
   struct cm_report *report = calloc(1, sizeof *report);
   if (!report)
      return NULL;
   report->timeline = timeline;
   report->pipeline = pipeline;
   report->count = count;
   const struct cm_dram_system_config *dram = &report->pipeline->config->dram_system;
   const struct cm_dram_device *device = cm_dram_device(dram->device);
   report->ranks = dram->ranks;
   report->rank_banks = device->bank_groups * device->banks_per_group;
   report->num_banks = dram->channels * dram->ranks * report->rank_banks;
   report->rows = calloc(report->num_banks, sizeof *report->rows);
   if (!report->rows) {
      free(report);
      return NULL;
   }
   add_banks(report);
   add_counters(report, counts);
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
   const struct cm_open_row *row = &report->rows[bank];
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
      report->rows[bank] = (struct cm_open_row){cycle, issue->row};
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

static struct cm_report_state
read_state(const struct cm_report *report, uint64_t cycle)
{
   struct cm_report_state state = {.cycle = cycle};
   struct cm_dram_system_counters dram;
   cm_dram_system_count(report->pipeline->memory->dram, &dram);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      state.bytes[0] += dram.read_bytes[stream];
      state.bytes[1] += dram.write_bytes[stream];
   }
   for (unsigned q = 0; report->pipeline->parts->queues[q].name; q++)
      state.waiting[q] = cm_pipeline_queue(report->pipeline, q)->waiting;
   for (unsigned c = 0; c < report->num_counts; c++)
      state.counts[c] = report->count(report->pipeline, c);
   return state;
}

void
cm_report_sample(struct cm_report *report, uint64_t cycle)
{
   const struct cm_report_state *past = &report->past;
   const uint64_t from = cm_timeline_time(report->timeline, past->cycle);
   const uint64_t to = cm_timeline_time(report->timeline, cycle);
   if (!cm_timeline_is_recording(report->timeline) || cycle <= past->cycle || to == from)
      return;
   const struct cm_report_state now = read_state(report, cycle);
   const double cycles = (double)(cycle - past->cycle), nanoseconds = (double)(to - from);
   double values[CM_TIMELINE_MAX_COUNTERS];
   unsigned v = 0;
   for (unsigned q = 0; report->pipeline->parts->queues[q].name; q++)
      values[v++] = (double)(now.waiting[q] - past->waiting[q]) / cycles;
   for (unsigned c = 0; c < report->num_counts; c++)
      values[v++] = (double)(now.counts[c] - past->counts[c]) / cycles;
   for (unsigned b = 0; b < 2; b++)
      values[v++] = (double)(now.bytes[b] - past->bytes[b]) * 1e9 / nanoseconds;
   cm_timeline_sample(report->timeline, cycle, values);
   report->past = now;
}

/* ---- frames -------------------------------------------------------------- */

void
cm_report_begin_frame(struct cm_report *report, uint64_t cycle)
{
   const bool goes_on = report->is_observing;
   report->is_observing = cm_timeline_begin_frame(report->timeline, cycle);
   if (report->is_observing && !goes_on) {
      const double nothing_before[CM_TIMELINE_MAX_COUNTERS] = {0};
      report->past = read_state(report, cycle);
      cm_timeline_sample(report->timeline, cycle, nothing_before);
      cm_dram_system_observe(report->pipeline->memory->dram, command_was_issued, report);
   } else if (goes_on && !report->is_observing) {
      cm_dram_system_observe(report->pipeline->memory->dram, NULL, NULL);
   }
}

void
cm_report_end_frame(struct cm_report *report, uint64_t cycle)
{
   cm_report_sample(report, cycle);
   for (uint32_t bank = 0; report->is_observing && bank < report->num_banks; bank++) {
      show_row(report, bank, cycle);
      /* It stays open in the next frame, where the rest of its time is. */
      struct cm_open_row *row = &report->rows[bank];
      row->since = row->since < cycle ? cycle : row->since;
   }
   cm_timeline_end_frame(report->timeline, cycle);
}
