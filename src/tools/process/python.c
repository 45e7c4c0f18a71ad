/* SPDX-License-Identifier: MIT */
#include "process/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/stages.h"
#include "tools.h"

/* Waits for a process that has been started, or not. */
static int
finish(struct process *process, int error, const char *program, const char *remedy)
{
   if (error)
      fail(process_explain(program, "", error), "%s", remedy);
   const int status = stages_wait(process);
   process_end_by(process_interrupted());
   process_explain_signal(program, status);
   return status;
}

int
run_to_end(char *const argv[], const struct process_setup *setup, const char *remedy)
{
   struct process process;
   fflush(stdout);
   const int error = process_start(&process, argv, setup);
   return finish(&process, error, argv[0], remedy);
}

int
python_start(struct process *process, const char *module, char *const arguments[],
             const struct process_setup *setup)
{
   const char *inherited = getenv("PYTHONPATH");
   const struct variable variables[] = {
      {"PYTHONPATH", inherited && *inherited ? text("%s:%s", python_directory(), inherited)
                                             : text("%s", python_directory())},
      {"TBRSIM", text("%s", command_path())},
   };
   struct process_setup ours = *setup;
   ours.variables = variables;
   ours.num_variables = sizeof variables / sizeof *variables;
   char *const start[] = {PYTHON, "-P", "-B", "-m", (char *)module};
   const unsigned num_start = sizeof start / sizeof *start;
   unsigned count = 0;
   while (arguments[count])
      count++;
   char **argv = allocate((num_start + count + 1) * sizeof(*argv));
   memcpy(argv, start, sizeof start);
   memcpy(argv + num_start, arguments, count * sizeof(*argv));
   fflush(stdout);
   const int error = process_start(process, argv, &ours);
   free(argv);
   return error;
}

int
python_run(const char *module, char *const arguments[])
{
   struct process process;
   const int error =
      python_start(&process, module, arguments, &(struct process_setup){.output = OUTPUT_SHARED});
   return finish(&process, error, PYTHON, "that takes the Debian package python3");
}
