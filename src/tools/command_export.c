/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/byte_stream.h"
#include "config/config.h"
#include "memory/next_use.h"
#include "options.h"
#include "progress.h"
#include "recordings.h"
#include "simulation.h"
#include "tools.h"

static const char help[] =
   "usage: tbrsim export --format NAME --unit UNIT [OPTIONS] FILE.tbr\n"
   "\n"
   "Simulates a recording and writes the accesses that arrive at a cache, or at memory, one\n"
   "for each block, for other simulators:\n"
   "\n"
   "  --format din             Dinero's text: \"0 1fc0\" reads, \"1 1fc0\" writes\n"
   "  --format oraclegeneral   libCacheSim's binary records, next accesses included; they do\n"
   "                           not tell reads from writes\n"
   "  --format dramsim3        \"0x1FC0 READ 17\"; the cycle is the access' number, from 0\n"
   "  --format streams         \"R 0x1fc0 texture\", with the stream; \"I 0x1000 0x2000\" where the blocks\n"
   "                           up to an address are invalidated, \"F\" where a frame ends\n"
   "  --unit UNIT              texture_cache, l2, dram … (tbrsim counters lists the units); all\n"
   "                           instances of a unit together\n"
   "  --config NAME|FILE.yaml  the simulated GPU (default: the recorded one)\n"
   "  --set KEY=VALUE          change one value of it; may be repeated\n"
   "  --frames A-B             only these frames (the program's, counting from 0)\n"
   "  --out FILE, -o FILE      where the accesses go (default: standard output)\n"
   "  --help                   this text";

enum { OPTION_FRAMES = OPTION_COMMAND };

static const struct option long_options[] = {
   {"format", required_argument, NULL, OPTION_FORMAT}, UNIT_LONG_OPTIONS,
   {"config", required_argument, NULL, OPTION_CONFIG}, {"set", required_argument, NULL, OPTION_SET},
   {"frames", required_argument, NULL, OPTION_FRAMES}, {"out", required_argument, NULL, OPTION_OUT},
   {"help", no_argument, NULL, OPTION_HELP},           {NULL, 0, NULL, 0},
};

/* An access on its way out, number `number` of all. */
struct export
{
   FILE *file;
   uint64_t number;
   enum cm_stream stream;
   struct cm_next_use uses; /* of oraclegeneral */
   bool numbering;          /* uses are being collected, nothing is written */
};

typedef void (*write_access)(struct export *export, uint64_t address, uint32_t bytes, bool is_write);

static void
write_din(struct export *export, uint64_t address, uint32_t bytes, bool is_write)
{
   (void)bytes;
   fprintf(export->file, "%d %" PRIx64 "\n", is_write, address);
}

static void
write_dramsim3(struct export *export, uint64_t address, uint32_t bytes, bool is_write)
{
   (void)bytes;
   fprintf(export->file, "0x%" PRIX64 " %s %" PRIu64 "\n", address, is_write ? "WRITE" : "READ",
           export->number);
}

static void
write_streams(struct export *export, uint64_t address, uint32_t bytes, bool is_write)
{
   (void)bytes;
   fprintf(export->file, "%c 0x%" PRIx64 " %s\n", is_write ? 'W' : 'R', address,
           cm_stream_names[export->stream]);
}

/* Time in seconds (there is none: the access' number), object, its bytes, its next access. */
static void
write_oraclegeneral(struct export *export, uint64_t address, uint32_t bytes, bool is_write)
{
   uint8_t record[24];
   (void)is_write;
   const uint32_t next = cm_next_use_take(&export->uses);
   cm_store_uint32(record, (uint32_t)export->number);
   cm_store_uint64(record + 4, address);
   cm_store_uint32(record + 12, bytes);
   cm_store_uint64(record + 16, next == CM_NEVER_USED ? UINT64_MAX : next);
   fwrite(record, sizeof(record), 1, export->file);
}

static const struct format {
   const char *name;
   write_access write;
   bool has_next_uses;
} formats[] = {
   {"din", write_din, false},
   {"oraclegeneral", write_oraclegeneral, true},
   {"dramsim3", write_dramsim3, false},
   {"streams", write_streams, false},
};

struct export_options {
   struct operands operands;
   const struct format *format;
   int point; /* enum cm_unit; -1: not given */
   struct configurations configurations;
   const char *frames, *output; /* as given; NULL */
};

static const struct format *
parse_format(const char *value)
{
   for (unsigned f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
      if (!strcmp(value, formats[f].name))
         return &formats[f];
   }
   fail(STATUS_USAGE, "--format %s: expected din, oraclegeneral, dramsim3 or streams", value);
}

