/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cache_feed.h"
#include "input/address_trace.h"
#include "input/cache_points.h"
#include "output/output.h"
#include "tools.h"

static const char description[] =
   "Simulates one cache over an address trace of any program, in the formats of other\n"
   "simulators, plain or compressed with gzip, zstd or xz. - is standard input.\n";
static const char notes[] =
   "Formats:\n"
   "  din                      Dinero's: \"0 1fc0\", \"r 1fc0 4\"\n"
   "  oraclegeneral            libCacheSim's binary records\n"
   "  csv                      libCacheSim's time, object, size; or a header with obj_id\n"
   "  plain                    \"R 0x1fc0\", \"W 0x2000\"\n"
   "  dramsim3                 \"0x1FC0 READ 17\"\n"
   "  ramulator                Ramulator's \"0x1fc0 R\", Ramulator 2's \"LD 0x1fc0\"\n"
   "  ramulator-cpu            instructions, read and written address: \"17 8128\", \"3 8128 4096\"\n"
   "  lackey                   of valgrind --tool=lackey --trace-mem=yes: \" L 1fc0,4\"\n"
   "  streams                  what tbrsim export --format streams writes: with streams and\n"
   "                           invalidations; counts are by stream, too\n"
   "\n"
   "Policies (docs/caches.md has their sources):\n";

struct cache_options {
   struct cache_selection caches; /* of one */
   struct address_options trace;
   int stream; /* enum cm_stream of all accesses; -1: not given */
   bool json;
   bool by_stream;   /* the trace names streams */
   const char *name; /* of the trace */
};

static void
take_stream(void *field, const char *option, const char *value)
{
   *(int *)field = (int)options_name(option, value, cm_stream_names, CM_STREAM_COUNT);
}

static void
take_format(void *field, const char *option, const char *value)
{
   *(enum address_format *)field =
      (enum address_format)options_name(option, value, address_format_names, ADDRESS_FORMAT_COUNT);
}

static const struct option_row rows[] = {
   OPTION("size", "BYTES", "size of the cache: 8192, 64K, 1M (of 1024); required", take_text,
          struct cache_options, caches.sizes),
   OPTION("ways", "N", "associativity: 1 to 262144, or full; required", take_text, struct cache_options,
          caches.ways),
   OPTION("block", "BYTES", "block size: a power of two from 16 to 4096 (default: 64)", take_text,
          struct cache_options, caches.block),
   OPTION("policy", "NAME", "replacement policy; --policies is the same (default: lru)", take_text,
          struct cache_options, caches.policies),
   OPTION("policies", "NAME", NULL, take_text, struct cache_options, caches.policies),
   OPTION("index", "NAME", "how the set follows from a block's number (default: modulo)", take_index,
          struct cache_options, caches.index),
   OPTION("stream", "NAME",
          "the stream that all accesses belong to. Only gs-drrip, gs-drrip4, gspztc,\n"
          "gspztc-tse and gspc treat streams differently (default: texture)",
          take_stream, struct cache_options, stream),
   OPTION("format", "NAME", "format of the trace (default: auto, recognised by its content)", take_format,
          struct cache_options, trace.format),
   OPTION("objects", NULL, "for oraclegeneral and csv: each object is one block, whatever its size",
          take_flag, struct cache_options, trace.objects),
};

static void
parse_options(struct cache_options *options, int argc, char **argv)
{
   const struct command_line line = {
      .usage = "tbrsim cache --size BYTES --ways N [OPTIONS] TRACE",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "trace",
      .groups = {OPTION_GROUP(rows, options), JSON_OPTIONS(&options->json)},
      .notes = notes,
      .print_notes = cache_points_print_policies,
   };
   options->name = command_line_parse(&line, argc, argv).list[0];
}

static struct cm_sweep_point
make_point(const struct cache_selection *caches)
{
   const struct cm_cache_config base = {.block = cache_points_block(caches->block),
                                        .instances = 1,
                                        .index = caches->index};
   if (!caches->sizes || !caches->ways)
      fail(STATUS_USAGE, "%s is missing; see tbrsim cache --help", caches->sizes ? "--ways" : "--size");
   const struct cache_points points = cache_points_make(caches, &base, NULL);
   if (points.count > 1)
      fail(STATUS_USAGE, "%u caches; expected one --size, --ways and --policy", points.count);
   return points.list[0];
}

/* ---- the trace --------------------------------------------------------------- */

