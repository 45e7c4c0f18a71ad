/* SPDX-License-Identifier: MIT */
/**
 * The DRAM system: channels of ranks of banks behind a memory controller, command by command, with all
 * of a device's timing (docs/dram.md). It takes requests for blocks and returns when their data has been
 * transferred; it has no data.
 *
 * Time is in cycles of the DRAM's clock, from 0; a cm_dram_clock converts a caller's cycles exactly, in
 * whole numbers. Each channel is scheduled up to some cycle, its past: cm_dram_system_completion, _advance
 * and _drain move it on, never back. A request that arrives in a channel's past is queued where that past
 * ends, so submit what arrives together before querying any completion. Arrivals need no order
 * otherwise. The same calls give the same results, always.
 *
 * Not thread-safe; instances are independent of each other.
 */
#ifndef CM_DRAM_SYSTEM_H
#define CM_DRAM_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config_problem.h"
#include "config/dram_config.h"
#include "config/units.h"

struct cm_config;

struct cm_dram_system;

/** Identifies a request, from its submission until CM_DRAM_TICKETS more have been submitted. */
typedef uint64_t cm_dram_ticket;
#define CM_DRAM_TICKETS 16384

/** Most bytes of a request; it must not cross a multiple of them. */
#define CM_DRAM_REQUEST_BYTES 64

/** A divisor, and what to multiply by instead of dividing. */
struct cm_dram_divisor {
   uint64_t value;
   uint64_t reciprocal; /**< (2^64 - 1) / value */
   uint64_t
      most; /**< of a clock: most cycles whose product with value, the other's value added, has 64 bits */
};

/** Two clocks: the caller's, and the DRAM's. `from` cycles of the one are as long as `to` of the other. */
struct cm_dram_clock {
   struct cm_dram_divisor from, to; /**< without a common divisor, each below 2^32 */
};

/** Clocks of which so many cycles (each below 2^32, not 0) are as long as each other. */
struct cm_dram_clock cm_dram_clock_make(uint64_t from, uint64_t to);

/** The quotient, rounded down; the remainder. */
static inline uint64_t
cm_dram_divide(uint64_t dividend, struct cm_dram_divisor divisor, uint64_t *remainder)
{
   /* With r = (2^64 - e) / value, 1 <= e <= value, n r / 2^64 is less than n / value by n e / (2^64 value) < 1. */
   uint64_t quotient = (uint64_t)((unsigned __int128)dividend * divisor.reciprocal >> 64);
   const uint64_t rest = dividend - quotient * divisor.value;
   const bool is_short = rest >= divisor.value;
   *remainder = rest - (is_short ? divisor.value : 0);
   return quotient + is_short;
}

/** The second clock's cycle that begins at or after the beginning of the first one's. */
static inline uint64_t
cm_dram_convert(struct cm_dram_divisor from, struct cm_dram_divisor to, uint64_t cycle)
{
   uint64_t rest, unused;
   /* Nearly always the product fits, and one division does. */
   if (__builtin_expect(cycle <= to.most, true))
      return cm_dram_divide(cycle * to.value + from.value - 1, from, &unused);
   const uint64_t whole = cm_dram_divide(cycle, from, &rest);
   return whole * to.value + cm_dram_divide(rest * to.value + from.value - 1, from, &unused);
}

/** The DRAM's cycle that begins at or after the beginning of a caller's cycle. */
static inline uint64_t
cm_dram_clock_to_dram(struct cm_dram_clock clock, uint64_t cycle)
{
   return cm_dram_convert(clock.from, clock.to, cycle);
}

/** The caller's cycle that begins at or after the beginning of a DRAM's cycle. */
static inline uint64_t
cm_dram_clock_from_dram(struct cm_dram_clock clock, uint64_t cycle)
{
   return cm_dram_convert(clock.to, clock.from, cycle);
}

/** Counts since the system was made, of all channels: X(name, unit of measure, description).
 * row_hits + row_misses + row_conflicts = reads + writes, less those pending. */
#define CM_DRAM_SYSTEM_COUNTERS(X)                                                                 \
   X(reads, "requests", "reads submitted")                                                         \
   X(writes, "requests", "writes submitted")                                                       \
   X(row_hits, "requests", "completed requests that found their row open")                         \
   X(row_misses, "requests", "completed requests that found their bank precharged")                \
   X(row_conflicts, "requests", "completed requests that found another row open")                  \
   X(activates, "commands", "rows activated")                                                      \
   X(precharges, "rows", "rows closed, whether by precharge, auto-precharge or before a refresh")  \
   X(read_bursts, "commands", "read commands, each of one burst")                                  \
   X(write_bursts, "commands", "write commands, each of one burst")                                \
   X(refreshes, "commands", "refreshes of a rank, all its banks")                                  \
   X(busy_cycles, "cycles", "cycles in which the data buses are busy, summed over channels")       \
   X(channel_cycles, "cycles", "cycles scheduled, summed over channels")                           \
   X(active_cycles, "cycles", "cycles of ranks with a row open or in a refresh, CKE high")         \
   X(precharged_cycles, "cycles", "cycles of ranks with no row open, CKE high")                    \
   X(active_power_down_cycles, "cycles", "cycles of ranks powered down with a row open")           \
   X(precharge_power_down_cycles, "cycles", "cycles of ranks powered down with no row open")       \
   X(turnarounds, "times", "changes between reading and writing of a channel's data bus")          \
   X(queue_full_requests, "requests", "requests that found their channel's queue full")            \
   X(queue_full_cycles, "cycles", "cycles that they waited for room in it, summed")                \
   X(late_requests, "requests", "requests submitted after their channel had passed their arrival") \
   X(read_latency_cycles, "cycles", "arrival to completion, summed over completed reads")          \
   X(write_latency_cycles, "cycles", "the same of completed writes")

