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
   "--config, --set, --timing, --reuse and --results are for recordings and traces; --set and --timing\n"
   "apply to both runs. --frames selects the frames to simulate, or, of a DIR, those whose draws,\n"
   "textures, passes and tiles are in the page.\n";

struct report {
   const char *input;
   const char *out, *results, *compare, *compare_config, *frames;
   uint32_t max_size; /* bytes */
   bool reuse;
   struct configurations configurations;
};

static const struct option_row rows[] = {
   OPTION("out", "FILE.html", "the page (default: report.html)", take_output, struct report, out),
   OPTION("compare", "DIR|FILE.tbr|FILE.trace",
          "another run, which the page puts beside the first: results, or what is\n"
          "simulated or replayed as the first is (default: none)",
          take_input, struct report, compare),
   OPTION("compare-config", "NAME|FILE.yaml[,KEY=VALUE]",
          "the other run's simulated GPU; without --compare that run is of the same\n"
          "recording or trace (default: as the first's)",
          take_config_name, struct report, compare_config),
   OPTION("max-size", "BYTES",
          "the page has the draws, textures, passes and tiles of as many frames as\n"
          "fit, the most typical ones first, and says which it leaves out (default: 8M)",
          take_bytes, struct report, max_size),
   OPTION("reuse", NULL, "reuse distances, too, which take longer than all the rest (tbrsim analyze)",
          take_flag, struct report, reuse),
   OPTION("results", "DIR",
          "directory for a recording's or trace's results; the other run's are in\n"
          "DIR-compare (default: tbrsim-out)",
          take_path, struct report, results),
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
simulating_command(const char *input)
{
   struct stat status;
   if (!stat(input, &status) && S_ISDIR(status.st_mode))
      return NULL;
   if (ends_with(input, ".tbr"))
      return "sim";
   if (ends_with(input, ".trace"))
      return "replay";
   fail(STATUS_USAGE, "%s: expected a directory of results, a recording (.tbr) or a trace (.trace)", input);
}

/* A run of the page: results that are there, or what is simulated for it. */
struct page_run {
   const char *input;
   const char *command; /* that makes results of it; NULL: it is results */
   const char *results; /* their directory */
   const char *record;  /* of a replay: the recording that it makes; NULL: none */
   const char *config;  /* NULL: the default */
   char **settings;
   unsigned num_settings;
   const char *frames; /* NULL: all */
};

/* Simulates the recording, or replays the trace, into the results' directory. */
static void
simulate(const struct page_run *run)
{
   char **argv = allocate((20 + 2 * run->num_settings) * sizeof(*argv));
   unsigned count = 0;
   argv[count++] = (char *)command_path();
   argv[count++] = (char *)run->command;
   argv[count++] = "--attribute";
   argv[count++] = "pass,draw,texture,tile";
   if (run->record) {
      argv[count++] = "--thumbnails";
      argv[count++] = "--record";
      argv[count++] = (char *)run->record;
   }
   argv[count++] = "--out";
   argv[count++] = (char *)run->results;
   if (run->frames) {
      argv[count++] = "--frames";
      argv[count++] = (char *)run->frames;
   }
   if (run->config) {
      argv[count++] = "--config";
      argv[count++] = (char *)run->config;
   }
   for (unsigned s = 0; s < run->num_settings; s++) {
      argv[count++] = "--set";
      argv[count++] = run->settings[s];
   }
   argv[count++] = "--";
   argv[count++] = (char *)run->input;
   const int status = run_to_end(argv, &(struct process_setup){.output = OUTPUT_NONE},
                                 "it is this command that does not start again");
   free(argv);
   if (status)
      exit(status); /* it has said why */
}

/* The run that the page is of. */
static struct page_run
first_run(const struct report *report)
{
   const struct configuration given = configurations_given(&report->configurations);
   struct page_run run = {
      .input = report->input,
      .command = simulating_command(report->input),
      .results = report->input,
      .config = given.preset,
      .settings = given.settings,
      .num_settings = given.num_settings,
      .frames = report->frames,
   };
   if (run.command)
      run.results = report->results ? report->results : "tbrsim-out";
   if (run.command && !strcmp(run.command, "replay"))
      run.record = text("%s/report.tbr", run.results);
   return run;
}

/* The one beside it. */
static struct page_run
other_run(const struct report *report, const struct page_run *first)
{
   struct page_run run = *first;
   run.record = NULL;
   run.input = report->compare ? report->compare : report->input;
   run.command = simulating_command(run.input);
   run.results =
      run.command ? text("%s-compare", report->results ? report->results : "tbrsim-out") : run.input;
   if (report->compare_config && !run.command)
      fail(STATUS_USAGE, "--compare-config: %s is results; expected a recording or a trace", run.input);
   /* What one trace renders is rendered once, and simulated on both. */
   if (first->record && !strcmp(run.input, first->input)) {
      run.input = first->record;
      run.command = "sim";
      run.frames = NULL;
   }
   if (report->compare_config) {
      /* Settings beside the first one's name, behind commas, are its own. */
      run.config = report->compare_config;
      run.settings = report->configurations.settings;
      run.num_settings = report->configurations.num_settings;
   }
   return run;
}

static void
check_options(const struct report *report, const struct page_run *first, const struct page_run *other)
{
   const bool simulates = first->command || (other && other->command);
   if ((!simulates && (first->config || first->num_settings || report->results)) ||
       (!first->command && report->reuse))
      fail(STATUS_USAGE,
           "%s: it is results; --config, --set, --timing, --reuse and --results are for recordings and "
           "traces",
           report->input);
}

/* The generator, which is in Python; with check it only looks for what it needs, of runs that are simulated later. other: NULL:
 * none. */
static int
generate(const struct report *report, const struct page_run *first, const struct page_run *other, bool check)
{
   char *argv[20] = {0};
   unsigned count = 0;
   argv[count++] = text("--max-size=%u", report->max_size);
   argv[count++] = text("--out=%s", report->out);
   if (other)
      argv[count++] = text("--compare=%s", other->results);
   if (other && other->command) {
      argv[count++] = text("--compare-source=%s", report->compare ? report->compare : report->input);
      if (report->frames)
         argv[count++] = text("--compare-frames=%s", report->frames);
   }
   if (first->command)
      argv[count++] = text("--source=%s", first->input);
   if (first->command && !check)
      argv[count++] = text("--recording=%s", first->record ? first->record : first->input);
   if (report->frames)
      argv[count++] = text("--%s=%s", first->command ? "source-frames" : "frames", report->frames);
   if (report->reuse)
      argv[count++] = "--reuse";
   if (check)
      argv[count++] = "--check";
   argv[count++] = "--";
   argv[count++] = (char *)first->results;
   return python_run("tbrsim.report", argv);
}

int
command_report(int argc, char **argv)
{
   struct report report;
   parse(&report, argc, argv);
   const struct page_run first = first_run(&report);
   struct page_run second, *other = NULL;
   if (report.compare || report.compare_config) {
      second = other_run(&report, &first);
      other = &second;
   }
   check_options(&report, &first, other);
   /* What is missing is said before a long simulation. */
   const bool simulates = first.command || (other && other->command);
   const int status = simulates ? generate(&report, &first, other, true) : STATUS_OK;
   if (status)
      return status;
   if (first.command)
      simulate(&first);
   if (other && other->command)
      simulate(other);
   return generate(&report, &first, other, false);
}
