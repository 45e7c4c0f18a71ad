/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy.h"
#include "events/names.h"
#include "gpu/attribution_internal.h"
#include "gpu/compression.h"
#include "gpu/gpu_internal.h"
#include "gpu/operations.h"
#include "memory/future.h"
#include "util/message.h"
#include "util/minmax.h"
#include "util/threads.h"

/* The units of the memory hierarchy. False when out of memory. */
static bool
init_memory(struct cm_gpu *gpu)
{
   const struct cm_config *config = &gpu->config;
   cm_address_space_init(&gpu->space, config);
   if (!cm_hierarchy_init(&gpu->hierarchy, config) ||
       !cm_texture_path_init(&gpu->texture, config, &gpu->hierarchy))
      return false;
   if (config->framebuffer_compression.mode != CM_COMPRESSION_NONE &&
       !(gpu->compression = cm_compression_create(gpu)))
      return false;
   if (!config->primitive_buffer.lines || config->streams[CM_STREAM_PB_ATTRIBUTE] != CM_UNIT_ATTRIBUTE_CACHE)
      return true;
   gpu->attribute_cache = cm_attribute_cache_create(config, gpu->hierarchy.caches[CM_UNIT_ATTRIBUTE_CACHE]);
   return gpu->attribute_cache;
}

bool
cm_gpu_reserve_frames(struct cm_gpu *gpu, uint32_t capacity)
{
   assert(!gpu->ended.num_ended);
   free(gpu->ended.values);
   gpu->ended.values = calloc((size_t)capacity * gpu->table->count, sizeof(uint64_t));
   gpu->ended.capacity = capacity;
   return gpu->ended.values;
}

/* The counters. False when out of memory, or with a line in error. */
static bool
init_counters(struct cm_gpu *gpu, char *error, size_t error_size)
{
   gpu->table = cm_gpu_counter_table_create(&gpu->config);
   if (!gpu->table)
      return false;
   gpu->total = calloc(3 * (size_t)gpu->table->count, sizeof(uint64_t));
   if (!gpu->total)
      return false;
   gpu->frame = gpu->total + gpu->table->count;
   gpu->frame_start = gpu->frame + gpu->table->count;
   if (!cm_gpu_reserve_frames(gpu, 2))
      return false;
   if (!cm_energy_is_counted(gpu->table))
      return true;
   gpu->energy = cm_energy_create(&gpu->config, gpu->table, error, error_size);
   return gpu->energy;
}

/* The L2's latency as a number, for the timing. */
static bool
find_latency(struct cm_gpu *gpu, char *error, size_t error_size)
{
   uint32_t *latency = &gpu->config.caches[CM_UNIT_L2].latency;
   return gpu->config.timing == CM_TIMING_OFF || *latency != CM_LATENCY_AUTO ||
          cm_energy_find_latency(&gpu->config, latency, error, error_size);
}

/* What looks on. Not where next uses are collected, which counts nothing. False when out of memory. */
static bool
init_observers(struct cm_gpu *gpu)
{
   if (cm_config_attributes(&gpu->config) && !cm_gpu_attribution_create(gpu))
      return false;
   if (gpu->config.timing == CM_TIMING_ON)
      gpu->timing = cm_timing_create(&gpu->config, &gpu->hierarchy, gpu->texture.nuca);
   return gpu->timing || gpu->config.timing == CM_TIMING_OFF;
}

/* Each frame's timing begins with DRAM of its own, and the caller's configuration may be gone by then. */
static bool
keep_mapping(struct cm_gpu *gpu)
{
   if (!gpu->config.dram_system.mapping)
      return true;
   gpu->config.dram_system.mapping = gpu->dram_mapping = strdup(gpu->config.dram_system.mapping);
   return gpu->dram_mapping;
}

bool
cm_gpu_init(struct cm_gpu *gpu, const struct cm_config *config, const struct cm_futures *futures, char *error,
            size_t error_size)
{
   gpu->config = *config;
   gpu->guard_band.pixels = config->primitive_assembly.guard_band;
   gpu->guard_band.percent = config->primitive_assembly.guard_band_percent;
   gpu->names = cm_names_create();
   return gpu->names && keep_mapping(gpu) && find_latency(gpu, error, error_size) && init_memory(gpu) &&
          init_counters(gpu, error, error_size) &&
          ((futures && !cm_futures_is_last_pass(futures)) || init_observers(gpu));
}

