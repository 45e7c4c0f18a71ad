/* SPDX-License-Identifier: MIT */
#include "timing/compute.h"

#include <assert.h>
#include <stdlib.h>

#include "timing/pipeline.h"

/** Cycles that processors advance before DRAM does: no more than its fastest read takes. */
#define STEP 16
#define MAX_PROCESSORS 64
/** A compute pass has one draw, its dispatch. */
#define DISPATCH 0

/* ---- runs ------------------------------------------------------------------- */

struct run {
   const struct cm_logged_run *log;
   uint32_t token;            /* its first one */
   struct cm_dependency wait; /* for its data */
   uint64_t issued;           /* its last instruction */
   uint32_t tail;             /* cycles of it after the data */
   bool pending;              /* some of its reads are not issued */
};

/* A work-group. Runs of its phase before `settled` have ended, those before `next` are issued. */
struct cm_compute_group {
   struct cm_compute_group *next;
   struct cm_compute_part *part;
   const struct cm_logged_group *log;
   struct run *runs; /* of the part: its first one */
   uint32_t phase, phase_end, issued, settled;
   uint64_t ready;             /* its phase begins */
   uint64_t phase_done;        /* the latest end of its runs */
   uint64_t sum_done;          /* of all of them */
   uint32_t phase_runs;        /* so many */
   enum cm_stage_state reason; /* what the latest one waited for */
   uint32_t waits_for;         /* of that, the resource; 0: none */
};

/* The work-groups of a tile. */
struct cm_compute_part {
   struct cm_compute_part *next;
   struct cm_work *work;
   uint32_t left; /* work-groups that have not left */
   uint64_t end;  /* of those that have */
   struct cm_compute_group *groups;
   struct run *runs;
};

/* ---- building ---------------------------------------------------------------- */

uint32_t
cm_compute_invocations(const struct cm_config *config, uint32_t fragments)
{
   return config->compute_stage.invocations ? config->compute_stage.invocations : fragments;
}

void
cm_compute_timing_init(struct cm_pipeline *pipeline, uint32_t fragments, const struct cm_compute_units *units)
{
   struct cm_compute_timing *compute = &pipeline->compute;
   *compute = (struct cm_compute_timing){
      .pipeline = pipeline,
      .config = pipeline->config,
      .memory = pipeline->memory,
      .units = units,
      .num_processors = pipeline->config->fragment_stage.processors,
      .invocations = cm_compute_invocations(pipeline->config, fragments),
   };
   assert(compute->num_processors <= MAX_PROCESSORS);
   compute->processors = cm_pool_take(&pipeline->pool, compute->num_processors, sizeof *compute->processors);
   for (uint32_t p = 0; compute->processors && p < compute->num_processors; p++)
      compute->processors[p].stage = &pipeline->processors[p];
}

static void
free_part(struct cm_compute_part *part)
{
   free(part->groups);
   free(part->runs);
   free(part);
}

/* The first tile's log is not needed any more. */
static void
remove_first(struct cm_compute_timing *compute)
{
   struct cm_compute_part *part = compute->first;
   compute->first = part->next;
   if (!compute->first)
      compute->last = NULL;
   cm_log_queue_give_back(compute->pipeline->logs, part->work);
   free_part(part);
}

void
cm_compute_timing_finish(struct cm_compute_timing *compute)
{
   while (compute->first)
      remove_first(compute);
}

/* ---- work-groups --------------------------------------------------------------- */

/* The runs of the phase that begins. */
static void
begin_phase(struct cm_compute_group *group, uint64_t ready)
{
   group->ready = group->phase_done = ready;
   group->sum_done = 0;
   group->settled = group->issued = group->phase_end;
   while (group->phase_end < group->log->num_runs && group->runs[group->phase_end].log->phase == group->phase)
      group->phase_end++;
   group->phase_runs = group->phase_end - group->issued;
}

/* Takes the oldest waiting work-group if it has room. */
static bool
admit(struct cm_compute_timing *compute, struct cm_compute_processor *processor)
{
   struct cm_compute_group *group = processor->waiting;
   if (!group || (processor->used && processor->used + group->log->invocations > compute->invocations))
      return false;
   struct cm_compute_group **last = &processor->resident;
   while (*last)
      last = &(*last)->next;
   processor->waiting = group->next;
   group->next = NULL;
   *last = group;
   processor->used += group->log->invocations;
   group->reason = processor->reason;
   group->waits_for = processor->waits_for;
   begin_phase(group, processor->room);
   const struct cm_log *log = &group->part->work->log;
   const cm_entry *token = cm_log_token(log, group->log->begin),
                  *end = cm_log_token(log, group->log->program_end);
   if (token < end) {
      cm_dependency_begin(&processor->program, group->ready);
      compute->units->fetch(compute->pipeline, token, end, group->ready, &processor->program);
      processor->fetches = true;
   }
   return true;
}

