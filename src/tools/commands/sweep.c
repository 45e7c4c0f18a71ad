/* SPDX-License-Identifier: MIT */
#include "commands/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "commands/cache_feed.h"
#include "input/session.h"
#include "memory/hierarchy.h"
#include "output/output.h"
#include "output/sweep_report.h"
#include "tools.h"

#define ALL_STREAMS ((1u << CM_STREAM_COUNT) - 1)
#define PARAMETER_BUFFER_STREAMS (1u << CM_STREAM_PB_LIST | 1u << CM_STREAM_PB_ATTRIBUTE)

/* The accesses as a simulation has them at one of its units. */
struct source {
   enum cm_unit unit;
   uint32_t streams;
   uint32_t block; /* bytes of what arrives */
   bool is_parameter_buffer;
   struct cm_cache_config base; /* of the points */
};

/* ---- accesses ---------------------------------------------------------------- */

/* A cache of its own for these streams alone, whatever the configuration's caches. No timing: it knows the pipeline's
 * caches only. */
static struct source
isolate_streams(struct cm_config *config, uint32_t streams, uint32_t block)
{
   struct source source = {.unit = CM_UNIT_TILE_CACHE, .block = block, .streams = streams};
   source.is_parameter_buffer = !(source.streams & ~PARAMETER_BUFFER_STREAMS);

   config->timing = CM_TIMING_OFF;
   memset(config->caches, 0, sizeof(config->caches));
   memset(&config->texture_access, 0, sizeof(config->texture_access));
   config->nuca.organisation = CM_NUCA_NONE;
   config->texture_bus = (struct cm_texture_bus_config){0};
   config->primitive_buffer.lines = 0;
   config->caches[source.unit] = cache_feed_perfect(block, 1);
   config->caches[CM_UNIT_L2] = cache_feed_perfect(1u << CM_DRAM_BLOCK_SHIFT, 1);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      config->streams[stream] = source.streams >> stream & 1 ? source.unit : CM_UNIT_L2;
   return source;
}

/* Whether of these streams only the Parameter Buffer arrives at a unit, and from no other stream. */
static bool
has_parameter_buffer_alone(const struct cm_config *config, enum cm_unit unit, uint32_t streams)
{
   bool any = false;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (!(streams >> stream & 1) || !cm_stream_reaches(config, (enum cm_stream)stream, unit))
         continue;
      if (config->streams[stream] != unit || !(PARAMETER_BUFFER_STREAMS >> stream & 1))
         return false;
      any = true;
   }
   return any;
}

/* The accesses that arrive at a unit do not depend on its policy. */
static struct source
find_point(const struct configuration *configuration, enum cm_unit unit, uint32_t streams)
{
   struct cm_config *config = configuration->config;
   struct source source = {.unit = unit, .streams = streams};
   for (unsigned stream = 0; streams != ALL_STREAMS && stream < CM_STREAM_COUNT; stream++) {
      if (streams >> stream & 1 && !cm_stream_reaches(config, (enum cm_stream)stream, unit))
         fail(STATUS_USAGE, "--unit %s: %s does not arrive there in %s", cm_unit_names[unit],
              cm_stream_names[stream], configuration->name);
   }
   source.is_parameter_buffer = has_parameter_buffer_alone(config, unit, streams);
   if (unit == CM_UNIT_DRAM) {
      source.block = 1u << CM_DRAM_BLOCK_SHIFT;
      return source;
   }
   struct cm_cache_config *cache = &config->caches[unit];
   if (!cache->size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[unit], configuration->name);
   source.base = *cache;
   source.block = cache->block;
   memset(&config->texture_access, 0, sizeof(config->texture_access));
   if (unit == CM_UNIT_ATTRIBUTE_CACHE)
      config->primitive_buffer.lines = 0;
   if (unit == CM_UNIT_TEXTURE_CACHE)
      config->nuca.organisation = CM_NUCA_NONE;
   *cache = cache_feed_perfect(cache->block, cache->instances);
   return source;
}

/* The cache before memory that others have before them; the only one there is. */
static enum cm_unit
find_last_level(const struct configuration *configuration)
{
   const struct cm_config *config = configuration->config;
   enum cm_unit found = CM_UNIT_DRAM;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!config->caches[unit].size || config->caches[unit].next != CM_UNIT_DRAM)
         continue;
      if (found != CM_UNIT_DRAM)
         fail(STATUS_USAGE, "%s: both %s and %s are before memory; choose with --unit", configuration->name,
              cm_unit_names[found], cm_unit_names[unit]);
      found = (enum cm_unit)unit;
   }
   if (found == CM_UNIT_DRAM)
      fail(STATUS_USAGE, "%s: no cache is before memory", configuration->name);
   return found;
}

/* The cache that --unit names, or else the one before memory, with all its keys. */
static struct source
find_cache(const struct sweep_request *request, const struct configuration *configuration)
{
   const struct cm_config *config = configuration->config;
   const enum cm_unit unit =
      request->caches.unit ? options_unit(request->caches.unit) : find_last_level(configuration);
   if (unit == CM_UNIT_DRAM || !config->caches[unit].size)
      fail(STATUS_USAGE, "--unit %s: %s has no such cache", cm_unit_names[unit], configuration->name);
   if (config->caches[unit].next != CM_UNIT_DRAM)
      fail(STATUS_USAGE, "--unit %s: not the last cache before memory; %s comes after it",
           cm_unit_names[unit], cm_unit_names[config->caches[unit].next]);
   if (config->caches[unit].instances != 1)
      fail(STATUS_USAGE, "--unit %s: %s has %u of it, expected one", cm_unit_names[unit], configuration->name,
           config->caches[unit].instances);
   struct source source = find_point(configuration, unit, ALL_STREAMS);
   source.is_parameter_buffer = false; /* no pass is looked at by itself */
   return source;
}

