/* SPDX-License-Identifier: MIT */
/* Times and bandwidths that can be written down, on every device: latencies of single requests, streams of
 * row hits, of row conflicts and over all banks, refresh. */
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/test.h"

static uint32_t
larger(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

/* Bursts of a block and cycles from the first to the end of the last's data, in one bank. */
static uint32_t
bursts_of(const struct cm_dram_system_config *config)
{
   const uint32_t bytes = cm_dram_config_burst_bytes(config);
   return bytes < 64 ? 64 / bytes : 1;
}

static uint32_t
burst_of(const struct cm_dram_system_config *config)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   return device->burst_length / device->beats_per_clock;
}

static uint32_t
transfer_of(const struct cm_dram_system_config *config)
{
   const struct cm_dram_timing timing = cm_dram_config_timing(config);
   return (bursts_of(config) - 1) * larger(timing.tCCD_L, burst_of(config)) + burst_of(config);
}

static uint64_t
read_at(struct cm_dram_system *system, uint64_t address, uint64_t arrival)
{
   const cm_dram_ticket ticket =
      cm_dram_system_submit(system, address, 64, false, CM_STREAM_TEXTURE, arrival);
   return cm_dram_system_completion(system, ticket) - arrival;
}

/* One request at a time: precharged bank, open row, other row; the controller's latency on top. */
TEST(latencies)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.controller_latency = 7;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      const uint32_t hit = timing.CL + transfer_of(&config) + 7;
      struct cm_dram_system *system = dram_create(&config);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 5, 0), 10), timing.tRCD + hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 5, 1), 500), hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 6, 1), 1000),
                       timing.tRP + timing.tRCD + hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 1, 6, 1), 1500), timing.tRCD + hit);
      struct cm_dram_system_counters counters;
      cm_dram_system_count(system, &counters);
      assert_int_equal(counters.row_hits, 1);
      assert_int_equal(counters.row_misses, 2);
      assert_int_equal(counters.row_conflicts, 1);
      assert_int_equal(counters.activates, 3);
      assert_int_equal(counters.precharges, 1);
      cm_dram_system_destroy(system);
   }
}

/* ---- streams -------------------------------------------------------------------------------------- */

/* All commands of a kind, and when data is on the bus. */
#define MAX_COMMANDS 20000
struct log {
   const struct cm_dram_timing *timing;
   uint32_t burst;
   uint64_t activates[MAX_COMMANDS], data[MAX_COMMANDS];
   bool is_write[MAX_COMMANDS]; /* of the data */
   uint32_t num_activates, num_data;
};

static void
log_command(const struct cm_dram_issue *issue, void *context)
{
   struct log *log = context;
   switch (issue->command) {
   case CM_DRAM_ACTIVATE: log->activates[log->num_activates++] = issue->cycle; break;
   case CM_DRAM_READ:
   case CM_DRAM_READ_AUTO_PRECHARGE: log->data[log->num_data++] = issue->cycle + log->timing->CL; break;
   case CM_DRAM_WRITE:
   case CM_DRAM_WRITE_AUTO_PRECHARGE:
      log->is_write[log->num_data] = true;
      log->data[log->num_data++] = issue->cycle + log->timing->CWL;
      break;
   default: break;
   }
   assert_true(log->num_activates < MAX_COMMANDS && log->num_data < MAX_COMMANDS);
}

/* Reads and writes of one open row: a burst every tCCD_L, tCCD_L_WR cycles, or where bursts are longer at the pins' rate,
 * without an idle cycle of the bus between them. The last data ends tRCD and CL (CWL) and so many later. */
