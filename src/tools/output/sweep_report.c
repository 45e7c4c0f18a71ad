/* SPDX-License-Identifier: MIT */
#include "output/sweep_report.h"
#include "config/config.h"

#include <inttypes.h>

#include "options.h"
#include "output/output.h"
#include "tools.h"

uint64_t
sweep_misses(const struct cm_sweep_result *result)
{
   return result->counts.misses[0] + result->counts.misses[1] + result->counts.bypasses;
}

static double
share(uint64_t count, const struct cm_sweep_result *result)
{
   return ratio(count, result->reads + result->writes);
}

/* The counts of a point, in the order of the columns. */
enum { NUM_COUNTS = 9 };
static const char *const count_names[NUM_COUNTS] = {
   "accesses", "reads", "writes", "hits", "misses", "read_misses", "write_misses", "bypasses", "writebacks",
};

static json_t *
points_json(const struct sweep_report *report)
{
   json_t *points = json_array();
   for (uint32_t p = 0; p < report->num_points; p++) {
      const struct cm_sweep_point *point = &report->points[p];
      const struct cm_sweep_result *result = &report->results[p];
      const uint64_t *misses = result->counts.misses;
      const uint64_t counts[] = {
         result->reads + result->writes, result->reads, result->writes, result->hits,
         misses[0] + misses[1],          misses[0],     misses[1],      result->counts.bypasses,
         result->counts.writebacks,
      };
      json_t *object = json_pack("{s:s, s:I, s:I, s:I}", "policy", cm_policy_names[point->policy],
                                 "size_bytes", (json_int_t)point->size, "ways", (json_int_t)point->ways,
                                 "sets", (json_int_t)result->sets);
      json_object_update_new(object, output_counts(count_names, counts, NUM_COUNTS));
      json_object_update_new(object,
                             json_pack("{s:f, s:o}", "miss_ratio", share(sweep_misses(result), result),
                                       "lower_bound_misses",
                                       result->is_bounded ? json_integer((json_int_t)result->lower_bound)
                                                          : json_null()));
      json_array_append_new(points, object);
   }
   return points;
}

void
sweep_report_csv(const struct sweep_report *report, FILE *file)
{
   output_csv(points_json(report), file);
}

void
sweep_report_json(const struct sweep_report *report, FILE *file)
{
   output_json(json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:s, s:i, s:s, s:b, s:o}", "file",
                         output_text(report->file), "run", output_run(report->file), "configuration",
                         output_text(report->configuration), "first_frame", report->first_frame, "last_frame",
                         report->last_frame, "warm_up", report->warm_up, "accesses_of", report->accesses,
                         "block_bytes", report->block_bytes, "index", cm_index_names[report->index],
                         "empty_at_each_pass", report->empty_each_pass, "points", points_json(report)),
               1, file);
}

/* As 64K, where it is whole. */
static void
print_size(FILE *file, uint32_t size)
{
   char name[16];
   if (size % 1024)
      snprintf(name, sizeof name, "%u", size);
   else
      snprintf(name, sizeof name, "%u%c", size % (1 << 20) ? size >> 10 : size >> 20,
               size % (1 << 20) ? 'K' : 'M');
   fprintf(file, " %10s", name);
}

void
sweep_report_table(const struct sweep_report *report, FILE *file)
{
   const struct cm_sweep_result *first = &report->results[0];
   fprintf(file,
           "%s: %s, frames %u-%u%s, %s\n"
           "%" PRIu64 " reads and %" PRIu64 " writes of blocks of %u bytes, index %s%s\n\n",
           report->file, report->accesses, report->first_frame, report->last_frame,
           report->warm_up ? text(" without the first %u", report->warm_up) : "", report->configuration,
           first->reads, first->writes, report->block_bytes, cm_index_names[report->index],
           report->empty_each_pass ? "; each render pass begins with an empty cache" : "");
   fprintf(file, "%-12s %10s %7s %9s %14s %14s %14s %11s%s\n", "policy", "size", "ways", "sets", "misses",
           "bypasses", "write-backs", "miss ratio",
           first->is_bounded || report->empty_each_pass ? "  lower bound" : "");
   for (uint32_t p = 0; p < report->num_points; p++) {
      const struct cm_sweep_point *point = &report->points[p];
      const struct cm_sweep_result *result = &report->results[p];
      fprintf(file, "%-12s", cm_policy_names[point->policy]);
      print_size(file, point->size);
      fprintf(file, " %7u %9u %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %9.4f %%", point->ways, result->sets,
              result->counts.misses[0] + result->counts.misses[1], result->counts.bypasses,
              result->counts.writebacks, 100 * share(sweep_misses(result), result));
      if (result->is_bounded)
         fprintf(file, " %10.4f %%", 100 * share(result->lower_bound, result));
      putc('\n', file);
   }
}
