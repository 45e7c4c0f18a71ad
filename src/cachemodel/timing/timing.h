/* SPDX-License-Identifier: MIT */
/**
 * The timing model (docs/timing.md, docs/immediate.md) of the tile-based pipeline, or of mode imr, as the configuration
 * says.
 *
 * The consumer (gpu/) simulates the caches in the order of the event stream and logs here what it did, item by item.
 * There is a log for a pass' geometry, for a tile, or, in mode imr, for a pass. From it the timing of either GPU computes when
 * it happened; nothing here changes what hits and what misses.
 *
 * If cycles are not simulated the timing is NULL: all functions between its creation and its end then do nothing.
 *
 * Calls, from one thread, or in the order of one (cm_timing_defer_calls). Tile-based, for each pass
 *    begin(GEOMETRY), (draw, programs_fetched, vertex*, draw_end)*, binned*, end,
 *    (check* begin(TILE), surface*, mark(LOADED), (fetched tile_vertex*)*, tile_fetched, quad*, mark(SHADED), surface*, end)*, checks_end
 * and in mode imr
 *    begin(PASS), mark(CLEARED),
 *    ((draw, programs_fetched, vertex*, draw_end) | (primitive, (region, (block_part_end block_part_end block)*, region_end)*))*,
 *    mark(DRAWN), mark(RESOLVED), end
 * In both, for each compute pass
 *    begin(DISPATCH), end, (begin(GROUPS), (work_group, (run* barrier)* run*)*, end)*
 * and at the end of it and of other passes that access storage
 *    begin(STORED), end
 * and after the last pass of a frame frame_end, some take_frame, and frame_begin. What the caches did between two calls is in the access stream;
 * in the tile-based pipeline shaders, texture reads, PMDs, attributes and vertices that tiles shade begin there with a
 * CM_ENTRY_GROUP of their stream, in mode imr texture reads do; instructions that access storage do in both.
 */
#ifndef CM_TIMING_H
#define CM_TIMING_H

#include "config/config.h"
#include "events/event_stream.h"
#include "events/shader_code.h"
#include "memory/hierarchy.h"
#include "stats/counters.h"

struct cm_nuca;
struct cm_timeline;
struct cm_timing;

/** For a configuration whose timing is on. The hierarchy and nuca (NULL: none) must outlive it. NULL when out
 * of memory. */
struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca);
void cm_timing_destroy(struct cm_timing *timing);

/** Before the first pass: frames are timed by so many threads, at least 1, at the same time; by fewer if the system has no more. There
 * is one otherwise. */
void cm_timing_set_threads(struct cm_timing *timing, unsigned threads);

/** Before the first pass: a frame goes on in another part with the first pass that begins after so many entries. That is a matter of
 * the log alone, and a part is like a frame: what is before it is done, and its cycles follow those of the parts before. For tests,
 * as the default (timing.c) is more than most frames have. */
void cm_timing_set_longest_part(struct cm_timing *timing, uint32_t entries);

/** Whether calls can be left to the shared side: there is no timeline and no attribution, and nobody else reads the stream.
 * timing: not NULL. */
bool cm_timing_can_defer(const struct cm_timing *timing);
/** Before the first pass, after cm_hierarchy_defer_reports: from now on the calls that timing/calls.h lists are marks in shared.arriving,
 * which the shared side makes; cm_timing_group, _storage and _storage_block append to that stream, too. cm_timing_quads and _caused are
 * the shared side's own. cm_timing_new_quads, _take_frame and _is_complete may come at any time; all other calls, when the shared side
 * has all entries. */
void cm_timing_defer_calls(struct cm_timing *timing);

/** Whether all cycles of the frames that were taken were counted: false once out of memory, or after a deadlock; from then on none is. */
bool cm_timing_is_complete(const struct cm_timing *timing);

/** Something that is to be logged is missing, as memory was short: nothing is logged any more. From the shared side. */
void cm_timing_give_up(struct cm_timing *timing);

/** Before the first pass: reports to a timeline, which must outlive this. False when out of memory. */
bool cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline);

/** What is counted (timing/tiled/tiled.c, timing/immediate/immediate.c); read from a struct cm_timing. */
extern const struct cm_counter_source cm_timing_counters;