TEST(row_hits_have_the_rate_of_the_pins)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      const struct cm_dram_system_config config = dram_plain(device);
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      for (int write = 0; write < 2; write++) {
         struct cm_dram_system *system = dram_create(&config);
         const uint32_t count = cm_dram_config_row_bytes(&config) / 64;
         for (uint32_t block = 0; block < count; block++)
            cm_dram_system_submit(system, dram_address(&config, 0, 3, 9, block), 64, write, CM_STREAM_COLOR,
                                  0);
         const uint64_t bursts = (uint64_t)count * bursts_of(&config), data = bursts * burst_of(&config);
         const uint32_t apart = larger(write ? timing.tCCD_L_WR : timing.tCCD_L, burst_of(&config));
         assert_int_equal(cm_dram_system_drain(system), timing.tRCD + (write ? timing.CWL : timing.CL) +
                                                           (bursts - 1) * apart + burst_of(&config));
         struct cm_dram_system_counters counters;
         cm_dram_system_count(system, &counters);
         assert_int_equal(counters.busy_cycles, data);
         assert_int_equal(counters.row_hits, count - 1);
         assert_int_equal((uint64_t)count * 64, data * cm_dram_system_bytes_per_cycle(system));
         cm_dram_system_destroy(system);
      }
   }
}

/* The write queue takes as many as it has room for when they arrive, and another one whenever the last burst of one that it
 * has is issued; until then nothing after it is out, so that a request that is submitted afterwards is not late. */
TEST(writes_enter_their_queue_one_for_one)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.write_queue = config.write_high = 6;
      config.write_low = 2;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      struct cm_dram_system *system = dram_create(&config);
      struct cm_dram_system_counters counters;
      const uint32_t count = config.write_queue + 10; /* the blocks of the shortest row */
      const uint32_t apart = larger(timing.tCCD_L_WR, burst_of(&config));
      cm_dram_ticket first = 0;
      for (uint32_t block = 0; block < count; block++) {
         const cm_dram_ticket ticket = cm_dram_system_submit(system, dram_address(&config, 0, 3, 9, block),
                                                             64, true, CM_STREAM_COLOR, 0);
         first = block ? first : ticket;
      }
      for (uint32_t block = 0; block < count; block++) {
         const uint64_t entry = cm_dram_system_entry(system, first + block);
         if (block < config.write_queue)
            assert_int_equal(entry, 0);
         else /* one cycle after the last burst's command of the one that leaves */
            assert_int_equal(entry, timing.tRCD +
                                       ((block - config.write_queue + 1) * bursts_of(&config) - 1) * apart +
                                       1);
         cm_dram_system_submit(system, dram_address(&config, 0, 3, 9, 0), 64, false, CM_STREAM_COLOR,
                               entry + 1000000);
         cm_dram_system_count(system, &counters);
         assert_true(counters.channel_cycles <= entry);
      }
      cm_dram_system_destroy(system);
   }
}

/* Many more writes than the queue holds, all there from the start, and one read that comes while they drain, of a row that is
 * open. Returns what the read takes without the controller. */
static uint64_t
read_while_writes_drain(const struct cm_dram_system_config *config, uint64_t arrival)
{
   struct cm_dram_system *system = dram_create(config);
   read_at(system, dram_address(config, 0, 1, 9, 0), 0);
   for (uint32_t block = 0; block < 16 * config->write_queue; block++)
      cm_dram_system_submit(system, dram_address(config, 0, 0, 9, block % 8), 64, true, CM_STREAM_COLOR, 200);
   const uint64_t cycles = read_at(system, dram_address(config, 0, 1, 9, 1), arrival);
   cm_dram_system_destroy(system);
   return cycles;
}

/* A read passes all but turn_requests of the writes that are there before it: it takes no longer than their data, the turn of
 * the bus and its own. Without a limit it waits until write_low are left of all. */
TEST(reads_pass_writes)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.timing.tREFI = 1000000;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      const uint32_t write = bursts_of(&config) * larger(timing.tCCD_L_WR, burst_of(&config));
      const uint32_t turn = timing.CWL + burst_of(&config) + timing.tWTR_L;
      const uint32_t arrival = 200 + timing.tRCD + 64 * write, own = timing.CL + transfer_of(&config);
      config.turn_requests = 8;
      for (uint32_t later = 0; later < 16 * write; later += 7)
         assert_true(read_while_writes_drain(&config, arrival + later) <= 8 * write + turn + own);
      config.turn_requests = 0;
      const uint32_t left = 15 * config.write_queue - 64; /* at least, of those that drain */
      assert_true(read_while_writes_drain(&config, arrival) >= left * write);
   }
}

