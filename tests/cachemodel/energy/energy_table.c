/* SPDX-License-Identifier: MIT */
/* The table of arrays has what data/cacti-7.0-energies.csv has, to the last digit, and what it has
 * not lies between what it has. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy_table.h"
#include "support/test.h"

static struct cm_array_lookup
find(const struct cm_array_shape *shape)
{
   struct cm_array_lookup lookup;
   char error[256];
   if (!cm_energy_table_find(shape, &lookup, error, sizeof error))
      fail_msg("%s", error);
   return lookup;
}

static unsigned
number_of(const char *const *names, unsigned count, const char *name)
{
   for (unsigned i = 0; i < count; i++) {
      if (strcmp(names[i], name) == 0)
         return i;
   }
   fail_msg("no %s", name);
   return 0;
}

/* A number of the file ("0.0723958", "8.36218e-05") as a whole number of a smaller unit, digit by digit. */
static uint64_t
shifted(const char *text, int places)
{
   uint64_t number = 0;
   int after_point = 0;
   bool point = false;
   for (; *text && *text != 'e'; text++) {
      if (*text == '.') {
         point = true;
         continue;
      }
      assert_in_range(*text, '0', '9');
      number = number * 10 + (uint64_t)(*text - '0');
      after_point += point;
   }
   if (*text == 'e')
      places += atoi(text + 1);
   assert_true(after_point <= places);
   for (int i = after_point; i < places; i++)
      number *= 10;
   return number;
}

TEST(every_row)
{
   char path[4096], text[512];
   snprintf(path, sizeof path, "%s/../data/cacti-7.0-energies.csv", getenv("TBRSIM_CONFIG_DIR"));
   FILE *file = fopen(path, "r");
   assert_non_null(file);
   assert_non_null(fgets(text, sizeof text, file));
   assert_string_equal(text,
                       "kind,tech_nm,cell,size_bytes,ways,line_bytes,bus_bits,rw_ports,read_ports,access_ns,"
                       "cycle_ns,read_nJ,write_nJ,leak_mW,area_mm2\n");
   uint32_t rows = 0;
   for (uint32_t line = 2; fgets(text, sizeof text, file); line++, rows++) {
      char *column[15], *rest = text;
      text[strcspn(text, "\r\n")] = '\0';
      for (unsigned c = 0; c < 15; c++)
         assert_non_null(column[c] = strsep(&rest, ","));
      const struct cm_array_shape shape = {
         .kind = (enum cm_array_kind)number_of(cm_array_kind_names, CM_ARRAY_KIND_COUNT, column[0]),
         .technology = (uint32_t)atoi(column[1]),
         .cell = (enum cm_cell)number_of(cm_cell_names, CM_CELL_ITRS_HP + 1, column[2]),
         .size = (uint64_t)atoll(column[3]),
         .ways = (uint32_t)atoi(column[4]),
         .bus_bits = (uint32_t)atoi(column[6]),
      };
      const struct cm_array_lookup lookup = find(&shape);
      assert_true(lookup.exact);
      assert_int_equal(lookup.energy.read, shifted(column[11], 12));
      assert_int_equal(lookup.energy.write, shifted(column[12], 12));
      assert_int_equal(lookup.energy.leakage, shifted(column[13], 12));
      assert_int_equal(lookup.access, (uint64_t)llround(atof(column[9]) * 1e6));
      char place[64];
      snprintf(place, sizeof place, "cacti-7.0-energies.csv:%" PRIu32 " (", line);
      assert_ptr_equal(strstr(lookup.note, place), lookup.note);
      assert_int_equal(cm_array_rows[rows].line, line);
      assert_true(cm_array_rows[rows].access_ns == atof(column[9]));
      assert_true(cm_array_rows[rows].area_mm2 == atof(column[14]));
   }
   fclose(file);
   assert_int_equal(rows, cm_array_row_count);
   assert_true(rows > 1000);
}

/* Whether a number is not outside of two others, in whichever order these are. */
static void
assert_between(uint64_t number, uint64_t a, uint64_t b)
{
   assert_in_range(number, a < b ? a : b, a < b ? b : a);
}

/* From each row to the next larger one of its kind, in steps. */
TEST(between_rows)
{
   unsigned pairs = 0;
   for (uint32_t i = 0; i < cm_array_row_count; i++) {
      const struct cm_array_row *row = &cm_array_rows[i];
      struct cm_array_shape shape = {.kind = row->kind,
                                     .technology = row->technology,
                                     .cell = row->cell,
                                     .size = (uint64_t)row->size * 2,
                                     .ways = row->ways,
                                     .bus_bits = row->bus_bits};
      struct cm_array_lookup next;
      char error[256];
      if (!cm_energy_table_find(&shape, &next, error, sizeof error))
         continue; /* the largest */
      assert_true(next.exact);
      struct cm_array_energy last = row->energy;
      uint64_t last_access = (uint64_t)llround(row->access_ns * 1e6);
      for (uint32_t part = 1; part < 8; part++) {
         shape.size = row->size + (uint64_t)row->size * part / 8;
         const struct cm_array_lookup here = find(&shape);
         assert_false(here.exact);
         assert_between(here.energy.read, last.read, next.energy.read);
         assert_between(here.energy.write, last.write, next.energy.write);
         assert_between(here.energy.leakage, last.leakage, next.energy.leakage);
         assert_between(here.access, last_access, next.access);
         assert_non_null(strstr(here.note, "log-log at "));
         last = here.energy;
         last_access = here.access;
      }
      pairs++;
   }
   assert_true(pairs > 1000);
}

