/* SPDX-License-Identifier: MIT */
/* The rows of the options that several commands have. */
#include <assert.h>
#include <stdio.h>

#include "options.h"
#include "tools.h"

#define GROUP(rows, first, end, target, preset)             \
   (struct option_group)                                    \
   {                                                        \
      (rows) + (first), (end) - (first), (target), (preset) \
   }
#define WHOLE_GROUP(rows, target, preset) GROUP(rows, 0, sizeof(rows) / sizeof((rows)[0]), target, preset)

/* ---- values ----------------------------------------------------------------- */

void
take_text(void *field, const char *option, const char *value)
{
   (void)option;
   *(const char **)field = value;
}

void
take_path(void *field, const char *option, const char *value)
{
   if (!*value)
      fail(STATUS_USAGE, "%s: the name is empty", option);
   *(const char **)field = value;
}

void
take_flag(void *field, const char *option, const char *value)
{
   (void)option, (void)value;
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
   *(enum cm_index *)field = (enum cm_index)options_name(option, value, options_index_names, 2);
}

/* ---- configurations --------------------------------------------------------- */

static void
take_config(void *field, const char *option, const char *value)
{
   (void)option;
   configurations_add(field, value);
}

static void
take_setting(void *field, const char *option, const char *value)
{
   (void)option;
   configurations_set(field, value);
}

static void
take_timing(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"off", "on"};
   configurations_set(field, options_name(option, value, names, 2) ? "timing=on" : "timing=off");
}

static void
take_variation(void *field, const char *option, const char *value)
{
   (void)option;
   configurations_vary(field, value);
}

static void
take_operand(void *field, const char *option, const char *value)
{
   (void)option, (void)value;
   configurations_all(field);
}

static const struct option_row config_rows[] = {
   OPTION_REPEATED("config", "NAME|FILE.yaml[,KEY=VALUE]",
                   "the simulated GPU: a preset (tbrsim configs lists them) or a file, and\n"
                   "changes of it (default: %s)",
                   take_config),
   OPTION_REPEATED("set", "KEY=VALUE", "change a value of the configuration (l2.size=2M); may be repeated",
                   take_setting),
   OPTION_REPEATED("timing", "on|off",
                   "simulate cycles and energy, too: --set timing=on (default: the\n"
                   "configuration's)",
                   take_timing),
   OPTION_ALONE(NULL, NULL, NULL, take_operand),
   OPTION_REPEATED("vary", "KEY=VALUE[,VALUE]",
                   "each configuration with each of the values; may be repeated, for all\n"
                   "combinations",
                   take_variation),
};

struct option_group
config_options(struct configurations *configurations, const char *preset)
{
   return GROUP(config_rows, 0, 4, configurations, preset);
}

struct option_group
setting_options(struct configurations *configurations)
{
   return GROUP(config_rows, 1, 3, configurations, NULL);
}

struct option_group
vary_options(struct configurations *configurations)
{
   return GROUP(config_rows, 4, 5, configurations, NULL);
}

/* ---- frames ------------------------------------------------------------------ */

static void
take_frames(void *field, const char *option, const char *value)
{
   const struct frame_range range = options_frames(value);
   (void)option;
   *(const char **)field = text("%u-%u", range.first, range.last);
}

static void
take_warm_up(void *field, const char *option, const char *value)
{
   int end = 0;
   if (*value < '0' || *value > '9' || sscanf(value, "%9u%n", (unsigned *)field, &end) != 1 || value[end])
      fail(STATUS_USAGE, "%s %s: expected a number of frames", option, value);
}

static const struct option_row frame_rows[] = {
   OPTION("frames", "A-B|A", "only frames A to B, or A alone; the first is 0 (default: all)", take_frames,
          struct frame_selection, frames),
   OPTION("warm-up", "N",
          "the first N of these frames fill the caches and are not counted\n"
          "(default: %s)",
          take_warm_up, struct frame_selection, warm_up),
};

static_assert(offsetof(struct frame_selection, frames) == 0, "--frames alone takes a const char *");

struct option_group
frame_options(const char **frames)
{
   return GROUP(frame_rows, 0, 1, frames, NULL);
}

struct option_group
frame_and_warm_up_options(struct frame_selection *selection, const char *warm_up)
{
   return GROUP(frame_rows, 0, 2, selection, warm_up);
}

/* ---- caches ------------------------------------------------------------------- */

static void
take_unit(void *field, const char *option, const char *value)
{
   (void)option;
   options_unit(value);
   *(const char **)field = value;
}

