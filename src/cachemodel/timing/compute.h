/* SPDX-License-Identifier: MIT */
/**
 * The timing of compute passes (docs/compute.md), for both GPUs: work-groups on the Fragment Processors. The pipeline that
 * it is a part of issues instructions and accesses.
 *
 * A processor works on as many work-groups at once as fit, in the order of their numbers. Invocations run side by
 * side up to a barrier or their end (struct cm_logged_run); a processor issues such runs one after another, whichever can
 * begin first, the oldest work-group's first. A run ends when its instructions are issued and its data is there. After a
 * barrier runs begin when all before it have ended; a work-group leaves when all its runs have.
 */
#ifndef CM_COMPUTE_TIMING_H
#define CM_COMPUTE_TIMING_H

#include "timing/attribution.h"
#include "timing/log_queue.h"
#include "timing/memory.h"

struct cm_pipeline;

/** What the units of a pipeline do for it. */
struct cm_compute_units {
   /** Fetches of shaders, of parameters: all that a wait is for. */
   void (*fetch)(struct cm_pipeline *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle,
                 struct cm_dependency *wait);
   /** Whether a processor's texture and load/store units have space for a run. */
   bool (*has_room)(struct cm_pipeline *pipeline, uint32_t processor);
   /** They start on its groups of accesses, the first at a cycle, each other `piece` cycles after the one before. Reads are
    * added to wait; *pending: more of them will be added, by work. */
   void (*start)(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end,
                 uint64_t cycle, uint32_t piece, struct cm_dependency *wait, bool *pending);
   /** They do what begins before a cycle; returns whether anything did. */
   bool (*work)(struct cm_pipeline *pipeline, uint64_t now);
   /** A write-back at a cycle and what it causes, from *token on. Returns when the next level accepts it. */
   uint64_t (*write_back)(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry **token,
                          const cm_entry *end, uint64_t cycle);
};

/** Compute passes of a GPU, all times in its cycles. */
struct cm_compute_counts {
   uint64_t cycles;      /**< of compute passes */
   uint64_t barriers;    /**< that runs waited for others before a barrier */
   uint64_t write_backs; /**< of passes' ends, in which load/store caches write back */
};

struct cm_compute_part;
struct cm_compute_group;

struct cm_compute_processor {
   struct cm_stage *stage;
   struct cm_compute_group *waiting, *last_waiting; /**< in the order of their numbers */
   struct cm_compute_group *resident;               /**< the oldest first */
   uint32_t used;                                   /**< invocations of these */
   uint64_t room;                                   /**< when the last one left, or the pass began */
   enum cm_stage_state reason;                      /**< what that one waited for last */
   uint32_t waits_for;                              /**< of that, the resource; 0: none */
   struct cm_dependency program;
   bool fetches; /**< its shader */
   uint64_t program_ready;
};

struct cm_compute_timing {
   struct cm_pipeline *pipeline;
   const struct cm_config *config;
   struct cm_memory *memory;
   const struct cm_compute_units *units;
   struct cm_compute_processor *processors;
   uint32_t num_processors, invocations; /**< invocations: of a processor at once */
   struct cm_compute_part *first, *last; /**< tiles in flight */
   uint64_t now;                         /**< all work that begins before is done */
   uint64_t begin, end;                  /**< of the pass; end: so far */
   bool is_active;
   struct cm_compute_counts counts;
};

/** Prepares it for a pipeline, which has its memory. fragments: that a processor works on at once. units must outlive it. */
void cm_compute_timing_init(struct cm_pipeline *pipeline, uint32_t fragments,
                            const struct cm_compute_units *units);
/** Gives back its logs. */
void cm_compute_timing_finish(struct cm_compute_timing *compute);

/** Invocations that a processor of a configuration works on at once. */
uint32_t cm_compute_invocations(const struct cm_config *config, uint32_t fragments);
/** Runs of the largest work-group. */
#define CM_COMPUTE_GROUP_RUNS 64

/** Takes a log of a compute pass, or of the end of a pass that accesses storage, before whose first one everything has ended
 * at a cycle. Returns when the pass has ended; 0: it continues. */
uint64_t cm_compute_timing_take(struct cm_compute_timing *compute, struct cm_work *work, uint64_t cycle);

#endif
