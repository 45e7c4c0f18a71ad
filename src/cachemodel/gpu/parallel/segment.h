/* SPDX-License-Identifier: MIT */
/**
 * A piece of the access stream that several threads write (gpu/parallel.h): the entries of the main thread, and between them
 * the tiles whose quads are shaded there (in mode imr runs of primitives in place of tiles), with lists of what these append.
 * Segments are in a ring, each with its memory.
 */
#ifndef CM_SEGMENT_H
#define CM_SEGMENT_H

#include "access/request_log.h"
#include "events/event_stream.h"
#include "gpu/immediate/immediate.h"
#include "util/array.h"

/** Entries of the main thread: so many that the work on them is long compared with the cost of submitting them, and so few that
 * they stay in the caches of the host. */
#define CM_SEGMENT_ENTRIES 8192
#define CM_SEGMENT_TILES 64

struct cm_quad_log;
struct cm_timing;

struct cm_segment_tile {
   uint32_t entries;                    /**< of the main thread, before it */
   uint32_t number;                     /**< of the tile */
   uint32_t position;                   /**< in the traversal */
   const struct cm_tile_events *events; /**< NULL in mode imr, which has primitives instead */
   struct cm_primitive_run primitives;
};

/** Blocks of private texture caches that are invalidated: of one unit, bytes [begin, end). */
struct cm_segment_invalidation {
   enum cm_unit unit;
   uint64_t begin, end;
};

/** Entries by tile. */
struct cm_segment_list {
   cm_entry *entries;
   uint32_t capacity;
   uint32_t ends[CM_SEGMENT_TILES]; /**< of each tile's */
};

/** Accesses by tile; with timing, which of the tile's requests they follow. */
struct cm_segment_accesses {
   struct cm_segment_list list;
   struct cm_access_runs runs;
   uint32_t run_ends[CM_SEGMENT_TILES];
};

struct cm_segment {
   cm_entry *entries; /**< of the main thread: space for CM_SEGMENT_ENTRIES */
   uint32_t count;
   struct cm_segment_tile tiles[CM_SEGMENT_TILES];
   uint32_t num_tiles;
   size_t num_words; /**< of their events; in mode imr as many as their quads count as (parallel.c) */
   struct cm_array invalidations; /**< struct cm_segment_invalidation: before the first tile */
   uint32_t num_invalidations;
   struct cm_segment_accesses filtered;         /**< what the filters of a shading worker have passed on */
   struct cm_segment_accesses missed;           /**< what misses in the texture caches */
   struct cm_quad_log *quads[CM_SEGMENT_TILES]; /**< with timing, for its log: by tile */
   bool is_incomplete;                          /**< in mode imr: entries are lost, as memory was short */
   bool is_shaded; /**< filtered is complete, or there are no tiles; with the lock of the threads */
};

/** Makes an empty segment. False when out of memory. */
bool cm_segment_init(struct cm_segment *segment);
void cm_segment_finish(struct cm_segment *segment);

/** Empties it. */
void cm_segment_reset(struct cm_segment *segment);

/** Adds a tile, which has so many words of events. */
void cm_segment_add_tile(struct cm_segment *segment, const struct cm_segment_tile *tile, size_t words);

/** Adds an invalidation; there must be no tile yet. False when out of memory. */
bool cm_segment_add_invalidation(struct cm_segment *segment, enum cm_unit unit, uint64_t begin, uint64_t end);

/** Turns an empty list into a stream, and back. The stream's `take` is cm_segment_grow_list. */
void cm_segment_open_list(const struct cm_segment_list *list, struct cm_access_stream *stream);
void cm_segment_close_list(struct cm_segment_list *list, const struct cm_access_stream *stream);

/** Makes room in a stream that is a list: for `take` of struct cm_access_stream. Without memory entries are lost, and a bool,
 * the context, is set. */
void cm_segment_grow_list(void *out_of_memory, struct cm_access_stream *stream);

/** Passes all of a segment's entries on, in order: the main thread's, and those of tiles that are shaded. timing: gets the quads of
 * these, or is told what is incomplete; NULL: there is none. */
void cm_segment_pass_on(const struct cm_segment *segment, struct cm_timing *timing,
                        void (*consume)(void *context, struct cm_access_stream *stream), void *context);

#endif