static const struct option_row cache_rows[] = {
   OPTION("unit", "UNIT",
          "accesses that arrive at a cache, all its instances together, or at dram\n"
          "(also --point; default: %s)",
          take_unit, struct cache_selection, unit),
   OPTION("point", "UNIT", NULL, take_unit, struct cache_selection, unit),
   OPTION("policy", "NAME[,NAME]", "replacement policies (also --policies; default: %s)", take_text,
          struct cache_selection, policies),
   OPTION("policies", "NAME[,NAME]", NULL, take_text, struct cache_selection, policies),
   OPTION("size", "BYTES[,BYTES]", "sizes of the cache: 8192, 64K, 1M (of 1024; default: %s)", take_text,
          struct cache_selection, sizes),
   OPTION("stream", "NAME[,NAME]", "only accesses of these streams (default: %s)", take_text,
          struct cache_selection, streams),
   OPTION("ways", "N[,N]", "associativities: 1 to 262144, or full (default: %s)", take_text,
          struct cache_selection, ways),
   OPTION("block", "BYTES", "block size: a power of two from 16 to 4096 (default: the unit's, else 64)",
          take_text, struct cache_selection, block),
   OPTION("index", "modulo|xor", "how a block's number gives its set (default: modulo)", take_index,
          struct cache_selection, index),
};

struct option_group
unit_options(struct cache_selection *caches, const char *preset)
{
   return GROUP(cache_rows, 0, 2, caches, preset);
}

struct option_group
policy_options(struct cache_selection *caches, const char *preset)
{
   return GROUP(cache_rows, 2, 4, caches, preset);
}

struct option_group
size_options(struct cache_selection *caches, const char *preset)
{
   return GROUP(cache_rows, 4, 5, caches, preset);
}

struct option_group
stream_options(struct cache_selection *caches, const char *preset)
{
   return GROUP(cache_rows, 5, 6, caches, preset);
}

struct option_group
shape_options(struct cache_selection *caches, const char *preset)
{
   return GROUP(cache_rows, 6, 9, caches, preset);
}

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
   (void)option, (void)value;
   *(enum output_format *)field = OUTPUT_CSV;
}

static void
take_json(void *field, const char *option, const char *value)
{
   (void)option, (void)value;
   *(enum output_format *)field = OUTPUT_JSON;
}

struct option_group
format_options(enum output_format *format)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("format", "table|csv|json", "what is printed (default: table)", take_format),
      OPTION_ALONE("csv", NULL, "print CSV", take_csv),
      OPTION_ALONE("json", NULL, "print JSON", take_json),
   };
   return WHOLE_GROUP(rows, format, NULL);
}

struct option_group
json_options(bool *json)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("json", NULL, "print JSON", take_flag),
   };
   return WHOLE_GROUP(rows, json, NULL);
}

struct option_group
directory_options(const char **out, const char *preset)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("out", "DIR", "directory for results (default: %s)", take_path),
   };
   return WHOLE_GROUP(rows, out, preset);
}

struct option_group
file_options(const char **out)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("out", "FILE", "file for results (default: standard output)", take_path),
   };
   return WHOLE_GROUP(rows, out, NULL);
}

/* ---- threads -------------------------------------------------------------------- */

static void
take_jobs(void *field, const char *option, const char *value)
{
   unsigned *jobs = field;
   int end = 0;
   if (sscanf(value, "%4u%n", jobs, &end) != 1 || value[end] || !*jobs)
      fail(STATUS_USAGE, "%s %s: expected a number of threads", option, value);
}

struct option_group
job_options(unsigned *jobs)
{
   static const struct option_row rows[] = {
      OPTION_ALONE("jobs", "N", "threads (default: one a core)", take_jobs),
   };
   return WHOLE_GROUP(rows, jobs, NULL);
}

/* ---- commands that simulate live --------------------------------------------------- */

static void
take_no_model(void *field, const char *option, const char *value)
{
   (void)option, (void)value;
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
take_driver(void *field, const char *option, const char *value)
{
   static const char *const names[] = {"tbrsim", "llvmpipe", "softpipe"};
   *(const char **)field = names[options_name(option, value, names, 3)];
}

static const struct option_row live_rows[] = {
   OPTION("no-model", NULL, "render only, simulate no memory hierarchy: no statistics", take_no_model,
          struct options, model),
   OPTION("out", "DIR", "directory for stats.json and frames.csv (default: %s)", take_out, struct options,
          out),
   OPTION("record", "FILE.tbr", "record the events, for tbrsim sim and other commands (default: none)",
          take_path, struct options, record),
   OPTION("record-hidden", NULL,
          "with the fragments that mode tbdr would not shade: every mode can be\n"
          "simulated from the recording; rendering is slower",
          take_flag, struct options, record_hidden),
   OPTION("driver", "NAME", "tbrsim, or llvmpipe or softpipe of the same Mesa (default: tbrsim)", take_driver,
          struct options, driver),
};

struct option_group
live_options(struct options *options, const char *preset)
{
   return GROUP(live_rows, 0, 2, options, preset);
}

struct option_group
record_options(struct options *options)
{
   return GROUP(live_rows, 2, 4, options, NULL);
}

struct option_group
driver_options(struct options *options)
{
   return GROUP(live_rows, 4, 5, options, NULL);
}
