/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_config.h"

#include <stdio.h>

#include "dram/dram_system.h"
#include "energy/energy.h"
#include "events/event_stream.h"
#include "events/pixel_kill.h"
#include "events/tile_content.h"
#include "gpu/compression.h"
#include "gpu/hiz_buffer.h"
#include "memory/hierarchy.h"
#include "texture/access.h"
#include "texture/bus.h"
#include "texture/nuca.h"
#include "texture/placement.h"
#include "timing/timing.h"

static bool
check_scheduler(const struct cm_config *config, struct cm_config_problem *problem)
{
   const enum cm_scheduler scheduler = config->fragment_stage.scheduler;
   const uint32_t processors = config->fragment_stage.processors, side = config->tile.size / 2;
   cm_config_about(problem, "fragment_stage.scheduler");
   if (scheduler >= CM_SCHEDULER_SUB_TILE && config->mode == CM_MODE_IMR)
      return cm_config_wrong(problem, "by tiles, which mode imr has not, expected another one");
   if (scheduler >= CM_SCHEDULER_INTERLEAVED && processors > side)
      return cm_config_wrong(problem,
                             "by rows or columns, but a tile has %u of quads for %u processors, expected "
                             "sub-tile or quad-block",
                             side, processors);
   return config->fragment_stage.assignment == CM_ASSIGNMENT_CONSTANT ||
          (cm_config_places_quads(config) && config->mode != CM_MODE_IMR) ||
          cm_config_wrong(cm_config_about(problem, "fragment_stage.assignment"),
                          "mirrored, but quads do not go by their position in the tile, expected constant");
}

static bool
check_pixel_kill(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!CM_KEY_IN_RANGE(problem, config, fragment_stage.pixel_kill, 0, CM_MOST_WAITING_QUADS))
      return false;
   return !config->fragment_stage.pixel_kill || config->mode == CM_MODE_TBR ||
          cm_config_wrong(cm_config_about(problem, "fragment_stage.pixel_kill"),
                          "%u, but mode %s has none, expected 0 or mode: tbr",
                          config->fragment_stage.pixel_kill, cm_mode_names[config->mode]);
}

static bool
check_quad_order(const struct cm_config *config, struct cm_config_problem *problem)
{
   return config->fragment_stage.quad_order == CM_SHADING_ORDER_BLOCKS || config->mode == CM_MODE_TBDR ||
          cm_config_wrong(cm_config_about(problem, "fragment_stage.quad_order"),
                          "draws, which mode %s has anyway, expected blocks or mode: tbdr",
                          cm_mode_names[config->mode]);
}

/* Four times what AMD's have for an image with its mask (docs/vulkan.md). */
#define MOST_DESCRIPTOR_BYTES 256

/* Keys that no module below checks. */
static bool
check_gpu(const struct cm_config *config, struct cm_config_problem *problem)
{
   return CM_KEY_IN_RANGE(problem, config, clock_mhz, 1, 100000) &&
          CM_KEY_IN_RANGE(problem, config, threads, 0, 256) &&
          CM_KEY_POWER_OF_TWO(problem, config, tile.size, 8, 64) &&
          CM_KEY_IN_RANGE(problem, config, parameter_buffer.attribute_blocks, 64, 1u << 24) &&
          CM_KEY_IN_RANGE(problem, config, vertex_stage.reuse_entries, 0, 1024) &&
          CM_KEY_IN_RANGE(problem, config, primitive_assembly.guard_band, 0, CM_MAX_GUARD_BAND) &&
          CM_KEY_IN_RANGE(problem, config, primitive_assembly.guard_band_percent, 0, UINT16_MAX - 1) &&
          CM_KEY_IN_RANGE(problem, config, fragment_stage.processors, 1, 64) &&
          (!config->load_store.lanes || CM_KEY_POWER_OF_TWO(problem, config, load_store.lanes, 4, 16)) &&
          CM_KEY_IN_RANGE(problem, config, load_store.block_cycles, 0, 1000) &&
          CM_KEY_IN_RANGE(problem, config, load_store.mshrs, 0, 256) &&
          CM_KEY_IN_RANGE(problem, config, descriptors.resource_bytes, 0, MOST_DESCRIPTOR_BYTES) &&
          CM_KEY_IN_RANGE(problem, config, descriptors.sampler_bytes, 0, MOST_DESCRIPTOR_BYTES) &&
          CM_KEY_IN_RANGE(problem, config, compute_stage.invocations, 0, 4096) &&
          check_scheduler(config, problem) && check_pixel_kill(config, problem) &&
          check_quad_order(config, problem);
}

