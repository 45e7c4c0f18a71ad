/* SPDX-License-Identifier: MIT */
/** The recordings that the command has made, and those it reads. */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include <stdbool.h>

#include "events/recording.h"

/** Sees to it that a file can be written there, and leaves what is there; ends the command where it cannot. out: a
 * directory that will be made, in which it may be; NULL: none. */
void recording_prepare(const char *path, const char *out);

/** Looks at a recording that has just been made: whether it is whole. Says so where it is not. */
bool recording_check(const char *path);

/** Opens a recording for reading; ends the command where it is none, or has no whole frame.
 * What is damaged otherwise is said. */
struct cm_recording *recording_open(const char *path);

/** The frames (of cm_recording_frames) that --frames A-B names, by the program's numbers; all
 * for NULL. Ends the command with a line where the recording does not have them. */
void recording_find_frames(const struct cm_recording *recording, const char *path, const char *frames,
                           unsigned *first, unsigned *last);

#endif
