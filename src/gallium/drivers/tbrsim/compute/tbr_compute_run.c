/* SPDX-License-Identifier: MIT */
/* Runs work-groups. Invocations run side by side, TBR_LANES at a time, up to the next barrier; at one they wait on a fiber. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_cpu_detect.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "compute/tbr_compute.h"
#include "state/tbr_context.h"
#include "compute/tbr_dispatch.h"
#include "compute/tbr_fiber.h"
#include "tile/tbr_regions.h"
#include "shader/tbr_shader_cache.h"

static_assert(TBR_LANES == CM_INVOCATIONS, "as many as an event has");

#define MAX_BLOCKS (TBR_MAX_GROUP_INVOCATIONS / TBR_LANES)

/** Invocations that run side by side. */
struct block_run {
   struct tbr_compute_runner *runner;
   struct tbr_compute_block block;
   struct tbr_fiber *fiber; /**< NULL until a shader with barriers needs it */
   uint32_t first;          /**< number of the first invocation */
   uint32_t count;
};

struct tbr_compute_runner {
   struct tbr_texture_thread thread;
   struct block_run blocks[MAX_BLOCKS];
   uint32_t num_blocks;
   const struct tbr_fragment_resources *resources;
   tbr_compute_function function;
   const struct tbr_regions *regions; /**< the shader's; NULL: it has no control flow */
   struct cm_tile_events events;
   uint8_t shared[TBR_MAX_SHARED_BYTES];
};

void
tbr_compute_runner_destroy(struct tbr_compute_runner *runner)
{
   if (!runner)
      return;
   for (unsigned b = 0; b < MAX_BLOCKS; b++)
      tbr_fiber_destroy(runner->blocks[b].fiber);
   free(runner->events.words);
   align_free(runner);
}

static struct tbr_compute_runner *
get_runner(struct tbr_context *context)
{
   if (context->compute_runner)
      return context->compute_runner;
   struct tbr_compute_runner *runner = align_malloc(sizeof *runner, 64);
   if (!runner)
      return NULL;
   memset(runner, 0, sizeof *runner);
   for (unsigned b = 0; b < MAX_BLOCKS; b++)
      runner->blocks[b].runner = runner;
   context->compute_runner = runner;
   return runner;
}

/* ---- events -------------------------------------------------------------- */

static void
append_event(struct tbr_compute_runner *runner, uint32_t word, uint32_t value, unsigned words)
{
   struct cm_tile_events *events = runner->thread.events;
   uint32_t *event = events ? cm_tile_events_reserve(events, words) : NULL;
   if (!event)
      return;
   event[0] = word;
   if (words > 1)
      event[1] = value;
   events->num_words += words;
}

/* ---- a work-group -------------------------------------------------------- */

/** Which invocations of the work-group a block has; x is fastest. */
static void
set_up_block(struct block_run *run, uint32_t first, const uint32_t size[3])
{
   const uint32_t invocations = size[0] * size[1] * size[2];
   run->first = first;
   run->count = MIN2(invocations - first, TBR_LANES);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const uint32_t number = MIN2(first + lane, invocations - 1);
      run->block.thread_id[0][lane] = number % size[0];
      run->block.thread_id[1][lane] = number / size[0] % size[1];
      run->block.thread_id[2][lane] = number / size[0] / size[1];
      run->block.present[lane] = lane < run->count ? ~0u : 0;
   }
   memcpy(run->block.block_size, size, sizeof run->block.block_size);
   run->block.shared = run->runner->shared;
}

static void
begin_block(struct block_run *run, bool resumes)
{
   struct tbr_compute_runner *runner = run->runner;
   runner->thread.live = BITFIELD_MASK(run->count);
   append_event(runner, CM_EVENT_INVOKE | run->count << 8 | (resumes ? CM_INVOKE_RESUMES : 0), run->first, 2);
}

/** The block's invocations have come to a barrier, or their end. */
static void
end_block(struct block_run *run)
{
   struct tbr_compute_runner *runner = run->runner;
   if (runner->regions)
      tbr_regions_record(&runner->thread, runner->regions, BITFIELD_MASK(DIV_ROUND_UP(run->count, 4)));
}

static void
call_shader(void *data)
{
   struct block_run *run = data;
   run->runner->function(run->runner->resources, &run->block, &run->runner->thread);
}

static void
wait_at_barrier(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                struct tbr_load_store_arguments *arguments)
{
   if (thread->fiber)
      tbr_fiber_yield(thread->fiber);
}

/** One block: it need not wait for others. */
static void
pass_barrier(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
             struct tbr_load_store_arguments *arguments)
{
}