void
cm_gpu_finish(struct cm_gpu *gpu)
{
   cm_attribute_cache_destroy(gpu->attribute_cache);
   cm_energy_destroy(gpu->energy);
   cm_gpu_attribution_destroy(gpu->attribution);
   cm_timing_destroy(gpu->timing);
   cm_timeline_destroy(gpu->timeline);
   cm_texture_path_finish(&gpu->texture);
   cm_hierarchy_finish(&gpu->hierarchy);
   cm_guard_band_finish(&gpu->guard_band);
   cm_address_space_finish(&gpu->space);
   cm_compression_destroy(gpu->compression);
   cm_counter_table_destroy(gpu->table);
   cm_names_destroy(gpu->names);
   cm_costed_shaders_finish(gpu);
   cm_shader_codes_finish(&gpu->codes);
   free(gpu->dram_mapping);
   free(gpu->ended.values);
   free(gpu->total);
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

void
cm_gpu_set_longest_part(struct cm_gpu *gpu, uint32_t entries)
{
   assert(gpu->timing && !gpu->pipeline[CM_PIPELINE_PASSES]);
   cm_timing_set_longest_part(gpu->timing, entries);
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
   if (gpu->attribution)
      return "counts are attributed (attribution.*)";
   if (gpu->timing)
      return NULL;
   if (gpu->config.parameter_buffer.written == CM_PB_AMONG_TILES)
      return "passes overlap (parameter_buffer.written)";
   if (shared->num_units)
      return "there is a unit on its access stream (access_units.*)";
   if (shared->num_readers)
      return "its access stream is read";
   return NULL;
}

bool
cm_gpu_shades_on_threads(const struct cm_gpu *gpu, unsigned threads)
{
   const bool has_tiles = gpu->config.mode != CM_MODE_IMR;
   return threads >= (gpu->timing && has_tiles ? CM_TIMED_THREADS : 2) &&
          (!gpu->timing || cm_timing_can_defer(gpu->timing)) && !cm_gpu_serial_reason(gpu) &&
          cm_parallel_can_shade(gpu);
}

/* Frames are divided among the threads of the timing: the one with the most of them, and all others. */
static unsigned
add_timing_times(const struct cm_timing *timing, struct cm_work_time *times)
{
   uint64_t most = 0, sum = 0;
   for (unsigned thread = 0; thread < CM_MAX_THREADS; thread++) {
      const uint64_t its = cm_timing_nanoseconds(timing, thread);
      most = cm_max64(most, its);
      sum += its;
   }
   times[0] = (struct cm_work_time){"a timing thread", (int64_t)most, false};
   times[1] = (struct cm_work_time){"other timing threads", (int64_t)(sum - most), true};
   return 2;
}

unsigned
cm_gpu_work_times(const struct cm_gpu *gpu, struct cm_work_time times[CM_MAX_WORK_TIMES])
{
   unsigned count = 1;
   if (gpu->parallel)
      count = cm_parallel_times(gpu->parallel, times);
   else
      times[0] = (struct cm_work_time){.name = "main thread"};
   return count + (gpu->timing ? add_timing_times(gpu->timing, times + count) : 0);
}

void
cm_gpu_release_tiles(struct cm_gpu *gpu, void (*release)(void *context, uint32_t tile), void *context)
{
   assert(!gpu->pipeline[CM_PIPELINE_PASSES]);
   gpu->release = release;
   gpu->release_context = context;
}

void
cm_gpu_on_timed_frame(struct cm_gpu *gpu, void (*timed)(void *context), void *context)
{
   assert(!gpu->pipeline[CM_PIPELINE_PASSES]);
   if (gpu->timing)
      cm_timing_on_frame(gpu->timing, timed, context);
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
cm_gpu_forget_now(struct cm_gpu *gpu, uint32_t id)
{
   if (names_resources(gpu))
      return;
   if (gpu->compression)
      cm_compression_forget(gpu->compression, id);
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

void
cm_gpu_define_code(struct cm_gpu *gpu, const struct cm_shader_code *code)
{
   if (!cm_shader_codes_define(&gpu->codes, code))
      cm_gpu_out_of_memory(gpu);
}

const struct cm_names *
cm_gpu_names(const struct cm_gpu *gpu)
{
   return gpu->names;
}

static uint32_t
descriptor_lines(const struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage)
{
   uint64_t lines = 0;
   for (uint32_t d = 0; d < draw->num_descriptors; d++) {
      const struct cm_descriptors *descriptors = &gpu->pass->descriptors[draw->first_descriptor + d];
      struct cm_descriptor_range range;
      for (uint32_t n = 0; descriptors->stage == stage &&
                           cm_address_space_next_descriptors(&gpu->space, descriptors, &n, &range);)
         lines += (range.end + 63) / 64 - range.begin / 64;
   }
   return (uint32_t)lines;
}

cm_entry
cm_gpu_shader_group(const struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage,
                    const struct cm_shader *shader)
{
   const uint32_t bytes = shader->instructions * CM_INSTRUCTION_BYTES;
   const uint32_t lines =
      (bytes + 63) / 64 + (shader->constant_bytes + 63) / 64 + descriptor_lines(gpu, draw, stage);
   return cm_entry_make(CM_ENTRY_GROUP, 0, 0, CM_STREAM_SHADER, lines);
}

static void
fetch_descriptors(struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage,
                  uint32_t processor)
{
   for (uint32_t d = 0; d < draw->num_descriptors; d++) {
      const struct cm_descriptors *descriptors = &gpu->pass->descriptors[draw->first_descriptor + d];
      const uint64_t set =
         descriptors->stage == stage ? cm_address_space_use_descriptors(&gpu->space, descriptors) : 0;
      struct cm_descriptor_range range;
      for (uint32_t n = 0; set && cm_address_space_next_descriptors(&gpu->space, descriptors, &n, &range);)
         cm_hierarchy_access_range(&gpu->hierarchy, processor, set + range.begin, range.end - range.begin,
                                   CM_STREAM_DESCRIPTOR, false);
   }
}

void
cm_gpu_fetch_shader(struct cm_gpu *gpu, const struct cm_draw *draw, enum cm_shader_stage stage,
                    const struct cm_shader *shader, uint32_t processor)
{
   if (!shader->id)
      return;
   cm_gpu_attribute_resource(gpu, 0);
   const struct cm_shader_memory *memory = cm_address_space_shader(&gpu->space, stage, shader);
   if (!memory) {
      cm_gpu_out_of_memory(gpu);
      return;
   }
   if (gpu->timing && gpu->config.mode != CM_MODE_IMR)
      cm_access_stream_append(gpu->hierarchy.requests, cm_gpu_shader_group(gpu, draw, stage, shader));
   cm_hierarchy_access_range(&gpu->hierarchy, processor, memory->instructions,
                             (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES, CM_STREAM_SHADER, false);
   cm_hierarchy_access_range(&gpu->hierarchy, processor, memory->constants, shader->constant_bytes,
                             CM_STREAM_CONSTANT, false);
   fetch_descriptors(gpu, draw, stage, processor);
}

void
cm_gpu_written_past(struct cm_gpu *gpu, struct cm_resource *resource, enum cm_stream stream)
{
   cm_gpu_attribute_resource(gpu, resource->description.id);
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, stream, resource->address,
                             resource->address + resource->bytes);
   resource->sampled = false;
}

/* ---- counters ---------------------------------------------------------- */

/* The total so far, without what timing says. */
static void
read_units(struct cm_gpu *gpu, uint64_t *values)
{
   cm_parallel_drain(gpu->parallel);
   if (gpu->hierarchy.shared.out_of_memory || !cm_compression_is_complete(gpu->compression))
      cm_gpu_out_of_memory(gpu);
   cm_gpu_read_units(gpu, values);
}

static uint64_t *
values_of(const struct cm_gpu *gpu, uint64_t frame)
{
   return gpu->ended.values + frame % gpu->ended.capacity * gpu->table->count;
}

/* Counts the oldest frame that is not counted, whose timing was taken. ahead: as of cm_gpu_complete_frame. */
static void
count_frame(struct cm_gpu *gpu, const uint64_t *ahead)
{
   uint64_t *values = values_of(gpu, gpu->ended.num_counted++);
   cm_gpu_attribute_frame_end(gpu);
   if (!cm_timing_is_complete(gpu->timing) || gpu->space.out_of_memory)
      cm_gpu_out_of_memory(gpu);
   cm_gpu_read_timing(gpu, values);
   for (uint32_t i = 0; i < gpu->table->count; i++) {
      gpu->total[i] = values[i];
      const uint64_t its = values[i] - (ahead ? ahead[i] : 0);
      values[i] = its - gpu->frame_start[i];
      gpu->frame_start[i] = its;
   }
}

/* Counts the frames that have ended, of which timing was told, as far as they are timed; waits: all of them. */
static void
count_frames(struct cm_gpu *gpu, bool waits)
{
   while (gpu->ended.num_counted < gpu->ended.num_ended && cm_timing_take_frame(gpu->timing, waits))
      count_frame(gpu, NULL);
}

const uint64_t *
cm_gpu_total(struct cm_gpu *gpu)
{
   count_frames(gpu, true);
   read_units(gpu, gpu->total);
   cm_gpu_read_timing(gpu, gpu->total);
   return gpu->total;
}

void
cm_gpu_complete_frame(struct cm_gpu *gpu, const uint64_t *ahead)
{
   struct cm_ended_frames *ended = &gpu->ended;
   assert(ended->num_ended - ended->num_taken < ended->capacity);
   gpu->pipeline[CM_PIPELINE_FRAMES]++;
   cm_shared_side_mark(&gpu->hierarchy.shared, CM_MARK_FRAME_END, 0);
   read_units(gpu, values_of(gpu, ended->num_ended++)); /* when all threads have done the frame */
   cm_timing_frame_end(gpu->timing);
   if (!gpu->timing) {
      count_frame(gpu, ahead);
      return;
   }
   assert(!ahead);
   count_frames(gpu, cm_timing_is_in_turn(gpu->timing));
   cm_timing_frame_begin(gpu->timing);
}

const uint64_t *
cm_gpu_take_frame(struct cm_gpu *gpu, bool waits)
{
   struct cm_ended_frames *ended = &gpu->ended;
   if (ended->num_taken == ended->num_counted) {
      if (ended->num_taken == ended->num_ended || !cm_timing_take_frame(gpu->timing, waits))
         return NULL;
      count_frame(gpu, NULL);
   }
   memcpy(gpu->frame, values_of(gpu, ended->num_taken++), gpu->table->count * sizeof *gpu->frame);
   return gpu->frame;
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