/* The runs of a batch. */
static struct cm_access_runs
make_runs(const struct cache_options *options, const struct address_batch *batch)
{
   struct cm_access_runs runs = {
      .runs = allocate((batch->count + 1ul) * sizeof *runs.runs),
      .counts = allocate((batch->count + 1ul) * sizeof *runs.counts),
   };
   enum cm_stream stream = options->stream < 0 ? CM_STREAM_TEXTURE : (enum cm_stream)options->stream;
   for (unsigned i = 0; i < batch->count; i++) {
      stream = batch->has_streams ? (enum cm_stream)batch->streams[i] : stream;
      const cm_run run = cm_run_make(batch->blocks[i], stream, batch->writes && batch->is_write[i]);
      if (!runs.num_runs || runs.runs[runs.num_runs - 1] != run)
         runs.runs[runs.num_runs++] = run;
      runs.counts[runs.num_runs - 1]++;
   }
   if (batch->invalidates && batch->invalid_begin < batch->invalid_end) {
      const unsigned shift = options->trace.block_shift;
      const uint64_t last = (batch->invalid_end - 1) >> shift, most = (UINT64_MAX >> shift) - 1;
      runs.invalidations = allocate(sizeof *runs.invalidations);
      runs.invalidations[runs.num_invalidations++] =
         (struct cm_run_invalidation){runs.num_runs, batch->invalid_begin >> shift,
                                      last < most ? last : most};
   }
   return runs;
}

static void
read_trace(struct cache_options *options, struct cache_feed *feed)
{
   char error[512];
   struct input_file *file = input_file_open(options->name, error, sizeof error);
   const char *name = strcmp(options->name, "-") ? options->name : "standard input";
   struct address_trace *trace =
      file ? address_trace_open(file, name, &options->trace, error, sizeof error) : NULL;
   if (!trace)
      fail(STATUS_FAILED, "%s", error);
   struct address_batch *batch = allocate(sizeof *batch);
   struct cm_access_runs runs;
   do {
      if (!address_trace_read(trace, batch, error, sizeof error))
         fail(STATUS_FAILED, "%s", error);
      if (batch->has_streams && options->stream >= 0)
         fail(STATUS_USAGE, "--stream %s: the trace has the streams of its accesses",
              cm_stream_names[options->stream]);
      options->by_stream = batch->has_streams;
      runs = make_runs(options, batch);
      runs.ends_stream = !batch->count && !batch->invalidates;
      cache_feed_add(feed, &runs);
   } while (!runs.ends_stream);
   free(batch);
   address_trace_close(trace);
}

/* ---- counts ------------------------------------------------------------------ */

#define NUM_COUNTS 5
static const char *const count_names[NUM_COUNTS] = {"accesses", "hits", "misses", "bypasses", "writebacks"};

/* Adds the counts of a stream. */
static void
count_stream(const struct cm_sweep_result *result, unsigned stream, uint64_t counts[NUM_COUNTS])
{
   const uint64_t *counters = result->counters[stream];
   counts[0] += counters[CM_CACHE_EVENT_READS] + counters[CM_CACHE_EVENT_WRITES];
   counts[1] += counters[CM_CACHE_EVENT_HITS];
   counts[2] += counters[CM_CACHE_EVENT_MISSES];
   counts[3] += counters[CM_CACHE_EVENT_BYPASSES];
   counts[4] += counters[CM_CACHE_EVENT_WRITEBACKS];
}

static void
print_table(const uint64_t counts[NUM_COUNTS])
{
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      printf("%-10s %15" PRIu64 " %9.4f %%\n", count_names[c], counts[c],
             counts[0] ? 100.0 * (double)counts[c] / (double)counts[0] : 0.0);
}

/* The sums, and where the trace names streams, those that it has. */
static void
print_counts(const struct cache_options *options, const struct cm_sweep_result *result)
{
   uint64_t counts[NUM_COUNTS] = {0};
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      count_stream(result, stream, counts);
   json_t *root = output_counts(count_names, counts, NUM_COUNTS), *streams = json_object();
   if (!options->json)
      print_table(counts);
   for (unsigned stream = 0; options->by_stream && stream < CM_STREAM_COUNT; stream++) {
      memset(counts, 0, sizeof counts);
      count_stream(result, stream, counts);
      if (!counts[0])
         continue;
      json_object_set_new(streams, cm_stream_names[stream], output_counts(count_names, counts, NUM_COUNTS));
      if (!options->json) {
         printf("\n%s\n", cm_stream_names[stream]);
         print_table(counts);
      }
   }
   if (json_object_size(streams))
      json_object_set_new(root, "streams", streams);
   json_object_set_new(root, "run", output_run(NULL));
   if (options->json)
      output_json(root, 0, stdout);
}

int
command_cache(int argc, char **argv)
{
   struct cache_options options = {.caches = {.policies = "lru"}, .stream = -1};
   parse_options(&options, argc, argv);
   const struct cm_sweep_point point = make_point(&options.caches);
   options.trace.block_shift = (unsigned)__builtin_ctz(point.config.block);
   struct cache_feed feed = {
      .sweep = cm_sweep_create(&point, 1, &(struct cm_sweep_options){.by_stream = true}),
   };
   struct cm_sweep_result result;
   if (!feed.sweep)
      fail(STATUS_FAILED, "out of memory");
   cache_feed_start(&feed, 1);
   read_trace(&options, &feed);
   cache_feed_finish(&feed);
   if (!cm_sweep_result(feed.sweep, 0, &result))
      fail(STATUS_FAILED, "out of memory");
   print_counts(&options, &result);
   cm_sweep_destroy(feed.sweep);
   return STATUS_OK;
}
