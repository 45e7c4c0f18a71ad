/* SPDX-License-Identifier: MIT */
/** How the programs that draw report what is wrong: on standard error, in lines that begin with the program's name. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <stdbool.h>

/** Prints a message, with EGL's error where there is one, and ends the program with status 1. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same unless the condition holds. */
void require(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Counts a condition that does not hold and prints the message, the first 40 times; returns the condition. */
bool holds(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The exit status: 1 if a condition did not hold; then it says how many were not printed. */
int check_status(void);

#endif
