/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "commands/cache_feed.h"
#include "config/config.h"
#include "config/names.h"
#include "output/llc_report.h"
#include "input/session.h"
#include "tools.h"
#include "memory/cache.h"

static const char description[] =
   "Compares the policies of a last-level cache, as the paper \"Efficient Management of\n"
   "Last-level Caches in Graphics Processors\" (GSPC) does: a recording is decoded, and the\n"
   "units before the cache are simulated, once for all of them. --policy gspztc:2 has the\n"
   "threshold t = 2, drrip:hash other leader sets; gspc-oracle knows what gspc will learn next,\n"
   "gspc-frame-oracle what it learns in the whole frame.\n";

/* The policies that the paper compares (Table 6, Figures 1, 12 and 14), and brrip, one of the two of drrip. */
static const char all_policies[] =
   "nru,lru,srrip,brrip,drrip,drrip4,gs-drrip,gs-drrip4,ship-mem,gspztc,gspztc-tse,gspc,opt";

#define MOST_POINTS 1024

struct llc_options {
   struct operands operands;
   struct cache_selection caches;
   struct configurations configurations;
   struct frame_selection frames;
   const char *uncached, *out; /* NULL: none */
   bool cold_frames, profiles;
   unsigned jobs;
   enum output_format format;
};

static const struct option_row rows[] = {
   OPTION("uncached", "STREAM", "each policy also with a stream that bypasses the cache (default: none)",
          take_text, struct llc_options, uncached),
   OPTION("cold-frames", NULL,
          "each frame begins with an empty cache (the units before it keep their\n"
          "content), and all frames count",
          take_flag, struct llc_options, cold_frames),
   OPTION("profile", NULL,
          "reuse within and between streams, epochs and their death ratios, fills\n"
          "with a distant prediction",
          take_flag, struct llc_options, profiles),
};

