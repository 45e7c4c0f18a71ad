/* SPDX-License-Identifier: MIT */
/* The rows of the options that several commands have. */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/shader_code.h"
#include "options.h"
#include "tools.h"

/* ---- values ----------------------------------------------------------------- */

void
take_text(void *field, const char *option, const char *value)
{
   *(const char **)field = value;
}

void
take_flag(void *field, const char *option, const char *value)
{
   *(bool *)field = true;
}

void
take_bytes(void *field, const char *option, const char *value)
{
   *(uint32_t *)field = options_bytes(option, value);
}

void
take_index(void *field, const char *option, const char *value)
{
   *(enum cm_index *)field = (enum cm_index)options_name(option, value, cm_index_names, CM_INDEX_COUNT);
}

/* ---- configurations --------------------------------------------------------- */

/* NAME|FILE.yaml[,KEY=VALUE] is an input where it names a file. */
static void
note_config(const char *value)
{
   char *name = text("%s", value), *comma = strchr(name, ',');
   if (comma && access(name, F_OK))
      *comma = 0;
   if (options_is_config_file(name))
      note_input(name);
   else
      free(name);
}

static void
take_config(void *field, const char *option, const char *value)
{
   configurations_add(field, value);
   note_config(value);
}

void
take_config_name(void *field, const char *option, const char *value)
{
   take_path(field, option, value);
   note_config(value);
}

static void
take_setting(void *field, const char *option, const char *value)
{
   if (!strchr(value, '='))
      fail(STATUS_USAGE, "%s %s: no value, expected key=value", option, value);
   configurations_set(field, value);
}

static void
take_timing(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"off", "on"};
   const bool on = options_name(option, value, names, 2);
   configurations_set(field, on ? "timing=on" : "timing=off");
   if (on)
      ((struct configurations *)field)->counts = "--timing on";
}

static void
take_attribution(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"pass", "draw", "texture", "tile"};
   char *list = text("%s", value), *rest = list;
   for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
      const unsigned number = options_name(option, name, names, 4);
      char *assignment = text("attribution.%s=on", names[number]);
      configurations_set(field, assignment);
      ((struct configurations *)field)->attributes_draws |= strcmp(names[number], "draw") == 0;
      free(assignment);
   }
   free(list);
   ((struct configurations *)field)->counts = "--attribute";
}

static void
take_variation(void *field, const char *option, const char *value)
{
   configurations_vary(field, value);
}

static void
take_operand(void *field, const char *option, const char *value)
{
   configurations_all(field);
}

const struct option_row config_option_rows[] = {
   OPTION_REPEATED("config", "NAME|FILE.yaml[,KEY=VALUE]",
                   "the simulated GPU: a preset (tbrsim configs lists them) or a file, and\n"
                   "changes of it (default: %s)",
                   take_config),
   OPTION_REPEATED("set", "KEY=VALUE", "change a value of the configuration (l2.size=2M); may be repeated",
                   take_setting),
   OPTION_REPEATED("timing", "on|off",
                   "also simulate cycles and energy; the same as --set timing=on (default:\n"
                   "as the configuration says)",
                   take_timing),
   OPTION_ALONE(NULL, NULL, NULL, take_operand),
   OPTION_REPEATED("vary", "KEY=VALUE[,VALUE]",
                   "simulate each configuration with each of these values; A..B stands for\n"
                   "the powers of two from A to B (l2.size=256K..4M). Repeated: all\n"
                   "combinations",
                   take_variation),
   OPTION_REPEATED("attribute", "pass,draw,texture,tile",
                   "count by render pass, draw call, texture or tile, too; writes passes.csv,\n"
                   "draws.csv, textures.csv and tiles.csv next to the statistics\n"
                   "(default: none)",
                   take_attribution),
};

/* ---- frames ------------------------------------------------------------------ */

static void
take_frames(void *field, const char *option, const char *value)
{
   const struct frame_range range = options_frames(value);
   *(const char **)field = text("%u-%u", range.first, range.last);
}

