/* SPDX-License-Identifier: MIT */
/** Reads a stats.json (results/writer.h). */
#ifndef STATISTICS_FILE_H
#define STATISTICS_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct statistics_file {
   const char *path;
   json_t *root;
   const json_t *run, *total;
   size_t frames;
};

/** Reads the file, or that of a directory; exits with a message if there is none, or
 * this version of tbrsim cannot read it. */
struct statistics_file statistics_file_load(const char *path);
/** The sums of a directory's statistics alone, whatever their length; NULL: there are none that can be read. */
json_t *statistics_file_total(const char *directory);
void statistics_file_close(struct statistics_file *file);

/** Index of a counter's values in the frames; -1: all are zero. False if there is no such counter. */
bool statistics_file_column(const struct statistics_file *file, const char *counter, int *column);
/** A counter's value in a frame. */
uint64_t statistics_file_value(const struct statistics_file *file, size_t frame, int column);

#endif
