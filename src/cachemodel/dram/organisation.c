/* SPDX-License-Identifier: MIT */
#include "config/config.h"
#include "dram/constraints.h"
#include "dram/organisation.h"
#include "dram/dram_system.h"
#include "dram/scheduler.h"
#include "util/minmax.h"

#define MAX_CHANNELS 16

struct cm_dram_timing
cm_dram_config_timing(const struct cm_dram_system_config *config)
{
   struct cm_dram_timing timing = cm_dram_device(config->device)->timing;
#define OVERRIDE(name, description) \
   if (config->timing.name)         \
      timing.name = config->timing.name;
   CM_DRAM_TIMINGS(OVERRIDE)
#undef OVERRIDE
   /* What is longer for some is not shorter where only the other is changed. */
   timing.tRPab = cm_max(timing.tRPab, timing.tRP);
   timing.tCCD_L_WR = cm_max(timing.tCCD_L_WR, timing.tCCD_L);
   return timing;
}

uint32_t
cm_dram_config_chips(const struct cm_dram_system_config *config)
{
   return config->channel_width / cm_dram_device(config->device)->width;
}

uint32_t
cm_dram_config_row_bytes(const struct cm_dram_system_config *config)
{
   return cm_dram_device(config->device)->columns * (config->channel_width / 8);
}

uint32_t
cm_dram_config_burst_bytes(const struct cm_dram_system_config *config)
{
   return cm_dram_device(config->device)->burst_length * config->channel_width / 8;
}

uint32_t
cm_dram_config_refreshes(const struct cm_dram_system_config *config)
{
   return config->refresh == CM_DRAM_REFRESH_PER_BANK ? 8 : 1;
}

/* The n of 2^n. */
static uint32_t
log2_of(uint32_t power_of_two)
{
   return (uint32_t)__builtin_ctz(power_of_two);
}

struct cm_dram_geometry
cm_dram_config_geometry(const struct cm_dram_system_config *config)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   return (struct cm_dram_geometry){
      .offset_bits = log2_of(config->interleave),
      .channel_bits = log2_of(config->channels),
      .rank_bits = log2_of(config->ranks),
      .bank_bits = log2_of(device->bank_groups * device->banks_per_group),
      .column_bits = log2_of(cm_dram_config_row_bytes(config) / config->interleave),
      .row_bits = log2_of(device->rows),
   };
}

/* ---- checking ------------------------------------------------------------------------------------- */

/* Names the key that the next check is about. */
static struct cm_config_problem *
about(struct cm_config_problem *problem, const char *key)
{
   return cm_config_about(problem, "dram_system.%s", key);
}

static bool
in_range(struct cm_config_problem *problem, const char *key, uint32_t value, uint32_t low, uint32_t high)
{
   return cm_config_in_range(about(problem, key), value, low, high);
}

static bool
is_power(struct cm_config_problem *problem, const char *key, uint32_t value, uint32_t low, uint32_t high)
{
   return cm_config_power_of_two(about(problem, key), value, low, high);
}

static bool
check_organisation(const struct cm_dram_system_config *config, struct cm_config_problem *problem)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   if (!is_power(problem, "channels", config->channels, 1, MAX_CHANNELS) ||
       !is_power(problem, "ranks", config->ranks, 1, CM_DRAM_MAX_RANKS) ||
       !is_power(problem, "channel_width", config->channel_width, 8, 256))
      return false;
   if (config->channel_width < device->width)
      return cm_config_wrong(about(problem, "channel_width"),
                             "%u bits are less than one chip of %s has, expected at least %u",
                             config->channel_width, device->name, device->width);
   if (config->ranks * device->bank_groups * device->banks_per_group > CM_DRAM_MAX_BANKS)
      return cm_config_wrong(about(problem, "ranks"),
                             "%u ranks of %s have more than %u banks, expected at most %u ranks",
                             config->ranks, device->name, CM_DRAM_MAX_BANKS,
                             CM_DRAM_MAX_BANKS / (device->bank_groups * device->banks_per_group));
   if (config->refresh == CM_DRAM_REFRESH_PER_BANK && !device->refresh_banks)
      return cm_config_wrong(about(problem, "refresh"), "%s has no per-bank refresh, expected all-bank",
                             device->name);
   return is_power(problem, "interleave", config->interleave, CM_DRAM_REQUEST_BYTES,
                   cm_dram_config_row_bytes(config));
}

