/* SPDX-License-Identifier: MIT */
/**
 * A simulated GPU on several threads (util/threads.h), with the same results as on one.
 *
 * The thread that calls gpu/gpu.h, the front, simulates the stages up to the Tile Fetcher, and the tile buffers. Beside it
 *    - preparation makes of a tile's events what is shaded (mode tbdr), counts operations, and runs the quads in a lane
 *      (gpu/lane.h) whose filters leave of the texture reads those that may change a cache;
 *    - the texture caches serve these reads;
 *    - the shared side consumes what front, lanes and texture caches have appended to the access stream.
 * They hand over segments of the stream: the front's entries, and between them the tiles that are shaded there. A
 * segment goes from one to the next; each worker takes the segments in order, preparation takes any. Where the texture caches
 * cannot have filters, there is a single lane, which runs the quads as it reads the caches, in order.
 *
 * A pass ends when the caller may free its events. What is left to be done for it, and the invalidation of textures that it
 * has written, comes before what later passes hand over.
 *
 * What lanes cannot do, the front does when all others are done: passes whose shaders access storage or
 * whose vertex shaders read textures, compute passes, tiles in which a shader gets its memory.
 */
#ifndef CM_PARALLEL_H
#define CM_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

struct cm_gpu;
struct cm_parallel;
struct cm_work_time;

/** For a GPU that has not begun its first pass; threads: 1 or more, the caller among them; guests: threads that may call
 * cm_parallel_help. NULL when out of memory. */
struct cm_parallel *cm_parallel_create(struct cm_gpu *gpu, unsigned threads, unsigned guests);
/** NULL is fine. */
void cm_parallel_destroy(struct cm_parallel *parallel);

/** A pass begins; its textures are bound. False when out of memory. */
bool cm_parallel_begin_pass(struct cm_parallel *parallel);

/** The Fragment Processors on a tile, now or later. False when out of memory. */
bool cm_parallel_shade(struct cm_parallel *parallel, uint32_t tile);

/** A pass ends: waits until what the caller may free is not used any more. NULL is fine. */
void cm_parallel_end_pass(struct cm_parallel *parallel);

/** cm_gpu_work_times, of a GPU that is not simulating. */
unsigned cm_parallel_times(const struct cm_parallel *parallel, struct cm_work_time *times);

/** cm_gpu_work. NULL is fine. */
bool cm_parallel_work(struct cm_parallel *parallel);

/** cm_gpu_help and cm_gpu_wake_guests. NULL is fine. */
bool cm_parallel_help(struct cm_parallel *parallel, unsigned guest, bool waits);
void cm_parallel_wake_guests(struct cm_parallel *parallel, void (*wake)(void *context), void *context);

/** Waits until all is done, and adds what was counted to the GPU's counts. Until something is appended, no other thread
 * uses the GPU. NULL is fine. */
void cm_parallel_drain(struct cm_parallel *parallel);

#endif
