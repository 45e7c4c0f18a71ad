/* SPDX-License-Identifier: MIT */
/** The recordings that the command makes. */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include <stdbool.h>

/** Sees to it that a file can be written there, and leaves what is there; ends the command where it cannot. out: a
 * directory that will be made, in which it may be; NULL: none. */
void recording_prepare(const char *path, const char *out);

/** Looks at a recording that has just been made: whether it is whole. Says so where it is not. */
bool recording_check(const char *path);

#endif
