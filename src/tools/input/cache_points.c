/* SPDX-License-Identifier: MIT */
#include "input/cache_points.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/names.h"
#include "memory/cache.h"
#include "tools.h"

const char *const oracle_names[] = {"", "-oracle", "-frame-oracle", "-block-oracle"};

/* ---- lists ------------------------------------------------------------------- */

struct list {
   uint32_t *values;
   unsigned count;
};

/* The values of a list with commas and ranges, each once; where there is no list, one value. */
static struct list
parse_list(const char *option, const char *value, uint32_t otherwise,
           uint32_t (*parse_value)(const char *option, const char *word))
{
   char *words = value ? options_expand(option, value) : NULL, *rest = words;
   struct list list = {.values = allocate(((words ? strlen(words) : 0) + 1) * sizeof(uint32_t))};
   if (!words)
      list.values[list.count++] = otherwise;
   for (char *word; (word = strsep(&rest, ","));) {
      const uint32_t parsed = parse_value(option, word);
      for (unsigned i = 0; i < list.count; i++) {
         if (list.values[i] == parsed)
            fail(STATUS_USAGE, "%s %s: %s is given twice", option, value, word);
      }
      list.values[list.count++] = parsed;
   }
   free(words);
   return list;
}

static uint32_t
parse_size(const char *option, const char *word)
{
   const uint32_t size = options_bytes(option, word);
   if (!size)
      fail(STATUS_USAGE, "%s %s: expected at least one block", option, word);
   return size;
}

static uint32_t
parse_stream(const char *option, const char *word)
{
   return options_name(option, word, cm_stream_names, CM_STREAM_COUNT);
}

uint32_t
cache_points_block(const char *value)
{
   const uint32_t block = value ? options_bytes("--block", value) : 64;
   if (block < 16 || block > 4096 || (block & (block - 1)))
      fail(STATUS_USAGE, "--block %s: expected a power of two from 16 to 4096", value);
   return block;
}

uint32_t
cache_points_streams(const char *names)
{
   const struct list list = parse_list("--stream", names, 0, parse_stream);
   uint32_t streams = 0;
   for (unsigned s = 0; s < list.count; s++)
      streams |= 1u << list.values[s];
   free(list.values);
   return streams;
}

/* ---- policies ----------------------------------------------------------------- */

static bool
is_among(const struct cache_points *points, unsigned first, const struct cm_sweep_point *point)
{
   for (unsigned p = first; p < points->count; p++) {
      if (!memcmp(&points->list[p], point, sizeof *point))
         return true;
   }
   return false;
}

/* What follows a policy's name and a colon. */
static bool
parse_setting(const char *setting, struct cm_cache_config *cache)
{
   char *end;
   const unsigned long value = strtoul(setting, &end, 10);
   const bool is_number = *setting && !*end;
   switch (cache->policy) {
   case CM_POLICY_DRRIP:
   case CM_POLICY_DRRIP4:
   case CM_POLICY_GS_DRRIP:
   case CM_POLICY_GS_DRRIP4: {
      char *option = text("--policy %s: leaders", cm_policy_names[cache->policy]);
      cache->rrip.leaders =
         (enum cm_leaders)options_name(option, setting, cm_leaders_names, CM_LEADERS_COUNT);
      free(option);
      return true;
   }
   default:
      cache->gspc.threshold = (uint32_t)value;
      return cm_policy_samples(cache->policy) && is_number && value - 1 < 128;
   }
}

/* Cuts what follows the policy's own name. */
static enum cm_oracle
parse_oracle(char *name)
{
   const size_t length = strlen(name);
   for (enum cm_oracle oracle = CM_ORACLE_BLOCK; oracle > CM_ORACLE_NONE; oracle--) {
      const size_t tail = strlen(oracle_names[oracle]);
      if (length <= tail || strcasecmp(name + length - tail, oracle_names[oracle]))
         continue;
      name[length - tail] = 0;
      return oracle;
   }
   return CM_ORACLE_NONE;
}

