/* SPDX-License-Identifier: MIT */
/**
 * A piece of the access stream that several threads write (gpu/parallel.h): the entries of the front, and between them the
 * tiles whose quads are shaded there; of each lane a list of what its quads append.
 */
#ifndef CM_SEGMENT_H
#define CM_SEGMENT_H

#include "access/access_stream.h"
#include "events/event_stream.h"
#include "memory/shared_side.h"
#include "util/array.h"

/** Entries of the front: so many that the work on them is long next to what handing them over costs, and so few that they
 * stay in the caches of the host. */
#define CM_SEGMENT_ENTRIES 8192
#define CM_SEGMENT_TILES 64

/** In a lane's list: a quad begins. A CM_ENTRY_MARK of this unit, which no enum cm_mark is; value: its place in the tile. */
#define CM_QUAD_MARK 31

struct cm_segment_tile {
   uint32_t entries;  /**< of the front, before it */
   uint32_t number;   /**< of the tile */
   uint32_t position; /**< in the traversal */
   const struct cm_tile_events *recorded, *shaded;
   struct cm_tile_events deferred; /**< shaded, where that is not what is recorded: words of the segment */
};

/** What a lane has appended. */
struct cm_segment_part {
   cm_entry *entries;
   uint32_t capacity;
   uint32_t ends[CM_SEGMENT_TILES]; /**< by tile */
};

struct cm_segment {
   cm_entry *entries; /**< of the front: room for CM_SEGMENT_ENTRIES */
   uint32_t count;
   struct cm_segment_tile *tiles; /**< room for CM_SEGMENT_TILES */
   uint32_t num_tiles;
   size_t num_words;              /**< of their recorded events */
   struct cm_array deferred;      /**< uint32_t: words of what is shaded of all tiles, one after another */
   struct cm_segment_part *parts; /**< by lane */
   unsigned num_parts;
   unsigned pending; /**< lanes that are not done */
   bool is_prepared;
};

/** Makes an empty segment for so many lanes. False when out of memory. */
bool cm_segment_init(struct cm_segment *segment, unsigned lanes);
void cm_segment_finish(struct cm_segment *segment);

/** Empties it. */
void cm_segment_begin(struct cm_segment *segment);

/** Adds a tile behind the front's first `entries` entries. position: in the traversal. */
void cm_segment_add_tile(struct cm_segment *segment, uint32_t entries, uint32_t number, uint32_t position,
                         const struct cm_tile_events *events);

/** Brings the entries of segments in order: each tile's quads one after another, whichever lanes they are of. */
struct cm_merger {
   struct cm_access_stream merged; /**< the consumer takes batches of it */
   uint32_t at[64];                /**< by lane: the next entry of its part */
};

/** take: consumes entries. False when out of memory. */
bool cm_merger_init(struct cm_merger *merger, void (*take)(void *context, struct cm_access_stream *stream),
                    void *context);
void cm_merger_finish(struct cm_merger *merger);

/** Passes all of a segment's entries on. */
void cm_merger_take(struct cm_merger *merger, const struct cm_segment *segment);

#endif
