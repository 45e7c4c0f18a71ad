/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "process/display.h"
#include "process/environment.h"
#include "options.h"
#include "process/process.h"
#include "process/replayer.h"
#include "input/results.h"
#include "input/source.h"
#include "tools.h"

static const char description[] =
   "Runs an OpenGL ES or OpenGL program on the simulated GPU. Each frame's counters are\n"
   "written to stats.json and frames.csv as soon as the frame is done, so a crash loses at most\n"
   "the last frame. Each process that draws has a folder of its own; OUT/processes.csv lists\n"
   "them. Earlier results in OUT stay until the first frame is done. At the end one line on\n"
   "stderr names the number of frames and where the results are. Without DISPLAY the program\n"
   "gets an X server of its own (Xvfb). Exit status: the program's, or 128 + n if signal n\n"
   "killed it.\n";

static void
take_screen(void *field, const char *option, const char *value)
{
   unsigned width, height;
   int end = 0;
   if (sscanf(value, "%5u%*1[xX]%5u%n", &width, &height, &end) != 2 || value[end] || !width || !height)
      fail(STATUS_USAGE, "%s %s: expected WIDTHxHEIGHT, such as 960x540", option, value);
   *(const char **)field = text("%ux%u", width, height);
}

static const struct option_row rows[] = {
   OPTION_ALONE("screen", "WIDTHxHEIGHT", "size of its own X server, in pixels (default: 1920x1080)",
                take_screen),
};

int
command_run(int argc, char **argv)
{
   struct options options;
   const char *screen = NULL;
   options_start(&options);
   const struct command_line line = {
      .usage = "tbrsim run [OPTIONS] [--] PROGRAM [ARGUMENTS]",
      .description = description,
      .operands = OPERANDS_PROGRAM,
      .operand = "program",
      .groups = {CONFIG_OPTIONS(&options.configurations, CM_CONFIG_DEFAULT),
                 ATTRIBUTE_OPTIONS(&options.configurations), TABLE_OPTIONS(&options),
                 LIVE_OPTIONS(&options, "tbrsim-out"), RECORD_OPTIONS(&options), LIVE_FRAME_OPTIONS(&options),
                 TIMELINE_OPTIONS(&options.timeline), LIVE_THREAD_OPTIONS(&options),
                 OPTION_GROUP(rows, &screen), DRIVER_OPTIONS(&options)},
   };
   char **program = command_line_parse(&line, argc, argv).list;

   if (!options.out)
      options.out = "tbrsim-out";
   options_finish_live(&options);
   results_check_tables(&options);
   results_say_none(&options);
   struct results results = results_prepare(&options);

   struct variable variables[MAX_VARIABLES];
   unsigned count = environment_variables(variables, options.driver, &options, options.frames);
   char **replayed = replayer_trace(program);
   if (replayed) {
      const struct trace trace = trace_file_open(*replayed);
      *replayed = (char *)trace.path;
      count += replayer_variables(&variables[count], &trace);
      trace_file_close(&trace);
   }
   const char *display = getenv("DISPLAY");
   bool has_display = display && *display;
   if (!has_display)
      display_require(screen);
   struct process process;
   struct process_setup setup = {.variables = variables, .num_variables = count, .stands_for = true};
   int error = process_start(&process, program, &setup);
   if (error)
      return process_explain(program[0], source_program_hint(program[0]), error);
   process_leave_output();
   int status = process_wait_as_it(&process);
   process_explain_signal(program[0], status);
   results_report(&results);
   if (results.record && !results_check_recordings(&results) && !status)
      status = STATUS_FAILED;
   if (options.parquet && !results_write_tables(&results) && !status)
      status = STATUS_FAILED;
   results_summarize(&results);
   /* With a server of its own, or a temporary file, there is something left to do. */
   if (has_display && !replayed)
      process_end_by(process.signal);
   return status;
}
