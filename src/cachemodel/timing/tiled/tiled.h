/* SPDX-License-Identifier: MIT */
/** The timing of the tile-based pipeline: tiled.c has the logs and the main loop, the other files the stages. */
#ifndef CM_TILED_H
#define CM_TILED_H

#include "timing/compute.h"
#include "timing/pipeline.h"
#include "timing/report.h"
#include "timing/tiled/log_queue.h"
#include "timing/tiled/memory.h"
#include "timing/tiled/texture.h"
#include "timing/log.h"

/* ---- logs ---------------------------------------------------------------- */

/** A pass' geometry, or a tile; or of compute passes and the ends of passes, which no stage takes. */
struct cm_work {
   struct cm_log log; /**< first: a pointer to it is one to the work */
   struct cm_work *next;
   enum cm_log_kind kind;
   bool is_tile;
   bool begins_pass; /**< the first tile of its pass */
   uint32_t tile;    /**< CM_NO_ITEM: it is of none */
   uint64_t number;  /**< tiles count up */
   uint32_t pass;    /**< passes count up from 1 */
   /* Cycles, set by the stages: 0, or CM_UNKNOWN while not known. */
   uint64_t fetch_done; /**< the Tile Fetcher has requested its last primitive */
   uint64_t dispatch_begin, dispatch_end, blend_begin; /**< of its quads */
   uint64_t fetch_begin;                               /**< the Tile Fetcher starts on it */
   uint64_t hidden_end;                                /**< its hidden surfaces are removed */
   uint64_t loaded;                                    /**< its Color Buffer is free and loaded */
   uint64_t z_end;                                     /**< its last quad has left the Early Z-Test */
   uint64_t shade_begin;                               /**< the Rasterizer starts on it */
   uint64_t shaded;                                    /**< its last quad is blended */
   uint64_t flush_begin, flushed;
   bool is_shaded;     /**< the Rasterizer has passed on all its quads */
   uint64_t last_quad; /**< the number of the first shaded quad after it */
};

/** The first tile from a log on; NULL: there is none yet. */
static inline struct cm_work *
cm_work_tile(struct cm_work *work)
{
   while (work && !work->is_tile)
      work = work->next;
   return work;
}

/* ---- stages -------------------------------------------------------------- */

/** The Vertex Stage, Primitive Assembly and the Polygon List Builder. */
struct cm_geometry_timing {
   struct cm_work *work;                     /**< being processed, or NULL */
   struct cm_vertex_cursor fetch_at, out_at; /**< vertices to fetch, and to take out of the input queue */
   uint32_t binned, out_binned;              /**< the next to bin, of the draw; of the log */
   uint32_t token, binned_token;
   struct cm_flight input; /**< before the Vertex Processors */
   struct cm_queue output, triangles;
   struct cm_stage fetch, processors, assembly, builder;
   uint64_t *processor_free; /**< by Vertex Processor */
   uint64_t processor_begin; /**< of the last vertex or invocation */
   uint64_t processors_end;  /**< when the last of them was done */
   uint32_t
      accessed[CM_PRERASTER_STAGES]; /**< invocations of the draw that have accessed something, by stage */
   uint32_t next_processor;
   uint64_t program_ready;
   uint64_t draw_begin; /**< when the fetch of the draw's vertices began */
   uint64_t begin, end;
};

struct cm_fetcher_timing {
   struct cm_work *work; /**< being fetched, or NULL */
   uint32_t next;        /**< primitive to request */
   uint32_t token;
   bool pmd_requested; /**< of that primitive */
   struct cm_wait list;
   uint64_t list_begin, attribute_end;
   struct cm_calendar ports[2];
   uint32_t attribute_port;
   struct cm_work *out_work; /**< of the oldest primitive that is not in the output queue */
   uint32_t out_next;
   uint64_t out_time;
   enum cm_stage_state out_reason; /**< what the last primitive waited for */
   struct cm_flight requests;      /**< primitives, from the request for the PMD on; waits for attributes */
   struct cm_queue tiles;
   struct cm_stage stage;
   uint64_t clock;
   uint64_t begin; /**< of the pass; CM_UNKNOWN: it has not begun */
   uint64_t primitives, cycles;
};

struct cm_hidden_timing {
   struct cm_work *work;
   uint32_t next;
   struct cm_stage stage;
   uint64_t z_free[2]; /**< when the Z-Buffers of the last two tiles are free */
};

