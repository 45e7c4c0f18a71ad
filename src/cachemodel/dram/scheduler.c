/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "dram/organisation.h"
#include "dram/request_queue.h"
#include "dram/scheduler.h"

#define READ CM_DRAM_DIRECTION_READ
#define WRITE CM_DRAM_DIRECTION_WRITE

/* Requests that have not entered a queue yet, by arrival. */
struct waiting_requests {
   struct cm_dram_request *requests; /* a ring of CM_DRAM_TICKETS */
   uint32_t head, tail;              /* counted on; head == tail: none */
};

/* What a rank's power depends on. */
struct rank_power {
   uint32_t queued;            /* requests in both queues */
   bool idle;                  /* no request queued and no refresh due, since idle_since */
   uint64_t idle_since, quiet; /* its commands are complete at quiet */
   /* Cycles with a row open or in a refresh: those before active_begin, and from there to active_end, or on
    * while rows are open. */
   uint64_t active_cycles, active_begin, active_end;
   uint64_t active_power_down, precharge_power_down;
};

/* A command that is to be issued. */
struct next_command {
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
   struct waiting_requests waiting[2];
   uint64_t now;
   struct next_command next; /* if has_chosen */
   bool has_chosen;
   bool writing;                         /* until write_low writes are left */
   enum cm_dram_direction direction;     /* of the last data */
   uint32_t row_hits[CM_DRAM_MAX_BANKS]; /* requests served since the activate */
   uint64_t banks_exhausted;             /* bit b: those are row_hit_limit */
   uint64_t banks_fresh[2]; /* bit b: its row was activated for a direction that it did not serve yet */
   uint64_t refresh_set[CM_DRAM_MAX_RANKS]; /* bits of the banks that a rank's next refresh takes */
   uint64_t banks_due;                      /* those of ranks_due */
   uint64_t refresh_due[CM_DRAM_MAX_RANKS]; /* next one of each rank */
   uint64_t next_due;                       /* the earliest of them that is not due yet */
   uint64_t next_event;                     /* set_next_event */
   uint32_t ranks_due;                      /* bit r: rank r waits for its refresh */
   struct rank_power power[CM_DRAM_MAX_RANKS];
   uint64_t last_completion;
   uint64_t *completions;

   uint32_t refresh_interval, write_high, write_low, row_hit_limit, power_down_after, controller_latency;
   bool closed_pages;
   uint32_t number;
   struct cm_dram_system_counters counters;     /* without what outcomes has */
   uint64_t outcomes[CM_DRAM_ROW_CONFLICT + 1]; /* completed requests, by enum cm_dram_outcome */
   void (*observer)(const struct cm_dram_issue *issue, void *context);
   void *observer_context;
};

