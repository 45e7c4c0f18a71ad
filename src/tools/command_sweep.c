/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access_stream.h"
#include "analysis/sweep.h"
#include "config/config.h"
#include "memory/future.h"
#include "memory/hierarchy.h"
#include "options.h"
#include "recordings.h"
#include "sweep_report.h"
#include "tools.h"

static const char help_text[] =
   "usage: tbrsim sweep [--stream NAME[,NAME]] [--unit UNIT] --size LIST --ways LIST\n"
   "                    --policy LIST [OPTIONS] FILE.tbr\n"
   "\n"
   "Simulates one cache of many sizes, associativities and policies over a recording, which\n"
   "is decoded once (twice for opt and optpt, unless of the Parameter Buffer).\n"
   "\n"
   "  --stream NAME[,NAME]     accesses of these streams, as they leave the pipeline\n"
   "  --unit UNIT              accesses that arrive at a cache of the configuration (all its\n"
   "                           instances together), or at dram; with --stream, those of these streams\n"
   "                           alone (tbrsim llc says how each fares in a cache that all share)\n"
   "  --size BYTES[,BYTES]     sizes of the cache: 8192, 64K, 1M (of 1024)\n"
   "  --ways N[,N]             its ways, 1 to 262144; full: fully associative\n"
   "  --policy NAME[,NAME]     its policies; all are combined with all\n"
   "  --block BYTES            16 to 4096 (default: 64; with --unit the cache's)\n"
   "  --index modulo|xor       how a block finds its set (default: modulo)\n"
   "  --config NAME|FILE.yaml  the simulated GPU (default: the recorded one)\n"
   "  --set KEY=VALUE          change one value of it; may be repeated\n"
   "  --frames A-B             only these frames (the program's, counting from 0)\n"
   "  --jobs N                 threads (default: one a core)\n"
   "  --warm-up N              of these, frames that fill the caches first and are not counted\n"
   "                           (default 0)\n"
   "  --format table|csv|json  what is printed; also --csv, --json\n"
   "  --out FILE               where it goes (default: standard output)\n"
   "  --help                   this text\n"
   "\n"
   "Where all the accesses are of the Parameter Buffer (pb_list, pb_attribute), each render\n"
   "pass begins with an empty cache and has no next uses beyond its end, for the pass builds\n"
   "it anew at the same addresses, and nothing reads it afterwards. A lower bound of the\n"
   "misses is then given, too (TCOR V-A). Of other streams the cache keeps what it has.\n"
   "docs/sweeps.md explains each value.\n"
   "\n"
   "Policies (docs/caches.md has their sources):\n";

enum {
   OPTION_FRAMES = OPTION_COMMAND,
   OPTION_STREAM,
   OPTION_SIZE,
   OPTION_WAYS,
   OPTION_BLOCK,
   OPTION_INDEX,
   OPTION_JOBS,
};

static const struct option long_options[] = {
   {"stream", required_argument, NULL, OPTION_STREAM},
   UNIT_LONG_OPTIONS,
   {"size", required_argument, NULL, OPTION_SIZE},
   {"ways", required_argument, NULL, OPTION_WAYS},
   POLICY_LONG_OPTIONS,
   {"block", required_argument, NULL, OPTION_BLOCK},
   {"index", required_argument, NULL, OPTION_INDEX},
   {"config", required_argument, NULL, OPTION_CONFIG},
   {"set", required_argument, NULL, OPTION_SET},
   {"frames", required_argument, NULL, OPTION_FRAMES},
   {"jobs", required_argument, NULL, OPTION_JOBS},
   FORMAT_LONG_OPTIONS,
   {"warm-up", required_argument, NULL, OPTION_WARM_UP},
   {"out", required_argument, NULL, OPTION_OUT},
   {"help", no_argument, NULL, OPTION_HELP},
   {NULL, 0, NULL, 0},
};

#define ALL_STREAMS ((1u << CM_STREAM_COUNT) - 1)
#define PARAMETER_BUFFER_STREAMS (1u << CM_STREAM_PB_LIST | 1u << CM_STREAM_PB_ATTRIBUTE)

