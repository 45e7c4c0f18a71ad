/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "display.h"
#include "environment.h"
#include "options.h"
#include "process.h"
#include "recordings.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
   "\n"
   "Runs a GL or GLES program on the simulated GPU. Each frame's counters are written\n"
   "to stats.json and frames.csv when the frame is done; a program that crashes\n"
   "leaves those of the frames before. Without DISPLAY the program gets an X server\n"
   "of its own (Xvfb). Exit status: the program's, 128 + n where signal n killed it.\n"
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
   if (options.model) {
      options_make_directory(options.out);
      options_remove_statistics(options.out);
   }

   if (options.record)
      recording_prepare(options.record);

   struct variable variables[MAX_VARIABLES];
   unsigned count = environment_variables(variables, options.driver, &options, frames);
   const char *display = getenv("DISPLAY");
   bool has_display = display && *display;
   /* Nothing is left to do when the program has ended. */
   if (has_display && !options.record) {
      environment_apply(variables, count);
      return process_explain(program[0], process_become(program));
   }

   if (!has_display)
      display_require(screen);
   struct process process;
   struct process_setup setup = {.variables = variables, .num_variables = count};
   int error = process_start(&process, program, &setup);
   if (error)
      return process_explain(program[0], error);
   int status = process_wait(&process);
   process_explain_signal(program[0], status);
   if (options.record && !recording_check(options.record) && !status)
      status = STATUS_FAILED;
   return status;
}
