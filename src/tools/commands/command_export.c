/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access_text.h"
#include "util/byte_stream.h"
#include "config/config.h"
#include "output/event_tables.h"
#include "memory/next_use.h"
#include "output/progress.h"
#include "input/session.h"
#include "tools.h"

static const char description[] =
   "Simulates a recording and writes the accesses that arrive at a cache or at memory, one line\n"
   "or record per block, for other simulators. Or writes the recorded events themselves as a\n"
   "table, without a simulation.\n";
static const char notes[] =
   "Formats:\n"
   "  din                      Dinero's text: \"0 1fc0\" reads, \"1 1fc0\" writes\n"
   "  oraclegeneral            libCacheSim's binary records, next accesses included; they do\n"
   "                           not tell reads from writes\n"
   "  dramsim3                 \"0x1FC0 READ 17\"; the cycle is the access' number, from 0\n"
   "  streams                  \"R 0x1fc0 texture\", with the stream; \"I 0x1000 0x2000\" where the\n"
   "                           blocks up to an address are invalidated, \"F\" where a frame ends\n"
   "  events                   comma-separated values, a row for each of what --table names; no\n"
   "                           simulation (docs/python.md has the columns)\n";

/* An access on its way out, number `number` of all. */
struct export
{
   FILE *file;
   uint64_t number;
   struct cm_next_use uses; /* of oraclegeneral */
   bool numbering;          /* uses are being collected, nothing is written */
   const struct format *format;
   struct cm_arrivals arrivals;
};

typedef void (*write_access)(struct export *export, const struct cm_unit_arrival *arrival);

static void
write_din(struct export *export, const struct cm_unit_arrival *arrival)
{
   fprintf(export->file, "%d %" PRIx64 "\n", arrival->access != CM_READ, arrival->address);
}

static void
write_dramsim3(struct export *export, const struct cm_unit_arrival *arrival)
{
   fprintf(export->file, "0x%" PRIX64 " %s %" PRIu64 "\n", arrival->address,
           arrival->access != CM_READ ? "WRITE" : "READ", export->number);
}

static void
write_streams(struct export *export, const struct cm_unit_arrival *arrival)
{
   cm_access_text_write(export->file, CM_ARRIVAL_ACCESS, arrival);
}

/* Time in seconds (there is none: the access' number), object, its bytes, its next access. */
static void
write_oraclegeneral(struct export *export, const struct cm_unit_arrival *arrival)
{
   uint8_t record[24];
   const uint32_t next = cm_next_use_take(&export->uses);
   cm_store_uint32(record, (uint32_t)export->number);
   cm_store_uint64(record + 4, arrival->address);
   cm_store_uint32(record + 12, arrival->bytes);
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
   {"events", NULL, false}, /* is not of accesses */
};
#define NUM_FORMATS (sizeof(formats) / sizeof(formats[0]))
#define FORMAT_EVENTS (NUM_FORMATS - 1)

struct export_options {
   const char *path;
   const struct format *format;
   int table; /* 1 + enum event_table; 0: none */
   struct cache_selection caches;
   struct configurations configurations;
   struct frame_selection frames;
   const char *output; /* NULL: standard output */
   enum cm_unit unit;
};

static void
take_format(void *field, const char *option, const char *value)
{
   const char *names[NUM_FORMATS];
   for (unsigned f = 0; f < NUM_FORMATS; f++)
      names[f] = formats[f].name;
   *(const struct format **)field = &formats[options_name(option, value, names, NUM_FORMATS)];
}

static void
take_table(void *field, const char *option, const char *value)
{
   *(int *)field = 1 + (int)options_name(option, value, event_table_names, EVENT_TABLES);
}

/* What belongs to accesses is of no use for events, and the other way round. */
static void
check_events(const struct export_options *options)
{
   if (!options->format->write != (options->table > 0))
      fail(STATUS_USAGE, "--format events and --table go together; see tbrsim export --help");
   if (options->format->write)
      return;
   if (options->caches.unit)
      fail(STATUS_USAGE, "--unit: events are of no unit");
   if (options->configurations.count || options->configurations.num_settings)
      fail(STATUS_USAGE, "--config, --set and --timing: events are not simulated");
}

