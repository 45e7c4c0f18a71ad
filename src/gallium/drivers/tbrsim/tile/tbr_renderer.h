/* SPDX-License-Identifier: MIT */
/** The raster pipeline's threads: renders batches one after another, the tiles of
 * each in parallel. */
#ifndef TBR_RENDERER_H
#define TBR_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

struct tbr_batch;
struct tbr_context;
struct tbr_renderer;
struct tbr_thumbnail;

/** Starts the worker threads; 0: one a core. NULL when that fails. */
struct tbr_renderer *tbr_renderer_create(unsigned threads);
/** In a forked child, which has a copy of the renderer and none of its threads: what is under way there is not waited for,
 * and nothing may be submitted. */
void tbr_renderer_leave_to_parent(struct tbr_renderer *renderer);
/** Renders what is queued and stops the threads. A child's copy of its parent's stays. */
void tbr_renderer_destroy(struct tbr_renderer *renderer);

/** Returns the sequence number of a new batch, which counts as not done until the batch
 * is rendered. 0 when out of memory. */
uint64_t tbr_renderer_begin(struct tbr_renderer *renderer);
/** Queues a batch that has been recorded. Waits while too many are under way. */
void tbr_renderer_submit(struct tbr_renderer *renderer, struct tbr_batch *batch);

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

/** Takes the context's retired batches. */
struct tbr_batch *tbr_renderer_take_retired(struct tbr_renderer *renderer, struct tbr_context *context);
/** Waits until the context has no batch under way. */
void tbr_renderer_drain(struct tbr_renderer *renderer, struct tbr_context *context);

/** The model waits for a tile, by position in the traversal; waits for the batch to
 * be rendered, whose thumbnail it takes; is done with the events of a tile, by its number; and
 * releases the batch. */
void tbr_renderer_wait_tile(void *batch, uint32_t position);
struct tbr_thumbnail tbr_renderer_take_thumbnail(void *batch);
void tbr_renderer_release_tile(void *batch, uint32_t tile);
void tbr_renderer_release(void *batch);

#endif
