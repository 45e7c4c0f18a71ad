/* SPDX-License-Identifier: MIT */
#include "python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

#define PYTHON "/usr/bin/python3"

int
run_to_end(char *const argv[], const struct process_setup *setup, const char *remedy)
{
   struct process process;
   fflush(stdout);
   const int error = process_start(&process, argv, setup);
   if (error)
      fail(process_explain(argv[0], error), "%s", remedy);
   const int status = process_wait(&process);
   process_end_by(process_interrupted());
   return status;
}

int
python_run(const char *module, char *const arguments[])
{
   const char *inherited = getenv("PYTHONPATH");
   const struct variable variables[] = {
      {"PYTHONPATH", inherited && *inherited ? text("%s:%s", python_directory(), inherited)
                                             : text("%s", python_directory())},
      {"TBRSIM", text("%s", command_path())},
   };
   char *const start[] = {PYTHON, "-P", "-B", "-m", (char *)module};
   const unsigned num_start = sizeof start / sizeof *start;
   unsigned count = 0;
   while (arguments[count])
      count++;
   char **argv = allocate((num_start + count + 1) * sizeof(*argv));
   memcpy(argv, start, sizeof start);
   memcpy(argv + num_start, arguments, count * sizeof(*argv));
   const int status = run_to_end(argv, &(struct process_setup){.variables = variables, .num_variables = 2},
                                 "that takes the Debian package python3");
   free(argv);
   return status;
}
