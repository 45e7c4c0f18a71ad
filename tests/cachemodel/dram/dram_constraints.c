/* SPDX-License-Identifier: MIT */
/* Every constraint of dram/constraints.h, on every device: the command is not ready one cycle before the
 * distance that its datasheet gives, and ready at it. Each is also tested with the timing in question raised
 * so far that nothing else can be what holds the command back. */
#include <string.h>

#include "dram/constraints.h"
#include "support/dram_harness.h"
#include "support/test.h"

#define START 5000 /* the first command's cycle */

/* A channel of two ranks. Banks 0 and `same` are in one bank group, `other` is in another one, or in the same
 * where there is only one; `rank1` is in the second rank. */
struct fixture {
   struct cm_dram_timing timing;
   struct cm_dram_constraints constraints;
   struct cm_dram_channel_state state;
   uint32_t B; /* cycles of a burst */
   uint32_t same, other, rank1, last;
};

static void
open_row(struct fixture *f, uint32_t bank, uint64_t cycle)
{
   cm_dram_activate(&f->constraints, &f->state, bank, 1, cycle);
}

static void
transfer(struct fixture *f, uint32_t bank, enum cm_dram_direction direction, uint64_t cycle)
{
   cm_dram_column(&f->constraints, &f->state, bank, direction, false, cycle);
}

/* What makes a command's time: the first commands, and how long after START the last is ready by the model;
 * and by the datasheet. */
struct constraint {
   const char *name;
   size_t timing; /* which timing it is about */
   uint64_t (*model)(struct fixture *f);
   uint64_t (*datasheet)(const struct fixture *f);
};

static uint64_t
larger(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

#define READ CM_DRAM_DIRECTION_READ
#define WRITE CM_DRAM_DIRECTION_WRITE
#define ACTIVATE_READY(bank) cm_dram_activate_ready(&f->constraints, &f->state, bank)
#define PRECHARGE_READY(bank) cm_dram_precharge_ready(&f->state, bank)
#define COLUMN_READY(bank, direction) cm_dram_column_ready(&f->constraints, &f->state, bank, direction)
#define T(name) ((uint64_t)f->timing.name)
/* The first banks that a refresh takes, or all; the next ones. */
#define REFRESH_SET ((2ull << (f->constraints.refresh_banks - 1)) - 1)
#define REFRESH cm_dram_refresh(&f->constraints, &f->state, REFRESH_SET, START)
#define REFRESH_READY cm_dram_refresh_ready(&f->constraints, &f->state, REFRESH_SET)
#define NEXT_REFRESH_READY \
   cm_dram_refresh_ready(&f->constraints, &f->state, REFRESH_SET << f->constraints.refresh_banks)

/* Rows that have been open long enough for anything. */
#define OPEN_LONG_AGO(bank) open_row(f, bank, START - 4000 + (uint64_t)(bank) * 40)

#define CONSTRAINT(id, before, ready, distance)            \
   static uint64_t model_##id(struct fixture *f)           \
   {                                                       \
      before;                                              \
      return ready;                                        \
   }                                                       \
   static uint64_t datasheet_##id(const struct fixture *f) \
   {                                                       \
      return START + (distance);                           \
   }

/* clang-format off */
CONSTRAINT(tRCD_read, open_row(f, 0, START), COLUMN_READY(0, READ), T(tRCD))
CONSTRAINT(tRCD_write, open_row(f, 0, START), COLUMN_READY(0, WRITE), T(tRCD))
CONSTRAINT(tRAS, open_row(f, 0, START), PRECHARGE_READY(0), T(tRAS))
CONSTRAINT(tRC, (open_row(f, 0, START), cm_dram_precharge(&f->constraints, &f->state, 0, START + T(tRAS))),
           ACTIVATE_READY(0), T(tRAS) + T(tRP))
CONSTRAINT(tRP, (OPEN_LONG_AGO(0), cm_dram_precharge(&f->constraints, &f->state, 0, START)),
           ACTIVATE_READY(0), T(tRP))
CONSTRAINT(tRP_refresh, (OPEN_LONG_AGO(0), cm_dram_precharge(&f->constraints, &f->state, 0, START)),
           REFRESH_READY, T(tRP))
CONSTRAINT(tRPab, (OPEN_LONG_AGO(0), cm_dram_precharge_all(&f->constraints, &f->state, 0, START)),
           ACTIVATE_READY(0), T(tRPab))
CONSTRAINT(tRPab_closed, (OPEN_LONG_AGO(0), cm_dram_precharge_all(&f->constraints, &f->state, 0, START)),
           ACTIVATE_READY(3), T(tRPab))
CONSTRAINT(tRPab_refresh, (OPEN_LONG_AGO(0), cm_dram_precharge_all(&f->constraints, &f->state, 0, START)),
           REFRESH_READY, T(tRPab))
CONSTRAINT(tRTP, (OPEN_LONG_AGO(0), transfer(f, 0, READ, START)), PRECHARGE_READY(0), T(tRTP))
CONSTRAINT(tRTP_all, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(2), transfer(f, 0, READ, START)),
           cm_dram_precharge_all_ready(&f->constraints, &f->state, 0), T(tRTP))
