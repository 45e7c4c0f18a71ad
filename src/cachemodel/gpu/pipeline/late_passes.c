/* SPDX-License-Identifier: MIT */
/* Passes that overlap (parameter_buffer.written: among-tiles): a pass is kept when its geometry has run, and its tiles run among the
 * geometry of the next one. */
#include <assert.h>
#include <string.h>

#include "gpu/pipeline/pipeline_internal.h"

/* The stages' pass becomes the late one, and the other way round. */
static void
swap_passes(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   struct cm_late_pass *late = &stages->late;
   const struct cm_pass *pass = gpu->pass;
   const struct cm_tiling_stage tiling = stages->tiling;
   const struct cm_pass_traversal traversal = stages->traversal;
   gpu->pass = late->pass;
   stages->tiling = late->tiling;
   stages->traversal = late->traversal;
   late->pass = pass;
   late->tiling = tiling;
   late->traversal = traversal;
   gpu->positions = stages->traversal.positions.data;
}

/* Runs the pass' geometry up to a primitive: a draw's vertices before its first primitive. */
static bool
run_geometry(struct cm_gpu *gpu, uint32_t end)
{
   struct cm_stages *stages = gpu->stages;
   struct cm_pass_progress *progress = &stages->progress;
   const struct cm_primitive *primitives = gpu->pass->primitives;
   while (progress->primitives < end) {
      const uint32_t first = progress->primitives, draw = primitives[first].draw;
      uint32_t last = first;
      while (last + 1 < end && primitives[last + 1].draw == draw)
         last++;
      if (progress->draws <= draw) {
         cm_geometry_draws(&stages->geometry, progress->draws, draw + 1);
         progress->draws = draw + 1;
      }
      progress->primitives = last + 1;
      if (!cm_tiling_write(&stages->tiling, first, last + 1))
         return false;
   }
   if (end == gpu->pass->num_primitives) {
      cm_geometry_draws(&stages->geometry, progress->draws, gpu->pass->num_draws);
      progress->draws = gpu->pass->num_draws;
   }
   return true;
}

/* The same; what it counts is the next frame's, if that of the late pass has ended. */
static bool
run_geometry_ahead(struct cm_gpu *gpu, uint32_t end)
{
   const struct cm_pass_progress *progress = &gpu->stages->progress;
   const bool is_nothing = progress->primitives == end &&
                           (end < gpu->pass->num_primitives || progress->draws == gpu->pass->num_draws);
   if (!progress->frame_has_ended || is_nothing)
      return is_nothing || run_geometry(gpu, end);
   memcpy(progress->before, cm_gpu_total(gpu), gpu->table->count * sizeof(uint64_t));
   const bool ok = run_geometry(gpu, end);
   const uint64_t *total = cm_gpu_total(gpu);
   for (uint32_t c = 0; c < gpu->table->count; c++)
      progress->ahead[c] += total[c] - progress->before[c];
   return ok;
}

/* What the late pass, now the stages', does before its tiles. False when out of memory. */
static bool
bind_late_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   stages->num_visited = 0;
   cm_framebuffer_bind(&stages->framebuffer);
   return cm_fragment_stage_bind(&stages->fragment) && cm_elimination_begin(&stages->elimination) &&
          cm_storage_begin(&stages->storage);
}

static void
forget_resources(struct cm_gpu *gpu)
{
   struct cm_late_pass *late = &gpu->stages->late;
   const uint32_t *forgotten = late->forgotten.data;
   for (uint32_t i = 0; i < late->num_forgotten; i++)
      cm_gpu_forget_now(gpu, forgotten[i]);
   late->num_forgotten = 0;
}

/* Runs the tiles of the late pass, which are the stages', and the geometry of the other one among them: with its n-th tile of T
 * the primitives up to P * n / T. Without other, tiles only. */
