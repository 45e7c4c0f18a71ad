/* SPDX-License-Identifier: MIT */
/**
 * When it all happens: the timing model of the tile-based pipeline (docs/timing.md).
 *
 * The consumer (gpu/) simulates the caches in the order of the event stream and says here what it did, item
 * by item: the log of a pass' geometry or of a tile. Stages take items from the logs as their queues allow, the
 * stage that is behind in time first, so that memory sees requests nearly in the order of time. Nothing here
 * changes what hits and what misses.
 *
 * Calls, from one thread, in this order: for each pass
 *    geometry_begin, (draw, programs_fetched, vertex*, draw_end)*, binned*, geometry_end,
 *    (tile_begin, tile_loaded, fetched*, tile_fetched, quad*, tile_shaded, tile_end)*
 * and after the last pass of a frame frame_end. What the caches did between two calls is in the log (cm_timing_tap);
 * programs, texture reads, PMDs and attributes begin there with a CM_TOKEN_GROUP of their stream.
 */
#ifndef CM_TIMING_H
#define CM_TIMING_H

#include "config/config.h"
#include "events/event_stream.h"
#include "memory/hierarchy.h"
#include "stats/counters.h"
#include "texture/nuca.h"

struct cm_timing;
struct cm_timeline;

/** For a configuration whose timing is on. The hierarchy and nuca (NULL: none) must outlive it. NULL when memory
 * is out. */
struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca);
void cm_timing_destroy(struct cm_timing *timing);

/** Whether memory was out: from then on no cycle is counted. */
bool cm_timing_is_lost(const struct cm_timing *timing);

/** Before the first pass: what happens in time is told to a timeline, which must outlive this. */
void cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline);
/** Banks of the DRAM system, all channels and ranks. */
uint32_t cm_timing_banks(const struct cm_config *config);

/* ---- geometry ------------------------------------------------------------ */

void cm_timing_geometry_begin(struct cm_timing *timing);
/** A draw begins. What follows are its programs. */
void cm_timing_draw(struct cm_timing *timing, const struct cm_draw *draw);
void cm_timing_programs_fetched(struct cm_timing *timing);
/** A vertex was fetched, or found transformed already. */
void cm_timing_vertex(struct cm_timing *timing, bool reused);
/** The draw ends; since the last vertex, transform feedback was written. */
void cm_timing_draw_end(struct cm_timing *timing);
/** The Polygon List Builder wrote a primitive's PMDs and attributes. */
void cm_timing_binned(struct cm_timing *timing, const struct cm_primitive *primitive);
void cm_timing_geometry_end(struct cm_timing *timing);

/* ---- tiles --------------------------------------------------------------- */

void cm_timing_tile_begin(struct cm_timing *timing, uint32_t tile);
/** The tile was loaded. */
void cm_timing_tile_loaded(struct cm_timing *timing);
/** The Tile Fetcher has read a primitive's PMD and attributes. primitive: its index in the pass. */
void cm_timing_fetched(struct cm_timing *timing, uint32_t primitive, uint32_t attributes);
/** All primitives of the tile are fetched. events: the tile's, as recorded. */
void cm_timing_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events);

/** The log at present. Valid until the next call but fetched, vertex, binned, quad. */
struct cm_tap *cm_timing_tap(struct cm_timing *timing);

/** Begins a group of so many accesses. */
void cm_timing_group(struct cm_timing *timing, enum cm_stream stream, uint32_t accesses);

/** A quad has run: its program's instructions, reads of textures (groups) of it. */
struct cm_timed_quad {
   uint32_t primitive; /**< index in the pass */
   uint32_t instructions;
   uint32_t footprints;
   uint8_t processor;
   uint8_t attributes; /**< that the Rasterizer interpolates */
   bool shaded;        /**< it runs; else it fails the Early Z-Test, or has no program */
};
void cm_timing_quad(struct cm_timing *timing, const struct cm_timed_quad *quad);
void cm_timing_tile_shaded(struct cm_timing *timing);
/** The tile was flushed. */
void cm_timing_tile_end(struct cm_timing *timing);
/** All that is under way ends, and the frame with it. */
void cm_timing_frame_end(struct cm_timing *timing);

/** What is counted of the tiled GPU (timing/tiled/counters.h); read from a struct cm_timing. */
extern const struct cm_counter_source cm_timing_counters;

#endif