CONSTRAINT(tWR, (OPEN_LONG_AGO(0), transfer(f, 0, WRITE, START)), PRECHARGE_READY(0), T(CWL) + f->B + T(tWR))
CONSTRAINT(tWR_auto, (OPEN_LONG_AGO(0), cm_dram_column(&f->constraints, &f->state, 0, WRITE, true, START)),
           ACTIVATE_READY(0), T(CWL) + f->B + T(tWR) + T(tRP))
CONSTRAINT(tRTP_auto, (OPEN_LONG_AGO(0), cm_dram_column(&f->constraints, &f->state, 0, READ, true, START)),
           ACTIVATE_READY(0), T(tRTP) + T(tRP))
CONSTRAINT(tRRD_L, open_row(f, 0, START), ACTIVATE_READY(f->same), T(tRRD_L))
CONSTRAINT(tRRD_S, open_row(f, 0, START), ACTIVATE_READY(f->other),
           f->constraints.groups > 1 ? T(tRRD_S) : T(tRRD_L))
CONSTRAINT(tFAW, (open_row(f, 0, START), open_row(f, 1, START + T(tRRD_L)),
                  open_row(f, 2, START + 2 * T(tRRD_L)),
                  open_row(f, 3, START + 3 * T(tRRD_L))),
           ACTIVATE_READY(5), larger(T(tFAW), 3 * T(tRRD_L) + (f->constraints.groups > 2 ? T(tRRD_S) : T(tRRD_L))))
CONSTRAINT(tCCD_L_read, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->same), transfer(f, 0, READ, START)),
           COLUMN_READY(f->same, READ), larger(T(tCCD_L), f->B))
CONSTRAINT(tCCD_L_WR, (OPEN_LONG_AGO(0), transfer(f, 0, WRITE, START)), COLUMN_READY(0, WRITE),
           larger(T(tCCD_L_WR), f->B))
CONSTRAINT(tCCD_S_read, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->other), transfer(f, 0, READ, START)),
           COLUMN_READY(f->other, READ), larger(f->constraints.groups > 1 ? T(tCCD_S) : T(tCCD_L), f->B))
CONSTRAINT(tCCD_S_write, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->other), transfer(f, 0, WRITE, START)),
           COLUMN_READY(f->other, WRITE), larger(f->constraints.groups > 1 ? T(tCCD_S) : T(tCCD_L_WR), f->B))
CONSTRAINT(tWTR_L, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->same), transfer(f, 0, WRITE, START)),
           COLUMN_READY(f->same, READ), T(CWL) + f->B + T(tWTR_L))
CONSTRAINT(tWTR_S, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->other), transfer(f, 0, WRITE, START)),
           COLUMN_READY(f->other, READ), T(CWL) + f->B + (f->constraints.groups > 1 ? T(tWTR_S) : T(tWTR_L)))
CONSTRAINT(read_to_write, (OPEN_LONG_AGO(0), transfer(f, 0, READ, START)), COLUMN_READY(0, WRITE),
           T(CL) + f->B + T(tRTRS) - T(CWL))