static bool
run_late_tiles(struct cm_gpu *gpu, const struct cm_pass *other)
{
   struct cm_stages *stages = gpu->stages;
   const uint32_t num_tiles = gpu->pass->tiles_x * gpu->pass->tiles_y;
   bool ok = bind_late_pass(gpu);
   for (uint32_t n = 0; ok && n < num_tiles; n++) {
      if (other) {
         swap_passes(gpu);
         ok = run_geometry_ahead(gpu, (uint32_t)((uint64_t)other->num_primitives * (n + 1) / num_tiles));
         swap_passes(gpu);
      }
      cm_stages_pass_tile(gpu, ((const uint32_t *)stages->traversal.tiles.data)[n]);
   }
   if (ok)
      cm_stages_end_pass(gpu);
   return ok;
}

/* Runs the late pass, if there is one, among the geometry of the stages' pass, if there is one. A frame that has ended is complete then. */
static bool
run_late_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   struct cm_pass_progress *progress = &stages->progress;
   const struct cm_pass *pass = gpu->pass;
   bool ok = true;
   if (stages->late.pass) {
      swap_passes(gpu);
      ok = run_late_tiles(gpu, pass);
      cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_PASS_END, 0);
      swap_passes(gpu);
      stages->late.pass = NULL;
      forget_resources(gpu);
   } else if (pass) {
      ok = run_geometry_ahead(gpu, pass->num_primitives);
   }
   stages->num_visited = 0;
   if (progress->frame_has_ended) {
      cm_gpu_complete_frame(gpu, progress->ahead);
      memset(progress->ahead, 0, gpu->table->count * sizeof(uint64_t));
      progress->frame_has_ended = false;
   }
   return ok;
}

/* Nothing runs among the late pass' tiles. */
void
cm_stages_finish_late_pass(struct cm_gpu *gpu)
{
   assert(!gpu->in_pass);
   gpu->pass = NULL;
   if (!run_late_pass(gpu))
      cm_gpu_out_of_memory(gpu);
   gpu->pass = NULL;
}

bool
cm_stages_begin_held_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   stages->progress.draws = stages->progress.primitives = 0;
   return cm_stages_find_traversal(gpu) && cm_geometry_begin(&stages->geometry) &&
          cm_tiling_begin(&stages->tiling) && run_late_pass(gpu) &&
          cm_held_pass_begin(&stages->late.held, gpu->pass);
}

void
cm_stages_end_held_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   assert(!stages->late.pass && stages->num_visited == gpu->pass->tiles_x * gpu->pass->tiles_y);
   cm_held_pass_end(&stages->late.held);
   gpu->pass = &stages->late.held.pass;
   swap_passes(gpu);
}

bool
cm_gpu_is_late(const struct cm_gpu *gpu)
{
   return gpu->config.parameter_buffer.written == CM_PB_AMONG_TILES;
}

void
cm_gpu_forget_resource(struct cm_gpu *gpu, uint32_t id)
{
   struct cm_late_pass *late = &gpu->stages->late;
   assert(!gpu->in_pass);
   if (!late->pass)
      cm_gpu_forget_now(gpu, id);
   else if (cm_array_extend(&late->forgotten, (size_t)late->num_forgotten + 1, sizeof(uint32_t)))
      ((uint32_t *)late->forgotten.data)[late->num_forgotten++] = id;
   else
      cm_gpu_out_of_memory(gpu);
}

const uint64_t *
cm_gpu_frame_end(struct cm_gpu *gpu)
{
   struct cm_pass_progress *progress = &gpu->stages->progress;
   const struct cm_ended_frames *ended = &gpu->ended;
   assert(!gpu->in_pass);
   if (!cm_gpu_is_late(gpu)) {
      cm_gpu_complete_frame(gpu, NULL);
   } else {
      if (progress->frame_has_ended)
         cm_stages_finish_late_pass(gpu);
      progress->frame_has_ended = true;
   }
   /* There is room for the next one. */
   return cm_gpu_take_frame(gpu, ended->num_ended - ended->num_taken == ended->capacity);
}

const uint64_t *
cm_gpu_next_frame(struct cm_gpu *gpu)
{
   return cm_gpu_take_frame(gpu, false);
}

const uint64_t *
cm_gpu_last_frame(struct cm_gpu *gpu)
{
   if (gpu->stages->progress.frame_has_ended)
      cm_stages_finish_late_pass(gpu);
   return cm_gpu_take_frame(gpu, true);
}
