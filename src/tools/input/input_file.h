/* SPDX-License-Identifier: MIT */
/** Reads a file from its beginning to its end, uncompressed on the way if it is
 * compressed with gzip, zstd or xz (detected from its first bytes). */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_file;

/** Opens a file; "-" is standard input. NULL with a message in error if it cannot be opened. */
struct input_file *input_file_open(const char *name, char *error, size_t error_size);

void input_file_close(struct input_file *file);

/** Reads up to size bytes, at least one where there is one. The number of bytes: 0 at the end,
 * -1 with a message in error where the file cannot be read or is damaged. */
long input_file_read(struct input_file *file, void *buffer, size_t size, char *error, size_t error_size);

#endif
