/* SPDX-License-Identifier: MIT */
/**
 * A piece of the access stream that several threads write (gpu/parallel.h): the entries of the front, and between them the
 * tiles whose quads are shaded there, with a list of what these append.
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

struct cm_segment_tile {
   uint32_t entries;  /**< of the front, before it */
   uint32_t number;   /**< of the tile */
   uint32_t position; /**< in the traversal */
   const struct cm_tile_events *recorded, *shaded;
   struct cm_tile_events deferred; /**< shaded, where that is not what is recorded: words of the segment */
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

struct cm_segment {
   cm_entry *entries; /**< of the front: room for CM_SEGMENT_ENTRIES */
   uint32_t count;
   struct cm_segment_tile *tiles; /**< room for CM_SEGMENT_TILES */
   uint32_t num_tiles;
   size_t num_words;              /**< of their recorded events */
   struct cm_array deferred;      /**< uint32_t: words of what is shaded of all tiles, one after another */
   struct cm_array invalidations; /**< struct cm_segment_invalidation: before the first tile */
   uint32_t num_invalidations;
   struct cm_segment_list filtered; /**< what the filters of a lane have passed on */
   struct cm_segment_list shaded;   /**< what is behind the texture caches */
   bool is_prepared, is_shaded;
};

/** Makes an empty segment. False when out of memory. */
bool cm_segment_init(struct cm_segment *segment);
void cm_segment_finish(struct cm_segment *segment);

/** Empties it. */
void cm_segment_begin(struct cm_segment *segment);

/** Adds a tile behind the front's first `entries` entries. position: in the traversal. */
void cm_segment_add_tile(struct cm_segment *segment, uint32_t entries, uint32_t number, uint32_t position,
                         const struct cm_tile_events *events);

/** Adds an invalidation; there must be no tile yet. False when out of memory. */
bool cm_segment_add_invalidation(struct cm_segment *segment, enum cm_unit unit, uint64_t begin, uint64_t end);

/** Whether there is something for the texture caches to do. */
static inline bool
cm_segment_is_for_textures(const struct cm_segment *segment)
{
   return segment->num_tiles || segment->num_invalidations;
}

/** A list, which is empty, as a stream, and back. */
void cm_segment_open_list(const struct cm_segment_list *list, struct cm_access_stream *stream);
void cm_segment_close_list(struct cm_segment_list *list, const struct cm_access_stream *stream);

/** Passes all of a segment's entries on, in order: the front's, and those of tiles that are shaded. */
void cm_segment_take(const struct cm_segment *segment,
                     void (*take)(void *context, struct cm_access_stream *stream), void *context);

#endif
