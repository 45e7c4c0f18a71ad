/* SPDX-License-Identifier: MIT */
/** Files that the command removes when it ends. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdio.h>

/** Creates one in TMPDIR (else /tmp) whose name ends so, to be written. *path stays. Exits with a message if it cannot. */
FILE *temporary_create(const char *end, const char **path);

/** The same, which another program is to write. */
const char *temporary_path(const char *end);

/** Removes a file, too, which another program may write; the name stays. */
void temporary_add(char *path);

/** Closes it; exits with a message where it could not be written. */
void temporary_close(FILE *file, const char *path);

#endif
