/* SPDX-License-Identifier: MIT */
#include "output/sweep_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "tools.h"

/* ---- values ------------------------------------------------------------------ */

/* Misses and bypasses. */
static uint64_t
misses_of(const struct cm_sweep_result *result)
{
   return result->counts.misses[0] + result->counts.misses[1] + result->counts.bypasses;
}

/* The bound holds whatever a cache does: one below it was not simulated right. */
static struct cm_sweep_result
result_of(const struct sweep_report *report, unsigned number)
{
   struct cm_sweep_result result;
   const struct cm_cache_config *config = &report->points->list[number].config;
   if (!cm_sweep_result(report->sweep, number, &result))
      fail(STATUS_FAILED, "out of memory for %u caches", report->points->count);
   if (result.is_bounded && misses_of(&result) < result.lower_bound)
      fail(STATUS_FAILED,
           "%s, size %u, %u ways: %" PRIu64 " misses are fewer than the lower bound of %" PRIu64
           " (TCOR V-A): the simulation is wrong",
           cm_policy_names[config->policy], config->size, config->ways, misses_of(&result),
           result.lower_bound);
   return result;
}

static const char *
uncached_of(const struct cm_cache_config *config)
{
   return config->uncached ? cm_stream_names[config->uncached - 1] : NULL;
}

/* The policy's name, as --policy takes it, but for what follows a colon. */
static char *
name_of(const struct cm_sweep_point *point)
{
   return text("%s%s", cm_policy_names[point->config.policy], oracle_names[point->oracle]);
}

/* The same with it. */
static char *
name_with_setting(const struct sweep_report *report, unsigned number)
{
   const char *setting = report->points->settings[number];
   char *name = name_of(&report->points->list[number]);
   char *whole = text("%s%s%s", name, setting ? ":" : "", setting ? setting : "");
   free(name);
   return whole;
}

/* ---- curves ------------------------------------------------------------------ */

static json_t *
curve_json(const struct sweep_report *report, unsigned number)
{
   static const char *const names[] = {
      "accesses",    "reads",        "writes",   "hits",       "misses",
      "read_misses", "write_misses", "bypasses", "writebacks",
   };
   const struct cm_sweep_point *point = &report->points->list[number];
   const struct cm_sweep_result result = result_of(report, number);
   const uint64_t *misses = result.counts.misses, accesses = result.reads + result.writes;
   const uint64_t counts[] = {
      accesses,    result.reads,           result.writes,
      result.hits, misses[0] + misses[1],  misses[0],
      misses[1],   result.counts.bypasses, result.counts.writebacks,
   };
   char *name = name_with_setting(report, number);
   json_t *object =
      json_pack("{s:s, s:I, s:I, s:I}", "policy", name, "size_bytes", (json_int_t)point->config.size, "ways",
                (json_int_t)point->config.ways, "sets", (json_int_t)result.sets);
   json_object_update_new(object, output_counts(names, counts, sizeof counts / sizeof counts[0]));
   json_object_update_new(object, json_pack("{s:f, s:o}", "miss_ratio", ratio(misses_of(&result), accesses),
                                            "lower_bound_misses",
                                            result.is_bounded ? json_integer((json_int_t)result.lower_bound)
                                                              : json_null()));
   free(name);
   return object;
}

static void
curve_table(const struct sweep_report *report, FILE *file)
{
   const struct cm_sweep_result first = result_of(report, 0);
   const unsigned warm_up = report->options->warm_up;
   json_t *rows = json_array();
   fprintf(file,
           "%s: %s, frames %u-%u%s, %s\n"
           "%" PRIu64 " reads and %" PRIu64 " writes of blocks of %u bytes, index %s%s\n\n",
           report->file, report->accesses, report->first_frame, report->last_frame,
           warm_up ? text(" without the first %u", warm_up) : "", report->configuration, first.reads,
           first.writes, report->block_bytes, cm_index_names[report->index],
           report->empty_each_pass ? "; each render pass begins with an empty cache" : "");
   sweep_report_rows(report, rows);
   output_table(rows, file);
}

/* ---- streams ------------------------------------------------------------------ */

/* Figure 4's streams of GSPC, in its order. */
enum group {
   GROUP_VERTEX,
   GROUP_HIZ,
   GROUP_Z,
   GROUP_STENCIL,
   GROUP_RENDER_TARGET,
   GROUP_TEXTURE,
   GROUP_DISPLAY,
   GROUP_OTHER,
   GROUP_COUNT
};
static const char *const group_names[GROUP_COUNT] = {
   "vertex", "hiz", "z", "stencil", "render_target", "texture", "display", "other",
};

