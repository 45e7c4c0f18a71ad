/* SPDX-License-Identifier: MIT */
#include "input/counted_frames.h"

#include <stdlib.h>

#include "tools.h"

/* Those of frames first to last of the recording. */
static struct loading_frames
find_loading(const struct cm_indexed_frame *frames, unsigned first, unsigned last)
{
   struct frame_load *loads = allocate((last - first + 1) * sizeof(*loads));
   for (unsigned f = first; f <= last; f++)
      loads[f - first] =
         (struct frame_load){frames[f].number, frames[f].counts.passes, frames[f].counts.draws};
   const struct loading_frames loading = loading_frames_find(loads, last - first + 1);
   free(loads);
   return loading;
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
   };
   if (!all)
      counted.loading = find_loading(frames, first + warm_up, last);
   for (unsigned f = first + warm_up, next = 0; f <= last; f++) {
      if (next < counted.loading.count && counted.loading.list[next].number == frames[f].number) {
         next++;
         continue;
      }
      counted.numbers[counted.plan.num_counted] = frames[f].number;
      counted.plan.counted[f] = ++counted.plan.num_counted;
   }
   return counted;
}
