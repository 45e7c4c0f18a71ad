/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "support/naive_dram.h"
#include "support/test.h"

enum kind {
   ACT,
   PRE,
   PREA, /* all banks of the rank */
   RD,
   WR,
   REF,
};

/* A command of the past, bank by bank; a bank that precharges itself has a PRE without a place on the command
 * bus. */
struct command {
   uint64_t cycle;
   enum kind kind;
   uint32_t rank, bank; /* REF: the first of those that it takes */
};

#define MAX_BANKS 64
#define MAX_RANKS 4

struct naive {
   const struct cm_dram_system_config *config;
   const struct cm_dram_device *device;
   const struct cm_dram_timing *timing;
   struct naive_request *requests;
   uint32_t num_requests;
   struct naive_result *result;
   struct command *history;
   uint32_t num_history;
   uint64_t cycle;
   struct {
      bool open;
      uint64_t row;
      uint32_t served; /* requests since the activate */
      bool fresh[2];   /* the row was activated for reads, for writes, and none of them was served */
      uint64_t closes; /* the cycle from which a bank that is not open is precharged */
   } banks[MAX_RANKS][MAX_BANKS];
   struct {
      uint64_t next_refresh;
      uint32_t refresh_bank; /* the first that it takes */
      bool due, idle, down;
      uint64_t idle_from, quiet, refresh_end, woken;
      bool was_woken;
   } ranks[MAX_RANKS];
   bool writing, was_writing;
   uint64_t turn_begin;
};

static uint32_t
num_banks(const struct naive *n)
{
   return n->device->bank_groups * n->device->banks_per_group;
}

static uint32_t
burst(const struct naive *n)
{
   return n->device->burst_length / n->device->beats_per_clock;
}

static int64_t
larger(int64_t a, int64_t b)
{
   return a > b ? a : b;
}

static bool
per_bank(const struct naive *n)
{
   return n->config->refresh == CM_DRAM_REFRESH_PER_BANK;
}

/* Banks that a refresh takes. */
static uint32_t
refresh_banks(const struct naive *n)
{
   return per_bank(n) ? n->device->refresh_banks : num_banks(n);
}

/* An eighth of tREFI, as a rank has eight of them for one of all banks. */
static uint64_t
refresh_interval(const struct naive *n)
{
   return per_bank(n) ? n->timing->tREFI / 8 : n->timing->tREFI;
}

/* Whether a bank's requests wait for a refresh. */
static bool
waits(const struct naive *n, uint32_t rank, uint32_t bank)
{
   const uint32_t first = n->ranks[rank].refresh_bank;
   return n->ranks[rank].due && bank >= first && bank < first + refresh_banks(n);
}

/* Whether two commands of a rank are for the same bank; for banks of the same group. */
static bool
share_bank(const struct naive *n, const struct command *a, const struct command *b)
{
   const uint32_t a_end = a->bank + (a->kind == REF ? refresh_banks(n) : 1);
   const uint32_t b_end = b->bank + (b->kind == REF ? refresh_banks(n) : 1);
   return a->kind == PREA || (a->bank < b_end && b->bank < a_end);
}

static bool
share_group(const struct naive *n, const struct command *a, const struct command *b)
{
   for (uint32_t bank = b->bank; bank < b->bank + (b->kind == REF ? refresh_banks(n) : 1); bank++) {
      if (a->bank % n->device->bank_groups == bank % n->device->bank_groups)
         return true;
   }
   return false;
}