static void
take_warm_up(void *field, const char *option, const char *value)
{
   *(unsigned *)field = options_number(option, value, 0, UINT_MAX, "a number of frames");
}

const struct option_row frame_option_rows[] = {
   OPTION("frames", "A-B|A", "only frames A to B, or A alone; the first is 0 (default: all)", take_frames,
          struct frame_selection, frames),
   OPTION("warm-up", "N",
          "the first N of these frames fill the caches and are not counted\n"
          "(default: %s)",
          take_warm_up, struct frame_selection, warm_up),
};

static_assert(offsetof(struct frame_selection, frames) == 0, "--frames alone takes a const char *");

static void
take_frame_list(void *field, const char *option, const char *value)
{
   struct cm_frame_list list = options_frame_list(value);
   const uint32_t last = list.ranges[list.count - 1].last;
   cm_frame_list_free(&list);
   if (last == UINT32_MAX)
      fail(STATUS_USAGE, "--frames %s: expected a last frame, A-B", value);
   *(const char **)field = value;
}

const struct option_row live_frame_option_rows[] = {
   OPTION("frames", "A-B|A",
          "only these frames: A to B, A alone, or several of these with commas. The\n"
          "first frame is 0. The others are rendered, but neither simulated nor\n"
          "recorded (default: all)",
          take_frame_list, struct options, frames),
   OPTION("selected", "FILE",
          "only the frames that tbrsim select has chosen, each after as many warm-up\n"
          "frames as the configuration's largest cache needs (default: none)",
          take_input, struct options, selected),
};

static void
take_timeline(void *field, const char *option, const char *value)
{
   options_timeline(value);
   *(const char **)field = value;
}

const struct option_row timeline_option_rows[] = {
   OPTION_ALONE("timeline", "A-B|A",
                "write what each unit did in these frames to timeline.pftrace next to\n"
                "the statistics, for ui.perfetto.dev; needs timing (default: none)",
                take_timeline),
};

/* ---- caches ------------------------------------------------------------------- */

static void
take_unit(void *field, const char *option, const char *value)
{
   options_unit(value);
   *(const char **)field = value;
}

const struct option_row cache_option_rows[] = {
   OPTION("unit", "UNIT",
          "the accesses that arrive at this cache, at all its instances together, or\n"
          "at dram; --point is the same (default: %s)",
          take_unit, struct cache_selection, unit),
   OPTION("point", "UNIT", NULL, take_unit, struct cache_selection, unit),
   OPTION("policy", "NAME[,NAME]", "replacement policies; --policies is the same\n(default: %s)", take_text,
          struct cache_selection, policies),
   OPTION("policies", "NAME[,NAME]", NULL, take_text, struct cache_selection, policies),
   OPTION("size", "BYTES[,BYTES]", "sizes of the cache: 8192, 64K; 256K..4M in powers of two\n(default: %s)",
          take_text, struct cache_selection, sizes),
   OPTION("stream", "NAME[,NAME]", "only accesses of these streams (default: %s)", take_text,
          struct cache_selection, streams),
   OPTION("ways", "N[,N]", "associativities: 1 to 262144, or full (default: %s)", take_text,
          struct cache_selection, ways),
   OPTION("block", "BYTES", "block size: a power of two from 16 to 4096 (default: the unit's, else 64)",
          take_text, struct cache_selection, block),
   OPTION("index", "NAME", "how the set follows from a block's number (default: modulo)", take_index,
          struct cache_selection, index),
};

/* ---- output -------------------------------------------------------------------- */

static void
take_format(void *field, const char *option, const char *value)
{
   static const char *const names[] = {
      [OUTPUT_TABLE] = "table", [OUTPUT_CSV] = "csv", [OUTPUT_JSON] = "json"};
   *(enum output_format *)field = (enum output_format)options_name(option, value, names, 3);
}

static void
take_csv(void *field, const char *option, const char *value)
{
   *(enum output_format *)field = OUTPUT_CSV;
}

static void
take_json(void *field, const char *option, const char *value)
{
   *(enum output_format *)field = OUTPUT_JSON;
}

