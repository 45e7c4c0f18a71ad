/* SPDX-License-Identifier: MIT */
#include "output/analysis.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "configurations.h"
#include "memory/counters.h"
#include "output/output.h"
#include "tools.h"

/* The groups of streams that the paper's figures distinguish, in their order. */
enum group {
   GROUP_TEXTURE,
   GROUP_GEOMETRY,
   GROUP_PARAMETER_BUFFER,
   GROUP_FRAME_BUFFER,
   GROUP_PROGRAMS,
   GROUP_COUNT
};
static const char *const group_names[GROUP_COUNT] = {
   [GROUP_TEXTURE] = "texture",
   [GROUP_GEOMETRY] = "geometry",
   [GROUP_PARAMETER_BUFFER] = "parameter_buffer",
   [GROUP_FRAME_BUFFER] = "frame_buffer",
   [GROUP_PROGRAMS] = "programs",
};

static enum group
group_of(enum cm_stream stream)
{
   switch (stream) {
   case CM_STREAM_TEXTURE: return GROUP_TEXTURE;
   case CM_STREAM_VERTEX:
   case CM_STREAM_INDEX: return GROUP_GEOMETRY;
   case CM_STREAM_PB_LIST:
   case CM_STREAM_PB_ATTRIBUTE: return GROUP_PARAMETER_BUFFER;
   case CM_STREAM_SHADER:
   case CM_STREAM_CONSTANT:
   case CM_STREAM_DESCRIPTOR:
   case CM_STREAM_STORAGE: return GROUP_PROGRAMS;
   default: return GROUP_FRAME_BUFFER;
   }
}

unsigned
analysis_frames(const struct analysis *analysis)
{
   return analysis->last_frame - analysis->first_frame + 1 - analysis->warm_up;
}

static struct cm_reuse_counts
reuse_of(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   return cm_analysis_reuse(simulation->accesses, stream, analysis->warm_up,
                            analysis->last_frame - analysis->first_frame);
}

static struct cm_histogram
tiles_of(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   return cm_analysis_tiles(simulation->accesses, stream, analysis->warm_up,
                            analysis->last_frame - analysis->first_frame);
}

static uint64_t
counter(const struct simulated *simulation, enum cm_unit unit, enum cm_stream stream, int event)
{
   for (uint32_t c = 0; c < simulation->table->count; c++) {
      const struct cm_counter *candidate = &simulation->table->counters[c];
      if (candidate->unit == (int)unit && candidate->instance < 0 && candidate->stream == (int)stream &&
          candidate->event == event)
         return simulation->counters[c];
   }
   return 0; /* the stream does not reach the unit */
}

static uint64_t
memory_accesses_of(const struct simulated *simulation, enum cm_stream stream)
{
   return counter(simulation, CM_UNIT_DRAM, stream, CM_DRAM_EVENT_READS) +
          counter(simulation, CM_UNIT_DRAM, stream, CM_DRAM_EVENT_WRITES);
}

static uint64_t
misses_of(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream)
{
   if (analysis->point == CM_UNIT_DRAM)
      return 0;
   return counter(simulation, analysis->point, stream, CM_CACHE_EVENT_MISSES) +
          counter(simulation, analysis->point, stream, CM_CACHE_EVENT_BYPASSES);
}

/* ---- JSON ------------------------------------------------------------------------ */

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
   const struct cm_reuse_counts counts = reuse_of(analysis, simulation, stream);
   const struct cm_histogram tiles = tiles_of(analysis, simulation, stream);
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
      if (reuse_of(analysis, simulation, stream).accesses)
         json_object_set_new(streams, cm_stream_names[s], stream_json(analysis, simulation, stream));
      if (memory_accesses_of(simulation, stream))
         set_count(memory, cm_stream_names[s], memory_accesses_of(simulation, stream));
      if (misses_of(analysis, simulation, stream))
         set_count(misses, cm_stream_names[s], misses_of(analysis, simulation, stream));
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

/* ---- text ------------------------------------------------------------------------ */

