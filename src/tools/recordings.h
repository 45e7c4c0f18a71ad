/* SPDX-License-Identifier: MIT */
/** The recordings that the command makes. */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include <stdbool.h>

/** Checks that a file can be written there, without changing it; exits if it cannot. out: a
 * directory that will be made, in which it may be; NULL: none. */
void recording_prepare(const char *path, const char *out);

/** Checks whether a recording that has just been made is whole; warns if not. */
bool recording_check(const char *path);

#endif
