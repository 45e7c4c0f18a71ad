/* SPDX-License-Identifier: MIT */
/* A GPU is built of what all stages use (gpu.c) and of its stages; a pass goes through these. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_config.h"
#include "gpu/pipeline/pipeline_internal.h"
#include "memory/future.h"
#include "tiling/parameter_buffer.h"
#include "tiling/tile_order.h"
#include "util/message.h"
#include "util/minmax.h"
#include "util/threads.h"

/* False when out of memory. */
static bool
create_stages(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages = calloc(1, sizeof *stages);
   if (!stages)
      return false;
   stages->storage = (struct cm_storage_stage){.gpu = gpu};
   stages->geometry = (struct cm_geometry_stage){.gpu = gpu, .storage = &stages->storage};
   cm_elimination_init(&stages->elimination, gpu);
   stages->tiling = (struct cm_tiling_stage){.gpu = gpu,
                                             .geometry = &stages->geometry,
                                             .elimination = &stages->elimination};
   stages->framebuffer = (struct cm_framebuffer_stage){.gpu = gpu, .elimination = &stages->elimination};
   stages->compute = (struct cm_compute_stage){.gpu = gpu, .storage = &stages->storage};
   if (cm_gpu_is_late(gpu)) {
      stages->late.tiling = stages->tiling;
      stages->late.tiling.buffer = CM_PB_SECOND_BUFFER;
      stages->progress.ahead = calloc(gpu->table->count, 2 * sizeof(uint64_t));
      if (!stages->progress.ahead)
         return false;
      stages->progress.before = stages->progress.ahead + gpu->table->count;
   }
   if (gpu->config.mode == CM_MODE_IMR)
      stages->immediate =
         cm_immediate_create(gpu, &stages->geometry, &stages->fragment, &stages->framebuffer);
   return cm_fragment_stage_init(&stages->fragment, gpu, &stages->storage) &&
          (stages->immediate || gpu->config.mode != CM_MODE_IMR);
}

static void
destroy_stages(struct cm_stages *stages)
{
   if (!stages)
      return;
   cm_immediate_destroy(stages->immediate);
   cm_fragment_stage_finish(&stages->fragment);
   cm_elimination_finish(&stages->elimination);
   cm_tiling_finish(&stages->tiling);
   cm_tiling_finish(&stages->late.tiling);
   cm_held_pass_finish(&stages->late.held);
   CM_FREE_ARRAYS(&stages->late.traversal.tiles, &stages->late.traversal.positions, &stages->late.forgotten);
   free(stages->progress.ahead);
   cm_geometry_finish(&stages->geometry);
   cm_storage_finish(&stages->storage);
   CM_FREE_ARRAYS(&stages->traversal.tiles, &stages->traversal.positions);
   free(stages);
}

struct cm_gpu *
cm_gpu_create(const struct cm_config *config, char *error, size_t error_size)
{
   return cm_gpu_create_with_futures(config, NULL, error, error_size);
}

struct cm_gpu *
cm_gpu_create_with_futures(const struct cm_config *config, struct cm_futures *futures, char *error,
                           size_t error_size)
{
   if (!cm_config_validate(config, error, error_size) ||
       (!futures && !cm_config_needs_no_future(config, error, error_size)))
      return NULL;
   snprintf(error, error_size, "out of memory for the simulated GPU");
   struct cm_gpu *gpu = calloc(1, sizeof *gpu);
   if (!gpu)
      return NULL;
   if (!cm_gpu_init(gpu, config, futures, error, error_size) || !create_stages(gpu)) {
      cm_gpu_destroy(gpu);
      return NULL;
   }
   if (futures)
      cm_futures_apply(futures, &gpu->hierarchy);
   return gpu;
}

void
cm_gpu_destroy(struct cm_gpu *gpu)
{
   if (!gpu)
      return;
   cm_parallel_destroy(gpu->parallel);
   destroy_stages(gpu->stages);
   cm_gpu_finish(gpu);
   free(gpu);
}

