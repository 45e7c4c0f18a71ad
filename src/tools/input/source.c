/* SPDX-License-Identifier: MIT */
#include "input/source.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/environment.h"
#include "options.h"
#include "process/process.h"
#include "process/python.h"
#include "process/stages.h"
#include "results/process_index.h"
#include "tools.h"

#define EXPECTED \
   "expected a directory of results, a recording (.tbr), a trace (.trace, .gfxr), or a program after --"

static bool
ends_with(const char *name, const char *end)
{
   const size_t length = strlen(name), end_length = strlen(end);
   return length > end_length && !strcmp(name + length - end_length, end);
}

/* stats.json stands for the directory of results that it is in. */
static const char *
without_statistics(const char *path)
{
   static const char file[] = "/stats.json";
   if (!strcmp(path, file + 1))
      return ".";
   return ends_with(path, file) ? text("%.*s", (int)(strlen(path) - strlen(file)), path) : path;
}

/* False where a path is of no kind. */
static bool
find_kind(const char *path, enum source_kind *kind)
{
   struct stat status;
   const bool is_there = !stat(path, &status);
   if (is_there && (S_ISDIR(status.st_mode) || without_statistics(path) != path))
      *kind = SOURCE_RESULTS;
   else if (ends_with(path, ".trace") || ends_with(path, ".gfxr"))
      *kind = SOURCE_TRACE;
   else if (ends_with(path, ".tbr") || (is_there && access(path, X_OK)))
      *kind = SOURCE_RECORDING;
   else
      return false;
   return true;
}

struct source
source_of_path(const char *path)
{
   struct source source = {.path = path};
   if (find_kind(path, &source.kind)) {
      source.path = source.kind == SOURCE_RESULTS ? without_statistics(path) : path;
      return source;
   }
   fail(STATUS_USAGE, "%s: %s" EXPECTED, path, access(path, F_OK) ? "there is no such file, " : "");
}

struct source
source_of_operands(const struct operands *operands)
{
   struct source source = {.path = operands->list[0]};
   if (!operands->has_program || (operands->count == 1 && find_kind(source.path, &source.kind)))
      return source_of_path(source.path);
   source.kind = SOURCE_PROGRAM;
   source.program = allocate((operands->count + 1) * sizeof(*source.program));
   memcpy(source.program, operands->list, operands->count * sizeof(*source.program));
   return source;
}

/* ---- the recording of results ------------------------------------------------ */

/* A process that has results in a directory, as that or the one above lists it; NULL: none. */
static struct cm_process_row *
find_process(const char *directory, struct cm_process_index *index)
{
   const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   const bool ok = file >= 0 && !cm_process_index_read(file, index);
   if (file >= 0)
      close(file);
   /* stats.json is that of the last one. */
   return ok && index->count ? &index->rows[index->count - 1] : NULL;
}

static struct cm_process_row *
find_process_of(const char *directory, struct cm_process_index *index)
{
   char *path = realpath(directory, NULL);
   struct cm_process_row *row = path ? find_process(path, index) : NULL;
   if (path && !row) {
      char *folder = text("%s", basename(path)), *parent = dirname(path);
      if (find_process(parent, index))
         row = cm_process_index_find(index, folder);
      free(folder);
   }
   free(path);
   return row;
}

char *
source_recording(const char *directory)
{
   struct cm_process_index index = {0};
   const struct cm_process_row *row = find_process_of(directory, &index);
   char *path = row && *row->recording && !access(row->recording, R_OK) ? text("%s", row->recording) : NULL;
   cm_process_index_free(&index);
   return path;
}

const char *
source_recording_hint(const char *path)
{
   enum source_kind kind;
   if (!find_kind(path, &kind))
      return "";
   const char *recording = kind == SOURCE_RESULTS ? source_recording(without_statistics(path)) : NULL;
   if (recording)
      return text("; the recording of these results is %s", recording);
   if (kind == SOURCE_RESULTS)
      return "; --record FILE.tbr of tbrsim run and replay makes a recording in addition to results";
   return kind == SOURCE_TRACE ? "; tbrsim replay --record FILE.tbr makes one of a trace" : "";
}

const char *
source_results_hint(const char *path)
{
   enum source_kind kind;
   if (!find_kind(path, &kind))
      return "";
   return kind == SOURCE_RECORDING && ends_with(path, ".tbr") ? "; tbrsim sim makes results of a recording"
          : kind == SOURCE_TRACE                              ? "; tbrsim replay makes results of a trace"
                                                              : "";
}

