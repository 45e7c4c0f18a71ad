/* SPDX-License-Identifier: MIT */
/** A pipeline's reports to a timeline: what its stages did, pass by pass, draw by draw, tile by tile; which rows of DRAM's
 * banks are open; counters: the mean occupancy of each queue, DRAM's bandwidth, misses. */
#ifndef CM_TIMING_REPORT_H
#define CM_TIMING_REPORT_H

#include "timing/frame_log.h"
#include "timing/timeline.h"

struct cm_pipeline;
struct cm_pipeline_type;
struct cm_report;

/** Tracks of the timeline: X(identifier, name in modes tbr and tbdr, name in mode imr), NULL: there is none. */
#define CM_REPORT_TRACKS(X)                                                  \
   X(GEOMETRY, "Geometry Pipeline", NULL)                                    \
   X(VERTEX_FETCH, "Vertex fetch", "Vertex fetch")                           \
   X(VERTICES, NULL, "Vertices on the Fragment Processors")                  \
   X(ASSEMBLY, NULL, "Primitive Assembly")                                   \
   X(TILE_FETCHER, "Tile Fetcher", NULL)                                     \
   X(HIDDEN_SURFACE_REMOVAL, "Hidden Surface Removal", NULL) /* mode tbdr */ \
   X(HIERARCHICAL_Z, NULL, "Hierarchical Z")                                 \
   X(RASTERIZER, "Rasterizer and Early Z-Test", "Rasterizer")                \
   X(EARLY_Z, NULL, "Early Z-Test")                                          \
   X(FRAGMENTS, "Fragment Processors", "Fragment Processors")                \
   X(BLENDING, "Blending Unit", "Blending Unit")                             \
   X(TRANSFERS, "Tile flush", "Clears, resolves, write-backs")

enum cm_report_track {
#define CM_REPORT_TRACK(id, tiled, immediate) CM_REPORT_##id,
   CM_REPORT_TRACKS(CM_REPORT_TRACK)
#undef CM_REPORT_TRACK
      CM_REPORT_NUM_TRACKS
};

/** Adds the tracks and counters of pipelines of a type. The timeline and the configuration must outlive it. NULL when out of memory. */
struct cm_report *cm_report_create(struct cm_timeline *timeline, const struct cm_config *config,
                                   const struct cm_pipeline_type *type);
/** NULL is fine. */
void cm_report_destroy(struct cm_report *report);

/** A frame that the timeline keeps, or another part of it, begins, on a pipeline in which nothing has happened yet. */
void cm_report_begin_frame(struct cm_report *report, const struct cm_pipeline *pipeline);
/** It has ended at a cycle; goes_on: the frame has another part. What DRAM does from then on is not shown. */
void cm_report_end_frame(struct cm_report *report, uint64_t cycle, bool goes_on);

/* ---- slices. pass: counted from 1 over all frames ----------------------------- */

/** A tile is done, in all stages. */
void cm_report_tile(struct cm_report *report, const struct cm_work *work);
/** A pass' geometry. */
void cm_report_geometry(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end);
/** A draw was in a stage from a cycle to another. */
void cm_report_draw(struct cm_report *report, enum cm_report_track track, uint32_t pass, uint32_t draw,
                    uint64_t begin, uint64_t end);
/** An item of a draw was in a stage; the slice has all items up to the first one of another draw, or the pass' end. */
void cm_report_item(struct cm_report *report, enum cm_report_track track, uint32_t pass, uint32_t draw,
                    uint64_t begin, uint64_t end);
/** A clear, a resolve or a write-back. */
void
cm_report_transfer(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end, const char *what);
/** A pass without tiles has ended. */
void cm_report_pass(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t end);
/** A compute pass has ended: when its work-groups ran, and load/store caches wrote back. */
void
cm_report_compute(struct cm_report *report, uint32_t pass, uint64_t begin, uint64_t groups_end, uint64_t end);

/** All stages have reached a cycle: samples the counters now and then. */
void cm_report_time(struct cm_report *report, uint64_t cycle);

#endif
