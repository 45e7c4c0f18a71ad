/* SPDX-License-Identifier: MIT */
#include "output/report.h"
#include "config/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "input/statistics_file.h"
#include "stats/counters.h"
#include "tools.h"

/* One unit and stream, over all frames. */
struct row {
   uint64_t accesses, hits, bytes;
   bool cache;
};

static uint64_t
value(const json_t *totals, const char *unit, const char *stream, const char *event)
{
   char *name = text("%s.%s.%s", unit, stream, event);
   uint64_t counter = json_integer_value(json_object_get(totals, name));
   free(name);
   return counter;
}

static struct row
read_row(const json_t *totals, const struct cm_config *config, enum cm_unit unit, const char *stream)
{
   const char *name = cm_unit_names[unit];
   struct row row = {
      .accesses = value(totals, name, stream, "reads") + value(totals, name, stream, "writes"),
      .cache = unit < CM_CACHE_COUNT,
   };
   if (row.cache) {
      row.hits = value(totals, name, stream, "hits");
      /* What passes by is among the fills and the write-backs. */
      row.bytes = (value(totals, name, stream, "fills") + value(totals, name, stream, "writebacks")) *
                  config->caches[unit].block;
   } else {
      row.bytes = value(totals, name, stream, "read_bytes") + value(totals, name, stream, "write_bytes");
   }
   return row;
}

static void
print_bytes(double bytes)
{
   static const char *const measures[] = {"B  ", "KiB", "MiB", "GiB", "TiB"};
   unsigned m = 0;
   for (; bytes >= 1024 && m < 4; m++)
      bytes /= 1024;
   printf("  %9.*f %s", m ? 1 : 0, bytes, measures[m]);
}

static void
print_row(const char *unit, const char *stream, const struct row *row, size_t frames)
{
   if (!row->accesses)
      return;
   printf("%-20s  %-12s  %14.1f  %14" PRIu64, unit, stream, (double)row->accesses / frames, row->accesses);
   if (row->cache)
      printf("  %7.2f %%", 100.0 * row->hits / row->accesses);
   else
      printf("  %9s", "");
   print_bytes((double)row->bytes / frames);
   print_bytes(row->bytes);
   putchar('\n');
}

void
report_print(const char *directory, const struct cm_config *config)
{
   struct statistics_file file = statistics_file_load(directory);
   const json_t *totals = file.total;
   const size_t frames = file.frames;
   if (!frames)
      fail(STATUS_FAILED, "%s: no frame was simulated", file.path);

   printf("%zu frames on %s\n\n", frames, config->name);
   printf("%-20s  %-12s  %14s  %14s  %9s  %13s  %13s\n", "unit", "stream", "accesses/frame", "accesses",
          "hit rate", "traffic/frame", "traffic");
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         struct row row = read_row(totals, config, unit, cm_stream_names[stream]);
         print_row(cm_unit_names[unit], cm_stream_names[stream], &row, frames);
      }
      struct row row = read_row(totals, config, unit, "total");
      print_row(cm_unit_names[unit], "total", &row, frames);
   }
   const double cycles = (double)json_integer_value(json_object_get(totals, "gpu.cycles"));
   const double nanoseconds = (double)json_integer_value(json_object_get(totals, "gpu.time"));
   if (cycles > 0 && nanoseconds > 0)
      printf("\n%.0f cycles/frame, %.1f frames/s at %u MHz\n", cycles / (double)frames,
             1e9 * (double)frames / nanoseconds, config->clock_mhz);
   puts("\ntraffic: to the next level; of dram: its reads and writes");
   statistics_file_close(&file);
}
