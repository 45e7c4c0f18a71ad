/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/check.h"
#include "process/display.h"
#include "output/image.h"
#include "options.h"
#include "output/progress.h"
#include "process/replayer.h"
#include "output/report.h"
#include "input/results.h"
#include "results/process_results.h"
#include "tools.h"

#define DEFAULT_TOLERANCE 1.0 /* per cent */

static const char description[] =
   "Replays an apitrace file (OpenGL ES or OpenGL) or one of gfxreconstruct (Vulkan) on the\n"
   "simulated GPU and prints its statistics. With --frames the replay ends after the last of\n"
   "them. Images are taken in a second replay, so that taking them changes no counter. OpenGL\n"
   "without DISPLAY uses an X server of its own (Xvfb). A trace that needs more than the\n"
   "simulated GPU has is replayed as far as possible: each function, feature or extension that\n"
   "is refused is named, and the exit status is 1.\n";

struct replay {
   struct options options;
   struct cm_frame_list frames; /* once the trace is open: those simulated, and taken images of */
   const char *snapshots;
   const char *trace;
   bool check, with_softpipe;
   double tolerance; /* per cent */
};

/* Of --check: the drivers that are compared with. */
static void
take_check(void *field, const char *option, const char *value)
{
   struct replay *replay = (struct replay *)((char *)field - offsetof(struct replay, check));
   replay->check = true;
   replay->with_softpipe = value && strcmp(value, "llvmpipe");
   if (replay->with_softpipe && strcmp(value, "llvmpipe,softpipe") && strcmp(value, "softpipe,llvmpipe"))
      fail(STATUS_USAGE, "%s=%s: expected llvmpipe, or llvmpipe,softpipe", option, value);
}

static void
take_tolerance(void *field, const char *option, const char *value)
{
   if (!options_percent(value, 100, field))
      fail(STATUS_USAGE, "%s %s: expected per cent of a frame's pixels, 0 to 100", option, value);
}

static const struct option_row rows[] = {
   OPTION("snapshots", "DIR", "write each frame as DIR/frame-NNNN.png (default: none)", take_path,
          struct replay, snapshots),
   OPTION("check", "[=llvmpipe,softpipe]",
          "compare each frame with llvmpipe's of the same Mesa, or also with\n"
          "softpipe's, which is slow. Differences are written to OUT/check as\n"
          "images, 16 times as bright",
          take_check, struct replay, check),
   OPTION("tolerance", "PERCENT",
          "--check fails where more than so much of a frame's pixels differ from\n"
          "llvmpipe's by more than 2/255 (default: 1 %)",
          take_tolerance, struct replay, tolerance),
};

static void
parse(struct replay *replay, int argc, char **argv)
{
   *replay = (struct replay){.tolerance = DEFAULT_TOLERANCE};
   struct options *options = &replay->options;
   options_start(options);
   const struct command_line line = {
      .usage = "tbrsim replay [OPTIONS] FILE.trace|FILE.gfxr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "trace",
      .groups = {CONFIG_OPTIONS(&options->configurations, CM_CONFIG_DEFAULT),
                 ATTRIBUTE_OPTIONS(&options->configurations), TABLE_OPTIONS(options),
                 LIVE_OPTIONS(options, "tbrsim-out"), RECORD_OPTIONS(options), LIVE_FRAME_OPTIONS(options),
                 TIMELINE_OPTIONS(&options->timeline), LIVE_THREAD_OPTIONS(options),
                 OPTION_GROUP(rows, replay)},
   };
   replay->trace = command_line_parse(&line, argc, argv).list[0];
   if (!options->out)
      options->out = "tbrsim-out";
   options->call_numbers |= options->configurations.attributes_draws;
   options_finish_live(options);
   results_check_tables(options);
}

static bool
wants_images(const struct replay *replay)
{
   return replay->check || replay->snapshots;
}

/* The replay for the statistics' sake; with the model off, for its own. False where
 * the driver said that something was lost. */
static bool
simulate(const struct replay *replay, struct results *results, const struct trace *trace)
{
   struct replayer replayer;
   char *log = text("%s/replay.log", replay->options.out);
   const unsigned frames = cm_frame_list_count(&replay->frames);

   replayer_start(&replayer, trace, "tbrsim", &replay->options, replay->options.frames, NULL, log);
   bool running;
   do {
      /* Asked first: the frames counted after its end are all of them. */
      running = process_running(&replayer.process);
      if (replay->options.model)
         progress_show("simulating", results_count_frames(results), frames);
      else
         progress_show("replaying", 0, 0);
      if (running)
         nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
   } while (running);
   replayer_finish(&replayer);
   progress_end();
   free(log);
   return !replayer.complained;
}

static void
note_versions(const struct trace *trace)
{
   const bool is_es = trace->versions.es > TRACE_ES_LIMIT;
   const unsigned made = is_es ? trace->versions.es : trace->versions.gl;
   const unsigned limit = is_es ? TRACE_ES_LIMIT : TRACE_GL_LIMIT;
   fprintf(stderr, "tbrsim (note): made on OpenGL%s %u.%u, replayed on OpenGL%s %u.%u as far as that goes\n",
           is_es ? " ES" : "", made / 10, made % 10, is_es ? " ES" : "", limit / 10, limit % 10);
}

