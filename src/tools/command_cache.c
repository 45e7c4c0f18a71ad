/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address_trace.h"
#include "config/config.h"
#include "memory/cache.h"
#include "memory/future.h"
#include "memory/next_use.h"
#include "options.h"
#include "tools.h"

static const char help_text[] =
   "usage: tbrsim cache --size BYTES --ways N [OPTIONS] TRACE\n"
   "\n"
   "Simulates one cache over the accesses of an address trace: of any program, in the\n"
   "formats of other simulators, as it is or compressed with gzip, zstd or xz. - is\n"
   "standard input.\n"
   "\n"
   "  --size BYTES             of the cache; also 64K, 1M (of 1024)\n"
   "  --ways N                 1 to 1024; as many as blocks: fully associative\n"
   "  --block BYTES            16 to 4096; 64 unless told\n"
   "  --policy NAME            which block leaves a full set; lru unless told\n"
   "  --index modulo|xor       how a block finds its set; modulo unless told\n"
   "  --stream NAME            what the accesses are for; texture unless told. Only policies that\n"
   "                           know streams care: gs-drrip, gspztc, gspztc-tse, gspc\n"
   "  --format NAME            of the trace; auto unless told:\n"
   "                             din            Dinero's: \"0 1fc0\", \"r 1fc0 4\"\n"
   "                             oraclegeneral  libCacheSim's binary records\n"
   "                             plain          \"R 0x1fc0\", \"W 0x2000\"\n"
   "  --objects                oraclegeneral: objects are blocks by name, whatever their size\n"
   "  --json                   print an object with the counts, not a table\n"
   "  --help                   this text\n"
   "\n"
   "Policies (docs/caches.md has their sources):\n";

enum {
   OPTION_SIZE = OPTION_COMMAND,
   OPTION_WAYS,
   OPTION_BLOCK,
   OPTION_POLICY,
   OPTION_INDEX,
   OPTION_STREAM,
   OPTION_FORMAT
};

struct cache_options {
   struct cm_cache_config cache;
   struct address_options trace;
   enum cm_stream stream; /* of all accesses */
   int json;
   int objects;
   const char *name; /* of the trace */
};

static void
print_help(void)
{
   fputs(help_text, stdout);
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++)
      printf("  %-24s %s\n", cm_policy_names[policy], cm_policy_descriptions[policy]);
}

static void
parse_options(struct cache_options *options, int argc, char **argv)
{
   const struct option long_options[] = {
      {"size", required_argument, NULL, OPTION_SIZE},
      {"ways", required_argument, NULL, OPTION_WAYS},
      {"block", required_argument, NULL, OPTION_BLOCK},
      {"policy", required_argument, NULL, OPTION_POLICY},
      {"index", required_argument, NULL, OPTION_INDEX},
      {"stream", required_argument, NULL, OPTION_STREAM},
      {"format", required_argument, NULL, OPTION_FORMAT},
      {"objects", no_argument, &options->objects, 1},
      {"json", no_argument, &options->json, 1},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
   };
   int option;
   opterr = 0;
   while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
      switch (option) {
      case 0: break;
      case OPTION_SIZE: options->cache.size = options_bytes("--size", optarg); break;
      case OPTION_WAYS: options->cache.ways = options_bytes("--ways", optarg); break;
      case OPTION_BLOCK: options->cache.block = options_bytes("--block", optarg); break;
      case OPTION_POLICY:
         options->cache.policy =
            (enum cm_policy)options_name("--policy", optarg, cm_policy_names, CM_POLICY_COUNT);
         break;
      case OPTION_INDEX:
         options->cache.index = (enum cm_index)options_name("--index", optarg, options_index_names, 2);
         break;
      case OPTION_STREAM:
         options->stream = (enum cm_stream)options_name("--stream", optarg, cm_stream_names, CM_STREAM_COUNT);
         break;
      case OPTION_FORMAT:
         options->trace.format =
            (enum address_format)options_name("--format", optarg, address_format_names, ADDRESS_FORMAT_COUNT);
         break;
      case 'h': print_help(); exit(STATUS_OK);
      case ':': fail(STATUS_USAGE, "%s needs a value; see tbrsim cache --help", argv[optind - 1]);
      default: fail(STATUS_USAGE, "unknown option '%s'; see tbrsim cache --help", argv[optind - 1]);
      }
   }
   if (optind != argc - 1)
      fail(STATUS_USAGE, optind == argc ? "no trace; see tbrsim cache --help"
                                        : "more than one trace; see tbrsim cache --help");
   options->name = argv[optind];
}

static void
check_options(struct cache_options *options)
{
   char error[512];
   if (!options->cache.size || !options->cache.ways)
      fail(STATUS_USAGE, "%s: expected at least 1; see tbrsim cache --help",
           options->cache.size ? "--ways" : "--size");
   if (!cm_cache_config_validate(&options->cache, "--", error, sizeof error))
      fail(STATUS_USAGE, "%s", error);
   options->trace.block_shift = (unsigned)__builtin_ctz(options->cache.block);
   options->trace.objects = options->objects;
}