static bool
check_mapping(const struct cm_dram_system_config *config, uint32_t size_mib,
              struct cm_config_problem *problem)
{
   const struct cm_dram_geometry geometry = cm_dram_config_geometry(config);
   struct cm_dram_address_mapping mapping;
   char message[300];
   if (!config->mapping)
      return cm_config_wrong(about(problem, "mapping"),
                             "it is not set, expected an order of row, rank, bank, column, channel");
   if (!cm_dram_address_mapping_parse(&mapping, config->mapping, &geometry, message, sizeof message))
      return cm_config_wrong(about(problem, "mapping"), "%s", message);
   const uint64_t mib = (1ull << mapping.capacity_bits) >> 20;
   return mib >= size_mib ||
          cm_config_wrong(
             about(problem, "channels"),
             "%u channels of %u ranks of %u chips hold %llu MiB, expected at least dram.size_mib, %u",
             config->channels, config->ranks, cm_dram_config_chips(config), (unsigned long long)mib,
             size_mib);
}

static bool
check_queues(const struct cm_dram_system_config *config, struct cm_config_problem *problem)
{
   return in_range(problem, "read_queue", config->read_queue, 1, CM_DRAM_MAX_QUEUE) &&
          in_range(problem, "write_queue", config->write_queue, 1, CM_DRAM_MAX_QUEUE) &&
          in_range(problem, "write_high", config->write_high, 1, config->write_queue) &&
          in_range(problem, "write_low", config->write_low, 0, config->write_high - 1) &&
          in_range(problem, "turn_requests", config->turn_requests, 0, 1u << 20) &&
          in_range(problem, "row_hit_limit", config->row_hit_limit, 0, 1u << 20) &&
          in_range(problem, "power_down_after", config->power_down_after, 0, 1u << 30) &&
          in_range(problem, "controller_latency", config->controller_latency, 0, 10000);
}

/* Distances that a change could take away the sense of. */
static bool
check_timing(const struct cm_dram_system_config *config, struct cm_config_problem *problem)
{
   const struct cm_dram_timing timing = cm_dram_config_timing(config);
#define IN_RANGE(name, description)                                  \
   if (!in_range(problem, "timing." #name, timing.name, 1, 1000000)) \
      return false;
   CM_DRAM_TIMINGS(IN_RANGE)
#undef IN_RANGE
   if (timing.tRAS < timing.tRCD)
      return cm_config_wrong(about(problem, "timing.tRAS"), "%u is less than tRCD, expected at least %u",
                             timing.tRAS, timing.tRCD);
   const uint32_t refreshes = cm_dram_config_refreshes(config);
   /* With per-bank refresh, activates of the rank wait for these, too, and must get a turn before the next one. */
   const uint32_t busy =
      refreshes > 1 ? cm_max(cm_max(timing.tRFCpb, timing.tPBR2ACT), timing.tFAW) : timing.tRFC;
   const uint32_t least = (refreshes > 1 ? refreshes : config->ranks) * (busy + timing.tRAS + timing.tRP);
   return timing.tREFI > least ||
          cm_config_wrong(about(problem, "timing.tREFI"),
                          "%u leaves no time between refreshes, expected more than %u", timing.tREFI, least);
}

bool
cm_dram_system_config_check(const struct cm_dram_system_config *config, uint32_t size_mib,
                            struct cm_config_problem *problem)
{
   return in_range(problem, "device", config->device, 1, cm_dram_device_count()) &&
          check_organisation(config, problem) && check_mapping(config, size_mib, problem) &&
          check_queues(config, problem) && check_timing(config, problem);
}

bool
cm_dram_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   cm_config_about(problem, "dram.latency_max");
   if (config->dram.latency_max < config->dram.latency_min)
      return cm_config_wrong(problem, "%u is less than latency_min, expected at least %u",
                             config->dram.latency_max, config->dram.latency_min);
   return CM_KEY_IN_RANGE(problem, config, dram.size_mib, 1, 1u << 24) &&
          (!config->dram_system.device ||
           cm_dram_system_config_check(&config->dram_system, config->dram.size_mib, problem));
}
