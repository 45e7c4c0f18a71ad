/* SPDX-License-Identifier: MIT */
/** What a recording's simulations have counted, side by side. */
#ifndef SIMULATION_TABLE_H
#define SIMULATION_TABLE_H

#include "simulation.h"

/** Prints the most important counters: a column a simulation, and its ratio to the first. */
void simulation_table_print(const struct simulation *simulations, unsigned count);

#endif
