/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/quantity.h"
#include "environment.h"
#include "gpu/gpu_config.h"
#include "memory/future.h"
#include "tools.h"

static const char *
value_of(const char *variable)
{
   const char *value = getenv(variable);
   return value && *value ? value : NULL;
}

static void
add_setting(struct options *options, const char *assignment)
{
   options->settings =
      options->settings ? text("%s\n%s", options->settings, assignment) : text("%s", assignment);
}

void
options_start(struct options *options)
{
   const char *settings = value_of("TBRSIM_SET");
   const char *model = value_of("TBRSIM_MODEL");
   const char *hidden = value_of("TBRSIM_RECORD_HIDDEN");
   *options = (struct options){
      .driver = "tbrsim",
      .config = value_of("TBRSIM_CONFIG"),
      .model = !model || strcmp(model, "0"),
      .out = value_of("TBRSIM_OUT"),
      .record = value_of("TBRSIM_RECORD"),
      .record_hidden = hidden && strcmp(hidden, "0"),
   };
   if (settings)
      add_setting(options, settings);
}

static const char *
parse_driver(const char *value)
{
   static const char *const drivers[] = {"tbrsim", "llvmpipe", "softpipe"};
   for (unsigned d = 0; d < sizeof(drivers) / sizeof(drivers[0]); d++) {
      if (!strcmp(value, drivers[d]))
         return drivers[d];
   }
   fail(STATUS_USAGE, "--driver %s: expected tbrsim, llvmpipe or softpipe", value);
}

/* Ends the command where getopt_long found no option. */
static int
check_option(int option, char **argv)
{
   if (option == ':')
      fail(STATUS_USAGE, "%s needs a value; see tbrsim %s --help", argv[optind - 1], argv[0]);
   if (option == '?')
      fail(STATUS_USAGE, "unknown option '%s'; see tbrsim %s --help", argv[optind - 1], argv[0]);
   return option;
}

static void
add_operand(struct operands *operands, int argc, char *word)
{
   if (!operands->list)
      operands->list = allocate((unsigned)argc * sizeof(*operands->list));
   operands->list[operands->count++] = word;
}

static bool
has_option(const struct option *long_options, int option)
{
   while (long_options->name && long_options->val != option)
      long_options++;
   return long_options->name;
}

int
options_get(struct operands *operands, int argc, char **argv, const struct option *long_options)
{
   opterr = 0;
   /* '-': a word that is no option comes as option 1. */
   const char *short_options = has_option(long_options, OPTION_OUT) ? "-:ho:" : "-:h";
   const int option = check_option(getopt_long(argc, argv, short_options, long_options, NULL), argv);
   switch (option) {
   case 'h': return OPTION_HELP;
   case 'o': return OPTION_OUT;
   case 1: add_operand(operands, argc, optarg); return OPTION_OPERAND;
   case -1:
      while (optind < argc)
         add_operand(operands, argc, argv[optind++]);
      return -1;
   default: return option;
   }
}

const char *
operands_single(const struct operands *operands, const char *what, const char *usage)
{
   if (operands->count != 1)
      fail(STATUS_USAGE, "%s %s; usage: %s", operands->count ? "more than one" : "no", what, usage);
   return operands->list[0];
}

/* Takes care of an option that all commands have; false: it is another one. */
static bool
take_common(struct options *options, int option, const char *help)
{
   switch (option) {
   case OPTION_CONFIG: options->config = optarg; break;
   case OPTION_SET: add_setting(options, optarg); break;
   case OPTION_TIMING: add_setting(options, options_timing(optarg)); break;
   case OPTION_NO_MODEL: options->model = false; break;
   case OPTION_OUT:
      if (!*optarg)
         fail(STATUS_USAGE, "--out: the name is empty");
      options->out = optarg;
      options->out_given = true;
      break;
   case OPTION_RECORD:
      if (!*optarg)
         fail(STATUS_USAGE, "--record: the name is empty");
      options->record = optarg;
      break;
   case OPTION_RECORD_HIDDEN: options->record_hidden = true; break;
   case OPTION_DRIVER: options->driver = parse_driver(optarg); break;
   case 'h':
   case OPTION_HELP: puts(help); exit(STATUS_OK);
   case OPTION_OPERAND: break;
   default: return false;
   }
   return true;
}

