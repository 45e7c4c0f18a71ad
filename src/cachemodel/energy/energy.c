/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy.h"
#include "energy/energy_internal.h"
#include "util/array.h"

#define UNIT_NAME(id, name, group, description) name,
static const char *const names[] = {CM_ENERGY_UNITS(UNIT_NAME)};
#define UNIT_DESCRIPTION(id, name, group, description) description,
static const char *const descriptions[] = {CM_ENERGY_UNITS(UNIT_DESCRIPTION)};
#define UNIT_GROUP(id, name, group, description) CM_ENERGY_GROUP_##group,
static const enum cm_energy_group unit_groups[] = {CM_ENERGY_UNITS(UNIT_GROUP)};

#define GROUP_NAME(id, name, description) name,
const char *const cm_energy_group_names[CM_ENERGY_GROUP_COUNT] = {CM_ENERGY_GROUPS(GROUP_NAME)};
#define GROUP_DESCRIPTION(id, name, description) description,
const char *const cm_energy_group_descriptions[CM_ENERGY_GROUP_COUNT] = {CM_ENERGY_GROUPS(GROUP_DESCRIPTION)};

const char *
cm_energy_unit_name(enum cm_energy_unit unit)
{
   assert((int)unit < CM_UNIT_COUNT + (int)(sizeof names / sizeof names[0]));
   return (int)unit < CM_UNIT_COUNT ? cm_unit_names[unit] : names[unit - CM_UNIT_COUNT];
}

const char *
cm_energy_unit_description(enum cm_energy_unit unit)
{
   return (int)unit < CM_UNIT_COUNT ? cm_unit_descriptions[unit] : descriptions[unit - CM_UNIT_COUNT];
}

static bool
is_in(enum cm_energy_unit unit, enum cm_energy_group group)
{
   switch (group) {
   case CM_ENERGY_GROUP_MEMORY_HIERARCHY:
      return (int)unit < CM_UNIT_COUNT || unit_groups[unit - CM_UNIT_COUNT] == group;
   case CM_ENERGY_GROUP_GPU: return (int)unit != CM_UNIT_DRAM;
   default: return true;
   }
}

/* ---- numbers ----------------------------------------------------------- */

/* Counts and energies of an event have up to 64 bits each. */
__extension__ typedef unsigned __int128 wide;

#define ZEPTOJOULES_PER_PICOJOULE 1000000000u
/* fW * cycles / (MHz * 1e6 / s) = fJ / 1e6; 1e3 fJ are a pJ. */
#define FEMTOWATT_CYCLES_PER_PICOJOULE 1000000000u /* at 1 MHz */

uint64_t
cm_energy_count_events(const struct cm_energy_term *term,
                       uint64_t (*value)(const void *context, uint32_t counter), const void *context)
{
   assert(term->num_minus <= term->num_counters && term->num_counters <= CM_ENERGY_MAX_COUNTERS);
   uint64_t sum = 0;
   const uint32_t first_minus = term->num_counters - term->num_minus;
   for (uint32_t i = 0; i < term->num_counters; i++) {
      const uint64_t counted = value(context, term->counters[i]);
      sum += i < first_minus ? counted : -counted;
   }
   return sum * term->times;
}

static uint64_t
listed_value(const void *values, uint32_t counter)
{
   return ((const uint64_t *)values)[counter];
}

uint64_t
cm_energy_term_events(const struct cm_energy_term *term, const uint64_t *values)
{
   return cm_energy_count_events(term, listed_value, values);
}

uint64_t
cm_energy_of_events(const struct cm_energy_term *term, uint64_t events)
{
   return (uint64_t)((wide)events * term->energy / ZEPTOJOULES_PER_PICOJOULE);
}

uint64_t
cm_energy_term_total(const struct cm_energy *energy, const struct cm_energy_term *term,
                     const uint64_t *values, uint64_t cycles)
{
   assert(energy->clock_mhz || !term->by_time);
   if (term->by_time)
      return (uint64_t)((wide)term->leakage * cycles /
                        ((wide)energy->clock_mhz * FEMTOWATT_CYCLES_PER_PICOJOULE));
   return cm_energy_of_events(term, cm_energy_term_events(term, values));
}

