/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "process/environment.h"
#include "options.h"
#include "input/results.h"
#include "tools.h"

static const char description[] =
   "Prints shell commands that set up the environment to run any OpenGL ES or OpenGL program on\n"
   "the simulated GPU:  eval \"$(tbrsim env --out results)\"\n"
   "Each process has a folder of its own in OUT, and OUT/processes.csv lists them. The first\n"
   "process replaces the results of earlier runs. Without --out no statistics are written.\n"
   "No X server is started: without a display, EGL needs EGL_PLATFORM=surfaceless, or the\n"
   "program runs under xvfb-run. tbrsim parquet OUT converts the tables to Parquet afterwards.\n";

static bool
is_set(const char *variable)
{
   const char *value = getenv(variable);
   return value && *value;
}

/* Not set for the shell: with it programs could not open a window, under an X server that is started later. */
static void
say_without_display(void)
{
   if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("EGL_PLATFORM"))
      say("no DISPLAY and no WAYLAND_DISPLAY: EGL's default display needs EGL_PLATFORM=surfaceless, or an X "
          "server (xvfb-run)");
}

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
   options_start(&options);
   const struct command_line line = {
      .usage = "tbrsim env [OPTIONS]",
      .description = description,
      .groups = {CONFIG_OPTIONS(&options.configurations, CM_CONFIG_DEFAULT),
                 ATTRIBUTE_OPTIONS(&options.configurations), LIVE_OPTIONS(&options, "none"),
                 RECORD_OPTIONS(&options), TIMELINE_OPTIONS(&options.timeline), LIVE_THREAD_OPTIONS(&options),
                 DRIVER_OPTIONS(&options)},
   };
   command_line_parse(&line, argc, argv);
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
   say_without_display();
   return STATUS_OK;
}