/* ---- logs ---------------------------------------------------------------- */

/** What a log is of. */
enum cm_log_kind {
   CM_LOG_GEOMETRY,
   CM_LOG_TILE,
   CM_LOG_PASS,
   CM_LOG_DISPATCH, /**< a compute pass begins; its parameters are read */
   CM_LOG_GROUPS,   /**< a tile's work-groups */
   CM_LOG_STORED,   /**< a pass that accesses storage ends: load/store caches write back */
};

/** A log begins; tile: its tile. */
void cm_timing_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile);
/** The log of a pass in mode imr is complete for all draws so far and their primitives. The timing
 * continues with it, if that is worth it. */
void cm_timing_submit_log(struct cm_timing *timing);
/** The log is complete. */
void cm_timing_end(struct cm_timing *timing);
/** The frame ends; its logs are complete. */
void cm_timing_frame_end(struct cm_timing *timing);
/** Then the next one begins. All frames that have ended must have been taken where cm_timing_is_in_turn. */
void cm_timing_frame_begin(struct cm_timing *timing);
/** Whether frames that have ended must be taken before the next one begins: there is one thread; the configuration attributes, or a
 * timeline keeps this frame or the next. timing: not NULL, as of the functions that follow. */
bool cm_timing_is_in_turn(const struct cm_timing *timing);
/** Takes what was found of the oldest frame that has ended and was not taken. Counters are those of all frames that were taken.
 * waits: until it is timed. False: it is not timed yet, or none has ended. */
bool cm_timing_take_frame(struct cm_timing *timing, bool waits);
/** Before the first pass: sets a function that a thread calls when it has timed a frame. */
void cm_timing_on_frame(struct cm_timing *timing, void (*timed)(void *context), void *context);
/** Processor time of a thread, from 0 on, for all frames that it has timed. */
uint64_t cm_timing_nanoseconds(const struct cm_timing *timing, unsigned thread);

/** Positions within a log. */
enum cm_log_mark {
   CM_LOG_VERTICES, /**< all vertices are fetched; draw_end says so */
   CM_LOG_LOADED,   /**< the tile is loaded */
   CM_LOG_FETCHED,  /**< its primitives are fetched; tile_fetched says so */
   CM_LOG_SHADED,   /**< it is shaded; its flush follows */
   CM_LOG_CLEARED,  /**< the pass' attachments are cleared */
   CM_LOG_DRAWN,    /**< all is drawn; resolves follow */
   CM_LOG_RESOLVED, /**< the write-backs of the render caches follow */
   CM_LOG_MARK_COUNT,
};
void cm_timing_mark(struct cm_timing *timing, enum cm_log_mark mark);

/** The next part of a tile's load or flush is of that resource. */
void cm_timing_surface(struct cm_timing *timing, uint32_t resource);

/** Begins a group of so many accesses. */
void cm_timing_group(struct cm_timing *timing, enum cm_stream stream, uint32_t accesses);

/* ---- shader cores ---------------------------------------------------------- */

/** What an invocation of a shader costs a shader core, be it the mean of several. */
struct cm_shader_cost {
   uint32_t operations[CM_PIPE_COUNT];
   uint32_t threads_shared; /**< as of struct cm_shader_code */
};

/** Logs a cost, with configurations whose key core is pipes. Returns its number in the log, from 0. */
uint32_t cm_timing_cost(struct cm_timing *timing, const struct cm_shader_cost *cost);

/* ---- vertices ------------------------------------------------------------ */

/** A draw begins. Fetches of its shaders follow. */
void cm_timing_draw(struct cm_timing *timing, const struct cm_draw *draw,
                    const uint32_t instructions[CM_PRERASTER_STAGES]);
/** What an invocation of its shader of that stage costs. part: which part of the shader of vertices. */
void cm_timing_draw_cost(struct cm_timing *timing, enum cm_preraster_stage stage, enum cm_code_part part,
                         const struct cm_shader_cost *cost);
void cm_timing_shaders_fetched(struct cm_timing *timing);
/** Vertices of a pass, or invocations of its other shaders, that run on one core of a unified GPU together, as one thread;
 * threads go to the cores in turn. */
#define CM_VERTICES_OF_A_THREAD 16

