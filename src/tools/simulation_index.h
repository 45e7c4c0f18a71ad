/* SPDX-License-Identifier: MIT */
/** index.json beside the directories of several simulations: which configuration is in which. */
#ifndef SIMULATION_INDEX_H
#define SIMULATION_INDEX_H

#include "simulation.h"

/** Writes OUT/index.json. Entries of an earlier index are kept if their directories still exist. Exits
 * with a message if it cannot be written. */
void simulation_index_write(const char *out, const char *recording, const struct simulation *simulations,
                            unsigned count);

#endif
