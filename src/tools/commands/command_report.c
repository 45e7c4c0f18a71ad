/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "process/python.h"
#include "output/regression.h"
#include "input/source.h"
#include "process/stages.h"
#include "tools.h"

static const char description[] =
   "Writes a page that any browser opens from the disk: traffic, hit rates, cycles and energy\n"
   "over frames; the costs of each draw, texture and render pass; maps of tiles; the\n"
   "configuration with its sources (docs/report.md). DIR holds results of run, replay or sim,\n"
   "best with --timing on --attribute pass,draw,texture,tile. From a recording, a trace or a\n"
   "program the results are made first, with timing (unless --timing off) and attributions. The\n"
   "same holds for a DIR without attributions, if it has a recording.\n";
static const char notes[] =
   "--config, --set, --timing, --reuse and --results are for recordings, traces and programs. --set\n"
   "and --timing apply to both runs. --frames selects the frames to simulate; for a DIR it selects\n"
   "those whose draws, textures, passes and tiles are in the page.\n";

struct report {
   struct source source;
   struct regression_limits limits;
   const char *out, *results, *compare, *compare_config, *frames;
   uint32_t max_size; /* bytes */
   bool reuse;
   struct configurations configurations;
};

static void
take_limit(void *field, const char *option, const char *value)
{
   regression_take_limit(&((struct report *)field)->limits, option, value);
}

static const struct option_row rows[] = {
   OPTION("out", "FILE.html", "the page (default: report.html)", take_output, struct report, out),
   OPTION("compare", "DIR|FILE.tbr|FILE.trace",
          "a second run, shown next to the first. A recording or trace is simulated\n"
          "or replayed as the first is (default: none)",
          take_input, struct report, compare),
   OPTION("compare-config", "NAME|FILE.yaml[,KEY=VALUE]",
          "the second run's simulated GPU. Without --compare the second run is of\n"
          "the same recording or trace (default: the first run's)",
          take_config_name, struct report, compare_config),
   OPTION_REPEATED("fail-above", "COUNTER=PERCENT",
                   "exit status 1 where the second run has more of a counter per frame than\n"
                   "the first, by more than this: dram=2%, cycles=5%, energy=1%, or any\n"
                   "counter that tbrsim counters lists. May be repeated. The page is then\n"
                   "written only with --out (default: none)",
                   take_limit),
   OPTION("max-size", "BYTES",
          "limit of the page's size. Draws, textures, passes and tiles are shown of\n"
          "as many frames as fit, the most typical ones first; the page names\n"
          "those it leaves out (default: 8M)",
          take_bytes, struct report, max_size),
   OPTION("reuse", NULL, "add reuse distances (tbrsim analyze); they take the most time", take_flag,
          struct report, reuse),
   OPTION("results", "DIR",
          "directory for the results of a recording, trace or program. The second\n"
          "run's are in DIR-compare (default: tbrsim-out)",
          take_path, struct report, results),
};

