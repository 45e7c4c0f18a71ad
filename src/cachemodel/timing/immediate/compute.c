/* SPDX-License-Identifier: MIT */
/* Compute passes of the immediate-mode GPU, and what load/store caches write back at the end of passes. Nothing else runs at
 * the same time. */
#include <stdlib.h>

#include "timing/immediate/immediate.h"

/** Fragments of a context, and invocations of a run. */
#define BLOCK 16
/** Runs of the largest work-group. */
#define GROUP_RUNS 64

static uint64_t
issue(void *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_immediate_timing *timing = pipeline;
   return cm_processor_issue(timing, &timing->processors[processor], begin, 4 * instructions);
}

static void
fetch(void *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle, struct cm_wait *wait)
{
   struct cm_immediate_timing *timing = pipeline;
   cm_immediate_memory_run(&timing->memory, token, end, cycle, wait);
}

static bool
has_room(void *pipeline, uint32_t processor)
{
   const struct cm_immediate_timing *timing = pipeline;
   return timing->accesses[processor].count < timing->max_accesses;
}

static void
start(void *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      uint32_t piece, struct cm_wait *wait, bool *pending)
{
   struct cm_immediate_timing *timing = pipeline;
   struct cm_immediate_access_queue *queue = &timing->accesses[processor];
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

/* The next request, if it is known to begin before `now`; those behind it do not overtake it. */
static bool
request_next(struct cm_immediate_memory *memory, uint32_t processor, struct cm_immediate_accesses *run,
             uint64_t now)
{
   uint64_t begin = run->cycle;
   if (!cm_immediate_memory_begins(memory, processor, *run->request, &begin) || begin >= now)
      return false;
   if (!run->is_store)
      cm_wait_make_room(&memory->base, run->wait);
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
work(void *pipeline, uint64_t now)
{
   struct cm_immediate_timing *timing = pipeline;
   bool has_worked = false;
   for (uint32_t p = 0; p < timing->compute.num_processors; p++) {
      while (step(timing, p, now))
         has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(void *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   struct cm_immediate_timing *timing = pipeline;
   return cm_immediate_memory_write(&timing->memory, processor, token, end, cycle);
}

static uint64_t
stores_end(void *pipeline, uint32_t processor)
{
   const struct cm_immediate_timing *timing = pipeline;
   return timing->memory.load_store[processor].port;
}

static void
done(void *pipeline, struct cm_log *log, uint64_t begin, uint64_t end)
{
   struct cm_immediate_timing *timing = pipeline;
   struct cm_immediate_groups *groups = (struct cm_immediate_groups *)log;
   (void)begin;
   if (end)
      cm_pipeline_keep_end(&timing->base, timing->num_passes + 1, groups->tile, end);
   groups->next = timing->spare;
   timing->spare = groups;
}

void
cm_immediate_compute_init(struct cm_immediate_timing *timing)
{
   const struct cm_compute_pipeline pipeline = {timing, issue,      fetch,      has_room, start,
                                                work,   write_back, stores_end, done};
   cm_compute_timing_init(&timing->compute, timing->base.config, &timing->memory.base,
                          timing->base.processors, BLOCK * timing->pipeline->fragment_contexts, &pipeline,
                          &timing->base.pool);
   timing->max_accesses = timing->compute.invocations / CM_INVOCATIONS + GROUP_RUNS;
   timing->accesses =
      cm_pool_take(&timing->base.pool, timing->compute.num_processors, sizeof *timing->accesses);
   for (uint32_t p = 0; timing->accesses && p < timing->compute.num_processors; p++)
      timing->accesses[p].runs =
         cm_pool_take(&timing->base.pool, timing->max_accesses, sizeof *timing->accesses[p].runs);
}

void
cm_immediate_compute_finish(struct cm_immediate_timing *timing)
{
   cm_compute_timing_finish(&timing->compute);
   while (timing->spare) {
      struct cm_immediate_groups *groups = timing->spare;
      timing->spare = groups->next;
      cm_log_finish(&groups->log);
      free(groups);
   }
}

/* The end of a pass that accesses storage. */
static uint64_t
end_pass(struct cm_immediate_timing *timing)
{
   struct cm_compute_timing *compute = &timing->compute;
   const bool is_compute = compute->is_active;
   const uint64_t begin = compute->begin;
   const uint64_t groups_end =
      is_compute ? cm_later(timing->barrier, cm_compute_timing_complete(compute)) : timing->barrier;
   const uint64_t end = cm_compute_timing_write_back(compute, &timing->log, groups_end);
   cm_compute_timing_end(compute, end);
   if (timing->report && is_compute)
      cm_immediate_report_compute(timing, begin, groups_end, end);
   return end;
}

uint64_t
cm_immediate_compute_take(struct cm_immediate_timing *timing)
{
   struct cm_immediate_groups *groups = timing->groups;
   switch (timing->kind) {
   case CM_LOG_DISPATCH:
      cm_compute_timing_begin(&timing->compute, &timing->log, timing->num_passes + 1, timing->barrier);
      return 0;
   case CM_LOG_GROUPS:
      timing->groups = NULL;
      cm_compute_timing_groups(&timing->compute, &groups->log, groups->tile);
      return 0;
   default: return end_pass(timing);
   }
}
