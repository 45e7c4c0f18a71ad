/* SPDX-License-Identifier: MIT */
/** Results, which commands compute as JSON: for other programs as JSON or comma-separated values, for readers as a table
 * or as lines. Numbers for readers have the unit that a word of their name says: bytes, traffic in KiB, MiB; pj, energy in
 * µJ, mJ; ratio, rate, share (of 1), percent, change (of 1, with its sign) in per cent; others are as they are. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/** A text; where it is no UTF-8, with '?' for what is not ASCII. */
json_t *output_text(const char *text);

/** What made results, by the names that stats.json has in its "run": the schema, the release and commit of this command, and
 * the fingerprint of the recording at a path (NULL: of none). */
json_t *output_run(const char *path);

/** An object of counts by name. */
json_t *output_counts(const char *const *names, const uint64_t *counts, unsigned count);

/** Print a value, which they take over, to a file, whose errors (ferror) are the caller's to see. As JSON: indent is the
 * spaces a level. As comma-separated values, and as a table: an array of objects is a line each, whose keys are the
 * columns; those of objects within it are columns, too; null is empty, in tables "-". Of a table all rows' keys are
 * columns, of comma-separated values the first one's. Columns of several runs (output_set_run) are in parts below each other,
 * each no wider than 100 characters where one run is not. As lines: "key: value" of an object's members that are not
 * empty. */
void output_json(json_t *value, unsigned indent, FILE *file);
void output_csv(json_t *rows, FILE *file);
void output_table(json_t *rows, FILE *file);
void output_lines(json_t *object, unsigned indent, FILE *file);

/** Sets what a row has of one of several runs, counted from 0: the columns "[1] NAME", "[2] NAME" and how much more than the
 * first one that is. */
void output_set_run(json_t *row, unsigned run, const char *name, json_t *value);

/** "1.25 MiB", "12.3 million": three digits and a unit, by the name. To be freed. */
char *output_amount(const char *name, double value);

#endif
