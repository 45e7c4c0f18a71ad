/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "config/config.h"
#include "configurations.h"
#include "gpu/gpu.h"
#include "memory/cache.h"
#include "memory/future.h"
#include "options.h"
#include "progress.h"
#include "recordings.h"
#include "tools.h"

#define DEFAULT_CONFIG "boustro-fo"
#define DEFAULT_SETS 2048

static const char help[] =
   "usage: tbrsim analyze [OPTIONS] FILE.tbr\n"
   "\n"
   "Simulates a recording twice, with forward and with boustrophedonic frames, and\n"
   "says of the accesses that arrive at the L2 what the paper \"Boustrophedonic Frames\"\n"
   "does: reuse within and between frames, reuse distances, footprints, misses and\n"
   "memory accesses by stream. docs/analysis.md explains each value.\n"
   "\n"
   "  --config NAME|FILE.yaml  the simulated GPU (default " DEFAULT_CONFIG ")\n"
   "  --set KEY=VALUE          change one value of it; may be repeated\n"
   "  --frames A-B             only these frames (the program's, counting from 0)\n"
   "  --warm-up N              how many of them fill the caches first, and are not counted\n"
   "                           (default 1)\n"
   "  --unit UNIT              whose accesses: l2 (default), another cache, or dram\n"
   "  --sets N                 sets for the reuse distances, a power of two (default: those\n"
   "                           of the cache; 2048 for dram)\n"
   "  --json                   print all values as JSON instead of the report\n"
   "  --out DIR                also write analysis.json and tables (CSV) there\n"
   "  --help                   this text";

static const char *const traversals[NUM_SIMULATIONS] = {
   [FORWARD] = "forward",
   [BOUSTROPHEDONIC] = "boustrophedonic",
};

enum { OPTION_FRAMES = OPTION_COMMAND, OPTION_SETS };

static const struct option long_options[] = {
   {"config", required_argument, NULL, OPTION_CONFIG},
   {"set", required_argument, NULL, OPTION_SET},
   {"out", required_argument, NULL, OPTION_OUT},
   {"help", no_argument, NULL, OPTION_HELP},
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"warm-up", required_argument, NULL, OPTION_WARM_UP},
   UNIT_LONG_OPTIONS,
   {"sets", required_argument, NULL, OPTION_SETS},
   {"json", no_argument, NULL, OPTION_JSON},
   {NULL, 0, NULL, 0},
};

/* One of the two simulations under way. */
struct runner {
   const struct cm_config *config;
   struct cm_futures *futures;
   struct cm_gpu *gpu;
   struct cm_observer observer;
   struct cm_analysis *accesses;
   uint64_t *counters;
   unsigned block_shift;
   unsigned frame; /* of the range */
};

struct analyze {
   struct operands operands;
   struct configurations configurations; /* one for each traversal */
   const char *config;
   const char *frames; /* as given; NULL: all */
   const char *out;    /* NULL: none */
   bool json;
   struct cm_recording *recording;
   struct analysis analysis;
   struct runner runners[NUM_SIMULATIONS];
};

static uint32_t
parse_sets(const char *value)
{
   char *end;
   const unsigned long sets = strtoul(value, &end, 10);
   if (end == value || *end || !sets || sets > 1u << 24 || (sets & (sets - 1)))
      fail(STATUS_USAGE, "--sets %s: expected a power of two, 1 to 16777216", value);
   return (uint32_t)sets;
}

static unsigned
parse_warm_up(const char *value)
{
   unsigned frames;
   int end = 0;
   if (sscanf(value, "%9u%n", &frames, &end) != 1 || value[end])
      fail(STATUS_USAGE, "--warm-up %s: expected a number of frames", value);
   return frames;
}

