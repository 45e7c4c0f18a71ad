/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "output/parquet.h"
#include "output/report.h"
#include "commands/selected.h"
#include "input/session.h"
#include "output/simulation_table.h"
#include "results/process_results.h"
#include "timing/timeline.h"
#include "tools.h"

static const char description[] =
   "Simulates memory hierarchies over a recording (tbrsim run|replay --record). The statistics\n"
   "are the same, to the byte, as those of a live run with the same configuration; only\n"
   "stats.json also names the recording. Several configurations are printed side by side. Each\n"
   "then has a directory of its own for its statistics, and OUT/index.json lists them. --csv\n"
   "prints one line for each configuration; CSV and JSON have the sums of all counters. With\n"
   "--selected only the frames that tbrsim select has chosen are simulated. What is printed are\n"
   "then estimates of the totals of all frames; OUT/estimate.json has their confidence\n"
   "intervals.\n";
static const char notes[] =
   "--config may be repeated. A --set or --timing after a --config belongs to that configuration.\n"
   "Before the first --config, or after FILE, it belongs to all. After the last of several\n"
   "configurations it would be ambiguous if none of the others has settings, and is refused.\n";

/* By how much estimates may be off. */
#define DEFAULT_VERIFY 0.02

/* What is printed, and whether tables are written as Parquet, too. */
struct sim_format {
   enum output_format printed;
   bool parquet;
};

struct sim {
   const char *path;
   struct configurations configurations;
   struct frame_selection frames;
   const char *out;
   unsigned jobs;
   unsigned model_threads; /* of one configuration; 0: not given */
   const char *work_times;
   struct selected_options selected;
   struct selected selection;
   const char *timeline; /* frames; NULL: none */
   struct cm_timeline_frames timeline_frames;
   struct sim_format format;
   struct session session;
};

static void
take_verify(void *field, const char *option, const char *value)
{
   double percent = 100 * DEFAULT_VERIFY;
   if (value && (!options_percent(value, 100, &percent) || !percent))
      fail(STATUS_USAGE, "%s=%s: expected per cent, above 0 and at most 100", option, value);
   *(double *)field = percent / 100;
}

static void
take_format(void *field, const char *option, const char *value)
{
   static const char *const names[] = {
      [OUTPUT_TABLE] = "table", [OUTPUT_CSV] = "csv", [OUTPUT_JSON] = "json", [OUTPUT_JSON + 1] = "parquet"};
   struct sim_format *format = field;
   const unsigned name = options_name(option, value, names, OUTPUT_JSON + 2);
   if (name > OUTPUT_JSON)
      format->parquet = true;
   else
      format->printed = (enum output_format)name;
}

static void
parse(struct sim *sim, int argc, char **argv)
{
   static const struct option_row rows[] = {
      OPTION("selected", "FILE",
             "simulate only the frames that tbrsim select wrote to FILE, each after the\n"
             "warm-up frames that the largest cache needs, and estimate the totals\n"
             "of all frames (default: all frames)",
             take_input, struct selected_options, path),
      OPTION("verify", "[=PERCENT]",
             "with --selected: simulate all frames, too, and compare. Exit status 1\n"
             "where the estimate of cycles, DRAM bytes or misses of L2 or LLC is off\n"
             "by more (default: 2 %)",
             take_verify, struct selected_options, verify),
   };
   static const struct option_row time_rows[] = {
      OPTION_ALONE("work-times", "FILE",
                   "write the processor time of each part of the simulation as CSV (default:\n"
                   "none)",
                   take_output),
   };
   static const struct option_row format_rows[] = {
      OPTION_ALONE("format", "table|csv|json|parquet",
                   "what is printed (default: table). parquet prints the table and also\n"
                   "writes frames.csv and the tables of --attribute as Parquet",
                   take_format),
   };
   *sim = (struct sim){.out = "tbrsim-out", .jobs = options_count_cores()};
   const struct command_line line = {
      .usage = "tbrsim sim [OPTIONS] FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {CONFIG_OPTIONS(&sim->configurations, "the recorded one"), VARY_OPTIONS(&sim->configurations),
                 ATTRIBUTE_OPTIONS(&sim->configurations), FRAME_AND_WARM_UP_OPTIONS(&sim->frames, "0"),
                 OPTION_GROUP(rows, &sim->selected), TIMELINE_OPTIONS(&sim->timeline),
                 OPTION_GROUP(format_rows, &sim->format), CSV_JSON_OPTIONS(&sim->format.printed),
                 DIRECTORY_OPTIONS(&sim->out, "tbrsim-out; of several\nconfigurations each in DIR/NAME"),
                 JOB_OPTIONS(&sim->jobs), MODEL_THREAD_OPTIONS(&sim->model_threads),
                 OPTION_GROUP(time_rows, &sim->work_times)},
      .notes = notes,
   };
   sim->path = command_line_parse(&line, argc, argv).list[0];
   if (sim->selected.path && (sim->frames.frames || sim->timeline))
      fail(STATUS_USAGE, "--selected: which frames are simulated is in %s; not with --frames or --timeline",
           sim->selected.path);
   if (sim->format.parquet)
      parquet_check();
   if (!sim->selected.path && sim->selected.verify > 0)
      fail(STATUS_USAGE, "--verify: there is nothing to compare without --selected FILE");
}

