/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "recordings.h"
#include "report.h"
#include "simulation.h"
#include "simulation_table.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim sim [OPTIONS] FILE.tbr\n"
   "\n"
   "Simulates memory hierarchies over a recording (tbrsim run|replay --record). Statistics\n"
   "are those of a live run under the same configuration, to the byte. With several\n"
   "configurations prints them side by side; each has its statistics in a directory of\n"
   "its own, called after the preset and its settings.\n"
   "\n"
   "  --config NAME|FILE.yaml  a simulated GPU; may be repeated (default: the recorded one)\n"
   "  --set KEY=VALUE          change one value of the --config before it, or of all if there is\n"
   "                           none before it; may be repeated\n"
   "  --timing on|off          simulate cycles, too: --set timing=on\n"
   "  --frames A-B             simulate only these frames (the program's, counting from 0)\n"
   "  --out DIR                where stats.json and frames.csv go (default tbrsim-out); with\n"
   "                           several configurations DIR/NAME\n"
   "  --jobs N                 threads (default: one a core)\n"
   "  --help                   this text";

enum { OPTION_FRAMES = OPTION_COMMAND, OPTION_JOBS };

static const struct option long_options[] = {
   {"config", required_argument, NULL, OPTION_CONFIG}, {"set", required_argument, NULL, OPTION_SET},
   {"timing", required_argument, NULL, OPTION_TIMING}, {"frames", required_argument, NULL, OPTION_FRAMES},
   {"out", required_argument, NULL, OPTION_OUT},       {"jobs", required_argument, NULL, OPTION_JOBS},
   {"help", no_argument, NULL, OPTION_HELP},           {NULL, 0, NULL, 0},
};

struct sim {
   struct configurations configurations;
   const char *frames; /* as given; NULL: all */
   const char *out;
   unsigned jobs;
};

static void
parse(struct sim *sim, int argc, char **argv)
{
   *sim = (struct sim){.out = "tbrsim-out", .jobs = options_count_cores()};
   opterr = 0;
   for (int option; (option = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1;) {
      switch (option) {
      case OPTION_CONFIG: configurations_add(&sim->configurations, optarg); break;
      case OPTION_SET: configurations_set(&sim->configurations, optarg); break;
      case OPTION_TIMING: configurations_set(&sim->configurations, options_timing(optarg)); break;
      case OPTION_FRAMES: sim->frames = optarg; break;
      case OPTION_OUT: sim->out = optarg; break;
      case OPTION_JOBS: sim->jobs = options_jobs(optarg); break;
      case ':': fail(STATUS_USAGE, "%s needs a value; see tbrsim sim --help", argv[optind - 1]);
      case '?': fail(STATUS_USAGE, "unknown option '%s'; see tbrsim sim --help", argv[optind - 1]);
      default: puts(help); exit(STATUS_OK);
      }
   }
   if (optind != argc - 1)
      fail(STATUS_USAGE, "%s; usage: tbrsim sim [OPTIONS] FILE.tbr",
           optind == argc ? "no recording" : "more than one recording");
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

static void
start(const struct sim *sim, struct simulations *simulations)
{
   simulations->count = sim->configurations.count;
   simulations->list = allocate(simulations->count * sizeof(*simulations->list));
   for (unsigned c = 0; c < simulations->count; c++) {
      const struct configuration *configuration = &sim->configurations.list[c];
      const char *out = simulations->count > 1 ? text("%s/%s", sim->out, configuration->name) : sim->out;
      options_make_directory(out);
      options_remove_statistics(out);
      simulation_start(&simulations->list[c], configuration, simulations->recording, out);
   }
   /* More threads than can be at work at once are of no use: all simulations, and decoding. */
   simulations->jobs = sim->jobs < simulations->count + 1 ? sim->jobs : simulations->count + 1;
}

int
command_sim(int argc, char **argv)
{
   struct sim sim;
   parse(&sim, argc, argv);
   const char *path = argv[optind];
   struct simulations simulations = {.recording = recording_open(path)};
   bool damaged = cm_recording_damage(simulations.recording);
   recording_find_frames(simulations.recording, path, sim.frames, &simulations.first_frame,
                         &simulations.last_frame);
   configurations_finish(&sim.configurations, simulations.recording);
   check_futures(&sim, &simulations);
   start(&sim, &simulations);

   bool fine = simulations_run(&simulations);
   if (!damaged && cm_recording_damage(simulations.recording))
      say("%s", cm_recording_damage(simulations.recording));
   const struct simulation *first = &simulations.list[0];
   if (!first->frames)
      fail(STATUS_FAILED, "%s: no frame could be simulated", path);
   if (simulations.count > 1) {
      simulation_table_print(simulations.list, simulations.count);
   } else {
      report_print(sim.out, first->configuration->config);
      printf("\nstatistics: %s/stats.json\n            %s/frames.csv\n", sim.out, sim.out);
   }
   cm_recording_close(simulations.recording);
   return fine ? STATUS_OK : STATUS_FAILED;
}
