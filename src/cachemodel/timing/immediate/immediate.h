/* SPDX-License-Identifier: MIT */
/** What the parts of the timing of mode imr share: immediate.c, the log and the loop; geometry.c and raster.c, the
 * stages. */
#ifndef CM_IMMEDIATE_TIMING_H
#define CM_IMMEDIATE_TIMING_H

#include "timing/compute.h"
#include "timing/immediate/memory.h"
#include "timing/immediate/parts.h"
#include "timing/log.h"
#include "timing/pipeline.h"
#include "timing/report.h"

/* ---- stages -------------------------------------------------------------- */

/** Items between their access to a cache and its reply. */
struct cm_lookups {
   struct cm_flight flight;
   uint64_t out;               /**< when the last one was popped */
   enum cm_stage_state reason; /**< what the last one waited for */
};

/** A block that has a context of its Fragment Processor, or has released it and is not blended yet. */
struct cm_running_block {
   uint64_t block;      /**< its number in the log, which may move */
   struct cm_wait wait; /**< for textures */
   uint64_t dispatched, issued;
   uint64_t released; /**< when it released the context; CM_UNKNOWN */
   uint32_t tail;     /**< cycles of the shader after the data */
   uint32_t draw, tile;
   struct cm_immediate_context *context; /**< its context, or the one that it had */
};

/** Holds a block while its shader runs. */
struct cm_immediate_context {
   uint64_t block;    /**< number of the last block in it */
   uint64_t released; /**< when that block released it; CM_UNKNOWN. The block's slot may be another's since */
   enum cm_stage_state reason; /**< what the block waited for last */
   uint32_t draw, tile, resource;
};

struct cm_fragment_processor {
   struct cm_stage *stage;
   struct cm_immediate_context *contexts; /**< taken in turn */
   uint64_t count;                        /**< so many blocks have been in them */
   uint32_t
      owed; /**< instructions issued in the stage's last cycle, of four fragments or vertices, times four */
};

/** Groups of accesses of a run of a compute pass that are to begin in a processor's units. */
struct cm_immediate_accesses {
   const cm_entry *next, *end;         /**< the groups that are not looked up */
   const cm_entry *request, *requests; /**< what the last one's lookups cause, and has not begun; its end */
   uint64_t at;                        /**< when the next group is looked up */
   uint32_t piece;                     /**< cycles from one to the next */
   uint64_t cycle;                     /**< when the next request is made */
   bool is_store;
   struct cm_wait *wait;
   bool *pending; /**< not all have begun */
};

/** A processor's: a ring. */
struct cm_immediate_access_queue {
   struct cm_immediate_accesses *runs;
   uint32_t first, count;
};

/** A log of a tile's work-groups. */
struct cm_immediate_groups {
   struct cm_log log; /**< first: a pointer to it is one to this */
   struct cm_immediate_groups *next;
   uint32_t tile;
};

struct cm_immediate_timing {
   struct cm_pipeline base;
   uint32_t num_passes; /**< that have ended */
   const struct cm_immediate_pipeline_config *pipeline;
   struct cm_immediate_memory memory;
   struct cm_immediate_parts parts; /**< of passes, from the consumer to the thread that runs them */
   struct cm_log
      log;        /**< of the pass, as far as it was taken; or of a compute pass, which the consumer runs */
   bool is_whole; /**< it was taken up to its end */
   bool out_of_memory;    /**< no cycle is counted any more */
   enum cm_log_kind kind; /**< of the log that is being written */
   bool pass_begins;      /**< with the next part */
   struct cm_compute_timing compute;
   struct cm_immediate_access_queue *accesses; /**< by processor */
   uint32_t max_accesses;                      /**< runs in each of them, the most */
   struct cm_immediate_groups *groups, *spare; /**< being written; that may be written */
   struct cm_immediate_report *report;         /**< to a timeline; NULL: there is none */

   uint64_t now;     /**< stages have done all work that begins before */
   uint64_t barrier; /**< the pass begins */