static enum group
group_of(unsigned stream)
{
   static const struct {
      const char *stream;
      enum group group;
   } groups[] = {
      {"vertex", GROUP_VERTEX},   {"index", GROUP_VERTEX},    {"hiz", GROUP_HIZ},
      {"depth", GROUP_Z},         {"stencil", GROUP_STENCIL}, {"color", GROUP_RENDER_TARGET},
      {"texture", GROUP_TEXTURE}, {"display", GROUP_DISPLAY},
   };
   for (unsigned g = 0; g < sizeof groups / sizeof groups[0]; g++) {
      if (!strcmp(cm_stream_names[stream], groups[g].stream))
         return groups[g].group;
   }
   return GROUP_OTHER;
}

struct group_counts {
   uint64_t accesses, hits, fills, distant_fills;
};

static void
count_groups(const struct cm_sweep_result *result, struct group_counts groups[GROUP_COUNT])
{
   memset(groups, 0, GROUP_COUNT * sizeof *groups);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      struct group_counts *group = &groups[group_of(stream)];
      const uint64_t *counters = result->counters[stream];
      group->accesses += counters[CM_CACHE_EVENT_READS] + counters[CM_CACHE_EVENT_WRITES];
      group->hits += counters[CM_CACHE_EVENT_HITS];
      group->fills += counters[CM_CACHE_EVENT_MISSES];
      group->distant_fills += result->profile.distant_fills[stream];
   }
}

/* The counts of a stream; NULL where it has none. stream CM_STREAM_COUNT: of all. */
static json_t *
stream_json(const struct cm_sweep_result *result, unsigned stream)
{
   static const char *const names[] = {
      "accesses", "reads", "writes", "hits", "misses", "bypasses", "evictions", "writebacks",
   };
   uint64_t counts[sizeof names / sizeof names[0]] = {0};
   const bool all = stream == CM_STREAM_COUNT;
   for (unsigned s = all ? 0 : stream; s < CM_STREAM_COUNT && (all || s == stream); s++) {
      const uint64_t *counters = result->counters[s];
      const uint64_t values[] = {
         counters[CM_CACHE_EVENT_READS] + counters[CM_CACHE_EVENT_WRITES],
         counters[CM_CACHE_EVENT_READS],
         counters[CM_CACHE_EVENT_WRITES],
         counters[CM_CACHE_EVENT_HITS],
         counters[CM_CACHE_EVENT_MISSES],
         counters[CM_CACHE_EVENT_BYPASSES],
         counters[CM_CACHE_EVENT_EVICTIONS],
         counters[CM_CACHE_EVENT_WRITEBACKS],
      };
      for (unsigned c = 0; c < sizeof values / sizeof values[0]; c++)
         counts[c] += values[c];
   }
   return counts[0] || all ? output_counts(names, counts, sizeof names / sizeof names[0]) : NULL;
}

static const char *
stream_name(unsigned stream)
{
   return stream == CM_STREAM_COUNT ? "total" : cm_stream_names[stream];
}

/* The cache, as a line and an object begin. */
static json_t *
cache_json(const struct sweep_report *report, unsigned number)
{
   const struct cm_sweep_point *point = &report->points->list[number];
   const struct cm_cache_config *config = &point->config;
   const unsigned threshold = cm_policy_samples(config->policy) ? cm_cache_config_gspc(config).threshold : 0;
   char *name = name_of(point);
   json_t *object =
      json_pack("{s:s, s:o, s:s?, s:s?, s:I, s:I}", "policy", name, "threshold",
                threshold ? json_integer(threshold) : json_null(), "setting",
                threshold ? NULL : report->points->settings[number], "uncached", uncached_of(config),
                "size_bytes", (json_int_t)config->size, "ways", (json_int_t)config->ways);
   free(name);
   return object;
}

static json_t *
groups_json(const struct cm_sweep_result *result, bool profiled)
{
   struct group_counts groups[GROUP_COUNT];
   json_t *object = json_object();
   count_groups(result, groups);
   for (unsigned g = 0; g < GROUP_COUNT; g++) {
      json_t *group =
         json_pack("{s:I, s:I, s:f}", "accesses", (json_int_t)groups[g].accesses, "hits",
                   (json_int_t)groups[g].hits, "hit_rate", ratio(groups[g].hits, groups[g].accesses));
      if (profiled)
         json_object_update_new(group, json_pack("{s:I, s:I}", "fills", (json_int_t)groups[g].fills,
                                                 "distant_fills", (json_int_t)groups[g].distant_fills));
      json_object_set_new(object, group_names[g], group);
   }
   return object;
}

