/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cache_feed.h"
#include "analysis/sweep.h"
#include "config/config.h"
#include "config/names.h"
#include "memory/future.h"
#include "memory/hierarchy.h"
#include "input/session.h"
#include "output/sweep_report.h"
#include "tools.h"

static const char description[] =
   "Simulates one cache of many sizes, associativities and policies over a recording, which\n"
   "is decoded once (twice for opt and optpt, unless of the Parameter Buffer). Its accesses\n"
   "are those of streams, as they leave the pipeline (--stream); those that arrive at a unit\n"
   "(--unit); or of these the streams' alone (both). tbrsim llc says how each stream fares in\n"
   "a cache that all share.\n";
static const char notes[] =
   "Where all the accesses are of the Parameter Buffer (pb_list, pb_attribute), each render\n"
   "pass begins with an empty cache and has no next uses beyond its end, for the pass builds\n"
   "it anew at the same addresses, and nothing reads it afterwards. A lower bound of the\n"
   "misses is then printed, too (TCOR V-A). Of other streams the cache keeps its content.\n"
   "docs/sweeps.md explains each value.\n"
   "\n"
   "Policies (docs/caches.md has their sources):\n";

#define ALL_STREAMS ((1u << CM_STREAM_COUNT) - 1)
#define PARAMETER_BUFFER_STREAMS (1u << CM_STREAM_PB_LIST | 1u << CM_STREAM_PB_ATTRIBUTE)

struct sweep_options {
   const char *path;
   struct cache_selection caches;
   struct configurations configurations;
   struct frame_selection frames;
   const char *out; /* NULL: standard output */
   unsigned jobs;
   enum output_format format;
   bool primitives;
};

static const struct option_row rows[] = {
   OPTION("primitives", NULL,
          "with --stream pb_attribute: a block of the cache is a primitive, of any\n"
          "number of attributes; its number is the primitive's (default: no)",
          take_flag, struct sweep_options, primitives),
};

static void
print_policies(FILE *file)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      if (!cm_policy_needs_liveness((enum cm_policy)policy))
         fprintf(file, "  %-24s %s\n", cm_policy_names[policy], cm_policy_descriptions[policy]);
   }
}

static void
parse(struct sweep_options *options, int argc, char **argv)
{
   *options = (struct sweep_options){.configurations = {.single = true}, .jobs = options_count_cores()};
   struct cache_selection *caches = &options->caches;
   const struct command_line line = {
      .usage = "tbrsim sweep --stream LIST|--unit UNIT --size LIST --ways LIST --policy LIST FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {STREAM_OPTIONS(caches, "all that arrive at the unit"), UNIT_OPTIONS(caches, "none"),
                 SIZE_OPTIONS(caches, "none, required"), SHAPE_OPTIONS(caches, "none, required"),
                 POLICY_OPTIONS(caches, "none, required"), OPTION_GROUP(rows, options),
                 CONFIG_OPTIONS(&options->configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&options->frames, "0"), JOB_OPTIONS(&options->jobs),
                 FORMAT_OPTIONS(&options->format), FILE_OPTIONS(&options->out)},
      .notes = notes,
      .print_notes = print_policies,
   };
   options->path = command_line_parse(&line, argc, argv).list[0];
   if (!caches->streams && !caches->unit)
      fail(STATUS_USAGE, "expected --stream, --unit or both; see tbrsim sweep --help");
   if (options->primitives &&
       (!caches->streams || !cm_name_is(caches->streams, "pb_attribute") || caches->unit || caches->block))
      fail(STATUS_USAGE, "--primitives: expected --stream pb_attribute, without --unit and --block");
   if (!caches->sizes || !caches->ways || !caches->policies)
      fail(STATUS_USAGE, "%s is missing; see tbrsim sweep --help",
           !caches->sizes  ? "--size"
           : !caches->ways ? "--ways"
                           : "--policy");
}

/* ---- lists ------------------------------------------------------------------- */

struct list {
   uint32_t *values;
   unsigned count;
};

/* The values of a list with commas and ranges, each once. */
static struct list
parse_list(const char *option, const char *value,
           uint32_t (*parse_value)(const char *option, const char *word))
{
   char *words = options_expand(option, value), *rest = words;
   struct list list = {.values = allocate((strlen(words) + 1) * sizeof(uint32_t))};
   for (char *word; (word = strsep(&rest, ","));) {
      const uint32_t parsed = parse_value(option, word);
      for (unsigned i = 0; i < list.count; i++) {
         if (list.values[i] == parsed)
            fail(STATUS_USAGE, "%s %s: %s is given twice", option, value, word);
      }
      list.values[list.count++] = parsed;
   }
   free(words);
   return list;
}