/* Gives a batch to the cache. */
static void
simulate_batch(struct cm_cache *cache, enum cm_stream stream, const struct address_batch *batch)
{
   if (!batch->writes) {
      cm_cache_read_sequence(cache, batch->blocks, batch->count, stream);
      return;
   }
   for (unsigned i = 0; i < batch->count; i++)
      cm_cache_access(cache, batch->blocks[i] << cache->block_shift, stream,
                      batch->is_write[i] ? CM_WRITE : CM_READ);
}

/* A trace in memory, for the policies that have to know all of it. */
struct sequence {
   uint64_t *blocks; /* number << 1 | whether it is written */
   uint64_t count, capacity;
};

static void
sequence_add(struct sequence *sequence, const struct address_batch *batch)
{
   if (sequence->count + batch->count > sequence->capacity) {
      sequence->capacity = sequence->capacity * 3 / 2 + (1 << 20);
      uint64_t *blocks = realloc(sequence->blocks, sequence->capacity * sizeof *blocks);
      if (!blocks)
         fail(STATUS_FAILED, "out of memory: this policy has to know all accesses, which take 12 bytes each");
      sequence->blocks = blocks;
   }
   for (unsigned i = 0; i < batch->count; i++)
      sequence->blocks[sequence->count + i] = batch->blocks[i] << 1 | batch->is_write[i];
   sequence->count += batch->count;
}

static void
sequence_simulate(struct cm_cache *cache, enum cm_stream stream, const struct sequence *sequence)
{
   struct address_batch *batch = allocate(sizeof *batch);
   for (uint64_t done = 0; done < sequence->count; done += batch->count) {
      const uint64_t rest = sequence->count - done;
      batch->count = rest < ADDRESS_BATCH ? (unsigned)rest : ADDRESS_BATCH;
      batch->writes = 0;
      for (unsigned i = 0; i < batch->count; i++) {
         const uint64_t access = sequence->blocks[done + i];
         batch->blocks[i] = access >> 1;
         batch->is_write[i] = access & 1;
         batch->writes += access & 1;
      }
      simulate_batch(cache, stream, batch);
   }
   free(batch);
}

/* Reads the whole trace: simulates it at once, or collects what the policy has to know. */
static void
read_trace(const struct cache_options *options, struct cm_cache *cache, struct sequence *sequence,
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
      if (uses) {
         sequence_add(sequence, batch);
         cm_next_use_add(uses, batch->blocks, batch->count);
      } else {
         simulate_batch(cache, options->stream, batch);
      }
   } while (batch->count);
   free(batch);
   address_trace_close(trace);
}

static void
simulate(const struct cache_options *options, struct cm_cache *cache)
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
   sequence_simulate(cache, options->stream, &sequence);
   cm_next_use_free(&uses);
   free(sequence.blocks);
}

static void
print_counts(const struct cache_options *options, const struct cm_cache *cache)
{
   const enum cm_stream stream = options->stream;
   const unsigned long long accesses = cache->accesses[stream][0] + cache->accesses[stream][1];
   const struct {
      const char *name;
      unsigned long long count;
   } counts[] = {
      {"accesses", accesses},
      {"hits", cm_cache_counter(cache, stream, CM_CACHE_EVENT_HITS)},
      {"misses", cm_cache_counter(cache, stream, CM_CACHE_EVENT_MISSES)},
      {"bypasses", cm_cache_counter(cache, stream, CM_CACHE_EVENT_BYPASSES)},
      {"writebacks", cm_cache_counter(cache, stream, CM_CACHE_EVENT_WRITEBACKS)},
   };
   const unsigned num_counts = sizeof counts / sizeof counts[0];
   for (unsigned i = 0; options->json && i < num_counts; i++)
      printf("%s\"%s\": %llu%s", i ? ", " : "{", counts[i].name, counts[i].count,
             i + 1 == num_counts ? "}\n" : "");
   for (unsigned i = 0; !options->json && i < num_counts; i++)
      printf("%-10s %15llu %9.4f %%\n", counts[i].name, counts[i].count,
             accesses ? 100.0 * (double)counts[i].count / (double)accesses : 0.0);
}

int
command_cache(int argc, char **argv)
{
   struct cache_options options = {
      .cache = {.block = 64, .instances = 1, .policy = CM_POLICY_LRU, .next = CM_UNIT_DRAM},
      .stream = CM_STREAM_TEXTURE,
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
   if (fflush(stdout) || ferror(stdout))
      fail(STATUS_FAILED, "the counts cannot be written: %s", strerror(errno));
   return STATUS_OK;
}