struct cm_dram_channel *
cm_dram_channel_create(const struct cm_dram_system_config *config, const struct cm_dram_device *device,
                       const struct cm_dram_timing *timing, uint32_t number, uint64_t *completions)
{
   struct cm_dram_channel *channel = calloc(1, sizeof *channel);
   if (!channel)
      return NULL;
   cm_dram_constraints_init(&channel->constraints, device, timing, config->ranks,
                            config->refresh == CM_DRAM_REFRESH_PER_BANK);
   cm_dram_request_queue_init(&channel->queues[READ], config->read_queue);
   cm_dram_request_queue_init(&channel->queues[WRITE], config->write_queue);
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
   channel->next_event = channel->next_due;
   channel->completions = completions;
   channel->write_high = config->write_high;
   channel->write_low = config->write_low;
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

uint64_t
cm_dram_channel_now(const struct cm_dram_channel *channel)
{
   return channel->now;
}

void
cm_dram_channel_observe(struct cm_dram_channel *channel,
                        void (*observer)(const struct cm_dram_issue *issue, void *context), void *context)
{
   channel->observer = observer;
   channel->observer_context = context;
}

static bool
is_waiting(const struct waiting_requests *waiting)
{
   return waiting->head != waiting->tail;
}

static const struct cm_dram_request *
first_waiting(const struct waiting_requests *waiting)
{
   return &waiting->requests[waiting->head % CM_DRAM_TICKETS];
}

/* Finds the first cycle at which a request enters a queue or a refresh becomes due, if nothing else happens.
 * What changes it: a request that is submitted (which can only bring it forward) or leaves a queue, and what
 * take_up and refresh do. */
static void
set_next_event(struct cm_dram_channel *channel)
{
   uint64_t cycle = channel->next_due;
   for (int direction = READ; direction <= WRITE; direction++) {
      const struct waiting_requests *waiting = &channel->waiting[direction];
      if (!is_waiting(waiting) || channel->queues[direction].count == channel->queues[direction].limit)
         continue;
      const uint64_t arrival = first_waiting(waiting)->arrival;
      cycle = arrival < cycle ? arrival : cycle;
   }
   channel->next_event = cycle;
}

void
cm_dram_channel_submit(struct cm_dram_channel *channel, enum cm_dram_direction direction,
                       const struct cm_dram_request *request)
{
   struct waiting_requests *waiting = &channel->waiting[direction];
   struct cm_dram_request *const requests = waiting->requests;
   assert(waiting->tail - waiting->head < CM_DRAM_TICKETS);
   uint32_t index = waiting->tail++;
   for (; index != waiting->head && requests[(index - 1) % CM_DRAM_TICKETS].arrival > request->arrival;
        index--)
      requests[index % CM_DRAM_TICKETS] = requests[(index - 1) % CM_DRAM_TICKETS];
   requests[index % CM_DRAM_TICKETS] = *request;
   if (request->arrival < channel->next_event &&
       channel->queues[direction].count < channel->queues[direction].limit)
      channel->next_event = request->arrival;
}

/* ---- power ---------------------------------------------------------------------------------------- */

/* The cycle at which an idle rank is powered down, unless something happens before. */
static uint64_t
power_down_cycle(const struct cm_dram_channel *channel, const struct rank_power *power)
{
   return cm_max64(power->idle_since + channel->power_down_after, power->quiet);
}

static bool
has_open_row(const struct cm_dram_channel *channel, uint32_t rank)
{
   return (channel->state.open & cm_dram_banks_of(&channel->constraints, rank)) != 0;
}

static void
end_idleness(struct cm_dram_channel *channel, uint32_t rank, uint64_t cycle)
{
   struct rank_power *power = &channel->power[rank];
   if (!power->idle)
      return;
   power->idle = false;
   const uint64_t down = power_down_cycle(channel, power);
   if (!channel->power_down_after || cycle <= down)
      return;
   if (has_open_row(channel, rank))
      power->active_power_down += cycle - down;
   else
      power->precharge_power_down += cycle - down;
   cm_dram_power_up(&channel->constraints, &channel->state, rank, cycle);
}

static void
begin_idleness(struct rank_power *power, uint64_t cycle)
{
   power->idle = true;
   power->idle_since = cycle;
}

/* The rank is active from a cycle on. */
static void
begin_active(struct rank_power *power, uint64_t cycle)
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
   struct rank_power *power = &channel->power[rank];
   if (!has_open_row(channel, rank))
      begin_active(power, channel->now);
   cm_dram_activate(&channel->constraints, &channel->state, bank, row, channel->now);
   cm_dram_request_queue_opened(&channel->queues[READ], bank, row);
   cm_dram_request_queue_opened(&channel->queues[WRITE], bank, row);
   channel->row_hits[bank] = 0;
   channel->banks_exhausted &= ~(1ull << bank);
   channel->banks_fresh[direction] |= 1ull << bank;
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
   struct rank_power *power = &channel->power[cm_dram_rank_of(&channel->constraints, bank)];
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
   struct rank_power *power = &channel->power[rank];
   const uint64_t end = channel->now + channel->constraints.refresh, banks = channel->refresh_set[rank];
   cm_dram_refresh(&channel->constraints, &channel->state, banks, channel->now);
   if (!has_open_row(channel, rank))
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
   channel->completions[entry->ticket % CM_DRAM_TICKETS] = cycle;
   channel->last_completion = cm_max64(channel->last_completion, cycle);
}