/* Three halves of the way: log2(1.5) of the distance between the logarithms. */
TEST(worked_out)
{
   const struct cm_array_shape shape = {
      .kind = CM_ARRAY_CACHE, .technology = 32, .cell = CM_CELL_ITRS_LSTP, .size = 49152, .ways = 4};
   const struct cm_array_lookup lookup = find(&shape);
   /* 32 KiB: 0.0723958 nJ a read, 64 KiB: 0.0780037 nJ. */
   const double read = 72395800000.0 * pow(78003700.0 / 72395800.0, log2(1.5));
   assert_true(fabs((double)lookup.energy.read - read) <= 1000);
   assert_string_equal(
      strchr(lookup.note, '('),
      "(cache, 32 nm, itrs-lstp, 32768 and 65536 bytes, 4 ways, 512 bits), log-log at 49152 bytes");
}

TEST(nearest_ways)
{
   static const struct {
      uint32_t ways, as;
   } cases[] = {{24, 16}, {48, 16}, {1024, 16}, {3, 4}, {6, 8}, {5, 4}, {12, 16}, {11, 8}};
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_array_shape shape = {.kind = CM_ARRAY_CACHE,
                                     .technology = 22,
                                     .cell = CM_CELL_ITRS_LSTP,
                                     .size = 65536,
                                     .ways = cases[i].ways};
      const struct cm_array_lookup lookup = find(&shape);
      shape.ways = cases[i].as;
      const struct cm_array_lookup exact = find(&shape);
      assert_true(exact.exact);
      assert_false(lookup.exact);
      assert_int_equal(lookup.energy.read, exact.energy.read);
      char expected[80];
      snprintf(expected, sizeof expected, "; no row of %u ways, the nearest is of %u", cases[i].ways,
               cases[i].as);
      assert_non_null(strstr(lookup.note, expected));
   }
}

/* Below the smallest row, the line through the two smallest is extended, and reported. */
TEST(below)
{
   struct cm_array_shape shape = {
      .kind = CM_ARRAY_CACHE, .technology = 32, .cell = CM_CELL_ITRS_LSTP, .size = 4096, .ways = 4};
   const struct cm_array_lookup lookup = find(&shape);
   assert_ptr_equal(strstr(lookup.note, "EXTRAPOLATED from "), lookup.note);
   assert_false(lookup.exact);
   /* 8 KiB: 0.066782 nJ; 16 KiB: 0.0689213 nJ. Half the size of the smaller one: a step further. */
   assert_true(fabs((double)lookup.energy.read - 66782000000.0 * 66782000.0 / 68921300.0) <= 1000);
   shape.size = 8192;
   assert_true(lookup.energy.leakage < find(&shape).energy.leakage);
}

TEST(what_is_not_there)
{
   static const struct {
      struct cm_array_shape shape;
      const char *complaint;
   } cases[] = {
      {{CM_ARRAY_CACHE, 32, CM_CELL_ITRS_LSTP, (16u << 20) + 64, 16, 0},
       "no cache of 16777280 bytes and 16 ways, expected at most 16777216 bytes, as cacti-7.0-energies.csv "
       "has"},
      {{CM_ARRAY_CACHE, 28, CM_CELL_ITRS_LSTP, 65536, 4, 0},
       "no cache of 28 nm, itrs-lstp and 0 bits, expected one that cacti-7.0-energies.csv has"},
      {{CM_ARRAY_CACHE, 32, CM_CELL_NONE, 65536, 4, 0},
       "no cache of 32 nm, none and 0 bits, expected one that cacti-7.0-energies.csv has"},
      {{CM_ARRAY_RAM, 32, CM_CELL_ITRS_HP, 1024, 1, 64},
       "no ram of 32 nm, itrs-hp and 64 bits, expected one that cacti-7.0-energies.csv has"},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_array_lookup lookup;
      char error[256];
      assert_false(cm_energy_table_find(&cases[i].shape, &lookup, error, sizeof error));
      assert_string_equal(error, cases[i].complaint);
   }
   for (uint32_t i = 0; i < cm_array_row_count; i++) {
      if (cm_array_rows[i].kind != CM_ARRAY_RAM)
         continue;
      struct cm_array_shape shape = {CM_ARRAY_RAM,
                                     cm_array_rows[i].technology,
                                     cm_array_rows[i].cell,
                                     CM_ENERGY_LARGEST_RAM,
                                     1,
                                     cm_array_rows[i].bus_bits};
      struct cm_array_lookup lookup;
      char error[256];
      assert_true(cm_energy_table_find(&shape, &lookup, error, sizeof error));
      shape.size++;
      assert_false(cm_energy_table_find(&shape, &lookup, error, sizeof error));
   }
   assert_true(cm_energy_table_has_technology(22));
   assert_false(cm_energy_table_has_technology(130));
}
