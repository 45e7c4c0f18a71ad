/* SPDX-License-Identifier: MIT */
/**
 * Fibers: stacks of their own for the invocations of a work-group that wait at a barrier. A fiber runs on the thread
 * that resumes it, until it yields or its job is done.
 */
#ifndef TBR_FIBER_H
#define TBR_FIBER_H

#include <stdbool.h>

struct tbr_fiber;

/** NULL when out of memory. */
struct tbr_fiber *tbr_fiber_create(void);
/** Not while it runs. NULL is fine. */
void tbr_fiber_destroy(struct tbr_fiber *fiber);

/** Gives it something to do, which must be done before the next. */
void tbr_fiber_set_job(struct tbr_fiber *fiber, void (*job)(void *data), void *data);
/** Runs the job until it yields (true) or is done (false). */
bool tbr_fiber_resume(struct tbr_fiber *fiber);
/** From within the job. */
void tbr_fiber_yield(struct tbr_fiber *fiber);

#endif
