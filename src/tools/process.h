/* SPDX-License-Identifier: MIT */
/**
 * The programs the command starts. SIGINT, SIGTERM and SIGHUP are passed on to
 * them; a program ends when the command does, whatever ended it.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "environment.h"

struct process {
   pid_t id;   /**< 0: not running */
   int output; /**< what it writes to stdout, where that was asked for; -1 otherwise */
};

struct process_setup {
   const struct variable *variables; /**< changes to its environment */
   unsigned num_variables;
   bool system_environment; /**< environment_remove() first */
   bool background;         /**< a process group of its own: the terminal's Ctrl-C does not reach it */
   enum { OUTPUT_SHARED, OUTPUT_PIPE, OUTPUT_NONE } output;
   const char *errors; /**< file that takes its stderr; NULL: ours */
};

/** Starts argv[0], searched in PATH. Returns 0, or the error number with which the
 * program could not be started or executed. */
int process_start(struct process *process, char *const argv[], const struct process_setup *setup);

/** Waits for it: exit status, or STATUS_SIGNAL + the signal that killed it. Closes output. */
int process_wait(struct process *process);

/** Whether it still runs; without waiting. */
bool process_running(struct process *process);

/** SIGTERM, a while later SIGKILL; returns when it is gone. */
void process_stop(struct process *process);

/** Replaces the command by argv[0]; returns the error number. */
int process_become(char *const argv[]);

/** The signal that asked the command to end; 0: none so far. */
int process_interrupted(void);

/** Says why a program could not be executed; returns the exit status for it. */
int process_explain(const char *program, int error);

/** A line for a program that a signal killed (status as process_wait's). */
void process_explain_signal(const char *program, int status);

#endif