/* Cycles that have to be between an earlier command and a new one; 0: any number. */
static int64_t
distance(const struct naive *n, const struct command *before, const struct command *after)
{
   const struct cm_dram_timing *t = n->timing;
   const int64_t B = burst(n);
   const bool rank = before->rank == after->rank;
   const bool bank = rank && share_bank(n, before, after);
   const bool group = rank && share_group(n, before, after);
   switch (before->kind) {
   case ACT:
      if (after->kind == ACT && bank)
         return t->tRAS + t->tRP;
      if (rank && (after->kind == ACT || (after->kind == REF && per_bank(n))))
         return group ? t->tRRD_L : t->tRRD_S;
      if ((after->kind == RD || after->kind == WR) && bank)
         return t->tRCD;
      return after->kind == PRE && bank ? t->tRAS : 0;
   case PRE: return (after->kind == ACT || after->kind == REF) && bank ? t->tRP : 0;
   case PREA: return (after->kind == ACT || after->kind == REF) && bank ? t->tRPab : 0;
   case REF:
      if (!rank || (after->kind != ACT && after->kind != REF))
         return 0;
      if (!per_bank(n))
         return t->tRFC;
      return bank || after->kind == REF ? larger(t->tRFCpb, t->tPBR2ACT) : t->tPBR2ACT;
   case RD:
      if (after->kind == PRE && bank)
         return t->tRTP;
      if (after->kind == RD)
         return !rank ? B + t->tRTRS : larger(B, group ? t->tCCD_L : t->tCCD_S);
      return after->kind == WR ? (int64_t)t->CL + B + t->tRTRS - t->CWL : 0;
   case WR:
      if (after->kind == PRE && bank)
         return t->CWL + B + t->tWR;
      if (after->kind == WR)
         return !rank ? B + t->tRTRS : larger(B, group ? t->tCCD_L_WR : t->tCCD_S);
      if (after->kind == RD)
         return !rank ? (int64_t)t->CWL + B + t->tRTRS - t->CL : t->CWL + B + (group ? t->tWTR_L : t->tWTR_S);
   }
   return 0;
}

/* Whether all commands so far allow a new one at a cycle. */
static bool
allowed(const struct naive *n, enum kind kind, uint32_t rank, uint32_t bank, uint64_t cycle)
{
   const struct command after = {cycle, kind, rank, bank};
   uint32_t activates = 0;
   if (n->ranks[rank].was_woken && cycle < n->ranks[rank].woken + n->timing->tXP)
      return false;
   for (uint32_t i = n->num_history; i-- > 0;) {
      const struct command *before = &n->history[i];
      /* A bank may precharge itself later than now. */
      const int64_t apart = distance(n, before, &after);
      if (apart && (int64_t)cycle - (int64_t)before->cycle < apart)
         return false;
      if (before->cycle + 2000 < cycle)
         break; /* no distance in the tests is as long */
      activates += (before->kind == ACT || (before->kind == REF && per_bank(n))) && before->rank == rank &&
                   before->cycle + n->timing->tFAW > cycle;
   }
   return (kind != ACT && !(kind == REF && per_bank(n))) || activates < 4;
}

static void
remember(struct naive *n, enum kind kind, uint32_t rank, uint32_t bank, uint64_t cycle)
{
   n->history[n->num_history++] = (struct command){cycle, kind, rank, bank};
}

static void
issue(struct naive *n, enum cm_dram_command command, uint32_t rank, uint32_t bank, uint64_t row)
{
   n->result->commands[n->result->num_commands++] =
      (struct cm_dram_issue){.cycle = n->cycle, .command = command, .rank = rank, .bank = bank, .row = row};
}

static void
close_row(struct naive *n, uint32_t rank, uint32_t bank, uint64_t cycle)
{
   n->banks[rank][bank].open = false;
   n->banks[rank][bank].fresh[0] = n->banks[rank][bank].fresh[1] = false;
   n->banks[rank][bank].closes = cycle;
}

/* ---- refresh -------------------------------------------------------------------------------------- */

