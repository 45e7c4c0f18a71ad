/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "config/config.h"
#include "gpu/gpu.h"
#include "memory/cache.h"
#include "memory/future.h"
#include "progress.h"
#include "session.h"
#include "tools.h"

#define DEFAULT_CONFIG "boustro-fo"
#define DEFAULT_SETS 2048

static const char description[] =
   "Simulates a recording twice, with forward and with boustrophedonic frames, and\n"
   "says of the accesses that arrive at the L2 what the paper \"Boustrophedonic Frames\"\n"
   "does: reuse within and between frames, reuse distances, footprints, misses and\n"
   "memory accesses by stream. docs/analysis.md explains each value.\n";

static const char *const traversals[NUM_SIMULATIONS] = {
   [FORWARD] = "forward",
   [BOUSTROPHEDONIC] = "boustrophedonic",
};

/* One of the two simulations under way. */
struct runner {
   const struct cm_config *config;
   struct cm_futures *futures;
   struct cm_gpu *gpu;
   struct cm_analysis *accesses;
   uint64_t *counters;
   unsigned block_shift;
   unsigned frame; /* of the range */
};

struct analyze {
   struct configurations configurations;
   struct cache_selection caches;
   struct frame_selection frames;
   const char *out; /* NULL: none */
   bool json;
   struct session session; /* with a configuration for each traversal */
   struct analysis analysis;
   struct runner runners[NUM_SIMULATIONS];
};

static void
take_sets(void *field, const char *option, const char *value)
{
   char *end;
   const unsigned long sets = strtoul(value, &end, 10);
   if (end == value || *end || !sets || sets > 1u << 24 || (sets & (sets - 1)))
      fail(STATUS_USAGE, "%s %s: expected a power of two, 1 to 16777216", option, value);
   *(uint32_t *)field = (uint32_t)sets;
}

static void
parse(struct analyze *analyze, int argc, char **argv)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("sets", "N",
                   "sets of which reuse distances are counted, a power of two (default:\n"
                   "the cache's; 2048 for dram)",
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
                 DIRECTORY_OPTIONS(&analyze->out, "none; analysis.json and tables as CSV")},
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
   *session = session_open(analysis->file, &analyze->frames, &analyze->configurations);
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

/* ---- simulation -------------------------------------------------------- */

static void
create_runner(struct runner *runner, const struct cm_config *config, const struct analysis *analysis)
{
   const bool is_cache = analysis->point != CM_UNIT_DRAM;
   runner->config = config;
   runner->block_shift = (unsigned)__builtin_ctz(analysis->block_bytes);
   runner->futures = cm_futures_create(config);
   runner->accesses =
      cm_analysis_create(analysis->sets, is_cache ? config->caches[analysis->point].index : CM_INDEX_MODULO);
   if (!runner->futures || !runner->accesses)
      fail(STATUS_FAILED, "out of memory");
}

static void
start_gpu(struct runner *runner, enum cm_unit point)
{
   runner->frame = 0;
   char error[512];
   runner->gpu = cm_gpu_create_with_futures(runner->config, runner->futures, error, sizeof error);
   if (!runner->gpu)
      fail(STATUS_FAILED, "%s", error);
   if (!cm_futures_is_last_pass(runner->futures))
      return;
   const struct cm_access_reader reader = cm_analysis_reader(runner->accesses, point, runner->block_shift);
   if (!cm_gpu_add_reader(runner->gpu, &reader))
      fail(STATUS_FAILED, "out of memory");
   runner->counters = allocate(cm_gpu_counters(runner->gpu)->count * sizeof(uint64_t));
}

