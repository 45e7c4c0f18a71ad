/* SPDX-License-Identifier: MIT */
/**
 * Units on the access stream: what stands before a shared cache and turns the stream of accesses into another, such as
 * a victim buffer or a prefetcher. Keys access_units.<name>.* configure them (config/access_unit_config.h); several
 * stand one behind another in the order of CM_ACCESS_UNITS.
 *
 * A unit takes the entries a batch at a time, appends those that go on to its next stream, and counts. Entries that do
 * not concern it go on as they are, in order.
 */
#ifndef CM_ACCESS_UNIT_H
#define CM_ACCESS_UNIT_H

#include <stddef.h>

#include "access/arrivals.h"
#include "config/access_unit_config.h"
#include "stats/counters.h"

/** Events that a unit counts at most. */
#define CM_ACCESS_UNIT_EVENTS 16

/** A unit of a simulated GPU. */
struct cm_access_unit {
   const struct cm_access_unit_kind *kind;
   struct cm_access_unit_config config;
   struct cm_arrivals arrivals; /**< decodes the accesses to the cache that it stands before */
   struct cm_access_stream next;
   uint64_t counts[CM_ACCESS_UNIT_EVENTS]; /**< by the kind's events */
   uint32_t used;                          /**< entries of `slots` that hold something */
   cm_entry *slots; /**< config.entries of them, 0 at the beginning; what they hold is the kind's matter */
};

/** What a unit's events take, for energy/: an access to its array for each. */
struct cm_access_unit_energy {
   const char *what; /**< "look-ups: reads" */
   uint32_t events;  /**< a bit for each event that is counted */
   bool is_write;    /**< a write, else a read */
};

/** What a unit is. All members are needed: cm_access_unit_check. */
struct cm_access_unit_kind {
   const char *name, *description;
   /** Takes entries, which are valid during the call. */
   void (*take)(struct cm_access_unit *unit, const cm_entry *entries, uint32_t count);
   const struct cm_counter_text *events; /**< counters <name>.<event> */
   uint32_t num_events;                  /**< up to CM_ACCESS_UNIT_EVENTS */
   const struct cm_access_unit_energy *energy;
   uint32_t num_energy;
   uint32_t
      entry_bytes; /**< bytes of an entry in its array, whose energy and leakage are those of this size */
   uint32_t ports; /**< accesses that can begin in a cycle; its latency is a key */
};

/** Kinds by enum cm_access_unit_number. */
extern const struct cm_access_unit_kind *const cm_access_unit_kinds[CM_ACCESS_UNIT_COUNT];

/** Whether a kind has all that a unit needs: counters, energy and time; if not, what it lacks. */
bool cm_access_unit_check(const struct cm_access_unit_kind *kind, char *error, size_t error_size);

/** Puts a unit behind `before`, whose entries it takes from now on; who took them takes what the unit passes on.
 * block_shift: binary logarithm of the bytes of the blocks of the cache config->before. The kind must be complete
 * (cm_access_unit_check). False when out of memory. */
bool cm_access_unit_init(struct cm_access_unit *unit, const struct cm_access_unit_kind *kind,
                         const struct cm_access_unit_config *config, unsigned block_shift,
                         struct cm_access_stream *before);
void cm_access_unit_finish(struct cm_access_unit *unit);

#endif
