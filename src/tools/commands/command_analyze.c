/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis.h"
#include "config/config.h"
#include "memory/cache.h"
#include "input/session.h"
#include "tools.h"

#define DEFAULT_CONFIG "boustro-fo"
#define DEFAULT_SETS 2048

static const char description[] =
   "Simulates a recording twice, with forward and with boustrophedonic frames, and analyses the\n"
   "accesses that arrive at the L2 as the paper \"Boustrophedonic Frames\" does: reuse within and\n"
   "between frames, reuse distances, footprints, misses and memory accesses by stream.\n"
   "docs/analysis.md explains each value.\n";

static const char *const traversals[NUM_SIMULATIONS] = {
   [FORWARD] = "forward",
   [BOUSTROPHEDONIC] = "boustrophedonic",
};

struct analyze {
   struct configurations configurations;
   struct cache_selection caches;
   struct frame_selection frames;
   const char *out; /* NULL: none */
   bool json;
   struct session session; /* with a configuration for each traversal */
   struct analysis analysis;
};

static void
take_sets(void *field, const char *option, const char *value)
{
   static const char expected[] = "a power of two, 1 to 16777216";
   const unsigned sets = options_number(option, value, 1, 1u << 24, expected);
   if (sets & (sets - 1))
      fail(STATUS_USAGE, "%s %s: expected %s", option, value, expected);
   *(uint32_t *)field = sets;
}

static void
parse(struct analyze *analyze, int argc, char **argv)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("sets", "N",
                   "number of sets in which reuse distances are counted, a power of two\n"
                   "(default: the cache's; 2048 for dram)",
                   take_sets),
   };
   *analyze = (struct analyze){.configurations = {.single = true, .preset = DEFAULT_CONFIG},
                               .caches = {.unit = "l2"},
                               .frames = {.warm_up = 1}};
   const struct command_line line = {
      .usage = "tbrsim analyze [OPTIONS] FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {CONFIG_OPTIONS(&analyze->configurations, DEFAULT_CONFIG),
                 FRAME_AND_WARM_UP_OPTIONS(&analyze->frames, "1"), UNIT_OPTIONS(&analyze->caches, "l2"),
                 OPTION_GROUP(rows, &analyze->analysis.sets), JSON_OPTIONS(&analyze->json),
                 DIRECTORY_OPTIONS(&analyze->out, "none; for analysis.json")},
   };
   analyze->analysis.file = command_line_parse(&line, argc, argv).list[0];
   analyze->analysis.point = options_unit(analyze->caches.unit);
   analyze->analysis.warm_up = analyze->frames.warm_up;
}

/* Opens the recording for the configuration with both traversals; what the point and its sets are in them. */
static void
configure(struct analyze *analyze)
{
   struct analysis *analysis = &analyze->analysis;
   struct session *session = &analyze->session;
   size_t num_frames;
   char *both = text("frame.traversal=%s,%s", traversals[0], traversals[1]);
   configurations_vary(&analyze->configurations, both);
   free(both);
   *session = session_open_accesses(analysis->file, &analyze->frames, &analyze->configurations);
   session->simulations.jobs = 2;
   analysis->frames = cm_recording_frames(session->simulations.recording, &num_frames);
   analysis->first_frame = session->simulations.first_frame;
   analysis->last_frame = session->simulations.last_frame;

   const struct cm_config *config = session->configurations.list[0].config;
   const struct cm_cache_config *cache = &config->caches[analysis->point];
   if (analysis->point == CM_UNIT_DRAM) {
      analysis->block_bytes = 1u << CM_DRAM_BLOCK_SHIFT;
      analysis->sets = analysis->sets ? analysis->sets : DEFAULT_SETS;
   } else if (cache->size) {
      analysis->block_bytes = cache->block;
      analysis->sets = analysis->sets ? analysis->sets : cache->size / cache->ways / cache->block;
   } else {
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[analysis->point], config->name);
   }
}

/* Simulates both; false where something was lost, which has been reported. */
static bool
run(struct analyze *analyze)
{
   const struct analysis *analysis = &analyze->analysis;
   struct simulations *simulations = &analyze->session.simulations;
   struct cm_access_reader readers[NUM_SIMULATIONS];
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct configuration *configuration = &analyze->session.configurations.list[s];
      struct simulation *simulation = &simulations->list[s];
      struct cm_analysis *accesses =
         cm_analysis_create(analysis->sets, analysis->point == CM_UNIT_DRAM
                                               ? CM_INDEX_MODULO
                                               : configuration->config->caches[analysis->point].index);
      if (!accesses)
         fail(STATUS_FAILED, "out of memory");
      readers[s] =
         cm_analysis_reader(accesses, analysis->point, (unsigned)__builtin_ctz(analysis->block_bytes));
      simulation_start(simulation, configuration, simulations, NULL, analysis->warm_up);
      simulation->reader = &readers[s];
      analyze->analysis.simulations[s] = (struct simulated){
         .traversal = traversals[s],
         .config = configuration->config,
         .accesses = accesses,
         .table = simulation->table,
         .counters = simulation->total,
      };
   }
   simulations_run(simulations);
   session_check(&analyze->session);
   bool ok = true;
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      ok &= !simulations->list[s].failed && simulations->list[s].frames == analysis_frames(analysis);
      if (!cm_analysis_is_complete(analysis->simulations[s].accesses))
         fail(STATUS_FAILED, "out of memory");
   }
   return ok;
}

int
command_analyze(int argc, char **argv)
{
   static struct analyze analyze;
   parse(&analyze, argc, argv);
   configure(&analyze);
   if (analyze.out)
      options_check_directory(analyze.out, true);

   if (!run(&analyze))
      return STATUS_FAILED;
   if (analyze.json)
      analysis_print_json(&analyze.analysis, stdout);
   else
      analysis_print(&analyze.analysis);
   if (analyze.out) {
      char *path = text("%s/analysis.json", analyze.out);
      FILE *file = options_open_output(path);
      analysis_print_json(&analyze.analysis, file);
      options_close_output(file, path);
      free(path);
   }
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++)
      cm_analysis_destroy(analyze.analysis.simulations[s].accesses);
   session_close(&analyze.session);
   return STATUS_OK;
}
