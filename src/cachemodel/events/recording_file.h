/* SPDX-License-Identifier: MIT */
/** The file of a recording that is being made: without a name until it has a frame, so that a process without
 * one leaves nothing, and an earlier recording of that name stays. */
#ifndef CM_RECORDING_FILE_H
#define CM_RECORDING_FILE_H

#include <stdbool.h>

struct cm_process_results;

struct cm_recording_file {
   int file;        /**< locked while it is open; -1: none */
   char *path;      /**< as requested; once the file is named, its name */
   char *temporary; /**< where the file system has no files without a name: its name until then; else NULL */
   bool named;
};

/** Opens a file for a path. 0, or the error number. */
int cm_recording_file_open(struct cm_recording_file *recording, const char *path);
/** Gives it its name (results/process_results.h), once. 0, or the error number. */
int cm_recording_file_name(struct cm_recording_file *recording, struct cm_process_results *results);
/** Closes it; a file without a name is deleted. 0, or the error number. */
int cm_recording_file_close(struct cm_recording_file *recording);
/** Closes it where it is open, and frees what belongs to it. */
void cm_recording_file_finish(struct cm_recording_file *recording);

#endif
