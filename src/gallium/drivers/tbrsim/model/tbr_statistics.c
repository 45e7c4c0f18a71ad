/* SPDX-License-Identifier: MIT */
#include "model/tbr_statistics.h"

#include <assert.h>
#include <stdlib.h>

#include "util/log.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"
#include "util/u_process.h"
#include "gpu/attribution_writer.h"
#include "gpu/gpu.h"
#include "gpu/timeline_writer.h"
#include "results/writer.h"
#include "model/tbr_process.h"
#include "tbrsim_version.h"

static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
/* Lives as long as the process, as the screens come and go. */
static struct cm_counter_table *table;
static struct cm_stats_writer *writer; /* NULL without TBRSIM_OUT */
static struct cm_attribution_writer *attribution;
static struct cm_timeline_writer *timeline_writer;
static const struct tbr_model *owner;
static bool prepared, left_out;
static bool incomplete; /* a frame ran out of memory: no later one is written, of any screen */

void
tbr_statistics_describe_run(const char *isa, struct cm_run_value values[TBR_NUM_RUN_VALUES])
{
   values[0] = (struct cm_run_value){"program", util_get_process_name()};
   values[1] = (struct cm_run_value){"tbrsim", tbrsim_release};
   values[2] = (struct cm_run_value){"commit", tbrsim_commit};
   values[3] = (struct cm_run_value){"mesa", PACKAGE_VERSION};
   values[4] = (struct cm_run_value){"vector_feature_level", isa};
}

static bool
create_writer(const struct cm_config *config, const char *isa, const struct cm_timeline_frames *timeline)
{
   /* A recording may be simulated by another build than the one that rendered. */
   struct cm_run_value values[TBR_NUM_RUN_VALUES + 1] = {
      [TBR_NUM_RUN_VALUES] = {CM_RUN_SIMULATOR, tbrsim_commit},
   };
   struct cm_process_results *results = tbr_process_results();
   if (!results)
      return false;
   simple_mtx_assert_locked(&mutex);
   assert(!table && !writer);
   tbr_statistics_describe_run(isa, values);
   table = cm_gpu_counter_table_create(config);
   if (table)
      writer = cm_stats_writer_create(NULL, results, table, config, values, TBR_NUM_RUN_VALUES + 1);
   if (writer && cm_attribution_writer_create(config, table, writer, &attribution)) {
      if (timeline)
         timeline_writer = cm_timeline_writer_create(timeline, writer);
      if (timeline_writer || !timeline)
         return true;
   }
   mesa_loge("out of memory for the statistics");
   cm_attribution_writer_destroy(attribution);
   attribution = NULL;
   if (writer)
      cm_stats_writer_destroy(writer);
   cm_counter_table_destroy(table);
   writer = NULL;
   table = NULL;
   return false;
}

/* A forked child has no part in its parent's files. */
static void
reset_after_fork(void)
{
   simple_mtx_init(&mutex, mtx_plain);
   table = NULL;
   writer = NULL;
   attribution = NULL;
   timeline_writer = NULL;
   owner = NULL;
   prepared = left_out = incomplete = false;
}

bool
tbr_statistics_prepare(const struct cm_config *config, const char *isa,
                       const struct cm_timeline_frames *timeline)
{
   static bool registered;

   simple_mtx_lock(&mutex);
   tbr_process_at_fork(&registered, reset_after_fork);
   if (!prepared)
      prepared = !tbr_process_directory() || create_writer(config, isa, timeline);
   const bool ok = prepared;
   simple_mtx_unlock(&mutex);
   return ok;
}

void
tbr_statistics_claim(const struct tbr_model *model)
{
   simple_mtx_lock(&mutex);
   if (!owner)
      owner = model;
   if (owner != model && writer && !left_out) {
      mesa_logw("frames of a second display of this process are left out of the statistics");
      left_out = true;
   }
   simple_mtx_unlock(&mutex);
}

/* Of the frame that has just been written. */
static void
write_thumbnails(const struct util_dynarray *thumbnails)
{
   util_dynarray_foreach (thumbnails, struct tbr_thumbnail, thumbnail)
      cm_stats_writer_thumbnail(writer, thumbnail->pass, thumbnail->png, thumbnail->size);
}

void
tbr_statistics_frame(const struct tbr_model *model, struct cm_gpu *gpu, const uint64_t *values,
                     const struct util_dynarray *thumbnails)
{
   simple_mtx_lock(&mutex);
   assert(!writer || (prepared && table));
   if (owner == model && writer && cm_gpu_counters(gpu)->count == table->count) {
      cm_attribution_writer_frame(attribution, gpu);
      cm_timeline_writer_frame(timeline_writer, gpu);
      incomplete |= cm_gpu_is_out_of_memory(gpu);
      if (!incomplete && cm_stats_writer_frame(writer, values))
         write_thumbnails(thumbnails);
   }
   simple_mtx_unlock(&mutex);
}

void
tbr_statistics_release(const struct tbr_model *model)
{
   simple_mtx_lock(&mutex);
   if (owner == model)
      owner = NULL;
   simple_mtx_unlock(&mutex);
}

void
tbr_statistics_close(void)
{
   simple_mtx_lock(&mutex);
   cm_attribution_writer_destroy(attribution);
   cm_timeline_writer_destroy(timeline_writer);
   if (writer)
      cm_stats_writer_destroy(writer);
   cm_counter_table_destroy(table);
   writer = NULL;
   attribution = NULL;
   timeline_writer = NULL;
   table = NULL;
   prepared = incomplete = false;
   simple_mtx_unlock(&mutex);
}