CONSTRAINT(read_to_write_rank, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->rank1), transfer(f, 0, READ, START)),
           COLUMN_READY(f->rank1, WRITE), T(CL) + f->B + T(tRTRS) - T(CWL))
CONSTRAINT(tRTRS_read, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->rank1), transfer(f, 0, READ, START)),
           COLUMN_READY(f->rank1, READ), f->B + T(tRTRS))
CONSTRAINT(tRTRS_write, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->rank1), transfer(f, f->rank1, WRITE, START)),
           COLUMN_READY(0, WRITE), f->B + T(tRTRS))
CONSTRAINT(write_to_read_rank, (OPEN_LONG_AGO(0), OPEN_LONG_AGO(f->rank1), transfer(f, 0, WRITE, START)),
           COLUMN_READY(f->rank1, READ),
           T(CWL) + f->B + T(tRTRS) > T(CL) ? T(CWL) + f->B + T(tRTRS) - T(CL) : 1)
CONSTRAINT(tRFC_activate, REFRESH, ACTIVATE_READY(3), T(tRFC))
CONSTRAINT(tRFC_refresh, REFRESH, REFRESH_READY, T(tRFC))
CONSTRAINT(tXP_activate, cm_dram_power_up(&f->constraints, &f->state, 0, START), ACTIVATE_READY(1), T(tXP))
CONSTRAINT(tXP_read, (OPEN_LONG_AGO(0), cm_dram_power_up(&f->constraints, &f->state, 0, START)),
           COLUMN_READY(0, READ), T(tXP))
CONSTRAINT(tXP_precharge, (OPEN_LONG_AGO(0), cm_dram_power_up(&f->constraints, &f->state, 0, START)),
           PRECHARGE_READY(0), T(tXP))
CONSTRAINT(tXP_refresh, cm_dram_power_up(&f->constraints, &f->state, 0, START), REFRESH_READY, T(tXP))
CONSTRAINT(tRFCpb_activate, REFRESH, ACTIVATE_READY(0), T(tRFCpb))
CONSTRAINT(tRFCpb_refresh, REFRESH, NEXT_REFRESH_READY, T(tRFCpb))
CONSTRAINT(tPBR2ACT, REFRESH, ACTIVATE_READY(f->constraints.banks - 1), T(tPBR2ACT))
CONSTRAINT(tRP_per_bank, (OPEN_LONG_AGO(0), cm_dram_precharge(&f->constraints, &f->state, 0, START)),
           REFRESH_READY, T(tRP))
CONSTRAINT(tRRD_L_per_bank, open_row(f, 0, START), NEXT_REFRESH_READY,
           f->constraints.groups == 1 || f->constraints.groups <= f->constraints.refresh_banks ? T(tRRD_L)
                                                                                               : T(tRRD_S))
CONSTRAINT(tFAW_per_bank, (REFRESH, open_row(f, f->last, START + T(tPBR2ACT)),
                           open_row(f, f->last - 1, START + T(tPBR2ACT) + T(tRRD_L)),
                           open_row(f, f->last - 2, START + T(tPBR2ACT) + 2 * T(tRRD_L))),
           ACTIVATE_READY(f->last - 3), 
           larger(T(tFAW), T(tPBR2ACT) + 2 * T(tRRD_L) + (f->constraints.groups > 1 ? T(tRRD_S) : T(tRRD_L))))
/* clang-format on */