/* Whether the closed-page policy closes a bank's row with the last command for its request `hit`. */
static bool
closes_row(const struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction)
{
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   if (!channel->closed_pages)
      return false;
   const struct cm_dram_entry *entry = &queue->entries[queue->banks[bank].hit];
   return cm_dram_request_queue_find(queue, entry->younger, entry->row) == CM_DRAM_NONE &&
          channel->queues[!direction].banks[bank].hit == CM_DRAM_NONE;
}

/* A read or write for a bank's oldest request for the open row. */
static void
transfer(struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction)
{
   const struct cm_dram_constraints *constraints = &channel->constraints;
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct cm_dram_entry *entry = &queue->entries[queue->banks[bank].hit];
   struct rank_power *power = &channel->power[cm_dram_rank_of(constraints, bank)];
   struct cm_dram_system_counters *counters = &channel->counters;
   const bool last = --entry->bursts == 0, closes = last && closes_row(channel, bank, direction);
   const uint64_t precharged =
      cm_dram_column(constraints, &channel->state, bank, direction, closes, channel->now);
   const uint64_t data_end = channel->now + constraints->column_to_data[direction] + constraints->burst;

   power->quiet =
      cm_max64(power->quiet,
               direction == READ ? data_end : channel->now + constraints->column_to_precharge[WRITE]);
   *(direction == READ ? &counters->read_bursts : &counters->write_bursts) += 1;
   counters->turnarounds += channel->direction != direction;
   channel->direction = direction;
   notify_observer(channel, (direction == READ ? CM_DRAM_READ : CM_DRAM_WRITE) + (enum cm_dram_command)closes,
                   cm_dram_rank_of(constraints, bank), bank, 0);
   if (!last)
      return;
   complete(channel, entry, direction, data_end);
   cm_dram_request_queue_remove_hit(queue, bank);
   channel->banks_fresh[direction] &= ~(1ull << bank);
   /* One that waits for room is next. */
   if (queue->count + 1 == queue->limit)
      set_next_event(channel);
   if (++channel->row_hits[bank] == channel->row_hit_limit)
      channel->banks_exhausted |= 1ull << bank;
   if (closes) {
      row_closes(channel, bank, precharged);
      power->quiet = cm_max64(power->quiet, precharged);
   }
   if (--power->queued == 0 && !(channel->ranks_due >> cm_dram_rank_of(constraints, bank) & 1))
      begin_idleness(power, channel->now + 1);
}

/* ---- choosing ------------------------------------------------------------------------------------- */

/* A command's order: the cycles from now until it is ready, then the age of its request, in one number so
 * that they are compared without branches, which nothing could foretell. */
#define AGE_BITS 40
#define NEVER UINT64_MAX

struct choice {
   uint64_t order; /* NEVER: there is none */
   uint32_t bank;
};

static const struct choice nothing = {.order = NEVER};

static struct choice
better(struct choice best, uint64_t now, uint64_t ready, uint64_t age, uint32_t bank)
{
   const uint64_t order = (ready > now ? ready - now : 0) << AGE_BITS | age;
   return (struct choice){order < best.order ? order : best.order, order < best.order ? bank : best.bank};
}

static uint64_t
cycle_of(const struct cm_dram_channel *channel, struct choice choice)
{
   return choice.order == NEVER ? NEVER : channel->now + (choice.order >> AGE_BITS);
}

/* Of the banks that have requests for their open row, those whose limit does not keep them from being served.
 */
static uint64_t
banks_to_serve(const struct cm_dram_channel *channel, const struct cm_dram_request_queue *queue)
{
   uint64_t banks = queue->banks_hit;
   for (uint64_t exhausted = banks & channel->banks_exhausted; exhausted; exhausted &= exhausted - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(exhausted);
      if (queue->banks[bank].hit != queue->banks[bank].oldest)
         banks &= ~(1ull << bank);
   }
   return banks;
}

