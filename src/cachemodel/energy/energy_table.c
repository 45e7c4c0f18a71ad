/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "energy/energy_table.h"

#define FILE_NAME "cacti-7.0-energies.csv"

const struct cm_array_row cm_array_rows[] = {
#include "cacti_rows.inc"
};
const uint32_t cm_array_row_count = sizeof cm_array_rows / sizeof cm_array_rows[0];

#define KIND_NAME(id, name) name,
const char *const cm_array_kind_names[CM_ARRAY_KIND_COUNT] = {CM_ARRAY_KINDS(KIND_NAME)};
const char *const cm_cell_names[] = {"none", "itrs-lstp", "itrs-hp"};

/* ---- rows -------------------------------------------------------------- */

static bool
is_alike(const struct cm_array_row *row, const struct cm_array_shape *shape)
{
   return row->kind == shape->kind && row->technology == shape->technology && row->cell == shape->cell &&
          (shape->bus_bits == 0 || row->bus_bits == shape->bus_bits);
}

/* How far two numbers of ways are from each other: their ratio. */
static double
distance(uint32_t a, uint32_t b)
{
   return a > b ? (double)a / b : (double)b / a;
}

/* The number of ways nearest to the shape's of which there are rows; 0: there are none. */
static uint32_t
nearest_ways(const struct cm_array_shape *shape)
{
   uint32_t ways = 0;
   for (uint32_t i = 0; i < cm_array_row_count; i++) {
      const struct cm_array_row *row = &cm_array_rows[i];
      if (!is_alike(row, shape))
         continue;
      const double here = distance(row->ways, shape->ways), there = ways ? distance(ways, shape->ways) : 0;
      if (!ways || here < there || (here == there && row->ways < ways))
         ways = row->ways;
   }
   return ways;
}

/* The rows on both sides of a size: the same one twice where it is the row's own; the two smallest where
 * there is none below, above is NULL where there is none above. */
struct neighbours {
   const struct cm_array_row *below, *above;
   bool is_outside;
};

static struct neighbours
find_neighbours(const struct cm_array_shape *shape, uint32_t ways)
{
   const struct cm_array_row *below = NULL, *above = NULL, *second = NULL;
   for (uint32_t i = 0; i < cm_array_row_count; i++) {
      const struct cm_array_row *row = &cm_array_rows[i];
      if (!is_alike(row, shape) || row->ways != ways)
         continue;
      if (row->size <= shape->size && (!below || row->size > below->size))
         below = row;
      if (row->size >= shape->size) {
         if (!above || row->size < above->size) {
            second = above;
            above = row;
         } else if (!second || row->size < second->size) {
            second = row;
         }
      }
   }
   if (below || !second)
      return (struct neighbours){.below = below, .above = above};
   return (struct neighbours){.below = above, .above = second, .is_outside = true};
}

/* ---- numbers ----------------------------------------------------------- */

/* The number at a fraction from 0 (a) to 1 (b), or beyond, on a line in logarithms. */
static uint64_t
between(uint64_t a, uint64_t b, double fraction)
{
   return (uint64_t)(exp(log((double)a) + fraction * (log((double)b) - log((double)a))) + 0.5);
}

static uint64_t
femtoseconds(const struct cm_array_row *row)
{
   return (uint64_t)(row->access_ns * 1e6 + 0.5);
}

static void
interpolate(const struct neighbours *rows, const struct cm_array_shape *shape, struct cm_array_lookup *lookup)
{
   const struct cm_array_row *below = rows->below, *above = rows->above;
   struct cm_array_energy *energy = &lookup->energy;
   if (below == above) {
      *energy = below->energy;
      lookup->access = femtoseconds(below);
      return;
   }
   const double fraction = (log((double)shape->size) - log((double)below->size)) /
                           (log((double)above->size) - log((double)below->size));
   energy->read = between(below->energy.read, above->energy.read, fraction);
   energy->write = between(below->energy.write, above->energy.write, fraction);
   energy->leakage = between(below->energy.leakage, above->energy.leakage, fraction);
   lookup->access = between(femtoseconds(below), femtoseconds(above), fraction);
}

static void
write_note(const struct neighbours *rows, const struct cm_array_shape *shape, struct cm_array_lookup *lookup)
{
   const struct cm_array_row *below = rows->below, *above = rows->above;
   char ways[96] = "";
   if (below->kind != CM_ARRAY_RAM)
      snprintf(ways, sizeof ways, "%u way%s, ", below->ways, below->ways == 1 ? "" : "s");
   char nearest[64] = "";
   if (below->ways != shape->ways)
      snprintf(nearest, sizeof nearest, "; no row of %u ways, the nearest is of %u", shape->ways,
               below->ways);
   if (below == above)
      snprintf(lookup->note, sizeof lookup->note, FILE_NAME ":%u (%s, %u nm, %s, %u bytes, %s%u bits)%s",
               below->line, cm_array_kind_names[below->kind], below->technology, cm_cell_names[below->cell],
               below->size, ways, below->bus_bits, nearest);
   else
      snprintf(lookup->note, sizeof lookup->note,
               "%s" FILE_NAME ":%u and :%u (%s, %u nm, %s, %u and %u bytes, %s%u bits), %s%llu bytes%s",
               rows->is_outside ? "EXTRAPOLATED from " : "", below->line, above->line,
               cm_array_kind_names[below->kind], below->technology, cm_cell_names[below->cell], below->size,
               above->size, ways, below->bus_bits, rows->is_outside ? "down to " : "log-log at ",
               (unsigned long long)shape->size, nearest);
}

bool
cm_energy_table_has_technology(uint32_t technology)
{
   for (uint32_t i = 0; i < cm_array_row_count; i++) {
      if (cm_array_rows[i].technology == technology)
         return true;
   }
   return false;
}

bool
cm_energy_table_find(const struct cm_array_shape *shape, struct cm_array_lookup *lookup, char *error,
                     size_t error_size)
{
   const uint32_t ways = nearest_ways(shape);
   if (!ways) {
      snprintf(error, error_size, "no %s of %u nm, %s and %u bits, expected one that " FILE_NAME " has",
               cm_array_kind_names[shape->kind], shape->technology, cm_cell_names[shape->cell],
               shape->bus_bits);
      return false;
   }
   const struct neighbours rows = find_neighbours(shape, ways);
   if (!rows.above) {
      snprintf(error, error_size,
               "no %s of %llu bytes and %u ways, expected at most %u bytes, as " FILE_NAME " has",
               cm_array_kind_names[shape->kind], (unsigned long long)shape->size, shape->ways,
               rows.below->size);
      return false;
   }
   interpolate(&rows, shape, lookup);
   lookup->exact = rows.below == rows.above && ways == shape->ways;
   write_note(&rows, shape, lookup);
   return true;
}
