/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "dram/channel.h"

struct cm_dram_channel *
cm_dram_channel_create(const struct cm_dram_system_config *config, const struct cm_dram_device *device,
                       const struct cm_dram_timing *timing, uint32_t number, struct cm_dram_times *times)
{
   struct cm_dram_channel *channel = calloc(1, sizeof *channel);
   if (!channel)
      return NULL;
   cm_dram_constraints_init(&channel->constraints, device, timing, config->ranks,
                            config->refresh == CM_DRAM_REFRESH_PER_BANK);
   channel->queues[READ].limit = config->read_queue;
   channel->queues[WRITE].limit = config->write_queue;
   for (int direction = READ; direction <= WRITE; direction++) {
      channel->waiting[direction].requests = malloc(CM_DRAM_TICKETS * sizeof(struct cm_dram_request));
      if (!channel->waiting[direction].requests) {
         cm_dram_channel_destroy(channel);
         return NULL;
      }
   }
   channel->refresh_interval = timing->tREFI / cm_dram_config_refreshes(config);
   for (uint32_t rank = 0; rank < config->ranks; rank++) {
      channel->refresh_due[rank] = (uint64_t)channel->refresh_interval * (rank + 1) / config->ranks;
      channel->refresh_set[rank] = ((2ull << (channel->constraints.refresh_banks - 1)) - 1)
                                   << (rank << channel->constraints.bank_shift);
      channel->power[rank].idle = true;
   }
   channel->next_due = channel->refresh_due[0];
   channel->next_arrival[READ] = channel->next_arrival[WRITE] = UINT64_MAX;
   channel->next_event = channel->next_due;
   channel->times = times;
   channel->clock = cm_dram_clock_make(1, 1);
   channel->write_high = config->write_high;
   channel->write_low = config->write_low;
   channel->most_writes = config->turn_requests ? config->turn_requests : UINT32_MAX;
   channel->least_reads = config->turn_requests;
   channel->row_hit_limit = config->row_hit_limit;
   channel->power_down_after = config->power_down_after;
   channel->controller_latency = config->controller_latency;
   channel->closed_pages = config->page_policy == CM_DRAM_PAGE_CLOSED;
   channel->number = number;
   return channel;
}

void
cm_dram_channel_destroy(struct cm_dram_channel *channel)
{
   if (!channel)
      return;
   free(channel->waiting[READ].requests);
   free(channel->waiting[WRITE].requests);
   free(channel);
}

void
cm_dram_channel_set_clock(struct cm_dram_channel *channel, struct cm_dram_clock clock)
{
   channel->clock = clock;
}

void
cm_dram_channel_observe(struct cm_dram_channel *channel,
                        void (*observer)(const struct cm_dram_issue *issue, void *context), void *context)
{
   channel->observer = observer;
   channel->observer_context = context;
}

static void
set_next_event(struct cm_dram_channel *channel)
{
   channel->next_event =
      cm_min64(channel->next_due, cm_min64(channel->next_arrival[READ], channel->next_arrival[WRITE]));
}

/* Finds the first cycle at which a request enters a queue: UINT64_MAX where none is waiting, or there is no room. */
static inline void
set_next_arrival(struct cm_dram_channel *channel, enum cm_dram_direction direction)
{
   const struct cm_dram_waiting *waiting = &channel->waiting[direction];
   const bool can_enter =
      cm_dram_is_waiting(waiting) && channel->queues[direction].count < channel->queues[direction].limit;
   channel->next_arrival[direction] = can_enter ? cm_dram_first_waiting(waiting)->arrival : UINT64_MAX;
}

/* ---- power ---------------------------------------------------------------------------------------- */

static void
end_idleness(struct cm_dram_channel *channel, uint32_t rank, uint64_t cycle)
{
   assert(channel->power[rank].idle && rank < channel->constraints.ranks);
   struct cm_dram_rank_power *power = &channel->power[rank];
   power->idle = false;
   const uint64_t down = cm_dram_power_down_cycle(channel, power);
   if (!channel->power_down_after || cycle <= down)
      return;
   if (cm_dram_has_open_row(channel, rank))
      power->active_power_down += cycle - down;
   else
      power->precharge_power_down += cycle - down;
   cm_dram_power_up(&channel->constraints, &channel->state, rank, cycle);
}

