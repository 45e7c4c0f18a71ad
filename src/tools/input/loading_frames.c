/* SPDX-License-Identifier: MIT */
#include "input/loading_frames.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools.h"

#define FACTOR 10
#define FEWEST 3 /* frames: of fewer there is no telling */

static int
ascending(const void *a, const void *b)
{
   const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
   return (first > second) - (first < second);
}

/* The median of values, the lower one of two. */
static uint64_t
median(uint64_t *values, unsigned count)
{
   qsort(values, count, sizeof(*values), ascending);
   return values[(count - 1) / 2];
}

/* Of frames with passes; zeros where they are too few. */
static struct frame_load
median_load(const struct frame_load *frames, unsigned count)
{
   uint64_t *passes = allocate((count + 1) * sizeof(*passes)),
            *draws = allocate((count + 1) * sizeof(*draws));
   struct frame_load load = {0};
   unsigned drawn = 0;
   for (unsigned f = 0; f < count; f++) {
      if (!frames[f].passes)
         continue;
      passes[drawn] = frames[f].passes;
      draws[drawn++] = frames[f].draws;
   }
   if (drawn >= FEWEST)
      load = (struct frame_load){.passes = median(passes, drawn), .draws = median(draws, drawn)};
   free(passes);
   free(draws);
   return load;
}

static bool
looks_like_loading(const struct frame_load *load, const struct frame_load *median)
{
   return (median->passes && load->passes > FACTOR * median->passes) ||
          (median->draws && load->draws > FACTOR * median->draws);
}

struct loading_frames
loading_frames_find(const struct frame_load *frames, unsigned count)
{
   struct loading_frames loading = {.list = allocate((count + 1) * sizeof(*loading.list)),
                                    .median = median_load(frames, count)};
   for (unsigned f = 0; f < count; f++) {
      if (looks_like_loading(&frames[f], &loading.median))
         loading.list[loading.count++] = frames[f];
   }
   return loading;
}

void
loading_frames_print(const struct loading_frames *loading, FILE *file)
{
   const bool several = loading->count > 1;
   fprintf(file, "frame%s", several ? "s" : "");
   for (unsigned l = 0; l < loading->count; l++)
      fprintf(file, "%s %u", l ? "," : "", loading->list[l].number);
   fprintf(file,
           " look%s like loading,%s with %" PRIu64 " passes and %" PRIu64
           " draws, where the median frame has %" PRIu64 " and %" PRIu64,
           several ? "" : "s", several ? " the first one" : "", loading->list[0].passes,
           loading->list[0].draws, loading->median.passes, loading->median.draws);
}