int
options_next(struct options *options, int argc, char **argv, const struct option *long_options,
             const char *help)
{
   int option;
   opterr = 0;
   /* '+': options end at the first other word. */
   do {
      option = check_option(getopt_long(argc, argv, "+:h", long_options, NULL), argv);
   } while (take_common(options, option, help));
   return option;
}

int
options_next_anywhere(struct options *options, struct operands *operands, int argc, char **argv,
                      const struct option *long_options, const char *help)
{
   int option;
   do {
      option = options_get(operands, argc, argv, long_options);
   } while (take_common(options, option, help));
   return option;
}

/* The path with the working directory before it, whether it exists or not. */
static char *
make_absolute(const char *path)
{
   if (path[0] == '/')
      return text("%s", path);
   char *directory = getcwd(NULL, 0);
   if (!directory)
      fail(STATUS_FAILED, "the working directory: %s", strerror(errno));
   char *absolute = text("%s/%s", directory, path);
   free(directory);
   return absolute;
}

static bool
is_file_name(const char *config)
{
   size_t length = strlen(config);
   return strchr(config, '/') || (length > 5 && !strcmp(config + length - 5, ".yaml"));
}

void
options_finish(struct options *options)
{
   char error[512];
   const char *presets = presets_directory();

   options->gpu = cm_config_load(options->config, presets, error, sizeof(error));
   if (!options->gpu)
      fail(STATUS_USAGE, "%s", error);
   if (options->settings) {
      char *settings = text("%s", options->settings);
      char *rest = settings;
      for (char *assignment; (assignment = strsep(&rest, "\n"));) {
         if (*assignment && !cm_config_set(options->gpu, assignment, error, sizeof(error)))
            fail(STATUS_USAGE, "%s", error);
      }
      free(settings);
   }
   if (!cm_config_validate(options->gpu, error, sizeof(error)))
      fail(STATUS_USAGE, "%s", error);

   /* The program may change its directory before it reads or writes them. */
   if (options->config && is_file_name(options->config))
      options->config = make_absolute(options->config);
   if (options->out)
      options->out = make_absolute(options->out);
   if (options->record)
      options->record = make_absolute(options->record);
}

void
options_finish_live(struct options *options)
{
   char error[512];
   options_finish(options);
   if (options->model && !cm_config_needs_no_future(options->gpu, error, sizeof(error)))
      fail(STATUS_USAGE, "%s", error);
}

struct frame_range
options_frames(const char *value)
{
   struct frame_range range;
   int end = 0;
   if (sscanf(value, "%9u%n-%9u%n", &range.first, &end, &range.last, &end) == 1)
      range.last = range.first;
   if (!end || value[end] || range.last < range.first)
      fail(STATUS_USAGE, "--frames %s: expected A-B with A <= B, frames counting from 0", value);
   return range;
}

uint32_t
options_bytes(const char *option, const char *value)
{
   uint32_t bytes;
   if (!cm_quantity_parse(CM_QUANTITY_BYTES, value, &bytes))
      fail(STATUS_USAGE, "%s %s: expected a number up to 4294967295, or as in 64K, 1M, 2GiB", option, value);
   return bytes;
}

unsigned
options_name(const char *option, const char *value, const char *const *names, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (!strcmp(value, names[i]))
         return i;
   }
   char *expected = text("%s", names[0]);
   for (unsigned i = 1; i < count; i++) {
      char *longer = text("%s, %s", expected, names[i]);
      free(expected);
      expected = longer;
   }
   fail(STATUS_USAGE, "%s %s: expected one of: %s", option, value, expected);
}

