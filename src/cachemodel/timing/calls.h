/* SPDX-License-Identifier: MIT */
/**
 * Calls of the timing (timing.h) as marks in the access stream (CM_MARK_CALL). Where several threads simulate the caches, nobody
 * knows what has been accessed before a call until the shared side has all of it. So calls go into the stream, where the shared
 * side finds them and makes them: then the log is the one that a single thread would have written.
 */
#ifndef CM_TIMING_CALLS_H
#define CM_TIMING_CALLS_H

#include "timing/timing.h"

/** What is called: but for one, the function of timing.h with that name. */
enum cm_timing_call {
   CM_CALL_BEGIN,
   CM_CALL_END,
   CM_CALL_MARK,
   CM_CALL_COST,
   CM_CALL_DRAW_COST,
   CM_CALL_DRAW,
   CM_CALL_SHADERS_FETCHED,
   CM_CALL_VERTEX_FETCHED,
   CM_CALL_VERTEX,
   CM_CALL_INVOCATION,
   CM_CALL_STAGES_END,
   CM_CALL_DRAW_END,
   CM_CALL_BINNED,
   CM_CALL_SIGN,
   CM_CALL_CHECK,
   CM_CALL_CHECKS_END,
   CM_CALL_FETCHED,
   CM_CALL_TILE_VERTEX,
   CM_CALL_DROPPED,
   CM_CALL_TILE_FETCHED,
   CM_CALL_COVERED, /**< from who shades the tile: how many of its quads a primitive covers */
   CM_CALL_KIND,
   CM_CALL_QUAD,
   CM_CALL_PRIMITIVE,
   CM_CALL_REGION,
   CM_CALL_BLOCK_PART_END,
   CM_CALL_BLOCK,
   CM_CALL_REGION_END,
   CM_CALL_SUBMIT_LOG,
   CM_CALL_WORK_GROUP,
   CM_CALL_RUN,
   CM_CALL_BARRIER,
   CM_CALL_COUNT
};
static_assert(CM_CALL_COUNT <= 32, "in the place of a stream");

/** An entry: its value, and how many words of arguments follow it in the stream. */
static inline cm_entry
cm_timing_call_make(enum cm_timing_call call, uint64_t value, unsigned words)
{
   assert(value >> CM_ENTRY_VALUE_BITS == 0 && words < 64);
   return cm_entry_make(CM_ENTRY_MARK, CM_MARK_CALL, words, (enum cm_stream)call, value);
}

/** Appends a call without arguments. */
static inline void
cm_timing_defer(struct cm_access_stream *stream, enum cm_timing_call call, uint64_t value)
{
   cm_access_stream_append(stream, cm_timing_call_make(call, value, 0));
}

/** Appends a call and its arguments, which stay together; not where the stream is a list and memory is short. */
void cm_timing_defer_with(struct cm_access_stream *stream, enum cm_timing_call call, uint64_t value,
                          const void *arguments, size_t bytes);

/** Appends what cm_timing_tile_fetched counts, of a tile whose quads are about to be shaded: how many each primitive covers. */
void cm_timing_defer_covered(const struct cm_config *config, struct cm_access_stream *stream,
                             const struct cm_tile_events *events);

#endif
