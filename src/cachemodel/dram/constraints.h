/* SPDX-License-Identifier: MIT */
/**
 * When a command may follow the earlier ones: the state of a channel's banks, bank groups and ranks as
 * the first cycles at which each command is allowed. Nothing here chooses.
 *
 * What the datasheets give as distances between pairs of commands, with B the cycles of a
 * burst on the data bus (data of a read from CL after its command, of a write from CWL):
 *
 *   same bank      activate → read, write      tRCD
 *                  activate → precharge        tRAS
 *                  activate → activate         tRC = tRAS + tRP, by the precharge between them
 *                  precharge → activate        tRP
 *                  read → precharge            tRTP
 *                  write → precharge           CWL + B + tWR
 *   same rank      activate → activate         tRRD_L in the bank group, tRRD_S in another
 *                  activate → 4th activate after it   tFAW
 *                  read → read, write → write  max(tCCD_L, B), max(tCCD_L_WR, B) in the bank group, max(tCCD_S, B)
 *                                              in another
 *                  write → read                CWL + B + tWTR_L in the bank group, … tWTR_S in another
 *                  precharge → refresh         tRP; all banks are precharged
 *                  precharge all → activate, refresh   tRPab
 *                  refresh → activate, refresh tRFC
 *                  per-bank refresh → activate of its banks, refresh   tRFCpb
 *                  per-bank refresh → activate of other banks          tPBR2ACT
 *                  activate → per-bank refresh         as to an activate; for tFAW the refresh is one, too
 *                  end of power-down → any     tXP
 *   any rank       read → write                CL + B + tRTRS − CWL
 *   other rank     read → read, write → write  B + tRTRS
 *                  write → read                CWL + B + tRTRS − CL
 *
 * and a channel has one command per cycle. A bank that a read or write with auto-precharge closes is
 * precharged by itself at the first cycle at which a precharge would be allowed.
 */
#ifndef CM_DRAM_CONSTRAINTS_H
#define CM_DRAM_CONSTRAINTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "dram/device.h"
#include "util/minmax.h"

#define CM_DRAM_MAX_RANKS 4
#define CM_DRAM_MAX_BANKS 64  /* of a channel, all ranks */
#define CM_DRAM_MAX_GROUPS 16 /* of a channel, all ranks */

/** Direction of a column command, as an index. */
enum cm_dram_direction {
   CM_DRAM_DIRECTION_READ,
   CM_DRAM_DIRECTION_WRITE,
};

/** Distances between commands in cycles, and how banks are numbered. */
struct cm_dram_constraints {
   uint32_t burst; /**< cycles of the data bus */
   uint32_t activate_to_column, activate_to_precharge, precharge_to_activate, precharge_all_to_activate;
   uint32_t activate_same_group, activate_other_group, four_activates;
   uint32_t refresh, refresh_to_activate, power_up;
   uint32_t refresh_banks;     /**< banks that a refresh takes; all of a rank's, unless it is per bank */
   uint32_t column_to_data[2]; /**< CL, CWL, by direction */
   uint32_t column_to_precharge[2];
   uint32_t column_to_idle[2]; /**< until it is complete: data transferred, written */
   /** From a column command to the next, by their directions. */
   uint32_t column_same_group[2][2], column_other_group[2][2], column_other_rank[2][2];
   uint32_t ranks, groups /* of a rank */, banks /* of a rank */;
   uint32_t bank_shift;                 /**< a bank's number in its channel >> bank_shift: its rank */
   uint8_t group_of[CM_DRAM_MAX_BANKS]; /**< a bank's group, both numbered in the channel */
};

/** The distances of a device whose timing may have been changed, in a channel of so many ranks. */
void cm_dram_constraints_init(struct cm_dram_constraints *constraints, const struct cm_dram_device *device,
                              const struct cm_dram_timing *timing, uint32_t ranks, bool per_bank_refresh);

/** What holds for all banks of a group. */
struct cm_dram_group {
   uint64_t activate_ready, column_ready[2];
};

struct cm_dram_rank {
   uint64_t ready;         /**< of all commands: power-down */
   uint64_t refresh_ready; /**< after a per-bank refresh */
   uint64_t activates[4];  /**< 1 + cycles of the last four; 0: none */
   uint32_t oldest;        /**< of the four */
};

/** A channel's state. All zero: nothing happened, all rows are closed. Banks have their channel's numbers. */
struct cm_dram_channel_state {
   uint64_t open; /**< bit b: bank b has a row open */
   uint64_t activate_ready[CM_DRAM_MAX_BANKS];
   uint64_t precharge_ready[CM_DRAM_MAX_BANKS];
   uint64_t column_ready[CM_DRAM_MAX_BANKS];
   uint64_t row[CM_DRAM_MAX_BANKS]; /**< where open */
   struct cm_dram_group groups[CM_DRAM_MAX_GROUPS];
   struct cm_dram_rank ranks[CM_DRAM_MAX_RANKS];
};

/** A command is not ready before a cycle. */
static inline void
cm_dram_not_before(uint64_t *ready, uint64_t cycle)
{
   *ready = cm_max64(*ready, cycle);
}

static inline uint32_t
cm_dram_rank_of(const struct cm_dram_constraints *constraints, uint32_t bank)
{
   return bank >> constraints->bank_shift;
}

/** Bits of a rank's banks. */
static inline uint64_t
cm_dram_banks_of(const struct cm_dram_constraints *constraints, uint32_t rank)
{
   const uint64_t banks = constraints->banks == 64 ? UINT64_MAX : (1ull << constraints->banks) - 1;
   return banks << (rank << constraints->bank_shift);
}

