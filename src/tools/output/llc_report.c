/* SPDX-License-Identifier: MIT */
#include "output/llc_report.h"
#include "config/config.h"

#include <inttypes.h>
#include <string.h>

#include "output/output.h"
#include "tools.h"

const char *const llc_oracle_names[] = {"", "-oracle", "-frame-oracle"};

/* ---- values ------------------------------------------------------------------ */

/* Figure 4's streams, in its order. */
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
count_groups(const struct cm_llc_result *result, struct group_counts groups[GROUP_COUNT])
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

/* What is counted of a stream, in the order of the columns. */
enum { NUM_COUNTS = 8 };
static const char *const count_names[NUM_COUNTS] = {
   "accesses", "reads", "writes", "hits", "misses", "bypasses", "evictions", "writebacks",
};

static void
add_counts(const uint64_t *counters, uint64_t counts[NUM_COUNTS])
{
   const uint64_t values[NUM_COUNTS] = {
      counters[CM_CACHE_EVENT_READS] + counters[CM_CACHE_EVENT_WRITES],
      counters[CM_CACHE_EVENT_READS],
      counters[CM_CACHE_EVENT_WRITES],
      counters[CM_CACHE_EVENT_HITS],
      counters[CM_CACHE_EVENT_MISSES],
      counters[CM_CACHE_EVENT_BYPASSES],
      counters[CM_CACHE_EVENT_EVICTIONS],
      counters[CM_CACHE_EVENT_WRITEBACKS],
   };
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      counts[c] += values[c];
}

static void
count_all(const struct cm_llc_result *result, uint64_t counts[NUM_COUNTS])
{
   memset(counts, 0, NUM_COUNTS * sizeof *counts);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      add_counts(result->counters[stream], counts);
}

/* Misses and bypasses. */
static uint64_t
misses_of(const struct cm_llc_result *result)
{
   uint64_t counts[NUM_COUNTS];
   count_all(result, counts);
   return counts[4] + counts[5];
}

static unsigned
threshold_of(const struct cm_cache_config *config)
{
   return cm_policy_samples(config->policy) ? cm_cache_config_gspc(config).threshold : 0;
}

static const char *
uncached_of(const struct cm_cache_config *config)
{
   return config->uncached ? cm_stream_names[config->uncached - 1] : NULL;
}

/* ---- comma-separated values ---------------------------------------------------- */

/* The counts of a stream; NULL where it has none. stream CM_STREAM_COUNT: of all. */
static json_t *
stream_json(const struct cm_llc_result *result, unsigned stream)
{
   uint64_t counts[NUM_COUNTS] = {0};
   if (stream == CM_STREAM_COUNT)
      count_all(result, counts);
   else
      add_counts(result->counters[stream], counts);
   return counts[0] || stream == CM_STREAM_COUNT ? output_counts(count_names, counts, NUM_COUNTS) : NULL;
}

static const char *
stream_name(unsigned stream)
{
   return stream == CM_STREAM_COUNT ? "total" : cm_stream_names[stream];
}

/* The policy's name, as --policy takes it. */
static int
write_name(const struct llc_point *point, char *name, size_t size)
{
   return snprintf(name, size, "%s%s", cm_policy_names[point->config.policy],
                   llc_oracle_names[point->oracle]);
}

/* The policy, as a line and an object begin. */
static json_t *
policy_json(const struct llc_point *point)
{
   const struct cm_cache_config *config = &point->config;
   const unsigned threshold = threshold_of(config);
   char name[64];
   write_name(point, name, sizeof name);
   return json_pack("{s:s, s:o, s:s?, s:s?, s:I, s:I}", "policy", name, "threshold",
                    threshold ? json_integer(threshold) : json_null(), "setting",
                    threshold ? NULL : point->setting, "uncached", uncached_of(config), "size_bytes",
                    (json_int_t)config->size, "ways", (json_int_t)config->ways);
}

