/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "access_stream.h"
#include "config/config.h"
#include "llc_report.h"
#include "options.h"
#include "recordings.h"
#include "tools.h"
#include "memory/cache.h"

static const char help[] =
   "usage: tbrsim llc [OPTIONS] FILE.tbr...\n"
   "\n"
   "Compares the policies of a last-level cache, as the paper \"Efficient Management of\n"
   "Last-level Caches in Graphics Processors\" (GSPC) does: a recording is decoded, and the\n"
   "units before the cache are simulated, once for all of them.\n"
   "\n"
   "  --unit UNIT              the cache (default: the one that all memory accesses pass)\n"
   "  --policy LIST            policies, with commas; gspztc:2 has the threshold t = 2; all\n"
   "                           (default): nru, lru, srrip, drrip, drrip4, gs-drrip, gs-drrip4,\n"
   "                           ship-mem, gspztc, gspztc-tse, gspc, opt\n"
   "  --uncached STREAM        each policy also with a stream that passes by the cache\n"
   "  --size BYTES[,BYTES]     sizes: 8M, 2048K (default: the configuration's)\n"
   "  --cold-frames            each frame begins with an empty cache (the units before it keep\n"
   "                           what they have), and all frames count\n"
   "  --warm-up N              of these, frames that fill the caches first and are not counted\n"
   "                           (default 0)\n"
   "  --profile                reuse within and between streams, epochs and their death\n"
   "                           ratios, what comes in predicted as distant\n"
   "  --config NAME|FILE.yaml  the simulated GPU (default: the recorded one)\n"
   "  --set KEY=VALUE          change one value of it; may be repeated\n"
   "  --frames A-B             only these frames (the program's, counting from 0)\n"
   "  --jobs N                 threads (default: one a core)\n"
   "  --format table|csv|json  what is printed; also --csv, --json\n"
   "  --out FILE               where it goes (default: standard output)\n"
   "  --help                   this text\n"
   "\n"
   "docs/llc.md explains each value.";

enum {
   OPTION_FRAMES = OPTION_COMMAND,
   OPTION_UNCACHED,
   OPTION_SIZE,
   OPTION_COLD_FRAMES,
   OPTION_PROFILE,
   OPTION_JOBS,
};

static const struct option long_options[] = {
   UNIT_LONG_OPTIONS,
   POLICY_LONG_OPTIONS,
   {"uncached", required_argument, NULL, OPTION_UNCACHED},
   {"size", required_argument, NULL, OPTION_SIZE},
   {"cold-frames", no_argument, NULL, OPTION_COLD_FRAMES},
   {"warm-up", required_argument, NULL, OPTION_WARM_UP},
   {"profile", no_argument, NULL, OPTION_PROFILE},
   {"config", required_argument, NULL, OPTION_CONFIG},
   {"set", required_argument, NULL, OPTION_SET},
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"jobs", required_argument, NULL, OPTION_JOBS},
   FORMAT_LONG_OPTIONS,
   {"out", required_argument, NULL, OPTION_OUT},
   {"help", no_argument, NULL, OPTION_HELP},
   {NULL, 0, NULL, 0},
};

/* The policies that the paper compares (Table 6, Figures 1, 12 and 14). */
static const char all_policies[] =
   "nru,lru,srrip,drrip,drrip4,gs-drrip,gs-drrip4,ship-mem,gspztc,gspztc-tse,gspc,opt";

#define MOST_POINTS 1024

/* As given; NULL: not. */
struct llc_options {
   struct operands operands;
   const char *unit, *policies, *sizes, *uncached, *frames, *out;
   unsigned warm_up;
   bool cold_frames, profiles;
   unsigned jobs;
   void (*write)(const struct llc_report *report, FILE *file);
   const char *preset;
   char **settings;
   unsigned num_settings;
};

static void (*const writers[])(const struct llc_report *report, FILE *file) = {
   [OUTPUT_TABLE] = llc_report_table,
   [OUTPUT_CSV] = llc_report_csv,
   [OUTPUT_JSON] = llc_report_json,
};