bool
cm_gpu_set_threads(struct cm_gpu *gpu, unsigned threads)
{
   assert(!gpu->parallel && !gpu->pipeline[CM_PIPELINE_PASSES]);
   if (threads < 2 || cm_gpu_serial_reason(gpu))
      return true;
   if (!gpu->timing)
      return cm_parallel_create(gpu, &gpu->stages->fragment, gpu->stages->immediate, threads);
   cm_timing_set_threads(gpu->timing, threads);
   if (!cm_gpu_reserve_frames(gpu, CM_FRAMES_OF_A_THREAD * cm_min(threads, CM_MAX_THREADS)))
      return false;
   return !cm_gpu_shades_on_threads(gpu, threads) ||
          cm_parallel_create(gpu, &gpu->stages->fragment, gpu->stages->immediate, threads);
}

/* ---- passes ------------------------------------------------------------ */

/* The order of the pass' tiles. False when out of memory. */
bool
cm_stages_find_traversal(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   const bool is_compute = pass->kind == CM_PASS_COMPUTE;
   const enum cm_tile_order order = is_compute ? CM_TILE_ORDER_SCANLINE : gpu->config.tile.order;
   const bool reversed = !is_compute && cm_traversal_reversed(gpu->config.frame.traversal, pass->frame);
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   struct cm_pass_traversal *last = &gpu->stages->traversal;
   gpu->positions = last->positions.data;
   if (last->tiles_x == pass->tiles_x && last->tiles_y == pass->tiles_y && last->order == order &&
       last->reversed == reversed)
      return true;
   last->tiles_x = last->tiles_y = 0;
   if (!cm_array_reserve(&last->tiles, num_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&last->positions, num_tiles, sizeof(uint32_t)))
      return false;
   cm_tile_order_build(order, pass->tiles_x, pass->tiles_y, reversed, last->tiles.data);
   cm_tile_order_positions(last->tiles.data, num_tiles, last->positions.data);
   *last =
      (struct cm_pass_traversal){last->tiles, last->positions, pass->tiles_x, pass->tiles_y, order, reversed};
   gpu->positions = last->positions.data;
   return true;
}

static bool
begin_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   const bool is_compute = gpu->pass->kind == CM_PASS_COMPUTE;
   if ((gpu->parallel && !cm_parallel_begin_pass(gpu->parallel)) || !cm_stages_find_traversal(gpu) ||
       !cm_fragment_stage_bind(&stages->fragment) || (!is_compute && !cm_geometry_begin(&stages->geometry)) ||
       (!is_compute && !cm_elimination_begin(&stages->elimination)) || !cm_storage_begin(&stages->storage))
      return false;
   if (gpu->timeline)
      cm_timeline_add_pass(gpu->timeline, gpu->pass, gpu->names);
   if (stages->immediate && !is_compute)
      return cm_immediate_begin(stages->immediate);
   cm_timing_begin(gpu->timing, is_compute ? CM_LOG_DISPATCH : CM_LOG_GEOMETRY, 0);
   bool ok = true;
   if (!is_compute) {
      cm_geometry_draws(&stages->geometry, 0, gpu->pass->num_draws);
      ok = cm_tiling_begin(&stages->tiling) && cm_tiling_write(&stages->tiling, 0, gpu->pass->num_primitives);
   } else if (stages->storage.is_used) {
      cm_compute_begin(&stages->compute, cm_fragment_stage_textures(&stages->fragment, 0));
   }
   cm_timing_end(gpu->timing);
   return ok;
}

/* The pass cannot be simulated any further. */
static void
abandon_pass(struct cm_gpu *gpu)
{
   cm_parallel_drain(gpu->parallel);
   cm_gpu_out_of_memory(gpu);
   if (!gpu->stages->immediate && gpu->pass->kind != CM_PASS_COMPUTE)
      cm_tiling_end(&gpu->stages->tiling);
   gpu->pass = NULL;
   gpu->stages->progress.is_held = false;
}