static void
run_pass(struct runner *runner, const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   cm_gpu_pass_begin(runner->gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(runner->gpu);
   for (uint32_t t = 0; traversal && t < num_tiles; t++)
      cm_gpu_pass_tile(runner->gpu, traversal[t]);
   cm_gpu_pass_end(runner->gpu);
}

static void
end_frame(struct runner *runner, unsigned warm_up)
{
   const uint64_t *frame = cm_gpu_frame_end(runner->gpu);
   if (!cm_futures_is_last_pass(runner->futures))
      return;
   for (uint32_t c = 0; runner->frame >= warm_up && c < cm_gpu_counters(runner->gpu)->count; c++)
      runner->counters[c] += frame[c];
   runner->frame++;
}

static void
take_item(struct analyze *analyze, struct cm_item *item)
{
   for (unsigned r = 0; r < NUM_SIMULATIONS; r++) {
      struct runner *runner = &analyze->runners[r];
      switch (item->type) {
      case CM_ITEM_GPU:
         if (runner->gpu)
            fail(STATUS_FAILED, "%s: another GPU begins within the frames; select those of one with --frames",
                 analyze->analysis.file);
         start_gpu(runner, analyze->analysis.point);
         break;
      case CM_ITEM_RESOURCES:
         for (size_t i = 0; i < item->num_resources; i++)
            cm_gpu_define_resource(runner->gpu, &item->resources[i]);
         break;
      case CM_ITEM_PASS: run_pass(runner, &item->pass->pass); break;
      case CM_ITEM_FRAME_END: end_frame(runner, analyze->analysis.warm_up); break;
      default: break;
      }
   }
   free(item->resources);
   cm_recorded_pass_release(item->pass);
}

/* All accesses once. */
static void
run_once(struct analyze *analyze)
{
   char error[512];
   struct cm_item item;
   unsigned frames = 0;
   const char *work =
      cm_futures_is_last_pass(analyze->runners[FORWARD].futures) ? "simulating" : "finding next uses";
   const struct analysis *analysis = &analyze->analysis;
   cm_recording_seek(analyze->session.simulations.recording, analysis->first_frame, analysis->last_frame);
   while ((item = cm_recording_next(analyze->session.simulations.recording)).type != CM_ITEM_END) {
      if (item.type == CM_ITEM_DAMAGED)
         fail(STATUS_FAILED, "%s", cm_recording_damage(analyze->session.simulations.recording));
      frames += item.type == CM_ITEM_FRAME_END;
      take_item(analyze, &item);
      progress_show(work, frames, analysis->last_frame - analysis->first_frame + 1);
   }
   for (unsigned r = 0; r < NUM_SIMULATIONS; r++) {
      struct runner *runner = &analyze->runners[r];
      if (!cm_gpu_is_complete(runner->gpu))
         exit(STATUS_FAILED); /* which has been said */
      if (!cm_futures_end_pass(runner->futures, error, sizeof error))
         fail(STATUS_FAILED, "%s", error);
   }
}

/* Both simulations, with as many passes over the recording as their policies need. */
static void
run(struct analyze *analyze)
{
   for (unsigned r = 0; r < NUM_SIMULATIONS; r++)
      create_runner(&analyze->runners[r], analyze->session.configurations.list[r].config, &analyze->analysis);
   for (bool last = false; !last;) {
      last = cm_futures_is_last_pass(analyze->runners[FORWARD].futures);
      run_once(analyze);
      for (unsigned r = 0; r < NUM_SIMULATIONS && !last; r++) {
         cm_gpu_destroy(analyze->runners[r].gpu);
         analyze->runners[r].gpu = NULL;
      }
   }
   for (unsigned r = 0; r < NUM_SIMULATIONS; r++) {
      const struct runner *runner = &analyze->runners[r];
      if (!cm_analysis_is_complete(runner->accesses))
         fail(STATUS_FAILED, "out of memory");
      analyze->analysis.simulations[r] = (struct simulated){
         .traversal = traversals[r],
         .config = runner->config,
         .accesses = runner->accesses,
         .table = cm_gpu_counters(runner->gpu),
         .counters = runner->counters,
      };
   }
}

int
command_analyze(int argc, char **argv)
{
   static struct analyze analyze;
   parse(&analyze, argc, argv);
   configure(&analyze);
   if (analyze.out)
      options_make_directory(analyze.out);

   run(&analyze);
   progress_end();
   if (analyze.json)
      analysis_print_json(&analyze.analysis);
   else
      analysis_print(&analyze.analysis);
   if (analyze.out)
      analysis_write(&analyze.analysis, analyze.out);
   session_close(&analyze.session);
   return STATUS_OK;
}
