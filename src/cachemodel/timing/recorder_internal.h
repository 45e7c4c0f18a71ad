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
   /** Parts of the next one, and their values. */
   struct cm_frame_log *arrived, **arrived_end;
   uint64_t arrived_values[CM_PIPELINE_COUNTERS];

   struct cm_log *log;         /**< being written; NULL: none */
   enum cm_log_kind last_kind; /**< of the last log that began */
   uint32_t num_passes;
   bool out_of_memory;  /**< nothing is logged any more */
   bool logs_surfaces;  /**< cycles of loads and flushes are attributed to resources */
   uint32_t units;      /**< bit u: accesses of unit u are logged */
   uint32_t logged_end; /**< where the last item ends */
   uint32_t draw;       /**< in mode imr: of the last primitive */
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

/** recorder.c: reads the accesses that are logged. False when out of memory. */
bool cm_timing_read_accesses(struct cm_timing *timing);

#endif
