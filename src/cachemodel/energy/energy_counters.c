/* SPDX-License-Identifier: MIT */
/* Energy as counters: energy.<unit>.dynamic, … */
#include <stdio.h>

#include "energy/energy.h"
#include "energy/energy_internal.h"

#define CYCLES "gpu.cycles"

enum part {
   PART_DYNAMIC,
   PART_STATIC,
   PART_TOTAL, /* of groups */
   PART_COUNT,
};

static const char *const part_names[PART_COUNT] = {"dynamic", "static", "total"};

int
cm_energy_cycles_counter(const struct cm_counter_table *table)
{
   return cm_counter_table_find(table, CYCLES);
}

/* Of a unit, or of a group, whose numbers follow the units'. */
static bool
list_parts(struct cm_counter_table *table, int number)
{
   const bool is_group = number >= CM_ENERGY_UNIT_COUNT;
   const int group = number - CM_ENERGY_UNIT_COUNT;
   const char *name =
      is_group ? cm_energy_group_names[group] : cm_energy_unit_name((enum cm_energy_unit)number);
   const char *description = is_group ? cm_energy_group_descriptions[group]
                                      : cm_energy_unit_description((enum cm_energy_unit)number);
   for (int part = 0; part < (is_group ? PART_COUNT : PART_TOTAL); part++) {
      struct cm_counter *counter = cm_counter_table_append(table, number * PART_COUNT + part, "pJ");
      if (!counter)
         return false;
      snprintf(counter->name, sizeof counter->name, "energy.%s.%s", name, part_names[part]);
      snprintf(counter->description, sizeof counter->description, "%s energy of %s", part_names[part],
               description);
   }
   return true;
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   char error[512];
   if (!config->energy.technology || cm_energy_cycles_counter(table) < 0)
      return true;
   struct cm_energy *energy = cm_energy_create(config, table, error, sizeof error);
   bool ok = energy != NULL;
   for (int number = 0; ok && number < CM_ENERGY_UNIT_COUNT + CM_ENERGY_GROUP_COUNT; number++) {
      if (number >= CM_ENERGY_UNIT_COUNT || energy->has_unit[number])
         ok = list_parts(table, number);
   }
   cm_energy_destroy(energy);
   return ok;
}

const struct cm_counter_source cm_energy_counters = {list, NULL};

bool
cm_energy_is_counted(const struct cm_counter_table *table)
{
   /* They come last. */
   return table->count && table->counters[table->count - 1].source == &cm_energy_counters;
}

enum cm_energy_unit
cm_energy_dynamic_unit(const struct cm_counter *counter)
{
   const int number = counter->event / PART_COUNT;
   return number < CM_ENERGY_UNIT_COUNT && counter->event % PART_COUNT == PART_DYNAMIC
             ? (enum cm_energy_unit)number
             : CM_ENERGY_UNIT_COUNT;
}

static uint64_t
part_of(const struct cm_energy_sum *sum, int part)
{
   switch (part) {
   case PART_DYNAMIC: return sum->dynamic;
   case PART_STATIC: return sum->leakage;
   default: return sum->dynamic + sum->leakage;
   }
}

void
cm_energy_fill_in(const struct cm_energy *energy, const struct cm_counter_table *table, uint64_t *values)
{
   struct cm_energy_sums sums;
   cm_energy_sum_up(energy, values, values[cm_energy_cycles_counter(table)], &sums);
   for (uint32_t i = table->count; i > 0 && table->counters[i - 1].source == &cm_energy_counters; i--) {
      const int number = table->counters[i - 1].event / PART_COUNT;
      const struct cm_energy_sum *sum =
         number < CM_ENERGY_UNIT_COUNT ? &sums.units[number] : &sums.groups[number - CM_ENERGY_UNIT_COUNT];
      values[i - 1] = part_of(sum, table->counters[i - 1].event % PART_COUNT);
   }
}
