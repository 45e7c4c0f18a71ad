/* SPDX-License-Identifier: MIT */
/* What a channel has counted so far. */
#include "dram/channel.h"

static void
count_rank(const struct cm_dram_channel *channel, uint32_t rank, struct cm_dram_system_counters *counters)
{
   const struct cm_dram_rank_power *power = &channel->power[rank];
   const bool open = cm_dram_has_open_row(channel, rank);
   const uint64_t now = channel->now;
   uint64_t active_power_down = power->active_power_down;
   uint64_t precharge_power_down = power->precharge_power_down;
   const uint64_t down = cm_dram_power_down_cycle(channel, power);
   if (channel->power_down_after && power->idle && now > down) {
      if (open)
         active_power_down += now - down;
      else
         precharge_power_down += now - down;
   }
   uint64_t active_end = power->active_end < now && !open ? power->active_end : now;
   active_end = cm_max64(active_end, power->active_begin);
   const uint64_t active = power->active_cycles + active_end - power->active_begin;
   counters->active_cycles += active - active_power_down;
   counters->precharged_cycles += now - active - precharge_power_down;
   counters->active_power_down_cycles += active_power_down;
   counters->precharge_power_down_cycles += precharge_power_down;
}

void
cm_dram_channel_count(const struct cm_dram_channel *channel, struct cm_dram_system_counters *counters)
{
   const struct cm_dram_system_counters *own = &channel->counters;
#define ADD(name, measure, description) counters->name += own->name;
   CM_DRAM_SYSTEM_COUNTERS(ADD)
#undef ADD
   counters->row_hits += channel->outcomes[CM_DRAM_ROW_HIT];
   counters->row_misses += channel->outcomes[CM_DRAM_ROW_MISS];
   counters->row_conflicts += channel->outcomes[CM_DRAM_ROW_CONFLICT];
   counters->read_bursts += channel->bursts[READ];
   counters->write_bursts += channel->bursts[WRITE];
   counters->busy_cycles += (channel->bursts[READ] + channel->bursts[WRITE]) * channel->constraints.burst;
   counters->channel_cycles += channel->now;
   for (uint32_t rank = 0; rank < channel->constraints.ranks; rank++)
      count_rank(channel, rank, counters);
}
