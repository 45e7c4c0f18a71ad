/* SPDX-License-Identifier: MIT */
#include "output/analysis.h"
#include "memory/counters.h"

const char *const group_names[GROUP_COUNT] = {
   [GROUP_TEXTURE] = "texture",
   [GROUP_GEOMETRY] = "geometry",
   [GROUP_PARAMETER_BUFFER] = "parameter_buffer",
   [GROUP_FRAME_BUFFER] = "frame_buffer",
   [GROUP_PROGRAMS] = "programs",
};

enum group
group_of(enum cm_stream stream)
{
   switch (stream) {
   case CM_STREAM_TEXTURE: return GROUP_TEXTURE;
   case CM_STREAM_VERTEX:
   case CM_STREAM_INDEX: return GROUP_GEOMETRY;
   case CM_STREAM_PB_LIST:
   case CM_STREAM_PB_ATTRIBUTE: return GROUP_PARAMETER_BUFFER;
   case CM_STREAM_SHADER:
   case CM_STREAM_CONSTANT:
   case CM_STREAM_STORAGE: return GROUP_PROGRAMS;
   default: return GROUP_FRAME_BUFFER;
   }
}

unsigned
analysis_frames(const struct analysis *analysis)
{
   return analysis->last_frame - analysis->first_frame + 1 - analysis->warm_up;
}

struct cm_reuse_counts
analysis_reuse(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   return cm_analysis_reuse(simulation->accesses, stream, analysis->warm_up,
                            analysis->last_frame - analysis->first_frame);
}

struct cm_histogram
analysis_tiles(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   return cm_analysis_tiles(simulation->accesses, stream, analysis->warm_up,
                            analysis->last_frame - analysis->first_frame);
}

static uint64_t
counter(const struct simulated *simulation, enum cm_unit unit, enum cm_stream stream, int event)
{
   for (uint32_t c = 0; c < simulation->table->count; c++) {
      const struct cm_counter *candidate = &simulation->table->counters[c];
      if (candidate->unit == (int)unit && candidate->instance < 0 && candidate->stream == (int)stream &&
          candidate->event == event)
         return simulation->counters[c];
   }
   return 0; /* the stream does not reach the unit */
}

uint64_t
analysis_memory_accesses(const struct simulated *simulation, enum cm_stream stream)
{
   return counter(simulation, CM_UNIT_DRAM, stream, CM_DRAM_EVENT_READS) +
          counter(simulation, CM_UNIT_DRAM, stream, CM_DRAM_EVENT_WRITES);
}

uint64_t
analysis_misses(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   if (analysis->point == CM_UNIT_DRAM)
      return 0;
   return counter(simulation, analysis->point, stream, CM_CACHE_EVENT_MISSES) +
          counter(simulation, analysis->point, stream, CM_CACHE_EVENT_BYPASSES);
}
