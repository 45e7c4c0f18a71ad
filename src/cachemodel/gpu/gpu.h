/* SPDX-License-Identifier: MIT */
/**
 * The simulated GPU's memory side: builds the units of the configuration and feeds
 * the event stream through them. The only consumer of events, live and from a
 * recording.
 *
 * Calls come from one thread at a time, in stream order:
 *    (define_resource | define_name | define_code)*, pass_begin, pass_tile* (in the traversal order), pass_end,
 *    …, frame_end, … , destroy.
 *
 * In mode imr the GPU has no tiles (gpu/immediate/immediate.h): it copies the data of the tiles, and simulates
 * the whole pass in pass_end.
 */
#ifndef CM_GPU_H
#define CM_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "events/event_stream.h"
#include "gpu/counters.h"
#include "util/threads.h"

struct cm_gpu;
struct cm_access_reader;
struct cm_futures;
struct cm_names;
struct cm_shader_code;
struct cm_timeline;
struct cm_timeline_frames;

/** Builds the hierarchy. NULL with a line in error when it cannot be built, or when a
 * policy needs next uses. */
struct cm_gpu *cm_gpu_create(const struct cm_config *config, char *error, size_t error_size);
/** Like cm_gpu_create, for one of the passes over the trace that such policies need (memory/future.h). The
 * futures are those of the same configuration; NULL: none. */
struct cm_gpu *cm_gpu_create_with_futures(const struct cm_config *config, struct cm_futures *futures,
                                          char *error, size_t error_size);
void cm_gpu_destroy(struct cm_gpu *gpu);

/** Before the first pass: adds a reader of the access stream (access/arrivals.h), which must outlive the GPU.
 * When a render pass or a frame ends, it has received all entries so far. False when out of memory. */
bool cm_gpu_add_reader(struct cm_gpu *gpu, const struct cm_access_reader *reader);

/** Before the first pass, of a GPU with timing: makes a timeline of some of its frames (timing/timeline.h). False when out of
 * memory. */
bool cm_gpu_make_timeline(struct cm_gpu *gpu, const struct cm_timeline_frames *frames);
/** It, or NULL. It has a frame's packets after cm_gpu_frame_end. */
struct cm_timeline *cm_gpu_timeline(struct cm_gpu *gpu);

/** With timing, so many threads are needed for several to simulate the caches of a GPU with tiles: with fewer, the timing keeps the
 * others busy. */
#define CM_TIMED_THREADS 3
/** Before the first pass, and after readers and timeline: the GPU is simulated on this many threads (at least 1, the caller's),
 * as far as its work can be divided. With timing, this many others time frames. The counts do not depend on it. False when out of
 * memory. */
bool cm_gpu_set_threads(struct cm_gpu *gpu, unsigned threads);

/** Before the first pass, of a GPU with timing: cm_timing_set_longest_part (timing/timing.h). */
void cm_gpu_set_longest_part(struct cm_gpu *gpu, uint32_t entries);

/** Why the GPU is simulated on one thread whatever cm_gpu_set_threads says, in a few words ("counts are
 * attributed"); NULL: it can be on several. To be called at the same time, or later. */
const char *cm_gpu_serial_reason(const struct cm_gpu *gpu);

/** Whether cm_gpu_set_threads lets several threads derive what is shaded of tiles (mode tbdr): if the work can be divided,
 * and those of textures allow it (cm_parallel_can_shade). Without readers and timelines, which come later. */
bool cm_gpu_shades_on_threads(const struct cm_gpu *gpu, unsigned threads);

/** Processor time of a part of the simulation, on whichever threads. */
struct cm_work_time {
   const char *name;
   int64_t
      nanoseconds; /**< of the main thread, the caller's: to be added to the processor time of that thread in this
                         * GPU's functions */
   bool is_divisible; /**< several threads do it at once */
};
#define CM_MAX_WORK_TIMES 6
/** After cm_gpu_frame_end: fills in the parts' times so far; returns how many there are. */
unsigned cm_gpu_work_times(const struct cm_gpu *gpu, struct cm_work_time times[CM_MAX_WORK_TIMES]);

/** Before the first pass: sets a function that is called for each tile, once its words are not needed any more, in
 * cm_gpu_pass_tile or later, up to cm_gpu_pass_end; with several threads on any of them, also at the same time. */