static bool
try_refresh(struct naive *n, uint32_t rank)
{
   const uint32_t first = n->ranks[rank].refresh_bank;
   bool open = false;
   for (uint32_t bank = first; bank < first + refresh_banks(n); bank++) {
      open |= n->banks[rank][bank].open;
      if (per_bank(n) && n->banks[rank][bank].open && allowed(n, PRE, rank, bank, n->cycle)) {
         remember(n, PRE, rank, bank, n->cycle);
         close_row(n, rank, bank, n->cycle);
         issue(n, CM_DRAM_PRECHARGE, rank, bank, 0);
         return true;
      }
   }
   if (open && per_bank(n))
      return false;
   if (open) {
      for (uint32_t bank = 0; bank < num_banks(n); bank++) {
         if (n->banks[rank][bank].open && !allowed(n, PRE, rank, bank, n->cycle))
            return false;
      }
      for (uint32_t bank = 0; bank < num_banks(n); bank++) {
         if (n->banks[rank][bank].open)
            close_row(n, rank, bank, n->cycle);
      }
      remember(n, PREA, rank, 0, n->cycle);
      issue(n, CM_DRAM_PRECHARGE_ALL, rank, 0, 0);
      return true;
   }
   if (!allowed(n, REF, rank, first, n->cycle))
      return false;
   /* tRC since any activate; the pairs above have it for activates of the same bank only. */
   remember(n, REF, rank, first, n->cycle);
   issue(n, CM_DRAM_REFRESH, rank, first, 0);
   n->ranks[rank].due = false;
   n->ranks[rank].refresh_bank = (first + refresh_banks(n)) % num_banks(n);
   n->ranks[rank].next_refresh += refresh_interval(n);
   n->ranks[rank].refresh_end = n->cycle + (per_bank(n) ? n->timing->tRFCpb : n->timing->tRFC);
   n->ranks[rank].quiet =
      (uint64_t)larger((int64_t)n->ranks[rank].quiet, (int64_t)n->ranks[rank].refresh_end);
   return true;
}

/* ---- requests ------------------------------------------------------------------------------------- */

static bool
wants_open_row(const struct naive *n, const struct naive_request *request)
{
   return n->banks[request->rank][request->bank].open &&
          n->banks[request->rank][request->bank].row == request->row;
}

/* Whether a bank has reached its limit of row hits and its oldest request wants another row. */
static bool
limited(const struct naive *n, uint32_t rank, uint32_t bank, bool write)
{
   if (!n->config->row_hit_limit || n->banks[rank][bank].served < n->config->row_hit_limit)
      return false;
   for (uint32_t i = 0; i < n->num_requests; i++) {
      const struct naive_request *request = &n->requests[i];
      if (request->queued && !request->done && request->write == write && request->rank == rank &&
          request->bank == bank)
         return !wants_open_row(n, request);
   }
   return false;
}

/* Whether a queued request wants the same row. */
static bool
others_want(const struct naive *n, const struct naive_request *request)
{
   for (uint32_t i = 0; i < n->num_requests; i++) {
      const struct naive_request *other = &n->requests[i];
      if (other != request && other->queued && !other->done && other->rank == request->rank &&
          other->bank == request->bank && other->row == request->row)
         return true;
   }
   return false;
}

static bool
try_column(struct naive *n, struct naive_request *request)
{
   const uint32_t rank = request->rank, bank = request->bank;
   const enum kind kind = request->write ? WR : RD;
   if (waits(n, rank, bank) || !wants_open_row(n, request) || limited(n, rank, bank, request->write) ||
       !allowed(n, kind, rank, bank, n->cycle))
      return false;
   remember(n, kind, rank, bank, n->cycle);
   const uint64_t data_end = n->cycle + (request->write ? n->timing->CWL : n->timing->CL) + burst(n);
   uint64_t quiet = data_end + (request->write ? n->timing->tWR : 0);
   request->bursts--;
   bool closes = false;
   if (!request->bursts) {
      request->done = true;
      request->completion = data_end;
      request->served = n->cycle;
      n->banks[rank][bank].served++;
      n->banks[rank][bank].fresh[request->write] = false;
      n->result->row_hits += !request->activated && !request->conflicted;
      n->result->row_misses += request->activated && !request->conflicted;
      n->result->row_conflicts += request->conflicted;
      closes = n->config->page_policy == CM_DRAM_PAGE_CLOSED && !others_want(n, request);
   }
   if (closes) {
      uint64_t precharge = n->cycle;
      while (!allowed(n, PRE, rank, bank, precharge))
         precharge++;
      remember(n, PRE, rank, bank, precharge);
      close_row(n, rank, bank, precharge);
      quiet = (uint64_t)larger((int64_t)quiet, (int64_t)precharge);
   }
   n->ranks[rank].quiet = (uint64_t)larger((int64_t)n->ranks[rank].quiet, (int64_t)quiet);
   const enum cm_dram_command commands[2][2] = {{CM_DRAM_READ, CM_DRAM_READ_AUTO_PRECHARGE},
                                                {CM_DRAM_WRITE, CM_DRAM_WRITE_AUTO_PRECHARGE}};
   issue(n, commands[request->write][closes], rank, bank, 0);
   return true;
}