/* Says which of the configuration's keys need full passes. */
static void
report_lacking(struct cm_gpu *gpu)
{
   const char *shading = "";
   if (gpu->config.fragment_stage.pixel_kill)
      shading = "fragment_stage.pixel_kill";
   else if (gpu->config.fragment_stage.quad_order != CM_SHADING_ORDER_BLOCKS)
      shading = "fragment_stage.quad_order";
   if (gpu->lacks_hidden || (!gpu->guard_band.pixels && !*shading))
      return;
   cm_message(CM_MESSAGE_INFO,
              "%s%s%s %s no effect: the events lack what hidden surface removal removes (--record-visible)",
              gpu->guard_band.pixels ? "primitive_assembly.guard_band" : "",
              gpu->guard_band.pixels && *shading ? " and " : "", shading,
              gpu->guard_band.pixels && *shading ? "have" : "has");
   gpu->lacks_hidden = true;
}

/* The pass as this GPU's primitive assembly has it; NULL when out of memory. */
static const struct cm_pass *
assemble(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   if (pass->kind == CM_PASS_COMPUTE)
      return pass;
   if (pass->kind != CM_PASS_FULL)
      report_lacking(gpu);
   return gpu->guard_band.pixels ? cm_guard_band_begin(&gpu->guard_band, pass) : pass;
}

/* Whether a pass neither runs among the tiles of another nor has another among its own: what its shaders before the rasterizer
 * read, and what all of its shaders store, may be what others store or read. */
static bool
is_alone(const struct cm_pass *pass)
{
   return pass->kind == CM_PASS_COMPUTE || pass->num_storages || pass->num_vertex_bindings;
}

void
cm_gpu_pass_begin(struct cm_gpu *gpu, const struct cm_pass *clipped)
{
   assert(!gpu->in_pass);
   struct cm_pass_progress *progress = &gpu->stages->progress;
   const struct cm_pass *pass = assemble(gpu, clipped);
   progress->is_held = cm_gpu_is_late(gpu) && !is_alone(clipped);
   if (cm_gpu_is_late(gpu) && is_alone(clipped))
      cm_stages_finish_late_pass(gpu);
   gpu->pass = pass ? pass : clipped;
   gpu->in_pass = true;
   gpu->stages->num_visited = 0;
   if (progress->is_held) {
      if (!pass || !cm_stages_begin_held_pass(gpu))
         abandon_pass(gpu);
      gpu->pipeline[CM_PIPELINE_PASSES]++;
      return;
   }
   cm_gpu_attribute_pass(gpu);
   gpu->pipeline[CM_PIPELINE_PASSES]++;
   if (clipped->kind != CM_PASS_COMPUTE)
      cm_framebuffer_bind(&gpu->stages->framebuffer);
   if (!pass || !begin_pass(gpu))
      abandon_pass(gpu);
}

const uint32_t *
cm_gpu_pass_traversal(const struct cm_gpu *gpu)
{
   return gpu->pass ? gpu->stages->traversal.tiles.data : NULL;
}

static void
run_tile(struct cm_gpu *gpu, uint32_t tile)
{
   struct cm_stages *stages = gpu->stages;
   struct cm_timing *timing = gpu->timing;
   const bool touched = gpu->pass->touched[tile];
   if (!cm_tiling_is_fetched(&stages->tiling, tile)) {
      cm_tiling_tile_done(&stages->tiling, tile);
      return;
   }
   if (touched && stages->elimination.skips && cm_elimination_skip(&stages->elimination, tile)) {
      cm_tiling_tile_done(&stages->tiling, tile);
      return;
   }
   gpu->pipeline[CM_PIPELINE_TILES]++;
   cm_timing_begin(timing, CM_LOG_TILE, tile);
   if (touched)
      cm_framebuffer_tile(&stages->framebuffer, tile, false);
   cm_timing_mark(timing, CM_LOG_LOADED);
   cm_tiling_fetch_tile(&stages->tiling, tile);
   cm_tiling_tile_done(&stages->tiling, tile);
   cm_timing_tile_fetched(timing, &gpu->pass->tiles[tile]);
   if (!(gpu->parallel ? cm_parallel_shade(gpu->parallel, tile)
                       : cm_fragment_stage_run(&stages->fragment, tile)))
      cm_gpu_out_of_memory(gpu);
   cm_timing_mark(timing, CM_LOG_SHADED);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   if (touched) {
      cm_framebuffer_tile(&stages->framebuffer, tile, true);
      if (stages->elimination.is_on)
         cm_elimination_stored(&stages->elimination, tile);
   }
   cm_timing_end(timing);
}

