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

/** The options of a command that simulates live. */
struct options {
   const char *driver;                   /**< "tbrsim", or another driver of our Mesa */
   struct configurations configurations; /**< as given */
   const char *config;    /**< once finished: preset's name, or an absolute path; NULL: the default preset */
   char *settings;        /**< once finished: key=value lines, in order; NULL: none */
   bool model;            /**< false: render only */
   const char *record;    /**< file for the recording; absolute once made; NULL: none */
   bool record_hidden;    /**< the events tell of hidden fragments too */
   const char *out;       /**< directory for statistics; absolute once made; NULL: none */
   bool out_given;        /**< it is not from the environment, nor the default */
   const char *frames;    /**< "A-B"; NULL: all */
   const char *run;       /**< what the run is called (results.h); NULL: nothing is written */
   struct cm_config *gpu; /**< the configuration they make together */
};

/** Starts from what the environment says (TBRSIM_CONFIG, TBRSIM_SET, TBRSIM_MODEL,
 * TBRSIM_OUT, TBRSIM_RECORD, TBRSIM_RECORD_HIDDEN), so that commands work alike inside `eval "$(tbrsim env …)"`. */
void options_start(struct options *options);

/** Loads and validates the configuration, and makes out absolute. Ends the command
 * with a line where the configuration is wrong. */
void options_finish(struct options *options);

/** As options_finish, for commands that simulate while a program runs: ends the command where the
 * configuration has to know the future. */
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

/** --config, --set, --timing; preset: what --help says is the default configuration. */
struct option_group config_options(struct configurations *configurations, const char *preset);
/** --set and --timing alone. */
struct option_group setting_options(struct configurations *configurations);
/** --vary. */
struct option_group vary_options(struct configurations *configurations);
/** --frames; and with --warm-up, whose default is the text. */
struct option_group frame_options(const char **frames);
struct option_group frame_and_warm_up_options(struct frame_selection *selection, const char *warm_up);
/** --unit; --policy; --size; --stream; --ways, --block and --index. The text: what is said to be the default. */
struct option_group unit_options(struct cache_selection *caches, const char *preset);
struct option_group policy_options(struct cache_selection *caches, const char *preset);
struct option_group size_options(struct cache_selection *caches, const char *preset);
struct option_group stream_options(struct cache_selection *caches, const char *preset);
struct option_group shape_options(struct cache_selection *caches, const char *preset);
/** --format table|csv|json with --csv and --json; --json alone, where there is no CSV. */
struct option_group format_options(enum output_format *format);
struct option_group json_options(bool *json);
/** --out: a directory, or a file. */
struct option_group directory_options(const char **out, const char *preset);
struct option_group file_options(const char **out);
/** --jobs. */
struct option_group job_options(unsigned *jobs);
/** Of commands that simulate live: --no-model and --out; --record and --record-hidden; --driver. */
struct option_group live_options(struct options *options, const char *preset);
struct option_group record_options(struct options *options);
struct option_group driver_options(struct options *options);

/* ---- values of options --------------------------------------------------------- */

/** For rows: a const char * that is not looked at, one that is not empty, a bool that becomes true, bytes (uint32_t). */
void take_text(void *field, const char *option, const char *value);
void take_path(void *field, const char *option, const char *value);
void take_flag(void *field, const char *option, const char *value);
void take_bytes(void *field, const char *option, const char *value);
void take_index(void *field, const char *option, const char *value);

/** Frames first … last, counting from 0. */
struct frame_range {
   unsigned first, last;
};

/** Parses "A-B" or "A"; ends the command where it is neither. */
struct frame_range options_frames(const char *value);

/** Parses the value of an option: bytes, also as 64K, 1M, 1GiB (of 1024); one of some names, whose number is
 * returned; a unit. End the command where it is none. */
uint32_t options_bytes(const char *option, const char *value);
unsigned options_name(const char *option, const char *value, const char *const *names, unsigned count);
enum cm_unit options_unit(const char *value);

/** Names of enum cm_index. */
extern const char *const options_index_names[2];

/** Threads that can run at once. */
unsigned options_count_cores(void);

/** Opens the file that --out FILE names; NULL: standard output. Ends the command where it cannot be written to, as does
 * closing it where not all has been written. */
FILE *options_open_output(const char *path);
void options_close_output(FILE *file, const char *path);

/** Creates a directory (parents too) and sees to it that files can be written
 * there; ends the command where they cannot. */
void options_make_directory(const char *directory);

/** The same, but leaves nothing: a directory that was not there is not there afterwards. */
void options_check_directory(const char *directory);

#endif
