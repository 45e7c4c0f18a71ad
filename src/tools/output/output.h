/* SPDX-License-Identifier: MIT */
/** Results for other programs: as JSON, as comma-separated values. */
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
 * spaces a level. As comma-separated values: an array of objects is a line each, whose first one's keys are the columns;
 * those of objects within it are columns, too; null is empty. */
void output_json(json_t *value, unsigned indent, FILE *file);
void output_csv(json_t *rows, FILE *file);

#endif
