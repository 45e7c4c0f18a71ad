/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "environment.h"
#include "options.h"
#include "results.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim env [OPTIONS]\n"
   "\n"
   "Prints the environment that puts GL and GLES programs on the simulated GPU, as\n"
   "shell commands:  eval \"$(tbrsim env --out results)\"\n"
   "Results of all that is started with it add up, each process' in a folder of its own,\n"
   "which OUT/processes.csv lists; with the first of them those of earlier runs go.\n"
   "Without --out no statistics are written. No X server is started.\n"
   "\n" COMMON_OPTIONS_HELP "\n" RECORD_OPTION_HELP DRIVER_OPTION_HELP "  --help                   this text";

static const struct option long_options[] = {
   COMMON_LONG_OPTIONS,
   {"driver", required_argument, NULL, OPTION_DRIVER},
   RECORD_LONG_OPTIONS,
   {NULL, 0, NULL, 0},
};

/* In single quotes nothing is special to a shell but the quote itself. */
static void
print_quoted(const char *value)
{
   putchar('\'');
   for (; *value; value++) {
      if (*value == '\'')
         fputs("'\\''", stdout);
      else
         putchar(*value);
   }
   putchar('\'');
}

int
command_env(int argc, char **argv)
{
   struct options options;
   struct operands operands = {0};

   options_start(&options);
   options_next_anywhere(&options, &operands, argc, argv, long_options, help);
   if (operands.count)
      fail(STATUS_USAGE, "'%s': tbrsim env takes no arguments; did you mean tbrsim run?", operands.list[0]);
   options_finish_live(&options);
   results_say_none(&options);
   results_prepare(&options);

   struct variable variables[MAX_VARIABLES];
   unsigned count = environment_variables(variables, options.driver, &options, NULL);
   for (unsigned v = 0; v < count; v++) {
      if (!variables[v].value) {
         printf("unset %s\n", variables[v].name);
         continue;
      }
      printf("export %s=", variables[v].name);
      print_quoted(variables[v].value);
      putchar('\n');
   }
   return STATUS_OK;
}