/* The next uses that a policy knows are those of one GPU's accesses. */
static void
check_futures(const struct sim *sim)
{
   const struct simulations *simulations = &sim->session.simulations;
   if (cm_recording_count_gpus(simulations->recording, simulations->first_frame, simulations->last_frame) ==
       1)
      return;
   for (unsigned c = 0; c < sim->session.configurations.count; c++) {
      const struct configuration *configuration = &sim->session.configurations.list[c];
      const enum cm_unit unit = cm_config_needs_future(configuration->config);
      if (unit != CM_UNIT_DRAM)
         fail(STATUS_USAGE,
              "%s: caches.%s.policy: the frames are of several GPUs, and it needs the future of one; "
              "select with --frames",
              configuration->name, cm_unit_names[unit]);
   }
}

/* The frames are simulated, and with time. */
static void
check_timeline(struct sim *sim)
{
   const struct simulations *simulations = &sim->session.simulations;
   /* They are the program's, which a recording of a part of it has by these numbers. */
   const unsigned first = session_frame_number(&sim->session, simulations->first_frame + sim->frames.warm_up);
   const unsigned last = session_frame_number(&sim->session, simulations->last_frame);
   sim->timeline_frames = options_timeline(sim->timeline);
   sim->timeline_frames.begin = session_frame_number(&sim->session, simulations->first_frame);
   if (sim->timeline_frames.first < first || sim->timeline_frames.last > last)
      fail(STATUS_USAGE, "--timeline %s: expected frames that are simulated and counted, of %u-%u",
           sim->timeline, first, last);
   for (unsigned c = 0; c < sim->session.configurations.count; c++)
      options_check_timed(sim->timeline, sim->session.configurations.list[c].config,
                          sim->session.configurations.list[c].name);
}

/* Threads of each simulation where none are asked for: as many as processors, divided. Those that decode mostly wait for them.
 * More than eight find little to do (bench/threads.py). */
static unsigned
default_model_threads(unsigned processors, unsigned simulations)
{
   const unsigned each = processors / simulations;
   return each < 1 ? 1 : each > 8 ? 8 : each;
}

static void
start(struct sim *sim)
{
   struct simulations *simulations = &sim->session.simulations;
   simulations->count = sim->session.configurations.count;
   simulations->list = allocate(simulations->count * sizeof(*simulations->list));
   for (unsigned c = 0; c < simulations->count; c++) {
      const struct configuration *configuration = &sim->session.configurations.list[c];
      const char *out = simulations->count > 1 ? text("%s/%s", sim->out, configuration->directory) : sim->out;
      options_check_directory(out, true);
      simulation_start(&simulations->list[c], configuration, simulations, out, sim->frames.warm_up);
      if (sim->timeline)
         simulation_add_timeline(&simulations->list[c], &sim->timeline_frames);
   }
   simulations->work_times = sim->work_times;
   simulations->model_threads =
      sim->model_threads ? sim->model_threads : default_model_threads(sim->jobs, simulations->count);
   simulations->are_threads_asked_for = sim->model_threads != 0;
   simulations->jobs = sim->jobs;
}

