/* SPDX-License-Identifier: MIT */
#include "input/energy_account.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/assumed_values.h"
#include "output/output.h"
#include "tools.h"

/* Units, then groups of them. */
#define NUM_SUMS (CM_ENERGY_UNIT_COUNT + CM_ENERGY_GROUP_COUNT)

static uint64_t
cycles_of(const struct energy_account *account)
{
   return account->cycles_after - account->cycles_before;
}

/* A unit or, after all units, a group. */
static const struct cm_energy_sum *
sum_of(const struct energy_account *account, int number)
{
   return number < CM_ENERGY_UNIT_COUNT ? &account->sums.units[number]
                                        : &account->sums.groups[number - CM_ENERGY_UNIT_COUNT];
}

static const char *
name_of(int number)
{
   return number < CM_ENERGY_UNIT_COUNT ? cm_energy_unit_name((enum cm_energy_unit)number)
                                        : cm_energy_group_names[number - CM_ENERGY_UNIT_COUNT];
}

static bool
is_there(const struct energy_account *accounts, unsigned count, int number)
{
   for (unsigned a = 0; a < count; a++) {
      if (number >= CM_ENERGY_UNIT_COUNT || accounts[a].energy->has_unit[number])
         return true;
   }
   return false;
}

/* Digits of a number of a 10^-9th, without zeros at its end. */
static char *
decimal(uint64_t number)
{
   char *digits = text("%" PRIu64 ".%09" PRIu64, number / 1000000000, number % 1000000000);
   size_t length = strlen(digits);
   while (digits[length - 1] == '0')
      length--;
   digits[digits[length - 1] == '.' ? length - 1 : length] = '\0';
   return digits;
}

static uint64_t
events_of(const struct energy_account *account, const struct cm_energy_term *term)
{
   return term->by_time ? cycles_of(account) : energy_account_events(account, term);
}

/* What the simulation did not count, so that it is missing in the sums. */
static const char *
missing(const struct energy_account *account)
{
   const bool no_memory = !account->energy->has_unit[CM_UNIT_DRAM];
   const bool no_operations = cm_counter_table_find(account->table, "operations.raster_quads") < 0;
   if (no_memory && no_operations)
      return "main memory, most operations of the pipeline";
   return no_memory ? "main memory" : no_operations ? "most operations of the pipeline" : NULL;
}

static json_t *
term_json(const struct energy_account *account, const struct cm_energy_term *term)
{
   char *figure = decimal(term->by_time ? term->leakage : term->energy);
   json_t *object =
      json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:s}", "unit", cm_energy_unit_name(term->unit), "energy",
                term->is_static ? "static" : "dynamic", "of", term->what, term->by_time ? "cycles" : "events",
                (json_int_t)events_of(account, term), "each", figure, "measure", term->by_time ? "uW" : "pJ",
                "pJ", (json_int_t)energy_account_total(account, term), "source", term->note);
   free(figure);
   return object;
}

static json_t *
terms_json(const struct energy_account *account)
{
   json_t *terms = json_array();
   for (uint32_t t = 0; t < account->energy->num_terms; t++)
      json_array_append_new(terms, term_json(account, &account->energy->terms[t]));
   return terms;
}

/* ---- text -------------------------------------------------------------- */

static void
print_head(const struct energy_account *account, unsigned number)
{
   const uint64_t cycles = cycles_of(account);
   if (number)
      printf("[%u] ", number);
   printf("%u frames on %s, %" PRIu64 " cycles of %u MHz: %.3f ms (%s)\n", account->num_frames,
          account->preset, cycles, account->energy->clock_mhz,
          (double)cycles / account->energy->clock_mhz / 1000, account->path);
   if (missing(account))
      printf("not in it, because the simulation had no timing: %s\n", missing(account));
}

