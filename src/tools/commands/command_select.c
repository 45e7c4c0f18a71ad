/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/progress.h"
#include "selection/clusters.h"
#include "selection/frame_vector.h"
#include "input/selection_file.h"
#include "input/session.h"
#include "tools.h"

static const char description[] =
   "Chooses frames of a recording that represent all of them. Frames with similar work form a\n"
   "cluster; one frame of each is simulated and stands for the others. The choice depends on the\n"
   "recording only, so it holds for all configurations. tbrsim sim --selected simulates these\n"
   "frames, each after the warm-up frames that its caches need, and estimates the totals of all\n"
   "frames. docs/select.md explains it.\n";

/* Frames that are simulated unless the user says otherwise: a part of all, but not fewer than these. */
#define DEFAULT_PART 20
#define DEFAULT_LEAST 10

/* Share of a frame's memory that may be missing from caches after the warm-up. */
#define WARM_UP_TOLERANCE 0.01

struct select {
   const char *path, *out;
   struct frame_selection frames;
   double error;    /* of a total; share */
   uint32_t budget; /* frames; 0: a part of all */
   uint64_t cache;  /* bytes; 0: any */
   struct session session;
   struct cm_frame_vectors vectors;
   uint32_t *first_of_gpu; /* for each frame */
};

/* ---- options ------------------------------------------------------------------- */

static void
take_error(void *field, const char *option, const char *value)
{
   double *error = field;
   if (!options_percent(value, 100, error))
      fail(STATUS_USAGE, "%s %s: expected per cent of a total, 0 to 100", option, value);
   *error /= 100;
}

static void
take_budget(void *field, const char *option, const char *value)
{
   *(uint32_t *)field = options_number(option, value, 1, UINT32_MAX, "a number of frames");
}

static void
take_cache(void *field, const char *option, const char *value)
{
   *(uint64_t *)field = options_bytes(option, value);
}

static void
parse(struct select *select, int argc, char **argv)
{
   static const struct option_row rows[] = {
      OPTION("budget", "N",
             "choose at most N frames, with their warm-up frames (default: 5 % of all,\n"
             "at least 10)",
             take_budget, struct select, budget),
      OPTION("error", "PERCENT",
             "stop choosing when the expected standard error of the totals is below\n"
             "this (default: 0.25)",
             take_error, struct select, error),
      OPTION("cache", "BYTES",
             "size of the largest cache that will be simulated: it decides how many\n"
             "warm-up frames there are (default: 8M)",
             take_cache, struct select, cache),
   };
   *select = (struct select){.error = 0.0025, .cache = 8u << 20};
   const struct command_line line = {
      .usage = "tbrsim select [OPTIONS] FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {OPTION_GROUP(rows, select), FRAME_OPTIONS(&select->frames.frames),
                 FILE_OPTIONS(&select->out)},
   };
   select->path = command_line_parse(&line, argc, argv).list[0];
}

/* ---- vectors ------------------------------------------------------------------- */

static void
take_definitions(struct select *select, const struct cm_item *item)
{
   for (size_t r = 0; r < item->num_resources; r++)
      cm_frame_vectors_resource(&select->vectors, &item->resources[r]);
   free(item->resources);
   free(item->names);
   free(item->codes);
}

/* Takes an item of the recording; false at the end. */
static bool
take(struct select *select, const struct cm_item *item, uint32_t *gpu)
{
   switch (item->type) {
   case CM_ITEM_GPU:
      cm_frame_vectors_gpu(&select->vectors);
      *gpu = (uint32_t)select->vectors.count;
      return true;
   case CM_ITEM_RESOURCES: take_definitions(select, item); return true;
   case CM_ITEM_PASS:
      cm_frame_vectors_pass(&select->vectors, &item->pass->pass);
      cm_recorded_pass_release(item->pass);
      return true;
   case CM_ITEM_FRAME_END:
      select->first_of_gpu[select->vectors.count] = *gpu;
      cm_frame_vectors_end_frame(&select->vectors);
      return true;
   default: return false;
   }
}

static void
read_vectors(struct select *select)
{
   struct simulations *simulations = &select->session.simulations;
   const unsigned first = simulations->first_frame, count = simulations->last_frame - first + 1;
   struct cm_item item;
   uint32_t gpu = 0;
   select->first_of_gpu = allocate(count * sizeof(*select->first_of_gpu));
   cm_recording_seek(simulations->recording, first, simulations->last_frame);
   do {
      item = cm_recording_next(simulations->recording);
      progress_show("reading frames", (double)select->vectors.count, count);
   } while (take(select, &item, &gpu));
   progress_end();
   if (select->vectors.out_of_memory)
      fail(STATUS_FAILED, "out of memory");
   if (!session_check(&select->session) &&
       (!select->vectors.count || cm_recording_is_out_of_memory(simulations->recording)))
      exit(STATUS_FAILED);
   if (!select->vectors.count)
      fail(STATUS_FAILED, "%s: no frame could be read", select->path);
}