/** First cycle of an activate of a precharged bank. */
static inline uint64_t
cm_dram_activate_ready(const struct cm_dram_constraints *constraints,
                       const struct cm_dram_channel_state *state, uint32_t bank)
{
   return cm_max64(state->activate_ready[bank], state->groups[constraints->group_of[bank]].activate_ready);
}

/** First cycle of a precharge of an open bank. */
static inline uint64_t
cm_dram_precharge_ready(const struct cm_dram_channel_state *state, uint32_t bank)
{
   return state->precharge_ready[bank];
}

/** First cycle of a read or write of an open bank. */
static inline uint64_t
cm_dram_column_ready(const struct cm_dram_constraints *constraints, const struct cm_dram_channel_state *state,
                     uint32_t bank, enum cm_dram_direction direction)
{
   return cm_max64(state->column_ready[bank],
                   state->groups[constraints->group_of[bank]].column_ready[direction]);
}

/** First cycle of a precharge of all a rank's banks. */
uint64_t cm_dram_precharge_all_ready(const struct cm_dram_constraints *constraints,
                                     const struct cm_dram_channel_state *state, uint32_t rank);

/** First cycle of a refresh of some banks of a rank, or all, which are precharged. */
uint64_t cm_dram_refresh_ready(const struct cm_dram_constraints *constraints,
                               const struct cm_dram_channel_state *state, uint64_t banks);

/* What a command does to the state. It must be ready at the cycle. */

/** The rank's next activates are so far away from one of a bank, in its bank group and in others. */
static inline void
cm_dram_activates_follow(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                         uint32_t bank, uint32_t same_group, uint32_t other_group, uint64_t cycle)
{
   struct cm_dram_rank *rank = &state->ranks[cm_dram_rank_of(constraints, bank)];
   const uint32_t own = constraints->group_of[bank];
   rank->activates[rank->oldest] = cycle + 1;
   rank->oldest = (rank->oldest + 1) % 4;
   const uint64_t fourth_last = rank->activates[rank->oldest];
   const uint64_t window = fourth_last ? fourth_last - 1 + constraints->four_activates : 0;
   const uint32_t first = own & ~(constraints->groups - 1);
   for (uint32_t group = first; group < first + constraints->groups; group++) {
      const uint64_t next = cycle + (group == own ? same_group : other_group);
      cm_dram_not_before(&state->groups[group].activate_ready, cm_max64(next, window));
   }
}

static inline void
cm_dram_activate(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                 uint32_t bank, uint64_t row, uint64_t cycle)
{
   assert(!(state->open >> bank & 1) && cycle >= cm_dram_activate_ready(constraints, state, bank));
   state->open |= 1ull << bank;
   state->row[bank] = row;
   state->column_ready[bank] = cycle + constraints->activate_to_column;
   state->precharge_ready[bank] = cycle + constraints->activate_to_precharge;
   cm_dram_activates_follow(constraints, state, bank, constraints->activate_same_group,
                            constraints->activate_other_group, cycle);
}

static inline void
cm_dram_precharge(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                  uint32_t bank, uint64_t cycle)
{
   assert(state->open >> bank & 1 && cycle >= state->precharge_ready[bank]);
   state->open &= ~(1ull << bank);
   cm_dram_not_before(&state->activate_ready[bank], cycle + constraints->precharge_to_activate);
}

/** The next column commands of a group are so far away from one, by their directions. */
static inline void
cm_dram_column_follows(struct cm_dram_group *group, const uint32_t *distances, uint64_t cycle)
{
   cm_dram_not_before(&group->column_ready[CM_DRAM_DIRECTION_READ],
                      cycle + distances[CM_DRAM_DIRECTION_READ]);
   cm_dram_not_before(&group->column_ready[CM_DRAM_DIRECTION_WRITE],
                      cycle + distances[CM_DRAM_DIRECTION_WRITE]);
}

/** A read or write. With auto_precharge, the cycle at which the bank is precharged; else 0. */
static inline uint64_t
cm_dram_column(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
               uint32_t bank, enum cm_dram_direction direction, bool auto_precharge, uint64_t cycle)
{
   const uint32_t count = constraints->groups * constraints->ranks;
   const uint32_t own = count > 1 ? constraints->group_of[bank] : 0, first = own & ~(constraints->groups - 1);
   assert(state->open >> bank & 1 && cycle >= cm_dram_column_ready(constraints, state, bank, direction));
   cm_dram_column_follows(&state->groups[own], constraints->column_same_group[direction], cycle);
   for (uint32_t group = 0; count > 1 && group < count; group++) {
      if (group == own)
         continue;
      const bool same_rank = (group & ~(constraints->groups - 1)) == first;
      cm_dram_column_follows(&state->groups[group],
                             same_rank ? constraints->column_other_group[direction]
                                       : constraints->column_other_rank[direction],
                             cycle);
   }
   cm_dram_not_before(&state->precharge_ready[bank], cycle + constraints->column_to_precharge[direction]);
   if (!auto_precharge)
      return 0;
   const uint64_t precharged = state->precharge_ready[bank];
   cm_dram_precharge(constraints, state, bank, precharged);
   return precharged;
}

void cm_dram_precharge_all(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                           uint32_t rank, uint64_t cycle);
/** A refresh of the banks that cm_dram_refresh_ready was asked for. */
void cm_dram_refresh(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                     uint64_t banks, uint64_t cycle);
/** The rank leaves power-down. */
void cm_dram_power_up(const struct cm_dram_constraints *constraints, struct cm_dram_channel_state *state,
                      uint32_t rank, uint64_t cycle);

#endif