static void
parse(struct llc_options *options, int argc, char **argv)
{
   *options = (struct llc_options){
      .policies = all_policies,
      .jobs = options_count_cores(),
      .write = llc_report_table,
      .settings = allocate((unsigned)argc * sizeof(char *)),
   };
   for (int option; (option = options_get(&options->operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_UNIT: options->unit = optarg; break;
      case OPTION_POLICY: options->policies = strcmp(optarg, "all") ? optarg : all_policies; break;
      case OPTION_UNCACHED: options->uncached = optarg; break;
      case OPTION_SIZE: options->sizes = optarg; break;
      case OPTION_COLD_FRAMES: options->cold_frames = true; break;
      case OPTION_WARM_UP: options->warm_up = options_warm_up(optarg); break;
      case OPTION_PROFILE: options->profiles = true; break;
      case OPTION_CONFIG:
         if (options->preset)
            fail(STATUS_USAGE, "--config %s: tbrsim llc takes one configuration", optarg);
         options->preset = optarg;
         break;
      case OPTION_SET: options->settings[options->num_settings++] = optarg; break;
      case OPTION_FRAMES: options->frames = optarg; break;
      case OPTION_JOBS: options->jobs = options_jobs(optarg); break;
      case OPTION_FORMAT:
      case OPTION_JSON:
      case OPTION_CSV: options->write = writers[options_format(option, optarg)]; break;
      case OPTION_OUT: options->out = optarg; break;
      case OPTION_OPERAND: break;
      default: puts(help); exit(STATUS_OK);
      }
   }
   if (!options->operands.count)
      fail(STATUS_USAGE, "no recording; usage: tbrsim llc [OPTIONS] FILE.tbr...");
   if (options->out && !*options->out)
      fail(STATUS_USAGE, "--out: the name is empty");
}

/* ---- the cache -------------------------------------------------------------- */

/* The cache before memory that others have before them; the only one there is. */
static enum cm_unit
find_last_level(const struct configuration *configuration)
{
   const struct cm_config *config = configuration->config;
   enum cm_unit found = CM_UNIT_DRAM;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!config->caches[unit].size || config->caches[unit].next != CM_UNIT_DRAM)
         continue;
      if (found != CM_UNIT_DRAM)
         fail(STATUS_USAGE, "%s: both %s and %s are before memory; choose with --unit", configuration->name,
              cm_unit_names[found], cm_unit_names[unit]);
      found = (enum cm_unit)unit;
   }
   if (found == CM_UNIT_DRAM)
      fail(STATUS_USAGE, "%s: no cache is before memory", configuration->name);
   return found;
}

static enum cm_unit
find_unit(const struct llc_options *options, const struct configuration *configuration)
{
   const struct cm_config *config = configuration->config;
   const enum cm_unit unit =
      options->unit ? (enum cm_unit)options_name("--unit", options->unit, cm_unit_names, CM_UNIT_COUNT)
                    : find_last_level(configuration);
   if (unit == CM_UNIT_DRAM || !config->caches[unit].size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[unit], configuration->name);
   if (config->caches[unit].next != CM_UNIT_DRAM)
      fail(STATUS_USAGE, "--unit %s: %s is behind it; expected the last cache before memory",
           cm_unit_names[unit], cm_unit_names[config->caches[unit].next]);
   if (config->caches[unit].instances != 1)
      fail(STATUS_USAGE, "--unit %s: %s has %u of it, expected one", cm_unit_names[unit], configuration->name,
           config->caches[unit].instances);
   return unit;
}

