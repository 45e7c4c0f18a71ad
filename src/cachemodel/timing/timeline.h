/* SPDX-License-Identifier: MIT */
/**
 * A timeline of frames as packets of a Perfetto trace (docs/timing.md): slices of what the parts of the GPU did, on
 * tracks of a process "tbrsim GPU" and of one for DRAM; counters of the GPU. Times are nanoseconds since the GPU's
 * first cycle: cycles * 1000 / clock_mhz, rounded down, like gpu.time.
 *
 * A file is the head, once, and the packets of each frame.
 */
#ifndef CM_TIMELINE_H
#define CM_TIMELINE_H

#include "events/event_stream.h"
#include "util/byte_stream.h"

struct cm_names;
struct cm_timeline;

/** Which frames are kept, by their numbers in the program. */
struct cm_timeline_frames {
   uint32_t first, last;
   uint32_t begin; /**< the number of the GPU's first frame */
};

/** NULL when out of memory. clock_mhz: of the GPU, whose cycles times are given in. */
struct cm_timeline *cm_timeline_create(const struct cm_timeline_frames *frames, uint32_t clock_mhz);
void cm_timeline_destroy(struct cm_timeline *timeline);

/* ---- what a timeline has: before its first frame ---------------------------- */

enum cm_timeline_process { CM_TIMELINE_GPU, CM_TIMELINE_DRAM };

/** Adds a track; returns its number. CM_TIMELINE_FRAMES is there already: a slice for each frame, in it one for each
 * render pass. */
uint32_t
cm_timeline_add_track(struct cm_timeline *timeline, enum cm_timeline_process process, const char *name);
#define CM_TIMELINE_FRAMES 0

/** Units of counters, and the groups in which viewers show them. */
enum cm_timeline_unit { CM_TIMELINE_NUMBER, CM_TIMELINE_BYTES_A_SECOND };
enum cm_timeline_group { CM_TIMELINE_QUEUES, CM_TIMELINE_MEMORY };

/** Adds a counter; the values of samples are in the order in which these were added. */
void cm_timeline_add_counter(struct cm_timeline *timeline, const char *name, const char *description,
                             enum cm_timeline_unit unit, enum cm_timeline_group group);
#define CM_TIMELINE_MAX_COUNTERS 32

/* ---- a frame ------------------------------------------------------------- */

/** The GPU's next frame begins. Returns whether it is kept; then all frames before it must have been taken, as it begins where they
 * ended. */
bool cm_timeline_begin_frame(struct cm_timeline *timeline);
/** Whether the frame that has begun is kept. All that follows does nothing where it is not. */
bool cm_timeline_is_recording(const struct cm_timeline *timeline);
/** A part of it begins where the one before ended: cycles count from there. */
void cm_timeline_begin_part(struct cm_timeline *timeline);
/** Whether the frame after it is kept. */
bool cm_timeline_keeps_next(const struct cm_timeline *timeline);
/** The frame, which is kept, ends at a cycle of its last part. */
void cm_timeline_end_frame(struct cm_timeline *timeline, uint64_t cycle);
/** Parts of all frames are taken in their order, kept or not, when they are timed: it has so many cycles. Then the frame is. */
void cm_timeline_take_part(struct cm_timeline *timeline, uint64_t cycles);
void cm_timeline_take_frame(struct cm_timeline *timeline);

/** A render pass of the frame begins in the event stream; passes count from 0 in each frame. The pass is not needed
 * after the call; names are, until the frame ends. */
void
cm_timeline_add_pass(struct cm_timeline *timeline, const struct cm_pass *pass, const struct cm_names *names);

/** A slice of a track, from a cycle to another. Slices of a track do not overlap and come in their order: one that
 * begins before the one before it has ended begins then, and is left out if nothing remains of it.
 *
 * A whole pass, with its size and the name that its draws share; a part of a pass: what it is, "clear"; a draw of a
 * pass; a tile of a pass; an open row of a bank. */
void
cm_timeline_pass(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint32_t pass);
void cm_timeline_part(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end,
                      uint32_t pass, const char *what);
void cm_timeline_draw(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end,
                      uint32_t pass, uint32_t draw);
void cm_timeline_tile(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end,
                      uint32_t pass, uint32_t tile);
void
cm_timeline_row(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint64_t row);

/** The values of all counters in the time since the sample before, up to a cycle; the first sample of a timeline is
 * where the time of the second one begins, and its values do not count. */
void cm_timeline_sample(struct cm_timeline *timeline, uint64_t cycle, const double *values);

/** A cycle of the frame, in nanoseconds since the first frame began. */
uint64_t cm_timeline_time(const struct cm_timeline *timeline, uint64_t cycle);

/* ---- packets ------------------------------------------------------------- */

/** What a file begins with. */
const struct cm_byte_writer *cm_timeline_head(const struct cm_timeline *timeline);

/** The packets of the frame that was taken last; valid until the next one is. NULL: it was not kept, or, with a message, there was
 * not enough memory for all of it. */
const struct cm_byte_writer *cm_timeline_frame(const struct cm_timeline *timeline);

/** A mark of the writer of the packets in a file: this timeline's are those with it. */
void cm_timeline_mark_written(struct cm_timeline *timeline);
bool cm_timeline_is_written(const struct cm_timeline *timeline);

#endif
