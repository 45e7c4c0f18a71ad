/* SPDX-License-Identifier: MIT */
/**
 * When it all happens in mode imr: the timing of the immediate-mode pipeline (docs/immediate.md).
 *
 * The consumer (gpu/immediate.c) simulates the caches in the order of the program and says here what it did. When a
 * pass is complete, its log is gone through in the order of time: all stages do what they can before some cycle, then
 * DRAM does, then the next few cycles' turn comes. Nothing here changes what hits and what misses.
 *
 * Calls, from one thread, for each pass:
 *    pass_begin, cleared,
 *    ((draw, programs_fetched, vertex*, draw_end) | (primitive, (region, block*, region_end)*))*,
 *    drawn, resolved, pass_end
 * and after the last pass of a frame frame_end. What the caches did between two calls is in the log.
 */
#ifndef CM_IMMEDIATE_TIMING_H
#define CM_IMMEDIATE_TIMING_H

#include "config/config.h"
#include "events/event_stream.h"
#include "memory/hierarchy.h"
#include "stats/counters.h"

struct cm_immediate_timing;

/** For a configuration whose timing is on, in mode imr. The hierarchy must outlive it. NULL when memory is out. */
struct cm_immediate_timing *
cm_immediate_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy);
void cm_immediate_timing_destroy(struct cm_immediate_timing *timing);

/** Whether memory was out: from then on no cycle is counted. */
bool cm_immediate_timing_is_lost(const struct cm_immediate_timing *timing);

void cm_immediate_timing_pass_begin(struct cm_immediate_timing *timing);
/** The attachments are cleared. */
void cm_immediate_timing_cleared(struct cm_immediate_timing *timing);

/** A draw begins. What follows are its programs. */
void cm_immediate_timing_draw(struct cm_immediate_timing *timing, const struct cm_draw *draw);
void cm_immediate_timing_programs_fetched(struct cm_immediate_timing *timing);
/** A vertex was fetched, or found transformed already. */
void cm_immediate_timing_vertex(struct cm_immediate_timing *timing, bool reused);
/** The draw's vertices end; since the last one, transform feedback was written. */
void cm_immediate_timing_draw_end(struct cm_immediate_timing *timing);

/** A primitive of a draw (number in the pass) begins; then a region of it, whose HiZ was read. */
void cm_immediate_timing_primitive(struct cm_immediate_timing *timing, uint32_t draw);
void cm_immediate_timing_region(struct cm_immediate_timing *timing);

/** Where the log is. */
uint32_t cm_immediate_timing_mark(const struct cm_immediate_timing *timing);

/** A block of 4x4 pixels is done. */
struct cm_timed_block {
   uint32_t tests_end;    /**< the log after the early tests */
   uint32_t shade_end;    /**< the log after the programs */
   uint32_t quads;        /**< that ran, once for each run */
   uint32_t instructions; /**< of the program */
   uint32_t footprints;   /**< that all of them read */
   uint32_t processor;
};
void cm_immediate_timing_block(struct cm_immediate_timing *timing, const struct cm_timed_block *block);
/** The region ends; since its last block, HiZ was written. */
void cm_immediate_timing_region_end(struct cm_immediate_timing *timing);

/** All is drawn; what follows are resolves. */
void cm_immediate_timing_drawn(struct cm_immediate_timing *timing);
/** What follows is what the render caches write back. */
void cm_immediate_timing_resolved(struct cm_immediate_timing *timing);
void cm_immediate_timing_pass_end(struct cm_immediate_timing *timing);
void cm_immediate_timing_frame_end(struct cm_immediate_timing *timing);

/** What is counted (timing/immediate/counters.h); read from a struct cm_immediate_timing. */
extern const struct cm_counter_source cm_immediate_timing_counters;

#endif
