/* SPDX-License-Identifier: MIT */
/** Where the results of this process go: TBRSIM_OUT, TBRSIM_RUN (results/process_results.h). */
#ifndef TBR_PROCESS_H
#define TBR_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct cm_process_results;

/** Registers a function that is called in every child that the process forks. A child has copies of its
 * parent's variables, but none of its threads, and no part in its results: the function reinitialises locks
 * and resets what belongs to the parent. */
void tbr_process_at_fork(bool *registered, void (*child)(void));

/** The results of the process, for as long as it lives; NULL with a message when out of memory. */
struct cm_process_results *tbr_process_results(void);

/** The process ends: its results are finished. */
void tbr_process_finish(void);

/** The directory for statistics; NULL: there are none. */
const char *tbr_process_directory(void);

/** Ends the process if it cannot continue, after a message; the files of finished frames are complete. The program's own
 * handler of SIGABRT is not called: it may run on a thread of ours, and need memory, of which there is none. */
static inline _Noreturn void
tbr_process_abort(void)
{
   signal(SIGABRT, SIG_DFL);
   abort();
}

#endif
