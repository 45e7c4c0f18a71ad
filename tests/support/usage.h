/* SPDX-License-Identifier: MIT */
/** What a program that runs for long uses, for soak_test.py. */
#ifndef SUPPORT_USAGE_H
#define SUPPORT_USAGE_H

#include <stddef.h>

/** Seconds of a clock that only goes on. */
double read_seconds(void);

/** Prints a line: seconds, frames, KiB of resident memory, KiB that are allocated, threads, descriptors. */
void print_usage(double seconds, unsigned long frames);

/** Allocates memory, uses it, and forgets it. */
void lose_memory(size_t bytes);

#endif