#define CHECK_RANGE(key, low, high)                       \
   if (!CM_KEY_IN_RANGE(problem, config, key, low, high)) \
      return false;

static bool
check_elimination_keys(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->frame.buffers)
      CHECK_RANGE(frame.buffers, 1, CM_EARLIER_FRAMES)
   if (cm_config_has_transaction_elimination(config)) {
#define CHECK(member, low, high, description) CHECK_RANGE(transaction_elimination.member, low, high)
      CM_TRANSACTION_ELIMINATION_KEYS(CHECK)
#undef CHECK
      if (!CM_KEY_POWER_OF_TWO(problem, config, transaction_elimination.signature_bytes, 1, 64))
         return false;
   }
   if (cm_config_has_rendering_elimination(config)) {
#define CHECK(member, low, high, description) CHECK_RANGE(rendering_elimination.member, low, high)
      CM_RENDERING_ELIMINATION_KEYS(CHECK)
#undef CHECK
   }
   return true;
}

/* What is known of pixels is known by groups. */
static bool
check_elimination(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!check_elimination_keys(config, problem))
      return false;
   const bool of_stores = cm_config_has_transaction_elimination(config);
   if (!of_stores && !cm_config_has_rendering_elimination(config))
      return true;
   cm_config_about(problem, of_stores ? "transaction_elimination" : "rendering_elimination");
   if (config->mode == CM_MODE_IMR)
      return cm_config_wrong(problem, "of tiles, which mode imr has not, expected no such mapping");
   if (!config->frame.buffers)
      return cm_config_wrong(cm_config_about(problem, "frame.buffers"),
                             "missing, but there is elimination, expected 1 to %d", CM_EARLIER_FRAMES);
   return !of_stores || config->tile.size >= CM_GROUP_SIZE ||
          cm_config_wrong(cm_config_about(problem, "tile.size"),
                          "%u, but there is transaction_elimination, expected at least %d", config->tile.size,
                          CM_GROUP_SIZE);
}

/* Passes that overlap: nothing may ask until when blocks of the Parameter Buffer are read, or of which pass an access is. */
static bool
check_written(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!CM_KEY_IN_RANGE(problem, config, parameter_buffer.buffers, 0, 2))
      return false;
   if (config->parameter_buffer.written == CM_PB_BEFORE_TILES)
      return true;
   if (config->parameter_buffer.buffers == 1)
      return cm_config_wrong(cm_config_about(problem, "parameter_buffer.buffers"),
                             "1, but passes overlap (parameter_buffer.written), expected 2");
   cm_config_about(problem, "parameter_buffer.written");
#define CANNOT(condition, what) \
   if (condition)               \
      return cm_config_wrong(problem, "among-tiles, but " what ", expected before-tiles");
   CANNOT(config->mode == CM_MODE_IMR, "mode imr has neither")
   CANNOT(config->timing == CM_TIMING_ON, "the timing runs passes one after another")
   CANNOT(cm_config_attributes(config), "what is attributed is of one pass at a time")
   CANNOT(config->primitive_buffer.lines, "the primitive_buffer has the primitives of one pass")
   CANNOT(config->parameter_buffer.attributes != CM_PB_ATTRIBUTES_PRIMITIVES,
          "parameter_buffer.attributes are not those of primitives")
   CANNOT(config->parameter_buffer.pass_end != CM_PASS_END_KEEP,
          "parameter_buffer.pass_end would empty caches of another pass' blocks")
   CANNOT(cm_config_shades_by_tile(config), "tiles shade their vertices")
   CANNOT(cm_config_wants_contents(config), "contents of tiles are compared or compressed pass by pass")
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      CANNOT(config->caches[unit].size && cm_policy_needs_liveness(config->caches[unit].policy),
             "a cache's policy asks until when blocks are read")
   }
