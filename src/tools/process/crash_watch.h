/* SPDX-License-Identifier: MIT */
/**
 * Programs that hang in their handler of a signal that should end them. apitrace's replayers make a report of SIGSEGV, SIGTERM
 * and others, which allocates memory. Where that is what there was too little of, the handler crashes, too, is resumed where it
 * crashed, and so goes on for ever; where it interrupts the allocator, it waits for a lock that its own thread holds.
 */
#ifndef CRASH_WATCH_H
#define CRASH_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/** Watches a program that has been started: once its first thread has been in such a handler for CRASH_WATCH_SECONDS,
 * it is killed. Uses SIGALRM and the process' timer. */
void crash_watch_begin(pid_t id);
#define CRASH_WATCH_SECONDS 5

/** Ends that, when the program has ended: whether it was killed. */
bool crash_watch_end(pid_t id);

#endif
