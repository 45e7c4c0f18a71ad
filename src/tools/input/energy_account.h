/* SPDX-License-Identifier: MIT */
/** The energy of finished simulations, from their stats.json. */
#ifndef ENERGY_ACCOUNT_H
#define ENERGY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "energy/energy.h"
#include "stats/counters.h"

/** How to evaluate statistics. */
struct energy_options {
   const char *frames; /**< as given; NULL: all */
   const char *cycles; /**< as given: cycles of these frames; NULL: those that were simulated */
   const char *config; /**< whose keys energy.* to use; NULL: the statistics' own */
   char **settings;    /**< changes of keys energy.* */
   unsigned num_settings;
};

/** Some frames of a simulation. */
struct energy_account {
   const char *path;         /**< of its stats.json */
   const char *preset;       /**< its configuration's name */
   struct cm_config *config; /**< with the keys energy.* that are used, and the name of their origin */
   struct cm_counter_table *table;
   struct cm_energy *energy;
   unsigned first_frame, last_frame, num_frames; /**< of the file, from 0 */
   /** Counter values and cycles of all frames before the first, and of all up to the last. */
   uint64_t *before, *after;
   uint64_t cycles_before, cycles_after;
   struct cm_energy_sums sums; /**< of the frames */
};

/** Reads a stats.json, or that of a directory. Exits with a message if there is none, or if it does not
 * have what energy needs. */
void
energy_account_load(struct energy_account *account, const char *path, const struct energy_options *options);

/** Events and energy (pJ) of a term in the frames. */
uint64_t energy_account_events(const struct energy_account *account, const struct cm_energy_term *term);
uint64_t energy_account_total(const struct energy_account *account, const struct cm_energy_term *term);

/** Print one or several: sums, and with explain each term; as text or as JSON. */
void energy_report_text(const struct energy_account *accounts, unsigned count, bool explain);
void energy_report_json(const struct energy_account *accounts, unsigned count, bool explain);

#endif