static uint32_t
parse_size(const char *option, const char *word)
{
   const uint32_t size = options_bytes(option, word);
   if (!size)
      fail(STATUS_USAGE, "%s %s: expected at least one block", option, word);
   return size;
}

static uint32_t
parse_policy(const char *option, const char *word)
{
   const unsigned policy = options_name(option, word, cm_policy_names, CM_POLICY_COUNT);
   if (cm_policy_needs_liveness((enum cm_policy)policy))
      fail(STATUS_USAGE, "%s %s: it needs the finished tiles, which a sweep does not have; use tbrsim sim",
           option, word);
   return policy;
}

static uint32_t
parse_stream(const char *option, const char *word)
{
   return options_name(option, word, cm_stream_names, CM_STREAM_COUNT);
}

struct points {
   struct cm_sweep_point *list;
   uint32_t count;
};

/* Exits if there can be no such cache. */
static void
check_point(const struct cm_sweep_point *point, uint32_t block, enum cm_index index)
{
   char error[512];
   const struct cm_cache_config config = {
      .size = point->size,
      .ways = point->ways,
      .block = block,
      .instances = 1,
      .policy = point->policy,
      .index = index,
   };
   if (!cm_cache_config_validate(&config, CM_SWEEP_MAX_WAYS, "--", error, sizeof(error)))
      fail(STATUS_USAGE, "%s, size %u, %u ways: %s", cm_policy_names[point->policy], point->size, point->ways,
           error);
}

/* All policies with all ways with all sizes. */
static struct points
make_points(const struct sweep_options *options, uint32_t block)
{
   const struct list sizes = parse_list("--size", options->caches.sizes, parse_size);
   const struct list ways = parse_list("--ways", options->caches.ways, options_ways);
   const struct list policies = parse_list("--policy", options->caches.policies, parse_policy);
   const unsigned long most = (unsigned long)sizes.count * ways.count * policies.count;
   if (most > CM_SWEEP_MAX_POINTS)
      fail(STATUS_USAGE, "%lu combinations of --size, --ways and --policy are too many, expected up to %u",
           most, CM_SWEEP_MAX_POINTS);
   struct points points = {.list = allocate(most * sizeof(*points.list))};
   for (unsigned p = 0; p < policies.count; p++) {
      for (unsigned w = 0; w < ways.count; w++) {
         for (unsigned s = 0; s < sizes.count; s++) {
            struct cm_sweep_point *point = &points.list[points.count];
            point->policy = (enum cm_policy)policies.values[p];
            point->size = sizes.values[s];
            point->ways = ways.values[w] == OPTIONS_FULL_WAYS ? point->size / block : ways.values[w];
            check_point(point, block, options->caches.index);
            bool is_new = true; /* "full" may be what is there as a number */
            for (uint32_t i = 0; i < points.count; i++)
               is_new &= memcmp(&points.list[i], point, sizeof(*point)) != 0;
            points.count += is_new;
         }
      }
   }
   return points;
}

/* ---- accesses ------------------------------------------------------------ */

/* The accesses as a simulation has them at one of its units. */
struct source {
   enum cm_unit unit;
   uint32_t streams;
   uint32_t block; /* bytes of what arrives */
   bool is_parameter_buffer;
};

static uint32_t
parse_streams(const char *names)
{
   const struct list list = parse_list("--stream", names, parse_stream);
   uint32_t streams = 0;
   for (unsigned s = 0; s < list.count; s++)
      streams |= 1u << list.values[s];
   return streams;
}

/* A cache of its own for these streams alone, whatever the configuration's caches. */
static struct source
isolate_streams(struct cm_config *config, uint32_t streams, uint32_t block)
{
   struct source source = {.unit = CM_UNIT_TILE_CACHE, .block = block, .streams = streams};
   source.is_parameter_buffer = !(source.streams & ~PARAMETER_BUFFER_STREAMS);

   memset(config->caches, 0, sizeof(config->caches));
   memset(&config->texture_access, 0, sizeof(config->texture_access));
   config->nuca.organisation = CM_NUCA_NONE;
   config->texture_bus = (struct cm_texture_bus_config){0};
   config->primitive_buffer.lines = 0;
   config->caches[source.unit] = cache_feed_perfect(block, 1);
   config->caches[CM_UNIT_L2] = cache_feed_perfect(1u << CM_DRAM_BLOCK_SHIFT, 1);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      config->streams[stream] = source.streams >> stream & 1 ? source.unit : CM_UNIT_L2;
   return source;
}

