/* SPDX-License-Identifier: MIT */
/* The results of `tbrsim analyze` as JSON and as tables of comma-separated values. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "configurations.h"
#include "config/config.h"
#include "tools.h"

/* Takes over value. */
static void
set(json_t *object, const char *key, json_t *value)
{
   if (json_object_set_new(object, key, value))
      fail(STATUS_FAILED, "out of memory");
}

static void
set_count(json_t *object, const char *key, uint64_t count)
{
   set(object, key, json_integer((json_int_t)count));
}

static void
set_average(json_t *object, const char *key, double sum, uint64_t count)
{
   set(object, key, json_real(count ? sum / (double)count : 0));
}

static json_t *
histogram_json(const struct cm_histogram *histogram)
{
   json_t *array = json_array();
   for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
      if (!histogram->bins[bin])
         continue;
      json_t *entry = json_object();
      set_count(entry, "first", cm_histogram_first(bin));
      set_count(entry, "last", cm_histogram_last(bin));
      set_count(entry, "count", histogram->bins[bin]);
      json_array_append_new(array, entry);
   }
   return array;
}

static json_t *
stream_json(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   const struct cm_reuse_counts counts = analysis_reuse(analysis, simulation, stream);
   const struct cm_histogram tiles = analysis_tiles(analysis, simulation, stream);
   const unsigned frames = analysis_frames(analysis);
   json_t *object = json_object(), *iird = json_object();
   set_count(object, "accesses", counts.accesses);
   set_count(object, "first", counts.first);
   set_count(object, "intra", counts.intra);
   set_count(object, "inter", counts.inter);
   set_count(object, "blocks", counts.blocks);
   set_average(object, "footprint_bytes_per_frame", (double)counts.blocks * analysis->block_bytes, frames);
   set_count(object, "insertions", counts.insertions);
   set_count(object, "deletions", counts.deletions);
   set_count(iird, "reuses", counts.reuses);
   set_average(iird, "maximum", (double)counts.sum_maximum, counts.reuses);
   set_average(iird, "minimum", (double)counts.sum_maximum / 2, counts.reuses);
   set_average(iird, "last_first", (double)counts.sum_last_first, counts.reuses);
   set_average(iird, "last_last", (double)counts.sum_last_last, counts.reuses);
   set(object, "iird", iird);
   set(object, "intra_distances", histogram_json(&counts.intra_distances));
   set(object, "inter_distances", histogram_json(&counts.inter_distances));
   set(object, "tile_accesses", histogram_json(&tiles));
   return object;
}

static json_t *
simulation_json(const struct analysis *analysis, const struct simulated *simulation)
{
   json_t *object = json_object(), *streams = json_object();
   json_t *memory = json_object(), *misses = json_object();
   for (unsigned s = 0; s < CM_STREAM_COUNT; s++) {
      const enum cm_stream stream = (enum cm_stream)s;
      if (analysis_reuse(analysis, simulation, stream).accesses)
         set(streams, cm_stream_names[s], stream_json(analysis, simulation, stream));
      if (analysis_memory_accesses(simulation, stream))
         set_count(memory, cm_stream_names[s], analysis_memory_accesses(simulation, stream));
      if (analysis_misses(analysis, simulation, stream))
         set_count(misses, cm_stream_names[s], analysis_misses(analysis, simulation, stream));
   }
   set(object, "streams", streams);
   if (analysis->point != CM_UNIT_DRAM)
      set(object, "misses", misses);
   else
      json_decref(misses);
   set(object, "memory_accesses", memory);
   set(object, "config", config_json(simulation->config));
   return object;
}

static json_t *
analysis_json(const struct analysis *analysis)
{
   json_t *object = json_object(), *simulations = json_object();
   set(object, "file", json_string(analysis->file));
   set_count(object, "first_frame", analysis->frames[analysis->first_frame + analysis->warm_up].number);
   set_count(object, "last_frame", analysis->frames[analysis->last_frame].number);
   set_count(object, "frames", analysis_frames(analysis));
   set(object, "preset", json_string(analysis->simulations[FORWARD].config->name));
   set(object, "point", json_string(cm_unit_names[analysis->point]));
   set_count(object, "block_bytes", analysis->block_bytes);
   set_count(object, "sets", analysis->sets);
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      set(simulations, simulation->traversal, simulation_json(analysis, simulation));
   }
   set(object, "simulations", simulations);
   return object;
}

