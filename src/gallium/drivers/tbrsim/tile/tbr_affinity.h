/* SPDX-License-Identifier: MIT */
/** Which processors the threads that render run on. Threads that are woken together often begin on one processor, and one that
 * was idle for a short time only gets none of them from the kernel: they share the first for as long as a frame takes. */
#ifndef TBR_AFFINITY_H
#define TBR_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

struct tbr_affinity {
   int own;           /**< processor that is the thread's own; negative: none */
   bool is_bound;     /**< the kernel has refused `allowed` */
   cpu_set_t allowed; /**< where the thread might run before it was moved */
};

/** For the calling thread, which has this number among so many. Where there are as many processors, and more than one, each
 * gets another of them; otherwise none has its own: with more processors than threads the kernel finds idle ones. */
void tbr_affinity_init(struct tbr_affinity *affinity, unsigned number, unsigned num_threads);

/** Whether the calling thread is on its own processor, or has none. */
bool tbr_affinity_is_own(const struct tbr_affinity *affinity);

/** Moves the calling thread to its own processor, if it may still run there; the kernel may move it away again. It waits for the
 * processor: others must not wait for the thread. */
void tbr_affinity_return(struct tbr_affinity *affinity);

#endif
