/* SPDX-License-Identifier: MIT */
/**
 * A channel's memory controller: command scheduling.
 *
 * In each cycle, in this order (the simulation is event-driven):
 *
 * 1. A rank whose refresh is due takes no commands for requests from this cycle on until it is refreshed.
 *    (Rank k of n is due at (k + 1) tREFI / n and every tREFI after that.) With per-bank refresh, the same holds for
 *    the banks whose turn it is, eight times as often.
 * 2. Requests that have arrived enter the read queue and the write queue, oldest first, while there is room.
 *    "Older" is earlier arrival, then earlier submission.
 * 3. The channel switches to writes when write_high writes are queued, and back when only write_low remain.
 *    It also writes while no read is queued. The commands of a cycle are for one of the two queues.
 *    With turn_requests, it switches back, too, when it has served so many writes and a read is queued; and while reads are
 *    queued it serves so many of them before it switches to writes again.
 * 4. The first of these that is ready (constraints.h) is issued:
 *    a) of a rank whose refresh is due: if rows are open, precharge all (per-bank refresh: the bank), else refresh; the
 *       lowest rank first;
 *    b) a column command for the oldest request whose row is open (FR-FCFS: first ready, then oldest). After a change
 *       of direction, those for rows that were activated for the other queue and have not served it come first, and
 *       no others are issued until they are;
 *    c) for the oldest request of all whose bank has no such request, and no such row: an activate, or where another row
 *       is open a precharge.
 *    A bank that has served row_hit_limit requests since its activate, and whose oldest request is for
 *    another row, is treated as one without requests for its open row.
 *
 * With page_policy closed, the last column command of a request has an auto-precharge unless a queued
 * request, read or write, is for the same row.
 *
 * A rank without queued requests and without a due refresh is powered down power_down_after cycles later, but
 * not before its commands are complete: data transferred, writes recovered (tWR), auto-precharged, refreshed.
 * A request that enters a queue, and a refresh that is due, power it up: its first command is tXP later.
 */
#ifndef CM_DRAM_SCHEDULER_H
#define CM_DRAM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "dram/constraints.h"
#include "dram/dram_system.h"

#define CM_DRAM_MAX_QUEUE 64

/** A request to a channel. */
struct cm_dram_request {
   uint64_t arrival; /**< not before the channel's past ends */
   uint64_t submitted_arrival;
   uint64_t ticket;
   uint64_t row;
   uint8_t bank;   /**< in its channel */
   uint8_t bursts; /**< 1 … */
};

struct cm_dram_channel;

/** When requests reach their ends, by ticket % CM_DRAM_TICKETS; CM_DRAM_PENDING: not scheduled yet. */
struct cm_dram_times {
   uint64_t entered[CM_DRAM_TICKETS];     /**< the cycle at which a request has entered its queue */
   uint64_t completions[CM_DRAM_TICKETS]; /**< the cycle of the caller's clock at which it is complete */
};

/** Makes a channel, which keeps the times of its requests in *times. NULL when out of memory. */
struct cm_dram_channel *
cm_dram_channel_create(const struct cm_dram_system_config *config, const struct cm_dram_device *device,
                       const struct cm_dram_timing *timing, uint32_t number, struct cm_dram_times *times);
void cm_dram_channel_destroy(struct cm_dram_channel *channel);
/** Completions are cycles of a caller's clock from now on. */
void cm_dram_channel_set_clock(struct cm_dram_channel *channel, struct cm_dram_clock clock);

/** Schedules until a request has entered its queue. Returns when that is, in the caller's clock. */
uint64_t cm_dram_channel_enter(struct cm_dram_channel *channel, cm_dram_ticket ticket);
/** Schedules until a request is complete. */
void cm_dram_channel_complete(struct cm_dram_channel *channel, cm_dram_ticket ticket);
/** Schedules all commands before a cycle. */
void cm_dram_channel_advance(struct cm_dram_channel *channel, uint64_t cycle);
/** Schedules all pending requests; returns the latest completion so far. */
uint64_t cm_dram_channel_drain(struct cm_dram_channel *channel);

/** Adds the channel's counters: all but those of cm_dram_system_submit. */
void cm_dram_channel_count(const struct cm_dram_channel *channel, struct cm_dram_system_counters *counters);

void
cm_dram_channel_observe(struct cm_dram_channel *channel,
                        void (*observer)(const struct cm_dram_issue *issue, void *context), void *context);

#endif
