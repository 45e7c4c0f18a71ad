/* SPDX-License-Identifier: MIT */
/** A capture, of apitrace or of gfxreconstruct: whether it is one and complete, and what it holds. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>

/** The newest versions of which a trace has contexts, in tenths: 32 is OpenGL ES 3.2; 0: none named. */
struct trace_versions {
   unsigned es, gl;
   bool gl_compatibility; /**< of gl, in the compatibility profile */
};

struct trace {
   const char *path;         /**< as it is replayed, which may be a temporary file */
   const char *program;      /**< the captured program's name; if the trace has none, the file's */
   struct gfxr_file *vulkan; /**< of gfxreconstruct, replayed with gfxrecon-replay; NULL: of apitrace */
   bool egl;                 /**< replayed with eglretrace; false: glretrace */
   unsigned swaps;           /**< of windows, or presents: its whole frames */
   unsigned frames;          /**< the same; 1 if it has no swaps, and all that it draws is a frame */
   struct trace_versions versions;
   struct trace_drawables *calls; /**< from its calls; NULL: of gfxreconstruct */
};

/** The simulated GPU's versions (docs/architecture.md), in tenths. */
#define TRACE_ES_LIMIT 32
#define TRACE_GL_LIMIT 45 /* llvmpipe's, too */
#define TRACE_SOFTPIPE_LIMIT 33

/** Whether it was made on contexts that are newer than what the simulated GPU has. */
bool trace_is_newer(const struct trace *trace);

/** Reads the whole file. Exits with a message if it cannot be read, is
 * no capture, or is truncated (but see trace_is_truncated) or damaged. */
struct trace trace_file_open(const char *path);
/** Frees what trace_file_open has allocated, also of its copies. */
void trace_file_close(const struct trace *trace);

/** Whether it ends within a call, of which only whole frames can be replayed. Captures of apitrace are not opened then. */
bool trace_is_truncated(const struct trace *trace);

/** Of Vulkan: whether it was made on GPUs with other memory than the simulated one's. */
bool trace_is_of_other_gpus(const struct trace *trace);

/** Whether there is anything to take images of. */
bool trace_has_images(const struct trace *trace);

/** Of apitrace: the number of the call that ends a frame; without swaps, of the last one that draws, 0 where none does. */
unsigned trace_frame_end(const struct trace *trace, unsigned frame);

/** Writes the sizes of what is drawn on to a file for the replayer (TBRSIM_DRAWABLES), which is removed when the command
 * ends. */
const char *trace_write_sizes(const struct trace *trace);

/** A copy that ends after frame last, in a temporary file that is removed when the
 * command ends. */
struct trace trace_file_trim(const struct trace *trace, unsigned last);

#endif
