/* SPDX-License-Identifier: MIT */
#include "gpu/counters.h"

#include "energy/energy.h"
#include "gpu/compression.h"
#include "gpu/gpu_internal.h"
#include "gpu/operations.h"
#include "texture/bus.h"

/* ---- stages -------------------------------------------------------------- */

static const struct cm_counter_text texts[] = {CM_PIPELINE_COUNTERS(CM_COUNTER_TEXT)};

static bool
list_range(struct cm_counter_table *table, int first, int end)
{
   return cm_counter_table_append_texts(table, texts + first, end - first, first, "", "");
}

static bool
list_stages(const struct cm_config *config, struct cm_counter_table *table)
{
   const int end =
      config->fragment_stage.pixel_kill ? CM_PIPELINE_FIRST_OF_IMMEDIATE : CM_PIPELINE_FIRST_OF_KILL;
   return list_range(table, 0, end);
}

static bool
list_immediate(const struct cm_config *config, struct cm_counter_table *table)
{
   const int end =
      config->immediate.clears == CM_CLEARS_FAST ? CM_PIPELINE_FIRST_OF_LEVELS : CM_PIPELINE_FIRST_OF_CLEARS;
   return config->mode != CM_MODE_IMR || list_range(table, CM_PIPELINE_FIRST_OF_IMMEDIATE, end);
}

static bool
list_levels(const struct cm_config *config, struct cm_counter_table *table)
{
   return config->mode == CM_MODE_IMR || !config->parameter_buffer.levels ||
          list_range(table, CM_PIPELINE_FIRST_OF_LEVELS, CM_PIPELINE_COUNT);
}

static uint64_t
read_stage(const void *pipeline, const struct cm_counter *counter)
{
   return ((const uint64_t *)pipeline)[counter->event];
}

static bool
list_elimination(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text transaction[] = {CM_TRANSACTION_COUNTERS(CM_COUNTER_TEXT)};
   static const struct cm_counter_text rendering[] = {CM_RENDERING_COUNTERS(CM_COUNTER_TEXT)};
   const int first = CM_ELIMINATION_SIGNED_BLOCKS;
   return (!cm_config_has_transaction_elimination(config) ||
           cm_counter_table_append_texts(table, transaction, first, 0, "transaction_elimination.", "")) &&
          (!cm_config_has_rendering_elimination(config) ||
           cm_counter_table_append_texts(table, rendering, CM_ELIMINATION_COUNT - first, first,
                                         "rendering_elimination.", ""));
}

static const struct cm_counter_source elimination_counters = {list_elimination, read_stage};
static const struct cm_counter_source stage_counters = {list_stages, read_stage};
static const struct cm_counter_source immediate_counters = {list_immediate, read_stage};
static const struct cm_counter_source level_counters = {list_levels, read_stage};

bool
cm_counter_is_of_stages(const struct cm_counter *counter)
{
   return counter->source == &stage_counters || counter->source == &immediate_counters ||
          counter->source == &level_counters;
}

/* ---- all of them --------------------------------------------------------- */

/* In the table's order: X(source, what its counters are read from; NULL: they are 0) */
#define SOURCES(X)                                       \
   X(stage_counters, gpu->pipeline)                      \
   X(level_counters, gpu->pipeline)                      \
   X(elimination_counters, gpu->elimination)             \
   X(cm_primitive_buffer_counters, gpu->attribute_cache) \
   X(immediate_counters, gpu->pipeline)                  \
   X(cm_texture_access_counters, &gpu->texture.access)   \
   X(cm_memory_counters, &gpu->hierarchy)                \
   X(cm_access_unit_counters, &gpu->hierarchy)           \
   X(cm_texture_bus_counters, &gpu->hierarchy)           \
   X(cm_nuca_counters, gpu->texture.nuca)                \
   X(cm_replication_counters, gpu->texture.nuca)         \
   X(cm_mesh_counters, gpu->texture.nuca)                \
   X(cm_compression_counters, gpu->compression)          \
   X(cm_operation_counters, gpu->operations)             \
   X(cm_timing_counters, gpu->timing)                    \
   X(cm_energy_counters, NULL) /* made of the others */

static const struct cm_counter_source *const sources[] = {
#define SOURCE(source, unit) &source,
   SOURCES(SOURCE)};
#define NUM_SOURCES (sizeof sources / sizeof sources[0])

struct cm_counter_table *
cm_gpu_counter_table_create(const struct cm_config *config)
{
   return cm_counter_table_create(config, sources, NUM_SOURCES);
}

/* Texture reads that the first cache does not have. */
static uint64_t
texture_misses(const struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   const struct cm_counter misses = {.unit = (int)unit,
                                     .instance = -1,
                                     .stream = CM_STREAM_TEXTURE,
                                     .event = CM_CACHE_EVENT_MISSES};
   return unit == CM_UNIT_DRAM ? 0 : cm_hierarchy_counter(&gpu->hierarchy, &misses);
}

/* Whether the values of a source come when a frame's timing is known. */
static bool
is_late_source(const struct cm_counter_source *source)
{
   return source == &cm_timing_counters || source == &cm_energy_counters;
}

/* Reads the counters of late sources, or of the others. */
static void
read_sources(const struct cm_gpu *gpu, bool late, uint64_t *values)
{
   const void *const units[] = {
#define UNIT(source, unit) unit,
      SOURCES(UNIT)};
   const struct cm_counter_table *table = gpu->table;
   uint32_t c = 0;
   for (unsigned s = 0; s < NUM_SOURCES; s++) {
      const bool reads = is_late_source(sources[s]) == late;
      for (; c < table->count && table->counters[c].source == sources[s]; c++) {
         if (reads)
            values[c] = units[s] ? sources[s]->read(units[s], &table->counters[c]) : 0;
      }
   }
}

void
cm_gpu_read_units(struct cm_gpu *gpu, uint64_t *values)
{
   cm_shared_side_run(&gpu->hierarchy.shared);
   gpu->texture.access.texture_misses = texture_misses(gpu);
   if (gpu->texture.nuca)
      cm_nuca_sum_up(gpu->texture.nuca);
   read_sources(gpu, false, values);
}

void
cm_gpu_read_timing(const struct cm_gpu *gpu, uint64_t *values)
{
   read_sources(gpu, true, values);
   if (gpu->energy)
      cm_energy_fill_in(gpu->energy, gpu->table, values);
}