struct cm_dram_system_counters {
#define CM_DRAM_SYSTEM_COUNTER(name, measure, description) uint64_t name;
   CM_DRAM_SYSTEM_COUNTERS(CM_DRAM_SYSTEM_COUNTER)
#undef CM_DRAM_SYSTEM_COUNTER
   uint64_t read_bytes[CM_STREAM_COUNT];  /**< bytes of reads submitted, by stream */
   uint64_t write_bytes[CM_STREAM_COUNT]; /**< the same of writes */
};

/** Commands of a channel to its devices. */
enum cm_dram_command {
   CM_DRAM_ACTIVATE,
   CM_DRAM_PRECHARGE,     /**< one bank */
   CM_DRAM_PRECHARGE_ALL, /**< all banks of a rank */
   CM_DRAM_READ,
   CM_DRAM_READ_AUTO_PRECHARGE,
   CM_DRAM_WRITE,
   CM_DRAM_WRITE_AUTO_PRECHARGE,
   CM_DRAM_REFRESH, /**< all banks of a rank, or some (dram_system.refresh) */
};

/** One command. */
struct cm_dram_issue {
   uint64_t cycle;
   enum cm_dram_command command;
   uint32_t channel;
   uint32_t rank;
   uint32_t
      bank; /**< of the rank; 0 for commands to a whole rank; of a per-bank refresh, the first it takes */
   uint64_t row; /**< activate: the row opened; others: 0 */
};

/** Makes a system without requests at cycle 0, all rows closed. The configuration must be one that
 * cm_dram_system_config_check accepts; it is not needed later. NULL when out of memory. */
struct cm_dram_system *cm_dram_system_create(const struct cm_dram_system_config *config);
void cm_dram_system_destroy(struct cm_dram_system *system);

/** Between a caller's clock of so many MHz and the DRAM's. */
struct cm_dram_clock cm_dram_system_clock(const struct cm_dram_system *system, uint32_t clock_mhz);

/** Most bytes that all channels together transfer in a cycle. */
uint32_t cm_dram_system_bytes_per_cycle(const struct cm_dram_system *system);

/** Takes a request for bytes (1 … CM_DRAM_REQUEST_BYTES) that is known to arrive at the controller at a
 * cycle. A request transfers as many bursts as its bytes touch. Where a ticket that is still waiting
 * would be overwritten, its channel is first scheduled until it is complete. */
cm_dram_ticket cm_dram_system_submit(struct cm_dram_system *system, uint64_t address, uint32_t bytes,
                                     bool write, enum cm_stream stream, uint64_t arrival);

/** The cycle at which a request enters its channel's queue: its arrival, or when there is room. A write's requester has
 * to keep its data until then. Schedules its channel until then. */
uint64_t cm_dram_system_entry(struct cm_dram_system *system, cm_dram_ticket ticket);

/** The cycle at which a request is complete: a read when its last data has reached the requester (with the
 * controller's latency), a write when its last data is on the bus. Schedules its channel until then,
 * choosing among the requests submitted so far. */
uint64_t cm_dram_system_completion(struct cm_dram_system *system, cm_dram_ticket ticket);

/** From now on, cm_dram_system_entry, _completion and _completions are cycles of the caller's clock: those that begin at or
 * after the DRAM's. No request has been submitted. */
void cm_dram_system_set_clock(struct cm_dram_system *system, struct cm_dram_clock clock);

/** The completions of the last CM_DRAM_TICKETS requests, by ticket % CM_DRAM_TICKETS, valid until the system is
 * destroyed; CM_DRAM_PENDING: not scheduled yet. */
const uint64_t *cm_dram_system_completions(const struct cm_dram_system *system);
#define CM_DRAM_PENDING UINT64_MAX

/** Schedules all commands before a cycle: requests arriving from then on are not late. */
void cm_dram_system_advance(struct cm_dram_system *system, uint64_t cycle);

/** Schedules all pending requests. Returns the cycle at which the last of all requests so far was complete. */
uint64_t cm_dram_system_drain(struct cm_dram_system *system);

/** The counts so far. Cycles are those that are past (cm_dram_system_advance to a frame's end first). */
void cm_dram_system_count(const struct cm_dram_system *system, struct cm_dram_system_counters *counters);

/** From now on, calls observer for each command, in order of time for each channel. NULL: none. */
void
cm_dram_system_observe(struct cm_dram_system *system,
                       void (*observer)(const struct cm_dram_issue *issue, void *context), void *context);

/** Keys dram.* and dram_system.*. */
bool cm_dram_config_check(const struct cm_config *config, struct cm_config_problem *problem);
/** The latter by themselves (device not 0). size_mib: memory that is needed. */
bool cm_dram_system_config_check(const struct cm_dram_system_config *config, uint32_t size_mib,
                                 struct cm_config_problem *problem);

#endif
