/* SPDX-License-Identifier: MIT */
/** What the parts of the timing of mode imr share: immediate.c, the log and the loop; geometry.c and raster.c, the
 * stages. */
#ifndef CM_IMMEDIATE_TIMING_H
#define CM_IMMEDIATE_TIMING_H

#include "timing/immediate/memory.h"
#include "timing/pipeline.h"

/* ---- stages -------------------------------------------------------------- */

/** Items between their access to a cache and its reply. */
struct cm_lookups {
   struct cm_flight flight;
   uint64_t out;               /**< when the last one was popped */
   enum cm_stage_state reason; /**< what the last one waited for */
};

/** A block that has a context of its Fragment Processor, or has released it and is not blended yet. */
struct cm_running_block {
   uint64_t block;            /**< its number in the log, which may move */
   struct cm_dependency wait; /**< for textures */
   uint64_t dispatched, issued;
   uint64_t released; /**< when it released the context; CM_UNKNOWN */
   uint32_t tail;     /**< cycles of the shader after the data */
   uint32_t draw, tile;
   struct cm_context *context; /**< its context, or the one that it had */
};

struct cm_fragment_processor {
   struct cm_stage *stage;
   struct cm_context *contexts; /**< taken in turn */
   uint64_t count;              /**< number of blocks that have been in them */
   uint32_t
      owed; /**< instructions issued in the stage's last cycle, of four fragments or vertices, times four */
};

/** Groups of accesses of a run of a compute pass that are to begin in a processor's units. */
struct cm_immediate_accesses {
   const cm_entry *next, *end;         /**< the groups that are not looked up */
   const cm_entry *request, *requests; /**< pending requests of the last one's lookups; their end */
   uint64_t at;                        /**< when the next group is looked up */
   uint32_t piece;                     /**< cycles from one to the next */
   uint64_t cycle;                     /**< when the next request is made */
   bool is_store;
   struct cm_dependency *wait;
   bool *pending; /**< not all have begun */
};

/** A processor's: a ring. */
struct cm_immediate_access_queue {
   struct cm_immediate_accesses *runs;
   uint32_t first, count;
};

struct cm_immediate_timing {
   struct cm_pipeline base;
   const struct cm_immediate_pipeline_config *pipeline;
   struct cm_immediate_memory memory;
   struct cm_log log;                          /**< the part of the pass' log that was taken */
   bool is_whole;                              /**< it was taken up to its end */
   struct cm_immediate_access_queue *accesses; /**< of compute passes, by processor */
   uint32_t max_accesses;                      /**< runs in each of them, the most */

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

/** Builds what runs compute passes. */
void cm_immediate_compute_init(struct cm_immediate_timing *timing);

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
   cm_stage_serve(stage, timing->base.last_pass, draw, resource, tile);
}

/** An item of a draw was in a stage from a cycle to another: for the timeline, where there is one. */
static inline void
cm_immediate_report(struct cm_immediate_timing *timing, enum cm_report_track track, uint32_t draw,
                    uint64_t begin, uint64_t end)
{
   if (timing->base.report)
      cm_report_item(timing->base.report, track, timing->base.last_pass, draw, begin, end);
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
                    struct cm_dependency *wait)
{
   return cm_immediate_memory_run(&timing->memory, cm_logged_token(timing, begin),
                                  cm_logged_token(timing, end), cycle, wait);
}

#endif
