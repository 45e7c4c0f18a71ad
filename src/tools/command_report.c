/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "environment.h"
#include "options.h"
#include "python.h"
#include "tools.h"

static const char description[] =
   "Writes a page of a run's results that any browser opens from the disk: traffic, hit\n"
   "rates, cycles and energy over frames, the costs of each draw, texture and render pass,\n"
   "maps of tiles, the configuration with its sources (docs/report.md). DIR is what run,\n"
   "replay or sim wrote, best with --attribute pass,draw,texture,tile. A recording is\n"
   "simulated first, with these attributions, a trace is replayed.\n";
static const char notes[] =
   "--config, --set, --timing, --attribute and --results are of recordings and traces. --frames are\n"
   "those that are simulated; of a DIR, those whose draws, textures and tiles are in the page.\n";

struct report {
   const char *input;
   const char *out, *results, *compare, *frames;
   uint32_t max_size; /* bytes */
   struct configurations configurations;
};

static const struct option_row rows[] = {
   OPTION("out", "FILE.html", "the page (default: report.html)", take_path, struct report, out),
   OPTION("compare", "DIR",
          "results of another run, which the page puts beside the first (default:\n"
          "none)",
          take_path, struct report, compare),
   OPTION("max-size", "BYTES",
          "the page has the draws, textures and tiles of as many frames as fit, from\n"
          "the first, and says which it leaves out (default: 8M)",
          take_bytes, struct report, max_size),
   OPTION("results", "DIR", "directory for a recording's or trace's results (default: tbrsim-out)", take_path,
          struct report, results),
};

static void
parse(struct report *report, int argc, char **argv)
{
   *report = (struct report){.max_size = 8 << 20, .configurations.single = true};
   const struct command_line line = {
      .usage = "tbrsim report [OPTIONS] DIR|FILE.tbr|FILE.trace",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "results, recording or trace",
      .groups = {OPTION_GROUP(rows, report), FRAME_OPTIONS(&report->frames),
                 CONFIG_OPTIONS(&report->configurations, "the recorded one; of a trace tcor-baseline-64k")},
      .notes = notes,
   };
   report->input = command_line_parse(&line, argc, argv).list[0];
   if (!report->out)
      report->out = "report.html";
}

static bool
ends_with(const char *name, const char *end)
{
   size_t length = strlen(name), end_length = strlen(end);
   return length > end_length && !strcmp(name + length - end_length, end);
}

/* The command that makes results of the input: "sim", "replay"; NULL: it is results. */
static const char *
simulating_command(const struct report *report)
{
   struct stat status;
   const char *command = NULL;
   if (ends_with(report->input, ".tbr"))
      command = "sim";
   else if (ends_with(report->input, ".trace"))
      command = "replay";
   if (!stat(report->input, &status) && S_ISDIR(status.st_mode))
      command = NULL;
   else if (!command)
      fail(STATUS_USAGE, "%s: expected a directory of results, a recording (.tbr) or a trace (.trace)",
           report->input);
   const struct configuration given = configurations_given(&report->configurations);
   if (!command && (given.preset || given.num_settings || report->results))
      fail(STATUS_USAGE,
           "%s: it is results; --config, --set, --timing, --attribute and --results are of recordings and "
           "traces",
           report->input);
   return command;
}

/* Simulates the recording, or replays the trace, into the results' directory. Returns the recording: its own, or one
 * that the replay made. */
static const char *
simulate(const struct report *report, const char *command)
{
   const bool replays = !strcmp(command, "replay");
   const char *recording = replays ? text("%s/report.tbr", report->results) : report->input;
   const struct configuration given = configurations_given(&report->configurations);
   char **argv = allocate((20 + 2 * given.num_settings) * sizeof(*argv));
   unsigned count = 0;
   argv[count++] = (char *)command_path();
   argv[count++] = (char *)command;
   argv[count++] = "--attribute";
   argv[count++] = "pass,draw,texture,tile";
   if (replays) {
      argv[count++] = "--thumbnails";
      argv[count++] = "--record";
      argv[count++] = (char *)recording;
   }
   argv[count++] = "--out";
   argv[count++] = (char *)report->results;
   if (report->frames) {
      argv[count++] = "--frames";
      argv[count++] = (char *)report->frames;
   }
   if (given.preset) {
      argv[count++] = "--config";
      argv[count++] = (char *)given.preset;
   }
   for (unsigned s = 0; s < given.num_settings; s++) {
      argv[count++] = "--set";
      argv[count++] = given.settings[s];
   }
   argv[count++] = "--";
   argv[count++] = (char *)report->input;
   const int status = run_to_end(argv, &(struct process_setup){.output = OUTPUT_NONE},
                                 "it is this command that does not start again");
   free(argv);
   if (status)
      exit(status); /* it has said why */
   return recording;
}

/* The generator, which is in Python; with check it only looks for what it needs. source: what was simulated, and its
 * recording; NULL: the input is results, or there is none yet. */
static int
generate(const struct report *report, const char *directory, const char *source, const char *recording,
         bool check)
{
   char *argv[16] = {0};
   unsigned count = 0;
   argv[count++] = text("--max-size=%u", report->max_size);
   argv[count++] = text("--out=%s", report->out);
   if (report->compare)
      argv[count++] = text("--compare=%s", report->compare);
   if (source)
      argv[count++] = text("--source=%s", source);
   if (recording)
      argv[count++] = text("--recording=%s", recording);
   if (report->frames)
      argv[count++] = text("--%s=%s", source ? "source-frames" : "frames", report->frames);
   if (check)
      argv[count++] = "--check";
   argv[count++] = "--";
   argv[count++] = (char *)directory;
   return python_run("tbrsim.report", argv);
}

int
command_report(int argc, char **argv)
{
   struct report report;
   parse(&report, argc, argv);
   const char *command = simulating_command(&report);
   if (!command)
      return generate(&report, report.input, NULL, NULL, false);
   if (!report.results)
      report.results = "tbrsim-out";
   /* What is missing is said before a long simulation. */
   const int status = generate(&report, report.results, report.input, NULL, true);
   if (status)
      return status;
   const char *recording = simulate(&report, command);
   return generate(&report, report.results, report.input, recording, false);
}