/* Whether a bank has a request for its open row that may be served. */
static bool
has_hit(const struct naive *n, uint32_t rank, uint32_t bank, bool write)
{
   if (limited(n, rank, bank, write))
      return false;
   for (uint32_t i = 0; i < n->num_requests; i++) {
      const struct naive_request *request = &n->requests[i];
      if (request->queued && !request->done && request->write == write && request->rank == rank &&
          request->bank == bank && wants_open_row(n, request))
         return true;
   }
   return false;
}

static bool
try_row(struct naive *n, struct naive_request *request)
{
   const uint32_t rank = request->rank, bank = request->bank;
   if (waits(n, rank, bank) || has_hit(n, rank, bank, request->write) ||
       n->banks[rank][bank].fresh[!request->write])
      return false;
   if (n->banks[rank][bank].open) {
      if (!allowed(n, PRE, rank, bank, n->cycle))
         return false;
      remember(n, PRE, rank, bank, n->cycle);
      close_row(n, rank, bank, n->cycle);
      issue(n, CM_DRAM_PRECHARGE, rank, bank, 0);
      request->conflicted = true;
      return true;
   }
   if (!allowed(n, ACT, rank, bank, n->cycle))
      return false;
   remember(n, ACT, rank, bank, n->cycle);
   issue(n, CM_DRAM_ACTIVATE, rank, bank, request->row);
   n->banks[rank][bank].open = true;
   n->banks[rank][bank].row = request->row;
   n->banks[rank][bank].served = 0;
   n->banks[rank][bank].fresh[request->write] = true;
   request->activated = true;
   return true;
}

/* ---- a cycle -------------------------------------------------------------------------------------- */

static uint32_t
count_queued(const struct naive *n, bool write)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < n->num_requests; i++)
      count += n->requests[i].queued && !n->requests[i].done && n->requests[i].write == write;
   return count;
}

static void
take_up(struct naive *n)
{
   uint32_t room[2] = {n->config->read_queue - count_queued(n, false),
                       n->config->write_queue - count_queued(n, true)};
   for (uint32_t i = 0; i < n->num_requests; i++) {
      struct naive_request *request = &n->requests[i];
      if (request->queued || request->arrival > n->cycle || !room[request->write])
         continue;
      request->queued = true;
      request->entered = n->cycle;
      room[request->write]--;
      n->result->queue_full_requests += request->arrival < n->cycle;
      n->result->queue_full_cycles += n->cycle - request->arrival;
   }
}

/* Whether a request's row was activated for requests like it before the direction changed; none of them was served. */
static bool
is_to_finish(const struct naive *n, const struct naive_request *request, bool write)
{
   return request->queued && !request->done && request->write != write &&
          n->banks[request->rank][request->bank].fresh[request->write] && wants_open_row(n, request) &&
          !waits(n, request->rank, request->bank);
}

/* Whether it writes though reads may be queued. The requests served of a turn are found in the list of all. */
static void
choose_direction(struct naive *n)
{
   const uint32_t writes = count_queued(n, true), reads = count_queued(n, false);
   const uint32_t limit = n->config->turn_requests;
   uint32_t served[2] = {0, 0};
   for (uint32_t i = 0; i < n->num_requests; i++)
      served[n->requests[i].write] += n->requests[i].done && n->requests[i].served >= n->turn_begin;
   if (n->writing) {
      const bool is_enough = limit && reads && served[true] >= limit;
      n->writing = writes > n->config->write_low && !is_enough;
   } else {
      const bool is_enough = !limit || !reads || served[false] >= limit;
      n->writing = writes >= n->config->write_high && is_enough;
   }
   if (n->writing != n->was_writing)
      n->turn_begin = n->cycle;
   n->was_writing = n->writing;
}

