/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "config/config.h"
#include "recordings.h"
#include "report.h"
#include "simulation.h"
#include "simulation_index.h"
#include "simulation_table.h"
#include "timing/timeline.h"
#include "timing/timing.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim sim [OPTIONS] FILE.tbr\n"
   "\n"
   "Simulates memory hierarchies over a recording (tbrsim run|replay --record). Statistics\n"
   "are those of a live run under the same configuration, to the byte. With several\n"
   "configurations prints them side by side; each has its statistics in a directory of\n"
   "its own, which OUT/index.json lists.\n"
   "\n"
   "  --config NAME|FILE.yaml[,KEY=VALUE...]\n"
   "                           a simulated GPU; may be repeated (default: the recorded one)\n"
   "  --set KEY=VALUE          before the first --config or behind FILE: change one value of all;\n"
   "                           else of the --config before it. May be repeated. Behind the last of\n"
   "                           several GPUs, the first to have any, it is refused as unclear.\n"
   "  --timing on|off          simulate cycles, too: --set timing=on, with the same rule\n"
   "  --vary KEY=VALUE,VALUE   each configuration with each of the values; of several --vary,\n"
   "                           all combinations\n"
   "  --timeline FRAME         with timing, write what happened in a frame to timeline-FRAME.json\n"
   "                           beside the statistics, for chrome://tracing or ui.perfetto.dev\n"
   "  --frames A-B             simulate only these frames (the program's, counting from 0)\n"
   "  --warm-up N              of these, frames that fill the caches first and are not counted\n"
   "                           (default 0)\n"
   "  --format table|csv|json  what is printed; csv (or --csv) has a line for each configuration,\n"
   "                           csv and json (or --json) have the sums of all counters\n"
   "  --out DIR                where stats.json and frames.csv go (default tbrsim-out); with\n"
   "                           several configurations DIR/NAME\n"
   "  --jobs N                 threads (default: one a core)\n"
   "  --help                   this text";

enum { OPTION_FRAMES = OPTION_COMMAND, OPTION_JOBS, OPTION_TIMELINE, OPTION_VARY };

static const struct option long_options[] = {
   {"config", required_argument, NULL, OPTION_CONFIG},
   {"set", required_argument, NULL, OPTION_SET},
   {"timing", required_argument, NULL, OPTION_TIMING},
   FORMAT_LONG_OPTIONS,
   {"warm-up", required_argument, NULL, OPTION_WARM_UP},
   {"vary", required_argument, NULL, OPTION_VARY},
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"out", required_argument, NULL, OPTION_OUT},
   {"timeline", required_argument, NULL, OPTION_TIMELINE},
   {"jobs", required_argument, NULL, OPTION_JOBS},
   {"help", no_argument, NULL, OPTION_HELP},
   {NULL, 0, NULL, 0},
};

struct sim {
   struct operands operands;
   struct configurations configurations;
   const char *frames; /* as given; NULL: all */
   const char *out;
   unsigned jobs;
   const char *timeline; /* as given; NULL: none */
   unsigned timeline_frame;
   enum output_format format;
   unsigned warm_up;
};

