/* SPDX-License-Identifier: MIT */
/** The progress of long work: one line on stderr that is rewritten, on a terminal; nothing elsewhere. For programs, which
 * show it themselves, lines of JSON in the file that TBRSIM_PROGRESS names instead: {"command": "sim", "process": 1234,
 * "work": "simulating", "done": 3.25, "total": 8}, in frames; a total of 0 is not known. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

/** Opens the file that TBRSIM_PROGRESS names, to be appended to, if it names one; processes that are started later do not
 * inherit it. Ends the command where it cannot be opened. command: its name. */
void progress_open(const char *command);

/** Whether there is such a file. */
bool progress_is_read(void);

/** What is shown from now on is a stage, with a number from 1 on, of so many: "2 of 3, NAME: simulating: frame …". Where
 * stderr is no terminal, it has lines for stages that take long. */
void progress_stage(unsigned number, unsigned count, const char *name);

/** Shows what is done, done of so many frames (a part of one counts), with the rate and the time left; a total of 0 is
 * not known. The line appears after half a second of work, of a stage at once, changes at most ten times per second, and is never longer
 * than the terminal is wide. Other work begins where `what` changes.
 * The file has a line for the beginning of each piece of work, then at most ten per second. */
void progress_show(const char *what, double done, double total);

/** Removes the line. What the command says does so by itself. */
void progress_end(void);

/** From now on nothing is shown: stdout is being written to the same terminal. */
void progress_silence(void);

#endif