/* Simulates all frames, for a comparison: without files. */
static struct simulations
simulate_whole(const struct sim *sim)
{
   struct simulations whole = sim->session.simulations;
   whole.plan = NULL;
   whole.list = allocate(whole.count * sizeof(*whole.list));
   for (unsigned c = 0; c < whole.count; c++)
      simulation_start(&whole.list[c], &sim->session.configurations.list[c], &whole, NULL, 0);
   if (!simulations_run(&whole))
      fail(STATUS_FAILED, "%s: not all frames could be simulated", sim->path);
   return whole;
}

/* Prints the estimates; false where they are not as good as they should be. */
static bool
print_estimates(const struct sim *sim)
{
   const struct simulations *simulations = &sim->session.simulations;
   const double limit = sim->selected.verify;
   struct simulations whole = {0};
   double largest = 0;
   if (limit > 0)
      whole = simulate_whole(sim);
   for (unsigned c = 0; c < simulations->count; c++) {
      if (c)
         putchar('\n');
      const double error =
         selected_print(&sim->selection, &simulations->list[c], limit > 0 ? &whole.list[c] : NULL);
      largest = error > largest ? error : largest;
   }
   if (limit <= 0)
      return true;
   printf("%s: the largest error is %.2f %%\n", largest <= limit ? "fine" : "not as good as asked",
          100 * largest);
   return largest <= limit;
}

static bool
write_parquet(const struct simulations *simulations)
{
   const char **directories = allocate((simulations->count + 1) * sizeof(*directories));
   for (unsigned c = 0; c < simulations->count; c++)
      directories[c] = simulations->list[c].out;
   const bool written = parquet_write(directories, false);
   free(directories);
   return written;
}

static void
print(const struct sim *sim)
{
   const struct simulations *simulations = &sim->session.simulations;
   if (sim->format.printed == OUTPUT_CSV) {
      simulation_table_csv(simulations->list, simulations->count);
   } else if (sim->format.printed == OUTPUT_JSON) {
      simulation_table_json(simulations->list, simulations->count, sim->path);
   } else if (simulations->count > 1) {
      simulation_table_print(simulations->list, simulations->count);
   } else {
      report_print(sim->out, simulations->list[0].configuration->config);
      printf("\nstatistics: %s/stats.json\n            %s/frames.csv\n", sim->out, sim->out);
      if (sim->timeline)
         printf("timeline:   %s/" CM_STATISTICS_TIMELINE "\n", sim->out);
      if (sim->format.parquet)
         printf("parquet:    %s/*.parquet\n", sim->out);
   }
}

int
command_sim(int argc, char **argv)
{
   struct sim sim;
   parse(&sim, argc, argv);
   /* With a selection the warm-up is one of its own. */
   const struct frame_selection all = {0};
   sim.session = session_open(sim.path, sim.selected.path ? &all : &sim.frames, &sim.configurations);
   struct simulations *simulations = &sim.session.simulations;
   check_futures(&sim);
   if (sim.timeline)
      check_timeline(&sim);
   if (sim.selected.path)
      selected_open(&sim.selection, sim.selected.path, sim.frames.warm_up, &sim.session);
   start(&sim);

   bool ok = simulations_run(simulations);
   session_check(&sim.session);
   const struct simulation *first = &simulations->list[0];
   if (!first->frames)
      fail(STATUS_FAILED, "%s: no frame could be simulated", sim.path);
   /* What is there may be of another simulation, then. */
   if (!first->written)
      return STATUS_FAILED;
   if (simulations->count > 1)
      simulation_index_write(sim.out, sim.path, simulations->list, simulations->count);
   if (sim.format.parquet)
      ok &= write_parquet(simulations);
   for (unsigned c = 0; sim.selected.path && c < simulations->count; c++)
      selected_finish(&sim.selection, &simulations->list[c]);
   if (sim.selected.path && sim.format.printed == OUTPUT_TABLE)
      ok &= print_estimates(&sim);
   else
      print(&sim);
   session_close(&sim.session);
   return ok ? STATUS_OK : STATUS_FAILED;
}