void cm_gpu_release_tiles(struct cm_gpu *gpu, void (*release)(void *context, uint32_t tile), void *context);

/** Announces a resource before the first pass that names it. */
void cm_gpu_define_resource(struct cm_gpu *gpu, const struct cm_resource_description *resource);
/** No pass from now on names the resource: what is kept for it is freed, unless counts by resource may name it. Not within a
 * pass. */
void cm_gpu_forget_resource(struct cm_gpu *gpu, uint32_t id);
/** Announces a name; the text is copied. Names change nothing that is counted. */
void cm_gpu_define_name(struct cm_gpu *gpu, const struct cm_name *name);
/** The program's names that have been defined; only with attribution or a timeline. */
const struct cm_names *cm_gpu_names(const struct cm_gpu *gpu);

/** Announces the code of a shader before the first pass that names the shader; it is copied (events/shader_code.h). Shaders
 * that have none for CM_ISA_NIR have no control flow, or are of a recording before version 12: what runs is their text. */
void cm_gpu_define_code(struct cm_gpu *gpu, const struct cm_shader_code *code);

/** Geometry and tiling: index and vertex fetches, shaders, constants, and the
 * Polygon List Builder's writes. The pass is of the kind CM_PASS_FULL, or in the modes tbr and tbdr of the
 * mode's own kind. */
void cm_gpu_pass_begin(struct cm_gpu *gpu, const struct cm_pass *pass);
/** The traversal of the current pass: tile numbers in visiting order. NULL when out of memory:
 * then the pass has no tiles to visit. */
const uint32_t *cm_gpu_pass_traversal(const struct cm_gpu *gpu);
/** One tile: Tile Fetcher's reads, shading, texture reads, tile load and flush. All tiles of a pass are
 * passed in traversal order, touched or not. The tile's words are not needed after the call; with several threads they
 * are, until cm_gpu_pass_end returns or the tile is released. */
void cm_gpu_pass_tile(struct cm_gpu *gpu, uint32_t tile);
void cm_gpu_pass_end(struct cm_gpu *gpu);

/** Ends a frame; later accesses count for the next one. Returns the counter values of the oldest frame that has ended and whose
 * values were not returned, valid until the next call; NULL: it is not simulated completely. That is the frame that the call ends, unless the GPU is
 * late, or cm_gpu_set_threads lets several threads time frames. Frames are returned in their order, each once, whichever of these
 * functions does it. */
const uint64_t *cm_gpu_frame_end(struct cm_gpu *gpu);
/** The same of the next frame that has ended, if it is simulated completely by now. To be called after cm_gpu_frame_end, until it is
 * NULL. */
const uint64_t *cm_gpu_next_frame(struct cm_gpu *gpu);
/** No frame follows: waits for the next one that has ended. NULL: all were returned. */
const uint64_t *cm_gpu_last_frame(struct cm_gpu *gpu);
/** Before the first pass: sets a function that is called whenever cm_gpu_next_frame may return one, on a thread of the GPU's and
 * while it is in other functions or none. */
void cm_gpu_on_timed_frame(struct cm_gpu *gpu, void (*timed)(void *context), void *context);
/** The most frames that have ended and are not returned: for each thread, and of any GPU. */
#define CM_FRAMES_OF_A_THREAD 2
#define CM_MOST_ENDED_FRAMES (CM_FRAMES_OF_A_THREAD * CM_MAX_THREADS)
/** Whether a frame is simulated only when the next one is known (parameter_buffer.written: among-tiles). */
bool cm_gpu_is_late(const struct cm_gpu *gpu);

/** Whether everything so far was counted: false once out of memory, after a message (util/message.h). */
bool cm_gpu_is_complete(const struct cm_gpu *gpu);
/** Whether there was too little memory: the counts of this frame and of all after it are wrong, and must not be written. */
bool cm_gpu_is_out_of_memory(const struct cm_gpu *gpu);

/** Counter values (gpu/counters.h) since creation, collected by the call and valid until the next one. */
const uint64_t *cm_gpu_total(struct cm_gpu *gpu);
/** The table of this GPU's counters (the instances depend on the configuration). */
const struct cm_counter_table *cm_gpu_counters(const struct cm_gpu *gpu);

#endif
