/* SPDX-License-Identifier: MIT */
/** The state of the timing on the consumer's side: recorder.c writes logs, timing.c has the threads and their results. */
#ifndef CM_TIMING_RECORDER_INTERNAL_H
#define CM_TIMING_RECORDER_INTERNAL_H

#include "timing/log_queue.h"
#include "timing/pipeline.h"
#include "timing/timeline.h"
#include "timing/timing.h"

struct cm_timing {
   const struct cm_config *config;
   struct cm_hierarchy *hierarchy;
   const struct cm_nuca *nuca;
   struct cm_log_queue logs;
   struct cm_pipeline *pipelines[CM_MAX_THREADS]; /**< of its threads */
   struct cm_timeline *timeline;                  /**< NULL: there is none */
   struct cm_report *report;                      /**< to it */
   /** It keeps the frame that is logged: it reads the caches' counters, and the names of what is drawn, so that the consumer must not
    * run ahead. */
   bool is_kept;
   uint32_t most_entries;                 /**< of a part, but for its last pass */
   uint32_t first_pass;                   /**< of the frame that is logged */
   struct cm_frame_log *taken;            /**< parts of the last frame that was taken, in order */
   uint64_t values[CM_PIPELINE_COUNTERS]; /**< of the frames that were taken */
   bool has_failed;                       /**< none of them any more */
   bool is_cut; /**< the last frame that has ended is not logged to its end, nor is any after it */
   /** Parts of the next one, and their values. */
   struct cm_frame_log *arrived, **arrived_end;
   uint64_t arrived_values[CM_PIPELINE_COUNTERS];

   /** Where calls become marks (timing/calls.h), for the shared side to make them; NULL: they are made at once. All that follows
    * is then of the thread that has the shared side. */
   struct cm_access_stream *calls;
   uint32_t
      num_costs; /**< of the log that calls have begun last: the caller's, who gets their numbers at once */
   struct cm_log *log;         /**< being written; NULL: none */
   enum cm_log_kind last_kind; /**< of the last log that began */
   uint32_t num_passes;
   bool out_of_memory;                 /**< nothing is logged any more */
   bool logs_surfaces;                 /**< cycles of loads and flushes are attributed to resources */
   uint32_t units;                     /**< bit u: accesses of unit u are logged */
   uint32_t logged_end;                /**< where the last item ends */
   uint32_t draw;                      /**< in mode imr: of the last primitive */
   uint32_t part_ends[CM_BLOCK_PARTS]; /**< of the next block */
   /* How many of these items the pass has in the parts before the log. */
   uint32_t first_entry, first_draw, first_accessing;

   /* Of the tile-based pipeline. */
   uint32_t vertex_streams; /**< a bit for each stream that fetches vertices; 0 in mode imr */
   uint32_t vertex_reads;   /**< of the first cache of vertices and indices since the last vertex */
   bool is_vertex_fetched;  /**< the next vertex accesses textures or storage */
   uint32_t fetched_end;    /**< where its attributes' entries end then */
   uint32_t *covered;       /**< by primitive of the pass: quads in the tile */
   size_t covered_capacity;
   uint32_t num_covered;
   bool has_covered; /**< the tile's quads are being counted there */
   /* Tiles whose signatures were compared since the last log of a tile, and the last one of them; what is signed of the
    * next primitive. */
   uint32_t checks, checked;
   uint32_t signed_blocks, signed_tiles;
};

/** The log that is being written. */
static inline struct cm_work *
cm_timing_take_written(struct cm_timing *timing)
{
   struct cm_work *work = (struct cm_work *)timing->log;
   timing->log = NULL;
   return work;
}

/** timing.c: before a pass; ends the part of the frame, if it is a long one. */
void cm_timing_divide(struct cm_timing *timing);

/* recorder.c: what the functions of timing.h with these names do; timing is not NULL. */
void cm_record_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile);
void cm_record_end(struct cm_timing *timing);
void cm_record_mark(struct cm_timing *timing, enum cm_log_mark mark);
uint32_t cm_record_cost(struct cm_timing *timing, const struct cm_shader_cost *cost);
void cm_record_draw_cost(struct cm_timing *timing, enum cm_preraster_stage stage, enum cm_code_part part,
                         const struct cm_shader_cost *cost);
/* Items with what the caller knows of them: their accesses are found here. */
void cm_record_draw(struct cm_timing *timing, const struct cm_logged_draw *draw);
void cm_record_binned(struct cm_timing *timing, const struct cm_logged_binned *binned);
void cm_record_fetched(struct cm_timing *timing, const struct cm_logged_fetched *fetched);
void cm_record_shaders_fetched(struct cm_timing *timing);
void cm_record_vertex_fetched(struct cm_timing *timing);
void cm_record_vertex(struct cm_timing *timing, bool reused);
void cm_record_invocation(struct cm_timing *timing, enum cm_preraster_stage stage, uint32_t number);
void cm_record_stages_end(struct cm_timing *timing);
void cm_record_draw_end(struct cm_timing *timing);
void cm_record_sign(struct cm_timing *timing, uint32_t blocks, uint32_t tiles);
void cm_record_check(struct cm_timing *timing, uint32_t tile);
void cm_record_checks_end(struct cm_timing *timing);
void cm_record_tile_vertex(struct cm_timing *timing, uint32_t cost);
void cm_record_dropped(struct cm_timing *timing, uint32_t cycles);
/** events: NULL: cm_record_covered counts what they cover, up to the mark SHADED. */
void cm_record_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events);
void cm_record_covered(struct cm_timing *timing, uint32_t primitive, uint32_t quads);
void cm_record_kind(struct cm_timing *timing, const struct cm_logged_kind *kind);
void cm_record_quad(struct cm_timing *timing, uint32_t processor);
void cm_record_primitive(struct cm_timing *timing, uint32_t draw);
void cm_record_region(struct cm_timing *timing, uint32_t tile);
void cm_record_block_part_end(struct cm_timing *timing, enum cm_block_part part);
void cm_record_block(struct cm_timing *timing, const struct cm_logged_block *block);
void cm_record_region_end(struct cm_timing *timing);
void cm_record_submit_log(struct cm_timing *timing);
void cm_record_work_group(struct cm_timing *timing, uint32_t processor, uint32_t instructions);
void cm_record_run(struct cm_timing *timing, uint32_t invocations, bool resumes, uint64_t more);
void cm_record_barrier(struct cm_timing *timing);

/** recorder.c: reads the accesses that are logged. False when out of memory. */
bool cm_timing_read_accesses(struct cm_timing *timing);

#endif
