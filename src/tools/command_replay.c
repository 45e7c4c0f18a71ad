/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "display.h"
#include "image.h"
#include "options.h"
#include "progress.h"
#include "replayer.h"
#include "report.h"
#include "results.h"
#include "tools.h"

#define DEFAULT_TOLERANCE 1.0 /* per cent */

static const char help[] =
   "usage: tbrsim replay [OPTIONS] FILE.trace\n"
   "\n"
   "Replays an apitrace file (OpenGL ES or OpenGL) on the simulated GPU and prints its\n"
   "statistics. Images come from a replay of their own, so that taking them changes\n"
   "no counter. Without DISPLAY it uses an X server of its own (Xvfb). A trace made on a newer\n"
   "context than the simulated GPU has is replayed as far as that goes; each function that is\n"
   "refused is named, and the exit status is 1.\n"
   "\n" COMMON_OPTIONS_HELP " (default tbrsim-out)\n" RECORD_OPTION_HELP
   "  --frames A-B             replay up to frame B, look only at A to B (they count from 0)\n"
   "  --snapshots DIR          write each frame as DIR/frame-NNNN.png\n"
   "  --check[=llvmpipe,softpipe]\n"
   "                           compare each frame with llvmpipe's of the same Mesa, and say whether\n"
   "                           softpipe's (which is slow) is as near; differences go to OUT/check as\n"
   "                           images, 16 times as bright\n"
   "  --tolerance PERCENT      --check fails where more of a frame's pixels are off by more\n"
   "                           than 2/255 from llvmpipe's (default 1)\n"
   "  --help                   this text";

enum { OPTION_FRAMES = OPTION_COMMAND, OPTION_SNAPSHOTS, OPTION_CHECK, OPTION_TOLERANCE };

static const struct option long_options[] = {
   COMMON_LONG_OPTIONS,
   RECORD_LONG_OPTIONS,
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"snapshots", required_argument, NULL, OPTION_SNAPSHOTS},
   {"check", optional_argument, NULL, OPTION_CHECK},
   {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
   {NULL, 0, NULL, 0},
};

struct replay {
   struct options options;
   const char *frames; /* as given; NULL: all */
   struct frame_range range;
   const char *snapshots;
   struct operands operands;
   bool check, with_softpipe;
   double tolerance; /* per cent */
};

/* The drivers that are compared with; true where softpipe is one of them. */
static bool
parse_references(const char *value)
{
   if (!strcmp(value, "llvmpipe"))
      return false;
   if (strcmp(value, "llvmpipe,softpipe") && strcmp(value, "softpipe,llvmpipe"))
      fail(STATUS_USAGE, "--check=%s: expected llvmpipe, or llvmpipe,softpipe", value);
   return true;
}

static double
parse_tolerance(const char *value)
{
   char *end;
   double tolerance = strtod(value, &end);
   if (end == value || *end || !(tolerance >= 0 && tolerance <= 100))
      fail(STATUS_USAGE, "--tolerance %s: expected per cent of a frame's pixels, 0 to 100", value);
   return tolerance;
}

static void
parse(struct replay *replay, int argc, char **argv)
{
   *replay = (struct replay){.tolerance = DEFAULT_TOLERANCE};
   options_start(&replay->options);
   for (int option; (option = options_next_anywhere(&replay->options, &replay->operands, argc, argv,
                                                    long_options, help)) != -1;) {
      switch (option) {
      case OPTION_FRAMES:
         replay->range = options_frames(optarg);
         replay->frames = text("%u-%u", replay->range.first, replay->range.last);
         break;
      case OPTION_SNAPSHOTS: replay->snapshots = optarg; break;
      case OPTION_CHECK:
         replay->check = true;
         replay->with_softpipe = optarg && parse_references(optarg);
         break;
      default: replay->tolerance = parse_tolerance(optarg); break;
      }
   }
   operands_single(&replay->operands, "trace", "tbrsim replay [OPTIONS] FILE.trace");
   if (!replay->options.out)
      replay->options.out = "tbrsim-out";
   options_finish_live(&replay->options);
}

/* The replay for the statistics' sake; with the model off, for its own. False where
 * the driver said that something was lost. */
static bool
simulate(const struct replay *replay, struct results *results, const struct trace *trace)
{
   struct replayer replayer;
   char *log = text("%s/replay.log", replay->options.out);
   unsigned frames = replay->range.last - replay->range.first + 1;

   replayer_start(&replayer, trace, "tbrsim", &replay->options, replay->frames, false, log);
   while (process_running(&replayer.process)) {
      if (replay->options.model)
         progress_show("simulating", results_count_frames(results), frames);
      else
         progress_show("replaying", 0, 0);
      nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
   }
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

int
command_replay(int argc, char **argv)
{
   struct replay replay;
   parse(&replay, argc, argv);
   struct trace trace = trace_file_open(replay.operands.list[0]);
   if (!replay.frames)
      replay.range = (struct frame_range){0, trace.frames - 1};
   if (replay.range.last >= trace.frames)
      fail(STATUS_USAGE, "--frames %s: %s has the frames 0-%u", replay.frames, trace.path, trace.frames - 1);

   const char *out = replay.options.out;
   char *images = text("%s/check", out);
   options_make_directory(replay.check ? images : out);
   if (replay.snapshots)
      options_make_directory(replay.snapshots);
   display_require(NULL);
   if (replay.range.last + 1 < trace.frames)
      trace = trace_file_trim(&trace, replay.range.last);

   bool passed = true, want_images = replay.snapshots || replay.check;
   /* What is refused is named by a replay that takes no images. */
   const bool newer = trace_is_newer(&trace);
   if (newer)
      note_versions(&trace);
   const char *record = replay.options.record;
   struct results results = results_prepare(&replay.options);
   if (replay.options.model || record || !want_images || newer)
      passed = simulate(&replay, &results, &trace);
   if (record)
      passed &= results_check_recordings(&results);
   if (replay.options.model && !results_count_processes(&results)) {
      /* What is there is of another run. Why it could not be written, the driver has said. */
      if (passed)
         results_report(&results);
      return STATUS_FAILED;
   }
   if (replay.options.model) {
      report_print(out, replay.options.gpu);
      printf("\nstatistics: %s/stats.json\n            %s/frames.csv\n", out, out);
   } else if (record || !want_images) {
      printf("%u frames rendered; there are no statistics without the model\n", trace.frames);
   }
   if (record)
      printf("recording:  %s\n", record);

   if (want_images) {
      struct check check = {
         .trace = &trace,
         .options = &replay.options,
         .range = replay.range,
         .snapshots = replay.snapshots,
         .images = replay.check ? images : NULL,
         .with_softpipe = replay.with_softpipe,
         .tolerance = replay.tolerance / 100,
      };
      if (replay.options.model && replay.check)
         putchar('\n');
      passed &= check_images(&check);
      if (replay.snapshots)
         printf("frames:     %s/frame-%04u.png … frame-%04u.png\n", replay.snapshots, replay.range.first,
                replay.range.last);
      if (replay.check)
         printf("differences from llvmpipe, %d times as bright: %s\n", DIFFERENCE_GAIN, images);
   }
   free(images);
   return passed ? STATUS_OK : STATUS_FAILED;
}
