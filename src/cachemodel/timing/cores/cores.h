/* SPDX-License-Identifier: MIT */
/** The timing of the tile-based GPU with shader cores (docs/shader-core.md), each of which works on its own tile:
 * cores.c has the logs and the main loop, the other files the stages. */
#ifndef CM_CORES_H
#define CM_CORES_H

#include "timing/cores/core.h"
#include "timing/pipeline.h"
#include "timing/tiled/memory.h"
#include "timing/tiled/signature.h"
#include "timing/tiled/texture.h"

/** Quads of the largest warp. */
#define CM_CORE_WARP_QUADS 32

/* ---- geometry -------------------------------------------------------------- */

/** Vertices that are fetched together: as many as a warp shades, and reused ones among them. */
struct cm_vertex_warp {
   uint32_t draw;            /**< number in the log */
   uint32_t first, vertices; /**< numbers of vertices in the log */
   uint32_t shaded;          /**< not reused */
   uint32_t draw_vertex;     /**< the number of the first one in the draw */
};

struct cm_core_geometry {
   struct cm_work *first, *last; /**< logs of passes' geometry that are not done, the oldest first */
   bool is_active;               /**< of the first one */
   struct cm_vertex_cursor at;
   uint32_t token, binned_token, binned, out_binned;
   struct cm_flight input;       /**< warps whose vertices are being fetched */
   struct cm_vertex_warp *warps; /**< by number in it */
   struct cm_queue triangles;
   struct cm_stage fetch, assembly, tiler;
   struct cm_signature_timing signature;
   uint32_t next_core;
   uint32_t accessed[CM_PRERASTER_STAGES];
   uint64_t owed;       /**< vertices of the draw whose varyings are not shaded, times its vertices */
   uint64_t dispatched; /**< the last warp */
   uint64_t shaded;     /**< the last one of all */
   uint64_t program_ready, draw_begin, next_check, begin;
   uint64_t end;  /**< of the last pass that is done */
   uint32_t done; /**< that pass */
};

/** A warp of vertices, or of invocations of stages after them. */
struct cm_vertices_to_run {
   const struct cm_work *work;
   uint32_t draw, cost; /**< number in the pass; of what one costs, in the log */
   uint32_t used;       /**< threads */
   uint64_t ready;      /**< it is dispatched at this cycle or later */
   uint32_t begin, end; /**< tokens of what they access, from the first instruction on */
};

/* ---- tiles ----------------------------------------------------------------- */

/** Vertices of a draw that a tile shades together. */
struct cm_tile_warp {
   struct cm_work *work; /**< the tile */
   uint32_t draw, cost;
   uint32_t first, vertices; /**< numbers in the log */
};

/** With vertices: per-tile. */
struct cm_core_tile_vertices {
   struct cm_flight input;     /**< warps whose vertices are being fetched */
   struct cm_tile_warp *warps; /**< by number in it */
   bool is_open;               /**< the newest one takes more vertices */
   uint64_t next_check, dispatched;
};

/** A warp of quads in flight. */
struct cm_core_fragments {
   uint64_t issued, released; /**< its last instruction; its threads, once it is retired */
   uint32_t tail;             /**< cycles of the instructions after the data */
   uint32_t threads;          /**< that it has */
   uint32_t pixels;           /**< to write into the tile buffer */
   uint32_t draw;
   struct cm_work *work;
   bool pending;              /**< some of its reads are not issued */
   cm_dram_ticket submitted;  /**< the last ticket before it */
   struct cm_dependency wait; /**< for textures */
};

/** Quads that are collected into a warp. */
struct cm_core_collected {
   uint32_t quads;
   uint32_t draw, threads_shared, samples, parts, pixels;
   uint32_t begin, end;                /**< their tokens */
   uint64_t tested;                    /**< the last one has passed the depth test */
   uint32_t operations[CM_PIPE_COUNT]; /**< of that which has most, by pipe */
};

struct cm_core {
   struct cm_core_pipes pipes;
   struct cm_core_window vertices; /**< warps of vertices in flight */
   struct cm_work *last;           /**< the last tile that is the core's */

   /* Reads of tile lists: primitives ahead of the rasterizer, of the next tile, too. */
   struct cm_work *list;
   uint32_t list_next, list_dropped, list_token, list_vertex;
   uint64_t list_clock;
   struct cm_flight primitives;
   uint64_t list_until; /**< of the core in timing->fetchers */
   struct cm_core_tile_vertices tile_vertices;

   /* From the rasterizer to the warps. */
   struct cm_work *front;
   bool is_begun;
   uint32_t next, popped, token; /**< quad, primitive */
   uint64_t raster_begin;        /**< earliest begin of the next primitive or quad */
   struct cm_core_pipe raster, depth;
   uint64_t raster_until; /**< of the core in timing->rasterizers */
   struct cm_core_collected collected;
   struct cm_queue formed; /**< warps before their dispatch */
   uint64_t dispatch, next_check;
   uint64_t begun; /**< tiles */