void
llc_report_csv(const struct llc_report *report, FILE *file)
{
   json_t *rows = json_array();
   for (unsigned r = 0; r < report->count; r++) {
      const struct llc_comparison *comparison = &report->comparisons[r];
      for (unsigned p = 0; p < comparison->num_points; p++) {
         const struct llc_point *point = &comparison->points[p];
         for (unsigned stream = 0; stream <= CM_STREAM_COUNT; stream++) {
            json_t *counts = stream_json(&point->result, stream);
            if (counts)
               json_array_append_new(rows, json_pack("{s:o, s:o, s:i, s:s, s:o}", "file",
                                                     output_text(comparison->file), "cache",
                                                     policy_json(point), "frames", (int)point->result.frames,
                                                     "stream", stream_name(stream), "counts", counts));
         }
      }
   }
   output_csv(rows, file);
}

/* ---- JSON ------------------------------------------------------------------------ */

static json_t *
groups_json(const struct cm_llc_result *result, bool profiled)
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
point_json(const struct llc_comparison *comparison, const struct llc_point *point)
{
   json_t *object = policy_json(point), *frames = json_array(), *streams = json_object();
   for (uint32_t frame = 0; frame < point->result.frames; frame++)
      json_array_append_new(frames, json_integer((json_int_t)point->result.misses[frame]));
   for (unsigned stream = 0; stream <= CM_STREAM_COUNT; stream++) {
      json_t *counts = stream_json(&point->result, stream);
      if (counts)
         json_object_set_new(streams, stream_name(stream), counts);
   }
   json_object_set_new(object, "misses", json_integer((json_int_t)misses_of(&point->result)));
   json_object_set_new(object, "misses_by_frame", frames);
   json_object_set_new(object, "streams", streams);
   json_object_set_new(object, "groups", groups_json(&point->result, comparison->options.profiles));
   if (comparison->options.profiles)
      json_object_set_new(object, "profile", profile_json(&point->result.profile));
   return object;
}

void
llc_report_json(const struct llc_report *report, FILE *file)
{
   json_t *recordings = json_array();
   for (unsigned r = 0; r < report->count; r++) {
      const struct llc_comparison *comparison = &report->comparisons[r];
      json_t *caches = json_array();
      for (unsigned p = 0; p < comparison->num_points; p++)
         json_array_append_new(caches, point_json(comparison, &comparison->points[p]));
      json_array_append_new(recordings,
                            json_pack("{s:o, s:o, s:o, s:s, s:i, s:i, s:i, s:b, s:i, s:o}", "file",
                                      output_text(comparison->file), "run", output_run(comparison->file),
                                      "configuration", output_text(comparison->configuration), "unit",
                                      cm_unit_names[comparison->unit], "first_frame", comparison->first_frame,
                                      "last_frame", comparison->last_frame, "warm_up",
                                      comparison->options.warm_up, "cold_frames",
                                      comparison->options.cold_frames, "frames",
                                      comparison->points[0].result.frames, "caches", caches));
   }
   output_json(json_pack("{s:o}", "recordings", recordings), 1, file);
}

/* ---- table ------------------------------------------------------------------------- */

static void
print_name(const struct llc_point *point, FILE *file)
{
   char name[64];
   const struct cm_cache_config *config = &point->config;
   const unsigned threshold = threshold_of(config);
   const bool other = threshold && threshold != cm_cache_config_gspc(&(struct cm_cache_config){0}).threshold;
   int length = write_name(point, name, sizeof name);
   if (other)
      length += snprintf(name + length, sizeof name - (size_t)length, ":%u", threshold);
   else if (point->setting && !threshold)
      length += snprintf(name + length, sizeof name - (size_t)length, ":%s", point->setting);
   if (config->uncached)
      snprintf(name + length, sizeof name - (size_t)length, ", no %s", uncached_of(config));
   fprintf(file, "%-22s %7uK", name, config->size / 1024);
}

/* The DRRIP cache of a size, with which the paper compares; NULL: none. */
static const struct llc_point *
find_baseline(const struct llc_comparison *comparison, uint32_t size)
{
   for (unsigned p = 0; p < comparison->num_points; p++) {
      const struct cm_cache_config *config = &comparison->points[p].config;
      if (config->policy == CM_POLICY_DRRIP && config->size == size && !config->uncached)
         return &comparison->points[p];
   }
   return NULL;
}