/* More of both than the queues hold: turn_requests of one, then of the other, though nothing is ever left to wait for. */
TEST(reads_and_writes_take_turns)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.turn_requests = 5;
      config.timing.tREFI = 1000000;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      static struct log log;
      log = (struct log){.timing = &timing, .burst = burst_of(&config)};
      struct cm_dram_system *system = dram_create(&config);
      cm_dram_system_observe(system, log_command, &log);
      for (uint32_t i = 0; i < 400; i++)
         cm_dram_system_submit(system, dram_address(&config, 0, i % 2, 9, i / 2 % 8), 64, i % 2,
                               CM_STREAM_COLOR, 0);
      cm_dram_system_drain(system);
      /* Until the writes are no more than write_high; reads come first. */
      const uint32_t in_turn = config.turn_requests * bursts_of(&config);
      for (uint32_t i = 0; i < 300 * bursts_of(&config); i++)
         assert_int_equal(log.is_write[i], i / in_turn % 2);
      cm_dram_system_destroy(system);
   }
}

/* Where a bank group cannot fill the bus, two can: blocks in turn from open rows of both leave at most the gap
 * of the first bursts of each, of which there are few, idle. */
TEST(bank_groups_in_turn_have_the_rate_of_the_pins)
{
   uint32_t tested = 0;
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      const struct cm_dram_system_config config = dram_plain(number);
      if (device->bank_groups == 1 || device->timing.tCCD_L <= burst_of(&config) ||
          device->timing.tCCD_S > burst_of(&config))
         continue;
      struct cm_dram_system *system = dram_create(&config);
      const uint32_t count = 2 * cm_dram_config_row_bytes(&config) / 64;
      for (uint32_t block = 0; block < count; block++)
         cm_dram_system_submit(system, dram_address(&config, 0, block % 2, 9, block / 2), 64, false,
                               CM_STREAM_COLOR, 0);
      const uint64_t data = (uint64_t)count * bursts_of(&config) * burst_of(&config);
      const uint64_t end = cm_dram_system_drain(system);
      assert_true(end >= device->timing.tRCD + device->timing.CL + data);
      assert_true(end <= device->timing.tRCD + device->timing.CL + data + 4 * device->timing.tCCD_L);
      cm_dram_system_destroy(system);
      tested++;
   }
   assert_true(tested > 0);
}

/* Rows of one bank in turn, which a queue of one request cannot put into another order: one each tRC, or when
 * the reads need longer, each tRCD + reads + tRTP + tRP. */
TEST(row_conflicts_take_a_row_cycle_each)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.read_queue = 1;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      struct cm_dram_system *system = dram_create(&config);
      const uint32_t count = 30;
      for (uint32_t row = 0; row < count; row++)
         cm_dram_system_submit(system, dram_address(&config, 0, 0, row, 0), 64, false, CM_STREAM_TEXTURE, 0);
      const uint32_t columns = (bursts_of(&config) - 1) * larger(timing.tCCD_L, burst_of(&config));
      const uint64_t cycle = larger(timing.tRAS, timing.tRCD + columns + timing.tRTP) + timing.tRP;
      assert_int_equal(cm_dram_system_drain(system),
                       (count - 1) * cycle + timing.tRCD + timing.CL + transfer_of(&config));
      struct cm_dram_system_counters counters;
      cm_dram_system_count(system, &counters);
      assert_int_equal(counters.row_conflicts, count - 1);
      cm_dram_system_destroy(system);
   }
}

/* Rows in all banks in turn: as many activates as tFAW, tRRD and the data bus let through, and hardly fewer.
 */
TEST(banks_in_parallel_are_bound_by_activates)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.channel_width *= 4; /* so that the bus is not what limits */
      config.timing.tREFI = 100000;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      static struct log log;
      log = (struct log){.timing = &timing, .burst = burst_of(&config)};
      struct cm_dram_system *system = dram_create(&config);
      cm_dram_system_observe(system, log_command, &log);
      const uint32_t banks = cm_dram_device(device)->bank_groups * cm_dram_device(device)->banks_per_group;
      for (uint32_t i = 0; i < 1000; i++)
         cm_dram_system_submit(system, dram_address(&config, 0, i % banks, i / banks, 0), 64, false,
                               CM_STREAM_TEXTURE, 0);
      cm_dram_system_drain(system);
      assert_int_equal(log.num_activates, 1000);
      uint64_t shortest = UINT64_MAX;
      for (uint32_t i = 4; i < 1000; i++) {
         const uint64_t window = log.activates[i] - log.activates[i - 4];
         shortest = window < shortest ? window : shortest;
      }
      const uint64_t bound =
         larger(timing.tFAW,
                4 * larger(cm_dram_device(device)->bank_groups > 1 ? timing.tRRD_S : timing.tRRD_L,
                           bursts_of(&config) * burst_of(&config)));
      /* An activate lets a column command of the same cycle go first. */
      assert_true(shortest == bound || shortest == bound + 1);
      assert_true((log.activates[999] - log.activates[3]) * 100 <= 996 * bound / 4 * 107);
      cm_dram_system_destroy(system);
   }
}