/** A shaded quad that is not blended. */
struct cm_flying_quad {
   uint64_t issued;   /**< its last instruction */
   uint64_t released; /**< when it released the context; CM_UNKNOWN */
   struct cm_work *work;
   struct cm_context *context;
   uint32_t tail; /**< instructions after the data */
   uint32_t draw;
   bool pending;             /**< some of its reads are not issued */
   cm_dram_ticket submitted; /**< the last ticket before it */
   struct cm_wait wait;      /**< for textures; last, as most of its room is not used */
};

struct cm_context {
   uint64_t quad;              /**< its last owner; CM_UNKNOWN: none yet */
   uint64_t released;          /**< when that quad released it; CM_UNKNOWN: not known */
   enum cm_stage_state reason; /**< what that quad waited for last */
   /* Whose it was; resource: what it waited for. */
   uint32_t pass, draw, resource, tile;
};

struct cm_raster_timing {
   struct cm_work *work;
   uint32_t next, popped; /**< quad, primitive */
   uint32_t token;
   struct cm_stage rasterizer, early_z, blend;
   struct cm_context **next_context; /**< by processor: which its next quad takes */
   struct cm_context *contexts;      /**< fragment_contexts of each processor */
   struct cm_queue z_queue, z_flight, fragments, colors;
   uint64_t z_time;     /**< when the last quad entered the Early Z-Test */
   uint64_t next_check; /**< cycle of the next check for a free context */
   uint64_t dispatch;   /**< when the last quad was dispatched */
   uint64_t quads;      /**< shaded, so far */
   struct cm_flying_quad *flying;
   uint64_t flying_mask, blended;
   uint64_t settled; /**< quads, in order, that have issued all their reads */
   uint64_t barrier; /**< no quad of the pass is rasterised before */
};

/** Loads and flushes of tiles. */
struct cm_transfer_timing {
   struct cm_work *load, *flush;
   uint32_t token;
   uint32_t surface; /**< of the log's: the next one to begin */
   bool under_way;   /**< a flush is */
   struct cm_wait wait;
   uint64_t *flushed; /**< by tile number modulo tile_buffers */
   struct cm_stage stage;
};

/** What is counted. */
extern const struct cm_pipeline_parts cm_tiled_parts;

struct cm_tiled_timing {
   struct cm_pipeline base;
   const struct cm_pipeline_config *pipeline;
   struct cm_hierarchy *hierarchy;
   struct cm_tiled_memory memory;
   bool is_deadlocked;             /**< a bug of the model: no cycle is counted any more */
   struct cm_tiled_report *report; /**< to a timeline; NULL: there is none */

   struct cm_log_queue logs; /**< from the consumer to the timing thread */

   /* The consumer's. */
   uint64_t num_tiles;
   uint32_t num_passes;
   bool pass_begins;

   /* The timing thread's, as are memory and the rest. */
   struct cm_work *first, *last; /**< logs that the stages take from, the oldest first */
   uint32_t last_pass;           /**< that of the last log that they got */

   struct cm_geometry_timing geometry;
   struct cm_fetcher_timing fetcher;
   struct cm_hidden_timing hidden;
   struct cm_raster_timing raster;
   struct cm_transfer_timing transfer;
   struct cm_texture_timing texture;
   struct cm_compute_timing compute;
};

/** Builds what runs compute passes. */
void cm_tiled_compute_init(struct cm_tiled_timing *timing);
/** Quads, or runs of compute passes, that have accesses to start in a processor's texture and load/store units: the most. */
uint32_t cm_tiled_compute_accesses(const struct cm_config *config);
/** Takes a log that is no stage's; all before it is done and all stages rest at the last cycle. Returns until when they have
 * to. */
uint64_t cm_tiled_compute_take(struct cm_tiled_timing *timing, struct cm_work *work, uint64_t cycle);

/** NULL when out of memory. */
struct cm_tiled_timing *cm_tiled_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy,
                                               const struct cm_nuca *nuca);
void cm_tiled_timing_destroy(struct cm_tiled_timing *timing);
/** Reports to a timeline, which must outlive it, from the first frame on. False when out of memory. */
bool cm_tiled_timing_set_timeline(struct cm_tiled_timing *timing, struct cm_timeline *timeline);
void cm_tiled_timing_end_report(struct cm_tiled_timing *timing);

/** A log to write; NULL when out of memory. _end submits it to the stages, _drop discards it. */
struct cm_log *cm_tiled_timing_begin(struct cm_tiled_timing *timing, enum cm_log_kind kind, uint32_t tile);
void cm_tiled_timing_end(struct cm_tiled_timing *timing, struct cm_log *log);
void cm_tiled_timing_drop(struct cm_tiled_timing *timing, struct cm_log *log);
void cm_tiled_timing_frame_end(struct cm_tiled_timing *timing);