   /* Vertices: draw and vertex to fetch, to transform, to assemble. */
   struct cm_vertex_cursor fetch_at, run_at, assemble_at;
   uint32_t accessed
      [CM_PRERASTER_STAGES]; /**< invocations of the draw at run_at that have accessed something, by stage */
   uint32_t fetch_token;
   uint32_t draw_primitive; /**< to assemble */
   uint64_t invocations;    /**< of tessellation and geometry shaders */
   uint64_t program_ready, assembled;
   struct cm_stage fetch, assembly;
   struct cm_flight vertices;
   struct cm_queue triangles;
   uint64_t *vertex_done, *triangle_entered;

   /* Regions and blocks: to look up, to rasterise, to test, to dispatch, to blend. */
   size_t primitive, primitive_region, region;
   size_t raster_region, raster_block, block;
   size_t test_region, test_block, tested;
   struct cm_first_misses tested_misses; /**< of the block to dispatch, if counted */
   bool misses_counted;
   struct cm_stage hierarchical, rasterizer, early_z, blending;
   struct cm_lookups hiz, depth, color;
   uint64_t region_out;
   uint64_t dispatch;
   struct cm_fragment_processor *processors;
   struct cm_running_block *running; /**< by number, modulo running_mask + 1 */
   uint64_t running_mask;
   uint64_t dispatched, blended, finished; /**< so many blocks */
   struct cm_queue colors;
   uint64_t end; /**< of all work so far */
};

/** What is counted; where the meaning is the tile-based pipeline's, so is the name. */
extern const struct cm_pipeline_parts cm_immediate_parts;

/** NULL when out of memory. */
struct cm_immediate_timing *cm_immediate_timing_create(const struct cm_config *config);
void cm_immediate_timing_destroy(struct cm_immediate_timing *timing);
/** A log begins; NULL when out of memory. */
struct cm_log *
cm_immediate_timing_begin(struct cm_immediate_timing *timing, enum cm_log_kind kind, uint32_t tile);
/** It is complete. That of a pass is run by the thread: its stages all advance by a few cycles, then DRAM by the same, and so
 * on; that of a compute pass is run at once. False when out of memory. */
bool cm_immediate_timing_end(struct cm_immediate_timing *timing, struct cm_log *log);
/** Whether it is worth to put what is logged of a pass so far. */
bool cm_immediate_timing_is_part(const struct cm_immediate_timing *timing, const struct cm_log *log);
/** Puts it, and returns the log of what follows; NULL when out of memory. */
struct cm_log *cm_immediate_timing_put(struct cm_immediate_timing *timing, struct cm_log *log);
/** It is discarded. */
void cm_immediate_timing_drop(struct cm_immediate_timing *timing, struct cm_log *log);
/** False when out of memory. */
bool cm_immediate_timing_frame_end(struct cm_immediate_timing *timing);

/* ---- compute passes ------------------------------------------------------ */

/** Builds what runs them. */
void cm_immediate_compute_init(struct cm_immediate_timing *timing);
void cm_immediate_compute_finish(struct cm_immediate_timing *timing);
/** The log that is being written, of a compute pass or of the end of a pass, is complete. Returns the cycle at which the pass
 * ends; 0: it goes on. */
uint64_t cm_immediate_compute_take(struct cm_immediate_timing *timing);

/* ---- the timeline -------------------------------------------------------- */

/** Tracks of the timeline. */
enum cm_immediate_track {
   CM_IMMEDIATE_VERTEX_FETCH,
   CM_IMMEDIATE_VERTICES,
   CM_IMMEDIATE_ASSEMBLY,
   CM_IMMEDIATE_HIERARCHICAL_Z,
   CM_IMMEDIATE_RASTERIZER,
   CM_IMMEDIATE_EARLY_Z,
   CM_IMMEDIATE_FRAGMENTS,
   CM_IMMEDIATE_BLENDING,
   CM_IMMEDIATE_TRANSFERS,
   CM_IMMEDIATE_TRACKS
};

/** Reports to a timeline, which must outlive it, from the first frame on. False when out of memory. */
bool cm_immediate_timing_set_timeline(struct cm_immediate_timing *timing, struct cm_timeline *timeline);
void cm_immediate_timing_end_report(struct cm_immediate_timing *timing);

/** Where there is a timeline: an item of a draw was in a stage from a cycle to another; a clear, resolve or write-back ends,
 * which began at a cycle; all stages have reached a cycle; a pass ends, which began at a cycle; the frame ends. */
