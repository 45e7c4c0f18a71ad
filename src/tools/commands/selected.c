/* SPDX-License-Identifier: MIT */
#include "commands/selected.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "options.h"
#include "output/output.h"
#include "tools.h"
#include "util/minmax.h"

/* ---- the plan ------------------------------------------------------------------- */

static uint64_t
largest_cache(const struct configurations *configurations)
{
   uint64_t largest = 0;
   for (unsigned c = 0; c < configurations->count; c++)
      largest = cm_max64(largest, selection_largest_cache(configurations->list[c].config));
   return largest;
}

/* The frames before one that are simulated; a recording of these alone may have fewer. */
static uint32_t
warm_up_of(const struct selected_frame *frame, uint64_t cache, const struct cm_indexed_frame *frames,
           uint32_t index, uint32_t least)
{
   uint32_t wanted = selection_warm_up(frame, cache);
   if (wanted < least)
      wanted = least < frame->number ? least : frame->number;
   uint32_t warm_up = 0;
   while (warm_up < wanted && warm_up < index &&
          frames[index - warm_up - 1].number == frames[index].number - warm_up - 1)
      warm_up++;
   if (warm_up < wanted)
      say("frame %u: %u of the %u frames that its caches need before it are recorded", frame->number, warm_up,
          wanted);
   return warm_up;
}

void
selected_open(struct selected *selected, const char *path, unsigned warm_up, struct session *session)
{
   struct cm_recording *recording = session->simulations.recording;
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(recording, &count);
   *selected = (struct selected){.path = path, .recording = session->path, .selection = selection_read(path)};
   const struct selection *selection = &selected->selection;
   struct frame_plan *plan = &selected->plan;
   const uint64_t cache = largest_cache(&session->configurations);
   plan->counted = allocate(count * sizeof(*plan->counted));
   plan->runs.ranges = allocate(selection->count * sizeof(*plan->runs.ranges));
   plan->name = path;
   plan->num_counted = selection->count;
   selected->warm_up = allocate(selection->count * sizeof(*selected->warm_up));
   for (uint32_t s = 0; s < selection->count; s++) {
      const uint32_t index = selection_find(selection, &selection->list[s], recording, session->path);
      selected->warm_up[s] = warm_up_of(&selection->list[s], cache, frames, index, warm_up);
      cm_frame_list_add(&plan->runs, index - selected->warm_up[s], index);
      plan->counted[index] = s + 1;
   }
   plan->num_frames = cm_frame_list_count(&plan->runs);
   session->simulations.plan = plan;
}

/* ---- estimates --------------------------------------------------------------------- */

/* Of the sum of some counters. */
static struct cm_estimate
estimate(const struct selected *selected, const struct simulation *simulation, const int *counters,
         unsigned num_counters)
{
   const uint32_t count = selected->selection.count;
   struct cm_representative *representatives = allocate(count * sizeof(*representatives));
   double *values = allocate(count * sizeof(*values));
   for (uint32_t s = 0; s < count; s++) {
      representatives[s] = selected->selection.list[s].represents;
      for (unsigned c = 0; c < num_counters; c++)
         values[s] +=
            (double)simulation->samples[(size_t)s * simulation->table->count + (unsigned)counters[c]];
   }
   const struct cm_estimate result = cm_estimate_total(representatives, count, values);
   free(representatives);
   free(values);
   return result;
}

static void
write_frames(const struct selected *selected, const char *out)
{
   char *path = text("%s/selected.csv", out);
   FILE *file = options_open_output(path);
   fputs("frame,program_frame,weight,warm_up\n", file);
   for (uint32_t s = 0; s < selected->selection.count; s++) {
      const struct selected_frame *frame = &selected->selection.list[s];
      fprintf(file, "%u,%u,%u,%u\n", s, frame->number, frame->represents.weight, selected->warm_up[s]);
   }
   options_close_output(file, path);
   free(path);
}

static void
write_estimates(const struct selected *selected, const struct simulation *simulation, json_t *counters)
{
   char *path = text("%s/estimate.json", simulation->out);
   FILE *file = options_open_output(path);
   output_json(json_pack("{s:o, s:o, s:I, s:I, s:I, s:f, s:o}", "recording", output_text(selected->recording),
                         "selection", output_text(selected->path), "frames",
                         (json_int_t)selected->selection.frames, "selected",
                         (json_int_t)selected->selection.count, "simulated",
                         (json_int_t)selected->plan.num_frames, "confidence", 0.95, "counters", counters),
               1, file);
   options_close_output(file, path);
   free(path);
}