/* The first column command for some banks. */
static inline __attribute__((always_inline)) struct choice
choose_column(const struct cm_dram_channel *channel, enum cm_dram_direction direction, uint64_t banks)
{
   const struct cm_dram_bank_queue *lists = channel->queues[direction].banks;
   struct choice best = nothing;
   const uint64_t now = channel->now;
   for (; banks; banks &= banks - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(banks);
      const uint64_t ready = cm_dram_column_ready(&channel->constraints, &channel->state, bank, direction);
      best = better(best, now, ready, lists[bank].hit_age, bank);
   }
   return best;
}

/* The first precharge or activate for some banks. */
static inline __attribute__((always_inline)) struct choice
choose_row(const struct cm_dram_channel *channel, enum cm_dram_direction direction, uint64_t banks)
{
   const struct cm_dram_bank_queue *lists = channel->queues[direction].banks;
   const struct cm_dram_channel_state *state = &channel->state;
   struct choice best = nothing;
   for (uint64_t open = banks & state->open; open; open &= open - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(open);
      const uint64_t ready = cm_dram_precharge_ready(state, bank);
      best = better(best, channel->now, ready, lists[bank].oldest_age, bank);
   }
   for (uint64_t closed = banks & ~state->open; closed; closed &= closed - 1) {
      const uint32_t bank = (uint32_t)__builtin_ctzll(closed);
      const uint64_t ready = cm_dram_activate_ready(&channel->constraints, state, bank);
      best = better(best, channel->now, ready, lists[bank].oldest_age, bank);
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
         end_idleness(channel, rank, channel->now);
      } else if (channel->refresh_due[rank] < channel->next_due) {
         channel->next_due = channel->refresh_due[rank];
      }
   }
}

static void
take_up_requests(struct cm_dram_channel *channel, enum cm_dram_direction direction)
{
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct waiting_requests *waiting = &channel->waiting[direction];
   while (is_waiting(waiting) && queue->count < queue->limit) {
      const struct cm_dram_request *request = first_waiting(waiting);
      const uint32_t rank = cm_dram_rank_of(&channel->constraints, request->bank);
      if (request->arrival > channel->now)
         return;
      channel->counters.queue_full_requests += request->arrival < channel->now;
      channel->counters.queue_full_cycles += channel->now - request->arrival;
      cm_dram_request_queue_push(queue, request, &channel->state);
      channel->power[rank].queued++;
      end_idleness(channel, rank, channel->now);
      waiting->head++;
   }
   /* So that the ring's beginning, which the processor's cache has, is used again and again. */
   if (!is_waiting(waiting))
      waiting->head = waiting->tail = 0;
}

static void
take_up(struct cm_dram_channel *channel)
{
   if (channel->next_due <= channel->now)
      take_up_refreshes(channel);
   take_up_requests(channel, READ);
   take_up_requests(channel, WRITE);
   set_next_event(channel);
}

/* The queue whose requests are served. */
static enum cm_dram_direction
serve(struct cm_dram_channel *channel)
{
   const uint32_t writes = channel->queues[WRITE].count;
   if (writes <= channel->write_low)
      channel->writing = false;
   else if (writes >= channel->write_high)
      channel->writing = true;
   return channel->writing || channel->queues[READ].count == 0 ? WRITE : READ;
}

/* Queues what arrives now. Returns whether the choice may change: not if all new requests queue behind others
 * of their kind in their bank. */
static bool
take_up_changes(struct cm_dram_channel *channel, enum cm_dram_direction direction)
{
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   const uint64_t used = queue->banks_used, hit = queue->banks_hit;
   const uint32_t due = channel->ranks_due;
   take_up(channel);
   return used != queue->banks_used || hit != queue->banks_hit || due != channel->ranks_due ||
          serve(channel) != direction;
}

/* A precharge or an activate for a bank's oldest request. */
static void
prepare(struct cm_dram_channel *channel, uint32_t bank, enum cm_dram_direction direction)
{
   struct cm_dram_request_queue *queue = &channel->queues[direction];
   struct cm_dram_entry *entry = &queue->entries[queue->banks[bank].oldest];
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
   if (!(channel->state.open & channel->refresh_set[rank]))
      refresh(channel, rank);
   else if (refreshes_ranks(channel))
      precharge_all(channel, rank);
   else
      precharge(channel, bank);
}

