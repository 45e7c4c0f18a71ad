/* SPDX-License-Identifier: MIT */
/**
 * The energy of a simulated GPU: an account of terms, each a count of events times the energy of
 * one (dynamic), or a leakage times the time (static), that names its source. docs/energy.md says
 * what is counted and what is not.
 *
 * Everything is computed from counter values (gpu/counters.h) and cycles, afterwards: nothing is
 * added to an access. Energies of an event are whole zeptojoules, leakages whole femtowatts; a
 * term's energy is that of all its counts so far, rounded down to whole picojoules. So a frame's energy
 * is the difference of two such numbers: frames add up to the run, terms to their unit, and
 * units to their group, to the last digit.
 */
#ifndef CM_ENERGY_H
#define CM_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "stats/counters.h"

/** Units other than the caches and memory: X(identifier, name, group, description) */
#define CM_ENERGY_UNITS(X)                                                                              \
   X(MESH, "mesh", MEMORY_HIERARCHY, "links and routers between the texture caches")                    \
   X(TEXTURE_BUS, "texture_bus", MEMORY_HIERARCHY, "the bus between the texture caches and the L2")     \
   X(AFFINITY_TABLE, "affinity_table", MEMORY_HIERARCHY, "Affinity Tables, or the directory of d-nuca") \
   X(ACCESS_UNITS, "access_units", MEMORY_HIERARCHY, "units on the access stream: the victim buffer")   \
   X(COLOR_BUFFER, "color_buffer", GPU, "the tile's colours on chip")                                   \
   X(DEPTH_BUFFER, "depth_buffer", GPU, "the tile's depths on chip")                                    \
   X(VERTEX_STAGE, "vertex_stage", GPU, "the Vertex Processors")                                        \
   X(PRIMITIVE_ASSEMBLY, "primitive_assembly", GPU, "Primitive Assembly and setup")                     \
   X(TILING_ENGINE, "tiling_engine", GPU, "the Polygon List Builder and the Tile Fetcher")              \
   X(RASTERIZER, "rasterizer", GPU, "the Rasterizer, with the interpolation of attributes")             \
   X(EARLY_Z, "early_z", GPU, "the tests of depth")                                                     \
   X(FRAGMENT_STAGE, "fragment_stage", GPU, "the Fragment Processors")                                  \
   X(TEXTURE_UNIT, "texture_unit", GPU, "addressing and filtering of textures")                         \
   X(BLENDING, "blending", GPU, "the Blending Unit")                                                    \
   X(QUEUES, "queues", GPU, "the queues between stages")                                                \
   X(SIGNATURE_UNIT, "signature_unit", GPU,                                                             \
     "the Signature Unit and Signature Buffer of rendering elimination")

/** Where energy goes: first those of enum cm_unit, with the same numbers. */
enum cm_energy_unit {
   CM_ENERGY_LAST_OF_MEMORY = CM_UNIT_COUNT - 1,
#define CM_ENERGY_UNIT_ENUM(id, name, group, description) CM_ENERGY_##id,
   CM_ENERGY_UNITS(CM_ENERGY_UNIT_ENUM)
#undef CM_ENERGY_UNIT_ENUM
      CM_ENERGY_UNIT_COUNT
};

/** Sums over units, as the papers have them: X(identifier, name, description). A unit is in several. */
#define CM_ENERGY_GROUPS(X)                                                                               \
   X(MEMORY_HIERARCHY, "memory_hierarchy", "all caches, their interconnect, and main memory (TCOR II-D)") \
   X(GPU, "gpu", "everything on the chip, without main memory (\"DTM-NUCA\", Figure 10)")                 \
   X(SYSTEM, "system", "the GPU and main memory")

enum cm_energy_group {
#define CM_ENERGY_GROUP_ENUM(id, name, description) CM_ENERGY_GROUP_##id,
   CM_ENERGY_GROUPS(CM_ENERGY_GROUP_ENUM)
#undef CM_ENERGY_GROUP_ENUM
      CM_ENERGY_GROUP_COUNT
};

extern const char *const cm_energy_group_names[CM_ENERGY_GROUP_COUNT];
extern const char *const cm_energy_group_descriptions[CM_ENERGY_GROUP_COUNT];

const char *cm_energy_unit_name(enum cm_energy_unit unit);
const char *cm_energy_unit_description(enum cm_energy_unit unit);

/** Counters whose sum is a count. */
#define CM_ENERGY_MAX_COUNTERS 24

