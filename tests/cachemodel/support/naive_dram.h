/* SPDX-License-Identifier: MIT */
/** A channel of DRAM cycle by cycle: the rules of dram/scheduler.h and dram/constraints.h written down one by
 * one, with every command checked against all commands before it. Slow, and shares no code with the model. */
#ifndef NAIVE_DRAM_H
#define NAIVE_DRAM_H

#include "dram/device.h"
#include "dram/dram_system.h"

struct naive_request {
   uint64_t arrival;
   bool write;
   uint32_t rank, bank;
   uint64_t row;
   uint32_t bursts;

   /* What becomes of it. */
   bool queued, done;
   uint64_t entered;    /**< in its queue */
   uint64_t served;     /**< its last read or write */
   uint64_t completion; /**< last data on the bus */
   bool activated, conflicted;
};

struct naive_result {
   struct cm_dram_issue *commands; /**< the channel is left 0 */
   uint32_t num_commands;
   uint64_t row_hits, row_misses, row_conflicts;
   uint64_t active_cycles, precharged_cycles, active_power_down_cycles, precharge_power_down_cycles;
   uint64_t queue_full_requests, queue_full_cycles;
};

/** Simulates the cycles before `end`, by which all is done. The requests are in order of age. */
void naive_dram_run(const struct cm_dram_system_config *config, const struct cm_dram_device *device,
                    const struct cm_dram_timing *timing, struct naive_request *requests,
                    uint32_t num_requests, uint64_t end, struct naive_result *result);

void naive_dram_finish(struct naive_result *result);

#endif