static void
parse(struct llc_options *options, int argc, char **argv)
{
   *options = (struct llc_options){
      .caches = {.policies = all_policies},
      .configurations = {.single = true},
      .jobs = options_count_cores(),
   };
   const struct command_line line = {
      .usage = "tbrsim llc [OPTIONS] FILE.tbr...",
      .description = description,
      .operands = OPERANDS_SEVERAL,
      .operand = "recording",
      .groups = {UNIT_OPTIONS(&options->caches, "the one before memory"),
                 POLICY_OPTIONS(&options->caches, "all, those of the paper"),
                 SIZE_OPTIONS(&options->caches, "the configuration's"), OPTION_GROUP(rows, options),
                 CONFIG_OPTIONS(&options->configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&options->frames, "0"), JOB_OPTIONS(&options->jobs),
                 FORMAT_OPTIONS(&options->format), FILE_OPTIONS(&options->out)},
      .notes = "docs/llc.md explains each value.\n",
   };
   options->operands = command_line_parse(&line, argc, argv);
   if (cm_name_is(options->caches.policies, "all"))
      options->caches.policies = all_policies;
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
      options->caches.unit ? options_unit(options->caches.unit) : find_last_level(configuration);
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

/* What follows a policy's name and a colon. */
static bool
parse_setting(const char *setting, struct cm_cache_config *cache)
{
   char *end;
   const unsigned long value = strtoul(setting, &end, 10);
   const bool is_number = *setting && !*end;
   switch (cache->policy) {
   case CM_POLICY_DRRIP:
   case CM_POLICY_DRRIP4:
   case CM_POLICY_GS_DRRIP:
   case CM_POLICY_GS_DRRIP4: {
      char *option = text("--policy %s: leaders", cm_policy_names[cache->policy]);
      cache->rrip.leaders =
         (enum cm_leaders)options_name(option, setting, cm_leaders_names, CM_LEADERS_COUNT);
      free(option);
      return true;
   }
   default:
      cache->gspc.threshold = (uint32_t)value;
      return cm_policy_samples(cache->policy) && is_number && value - 1 < 128;
   }
}

/* Cuts what follows the policy's own name. */
static void
take_oracle(char *name, struct llc_point *point)
{
   const size_t length = strlen(name);
   for (enum cm_llc_oracle oracle = CM_LLC_KNOWS_FRAME; oracle > CM_LLC_LEARNS; oracle--) {
      const size_t tail = strlen(llc_oracle_names[oracle]);
      if (length <= tail || strcasecmp(name + length - tail, llc_oracle_names[oracle]))
         continue;
      name[length - tail] = 0;
      point->oracle = oracle;
      return;
   }
}

/* "gspztc:2". */
static void
parse_policy(const char *word, struct llc_point *point)
{
   char *name = text("%s", word), *setting = strchr(name, ':');
   if (setting)
      *setting++ = 0;
   take_oracle(name, point);
   point->config.policy = (enum cm_policy)options_name("--policy", name, cm_policy_names, CM_POLICY_COUNT);
   if (cm_policy_needs_liveness(point->config.policy))
      fail(STATUS_USAGE, "--policy %s: it needs the finished tiles; use tbrsim sim", name);
   if (point->oracle && !cm_policy_samples(point->config.policy))
      fail(STATUS_USAGE, "--policy %s: expected gspztc-oracle, gspztc-tse-oracle or gspc-oracle", word);
   if (setting && !parse_setting(setting, &point->config))
      fail(STATUS_USAGE,
           "--policy %s: expected gspztc, gspztc-tse or gspc and a threshold from 1 to 128, or drrip or "
           "gs-drrip and a choice of leaders",
           word);
   point->setting = setting ? text("%s", setting) : NULL;
   free(name);
}

static void
add_point(struct llc_comparison *comparison, const struct llc_point *point)
{
   const struct cm_cache_config *cache = &point->config;
   char error[512], *prefix = text("caches.%s.", cm_unit_names[comparison->unit]);
   if (!cm_cache_config_validate(cache, CM_CACHE_MAX_WAYS, prefix, error, sizeof error))
      fail(STATUS_USAGE, "%s, %u bytes: %s", cm_policy_names[cache->policy], cache->size, error);
   if (comparison->num_points == MOST_POINTS)
      fail(STATUS_USAGE, "more than %u caches", MOST_POINTS);
   for (unsigned p = 0; p < comparison->num_points; p++) {
      if (!memcmp(&comparison->points[p].config, cache, sizeof *cache) &&
          comparison->points[p].oracle == point->oracle)
         fail(STATUS_USAGE, "%s is given twice; see --policy, --size and --uncached",
              cm_policy_names[cache->policy]);
   }
   comparison->points[comparison->num_points++] = *point;
   free(prefix);
}

/* All policies of a size, and with the stream that passes by. */
static void
add_policies(const struct llc_options *options, struct llc_comparison *comparison,
             const struct cm_cache_config *base)
{
   char *words = text("%s", options->caches.policies), *rest = words;
   for (char *word; (word = strsep(&rest, ","));) {
      struct llc_point point = {.config = *base};
      parse_policy(word, &point);
      add_point(comparison, &point);
      if (options->uncached) {
         point.config.uncached =
            1 + options_name("--uncached", options->uncached, cm_stream_names, CM_STREAM_COUNT);
         add_point(comparison, &point);
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
   if (!options->caches.sizes) {
      add_policies(options, comparison, &base);
      return;
   }
   char *words = options_expand("--size", options->caches.sizes), *rest = words;
   for (char *word; (word = strsep(&rest, ","));) {
      base.size = options_bytes("--size", word);
      if (base.full_ways)
         base.ways = base.size / base.block;
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

static bool
simulate(const struct llc_options *options, struct llc_comparison *comparison, struct session *session)
{
   struct cm_llc **llcs = allocate(comparison->num_points * sizeof(*llcs));
   for (unsigned p = 0; p < comparison->num_points; p++) {
      struct cm_llc_options its_options = comparison->options;
      its_options.oracle = comparison->points[p].oracle;
      llcs[p] = cm_llc_create(&comparison->points[p].config, &its_options);
      if (!llcs[p])
         fail(STATUS_FAILED, "out of memory for %u caches", comparison->num_points);
   }
   const struct configuration *configuration = &session->configurations.list[0];
   struct cm_cache_config *cache = &configuration->config->caches[comparison->unit];
   const struct cache_feed feed = {
      .caches = llcs,
      .num_units = comparison->num_points,
      .run = run_part,
      .unit_block_shift = (unsigned)__builtin_ctz(cache->block),
      .block_shift = (unsigned)__builtin_ctz(cache->block),
      .streams = (1u << CM_STREAM_COUNT) - 1,
      .by_frames = true,
      .jobs = options->jobs,
   };
   /* What arrives at the unit does not depend on what it does. */
   *cache = cache_feed_perfect(cache->block, 1);
   session->simulations.jobs = options->jobs > 1 ? 2 : 1; /* one decodes, one simulates */
   const bool fine = cache_feed_run(&feed, &session->simulations, configuration, comparison->unit);
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
   struct session session = session_open_accesses(path, &options->frames, &options->configurations);
   const struct configuration *configuration = &session.configurations.list[0];
   *comparison = (struct llc_comparison){
      .file = path,
      .configuration = configuration->name,
      .unit = find_unit(options, configuration),
      .first_frame = session_frame_number(&session, session.simulations.first_frame),
      .last_frame = session_frame_number(&session, session.simulations.last_frame),
      .options = {.cold_frames = options->cold_frames,
                  .warm_up = options->frames.warm_up,
                  .profiles = options->profiles},
   };
   add_points(options, comparison, &configuration->config->caches[comparison->unit]);
   const bool fine = simulate(options, comparison, &session);
   session_check(&session);
   session_close(&session);
   return fine;
}

int
command_llc(int argc, char **argv)
{
   static void (*const writers[])(const struct llc_report *report, FILE *file) = {
      [OUTPUT_TABLE] = llc_report_table,
      [OUTPUT_CSV] = llc_report_csv,
      [OUTPUT_JSON] = llc_report_json,
   };
   struct llc_options options;
   parse(&options, argc, argv);
   FILE *file = options_open_output(options.out);
   struct llc_report report = {.count = options.operands.count};
   report.comparisons = allocate(report.count * sizeof *report.comparisons);
   bool fine = true;
   for (unsigned r = 0; r < report.count; r++)
      fine &= compare(&options, options.operands.list[r], &report.comparisons[r]);
   writers[options.format](&report, file);
   options_close_output(file, options.out);
   return fine ? STATUS_OK : STATUS_FAILED;
}
