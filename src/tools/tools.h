/* SPDX-License-Identifier: MIT */
/** What the parts of the tbrsim command share. */
#ifndef TOOLS_H
#define TOOLS_H

#include <stdint.h>

/** Exit statuses of the command itself; `run` passes its program's on. */
enum {
   STATUS_OK = 0,
   STATUS_FAILED = 1,           /**< something could not be done, or a check failed */
   STATUS_USAGE = 2,            /**< wrong options or a wrong configuration */
   STATUS_NOT_EXECUTABLE = 126, /**< as a shell says it */
   STATUS_NOT_FOUND = 127,
   STATUS_SIGNAL = 128, /**< plus the signal's number */
};

/** Prints "tbrsim: ", the message and a newline on stderr. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Says the message and exits. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Memory or text that is always there: the command ends when out of memory. */
void *allocate(unsigned long size);
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Writes what standard output still has; where not all has been written, a command that succeeded fails. Returns the
 * exit status. */
int end_output(int status);

/** How much of a whole a part is, or a sum by a count; 0 where there is none. */
static inline double
ratio(uint64_t part, uint64_t whole)
{
   return whole ? (double)part / (double)whole : 0;
}

/** The subcommands; argv[0] is the subcommand's name. They return the exit status. */
int command_run(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_select(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_info(int argc, char **argv);
int command_export(int argc, char **argv);
int command_energy(int argc, char **argv);
int command_env(int argc, char **argv);
int command_configs(int argc, char **argv);
int command_cache(int argc, char **argv);
int command_counters(int argc, char **argv);
int command_analyze(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_advise(int argc, char **argv);
int command_report(int argc, char **argv);
int command_llc(int argc, char **argv);
int command_parquet(int argc, char **argv);
int command_explore(int argc, char **argv);
int command_doctor(int argc, char **argv);

#endif