/* A processor's cycles are for a work-group. resource: that it waits for, or 0. */
static void
serve(const struct cm_compute_processor *processor, const struct cm_compute_group *group, uint32_t resource)
{
   const struct cm_work *work = group->part->work;
   cm_stage_serve(processor->stage, work->pass, DISPATCH, resource, work->tile);
}

/* The last runs have ended: the work-group leaves its processor. */
static void
leave(struct cm_compute_timing *compute, struct cm_compute_processor *processor,
      struct cm_compute_group *group)
{
   struct cm_compute_group **at = &processor->resident;
   while (*at != group)
      at = &(*at)->next;
   *at = group->next;
   assert(group->settled == group->log->num_runs && processor->used >= group->log->invocations);
   processor->used -= group->log->invocations;
   processor->room = cm_later(processor->room, group->phase_done);
   processor->reason = group->reason;
   processor->waits_for = group->waits_for;
   serve(processor, group, group->waits_for);
   if (!processor->resident)
      cm_stage_account(processor->stage, group->reason, processor->room);
   group->part->left--;
   group->part->end = cm_later(group->part->end, group->phase_done);
   compute->end = cm_later(compute->end, group->phase_done);
}

/* The next run that is known to have ended, oldest first. */
static bool
settle_run(struct cm_compute_timing *compute, struct cm_compute_group *group)
{
   struct run *run = &group->runs[group->settled];
   if (group->settled == group->issued || run->pending ||
       !cm_dependency_is_known(compute->memory, &run->wait))
      return false;
   const uint64_t data = run->wait.time ? run->wait.time + run->tail : 0;
   const uint64_t done = cm_later(run->issued, data);
   if (done >= group->phase_done) {
      group->reason = data > run->issued ? CM_STAGE_MEMORY : CM_STAGE_STARVED;
      group->waits_for = data > run->issued ? run->wait.waits_for : 0;
   }
   group->phase_done = cm_later(group->phase_done, done);
   group->sum_done += done;
   group->settled++;
   return true;
}

/* Ends phases whose runs have ended before `now`. Returns whether there was one. */
static bool
settle(struct cm_compute_timing *compute, struct cm_compute_processor *processor)
{
   struct cm_compute_group *first = NULL;
   for (struct cm_compute_group *group = processor->resident; group; group = group->next) {
      while (settle_run(compute, group))
         ;
      if (group->settled == group->phase_end && group->phase_done < compute->now &&
          (!first || group->phase_done < first->phase_done))
         first = group;
   }
   if (!first)
      return false;
   if (first->phase + 1 == first->log->phases) {
      leave(compute, processor, first);
      return true;
   }
   compute->counts.barriers += first->phase_done * first->phase_runs - first->sum_done;
   first->phase++;
   begin_phase(first, first->phase_done);
   return true;
}

/* ---- processors ----------------------------------------------------------------- */

/* The run that can begin first; of those that can at once, the oldest work-group's. */
static struct cm_compute_group *
choose(const struct cm_compute_processor *processor)
{
   struct cm_compute_group *best = NULL;
   const uint64_t is_free = cm_later(processor->stage->until, processor->program_ready);
   for (struct cm_compute_group *group = processor->resident; group; group = group->next) {
      if (group->issued < group->phase_end && (!best || (group->ready > is_free ? group->ready : is_free) <
                                                           (best->ready > is_free ? best->ready : is_free)))
         best = group;
   }
   return best;
}

/* The instructions of a run's phase: all phases have as many, as far as they can. */
static uint32_t
instructions_of(const struct cm_logged_group *group, uint32_t phase)
{
   const uint64_t all = group->instructions;
   return (uint32_t)(all * (phase + 1) / group->phases - all * phase / group->phases);
}