static bool
write_json(const struct analysis *analysis, FILE *file)
{
   json_t *object = analysis_json(analysis);
   const bool fine = !json_dumpf(object, file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
   json_decref(object);
   return putc('\n', file) != EOF && fine;
}

void
analysis_print_json(const struct analysis *analysis)
{
   if (!write_json(analysis, stdout) || fflush(stdout))
      fail(STATUS_FAILED, "standard output: %s", strerror(errno));
}

/* ---- tables ------------------------------------------------------------ */

static bool
write_streams(const struct analysis *analysis, FILE *file)
{
   fputs("traversal,stream,frame,accesses,first,intra,inter,blocks,insertions,deletions,"
         "iird_reuses,iird_sum_maximum,iird_sum_last_first,iird_sum_last_last\n",
         file);
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         for (unsigned frame = 0; frame <= analysis->last_frame - analysis->first_frame; frame++) {
            const struct cm_reuse_counts counts =
               cm_analysis_reuse(simulation->accesses, (enum cm_stream)stream, frame, frame);
            const uint64_t values[] = {counts.accesses,       counts.first,        counts.intra,
                                       counts.inter,          counts.blocks,       counts.insertions,
                                       counts.deletions,      counts.reuses,       counts.sum_maximum,
                                       counts.sum_last_first, counts.sum_last_last};
            fprintf(file, "%s,%s,%u", simulation->traversal, cm_stream_names[stream],
                    analysis->frames[analysis->first_frame + frame].number);
            for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++)
               fprintf(file, ",%" PRIu64, values[v]);
            putc('\n', file);
         }
      }
   }
   return !ferror(file);
}

static bool
write_histograms(const struct analysis *analysis, FILE *file)
{
   fputs("traversal,stream,first,last,intra_distances,inter_distances,tile_accesses\n", file);
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         const struct cm_reuse_counts counts = analysis_reuse(analysis, simulation, (enum cm_stream)stream);
         const struct cm_histogram tiles = analysis_tiles(analysis, simulation, (enum cm_stream)stream);
         for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
            const uint64_t intra = counts.intra_distances.bins[bin], inter = counts.inter_distances.bins[bin];
            if (intra || inter || tiles.bins[bin])
               fprintf(file, "%s,%s,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", simulation->traversal,
                       cm_stream_names[stream], cm_histogram_first(bin), cm_histogram_last(bin), intra, inter,
                       tiles.bins[bin]);
         }
      }
   }
   return !ferror(file);
}

static bool
write_traffic(const struct analysis *analysis, FILE *file)
{
   fputs("traversal,stream,group,misses,memory_accesses\n", file);
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
         fprintf(file, "%s,%s,%s,%" PRIu64 ",%" PRIu64 "\n", simulation->traversal, cm_stream_names[stream],
                 group_names[group_of((enum cm_stream)stream)],
                 analysis_misses(analysis, simulation, (enum cm_stream)stream),
                 analysis_memory_accesses(simulation, (enum cm_stream)stream));
   }
   return !ferror(file);
}

void
analysis_write(const struct analysis *analysis, const char *directory)
{
   static const struct {
      const char *name;
      bool (*write)(const struct analysis *analysis, FILE *file);
   } files[] = {
      {"analysis.json", write_json},
      {"streams.csv", write_streams},
      {"histograms.csv", write_histograms},
      {"traffic.csv", write_traffic},
   };
   for (unsigned f = 0; f < sizeof files / sizeof files[0]; f++) {
      char *path = text("%s/%s", directory, files[f].name);
      FILE *file = fopen(path, "we");
      bool fine = file && files[f].write(analysis, file);
      if (file && fclose(file))
         fine = false;
      if (!fine)
         fail(STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
      free(path);
   }
}
