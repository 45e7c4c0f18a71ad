/* SPDX-License-Identifier: MIT */
/** Where the results of this process go: TBRSIM_OUT, TBRSIM_RUN (stats/process_results.h). */
#ifndef TBR_PROCESS_H
#define TBR_PROCESS_H

#include <stdbool.h>

struct cm_process_results;

/** Whether this is another process than at the last call with the same variable, which starts as 0: a child has
 * copies of its parent's variables, but no part in its results. */
bool tbr_process_is_new(int *process);

/** The results of the process, for as long as it lives; NULL with a message when memory is out. */
struct cm_process_results *tbr_process_results(void);

/** The directory for statistics; NULL: there are none. */
const char *tbr_process_directory(void);

#endif
