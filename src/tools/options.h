/* SPDX-License-Identifier: MIT */
/** The options that all commands have in common, and the environment's part of them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/units.h"

struct cm_config;

struct options {
   const char *driver;    /**< "tbrsim", or another driver of our Mesa */
   const char *config;    /**< preset's name, or an absolute path; NULL: the default preset */
   char *settings;        /**< key=value lines, in order; NULL: none */
   bool model;            /**< false: render only */
   const char *record;    /**< file for the recording; absolute once made; NULL: none */
   bool record_hidden;    /**< the events tell of hidden fragments too */
   const char *out;       /**< directory for statistics; absolute once made; NULL: none */
   bool out_given;        /**< it is not from the environment, nor the default */
   const char *run;       /**< what the run is called (results.h); NULL: nothing is written */
   struct cm_config *gpu; /**< the configuration they make together */
};

/** Values of the common long options, for the commands' switches. */
enum {
   OPTION_CONFIG = 0x100,
   OPTION_SET,
   OPTION_NO_MODEL,
   OPTION_TIMING,
   OPTION_OUT,
   OPTION_HELP,
   OPTION_DRIVER, /**< only where a command lists it */
   OPTION_RECORD, /**< likewise */
   OPTION_RECORD_HIDDEN,
   OPTION_UNIT,    /**< likewise; --point is an older name of it */
   OPTION_POLICY,  /**< likewise; also --policies */
   OPTION_FORMAT,  /**< likewise */
   OPTION_JSON,    /**< likewise: --format json */
   OPTION_CSV,     /**< likewise: --format csv */
   OPTION_WARM_UP, /**< likewise */
   OPTION_OPERAND, /**< a word that is no option */
   OPTION_COMMAND, /**< the first of a command's own */
};

/* clang-format off */
#define COMMON_LONG_OPTIONS                              \
   { "config", required_argument, NULL, OPTION_CONFIG }, \
   { "set", required_argument, NULL, OPTION_SET },       \
   { "no-model", no_argument, NULL, OPTION_NO_MODEL },   \
   { "timing", required_argument, NULL, OPTION_TIMING }, \
   { "out", required_argument, NULL, OPTION_OUT },       \
   { "help", no_argument, NULL, OPTION_HELP }

#define RECORD_LONG_OPTIONS                                 \
   { "record", required_argument, NULL, OPTION_RECORD },    \
   { "record-hidden", no_argument, NULL, OPTION_RECORD_HIDDEN }
#define UNIT_LONG_OPTIONS                              \
   { "unit", required_argument, NULL, OPTION_UNIT },   \
   { "point", required_argument, NULL, OPTION_UNIT }
#define FORMAT_LONG_OPTIONS                              \
   { "format", required_argument, NULL, OPTION_FORMAT }, \
   { "json", no_argument, NULL, OPTION_JSON },           \
   { "csv", no_argument, NULL, OPTION_CSV }
#define POLICY_LONG_OPTIONS                               \
   { "policy", required_argument, NULL, OPTION_POLICY },  \
   { "policies", required_argument, NULL, OPTION_POLICY }
/* clang-format on */

#define COMMON_OPTIONS_HELP                                                            \
   "  --config NAME|FILE.yaml  the simulated GPU (tbrsim configs lists the presets)\n" \
   "  --set KEY=VALUE          change one value of it (l2.size=2M); may be repeated\n" \
   "  --no-model               render only, simulate no memory hierarchy\n"            \
   "  --timing on|off          simulate cycles, too: --set timing=on\n"                \
   "  --out DIR                where stats.json and frames.csv go"

#define DRIVER_OPTION_HELP \
   "  --driver NAME            tbrsim, or llvmpipe or softpipe of the same Mesa, to compare\n"

#define RECORD_OPTION_HELP                                                                \
   "  --record FILE.tbr        record the events, for tbrsim sim, info and export\n"      \
   "  --record-hidden          with the fragments that mode tbdr would not shade: both\n" \
   "                           modes can be simulated from the file; rendering is slower\n"

/** Starts from what the environment says (TBRSIM_CONFIG, TBRSIM_SET, TBRSIM_MODEL,
 * TBRSIM_OUT, TBRSIM_RECORD, TBRSIM_RECORD_HIDDEN), so that commands work alike inside `eval "$(tbrsim env …)"`. */
void options_start(struct options *options);

/** The words of a command line that are no options: files. */
struct operands {
   char **list;
   unsigned count;
};

/** Next option of a command line, which may stand before and behind files; behind "--" all words are files. -h is
 * --help, and -o is --out of a command that has it.
 * OPTION_OPERAND where it is a file, which is added to operands; -1 at the end. A wrong option ends the command. */
int options_get(struct operands *operands, int argc, char **argv, const struct option *long_options);

/** The only file; what: "recording". Ends the command where there is none or more than one. */
const char *operands_single(const struct operands *operands, const char *what, const char *usage);

/** As options_get, but that common options are taken care of. help is printed for --help. */
int options_next_anywhere(struct options *options, struct operands *operands, int argc, char **argv,
                          const struct option *long_options, const char *help);

/** The same for a command whose first word is a program with options of its own, where the command's end;
 * it is argv[optind]. */
int options_next(struct options *options, int argc, char **argv, const struct option *long_options,
                 const char *help);

/** Loads and validates the configuration, and makes out absolute. Ends the command
 * with a line where the configuration is wrong. */
void options_finish(struct options *options);

/** As options_finish, for commands that simulate while a program runs: ends the command where the
 * configuration has to know the future. */
void options_finish_live(struct options *options);

/** Frames first … last, counting from 0. */
struct frame_range {
   unsigned first, last;
};

/** Parses "A-B" or "A"; ends the command where it is neither. */
struct frame_range options_frames(const char *value);

/** Parses the value of an option: bytes, also as 64K, 1M, 1GiB (of 1024); one of some names, whose number is
 * returned; a unit; a number of threads. End the command where it is none. */
uint32_t options_bytes(const char *option, const char *value);
unsigned options_name(const char *option, const char *value, const char *const *names, unsigned count);
enum cm_unit options_unit(const char *value);
unsigned options_jobs(const char *value);
/** Of --format, --json and --csv (the option's number): how results are printed. */
enum output_format { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON } options_format(int option, const char *value);
/** Of --warm-up: how many frames fill the caches first and are not counted. check: whether so many leave a frame. */
unsigned options_warm_up(const char *value);
void options_check_warm_up(unsigned warm_up, const char *file, unsigned frames);
/** Of --timing: the setting that it is short for. */
const char *options_timing(const char *value);

/** Names of enum cm_index. */
extern const char *const options_index_names[2];

/** Threads that can run at once. */
unsigned options_count_cores(void);

/** Creates a directory (parents too) and sees to it that files can be written
 * there; ends the command where they cannot. */
void options_make_directory(const char *directory);

/** The same, but leaves nothing: a directory that was not there is not there afterwards. */
void options_check_directory(const char *directory);

#endif