static void
parse(struct report *report, int argc, char **argv)
{
   *report = (struct report){.max_size = 8 << 20, .configurations.single = true};
   const struct command_line line = {
      .usage = "tbrsim report [OPTIONS] DIR|FILE.tbr|FILE.trace|-- PROGRAM...",
      .description = description,
      .operands = OPERANDS_SOURCE,
      .operand = "results, recording, trace or program",
      .second = "compare",
      .groups = {OPTION_GROUP(rows, report), FRAME_OPTIONS(&report->frames),
                 CONFIG_OPTIONS(&report->configurations, "the recorded one; of a trace tcor-baseline-64k")},
      .notes = notes,
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   report->source = source_of_operands(&operands);
   if (report->limits.count && !report->compare && !report->compare_config)
      fail(STATUS_USAGE, "--fail-above: of what is no other run, expected --compare or --compare-config");
   if (!report->out && !report->limits.count)
      report->out = "report.html";
}

/* A run of the page: results that are there, or what is simulated for it. */
struct page_run {
   struct source source;
   struct source_run run; /* how it is simulated; its results are there where the source is results */
   char *recording;       /* of it; NULL: none */
};

static const char *
default_results(const struct report *report)
{
   return report->results ? report->results : "tbrsim-out";
}

/* Results without attributions, or asked for on another GPU, are made again from their recording, next to them. */
static void
use_recording(struct page_run *run, const struct report *report)
{
   const char *directory = run->source.path;
   char *draws = text("%s/draws.csv", directory);
   const bool lacks = access(draws, F_OK) || run->run.config || run->run.num_settings;
   run->recording = source_recording(directory);
   if (run->recording && lacks) {
      run->source = (struct source){.kind = SOURCE_RECORDING, .path = run->recording};
      run->run.results = report->results ? report->results : text("%s-report", directory);
   }
   free(draws);
}

/* The run that the page is of. */
static struct page_run
first_run(const struct report *report)
{
   const struct configuration given = configurations_given(&report->configurations);
   struct page_run run = {
      .source = report->source,
      .run =
         {
            .results = default_results(report),
            .attribute = true,
            .timed = true,
            .frames = report->frames,
            .config = given.preset,
            .settings = given.settings,
            .num_settings = given.num_settings,
         },
   };
   if (run.source.kind == SOURCE_RESULTS) {
      run.run.results = run.source.path;
      use_recording(&run, report);
   } else if (run.source.kind == SOURCE_RECORDING) {
      run.recording = (char *)run.source.path;
   } else {
      run.run.record = run.recording = text("%s/report.tbr", run.run.results);
   }
   return run;
}

/* The second run. */
static struct page_run
other_run(const struct report *report, const struct page_run *first)
{
   struct page_run run = *first;
   run.run.record = run.recording = NULL;
   if (report->compare)
      run.source = source_of_path(report->compare);
   run.run.results =
      run.source.kind == SOURCE_RESULTS ? run.source.path : text("%s-compare", default_results(report));
   if (report->compare_config && run.source.kind == SOURCE_RESULTS)
      fail(STATUS_USAGE, "--compare-config: %s is results; expected a recording or a trace", run.source.path);
   /* What one trace or program renders is rendered once, and simulated on both. */
   if (first->run.record && !strcmp(run.source.path, first->source.path)) {
      run.source = (struct source){.kind = SOURCE_RECORDING, .path = first->run.record};
      run.run.frames = NULL;
   }
   if (report->compare_config) {
      /* Settings after commas at the first one's name are its own. */
      run.run.config = report->compare_config;
      run.run.settings = report->configurations.settings;
      run.run.num_settings = report->configurations.num_settings;
   }
   return run;
}

static bool
is_simulated(const struct page_run *run)
{
   return run && run->source.kind != SOURCE_RESULTS;
}

static void
check_options(const struct report *report, const struct page_run *first, const struct page_run *other)
{
   if (is_simulated(first) && other && !is_simulated(other) &&
       is_same_file(first->run.results, other->run.results, S_IFDIR))
      fail(STATUS_USAGE, "--compare %s: the first run's results would replace these; expected --results DIR",
           report->compare);
   const bool simulates = is_simulated(first) || is_simulated(other);
   const bool is_asked = first->run.config || first->run.num_settings || report->results;
   if ((!simulates && is_asked) || (!first->recording && report->reuse))
      fail(STATUS_USAGE,
           "%s: it is results; --config, --set, --timing, --reuse and --results are for recordings and "
           "traces",
           report->source.path);
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
      argv[count++] = text("--compare=%s", other->run.results);
   if (is_simulated(other)) {
      argv[count++] = text("--compare-source=%s", report->compare ? report->compare : report->source.path);
      if (report->frames)
         argv[count++] = text("--compare-frames=%s", report->frames);
   }
   /* Results of a program say themselves what they are of, once they are there. */
   const bool is_program = first->source.kind == SOURCE_PROGRAM;
   if (is_simulated(first) && (check || !is_program))
      argv[count++] = text("--source=%s", first->source.path);
   if (first->recording && !check)
      argv[count++] = text("--recording=%s", first->recording);
   if (report->frames && !is_program)
      argv[count++] = text("--%s=%s", is_simulated(first) ? "source-frames" : "frames", report->frames);
   if (report->reuse)
      argv[count++] = "--reuse";
   if (check)
      argv[count++] = "--check";
   argv[count++] = "--";
   argv[count++] = (char *)first->run.results;
   return python_run("tbrsim.report", argv);
}

/* The page, and whether the other run is within the limits. */
static int
finish(const struct report *report, const struct page_run *first, const struct page_run *other)
{
   if (report->out) {
      stages_next("page");
      const int status = generate(report, first, other, false);
      if (status)
         return status;
   }
   return !report->limits.count || regression_check(&report->limits, first->run.results, other->run.results)
             ? STATUS_OK
             : STATUS_FAILED;
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
   const bool simulates = is_simulated(&first) || is_simulated(other);
   const int status = simulates && report.out ? generate(&report, &first, other, true) : STATUS_OK;
   if (status)
      return status;
   stages_begin(is_simulated(&first) + is_simulated(other) + (report.out != NULL));
   if (is_simulated(&first))
      source_simulate(&first.source, &first.run);
   if (is_simulated(other))
      source_simulate(&other->source, &other->run);
   return finish(&report, &first, other);
}
