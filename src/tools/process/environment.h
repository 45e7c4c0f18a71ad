/* SPDX-License-Identifier: MIT */
/** The environment that puts a GL program on one of the drivers of our Mesa. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include "options.h"

/** One variable. */
struct variable {
   const char *name;
   char *value; /**< NULL: taken out of the environment */
};

#define MAX_VARIABLES 40

/** Directory of the presets: TBRSIM_CONFIG_DIR if that is set, else the one that
 * belongs to this command. */
const char *presets_directory(void);

/** Directory of the Python package that belongs to this command, and the command's own file. */
const char *python_directory(void);
const char *command_path(void);

/** A file that is installed with the command, next to the presets; the caller frees it. */
char *data_path(const char *name);

/** What is in the directory of the programs that the command runs; the caller frees it. */
char *program_path(const char *name);

/** Fills in the variables for a Gallium driver ("tbrsim", "llvmpipe", "softpipe");
 * returns how many. Exits if Mesa's libraries are not with it.
 * frames ("A-B") are those simulated; NULL: all. */
unsigned environment_variables(struct variable variables[MAX_VARIABLES], const char *driver,
                               const struct options *options, const char *frames);

/** Puts them into this process' environment. */
void environment_apply(const struct variable *variables, unsigned count);

/** The environment as the system's own programs need it (the X server must load
 * the system's Mesa, not ours): takes out what environment_apply may have put in,
 * and what is to be preloaded into the program that draws. */
void environment_remove(void);

#endif
