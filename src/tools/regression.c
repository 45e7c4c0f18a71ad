/* SPDX-License-Identifier: MIT */
#include "regression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics_file.h"
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
   char *end = NULL;
   const double most = equals ? strtod(equals + 1, &end) : 0;
   if (!equals || equals == value || end == equals + 1 || strcmp(end, "%") || !(most >= 0 && most <= 1e6))
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
value_of(const struct statistics_file *file, const char *counter)
{
   const json_t *value = json_object_get(file->total, counter);
   if (!json_is_integer(value))
      fail_unknown(file, counter);
   return (double)json_integer_value(value);
}

static double
per_frame(const struct statistics_file *file, const char *name)
{
   double sum = 0;
   bool is_short = false;
   if (!file->frames)
      fail(STATUS_FAILED, "%s: no frame was simulated", file->path);
   for (unsigned n = 0; n < NUM_NAMES; n++) {
      if (strcmp(name, names[n].name))
         continue;
      is_short = true;
      for (unsigned c = 0; c < 2 && names[n].counters[c]; c++)
         sum += value_of(file, names[n].counters[c]);
   }
   return (is_short ? sum : value_of(file, name)) / (double)file->frames;
}

bool
regression_check(const struct regression_limits *limits, const char *first, const char *second)
{
   struct statistics_file files[] = {statistics_file_load(first), statistics_file_load(second)};
   bool fine = true;
   /* Names that are not there are found first. */
   for (unsigned l = 0; l < limits->count; l++)
      per_frame(&files[0], limits->list[l].name), per_frame(&files[1], limits->list[l].name);
   printf("%-30s  %18s  %18s  %10s  %9s\n", "per frame", "first run", "other run", "more", "limit");
   for (unsigned l = 0; l < limits->count; l++) {
      const struct regression_limit *limit = &limits->list[l];
      const double before = per_frame(&files[0], limit->name), after = per_frame(&files[1], limit->name);
      /* Of nothing, anything is more than any part. */
      const double more = before > 0 ? 100 * (after - before) / before : after > 0 ? INFINITY : 0;
      const bool is_above = more > limit->most;
      printf("%-30s  %18.1f  %18.1f  %+8.2f %%  %7g %%%s\n", limit->name, before, after, more, limit->most,
             is_above ? "  exceeded" : "");
      fine &= !is_above;
   }
   statistics_file_close(&files[0]);
   statistics_file_close(&files[1]);
   return fine;
}