void
selected_finish(const struct selected *selected, struct simulation *simulation)
{
   json_t *counters = json_object();
   for (int c = 0; c < (int)simulation->table->count; c++) {
      const struct cm_estimate found = estimate(selected, simulation, &c, 1);
      simulation->total[c] = (uint64_t)llround(found.total);
      if (found.total > 0)
         json_object_set_new(counters, simulation->table->counters[c].name,
                             json_pack("{s:f, s:o}", "total", found.total, "interval",
                                       isnan(found.standard_error)
                                          ? json_null()
                                          : json_real(CM_ESTIMATE_95 * found.standard_error)));
   }
   write_estimates(selected, simulation, counters);
   write_frames(selected, simulation->out);
}

/* ---- the table ------------------------------------------------------------------------ */

/* What is printed: a counter or the sum of two. */
static const struct row {
   const char *name, *counters[2];
   bool checked;
} rows[] = {
   {"cycles", {"gpu.cycles"}, true},
   {"DRAM bytes", {"dram.total.read_bytes", "dram.total.write_bytes"}, true},
   {"  read", {"dram.total.read_bytes"}, false},
   {"  written", {"dram.total.write_bytes"}, false},
   {"LLC misses", {"llc.total.misses"}, true},
   {"L2 accesses", {"l2.total.reads", "l2.total.writes"}, false},
   {"L2 misses", {"l2.total.misses"}, true},
   {"texture L1 misses", {"texture_l1.total.misses"}, false},
   {"tile cache misses", {"tile_cache.total.misses"}, false},
   {"vertex cache misses", {"vertex_cache.total.misses"}, false},
};

/* The counters of a row that a configuration has; returns how many. */
static unsigned
find_counters(const struct row *row, const struct simulation *simulation, int *counters)
{
   unsigned count = 0;
   for (unsigned c = 0; c < 2 && row->counters[c]; c++) {
      const int index = cm_counter_table_find(simulation->table, row->counters[c]);
      if (index >= 0)
         counters[count++] = index;
   }
   return count;
}

/* Adds a row; returns the error of the estimate. */
static double
add_row(json_t *list, const struct selected *selected, const struct row *row,
        const struct simulation *simulation, const struct simulation *whole)
{
   int counters[2];
   const unsigned count = find_counters(row, simulation, counters);
   if (!count)
      return 0;
   const struct cm_estimate found = estimate(selected, simulation, counters, count);
   uint64_t total = 0;
   for (unsigned c = 0; whole && c < count; c++)
      total += whole->total[counters[c]];
   if (found.total <= 0 && !total)
      return 0;
   const double interval = CM_ESTIMATE_95 * found.standard_error;
   json_t *line = json_pack("{s:s, s:f, s:f}", "", row->name, "estimate", found.total, "per frame",
                            found.total / selected->selection.frames);
   /* Not known where it is no number. */
   json_object_set_new(line, "+- 95 %", isnan(interval) ? json_null() : json_real(interval));
   json_object_set_new(line, "95 % share",
                       isnan(interval) || found.total <= 0 ? json_null() : json_real(interval / found.total));
   json_array_append_new(list, line);
   if (!whole)
      return 0;
   const double error = total ? found.total / (double)total - 1 : INFINITY;
   json_object_set_new(line, "whole", json_integer((json_int_t)total));
   json_object_set_new(line, "change", total ? json_real(error) : json_null());
   return row->checked ? fabs(error) : 0;
}

static bool
is_within(const struct selected *selected, const struct simulation *simulation, int counter, uint64_t total)
{
   const struct cm_estimate found = estimate(selected, simulation, &counter, 1);
   /* Half a count: the estimate is no whole number. */
   return fabs(found.total - (double)total) <= CM_ESTIMATE_95 * found.standard_error + 0.5;
}

static void
print_coverage(const struct selected *selected, const struct simulation *simulation,
               const struct simulation *whole)
{
   unsigned count = 0, within = 0;
   for (int c = 0; c < (int)whole->table->count; c++) {
      if (!whole->total[c])
         continue;
      count++;
      within += is_within(selected, simulation, c, whole->total[c]);
   }
   printf("\n%u of %u counters are within their intervals\n", within, count);
}

double
selected_print(const struct selected *selected, const struct simulation *simulation,
               const struct simulation *whole)
{
   double largest = 0;
   json_t *list = json_array();
   printf("%u frames on %s, estimated from %u; %u are simulated, %.2f %%\n\n", selected->selection.frames,
          simulation->configuration->name, selected->selection.count, selected->plan.num_frames,
          100.0 * selected->plan.num_frames / selected->selection.frames);
   for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
      const double error = add_row(list, selected, &rows[r], simulation, whole);
      largest = error > largest ? error : largest;
   }
   output_table(list, stdout);
   if (whole)
      print_coverage(selected, simulation, whole);
   return largest;
}
