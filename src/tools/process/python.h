/* SPDX-License-Identifier: MIT */
/** Programs of the Python package, which the command starts. */
#ifndef PYTHON_H
#define PYTHON_H

#include "process/process.h"

#define PYTHON "/usr/bin/python3" /**< Debian's: it finds Debian's modules */

/** Runs a program to its end, where a signal that ends it ends the command, too; its exit status. Exits with a message, and
 * remedy, if it cannot be started. */
int run_to_end(char *const argv[], const struct process_setup *setup, const char *remedy);

/** Runs a module ("tbrsim.report") of the package next to the command, which calls this command, to its end. Returns its exit
 * status. arguments: NULL follows the last. */
int python_run(const char *module, char *const arguments[]);

/** Only starts it: 0, or the error number of process_start, which gets the setup; its variables are ours. */
int python_start(struct process *process, const char *module, char *const arguments[],
                 const struct process_setup *setup);

#endif