static void
add(struct cm_energy_sum *sum, bool is_static, uint64_t energy)
{
   *(is_static ? &sum->leakage : &sum->dynamic) += energy;
}

void
cm_energy_sum_up(const struct cm_energy *energy, const uint64_t *values, uint64_t cycles,
                 struct cm_energy_sums *sums)
{
   memset(sums, 0, sizeof *sums);
   for (uint32_t t = 0; t < energy->num_terms; t++) {
      const struct cm_energy_term *term = &energy->terms[t];
      const uint64_t total = cm_energy_term_total(energy, term, values, cycles);
      add(&sums->units[term->unit], term->is_static, total);
      for (int group = 0; group < CM_ENERGY_GROUP_COUNT; group++) {
         if (is_in(term->unit, (enum cm_energy_group)group))
            add(&sums->groups[group], term->is_static, total);
      }
   }
}

bool
cm_energy_is_made_of(const struct cm_energy *energy, enum cm_energy_unit unit, const bool *counters)
{
   bool is = false;
   for (uint32_t t = 0; t < energy->num_terms; t++) {
      const struct cm_energy_term *term = &energy->terms[t];
      if (term->unit != unit || term->is_static)
         continue;
      is = true;
      for (uint32_t c = 0; c < term->num_counters; c++) {
         if (term->by_time || !counters[term->counters[c]])
            return false;
      }
   }
   return is;
}

/* ---- making it --------------------------------------------------------- */

struct cm_energy_term *
cm_energy_add(struct cm_energy_builder *builder, int unit, const char *format, ...)
{
   assert(unit >= 0 && unit < CM_ENERGY_UNIT_COUNT);
   struct cm_energy *energy = builder->energy;
   if (!cm_array_grow(&energy->terms, energy->num_terms, sizeof *energy->terms)) {
      snprintf(builder->error, builder->error_size, "out of memory");
      return NULL;
   }
   struct cm_energy_term *term = &energy->terms[energy->num_terms++];
   *term = (struct cm_energy_term){.unit = (enum cm_energy_unit)unit, .times = 1};
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(term->what, sizeof term->what, format, arguments);
   va_end(arguments);
   energy->has_unit[unit] = true;
   return term;
}

bool
cm_energy_has_counter(const struct cm_energy_builder *builder, const char *name)
{
   return !builder->table || cm_counter_table_find(builder->table, name) >= 0;
}

void
cm_energy_count(const struct cm_energy_builder *builder, struct cm_energy_term *term, const char *format, ...)
{
   if (!builder->table)
      return;
   char name[64];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(name, sizeof name, format, arguments);
   va_end(arguments);
   const int counter = cm_counter_table_find(builder->table, name);
   assert(counter >= 0 && term->num_counters < CM_ENERGY_MAX_COUNTERS);
   term->counters[term->num_counters++] = (uint32_t)counter;
}

struct cm_energy_term *
cm_energy_add_events(struct cm_energy_builder *builder, int unit, const char *what, const char *counters,
                     uint32_t times, uint64_t energy, const char *note)
{
   struct cm_energy_term *term = cm_energy_add(builder, unit, "%s", what);
   if (!term)
      return NULL;
   for (const char *name = counters; *name; name += strspn(name, " ")) {
      const bool is_minus = *name == '-';
      const int length = (int)strcspn(name += is_minus, " ");
      cm_energy_count(builder, term, "%.*s", length, name);
      term->num_minus += is_minus;
      name += length;
   }
   term->times = times;
   term->energy = energy;
   snprintf(term->note, sizeof term->note, "%s", note);
   return term;
}