static void
choose(struct naive *n)
{
   choose_direction(n);
   const bool write = n->writing || count_queued(n, false) == 0;
   for (uint32_t rank = 0; rank < n->config->ranks; rank++) {
      if (n->ranks[rank].due && try_refresh(n, rank))
         return;
   }
   bool finishing = false;
   for (uint32_t i = 0; i < n->num_requests; i++)
      finishing |= is_to_finish(n, &n->requests[i], write);
   for (int row = 0; row < 2; row++) {
      for (uint32_t i = 0; i < n->num_requests; i++) {
         struct naive_request *request = &n->requests[i];
         if (!request->queued || request->done)
            continue;
         const bool is_next = !row && finishing ? is_to_finish(n, request, write) : request->write == write;
         if (is_next && (row ? try_row(n, request) : try_column(n, request)))
            return;
      }
   }
}

/* What a rank draws in this cycle. */
static void
count_power(struct naive *n, uint32_t rank)
{
   bool open = false, active = n->cycle < n->ranks[rank].refresh_end;
   for (uint32_t bank = 0; bank < num_banks(n); bank++)
      open |= n->banks[rank][bank].open || n->cycle < n->banks[rank][bank].closes;
   active |= open;
   n->result->active_power_down_cycles += n->ranks[rank].down && open;
   n->result->precharge_power_down_cycles += n->ranks[rank].down && !open;
   n->result->active_cycles += !n->ranks[rank].down && active;
   n->result->precharged_cycles += !n->ranks[rank].down && !active;
}

static void
power(struct naive *n, uint32_t rank)
{
   bool idle = !n->ranks[rank].due;
   for (uint32_t i = 0; i < n->num_requests; i++)
      idle &= !(n->requests[i].queued && !n->requests[i].done && n->requests[i].rank == rank);
   if (!idle && n->ranks[rank].down) {
      n->ranks[rank].was_woken = true;
      n->ranks[rank].woken = n->cycle;
      n->ranks[rank].down = false;
   }
   if (idle && !n->ranks[rank].idle)
      n->ranks[rank].idle_from = n->cycle;
   n->ranks[rank].idle = idle;
   if (idle && n->config->power_down_after &&
       n->cycle >= n->ranks[rank].idle_from + n->config->power_down_after && n->cycle >= n->ranks[rank].quiet)
      n->ranks[rank].down = true;
}

void
naive_dram_run(const struct cm_dram_system_config *config, const struct cm_dram_device *device,
               const struct cm_dram_timing *timing, struct naive_request *requests, uint32_t num_requests,
               uint64_t end, struct naive_result *result)
{
   struct naive *n = calloc(1, sizeof *n);
   assert_non_null(n);
   *n = (struct naive){.config = config,
                       .device = device,
                       .timing = timing,
                       .requests = requests,
                       .num_requests = num_requests,
                       .result = result};
   memset(result, 0, sizeof *result);
   result->commands = malloc((end + 1) * sizeof *result->commands);
   n->history = malloc((end + 1) * 3 * sizeof *n->history);
   assert_non_null(result->commands);
   assert_non_null(n->history);
   for (uint32_t rank = 0; rank < config->ranks; rank++) {
      n->ranks[rank].next_refresh = refresh_interval(n) * (rank + 1) / config->ranks;
      n->ranks[rank].idle = true;
   }
   for (n->cycle = 0; n->cycle < end; n->cycle++) {
      for (uint32_t rank = 0; rank < config->ranks; rank++)
         n->ranks[rank].due |= n->cycle >= n->ranks[rank].next_refresh;
      take_up(n);
      for (uint32_t rank = 0; rank < config->ranks; rank++)
         power(n, rank);
      choose(n);
      for (uint32_t rank = 0; rank < config->ranks; rank++)
         count_power(n, rank);
   }
   free(n->history);
   free(n);
}

void
naive_dram_finish(struct naive_result *result)
{
   free(result->commands);
}