static void
begin_idleness(struct cm_dram_rank_power *power, uint64_t cycle)
{
   assert(!power->idle);
   power->idle = true;
   power->idle_since = cycle;
}

/* The rank is active from a cycle on. */
static void
begin_active(struct cm_dram_rank_power *power, uint64_t cycle)
{
   if (cycle <= power->active_end)
      return;
   power->active_cycles += power->active_end - power->active_begin;
   power->active_begin = power->active_end = cycle;
}

/* ---- commands ------------------------------------------------------------------------------------- */

static inline void
notify_observer(const struct cm_dram_channel *channel, enum cm_dram_command command, uint32_t rank,
                uint32_t bank, uint64_t row)
{
   if (__builtin_expect(!channel->observer, true))
      return;
   const struct cm_dram_issue issue = {
      .cycle = channel->now,
      .command = command,
      .channel = channel->number,
      .rank = rank,
      .bank = bank & (channel->constraints.banks - 1),
      .row = row,
   };
   channel->observer(&issue, channel->observer_context);
}

static void
activate(struct cm_dram_channel *channel, uint32_t bank, uint64_t row, enum cm_dram_direction direction)
{
   const uint32_t rank = cm_dram_rank_of(&channel->constraints, bank);
   struct cm_dram_rank_power *power = &channel->power[rank];
   if (!cm_dram_has_open_row(channel, rank))
      begin_active(power, channel->now);
   cm_dram_activate(&channel->constraints, &channel->state, bank, row, channel->now);
   cm_dram_request_queue_opened(&channel->queues[READ], bank, row);
   cm_dram_request_queue_opened(&channel->queues[WRITE], bank, row);
   channel->row_hits[bank] = 0;
   channel->banks_exhausted &= ~(1ull << bank);
   channel->banks_fresh[direction] |= 1ull << bank;
   channel->banks_activated |= 1ull << bank;
   channel->rows_opened = channel->state.column_ready[bank];
   channel->has_column = channel->has_column && channel->rows_opened > channel->column.cycle;
   channel->banks_passed |= 1ull << bank;
   channel->counters.activates++;
   notify_observer(channel, CM_DRAM_ACTIVATE, rank, bank, row);
}

/* A bank's row closes at a cycle. */
static void
row_closes(struct cm_dram_channel *channel, uint32_t bank, uint64_t cycle)
{
   cm_dram_request_queue_closed(&channel->queues[READ], bank);
   cm_dram_request_queue_closed(&channel->queues[WRITE], bank);
   channel->banks_fresh[READ] &= ~(1ull << bank);
   channel->banks_fresh[WRITE] &= ~(1ull << bank);
   struct cm_dram_rank_power *power = &channel->power[cm_dram_rank_of(&channel->constraints, bank)];
   power->active_end = cm_max64(power->active_end, cycle);
   channel->counters.precharges++;
}

static void
precharge(struct cm_dram_channel *channel, uint32_t bank)
{
   cm_dram_precharge(&channel->constraints, &channel->state, bank, channel->now);
   row_closes(channel, bank, channel->now);
   notify_observer(channel, CM_DRAM_PRECHARGE, cm_dram_rank_of(&channel->constraints, bank), bank, 0);
}

static void
precharge_all(struct cm_dram_channel *channel, uint32_t rank)
{
   uint64_t open = channel->state.open & cm_dram_banks_of(&channel->constraints, rank);
   cm_dram_precharge_all(&channel->constraints, &channel->state, rank, channel->now);
   for (; open; open &= open - 1)
      row_closes(channel, (uint32_t)__builtin_ctzll(open), channel->now);
   notify_observer(channel, CM_DRAM_PRECHARGE_ALL, rank, 0, 0);
}

/* A rank's next refresh takes the next banks. */
static void
next_refresh_set(struct cm_dram_channel *channel, uint32_t rank)
{
   const uint64_t banks = cm_dram_banks_of(&channel->constraints, rank), set = channel->refresh_set[rank];
   const uint32_t width = channel->constraints.refresh_banks, all = channel->constraints.banks;
   if (width < all)
      channel->refresh_set[rank] = (set << width | set >> (all - width)) & banks;
}

