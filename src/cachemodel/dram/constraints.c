/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "dram/constraints.h"
#include "util/minmax.h"

#define READ CM_DRAM_DIRECTION_READ
#define WRITE CM_DRAM_DIRECTION_WRITE

/* a − b, but at least 1: the command bus has one command per cycle. */
static uint32_t
distance(uint32_t a, uint32_t b)
{
   return a > b ? a - b : 1;
}

static void
init_columns(struct cm_dram_constraints *constraints, const struct cm_dram_timing *timing)
{
   const uint32_t burst = constraints->burst, cl = timing->CL, cwl = timing->CWL;
   const uint32_t turn = distance(cl + burst + timing->tRTRS, cwl);
   for (int direction = READ; direction <= WRITE; direction++) {
      constraints->column_same_group[direction][direction] =
         cm_max(direction == READ ? timing->tCCD_L : timing->tCCD_L_WR, burst);
      constraints->column_other_group[direction][direction] = cm_max(timing->tCCD_S, burst);
      constraints->column_other_rank[direction][direction] = burst + timing->tRTRS;
   }
   constraints->column_same_group[READ][WRITE] = turn;
   constraints->column_other_group[READ][WRITE] = turn;
   constraints->column_other_rank[READ][WRITE] = turn;
   constraints->column_same_group[WRITE][READ] = cwl + burst + timing->tWTR_L;
   constraints->column_other_group[WRITE][READ] = cwl + burst + timing->tWTR_S;
   constraints->column_other_rank[WRITE][READ] = distance(cwl + burst + timing->tRTRS, cl);
   constraints->column_to_data[READ] = cl;
   constraints->column_to_data[WRITE] = cwl;
   constraints->column_to_precharge[READ] = timing->tRTP;
   constraints->column_to_precharge[WRITE] = cwl + burst + timing->tWR;
   constraints->column_to_idle[READ] = cl + burst;
   constraints->column_to_idle[WRITE] = constraints->column_to_precharge[WRITE];
}

void
cm_dram_constraints_init(struct cm_dram_constraints *constraints, const struct cm_dram_device *device,
                         const struct cm_dram_timing *timing, uint32_t ranks, bool per_bank_refresh)
{
   const uint32_t banks = device->bank_groups * device->banks_per_group;
   assert(ranks && ranks * banks <= CM_DRAM_MAX_BANKS && device->bank_groups);
   *constraints = (struct cm_dram_constraints){
      .burst = cm_dram_burst_cycles(device),
      .activate_to_column = timing->tRCD,
      .activate_to_precharge = timing->tRAS,
      .precharge_to_activate = timing->tRP,
      .precharge_all_to_activate = timing->tRPab,
      .activate_same_group = timing->tRRD_L,
      .activate_other_group = timing->tRRD_S,
      .four_activates = timing->tFAW,
      .refresh = per_bank_refresh ? timing->tRFCpb : timing->tRFC,
      .refresh_to_activate = timing->tPBR2ACT,
      .refresh_banks = per_bank_refresh ? device->refresh_banks : banks,
      .power_up = timing->tXP,
      .ranks = ranks,
      .groups = device->bank_groups,
      .banks = banks,
   };
   while (1u << constraints->bank_shift < constraints->banks)
      constraints->bank_shift++;
   for (uint32_t bank = 0; bank < ranks * constraints->banks; bank++)
      constraints->group_of[bank] = (uint8_t)(cm_dram_rank_of(constraints, bank) * constraints->groups +
                                              (bank & (constraints->groups - 1)));
   init_columns(constraints, timing);
}

/* The latest of some banks' cycles. */
static uint64_t
latest(const uint64_t *ready, uint64_t banks)
{
   uint64_t cycle = 0;
   for (; banks; banks &= banks - 1)
      cm_dram_not_before(&cycle, ready[__builtin_ctzll(banks)]);
   return cycle;
}

uint64_t
cm_dram_precharge_all_ready(const struct cm_dram_constraints *constraints,
                            const struct cm_dram_channel_state *state, uint32_t rank)
{
   return latest(state->precharge_ready, state->open & cm_dram_banks_of(constraints, rank));
}

void
cm_dram_precharge_all(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                      uint32_t rank, uint64_t cycle)
{
   const uint64_t banks = cm_dram_banks_of(constraints, rank);
   assert(cycle >= cm_dram_precharge_all_ready(constraints, state, rank));
   state->open &= ~banks;
   for (uint64_t left = banks; left; left &= left - 1)
      cm_dram_not_before(&state->activate_ready[__builtin_ctzll(left)],
                         cycle + constraints->precharge_all_to_activate);
}

uint64_t
cm_dram_refresh_ready(const struct cm_dram_constraints *constraints,
                      const struct cm_dram_channel_state *state, uint64_t banks)
{
   assert(banks);
   const uint32_t first = (uint32_t)__builtin_ctzll(banks);
   const struct cm_dram_rank *rank = &state->ranks[cm_dram_rank_of(constraints, first)];
   /* A precharged bank can be activated when tRP has passed, and tRFC: so long a refresh waits, too. */
   uint64_t ready =
      cm_max64(cm_max64(rank->ready, rank->refresh_ready), latest(state->activate_ready, banks));
   if (constraints->refresh_banks < constraints->banks) {
      for (uint64_t left = banks; left; left &= left - 1)
         cm_dram_not_before(&ready,
                            cm_dram_activate_ready(constraints, state, (uint32_t)__builtin_ctzll(left)));
   }
   return ready;
}

void
cm_dram_refresh(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                uint64_t banks, uint64_t cycle)
{
   const uint32_t first = (uint32_t)__builtin_ctzll(banks);
   assert(cycle >= cm_dram_refresh_ready(constraints, state, banks));
   for (uint64_t left = banks; left; left &= left - 1)
      state->activate_ready[__builtin_ctzll(left)] = cycle + constraints->refresh;
   if (constraints->refresh_banks == constraints->banks)
      return;
   state->ranks[cm_dram_rank_of(constraints, first)].refresh_ready = cycle + constraints->refresh;
   cm_dram_activates_follow(constraints, state, first, constraints->refresh_to_activate,
                            constraints->refresh_to_activate, cycle);
}

void
cm_dram_power_up(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                 uint32_t rank, uint64_t cycle)
{
   assert(rank < constraints->ranks);
   const uint64_t ready = cycle + constraints->power_up;
   state->ranks[rank].ready = ready;
   for (uint32_t group = rank * constraints->groups; group < (rank + 1) * constraints->groups; group++) {
      cm_dram_not_before(&state->groups[group].activate_ready, ready);
      cm_dram_not_before(&state->groups[group].column_ready[READ], ready);
      cm_dram_not_before(&state->groups[group].column_ready[WRITE], ready);
   }
   for (uint64_t banks = cm_dram_banks_of(constraints, rank); banks; banks &= banks - 1)
      cm_dram_not_before(&state->precharge_ready[__builtin_ctzll(banks)], ready);
}