static void
parse(struct export_options *options, int argc, char **argv)
{
   *options = (struct export_options){.point = -1};
   for (int option; (option = options_get(&options->operands, argc, argv, long_options)) != -1;) {
      switch (option) {
      case OPTION_FORMAT: options->format = parse_format(optarg); break;
      case OPTION_UNIT: options->point = (int)options_unit(optarg); break;
      case OPTION_CONFIG:
         if (options->configurations.count)
            fail(STATUS_USAGE, "--config %s: tbrsim export takes one configuration", optarg);
         configurations_add(&options->configurations, optarg);
         break;
      case OPTION_SET: configurations_set(&options->configurations, optarg); break;
      case OPTION_FRAMES: options->frames = optarg; break;
      case OPTION_OUT: options->output = optarg; break;
      case OPTION_OPERAND: break;
      default: puts(help); exit(STATUS_OK);
      }
   }
   if (!options->format || options->point < 0)
      fail(STATUS_USAGE, "%s is missing; see tbrsim export --help", options->format ? "--unit" : "--format");
   operands_single(&options->operands, "recording", "tbrsim export --format NAME --unit UNIT FILE.tbr");
}

/* ---- simulation --------------------------------------------------------------- */

/* What the observer needs. */
struct tap {
   struct export *export;
   write_access write;
};

static void
observe(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   const struct tap *tap = context;
   struct export *export = tap->export;
   export->stream = stream;
   if (export->numbering)
      cm_next_use_add(&export->uses, &address, 1);
   else
      tap->write(export, address, bytes, access != CM_READ);
   export->number++;
}

static void
observe_invalidation(void *context, uint64_t begin, uint64_t end)
{
   const struct tap *tap = context;
   if (tap->write == write_streams)
      fprintf(tap->export->file, "I 0x%" PRIx64 " 0x%" PRIx64 "\n", begin, end);
}

static void
observe_frame_end(void *context)
{
   const struct tap *tap = context;
   if (tap->write == write_streams)
      fputs("F\n", tap->export->file);
}

/* Simulates all frames; false where something was lost, which has been said. */
static bool
run(struct tap *tap, const struct export_options *options, struct simulations *simulations)
{
   const struct cm_observer observer = {
      .access = observe,
      .context = tap,
      .invalidate = observe_invalidation,
   };
   tap->export->number = 0;
   simulation_start(simulations->list, options->configurations.list, simulations->recording, NULL, 0);
   simulations->list->observer = &observer;
   simulations->list->point = (enum cm_unit)options->point;
   simulations->list->frame_end = observe_frame_end;
   return simulations_run(simulations);
}

static void
collect_next_uses(struct tap *tap, const struct export_options *options, struct simulations *simulations)
{
   struct cm_next_use *uses = &tap->export->uses;
   cm_next_use_init(uses);
   tap->export->numbering = true;
   run(tap, options, simulations);
   tap->export->numbering = false;
   if (uses->problem == CM_NEXT_USE_NO_MEMORY)
      fail(STATUS_FAILED, "out of memory for the next accesses");
   if (uses->problem == CM_NEXT_USE_TOO_MANY)
      fail(STATUS_FAILED,
           "more accesses than oraclegeneral's next ones can be told of; choose fewer --frames");
   cm_next_use_rewind(uses);
}

static void
check_point(const struct export_options *options, const struct simulations *simulations)
{
   const struct configuration *configuration = &options->configurations.list[0];
   if (options->point != CM_UNIT_DRAM && !configuration->config->caches[options->point].size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[options->point],
           configuration->name);
   if (cm_recording_count_gpus(simulations->recording, simulations->first_frame, simulations->last_frame) > 1)
      fail(STATUS_USAGE,
           "the frames are of several GPUs, each with addresses of its own; choose with --frames");
}

int
command_export(int argc, char **argv)
{
   struct export_options options;
   parse(&options, argc, argv);
   const char *path = options.operands.list[0];
   struct simulations simulations = {.recording = recording_open(path), .count = 1, .jobs = 2};
   bool damaged = cm_recording_damage(simulations.recording);
   simulations.list = allocate(sizeof(*simulations.list));
   recording_find_frames(simulations.recording, path, options.frames, &simulations.first_frame,
                         &simulations.last_frame);
   configurations_finish(&options.configurations, simulations.recording);
   check_point(&options, &simulations);

   static char buffer[1 << 20];
   const char *name = options.output ? options.output : "standard output";
   struct export export = {.file = options.output ? fopen(options.output, "we") : stdout};
   if (!export.file)
      fail(STATUS_FAILED, "%s: %s", name, strerror(errno));
   if (isatty(fileno(export.file)))
      progress_silence();
   setvbuf(export.file, buffer, _IOFBF, sizeof(buffer));
   struct tap tap = {&export, options.format->write};
   if (options.format->has_next_uses)
      collect_next_uses(&tap, &options, &simulations);
   bool fine = run(&tap, &options, &simulations);
   if (ferror(export.file) | fclose(export.file))
      fail(STATUS_FAILED, "%s: %s", name, strerror(errno));
   if (!damaged && cm_recording_damage(simulations.recording))
      say("%s", cm_recording_damage(simulations.recording));
   cm_recording_close(simulations.recording);
   return fine ? STATUS_OK : STATUS_FAILED;
}
