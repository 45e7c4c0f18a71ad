/* SPDX-License-Identifier: MIT */
/** What report and advise take: results, a recording, a trace, or a program. What is missing is made. */
#ifndef SOURCE_H
#define SOURCE_H

#include "command_line.h"

enum source_kind { SOURCE_RESULTS, SOURCE_RECORDING, SOURCE_TRACE, SOURCE_PROGRAM };

struct source {
   enum source_kind kind;
   const char *path; /**< a directory of results, or a file; the name of a program */
   char **program;   /**< with its arguments, and NULL at the end; NULL: it is not a program */
};

/** The source that a path names. Exits with a message if there is none. */
struct source source_of_path(const char *path);

/** The source of a command line (OPERANDS_SOURCE). */
struct source source_of_operands(const struct operands *operands);

/** The recording that was made with the results in a directory; NULL: none, or it was removed. To be freed. */
char *source_recording(const char *directory);

/** What follows a message about a file that is taken for a recording, but is another of these: "; it is …"; ""
 * where there is nothing to say. */
const char *source_recording_hint(const char *path);

/** The same where results are expected. */
const char *source_results_hint(const char *path);

/** What follows a message that a path cannot be executed: what it is, or its right name; "" if nothing is known. */
const char *source_program_hint(const char *path);

/** Says how to make a recording for such results, and exits. */
_Noreturn void source_fail_unrecorded(const char *directory);

/** How a source is simulated. */
struct source_run {
   const char *results; /**< directory; statistics go there unless only_records */
   const char *record;  /**< file for a recording; NULL: none. It is replaced */
   bool only_records;   /**< without the model */
   bool attribute;      /**< with all attributions, and where something is rendered thumbnails */
   bool timed;          /**< with cycles and energy, unless the settings say otherwise */
   const char *frames;  /**< as --frames takes them; NULL: all */
   const char *config;  /**< NULL: the default */
   char **settings;
   unsigned num_settings;
};

/** Simulates a recording, replays a trace or runs a program: the next of the stages (stages.h). Exits with its status
 * if it fails; a program only if nothing could be recorded, because many are ended by a signal. */
void source_simulate(const struct source *source, const struct source_run *run);

#endif