void cm_immediate_report_draw(struct cm_immediate_timing *timing, enum cm_immediate_track track,
                              uint32_t draw, uint64_t begin, uint64_t end);
void cm_immediate_report_part(struct cm_immediate_timing *timing, uint64_t begin, const char *what);
void cm_immediate_report_time(struct cm_immediate_timing *timing, uint64_t cycle);
void cm_immediate_report_pass(struct cm_immediate_timing *timing, uint64_t begin);
/** A compute pass has ended: when its work-groups ran, and load/store caches wrote back. */
void cm_immediate_report_compute(struct cm_immediate_timing *timing, uint64_t begin, uint64_t groups_end,
                                 uint64_t end);
void cm_immediate_report_frame(struct cm_immediate_timing *timing);

/* ---- what stages share --------------------------------------------------- */

/** Takes more of the pass' log, for which it waits, until it has a draw. Returns whether it has. */
bool cm_immediate_take_draw(struct cm_immediate_timing *timing, uint32_t draw);

/** Whether the pass has a draw of that number. Items of the log may move. */
static inline bool
cm_immediate_has_draw(struct cm_immediate_timing *timing, uint32_t draw)
{
   return draw < timing->log.draws.count || (!timing->is_whole && cm_immediate_take_draw(timing, draw));
}

/** Pops the oldest item at a cycle, when its data has arrived and the item before it was popped. */
static inline void
cm_lookups_pop(struct cm_lookups *lookups, uint64_t cycle, enum cm_stage_state reason)
{
   lookups->reason = reason;
   lookups->out = cycle;
   cm_flight_pop(&lookups->flight, cycle);
}

/** A Fragment Processor issues instructions, each for one fragment or vertex (a quad's counts as four), from `begin`
 * on. Returns when the last one is issued. */
static inline uint64_t
cm_processor_issue(struct cm_immediate_timing *timing, struct cm_fragment_processor *processor,
                   uint64_t begin, uint64_t instructions)
{
   const uint64_t width = 4ull * timing->pipeline->issue_width;
   const uint64_t owed = processor->owed + instructions;
   processor->owed = (uint32_t)(owed % width);
   return cm_stage_work(processor->stage, CM_STAGE_STARVED, begin, owed / width);
}

/** The cycles of a stage are for a draw of the pass from now on; resource: what it waits for, or 0. */
static inline void
cm_immediate_serve(const struct cm_immediate_timing *timing, struct cm_stage *stage, uint32_t draw,
                   uint32_t resource, uint32_t tile)
{
   cm_stage_serve(stage, timing->num_passes + 1, draw, resource, tile);
}

/** The stages: each takes its next item if that is known to begin before timing->now, and returns whether it did. */
bool cm_immediate_fetch_vertex(struct cm_immediate_timing *timing);
bool cm_immediate_run_vertex(struct cm_immediate_timing *timing);
bool cm_immediate_assemble(struct cm_immediate_timing *timing);
bool cm_immediate_look_up_region(struct cm_immediate_timing *timing);
bool cm_immediate_rasterize(struct cm_immediate_timing *timing);
bool cm_immediate_test(struct cm_immediate_timing *timing);
bool cm_immediate_look_up_colors(struct cm_immediate_timing *timing);
bool cm_immediate_blend(struct cm_immediate_timing *timing);

/** Accesses one after another, of a stage that does nothing else meanwhile: clears, resolves, write-backs. */
void cm_immediate_transfer(struct cm_immediate_timing *timing, uint32_t begin, uint32_t end);

static inline const cm_entry *
cm_logged_token(const struct cm_immediate_timing *timing, uint32_t number)
{
   return cm_log_token(&timing->log, number);
}

/** cm_immediate_memory_run of the log's entries [begin, end). */
static inline uint64_t
cm_immediate_access(struct cm_immediate_timing *timing, uint32_t begin, uint32_t end, uint64_t cycle,
                    struct cm_wait *wait)
{
   return cm_immediate_memory_run(&timing->memory, cm_logged_token(timing, begin),
                                  cm_logged_token(timing, end), cycle, wait);
}

#endif
