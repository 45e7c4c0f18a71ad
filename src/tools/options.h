/* SPDX-License-Identifier: MIT */
/** The groups of options that several commands have, the values of options, and what commands that simulate live share:
 * their options, and the environment's part of them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "command_line.h"
#include "config/config.h"
#include "config/units.h"
#include "configurations.h"
#include "timing/timeline.h"
#include "util/frame_list.h"

/** The options of a command that simulates live. */
struct options {
   const char *driver;                   /**< "tbrsim", or another driver of our Mesa */
   struct configurations configurations; /**< as given */
   const char *config; /**< once finished: preset's name, or an absolute path; NULL: the default preset */
   char *settings;     /**< once finished: key=value lines, in order; NULL: none */
   bool model;         /**< false: render only */
   const char *record; /**< file for the recording; absolute once made; NULL: none */
   const char *record_hidden; /**< whether events have hidden fragments, 0 or 1; NULL: the default */
   const char *record_isa;    /**< instruction sets that are recorded, too: a list; NULL: none */
   bool call_numbers;         /**< replays: draws get the numbers of their calls */
   bool thumbnails;           /**< of passes, next to the statistics */
   bool parquet;              /**< tables as Parquet, too, when the program has ended */
   unsigned model_threads;    /**< that simulate; 0: the driver's choice */
   const char *out;           /**< directory for statistics; absolute once made; NULL: none */
   bool out_given;            /**< it is neither from the environment nor the default */
   const char *frames;        /**< a list (util/frame_list.h), checked; NULL: all */
   const char *selected;  /**< file of tbrsim select, whose frames are once finished in frames; NULL: none */
   const char *timeline;  /**< "A-B" or "A", frames of which there is a timeline; NULL: none */
   const char *run;       /**< what the run is called (results.h); NULL: nothing is written */
   struct cm_config *gpu; /**< the configuration they make together */
};

/** Starts from what the environment says (TBRSIM_CONFIG, TBRSIM_SET, TBRSIM_MODEL,
 * TBRSIM_OUT, TBRSIM_RECORD, TBRSIM_RECORD_HIDDEN, TBRSIM_RECORD_ISA, TBRSIM_CALL_MARKERS, TBRSIM_THUMBNAILS,
 * TBRSIM_TIMELINE, TBRSIM_MODEL_THREADS), so that commands work alike inside `eval "$(tbrsim env …)"`. */
void options_start(struct options *options);

/** Loads and validates the configuration, and makes out absolute. Exits
 * with a message if the configuration is wrong. */
void options_finish(struct options *options);

/** As options_finish, for commands that simulate while a program runs: exits if the
 * configuration needs next uses (the future). */
void options_finish_live(struct options *options);

/* ---- groups of options ------------------------------------------------------ */

/** Frames that --frames and --warm-up name; 0 initialises it. */
struct frame_selection {
   const char *frames; /**< "A-B" or "A", checked; NULL: all */
   unsigned warm_up;   /**< so many of them fill the caches first and are not counted */
};

/** Caches, as --unit (checked), --policy, --size, --stream, --ways, --block and --index name them: lists with commas,
 * not parsed yet; NULL: not given. */
struct cache_selection {
   const char *unit, *policies, *sizes, *streams, *ways, *block;
   enum cm_index index;
};

enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON };

extern const struct option_row config_option_rows[], frame_option_rows[], timeline_option_rows[],
   cache_option_rows[], format_option_rows[], json_option_rows[], directory_option_rows[], file_option_rows[],
   job_option_rows[], live_option_rows[], live_frame_option_rows[], table_option_rows[];

/* clang-format off */
#define OPTION_ROWS(rows, first, end, target, type, preset) \
   {(rows) + (first), (end) - (first), 1 ? (target) : (type *)NULL, (preset)}
/** --config, --set, --timing of struct configurations; --set and --timing; --vary; --attribute. Here and below, preset is what
 * --help says is the default. */
#define CONFIG_OPTIONS(all, preset) OPTION_ROWS(config_option_rows, 0, 4, all, struct configurations, preset)
#define SETTING_OPTIONS(all) OPTION_ROWS(config_option_rows, 1, 3, all, struct configurations, NULL)
#define VARY_OPTIONS(all) OPTION_ROWS(config_option_rows, 4, 5, all, struct configurations, NULL)
#define ATTRIBUTE_OPTIONS(all) OPTION_ROWS(config_option_rows, 5, 6, all, struct configurations, NULL)
/** --frames of a const char *; with --warm-up, of struct frame_selection. */
#define FRAME_OPTIONS(frames) OPTION_ROWS(frame_option_rows, 0, 1, frames, const char *, NULL)
#define FRAME_AND_WARM_UP_OPTIONS(frames, preset) \
   OPTION_ROWS(frame_option_rows, 0, 2, frames, struct frame_selection, preset)
