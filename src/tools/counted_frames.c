/* SPDX-License-Identifier: MIT */
#include "counted_frames.h"

#include <stdlib.h>

#include "tools.h"

static int
ascending(const void *a, const void *b)
{
   const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
   return (first > second) - (first < second);
}

/* The median of values, the lower one of two; 0 where there are fewer than three. */
static uint64_t
median(uint64_t *values, unsigned count)
{
   qsort(values, count, sizeof(*values), ascending);
   return count < 3 ? 0 : values[(count - 1) / 2];
}

static struct frame_load
median_load(const struct cm_indexed_frame *frames, unsigned first, unsigned last)
{
   uint64_t *passes = allocate((last - first + 1) * sizeof(*passes));
   uint64_t *draws = allocate((last - first + 1) * sizeof(*draws));
   unsigned count = 0;
   for (unsigned f = first; f <= last; f++) {
      if (!frames[f].counts.passes)
         continue;
      passes[count] = frames[f].counts.passes;
      draws[count++] = frames[f].counts.draws;
   }
   const struct frame_load load = {.passes = median(passes, count), .draws = median(draws, count)};
   free(passes);
   free(draws);
   return load;
}

static bool
looks_like_loading(const struct frame_load *load, const struct frame_load *median)
{
   return (median->passes && load->passes > LOADING_FACTOR * median->passes) ||
          (median->draws && load->draws > LOADING_FACTOR * median->draws);
}

struct counted_frames
counted_frames_choose(const struct session *session, unsigned warm_up, bool all)
{
   const struct simulations *simulations = &session->simulations;
   const unsigned first = simulations->first_frame, last = simulations->last_frame, count = last - first + 1;
   size_t num_frames;
   const struct cm_indexed_frame *frames = cm_recording_frames(simulations->recording, &num_frames);
   struct cm_frame_range *run = allocate(sizeof(*run));
   *run = (struct cm_frame_range){first, last};
   struct counted_frames counted = {
      .plan = {.runs = {.ranges = run, .count = 1},
               .num_frames = count,
               .counted = allocate(num_frames * sizeof(*counted.plan.counted))},
      .numbers = allocate(count * sizeof(*counted.numbers)),
      .loading = allocate(count * sizeof(*counted.loading)),
      .median = median_load(frames, first + warm_up, last),
   };
   for (unsigned f = first + warm_up; f <= last; f++) {
      const struct frame_load load = {frames[f].number, frames[f].counts.passes, frames[f].counts.draws};
      if (!all && looks_like_loading(&load, &counted.median)) {
         counted.loading[counted.num_loading++] = load;
         continue;
      }
      counted.numbers[counted.plan.num_counted] = load.number;
      counted.plan.counted[f] = ++counted.plan.num_counted;
   }
   return counted;
}