static void
print_change(const struct llc_comparison *comparison, const struct llc_point *point, FILE *file)
{
   const struct llc_point *baseline = find_baseline(comparison, point->config.size);
   const uint64_t before = baseline ? misses_of(&baseline->result) : 0;
   if (before)
      fprintf(file, " %+8.1f %%",
              100 * ((double)misses_of(&point->result) - (double)before) / (double)before);
   else
      fprintf(file, " %10s", "-");
}

static void
print_point(const struct llc_comparison *comparison, const struct llc_point *point, FILE *file)
{
   struct group_counts groups[GROUP_COUNT];
   uint64_t counts[NUM_COUNTS];
   count_groups(&point->result, groups);
   count_all(&point->result, counts);
   print_name(point, file);
   fprintf(file, " %12" PRIu64, misses_of(&point->result));
   print_change(comparison, point, file);
   fprintf(file, " %7.2f %% %12" PRIu64, 100 * ratio(misses_of(&point->result), counts[0]), counts[7]);
   const enum group rates[] = {GROUP_TEXTURE, GROUP_RENDER_TARGET, GROUP_Z};
   for (unsigned r = 0; r < sizeof rates / sizeof rates[0]; r++)
      fprintf(file, " %7.1f %%", 100 * ratio(groups[rates[r]].hits, groups[rates[r]].accesses));
   if (comparison->options.profiles) {
      const struct cm_stream_profile_counts *profile = &point->result.profile;
      fprintf(file, " %7.1f %%", 100 * ratio(profile->consumed, profile->produced));
      fprintf(file, " %7.1f %%", 100 * ratio(profile->z_consumed, profile->z_produced));
      fprintf(file, " %7.1f %%",
              100 *
                 ratio(profile->inter_stream_hits, profile->inter_stream_hits + profile->intra_stream_hits));
      for (unsigned k = 0; k + 1 < CM_EPOCHS; k++)
         fprintf(file, " %5.2f", cm_epoch_death_ratio(&profile->texture, k));
      for (unsigned k = 0; k + 1 < CM_EPOCHS; k++)
         fprintf(file, " %5.2f", cm_epoch_death_ratio(&profile->z, k));
      for (unsigned g = 0; g < 2; g++) {
         const struct group_counts *group = &groups[g ? GROUP_TEXTURE : GROUP_RENDER_TARGET];
         fprintf(file, " %7.1f %%", 100 * ratio(group->distant_fills, group->fills));
      }
   }
   putc('\n', file);
}

static void
print_comparison(const struct llc_comparison *comparison, FILE *file)
{
   struct group_counts groups[GROUP_COUNT];
   const struct cm_llc_result *first = &comparison->points[0].result;
   uint64_t counts[NUM_COUNTS];
   count_groups(first, groups);
   count_all(first, counts);
   fprintf(file, "%s: %s of %s, frames %u-%u, ", comparison->file, cm_unit_names[comparison->unit],
           comparison->configuration, comparison->first_frame, comparison->last_frame);
   if (comparison->options.warm_up)
      fprintf(file, "without the first %u, ", comparison->options.warm_up);
   fprintf(file, "%s\n%" PRIu64 " accesses:", comparison->options.cold_frames ? "each cold" : "warm",
           counts[0]);
   for (unsigned g = 0; g < GROUP_COUNT; g++)
      fprintf(file, "%s %s %.1f %%", g ? "," : "", group_names[g],
              100 * ratio(groups[g].accesses, counts[0]));
   fprintf(file, "\n\n%-22s %8s %12s %10s %9s %12s %9s %9s %9s", "policy", "size", "misses", "of drrip's",
           "ratio", "write-backs", "texture", "target", "z");
   if (comparison->options.profiles)
      fprintf(file, " %9s %9s %9s %17s %17s %9s %9s", "consumed", "z cons.", "inter", "texture deaths",
              "z deaths", "target 3", "texture 3");
   putc('\n', file);
   for (unsigned p = 0; p < comparison->num_points; p++)
      print_point(comparison, &comparison->points[p], file);
}

void
llc_report_table(const struct llc_report *report, FILE *file)
{
   for (unsigned r = 0; r < report->count; r++) {
      if (r)
         putc('\n', file);
      print_comparison(&report->comparisons[r], file);
   }
}
