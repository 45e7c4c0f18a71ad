/* SPDX-License-Identifier: MIT */
#include "output/regression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/loading_frames.h"
#include "options.h"
#include "input/statistics_file.h"
#include "output/output.h"
#include "tools.h"
#include "util/near.h"

/* Short names. */
static const struct {
   const char *name;
   const char *counters[2]; /* whose sum it is */
} names[] = {
   {"dram", {"dram.total.read_bytes", "dram.total.write_bytes"}},
   {"cycles", {"gpu.cycles", NULL}},
   {"energy", {"energy.system.total", NULL}},
};
#define NUM_NAMES (sizeof(names) / sizeof(names[0]))

void
regression_take_limit(struct regression_limits *limits, const char *option, const char *value)
{
   const char *equals = strchr(value, '=');
   double most;
   if (!equals || equals == value || !options_percent(equals + 1, 1e6, &most))
      fail(STATUS_USAGE, "%s %s: expected a counter and a percentage, as in dram=2%%", option, value);
   struct regression_limit *list = realloc(limits->list, (limits->count + 1) * sizeof(*list));
   if (!list)
      fail(STATUS_FAILED, "out of memory");
   limits->list = list;
   limits->list[limits->count++] = (struct regression_limit){
      .name = text("%.*s", (int)(equals - value), value),
      .most = most,
   };
}

static _Noreturn void
fail_unknown(const struct statistics_file *file, const char *name)
{
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   const char *counter;
   json_t *value;
   cm_near_start(&near, name, strlen(name));
   for (unsigned n = 0; n < NUM_NAMES; n++)
      cm_near_offer(&near, names[n].name);
   json_object_foreach((json_t *)file->total, counter, value) cm_near_offer(&near, counter);
   const bool is_timed = json_object_get(file->total, "gpu.cycles");
   fail(STATUS_USAGE, "--fail-above: %s: no counter '%s'%s; tbrsim counters lists them%s", file->path, name,
        cm_near_text(&near, hint, sizeof hint),
        is_timed ? "" : ", those of time and energy with --timing on");
}

static double
average(const struct statistics_file *file, const struct loading_frames *left_out, const char *counter)
{
   int column;
   double sum = 0;
   unsigned count = 0, next = 0;
   /* Frames per second are no count. */
   if (!statistics_file_column(file, counter, &column) || !strcmp(counter, "fps"))
      fail_unknown(file, counter);
   for (unsigned f = 0; f < file->frames; f++) {
      if (next < left_out->count && left_out->list[next].number == f) {
         next++;
         continue;
      }
      sum += (double)statistics_file_value(file, f, column);
      count++;
   }
   if (!count)
      fail(STATUS_FAILED, "%s: no frame is left to compare: those with its numbers look like loading",
           file->path);
   return sum / count;
}

static double
per_frame(const struct statistics_file *file, const struct loading_frames *left_out, const char *name)
{
   double sum = 0;
   for (unsigned n = 0; n < NUM_NAMES; n++) {
      if (strcmp(name, names[n].name))
         continue;
      for (unsigned c = 0; c < 2 && names[n].counters[c]; c++)
         sum += average(file, left_out, names[n].counters[c]);
      return sum;
   }
   return average(file, left_out, name);
}

/* Of a run; its frames count from 0. */
static struct loading_frames
find_loading(const struct statistics_file *file)
{
   int passes, draws;
   struct frame_load *loads = allocate((file->frames + 1) * sizeof(*loads));
   /* What is not among the columns is zero. */
   statistics_file_column(file, "gpu.passes", &passes);
   statistics_file_column(file, "gpu.draws", &draws);
   for (unsigned f = 0; f < file->frames; f++)
      loads[f] = (struct frame_load){f, statistics_file_value(file, f, passes),
                                     statistics_file_value(file, f, draws)};
   const struct loading_frames loading = loading_frames_find(loads, (unsigned)file->frames);
   free(loads);
   return loading;
}

bool
regression_check(const struct regression_limits *limits, const char *first, const char *second)
{
   struct statistics_file files[] = {statistics_file_load(first), statistics_file_load(second)};
   const struct loading_frames loading = find_loading(&files[0]);
   json_t *rows = json_array();
   bool ok = true;
   for (unsigned r = 0; r < 2; r++) {
      if (!files[r].frames)
         fail(STATUS_FAILED, "%s: no frame was simulated", files[r].path);
   }
   /* Names that are not there are found first. */
   for (unsigned l = 0; l < limits->count; l++)
      per_frame(&files[0], &loading, limits->list[l].name),
         per_frame(&files[1], &loading, limits->list[l].name);
   if (loading.count) {
      loading_frames_print(&loading, stdout);
      printf(":\nnot counted, nor are they in the other run\n");
   }
   for (unsigned l = 0; l < limits->count; l++) {
      const struct regression_limit *limit = &limits->list[l];
      const double before = per_frame(&files[0], &loading, limit->name);
      const double after = per_frame(&files[1], &loading, limit->name);
      /* Of nothing, anything is more than any part. */
      const double more = before > 0 ? 100 * (after - before) / before : after > 0 ? INFINITY : 0;
      const bool is_above = more > limit->most;
      json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:o, s:f, s:s}", "per frame", limit->name,
                                            "first run", before, "other run", after, "change",
                                            isinf(more) ? json_string("+inf %") : json_real(more / 100),
                                            "limit_percent", limit->most, "", is_above ? "exceeded" : ""));
      ok &= !is_above;
   }
   output_table(rows, stdout);
   statistics_file_close(&files[0]);
   statistics_file_close(&files[1]);
   free(loading.list);
   return ok;
}