/** Builds a stage. */
void cm_geometry_timing_init(struct cm_tiled_timing *timing);
void cm_fetcher_timing_init(struct cm_tiled_timing *timing);
void cm_raster_timing_init(struct cm_tiled_timing *timing);

/** cm_<stage>_timing_run, of the stage's _ready and step. */
#define CM_RUN_STAGE(stage, step)                                                              \
   void cm_##stage##_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until) \
   {                                                                                           \
      uint64_t clock;                                                                          \
      do                                                                                       \
         step(timing);                                                                         \
      while (--most && cm_##stage##_timing_ready(timing, &clock) && clock <= until);           \
   }

/** Whether a stage can take its next item, with the times known so far; *clock: the cycle it has reached. */
bool cm_geometry_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock);
bool cm_fetcher_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock);
bool cm_hidden_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock);
bool cm_raster_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock);
bool cm_transfer_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock);

/** Takes it, and those behind it: at most so many items, those after the first one up to a cycle. */
void cm_geometry_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
void cm_fetcher_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
void cm_hidden_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
void cm_raster_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
void cm_transfer_timing_run(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);

/** Whether primitive n of a tile, the oldest that is not popped from the Tile Fetcher's output queue, is in the queue
 * or can enter it. Raises *clock to the earliest cycle of that. */
bool cm_fetcher_timing_can_pass_on(struct cm_tiled_timing *timing, const struct cm_work *work, uint32_t n,
                                   uint64_t *clock);
/** Pushes it, if it is not there. */
void cm_fetcher_timing_pass_on(struct cm_tiled_timing *timing, struct cm_work *work, uint32_t n);

/** The Vertex Processors had no more to do than they did, until a cycle. */
void cm_geometry_timing_rest(struct cm_tiled_timing *timing, uint32_t pass, uint64_t until);

/** Pushes all primitives of the pass to the output queue; false where their times are not known yet. */
bool cm_fetcher_timing_end_pass(struct cm_tiled_timing *timing);

/** Whether all shaded quads before a number have issued their reads. */
bool cm_raster_timing_is_settled(struct cm_tiled_timing *timing, uint64_t quads);
/** Blends all shaded quads before a number, which must be settled. */
void cm_raster_timing_blend(struct cm_tiled_timing *timing, uint64_t quads);

/** Whether the timeline keeps the frame. */
bool cm_tiled_timing_is_reporting(const struct cm_tiled_timing *timing);
/** Report to the timeline a compute pass that has ended: when its work-groups ran, and load/store caches wrote back. */
void cm_tiled_timing_report_compute(struct cm_tiled_timing *timing, uint32_t pass, uint64_t begin,
                                    uint64_t groups_end, uint64_t end);
/** Report to the timeline: a tile that is done, a pass' geometry, a draw whose vertices were fetched from a cycle on, the
 * beginning of a frame, its end. */
void cm_tiled_timing_report_tile(struct cm_tiled_timing *timing, const struct cm_work *work);
void cm_tiled_timing_report_geometry(struct cm_tiled_timing *timing);
void cm_tiled_timing_report_draw(struct cm_tiled_timing *timing, uint32_t draw, uint64_t begin);
void cm_tiled_timing_report_frame_begin(struct cm_tiled_timing *timing);
void cm_tiled_timing_report_frame_end(struct cm_tiled_timing *timing);

/** Returns a log that all stages are done with to the spare ones. */
void cm_tiled_timing_release(struct cm_tiled_timing *timing, struct cm_work *work);

/** The end of a group of tokens that begins at token. */
static inline const cm_entry *
cm_group_end(const cm_entry *token, const cm_entry *end)
{
   token++;
   while (token < end && cm_entry_kind(*token) != CM_ENTRY_GROUP)
      token++;
   return token;
}

/** The cycles of a stage are for a draw of a log from now on; CM_NO_ITEM: for all of the log. */
static inline void
cm_work_serve(const struct cm_work *work, struct cm_stage *stage, uint32_t draw)
{
   cm_stage_serve(stage, work->pass, draw, 0, work->tile);
}

static inline bool
cm_tiled_timing_is_deferred(const struct cm_tiled_timing *timing)
{
   return timing->base.config->mode == CM_MODE_TBDR;
}

#endif