static void
refresh(struct cm_dram_channel *channel, uint32_t rank)
{
   struct cm_dram_rank_power *power = &channel->power[rank];
   const uint64_t end = channel->now + channel->constraints.refresh, banks = channel->refresh_set[rank];
   cm_dram_refresh(&channel->constraints, &channel->state, banks, channel->now);
   if (!cm_dram_has_open_row(channel, rank))
      begin_active(power, channel->now);
   power->active_end = cm_max64(power->active_end, end);
   power->quiet = cm_max64(power->quiet, end);
   if (!power->queued)
      begin_idleness(power, channel->now + 1);
   channel->ranks_due &= ~(1u << rank);
   channel->banks_due &= ~banks;
   next_refresh_set(channel, rank);
   channel->refresh_due[rank] += channel->refresh_interval;
   channel->next_due =
      channel->refresh_due[rank] < channel->next_due ? channel->refresh_due[rank] : channel->next_due;
   set_next_event(channel);
   channel->counters.refreshes++;
   notify_observer(channel, CM_DRAM_REFRESH, rank, (uint32_t)__builtin_ctzll(banks), 0);
}

/* A request's last data is on the bus at a cycle. */
static void
complete(struct cm_dram_channel *channel, const struct cm_dram_entry *entry, enum cm_dram_direction direction,
         uint64_t cycle)
{
   struct cm_dram_system_counters *counters = &channel->counters;
   channel->outcomes[entry->outcome]++;
   if (direction == READ)
      cycle += channel->controller_latency;
   uint64_t *latency = direction == READ ? &counters->read_latency_cycles : &counters->write_latency_cycles;
   *latency += cycle - entry->submitted_arrival;
   channel->times->completions[entry->ticket % CM_DRAM_TICKETS] =
      cm_dram_clock_from_dram(channel->clock, cycle);
   channel->last_completion = cm_max64(channel->last_completion, cycle);
}

/* Whether the closed-page policy closes a bank's row with the last command for its oldest request for that. */
static bool
closes_row(const struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction)
{
   if (!channel->closed_pages)
      return false;
   const uint64_t hits = cm_dram_request_queue_bank_hits(&channel->queues[direction], bank);
   return !(hits & (hits - 1)) && !cm_dram_request_queue_bank_hits(&channel->queues[!direction], bank);
}

/* A read or write for a bank's oldest request for the open row. */
static inline void
transfer(struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction, bool has_groups)
{
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   const struct cm_dram_constraints *constraints = &channel->constraints;
   const uint32_t rank = cm_dram_rank_of(constraints, bank);
   const uint32_t number = cm_dram_request_queue_oldest(queue, cm_dram_request_queue_bank_hits(queue, bank));
   struct cm_dram_entry *entry = &queue->entries[number];
   struct cm_dram_rank_power *power = &channel->power[rank];
   const uint64_t now = channel->now;
   const bool last = --entry->bursts == 0, closes = last && closes_row(channel, bank, direction);
   const uint64_t precharged = cm_dram_column(constraints, &channel->state, bank, direction, closes, now);

   power->quiet = cm_max64(power->quiet, now + constraints->column_to_idle[direction]);
   channel->bursts[direction]++;
   channel->counters.turnarounds += channel->direction != direction;
   channel->direction = direction;
   notify_observer(channel, (direction == READ ? CM_DRAM_READ : CM_DRAM_WRITE) + (enum cm_dram_command)closes,
                   rank, bank, 0);
   if (!last) {
      channel->has_column = !has_groups && channel->has_column && channel->rows_opened <= now;
      channel->column.cycle = channel->state.groups[0].column_ready[direction];
      return;
   }
   channel->has_column = false;
   complete(channel, entry, direction, now + constraints->column_to_data[direction] + constraints->burst);
   cm_dram_request_queue_remove(queue, number);
   channel->turn_served[direction]++;
   channel->banks_fresh[direction] &= ~(1ull << bank);
   /* One that waits for room is next. */
   if (queue->count + 1 == queue->limit) {
      set_next_arrival(channel, direction);
      set_next_event(channel);
   }
   if (++channel->row_hits[bank] == channel->row_hit_limit)
      channel->banks_exhausted |= 1ull << bank;
   if (closes) {
      row_closes(channel, bank, precharged);
      power->quiet = cm_max64(power->quiet, precharged);
   }
   if (--power->queued == 0 && !(channel->ranks_due >> rank & 1))
      begin_idleness(power, now + 1);
}