static void
issue(struct cm_compute_timing *compute, uint32_t number, struct cm_compute_group *group, uint64_t begin)
{
   struct cm_compute_processor *processor = &compute->processors[number];
   struct run *run = &group->runs[group->issued++];
   assert(group->issued <= group->phase_end && run->log->phase == group->phase);
   const struct cm_compute_units *units = compute->units;
   const uint32_t accesses = run->log->accesses;
   const uint32_t cycles = instructions_of(group->log, group->phase) * run->log->quads + run->log->more;
   const uint32_t piece = cycles / (accesses + 1);
   const bool waits_for_program = processor->program_ready == begin;
   serve(processor, group, waits_for_program ? 0 : group->waits_for);
   cm_stage_account(processor->stage, waits_for_program ? CM_STAGE_MEMORY : group->reason, begin);
   serve(processor, group, 0);
   run->issued =
      cm_later(compute->pipeline->type->issue(compute->pipeline, number, begin, cycles), begin + cycles);
   run->tail = accesses ? cycles - accesses * piece : 0;
   cm_dependency_begin(&run->wait, 0);
   run->pending = false;
   if (accesses)
      units->start(compute->pipeline, number, cm_log_token(&group->part->work->log, run->token),
                   cm_log_token(&group->part->work->log, run->log->tokens_end), begin + piece, piece,
                   &run->wait, &run->pending);
}

static bool
issue_next(struct cm_compute_timing *compute, uint32_t number)
{
   struct cm_compute_processor *processor = &compute->processors[number];
   if (processor->fetches) {
      if (!cm_dependency_is_known(compute->memory, &processor->program))
         return false;
      processor->fetches = false;
      processor->program_ready = processor->program.time;
   }
   struct cm_compute_group *group = choose(processor);
   if (!group || !compute->units->has_room(compute->pipeline, number))
      return false;
   const uint64_t begin = cm_later(cm_later(processor->stage->until, processor->program_ready), group->ready);
   if (begin >= compute->now)
      return false;
   issue(compute, number, group, begin);
   return true;
}

/* ---- time ------------------------------------------------------------------------ */

static void
work_until_now(struct cm_compute_timing *compute)
{
   bool has_worked = true;
   while (has_worked) {
      has_worked = compute->units->work(compute->pipeline, compute->now);
      for (uint32_t p = 0; p < compute->num_processors; p++) {
         struct cm_compute_processor *processor = &compute->processors[p];
         while (admit(compute, processor) || settle(compute, processor) || issue_next(compute, p))
            has_worked = true;
      }
   }
}

/* Tiles whose work-groups have left, in their order. */
static void
end_parts(struct cm_compute_timing *compute)
{
   while (compute->first && !compute->first->left) {
      const struct cm_compute_part *part = compute->first;
      cm_pipeline_keep_end(compute->pipeline, part->work->pass, part->work->tile, part->end);
      remove_first(compute);
   }
}

/* Whether a processor has room for a work-group that is of a tile still to come. */
static bool
wants_more(const struct cm_compute_timing *compute)
{
   for (uint32_t p = 0; p < compute->num_processors; p++) {
      if (!compute->processors[p].waiting)
         return true;
   }
   return false;
}

static void
run_groups(struct cm_compute_timing *compute, bool is_last)
{
   for (;;) {
      work_until_now(compute);
      end_parts(compute);
      if (!compute->first || (!is_last && wants_more(compute)))
         return;
      compute->now += STEP;
      cm_memory_advance(compute->memory, compute->now - STEP);
   }
}

/* ---- passes ----------------------------------------------------------------------- */

/* A compute pass begins at a cycle; its parameters are read. */
static void
begin_pass(struct cm_compute_timing *compute, const struct cm_log *log, uint64_t cycle)
{
   struct cm_dependency wait;
   assert(!compute->is_active && !compute->first);
   cm_dependency_begin(&wait, cycle);
   if (log->entries.count)
      compute->units->fetch(compute->pipeline, cm_log_token(log, 0), cm_log_token(log, log->entries.count),
                            cycle, &wait);
   compute->begin = cycle;
   compute->end = compute->now = cm_dependency_resolve(compute->memory, &wait);
   compute->is_active = true;
   for (uint32_t p = 0; p < compute->num_processors; p++) {
      compute->processors[p].room = compute->end;
      compute->processors[p].reason = compute->end > cycle ? CM_STAGE_MEMORY : CM_STAGE_STARVED;
      compute->processors[p].waits_for = 0;
      compute->processors[p].program_ready = 0;
   }
}

/* Lists a tile's work-groups, each for its processor. */
static void
add_groups(struct cm_compute_timing *compute, struct cm_compute_part *part)
{
   struct run *run = part->runs;
   for (uint32_t g = 0; g < part->work->log.groups.count; g++) {
      struct cm_compute_group *group = &part->groups[g];
      const struct cm_logged_group *logged = &part->work->log.groups.items[g];
      struct cm_compute_processor *processor = &compute->processors[logged->processor];
      group->part = part;
      group->log = logged;
      group->runs = run;
      for (uint32_t r = 0, token = logged->program_end; r < logged->num_runs; r++, run++) {
         run->log = &part->work->log.runs.items[run - part->runs];
         run->token = token;
         token = run->log->tokens_end;
      }
      if (processor->waiting)
         processor->last_waiting->next = group;
      else
         processor->waiting = group;
      processor->last_waiting = group;
   }
}

