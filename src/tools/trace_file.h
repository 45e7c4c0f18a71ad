/* SPDX-License-Identifier: MIT */
/** An apitrace file: whether it is one, whole, and what it holds. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>

/** The newest versions of which a trace has contexts, in tenths: 32 is OpenGL ES 3.2; 0: none named. */
struct trace_versions {
   unsigned es, gl;
   bool gl_compatibility; /**< of gl, in the compatibility profile */
};

struct trace {
   const char *path;
   bool egl;        /**< replayed with eglretrace; false: glretrace */
   unsigned frames; /**< whole frames it holds */
   struct trace_versions versions;
};

/** What the simulated GPU has (docs/architecture.md), in tenths. */
#define TRACE_ES_LIMIT 32
#define TRACE_GL_LIMIT 45 /* llvmpipe's, too */
#define TRACE_SOFTPIPE_LIMIT 33

/** Whether it was made on contexts that are newer than what the simulated GPU has. */
bool trace_is_newer(const struct trace *trace);

/** Looks the file through. Exits with a message if it cannot be read, is
 * no apitrace file, or is truncated or damaged. */
struct trace trace_file_open(const char *path);

/** The number of the call that ends a frame. */
unsigned trace_frame_end(const struct trace *trace, unsigned frame);

/** A copy that ends after frame last, in a temporary file that is removed when the
 * command ends. */
struct trace trace_file_trim(const struct trace *trace, unsigned last);

#endif
