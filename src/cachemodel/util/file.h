/* SPDX-License-Identifier: MIT */
/** Reads and writes bytes at an offset in a file, all of them. */
#ifndef CM_FILE_H
#define CM_FILE_H

#include <stddef.h>
#include <sys/types.h>

/** Writes all bytes at an offset; 0, or the error number. */
int cm_write_at(int file, const void *bytes, size_t count, off_t offset);

/** Reads bytes from an offset on, fewer where the file ends; returns how many, or -1 with errno set. */
ssize_t cm_read_at(int file, void *bytes, size_t count, off_t offset);

#endif