const char *
source_program_hint(const char *path)
{
   enum source_kind kind;
   if (!find_kind(path, &kind))
      return "";
   return kind == SOURCE_RESULTS    ? "; it is a directory"
          : kind == SOURCE_TRACE    ? "; it is a trace, expected tbrsim replay"
          : ends_with(path, ".tbr") ? "; it is a recording, expected tbrsim report, advise or sim"
          : strchr(path, '/')       ? ""
          : access(path, F_OK) == 0 ? text("; expected ./%s for the file of this name", path)
                                    : "";
}

void
source_fail_unrecorded(const char *directory)
{
   struct cm_process_index index = {0};
   const struct cm_process_row *row = find_process_of(directory, &index);
   const bool replayed =
      row && (strstr(row->command, "glretrace ") || strstr(row->command, "gfxrecon-replay "));
   const char *trace = replayed ? strrchr(row->command, ' ') : NULL;
   if (trace && !access(trace + 1, R_OK))
      fail(STATUS_USAGE, "%s: results without a recording; expected tbrsim advise%s", directory, trace);
   if (row && !trace)
      fail(STATUS_USAGE, "%s: results without a recording; expected tbrsim advise -- %s", directory,
           row->command);
   fail(STATUS_USAGE, "%s: results without a recording; expected the recording or the trace that they are of",
        directory);
}

/* ---- simulating ---------------------------------------------------------------- */

struct words {
   char **list;
   unsigned count;
};

static void
add(struct words *words, const char *word)
{
   words->list[words->count++] = (char *)word;
}

static void
add_option(struct words *words, const char *option, const char *value)
{
   if (value)
      add(words, option), add(words, value);
}

/* The command, NULL at its end. */
static char **
make_command(const struct source *source, const struct source_run *run)
{
   static const char *const commands[] = {
      [SOURCE_RECORDING] = "sim", [SOURCE_TRACE] = "replay", [SOURCE_PROGRAM] = "run"};
   unsigned count = 22 + 2 * run->num_settings;
   for (char **word = source->program; word && *word; word++)
      count++;
   struct words words = {.list = allocate(count * sizeof(*words.list))};
   const bool renders = source->kind != SOURCE_RECORDING;
   add(&words, command_path());
   add(&words, commands[source->kind]);
   add_option(&words, "--attribute", run->attribute ? "pass,draw,texture,tile" : NULL);
   if (run->attribute && renders)
      add(&words, "--thumbnails");
   if (run->only_records)
      add(&words, "--no-model");
   add_option(&words, "--record", run->record);
   /* There a replay has its log, too. */
   if (!run->only_records || source->kind == SOURCE_TRACE)
      add_option(&words, "--out", run->results);
   add_option(&words, "--frames", run->frames);
   /* Before the configuration, whose settings may say otherwise. */
   add_option(&words, "--timing", run->timed ? "on" : NULL);
   add_option(&words, "--config", run->config);
   for (unsigned s = 0; s < run->num_settings; s++)
      add_option(&words, "--set", run->settings[s]);
   add(&words, "--");
   if (!source->program)
      add(&words, source->path);
   for (char **word = source->program; word && *word; word++)
      add(&words, *word);
   return words.list;
}

/* The program has the terminal meanwhile, and its signals. */
static void
run_program(const struct source *source, const struct source_run *run, char **argv)
{
   struct process process;
   fprintf(stderr, "tbrsim (note): running %s; what it draws is recorded, and looked at when it ends\n",
           source->path);
   unlink(run->record);
   fflush(stdout);
   const int error = process_start(&process, argv, &(struct process_setup){.stands_for = true});
   if (error)
      fail(process_explain(argv[0], "", error), "it is this command that does not start again");
   const int status = process_wait_as_it(&process);
   if (access(run->record, R_OK))
      exit(status ? status : STATUS_FAILED); /* it has said why */
}

void
source_simulate(const struct source *source, const struct source_run *run)
{
   static const char *const names[] = {
      [SOURCE_RECORDING] = "simulating", [SOURCE_TRACE] = "replaying", [SOURCE_PROGRAM] = "running"};
   char **argv = make_command(source, run), *path = text("%s", source->path);
   char *name = text("%s %s", names[source->kind], basename(path));
   stages_next(name);
   if (source->kind == SOURCE_PROGRAM) {
      run_program(source, run, argv);
   } else {
      const int status = run_to_end(argv, &(struct process_setup){.output = OUTPUT_NONE},
                                    "it is this command that does not start again");
      if (status)
         exit(status); /* it has said why */
   }
   free(name);
   free(path);
   free(argv);
}