/* As given; NULL: not. */
struct sweep_options {
   struct operands operands;
   const char *streams, *point, *sizes, *ways, *policies, *block, *frames, *out;
   enum cm_index index;
   unsigned jobs, warm_up;
   void (*write)(const struct sweep_report *report, FILE *file);
   struct configurations configurations;
};

static void
print_help(void)
{
   fputs(help_text, stdout);
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      if (policy != CM_POLICY_TCOR)
         printf("  %-24s %s\n", cm_policy_names[policy], cm_policy_descriptions[policy]);
   }
}

static void (*const writers[])(const struct sweep_report *report, FILE *file) = {
   [OUTPUT_TABLE] = sweep_report_table,
   [OUTPUT_CSV] = sweep_report_csv,
   [OUTPUT_JSON] = sweep_report_json,
};

static void
parse(struct sweep_options *options, int argc, char **argv)
{
   *options = (struct sweep_options){.jobs = options_count_cores(), .write = sweep_report_table};
   for (int option; (option = options_get(&options->operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_STREAM: options->streams = optarg; break;
      case OPTION_UNIT: options->point = optarg; break;
      case OPTION_SIZE: options->sizes = optarg; break;
      case OPTION_WAYS: options->ways = optarg; break;
      case OPTION_POLICY: options->policies = optarg; break;
      case OPTION_BLOCK: options->block = optarg; break;
      case OPTION_INDEX:
         options->index = (enum cm_index)options_name("--index", optarg, options_index_names, 2);
         break;
      case OPTION_CONFIG:
         if (options->configurations.count)
            fail(STATUS_USAGE, "--config %s: tbrsim sweep takes one configuration", optarg);
         configurations_add(&options->configurations, optarg);
         break;
      case OPTION_SET: configurations_set(&options->configurations, optarg); break;
      case OPTION_FRAMES: options->frames = optarg; break;
      case OPTION_JOBS: options->jobs = options_jobs(optarg); break;
      case OPTION_FORMAT:
      case OPTION_JSON:
      case OPTION_CSV: options->write = writers[options_format(option, optarg)]; break;
      case OPTION_WARM_UP: options->warm_up = options_warm_up(optarg); break;
      case OPTION_OUT: options->out = optarg; break;
      case OPTION_OPERAND: break;
      default: print_help(); exit(STATUS_OK);
      }
   }
   if (!options->streams && !options->point)
      fail(STATUS_USAGE, "expected --stream, --unit or both; see tbrsim sweep --help");
   if (!options->sizes || !options->ways || !options->policies)
      fail(STATUS_USAGE, "%s is missing; see tbrsim sweep --help",
           !options->sizes  ? "--size"
           : !options->ways ? "--ways"
                            : "--policy");
   operands_single(&options->operands, "recording",
                   "tbrsim sweep --stream NAME --size LIST --ways LIST --policy LIST FILE.tbr");
   if (options->out && !*options->out)
      fail(STATUS_USAGE, "--out: the name is empty");
}

/* ---- lists ------------------------------------------------------------------- */

struct list {
   uint32_t *values;
   unsigned count;
};

/* The values of a list with commas, each once. */
static struct list
parse_list(const char *option, const char *value,
           uint32_t (*parse_value)(const char *option, const char *word))
{
   char *words = text("%s", value), *rest = words;
   struct list list = {.values = allocate((strlen(value) + 1) * sizeof(uint32_t))};
   for (char *word; (word = strsep(&rest, ","));) {
      const uint32_t parsed = parse_value(option, word);
      for (unsigned i = 0; i < list.count; i++) {
         if (list.values[i] == parsed)
            fail(STATUS_USAGE, "%s %s: %s is there twice", option, value, word);
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

/* Ways of a fully associative cache. */
#define FULL 0

static uint32_t
parse_ways(const char *option, const char *word)
{
   if (!strcmp(word, "full"))
      return FULL;
   const uint32_t ways = options_bytes(option, word);
   if (!ways)
      fail(STATUS_USAGE, "%s %s: expected at least 1, or full", option, word);
   return ways;
}

static uint32_t
parse_policy(const char *option, const char *word)
{
   const unsigned policy = options_name(option, word, cm_policy_names, CM_POLICY_COUNT);
   if (policy == CM_POLICY_TCOR)
      fail(STATUS_USAGE,
           "%s %s: it has to know which tiles are done, and a sweep knows accesses only; use tbrsim sim",
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

/* Ends the command where there can be no such cache. */
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
   if (!cm_cache_shape_validate(&config, CM_SWEEP_MAX_WAYS, "--", error, sizeof(error)))
      fail(STATUS_USAGE, "%s, size %u, %u ways: %s", cm_policy_names[point->policy], point->size, point->ways,
           error);
}

/* All policies with all ways with all sizes. */
static struct points
make_points(const struct sweep_options *options, uint32_t block)
{
   const struct list sizes = parse_list("--size", options->sizes, parse_size);
   const struct list ways = parse_list("--ways", options->ways, parse_ways);
   const struct list policies = parse_list("--policy", options->policies, parse_policy);
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
            point->ways = ways.values[w] == FULL ? point->size / block : ways.values[w];
            check_point(point, block, options->index);
            bool is_new = true; /* "full" may be what is there as a number */
            for (uint32_t i = 0; i < points.count; i++)
               is_new &= memcmp(&points.list[i], point, sizeof(*point)) != 0;
            points.count += is_new;
         }
      }
   }
   return points;
}

/* ---- whose accesses ------------------------------------------------------------ */

/* The accesses as a simulation has them at one of its units. */
struct source {
   enum cm_unit unit;
   uint32_t streams;
   uint32_t block; /* bytes of what arrives */
   bool is_parameter_buffer;
};

/* A cache that lets everything hit. */
static struct cm_cache_config
perfect_cache(uint32_t block, uint32_t instances)
{
   return (struct cm_cache_config){
      .size = block,
      .ways = 1,
      .block = block,
      .instances = instances,
      .policy = CM_POLICY_PERFECT,
      .next = CM_UNIT_DRAM,
   };
}

static uint32_t
parse_streams(const char *names)
{
   const struct list list = parse_list("--stream", names, parse_stream);
   uint32_t streams = 0;
   for (unsigned s = 0; s < list.count; s++)
      streams |= 1u << list.values[s];
   return streams;
}

/* The streams alone arrive at a cache that is nobody else's, whatever the configuration had. */
static struct source
isolate_streams(struct cm_config *config, uint32_t streams, uint32_t block)
{
   struct source source = {.unit = CM_UNIT_TILE_CACHE, .block = block, .streams = streams};
   source.is_parameter_buffer = !(source.streams & ~PARAMETER_BUFFER_STREAMS);

   memset(config->caches, 0, sizeof(config->caches));
   memset(&config->texture_access, 0, sizeof(config->texture_access));
   config->nuca.organisation = CM_NUCA_NONE;
   config->primitive_buffer.lines = 0;
   config->caches[source.unit] = perfect_cache(block, 1);
   config->caches[CM_UNIT_L2] = perfect_cache(1u << CM_DRAM_BLOCK_SHIFT, 1);
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

/* What arrives at a unit does not depend on what it does. */
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
   *cache = perfect_cache(cache->block, cache->instances);
   return source;
}

static uint32_t
find_block(const struct sweep_options *options)
{
   const uint32_t block = options->block ? options_bytes("--block", options->block) : 64;
   if (block < 16 || block > 4096 || (block & (block - 1)))
      fail(STATUS_USAGE, "--block %s: expected a power of two from 16 to 4096", options->block);
   return block;
}

/* The caches' blocks are at least those that arrive. */
static struct source
find_source(struct sweep_options *options, uint32_t *block)
{
   struct configuration *configuration = &options->configurations.list[0];
   *block = find_block(options);
   const uint32_t streams = options->streams ? parse_streams(options->streams) : ALL_STREAMS;
   if (!options->point)
      return isolate_streams(configuration->config, streams, *block);
   const struct source source = find_point(configuration, options->point, streams);
   if (!options->block)
      *block = source.block;
   if (*block < source.block)
      fail(STATUS_USAGE, "--block %u: blocks of %u bytes arrive at %s, expected at least that", *block,
           source.block, options->point);
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
keep_warm_up(void *context, const struct access_round *round)
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

static void
write_report(const struct sweep_options *options, const struct sweep_report *report, FILE *file)
{
   const char *name = options->out ? options->out : "standard output";
   options->write(report, file);
   if (ferror(file) | fclose(file))
      fail(STATUS_FAILED, "%s: cannot be written: %s", name, strerror(errno));
}

int
command_sweep(int argc, char **argv)
{
   struct sweep_options options;
   uint32_t block;
   parse(&options, argc, argv);
   const char *path = options.operands.list[0];
   struct simulations simulations = {.recording = recording_open(path), .count = 1, .jobs = 1};
   const bool damaged = cm_recording_damage(simulations.recording);
   simulations.list = allocate(sizeof(*simulations.list));
   recording_find_frames(simulations.recording, path, options.frames, &simulations.first_frame,
                         &simulations.last_frame);
   options_check_warm_up(options.warm_up, path, simulations.last_frame - simulations.first_frame + 1);
   configurations_finish(&options.configurations, simulations.recording);
   if (cm_recording_count_gpus(simulations.recording, simulations.first_frame, simulations.last_frame) > 1)
      fail(STATUS_USAGE,
           "the frames are of several GPUs, each with addresses of its own; choose with --frames");
   const struct source source = find_source(&options, &block);
   const struct points points = make_points(&options, block);
   FILE *file = options.out ? fopen(options.out, "we") : stdout;
   if (!file)
      fail(STATUS_FAILED, "%s: cannot be written: %s", options.out, strerror(errno));

   struct cm_sweep *sweep =
      cm_sweep_create(points.list, points.count, block, options.index, source.is_parameter_buffer);
   if (!sweep)
      fail(STATUS_FAILED, "out of memory for %u caches", points.count);
   struct swept swept = {sweep, &points, allocate(points.count * sizeof(*swept.warm))};
   const struct access_stream stream = {
      .caches = &swept,
      .num_units = cm_sweep_units(sweep),
      .needs_next = needs_next,
      .count = count_part,
      .run = run_part,
      .warm_up = options.warm_up,
      .warm_up_end = keep_warm_up,
      .block_shift = (unsigned)__builtin_ctz(block),
      .streams = source.streams,
      .forgets = source.is_parameter_buffer,
      .jobs = options.jobs,
   };
   simulations.jobs = options.jobs > 1 ? 2 : 1; /* one decodes, one simulates */
   const bool fine = access_stream_run(&stream, &simulations, &options.configurations.list[0], source.unit);
   if (!damaged && cm_recording_damage(simulations.recording))
      say("%s", cm_recording_damage(simulations.recording));

   struct cm_sweep_result *results = allocate(points.count * sizeof(*results));
   for (uint32_t p = 0; p < points.count; p++)
      results[p] = result_of(&swept, p);
   check_bounds(&points, results);
   size_t num_frames;
   const struct cm_indexed_frame *frames = cm_recording_frames(simulations.recording, &num_frames);
   const struct sweep_report report = {
      .file = path,
      .configuration = options.configurations.list[0].name,
      .accesses = options.streams && options.point ? text("%s at %s", options.streams, options.point)
                  : options.streams                ? options.streams
                                                   : options.point,
      .first_frame = frames[simulations.first_frame].number,
      .last_frame = frames[simulations.last_frame].number,
      .block_bytes = block,
      .index = options.index,
      .forgets = source.is_parameter_buffer,
      .warm_up = options.warm_up,
      .points = points.list,
      .results = results,
      .num_points = points.count,
   };
   write_report(&options, &report, file);
   free(swept.warm);
   cm_sweep_destroy(sweep);
   cm_recording_close(simulations.recording);
   return fine ? STATUS_OK : STATUS_FAILED;
}