static void
parse(struct analyze *analyze, int argc, char **argv)
{
   *analyze = (struct analyze){.config = DEFAULT_CONFIG, .analysis = {.point = CM_UNIT_L2, .warm_up = 1}};
   for (int option; (option = options_get(&analyze->operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_CONFIG: analyze->config = optarg; break;
      case OPTION_SET: configurations_set(&analyze->configurations, optarg); break;
      case OPTION_FRAMES: analyze->frames = optarg; break;
      case OPTION_OUT: analyze->out = optarg; break;
      case OPTION_WARM_UP: analyze->analysis.warm_up = parse_warm_up(optarg); break;
      case OPTION_UNIT: analyze->analysis.point = options_unit(optarg); break;
      case OPTION_SETS: analyze->analysis.sets = parse_sets(optarg); break;
      case OPTION_JSON: analyze->json = true; break;
      case OPTION_OPERAND: break;
      default: puts(help); exit(STATUS_OK);
      }
   }
   operands_single(&analyze->operands, "recording", "tbrsim analyze [OPTIONS] FILE.tbr");
   if (analyze->out && !*analyze->out)
      fail(STATUS_USAGE, "--out: the name is empty");
}

/* The configuration with both traversals; what the point and its sets are in them. */
static void
configure(struct analyze *analyze)
{
   for (unsigned r = 0; r < NUM_SIMULATIONS; r++) {
      char *traversal = text("frame.traversal=%s", traversals[r]);
      configurations_add(&analyze->configurations, analyze->config);
      configurations_set(&analyze->configurations, traversal);
      free(traversal);
   }
   configurations_finish(&analyze->configurations, analyze->recording);

   struct analysis *analysis = &analyze->analysis;
   const struct cm_config *config = analyze->configurations.list[0].config;
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
observe(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   struct runner *runner = context;
   (void)bytes;
   (void)access;
   cm_analysis_access(runner->accesses, stream, address >> runner->block_shift);
}

static void
start_gpu(struct runner *runner, enum cm_unit point)
{
   runner->frame = 0;
   runner->gpu = cm_gpu_create_with_futures(runner->config, runner->futures);
   if (!runner->gpu)
      exit(STATUS_FAILED); /* which has said why */
   if (!cm_futures_is_last_pass(runner->futures))
      return;
   runner->observer = (struct cm_observer){.access = observe, .context = runner};
   cm_gpu_observe(runner->gpu, point, &runner->observer);
   runner->counters = allocate(cm_gpu_counters(runner->gpu)->count * sizeof(uint64_t));
}

static void
run_pass(struct runner *runner, const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   cm_gpu_pass_begin(runner->gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(runner->gpu);
   for (uint32_t t = 0; traversal && t < num_tiles; t++) {
      cm_analysis_tile_begin(runner->accesses);
      cm_gpu_pass_tile(runner->gpu, traversal[t]);
      cm_analysis_tile_end(runner->accesses);
   }
   cm_gpu_pass_end(runner->gpu);
}

static void
end_frame(struct runner *runner, unsigned warm_up)
{
   const uint64_t *frame = cm_gpu_frame_end(runner->gpu);
   if (!cm_futures_is_last_pass(runner->futures))
      return;
   cm_analysis_frame_end(runner->accesses);
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
            fail(STATUS_FAILED, "%s: another GPU begins within the frames; choose those of one with --frames",
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
   cm_recording_seek(analyze->recording, analysis->first_frame, analysis->last_frame);
   while ((item = cm_recording_next(analyze->recording)).type != CM_ITEM_END) {
      if (item.type == CM_ITEM_DAMAGED)
         fail(STATUS_FAILED, "%s", cm_recording_damage(analyze->recording));
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
      create_runner(&analyze->runners[r], analyze->configurations.list[r].config, &analyze->analysis);
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
      if (!cm_analysis_complete(runner->accesses))
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
   struct analysis *analysis = &analyze.analysis;
   analysis->file = analyze.operands.list[0];
   analyze.recording = recording_open(analysis->file);
   size_t num_frames;
   analysis->frames = cm_recording_frames(analyze.recording, &num_frames);
   recording_find_frames(analyze.recording, analysis->file, analyze.frames, &analysis->first_frame,
                         &analysis->last_frame);
   const unsigned num_simulated = analysis->last_frame - analysis->first_frame + 1;
   if (num_simulated <= analysis->warm_up)
      fail(STATUS_USAGE, "%s: no frame is left of %u, as --warm-up is %u", analysis->file, num_simulated,
           analysis->warm_up);
   configure(&analyze);
   if (analyze.out)
      options_make_directory(analyze.out);

   run(&analyze);
   progress_end();
   if (analyze.json)
      analysis_print_json(analysis);
   else
      analysis_print(analysis);
   if (analyze.out)
      analysis_write(analysis, analyze.out);
   cm_recording_close(analyze.recording);
   return STATUS_OK;
}
