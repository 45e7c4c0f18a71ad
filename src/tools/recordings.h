/* SPDX-License-Identifier: MIT */
/** The recordings that the command has made, and those it reads. */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include <stdbool.h>

/** Removes what an earlier run left at the path, and sees to it that a file can be written
 * there; ends the command where it cannot. */
void recording_prepare(const char *path);

/** Looks at a recording that has just been made: whether it is there and whole. Says so where
 * it is not. */
bool recording_check(const char *path);

#endif
