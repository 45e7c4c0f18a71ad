/* SPDX-License-Identifier: MIT */
#include "output/report.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>

#include "input/statistics_file.h"
#include "output/assumed_values.h"
#include "output/bound.h"
#include "output/output.h"
#include "stats/counters.h"
#include "tools.h"

static uint64_t
value(const json_t *totals, const char *unit, const char *stream, const char *event)
{
   char *name = text("%s.%s.%s", unit, stream, event);
   uint64_t counter = json_integer_value(json_object_get(totals, name));
   free(name);
   return counter;
}

/* Adds the row of a unit and a stream, over all frames, if it has accesses. */
static void
add_row(json_t *rows, const json_t *totals, size_t frames, const struct cm_config *config, enum cm_unit unit,
        const char *stream)
{
   const char *name = cm_unit_names[unit];
   const bool is_cache = unit < CM_CACHE_COUNT;
   const uint64_t accesses = value(totals, name, stream, "reads") + value(totals, name, stream, "writes");
   /* What passes by a cache is among the fills and the write-backs. */
   const uint64_t bytes =
      is_cache ? (value(totals, name, stream, "fills") + value(totals, name, stream, "writebacks")) *
                    config->caches[unit].block
               : value(totals, name, stream, "read_bytes") + value(totals, name, stream, "write_bytes");
   if (!accesses)
      return;
   json_array_append_new(rows,
                         json_pack("{s:s, s:s, s:f, s:I, s:o, s:f, s:I}", "unit", name, "stream", stream,
                                   "accesses/frame", ratio(accesses, frames), "accesses",
                                   (json_int_t)accesses, "hit_rate",
                                   is_cache ? json_real(ratio(value(totals, name, stream, "hits"), accesses))
                                            : json_null(),
                                   "traffic/frame", ratio(bytes, frames), "traffic", (json_int_t)bytes));
}

void
report_print(const char *directory, const struct cm_config *config)
{
   struct statistics_file file = statistics_file_load(directory);
   json_t *rows = json_array();
   const json_t *totals = file.total;
   const size_t frames = file.frames;
   if (!frames)
      fail(STATUS_FAILED, "%s: no frame was simulated", file.path);

   printf("%zu frames on %s\n\n", frames, config->name);
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
         add_row(rows, totals, frames, config, (enum cm_unit)unit, cm_stream_names[stream]);
      add_row(rows, totals, frames, config, (enum cm_unit)unit, "total");
   }
   output_table(rows, stdout);
   const double cycles = (double)json_integer_value(json_object_get(totals, "gpu.cycles"));
   const double nanoseconds = (double)json_integer_value(json_object_get(totals, "gpu.time"));
   if (cycles > 0 && nanoseconds > 0) {
      char *line = assumed_values_line(config, config->name, ASSUMED_CYCLES);
      char *validation = validation_line(config, config->name);
      printf("\n%.0f cycles/frame, %.1f frames/s at %u MHz\n%s\n%s%s", cycles / (double)frames,
             1e9 * (double)frames / nanoseconds, config->clock_mhz, line, validation ? validation : "",
             validation ? "\n" : "");
      free(line);
      free(validation);
   }
   char *bound = bound_line(totals, config);
   if (bound)
      puts(bound);
   free(bound);
   puts("\ntraffic: to the next level; of dram: its reads and writes");
   statistics_file_close(&file);
}