static json_t *
epochs_json(const struct cm_epochs *epochs)
{
   json_t *entered = json_array(), *hits = json_array(), *deaths = json_array();
   for (unsigned k = 0; k < CM_EPOCHS; k++) {
      json_array_append_new(entered, json_integer((json_int_t)epochs->entered[k]));
      json_array_append_new(hits, json_integer((json_int_t)epochs->hits[k]));
      if (k + 1 < CM_EPOCHS)
         json_array_append_new(deaths, json_real(cm_epoch_death_ratio(epochs, k)));
   }
   return json_pack("{s:o, s:o, s:o}", "entered", entered, "hits", hits, "death_ratios", deaths);
}

static json_t *
profile_json(const struct cm_stream_profile_counts *profile)
{
   static const char *const names[] = {"inter_stream_hits", "intra_stream_hits", "first_texture_hits",
                                       "produced",          "consumed",          "z_produced",
                                       "z_consumed"};
   const uint64_t counts[] = {profile->inter_stream_hits,  profile->intra_stream_hits,
                              profile->first_texture_hits, profile->produced,
                              profile->consumed,           profile->z_produced,
                              profile->z_consumed};
   json_t *object = output_counts(names, counts, sizeof counts / sizeof counts[0]);
   json_object_set_new(object, "texture_epochs", epochs_json(&profile->texture));
   json_object_set_new(object, "z_epochs", epochs_json(&profile->z));
   return object;
}

static json_t *
streams_json(const struct sweep_report *report, unsigned number)
{
   const struct cm_sweep_result result = result_of(report, number);
   json_t *object = cache_json(report, number), *frames = json_array(), *streams = json_object();
   for (uint32_t frame = 0; frame < result.frames; frame++)
      json_array_append_new(frames, json_integer((json_int_t)result.frame_misses[frame]));
   for (unsigned stream = 0; stream <= CM_STREAM_COUNT; stream++) {
      json_t *counts = stream_json(&result, stream);
      if (counts)
         json_object_set_new(streams, stream_name(stream), counts);
   }
   json_object_set_new(object, "misses", json_integer((json_int_t)misses_of(&result)));
   json_object_set_new(object, "misses_by_frame", frames);
   json_object_set_new(object, "streams", streams);
   json_object_set_new(object, "groups", groups_json(&result, report->options->profiles));
   if (report->options->profiles)
      json_object_set_new(object, "profile", profile_json(&result.profile));
   return object;
}

static void
add_stream_rows(const struct sweep_report *report, unsigned number, json_t *rows)
{
   const struct cm_sweep_result result = result_of(report, number);
   for (unsigned stream = 0; stream <= CM_STREAM_COUNT; stream++) {
      json_t *counts = stream_json(&result, stream);
      if (counts)
         json_array_append_new(rows,
                               json_pack("{s:o, s:o, s:i, s:s, s:o}", "file", output_text(report->file),
                                         "cache", cache_json(report, number), "frames", (int)result.frames,
                                         "stream", stream_name(stream), "counts", counts));
   }
}

/* ---- a table of streams --------------------------------------------------------- */

/* Misses of the DRRIP cache of this size, with which the paper compares; 0: none. */
static uint64_t
find_baseline(const struct sweep_report *report, uint32_t size)
{
   for (unsigned p = 0; p < report->points->count; p++) {
      const struct cm_cache_config *config = &report->points->list[p].config;
      if (config->policy == CM_POLICY_DRRIP && config->size == size && !config->uncached) {
         const struct cm_sweep_result result = result_of(report, p);
         return misses_of(&result);
      }
   }
   return 0;
}

static void
add_profile(json_t *row, const struct cm_stream_profile_counts *profile, const struct group_counts *groups)
{
   const struct group_counts *target = &groups[GROUP_RENDER_TARGET], *texture = &groups[GROUP_TEXTURE];
   json_object_update_new(
      row,
      json_pack("{s:f, s:f, s:f, s:f, s:f}", "consumed_share", ratio(profile->consumed, profile->produced),
                "z_consumed_share", ratio(profile->z_consumed, profile->z_produced), "inter_stream_share",
                ratio(profile->inter_stream_hits, profile->inter_stream_hits + profile->intra_stream_hits),
                "target_distant_share", ratio(target->distant_fills, target->fills), "texture_distant_share",
                ratio(texture->distant_fills, texture->fills)));
   for (unsigned e = 0; e < 2 * (CM_EPOCHS - 1); e++) {
      const unsigned k = e % (CM_EPOCHS - 1);
      char *name = text("%s_death_ratio_%u", e == k ? "texture" : "z", k);
      json_object_set_new(row, name,
                          json_real(cm_epoch_death_ratio(e == k ? &profile->texture : &profile->z, k)));
      free(name);
   }
}