enum cm_unit
options_unit(const char *value)
{
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      if (!strcmp(value, cm_unit_names[unit]))
         return (enum cm_unit)unit;
   }
   fail(STATUS_USAGE, "--unit %s: expected a cache of the configuration or dram; tbrsim counters lists them",
        value);
}

unsigned
options_jobs(const char *value)
{
   unsigned jobs;
   int end = 0;
   if (sscanf(value, "%4u%n", &jobs, &end) != 1 || value[end] || !jobs)
      fail(STATUS_USAGE, "--jobs %s: expected a number of threads", value);
   return jobs;
}

enum output_format
options_format(int option, const char *value)
{
   static const char *const names[] = {
      [OUTPUT_TABLE] = "table", [OUTPUT_CSV] = "csv", [OUTPUT_JSON] = "json"};
   if (option == OPTION_FORMAT)
      return (enum output_format)options_name("--format", value, names, 3);
   return option == OPTION_CSV ? OUTPUT_CSV : OUTPUT_JSON;
}

unsigned
options_warm_up(const char *value)
{
   unsigned frames;
   int end = 0;
   if (*value < '0' || *value > '9' || sscanf(value, "%9u%n", &frames, &end) != 1 || value[end])
      fail(STATUS_USAGE, "--warm-up %s: expected a number of frames", value);
   return frames;
}

void
options_check_warm_up(unsigned warm_up, const char *file, unsigned frames)
{
   if (warm_up >= frames)
      fail(STATUS_USAGE, "%s: --warm-up %u leaves no frame of %u to count", file, warm_up, frames);
}

const char *
options_timing(const char *value)
{
   static const char *const names[] = {"off", "on"};
   return options_name("--timing", value, names, 2) ? "timing=on" : "timing=off";
}

const char *const options_index_names[2] = {[CM_INDEX_MODULO] = "modulo", [CM_INDEX_XOR] = "xor"};

unsigned
options_count_cores(void)
{
   cpu_set_t set;
   return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Makes those of its levels that are not there; returns where the first of them ends, the path's length + 1 if
 * none was made. */
static size_t
make_directories(const char *directory)
{
   char *path = text("%s", directory);
   size_t length = strlen(path), first = length + 1;
   for (size_t end = 1; end <= length; end++) {
      if (path[end] && path[end] != '/')
         continue;
      char after = path[end];
      path[end] = 0;
      if (!mkdir(path, 0777))
         first = first < end ? first : end;
      else if (errno != EEXIST)
         fail(STATUS_FAILED, "%s: cannot be created: %s", path, strerror(errno));
      path[end] = after;
   }
   free(path);
   return first;
}

/* Writes a block into a file; 0, or the error number. */
static int
try_write(int file)
{
   static const char block[4096];
   ssize_t written = write(file, block, sizeof(block));
   if (written < 0)
      return errno;
   return written == sizeof(block) ? 0 : ENOSPC;
}

/* Writes a file there and removes it; 0, or the error number. */
static int
try_directory(const char *directory)
{
   char *probe = text("%s/.tbrsim-XXXXXX", directory);
   int file = mkostemp(probe, O_CLOEXEC);
   if (file < 0) {
      int error = errno;
      free(probe);
      return error;
   }
   /* A full disk shows itself only when something is written. */
   int error = try_write(file);
   if (close(file) && !error)
      error = errno;
   unlink(probe);
   free(probe);
   return error;
}

void
options_make_directory(const char *directory)
{
   make_directories(directory);
   int error = try_directory(directory);
   if (error)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", directory, strerror(error));
}

void
options_check_directory(const char *directory)
{
   size_t first = make_directories(directory);
   int error = try_directory(directory);
   char *path = text("%s", directory);
   for (size_t end = strlen(path); end >= first; end--) {
      if (directory[end] && directory[end] != '/')
         continue;
      path[end] = 0;
      rmdir(path); /* another process may be using it already */
   }
   free(path);
   if (error)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", directory, strerror(error));
}
