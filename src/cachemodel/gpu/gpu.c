/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy.h"
#include "events/names.h"
#include "gpu/attribution_internal.h"
#include "gpu/compute.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_internal.h"
#include "gpu/immediate.h"
#include "gpu/operations.h"
#include "gpu/storage.h"
#include "memory/future.h"
#include "tiling/parameter_buffer.h"
#include "tiling/tile_order.h"
#include "util/message.h"

/* Builds the parts of a GPU that has its configuration. False when out of memory, or with a line in error. */
static bool
build(struct cm_gpu *gpu, struct cm_futures *futures, char *error, size_t error_size)
{
   const struct cm_config *config = &gpu->config;
   cm_address_space_init(&gpu->space, config);
   gpu->names = cm_names_create();
   gpu->table = cm_gpu_counter_table_create(config);
   if (!cm_hierarchy_init(&gpu->hierarchy, config) ||
       !cm_texture_path_init(&gpu->texture, config, &gpu->hierarchy) || !gpu->table)
      return false;
   gpu->counts_operations = cm_config_counts_operations(config);
   if (cm_energy_is_counted(gpu->table)) {
      gpu->energy = cm_energy_create(config, gpu->table, error, error_size);
      if (!gpu->energy)
         return false;
   }
   gpu->total = calloc(gpu->table->count, sizeof(uint64_t));
   gpu->frame = calloc(gpu->table->count, sizeof(uint64_t));
   gpu->frame_start = calloc(gpu->table->count, sizeof(uint64_t));
   const bool has_attributes =
      config->primitive_buffer.lines && config->streams[CM_STREAM_PB_ATTRIBUTE] == CM_UNIT_ATTRIBUTE_CACHE;
   if (has_attributes)
      gpu->attribute_cache =
         cm_attribute_cache_create(config, gpu->hierarchy.caches[CM_UNIT_ATTRIBUTE_CACHE]);
   /* What collects next uses counts nothing. */
   const bool is_last_pass = !futures || cm_futures_is_last_pass(futures);
   const bool has_attribution = cm_config_attributes(config) && is_last_pass;
   if (has_attribution)
      gpu->attribution = cm_gpu_attribution_create(gpu);
   const bool has_timing = config->timing == CM_TIMING_ON && is_last_pass;
   if (has_timing)
      gpu->timing = cm_timing_create(config, &gpu->hierarchy, gpu->texture.nuca);
   gpu->shading = cm_shading_create(gpu, NULL);
   gpu->compute = cm_compute_create(gpu);
   if (config->mode == CM_MODE_IMR)
      gpu->immediate = cm_immediate_create(gpu);
   return gpu->names && gpu->total && gpu->frame && gpu->frame_start && gpu->shading && gpu->compute &&
          (gpu->attribute_cache || !has_attributes) && (gpu->timing || !has_timing) &&
          (gpu->attribution || !has_attribution) && (gpu->immediate || config->mode != CM_MODE_IMR);
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
   gpu->config = *config;
   if (!build(gpu, futures, error, error_size)) {
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
   struct cm_array *const arrays[] = {
      &gpu->traversal,        &gpu->position,    &gpu->first_block,   &gpu->tile_begin,
      &gpu->tile_primitives,  &gpu->pmd_offsets, &gpu->draw_textures, &gpu->reuse,
      &gpu->vertex_units,     &gpu->last_tiles,  &gpu->opt_numbers,   &gpu->tile_opt_numbers,
      &gpu->boxed_primitives, &gpu->boxed_tiles, &gpu->storages,      &gpu->vertex_storage,
   };
   for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
      free(arrays[i]->data);
   cm_deferred_finish(&gpu->deferred);
   cm_immediate_destroy(gpu->immediate);
   cm_shading_destroy(gpu->shading);
   cm_compute_destroy(gpu->compute);
   cm_pb_lists_destroy(gpu->lists);
   cm_attribute_cache_destroy(gpu->attribute_cache);
   cm_energy_destroy(gpu->energy);
   cm_gpu_attribution_destroy(gpu->attribution);
   cm_timing_destroy(gpu->timing);
   cm_timeline_destroy(gpu->timeline);
   cm_texture_path_finish(&gpu->texture);
   cm_hierarchy_finish(&gpu->hierarchy);
   cm_address_space_finish(&gpu->space);
   cm_counter_table_destroy(gpu->table);
   cm_names_destroy(gpu->names);
   free(gpu->total);
   free(gpu->frame);
   free(gpu->frame_start);
   free(gpu);
}

bool
cm_gpu_add_reader(struct cm_gpu *gpu, const struct cm_access_reader *reader)
{
   assert(!gpu->pipeline[CM_PIPELINE_PASSES]);
   return cm_hierarchy_add_reader(&gpu->hierarchy, reader);
}

bool
cm_gpu_make_timeline(struct cm_gpu *gpu, const struct cm_timeline_frames *frames)
{
   assert(frames->first <= frames->last);
   assert(gpu->timing && !gpu->timeline && !gpu->pipeline[CM_PIPELINE_PASSES]);
   gpu->timeline = cm_timeline_create(frames, gpu->config.clock_mhz);
   return gpu->timeline && cm_timing_set_timeline(gpu->timing, gpu->timeline) &&
          !cm_timeline_head(gpu->timeline)->out_of_memory;
}

struct cm_timeline *
cm_gpu_timeline(struct cm_gpu *gpu)
{
   return gpu->timeline;
}

const char *
cm_gpu_serial_reason(const struct cm_gpu *gpu)
{
   const struct cm_shared_side *shared = &gpu->hierarchy.shared;
   if (gpu->timing)
      return "cycles are simulated (timing)";
   if (gpu->attribution)
      return "counts are attributed (attribution.*)";
   if (shared->num_units)
      return "there is a unit on its access stream (access_units.*)";
   if (shared->num_readers)
      return "its access stream is read";
   return NULL;
}

bool
cm_gpu_shades_on_threads(const struct cm_gpu *gpu)
{
   return !cm_gpu_serial_reason(gpu) && cm_parallel_can_shade(gpu);
}

bool
cm_gpu_set_threads(struct cm_gpu *gpu, unsigned threads)
{
   assert(!gpu->parallel && !gpu->pipeline[CM_PIPELINE_PASSES]);
   return threads < 2 || cm_gpu_serial_reason(gpu) || cm_parallel_create(gpu, threads);
}

unsigned
cm_gpu_work_times(const struct cm_gpu *gpu, struct cm_work_time times[CM_MAX_WORK_TIMES])
{
   if (gpu->parallel)
      return cm_parallel_times(gpu->parallel, times);
   times[0] = (struct cm_work_time){.name = "main thread"};
   return 1;
}

void
cm_gpu_release_tiles(struct cm_gpu *gpu, void (*release)(void *context, uint32_t tile), void *context)
{
   assert(!gpu->pipeline[CM_PIPELINE_PASSES]);
   gpu->release = release;
   gpu->release_context = context;
}

void
cm_gpu_out_of_memory(struct cm_gpu *gpu)
{
   if (!gpu->out_of_memory)
      cm_message(CM_MESSAGE_ERROR, "out of memory; the statistics end before this frame");
   gpu->out_of_memory = true;
}

/* Whether tables, which come later, have rows of resources and names. */
static bool
names_resources(const struct cm_gpu *gpu)
{
   return gpu->attribution || gpu->timeline;
}

void
cm_gpu_define_resource(struct cm_gpu *gpu, const struct cm_resource_description *resource)
{
   if (!cm_address_space_define(&gpu->space, resource) ||
       (names_resources(gpu) && !cm_names_define_resource(gpu->names, resource)))
      cm_gpu_out_of_memory(gpu);
   cm_gpu_attribute_definition(gpu, resource);
}

void
cm_gpu_forget_resource(struct cm_gpu *gpu, uint32_t id)
{
   assert(!gpu->in_pass);
   if (!names_resources(gpu))
      cm_address_space_forget(&gpu->space, id);
}

void
cm_gpu_define_name(struct cm_gpu *gpu, const struct cm_name *name)
{
   if (name->type == CM_NAME_READ)
      cm_gpu_attribute_read(gpu, name->number);
   if (names_resources(gpu) && !cm_names_define(gpu->names, name))
      cm_gpu_out_of_memory(gpu);
}

const struct cm_names *
cm_gpu_names(const struct cm_gpu *gpu)
{
   return gpu->names;
}

void
cm_gpu_fetch_shader(struct cm_gpu *gpu, enum cm_shader_stage stage, const struct cm_shader *shader,
                    uint32_t processor)
{
   if (!shader->id)
      return;
   cm_gpu_attribute_resource(gpu, 0);
   const struct cm_shader_memory *memory = cm_address_space_shader(&gpu->space, stage, shader);
   if (!memory) {
      cm_gpu_out_of_memory(gpu);
      return;
   }
   const uint32_t bytes = shader->instructions * CM_INSTRUCTION_BYTES;
   if (!gpu->immediate)
      cm_timing_group(gpu->timing, CM_STREAM_SHADER, (bytes + 63) / 64 + (shader->constant_bytes + 63) / 64);
   cm_hierarchy_access_range(&gpu->hierarchy, processor, memory->instructions,
                             (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES, CM_STREAM_SHADER, false);
   cm_hierarchy_access_range(&gpu->hierarchy, processor, memory->constants, shader->constant_bytes,
                             CM_STREAM_CONSTANT, false);
}

/* ---- passes ------------------------------------------------------------ */

static bool
find_traversal(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   const bool reversed = cm_traversal_reversed(gpu->config.frame.traversal, pass->frame);
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   if (gpu->traversal.data && gpu->tiles_x == pass->tiles_x && gpu->tiles_y == pass->tiles_y &&
       gpu->reversed == reversed)
      return true;
   if (!cm_array_reserve(&gpu->traversal, num_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&gpu->position, num_tiles, sizeof(uint32_t))) {
      gpu->tiles_x = gpu->tiles_y = 0;
      return false;
   }
   gpu->tiles_x = pass->tiles_x;
   gpu->tiles_y = pass->tiles_y;
   gpu->reversed = reversed;
   cm_tile_order_build(gpu->config.tile.order, pass->tiles_x, pass->tiles_y, reversed, gpu->traversal.data);
   cm_tile_order_positions(gpu->traversal.data, num_tiles, gpu->position.data);
   return true;
}

/* The dispatch's parameters are read; textures and storage are bound. */
static void
dispatch(struct cm_gpu *gpu)
{
   if (gpu->timeline)
      cm_timeline_add_pass(gpu->timeline, gpu->pass, gpu->names);
   cm_timing_begin(gpu->timing, CM_LOG_DISPATCH, 0);
   if (gpu->has_storage)
      cm_compute_begin(gpu->compute);
   cm_timing_end(gpu->timing);
}

/* A compute pass' tiles are visited in order. */
static bool
begin_compute(struct cm_gpu *gpu)
{
   const uint32_t num_tiles = gpu->pass->tiles_x;
   gpu->tiles_x = gpu->tiles_y = 0;
   if (!cm_array_reserve(&gpu->traversal, num_tiles, sizeof(uint32_t)) ||
       !cm_array_reserve(&gpu->position, num_tiles, sizeof(uint32_t)) || !cm_fragment_stage_bind(gpu) ||
       !cm_storage_begin(gpu))
      return false;
   for (uint32_t t = 0; t < num_tiles; t++)
      ((uint32_t *)gpu->traversal.data)[t] = t;
   dispatch(gpu);
   return true;
}

static bool
begin_pass(struct cm_gpu *gpu)
{
   if (gpu->parallel && !cm_parallel_begin_pass(gpu->parallel))
      return false;
   if (gpu->pass->kind == CM_PASS_COMPUTE)
      return begin_compute(gpu);
   if (!find_traversal(gpu, gpu->pass) || !cm_fragment_stage_bind(gpu) || !cm_geometry_begin(gpu) ||
       !cm_storage_begin(gpu))
      return false;
   if (gpu->timeline)
      cm_timeline_add_pass(gpu->timeline, gpu->pass, gpu->names);
   if (gpu->immediate)
      return cm_immediate_begin(gpu->immediate);
   cm_timing_begin(gpu->timing, CM_LOG_GEOMETRY, 0);
   cm_geometry_draws(gpu, 0, gpu->pass->num_draws);
   const bool fine = cm_tiling_build_lists(gpu);
   cm_timing_end(gpu->timing);
   return fine;
}

/* The pass cannot be simulated any further. */
static void
abandon_pass(struct cm_gpu *gpu)
{
   cm_parallel_drain(gpu->parallel);
   cm_gpu_out_of_memory(gpu);
   if (!gpu->immediate && gpu->pass->kind != CM_PASS_COMPUTE)
      cm_tiling_end(gpu);
   gpu->pass = NULL;
}

void
cm_gpu_pass_begin(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   assert(!gpu->in_pass);
   gpu->pass = pass;
   gpu->in_pass = true;
   gpu->num_visited = 0;
   cm_gpu_attribute_pass(gpu);
   gpu->pipeline[CM_PIPELINE_PASSES]++;
   if (pass->kind != CM_PASS_COMPUTE)
      cm_framebuffer_bind(gpu);
   if (!begin_pass(gpu))
      abandon_pass(gpu);
}

const uint32_t *
cm_gpu_pass_traversal(const struct cm_gpu *gpu)
{
   return gpu->pass ? gpu->traversal.data : NULL;
}

static void
run_groups(struct cm_gpu *gpu, uint32_t tile)
{
   if (!gpu->has_storage)
      return;
   cm_timing_begin(gpu->timing, CM_LOG_GROUPS, tile);
   cm_compute_tile(gpu->compute, tile);
   cm_timing_end(gpu->timing);
}

static void
run_tile(struct cm_gpu *gpu, uint32_t tile)
{
   assert(tile < gpu->pass->tiles_x * gpu->pass->tiles_y);
   if (gpu->pass->kind == CM_PASS_COMPUTE) {
      run_groups(gpu, tile);
      return;
   }
   if (gpu->immediate) {
      if (!cm_immediate_tile(gpu->immediate, tile))
         abandon_pass(gpu);
      return;
   }
   const bool touched = gpu->pass->touched[tile];
   if (!cm_tiling_is_fetched(gpu, tile)) {
      cm_tiling_tile_done(gpu, tile);
      return;
   }
   gpu->pipeline[CM_PIPELINE_TILES]++;
   struct cm_timing *timing = gpu->timing;
   cm_timing_begin(timing, CM_LOG_TILE, tile);
   if (touched)
      cm_framebuffer_tile(gpu, tile, false);
   cm_timing_mark(timing, CM_LOG_LOADED);
   cm_tiling_fetch_tile(gpu, tile);
   cm_tiling_tile_done(gpu, tile);
   cm_timing_tile_fetched(timing, &gpu->pass->tiles[tile]);
   if (!(gpu->parallel ? cm_parallel_shade(gpu->parallel, tile) : cm_fragment_stage(gpu, tile)))
      cm_gpu_out_of_memory(gpu);
   cm_timing_mark(timing, CM_LOG_SHADED);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   if (touched)
      cm_framebuffer_tile(gpu, tile, true);
   cm_timing_end(timing);
}

static void
pass_tile(struct cm_gpu *gpu, uint32_t tile)
{
   assert(gpu->num_visited < gpu->pass->tiles_x * gpu->pass->tiles_y &&
          tile == ((const uint32_t *)gpu->traversal.data)[gpu->num_visited]);
   gpu->num_visited++;
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_TILE_BEGIN, tile);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_gpu_attribute_tile(gpu, tile);
   run_tile(gpu, tile);
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_TILE_END, tile);
}

