/* SPDX-License-Identifier: MIT */
/* The report of `tbrsim analyze`. */
#include <stdio.h>

#include "output/analysis.h"
#include "config/config.h"
#include "tools.h"

static double
share(uint64_t part, uint64_t all)
{
   return all ? 100.0 * (double)part / (double)all : 0;
}

/* How much less b is than a, in per cent. */
static double
decrease(uint64_t a, uint64_t b)
{
   return a ? 100.0 * ((double)a - (double)b) / (double)a : 0;
}

static void
print_heading(const char *title)
{
   printf("\n%-46s  %12s  %15s\n", title, "forward", "boustrophedonic");
}

static void
print_numbers(const char *name, const char *unit, int digits, double forward, double boustrophedonic)
{
   printf("  %-44s  %12.*f  %15.*f %s\n", name, digits, forward, digits, boustrophedonic, unit);
}

static void
print_textures(const struct analysis *analysis, const struct cm_reuse_counts *forward,
               const struct cm_reuse_counts *boustrophedonic)
{
   const struct cm_reuse_counts *const f = forward, *const b = boustrophedonic;
   const unsigned frames = analysis_frames(analysis);
   const double mebibyte = 1024.0 * 1024.0 / analysis->block_bytes;
   print_heading("textures");
   print_numbers("accesses a frame", "", 0, ratio(f->accesses, frames), ratio(b->accesses, frames));
   print_numbers("intra-frame reuses (paper: 55 %)", "%", 1, share(f->intra, f->accesses),
                 share(b->intra, b->accesses));
   print_numbers("inter-frame reuses (paper: 44 %)", "%", 1, share(f->inter, f->accesses),
                 share(b->inter, b->accesses));
   print_numbers("first accesses (paper: 1 %)", "%", 1, share(f->first, f->accesses),
                 share(b->first, b->accesses));
   print_numbers("footprint a frame (Table I)", "MiB", 2, ratio(f->blocks, frames) / mebibyte,
                 ratio(b->blocks, frames) / mebibyte);
   print_numbers("blocks inserted from frame to frame (III-D)", "%", 1, share(f->insertions, f->blocks),
                 share(b->insertions, b->blocks));
   print_numbers("blocks deleted from frame to frame (III-D)", "%", 1, share(f->deletions, f->blocks),
                 share(b->deletions, b->blocks));
}

static void
print_iird(const struct cm_reuse_counts *forward, const struct cm_reuse_counts *boustrophedonic)
{
   const double maximum = ratio(forward->sum_maximum, forward->reuses);
   const struct {
      const char *name;
      double value;
   } rows[] = {
      {"maximum, s - 1", maximum},
      {"last-first FO", ratio(forward->sum_last_first, forward->reuses)},
      {"last-last FO", ratio(forward->sum_last_last, forward->reuses)},
      {"minimum, (s - 1) / 2", maximum / 2},
      {"last-first RO", ratio(boustrophedonic->sum_last_first, boustrophedonic->reuses)},
   };
   puts("\ninter-iteration reuse distances of textures, blocks of a set (Figure 5)");
   for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
      printf("  %-44s  %12.2f\n", rows[r].name, rows[r].value);
}

static void
print_bin(unsigned bin)
{
   if (cm_histogram_first(bin) == cm_histogram_last(bin))
      printf("  %-21u", cm_histogram_first(bin));
   else
      printf("  %9u - %-9u", cm_histogram_first(bin), cm_histogram_last(bin));
}

static void
print_distances(const struct cm_reuse_counts *const counts[NUM_SIMULATIONS])
{
   printf("\n%-23s  %29s  %29s\n", "reuse distances in a set", "intra-frame (Figure 6)",
          "inter-frame (Figure 7)");
   printf("  %-21s  %12s  %15s  %12s  %15s\n", "% of the accesses", "forward", "boustrophedonic", "forward",
          "boustrophedonic");
   for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
      double shares[4];
      bool any = false;
      for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
         shares[s] = share(counts[s]->intra_distances.bins[bin], counts[s]->accesses);
         shares[2 + s] = share(counts[s]->inter_distances.bins[bin], counts[s]->accesses);
         any |= shares[s] > 0 || shares[2 + s] > 0;
      }
      if (!any)
         continue;
      print_bin(bin);
      printf("  %12.2f  %15.2f  %12.2f  %15.2f\n", shares[0], shares[1], shares[2], shares[3]);
   }
}