/* What textures are read again, with the paper's III-D; distances are of Figure 5. */
static void
print_reuse(const struct analysis *analysis)
{
   json_t *reuse = json_array(), *distances = json_array();
   const unsigned frames = analysis_frames(analysis);
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      const struct cm_reuse_counts counts = reuse_of(analysis, simulation, CM_STREAM_TEXTURE);
      json_t *stream = stream_json(analysis, simulation, CM_STREAM_TEXTURE);
      json_array_append_new(reuse,
                            json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "traversal",
                                      simulation->traversal, "accesses/frame", ratio(counts.accesses, frames),
                                      "intra_ratio", ratio(counts.intra, counts.accesses), "inter_ratio",
                                      ratio(counts.inter, counts.accesses), "first_ratio",
                                      ratio(counts.first, counts.accesses), "footprint_bytes/frame",
                                      ratio(counts.blocks * analysis->block_bytes, frames), "inserted_ratio",
                                      ratio(counts.insertions, counts.blocks), "deleted_ratio",
                                      ratio(counts.deletions, counts.blocks)));
      json_array_append_new(distances, json_pack("{s:s, s:O}", "traversal", simulation->traversal, "iird",
                                                 json_object_get(stream, "iird")));
      json_decref(stream);
   }
   puts("\nblocks of textures");
   output_table(reuse, stdout);
   puts("\ninter-iteration reuse distances of textures, blocks of a set");
   output_table(distances, stdout);
}

/* Shares of the accesses by reuse distance, and of accesses to a set in a tile (Figures 6 to 8). */
static void
print_histograms(const struct analysis *analysis)
{
   json_t *rows = json_array();
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      const struct cm_reuse_counts counts = reuse_of(analysis, simulation, CM_STREAM_TEXTURE);
      const struct cm_histogram tiles = tiles_of(analysis, simulation, CM_STREAM_TEXTURE);
      uint64_t all_tiles = 0;
      for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++)
         all_tiles += tiles.bins[bin];
      for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
         const uint64_t intra = counts.intra_distances.bins[bin], inter = counts.inter_distances.bins[bin];
         if (intra || inter || tiles.bins[bin])
            json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "traversal",
                                                  simulation->traversal, "from",
                                                  (json_int_t)cm_histogram_first(bin), "to",
                                                  (json_int_t)cm_histogram_last(bin), "intra_ratio",
                                                  ratio(intra, counts.accesses), "inter_ratio",
                                                  ratio(inter, counts.accesses), "tile_ratio",
                                                  ratio(tiles.bins[bin], all_tiles)));
      }
   }
   puts("\nreuse distances in a set, within and between frames; accesses to a set in a tile");
   output_table(rows, stdout);
}

/* Misses of the point, or accesses to memory: the groups' shares, and all (Figures 1, 11 and 12). */
static void
print_traffic(const struct analysis *analysis, bool misses)
{
   json_t *rows = json_array();
   uint64_t forward = 0;
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      const struct simulated *simulation = &analysis->simulations[s];
      uint64_t groups[GROUP_COUNT] = {0}, total = 0;
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         const uint64_t count = misses ? misses_of(analysis, simulation, (enum cm_stream)stream)
                                       : memory_accesses_of(simulation, (enum cm_stream)stream);
         groups[group_of((enum cm_stream)stream)] += count;
         total += count;
      }
      json_t *row = json_pack("{s:s}", "traversal", simulation->traversal);
      for (unsigned group = 0; group < GROUP_COUNT; group++) {
         char *name = text("%s_share", group_names[group]);
         json_object_set_new(row, name, json_real(ratio(groups[group], total)));
         free(name);
      }
      forward = s == FORWARD ? total : forward;
      json_object_set_new(row, "blocks/frame", json_real(ratio(total, analysis_frames(analysis))));
      json_object_set_new(row, "change", forward ? json_real(ratio(total, forward) - 1) : json_null());
      json_array_append_new(rows, row);
   }
   printf("\n%s%s\n", misses ? "misses of " : "memory accesses",
          misses ? cm_unit_names[analysis->point] : "");
   output_table(rows, stdout);
}

void
analysis_print(const struct analysis *analysis)
{
   const struct cm_indexed_frame *frames = analysis->frames + analysis->first_frame;
   printf("%s: %u frames (%u-%u), after %u that filled the caches\n", analysis->file,
          analysis_frames(analysis), frames[analysis->warm_up].number,
          analysis->frames[analysis->last_frame].number, analysis->warm_up);
   printf("accesses to %s of %s, blocks of %u bytes; reuse distances in %u sets\n",
          cm_unit_names[analysis->point], analysis->simulations[FORWARD].config->name, analysis->block_bytes,
          analysis->sets);
   if (reuse_of(analysis, &analysis->simulations[FORWARD], CM_STREAM_TEXTURE).accesses) {
      print_reuse(analysis);
      print_histograms(analysis);
   } else {
      puts("\nno texture was read");
   }
   if (analysis->point != CM_UNIT_DRAM)
      print_traffic(analysis, true);
   print_traffic(analysis, false);
}