/* ---- choosing ------------------------------------------------------------------------------------- */

/* A command's order: the cycles from now until it is ready, then how many entries are older than its request, in one number so
 * that they are compared without branches, which the processor would mispredict. */
#define OLDER_BITS 8
#define NEVER UINT64_MAX

struct choice {
   uint64_t order; /* NEVER: there is none */
   uint32_t bank;
};

static const struct choice nothing = {.order = NEVER};

static inline struct choice
better(struct choice best, uint64_t now, uint64_t ready, uint32_t older, uint32_t bank)
{
   const uint64_t order = (ready > now ? ready - now : 0) << OLDER_BITS | older;
   return (struct choice){order < best.order ? order : best.order, order < best.order ? bank : best.bank};
}

static inline uint64_t
cycle_of(const struct cm_dram_channel *channel, struct choice choice)
{
   return choice.order == NEVER ? NEVER : channel->now + (choice.order >> OLDER_BITS);
}

/* Of the banks that have requests for their open row, those whose limit does not keep them from being served.
 */
static inline uint64_t
banks_to_serve(const struct cm_dram_channel *channel, const struct cm_dram_request_queue *queue)
{
   uint64_t banks = queue->banks_hit;
   for (uint64_t exhausted = banks & channel->banks_exhausted; exhausted; exhausted &= exhausted - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(exhausted);
      const uint64_t all = queue->in_bank[bank];
      if (!(queue->hits >> cm_dram_request_queue_oldest(queue, all) & 1))
         banks &= ~(1ull << bank);
   }
   return banks;
}

/* The first column command for some banks, which all have requests for their open row. */
static struct choice
choose_column(const struct cm_dram_channel *channel, enum cm_dram_direction direction, uint64_t banks)
{
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct choice best = nothing;
   for (; banks; banks &= banks - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(banks);
      const uint64_t ready = cm_dram_column_ready(&channel->constraints, &channel->state, bank, direction);
      const uint64_t hits = cm_dram_request_queue_bank_hits(queue, bank);
      best = better(best, channel->now, ready, cm_dram_request_queue_older(queue, hits), bank);
   }
   return best;
}

/* The same where all banks are of one group: but for rows that were just activated, they are ready at the same cycle,
 * and the oldest request is the first. */
static inline __attribute__((always_inline)) struct choice
choose_column_of_group(struct cm_dram_channel *channel, enum cm_dram_direction direction, uint64_t banks)
{
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   const struct cm_dram_channel_state *state = &channel->state;
   const uint64_t cycle = cm_max64(channel->now, state->groups[0].column_ready[direction]);
   uint64_t entries = queue->hits, opening = 0;
   if (channel->rows_opened > cycle) {
      for (uint64_t left = banks & channel->banks_activated; left; left &= left - 1) {
         const uint32_t bank = (uint32_t)__builtin_ctzll(left);
         if (state->column_ready[bank] > cycle)
            opening |= 1ull << bank;
         else if (state->column_ready[bank] <= channel->now)
            channel->banks_activated &= ~(1ull << bank);
      }
   }
   for (uint64_t others = (queue->banks_hit & ~banks) | opening; others; others &= others - 1)
      entries &= ~queue->in_bank[__builtin_ctzll(others)];
   if (!entries)
      return choose_column(channel, direction, opening);
   return (struct choice){
      .order = (cycle - channel->now) << OLDER_BITS,
      .bank = queue->entries[cm_dram_request_queue_oldest(queue, entries)].bank,
   };
}