void
cm_gpu_pass_tile(struct cm_gpu *gpu, uint32_t tile)
{
   assert(gpu->in_pass);
   gpu->is_held = false;
   if (gpu->pass)
      pass_tile(gpu, tile);
   if (!gpu->is_held)
      cm_gpu_release_tile(gpu, tile);
}

static void
check_shared_side(struct cm_gpu *gpu)
{
   if (gpu->hierarchy.shared.out_of_memory)
      cm_gpu_out_of_memory(gpu);
}

void
cm_gpu_pass_end(struct cm_gpu *gpu)
{
   assert(gpu->in_pass && (!gpu->pass || gpu->num_visited == gpu->pass->tiles_x * gpu->pass->tiles_y));
   cm_parallel_end_pass(gpu->parallel);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_gpu_attribute_tile(gpu, CM_NOT_ATTRIBUTED);
   const bool is_compute = gpu->pass && gpu->pass->kind == CM_PASS_COMPUTE;
   if (gpu->pass && gpu->immediate && !is_compute) {
      if (!cm_immediate_end(gpu->immediate))
         cm_gpu_out_of_memory(gpu);
   } else if (gpu->pass && !is_compute) {
      cm_tiling_end(gpu);
      cm_framebuffer_end(gpu);
   }
   if (gpu->pass)
      cm_storage_end(gpu);
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_PASS_END, 0);
   if (!gpu->parallel) {
      cm_shared_side_run(&gpu->hierarchy.shared);
      check_shared_side(gpu);
   }
   cm_gpu_attribute_pass_end(gpu);
   gpu->pass = NULL;
   gpu->in_pass = false;
}