/* Chooses the next command, if no request that arrives before it changes that. A refresh's goes before a column command,
 * and that before the others. */
static inline __attribute__((always_inline)) void
choose(struct cm_dram_channel *channel)
{
   const enum cm_dram_direction direction = serve(channel);
   const struct cm_dram_request_queue *queue = &channel->queues[direction];
   const uint64_t served = banks_to_serve(channel, queue) & ~channel->banks_due;
   const uint64_t fresh = channel->banks_fresh[!direction] & ~channel->banks_due;
   const enum cm_dram_direction column_direction = fresh ? !direction : direction;
   const struct choice column = choose_column(channel, column_direction, fresh ? fresh : served);
   const uint64_t column_cycle = cycle_of(channel, column);
   struct next_command next = {.cycle = column_cycle,
                               .kind = COLUMN,
                               .bank = column.bank,
                               .direction = column_direction,
                               .served = direction};
   if (column_cycle > channel->now) {
      const struct choice row =
         choose_row(channel, direction, queue->banks_used & ~served & ~fresh & ~channel->banks_due);
      const uint64_t cycle = cycle_of(channel, row);
      const bool is_sooner = cycle < column_cycle;
      next.cycle = is_sooner ? cycle : next.cycle;
      next.kind = is_sooner ? ROW : COLUMN;
      next.bank = is_sooner ? row.bank : next.bank;
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
   channel->next = next;
   channel->has_chosen = true;
}

/* Advances to the next event before `limit` and simulates it; else stops at `limit`. The command that is chosen until then
 * remains so: none is ready before. */
static inline __attribute__((always_inline)) void
step(struct cm_dram_channel *channel, uint64_t limit)
{
   if (channel->next_event <= channel->now) {
      take_up(channel);
      channel->has_chosen = false;
   }
   if (!channel->has_chosen)
      choose(channel);
   const struct next_command *next = &channel->next;
   const uint64_t cycle = next->cycle;
   while (channel->next_event <= cycle && channel->next_event < limit) {
      channel->now = channel->next_event;
      if (take_up_changes(channel, next->served)) {
         channel->has_chosen = false;
         return;
      }
   }
   if (cycle >= limit) {
      channel->now = limit;
      return;
   }
   channel->now = cycle;
   channel->has_chosen = false;
   switch (next->kind) {
   case COLUMN: transfer(channel, next->bank, next->direction); break;
   case ROW: prepare(channel, next->bank, next->served); break;
   case REFRESH: prepare_refresh(channel, next->bank); break;
   }
   channel->now = cycle + 1;
}

void
cm_dram_channel_complete(struct cm_dram_channel *channel, cm_dram_ticket ticket)
{
   const uint64_t *completion = &channel->completions[ticket % CM_DRAM_TICKETS];
   while (*completion == CM_DRAM_PENDING)
      step(channel, UINT64_MAX);
}

void
cm_dram_channel_advance(struct cm_dram_channel *channel, uint64_t cycle)
{
   while (channel->now < cycle)
      step(channel, cycle);
}

uint64_t
cm_dram_channel_drain(struct cm_dram_channel *channel)
{
   while (channel->queues[READ].count || channel->queues[WRITE].count ||
          is_waiting(&channel->waiting[READ]) || is_waiting(&channel->waiting[WRITE]))
      step(channel, UINT64_MAX);
   return channel->last_completion;
}

/* ---- counting ------------------------------------------------------------------------------------- */

static void
count_rank(const struct cm_dram_channel *channel, uint32_t rank, struct cm_dram_system_counters *counters)
{
   const struct rank_power *power = &channel->power[rank];
   const bool open = has_open_row(channel, rank);
   const uint64_t now = channel->now;
   uint64_t active_power_down = power->active_power_down;
   uint64_t precharge_power_down = power->precharge_power_down;
   const uint64_t down = power_down_cycle(channel, power);
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
   counters->busy_cycles += (own->read_bursts + own->write_bursts) * channel->constraints.burst;
   counters->channel_cycles += channel->now;
   for (uint32_t rank = 0; rank < channel->constraints.ranks; rank++)
      count_rank(channel, rank, counters);
}
