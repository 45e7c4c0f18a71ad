/* SPDX-License-Identifier: MIT */
/* The results of `tbrsim analyze` as JSON and as tables of comma-separated values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/analysis.h"
#include "configurations.h"
#include "config/config.h"
#include "options.h"
#include "output/output.h"
#include "tools.h"

static void
set_count(json_t *object, const char *key, uint64_t count)
{
   json_object_set_new(object, key, json_integer((json_int_t)count));
}

static json_t *
histogram_json(const struct cm_histogram *histogram)
{
   json_t *array = json_array();
   for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
      if (histogram->bins[bin])
         json_array_append_new(array,
                               json_pack("{s:I, s:I, s:I}", "first", (json_int_t)cm_histogram_first(bin),
                                         "last", (json_int_t)cm_histogram_last(bin), "count",
                                         (json_int_t)histogram->bins[bin]));
   }
   return array;
}

static json_t *
stream_json(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   const struct cm_reuse_counts counts = analysis_reuse(analysis, simulation, stream);
   const struct cm_histogram tiles = analysis_tiles(analysis, simulation, stream);
   const double maximum = ratio(counts.sum_maximum, counts.reuses);
   json_t *iird =
      json_pack("{s:I, s:f, s:f, s:f, s:f}", "reuses", (json_int_t)counts.reuses, "maximum", maximum,
                "minimum", maximum / 2, "last_first", ratio(counts.sum_last_first, counts.reuses),
                "last_last", ratio(counts.sum_last_last, counts.reuses));
   return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:o, s:o, s:o, s:o}", "accesses",
                    (json_int_t)counts.accesses, "first", (json_int_t)counts.first, "intra",
                    (json_int_t)counts.intra, "inter", (json_int_t)counts.inter, "blocks",
                    (json_int_t)counts.blocks, "footprint_bytes_per_frame",
                    ratio(counts.blocks * analysis->block_bytes, analysis_frames(analysis)), "insertions",
                    (json_int_t)counts.insertions, "deletions", (json_int_t)counts.deletions, "iird", iird,
                    "intra_distances", histogram_json(&counts.intra_distances), "inter_distances",
                    histogram_json(&counts.inter_distances), "tile_accesses", histogram_json(&tiles));
}

static json_t *
simulation_json(const struct analysis *analysis, const struct simulated *simulation)
{
   json_t *object = json_object(), *streams = json_object();
   json_t *memory = json_object(), *misses = json_object();
   for (unsigned s = 0; s < CM_STREAM_COUNT; s++) {
      const enum cm_stream stream = (enum cm_stream)s;
      if (analysis_reuse(analysis, simulation, stream).accesses)
         json_object_set_new(streams, cm_stream_names[s], stream_json(analysis, simulation, stream));
      if (analysis_memory_accesses(simulation, stream))
         set_count(memory, cm_stream_names[s], analysis_memory_accesses(simulation, stream));
      if (analysis_misses(analysis, simulation, stream))
         set_count(misses, cm_stream_names[s], analysis_misses(analysis, simulation, stream));
   }
   json_object_set_new(object, "streams", streams);
   if (analysis->point != CM_UNIT_DRAM)
      json_object_set(object, "misses", misses);
   json_decref(misses);
   json_object_set_new(object, "memory_accesses", memory);
   json_object_set_new(object, "config", config_json(simulation->config));
   return object;
}

static json_t *
analysis_json(const struct analysis *analysis)
{
   json_t *simulations = json_object();
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      json_object_set_new(simulations, simulation->traversal, simulation_json(analysis, simulation));
   }
   return json_pack("{s:o, s:o, s:i, s:i, s:i, s:o, s:s, s:i, s:i, s:o}", "file", output_text(analysis->file),
                    "run", output_run(analysis->file), "first_frame",
                    analysis->frames[analysis->first_frame + analysis->warm_up].number, "last_frame",
                    analysis->frames[analysis->last_frame].number, "frames", analysis_frames(analysis),
                    "preset", output_text(analysis->simulations[FORWARD].config->name), "point",
                    cm_unit_names[analysis->point], "block_bytes", analysis->block_bytes, "sets",
                    analysis->sets, "simulations", simulations);
}

void
analysis_print_json(const struct analysis *analysis, FILE *file)
{
   output_json(analysis_json(analysis), 1, file);
}

/* ---- tables ------------------------------------------------------------ */

static void
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
}

static void
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
}

static void
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
}

void
analysis_write(const struct analysis *analysis, const char *directory)
{
   static const struct {
      const char *name;
      void (*write)(const struct analysis *analysis, FILE *file);
   } files[] = {
      {"analysis.json", analysis_print_json},
      {"streams.csv", write_streams},
      {"histograms.csv", write_histograms},
      {"traffic.csv", write_traffic},
   };
   for (unsigned f = 0; f < sizeof files / sizeof files[0]; f++) {
      char *path = text("%s/%s", directory, files[f].name);
      FILE *file = options_open_output(path);
      files[f].write(analysis, file);
      options_close_output(file, path);
      free(path);
   }
}
