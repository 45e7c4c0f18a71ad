/* SPDX-License-Identifier: MIT */
/**
 * The table of a configuration's counters: which there are, in which order, what they mean. Values are arrays of
 * uint64_t in the table's order. The folders that count decide which counters there are: each has a
 * cm_counter_source for each kind of counter, and gpu/counters.h has the order of all.
 */
#ifndef CM_COUNTERS_H
#define CM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct cm_config;
struct cm_counter;
struct cm_counter_table;

/** A kind of counter, by its owner: how its counters are listed and read. */
struct cm_counter_source {
   /** Appends the counters that a configuration has (cm_counter_table_append). False when out of memory. */
   bool (*list)(const struct cm_config *config, struct cm_counter_table *table);
   /** A counter's value. unit: the object that counts, of the type that the source's declaration names. NULL: the
    * counters are computed from the others when these have been read. */
   uint64_t (*read)(const void *unit, const struct cm_counter *counter);
};

/** One counter. */
struct cm_counter {
   char name[64];
   const char *measure; /**< unit of measure: "accesses", "blocks", "bytes" … */
   char description[192];
   /* Where it belongs; what a report groups by. */
   const struct cm_counter_source *source;
   int unit;     /**< enum cm_unit; -1: none, the source is no cache or memory */
   int instance; /**< -1: the sum of the unit's instances */
   int stream;   /**< enum cm_stream; -1: total over the streams, and where there is no unit */
   int event;    /**< what of it: the source's own number */
};

struct cm_counter_table {
   uint32_t count;
   struct cm_counter *counters;
};

/** The table of a configuration: the counters of these sources, one after another. NULL when out of memory. */
struct cm_counter_table *
cm_counter_table_create(const struct cm_config *config, const struct cm_counter_source *const *sources,
                        unsigned num_sources);
void cm_counter_table_destroy(struct cm_counter_table *table);

/** Index of a counter by its name, or -1. A linear search: not for hot paths. */
int cm_counter_table_find(const struct cm_counter_table *table, const char *name);

/* ---- for cm_counter_source.list ---------------------------------------- */

/** Appends a counter without a unit, whose name and description the caller fills in; valid until the next one. NULL
 * when out of memory. */
struct cm_counter *cm_counter_table_append(struct cm_counter_table *table, int event, const char *measure);

/** What is said of a counter. */
struct cm_counter_text {
   const char *name, *measure, *description;
};
/** From a list's X(identifier, name, unit of measure, description). */
#define CM_COUNTER_TEXT(id, name, measure, description) {name, measure, description},

/** Appends counters without a unit, whose events count from first_event. Names and descriptions begin alike. */
bool
cm_counter_table_append_texts(struct cm_counter_table *table, const struct cm_counter_text *texts, int count,
                              int first_event, const char *name_prefix, const char *description_prefix);

#endif
