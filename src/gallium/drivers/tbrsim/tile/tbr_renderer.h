/* SPDX-License-Identifier: MIT */
/** The raster pipeline's threads: renders batches one after another, the tiles of
 * each in parallel. */
#ifndef TBR_RENDERER_H
#define TBR_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

struct tbr_context;
struct tbr_job;
struct tbr_renderer;

/** Starts the worker threads; 0: one per core. NULL when that fails. */
struct tbr_renderer *tbr_renderer_create(unsigned threads);
/** In a forked child, which has a copy of the renderer and none of its threads: what is under way there is not waited for,
 * and nothing may be submitted. */
void tbr_renderer_leave_to_parent(struct tbr_renderer *renderer);
/** Renders what is queued and stops the threads. A child's copy of its parent's stays. */
void tbr_renderer_destroy(struct tbr_renderer *renderer);

/** Returns the sequence number of a new batch, which counts as not done until the batch
 * is rendered. 0 when out of memory. */
uint64_t tbr_renderer_begin(struct tbr_renderer *renderer);
/** Queues the job of a batch that has been recorded. Waits while too many are under way. A job that is recorded has a
 * source with the pass' events, whose functions this sets. */
void tbr_renderer_submit(struct tbr_renderer *renderer, struct tbr_job *job);

/** Whether the batch is rendered, and all submitted ones with smaller numbers / waits until they are. A batch that has
 * not been submitted counts as done. */
bool tbr_renderer_done(struct tbr_renderer *renderer, uint64_t sequence);
void tbr_renderer_wait(struct tbr_renderer *renderer, uint64_t sequence);
/** The same of a fence: a batch that has not been submitted counts as not done. */
bool tbr_renderer_signalled(struct tbr_renderer *renderer, uint64_t sequence);
void tbr_renderer_wait_signalled(struct tbr_renderer *renderer, uint64_t sequence);
/** The sequence number that the next batch gets, of any context; that of the oldest batch that is still being recorded, or
 * the next one's. */
uint64_t tbr_renderer_next_sequence(struct tbr_renderer *renderer);
uint64_t tbr_renderer_oldest_recorded(struct tbr_renderer *renderer);
/** How many batches of all contexts are being recorded. */
unsigned tbr_renderer_count_recorded(struct tbr_renderer *renderer);
/** Whether no batch of any context is under way / waits until that is so. */
bool tbr_renderer_idle(struct tbr_renderer *renderer);
void tbr_renderer_wait_idle(struct tbr_renderer *renderer);

/** Takes the jobs of the context's retired batches. */
struct tbr_job *tbr_renderer_take_retired(struct tbr_renderer *renderer, struct tbr_context *context);
/** Waits until the context has no batch under way. */
void tbr_renderer_drain(struct tbr_renderer *renderer, struct tbr_context *context);

#endif