/* "gspztc:2". */
static void
parse_policy(const char *word, struct cm_cache_config *cache)
{
   char *name = text("%s", word), *threshold = strchr(name, ':');
   if (threshold)
      *threshold++ = 0;
   cache->policy = (enum cm_policy)options_name("--policy", name, cm_policy_names, CM_POLICY_COUNT);
   if (cache->policy == CM_POLICY_TCOR)
      fail(STATUS_USAGE, "--policy tcor: it has to know which tiles are done; use tbrsim sim");
   if (threshold) {
      char *end;
      const unsigned long value = strtoul(threshold, &end, 10);
      if (!cm_policy_samples(cache->policy) || !*threshold || *end || !value || value > 128)
         fail(STATUS_USAGE, "--policy %s: expected gspztc, gspztc-tse or gspc, and a threshold from 1 to 128",
              word);
      cache->gspc.threshold = (uint32_t)value;
   }
   free(name);
}

static void
add_point(struct llc_comparison *comparison, const struct cm_cache_config *cache)
{
   char error[512], *prefix = text("caches.%s.", cm_unit_names[comparison->unit]);
   if (!cm_cache_config_validate(cache, prefix, error, sizeof error))
      fail(STATUS_USAGE, "%s, %u bytes: %s", cm_policy_names[cache->policy], cache->size, error);
   if (comparison->num_points == MOST_POINTS)
      fail(STATUS_USAGE, "more than %u caches", MOST_POINTS);
   for (unsigned p = 0; p < comparison->num_points; p++) {
      if (!memcmp(&comparison->points[p].config, cache, sizeof *cache))
         fail(STATUS_USAGE, "%s is there twice; see --policy, --size and --uncached",
              cm_policy_names[cache->policy]);
   }
   comparison->points[comparison->num_points++].config = *cache;
   free(prefix);
}

/* All policies of a size, and with the stream that passes by. */
static void
add_policies(const struct llc_options *options, struct llc_comparison *comparison,
             const struct cm_cache_config *base)
{
   char *words = text("%s", options->policies), *rest = words;
   for (char *word; (word = strsep(&rest, ","));) {
      struct cm_cache_config cache = *base;
      parse_policy(word, &cache);
      add_point(comparison, &cache);
      if (options->uncached) {
         cache.uncached = 1 + options_name("--uncached", options->uncached, cm_stream_names, CM_STREAM_COUNT);
         add_point(comparison, &cache);
      }
   }
   free(words);
}

static void
add_points(const struct llc_options *options, struct llc_comparison *comparison,
           const struct cm_cache_config *configured)
{
   struct cm_cache_config base = *configured;
   comparison->points = allocate(MOST_POINTS * sizeof *comparison->points);
   if (!options->sizes) {
      add_policies(options, comparison, &base);
      return;
   }
   char *words = text("%s", options->sizes), *rest = words;
   for (char *word; (word = strsep(&rest, ","));) {
      base.size = options_bytes("--size", word);
      add_policies(options, comparison, &base);
   }
   free(words);
}

/* ---- one recording ------------------------------------------------------------ */

static void
run_part(void *caches, unsigned unit, const struct cm_access_runs *part)
{
   struct cm_llc **llcs = caches;
   cm_llc_run(llcs[unit], part);
}

/* What arrives at the unit does not depend on what it does, so that it may do nothing. */
static void
make_perfect(struct cm_cache_config *cache)
{
   *cache = (struct cm_cache_config){
      .size = cache->block,
      .ways = 1,
      .block = cache->block,
      .instances = 1,
      .policy = CM_POLICY_PERFECT,
      .next = CM_UNIT_DRAM,
   };
}

