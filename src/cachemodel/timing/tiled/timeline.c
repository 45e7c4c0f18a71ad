/* SPDX-License-Identifier: MIT */
/* Reports to the timeline: tiles when they are flushed, passes' geometry, DRAM's commands as they are scheduled. */
#include "dram/device.h"
#include "timing/timeline.h"
#include "timing/tiled/tiled.h"

/* Of a rank. */
static uint32_t
count_banks(const struct cm_dram_system_config *dram)
{
   const struct cm_dram_device *device = cm_dram_device(dram->device);
   return device->bank_groups * device->banks_per_group;
}

uint32_t
cm_timing_banks(const struct cm_config *config)
{
   const struct cm_dram_system_config *dram = &config->dram_system;
   return dram->channels * dram->ranks * count_banks(dram);
}

/* Closes the open row at a cycle. */
static void
close_row(struct cm_tiled_timing *timing, uint32_t bank, uint64_t cycle)
{
   if (timing->bank_opened[bank])
      cm_timeline_span(timing->timeline, CM_TIMELINE_FIRST_BANK + bank, timing->bank_opened[bank], cycle,
                       timing->bank_row[bank]);
   timing->bank_opened[bank] = 0;
}

static void
command_was_issued(const struct cm_dram_issue *issue, void *context)
{
   struct cm_tiled_timing *timing = context;
   const struct cm_dram_system_config *dram = &timing->base.config->dram_system;
   const uint32_t banks = count_banks(dram);
   const uint32_t first = (issue->channel * dram->ranks + issue->rank) * banks, bank = first + issue->bank;
   const uint64_t cycle = cm_dram_clock_from_dram(timing->memory.base.clock, issue->cycle);
   if (first + banks > sizeof timing->bank_row / sizeof timing->bank_row[0])
      return;
   switch (issue->command) {
   case CM_DRAM_ACTIVATE:
      close_row(timing, bank, cycle);
      timing->bank_opened[bank] = cycle;
      timing->bank_row[bank] = issue->row;
      break;
   case CM_DRAM_PRECHARGE:
   case CM_DRAM_READ_AUTO_PRECHARGE:
   case CM_DRAM_WRITE_AUTO_PRECHARGE: close_row(timing, bank, cycle); break;
   case CM_DRAM_PRECHARGE_ALL:
   case CM_DRAM_REFRESH:
      for (uint32_t b = 0; b < banks; b++)
         close_row(timing, first + b, cycle);
      break;
   default: break;
   }
}

void
cm_tiled_timing_set_timeline(struct cm_tiled_timing *timing, struct cm_timeline *timeline)
{
   timing->timeline = timeline;
   cm_tiled_timing_report_frame(timing, true);
}

/* Misses of a unit's caches so far. */
static uint64_t
count_misses(const struct cm_tiled_timing *timing, enum cm_unit unit)
{
   const struct cm_counter counter = {.unit = (int)unit,
                                      .instance = -1,
                                      .stream = -1,
                                      .event = CM_CACHE_EVENT_MISSES};
   return timing->base.config->caches[unit].size ? cm_hierarchy_counter(timing->hierarchy, &counter) : 0;
}

static struct cm_timeline_past
snapshot(const struct cm_tiled_timing *timing, uint64_t cycle)
{
   struct cm_timeline_past now = {.cycle = cycle};
   struct cm_dram_system_counters dram;
   cm_dram_system_count(timing->memory.base.dram, &dram);
   for (unsigned q = 0; q < CM_TILED_QUEUES; q++)
      now.waiting[q] = cm_pipeline_queue(&timing->base, q)->waiting;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      now.dram_bytes += dram.read_bytes[stream] + dram.write_bytes[stream];
   now.texture_misses = count_misses(timing, CM_UNIT_TEXTURE_CACHE);
   now.l2_misses = count_misses(timing, CM_UNIT_L2);
   return now;
}

/* Rates since the last tile was flushed, per cycle. */
static void
report_rates(struct cm_tiled_timing *timing, uint64_t cycle)
{
   const struct cm_timeline_past *past = &timing->past;
   if (cycle <= past->cycle)
      return;
   const struct cm_timeline_past now = snapshot(timing, cycle);
   const uint64_t cycles = cycle - past->cycle;
   for (unsigned q = 0; q < CM_TILED_QUEUES; q++)
      cm_timeline_value(timing->timeline, cm_tiled_parts.queues[q].label, past->cycle,
                        (now.waiting[q] - past->waiting[q]) * 1000 / cycles);
   cm_timeline_value(timing->timeline, "texture cache misses a cycle", past->cycle,
                     (now.texture_misses - past->texture_misses) * 1000 / cycles);
   cm_timeline_value(timing->timeline, "L2 misses a cycle", past->cycle,
                     (now.l2_misses - past->l2_misses) * 1000 / cycles);
   cm_timeline_value(timing->timeline, "DRAM bytes a cycle", past->cycle,
                     (now.dram_bytes - past->dram_bytes) * 1000 / cycles);
   timing->past = now;
}

void
cm_tiled_timing_report_tile(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_timeline *timeline = timing->timeline;
   if (!cm_timeline_is_recording(timeline))
      return;
   const uint32_t tile = work->tile;
   cm_timeline_span(timeline, CM_TIMELINE_TILE_FETCHER, work->fetch_begin, work->fetch_done, tile);
   if (cm_tiled_timing_is_deferred(timing))
      cm_timeline_span(timeline, CM_TIMELINE_HIDDEN_SURFACE_REMOVAL, work->fetch_begin, work->hidden_end,
                       tile);
   cm_timeline_span(timeline, CM_TIMELINE_RASTERIZER, work->shade_begin, work->z_end, tile);
   if (work->dispatch_begin != CM_UNKNOWN) {
      cm_timeline_span(timeline, CM_TIMELINE_FRAGMENT_STAGE, work->dispatch_begin, work->dispatch_end, tile);
      cm_timeline_span(timeline, CM_TIMELINE_BLENDING_UNIT, work->blend_begin, work->shaded, tile);
   }
   cm_timeline_span(timeline, CM_TIMELINE_FLUSH, work->flush_begin, work->flushed, tile);
   report_rates(timing, work->flushed);
}

void
cm_tiled_timing_report_geometry(struct cm_tiled_timing *timing)
{
   cm_timeline_span(timing->timeline, CM_TIMELINE_GEOMETRY, timing->geometry.begin, timing->geometry.end,
                    timing->passes);
}

void
cm_tiled_timing_report_frame(struct cm_tiled_timing *timing, bool begins)
{
   struct cm_timeline *timeline = timing->timeline;
   if (begins && cm_timeline_begin_frame(timeline, timing->frames, timing->base.cycles)) {
      timing->past = snapshot(timing, timing->base.cycles);
      cm_dram_system_observe(timing->memory.base.dram, command_was_issued, timing);
   } else if (!begins && cm_timeline_is_recording(timeline)) {
      const uint64_t end = timing->raster.barrier;
      report_rates(timing, end);
      for (uint32_t bank = 0; bank < sizeof timing->bank_row / sizeof timing->bank_row[0]; bank++)
         close_row(timing, bank, end);
      cm_dram_system_observe(timing->memory.base.dram, NULL, NULL);
      cm_timeline_end_frame(timeline, end);
   }
}