/* ---- selection ------------------------------------------------------------------ */

static unsigned
warm_up(const struct select *select, uint32_t frame, uint64_t cache)
{
   const uint32_t first = select->first_of_gpu[frame];
   return cm_frame_warm_up(select->vectors.ages + first, frame - first, cache, WARM_UP_TOLERANCE);
}

static struct cm_clusters
find_clusters(const struct select *select)
{
   const uint32_t count = (uint32_t)select->vectors.count;
   uint32_t *before = allocate(count * sizeof(*before));
   for (uint32_t f = 0; f < count; f++)
      before[f] = warm_up(select, f, select->cache);
   const uint32_t part = count / DEFAULT_PART > DEFAULT_LEAST ? count / DEFAULT_PART : DEFAULT_LEAST;
   const struct cm_cluster_limits limits = {
      .error = select->error,
      .budget = select->budget ? select->budget : part,
      .before = before,
   };
   struct cm_clusters clusters;
   if (!cm_clusters_create(&clusters, select->vectors.vectors, count, CM_FRAME_FEATURES, &limits))
      fail(STATUS_FAILED, "out of memory");
   free(before);
   return clusters;
}

/* The other representatives that are nearest to one and not the same. */
static void
find_neighbours(const struct select *select, const struct cm_clusters *clusters, uint32_t number,
                struct cm_representative *represents)
{
   const double *vectors = select->vectors.vectors;
   const double *own = vectors + (size_t)clusters->list[number].representative * CM_FRAME_FEATURES;
   for (uint32_t other = 0; other < clusters->count; other++) {
      const double *vector = vectors + (size_t)clusters->list[other].representative * CM_FRAME_FEATURES;
      struct cm_neighbour neighbour = {other, cm_squared_distance(own, vector, CM_FRAME_FEATURES)};
      if (neighbour.distance <= 0)
         continue;
      uint32_t n = represents->num_neighbours;
      while (n > 0 && neighbour.distance < represents->neighbours[n - 1].distance) {
         if (n < CM_ESTIMATE_NEIGHBOURS)
            represents->neighbours[n] = represents->neighbours[n - 1];
         n--;
      }
      if (n < CM_ESTIMATE_NEIGHBOURS)
         represents->neighbours[n] = neighbour;
      if (represents->num_neighbours < CM_ESTIMATE_NEIGHBOURS)
         represents->num_neighbours++;
   }
}

static struct selection
make_selection(struct select *select, struct cm_clusters *clusters)
{
   size_t all;
   const struct cm_indexed_frame *frames = cm_recording_frames(select->session.simulations.recording, &all) +
                                           select->session.simulations.first_frame;
   struct selection selection = {
      .frames = (uint32_t)select->vectors.count,
      .error = cm_clusters_error(clusters, (uint32_t)select->vectors.count),
      .list = allocate(clusters->count * sizeof(*selection.list)),
      .count = clusters->count,
      .of = clusters->of,
   };
   for (uint32_t c = 0; c < clusters->count; c++) {
      const struct cm_cluster *cluster = &clusters->list[c];
      const struct cm_indexed_frame *frame = &frames[cluster->representative];
      struct selected_frame *selected = &selection.list[c];
      *selected = (struct selected_frame){
         .number = frame->number,
         .represents = {.weight = cluster->size, .spread = cluster->spread},
         .primitives = frame->counts.primitives,
         .fragments = frame->counts.fragments,
      };
      find_neighbours(select, clusters, c, &selected->represents);
      for (unsigned n = 0; n < SELECTION_CACHES; n++) {
         const uint64_t bytes = n + 1 < SELECTION_CACHES ? SELECTION_FIRST_CACHE << n : UINT64_MAX;
         selected->warm_up[n] = warm_up(select, cluster->representative, bytes);
      }
   }
   return selection;
}

int
command_select(int argc, char **argv)
{
   struct select select;
   parse(&select, argc, argv);
   select.session = session_open(select.path, &select.frames, NULL);
   read_vectors(&select);
   cm_frame_vectors_scale(&select.vectors);
   struct cm_clusters clusters = find_clusters(&select);
   const struct selection selection = make_selection(&select, &clusters);
   selection_write(&selection, select.out, select.path);
   if (select.out) {
      uint32_t simulated;
      char *frames = selection_frames(&selection, select.cache, &simulated);
      printf("%u of %u frames are selected, in %s\nframes to simulate: %s\n", selection.count,
             selection.frames, select.out, frames);
      free(frames);
      printf("these are %u frames, %.2f %%; expected standard error of totals: %.2f %%\n", simulated,
             100.0 * simulated / selection.frames, 100 * selection.error);
   }
   const bool ok = session_check(&select.session);
   cm_clusters_finish(&clusters);
   cm_frame_vectors_finish(&select.vectors);
   session_close(&select.session);
   return ok ? STATUS_OK : STATUS_FAILED;
}
