/* SPDX-License-Identifier: MIT */
/**
 * A pass in the event stream: recorded with its batch, completed when that is submitted, and constant from then on
 * except for the tiles' events, which the renderer appends.
 */
#ifndef TBR_PASS_EVENTS_H
#define TBR_PASS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "util/u_dynarray.h"
#include "tbr_limits.h"

struct tbr_pass;

/** The number of arrays with an element per draw; the others have one per tile. */
#define TBR_DRAW_EVENT_ARRAYS 12

struct tbr_pass_events {
   struct cm_pass pass; /**< its arrays are these, once it is complete */
   union {
      struct {
         struct util_dynarray draws;             /**< struct cm_draw */
         struct util_dynarray vertices;          /**< uint32_t */
         struct util_dynarray storages;          /**< struct cm_storage */
         struct util_dynarray addressed;         /**< uint32_t */
         struct util_dynarray descriptors;       /**< struct cm_descriptors */
         struct util_dynarray feedback;          /**< struct cm_feedback */
         struct util_dynarray vertex_bindings;   /**< struct cm_texture_binding */
         struct util_dynarray vertex_accesses;   /**< struct cm_vertex_access */
         struct util_dynarray region_runs;       /**< uint64_t */
         struct util_dynarray primitives;        /**< struct cm_primitive; of passes not simulated, too */
         struct util_dynarray primitive_tiles;   /**< uint32_t; likewise */
         struct util_dynarray primitive_numbers; /**< uint32_t, by the first attribute block of a primitive */
         struct util_dynarray tiles;             /**< struct cm_tile_events, by tile */
         struct util_dynarray touched;           /**< bool, by tile */
      };
      struct util_dynarray arrays[TBR_DRAW_EVENT_ARRAYS + 2];
   };
   struct util_dynarray contents; /**< struct cm_tile_content, by tile, and more; their memory is kept */
};

/** Frees the arrays. */
void tbr_pass_events_fini(struct tbr_pass_events *events);
/** Empties them, but keeps their memory. */
void tbr_pass_events_reset(struct tbr_pass_events *events);
/** Removes all draws. */
void tbr_pass_events_drop_draws(struct tbr_pass_events *events);
/** Sets the number of tiles, untouched and without events. False when out of memory. */
bool tbr_pass_events_set_tiles(struct tbr_pass_events *events, uint32_t num_tiles);
struct cm_attachment *
tbr_pass_events_attachment(struct tbr_pass_events *events, enum tbr_attachment_number i);
/** Numbers the primitives, which begin at these of the attribute blocks. False when out of memory. */
bool tbr_pass_events_number_primitives(struct tbr_pass_events *events, const uint32_t *first_blocks,
                                       uint32_t num_blocks);
/** Completes events->pass. */
void tbr_pass_events_complete(struct tbr_pass_events *events, const struct tbr_pass *pass);

#endif
