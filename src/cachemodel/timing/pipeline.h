/* SPDX-License-Identifier: MIT */
/** What the pipelines of both GPUs have in common: how they time a frame, compute passes, tables of their stages, queues and other
 * counters, attribution. */
#ifndef CM_TIMING_PIPELINE_H
#define CM_TIMING_PIPELINE_H

#include "stats/counters.h"
#include "timing/attribution.h"
#include "timing/compute.h"
#include "timing/log_queue.h"
#include "timing/memory.h"
#include "timing/queues.h"
#include "timing/report.h"
#include "util/array.h"

/** A stage: a counter <name>.<state>_cycles for each state (timing/queues.h), which sum to the frame's cycles times
 * its units. */
struct cm_stage_part {
   const char *name, *description;
   size_t at;      /**< offset of its struct cm_stage in the pipeline's structure */
   bool is_summed; /**< of several units: cm_pipeline_idle is not for it */
   size_t stride;  /**< from one lane's to the next one's, of cm_pipeline.lanes; 0: there is one */
};

/** A queue: counters <name>.items and <name>.cycles, items that passed and cycles that they were in it, summed. The
 * quotient of cycles and gpu.cycles is the mean occupancy. */
struct cm_queue_part {
   const char *name, *label; /**< "queue.color"; "queue color" */
   const char *description;
   size_t at;     /**< offset of its struct cm_queue */
   size_t stride; /**< as of stages */
};

/** What a queue has counted. */
struct cm_queue_counts {
   uint64_t items, waiting;
};

/** Any other counter. */
struct cm_value_part {
   const char *name, *measure, *description;
   size_t at;                                      /**< offset of its uint64_t */
   bool (*exists)(const struct cm_config *config); /**< NULL: in every configuration */
};

/** Counts of misses in a timeline: the counter is the increase per cycle. */
#define CM_REPORT_MISSES 2

struct cm_texture_timing;

/** A kind of pipeline: its parts, in the order of their counters, each list ended by zeros, and its functions. Before the
 * counters of the parts come gpu.cycles and gpu.time, after them CM_DRAM_SYSTEM_COUNTERS. */
struct cm_pipeline_type {
   const struct cm_value_part *values;
   const struct cm_stage_part *stages;
   const struct cm_queue_part *queues;
   struct {
      const char *name, *description;
   } misses[CM_REPORT_MISSES];
   size_t size; /**< of its structure, which begins with a struct cm_pipeline */

   /** Builds it, with memory of its pool; sets memory and texture, and prepares compute. False when out of memory. */
   bool (*init)(struct cm_pipeline *pipeline, const struct cm_nuca *nuca);
   /** Returns its logs, and frees what is not in its pool. */
   void (*finish)(struct cm_pipeline *pipeline);
   /** Takes a log, which it returns when it is done with it. */
   void (*take)(struct cm_pipeline *pipeline, struct cm_work *work);
   /** Completes all work, if it does not fail. Returns the cycle. */
   uint64_t (*complete)(struct cm_pipeline *pipeline);
   /** All wait until a cycle at which all work is done. NULL: the pipeline takes compute passes itself. */
   void (*idle)(struct cm_pipeline *pipeline, uint64_t cycle);
   /** A processor issues instructions of quads of a compute pass from a cycle on. Returns when the last one is. */
   uint64_t (*issue)(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions);
   /** Misses so far. */
   uint64_t (*count_misses)(const struct cm_pipeline *pipeline, unsigned number);
};
extern const struct cm_pipeline_type cm_tiled_pipeline;
extern const struct cm_pipeline_type cm_cores_pipeline;
extern const struct cm_pipeline_type cm_immediate_pipeline;

/** Rows of these lists, of a pipeline of type `type`. */
#define CM_VALUE_PART(type, name, measure, description, member) \
   {name, measure, description, offsetof(type, member), NULL}
#define CM_STAGE_PART(type, name, description, member) {name, description, offsetof(type, member), false, 0}
#define CM_QUEUE_PART(type, name, description, member) \
   {"queue." name, "queue " name, description, offsetof(type, member), 0}

/** Rows that both pipelines have; VALUE(name, measure, description, member) makes one. */
#define CM_COMMON_VALUE_PARTS(VALUE)                                                                         \
   VALUE("texture_cache.mshr_cycles", "cycles",                                                              \
         "cycles that misses of the texture caches waited for an MSHR", memory.base.texture_waits),          \
      VALUE("load_store.port_cycles", "cycles", "cycles in which load/store units took blocks, summed",      \
            memory.base.stores.port),                                                                        \
      VALUE("load_store.mshr_cycles", "cycles", "cycles that misses of load/store units waited for an MSHR", \
            memory.base.stores.mshrs),                                                                       \
      VALUE("load_store.write_cycles", "cycles",                                                             \
            "cycles that stores, atomics and write-backs waited for the next level",                         \
            memory.base.stores.writes),                                                                      \
      VALUE("load_store.write_back_cycles", "cycles",                                                        \
            "cycles in which load/store caches wrote back at the end of passes",                             \
            base.compute.counts.write_backs),                                                                \
      VALUE("compute_stage.cycles", "cycles", "cycles of compute passes", base.compute.counts.cycles),       \
      VALUE("compute_stage.barrier_cycles", "cycles",                                                        \
            "cycles that invocations, 16 at a time, waited for others at barriers",                          \
            base.compute.counts.barriers)

/** The beginning of each pipeline's structure. A frame begins on a pipeline in which nothing has happened: it is built anew for each.
 * So cycles count from the frame's first one, and the counters are the frame's. */