static json_t *
stream_table_row(const struct sweep_report *report, unsigned number)
{
   const struct cm_sweep_result result = result_of(report, number);
   const uint64_t misses = misses_of(&result), accesses = result.reads + result.writes;
   const uint32_t size = report->points->list[number].config.size;
   const uint64_t baseline = find_baseline(report, size);
   struct group_counts groups[GROUP_COUNT];
   char *name = name_with_setting(report, number);
   count_groups(&result, groups);
   json_t *row =
      json_pack("{s:s, s:s?, s:I, s:I, s:o, s:f, s:I, s:f, s:f, s:f}", "policy", name, "uncached",
                uncached_of(&report->points->list[number].config), "size_bytes", (json_int_t)size, "misses",
                (json_int_t)misses, "change_to_drrip",
                baseline ? json_real(((double)misses - (double)baseline) / (double)baseline) : json_null(),
                "miss_ratio", ratio(misses, accesses), "writebacks", (json_int_t)result.counts.writebacks,
                "texture_hit_rate", ratio(groups[GROUP_TEXTURE].hits, groups[GROUP_TEXTURE].accesses),
                "target_hit_rate",
                ratio(groups[GROUP_RENDER_TARGET].hits, groups[GROUP_RENDER_TARGET].accesses), "z_hit_rate",
                ratio(groups[GROUP_Z].hits, groups[GROUP_Z].accesses));
   if (report->options->profiles)
      add_profile(row, &result.profile, groups);
   free(name);
   return row;
}

static void
stream_table(const struct sweep_report *report, FILE *file)
{
   const struct cm_sweep_result first = result_of(report, 0);
   const uint64_t accesses = first.reads + first.writes;
   struct group_counts groups[GROUP_COUNT];
   json_t *rows = json_array();
   count_groups(&first, groups);
   fprintf(file, "%s: %s of %s, frames %u-%u, ", report->file, report->accesses, report->configuration,
           report->first_frame, report->last_frame);
   if (report->options->warm_up)
      fprintf(file, "without the first %u, ", report->options->warm_up);
   fprintf(file, "%s\n%" PRIu64 " accesses:", report->options->cold_frames ? "each cold" : "warm", accesses);
   for (unsigned g = 0; g < GROUP_COUNT; g++)
      fprintf(file, "%s %s %.1f %%", g ? "," : "", group_names[g], 100 * ratio(groups[g].accesses, accesses));
   fputs("\n\n", file);
   for (unsigned p = 0; p < report->points->count; p++)
      json_array_append_new(rows, stream_table_row(report, p));
   output_table(rows, file);
}

/* ---- a recording ----------------------------------------------------------------- */

void
sweep_report_table(const struct sweep_report *report, FILE *file)
{
   if (report->options->by_stream)
      stream_table(report, file);
   else
      curve_table(report, file);
}

void
sweep_report_rows(const struct sweep_report *report, json_t *rows)
{
   for (unsigned p = 0; p < report->points->count; p++) {
      if (report->options->by_stream)
         add_stream_rows(report, p, rows);
      else
         json_array_append_new(rows, curve_json(report, p));
   }
}

json_t *
sweep_report_json(const struct sweep_report *report)
{
   const bool by_stream = report->options->by_stream;
   const struct cm_sweep_result first = result_of(report, 0);
   json_t *object =
      json_pack("{s:o, s:o, s:o, s:i, s:i, s:i}", "file", output_text(report->file), "run",
                output_run(report->file), "configuration", output_text(report->configuration), "first_frame",
                report->first_frame, "last_frame", report->last_frame, "warm_up", report->options->warm_up);
   json_t *points = json_array();
   for (unsigned p = 0; p < report->points->count; p++)
      json_array_append_new(points, by_stream ? streams_json(report, p) : curve_json(report, p));
   json_object_update_new(object, by_stream
                                     ? json_pack("{s:s, s:b, s:i, s:o}", "unit", report->accesses,
                                                 "cold_frames", report->options->cold_frames, "frames",
                                                 first.frames, "caches", points)
                                     : json_pack("{s:s, s:i, s:s, s:b, s:o}", "accesses_of", report->accesses,
                                                 "block_bytes", report->block_bytes, "index",
                                                 cm_index_names[report->index], "empty_at_each_pass",
                                                 report->empty_each_pass, "points", points));
   return object;
}
