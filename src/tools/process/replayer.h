/* SPDX-License-Identifier: MIT */
/** One replay of a trace on one driver, by apitrace's eglretrace or glretrace, or by gfxrecon-replay. */
#ifndef REPLAYER_H
#define REPLAYER_H

#include <stdio.h>

#include "output/image.h"
#include "options.h"
#include "process/process.h"
#include "input/trace_file.h"

struct replayer {
   const char *driver;
   const char *program; /**< eglretrace, glretrace or gfxrecon-replay */
   struct process process;
   pid_t id;     /**< the process', also when it has ended */
   FILE *images; /**< the frames as PPM, where they were asked for of apitrace */
   char
      *image_files; /**< what the files of images begin with, where they were asked for of gfxrecon-replay */
   char *log;       /**< file with its stderr */
   bool complained; /**< the driver reported that something was lost, or calls failed */
   bool names_refused; /**< the calls that the driver refuses are in the log */
};

/** Which images are wanted. */
struct replay_images {
   const struct cm_frame_list *frames; /**< of these frames */
   const char *calls;                  /**< apitrace: at the calls of these numbers, which a file lists */
};

/** The argument that names the trace which a program is to replay; NULL where it is none of these replayers. */
char **replayer_trace(char *program[]);

/** Fills in what the replayers of a trace need in their environment in addition to the driver's; returns how many. */
unsigned replayer_variables(struct variable *variables, const struct trace *trace);

/** Starts a replay, of a trace that was made on a newer context on what there is; then the calls that this refuses
 * are named at the end, unless it is for images. frames ("A-B") are those simulated, NULL for all; wanted
 * (NULL: none) makes frames come out of the pipe images; log is the file that takes what it says on stderr. Exits with a message if it cannot be started. */
void replayer_start(struct replayer *replayer, const struct trace *trace, const char *driver,
                    const struct options *options, const char *frames, const struct replay_images *wanted,
                    const char *log);

/** Waits for its end. Passes on what the driver said; exits with a message
 * if the replay failed. */
void replayer_finish(struct replayer *replayer);

/** Waits for the next image, of a frame, so many milliseconds at most; true where it is there, or the replay has ended. */
bool replayer_has_image(struct replayer *replayer, unsigned frame, int milliseconds);

/** Reads its next frame; exits with a message if there is none. */
void replayer_read(struct replayer *replayer, struct image *image, unsigned frame);

#endif