static void
parse(struct sim *sim, int argc, char **argv)
{
   *sim = (struct sim){.out = "tbrsim-out", .jobs = options_count_cores()};
   for (int option; (option = options_get(&sim->operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_CONFIG: configurations_add(&sim->configurations, optarg); break;
      case OPTION_SET: configurations_set(&sim->configurations, optarg); break;
      case OPTION_TIMING: configurations_set(&sim->configurations, options_timing(optarg)); break;
      case OPTION_FORMAT:
      case OPTION_JSON:
      case OPTION_CSV: sim->format = options_format(option, optarg); break;
      case OPTION_WARM_UP: sim->warm_up = options_warm_up(optarg); break;
      case OPTION_VARY: configurations_vary(&sim->configurations, optarg); break;
      case OPTION_FRAMES: sim->frames = optarg; break;
      case OPTION_OUT: sim->out = optarg; break;
      case OPTION_TIMELINE: sim->timeline = optarg; break;
      case OPTION_JOBS: sim->jobs = options_jobs(optarg); break;
      case OPTION_OPERAND: configurations_all(&sim->configurations); break;
      default: puts(help); exit(STATUS_OK);
      }
   }
   operands_single(&sim->operands, "recording", "tbrsim sim [OPTIONS] FILE.tbr");
   if (!*sim->out)
      fail(STATUS_USAGE, "--out: the name is empty");
}

/* The next uses that a policy knows are those of one GPU's accesses. */
static void
check_futures(const struct sim *sim, const struct simulations *simulations)
{
   if (cm_recording_count_gpus(simulations->recording, simulations->first_frame, simulations->last_frame) ==
       1)
      return;
   for (unsigned c = 0; c < sim->configurations.count; c++) {
      const struct configuration *configuration = &sim->configurations.list[c];
      const enum cm_unit unit = cm_config_needs_future(configuration->config);
      if (unit != CM_UNIT_DRAM)
         fail(STATUS_USAGE,
              "%s: caches.%s.policy: the frames are of several GPUs, and it has to know the future of one; "
              "choose with --frames",
              configuration->name, cm_unit_names[unit]);
   }
}

/* The frame is simulated, and with time. */
static void
check_timeline(struct sim *sim, const struct simulations *simulations)
{
   const struct frame_range range = options_frames(sim->timeline);
   sim->timeline_frame = range.first;
   if (range.first != range.last || range.first < simulations->first_frame ||
       range.last > simulations->last_frame)
      fail(STATUS_USAGE, "--timeline %s: expected one of the frames that are simulated, %u-%u", sim->timeline,
           simulations->first_frame, simulations->last_frame);
   for (unsigned c = 0; c < sim->configurations.count; c++) {
      if (sim->configurations.list[c].config->timing != CM_TIMING_ON)
         fail(STATUS_USAGE, "--timeline %s: %s has no timing, expected --timing on", sim->timeline,
              sim->configurations.list[c].name);
   }
}

static void
write_timeline(const struct sim *sim, const struct simulation *simulation)
{
   if (!cm_timeline_is_complete(simulation->timeline))
      fail(STATUS_FAILED, "--timeline %s: the frame was not simulated", sim->timeline);
   char *path = text("%s/timeline-%u.json", simulation->out, sim->timeline_frame);
   FILE *file = fopen(path, "we");
   bool fine = file && cm_timeline_write(simulation->timeline, file);
   if (!file || fclose(file) || !fine)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   if (sim->format == OUTPUT_TABLE)
      printf("timeline:   %s\n", path);
   free(path);
   cm_timeline_destroy(simulation->timeline);
}

static void
start(const struct sim *sim, struct simulations *simulations)
{
   simulations->count = sim->configurations.count;
   simulations->list = allocate(simulations->count * sizeof(*simulations->list));
   for (unsigned c = 0; c < simulations->count; c++) {
      const struct configuration *configuration = &sim->configurations.list[c];
      const char *out = simulations->count > 1 ? text("%s/%s", sim->out, configuration->directory) : sim->out;
      options_make_directory(out);
      simulation_start(&simulations->list[c], configuration, simulations->recording, out, sim->warm_up);
      if (sim->timeline) {
         simulations->list[c].timeline =
            cm_timeline_create(sim->timeline_frame - simulations->first_frame, sim->timeline_frame,
                               cm_timing_banks(configuration->config));
         if (!simulations->list[c].timeline)
            fail(STATUS_FAILED, "out of memory");
      }
   }
   /* More threads than can be at work at once are of no use: all simulations, and decoding. */
   simulations->jobs = sim->jobs < simulations->count + 1 ? sim->jobs : simulations->count + 1;
}

int
command_sim(int argc, char **argv)
{
   struct sim sim;
   parse(&sim, argc, argv);
   const char *path = sim.operands.list[0];
   struct simulations simulations = {.recording = recording_open(path)};
   bool damaged = cm_recording_damage(simulations.recording);
   recording_find_frames(simulations.recording, path, sim.frames, &simulations.first_frame,
                         &simulations.last_frame);
   configurations_finish(&sim.configurations, simulations.recording);
   check_futures(&sim, &simulations);
   options_check_warm_up(sim.warm_up, path, simulations.last_frame - simulations.first_frame + 1);
   if (sim.timeline)
      check_timeline(&sim, &simulations);
   start(&sim, &simulations);

   bool fine = simulations_run(&simulations);
   if (!damaged && cm_recording_damage(simulations.recording))
      say("%s", cm_recording_damage(simulations.recording));
   const struct simulation *first = &simulations.list[0];
   if (!first->frames)
      fail(STATUS_FAILED, "%s: no frame could be simulated", path);
   /* What is there may be of another simulation, then. */
   if (!first->written)
      return STATUS_FAILED;
   if (simulations.count > 1)
      simulation_index_write(sim.out, path, simulations.list, simulations.count);
   if (sim.format == OUTPUT_CSV) {
      simulation_table_csv(simulations.list, simulations.count);
   } else if (sim.format == OUTPUT_JSON) {
      simulation_table_json(simulations.list, simulations.count, path);
   } else if (simulations.count > 1) {
      simulation_table_print(simulations.list, simulations.count);
   } else {
      report_print(sim.out, first->configuration->config);
      printf("\nstatistics: %s/stats.json\n            %s/frames.csv\n", sim.out, sim.out);
   }
   for (unsigned c = 0; sim.timeline && c < simulations.count; c++)
      write_timeline(&sim, &simulations.list[c]);
   cm_recording_close(simulations.recording);
   return fine ? STATUS_OK : STATUS_FAILED;
}
