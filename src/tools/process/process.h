/* SPDX-License-Identifier: MIT */
/**
 * The programs the command starts. SIGINT, SIGTERM and SIGHUP are passed on to
 * them, where they are received a second time as SIGKILL; a program ends when the command does, whatever ended it.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "process/environment.h"

struct process {
   pid_t id;   /**< 0: not running */
   int signal; /**< that has killed it; 0: none */
   int output; /**< what it writes to stdout, where a pipe was asked for; -1 otherwise */
};

struct process_setup {
   const struct variable *variables; /**< changes to its environment */
   unsigned num_variables;
   bool system_environment; /**< environment_remove() first */
   /** The command stands for the program: signals that it gets are passed on as they are, but for the terminal's,
    * which the program gets as well. It must be the only program, but for those in the background. */
   bool stands_for;
   bool killed_with_command; /**< by SIGKILL where the command dies; else it gets SIGTERM then */
   bool background;          /**< a process group of its own: the terminal's Ctrl-C does not reach it */
   enum {
      OUTPUT_SHARED,
      OUTPUT_PIPE,
      OUTPUT_PIPE_ALL,
      OUTPUT_NONE,
      OUTPUT_ERRORS
   } output;           /**< _ALL: stderr goes into the pipe, too; _ERRORS: it goes where stderr goes */
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

/** The same of a program that the command stands for: when it stops, the command stops, too. */
int process_wait_as_it(struct process *process);

/** From now on standard output is the programs' alone: who waits for its end does not wait for the command. */
void process_leave_output(void);

/** Ends the command by a signal, that which has killed its program; returns for 0. */
void process_end_by(int number);

/** The signal that asked the command to end; 0: none so far. */
int process_interrupted(void);

/** Reports why a program could not be executed, followed by a hint, perhaps ""; returns the exit status for it. */
int process_explain(const char *program, const char *hint, int error);

/** A line for a program that a signal killed (status as process_wait's). */
void process_explain_signal(const char *program, int status);

#endif