struct cm_pipeline {
   const struct cm_pipeline_type *type;
   const struct cm_config *config;
   struct cm_pool pool; /**< all memory but DRAM, the mesh and the logs */
   const struct cm_hierarchy *hierarchy;
   const struct cm_nuca *nuca;               /**< NULL: none */
   struct cm_memory *memory;                 /**< a part of the pipeline's */
   struct cm_texture_timing *texture;        /**< likewise; NULL in mode imr */
   struct cm_compute_timing compute;         /**< of compute passes, on its Fragment Processors */
   struct cm_log_queue *logs;                /**< from the consumer */
   struct cm_frame_log *frame;               /**< that is timed */
   struct cm_report *report;                 /**< to a timeline; NULL: none keeps the frame */
   uint32_t last_pass;                       /**< that of the last log that was taken */
   bool has_failed;                          /**< no cycle of the frame is counted any more */
   uint32_t lanes;                           /**< parts of a stride, of each */
   struct cm_stage *processors;              /**< Fragment Processors */
   struct cm_stage fragment;                 /**< their sum at the end of the frame */
   uint64_t cycles;                          /**< of the frame, when it has ended */
   struct cm_cycle_attribution *attribution; /**< the frame's; NULL: cycles are not attributed */
};

/** The cycles of a stage are for a draw of a log from now on; CM_NO_ITEM: for all of the log. */
static inline void
cm_work_serve(const struct cm_work *work, struct cm_stage *stage, uint32_t draw)
{
   cm_stage_serve(stage, work->pass, draw, 0, work->tile);
}

/** A context of a Fragment Processor, which an item, a quad or a block, has while its shader runs. */
struct cm_context {
   uint64_t item;                       /**< the number of the last one; CM_UNKNOWN: none yet */
   uint64_t released;                   /**< when that one released it; CM_UNKNOWN: not known */
   enum cm_stage_state reason;          /**< what it waited for last */
   uint32_t pass, draw, resource, tile; /**< its last user; resource: what that waited for */
};

/** The item's last instruction is issued, and its data used, at these cycles, and the next queue has space for it. Returns
 * when it releases its context. */
static inline uint64_t
cm_context_release(struct cm_context *context, uint64_t issued, uint64_t data, uint64_t room,
                   uint32_t waits_for)
{
   const uint64_t done = cm_later(issued, data);
   context->reason = room > done ? CM_STAGE_BLOCKED : data > issued ? CM_STAGE_MEMORY : CM_STAGE_BUSY;
   context->resource = context->reason == CM_STAGE_MEMORY ? waits_for : 0;
   return context->released = cm_later(done, room);
}

/** Until the next item is dispatched its processor waits for the context, and so for what the last item in it waited for.
 * Its cycles may then be attributed to that item. */
static inline void
cm_context_wait(const struct cm_context *context, struct cm_stage *processor, uint64_t dispatch)
{
   if (dispatch <= processor->until)
      return;
   if (context->reason != CM_STAGE_BUSY)
      cm_stage_serve(processor, context->pass, context->draw, context->resource, context->tile);
   cm_stage_account(processor, context->reason == CM_STAGE_BUSY ? CM_STAGE_STARVED : context->reason,
                    dispatch);
}

/** config, the hierarchy, nuca (NULL: none) and the queue, from which its frames' logs come, must outlive it. NULL when out of
 * memory. */
struct cm_pipeline *cm_pipeline_create(const struct cm_pipeline_type *type, const struct cm_config *config,
                                       const struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca,
                                       struct cm_log_queue *logs);
/** NULL is fine. */
void cm_pipeline_destroy(struct cm_pipeline *pipeline);

/** Times a frame, on a thread of the queue: takes all its logs, and sets what it finds. */
void cm_pipeline_time(struct cm_pipeline *pipeline, struct cm_frame_log *frame);

/** A tile, or a pass, is done: keeps the cycle, where cycles are attributed. pass: counted from 1; tile: its number,
 * CM_NO_ITEM of a pass. */
void cm_pipeline_keep_end(struct cm_pipeline *pipeline, uint32_t pass, uint32_t tile, uint64_t cycle);

/** The last cycle of a stage, the Fragment Processors included, but not of those that are summed. */
uint64_t cm_pipeline_last_cycle(const struct cm_pipeline *pipeline);

/** These wait until a cycle at which the whole pass is done. */
void cm_pipeline_idle(struct cm_pipeline *pipeline, uint32_t pass, uint64_t until);

/** Takes a log of a compute pass, or of the end of a pass that accesses storage: it begins when all before it is done, and what
 * follows when it is. */
void cm_pipeline_take_compute(struct cm_pipeline *pipeline, struct cm_work *work);

/** Misses of the first texture caches (number 0) or of the L2, as the hierarchy has counted them. */
uint64_t cm_pipeline_hierarchy_misses(const struct cm_pipeline *pipeline, unsigned number);

/** Its queue of that number, of all lanes. */
struct cm_queue_counts cm_pipeline_queue(const struct cm_pipeline *pipeline, unsigned number);

/** Adds a frame's counters to those of the frames before it. */
void cm_pipeline_add_frame(const struct cm_config *config, uint64_t total[static CM_PIPELINE_COUNTERS],
                           const uint64_t frame[static CM_PIPELINE_COUNTERS]);

/** Appends the counters of a configuration; cm_counter.event is their index in values. False when out of memory. */
bool cm_pipeline_list_counters(const struct cm_pipeline_type *type, const struct cm_config *config,
                               struct cm_counter_table *table);

/** Which column of the attribution's tables a counter is, an index in values; -1: none, as it does not count cycles of a stage. */
int cm_pipeline_attributed_column(const struct cm_pipeline_type *type, int event);
/** How many there are. */
uint32_t cm_pipeline_attributed_columns(const struct cm_pipeline_type *type);

#endif
