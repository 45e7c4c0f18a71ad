/* SPDX-License-Identifier: MIT */
#include "sweep_report.h"
#include "config/config.h"

#include <inttypes.h>
#include <jansson.h>

#include "options.h"
#include "tools.h"

uint64_t
sweep_misses(const struct cm_sweep_result *result)
{
   return result->counts.misses[0] + result->counts.misses[1] + result->counts.bypasses;
}

static double
ratio(uint64_t count, const struct cm_sweep_result *result)
{
   const uint64_t accesses = result->reads + result->writes;
   return accesses ? (double)count / (double)accesses : 0;
}

/* The counts of a point, in the order of the columns. */
enum { NUM_COUNTS = 9 };
static const char *const count_names[NUM_COUNTS] = {
   "accesses", "reads", "writes", "hits", "misses", "read_misses", "write_misses", "bypasses", "writebacks",
};

static void
get_counts(const struct cm_sweep_result *result, uint64_t counts[NUM_COUNTS])
{
   const uint64_t *misses = result->counts.misses;
   const uint64_t values[NUM_COUNTS] = {
      result->reads + result->writes, result->reads, result->writes, result->hits,
      misses[0] + misses[1],          misses[0],     misses[1],      result->counts.bypasses,
      result->counts.writebacks,
   };
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      counts[c] = values[c];
}

void
sweep_report_csv(const struct sweep_report *report, FILE *file)
{
   fputs("policy,size_bytes,ways,sets", file);
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      fprintf(file, ",%s", count_names[c]);
   fputs(",miss_ratio,lower_bound_misses\n", file);
   for (uint32_t p = 0; p < report->num_points; p++) {
      const struct cm_sweep_point *point = &report->points[p];
      const struct cm_sweep_result *result = &report->results[p];
      uint64_t counts[NUM_COUNTS];
      get_counts(result, counts);
      fprintf(file, "%s,%u,%u,%u", cm_policy_names[point->policy], point->size, point->ways, result->sets);
      for (unsigned c = 0; c < NUM_COUNTS; c++)
         fprintf(file, ",%" PRIu64, counts[c]);
      fprintf(file, ",%.9f,", ratio(sweep_misses(result), result));
      if (result->is_bounded)
         fprintf(file, "%" PRIu64, result->lower_bound);
      putc('\n', file);
   }
}

/* Takes over value. */
static void
set(json_t *object, const char *key, json_t *value)
{
   if (json_object_set_new(object, key, value))
      fail(STATUS_FAILED, "out of memory");
}

static json_t *
point_json(const struct cm_sweep_point *point, const struct cm_sweep_result *result)
{
   uint64_t counts[NUM_COUNTS];
   json_t *object = json_object();
   get_counts(result, counts);
   set(object, "policy", json_string(cm_policy_names[point->policy]));
   set(object, "size_bytes", json_integer(point->size));
   set(object, "ways", json_integer(point->ways));
   set(object, "sets", json_integer(result->sets));
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      set(object, count_names[c], json_integer((json_int_t)counts[c]));
   set(object, "miss_ratio", json_real(ratio(sweep_misses(result), result)));
   set(object, "lower_bound_misses",
       result->is_bounded ? json_integer((json_int_t)result->lower_bound) : json_null());
   return object;
}

void
sweep_report_json(const struct sweep_report *report, FILE *file)
{
   json_t *object = json_object(), *points = json_array();
   set(object, "file", json_string(report->file));
   set(object, "configuration", json_string(report->configuration));
   set(object, "first_frame", json_integer(report->first_frame));
   set(object, "last_frame", json_integer(report->last_frame));
   set(object, "warm_up", json_integer(report->warm_up));
   set(object, "accesses_of", json_string(report->accesses));
   set(object, "block_bytes", json_integer(report->block_bytes));
   set(object, "index", json_string(options_index_names[report->index]));
   set(object, "empty_at_each_pass", json_boolean(report->empty_each_pass));
   for (uint32_t p = 0; p < report->num_points; p++) {
      if (json_array_append_new(points, point_json(&report->points[p], &report->results[p])))
         fail(STATUS_FAILED, "out of memory");
   }
   set(object, "points", points);
   json_dumpf(object, file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
   putc('\n', file);
   json_decref(object);
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
           first->reads, first->writes, report->block_bytes, options_index_names[report->index],
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
              result->counts.writebacks, 100 * ratio(sweep_misses(result), result));
      if (result->is_bounded)
         fprintf(file, " %10.4f %%", 100 * ratio(result->lower_bound, result));
      putc('\n', file);
   }
}