#undef CANNOT
   return true;
}

/* Bytes of the blocks of a stream's first unit. */
static uint32_t
block_of(const struct cm_config *config, enum cm_stream stream)
{
   const enum cm_unit unit = config->streams[stream];
   return unit == CM_UNIT_DRAM ? 1u << CM_DRAM_BLOCK_SHIFT : config->caches[unit].block;
}

static bool
check_hiz(const struct cm_config *config, struct cm_config_problem *problem)
{
   return config->mode != CM_MODE_IMR || !config->immediate.hiz_bytes ||
          CM_KEY_POWER_OF_TWO(problem, config, immediate.hiz_bytes, 4, 16);
}

/* Depth and stencil may share blocks, and then their bits; HiZ is laid out in blocks of its own size. */
static bool
check_fast_clears(const struct cm_config *config, struct cm_config_problem *problem)
{
   cm_config_about(problem, "immediate.clears");
   if (config->mode != CM_MODE_IMR || config->immediate.clears != CM_CLEARS_FAST)
      return true;
   if (block_of(config, CM_STREAM_DEPTH) != block_of(config, CM_STREAM_STENCIL))
      return cm_config_wrong(problem, "fast, but blocks of depth and of stencil differ, expected memory");
   return block_of(config, CM_STREAM_HIZ) == CM_HIZ_BLOCK_BYTES ||
          cm_config_wrong(problem, "fast, but blocks of HiZ are not of %u bytes, expected memory",
                          (unsigned)CM_HIZ_BLOCK_BYTES);
}

/* Whether there is a number for each cache's latency where it is needed. */
static bool
check_latencies(const struct cm_config *config, struct cm_config_problem *problem)
{
   char message[200];
   uint32_t cycles;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!config->caches[unit].size || config->caches[unit].latency != CM_LATENCY_AUTO)
         continue;
      cm_config_about(problem, "caches.%s.latency", cm_unit_names[unit]);
      if (unit != CM_UNIT_L2)
         return cm_config_wrong(problem, "auto, which only the l2 can have, expected a whole number");
      if (config->timing == CM_TIMING_ON && !cm_energy_find_latency(config, &cycles, message, sizeof message))
         return cm_config_wrong(problem, "auto, but %s; or a whole number", message);
   }
   return true;
}

/* Each module checks its own keys. Those of caches are checked before those of their users. */
static bool
check(const struct cm_config *config, struct cm_config_problem *problem)
{
   return check_gpu(config, problem) && check_elimination(config, problem) &&
          check_written(config, problem) && cm_placement_config_check(config, problem) &&
          cm_memory_config_check(config, problem) && check_hiz(config, problem) &&
          check_fast_clears(config, problem) && cm_compression_config_check(config, problem) &&
          cm_texture_access_config_check(config, problem) && cm_nuca_config_check(config, problem) &&
          cm_texture_bus_config_check(config, problem) && cm_energy_config_check(config, problem) &&
          check_latencies(config, problem) && cm_dram_config_check(config, problem) &&
          cm_timing_config_check(config, problem);
}

bool
cm_config_validate(const struct cm_config *config, char *error, size_t error_size)
{
   struct cm_config_problem problem;
   if (check(config, &problem))
      return true;
   snprintf(error, error_size, "%s: %s", problem.key, problem.message);
   return false;
}

struct cm_config *
cm_config_load(const char *name_or_path, const char *presets_dir, char *error, size_t error_size)
{
   return cm_config_read(name_or_path, presets_dir, check, error, error_size);
}

struct cm_config *
cm_config_parse(const char *text, const char *source, const char *name, char *error, size_t error_size)
{
   return cm_config_read_text(text, source, name, check, error, error_size);
}

bool
cm_config_wants_contents(const struct cm_config *config)
{
   return cm_config_has_transaction_elimination(config) || cm_config_has_rendering_elimination(config) ||
          config->framebuffer_compression.mode != CM_COMPRESSION_NONE;
}

bool
cm_config_list_presets(const char *presets_dir,
                       void (*found)(const char *name, const char *description, void *context), void *context,
                       char *error, size_t error_size)
{
   return cm_config_read_presets(presets_dir, check, found, context, error, error_size);
}