   /* Warps in flight: dispatched ones, of these retired ones, whose release is known, of these those whose threads others
    * have taken over. */
   struct cm_core_fragments *warps;
   uint64_t mask, dispatched, retired, taken_over;
   uint32_t threads; /**< of those that are not taken over */
   uint64_t window;  /**< when the last one was released that is */

   /* Flushes. */
   struct cm_work *flush;
   bool is_flushing;
   uint32_t flush_token, surface;
   uint64_t *flushed;       /**< by tile of the core, modulo tile_buffers; CM_UNKNOWN: not yet */
   uint64_t done;           /**< tiles */
   uint64_t transfer_until; /**< of the core in timing->transfers */
   struct cm_stage loader;  /**< not counted */
   struct cm_dependency wait;
};

/** What is counted at the end of a frame. */
struct cm_core_counts {
   uint64_t busy[CM_PIPE_COUNT]; /**< cycles of pipes, summed over the cores */
   uint64_t raster, depth, transfer;
   uint64_t warps, quads; /**< of fragments */
   uint64_t vertex_warps, vertices;
};

struct cm_cores_timing {
   struct cm_pipeline base;
   const struct cm_shader_core_config *config;
   const struct cm_pipeline_config *pipeline;
   struct cm_tiled_memory memory;
   struct cm_texture_timing texture;
   struct cm_work *first, *last;            /**< logs that are not done, the oldest first */
   uint64_t tiles, tiles_done, last_before; /**< last_before: of the pass that was taken last */
   uint64_t flushed;                        /**< the last tile that was */
   uint32_t pass;                           /**< whose tiles have begun */
   uint64_t pass_begin;
   struct cm_core_geometry geometry;
   uint32_t num_cores, parts_of_core;
   struct cm_core *cores;
   /** Sums over the cores; while a core works, `until` is that of the core. */
   struct cm_stage fetchers, rasterizers, transfers;
   struct cm_core_counts counts;
};

/** Builds a part. */
void cm_core_geometry_init(struct cm_cores_timing *timing);
void cm_core_init(struct cm_cores_timing *timing, struct cm_core *core);

/** Whether a part can continue, with the times known so far; *clock: the cycle that it has reached. */
bool cm_core_geometry_ready(struct cm_cores_timing *timing, uint64_t *clock);
bool cm_core_list_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock);
bool cm_core_front_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock);
bool cm_core_flush_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock);
/** Continues it. */
void cm_core_geometry_step(struct cm_cores_timing *timing);
void cm_core_list_step(struct cm_cores_timing *timing, struct cm_core *core);
void cm_core_front_step(struct cm_cores_timing *timing, struct cm_core *core);
void cm_core_flush_step(struct cm_cores_timing *timing, struct cm_core *core);

/** The same of the vertices that tiles shade. */
void cm_core_vertices_init(struct cm_cores_timing *timing, struct cm_core *core);
bool cm_core_vertices_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock);
void cm_core_vertices_step(struct cm_cores_timing *timing, struct cm_core *core);
/** Whether there is room for the next vertex of a tile's list, of a draw. */
bool
cm_core_vertices_can_collect(const struct cm_cores_timing *timing, const struct cm_core *core, uint32_t draw);
/** Fetches it, of a primitive of the list. */
void cm_core_vertices_fetch(struct cm_cores_timing *timing, struct cm_core *core,
                            const struct cm_logged_fetched *primitive);
/** The warp that is collected is full, or not. */
void cm_core_vertices_close(struct cm_core *core);

/** Runs a warp of vertices on a core, no sooner than *dispatched, which becomes the cycle of its dispatch. Returns when it is
 * done. */
uint64_t cm_core_run_vertices(struct cm_cores_timing *timing, struct cm_core *core,
                              const struct cm_vertices_to_run *run, uint64_t *dispatched);

/** Whether it is known when the oldest warp of a core is shaded; after DRAM has advanced to a cycle. */
bool cm_core_can_retire(struct cm_cores_timing *timing, struct cm_core *core, uint64_t cycle);
/** Writes its pixels into the tile buffer, and gives back its threads. */
void cm_core_retire(struct cm_cores_timing *timing, struct cm_core *core);

/** Loads a tile's buffer, which is free from a cycle on. Returns when it is. */
uint64_t cm_core_load(struct cm_cores_timing *timing, struct cm_core *core, const struct cm_work *work,
                      uint64_t cycle);

/** A tile is flushed. */
void cm_cores_tile_done(struct cm_cores_timing *timing, struct cm_work *work);
/** Whether a pass' tiles may begin; sets timing->pass_begin when they do. */
bool cm_cores_pass_may_begin(struct cm_cores_timing *timing, const struct cm_work *work);

#endif