/** The next vertex' attributes are fetched; what its shader accesses follows, then cm_timing_vertex or cm_timing_tile_vertex. */
void cm_timing_vertex_fetched(struct cm_timing *timing);
/** A vertex was fetched, or found transformed already. */
void cm_timing_vertex(struct cm_timing *timing, bool reused);
/** The draw's vertices end. Since the last one, or the last call, an invocation of a stage after them, with its number among
 * these, accessed textures or storage. Stages follow one another. */
void cm_timing_invocation(struct cm_timing *timing, enum cm_preraster_stage stage, uint32_t number);
/** The accesses of the stages after the vertices end. */
void cm_timing_stages_end(struct cm_timing *timing);
/** The draw ends: since its stages, transform feedback was written. */
void cm_timing_draw_end(struct cm_timing *timing);

/* ---- the tile-based pipeline --------------------------------------------- */

/** The Polygon List Builder wrote a primitive's PMDs and attributes. */
void cm_timing_binned(struct cm_timing *timing, const struct cm_primitive *primitive);
/** The Tile Fetcher has read a primitive's PMD and attributes. index: the primitive's in the pass. Where tiles shade vertices, there
 * are no attributes; fetches of its shader and tile_vertex follow. */
void cm_timing_fetched(struct cm_timing *timing, uint32_t index, const struct cm_primitive *primitive);
/** A vertex of the last primitive was fetched, which the tile shades. cost: its number in the log. */
void cm_timing_tile_vertex(struct cm_timing *timing, uint32_t cost);
/** The Tile Fetcher has read entries of a hierarchical list, a group, that are not of the tile: it takes so many cycles to drop
 * them. */
void cm_timing_dropped(struct cm_timing *timing, uint32_t cycles);
/** All primitives of the tile are fetched. events: the tile's, as recorded. */
void cm_timing_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events);
/** Before cm_timing_binned: the Signature Unit takes so many blocks of the primitive, and updates so many tiles' signatures. */
void cm_timing_sign(struct cm_timing *timing, uint32_t blocks, uint32_t tiles);
/** The Tile Fetcher compares the signatures of a tile, whose log may follow. */
void cm_timing_check(struct cm_timing *timing, uint32_t tile);
/** The pass' tiles end: what was compared after the last log counts as one. */
void cm_timing_checks_end(struct cm_timing *timing);

/** Instructions that are logged of a quad or a block at most. */
#define CM_MOST_LOGGED_INSTRUCTIONS (UINT32_MAX / 2)

/** What quads have in common, one after another: mostly those of a primitive. */
struct cm_logged_kind {
   uint32_t primitive; /**< index in the pass */
   uint32_t draw;      /**< number in the pass */
   uint32_t instructions;
   uint16_t footprints; /**< at most UINT16_MAX */
   uint8_t attributes;  /**< that the Rasterizer interpolates */
   uint8_t shaded;      /**< 1: it runs; 0: it fails the Early Z-Test, or has no shader */
   /* Of shader cores. */
   uint32_t cost;    /**< number of what it costs, in the log */
   uint16_t samples; /**< of textures that each of its fragments takes, bilinear ones of narrow texels */
   uint16_t pixels;  /**< that it writes into the tile buffer, each attachment by itself */
};
/** The next quads are of this kind. */
void cm_timing_kind(struct cm_timing *timing, const struct cm_logged_kind *kind);
/** A quad of the last kind has run, or failed, on a processor: its texture reads are groups of entries. */
void cm_timing_quad(struct cm_timing *timing, uint32_t processor);

/* Quads that a shading worker runs (gpu/shading_worker.h), where calls are deferred. */
struct cm_quad_log;
/** For the quads of a tile; from any thread. NULL when out of memory. */
struct cm_quad_log *cm_timing_new_quads(struct cm_timing *timing);
/** The shared side has come to a tile's quads: they are of the log that is written, and no longer the caller's. */
void cm_timing_quads(struct cm_timing *timing, struct cm_quad_log *quads);
/** What follows the first so many of their requests is in the access stream since the last call, or since cm_timing_quads. */
void cm_timing_caused(struct cm_timing *timing, uint32_t requests);

/* ---- mode imr ------------------------------------------------------------ */