static bool
simulate(const struct llc_options *options, struct llc_comparison *comparison,
         struct simulations *simulations, const struct configuration *configuration)
{
   struct cm_llc **llcs = allocate(comparison->num_points * sizeof(*llcs));
   for (unsigned p = 0; p < comparison->num_points; p++) {
      llcs[p] = cm_llc_create(&comparison->points[p].config, &comparison->options);
      if (!llcs[p])
         fail(STATUS_FAILED, "out of memory for %u caches", comparison->num_points);
   }
   struct cm_cache_config *cache = &configuration->config->caches[comparison->unit];
   const struct access_stream stream = {
      .caches = llcs,
      .num_units = comparison->num_points,
      .run = run_part,
      .block_shift = (unsigned)__builtin_ctz(cache->block),
      .streams = (1u << CM_STREAM_COUNT) - 1,
      .by_frames = true,
      .jobs = options->jobs,
   };
   make_perfect(cache);
   simulations->jobs = options->jobs > 1 ? 2 : 1; /* one decodes, one simulates */
   const bool fine = access_stream_run(&stream, simulations, configuration, comparison->unit);
   for (unsigned p = 0; p < comparison->num_points; p++) {
      struct cm_llc_result *result = &comparison->points[p].result;
      const char *problem = cm_llc_result(llcs[p], result);
      if (problem)
         fail(STATUS_FAILED, "%s: %s", cm_policy_names[comparison->points[p].config.policy], problem);
      uint64_t *misses = allocate(result->frames * sizeof *misses);
      memcpy(misses, result->misses, result->frames * sizeof *misses);
      result->misses = misses;
      cm_llc_destroy(llcs[p]);
   }
   free(llcs);
   return fine;
}

static bool
compare(const struct llc_options *options, const char *path, struct llc_comparison *comparison)
{
   struct simulations simulations = {.recording = recording_open(path), .count = 1, .jobs = 1};
   struct configurations configurations = {0};
   const bool damaged = cm_recording_damage(simulations.recording);
   simulations.list = allocate(sizeof(*simulations.list));
   recording_find_frames(simulations.recording, path, options->frames, &simulations.first_frame,
                         &simulations.last_frame);
   if (options->preset)
      configurations_add(&configurations, options->preset);
   for (unsigned s = 0; s < options->num_settings; s++)
      configurations_set(&configurations, options->settings[s]);
   configurations_finish(&configurations, simulations.recording);
   if (cm_recording_count_gpus(simulations.recording, simulations.first_frame, simulations.last_frame) > 1)
      fail(STATUS_USAGE,
           "%s: the frames are of several GPUs, each with addresses of its own; choose with --frames", path);

   const struct configuration *configuration = &configurations.list[0];
   size_t num_frames;
   const struct cm_indexed_frame *frames = cm_recording_frames(simulations.recording, &num_frames);
   *comparison = (struct llc_comparison){
      .file = path,
      .configuration = configuration->name,
      .unit = find_unit(options, configuration),
      .first_frame = frames[simulations.first_frame].number,
      .last_frame = frames[simulations.last_frame].number,
      .options = {.cold_frames = options->cold_frames,
                  .warm_up = options->warm_up,
                  .profiles = options->profiles},
   };
   options_check_warm_up(options->warm_up, path, simulations.last_frame - simulations.first_frame + 1);
   add_points(options, comparison, &configuration->config->caches[comparison->unit]);
   const bool fine = simulate(options, comparison, &simulations, configuration);
   if (!damaged && cm_recording_damage(simulations.recording))
      say("%s", cm_recording_damage(simulations.recording));
   cm_recording_close(simulations.recording);
   return fine;
}

int
command_llc(int argc, char **argv)
{
   struct llc_options options;
   parse(&options, argc, argv);
   FILE *file = options.out ? fopen(options.out, "we") : stdout;
   if (!file)
      fail(STATUS_FAILED, "%s: cannot be written: %s", options.out, strerror(errno));
   struct llc_report report = {.count = options.operands.count};
   report.comparisons = allocate(report.count * sizeof *report.comparisons);
   bool fine = true;
   for (unsigned r = 0; r < report.count; r++)
      fine &= compare(&options, options.operands.list[r], &report.comparisons[r]);
   options.write(&report, file);
   if (ferror(file) | fclose(file))
      fail(STATUS_FAILED, "%s: cannot be written: %s", options.out ? options.out : "standard output",
           strerror(errno));
   return fine ? STATUS_OK : STATUS_FAILED;
}