/* ---- counters ---------------------------------------------------------- */

const uint64_t *
cm_gpu_total(struct cm_gpu *gpu)
{
   cm_parallel_drain(gpu->parallel);
   check_shared_side(gpu);
   cm_gpu_read_counters(gpu, gpu->total);
   return gpu->total;
}

const uint64_t *
cm_gpu_frame_end(struct cm_gpu *gpu)
{
   assert(!gpu->in_pass);
   gpu->pipeline[CM_PIPELINE_FRAMES]++;
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_FRAME_END, 0);
   cm_timing_frame_end(gpu->timing);
   cm_gpu_attribute_frame_end(gpu);
   if (!cm_timing_is_complete(gpu->timing) || gpu->space.out_of_memory)
      cm_gpu_out_of_memory(gpu);
   const uint64_t *total = cm_gpu_total(gpu);
   for (uint32_t i = 0; i < gpu->table->count; i++)
      gpu->frame[i] = total[i] - gpu->frame_start[i];
   memcpy(gpu->frame_start, total, gpu->table->count * sizeof(uint64_t));
   return gpu->frame;
}

bool
cm_gpu_is_complete(const struct cm_gpu *gpu)
{
   return !gpu->out_of_memory && !gpu->storage_refused;
}

bool
cm_gpu_is_out_of_memory(const struct cm_gpu *gpu)
{
   return gpu->out_of_memory;
}

const struct cm_counter_table *
cm_gpu_counters(const struct cm_gpu *gpu)
{
   return gpu->table;
}
