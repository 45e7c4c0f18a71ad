/* SPDX-License-Identifier: MIT */
/**
 * Writes timeline.pftrace next to stats.json: a timeline (timing/timeline.h) of some of a run's frames, as far as they have
 * ended.
 */
#ifndef CM_TIMELINE_WRITER_H
#define CM_TIMELINE_WRITER_H

#include "gpu/gpu.h"
#include "timing/timeline.h"

struct cm_stats_writer;
struct cm_timeline_writer;

/** Reads "A-B", "A..B" or "A". False: the text is none of these. */
bool cm_timeline_frames_parse(const char *text, struct cm_timeline_frames *frames);

/** Adds the file to a writer that has no frame yet. NULL when out of memory. */
struct cm_timeline_writer *
cm_timeline_writer_create(const struct cm_timeline_frames *frames, struct cm_stats_writer *stats);
/** With a message if some of the frames are missing; false if that is not because of a second GPU. NULL is fine. */
bool cm_timeline_writer_destroy(struct cm_timeline_writer *writer);

/** Before cm_stats_writer_frame, after cm_gpu_frame_end: the frame of a GPU that has a timeline. A GPU's cycles begin at
 * 0, so that a file has one GPU: frames of others are left out, with a message. writer: NULL is fine. */
void cm_timeline_writer_frame(struct cm_timeline_writer *writer, struct cm_gpu *gpu);

#endif