/* The streams or the unit, and a cache of blocks that are at least those that arrive. */
static struct source
find_source(const struct sweep_request *request, const struct configuration *configuration)
{
   const struct cache_selection *caches = &request->caches;
   if (request->options.by_stream)
      return find_cache(request, configuration);
   uint32_t block = cache_points_block(caches->block);
   const uint32_t streams = caches->streams ? cache_points_streams(caches->streams) : ALL_STREAMS;
   struct source source = caches->unit ? find_point(configuration, options_unit(caches->unit), streams)
                                       : isolate_streams(configuration->config, streams, block);
   block = caches->block ? block : source.block;
   if (block < source.block)
      fail(STATUS_USAGE, "--block %u: blocks of %u bytes arrive at %s, expected at least that", block,
           source.block, caches->unit);
   source.base = (struct cm_cache_config){.block = block, .instances = 1, .index = caches->index};
   return source;
}

static const char *
name_of_accesses(const struct sweep_request *request, const struct source *source)
{
   const struct cache_selection *caches = &request->caches;
   return request->primitives               ? "pb_attribute, primitives"
          : caches->streams && caches->unit ? text("%s at %s", caches->streams, caches->unit)
          : caches->streams                 ? caches->streams
                                            : cm_unit_names[source->unit];
}

/* ---- recordings ---------------------------------------------------------------- */

static void
report_on(const struct sweep_request *request, const struct sweep_report *report, json_t *answers, FILE *file)
{
   switch (request->format) {
   case OUTPUT_JSON: json_array_append_new(answers, sweep_report_json(report)); break;
   case OUTPUT_CSV: sweep_report_rows(report, answers); break;
   default: sweep_report_table(report, file); break;
   }
}

/* Ends where a selected frame was not simulated, which has been said: counts of the others would look like those of all. */
static void
require_all_frames(struct session *session)
{
   const struct simulations *simulations = &session->simulations;
   const struct simulation *simulation = &simulations->list[0];
   session_check(session);
   if (simulation->failed || simulation->frames != simulations->last_frame - simulations->first_frame + 1)
      exit(STATUS_FAILED);
}

/* False where something of the recording was lost. */
static bool
sweep_recording(const struct sweep_request *request, const char *path, json_t *answers, FILE *file)
{
   struct session session = session_open_accesses(path, &request->frames, &request->configurations);
   const struct configuration *configuration = &session.configurations.list[0];
   configuration->config->parameter_buffer.whole_primitives = request->primitives;
   const struct source source = find_source(request, configuration);
   const struct cache_points points = cache_points_make(&request->caches, &source.base, request->uncached);
   struct cm_sweep_options options = request->options;
   options.bounded = source.is_parameter_buffer;
   options.warm_up = request->frames.warm_up;
   struct cache_feed feed = {
      .sweep = cm_sweep_create(points.list, points.count, &options),
      .empty_each_pass = source.is_parameter_buffer,
      .empty_each_frame = options.cold_frames,
   };
   if (!feed.sweep)
      fail(STATUS_FAILED, "out of memory for %u caches", points.count);
   const struct recorded_accesses accesses = {
      .unit = source.unit,
      .unit_block_shift = (unsigned)__builtin_ctz(source.block),
      .block_shift = (unsigned)__builtin_ctz(source.base.block),
      .streams = source.streams,
   };
   const bool ok = cache_feed_recording(&feed, &accesses, request->jobs, &session.simulations, configuration);
   require_all_frames(&session);
   const struct sweep_report report = {
      .file = path,
      .configuration = configuration->name,
      .accesses = name_of_accesses(request, &source),
      .first_frame = session_frame_number(&session, session.simulations.first_frame),
      .last_frame = session_frame_number(&session, session.simulations.last_frame),
      .block_bytes = source.base.block,
      .index = source.base.index,
      .empty_each_pass = source.is_parameter_buffer,
      .options = &options,
      .points = &points,
      .sweep = feed.sweep,
   };
   report_on(request, &report, answers, file);
   cm_sweep_destroy(feed.sweep);
   session_close(&session);
   return ok;
}

int
sweep_recordings(struct sweep_request *request)
{
   FILE *file = options_open_output(request->out);
   json_t *answers = json_array();
   bool ok = true;
   for (unsigned r = 0; r < request->recordings.count; r++) {
      if (r && request->format == OUTPUT_TABLE)
         putc('\n', file);
      ok &= sweep_recording(request, request->recordings.list[r], answers, file);
   }
   if (request->format == OUTPUT_CSV)
      output_csv(answers, file);
   else if (request->format == OUTPUT_JSON)
      output_json(request->options.by_stream ? json_pack("{s:o}", "recordings", answers)
                                             : json_incref(json_array_get(answers, 0)),
                  1, file);
   options_close_output(file, request->out);
   return ok ? STATUS_OK : STATUS_FAILED;
}
