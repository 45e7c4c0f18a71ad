/* SPDX-License-Identifier: MIT */
#include "input/results.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/recording.h"
#include "output/output.h"
#include "output/parquet.h"
#include "output/progress.h"
#include "input/statistics_file.h"
#include "results/process_index.h"
#include "results/process_results.h"
#include "tools.h"

/* At least what a first frame needs, whatever is counted. */
#define FIRST_FRAME_BYTES (1 << 20)

static const char *
run_name(const struct options *options)
{
   const char *out = getenv("TBRSIM_OUT"), *run = getenv("TBRSIM_RUN");
   if (!options->out_given && out && *out && run && *run)
      return run;
   char began[40];
   cm_run_time(began, sizeof(began));
   return text("%s-%ld", began, (long)getpid());
}

static bool
is_of(const struct results *results, const struct cm_process_row *row)
{
   return !strcmp(row->run, results->run);
}

/* The processes that are listed, of all runs. */
static struct cm_process_index
read_index(const struct results *results)
{
   struct cm_process_index index = {0};
   int directory = open(results->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   if (directory < 0)
      return index;
   int error = cm_process_index_read(directory, &index);
   close(directory);
   if (error == EBADMSG || error == ELOOP)
      fail(STATUS_FAILED,
           "%s/" CM_PROCESS_INDEX_NAME ": not written by tbrsim; the results cannot be written",
           results->out);
   if (error)
      fail(STATUS_FAILED, "%s/" CM_PROCESS_INDEX_NAME ": %s", results->out, strerror(error));
   return index;
}

static size_t
count_rows(const struct results *results)
{
   struct cm_process_index index = read_index(results);
   size_t count = 0;
   for (size_t r = 0; r < index.count; r++)
      count += is_of(results, &index.rows[r]);
   cm_process_index_free(&index);
   return count;
}

/* ---- recordings ---------------------------------------------------------- */

/* Checks that a file can be written there, without changing it; exits if it cannot. out: a directory that will be
 * made, in which it may be; NULL: none. */
static void
recording_prepare(const char *path, const char *out)
{
   struct stat status;
   if (!stat(path, &status)) {
      if (!S_ISREG(status.st_mode))
         fail(STATUS_FAILED, "%s: not a regular file", path);
      if (access(path, W_OK))
         fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   }
   char *copy = text("%s", path);
   const char *directory = dirname(copy);
   /* With the statistics that directory will be there. */
   if (out && cm_path_is_below(path, out) && access(directory, F_OK) && errno == ENOENT) {
      free(copy);
      return;
   }
   char *probe = text("%s/.tbrsim-XXXXXX", directory);
   int file = mkostemp(probe, O_CLOEXEC);
   if (file < 0)
      fail(STATUS_FAILED, "%s: cannot be written to: %s", path, strerror(errno));
   close(file);
   unlink(probe);
   free(probe);
   free(copy);
}

/* Whether a recording that has just been made is whole; says so if not. */
static bool
recording_check(const char *path)
{
   char error[512];
   struct cm_recording *recording = cm_recording_open(path, error, sizeof(error));
   if (!recording) {
      say("%s", error);
      return false;
   }
   enum cm_recording_end end = cm_recording_end(recording);
   /* The driver has reported a recording that it could not continue. */
   if (end == CM_RECORDING_UNFINISHED)
      say("%s", cm_recording_damage(recording));
   cm_recording_close(recording);
   return end == CM_RECORDING_WHOLE;
}

/* ---- results -------------------------------------------------------------- */

void
results_say_none(const struct options *options)
{
   if (options->out_given && !options->model)
      say("--no-model: there are no statistics without the model; %s gets none", options->out);
   else if (options->out_given && strcmp(options->driver, "tbrsim"))
      say("--driver %s: statistics are those of tbrsim; %s gets none", options->driver, options->out);
   if (options->record && strcmp(options->driver, "tbrsim"))
      say("--driver %s: recordings are those of tbrsim; %s is not written", options->driver, options->record);
}

struct results
results_prepare(struct options *options)
{
   const bool on_tbrsim = !strcmp(options->driver, "tbrsim");
   struct results results = {.former = -1};
   if (on_tbrsim && options->model)
      results.out = options->out;
   if (on_tbrsim)
      results.record = options->record;
   if (results.out)
      options_check_directory(results.out, false);
   if (results.record)
      recording_prepare(results.record, results.out);
   results.run = options->run = run_name(options);
   if (results.out) {
      results.before = count_rows(&results);
      char *path = text("%s/frames.csv", results.out);
      results.former = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      free(path);
   }
   return results;
}

size_t
results_count_processes(const struct results *results)
{
   const size_t count = count_rows(results);
   return count > results->before ? count - results->before : 0;
}

static bool
is_same(const struct stat *status, int file)
{
   struct stat other;
   return file >= 0 && !fstat(file, &other) && other.st_ino == status->st_ino &&
          other.st_dev == status->st_dev;
}

unsigned
results_count_frames(struct results *results)
{
   static char buffer[1 << 16];
   struct stat status;
   char *path = text("%s/frames.csv", results->out);
   bool there = !stat(path, &status) && !is_same(&status, results->former);
   /* It is written again when a column is added. */
   if (there && (!results->frames || !is_same(&status, fileno(results->frames)))) {
      if (results->frames)
         fclose(results->frames);
      results->frames = fopen(path, "re");
      results->lines = 0;
   }
   free(path);
   if (!there || !results->frames)
      return 0;
   clearerr(results->frames);
   for (size_t got; (got = fread(buffer, 1, sizeof(buffer), results->frames));) {
      for (size_t b = 0; b < got; b++)
         results->lines += buffer[b] == '\n';
   }
   return results->lines ? results->lines - 1 : 0;
}

void
results_report(const struct results *results)
{
   if (!results->out)
      return;
   const size_t count = results_count_processes(results);
   if (!count) {
      /* What the driver says of a disk that is full may not be where the user looks, or not fit on that disk. */
      char *problem = options_directory_problem(results->out, FIRST_FRAME_BYTES, false);
      say("%s; nothing was written to %s%s%s%s",
          problem ? problem
                  : "no frame was finished on the simulated GPU (one ends at a swap of buffers, or where a "
                    "program that never swaps exits, unless a signal ends it)",
          results->out, results->record ? "; " : "", results->record ? results->record : "",
          results->record ? ": nothing was recorded" : "");
      free(problem);
   }
   if (count > 1)
      say("%zu processes drew: %s/" CM_PROCESS_INDEX_NAME
          " lists their results; stats.json and frames.csv next to it are the last one's",
          count, results->out);
}

/* A path as the user has named it, where it is in the working directory. */
static const char *
shown_path(const char *path)
{
   char *directory = getcwd(NULL, 0);
   const size_t length = directory ? strlen(directory) : 0;
   const bool is_below =
      length && !strncmp(path, directory, length) && path[length] == '/' && path[length + 1];
   free(directory);
   return is_below ? path + length + 1 : path;
}

void
results_summarize(const struct results *results)
{
   /* A program that follows the command's progress reads the files, too. */
   if (!results->out || progress_is_read() || results_count_processes(results) != 1)
      return;
   json_t *total = statistics_file_total(results->out);
   if (!total)
      return;
   const char *out = shown_path(results->out);
   const json_int_t frames = json_integer_value(json_object_get(total, "gpu.frames"));
   const double bytes = (double)json_integer_value(json_object_get(total, "dram.total.read_bytes")) +
                        (double)json_integer_value(json_object_get(total, "dram.total.write_bytes"));
   const bool recorded = results->record && cm_run_has_written(results->run, results->record);
   char *traffic = output_amount("traffic", frames ? bytes / (double)frames : 0);
   progress_end();
   fprintf(stderr, "tbrsim (note): %lld %s, %s of DRAM traffic per frame in %s; next: tbrsim report %s%s%s\n",
           (long long)frames, frames == 1 ? "frame" : "frames", traffic, out,
           recorded ? shown_path(results->record) : out, recorded ? ", tbrsim advise " : "",
           recorded ? shown_path(results->record) : "");
   free(traffic);
   json_decref(total);
}

bool
results_check_recordings(const struct results *results)
{
   bool found = false, ok = true;
   struct cm_process_index index = {0};
   if (results->out && !results_count_processes(results))
      return false;
   if (results->out)
      index = read_index(results);
   size_t before = results->before;
   for (size_t r = 0; r < index.count; r++) {
      if (!is_of(results, &index.rows[r]) || (before && before--) || !*index.rows[r].recording)
         continue;
      ok &= recording_check(index.rows[r].recording);
      found = true;
   }
   cm_process_index_free(&index);
   /* Without statistics nothing is listed. */
   if (!found && cm_run_has_written(results->run, results->record))
      return recording_check(results->record);
   if (!found)
      say("%s: nothing was recorded", results->record);
   return ok && found;
}

/* ---- tables ---------------------------------------------------------------- */

void
results_check_tables(const struct options *options)
{
   if (!options->parquet)
      return;
   if (!options->model || strcmp(options->driver, "tbrsim"))
      fail(STATUS_USAGE, "--format parquet: there are no tables without the model");
   parquet_check();
}

bool
results_write_tables(const struct results *results)
{
   return !results_count_processes(results) || parquet_write((const char *[]){results->out, NULL}, false);
}
