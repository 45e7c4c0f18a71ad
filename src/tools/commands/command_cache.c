/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/address_trace.h"
#include "config/config.h"
#include "memory/cache.h"
#include "memory/future.h"
#include "memory/next_use.h"
#include "options.h"
#include "output/output.h"
#include "tools.h"
#include "util/array.h"

static const char description[] =
   "Simulates one cache over the accesses of an address trace: of any program, in the\n"
   "formats of other simulators, as it is or compressed with gzip, zstd or xz. - is\n"
   "standard input.\n";
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
   struct cm_cache_config cache;
   struct address_options trace;
   int stream;       /* enum cm_stream of all accesses; -1: not given */
   const char *ways; /* not parsed yet */
   bool json;
   bool by_stream;   /* the trace names streams */
   const char *name; /* of the trace */
};

static void
print_policies(FILE *file)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++)
      fprintf(file, "  %-24s %s\n", cm_policy_names[policy], cm_policy_descriptions[policy]);
}

static void
take_policy(void *field, const char *option, const char *value)
{
   *(enum cm_policy *)field = (enum cm_policy)options_name(option, value, cm_policy_names, CM_POLICY_COUNT);
}

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
   OPTION("size", "BYTES", "size of the cache: 8192, 64K, 1M (of 1024); required", take_bytes,
          struct cache_options, cache.size),
   OPTION("ways", "N", "associativity: 1 to 1024, or full; required", take_text, struct cache_options, ways),
   OPTION("block", "BYTES", "block size: a power of two from 16 to 4096 (default: 64)", take_bytes,
          struct cache_options, cache.block),
   OPTION("policy", "NAME", "replacement policy (also --policies; default: lru)", take_policy,
          struct cache_options, cache.policy),
   OPTION("policies", "NAME", NULL, take_policy, struct cache_options, cache.policy),
   OPTION("index", "NAME", "how a block's number gives its set (default: modulo)", take_index,
          struct cache_options, cache.index),
   OPTION("stream", "NAME",
          "stream of all accesses; only gs-drrip, gs-drrip4, gspztc, gspztc-tse\n"
          "and gspc treat streams differently (default: texture)",
          take_stream, struct cache_options, stream),
   OPTION("format", "NAME", "format of the trace (default: auto, found by its beginning)", take_format,
          struct cache_options, trace.format),
   OPTION("objects", NULL, "of oraclegeneral and csv: each object is one block, whatever its size", take_flag,
          struct cache_options, trace.objects),
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
      .print_notes = print_policies,
   };
   options->name = command_line_parse(&line, argc, argv).list[0];
}

static void
check_options(struct cache_options *options)
{
   struct cm_cache_config *cache = &options->cache;
   char error[512];
   if (!cache->size || !options->ways)
      fail(STATUS_USAGE, "%s is missing%s; see tbrsim cache --help", cache->size ? "--ways" : "--size",
           cache->size ? "" : ", or 0");
   cache->ways = options_ways("--ways", options->ways);
   if (cache->ways == OPTIONS_FULL_WAYS)
      cache->ways = cache->block ? cache->size / cache->block : 1;
   if (!cm_cache_config_validate(cache, CM_CACHE_MAX_WAYS, "--", error, sizeof error))
      fail(STATUS_USAGE, "%s", error);
   options->trace.block_shift = (unsigned)__builtin_ctz(options->cache.block);
}

/* Gives a batch to the cache. */
static void
simulate_batch(struct cm_cache *cache, enum cm_stream stream, const struct address_batch *batch)
{
   if (!batch->writes && !batch->has_streams) {
      cm_cache_read_sequence(cache, batch->blocks, batch->count, stream);
      return;
   }
   for (unsigned i = 0; i < batch->count; i++)
      cm_cache_access(cache, batch->blocks[i] << cache->block_shift,
                      batch->has_streams ? (enum cm_stream)batch->streams[i] : stream,
                      batch->is_write[i] ? CM_WRITE : CM_READ);
   if (batch->invalidates)
      cm_cache_invalidate(cache, batch->invalid_begin, batch->invalid_end);
}

/* A trace in memory, for the policies that need next uses. */
struct sequence {
   uint64_t *blocks; /* number << 8 | stream << 1 | whether it is written */
   size_t count, capacity;
   bool has_streams;
   struct invalidation {
      uint64_t after; /* so many accesses */
      uint64_t begin, end;
   } *invalidations;
   size_t num_invalidations;
};
static_assert(CM_STREAM_COUNT <= 128, "a stream's number has 7 bits");

static void
sequence_add(struct sequence *sequence, const struct address_batch *batch)
{
   if (!cm_array_make_room(&sequence->blocks, &sequence->capacity, sequence->count, batch->count,
                           sizeof *sequence->blocks) ||
       (batch->invalidates && !cm_array_grow(&sequence->invalidations, sequence->num_invalidations,
                                             sizeof *sequence->invalidations)))
      fail(STATUS_FAILED, "out of memory: this policy needs all accesses, 12 bytes each");
   for (unsigned i = 0; i < batch->count; i++)
      sequence->blocks[sequence->count + i] =
         batch->blocks[i] << 8 | (uint64_t)batch->streams[i] << 1 | batch->is_write[i];
   sequence->count += batch->count;
   sequence->has_streams = batch->has_streams;
   if (batch->invalidates)
      sequence->invalidations[sequence->num_invalidations++] =
         (struct invalidation){sequence->count, batch->invalid_begin, batch->invalid_end};
}

