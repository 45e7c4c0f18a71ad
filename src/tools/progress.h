/* SPDX-License-Identifier: MIT */
/** The progress of long work: one line on stderr that is rewritten, on a terminal; nothing elsewhere. */
#ifndef PROGRESS_H
#define PROGRESS_H

/** Shows what is done, done of so many frames (a part of one counts), with the rate and the time left; a total of 0 is
 * not known. The line appears after half a second of work, changes ten times a second at most, and is never longer
 * than the terminal is wide. Other work begins where `what` changes. */
void progress_show(const char *what, double done, double total);

/** Removes the line. What the command says does so by itself. */
void progress_end(void);

/** From now on nothing is shown: stdout is being written to the same terminal. */
void progress_silence(void);

#endif