/* The first precharge or activate for some banks, which all have requests. */
static inline __attribute__((always_inline)) struct choice
choose_row(const struct cm_dram_channel *channel, const struct cm_dram_request_queue *queue, uint64_t banks)
{
   const struct cm_dram_channel_state *state = &channel->state;
   struct choice best = nothing;
   for (uint64_t open = banks & state->open; open; open &= open - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(open);
      const uint32_t older = cm_dram_request_queue_older(queue, queue->in_bank[bank]);
      best = better(best, channel->now, cm_dram_precharge_ready(state, bank), older, bank);
   }
   for (uint64_t closed = banks & ~state->open; closed; closed &= closed - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(closed);
      const uint32_t older = cm_dram_request_queue_older(queue, queue->in_bank[bank]);
      const uint64_t ready = cm_dram_activate_ready(&channel->constraints, state, bank);
      best = better(best, channel->now, ready, older, bank);
   }
   return best;
}

static bool
refreshes_ranks(const struct cm_dram_channel *channel)
{
   return channel->constraints.refresh_banks == channel->constraints.banks;
}

/* The first command for a rank that waits for its refresh, with a bank that it is for. */
static struct choice
choose_refresh(const struct cm_dram_channel *channel)
{
   const struct cm_dram_constraints *constraints = &channel->constraints;
   const struct cm_dram_channel_state *state = &channel->state;
   struct choice best = nothing;
   for (uint32_t ranks = channel->ranks_due; ranks; ranks &= ranks - 1) {
      const uint32_t rank = (uint32_t)__builtin_ctz(ranks);
      const uint64_t banks = channel->refresh_set[rank];
      uint64_t open = state->open & banks;
      if (!open || refreshes_ranks(channel)) {
         const uint64_t ready = open ? cm_dram_precharge_all_ready(constraints, state, rank)
                                     : cm_dram_refresh_ready(constraints, state, banks);
         best = better(best, channel->now, ready, rank, (uint32_t)__builtin_ctzll(banks));
         continue;
      }
      for (; open; open &= open - 1) {
         const uint32_t bank = (uint32_t)__builtin_ctzll(open);
         best = better(best, channel->now, cm_dram_precharge_ready(state, bank), rank, bank);
      }
   }
   return best;
}

/* ---- a cycle -------------------------------------------------------------------------------------- */

static void
take_up_refreshes(struct cm_dram_channel *channel)
{
   channel->next_due = UINT64_MAX;
   for (uint32_t rank = 0; rank < channel->constraints.ranks; rank++) {
      if (channel->ranks_due >> rank & 1)
         continue;
      if (channel->refresh_due[rank] <= channel->now) {
         channel->ranks_due |= 1u << rank;
         channel->banks_due |= channel->refresh_set[rank];
         if (channel->power[rank].idle)
            end_idleness(channel, rank, channel->now);
      } else if (channel->refresh_due[rank] < channel->next_due) {
         channel->next_due = channel->refresh_due[rank];
      }
   }
}

static inline void
take_up_requests(struct cm_dram_channel *channel, enum cm_dram_direction direction)
{
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct cm_dram_waiting *waiting = &channel->waiting[direction];
   while (channel->next_arrival[direction] <= channel->now) {
      const struct cm_dram_request *request = cm_dram_first_waiting(waiting);
      const uint32_t rank = cm_dram_rank_of(&channel->constraints, request->bank);
      channel->counters.queue_full_requests += request->arrival < channel->now;
      channel->counters.queue_full_cycles += channel->now - request->arrival;
      cm_dram_request_queue_push(queue, request, &channel->state);
      channel->times->entered[request->ticket % CM_DRAM_TICKETS] = channel->now;
      channel->power[rank].queued++;
      if (channel->power[rank].idle)
         end_idleness(channel, rank, channel->now);
      cm_dram_waiting_remove(waiting);
      set_next_arrival(channel, direction);
   }
}

static void
take_up(struct cm_dram_channel *channel)
{
   if (channel->next_due <= channel->now)
      take_up_refreshes(channel);
   take_up_requests(channel, READ);
   take_up_requests(channel, WRITE);
   set_next_event(channel);
   channel->has_chosen = channel->has_column = false;
}

/* Whether it is time to write where reads are served, or the other way round. */
static inline bool
turns(const struct cm_dram_channel *channel, uint32_t reads, uint32_t writes)
{
   if (channel->writing)
      return writes <= channel->write_low || (reads && channel->turn_served[WRITE] >= channel->most_writes);
   return writes >= channel->write_high && (!reads || channel->turn_served[READ] >= channel->least_reads);
}

