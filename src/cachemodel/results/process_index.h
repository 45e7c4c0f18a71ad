/* SPDX-License-Identifier: MIT */
/**
 * processes.csv: which processes have results in a directory. A row per process, in the order in which
 * they finished their first frames:
 *    folder     where its stats.json and frames.csv are
 *    program    its name
 *    pid        its number
 *    run        the run that it belongs to (TBRSIM_RUN)
 *    recording  the path of its recording; empty: none
 *    command    its command line, as a shell takes it
 */
#ifndef CM_PROCESS_INDEX_H
#define CM_PROCESS_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#define CM_PROCESS_INDEX_NAME "processes.csv"

#define CM_PROCESS_FIELDS 6

/** One process; its texts are the index's. */
struct cm_process_row {
   union {
      struct {
         char *folder, *program, *pid, *run, *recording, *command;
      };
      char *fields[CM_PROCESS_FIELDS]; /**< the same, in the order of the columns */
   };
};

/** Starts as all zeros. */
struct cm_process_index {
   struct cm_process_row *rows;
   size_t count;
};

/** Reads the index in a directory that is open; there are no rows where there is none. 0, or the error number:
 * EBADMSG if the file is not such an index. */
int cm_process_index_read(int directory, struct cm_process_index *index);
/** Writes it under another name and renames it: 0, or the error number. Without rows it is removed. */
int cm_process_index_write(int directory, const struct cm_process_index *index);
void cm_process_index_free(struct cm_process_index *index);

/** Adds a row; the texts are copied. False when out of memory. */
bool cm_process_index_add(struct cm_process_index *index, const struct cm_process_row *row);
void cm_process_index_remove(struct cm_process_index *index, size_t row);
/** The row of a folder; NULL: there is none. */
struct cm_process_row *cm_process_index_find(const struct cm_process_index *index, const char *folder);

#endif
