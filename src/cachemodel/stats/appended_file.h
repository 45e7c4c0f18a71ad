/* SPDX-License-Identifier: MIT */
/**
 * A file next to stats.json to which frames append packets of any kind: a timeline (timing/timeline.h). It is there from
 * the first frame of the statistics on, with its head; under its name it is whole up to a frame at any time.
 *
 * cm_stats_writer_add_file has it written together with the others.
 */
#ifndef CM_APPENDED_FILE_H
#define CM_APPENDED_FILE_H

#include "stats/row_file.h"

/** What stands among the first bytes of a timeline: the name of its first process. */
#define CM_TIMELINE_SIGNATURE "tbrsim GPU"
#define CM_TIMELINE_SIGNATURE_BYTES 64

struct cm_appended_file {
   struct cm_row_format format;
   struct cm_byte_writer head, frame; /**< of the file; of the next frame: to be filled */
   bool is_begun;                     /**< the head is written */
   struct cm_row_file file;
};

/** name, fresh: as of struct cm_row_format; must outlive it. NULL when out of memory. */
struct cm_appended_file *cm_appended_file_create(const char *name, const char *fresh);
void cm_appended_file_destroy(struct cm_appended_file *file);

/** Closes the file. 0, or what went wrong (an error number). */
int cm_appended_file_close(struct cm_appended_file *file);

/** path: of the directory, which is open as that number. False when out of memory. */
bool cm_appended_file_open(struct cm_appended_file *file, const char *path, int directory);

/** Appends the frame, which is empty then. 0, or what went wrong (an error number). */
int cm_appended_file_write(struct cm_appended_file *file);

#endif