static void
print_tiles(const struct analysis *analysis)
{
   struct cm_histogram tiles[NUM_SIMULATIONS];
   uint64_t sums[NUM_SIMULATIONS] = {0};
   for (unsigned s = 0; s < NUM_SIMULATIONS; s++) {
      tiles[s] = analysis_tiles(analysis, &analysis->simulations[s], CM_STREAM_TEXTURE);
      for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++)
         sums[s] += tiles[s].bins[bin];
   }
   print_heading("texture accesses to a set in a tile (Figure 8)");
   for (unsigned bin = 0; bin < CM_HISTOGRAM_BINS; bin++) {
      if (!tiles[FORWARD].bins[bin] && !tiles[BOUSTROPHEDONIC].bins[bin])
         continue;
      print_bin(bin);
      printf("  %21s  %12.2f  %15.2f %%\n", "", share(tiles[FORWARD].bins[bin], sums[FORWARD]),
             share(tiles[BOUSTROPHEDONIC].bins[bin], sums[BOUSTROPHEDONIC]));
   }
}

struct traffic {
   uint64_t groups[GROUP_COUNT], total;
};

static struct traffic
traffic_of(const struct analysis *analysis, const struct simulated *simulation, bool misses)
{
   struct traffic traffic = {0};
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const uint64_t accesses = misses ? analysis_misses(analysis, simulation, (enum cm_stream)stream)
                                       : analysis_memory_accesses(simulation, (enum cm_stream)stream);
      traffic.groups[group_of((enum cm_stream)stream)] += accesses;
      traffic.total += accesses;
   }
   return traffic;
}

static void
print_traffic(const struct analysis *analysis, const char *title, bool misses)
{
   const struct traffic f = traffic_of(analysis, &analysis->simulations[FORWARD], misses);
   const struct traffic b = traffic_of(analysis, &analysis->simulations[BOUSTROPHEDONIC], misses);
   print_heading(title);
   for (unsigned group = 0; group < GROUP_COUNT; group++)
      print_numbers(group_names[group], "%", 1, share(f.groups[group], f.total),
                    share(b.groups[group], b.total));
   const unsigned frames = analysis_frames(analysis);
   print_numbers("blocks a frame", "", 0, ratio(f.total, frames), ratio(b.total, frames));
   printf("  %-44s  %12s  %15.1f %%\n", "decrease", "", decrease(f.total, b.total));
   printf("  %-44s  %12s  %15.1f %%\n", "decrease of texture's", "",
          decrease(f.groups[GROUP_TEXTURE], b.groups[GROUP_TEXTURE]));
}

void
analysis_print(const struct analysis *analysis)
{
   const struct cm_reuse_counts forward =
      analysis_reuse(analysis, &analysis->simulations[FORWARD], CM_STREAM_TEXTURE);
   const struct cm_reuse_counts boustrophedonic =
      analysis_reuse(analysis, &analysis->simulations[BOUSTROPHEDONIC], CM_STREAM_TEXTURE);
   const char *point = cm_unit_names[analysis->point];

   const struct cm_indexed_frame *frames = analysis->frames + analysis->first_frame;
   printf("%s: %u frames (%u-%u), after %u that filled the caches\n", analysis->file,
          analysis_frames(analysis), frames[analysis->warm_up].number,
          analysis->frames[analysis->last_frame].number, analysis->warm_up);
   printf("accesses to %s of %s, blocks of %u bytes; reuse distances in %u sets\n", point,
          analysis->simulations[FORWARD].config->name, analysis->block_bytes, analysis->sets);
   if (forward.accesses) {
      print_textures(analysis, &forward, &boustrophedonic);
      print_iird(&forward, &boustrophedonic);
      print_distances((const struct cm_reuse_counts *[]){&forward, &boustrophedonic});
      print_tiles(analysis);
   } else {
      puts("\nno texture was read");
   }
   if (analysis->point != CM_UNIT_DRAM) {
      char title[64];
      snprintf(title, sizeof title, "misses of %s (Figure 11)", point);
      print_traffic(analysis, title, true);
   }
   print_traffic(analysis, "memory accesses (Figures 1 and 12)", false);
}
