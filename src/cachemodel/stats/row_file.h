/* SPDX-License-Identifier: MIT */
/**
 * A file of statistics: a head, a row per frame, a tail that follows the last row. Rows are written
 * over the tail, with a new tail after them. When a column is added the file is
 * written again under another name, with zeros in that column of the earlier rows, and renamed: under its
 * own name it is complete at any time.
 *
 * Linux ends a write between two pages where the process is killed. So rows that go beyond a page are written to a copy of the file,
 * under that other name, and the two exchange their names: then the other one is the copy, a few rows behind.
 */
#ifndef CM_ROW_FILE_H
#define CM_ROW_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "stats/text.h"

/** The format of rows. A row's values stand between commas; the rest of it does not change. Commas and ends of
 * rows between double quotes are part of a value. */
struct cm_row_format {
   const char *name;    /**< of the file */
   const char *fresh;   /**< name that the file has while it is written again */
   char begin, end;     /**< before the first value and after the last; begin 0: the row's first byte */
   uint32_t not_values; /**< so many of its first values belong to no column */
};

struct cm_row_file {
   const struct cm_row_format *format;
   int directory; /**< the file's */
   char *path;    /**< for messages */
   int file;      /**< -1: not there yet */
   off_t rows, end;
   struct cm_byte_writer tail; /**< that stands in the file */
   int copy;                   /**< -1: not there */
   off_t copy_end;             /**< its rows, which are also the file's */
   /** Nor will it be: there was no space, or the file system cannot copy or exchange names. */
   bool has_no_copy;
   /* A file that is to replace it. */
   int fresh;
   off_t fresh_rows, fresh_end;
};

/** What a file gets in addition to its rows: new rows, and new columns of all rows. */
struct cm_row_file_content {
   const struct cm_byte_writer *head; /**< where the file is written again */
   struct cm_byte_writer *row;        /**< to append; appending uses the space after it */
   const struct cm_byte_writer *tail; /**< after it */
   /** For each value of the rows that are there, how many zeros are to follow it. */
   const uint32_t *zeros_after;
};

/** path: of the directory, which is open as that number. False when out of memory. */
bool cm_row_file_init(struct cm_row_file *rows, const struct cm_row_format *format, const char *path,
                      int directory);
/** Closes it. 0, or what went wrong. */
int cm_row_file_finish(struct cm_row_file *rows);

/** Appends a row. 0, or what went wrong: then the file is as it was, or a message says that it is corrupt. */
int cm_row_file_append(struct cm_row_file *rows, const struct cm_row_file_content *content);
/** Removes the last row, which has this size. */
int cm_row_file_truncate(struct cm_row_file *rows, size_t row_bytes);

/** Writes the file under its other name, with the existing rows and a new one. 0, or an errno value. */
int cm_row_file_rewrite(struct cm_row_file *rows, const struct cm_row_file_content *content);
/** Renames it to its own name: 0, or what went wrong. */
int cm_row_file_commit(struct cm_row_file *rows, const struct cm_row_file_content *content);
/** Or discards it. */
void cm_row_file_discard(struct cm_row_file *rows);

#endif