/* "gspztc:2": policy, choice and oracle of a point; returns the choice, NULL: none. */
static const char *
parse_policy(const char *word, struct cm_sweep_point *point)
{
   char *name = text("%s", word), *setting = strchr(name, ':');
   if (setting)
      *setting++ = 0;
   point->oracle = parse_oracle(name);
   point->config.policy = (enum cm_policy)options_name("--policy", name, cm_policy_names, CM_POLICY_COUNT);
   if (point->oracle && !cm_policy_samples(point->config.policy))
      fail(STATUS_USAGE, "--policy %s: expected gspztc-oracle, gspztc-tse-oracle or gspc-oracle", word);
   if (point->oracle == CM_ORACLE_BLOCK && point->config.policy != CM_POLICY_GSPC)
      fail(STATUS_USAGE, "--policy %s: expected gspc-block-oracle", word);
   if (setting && !parse_setting(setting, &point->config))
      fail(STATUS_USAGE,
           "--policy %s: expected gspztc, gspztc-tse or gspc and a threshold from 1 to 128, or drrip or "
           "gs-drrip and a choice of leaders",
           word);
   setting = setting ? text("%s", setting) : NULL;
   free(name);
   return setting;
}

/* The policies of a list, each once, as changes of a cache. */
static struct cache_points
parse_policies(const char *names, const struct cm_cache_config *base)
{
   char *words = text("%s", names), *rest = words;
   struct cache_points policies = {.list = allocate((strlen(words) + 1) * sizeof *policies.list),
                                   .settings = allocate((strlen(words) + 1) * sizeof *policies.settings)};
   for (char *word; (word = strsep(&rest, ","));) {
      struct cm_sweep_point point = {.config = *base};
      policies.settings[policies.count] = parse_policy(word, &point);
      if (is_among(&policies, 0, &point))
         fail(STATUS_USAGE, "--policy %s: %s is given twice", names, word);
      policies.list[policies.count++] = point;
   }
   free(words);
   return policies;
}

void
cache_points_print_policies(FILE *file)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++)
      fprintf(file, "  %-24s %s\n", cm_policy_names[policy], cm_policy_descriptions[policy]);
}

/* ---- points ------------------------------------------------------------------- */

/* Adds a cache unless the policy, whose points begin at `first`, has it: "full" may be what is there as a number. */
static void
add_point(struct cache_points *points, unsigned first, const struct cm_sweep_point *point,
          const char *setting)
{
   char error[512];
   const struct cm_cache_config *cache = &point->config;
   if (!cm_cache_config_validate(cache, CM_SWEEP_MAX_WAYS, "--", error, sizeof error))
      fail(STATUS_USAGE, "%s, size %u, %u ways: %s", cm_policy_names[cache->policy], cache->size, cache->ways,
           error);
   if (is_among(points, first, point))
      return;
   points->settings[points->count] = setting;
   points->list[points->count++] = *point;
}

/* All sizes and ways of a policy. */
static void
add_policy(struct cache_points *points, struct cm_sweep_point point, const char *setting,
           const struct list *sizes, const struct list *ways, uint32_t uncached)
{
   const uint32_t own = point.config.uncached;
   const unsigned first = points->count;
   point.config.full_ways = 0;
   for (unsigned i = 0; i < ways->count * sizes->count; i++) {
      const uint32_t its_ways = ways->values[i / sizes->count];
      point.config.size = sizes->values[i % sizes->count];
      point.config.ways = its_ways == OPTIONS_FULL_WAYS ? point.config.size / point.config.block : its_ways;
      add_point(points, first, &point, setting);
      point.config.uncached = uncached ? uncached : own;
      add_point(points, first, &point, setting);
      point.config.uncached = own;
   }
}

struct cache_points
cache_points_make(const struct cache_selection *caches, const struct cm_cache_config *base,
                  const char *uncached)
{
   const struct list sizes = parse_list("--size", caches->sizes, base->size, parse_size);
   const struct list ways =
      parse_list("--ways", caches->ways, base->full_ways ? OPTIONS_FULL_WAYS : base->ways, options_ways);
   const struct cache_points policies = parse_policies(caches->policies, base);
   const uint32_t stream = uncached ? 1 + parse_stream("--uncached", uncached) : 0;
   const unsigned long most = (uncached ? 2ul : 1ul) * sizes.count * ways.count * policies.count;
   if (most > CM_SWEEP_MAX_POINTS)
      fail(STATUS_USAGE, "%lu combinations of --size, --ways and --policy are too many, expected up to %u",
           most, CM_SWEEP_MAX_POINTS);
   struct cache_points points = {.list = allocate(most * sizeof *points.list),
                                 .settings = allocate(most * sizeof *points.settings)};
   for (unsigned p = 0; p < policies.count; p++)
      add_policy(&points, policies.list[p], policies.settings[p], &sizes, &ways, stream);
   free(policies.list);
   free(policies.settings);
   free(sizes.values);
   free(ways.values);
   return points;
}