void
cm_stages_pass_tile(struct cm_gpu *gpu, uint32_t tile)
{
   struct cm_stages *stages = gpu->stages;
   assert(stages->num_visited < gpu->pass->tiles_x * gpu->pass->tiles_y &&
          tile == ((const uint32_t *)stages->traversal.tiles.data)[stages->num_visited]);
   stages->num_visited++;
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_TILE_BEGIN, tile);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_gpu_attribute_tile(gpu, tile);
   if (gpu->pass->kind != CM_PASS_COMPUTE && !stages->immediate)
      run_tile(gpu, tile);
   else if (gpu->pass->kind == CM_PASS_COMPUTE && stages->storage.is_used)
      cm_compute_tile(&stages->compute, tile);
   else if (gpu->pass->kind != CM_PASS_COMPUTE && !cm_immediate_tile(stages->immediate, tile))
      abandon_pass(gpu);
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_TILE_END, tile);
}

static void
hold_tile(struct cm_gpu *gpu, uint32_t tile)
{
   gpu->stages->num_visited++;
   if (!cm_held_pass_tile(&gpu->stages->late.held, &gpu->pass->tiles[tile], tile))
      abandon_pass(gpu);
}

void
cm_gpu_pass_tile(struct cm_gpu *gpu, uint32_t tile)
{
   assert(gpu->in_pass);
   gpu->is_held = false;
   if (gpu->pass && !cm_guard_band_tile(&gpu->guard_band, tile))
      abandon_pass(gpu);
   if (gpu->pass && gpu->stages->progress.is_held)
      hold_tile(gpu, tile);
   else if (gpu->pass)
      cm_stages_pass_tile(gpu, tile);
   if (!gpu->is_held)
      cm_gpu_release_tile(gpu, tile);
}

/* Signatures and headers that are on chip are written back behind the last tile's flush, as one of its own. */
static void
end_framebuffer(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   const bool writes_back = gpu->compression || cm_config_has_transaction_elimination(&gpu->config);
   const uint32_t *tiles = stages->traversal.tiles.data;
   if (writes_back)
      cm_timing_begin(gpu->timing, CM_LOG_TILE, tiles[stages->num_visited - 1]);
   else
      cm_timing_checks_end(gpu->timing);
   cm_elimination_end(&stages->elimination);
   cm_framebuffer_end(&stages->framebuffer);
   if (writes_back)
      cm_timing_end(gpu->timing);
}

/* What a pass does once all its tiles have been passed. */
void
cm_stages_end_pass(struct cm_gpu *gpu)
{
   struct cm_stages *stages = gpu->stages;
   assert(stages->num_visited == gpu->pass->tiles_x * gpu->pass->tiles_y);
   if (gpu->pass->kind != CM_PASS_COMPUTE && !stages->immediate) {
      cm_tiling_end(&stages->tiling);
      end_framebuffer(gpu);
   } else if (gpu->pass->kind != CM_PASS_COMPUTE && !cm_immediate_end(stages->immediate)) {
      cm_gpu_out_of_memory(gpu);
   }
   cm_storage_end(&stages->storage);
}

void
cm_gpu_pass_end(struct cm_gpu *gpu)
{
   assert(gpu->in_pass);
   cm_parallel_end_pass(gpu->parallel);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_gpu_attribute_tile(gpu, CM_NOT_ATTRIBUTED);
   if (gpu->pass && gpu->stages->progress.is_held)
      cm_stages_end_held_pass(gpu);
   else if (gpu->pass)
      cm_stages_end_pass(gpu);
   if (!gpu->stages->progress.is_held)
      cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_PASS_END, 0);
   if (!gpu->parallel)
      cm_shared_side_run(&gpu->hierarchy.shared);
   cm_gpu_attribute_pass_end(gpu);
   cm_guard_band_end(&gpu->guard_band);
   gpu->pass = NULL;
   gpu->in_pass = false;
}

bool
cm_gpu_is_complete(const struct cm_gpu *gpu)
{
   return !gpu->out_of_memory && !gpu->stages->storage.has_refused;
}
