/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "display.h"
#include "environment.h"
#include "options.h"
#include "process.h"
#include "results.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
   "\n"
   "Runs a GL or GLES program on the simulated GPU. Each frame's counters are written\n"
   "to stats.json and frames.csv when the frame is done; a program that crashes\n"
   "leaves those of the frames before. Each process that draws has a folder of its own,\n"
   "which OUT/processes.csv lists; earlier results stay until a frame has been drawn.\n"
   "Without DISPLAY the program gets an X server of its own (Xvfb). Exit status: the\n"
   "program's, 128 + n where signal n killed it.\n"
   "\n" COMMON_OPTIONS_HELP " (default tbrsim-out)\n" RECORD_OPTION_HELP
   "  --frames A-B             simulate only these frames (they count from 0)\n"
   "  --screen WIDTHxHEIGHT    size of the X server of its own (default 1920x1080)\n" DRIVER_OPTION_HELP
   "  --help                   this text";

enum { OPTION_FRAMES = OPTION_COMMAND, OPTION_SCREEN };

static const struct option long_options[] = {
   COMMON_LONG_OPTIONS,
   {"driver", required_argument, NULL, OPTION_DRIVER},
   RECORD_LONG_OPTIONS,
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"screen", required_argument, NULL, OPTION_SCREEN},
   {NULL, 0, NULL, 0},
};

static const char *
parse_screen(const char *value)
{
   unsigned width, height;
   int end = 0;
   if (sscanf(value, "%5ux%5u%n", &width, &height, &end) != 2 || value[end] || !width || !height)
      fail(STATUS_USAGE, "--screen %s: expected WIDTHxHEIGHT, such as 960x540", value);
   return value;
}

int
command_run(int argc, char **argv)
{
   struct options options;
   struct frame_range range;
   const char *frames = NULL, *screen = NULL;

   options_start(&options);
   for (int option; (option = options_next(&options, argc, argv, long_options, help)) != -1;) {
      if (option == OPTION_FRAMES) {
         range = options_frames(optarg);
         frames = text("%u-%u", range.first, range.last);
      } else {
         screen = parse_screen(optarg);
      }
   }
   if (optind == argc)
      fail(STATUS_USAGE, "no program; usage: tbrsim run [OPTIONS] -- PROGRAM [ARGUMENTS]");
   char **program = argv + optind;

   if (!options.out)
      options.out = "tbrsim-out";
   options_finish_live(&options);
   results_say_none(&options);
   struct results results = results_prepare(&options);

   struct variable variables[MAX_VARIABLES];
   unsigned count = environment_variables(variables, options.driver, &options, frames);
   const char *display = getenv("DISPLAY");
   bool has_display = display && *display;
   if (!has_display)
      display_require(screen);
   struct process process;
   struct process_setup setup = {.variables = variables, .num_variables = count, .stands_for = true};
   int error = process_start(&process, program, &setup);
   if (error)
      return process_explain(program[0], error);
   int status = process_wait_as_it(&process);
   process_explain_signal(program[0], status);
   results_report(&results);
   if (results.record && !results_check_recordings(&results) && !status)
      status = STATUS_FAILED;
   /* With a server of its own there is something left to do. */
   if (has_display)
      process_end_by(process.signal);
   return status;
}