static void
print_sums(const struct energy_account *account)
{
   const struct cm_energy_sum *system = &account->sums.groups[CM_ENERGY_GROUP_SYSTEM];
   const unsigned frames = account->num_frames;
   json_t *rows = json_array();
   for (int number = 0; number < NUM_SUMS; number++) {
      const struct cm_energy_sum *sum = sum_of(account, number);
      const uint64_t total = sum->dynamic + sum->leakage;
      if (is_there(account, 1, number))
         json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:I}", "unit", name_of(number),
                                               "dynamic energy/frame", ratio(sum->dynamic, frames),
                                               "static energy/frame", ratio(sum->leakage, frames),
                                               "energy/frame", ratio(total, frames), "share",
                                               ratio(total, system->dynamic + system->leakage), "energy",
                                               (json_int_t)total));
   }
   putchar('\n');
   output_table(rows, stdout);
   putchar('\n');
   for (int group = 0; group < CM_ENERGY_GROUP_COUNT; group++)
      printf("%s: %s\n", cm_energy_group_names[group], cm_energy_group_descriptions[group]);
}

/* Several side by side: per frame, and how much more that is than the first one's. */
static void
print_comparison(const struct energy_account *accounts, unsigned count)
{
   json_t *rows = json_array();
   for (int number = 0; number < NUM_SUMS; number++) {
      json_t *row = json_pack("{s:s}", "unit", name_of(number));
      for (unsigned a = 0; a < count; a++) {
         const struct cm_energy_sum *sum = sum_of(&accounts[a], number);
         output_set_run(row, a, "energy/frame",
                        json_real(ratio(sum->dynamic + sum->leakage, accounts[a].num_frames)));
      }
      if (is_there(accounts, count, number))
         json_array_append(rows, row);
      json_decref(row);
   }
   putchar('\n');
   output_table(rows, stdout);
}

static void
print_assumed_values(const struct energy_account *account, unsigned number)
{
   char *line = assumed_values_line(account->config, account->preset, ASSUMED_ENERGY);
   if (number)
      printf("[%u] ", number);
   printf("%s\n", line);
   free(line);
}

void
energy_report_text(const struct energy_account *accounts, unsigned count, bool explain)
{
   for (unsigned a = 0; a < count; a++) {
      print_head(&accounts[a], count > 1 ? a + 1 : 0);
      if (explain) {
         putchar('\n');
         output_table(terms_json(&accounts[a]), stdout);
      }
      if (count == 1)
         print_sums(&accounts[a]);
   }
   if (count > 1)
      print_comparison(accounts, count);
   putchar('\n');
   for (unsigned a = 0; a < count; a++)
      print_assumed_values(&accounts[a], count > 1 ? a + 1 : 0);
}

/* ---- JSON -------------------------------------------------------------- */

static json_t *
sums_json(const struct energy_account *account, int first, int last)
{
   json_t *object = json_object();
   for (int number = first; number < last; number++) {
      const struct cm_energy_sum *sum = sum_of(account, number);
      if (is_there(account, 1, number))
         json_object_set_new(object, name_of(number),
                             json_pack("{s:I, s:I, s:I}", "dynamic", (json_int_t)sum->dynamic, "static",
                                       (json_int_t)sum->leakage, "total",
                                       (json_int_t)(sum->dynamic + sum->leakage)));
   }
   return object;
}

static json_t *
account_json(const struct energy_account *account, bool explain)
{
   json_t *object =
      json_pack("{s:o, s:o, s:i, s:i, s:I, s:i, s:o, s:o}", "file", output_text(account->path), "preset",
                output_text(account->preset), "first_frame", (int)account->first_frame, "last_frame",
                (int)account->last_frame, "cycles", (json_int_t)cycles_of(account), "clock_mhz",
                (int)account->energy->clock_mhz, "units", sums_json(account, 0, CM_ENERGY_UNIT_COUNT),
                "groups", sums_json(account, CM_ENERGY_UNIT_COUNT, NUM_SUMS));
   json_object_set_new(object, "missing", missing(account) ? json_string(missing(account)) : json_null());
   if (explain)
      json_object_set_new(object, "terms", terms_json(account));
   return object;
}

void
energy_report_json(const struct energy_account *accounts, unsigned count, bool explain)
{
   json_t *root = json_array();
   for (unsigned a = 0; a < count; a++)
      json_array_append_new(root, account_json(&accounts[a], explain));
   output_json(root, 2, stdout);
}
