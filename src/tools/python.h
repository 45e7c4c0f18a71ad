/* SPDX-License-Identifier: MIT */
/** Programs of the Python package, which the command starts. */
#ifndef PYTHON_H
#define PYTHON_H

#include "process.h"

/** Runs a program to its end, where a signal that ends it ends the command, too; its exit status. Exits with a message, and
 * remedy, if it cannot be started. */
int run_to_end(char *const argv[], const struct process_setup *setup, const char *remedy);

/** Runs a module ("tbrsim.report") of the package that is beside the command, which calls this command, to its end; its exit
 * status. arguments: NULL is behind the last. */
int python_run(const char *module, char *const arguments[]);

#endif
