/* SPDX-License-Identifier: MIT */
/** An apitrace file: whether it is one and complete, and what it holds. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>

/** The newest versions of which a trace has contexts, in tenths: 32 is OpenGL ES 3.2; 0: none named. */
struct trace_versions {
   unsigned es, gl;
   bool gl_compatibility; /**< of gl, in the compatibility profile */
};

struct trace {
   const char *path;    /**< as it is replayed, which may be a temporary file */
   const char *program; /**< the captured program's name; if the trace has none, the file's */
   bool egl;            /**< replayed with eglretrace; false: glretrace */
   unsigned swaps;      /**< of windows: its whole frames */
   unsigned frames;     /**< the same; 1 if it has no swaps, and all that it draws is a frame */
   struct trace_versions versions;
   struct trace_drawables *calls; /**< from its calls */
};

/** The simulated GPU's versions (docs/architecture.md), in tenths. */
#define TRACE_ES_LIMIT 32
#define TRACE_GL_LIMIT 45 /* llvmpipe's, too */
#define TRACE_SOFTPIPE_LIMIT 33

/** Whether it was made on contexts that are newer than what the simulated GPU has. */
bool trace_is_newer(const struct trace *trace);

/** Reads the whole file. Exits with a message if it cannot be read, is
 * no apitrace file, or is truncated or damaged. */
struct trace trace_file_open(const char *path);
/** Frees what trace_file_open has allocated, also of its copies. */
void trace_file_close(const struct trace *trace);

/** The number of the call that ends a frame; without swaps, of the last one that draws, 0 where none does. */
unsigned trace_frame_end(const struct trace *trace, unsigned frame);

/** Writes the sizes of what is drawn on to a file for the replayer (TBRSIM_DRAWABLES), which is removed when the command
 * ends. */
const char *trace_write_sizes(const struct trace *trace);

/** A copy that ends after frame last, in a temporary file that is removed when the
 * command ends. */
struct trace trace_file_trim(const struct trace *trace, unsigned last);

#endif
