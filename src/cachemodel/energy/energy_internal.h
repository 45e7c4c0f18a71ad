/* SPDX-License-Identifier: MIT */
/** What the parts of energy/ share: how an account is made. */
#ifndef CM_ENERGY_INTERNAL_H
#define CM_ENERGY_INTERNAL_H

#include "energy/energy.h"
#include "energy/energy_table.h"

/** Keys of energy.* are in fJ, terms in zJ. */
#define CM_ZEPTOJOULES_PER_FEMTOJOULE 1000000u

/** What the names of the DRAM system's counters begin with. */
#define CM_ENERGY_DRAM_COUNTERS "dram_system."

struct cm_energy_builder {
   const struct cm_config *config;
   const struct cm_counter_table *table;
   struct cm_energy *energy;
   char *error;
   size_t error_size;
};

/** Appends a dynamic term without counters, each counted once, to be filled in; valid until the next
 * one. unit is an enum cm_unit or cm_energy_unit. NULL and a message when out of memory. */
struct cm_energy_term *cm_energy_add(struct cm_energy_builder *builder, int unit, const char *format, ...)
   __attribute__((format(printf, 3, 4)));

/** Whether a counter is in the table. Without a table, to check whether an account can be made: true. */
bool cm_energy_has_counter(const struct cm_energy_builder *builder, const char *name);

/** Adds a counter, which must be in the table, to a term's events. */
void cm_energy_count(const struct cm_energy_builder *builder, struct cm_energy_term *term, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/** Appends a dynamic term: the sum of counters, times `times`, of `energy` each. counters: names in the table, a space
 * between them; those after a '-' are subtracted, and come last. NULL and a message when out of memory. */
struct cm_energy_term *
cm_energy_add_events(struct cm_energy_builder *builder, int unit, const char *what, const char *counters,
                     uint32_t times, uint64_t energy, const char *note);

/** Like cm_energy_table_find, for the configuration's technology and cell. `what` is for the message: "caches.l2". */
bool cm_energy_find(struct cm_energy_builder *builder, const char *what, const struct cm_array_shape *shape,
                    struct cm_array_lookup *lookup);

/** The same for memory without tags, of so many bytes and with a port of so many bits. */
bool cm_energy_find_ram(struct cm_energy_builder *builder, const char *what, uint64_t bytes,
                        uint32_t port_bits, struct cm_array_lookup *lookup);

/** Writes where the number of a key energy.<key> comes from: the configuration, whose comment names the source. */
void cm_energy_note_key(const struct cm_energy_builder *builder, const char *key, char *note, size_t size);

/** Appends the leakage of so many equal parts, each a `what` (each: fW). */
bool cm_energy_add_leakage(struct cm_energy_builder *builder, int unit, uint32_t count, const char *what,
                           uint64_t leakage, const char *note);

/** energy_caches.c: the configured caches. */
bool cm_energy_add_caches(struct cm_energy_builder *builder);
/** energy_dram.c: main memory, where its system is simulated. */
bool cm_energy_add_dram(struct cm_energy_builder *builder);
/** energy_nuca.c: what is between the texture caches of a NUCA. */
bool cm_energy_add_nuca(struct cm_energy_builder *builder);
/** energy_pipeline.c: processors, fixed-function units, buffers on chip. */
bool cm_energy_add_pipeline(struct cm_energy_builder *builder);
/** energy_queues.c: the queues between stages, where their items are counted. */
bool cm_energy_add_queues(struct cm_energy_builder *builder);

#endif
