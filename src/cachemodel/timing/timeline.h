/* SPDX-License-Identifier: MIT */
/**
 * A frame in the Chrome trace event format, for chrome://tracing and Perfetto: what each stage did tile by tile, what
 * is in the queues, what the caches missed, which rows of DRAM's banks were open. Times are cycles of the GPU's clock
 * since the frame began (the viewers call them microseconds).
 */
#ifndef CM_TIMELINE_H
#define CM_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Rows of the picture: X(identifier, name) */
#define CM_TIMELINE_TRACKS(X)                          \
   X(GEOMETRY, "Geometry Pipeline")                    \
   X(TILE_FETCHER, "Tile Fetcher")                     \
   X(HIDDEN_SURFACE_REMOVAL, "Hidden Surface Removal") \
   X(RASTERIZER, "Rasterizer and Early Z-Test")        \
   X(FRAGMENT_STAGE, "Fragment Processors")            \
   X(BLENDING_UNIT, "Blending Unit")                   \
   X(FLUSH, "Tile flush")

enum cm_timeline_track {
#define CM_TIMELINE_TRACK(id, name) CM_TIMELINE_##id,
   CM_TIMELINE_TRACKS(CM_TIMELINE_TRACK)
#undef CM_TIMELINE_TRACK
      CM_TIMELINE_TRACK_COUNT,
   CM_TIMELINE_FIRST_BANK = CM_TIMELINE_TRACK_COUNT /**< banks of DRAM follow */
};

/** The most events of a file; later ones are dropped, and the file says how many. */
#define CM_TIMELINE_EVENTS (1u << 20)

struct cm_timeline;

/** Records one frame, by its number from 0; the file calls it label. banks: of the whole DRAM system.
 * NULL when out of memory. */
struct cm_timeline *cm_timeline_create(uint32_t frame, uint32_t label, uint32_t banks);
void cm_timeline_destroy(struct cm_timeline *timeline);

/** A frame begins at a cycle. Returns whether it is the recorded one. */
bool cm_timeline_begin_frame(struct cm_timeline *timeline, uint32_t frame, uint64_t cycle);
/** Whether the recorded frame has begun and not ended. */
bool cm_timeline_is_recording(const struct cm_timeline *timeline);
/** The frame ends. */
void cm_timeline_end_frame(struct cm_timeline *timeline, uint64_t cycle);

/** What a track did from a cycle to another, for a tile, a pass, or with a row open. Spans of a track do not
 * overlap: one that begins before the one before it has ended begins then. */
void
cm_timeline_span(struct cm_timeline *timeline, uint32_t track, uint64_t begin, uint64_t end, uint64_t number);

/** A counter's value from a cycle on. name is kept, not copied. */
void cm_timeline_value(struct cm_timeline *timeline, const char *name, uint64_t cycle, uint64_t thousandths);

/** Writes the file; false, with errno set, where that fails. May be called again. */
bool cm_timeline_write(struct cm_timeline *timeline, FILE *file);
/** Whether the recorded frame has ended. */
bool cm_timeline_is_complete(const struct cm_timeline *timeline);

#endif
