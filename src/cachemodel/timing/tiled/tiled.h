/* SPDX-License-Identifier: MIT */
/** The timing of the tile-based pipeline: tiled.c has the logs and the main loop, the other files the stages. */
#ifndef CM_TILED_H
#define CM_TILED_H

#include "timing/pipeline.h"
#include "timing/tiled/memory.h"
#include "timing/tiled/signature.h"
#include "timing/tiled/texture.h"

/* ---- logs ---------------------------------------------------------------- */

/** The first tile from a log on; NULL: there is none yet. */
static inline struct cm_work *
cm_work_tile(struct cm_work *work)
{
   while (work && work->kind != CM_LOG_TILE)
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
   struct cm_signature_timing signature;
};

struct cm_fetcher_timing {
   struct cm_work *work; /**< being fetched, or NULL */
   uint32_t next;        /**< primitive to request */
   uint32_t dropped;     /**< entries to drop: number in the log */
   uint32_t token;
   bool pmd_requested; /**< of that primitive */
   struct cm_dependency list;
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

/** A context of a Fragment Processor, which quads have. */
struct cm_quad_context {
   struct cm_context base;
   struct cm_quad_context *next;  /**< of the processor, around */
   struct cm_flying_quad *flying; /**< its last quad, as long as that has not released it */
};

/** A shaded quad that is not blended. */
struct cm_flying_quad {
   uint64_t issued;   /**< its last instruction */
   uint64_t released; /**< when it released the context; CM_UNKNOWN */
   struct cm_work *work;
   struct cm_quad_context *context;
   uint32_t tail; /**< instructions after the data */
   uint32_t draw;
   bool pending;              /**< some of its reads are not issued */
   cm_dram_ticket submitted;  /**< the last ticket before it */
   struct cm_dependency wait; /**< for textures; last, as most of its space is not used */
};

/** A quad that the Rasterizer has passed on, and its lane has not taken. */
struct cm_waiting_quad {
   struct cm_work *work;
   uint32_t quad, token; /**< its number in the tile; where its entries begin */
   uint64_t entered;     /**< the queue before the Early Z-Test */
};

/** What follows the Rasterizer: an Early Z-Test and a Blending Unit, and the quads on their way through them and the Fragment
 * Processors. All of these are in one lane, or each has its own (pipeline.lanes). */
struct cm_lane {
   struct cm_stage early_z, blend;
   struct cm_queue z_queue, z_flight, fragments, colors;
   uint64_t z_time;     /**< when the last quad has left the Early Z-Test */
   uint64_t next_check; /**< cycle of the next check for a free context */
   uint64_t dispatch;   /**< when the last quad was dispatched */
   uint64_t rasterized; /**< quads to shade that the Rasterizer has passed on, so far */
   uint64_t quads;      /**< those that were dispatched */
   struct cm_flying_quad *flying;
   uint64_t flying_mask, blended;
   uint64_t settled; /**< quads, in order, that have issued all their reads */
   /* Of a lane of one processor. */
   struct cm_waiting_quad *waiting; /**< by their number in z_queue, as its times */
   uint64_t tile;                   /**< number of the last tile that it took a quad of */
   uint64_t released;               /**< when the last quad released its context */
   uint64_t test_barrier, barrier;  /**< no quad of the tile is tested, dispatched before */
};

/** How many quads, so far, a lane has tested and shaded when it is done with a tile. */
struct cm_lane_end {
   uint64_t tested, shaded;
};

/** Lanes that change to the next tile together (pipeline.lanes: coupled). */
struct cm_lane_barrier {
   uint64_t tile; /**< number of the last one */
   uint64_t test, dispatch;
};

struct cm_raster_timing {
   struct cm_work *work;
   uint32_t next, popped; /**< quad, primitive */
   uint32_t token;
   struct cm_stage rasterizer;
   struct cm_quad_context **next_context; /**< by processor: which its next quad takes */
   struct cm_lane lanes[CM_TEXTURE_MAX_UNITS];
   uint32_t num_lanes;
   bool has_lanes;           /**< each processor its own */
   uint32_t next_lane;       /**< which is first; num_lanes: the Rasterizer */
   struct cm_lane_end *ends; /**< by tile number modulo tile_buffers, by lane */
   struct cm_lane_barrier coupled;
   uint64_t barrier; /**< no quad of the pass is rasterised before */
};

/** Loads and flushes of tiles. */
struct cm_transfer_timing {
   struct cm_work *load, *flush;
   uint32_t token;
   uint32_t surface; /**< of the log's: the next one to begin */
   bool in_flight;   /**< a flush is */
   struct cm_dependency wait;
   uint64_t *flushed; /**< by tile number modulo tile_buffers */
   struct cm_stage stage;
};

struct cm_tiled_timing {
   struct cm_pipeline base;
   const struct cm_pipeline_config *pipeline;
   struct cm_tiled_memory memory;

   struct cm_work *first, *last; /**< logs that the stages take from, the oldest first */
   uint64_t num_tiles;

   struct cm_geometry_timing geometry;
   struct cm_fetcher_timing fetcher;
   struct cm_hidden_timing hidden;
   struct cm_raster_timing raster;
   struct cm_transfer_timing transfer;
   struct cm_texture_timing texture;
};

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

/** Takes it, and those after it: at most so many items, those after the first one up to a cycle. */
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
void cm_geometry_timing_idle(struct cm_tiled_timing *timing, uint32_t pass, uint64_t until);

/** The Tile Fetcher, which has read all of its tile, goes on to the next one. */
void cm_fetcher_timing_end_tile(struct cm_tiled_timing *timing);
/** Pushes all primitives of the pass to the output queue; false where their times are not known yet. */
bool cm_fetcher_timing_end_pass(struct cm_tiled_timing *timing);

/** Whether all shaded quads of a tile, which the Rasterizer has passed on, have issued their reads. */
bool cm_raster_timing_is_settled(struct cm_tiled_timing *timing, const struct cm_work *work);
/** Blends them then. */
void cm_raster_timing_blend(struct cm_tiled_timing *timing, const struct cm_work *work);
/** When the last quad has left the Early Z-Test. */
uint64_t cm_raster_timing_tested(const struct cm_tiled_timing *timing);

/** All stages are done with a log. */
void cm_tiled_timing_release(struct cm_tiled_timing *timing, struct cm_work *work);

static inline bool
cm_tiled_timing_is_deferred(const struct cm_tiled_timing *timing)
{
   return timing->base.config->mode == CM_MODE_TBDR;
}

#endif