static void
parse(struct export_options *options, int argc, char **argv)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("format", "NAME",
                   "din, oraclegeneral, dramsim3, streams or events, as below; required\nwithout --table",
                   take_format),
   };
   static const struct option_row table_rows[] = {
      OPTION_ALONE("table", "NAME",
                   "which events to write, one per row: passes, draws, primitives,\ntiles, quads, "
                   "footprints, buffers, images, "
                   "vertex_reads,\nvertex_storage, contents or descriptors (default: none)",
                   take_table),
   };
   *options = (struct export_options){.configurations = {.single = true}};
   const struct command_line line = {
      .usage = "tbrsim export --format NAME --unit UNIT|--table NAME [OPTIONS] FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {OPTION_GROUP(rows, &options->format), OPTION_GROUP(table_rows, &options->table),
                 UNIT_OPTIONS(&options->caches, "none, required"),
                 CONFIG_OPTIONS(&options->configurations, "the recorded one"),
                 FRAME_OPTIONS(&options->frames.frames), FILE_OPTIONS(&options->output)},
      .notes = notes,
   };
   options->path = command_line_parse(&line, argc, argv).list[0];
   if (!options->format && options->table)
      options->format = &formats[FORMAT_EVENTS];
   if (!options->format)
      fail(STATUS_USAGE, "--format is missing; see tbrsim export --help");
   check_events(options);
   if (!options->format->write)
      return;
   if (!options->caches.unit)
      fail(STATUS_USAGE, "--unit is missing; see tbrsim export --help");
   options->unit = options_unit(options->caches.unit);
}

/* ---- simulation --------------------------------------------------------------- */

static void
export_access(struct export *export, const struct cm_unit_arrival *arrival)
{
   if (export->numbering)
      cm_next_use_add(&export->uses, &arrival->address, 1);
   else
      export->format->write(export, arrival);
   export->number++;
}

static void
read_entries(void *context, const cm_entry *entries, uint32_t count)
{
   struct export *export = context;
   for (uint32_t i = 0; i < count; i++) {
      struct cm_unit_arrival arrival;
      const enum cm_arrival_kind kind = cm_arrivals_decode(&export->arrivals, entries[i], &arrival);
      if (kind == CM_ARRIVAL_ACCESS)
         export_access(export, &arrival);
      else if (export->format->write == write_streams)
         cm_access_text_write(export->file, kind, &arrival);
   }
}

/* Simulates all frames; false where something was lost, which has been reported. */
static bool
run(struct export *export, const struct export_options *options, struct session *session)
{
   struct simulations *simulations = &session->simulations;
   const struct configuration *configuration = session->configurations.list;
   const uint32_t block = options->unit == CM_UNIT_DRAM ? 1u << CM_DRAM_BLOCK_SHIFT
                                                        : configuration->config->caches[options->unit].block;
   const struct cm_access_reader reader = {.read = read_entries,
                                           .context = export,
                                           .units = 1u << options->unit};
   export->arrivals =
      (struct cm_arrivals){.unit = options->unit, .block_shift = (unsigned)__builtin_ctz(block)};
   export->number = 0;
   simulation_start(simulations->list, configuration, simulations, NULL, 0);
   simulations->list->reader = &reader;
   return simulations_run(simulations);
}

static void
collect_next_uses(struct export *export, const struct export_options *options, struct session *session)
{
   struct cm_next_use *uses = &export->uses;
   cm_next_use_init(uses);
   export->numbering = true;
   run(export, options, session);
   export->numbering = false;
   if (uses->problem == CM_NEXT_USE_NO_MEMORY)
      fail(STATUS_FAILED, "out of memory for the next accesses");
   if (uses->problem == CM_NEXT_USE_TOO_MANY)
      fail(STATUS_FAILED, "more accesses than oraclegeneral's next uses can have; select fewer --frames");
   cm_next_use_rewind(uses);
}

static struct session
open_session(const struct export_options *options)
{
   struct session session = session_open_accesses(options->path, &options->frames, &options->configurations);
   const struct configuration *configuration = &session.configurations.list[0];
   if (options->unit != CM_UNIT_DRAM && !configuration->config->caches[options->unit].size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[options->unit],
           configuration->name);
   session.simulations.jobs = 2;
   return session;
}

static int
export_events(const struct export_options *options)
{
   struct session session = session_open(options->path, &options->frames, NULL);
   FILE *file = options_open_output(options->output);
   if (isatty(fileno(file)))
      progress_silence();
   event_table_write(&session, (enum event_table)(options->table - 1), file);
   options_close_output(file, options->output);
   const bool whole = session_check(&session);
   session_close(&session);
   return whole ? STATUS_OK : STATUS_FAILED;
}

int
command_export(int argc, char **argv)
{
   struct export_options options;
   parse(&options, argc, argv);
   if (!options.format->write)
      return export_events(&options);
   struct session session = open_session(&options);

   static char buffer[1 << 20];
   struct export export = {.file = options_open_output(options.output)};
   if (isatty(fileno(export.file)))
      progress_silence();
   setvbuf(export.file, buffer, _IOFBF, sizeof(buffer));
   export.format = options.format;
   if (options.format->has_next_uses)
      collect_next_uses(&export, &options, &session);
   bool ok = run(&export, &options, &session);
   options_close_output(export.file, options.output);
   session_check(&session);
   session_close(&session);
   return ok ? STATUS_OK : STATUS_FAILED;
}
