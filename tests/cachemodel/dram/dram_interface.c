/* SPDX-License-Identifier: MIT */
/* What a caller of dram/dram_system.h relies on: devices are those of the file, clocks convert exactly,
 * addresses are found again, tickets stay valid, late requests are taken up, and the order of calls does not
 * matter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dram/address_mapping.h"
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/test.h"

/* ---- devices -------------------------------------------------------------------------------------- */

/* A field of the file by its column's name. */
static double
field(const char *columns, const char *line, const char *name)
{
   for (;;) {
      const size_t name_length = strcspn(columns, ",\n"), length = strcspn(line, ",\n");
      if (name_length == strlen(name) && memcmp(columns, name, name_length) == 0)
         return strtod(line, NULL);
      if (columns[name_length] != ',')
         fail_msg("no column %s", name);
      columns += name_length + 1;
      line += length + 1;
   }
}

TEST(devices_are_those_of_the_file)
{
   char path[4096], columns[1024], line[1024];
   snprintf(path, sizeof path, "%s/../data/dram-devices.csv", getenv("TBRSIM_CONFIG_DIR"));
   FILE *file = fopen(path, "r");
   assert_non_null(file);
   assert_non_null(fgets(columns, sizeof columns, file));
   uint32_t number = 0;
   while (fgets(line, sizeof line, file)) {
      assert_true(number < cm_dram_device_count());
      const struct cm_dram_device *device = cm_dram_device(++number);
      assert_memory_equal(device->name, line, strlen(device->name));
      assert_int_equal(line[strlen(device->name)], ',');
#define SAME(value, name, factor) \
   assert_int_equal(value, (uint32_t)llround(field(columns, line, name) * (factor)))
      SAME(device->bank_groups, "bankgroups", 1);
      SAME(device->banks_per_group, "banks_per_group", 1);
      SAME(device->rows, "rows", 1);
      SAME(device->columns, "columns", 1);
      SAME(device->width, "device_width", 1);
      SAME(device->burst_length, "BL", 1);
      SAME(device->beats_per_clock, "beats_per_clock", 1);
      SAME(device->refresh_banks, "refresh_banks", 1);
      SAME(device->tCK, "tCK_ns", 1000);
#define SAME_TIMING(name, description) SAME(device->timing.name, #name, 1);
      CM_DRAM_TIMINGS(SAME_TIMING)
#define SAME_POWER(name)                                                                          \
   assert_int_equal(device->name,                                                                 \
                    (uint32_t)llround(                                                            \
                       1e6 * (field(columns, line, "VDD_V") * field(columns, line, #name "_mA") + \
                              field(columns, line, "VDD1_V") * field(columns, line, #name "_1_mA"))))
      SAME_POWER(IDD0);
      SAME_POWER(IDD2P);
      SAME_POWER(IDD2N);
      SAME_POWER(IDD3P);
      SAME_POWER(IDD3N);
      SAME_POWER(IDD4W);
      SAME_POWER(IDD4R);
      SAME_POWER(IDD5AB);
   }
   fclose(file);
   assert_int_equal(number, cm_dram_device_count());
}

/* The standards' minima in ns, and the longest time between refreshes; the cycles may be rounded by 1 %. */
TEST(devices_keep_their_standards_times)
{
   static const struct {
      const char *device; /* how its name begins */
      double tRCD, tRP, tRPab, tRAS, tRRD, tFAW, tWTR, tRFC, tREFI;
   } standards[] = {
      {"LPDDR3_8Gb", 18, 18, 21, 42, 10, 50, 7.5, 210, 3906},
      {"LPDDR4_8Gb", 18, 18, 21, 42, 10, 40, 10, 280, 3906},
      {"LPDDR4X_8Gb", 18, 18, 21, 42, 10, 40, 10, 280, 3906},
      {"LPDDR5_16Gb", 18, 18, 21, 42, 5, 20, 6.25, 280, 3906},
      {"LPDDR5X_16Gb", 18, 18, 21, 42, 5, 20, 6.25, 280, 3906},
      {"DDR3_4Gb_x16_1600", 13.75, 13.75, 13.75, 35, 7.5, 40, 7.5, 260, 7812},
      {"DDR3_4Gb_x16_1866", 13.91, 13.91, 13.91, 34, 6, 35, 7.5, 260, 7812},
      {"DDR4_8Gb_x16_3200", 13.75, 13.75, 13.75, 32, 5.3, 30, 2.5, 350, 7812},
      {"DDR5_16Gb_x8_4800", 16, 16, 16, 32, 3.33, 13.33, 2.5, 295, 3906},
   };
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      unsigned i = 0;
      while (strncmp(device->name, standards[i].device, strlen(standards[i].device)) != 0)
         assert_true(++i < sizeof standards / sizeof standards[0]);
#define AT_LEAST(t, minimum)                             \
   if (device->timing.t * device->tCK < 990 * (minimum)) \
   fail_msg("%s: " #t " is %u cycles, less than %g ns", device->name, device->timing.t, minimum)
      AT_LEAST(tRCD, standards[i].tRCD);
      AT_LEAST(tRP, standards[i].tRP);
      AT_LEAST(tRPab, standards[i].tRPab);
      AT_LEAST(tRAS, standards[i].tRAS);
      AT_LEAST(tRRD_S, standards[i].tRRD);
      AT_LEAST(tRRD_L, standards[i].tRRD);
      AT_LEAST(tFAW, standards[i].tFAW);
      AT_LEAST(tWTR_S, standards[i].tWTR);
      AT_LEAST(tRFC, standards[i].tRFC);
      assert_true(device->timing.tREFI * device->tCK <= 1000 * standards[i].tREFI);
      /* Bank groups came with LPDDR5. */
      if (strncmp(device->name, "LPDDR4", 6) == 0)
         assert_int_equal(device->bank_groups, 1);
   }
}

/* A device without per-bank refresh has none, and no channel has more banks than a set of them can hold. */
TEST(what_devices_do_not_have)
{
   struct cm_config_problem problem;
   struct cm_dram_system_config config = dram_plain(dram_device_number("DDR4_8Gb_x16_3200"));
   config.refresh = CM_DRAM_REFRESH_PER_BANK;
   assert_false(cm_dram_system_config_check(&config, 1, &problem));
   assert_string_equal(problem.key, "dram_system.refresh");
   config = dram_plain(dram_device_number("DDR5_16Gb_x8_4800"));
   config.refresh = CM_DRAM_REFRESH_PER_BANK;
   config.ranks = 2;
   assert_true(cm_dram_system_config_check(&config, 1, &problem));
   config.ranks = 4;
   assert_false(cm_dram_system_config_check(&config, 1, &problem));
   assert_string_equal(problem.key, "dram_system.ranks");
}

/* ---- clocks --------------------------------------------------------------------------------------- */

/* The first cycle that does not begin before another clock's, from the periods themselves. */
static uint64_t
first_not_before(uint64_t cycle, uint64_t from_period, uint64_t to_period)
{
   const unsigned __int128 time = (unsigned __int128)cycle * from_period;
   return (uint64_t)((time + to_period - 1) / to_period);
}

TEST(clocks_convert_exactly)
{
   uint64_t random = 3;
   static const uint32_t clocks[] = {400, 600, 1000, 1333, 1600, 4000};
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_system_config config = dram_plain(number);
      struct cm_dram_system *system = dram_create(&config);
      for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
         const struct cm_dram_clock clock = cm_dram_system_clock(system, clocks[i]);
         /* Periods in units of 1 ps / MHz: 10^6 and period * MHz. */
         const uint64_t dram = (uint64_t)cm_dram_device(number)->tCK * clocks[i];
         for (int trial = 0; trial < 2000; trial++) {
            const uint64_t cycle =
               trial < 200 ? (uint64_t)trial : (uint64_t)random_next(&random) << random_below(&random, 20);
            assert_int_equal(cm_dram_clock_to_dram(clock, cycle), first_not_before(cycle, 1000000, dram));
            assert_int_equal(cm_dram_clock_from_dram(clock, cycle), first_not_before(cycle, dram, 1000000));
            uint64_t rest;
            const uint64_t any = cycle << random_below(&random, 32) ^ UINT64_MAX << (trial & 63);
            assert_int_equal(cm_dram_divide(any, clock.from, &rest), any / clock.from.value);
            assert_int_equal(rest, any % clock.from.value);
            assert_int_equal(cm_dram_divide(any, clock.to, &rest), any / clock.to.value);
            assert_int_equal(rest, any % clock.to.value);
         }
      }
      cm_dram_system_destroy(system);
   }
   /* LPDDR3-1333 with 600 MHz: 10 cycles of the GPU are 16.7 ns, 100/9 of 1.5 ns; two channels of 32 bits. */
   struct cm_dram_system_config config = dram_plain(dram_device_number("LPDDR3_8Gb_x32_1333"));
   config.channels = 2;
   struct cm_dram_system *system = dram_create(&config);
   const struct cm_dram_clock clock = cm_dram_system_clock(system, 600);
   assert_int_equal(clock.from.value, 9);
   assert_int_equal(clock.to.value, 10);
   assert_int_equal(cm_dram_clock_to_dram(clock, 9), 10);
   assert_int_equal(cm_dram_clock_to_dram(clock, 10), 12);
   assert_int_equal(cm_dram_clock_from_dram(clock, 11), 10);
   assert_int_equal(cm_dram_system_bytes_per_cycle(system), 16);
   cm_dram_system_destroy(system);
   /* LPDDR5-6400: eight transfers in a cycle of CK of 1.25 ns; four channels of 16 bits have 51.2 GB/s. */
   config = dram_plain(dram_device_number("LPDDR5_16Gb_x16_6400"));
   config.channels = 4;
   assert_int_equal(cm_dram_burst_cycles(cm_dram_device(config.device)), 2);
   system = dram_create(&config);
   assert_int_equal(cm_dram_system_bytes_per_cycle(system) * 1000000 / cm_dram_device(config.device)->tCK,
                    51200);
   cm_dram_system_destroy(system);
}

/* ---- addresses ------------------------------------------------------------------------------------ */

/* Three addresses worked out by hand: DDR3-1600, two channels of 64 bits (rows of 8 KiB), two ranks,
 * interleave 256. */
TEST(addresses_by_hand)
{
   struct cm_dram_system_config config = dram_plain(dram_device_number("DDR3_4Gb_x16_1600"));
   config.channels = 2;
   config.channel_width = 64;
   config.ranks = 2;
   config.interleave = 256;
   const struct cm_dram_geometry geometry = cm_dram_config_geometry(&config);
   assert_int_equal(geometry.column_bits, 5);
   assert_int_equal(geometry.row_bits, 15);
   struct cm_dram_address_mapping mapping;
   char message[300];
   assert_true(cm_dram_address_mapping_parse(&mapping, "row-rank-bank-column-channel", &geometry, message,
                                             sizeof message));
   /* row : 15, rank : 1, bank : 3, column : 5, channel : 1, offset : 8 */
   const uint64_t address = (0x2345ull << 18 | 1 << 17 | 5 << 14 | 0x13 << 9 | 1 << 8) | 0xc0;
   struct cm_dram_location location = cm_dram_address_mapping_locate(&mapping, address);
   assert_int_equal(location.channel, 1);
   assert_int_equal(location.rank, 1);
   assert_int_equal(location.bank, 5);
   assert_int_equal(location.row, 0x2345);
   assert_int_equal(location.column, 0x13c0);
   /* Beyond the memory of 8 GiB: a row of its own. */
   assert_int_equal(mapping.capacity_bits, 33);
   location = cm_dram_address_mapping_locate(&mapping, address + (3ull << 33));
   assert_int_equal(location.bank, 5);
   assert_int_equal(location.row, 3 * 32768 + 0x2345);
   assert_true(cm_dram_address_mapping_parse(&mapping, "channel-column-row-bank^row-rank", &geometry, message,
                                             sizeof message));
   /* channel : 1, column : 5, row : 15, bank : 3, rank : 1, offset : 8 */
   location = cm_dram_address_mapping_locate(&mapping, 1ull << 32 | 0x1full << 27 | 0x0003ull << 12 |
                                                          6ull << 9 | 1 << 8);
   assert_int_equal(location.channel, 1);
   assert_int_equal(location.column, 0x1f00);
   assert_int_equal(location.row, 3);
   assert_int_equal(location.bank, 6 ^ 3);
   assert_int_equal(location.rank, 1);
}

/* Every block of a memory has a place of its own: brute force over all blocks of one of 16 MiB. */
TEST(every_block_has_its_place)
{
   static const char *const texts[] = {"row-rank-bank-column-channel", "row-column-bank^row-rank-channel",
                                       "channel-rank-row-bank-column", "bank-row-channel-column-rank"};
   const struct cm_dram_geometry geometry = {
      .offset_bits = 7, .channel_bits = 1, .rank_bits = 1, .bank_bits = 3, .column_bits = 4, .row_bits = 8};
   uint8_t *seen = malloc(1 << 24);
   assert_non_null(seen);
   for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
      struct cm_dram_address_mapping mapping;
      char message[300];
      assert_true(cm_dram_address_mapping_parse(&mapping, texts[i], &geometry, message, sizeof message));
      memset(seen, 0, 1 << 24);
      for (uint64_t address = 0; address < 1 << 24; address += 64) {
         const struct cm_dram_location l = cm_dram_address_mapping_locate(&mapping, address);
         assert_true(l.channel < 2 && l.rank < 2 && l.bank < 8 && l.row < 256 && l.column < 2048);
         uint8_t *place = &seen[(((l.channel * 2 + l.rank) * 8 + l.bank) * 256 + l.row) * 2048 + l.column];
         assert_int_equal(*place, 0);
         *place = 1;
      }
   }
   free(seen);
}

/* ---- requests ------------------------------------------------------------------------------------- */

/* Many more requests than tickets, none asked for: each is completed once; the tickets of the last ones are
 * valid. */
TEST(tickets)
{
   const struct cm_dram_system_config config = dram_plain(1);
   struct cm_dram_system *system = dram_create(&config);
   const uint32_t count = 3 * CM_DRAM_TICKETS + 5;
   cm_dram_ticket last = 0;
   uint64_t random = 1, bytes = 0;
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t size = 1 + random_below(&random, 64);
      bytes += size;
      last = cm_dram_system_submit(system, (uint64_t)random_below(&random, 1 << 20) * 64, size, i % 5 == 0,
                                   i % 2 ? CM_STREAM_COLOR : CM_STREAM_VERTEX, i);
   }
   const uint64_t *completions = cm_dram_system_completions(system);
   assert_int_equal(completions[last % CM_DRAM_TICKETS], CM_DRAM_PENDING);
   const uint64_t end = cm_dram_system_drain(system);
   assert_int_equal(cm_dram_system_completion(system, last), completions[last % CM_DRAM_TICKETS]);
   assert_true(completions[last % CM_DRAM_TICKETS] <= end);
   assert_true(cm_dram_system_completion(system, last + 1 - CM_DRAM_TICKETS) <= end);
   struct cm_dram_system_counters counters;
   cm_dram_system_count(system, &counters);
   assert_int_equal(counters.reads + counters.writes, count);
   assert_int_equal(counters.row_hits + counters.row_misses + counters.row_conflicts, count);
   uint64_t counted = 0;
   for (int stream = 0; stream < CM_STREAM_COUNT; stream++)
      counted += counters.read_bytes[stream] + counters.write_bytes[stream];
   assert_int_equal(counted, bytes);
   assert_int_equal(counted, counters.read_bytes[CM_STREAM_COLOR] + counters.write_bytes[CM_STREAM_COLOR] +
                                counters.read_bytes[CM_STREAM_VERTEX] +
                                counters.write_bytes[CM_STREAM_VERTEX]);
   cm_dram_system_destroy(system);
}

/* In a caller's clock completions are the same ones, converted. */
TEST(completions_in_a_clock)
{
   const struct cm_dram_system_config config = dram_plain(1);
   struct cm_dram_system *plain = dram_create(&config), *timed = dram_create(&config);
   const struct cm_dram_clock clock = cm_dram_system_clock(timed, 600);
   cm_dram_system_set_clock(timed, clock);
   uint64_t random = 1;
   for (uint32_t i = 0; i < 1000; i++) {
      const uint64_t address = (uint64_t)random_below(&random, 1 << 20) * 64;
      const bool write = i % 3 == 0;
      const cm_dram_ticket ticket = cm_dram_system_submit(plain, address, 64, write, CM_STREAM_COLOR, i);
      assert_int_equal(cm_dram_system_submit(timed, address, 64, write, CM_STREAM_COLOR, i), ticket);
      if (i % 7 != 6)
         continue;
      const uint64_t completion = cm_dram_system_completion(plain, ticket);
      assert_int_equal(cm_dram_system_completion(timed, ticket), cm_dram_clock_from_dram(clock, completion));
   }
   assert_int_equal(cm_dram_system_drain(timed), cm_dram_system_drain(plain));
   cm_dram_system_destroy(plain);
   cm_dram_system_destroy(timed);
}

/* A request that arrives in the past is taken up where that ends, and its latency is from its own arrival. */
TEST(late_requests)
{
   const struct cm_dram_system_config config = dram_plain(1);
   const struct cm_dram_timing timing = cm_dram_config_timing(&config);
   struct cm_dram_system *system = dram_create(&config);
   cm_dram_system_advance(system, 100);
   const cm_dram_ticket ticket = cm_dram_system_submit(system, 0, 32, false, CM_STREAM_TEXTURE, 60);
   assert_int_equal(cm_dram_system_completion(system, ticket), 100 + timing.tRCD + timing.CL + 4);
   struct cm_dram_system_counters counters;
   cm_dram_system_count(system, &counters);
   assert_int_equal(counters.late_requests, 1);
   assert_int_equal(counters.read_latency_cycles, 40 + timing.tRCD + timing.CL + 4);
   /* Time does not go back. */
   cm_dram_system_advance(system, 10);
   cm_dram_system_count(system, &counters);
   assert_true(counters.channel_cycles > 100);
   cm_dram_system_destroy(system);
}

/* The controller's latency delays the answers of reads and nothing else. */
TEST(controller_latency)
{
   uint64_t ends[2][2];
   for (int write = 0; write < 2; write++) {
      for (int slow = 0; slow < 2; slow++) {
         struct cm_dram_system_config config = dram_plain(1);
         config.controller_latency = slow ? 38 : 0;
         struct cm_dram_system *system = dram_create(&config);
         for (uint64_t i = 0; i < 100; i++)
            cm_dram_system_submit(system, i * 4096, 64, write, CM_STREAM_TEXTURE, i);
         ends[write][slow] = cm_dram_system_drain(system);
         cm_dram_system_destroy(system);
      }
   }
   assert_int_equal(ends[0][1], ends[0][0] + 38);
   assert_int_equal(ends[1][1], ends[1][0]);
}
