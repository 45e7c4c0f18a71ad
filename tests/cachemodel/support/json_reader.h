/* SPDX-License-Identifier: MIT */
/** A strict JSON reader for tests: valid or not, and what is where. */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the text is one JSON value and nothing else. */
bool json_is_valid(const char *text);

/** The unsigned number at a path: keys and array indices, ended by NULL. The path
 * {"frames", "0", "l2.total.reads", NULL} is a key of the first element. False
 * where there is none. The text must be valid. */
bool json_number(const char *text, const char *const *path, uint64_t *number);

/** Elements of the array at a path; 0 where there is none. */
unsigned json_array_length(const char *text, const char *const *path);

/** A whole file as a string (to be freed); NULL if it cannot be read. */
char *read_file(const char *path);

#endif