/* Whatever is asked for, no two bursts are on the bus at once; so no more bytes come than the pins can carry.
 */
TEST(no_more_than_the_pins_carry)
{
   uint64_t random = 5;
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      for (uint32_t ranks = 1; ranks <= dram_max_ranks(device); ranks *= 2) {
         struct cm_dram_system_config config = dram_plain(device);
         config.ranks = ranks;
         const struct cm_dram_timing timing = cm_dram_config_timing(&config);
         static struct log log;
         log = (struct log){.timing = &timing, .burst = burst_of(&config)};
         struct cm_dram_system *system = dram_create(&config);
         cm_dram_system_observe(system, log_command, &log);
         for (uint32_t i = 0; i < 4000; i++) {
            const uint64_t address = (uint64_t)random_below(&random, i % 3 ? 1 << 8 : 1 << 24) * 64;
            cm_dram_system_submit(system, address, 64, random_below(&random, 3) == 0, CM_STREAM_TEXTURE,
                                  i * 2);
         }
         const uint64_t end = cm_dram_system_drain(system);
         assert_int_equal(log.num_data, 4000 * bursts_of(&config));
         for (uint32_t i = 1; i < log.num_data; i++)
            assert_true(log.data[i] >= log.data[i - 1] + log.burst);
         assert_true(4000 * 64 <= end * cm_dram_system_bytes_per_cycle(system));
         cm_dram_system_destroy(system);
      }
   }
}

/* Random reads and writes, each of a row of its own: each needs one activate. A change of direction must not close the
 * rows that have just been activated for the other; only refreshes do. */
TEST(changes_of_direction_waste_no_activates)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      struct cm_dram_system_config config = dram_plain(number);
      struct cm_dram_system_counters counters;
      const uint32_t banks = device->bank_groups * device->banks_per_group, count = 5000;
      /* Nearly as many as the bus and tFAW let through, so that neither queue is full all the time. */
      const uint32_t apart = larger(device->timing.tFAW, 4 * bursts_of(&config) * device->timing.tCCD_L) / 3;
      uint64_t random = 11;
      struct cm_dram_system *system = dram_create(&config);
      for (uint32_t i = 0; i < count; i++)
         cm_dram_system_submit(system, dram_address(&config, 0, random_below(&random, banks), i, 0), 64,
                               random_below(&random, 10) < 3, CM_STREAM_COLOR, (uint64_t)i * apart);
      cm_dram_system_drain(system);
      cm_dram_system_count(system, &counters);
      assert_true(counters.turnarounds > 100);
      assert_true(counters.activates >= count && counters.activates <= count + counters.refreshes * banks);
      cm_dram_system_destroy(system);
   }
}

/* ---- refresh -------------------------------------------------------------------------------------- */

/* Each rank is refreshed every tREFI, for tRFC; a stream that would fill the bus loses that share, and not
 * much more. */
