/* SPDX-License-Identifier: MIT */
#include "simulation_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools.h"

/* A row: the sum of two counters (or one) of a unit's stream. */
struct row {
   const char *unit, *stream;
   const char *name;
   const char *events[2];
};

/* False where the configuration has no such counter. */
static bool
read_value(const struct simulation *simulation, const struct row *row, uint64_t *value)
{
   bool found = false;
   *value = 0;
   for (unsigned e = 0; e < 2 && row->events[e]; e++) {
      char *name = *row->stream ? text("%s.%s.%s", row->unit, row->stream, row->events[e])
                                : text("%s.%s", row->unit, row->events[e]);
      int index = cm_counter_table_find(simulation->table, name);
      free(name);
      found |= index >= 0;
      *value += index >= 0 ? simulation->total[index] : 0;
   }
   return found;
}

static void
print_row(const struct simulation *simulations, unsigned count, const struct row *row)
{
   uint64_t value, first = 0;
   bool any = false;
   for (unsigned s = 0; s < count; s++)
      any |= read_value(&simulations[s], row, &value) && value;
   if (!any)
      return;
   printf("%-17s  %-12s  %-11s", row->unit, row->stream, row->name);
   for (unsigned s = 0; s < count; s++) {
      bool found = read_value(&simulations[s], row, &value);
      if (!s)
         first = value;
      if (found)
         printf("  %14" PRIu64, value);
      else
         printf("  %14s", "-");
      if (s && found && first)
         printf("  %7.3f", (double)value / first);
      else if (s)
         printf("  %7s", "-");
   }
   putchar('\n');
}

static void
print_unit(const struct simulation *simulations, unsigned count, enum cm_unit unit, const char *stream)
{
   const char *name = cm_unit_names[unit];
   if (unit == CM_UNIT_DRAM) {
      print_row(simulations, count, &(struct row){name, stream, "read bytes", {"read_bytes"}});
      print_row(simulations, count, &(struct row){name, stream, "write bytes", {"write_bytes"}});
   } else {
      print_row(simulations, count, &(struct row){name, stream, "accesses", {"reads", "writes"}});
      print_row(simulations, count, &(struct row){name, stream, "misses", {"misses"}});
   }
}

void
simulation_table_print(const struct simulation *simulations, unsigned count)
{
   for (unsigned s = 0; s < count; s++)
      printf("[%u] %s: %u frames, %s\n", s + 1, simulations[s].configuration->name, simulations[s].frames,
             simulations[s].out);
   printf("\n%-17s  %-12s  %-11s", "unit", "stream", "counter");
   for (unsigned s = 0; s < count; s++) {
      printf("  %13s%u]", "[", s + 1);
      if (s)
         printf("  %7s", "of [1]");
   }
   putchar('\n');
   print_row(simulations, count, &(struct row){"gpu", "", "cycles", {"cycles"}});
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      bool by_stream = unit == CM_UNIT_L2 || unit == CM_UNIT_DRAM;
      for (unsigned stream = 0; by_stream && stream < CM_STREAM_COUNT; stream++)
         print_unit(simulations, count, (enum cm_unit)unit, cm_stream_names[stream]);
      print_unit(simulations, count, (enum cm_unit)unit, "total");
   }
}