const struct option_row format_option_rows[] = {
   OPTION_ALONE("format", "table|csv|json", "what is printed (default: table)", take_format),
   OPTION_ALONE("csv", NULL, "print CSV", take_csv),
   OPTION_ALONE("json", NULL, "print JSON", take_json),
};

const struct option_row json_option_rows[] = {
   OPTION_ALONE("json", NULL, "print JSON", take_flag),
};

const struct option_row directory_option_rows[] = {
   OPTION_ALONE("out", "DIR", "directory for results (default: %s)", take_path),
};

const struct option_row file_option_rows[] = {
   OPTION_ALONE("out", "FILE", "file for results (default: standard output)", take_output),
};

/* ---- threads -------------------------------------------------------------------- */

static void
take_jobs(void *field, const char *option, const char *value)
{
   *(unsigned *)field = options_number(option, value, 1, OPTIONS_MAX_THREADS, "a number of threads");
}

const struct option_row job_option_rows[] = {
   OPTION_ALONE("jobs", "N", "threads (default: one per core)", take_jobs),
   OPTION_ALONE("model-threads", "N",
                "threads for each configuration. Results are the same for any number. With\n"
                "--timing on that many more time frames. No effect with --attribute or,\n"
                "without timing, access_units (default: as many as the processors allow)",
                take_jobs),
};

/* ---- commands that simulate live --------------------------------------------------- */

static void
take_no_model(void *field, const char *option, const char *value)
{
   *(bool *)field = false;
}

static void
take_out(void *field, const char *option, const char *value)
{
   struct options *options = (struct options *)((char *)field - offsetof(struct options, out));
   take_path(field, option, value);
   options->out_given = true;
}

static void
take_visible(void *field, const char *option, const char *value)
{
   *(const char **)field = "0";
}

/** A list of instruction sets of GPUs. */
static void
take_isas(void *field, const char *option, const char *value)
{
   static const char *const names[] = {
#define ISA_NAME(id, name, description) name,
      CM_ISAS(ISA_NAME)
#undef ISA_NAME
   };
   char *list = text("%s", value), *rest = list;
   for (const char *name; (name = strsep(&rest, ","));)
      options_name(option, name, names + CM_ISA_NIR + 1, CM_ISA_COUNT - 1);
   free(list);
   *(const char **)field = value;
}

static void
take_driver(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"tbrsim", "llvmpipe", "softpipe"};
   *(const char **)field = names[options_name(option, value, names, 3)];
}

const struct option_row live_option_rows[] = {
   OPTION("no-model", NULL, "render only: no memory hierarchy is simulated, no statistics written",
          take_no_model, struct options, model),
   OPTION("out", "DIR", "directory for stats.json and frames.csv (default: %s)", take_out, struct options,
          out),
   OPTION("thumbnails", NULL, "write a small picture of each render pass to OUT/thumbnails", take_flag,
          struct options, thumbnails),
   OPTION("record", "FILE.tbr", "also write a recording, for tbrsim sim and other commands (default: none)",
          take_output, struct options, record),
   OPTION("record-visible", NULL,
          "record only fragments that hidden surface removal keeps. The recording is\n"
          "smaller, but can be simulated only in the mode it was recorded in\n"
          "(default: all fragments; mode imr always records all)",
          take_visible, struct options, record_hidden),
   OPTION("record-isa", "ISA,...",
          "also record what Mesa's compilers for GPUs make of each shader, for\n"
          "configurations whose shader.isa names one: midgard, bifrost, valhall,\n"
          "v3d (default: none)",
          take_isas, struct options, record_isa),
   OPTION("driver", "NAME", "tbrsim, or llvmpipe or softpipe of the same Mesa (default: tbrsim)", take_driver,
          struct options, driver),
};

static void
take_table_format(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"csv", "parquet"};
   *(bool *)field = options_name(option, value, names, 2) == 1;
}

const struct option_row table_option_rows[] = {
   OPTION("format", "csv|parquet",
          "parquet: write the tables next to stats.json as Parquet, too, when the\n"
          "program has ended (default: csv)",
          take_table_format, struct options, parquet),
};
