/* SPDX-License-Identifier: MIT */
/**
 * A simulated GPU on several threads (util/threads.h), with the same results as on one: see docs/architecture.md, Threads.
 *
 * The thread that calls gpu/gpu.h, the main thread, simulates the stages up to the Tile Fetcher, and the tile buffers. It
 * submits segments of the access stream: its entries, and between them the tiles, or in mode imr the primitives, that are shaded
 * there. A segment goes
 *    - to a shading worker (gpu/shading_worker.h), which runs the quads; any segment, in any order;
 *    - to the texture worker (gpu/parallel/texture_worker.h), which serves the remaining reads of textures; in order;
 *    - to the shared worker, which passes all of it on to the shared side; in order.
 *
 * With timing, calls of it go the same way as entries, and the shared worker makes them (timing/calls.h).
 *
 * A pass ends when the texture worker has had all of its tiles: the caller may free its events then. The rest of the work
 * for it, and the invalidation of textures that it has written, comes before what later passes submit.
 *
 * The main thread runs quads itself, when all others are done, in passes whose shaders access storage, in compute passes, and
 * of tiles in which a shader gets its memory. In some configurations (cm_parallel_can_shade) there are no shading workers, and it runs
 * all quads.
 */
#ifndef CM_PARALLEL_H
#define CM_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

struct cm_fragment_stage;
struct cm_gpu;
struct cm_immediate;
struct cm_parallel;
struct cm_primitive_run;
struct cm_work_time;

/** Whether a GPU can have shading workers: if its first texture caches are private, serve only reads of textures, and neither does
 * what they evict depend on the progress of the Parameter Buffer nor anything at once on what they miss. */
bool cm_parallel_can_shade(const struct cm_gpu *gpu);

/** Sets gpu->parallel of a GPU that has not begun its first pass; immediate: its, or NULL; threads: 2 or more, the caller among them. Leaves it NULL where
 * the system has no thread left. False when out of memory. */
bool cm_parallel_create(struct cm_gpu *gpu, struct cm_fragment_stage *fragment_stage,
                        struct cm_immediate *immediate, unsigned threads);
/** NULL is fine. */
void cm_parallel_destroy(struct cm_parallel *parallel);

/** A pass begins; its textures are bound. False when out of memory. */
bool cm_parallel_begin_pass(struct cm_parallel *parallel);

/** The Fragment Processors on a tile, now or later. False when out of memory. */
bool cm_parallel_shade(struct cm_parallel *parallel, uint32_t tile);

/** In mode imr, when all events of a pass are in order: its primitives follow. */
void cm_parallel_begin_primitives(struct cm_parallel *parallel);
/** Runs some, now or later. False when out of memory. */
bool cm_parallel_run_primitives(struct cm_parallel *parallel, const struct cm_primitive_run *primitives);
/** All have run, but for what they cause on the shared side. */
void cm_parallel_end_primitives(struct cm_parallel *parallel);

/** The main thread is about to read textures itself: waits until all is done that was submitted. NULL is fine. */
void cm_parallel_take_textures(struct cm_parallel *parallel);

/** A pass ends: waits until what the caller may free is not used any more. NULL is fine. */
void cm_parallel_end_pass(struct cm_parallel *parallel);

/** cm_gpu_work_times, of a GPU that is not simulating. */
unsigned cm_parallel_times(const struct cm_parallel *parallel, struct cm_work_time *times);

/** Waits until all is done, and adds what was counted to the GPU's counts. Until something is appended, no other thread
 * uses the GPU. NULL is fine. */
void cm_parallel_drain(struct cm_parallel *parallel);

#endif
