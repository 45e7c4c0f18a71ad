/* SPDX-License-Identifier: MIT */
/** An apitrace file: whether it is one, whole, and what it holds. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>

struct trace {
   const char *path;
   bool egl;        /**< replayed with eglretrace; false: glretrace */
   unsigned frames; /**< whole frames it holds */
};

/** Looks the file through. Ends the command with a line where it cannot be read, is
 * no apitrace file, or is truncated or damaged. */
struct trace trace_file_open(const char *path);

/** A copy that ends after frame last, in a temporary file that is removed when the
 * command ends. */
struct trace trace_file_trim(const struct trace *trace, unsigned last);

#endif