/* calls: where calls are deferred, the list of the shading worker that makes this one; NULL: the main thread makes it. */

/** A primitive of a draw (number in the pass) begins; then a region of it, whose HiZ was read. tile: the region's. */
void cm_timing_primitive(struct cm_timing *timing, struct cm_access_stream *calls, uint32_t draw);
void cm_timing_region(struct cm_timing *timing, struct cm_access_stream *calls, uint32_t tile);

/** The early tests of the next block are done; then its shaders. */
enum cm_block_part { CM_BLOCK_TESTS, CM_BLOCK_SHADERS, CM_BLOCK_PARTS };
void
cm_timing_block_part_end(struct cm_timing *timing, struct cm_access_stream *calls, enum cm_block_part part);

/** A block of 4x4 pixels. Its entries begin where those of the block before it end, or the region's HiZ. */
struct cm_logged_block {
   uint32_t tests_end, shade_end, end; /**< entries of the pass before; set when it is logged */
   uint32_t instructions;              /**< of all quads that ran, once for each run */
   uint32_t footprints;                /**< that all of them read */
   uint16_t processor;
   bool goes_on; /**< past the early tests: quads ran; or, set when it is logged, it has entries after them */
};
/** It is done. */
void cm_timing_block(struct cm_timing *timing, struct cm_access_stream *calls,
                     const struct cm_logged_block *block);
/** The region ends; since its last block, HiZ was written. */
void cm_timing_region_end(struct cm_timing *timing, struct cm_access_stream *calls);

/* ---- compute passes, storage ---------------------------------------------- */

/** An instruction of a sub-group, or of a quad, accesses storage: `count` blocks of these addresses, each once. Its accesses
 * follow. processor: of a write-back, which has no blocks here, the load/store cache. resource: that it accesses, or 0. */
void cm_timing_storage(struct cm_timing *timing, enum cm_storage_operation operation, uint32_t processor,
                       uint32_t count, uint32_t resource);
void cm_timing_storage_block(struct cm_timing *timing, uint64_t address);

/** A work-group begins on a processor, whose quads each run so many instructions in all their runs; since the last item, its shader was fetched, if it was. */
void cm_timing_work_group(struct cm_timing *timing, uint32_t processor, uint32_t instructions);
/** Up to CM_INVOCATIONS of its invocations have run, up to a barrier or their end. resumes: they had run before. more:
 * instructions of all their quads besides those of the work-group. */
void cm_timing_run(struct cm_timing *timing, uint32_t invocations, bool resumes, uint64_t more);
/** All of them have arrived at a barrier. */
void cm_timing_barrier(struct cm_timing *timing);

/* ---- attribution --------------------------------------------------------- */

struct cm_cycle_attribution;

/** When a part of a frame was done. */
struct cm_timed_end {
   uint32_t pass;  /**< counted from 1 over all frames */
   uint32_t tile;  /**< 1 + its number; 0: the whole pass, in mode imr */
   uint64_t cycle; /**< of the frame's part */
};

struct cm_frame_log;

/** A frame, or a part of a long one. */
struct cm_timed_part {
   uint64_t cycles;
   const struct cm_timed_end
      *ends; /**< what was done in it, in order; where the configuration attributes passes or tiles */
   uint32_t num_ends;
   uint32_t last_pass; /**< counted as of the ends */
   /** The cycles of its stages (timing/attribution.h), by what they were for, whose rows must be removed. NULL: the configuration
    * attributes nothing. */
   struct cm_cycle_attribution *attribution;
   const struct cm_frame_log *log; /**< NULL: there is no such part */
};

/** The part after another of the frame that was taken last; NULL: the first one. Valid until the next frame is taken. timing: not
 * NULL. */
struct cm_timed_part cm_timing_part(const struct cm_timing *timing, const struct cm_timed_part *before);

/** Which column of its tables a counter of cm_timing_counters is; -1: none. How many columns they have. */
int cm_timing_attributed_column(const struct cm_config *config, int event);
uint32_t cm_timing_attributed_columns(const struct cm_config *config);

/** Checks the keys timing, pipeline.* and immediate_pipeline.* against each other and the rest of the GPU. */
bool cm_timing_config_check(const struct cm_config *config, struct cm_config_problem *problem);

#endif
