/* SPDX-License-Identifier: MIT */
/**
 * Units on the access stream: in front of a shared cache, they turn the stream of accesses into another, such as
 * a victim buffer or a prefetcher. Keys access_units.<name>.* configure them (config/access_unit_config.h);
 * several are chained in the order of CM_ACCESS_UNITS.
 *
 * A unit consumes the entries a batch at a time, appends those it passes on to its next stream, and counts.
 * Entries that do not concern it are passed on unchanged, in order. A read that a unit does not pass on has hit in
 * it; reads of other blocks that it adds are prefetches, for which nothing waits.
 */
#ifndef CM_ACCESS_UNIT_H
#define CM_ACCESS_UNIT_H

#include <stddef.h>

#include "access/arrivals.h"
#include "config/access_unit_config.h"
#include "stats/counters.h"

/** Most events of a unit. */
#define CM_ACCESS_UNIT_EVENTS 16
/** Most accesses that begin in a cycle: each is a slot of a calendar whose window is 4096 slots (timing/queues.h), which
 * must span more cycles than accesses are out of order. */
#define CM_ACCESS_UNIT_PORTS 8

/** A unit of a simulated GPU. */
struct cm_access_unit {
   const struct cm_access_unit_kind *kind;
   enum cm_access_unit_number number; /**< in reported entries */
   struct cm_access_unit_config config;
   struct cm_arrivals arrivals; /**< decodes the accesses to the cache after it */
   struct cm_access_stream next;
   struct cm_access_stream *reported; /**< gets a CM_ENTRY_UNIT_ACCESS for each access; NULL: not reported */
   uint64_t counts[CM_ACCESS_UNIT_EVENTS]; /**< by the kind's events */
   uint32_t used;                          /**< entries of `slots` in use */
   cm_entry *slots; /**< config.entries of them, 0 at the beginning; their contents depend on the kind */
   struct cm_origin *origins; /**< as many, for those of accesses that the unit keeps; 0 at the beginning */
   struct cm_origin origin;   /**< of the entries that it takes; 0 without attribution */
   /** Called when the unit has taken entries of one origin, with its counts before; NULL: not needed. */
   void (*counted)(void *context, const struct cm_access_unit *unit, const uint64_t *before);
   void *counted_context;
};

/** Energy of a unit's events, for energy/: an access to its array for each. */
struct cm_access_unit_energy {
   const char *what; /**< "look-ups: reads" */
   uint32_t events;  /**< a bit for each event that is counted */
   bool is_write;    /**< a write, else a read */
};

/** A kind of unit. All members are required: cm_access_unit_check. */
struct cm_access_unit_kind {
   const char *name, *description;
   /** Consumes entries, which are valid during the call and all of unit->origin: no CM_ENTRY_ORIGIN. */
   void (*take)(struct cm_access_unit *unit, const cm_entry *entries, uint32_t count);
   const struct cm_counter_text *events; /**< counters <name>.<event> */
   uint32_t num_events;                  /**< up to CM_ACCESS_UNIT_EVENTS */
   const struct cm_access_unit_energy *energy;
   uint32_t num_energy;
   uint32_t
      entry_bytes; /**< bytes of an entry in its array, whose energy and leakage are those of this size */
   uint32_t
      ports; /**< accesses that can begin in a cycle, up to CM_ACCESS_UNIT_PORTS; its latency is a key */
};

/** Kinds by enum cm_access_unit_number. */
extern const struct cm_access_unit_kind *const cm_access_unit_kinds[CM_ACCESS_UNIT_COUNT];

/** Whether a kind is complete: counters, energy and time; if not, error has what it lacks. */
bool cm_access_unit_check(const struct cm_access_unit_kind *kind, char *error, size_t error_size);

/** Passes on an access that the unit has kept, for the origin that it had. */
void cm_access_unit_append(struct cm_access_unit *unit, cm_entry entry, const struct cm_origin *origin);

/** Inserts a unit after `before`, whose entries it consumes from now on. The previous consumer of `before`
 * becomes the consumer of the unit's output. block_shift: binary logarithm of the bytes of the blocks of the
 * cache config->before. The kind must be complete (cm_access_unit_check). False when out of memory. */
bool cm_access_unit_init(struct cm_access_unit *unit, const struct cm_access_unit_kind *kind,
                         const struct cm_access_unit_config *config, unsigned block_shift,
                         struct cm_access_stream *before);
void cm_access_unit_finish(struct cm_access_unit *unit);

#endif
