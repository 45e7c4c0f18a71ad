/* SPDX-License-Identifier: MIT */
/** Long work of several processes, one after the other, with one progress (progress.h): what they and the commands that
 * they start say of theirs in the file that TBRSIM_PROGRESS names. */
#ifndef STAGES_H
#define STAGES_H

#include "process/process.h"

/** `count` stages follow. */
void stages_begin(unsigned count);

/** The next one begins; what its processes do is shown with its name. */
void stages_next(const char *name);

/** Waits for a process (process_wait) and meanwhile shows the progress, where there are stages. */
int stages_wait(struct process *process);

#endif
