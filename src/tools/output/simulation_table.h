/* SPDX-License-Identifier: MIT */
/** What a recording's simulations have counted, side by side. */
#ifndef SIMULATION_TABLE_H
#define SIMULATION_TABLE_H

#include "commands/simulation.h"

/** Prints the most important counters: a column a simulation, and its ratio to the first. */
void simulation_table_print(const struct simulation *simulations, unsigned count);

/** Print the sums of all counters that are not 0 in all simulations, by the names that stats.json has, on stdout: a line
 * a simulation, with a column for each key that is set; an object. */
void simulation_table_csv(const struct simulation *simulations, unsigned count);
void simulation_table_json(const struct simulation *simulations, unsigned count, const char *recording);

/** Writes OUT/index.json: which configuration's statistics are in which directory. Entries of an earlier index are kept if their directories still exist. Exits
 * with a message if it cannot be written. */
void simulation_index_write(const char *out, const char *recording, const struct simulation *simulations,
                            unsigned count);

#endif