#define ABOUT(id, name) {#id, offsetof(struct cm_dram_timing, name), model_##id, datasheet_##id}
static const struct constraint constraints[] = {
   ABOUT(tRCD_read, tRCD),
   ABOUT(tRCD_write, tRCD),
   ABOUT(tRAS, tRAS),
   ABOUT(tRC, tRP),
   ABOUT(tRC, tRAS),
   ABOUT(tRP, tRP),
   ABOUT(tRP_refresh, tRP),
   ABOUT(tRPab, tRPab),
   ABOUT(tRPab_closed, tRPab),
   ABOUT(tRPab_refresh, tRPab),
   ABOUT(tRTP, tRTP),
   ABOUT(tRTP_all, tRTP),
   ABOUT(tWR, tWR),
   ABOUT(tWR, CWL),
   ABOUT(tWR_auto, tWR),
   ABOUT(tRTP_auto, tRTP),
   ABOUT(tRRD_L, tRRD_L),
   ABOUT(tRRD_S, tRRD_S),
   ABOUT(tFAW, tFAW),
   ABOUT(tCCD_L_read, tCCD_L),
   ABOUT(tCCD_L_WR, tCCD_L_WR),
   ABOUT(tCCD_S_read, tCCD_S),
   ABOUT(tCCD_S_write, tCCD_S),
   ABOUT(tWTR_L, tWTR_L),
   ABOUT(tWTR_S, tWTR_S),
   ABOUT(read_to_write, CL),
   ABOUT(read_to_write, tRTRS),
   ABOUT(read_to_write_rank, tRTRS),
   ABOUT(tRTRS_read, tRTRS),
   ABOUT(tRTRS_write, tRTRS),
   ABOUT(write_to_read_rank, CWL),
   ABOUT(write_to_read_rank, tRTRS),
   ABOUT(tRFC_activate, tRFC),
   ABOUT(tRFC_refresh, tRFC),
   ABOUT(tXP_activate, tXP),
   ABOUT(tXP_read, tXP),
   ABOUT(tXP_precharge, tXP),
   ABOUT(tXP_refresh, tXP),
};

/* With per-bank refresh. */
static const struct constraint per_bank_constraints[] = {
   ABOUT(tRFCpb_activate, tRFCpb), ABOUT(tRFCpb_refresh, tRFCpb),  ABOUT(tPBR2ACT, tPBR2ACT),
   ABOUT(tRP_per_bank, tRP),       ABOUT(tRRD_L_per_bank, tRRD_L), ABOUT(tFAW_per_bank, tFAW),
};

static uint64_t
check(const struct constraint *constraint, const struct cm_dram_device *device, bool per_bank, uint32_t raise)
{
   struct fixture f = {.timing = device->timing, .B = device->burst_length / device->beats_per_clock};
   uint32_t value;
   memcpy(&value, (char *)&f.timing + constraint->timing, sizeof value);
   value += raise;
   memcpy((char *)&f.timing + constraint->timing, &value, sizeof value);
   cm_dram_constraints_init(&f.constraints, device, &f.timing, 2, per_bank);
   f.same = f.constraints.groups;
   f.other = 1;
   f.rank1 = f.constraints.banks;
   f.last = f.constraints.banks - 1;
   const uint64_t ready = constraint->model(&f), expected = constraint->datasheet(&f);
   if (ready != expected)
      fail_msg("%s, %s + %u: ready at %llu, expected %llu", device->name, constraint->name, raise,
               (unsigned long long)ready, (unsigned long long)expected);
   return ready;
}

TEST(every_constraint_on_every_device)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      for (unsigned i = 0; i < sizeof constraints / sizeof constraints[0]; i++) {
         check(&constraints[i], device, false, 0);
         /* Where there is one bank group, nothing is in another one. */
         const size_t timing = constraints[i].timing;
         const bool other_group = timing == offsetof(struct cm_dram_timing, tRRD_S) ||
                                  timing == offsetof(struct cm_dram_timing, tCCD_S) ||
                                  timing == offsetof(struct cm_dram_timing, tWTR_S);
         if (!other_group || device->bank_groups > 1)
            assert_int_equal(check(&constraints[i], device, false, 61),
                             check(&constraints[i], device, false, 60) + 1);
      }
   }
}

TEST(per_bank_refresh)
{
   uint32_t tested = 0;
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      for (unsigned i = 0; device->refresh_banks && i < sizeof per_bank_constraints / sizeof constraints[0];
           i++) {
         const struct constraint *constraint = &per_bank_constraints[i];
         check(constraint, device, true, 0);
         const bool same_group = constraint->timing == offsetof(struct cm_dram_timing, tRRD_L);
         if (!same_group || device->bank_groups == 1 || device->bank_groups <= device->refresh_banks)
            assert_int_equal(check(constraint, device, true, 161), check(constraint, device, true, 160) + 1);
         tested++;
      }
   }
   assert_true(tested > 0);
}
