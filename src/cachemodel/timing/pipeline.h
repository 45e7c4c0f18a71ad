/* SPDX-License-Identifier: MIT */
/** What the pipelines of both GPUs have in common: tables of their stages, queues and other counters, and what happens
 * at the end of a frame. */
#ifndef CM_TIMING_PIPELINE_H
#define CM_TIMING_PIPELINE_H

#include "stats/counters.h"
#include "timing/attribution.h"
#include "timing/memory.h"
#include "timing/pieces.h"
#include "util/array.h"

/** A stage: a counter <name>.<state>_cycles for each state (timing/pieces.h), which sum to the frame's cycles times
 * its units. */
struct cm_stage_part {
   const char *name, *description;
   size_t at;      /**< offset of its struct cm_stage in the pipeline's structure */
   bool is_summed; /**< of several units: cm_pipeline_rest is not for it */
};

/** A queue: counters <name>.items and <name>.cycles, items that passed and cycles that they were in it, summed. The
 * quotient of cycles and gpu.cycles is the mean occupancy. */
struct cm_queue_part {
   const char *name, *label; /**< "queue.color"; "queue color" */
   const char *description;
   size_t at; /**< offset of its struct cm_queue */
};

/** Any other counter. */
struct cm_value_part {
   const char *name, *measure, *description;
   size_t at;                                      /**< offset of its uint64_t */
   bool (*exists)(const struct cm_config *config); /**< NULL: in every configuration */
};

/** A pipeline's parts, in the order of their counters, each list ended by zeros. Before them come gpu.cycles and
 * gpu.time, behind them CM_DRAM_SYSTEM_COUNTERS. */
struct cm_pipeline_parts {
   const struct cm_value_part *values;
   const struct cm_stage_part *stages;
   const struct cm_queue_part *queues;
};

/** Rows of these lists, of a pipeline of type `type`. */
#define CM_VALUE_PART(type, name, measure, description, member) \
   {name, measure, description, offsetof(type, member), NULL}
#define CM_STAGE_PART(type, name, description, member) {name, description, offsetof(type, member), false}
#define CM_QUEUE_PART(type, name, description, member) \
   {"queue." name, "queue " name, description, offsetof(type, member)}

/** The most counters of a pipeline. */
#define CM_PIPELINE_COUNTERS 160

/** What each pipeline's structure begins with. */
struct cm_pipeline {
   const struct cm_pipeline_parts *parts;
   const struct cm_config *config;
   struct cm_pool pool;                   /**< all memory but DRAM, the mesh and the logs */
   struct cm_memory *memory;              /**< a part of the pipeline's */
   struct cm_stage *processors;           /**< Fragment Processors */
   struct cm_stage fragment;              /**< their sum at the end of the last frame */
   uint64_t cycles, time;                 /**< of all frames that have ended; in ns */
   uint64_t values[CM_PIPELINE_COUNTERS]; /**< of the counters at the end of the last frame */
   uint64_t frame_begin;                  /**< cycle at which the last frame that has ended began */
   struct cm_array ends; /**< struct cm_timed_end: of the frame, where cycles are attributed */
   uint32_t num_ends;
   bool frame_has_ended;                     /**< they are those of the last frame */
   struct cm_cycle_attribution *attribution; /**< NULL: cycles are not attributed */
};

/** A tile, or in mode imr a pass, is done: keeps the cycle, where cycles are attributed. pass: counted from 1; tile: its
 * number, CM_NO_TILE of a pass. */
void cm_pipeline_keep_end(struct cm_pipeline *pipeline, uint32_t pass, uint32_t tile, uint64_t cycle);
#define CM_NO_TILE UINT32_MAX

/** Frees what cm_pipeline_keep_end and cm_pipeline_attribute have allocated. */
void cm_pipeline_finish(struct cm_pipeline *pipeline);

/** Prepares a structure of zeros. config must outlive it. */
void cm_pipeline_init(struct cm_pipeline *pipeline, const struct cm_pipeline_parts *parts,
                      const struct cm_config *config, struct cm_memory *memory);

/** Appends the counters of a configuration; cm_counter.event is their index in values. False when out of memory. */
bool cm_pipeline_list_counters(const struct cm_pipeline_parts *parts, const struct cm_config *config,
                               struct cm_counter_table *table);

/** Its queue of that number. */
const struct cm_queue *cm_pipeline_queue(const struct cm_pipeline *pipeline, unsigned number);

/** The last cycle of a stage, the Fragment Processors included, but not of those that are summed. */
uint64_t cm_pipeline_last_cycle(const struct cm_pipeline *pipeline);

/** These wait until a cycle, at which all that a pass is made of is done. */
void cm_pipeline_rest(struct cm_pipeline *pipeline, uint32_t pass, uint64_t until);

/** Attributes the cycles of all stages, if the configuration asks for attribution. Their structures must not move. False when
 * out of memory. */
bool cm_pipeline_attribute(struct cm_pipeline *pipeline);

/** Which column of the attribution's tables a counter is, an index in values; -1: none, as it is no cycles of a stage. */
int cm_pipeline_attributed_column(const struct cm_pipeline_parts *parts, int event);
/** How many there are. */
uint32_t cm_pipeline_attributed_columns(const struct cm_pipeline_parts *parts);

/** A frame ends: simulates DRAM up to that cycle, and collects the counters. */
void cm_pipeline_end_frame(struct cm_pipeline *pipeline, uint64_t cycle);

#endif
