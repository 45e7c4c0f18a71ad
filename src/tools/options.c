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

#include "config/names.h"
#include "config/quantity.h"
#include "process/environment.h"
#include "gpu/gpu_config.h"
#include "gpu/timeline_writer.h"
#include "memory/future.h"
#include "input/selection_file.h"
#include "tools.h"
#include "util/near.h"

static const char *
value_of(const char *variable)
{
   const char *value = getenv(variable);
   return value && *value ? value : NULL;
}

unsigned
options_number(const char *option, const char *value, unsigned least, unsigned most, const char *expected)
{
   char *end;
   errno = 0;
   const unsigned long number = strtoul(value, &end, 10);
   if (*value < '0' || *value > '9' || *end || errno || number < least || number > most)
      fail(STATUS_USAGE, "%s %s: expected %s", option, value, expected);
   return (unsigned)number;
}

void
options_start(struct options *options)
{
   const char *settings = value_of("TBRSIM_SET");
   const char *model = value_of("TBRSIM_MODEL");
   const char *calls = value_of("TBRSIM_CALL_MARKERS");
   const char *thumbnails = value_of("TBRSIM_THUMBNAILS");
   const char *threads = value_of("TBRSIM_MODEL_THREADS");
   *options = (struct options){
      .driver = "tbrsim",
      .configurations = {.single = true, .preset = value_of("TBRSIM_CONFIG")},
      .model = !model || strcmp(model, "0"),
      .out = value_of("TBRSIM_OUT"),
      .record = value_of("TBRSIM_RECORD"),
      .record_hidden = value_of("TBRSIM_RECORD_HIDDEN"),
      .record_isa = value_of("TBRSIM_RECORD_ISA"),
      .timeline = value_of("TBRSIM_TIMELINE"),
      .call_numbers = calls && strcmp(calls, "0"),
      .thumbnails = thumbnails && strcmp(thumbnails, "0"),
      .model_threads = threads ? options_number("TBRSIM_MODEL_THREADS", threads, 1, OPTIONS_MAX_THREADS,
                                                "a number of threads")
                               : 0,
   };
   char *lines = settings ? text("%s", settings) : NULL, *rest = lines;
   for (char *line; rest && (line = strsep(&rest, "\n"));) {
      if (*line)
         configurations_set(&options->configurations, line);
   }
   free(lines);
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

bool
options_is_config_file(const char *config)
{
   size_t length = strlen(config);
   return strchr(config, '/') || (length > 5 && !strcmp(config + length - 5, ".yaml"));
}

void
options_finish(struct options *options)
{
   configurations_finish(&options->configurations, NULL);
   const struct configuration *configuration = &options->configurations.list[0];
   options->gpu = configuration->config;
   options->config = configuration->preset;
   for (unsigned s = 0; s < configuration->num_settings; s++) {
      const char *setting = configuration->settings[s];
      options->settings = s ? text("%s\n%s", options->settings, setting) : text("%s", setting);
   }
   /* The program may change its directory before it reads or writes them. */
   if (options->config && options_is_config_file(options->config))
      options->config = make_absolute(options->config);
   if (options->out)
      options->out = make_absolute(options->out);
   if (options->record)
      options->record = make_absolute(options->record);
}

struct cm_timeline_frames
options_timeline(const char *value)
{
   struct cm_timeline_frames frames;
   if (!cm_timeline_frames_parse(value, &frames))
      fail(STATUS_USAGE, "--timeline %s: expected A-B with A <= B, or A, frames counting from 0", value);
   return frames;
}

void
options_check_timed(const char *timeline, const struct cm_config *config, const char *name)
{
   if (config->timing != CM_TIMING_ON)
      fail(STATUS_USAGE, "--timeline %s: %s has no timing, expected --timing on", timeline, name);
}

/* Its frames are simulated, with time, and there is a place for it. */
static void
check_timeline(const struct options *options)
{
   const struct cm_timeline_frames frames = options_timeline(options->timeline);
   struct cm_frame_list list = options_frame_list(options->frames ? options->frames : "0-");
   const struct cm_frame_range range = list.ranges[0];
   const bool apart = list.count > 1;
   cm_frame_list_free(&list);
   options_check_timed(options->timeline, options->gpu, options->configurations.list[0].name);
   if (!options->model || strcmp(options->driver, "tbrsim") || !options->out)
      fail(STATUS_USAGE, "--timeline %s: there are no statistics for it to be next to, expected %s",
           options->timeline,
           !options->model ? "no --no-model"
           : options->out  ? "--driver tbrsim"
                           : "--out DIR");
   if (apart)
      fail(STATUS_USAGE, "--timeline %s: expected simulated frames that follow one another, not %s",
           options->timeline, options->frames);
   if (frames.first < range.first || frames.last > range.last)
      fail(STATUS_USAGE, "--timeline %s: expected frames that are simulated, of %s", options->timeline,
           options->frames);
}

void
options_finish_live(struct options *options)
{
   char error[512];
   options_finish(options);
   if (options->selected && options->frames)
      fail(STATUS_USAGE, "--selected: which frames are simulated is in %s; not with --frames",
           options->selected);
   if (options->selected) {
      const struct selection selection = selection_read(options->selected);
      options->frames = selection_frames(&selection, selection_largest_cache(options->gpu), NULL);
   }
   if (options->timeline)
      check_timeline(options);
   if (options->model && !cm_config_needs_no_future(options->gpu, error, sizeof(error)))
      fail(STATUS_USAGE, "%s", error);
   if (options->record_hidden && !strcmp(options->record_hidden, "0") && !options->record)
      fail(STATUS_USAGE, "--record-visible: nothing is recorded, expected --record FILE.tbr, too");
   if (options->record_isa && !options->record)
      fail(STATUS_USAGE, "--record-isa: nothing is recorded, expected --record FILE.tbr, too");
   if (options->configurations.counts && !options->model && !options->record)
      fail(STATUS_USAGE,
           "%s: nothing is counted with --no-model, nor recorded; expected --record FILE.tbr, too",
           options->configurations.counts);
   if (options->thumbnails && !options->model)
      fail(STATUS_USAGE,
           "--thumbnails: they are with the statistics, which there are none of with --no-model");
}

struct cm_frame_list
options_frame_list(const char *value)
{
   struct cm_frame_list list;
   if (!cm_frame_list_parse(value, &list))
      fail(STATUS_USAGE,
           "--frames %s: expected A-B with A <= B or A, frames counting from 0, or several, ascending, with "
           "commas",
           value);
   return list;
}

struct frame_range
options_frames(const char *value)
{
   struct cm_frame_list list;
   const bool ok = cm_frame_list_parse(value, &list);
   if (!ok || list.count > 1 || list.ranges[0].last == UINT32_MAX)
      fail(STATUS_USAGE, "--frames %s: expected A-B with A <= B, frames counting from 0", value);
   const struct frame_range range = {list.ranges[0].first, list.ranges[0].last};
   cm_frame_list_free(&list);
   return range;
}

bool
options_percent(const char *value, double most, double *percent)
{
   char *end;
   *percent = strtod(value, &end);
   const bool is_number = end > value;
   end += is_number && *end == '%';
   return is_number && !*end && *percent >= 0 && *percent <= most;
}

uint32_t
options_bytes(const char *option, const char *value)
{
   uint32_t bytes;
   if (!cm_quantity_parse(CM_QUANTITY_BYTES, value, &bytes))
      fail(STATUS_USAGE, "%s %s: expected a number up to 4294967295, or as in 64K, 1M, 2GiB", option, value);
   return bytes;
}

/* A number in the unit that the range is written with: no other is taken by keys that are no bytes. */
static char *
range_text(enum cm_quantity quantity, uint32_t number, bool has_unit)
{
   if (quantity == CM_QUANTITY_MHZ)
      return text("%uMHz", number);
   if (has_unit && !(number % (1u << 20)))
      return text("%uM", number >> 20);
   if (has_unit && !(number % (1u << 10)))
      return text("%uK", number >> 10);
   return text("%u", number);
}

/* The numbers of a range with commas; NULL: the word is none, whatever it is. */
static char *
expand_range(const char *option, const char *word)
{
   const char *dots = strstr(word, "..");
   uint32_t first, last;
   enum cm_quantity quantity = CM_QUANTITY_BYTES;
   if (!dots)
      return NULL;
   char *begin = text("%.*s", (int)(dots - word), word);
   const char *end = dots + 2;
   if (!cm_quantity_parse(quantity, begin, &first) || !cm_quantity_parse(quantity, end, &last))
      quantity = CM_QUANTITY_MHZ;
   if (!cm_quantity_parse(quantity, begin, &first) || !cm_quantity_parse(quantity, end, &last)) {
      free(begin);
      return NULL;
   }
   const bool has_unit = strpbrk(begin, "kKmMgG") || strpbrk(end, "kKmMgG");
   uint64_t number = first;
   while (number && number < last)
      number *= 2;
   if (!first || number != last)
      fail(STATUS_USAGE, "%s %s: expected A..B, B being A, 2 A, 4 A or so on, as in 256K..4M", option, word);
   char *list = range_text(quantity, first, has_unit);
   for (number = (uint64_t)first * 2; number <= last; number *= 2) {
      char *next = range_text(quantity, (uint32_t)number, has_unit), *longer = text("%s,%s", list, next);
      free(list);
      free(next);
      list = longer;
   }
   free(begin);
   return list;
}

char *
options_expand(const char *option, const char *list)
{
   char *words = text("%s", list), *rest = words, *expanded = NULL;
   for (char *word; (word = strsep(&rest, ","));) {
      char *range = expand_range(option, word);
      char *longer =
         expanded ? text("%s,%s", expanded, range ? range : word) : text("%s", range ? range : word);
      free(range);
      free(expanded);
      expanded = longer;
   }
   free(words);
   return expanded;
}

uint32_t
options_ways(const char *option, const char *value)
{
   if (cm_name_is(value, "full"))
      return OPTIONS_FULL_WAYS;
   const uint32_t ways = options_bytes(option, value);
   if (!ways)
      fail(STATUS_USAGE, "%s %s: expected at least 1, or full", option, value);
   return ways;
}

unsigned
options_name(const char *option, const char *value, const char *const *names, unsigned count)
{
   const unsigned found = cm_name_find(value, names, count);
   if (found < count)
      return found;
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   cm_near_start(&near, value, strlen(value));
   char *expected = text("%s", names[0]);
   cm_near_offer(&near, names[0]);
   for (unsigned i = 1; i < count; i++) {
      char *longer = text("%s, %s", expected, names[i]);
      free(expected);
      expected = longer;
      cm_near_offer(&near, names[i]);
   }
   fail(STATUS_USAGE, "%s %s%s: expected one of: %s", option, value, cm_near_text(&near, hint, sizeof hint),
        expected);
}

enum cm_unit
options_unit(const char *value)
{
   return (enum cm_unit)options_name("--unit", value, cm_unit_names, CM_UNIT_COUNT);
}

unsigned
options_count_cores(void)
{
   cpu_set_t set;
   return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

FILE *
options_open_output(const char *path)
{
   FILE *file = path ? fopen(path, "we") : stdout;
   if (!file)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   return file;
}

void
options_close_output(FILE *file, const char *path)
{
   if (!path)
      return; /* the command's end_output */
   const bool failed = ferror(file);
   if (fclose(file) || failed)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
}

/* Writes a file of so many bytes there and removes it; 0, or the error number. */
static int
try_directory(const char *directory, long bytes)
{
   char *probe = text("%s/.tbrsim-XXXXXX", directory);
   int file = mkostemp(probe, O_CLOEXEC), error = errno;
   if (file >= 0) {
      /* A full disk shows itself only when something is written. */
      error = posix_fallocate(file, 0, bytes);
      close(file);
      unlink(probe);
   }
   free(probe);
   return error;
}

char *
options_directory_problem(const char *directory, long bytes, bool keep)
{
   char *path = text("%s", directory), *problem = NULL;
   const size_t length = strlen(path);
   size_t first = length + 1; /* where the first level ends that was not there */
   for (size_t end = 1; !problem && end <= length; end++) {
      if (directory[end] && directory[end] != '/')
         continue;
      path[end] = 0;
      if (!mkdir(path, 0777))
         first = first < end ? first : end;
      else if (errno != EEXIST)
         problem = text("%s: cannot be created: %s", path, strerror(errno));
      path[end] = directory[end];
   }
   const int error = problem ? 0 : try_directory(path, bytes);
   if (error)
      problem = text("%s: cannot be written to: %s", path, strerror(error));
   for (size_t end = length; !keep && end >= first; end--) {
      if (directory[end] && directory[end] != '/')
         continue;
      path[end] = 0;
      rmdir(path); /* another process may be using it already */
   }
   free(path);
   return problem;
}

void
options_check_directory(const char *directory, bool make)
{
   const char *problem = options_directory_problem(directory, 4096, make);
   if (problem)
      fail(STATUS_FAILED, "%s", problem);
}
