/* SPDX-License-Identifier: MIT */
/* Compute passes of the immediate-mode GPU, and what load/store caches write back at the end of passes. Nothing else runs at
 * the same time. */
#include "timing/immediate/immediate.h"

/** Fragments of a context, and invocations of a run. */
#define BLOCK 16

static void
fetch(struct cm_pipeline *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      struct cm_dependency *wait)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   cm_immediate_memory_run(&timing->memory, token, end, cycle, wait);
}

static bool
has_room(struct cm_pipeline *pipeline, uint32_t processor)
{
   const struct cm_immediate_timing *timing = (const struct cm_immediate_timing *)pipeline;
   return timing->accesses[processor].count < timing->max_accesses;
}

static void
start(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end,
      uint64_t cycle, uint32_t piece, struct cm_dependency *wait, bool *pending)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   struct cm_immediate_access_queue *queue = &timing->accesses[processor];
   assert(queue->count < timing->max_accesses);
   queue->runs[(queue->first + queue->count++) % timing->max_accesses] = (struct cm_immediate_accesses){
      .next = token,
      .end = end,
      .at = cycle,
      .piece = piece,
      .wait = wait,
      .pending = pending,
   };
   *pending = true;
}

static void
look_up_next(struct cm_immediate_memory *memory, uint32_t processor, struct cm_immediate_accesses *run)
{
   run->requests = cm_immediate_memory_group_end(run->next, run->end);
   run->is_store = cm_is_store_group(*run->next);
   run->request = run->next;
   run->cycle = cm_immediate_memory_look_up(memory, processor, &run->request, run->at, run->wait);
   run->next = run->requests;
   run->at += run->piece;
}

/* The next request, if it is known to begin before `now`; later ones do not overtake it. */
static bool
request_next(struct cm_immediate_memory *memory, uint32_t processor, struct cm_immediate_accesses *run,
             uint64_t now)
{
   uint64_t begin = run->cycle;
   if (!cm_immediate_memory_begins(memory, processor, *run->request, &begin) || begin >= now)
      return false;
   if (!run->is_store)
      cm_dependency_make_room(&memory->base, run->wait);
   run->cycle = cm_immediate_memory_request(memory, processor, &run->request, run->requests, run->cycle,
                                            run->is_store ? NULL : run->wait);
   return true;
}

/* The first run's next step in a processor's units. */
static bool
step(struct cm_immediate_timing *timing, uint32_t processor, uint64_t now)
{
   struct cm_immediate_access_queue *queue = &timing->accesses[processor];
   struct cm_immediate_accesses *run = &queue->runs[queue->first];
   if (!queue->count)
      return false;
   if (run->request < run->requests)
      return request_next(&timing->memory, processor, run, now);
   if (run->next == run->end) {
      *run->pending = false;
      queue->first = (queue->first + 1) % timing->max_accesses;
      queue->count--;
      return true;
   }
   if (run->at >= now)
      return false;
   look_up_next(&timing->memory, processor, run);
   return true;
}

static bool
work(struct cm_pipeline *pipeline, uint64_t now)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   bool has_worked = false;
   for (uint32_t p = 0; p < timing->base.compute.num_processors; p++) {
      while (step(timing, p, now))
         has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end,
           uint64_t cycle)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   return cm_immediate_memory_write(&timing->memory, processor, token, end, cycle);
}

void
cm_immediate_compute_init(struct cm_immediate_timing *timing)
{
   static const struct cm_compute_units units = {fetch, has_room, start, work, write_back};
   struct cm_pool *pool = &timing->base.pool;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   cm_compute_timing_init(&timing->base, BLOCK * timing->pipeline->fragment_contexts, &units);
   timing->max_accesses = timing->base.compute.invocations / CM_INVOCATIONS + CM_COMPUTE_GROUP_RUNS;
   timing->accesses = cm_pool_take(pool, processors, sizeof *timing->accesses);
   for (uint32_t p = 0; timing->accesses && p < processors; p++)
      timing->accesses[p].runs = cm_pool_take(pool, timing->max_accesses, sizeof *timing->accesses[p].runs);
}