/** A line of the account. */
struct cm_energy_term {
   enum cm_energy_unit unit;
   bool is_static; /**< what is spent without any access: leakage, refresh, standby */
   bool by_time;   /**< leakage times time; else events times energy */
   char what[64];  /**< "reads", "line fills", "leakage of 4 instances" … */
   /** Events are (the sum of these counters, less the last num_minus of them) * times. */
   uint32_t counters[CM_ENERGY_MAX_COUNTERS]; /**< indices into the table */
   uint32_t num_counters, num_minus;
   uint32_t times;   /**< events for each that was counted */
   uint64_t energy;  /**< zJ (1e-21 J) of an event */
   uint64_t leakage; /**< fW */
   char note[320];   /**< the source of the number */
};

/** The account of a configuration. */
struct cm_energy {
   struct cm_energy_term *terms; /**< by unit, dynamic ones first */
   uint32_t num_terms;
   uint32_t clock_mhz;
   bool has_unit[CM_ENERGY_UNIT_COUNT]; /**< has terms */
};

/** Makes the account of a configuration that has energy, over its counters. Terms of operations that the
 * table does not count (those of the pipeline if timing is off) are missing. NULL and a
 * message when there are no figures for something, or out of memory. */
struct cm_energy *cm_energy_create(const struct cm_config *config, const struct cm_counter_table *table,
                                   char *error, size_t error_size);
void cm_energy_destroy(struct cm_energy *energy);

/** Events of a term that is not by_time; value: of a counter of the table, by its number there. */
uint64_t
cm_energy_count_events(const struct cm_energy_term *term,
                       uint64_t (*value)(const void *context, uint32_t counter), const void *context);
/** The same by counter values in the table's order. */
uint64_t cm_energy_term_events(const struct cm_energy_term *term, const uint64_t *values);

/** Energy of so many events of a term that is not by_time, in pJ, rounded down. */
uint64_t cm_energy_of_events(const struct cm_energy_term *term, uint64_t events);

/** Energy of a term in pJ, rounded down: of what was counted, or of so many cycles of the GPU. */
uint64_t cm_energy_term_total(const struct cm_energy *energy, const struct cm_energy_term *term,
                              const uint64_t *values, uint64_t cycles);

/** Dynamic and static energy in pJ. */
struct cm_energy_sum {
   uint64_t dynamic, leakage;
};

struct cm_energy_sums {
   struct cm_energy_sum units[CM_ENERGY_UNIT_COUNT];
   struct cm_energy_sum groups[CM_ENERGY_GROUP_COUNT];
};

/** Keys energy.*: whether there are figures for the GPU's technology. */
bool cm_energy_config_check(const struct cm_config *config, struct cm_config_problem *problem);

/** Cycles of a hit of the L2 as configured: its array's access time (energy_table.h) in whole cycles, and
 * CM_L2_OTHER_CYCLES besides, for the way there and back. False, with a line in error, where there are no figures. */
bool cm_energy_find_latency(const struct cm_config *config, uint32_t *cycles, char *error, size_t error_size);
/** What TCOR's 12 cycles (Table I: 1 MiB, 8 ways, 600 MHz, 32 nm) leave beside an access time of 3.57 ns. */
#define CM_L2_OTHER_CYCLES 9

/** Adds up all terms. */
void cm_energy_sum_up(const struct cm_energy *energy, const uint64_t *values, uint64_t cycles,
                      struct cm_energy_sums *sums);

/** Whether all of a unit's dynamic energy follows from these counters (by the table's order). */
bool cm_energy_is_made_of(const struct cm_energy *energy, enum cm_energy_unit unit, const bool *counters);

/* ---- as counters ------------------------------------------------------- */

/** The unit whose dynamic energy a counter of energy is; CM_ENERGY_UNIT_COUNT: it is of another kind, or of a group. */
enum cm_energy_unit cm_energy_dynamic_unit(const struct cm_counter *counter);

/** Index of the counter of the GPU's cycles, or -1. */
int cm_energy_cycles_counter(const struct cm_counter_table *table);

/** Whether a table has counters of energy: where the configuration has energy, and cycles are counted. */
bool cm_energy_is_counted(const struct cm_counter_table *table);

/** Listed after all others, if there are any; set by cm_energy_fill_in. */
extern const struct cm_counter_source cm_energy_counters;

/** Sets the counters of energy by the values of the others. */
void
cm_energy_fill_in(const struct cm_energy *energy, const struct cm_counter_table *table, uint64_t *values);

#endif