TEST(refresh_takes_its_share)
{
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      struct cm_dram_system_counters counters;
      config.ranks = 2;
      struct cm_dram_system *system = dram_create(&config);
      cm_dram_system_advance(system, 1000ull * timing.tREFI + timing.tRFC);
      cm_dram_system_count(system, &counters);
      assert_int_equal(counters.refreshes, 2000);
      assert_int_equal(counters.active_cycles, 2000ull * timing.tRFC);
      cm_dram_system_destroy(system);

      config.ranks = 1;
      system = dram_create(&config);
      const uint64_t blocks = 100ull * timing.tREFI / (bursts_of(&config) * burst_of(&config));
      for (uint64_t i = 0; i < blocks; i++)
         cm_dram_system_submit(system, i * 64, 64, false, CM_STREAM_TEXTURE, i);
      const uint64_t end = cm_dram_system_drain(system);
      cm_dram_system_count(system, &counters);
      const uint64_t lost = end - counters.busy_cycles, refreshes = counters.refreshes;
      /* Before: the reads that are on their way, and the precharge; after: an activate and a read. */
      const uint64_t around = timing.tRAS + timing.tRTP + timing.tRP + timing.tRCD + timing.CL;
      assert_true(lost >= refreshes * timing.tRFC);
      assert_true(lost <= refreshes * (timing.tRFC + around) + around);
      assert_true(refreshes * timing.tREFI <= end && end < (refreshes + 1) * timing.tREFI + timing.tRFC);
      cm_dram_system_destroy(system);
   }
}

/* Which banks refreshes take, in turn. */
struct refresh_log {
   uint32_t count, banks, width;
};

static void
log_refresh(const struct cm_dram_issue *issue, void *context)
{
   struct refresh_log *log = context;
   if (issue->command != CM_DRAM_REFRESH)
      return;
   assert_int_equal(issue->bank, log->count * log->width % log->banks);
   log->count++;
}

/* Per bank: eight refreshes in tREFI, of the banks in turn, each for tRFCpb. Requests for other banks continue: an open
 * row's blocks come as fast as the pins allow until the bank's own turn, and all banks' sooner than with refreshes of
 * the rank. */
TEST(per_bank_refresh_leaves_the_other_banks)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      struct cm_dram_system_config config = dram_plain(number);
      const uint32_t banks = device->bank_groups * device->banks_per_group;
      const uint32_t interval = device->timing.tREFI / 8;
      if (!device->refresh_banks)
         continue;
      config.refresh = CM_DRAM_REFRESH_PER_BANK;
      struct refresh_log log = {0, banks, device->refresh_banks};
      struct cm_dram_system_counters counters;
      struct cm_dram_system *system = dram_create(&config);
      cm_dram_system_observe(system, log_refresh, &log);
      cm_dram_system_advance(system, 800ull * interval + device->timing.tRFCpb);
      cm_dram_system_count(system, &counters);
      assert_int_equal(counters.refreshes, 800);
      assert_int_equal(counters.active_cycles, 800ull * device->timing.tRFCpb);
      cm_dram_system_destroy(system);

      /* The first refresh is due while the last bank's row is read. */
      system = dram_create(&config);
      const uint32_t count = cm_dram_config_row_bytes(&config) / 64;
      const uint64_t begin = interval - device->timing.tRCD - 1;
      for (uint32_t block = 0; block < count; block++)
         cm_dram_system_submit(system, dram_address(&config, 0, banks - 1, 9, block), 64, false,
                               CM_STREAM_COLOR, begin);
      const uint64_t bursts = (uint64_t)count * bursts_of(&config);
      const uint64_t end = begin + device->timing.tRCD + device->timing.CL +
                           (bursts - 1) * larger(device->timing.tCCD_L, burst_of(&config)) +
                           burst_of(&config);
      const uint64_t drained = cm_dram_system_drain(system);
      cm_dram_system_count(system, &counters);
      assert_true(counters.refreshes > 0);
      assert_true(drained >= end &&
                  drained <= end + 2 * counters.refreshes); /* which take cycles of the command bus */
      cm_dram_system_destroy(system);

      uint64_t ends[2];
      for (int per_bank = 0; per_bank < 2; per_bank++) {
         config.refresh = per_bank ? CM_DRAM_REFRESH_PER_BANK : CM_DRAM_REFRESH_ALL_BANK;
         system = dram_create(&config);
         for (uint32_t i = 0; i < 20000; i++)
            cm_dram_system_submit(system, dram_address(&config, 0, i % banks, i / banks / 4, i / banks % 4),
                                  64, false, CM_STREAM_COLOR, 0);
         ends[per_bank] = cm_dram_system_drain(system);
         cm_dram_system_destroy(system);
      }
      assert_true(ends[1] < ends[0]);
   }
}