static void
sequence_simulate(struct cm_cache *cache, enum cm_stream stream, const struct sequence *sequence)
{
   struct address_batch *batch = allocate(sizeof *batch);
   const struct invalidation *invalidation = sequence->invalidations;
   const struct invalidation *last = invalidation + sequence->num_invalidations;
   for (uint64_t done = 0; done < sequence->count || invalidation < last; done += batch->count) {
      const uint64_t rest = (invalidation < last ? invalidation->after : sequence->count) - done;
      batch->count = rest < ADDRESS_BATCH ? (unsigned)rest : ADDRESS_BATCH;
      batch->writes = 0;
      batch->has_streams = sequence->has_streams;
      for (unsigned i = 0; i < batch->count; i++) {
         const uint64_t access = sequence->blocks[done + i];
         batch->blocks[i] = access >> 8;
         batch->streams[i] = access >> 1 & 127;
         batch->is_write[i] = access & 1;
         batch->writes += access & 1;
      }
      batch->invalidates = invalidation < last && batch->count == rest;
      if (batch->invalidates) {
         batch->invalid_begin = invalidation->begin;
         batch->invalid_end = invalidation->end;
         invalidation++;
      }
      simulate_batch(cache, stream, batch);
   }
   free(batch);
}

static enum cm_stream
stream_of(const struct cache_options *options)
{
   return options->stream < 0 ? CM_STREAM_TEXTURE : (enum cm_stream)options->stream;
}

/* Reads the whole trace: simulates it at once, or collects it for a policy that needs next uses. */
static void
read_trace(struct cache_options *options, struct cm_cache *cache, struct sequence *sequence,
           struct cm_next_use *uses)
{
   char error[512];
   struct input_file *file = input_file_open(options->name, error, sizeof error);
   const char *name = strcmp(options->name, "-") ? options->name : "standard input";
   struct address_trace *trace =
      file ? address_trace_open(file, name, &options->trace, error, sizeof error) : NULL;
   if (!trace)
      fail(STATUS_FAILED, "%s", error);
   struct address_batch *batch = allocate(sizeof *batch);
   do {
      if (!address_trace_read(trace, batch, error, sizeof error))
         fail(STATUS_FAILED, "%s", error);
      if (batch->has_streams && options->stream >= 0)
         fail(STATUS_USAGE, "--stream %s: the trace has the streams of its accesses",
              cm_stream_names[options->stream]);
      options->by_stream = batch->has_streams;
      if (uses) {
         sequence_add(sequence, batch);
         cm_next_use_add(uses, batch->blocks, batch->count);
         /* What is invalidated is not used again, whenever it comes back. */
         if (batch->invalidates && batch->invalid_begin < batch->invalid_end)
            cm_next_use_invalidate(uses, batch->invalid_begin >> cache->block_shift,
                                   (batch->invalid_end - 1) >> cache->block_shift);
      } else {
         simulate_batch(cache, stream_of(options), batch);
      }
   } while (batch->count || batch->invalidates);
   free(batch);
   address_trace_close(trace);
}

static void
simulate(struct cache_options *options, struct cm_cache *cache)
{
   if (!cm_policy_needs_future(options->cache.policy)) {
      read_trace(options, cache, NULL, NULL);
      return;
   }
   struct sequence sequence = {0};
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   read_trace(options, cache, &sequence, &uses);
   if (uses.problem != CM_NEXT_USE_FINE)
      fail(STATUS_FAILED, uses.problem == CM_NEXT_USE_NO_MEMORY
                             ? "out of memory: this policy has to know all accesses"
                             : "more than 4294967295 accesses are too many for this policy");
   cm_next_use_rewind(&uses);
   cm_cache_set_future(cache, &uses);
   sequence_simulate(cache, stream_of(options), &sequence);
   cm_next_use_free(&uses);
   free(sequence.blocks);
   free(sequence.invalidations);
}

#define NUM_COUNTS 5
static const char *const count_names[NUM_COUNTS] = {"accesses", "hits", "misses", "bypasses", "writebacks"};

/* Adds the counts of a stream. */
static void
count_stream(const struct cm_cache *cache, enum cm_stream stream, uint64_t counts[NUM_COUNTS])
{
   counts[0] += cache->accesses[stream][0] + cache->accesses[stream][1];
   counts[1] += cm_cache_counter(cache, stream, CM_CACHE_EVENT_HITS);
   counts[2] += cm_cache_counter(cache, stream, CM_CACHE_EVENT_MISSES);
   counts[3] += cm_cache_counter(cache, stream, CM_CACHE_EVENT_BYPASSES);
   counts[4] += cm_cache_counter(cache, stream, CM_CACHE_EVENT_WRITEBACKS);
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
print_counts(const struct cache_options *options, const struct cm_cache *cache)
{
   uint64_t counts[NUM_COUNTS] = {0};
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      count_stream(cache, (enum cm_stream)stream, counts);
   json_t *root = output_counts(count_names, counts, NUM_COUNTS), *streams = json_object();
   if (!options->json)
      print_table(counts);
   for (unsigned stream = 0; options->by_stream && stream < CM_STREAM_COUNT; stream++) {
      memset(counts, 0, sizeof counts);
      count_stream(cache, (enum cm_stream)stream, counts);
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
   struct cache_options options = {
      .cache = {.block = 64, .instances = 1, .policy = CM_POLICY_LRU, .next = CM_UNIT_DRAM},
      .stream = -1,
   };
   struct cm_dram dram = {0};
   struct cm_cache cache;
   parse_options(&options, argc, argv);
   check_options(&options);
   if (!cm_cache_init(&cache, &options.cache, NULL, &dram))
      fail(STATUS_FAILED, "out of memory");
   simulate(&options, &cache);
   print_counts(&options, &cache);
   cm_cache_finish(&cache);
   return STATUS_OK;
}