/* Whether of these streams nothing but the Parameter Buffer arrives at a unit, and that from nobody else. */
static bool
has_parameter_buffer_alone(const struct cm_config *config, enum cm_unit unit, uint32_t streams)
{
   bool any = false;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (!(streams >> stream & 1) || !cm_stream_reaches(config, (enum cm_stream)stream, unit))
         continue;
      if (config->streams[stream] != unit || !(PARAMETER_BUFFER_STREAMS >> stream & 1))
         return false;
      any = true;
   }
   return any;
}

/* The accesses that arrive at a unit do not depend on its policy. */
static struct source
find_point(struct configuration *configuration, const char *name, uint32_t streams)
{
   struct cm_config *config = configuration->config;
   struct source source = {.unit = options_unit(name), .streams = streams};
   for (unsigned stream = 0; streams != ALL_STREAMS && stream < CM_STREAM_COUNT; stream++) {
      if (streams >> stream & 1 && !cm_stream_reaches(config, (enum cm_stream)stream, source.unit))
         fail(STATUS_USAGE, "--unit %s: %s does not arrive there in %s", name, cm_stream_names[stream],
              configuration->name);
   }
   source.is_parameter_buffer = has_parameter_buffer_alone(config, source.unit, streams);
   if (source.unit == CM_UNIT_DRAM) {
      source.block = 1u << CM_DRAM_BLOCK_SHIFT;
      return source;
   }
   struct cm_cache_config *cache = &config->caches[source.unit];
   if (!cache->size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", name, configuration->name);
   source.block = cache->block;
   memset(&config->texture_access, 0, sizeof(config->texture_access));
   if (source.unit == CM_UNIT_ATTRIBUTE_CACHE)
      config->primitive_buffer.lines = 0;
   if (source.unit == CM_UNIT_TEXTURE_CACHE)
      config->nuca.organisation = CM_NUCA_NONE;
   *cache = cache_feed_perfect(cache->block, cache->instances);
   return source;
}

static uint32_t
find_block(const struct sweep_options *options)
{
   const uint32_t block = options->caches.block ? options_bytes("--block", options->caches.block) : 64;
   if (block < 16 || block > 4096 || (block & (block - 1)))
      fail(STATUS_USAGE, "--block %s: expected a power of two from 16 to 4096", options->caches.block);
   return block;
}

/* The caches' blocks are at least those that arrive. */
static struct source
find_source(const struct sweep_options *options, struct configuration *configuration, uint32_t *block)
{
   *block = find_block(options);
   const uint32_t streams = options->caches.streams ? parse_streams(options->caches.streams) : ALL_STREAMS;
   if (!options->caches.unit)
      return isolate_streams(configuration->config, streams, *block);
   const struct source source = find_point(configuration, options->caches.unit, streams);
   if (!options->caches.block)
      *block = source.block;
   if (*block < source.block)
      fail(STATUS_USAGE, "--block %u: blocks of %u bytes arrive at %s, expected at least that", *block,
           source.block, options->caches.unit);
   return source;
}

/* ---- the sweep ------------------------------------------------------------------ */

/* The bound holds whatever a cache does: a point below it was not simulated right. */
static void
check_bounds(const struct points *points, const struct cm_sweep_result *results)
{
   for (uint32_t p = 0; p < points->count; p++) {
      if (results[p].is_bounded && sweep_misses(&results[p]) < results[p].lower_bound)
         fail(STATUS_FAILED,
              "%s, size %u, %u ways: %" PRIu64 " misses are fewer than the lower bound of %" PRIu64
              " (TCOR V-A): the simulation is wrong",
              cm_policy_names[points->list[p].policy], points->list[p].size, points->list[p].ways,
              sweep_misses(&results[p]), results[p].lower_bound);
   }
}

/* The caches, and what they had counted when the frames that fill them were over. */
struct swept {
   struct cm_sweep *caches;
   const struct points *points;
   struct cm_sweep_result *warm; /* by point */
};

static bool
needs_next(const void *context, unsigned unit)
{
   const struct swept *swept = context;
   return cm_sweep_needs_future(swept->caches, unit);
}

static bool
count_part(void *context, const struct cm_access_runs *part)
{
   struct swept *swept = context;
   return cm_sweep_count(swept->caches, part);
}

static void
run_part(void *context, unsigned unit, const struct cm_access_runs *part)
{
   struct swept *swept = context;
   cm_sweep_run(swept->caches, unit, part);
}

static void
keep_warm_up(void *context, const struct feed_round *round)
{
   struct swept *swept = context;
   for (uint32_t p = 0; p < swept->points->count; p++) {
      const struct cm_sweep_result result = cm_sweep_result(swept->caches, p);
      struct cm_sweep_result *warm = &swept->warm[p];
      const bool needs_future = cm_policy_needs_future(swept->points->list[p].policy);
      if (round->counts) {
         warm->reads = result.reads;
         warm->writes = result.writes;
         warm->lower_bound = result.lower_bound;
      }
      if (needs_future ? round->with_next : round->without_next)
         warm->counts = result.counts;
   }
}

/* What was counted after the frames that fill the caches. */
static struct cm_sweep_result
result_of(const struct swept *swept, uint32_t point)
{
   struct cm_sweep_result result = cm_sweep_result(swept->caches, point);
   const struct cm_sweep_result *warm = &swept->warm[point];
   result.reads -= warm->reads;
   result.writes -= warm->writes;
   result.lower_bound -= result.is_bounded ? warm->lower_bound : 0;
   result.counts.misses[0] -= warm->counts.misses[0];
   result.counts.misses[1] -= warm->counts.misses[1];
   result.counts.bypasses -= warm->counts.bypasses;
   result.counts.writebacks -= warm->counts.writebacks;
   result.hits = result.reads + result.writes - sweep_misses(&result);
   return result;
}

int
command_sweep(int argc, char **argv)
{
   struct sweep_options options;
   uint32_t block;
   parse(&options, argc, argv);
   const struct cache_selection *caches = &options.caches;
   struct session session = session_open_accesses(options.path, &options.frames, &options.configurations);
   struct configuration *configuration = &session.configurations.list[0];
   configuration->config->parameter_buffer.whole_primitives = options.primitives;
   const struct source source = find_source(&options, configuration, &block);
   const struct points points = make_points(&options, block);
   FILE *file = options_open_output(options.out);

   struct cm_sweep *sweep =
      cm_sweep_create(points.list, points.count, block, caches->index, source.is_parameter_buffer);
   if (!sweep)
      fail(STATUS_FAILED, "out of memory for %u caches", points.count);
   struct swept swept = {sweep, &points, allocate(points.count * sizeof(*swept.warm))};
   const struct cache_feed feed = {
      .caches = &swept,
      .num_units = cm_sweep_units(sweep),
      .needs_next = needs_next,
      .count = count_part,
      .run = run_part,
      .warm_up = options.frames.warm_up,
      .warm_up_end = keep_warm_up,
      .unit_block_shift = (unsigned)__builtin_ctz(source.block),
      .block_shift = (unsigned)__builtin_ctz(block),
      .streams = source.streams,
      .empty_each_pass = source.is_parameter_buffer,
      .jobs = options.jobs,
   };
   session.simulations.jobs = options.jobs > 1 ? 2 : 1; /* one decodes, one simulates */
   const bool fine = cache_feed_run(&feed, &session.simulations, configuration, source.unit);
   session_check(&session);

   struct cm_sweep_result *results = allocate(points.count * sizeof(*results));
   for (uint32_t p = 0; p < points.count; p++)
      results[p] = result_of(&swept, p);
   check_bounds(&points, results);
   const struct sweep_report report = {
      .file = options.path,
      .configuration = configuration->name,
      .accesses = options.primitives                ? "pb_attribute, primitives"
                  : caches->streams && caches->unit ? text("%s at %s", caches->streams, caches->unit)
                  : caches->streams                 ? caches->streams
                                                    : caches->unit,
      .first_frame = session_frame_number(&session, session.simulations.first_frame),
      .last_frame = session_frame_number(&session, session.simulations.last_frame),
      .block_bytes = block,
      .index = caches->index,
      .empty_each_pass = source.is_parameter_buffer,
      .warm_up = options.frames.warm_up,
      .points = points.list,
      .results = results,
      .num_points = points.count,
   };
   static void (*const writers[])(const struct sweep_report *report, FILE *file) = {
      [OUTPUT_TABLE] = sweep_report_table,
      [OUTPUT_CSV] = sweep_report_csv,
      [OUTPUT_JSON] = sweep_report_json,
   };
   writers[options.format](&report, file);
   options_close_output(file, options.out);
   free(swept.warm);
   cm_sweep_destroy(sweep);
   session_close(&session);
   return fine ? STATUS_OK : STATUS_FAILED;
}
