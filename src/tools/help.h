/* SPDX-License-Identifier: MIT */
/** Prints a command line's help: for a reader, as a manual page, for a shell that completes words. All come from the same
 * tables. */
#ifndef HELP_H
#define HELP_H

#include <stdio.h>

#include "command_line.h"

enum help_form {
   HELP_TEXT,
   HELP_MAN, /**< a page of man(7), section 1 */
   HELP_OPTIONS, /**< a line for each option, "--name<TAB>VALUE<TAB>what it is for", or for each command, with its name */
   HELP_FORMS,
};

/** A subcommand. */
struct command {
   const char *name, *summary;
   int (*run)(int argc, char **argv); /**< argv[0] is the name; returns the exit status */
};

/** All subcommands, and how many (main.c). */
extern const struct command commands[];
extern const unsigned num_commands;

/** The form that the value of --help names; NULL: text. Exits if there is none of that name. */
enum help_form help_form(const char *value);

/** Prints the help of a subcommand to standard output. */
void help_print(const struct command_line *line, enum help_form form);

/** The same for the command as a whole. */
void help_print_all(enum help_form form);

/** The subcommands, a line each, for who names none. */
void help_print_commands(FILE *file);

#endif
