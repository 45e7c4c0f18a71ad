/* SPDX-License-Identifier: MIT */
/** The timing of a GPU (timing/timing.h): the tile-based pipeline's, or that of mode imr, as the configuration says. */
#ifndef CM_GPU_TIMING_H
#define CM_GPU_TIMING_H

#include "stats/counters.h"
#include "texture/nuca.h"
#include "timing/timing.h"

struct cm_timeline;

/** For a configuration whose timing is on. The hierarchy and nuca (NULL: none) must outlive it. NULL when out
 * of memory. */
struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca);
void cm_timing_destroy(struct cm_timing *timing);

/** Whether all cycles so far were counted: false once out of memory, or after a deadlock; from then on none is. */
bool cm_timing_is_complete(const struct cm_timing *timing);

/** Before the first pass: reports to a timeline, which must outlive this. False when out of memory. */
bool cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline);
/** Completes all pending work and ends the frame. */
void cm_timing_frame_end(struct cm_timing *timing);

/** What is counted (timing/tiled/counters.c, timing/immediate/immediate.c); read from a struct cm_timing. */
extern const struct cm_counter_source cm_timing_counters;

/** A log begins; tile: the tile that it is of. */
void cm_timing_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile);
/** What is logged is complete for all its draws and their primitives: none of them follows. In mode imr the timing goes on
 * with it. */
void cm_timing_put(struct cm_timing *timing);
/** The log is complete. */
void cm_timing_end(struct cm_timing *timing);

#endif