/** Runs the blocks to their next barrier, one after another. False where none waits there. */
static bool
run_to_barrier(struct tbr_compute_runner *runner, bool resumes, bool waits[MAX_BLOCKS])
{
   bool any = false;
   for (uint32_t b = 0; b < runner->num_blocks; b++) {
      struct block_run *run = &runner->blocks[b];
      if (resumes && !waits[b])
         continue;
      begin_block(run, resumes);
      if (!resumes)
         tbr_fiber_set_job(run->fiber, call_shader, run);
      runner->thread.fiber = run->fiber;
      waits[b] = tbr_fiber_resume(run->fiber);
      runner->thread.fiber = NULL;
      end_block(run);
      any |= waits[b];
   }
   return any;
}

static void
run_group(struct tbr_compute_runner *runner, bool has_barrier)
{
   bool waits[MAX_BLOCKS];
   if (!has_barrier) {
      for (uint32_t b = 0; b < runner->num_blocks; b++) {
         begin_block(&runner->blocks[b], false);
         call_shader(&runner->blocks[b]);
         end_block(&runner->blocks[b]);
      }
      return;
   }
   for (bool resumes = false; run_to_barrier(runner, resumes, waits); resumes = true)
      append_event(runner, CM_EVENT_BARRIER, 0, 1);
}

/* ---- a dispatch ---------------------------------------------------------- */

static bool
set_up(struct tbr_compute_runner *runner, const struct pipe_grid_info *grid, bool needs_fibers)
{
   const uint32_t invocations = grid->block[0] * grid->block[1] * grid->block[2];
   assert(invocations && invocations <= TBR_MAX_GROUP_INVOCATIONS);
   runner->num_blocks = DIV_ROUND_UP(invocations, TBR_LANES);
   for (uint32_t b = 0; b < runner->num_blocks; b++) {
      struct block_run *run = &runner->blocks[b];
      set_up_block(run, b * TBR_LANES, grid->block);
      memcpy(run->block.grid_size, grid->grid, sizeof run->block.grid_size);
      if (needs_fibers && !run->fiber)
         run->fiber = tbr_fiber_create();
      if (needs_fibers && !run->fiber)
         return false;
   }
   return true;
}

static void
number_group(struct tbr_compute_runner *runner, const struct pipe_grid_info *grid, uint64_t number)
{
   const uint32_t id[3] = {
      (uint32_t)(number % grid->grid[0]),
      (uint32_t)(number / grid->grid[0] % grid->grid[1]),
      (uint32_t)(number / grid->grid[0] / grid->grid[1]),
   };
   for (uint32_t b = 0; b < runner->num_blocks; b++) {
      for (unsigned i = 0; i < 3; i++)
         runner->blocks[b].block.block_id[i] = id[i] + grid->grid_base[i];
   }
   append_event(runner, CM_EVENT_GROUP, (uint32_t)number, 2);
}

bool
tbr_compute_run(struct tbr_context *context, const struct tbr_compute_shader *shader,
                const struct tbr_fragment_resources *resources, const struct pipe_grid_info *grid,
                struct tbr_dispatch *dispatch)
{
   struct tbr_compute_runner *runner = get_runner(context);
   struct tbr_fragment_resources bound = *resources;
   if (!runner)
      return false;
   /* Blocks of a shader without shared memory of its own may have barriers as well. */
   const bool waits = shader->has_barrier && grid->block[0] * grid->block[1] * grid->block[2] > TBR_LANES;
   if (!set_up(runner, grid, waits))
      return false;
   bound.barrier = waits ? wait_at_barrier : pass_barrier;
   runner->resources = &bound;
   runner->function = shader->code->compute;
   runner->regions = shader->regions;
   runner->thread.events = dispatch ? &runner->events : NULL;
   runner->thread.generation++;
   const uint64_t groups = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
   const uint32_t groups_per_tile = dispatch ? tbr_dispatch_groups_per_tile(dispatch) : 1;
   /* As in tiles' threads. */
   const unsigned state = util_fpstate_get();
   util_fpstate_set_denorms_to_zero(state);
   for (uint64_t number = 0; number < groups; number++) {
      number_group(runner, grid, number);
      if (shader->zeroes_shared)
         memset(runner->shared, 0, shader->shared_bytes);
      run_group(runner, waits);
      if (dispatch && (number % groups_per_tile == groups_per_tile - 1 || number == groups - 1))
         tbr_dispatch_add_tile(dispatch, &runner->events);
   }
   util_fpstate_set(state);
   return true;
}