/* The queue whose requests are served. */
static inline enum cm_dram_direction
serve(struct cm_dram_channel *channel)
{
   const uint32_t reads = channel->queues[READ].count, writes = channel->queues[WRITE].count;
   if (turns(channel, reads, writes)) {
      channel->writing = !channel->writing;
      channel->turn_served[channel->writing ? WRITE : READ] = 0;
   }
   return channel->writing || !reads ? WRITE : READ;
}

/* Queues what arrives now. Returns whether the choice may change: not if all new requests queue after others
 * of their kind in their bank. */
static bool
take_up_changes(struct cm_dram_channel *channel, enum cm_dram_direction direction)
{
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   const uint64_t used = queue->banks_used, hit = queue->banks_hit;
   const uint32_t due = channel->ranks_due;
   const bool has_column = channel->has_column;
   take_up(channel);
   if (used != queue->banks_used || hit != queue->banks_hit || due != channel->ranks_due ||
       serve(channel) != direction)
      return true;
   channel->has_column = has_column;
   return false;
}

/* A precharge or an activate for a bank's oldest request. */
static void
prepare(struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction)
{
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct cm_dram_entry *entry = &queue->entries[cm_dram_request_queue_oldest(queue, queue->in_bank[bank])];
   if (channel->state.open >> bank & 1) {
      entry->outcome = CM_DRAM_ROW_CONFLICT;
      precharge(channel, bank);
      return;
   }
   if (entry->outcome == CM_DRAM_ROW_HIT)
      entry->outcome = CM_DRAM_ROW_MISS;
   activate(channel, bank, entry->row, direction);
}

/* The next command for the refresh that a bank's rank waits for. */
static void
prepare_refresh(struct cm_dram_channel *channel, uint32_t bank)
{
   const uint32_t rank = cm_dram_rank_of(&channel->constraints, bank);
   channel->has_column = false;
   if (!(channel->state.open & channel->refresh_set[rank]))
      refresh(channel, rank);
   else if (refreshes_ranks(channel))
      precharge_all(channel, rank);
   else
      precharge(channel, bank);
}

/* Chooses the next column command, and whose rows are to be prepared for others. */
static inline __attribute__((always_inline)) void
choose_first_column(struct cm_dram_channel *channel, bool has_groups)
{
   const enum cm_dram_direction direction = serve(channel);
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   const uint64_t served = banks_to_serve(channel, queue) & ~channel->banks_due;
   const uint64_t fresh = channel->banks_fresh[!direction] & ~channel->banks_due;
   const enum cm_dram_direction column_direction = fresh ? !direction : direction;
   const struct choice column =
      has_groups ? choose_column(channel, column_direction, fresh ? fresh : served)
                 : choose_column_of_group(channel, column_direction, fresh ? fresh : served);
   channel->column = (struct cm_dram_next_command){.cycle = cycle_of(channel, column),
                                                   .kind = COLUMN,
                                                   .bank = column.bank,
                                                   .direction = column_direction,
                                                   .served = direction};
   channel->banks_passed = served | fresh | channel->banks_due;
   channel->has_column = true;
}

/* Chooses the next command, if no request that arrives before it changes that. A refresh's goes before a column command,
 * and that before the others. */
static inline __attribute__((always_inline)) struct cm_dram_next_command
choose(struct cm_dram_channel *channel, bool has_groups)
{
   if (!channel->has_column)
      choose_first_column(channel, has_groups);
   struct cm_dram_next_command next = channel->column;
   if (next.cycle > channel->now) {
      const struct cm_dram_request_queue *queue = &channel->queues[next.served];
      const uint64_t prepared = queue->banks_used & ~channel->banks_passed;
      if (channel->row_ready < next.cycle || prepared & ~channel->row_banks) {
         const struct choice row = choose_row(channel, queue, prepared);
         channel->row_banks = prepared;
         channel->row_ready = cycle_of(channel, row);
         if (channel->row_ready < next.cycle) {
            next.cycle = channel->row_ready;
            next.kind = ROW;
            next.bank = row.bank;
         }
      }
   }
   if (__builtin_expect(channel->ranks_due != 0, false)) {
      const struct choice refreshing = choose_refresh(channel);
      const uint64_t cycle = cycle_of(channel, refreshing);
      if (cycle <= next.cycle) {
         next.cycle = cycle;
         next.kind = REFRESH;
         next.bank = refreshing.bank;
      }
   }
   return next;
}

