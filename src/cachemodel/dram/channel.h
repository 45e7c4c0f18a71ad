/* SPDX-License-Identifier: MIT */
/** A channel as dram_system.c fills it, scheduler.c schedules it and channel_counters.c counts it; private to these. */
#ifndef CM_DRAM_CHANNEL_H
#define CM_DRAM_CHANNEL_H

#include "dram/organisation.h"
#include "dram/request_queue.h"
#include "dram/scheduler.h"

#define READ CM_DRAM_DIRECTION_READ
#define WRITE CM_DRAM_DIRECTION_WRITE

/* What a rank's power depends on. */
struct cm_dram_rank_power {
   uint32_t queued;            /* requests in both queues */
   bool idle;                  /* no request queued and no refresh due, since idle_since */
   uint64_t idle_since, quiet; /* its commands are complete at quiet */
   /* Cycles with a row open or in a refresh: those before active_begin, and from there to active_end, or on
    * while rows are open. */
   uint64_t active_cycles, active_begin, active_end;
   uint64_t active_power_down, precharge_power_down;
};

/* A command that is to be issued. */
struct cm_dram_next_command {
   uint64_t cycle; /* UINT64_MAX: there is none */
   enum { COLUMN, ROW, REFRESH } kind;
   uint32_t bank;
   enum cm_dram_direction direction; /* of a column command */
   enum cm_dram_direction served;    /* the queue whose requests are served */
};

struct cm_dram_channel {
   struct cm_dram_constraints constraints;
   struct cm_dram_channel_state state;
   struct cm_dram_request_queue queues[2]; /* by direction */
   struct cm_dram_waiting waiting[2];
   uint64_t now;
   struct cm_dram_next_command next; /* if has_chosen */
   bool has_chosen;
   /* The next column command, if has_column: row commands for banks that are not banks_passed do not change it, unless a row that
    * they open can be read or written as soon. */
   struct cm_dram_next_command column;
   bool has_column;
   uint64_t banks_passed;
   bool writing;                         /* serve */
   uint32_t turn_served[2];              /* requests since it began, and since it ended; by direction */
   enum cm_dram_direction direction;     /* of the last data */
   uint32_t row_hits[CM_DRAM_MAX_BANKS]; /* requests served since the activate */
   uint64_t banks_exhausted;             /* bit b: those are row_hit_limit */
   uint64_t banks_fresh[2]; /* bit b: its row was activated for a direction that it did not serve yet */
   /* Bit b: its row may not have been open for as long as column commands need; all are at rows_opened. */
   uint64_t banks_activated, rows_opened;
   /* Precharges and activates of these banks are not ready before this cycle: a bank's next one is never sooner than
    * the one before it could have been. */
   uint64_t row_banks, row_ready;
   uint64_t refresh_set[CM_DRAM_MAX_RANKS]; /* bits of the banks that a rank's next refresh takes */
   uint64_t banks_due;                      /* those of ranks_due */
   uint64_t refresh_due[CM_DRAM_MAX_RANKS]; /* next one of each rank */
   uint64_t next_due;                       /* the earliest of them that is not due yet */
   uint64_t next_arrival[2];                /* set_next_arrival */
   uint64_t next_event;                     /* the least of these three */
   uint32_t ranks_due;                      /* bit r: rank r waits for its refresh */
   struct cm_dram_rank_power power[CM_DRAM_MAX_RANKS];
   uint64_t last_completion;
   struct cm_dram_times *times;
   struct cm_dram_clock clock; /* of the completions */

   uint32_t refresh_interval, write_high, write_low, row_hit_limit, power_down_after, controller_latency;
   uint32_t most_writes, least_reads; /* of a turn while requests of both kinds wait */
   bool closed_pages;
   uint32_t number;
   struct cm_dram_system_counters counters;     /* without what bursts and outcomes have */
   uint64_t bursts[2];                          /* by direction */
   uint64_t outcomes[CM_DRAM_ROW_CONFLICT + 1]; /* completed requests, by enum cm_dram_outcome */
   void (*observer)(const struct cm_dram_issue *issue, void *context);
   void *observer_context;
};

/** The end of its past: all commands before this cycle are out. */
static inline uint64_t
cm_dram_channel_now(const struct cm_dram_channel *channel)
{
   return channel->now;
}

/** Submits a request; at most CM_DRAM_TICKETS may be pending. */
static inline void
cm_dram_channel_submit(struct cm_dram_channel *channel, enum cm_dram_direction direction,
                       const struct cm_dram_request *request)
{
   assert(direction <= WRITE && channel->waiting[direction].requests);
   cm_dram_waiting_add(&channel->waiting[direction], request);
   if (request->arrival < channel->next_arrival[direction] &&
       channel->queues[direction].count < channel->queues[direction].limit) {
      channel->next_arrival[direction] = request->arrival;
      channel->next_event = cm_min64(channel->next_event, request->arrival);
   }
}

/** The cycle at which an idle rank is powered down, unless something happens before. */
static inline uint64_t
cm_dram_power_down_cycle(const struct cm_dram_channel *channel, const struct cm_dram_rank_power *power)
{
   return cm_max64(power->idle_since + channel->power_down_after, power->quiet);
}

/** Whether a row of a rank is open. */
static inline bool
cm_dram_has_open_row(const struct cm_dram_channel *channel, uint32_t rank)
{
   return (channel->state.open & cm_dram_banks_of(&channel->constraints, rank)) != 0;
}

#endif