bool
cm_energy_find(struct cm_energy_builder *builder, const char *what, const struct cm_array_shape *shape,
               struct cm_array_lookup *lookup)
{
   char message[256];
   struct cm_array_shape complete = *shape;
   complete.technology = builder->config->energy.technology;
   complete.cell = builder->config->energy.cell;
   if (cm_energy_table_find(&complete, lookup, message, sizeof message))
      return true;
   snprintf(builder->error, builder->error_size, "for %s there is %s", what, message);
   return false;
}

bool
cm_energy_find_ram(struct cm_energy_builder *builder, const char *what, uint64_t bytes, uint32_t port_bits,
                   struct cm_array_lookup *lookup)
{
   const struct cm_array_shape shape = {.kind = CM_ARRAY_RAM,
                                        .size = bytes,
                                        .ways = 1,
                                        .bus_bits = port_bits};
   return cm_energy_find(builder, what, &shape, lookup);
}

void
cm_energy_note_key(const struct cm_energy_builder *builder, const char *key, char *note, size_t size)
{
   static const struct {
      const char *name, *description;
   } keys[] = {
#define KEY(member, description) {#member, description},
      CM_ENERGY_KEYS(KEY)
#undef KEY
         {"texture_bus_byte", CM_TEXTURE_BUS_BYTE_DESCRIPTION},
   };
   for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
      if (strcmp(keys[k].name, key) == 0)
         snprintf(note, size, "energy.%s of %s, with its source there: %s", key, builder->config->name,
                  keys[k].description);
   }
}

bool
cm_energy_add_leakage(struct cm_energy_builder *builder, int unit, uint32_t count, const char *what,
                      uint64_t leakage, const char *note)
{
   struct cm_energy_term *term = count > 1 ? cm_energy_add(builder, unit, "leakage of %u %ss", count, what)
                                           : cm_energy_add(builder, unit, "leakage of the %s", what);
   if (!term)
      return false;
   term->is_static = term->by_time = true;
   term->leakage = leakage * count;
   snprintf(term->note, sizeof term->note, "%s", note);
   return true;
}

struct cm_energy *
cm_energy_create(const struct cm_config *config, const struct cm_counter_table *table, char *error,
                 size_t error_size)
{
   struct cm_energy *energy = calloc(1, sizeof *energy);
   struct cm_energy_builder builder = {
      .config = config, .table = table, .energy = energy, .error = error, .error_size = error_size};
   if (!energy)
      snprintf(error, error_size, "out of memory");
   if (energy && cm_energy_add_caches(&builder) && cm_energy_add_dram(&builder) &&
       cm_energy_add_nuca(&builder) && cm_energy_add_pipeline(&builder) && cm_energy_add_queues(&builder)) {
      energy->clock_mhz = config->clock_mhz;
      return energy;
   }
   cm_energy_destroy(energy);
   return NULL;
}

void
cm_energy_destroy(struct cm_energy *energy)
{
   if (!energy)
      return;
   free(energy->terms);
   free(energy);
}

/* Whether the account can be made; if not, a message. */
static bool
is_possible(const struct cm_config *config, char *error, size_t error_size)
{
   struct cm_energy *energy = cm_energy_create(config, NULL, error, error_size);
   cm_energy_destroy(energy);
   return energy != NULL;
}

bool
cm_energy_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_energy_config *energy = &config->energy;
   cm_config_about(problem, "energy.technology");
   if (!energy->technology)
      return true;
   if (!cm_energy_table_has_technology(energy->technology))
      return cm_config_wrong(
         problem,
         "%u is no technology of the table of arrays, expected 22, 32, 45, 65 or 90, or 0 for no energy",
         energy->technology);
   cm_config_about(problem, "energy.cell");
   if (energy->cell == CM_CELL_NONE)
      return cm_config_wrong(problem, "none, expected itrs-lstp or itrs-hp");
   char message[320];
   cm_config_about(problem, "energy.technology");
   return !cm_config_counts_operations(config) || is_possible(config, message, sizeof message) ||
          cm_config_wrong(problem, "%u, but %s", energy->technology, message);
}