/* Of Vulkan: what cannot be asked for. */
static void
check_vulkan(struct replay *replay, const struct trace *trace)
{
   struct options *options = &replay->options;
   if (replay->with_softpipe)
      fail(STATUS_USAGE, "--check=softpipe: %s is of Vulkan, which softpipe does not have; expected --check",
           replay->trace);
   if (trace_is_truncated(trace) && !trace->swaps)
      fail(STATUS_FAILED, "%s: truncated: it ends in the middle of a call, before its first frame ends",
           replay->trace);
   if (trace_is_truncated(trace) && !options->frames)
      fail(STATUS_FAILED,
           "%s: truncated: it ends in the middle of a call, after %u whole frames; expected --frames 0-%u",
           replay->trace, trace->swaps, trace->swaps - 1);
   /* Its replayer tells the driver of no calls. */
   options->call_numbers = false;
   if (trace_is_of_other_gpus(trace))
      fprintf(stderr, "tbrsim (note): made on another GPU; memory is allocated anew for this one\n");
}

/* The frames that are asked for; the trace ends with the last of them. Exits with a message where they are not there. */
static struct trace
open_trace(struct replay *replay)
{
   const struct options *options = &replay->options;
   struct trace trace = trace_file_open(replay->trace);
   if (trace.vulkan)
      check_vulkan(replay, &trace);
   char *all = text("0-%u", trace.frames - 1);
   replay->frames = options_frame_list(options->frames ? options->frames : all);
   free(all);
   const uint32_t last = replay->frames.ranges[replay->frames.count - 1].last;
   if (last >= trace.frames)
      fail(STATUS_USAGE, "--%s %s: %s has the frames 0-%u", options->selected ? "selected" : "frames",
           options->selected ? options->selected : options->frames, replay->trace, trace.frames - 1);
   if ((replay->check || replay->snapshots) && !trace_has_images(&trace))
      fail(STATUS_FAILED, "%s: %s nothing: there are no images to take", replay->trace,
           trace.vulkan ? "presents" : "draws");
   return last + 1 < trace.frames || trace_is_truncated(&trace) ? trace_file_trim(&trace, last) : trace;
}

static void
print_files(const struct options *options)
{
   const char *out = options->out;
   printf("\nstatistics: %s/stats.json\n            %s/frames.csv\n", out, out);
   if (options->timeline)
      printf("timeline:   %s/" CM_STATISTICS_TIMELINE "\n", out);
   if (options->parquet)
      printf("parquet:    %s/*.parquet\n", out);
}

/* What the simulation has written; false where something is missing. */
static bool
print_results(const struct replay *replay, struct results *results, const struct trace *trace)
{
   const struct options *options = &replay->options;
   bool passed = true;
   if (options->parquet)
      passed &= results_write_tables(results);
   if (options->model) {
      report_print(options->out, options->gpu);
      print_files(options);
   } else if (options->record || !wants_images(replay)) {
      printf("%u frames rendered; there are no statistics without the model\n", trace->frames);
   }
   if (options->record)
      printf("recording:  %s\n", options->record);
   return passed;
}

/* images: directory of the differences. */
static bool
take_images(const struct replay *replay, const struct trace *trace, const char *images)
{
   const struct check check = {
      .trace = trace,
      .options = &replay->options,
      .frames = &replay->frames,
      .snapshots = replay->snapshots,
      .images = replay->check ? images : NULL,
      .with_softpipe = replay->with_softpipe,
      .tolerance = replay->tolerance / 100,
   };
   if (replay->options.model && replay->check)
      putchar('\n');
   const bool passed = check_images(&check);
   if (replay->snapshots)
      printf("frames:     %s/frame-%04u.png … frame-%04u.png\n", replay->snapshots,
             replay->frames.ranges[0].first, replay->frames.ranges[replay->frames.count - 1].last);
   if (replay->check)
      printf("differences from llvmpipe, %d times as bright: %s\n", DIFFERENCE_GAIN, images);
   return passed;
}

int
command_replay(int argc, char **argv)
{
   struct replay replay;
   parse(&replay, argc, argv);
   struct options *options = &replay.options;
   struct trace trace = open_trace(&replay);
   char *images = text("%s/check", options->out);
   options_check_directory(replay.check ? images : options->out, true);
   if (replay.snapshots)
      options_check_directory(replay.snapshots, true);
   if (!trace.vulkan)
      display_require(NULL);

   /* What is refused is named by a replay that takes no images. */
   const bool newer = trace_is_newer(&trace);
   if (newer)
      note_versions(&trace);
   bool passed = true;
   struct results results = results_prepare(options);
   if (options->model || options->record || !wants_images(&replay) || newer)
      passed = simulate(&replay, &results, &trace);
   if (options->record)
      passed &= results_check_recordings(&results);
   if (options->model && !results_count_processes(&results)) {
      /* What is there is of another run. Why it could not be written, the driver has said. */
      if (passed)
         results_report(&results);
      passed = false;
   } else {
      passed &= print_results(&replay, &results, &trace);
      if (wants_images(&replay))
         passed &= take_images(&replay, &trace, images);
      fflush(stdout);
      if (passed)
         results_summarize(&results);
   }
   free(images);
   trace_file_close(&trace);
   return passed ? STATUS_OK : STATUS_FAILED;
}
