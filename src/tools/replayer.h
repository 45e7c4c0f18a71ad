/* SPDX-License-Identifier: MIT */
/** One replay of a trace on one driver, by apitrace's eglretrace or glretrace. */
#ifndef REPLAYER_H
#define REPLAYER_H

#include <stdio.h>

#include "image.h"
#include "options.h"
#include "process.h"
#include "trace_file.h"

struct replayer {
   const char *driver;
   const char *program; /**< eglretrace or glretrace */
   struct process process;
   FILE *images;       /**< the frames as PPM, where they were asked for */
   char *log;          /**< file with what it said on stderr */
   bool complained;    /**< the driver said that something was lost, or calls were refused */
   bool names_refused; /**< the calls that the driver refuses are in the log */
};

/** Starts a replay, of a trace that was made on a newer context on what there is; then the calls that this refuses
 * are named at the end, unless with_images. frames ("A-B") are those simulated, NULL for all; with_images
 * makes the frames come out of the pipe images; log is the file that takes what it
 * says on stderr. Ends the command with a line where it cannot be started. */
void replayer_start(struct replayer *replayer, const struct trace *trace, const char *driver,
                    const struct options *options, const char *frames, bool with_images, const char *log);

/** Waits for its end. Passes on what the driver said; ends the command with a line
 * where the replay failed. */
void replayer_finish(struct replayer *replayer);

/** Reads its next frame; ends the command with a line where there is none. */
void replayer_read(struct replayer *replayer, struct image *image, unsigned frame);

/** The progress line on stderr: what is done, of how much. On a terminal it is
 * rewritten in place, elsewhere a line comes every few seconds. */
void progress_show(const char *what, unsigned frame, unsigned frames);
/** Ends it. */
void progress_end(void);

#endif
