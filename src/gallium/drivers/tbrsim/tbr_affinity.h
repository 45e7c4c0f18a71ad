/* SPDX-License-Identifier: MIT */
/** Which processors the threads that render run on. Threads that are woken together often begin on one processor, and one that
 * was idle for a short time only gets none of them from the kernel: they share the first for as long as a frame takes. */
#ifndef TBR_AFFINITY_H
#define TBR_AFFINITY_H

#include <sched.h>

/** The processors that a thread may run on, and one of them that is its own. */
struct tbr_affinity {
   cpu_set_t allowed;
   int own; /**< negative: none */
};

/** For the calling thread, which has this number among so many. Where there are as many processors, and more than one, each
 * gets another of them; otherwise none has its own: with more processors than threads the kernel finds idle ones. */
void tbr_affinity_init(struct tbr_affinity *affinity, unsigned number, unsigned num_threads);

/** Moves the calling thread to its own processor, where the kernel may move it away again. */
void tbr_affinity_return(const struct tbr_affinity *affinity);

#endif