static struct cm_compute_part *
create_part(struct cm_compute_timing *compute, struct cm_work *work)
{
   struct cm_compute_part *part = calloc(1, sizeof *part);
   if (!part)
      return NULL;
   part->work = work;
   part->left = work->log.groups.count;
   part->end = part->left ? 0 : compute->end;
   part->groups = calloc(part->left + 1, sizeof *part->groups);
   part->runs = calloc(work->log.runs.count + 1, sizeof *part->runs);
   if (part->groups && part->runs)
      return part;
   free_part(part);
   return NULL;
}

/* A tile's work-groups, as far as they can run without those of the next tile. */
static void
take_groups(struct cm_compute_timing *compute, struct cm_work *work)
{
   struct cm_compute_part *part = create_part(compute, work);
   assert(compute->is_active);
   if (!part) {
      compute->pipeline->has_failed = true;
      cm_log_queue_give_back(compute->pipeline->logs, work);
      return;
   }
   add_groups(compute, part);
   if (compute->last)
      compute->last->next = part;
   else
      compute->first = part;
   compute->last = part;
   run_groups(compute, false);
}

/* ---- write-backs -------------------------------------------------------------------- */

/* What a load/store cache writes back. */
struct writer {
   const cm_entry *token, *end;
   uint64_t cycle;
};

static uint32_t
find_writers(const struct cm_log *log, struct writer writers[static MAX_PROCESSORS], uint64_t cycle)
{
   const cm_entry *token = cm_log_token(log, 0), *end = cm_log_token(log, log->entries.count);
   uint32_t count = 0;
   for (; token < end; token++) {
      if (cm_entry_kind(*token) == CM_ENTRY_GROUP && count < MAX_PROCESSORS)
         writers[count++] = (struct writer){token + 1, token + 1, cycle};
      else if (count)
         writers[count - 1].end = token + 1;
      else
         writers[count++] = (struct writer){token, token + 1, cycle};
   }
   return count;
}

/* Load/store caches write back what they have, from a cycle on, or when their units have stored. Returns when all is done. */
static uint64_t
write_back(struct cm_compute_timing *compute, const struct cm_log *log, uint64_t cycle)
{
   struct writer writers[MAX_PROCESSORS];
   for (uint32_t p = 0; p < compute->num_processors; p++)
      cycle = cm_later(cycle, compute->memory->load_store_port[p]);
   const uint32_t count = find_writers(log, writers, cycle);
   uint64_t end = cycle;
   for (;;) {
      uint32_t first = count;
      for (uint32_t w = 0; w < count; w++) {
         if (writers[w].token < writers[w].end && (first == count || writers[w].cycle < writers[first].cycle))
            first = w;
      }
      if (first == count)
         break;
      struct writer *writer = &writers[first];
      const uint64_t taken =
         compute->units->write_back(compute->pipeline, first, &writer->token, writer->end, writer->cycle);
      writer->cycle = cm_later(writer->cycle, taken) + cm_load_store_cycles(compute->config, 1);
      end = cm_later(end, writer->cycle);
   }
   compute->counts.write_backs += end - cycle;
   return end;
}

/* The end of a pass that accesses storage. Returns when it is. */
static uint64_t
end_pass(struct cm_compute_timing *compute, const struct cm_work *work, uint64_t cycle)
{
   uint64_t groups_end = cycle;
   if (compute->is_active) {
      run_groups(compute, true);
      assert(!compute->first);
      groups_end = cm_later(cycle, compute->end);
   }
   const uint64_t end = write_back(compute, &work->log, groups_end);
   cm_pipeline_keep_end(compute->pipeline, work->pass, CM_NO_ITEM, end);
   if (!compute->is_active)
      return end;
   compute->is_active = false;
   compute->counts.cycles += end - compute->begin;
   if (compute->pipeline->report)
      cm_report_compute(compute->pipeline->report, work->pass, compute->begin, groups_end, end);
   return end;
}

uint64_t
cm_compute_timing_take(struct cm_compute_timing *compute, struct cm_work *work, uint64_t cycle)
{
   uint64_t end = 0;
   assert(work->kind >= CM_LOG_DISPATCH);
   if (work->kind == CM_LOG_GROUPS) {
      take_groups(compute, work);
      return 0;
   }
   if (work->kind == CM_LOG_DISPATCH)
      begin_pass(compute, &work->log, cycle);
   else
      end = end_pass(compute, work, cycle);
   cm_log_queue_give_back(compute->pipeline->logs, work);
   return end;
}
