/* SPDX-License-Identifier: MIT */
/**
 * Calls of the timing (timing.h) as marks in the access stream (CM_MARK_CALL). Where several threads simulate the caches, nobody
 * knows what has been accessed before a call until the shared side has all of it. So calls go into the stream, where the shared
 * side finds them and makes them: then the log is the one that a single thread would have written.
 */
#ifndef CM_TIMING_CALLS_H
#define CM_TIMING_CALLS_H

#include "timing/timing.h"

/** What is called, each the function of timing.h with that name: X(identifier). */
#define CM_TIMING_CALLS(X)                                                                   \
   X(BEGIN)                                                                                  \
   X(END)                                                                                    \
   X(MARK)                                                                                   \
   X(COST)                                                                                   \
   X(DRAW_COST)                                                                              \
   X(DRAW)                                                                                   \
   X(SHADERS_FETCHED)                                                                        \
   X(VERTEX_FETCHED)                                                                         \
   X(VERTEX)                                                                                 \
   X(INVOCATION)                                                                             \
   X(STAGES_END)                                                                             \
   X(DRAW_END)                                                                               \
   X(BINNED)                                                                                 \
   X(SIGN)                                                                                   \
   X(CHECK)                                                                                  \
   X(CHECKS_END)                                                                             \
   X(FETCHED)                                                                                \
   X(TILE_VERTEX)                                                                            \
   X(DROPPED)                                                                                \
   X(TILE_FETCHED)                                                                           \
   X(COVERED) /* by whom the tile's quads are shaded: how many of them a primitive covers */ \
   X(KIND)                                                                                   \
   X(QUAD)                                                                                   \
   X(WORK_GROUP)                                                                             \
   X(RUN)                                                                                    \
   X(BARRIER)

enum cm_timing_call {
#define CM_TIMING_CALL(id) CM_CALL_##id,
   CM_TIMING_CALLS(CM_TIMING_CALL)
#undef CM_TIMING_CALL
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

/** Appends a call and its arguments, which stay together. They are lost where a stream that grows gets no memory. */
void cm_timing_defer_with(struct cm_access_stream *stream, enum cm_timing_call call, uint64_t value,
                          const void *arguments, size_t bytes);

/** Appends what cm_timing_tile_fetched counts, of a tile whose quads are about to be shaded: how many each primitive covers. */
void cm_timing_defer_covered(const struct cm_config *config, struct cm_access_stream *stream,
                             const struct cm_tile_events *events);

#endif