/* Advances to the chosen command if it is before `limit`, and issues it; or to the first event that may change the choice;
 * or to `limit`, and keeps what was chosen: no other command is ready before. */
static inline __attribute__((always_inline)) void
issue(struct cm_dram_channel *channel, uint64_t limit, struct cm_dram_next_command next, bool has_groups)
{
   while (channel->next_event <= next.cycle && channel->next_event < limit) {
      channel->now = channel->next_event;
      if (take_up_changes(channel, next.served))
         return;
   }
   if (next.cycle >= limit) {
      channel->now = limit;
      channel->next = next;
      channel->has_chosen = true;
      return;
   }
   channel->now = next.cycle;
   switch (next.kind) {
   case COLUMN: transfer(channel, next.bank, next.direction, has_groups); break;
   case ROW: prepare(channel, next.bank, next.served); break;
   case REFRESH: prepare_refresh(channel, next.bank); break;
   }
   channel->now = next.cycle + 1;
}

static __attribute__((noinline)) void
issue_chosen(struct cm_dram_channel *channel, uint64_t limit, bool has_groups)
{
   channel->has_chosen = false;
   issue(channel, limit, channel->next, has_groups);
}

static inline __attribute__((always_inline)) void
step(struct cm_dram_channel *channel, uint64_t limit, bool has_groups)
{
   if (channel->next_event <= channel->now)
      take_up(channel);
   if (channel->has_chosen)
      issue_chosen(channel, limit, has_groups);
   else
      issue(channel, limit, choose(channel, has_groups), has_groups);
}

/* Schedules all commands before a cycle, or as many as it takes until a time of a request is known. */
static void
run(struct cm_dram_channel *channel, uint64_t limit, const uint64_t *time)
{
   if (channel->constraints.groups * channel->constraints.ranks > 1) {
      while (channel->now < limit && *time == CM_DRAM_PENDING)
         step(channel, limit, true);
   } else {
      while (channel->now < limit && *time == CM_DRAM_PENDING)
         step(channel, limit, false);
   }
}

uint64_t
cm_dram_channel_enter(struct cm_dram_channel *channel, cm_dram_ticket ticket)
{
   const uint64_t *entered = &channel->times->entered[ticket % CM_DRAM_TICKETS];
   const bool has_groups = channel->constraints.groups * channel->constraints.ranks > 1;
   /* Not beyond that cycle, so that what arrives next is not late. */
   while (*entered == CM_DRAM_PENDING) {
      if (channel->next_event <= channel->now)
         take_up(channel);
      else
         step(channel, channel->next_event, has_groups);
   }
   return cm_dram_clock_from_dram(channel->clock, *entered);
}

void
cm_dram_channel_complete(struct cm_dram_channel *channel, cm_dram_ticket ticket)
{
   run(channel, UINT64_MAX, &channel->times->completions[ticket % CM_DRAM_TICKETS]);
}

void
cm_dram_channel_advance(struct cm_dram_channel *channel, uint64_t cycle)
{
   static const uint64_t never = CM_DRAM_PENDING;
   run(channel, cycle, &never);
}

uint64_t
cm_dram_channel_drain(struct cm_dram_channel *channel)
{
   for (int direction = READ; direction <= WRITE; direction++) {
      const struct cm_dram_request_queue *queue = &channel->queues[direction];
      const struct cm_dram_waiting *waiting = &channel->waiting[direction];
      while (cm_dram_is_waiting(waiting))
         cm_dram_channel_complete(channel, cm_dram_first_waiting(waiting)->ticket);
      while (queue->used)
         cm_dram_channel_complete(channel, queue->entries[__builtin_ctzll(queue->used)].ticket);
   }
   return channel->last_completion;
}