/** --timeline of a const char *: frames, checked. */
#define TIMELINE_OPTIONS(timeline) OPTION_ROWS(timeline_option_rows, 0, 1, timeline, const char *, NULL)
/** --unit; --policy; --size; --stream; --ways, --block and --index; of struct cache_selection. */
#define UNIT_OPTIONS(caches, preset) OPTION_ROWS(cache_option_rows, 0, 2, caches, struct cache_selection, preset)
#define POLICY_OPTIONS(caches, preset) OPTION_ROWS(cache_option_rows, 2, 4, caches, struct cache_selection, preset)
#define SIZE_OPTIONS(caches, preset) OPTION_ROWS(cache_option_rows, 4, 5, caches, struct cache_selection, preset)
#define STREAM_OPTIONS(caches, preset) OPTION_ROWS(cache_option_rows, 5, 6, caches, struct cache_selection, preset)
#define SHAPE_OPTIONS(caches, preset) OPTION_ROWS(cache_option_rows, 6, 9, caches, struct cache_selection, preset)
/** --format table|csv|json with --csv and --json; these without --format; --json alone, of a bool, where there is no CSV. */
#define FORMAT_OPTIONS(format) OPTION_ROWS(format_option_rows, 0, 3, format, enum output_format, NULL)
#define CSV_JSON_OPTIONS(format) OPTION_ROWS(format_option_rows, 1, 3, format, enum output_format, NULL)
#define JSON_OPTIONS(json) OPTION_ROWS(json_option_rows, 0, 1, json, bool, NULL)
/** --out of a const char *: a directory, or a file (standard output). */
#define DIRECTORY_OPTIONS(out, preset) OPTION_ROWS(directory_option_rows, 0, 1, out, const char *, preset)
#define FILE_OPTIONS(out) OPTION_ROWS(file_option_rows, 0, 1, out, const char *, NULL)
/** --jobs of an unsigned. */
#define JOB_OPTIONS(jobs) OPTION_ROWS(job_option_rows, 0, 1, jobs, unsigned, NULL)
/** --model-threads of an unsigned. */
#define MODEL_THREAD_OPTIONS(threads) OPTION_ROWS(job_option_rows, 1, 2, threads, unsigned, NULL)
#define LIVE_THREAD_OPTIONS(live) MODEL_THREAD_OPTIONS(&(live)->model_threads)
/** Of commands that simulate live: --no-model, --out and --thumbnails; --record and --record-visible; --driver. */
#define LIVE_OPTIONS(live, preset) OPTION_ROWS(live_option_rows, 0, 3, live, struct options, preset)
#define RECORD_OPTIONS(live) OPTION_ROWS(live_option_rows, 3, 6, live, struct options, NULL)
/** --format csv|parquet of the tables next to the statistics. */
#define TABLE_OPTIONS(live) OPTION_ROWS(table_option_rows, 0, 1, live, struct options, NULL)
/** Of commands that simulate live: --frames, which may be several ranges, and --selected. */
#define LIVE_FRAME_OPTIONS(live) OPTION_ROWS(live_frame_option_rows, 0, 2, live, struct options, NULL)
#define DRIVER_OPTIONS(live) OPTION_ROWS(live_option_rows, 6, 7, live, struct options, NULL)
/* clang-format on */

/** Of an option or a variable: a whole number; else exits with a message, "expected" and what is. */
unsigned
options_number(const char *option, const char *value, unsigned least, unsigned most, const char *expected);
#define OPTIONS_MAX_THREADS 9999

/** Whether a configuration is a file, and no preset. */
bool options_is_config_file(const char *config);

/* ---- values of options --------------------------------------------------------- */

/** For rows: a const char * that is not looked at, one of a configuration (NAME|FILE.yaml[,KEY=VALUE]), a bool that
 * becomes true, bytes (uint32_t). */
void take_text(void *field, const char *option, const char *value);
void take_config_name(void *field, const char *option, const char *value);
void take_flag(void *field, const char *option, const char *value);
void take_bytes(void *field, const char *option, const char *value);
void take_index(void *field, const char *option, const char *value);

/** Frames first … last, counting from 0. */
struct frame_range {
   unsigned first, last;
};

/** Parses "A-B", "A..B" or "A"; exits if it is none. */
struct frame_range options_frames(const char *value);

/** A list of ranges; exits if it is none. To be freed with cm_frame_list_free. */
struct cm_frame_list options_frame_list(const char *value);

/** The same of --timeline; begin is 0. */
struct cm_timeline_frames options_timeline(const char *value);
/** Exits where a configuration of that name has no timing, so that there is no timeline. */
void options_check_timed(const char *timeline, const struct cm_config *config, const char *name);

/** Parses the value of an option: bytes, also as 64K, 1M, 1GiB (config/quantity.h); ways, or OPTIONS_FULL_WAYS where it is
 * "full"; one of some names, whose number is returned (config/names.h); a unit. Exit if it is none. */
#define OPTIONS_FULL_WAYS 0
uint32_t options_bytes(const char *option, const char *value);

/** A percentage from 0 to most, "2" or "2%". False: it is none. */
bool options_percent(const char *value, double most, double *percent);

/** A list with commas in which each range stands for its first number, twice that and so on up to its last: "1,256K..1M"
 * is "1,256K,512K,1M". Exits where the last one is not among them. To be freed. */
char *options_expand(const char *option, const char *list);
uint32_t options_ways(const char *option, const char *value);
unsigned options_name(const char *option, const char *value, const char *const *names, unsigned count);
enum cm_unit options_unit(const char *value);

/** Threads that can run at once. */
unsigned options_count_cores(void);

/** Opens the file that --out FILE names; NULL: standard output. Exits if it cannot be written to, as does
 * closing it where not all has been written. */
FILE *options_open_output(const char *path);
void options_close_output(FILE *file, const char *path);

/** Why a file of so many bytes cannot be written into a directory, "DIRECTORY: cannot be written to: …"; NULL: it can.
 * Makes the directory and its parents, and unless they are to be kept removes those again that were not there. */
char *options_directory_problem(const char *directory, long bytes, bool keep);

/** Checks that files can be written into a directory, which is made (parents too) or left as it was; exits if they
 * cannot. */
void options_check_directory(const char *directory, bool make);

#endif
